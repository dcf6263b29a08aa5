//! How many pages are in memory at once: of more, those go that were not used for longest, and come back on use.
use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::time::Instant;

use super::engine::Engine;
use super::turns::Turns;
use crate::browser::{Discarding, Page};

/// When pages were last used, and how many may be in memory. Cheap to clone; clones share everything.
#[derive(Debug, Clone)]
pub struct LivePages {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    most: Option<NonZeroUsize>,
    /// By the pages' keys.
    known: Mutex<HashMap<usize, Known>>,
    /// Held while pages are taken out of memory.
    discarding: Arc<tokio::sync::Mutex<()>>,
}

#[derive(Debug, Clone, Copy)]
struct Known {
    used: Instant,
    /// Something would be lost with it. It is not asked again before it is used again.
    is_needed: bool,
}

impl LivePages {
    /// Without a number there may be any.
    pub fn new(most: Option<NonZeroUsize>) -> Self {
        Self { inner: Arc::new(Inner { most, known: Mutex::default(), discarding: Arc::default() }) }
    }

    /// Somebody has just used the page.
    pub fn note(&self, page: &Page) {
        if self.inner.most.is_some() {
            let known = Known { used: Instant::now(), is_needed: false };
            self.inner.known.lock().insert(page.key(), known);
        }
    }

    /// Takes pages out of memory until there are as many as there may be, in a task of its own. A page on which a call works
    /// has its turn taken, and stays.
    pub(crate) fn keep_to_limit(&self, engine: &Engine, turns: &Arc<Turns>) {
        let Some(most) = self.inner.most else { return };
        if self.candidates(engine, most).is_empty() {
            return;
        }
        // Who discards already sees what has come meanwhile.
        let Ok(discarding) = Arc::clone(&self.inner.discarding).try_lock_owned() else { return };
        let (live, engine, turns) = (self.clone(), engine.clone(), Arc::clone(turns));
        tokio::spawn(async move {
            let _discarding = discarding;
            let mut asked = Vec::new();
            loop {
                let candidates = live.candidates(&engine, most);
                let Some(page) = candidates.into_iter().find(|page| !asked.contains(&page.key())) else {
                    return;
                };
                asked.push(page.key());
                let Some(_turn) = turns.try_take(page.id()) else { continue };
                let outcome = page.discard().await;
                if outcome == Discarding::Needed
                    && let Some(known) = live.inner.known.lock().get_mut(&page.key())
                {
                    known.is_needed = true;
                }
            }
        });
    }

    /// Those of the pages in memory that may go, the one first that was not used for longest.
    fn candidates(&self, engine: &Engine, most: NonZeroUsize) -> Vec<Page> {
        let pages = engine.pages().into_iter().filter(|page| !page.is_crashed());
        let now = Known { used: Instant::now(), is_needed: false };
        let mut known = self.inner.known.lock();
        let mut pages: Vec<_> = pages.map(|page| (*known.entry(page.key()).or_insert(now), page)).collect();
        known.retain(|key, _| pages.iter().any(|(_, page)| page.key() == *key));
        pages.sort_by_key(|(known, _)| known.used);
        pages.truncate(pages.len().saturating_sub(most.get()));
        pages.into_iter().filter(|(known, _)| !known.is_needed).map(|(_, page)| page).collect()
    }
}
