//! Selenium Grid 4: starts a browser on request and returns its `DevTools` address.
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};

use super::node::PoolNode;
use crate::error::{Error, Result};

/// The interval of keep-alive commands. By default, the grid ends a session after five minutes without a
/// `WebDriver` command, even while the DevTools socket is in use.
const RHYTHM: Duration = Duration::from_secs(60);

/// A browser session started by a Selenium Grid.
#[derive(Debug, Clone)]
pub struct GridSession {
    client: reqwest::Client,
    /// The session's URL on the grid.
    url: String,
    /// The `DevTools` WebSocket URL.
    pub socket: String,
}

#[derive(Deserialize)]
struct WebDriverAnswer {
    value: Value,
}

impl GridSession {
    /// Starts a Chrome session on the grid.
    ///
    /// # Errors `browser_gone` if the grid is unreachable or does not start a browser.
    pub async fn start(node: &PoolNode, limit: Duration) -> Result<Self> {
        let gone = |reason: &str| Error::BrowserGone { reason: reason.to_owned() };
        let mut headers = http::HeaderMap::new();
        for (name, value) in &node.headers {
            let pair = (http::HeaderName::try_from(name), http::HeaderValue::try_from(value));
            let (Ok(name), Ok(value)) = pair else { return Err(gone("a header cannot be sent")) };
            headers.insert(name, value);
        }
        let client = reqwest::Client::builder().no_proxy().default_headers(headers).timeout(limit).build();
        let client = client.map_err(|_| gone("no connection can be made"))?;
        let sessions = format!("{}/session", node.endpoint.trim_end_matches('/'));
        let wanted = json!({ "capabilities": { "alwaysMatch": { "browserName": "chrome" } } }).to_string();
        let request = client.post(&sessions).header("content-type", "application/json").body(wanted);
        let response = request.send().await.map_err(|_| gone("the grid gave no answer"))?;
        let status = response.status();
        let result = response.bytes().await.map_err(|_| gone("the grid's answer broke off"))?;
        let result =
            serde_json::from_slice::<WebDriverAnswer>(&result).map(|answer| answer.value).unwrap_or_default();
        if !status.is_success() {
            let reason = result["error"].as_str().unwrap_or("it says no more");
            return Err(gone(&format!("the grid did not start a browser: {reason}")));
        }
        let (Some(id), socket) = (result["sessionId"].as_str(), result["capabilities"]["se:cdp"].as_str())
        else {
            return Err(gone("the grid's answer names no session"));
        };
        let url = format!("{sessions}/{id}");
        let session = Self { client, url, socket: socket.unwrap_or_default().to_owned() };
        if session.socket.is_empty() {
            session.end().await;
            return Err(gone("the grid did not return the browser's DevTools address (se:cdp)"));
        }
        Ok(session)
    }

    /// Keeps the grid session alive until the future `used` completes.
    pub async fn keep_alive_during(&self, used: impl Future) {
        let keeping = async {
            loop {
                tokio::time::sleep(RHYTHM).await;
                let _ = self.client.get(format!("{}/timeouts", self.url)).send().await;
            }
        };
        tokio::select! {
            () = keeping => {}
            _ = used => {}
        }
    }

    /// Ends the session on the grid.
    pub async fn end(&self) {
        let _ = self.client.delete(&self.url).send().await;
    }
}
