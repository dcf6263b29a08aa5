//! Resources that a document waits for and that may never arrive.
use std::time::Duration;

use serde_json::Value;
use tokio::time::{Instant, sleep, timeout};

use super::Page;
use crate::browser::objects::network::RequestEntry;
use crate::browser::objects::world::ScriptWorld;
use crate::error::Result;

/// How long the network must be quiet before a parsed document no longer waits for its pending requests.
const IDLE: Duration = Duration::from_secs(1);
/// How long a document that shows text may wait for servers of which none answers.
const STALL: Duration = Duration::from_secs(2);
/// How long a blank document may wait for servers of which none answers.
const BLANK_STALL: Duration = Duration::from_secs(8);
const PAUSE: Duration = Duration::from_millis(100);
const TEXT_LIMIT: Duration = Duration::from_millis(500);

impl Page {
    /// The pending requests, oldest first: resource type and URL.
    pub fn pending_requests(&self) -> Vec<(String, String)> {
        self.with_network(|network| {
            let open = network.entries().filter(|entry| entry.ended.is_none() && entry.kind != "WebSocket");
            open.map(|entry| (entry.kind.clone(), entry.url.clone())).collect()
        })
    }

    /// Waits until a parsed document has loaded, up to `limit`, but not for resources that do not arrive.
    /// Returns false if it has not loaded.
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

    /// Waits until the document that replaces the one with loader id `before` is stalled: it has arrived and is not
    /// parsed, since the servers of its scripts or style sheets do not answer.
    pub async fn until_stalled(&self, before: &str) {
        let (mut last, mut since) = (self.traffic(), Instant::now());
        loop {
            sleep(PAUSE).await;
            let (now, frame) = (self.traffic(), self.main_frame());
            let is_unparsed = *frame.loader_id() != *before && !frame.lifecycle_events().dom_content_loaded;
            if now != last || !is_unparsed || !self.awaits_silent_servers() {
                (last, since) = (now, Instant::now());
            }
            let waited = since.elapsed();
            if waited >= BLANK_STALL || (waited >= STALL && self.shows_text().await) {
                return;
            }
        }
    }

    /// Whether requests are pending, and none of them has been answered.
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

    /// The numbers of requests, of responses, and of pending requests.
    fn traffic(&self) -> (usize, usize, usize) {
        self.with_network(|network| {
            network.entries().fold((0, 0, 0), |(all, answered, open), entry| {
                let is_answered = usize::from(entry.response.is_some());
                (all + 1, answered + is_answered, open + usize::from(entry.ended.is_none()))
            })
        })
    }
}
