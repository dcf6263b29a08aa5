//! The console. Subscribes to `log.entryAdded` only while a client listens, since pages can notice that.
//!
//! Firefox reports earlier entries once, to the first subscriber. They are stored here for later subscribers.
use std::collections::{HashMap, VecDeque};

use serde_json::{Value, json};

use super::answers::{Answer, Command};
use super::driver::Driver;
use super::errors::Refusal;
use super::runtime::with_stack;
use super::state::{State, session_of};
use super::values;

/// The maximum number of stored messages per tab.
const KEPT: usize = 1_000;

/// The log entries of a tab's documents, oldest first.
#[derive(Debug, Default)]
pub(super) struct LogEntries(VecDeque<Value>);

impl LogEntries {
    fn add(&mut self, event: &Value) {
        if self.0.len() == KEPT {
            self.0.pop_front();
        }
        self.0.push_back(event.clone());
    }

    /// Removes the entries of frames whose documents are gone.
    pub(super) fn forget(&mut self, frames: &[String]) {
        let is_gone = |entry: &Value| {
            let context = entry["source"]["context"].as_str().unwrap_or_default();
            frames.iter().any(|frame| frame == context)
        };
        self.0.retain(|entry| !is_gone(entry));
    }
}

/// One kind of console subscribers: where the subscription of each tab is stored, and how to report to them.
#[derive(Clone, Copy)]
struct ConsoleSubscribers {
    of: fn(&mut State) -> &mut HashMap<String, String>,
    tell: fn(&Driver, &str, &Value),
}

const TEXT_SUBSCRIBERS: ConsoleSubscribers =
    ConsoleSubscribers { of: |state| &mut state.console_read, tell: tell_text };
const OBJECT_SUBSCRIBERS: ConsoleSubscribers =
    ConsoleSubscribers { of: |state| &mut state.console, tell: tell_objects };

impl ConsoleSubscribers {
    async fn begin(self, driver: &Driver, tab: &str) -> Result<(), Refusal> {
        if (self.of)(&mut driver.state()).contains_key(tab) {
            return Ok(());
        }
        for entry in kept(driver, tab) {
            (self.tell)(driver, tab, &entry);
        }
        // Firefox reports earlier entries before it confirms a subscription, so the tab is registered first.
        (self.of)(&mut driver.state()).insert(tab.to_owned(), String::new());
        match listen(driver, tab).await {
            Ok(subscription) => drop((self.of)(&mut driver.state()).insert(tab.to_owned(), subscription)),
            Err(refusal) => {
                (self.of)(&mut driver.state()).remove(tab);
                return Err(refusal);
            }
        }
        Ok(())
    }

    async fn end(self, driver: &Driver, tab: &str) -> Result<(), Refusal> {
        let received = (self.of)(&mut driver.state()).remove(tab);
        if let Some(subscription) = received {
            driver.ask("session.unsubscribe", json!({"subscriptions": [subscription]})).await?;
        }
        Ok(())
    }
}

pub(super) async fn answer(command: Command<'_>, method: &str) -> Answer {
    let Command { driver, tab, .. } = command;
    match method {
        "Console.enable" => {
            let _turn = driver.console_turn.lock().await;
            let _ = TEXT_SUBSCRIBERS.begin(driver, tab).await;
        }
        "Console.disable" => {
            let _turn = driver.console_turn.lock().await;
            TEXT_SUBSCRIBERS.end(driver, tab).await?;
        }
        "Runtime.enable" => OBJECT_SUBSCRIBERS.begin(driver, tab).await?,
        "Runtime.disable" => OBJECT_SUBSCRIBERS.end(driver, tab).await?,
        "Runtime.discardConsoleEntries" => {
            if let Some(tab) = driver.state().tabs.get_mut(tab) {
                tab.logged = LogEntries::default();
            }
        }
        _ => {}
    }
    Ok(json!({}))
}

fn kept(driver: &Driver, tab: &str) -> Vec<Value> {
    let state = driver.state();
    state.tabs.get(tab).map(|tab| tab.logged.0.iter().cloned().collect()).unwrap_or_default()
}

