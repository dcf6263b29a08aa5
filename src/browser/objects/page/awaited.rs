//! Resources that a document waits for and that may never arrive.
use std::time::Duration;

use tokio::time::Instant;

use super::Page;
use crate::error::Result;

/// How long the network must be quiet until pending requests no longer delay a loaded page.
const IDLE: Duration = Duration::from_secs(1);

impl Page {
    /// The pending requests, oldest first: resource type and URL.
    pub fn awaited(&self) -> Vec<(String, String)> {
        self.with_network(|network| {
            let open = network.entries().filter(|entry| entry.ended.is_none() && entry.kind != "WebSocket");
            open.map(|entry| (entry.kind.clone(), entry.url.clone())).collect()
        })
    }

    /// Waits until a parsed document has loaded, up to `limit`, but not for resources that do not arrive.
    /// Returns false if it has not loaded.
    pub async fn until_rest_loaded(&self, limit: Duration) -> Result<bool> {
        let deadline = Instant::now() + limit;
        let mut changes = self.changes();
        let (mut last, mut since) = (self.traffic(), Instant::now());
        loop {
            if self.obstruction().is_some() || self.main_frame().moments().load {
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
            if !self.changed_before(&mut changes, until).await && Instant::now() >= until {
                return Ok(false);
            }
        }
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
