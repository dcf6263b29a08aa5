//! Calls tools on other servers that share the state.
use std::fmt;
use std::sync::OnceLock;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// URL and secret of another server. Everyone who can read the shared state can call that server.
#[derive(Clone, PartialEq, Eq)]
pub struct Peer {
    /// The base URL of the server, without a path.
    pub url: String,
    pub secret: String,
}

impl fmt::Debug for Peer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Peer").finish_non_exhaustive()
    }
}

/// A tool call to be run on another server.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PeerCall {
    pub owner: Option<String>,
    pub tool: String,
    pub arguments: Map<String, Value>,
    /// The trace context in the format of W3C's `traceparent` header.
    #[serde(default)]
    pub trace: Option<String>,
}

/// The result of a tool call on another server.
#[derive(Debug, Clone, PartialEq)]
pub enum PeerCallResult {
    /// The result of the tool call as JSON.
    Reply(Value),
    /// The server is unreachable; nothing was run.
    Unreachable,
    /// The server no longer owns the session; nothing was run.
    NotRun,
    /// The connection broke. The call may or may not have run.
    Interrupted,
}

/// The HTTP client for calls to other servers. Created on first use.
#[derive(Debug, Default)]
pub struct PeerClient {
    client: OnceLock<reqwest::Client>,
}

/// The header that carries the called server's secret.
pub const PEER_SECRET_HEADER: &str = "x-patchright-replica";
/// The path for tool calls from other servers.
pub const PEER_CALL_PATH: &str = "/replica/call";
const CONNECT_LIMIT: Duration = Duration::from_secs(1);

impl PeerClient {
    /// Returns the HTTP client for calls to other servers.
    pub fn http_client(&self) -> reqwest::Client {
        let make = || {
            let client = reqwest::Client::builder()
                .no_proxy()
                .redirect(reqwest::redirect::Policy::none())
                .connect_timeout(CONNECT_LIMIT);
            client.build().unwrap_or_default()
        };
        self.client.get_or_init(make).clone()
    }

    /// Runs a tool call on another server.
    pub async fn call(&self, peer: &Peer, asked: &PeerCall) -> PeerCallResult {
        let Ok(body) = serde_json::to_string(asked) else { return PeerCallResult::NotRun };
        let url = format!("{}{PEER_CALL_PATH}", peer.url);
        let request = self.http_client().post(url).header(PEER_SECRET_HEADER, &peer.secret).body(body);
        let response = match request.send().await {
            Ok(response) => response,
            Err(error) if error.is_connect() => return PeerCallResult::Unreachable,
            Err(_) => return PeerCallResult::Interrupted,
        };
        if !response.status().is_success() {
            return PeerCallResult::NotRun;
        }
        let Ok(bytes) = response.bytes().await else { return PeerCallResult::Interrupted };
        serde_json::from_slice(&bytes).map_or(PeerCallResult::Interrupted, PeerCallResult::Reply)
    }
}
