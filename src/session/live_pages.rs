//! Limits how many pages are in memory: the least recently used ones are unloaded, and load again on use.
use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::time::Instant;

use super::engine::Engine;
use super::turns::Turns;
use crate::browser::{DiscardOutcome, Page};

/// The limit of pages in memory, and when each was last used. Cheap to clone; clones share everything.
#[derive(Debug, Clone)]
pub struct LoadedPageLimit {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    most: Option<NonZeroUsize>,
    /// The last use of each page, by page key.
    known: Mutex<HashMap<usize, Known>>,
    /// Locked while a task unloads pages, so that only one runs.
    discarding: Arc<tokio::sync::Mutex<()>>,
}

#[derive(Debug, Clone, Copy)]
struct Known {
    used: Instant,
    /// Whether unloading the page would lose data, such as form input. Reset when the page is used again.
    is_needed: bool,
}

impl LoadedPageLimit {
    /// Creates a limit of `most` pages; `None` for no limit.
    pub fn new(most: Option<NonZeroUsize>) -> Self {
        Self { inner: Arc::new(Inner { most, known: Mutex::default(), discarding: Arc::default() }) }
    }

    /// Records a use of the page.
    pub fn record_use(&self, page: &Page) {
        if self.inner.most.is_some() {
            let known = Known { used: Instant::now(), is_needed: false };
            self.inner.known.lock().insert(page.instance_id(), known);
        }
    }

    /// Unloads pages down to the limit, in a background task. Skips pages that a call is using (`turns`).
    pub(crate) fn unload_excess(&self, engine: &Engine, turns: &Arc<Turns>) {
        let Some(most) = self.inner.most else { return };
        if self.candidates(engine, most).is_empty() {
            return;
        }
        // A task that is already running also handles the pages that were added in the meantime.
        let Ok(discarding) = Arc::clone(&self.inner.discarding).try_lock_owned() else { return };
        let (live, engine, turns) = (self.clone(), engine.clone(), Arc::clone(turns));
        tokio::spawn(async move {
            let _discarding = discarding;
            let mut asked = Vec::new();
            loop {
                let candidates = live.candidates(&engine, most);
                let Some(page) = candidates.into_iter().find(|page| !asked.contains(&page.instance_id()))
                else {
                    return;
                };
                asked.push(page.instance_id());
                let Some(_turn) = turns.try_take(page.id()) else { continue };
                let outcome = page.discard().await;
                if outcome == DiscardOutcome::Needed
                    && let Some(known) = live.inner.known.lock().get_mut(&page.instance_id())
                {
                    known.is_needed = true;
                }
            }
        });
    }

    /// Returns the pages above the limit that may be unloaded, least recently used first.
    fn candidates(&self, engine: &Engine, most: NonZeroUsize) -> Vec<Page> {
        let pages = engine.pages().into_iter().filter(|page| !page.is_crashed());
        let now = Known { used: Instant::now(), is_needed: false };
        let mut known = self.inner.known.lock();
        let mut pages: Vec<_> =
            pages.map(|page| (*known.entry(page.instance_id()).or_insert(now), page)).collect();
        known.retain(|key, _| pages.iter().any(|(_, page)| page.instance_id() == *key));
        pages.sort_by_key(|(known, _)| known.used);
        pages.truncate(pages.len().saturating_sub(most.get()));
        pages.into_iter().filter(|(known, _)| !known.is_needed).map(|(_, page)| page).collect()
    }
}
