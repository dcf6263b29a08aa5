//! Waits until a loaded document has built its content with scripts.
//!
//! An idle document is checked once. For a document that shows only a loading indicator, the wait lasts while
//! there is activity, up to the limit. For other documents, it lasts only while they grow, or while a request
//! may add content. So neither endless polling nor a ticking clock delays the caller.
use std::time::Duration;

use serde::Deserialize;
use tokio::time::{Instant, sleep, timeout};

use super::settle::milliseconds;
use crate::browser::objects::journal::JournalMark;
use crate::browser::objects::page::Page;
use crate::snapshot::NodeKey;

/// A document counts as growing until no element was added to it for this long.
const GROWTH_PAUSE: Duration = Duration::from_millis(60);
/// How long to wait for requests of a page that already shows content, counted from its newest element.
const FEEDING_LIMIT: Duration = Duration::from_secs(1);
/// How long to wait for a page that shows a loading indicator but no activity.
const IDLE_LIMIT: Duration = Duration::from_secs(1);
/// How long to wait for another request after the last one that added content.
const BETWEEN_REQUESTS: Duration = Duration::from_millis(200);
/// The scripts of a nearly empty page start within this time after loading, or not at all.
const BEFORE_SCRIPTS: Duration = Duration::from_millis(120);
/// In a chain of nearly empty pages that redirect: how long each page may take to start the next navigation
/// after it has replaced the previous page.
const REDIRECT_LIMIT: Duration = Duration::from_millis(500);
/// How long to wait for a page that shows content but is never idle, unless the page still grows.
const RESTLESS_LIMIT: Duration = Duration::from_secs(2);
/// The interval between checks.
const PAUSE: Duration = Duration::from_millis(50);
const ANSWER_LIMIT: Duration = Duration::from_millis(500);

/// The injected script's report about the document.
#[expect(clippy::struct_excessive_bools, reason = "four answers of the page, each for itself")]
#[derive(Debug, Deserialize)]
struct Building {
    /// The page clock in milliseconds, which advances only while the page's timers run on time.
    clock: f64,
    /// Milliseconds of the page clock since an element was last added or removed; `None` if none was.
    quiet: Option<f64>,
    /// Milliseconds of the page clock since the document reached its largest size; `None` if it has not grown.
    level: Option<f64>,
    signs: Vec<String>,
    moves: bool,
    /// Whether the document's main part is large and empty.
    hollow: bool,
    /// Whether the document has scripts and hardly any content.
    bare: bool,
    /// Whether the document is `bare`, and loads scripts from files.
    sparse: bool,
}

impl Page {
    /// Begins to record whether the document grows.
    pub fn track_content_growth(&self) {
        let page = self.clone();
        tokio::spawn(async move { page.building().await });
    }

    /// Waits until a loaded document is built, up to `limit`. Returns descriptions of unfinished activity.
    pub async fn until_content_built(&self, mark: JournalMark, limit: Duration) -> Vec<String> {
        let begun = Instant::now();
        let mut is_fed = false;
        let mut last_effect = LastEffect::default();
        let still = loop {
            if self.blocking_dialog().is_some() || self.is_closed() {
                return Vec::new();
            }
            let Some(building) = self.building().await else {
                // The page's scripts are running, or its document is being replaced.
                if begun.elapsed() >= limit {
                    break vec!["scripts".to_owned()];
                }
                sleep(PAUSE).await;
                continue;
            };
            let pending = self.effects_since(mark);
            let requests = pending.requests;
            let effect = last_effect.since(pending.last_effect, building.clock);
            is_fed |= requests > 0 || pending.answered.is_some_and(|at| at > begun);
            let grows = building.level.is_some_and(|level| level < FEEDING_LIMIT.as_secs_f64() * 1000.0);
            let restless = if grows && is_fed { limit } else { RESTLESS_LIMIT };
            let loads = !building.signs.is_empty() || building.hollow;
            let is_between = is_fed && requests == 0;
            let forwarded = pending.forwarded.filter(|_| building.bare);
            let effect = effect.filter(|_| loads || is_between);
            let idle = [building.quiet, effect].into_iter().flatten().map(milliseconds);
            let idle =
                idle.chain(forwarded.map(|arrival| arrival.elapsed())).fold(begun.elapsed(), Duration::min);
            let (patience, bound) = match (loads, requests > 0) {
                (true, true) => (limit, limit),
                (true, false) => (IDLE_LIMIT, limit),
                (false, true) if building.moves => (RESTLESS_LIMIT, restless),
                (false, true) => (FEEDING_LIMIT, restless),
                (false, false) if forwarded.is_some() => (REDIRECT_LIMIT, RESTLESS_LIMIT),
                (false, false) if is_fed => (BETWEEN_REQUESTS, restless),
                (false, false) if building.quiet.is_some() => (GROWTH_PAUSE, RESTLESS_LIMIT),
                (false, false) if building.sparse => (BEFORE_SCRIPTS, RESTLESS_LIMIT),
                (false, false) => (Duration::ZERO, RESTLESS_LIMIT),
            };
            if idle >= patience || begun.elapsed() >= bound.min(limit) {
                // An idle page may stay empty on purpose, so this is reported only at the limit.
                let hollow = (building.hollow && begun.elapsed() >= limit)
                    .then(|| "its main part is empty".to_owned());
                break in_words(requests).into_iter().chain(building.signs).chain(hollow).collect();
            }
            sleep(PAUSE.min(patience)).await;
        };
        // Not awaited, since a page whose scripts never end does not answer.
        let frame = self.main_frame().clone();
        tokio::spawn(async move { frame.utility_world().await?.call::<()>("built", &[]).await });
        still
    }

