//! A WebDriver client: sends one HTTP request for each command.
use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};

use crate::error::{Error, Result};

/// The JSON key of an element reference, as defined by WebDriver.
pub(super) const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// The time limit of commands that do not wait for the page.
pub(super) const USUAL: Duration = Duration::from_secs(15);

/// A connection to a driver, or to one of its sessions.
#[derive(Debug)]
pub(super) struct Client {
    http: reqwest::Client,
    /// The URL of the driver or session, to which a command's path is appended.
    address: String,
}

/// A command: its name in errors, its request, and its time limit.
#[derive(Debug, Clone, Copy)]
pub(super) struct Command<'a> {
    pub(super) name: &'static str,
    pub(super) path: &'a str,
    pub(super) limit: Duration,
}

impl<'a> Command<'a> {
    pub(super) fn new(name: &'static str, path: &'a str) -> Self {
        Self { name, path, limit: USUAL }
    }
}

impl Client {
    /// Creates a client for the driver at `address`, such as `http://127.0.0.1:4444`.
    pub(super) fn new(address: &str) -> Result<Self> {
        // The driver runs on this machine, so the proxy variables of the environment must not apply.
        let http = reqwest::Client::builder().no_proxy().build();
        let http = http.map_err(|error| Error::BrowserLaunch { reason: error.to_string() })?;
        Ok(Self { http, address: address.to_owned() })
    }

    /// Returns a client for the session with this id.
    pub(super) fn within(self, session: &str) -> Self {
        Self { address: format!("{}/session/{session}", self.address), ..self }
    }

    pub(super) async fn get(&self, command: Command<'_>) -> Result<Value> {
        self.ask(Method::GET, command, None).await
    }

    pub(super) async fn post(&self, command: Command<'_>, body: Value) -> Result<Value> {
        self.ask(Method::POST, command, Some(body)).await
    }

    pub(super) async fn delete(&self, command: Command<'_>) -> Result<Value> {
        self.ask(Method::DELETE, command, None).await
    }

    async fn ask(&self, method: Method, command: Command<'_>, body: Option<Value>) -> Result<Value> {
        let Command { name, path, limit } = command;
        let mut request = self.http.request(method, format!("{}{path}", self.address)).timeout(limit);
        if let Some(body) = body {
            request = request.header("content-type", "application/json").body(body.to_string());
        }
        let lost = |error: reqwest::Error| match error.is_timeout() {
            true => Error::NoAnswer { method: name, waited: limit },
            false => Error::BrowserGone { reason: "WebKit's driver does not answer".to_owned() },
        };
        let response = request.send().await.map_err(lost)?;
        let succeeded = response.status().is_success();
        let bytes = response.bytes().await.map_err(lost)?;
        let mut answer: Value = serde_json::from_slice(&bytes)
            .map_err(|error| Error::Unreadable { method: name, reason: error.to_string() })?;
        let value = answer.get_mut("value").map(Value::take).unwrap_or_default();
        if succeeded { Ok(value) } else { Err(refusal(name, limit, &value)) }
    }
}

/// Returns an element reference for the arguments of a script.
pub(super) fn element(handle: &str) -> Value {
    json!({ ELEMENT: handle })
}

/// Returns the handle of an element reference.
pub(super) fn handle_of(value: &Value) -> Option<&str> {
    value.get(ELEMENT)?.as_str()
}

fn refusal(method: &'static str, waited: Duration, value: &Value) -> Error {
    let message = value["message"].as_str().unwrap_or_default().to_owned();
    match value["error"].as_str().unwrap_or_default() {
        "invalid session id" => Error::BrowserGone { reason: "WebKit has ended".to_owned() },
        "no such window" => Error::PageClosed,
        "no such frame" => Error::FrameDetached,
        "stale element reference" | "no such element" => {
            Error::StaleRef { target: "the element".to_owned(), again: None }
        }
        "unexpected alert open" => Error::DialogOpen {
            kind: "dialog".to_owned(),
            message: value["data"]["text"].as_str().unwrap_or_default().to_owned(),
        },
        "no such alert" => Error::NoDialog,
        "javascript error" | "script timeout" => Error::Script { message },
        "timeout" => Error::NavigationSlow { waited },
        other if message.is_empty() => Error::Protocol { method, message: other.to_owned() },
        other => Error::Protocol { method, message: format!("{other}: {message}") },
    }
}
