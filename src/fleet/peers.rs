//! Calling another server that shares the state.
use std::fmt;
use std::sync::OnceLock;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Another server, and what it is to be called with. Whoever can read the shared state can call.
#[derive(Clone, PartialEq, Eq)]
pub struct Peer {
    /// Without a path.
    pub url: String,
    pub secret: String,
}

impl fmt::Debug for Peer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Peer").finish_non_exhaustive()
    }
}

/// A call that another server is to do.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Asked {
    pub owner: Option<String>,
    pub tool: String,
    pub arguments: Map<String, Value>,
    /// Where it stands in a trace, as W3C's `traceparent`.
    #[serde(default)]
    pub trace: Option<String>,
}

/// What became of a call.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// As the protocol has it.
    Reply(Value),
    /// Nothing was done: nobody is there.
    Away,
    /// Nothing was done: it is not the right one any more.
    Undone,
    /// It is gone, and what it did is not known.
    Broke,
}

/// The way to other servers. Made when first needed.
#[derive(Debug, Default)]
pub struct Peers {
    client: OnceLock<reqwest::Client>,
}

/// The header that bears a server's secret.
pub const SECRET: &str = "x-patchright-replica";
/// Where calls of other servers arrive.
pub const CALL_PATH: &str = "/replica/call";
const CONNECT_LIMIT: Duration = Duration::from_secs(1);

impl Peers {
    /// What requests to other servers are made with.
    pub fn client(&self) -> reqwest::Client {
        let make = || {
            let client = reqwest::Client::builder()
                .no_proxy()
                .redirect(reqwest::redirect::Policy::none())
                .connect_timeout(CONNECT_LIMIT);
            client.build().unwrap_or_default()
        };
        self.client.get_or_init(make).clone()
    }

    /// Has a peer call a tool for an owner.
    pub async fn call(&self, peer: &Peer, asked: &Asked) -> Answer {
        let Ok(body) = serde_json::to_string(asked) else { return Answer::Undone };
        let url = format!("{}{CALL_PATH}", peer.url);
        let request = self.client().post(url).header(SECRET, &peer.secret).body(body);
        let response = match request.send().await {
            Ok(response) => response,
            Err(error) if error.is_connect() => return Answer::Away,
            Err(_) => return Answer::Broke,
        };
        if !response.status().is_success() {
            return Answer::Undone;
        }
        let Ok(bytes) = response.bytes().await else { return Answer::Broke };
        serde_json::from_slice(&bytes).map_or(Answer::Broke, Answer::Reply)
    }
}