    async fn building(&self) -> Option<Building> {
        let ask = async { self.main_frame().utility_world().await?.call("building", &[]).await };
        timeout(ANSWER_LIMIT, ask).await.ok()?.ok()
    }

    /// Returns for each claim whether its element lacks the text now. A key of `None` means the whole page.
    pub async fn are_texts_missing(&self, claims: &[(Option<NodeKey>, &str)]) -> Vec<bool> {
        let frame = self.main_frame();
        let own = |key: Option<NodeKey>| key.is_none_or(|(number, _)| number == frame.number());
        let asked: Vec<_> = claims
            .iter()
            .map(|(key, text)| (key.filter(|_| own(*key)).map_or(0, |(_, number)| number), *text))
            .collect();
        let ask = async {
            frame.utility_world().await?.call::<Vec<bool>>("lacking", &[serde_json::json!(asked)]).await
        };
        let lacking = timeout(ANSWER_LIMIT, ask).await.ok().and_then(Result::ok).unwrap_or_default();
        claims
            .iter()
            .enumerate()
            .map(|(place, (key, _))| own(*key) && lacking.get(place) == Some(&true))
            .collect()
    }

    /// Whether most of these elements still exist, but are covered by a modal dialog or inert.
    pub async fn are_mostly_behind_modal(&self, keys: &[NodeKey]) -> bool {
        let frame = self.main_frame();
        let own = keys.iter().filter(|(number, _)| *number == frame.number()).take(MOST_ASKED);
        let refs: Vec<u32> = own.map(|(_, number)| *number).collect();
        if refs.is_empty() {
            return false;
        }
        let ask = async {
            frame.utility_world().await?.call::<bool>("areCovered", &[serde_json::json!(refs)]).await
        };
        timeout(ANSWER_LIMIT, ask).await.ok().and_then(Result::ok).unwrap_or(false)
    }
}

/// The time of the latest request or navigation, on the page clock in milliseconds.
#[derive(Debug, Default)]
struct LastEffect {
    at: Option<Instant>,
    /// The page clock at the effect.
    clock: f64,
    /// The page clock when it was last read.
    now: f64,
}

impl LastEffect {
    /// Returns how many milliseconds have passed on the page clock since an effect was observed at `at`; `now` is the
    /// current page time. `None` if there was no effect.
    fn since(&mut self, at: Option<Instant>, now: f64) -> Option<f64> {
        // Each document has its own page clock.
        let earliest = if now < self.now { 0.0 } else { self.now };
        if at != self.at || now < self.now {
            let ago = at.map_or(0.0, |at| at.elapsed().as_secs_f64() * 1000.0);
            self.clock = (now - ago).max(earliest);
        }
        (self.at, self.now) = (at, now);
        at.map(|_| now - self.clock)
    }
}

/// The maximum number of elements to check for being covered.
const MOST_ASKED: usize = 40;

/// Formats a number of requests, such as `2 requests`; `None` for zero.
pub(in crate::browser) fn in_words(requests: usize) -> Option<String> {
    match requests {
        0 => None,
        1 => Some("1 request".to_owned()),
        many => Some(format!("{many} requests")),
    }
}