async fn listen(driver: &Driver, tab: &str) -> Result<String, Refusal> {
    let subscribe = json!({"events": ["log.entryAdded"], "contexts": [tab]});
    let answer = driver.ask("session.subscribe", subscribe).await?;
    Ok(answer["subscription"].as_str().unwrap_or_default().to_owned())
}

pub(super) fn hear(driver: &Driver, event: &Value) {
    let context = event["source"]["context"].as_str().unwrap_or_default();
    let (tab, hearers) = {
        let mut state = driver.state();
        let Some(tab) = state.frames.get(context).map(|frame| frame.tab.clone()) else { return };
        if let Some(tab) = state.tabs.get_mut(&tab) {
            tab.logged.add(event);
        }
        let hearers = [TEXT_SUBSCRIBERS, OBJECT_SUBSCRIBERS]
            .map(|hearers| (hearers.of)(&mut state).contains_key(&tab).then_some(hearers));
        (tab, hearers)
    };
    for hearers in hearers.into_iter().flatten() {
        (hearers.tell)(driver, &tab, event);
    }
}

fn is_error(event: &Value) -> bool {
    event["type"] == "javascript"
}

/// Reports a message as `Console.messageAdded`, with plain text.
fn tell_text(driver: &Driver, tab: &str, event: &Value) {
    let place = &event["stackTrace"]["callFrames"][0];
    let line = |name: &str| place[name].as_i64().map_or(0, |number| number + 1);
    let level = match event["level"].as_str() {
        // CDP reports uncaught errors at this level.
        _ if is_error(event) => "log",
        Some("warn") => "warning",
        Some("info") | None => "log",
        Some(other) => other,
    };
    let text = event["text"].as_str().unwrap_or_default();
    let text = if is_error(event) { format!("Uncaught {text}") } else { text.to_owned() };
    let message = json!({
        "source": if is_error(event) { "javascript" } else { "console-api" },
        "level": level, "text": text,
        "url": place["url"], "line": line("lineNumber"), "column": line("columnNumber"),
    });
    driver.emit(&session_of(tab), "Console.messageAdded", json!({"message": message}));
}

/// Reports a message as `Runtime.consoleAPICalled`, or `exceptionThrown`, with the logged objects.
fn tell_objects(driver: &Driver, tab: &str, event: &Value) {
    let place = &event["stackTrace"]["callFrames"][0];
    let timestamp = &event["timestamp"];
    if is_error(event) {
        let text = event["text"].as_str().unwrap_or_default();
        let thrown = match text.strip_prefix("uncaught exception: ") {
            // Firefox uses this prefix for thrown values that are not errors.
            Some(value) => value.to_owned(),
            None => with_stack(text, &event["stackTrace"]),
        };
        let details = json!({
            "text": "Uncaught", "url": place["url"], "stackTrace": event["stackTrace"],
            "lineNumber": place["lineNumber"].as_i64().unwrap_or_default(),
            "columnNumber": place["columnNumber"].as_i64().unwrap_or_default(),
            "exception": {"type": "object", "subtype": "error", "description": thrown},
        });
        let thrown = json!({"timestamp": timestamp, "exceptionDetails": details});
        driver.emit(&session_of(tab), "Runtime.exceptionThrown", thrown);
        return;
    }
    let source = &event["source"];
    let (context, realm) = (source["context"].as_str(), source["realm"].as_str());
    let world = driver.state().objects.world(context.unwrap_or_default(), realm.unwrap_or_default());
    let arguments = event["args"].as_array().into_iter().flatten();
    let arguments: Vec<_> = arguments
        .map(|argument| {
            let mut object = values::remote_object(argument);
            if let Some(value) = values::plain(argument).filter(|_| argument["type"] != "object") {
                object.entry("value").or_insert(value);
            }
            object
        })
        .collect();
    let kind = event["method"].as_str().unwrap_or("log");
    let called = json!({
        "type": if kind == "warn" { "warning" } else { kind },
        "args": arguments, "executionContextId": world, "timestamp": timestamp,
        "stackTrace": event["stackTrace"],
    });
    driver.emit(&session_of(tab), "Runtime.consoleAPICalled", called);
}
