//! Waits for the resources of a document, and detects resources that may never arrive.
use std::time::Duration;

use serde_json::Value;
use tokio::time::{Instant, sleep, timeout};

use super::Page;
use crate::browser::objects::network::RequestEntry;
use crate::browser::objects::world::ScriptWorld;
use crate::error::Result;

/// How long the network must be quiet before waiting for the pending requests of a parsed document ends.
const IDLE: Duration = Duration::from_secs(1);
/// How long a document with visible text may wait for servers that do not answer.
const STALL: Duration = Duration::from_secs(2);
/// How long a blank document may wait for servers that do not answer.
const BLANK_STALL: Duration = Duration::from_secs(8);
const PAUSE: Duration = Duration::from_millis(100);
const TEXT_LIMIT: Duration = Duration::from_millis(500);

impl Page {
    /// Returns the pending requests, oldest first, as `(resource type, URL)`. Excludes `WebSocket`s.
    pub fn pending_requests(&self) -> Vec<(String, String)> {
        self.with_network(|network| {
            let open = network.entries().filter(|entry| entry.ended.is_none() && entry.kind != "WebSocket");
            open.map(|entry| (entry.kind.clone(), entry.url.clone())).collect()
        })
    }

    /// Waits until the main frame fires `load`, at most `limit`, but gives up if its pending requests show no
    /// activity for 1 s. Returns true if the document has loaded or a dialog is open.
    pub async fn until_resources_loaded(&self, limit: Duration) -> Result<bool> {
        let deadline = Instant::now() + limit;
        let mut changes = self.changes();
        let (mut last, mut since) = (self.traffic(), Instant::now());
        loop {
            if self.blocking_dialog().is_some() || self.main_frame().lifecycle_events().load {
                return Ok(true);
            }
            if self.is_closed() || self.is_crashed() {
                return self.until(|_| None).await;
            }
            let now = self.traffic();
            if now != last {
                (last, since) = (now, Instant::now());
            }
            let (_, _, open) = now;
            let until = if open > 0 { deadline.min(since + IDLE) } else { deadline };
            if !self.wait_for_change(&mut changes, until).await && Instant::now() >= until {
                return Ok(false);
            }
        }
    }

    /// Waits until a new document, with another loader id than `previous_loader_id`, is stalled: it has committed
    /// but cannot be parsed, since the servers of its scripts or style sheets do not answer.
    pub async fn until_parsing_stalled(&self, previous_loader_id: &str) {
        let (mut last, mut since) = (self.traffic(), Instant::now());
        loop {
            sleep(PAUSE).await;
            let (now, frame) = (self.traffic(), self.main_frame());
            let is_unparsed =
                *frame.loader_id() != *previous_loader_id && !frame.lifecycle_events().dom_content_loaded;
            if now != last || !is_unparsed || !self.awaits_silent_servers() {
                (last, since) = (now, Instant::now());
            }
            let waited = since.elapsed();
            if waited >= BLANK_STALL || (waited >= STALL && self.shows_text().await) {
                return;
            }
        }
    }

    /// Whether requests are pending and none of them has a response. Ignores `WebSocket`s and event streams.
    fn awaits_silent_servers(&self) -> bool {
        self.with_network(|network| {
            let streams = ["WebSocket", "EventSource"];
            let is_open = |entry: &&RequestEntry| entry.ended.is_none() && !streams.contains(&&*entry.kind);
            let mut open = network.entries().filter(is_open).peekable();
            open.peek().is_some() && open.all(|entry| entry.response.is_none())
        })
    }

    async fn shows_text(&self) -> bool {
        let script = "() => Boolean(document.body?.innerText.trim())";
        let shows = self.main_frame().evaluate(script, Vec::new(), ScriptWorld::Isolated);
        matches!(timeout(TEXT_LIMIT, shows).await, Ok(Ok(Value::Bool(true))))
    }

    /// Returns the number of requests, of requests with a response, and of pending requests.
    fn traffic(&self) -> (usize, usize, usize) {
        self.with_network(|network| {
            network.entries().fold((0, 0, 0), |(all, answered, open), entry| {
                let is_answered = usize::from(entry.response.is_some());
                (all + 1, answered + is_answered, open + usize::from(entry.ended.is_none()))
            })
        })
    }
}
