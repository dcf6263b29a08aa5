//! Limits for each owner: an API key with all its clients and sessions.
use std::collections::HashMap;
use std::fmt;
use std::num::NonZeroUsize;
use std::sync::{Arc, Weak};

use parking_lot::Mutex;

use super::engine::Engine;
use crate::browser::ContextEvent;
use crate::browser::{BrowserContext, Page};
use crate::error::{Error, Result};

/// The limits of an owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OwnerLimits {
    /// The maximum number of an owner's tabs, including popups.
    pub tabs: usize,
    /// The maximum number of an owner's contexts.
    pub contexts: usize,
    /// The memory in bytes that the pages of all owners may use; above this, no further page opens.
    pub memory: u64,
    /// The maximum number of all owners' pages in memory; the least recently used ones are unloaded.
    pub live_pages: Option<NonZeroUsize>,
}

impl Default for OwnerLimits {
    fn default() -> Self {
        Self { tabs: 100, contexts: 100, memory: half_of_the_machine(), live_pages: None }
    }
}

/// The open tabs and contexts of one owner, and the limits. Cheap to clone; clones share everything.
#[derive(Clone)]
pub(super) struct Quota {
    inner: Arc<Inner>,
}

struct Inner {
    limits: OwnerLimits,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    contexts: Vec<BrowserContext>,
    /// The profile's context: only its tabs count, not the context itself.
    shared: Option<BrowserContext>,
    opening_tabs: usize,
    opening_contexts: usize,
    /// The number of popups that were closed because of the limit, by context.
    refused: HashMap<usize, usize>,
}

/// A reservation for a tab or context that is being created, until the tab or context itself is counted.
pub(super) struct QuotaReservation {
    quota: Quota,
    is_tab: bool,
}

impl fmt::Debug for Quota {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Quota").field("limits", &self.inner.limits).finish_non_exhaustive()
    }
}

impl Quota {
    pub(super) fn new(limits: OwnerLimits) -> Self {
        let inner = Inner { limits, state: Mutex::default() };
        Self { inner: Arc::new(inner) }
    }

    /// Starts counting a context and its tabs.
    pub(super) fn add(&self, context: &BrowserContext) {
        self.inner.state.lock().contexts.push(context.clone());
        self.refuse_popups(context);
    }

    /// Starts counting the tabs of the profile's context, but not the context.
    pub(super) fn share(&self, context: &BrowserContext) {
        let before = self.inner.state.lock().shared.replace(context.clone());
        if before.as_ref() != Some(context) {
            self.refuse_popups(context);
        }
    }

    /// From now on, closes popups of this context that exceed the limit of tabs.
    fn refuse_popups(&self, context: &BrowserContext) {
        let quota = Arc::downgrade(&self.inner);
        context.listen(Arc::new(move |event| {
            if let ContextEvent::Page(page) = event
                && let Some(inner) = Weak::upgrade(&quota)
            {
                Self { inner }.check_popup(page);
            }
        }));
    }

    fn check_popup(&self, page: &Page) {
        let mut state = self.inner.state.lock();
        // A page without an opener may be a tab that a tool is opening, which is reserved already.
        let may_be_ours = !page.has_opener() && state.opening_tabs > 0;
        if may_be_ours || state.tabs() <= self.inner.limits.tabs {
            return;
        }
        *state.refused.entry(page.context().instance_id()).or_default() += 1;
        drop(state);
        let page = page.clone();
        tokio::spawn(async move { page.close().await });
    }

    /// Returns how many popups of the context the limit has closed since the last call, and the limit.
    pub(super) fn take_refused(&self, context: &BrowserContext) -> Option<(usize, usize)> {
        let refused = self.inner.state.lock().refused.remove(&context.instance_id());
        refused.map(|refused| (refused, self.inner.limits.tabs))
    }

    /// Reserves a tab within the limit.
    pub(super) fn reserve_tab(&self, engine: &Engine) -> Result<QuotaReservation> {
        self.check_memory(engine)?;
        let limit = self.inner.limits.tabs;
        let mut state = self.inner.state.lock();
        if state.tabs() + state.opening_tabs >= limit {
            return Err(Error::TooManyTabs { limit });
        }
        state.opening_tabs += 1;
        Ok(QuotaReservation { quota: self.clone(), is_tab: true })
    }

    /// Whether a spare tab leaves enough tabs to the owner for as long as it stays open.
    pub(super) fn has_room_for_spare(&self) -> bool {
        const MOST_OPENED_MEANWHILE: usize = 10;
        let mut state = self.inner.state.lock();
        state.tabs() + state.opening_tabs + MOST_OPENED_MEANWHILE < self.inner.limits.tabs
    }

    /// Reserves a context within the limit.
    pub(super) fn reserve_context(&self, engine: &Engine) -> Result<QuotaReservation> {
        self.check_memory(engine)?;
        let limit = self.inner.limits.contexts;
        let mut state = self.inner.state.lock();
        state.forget_closed();
        if state.contexts.len() + state.opening_contexts >= limit {
            return Err(Error::TooManyContexts { limit });
        }
        state.opening_contexts += 1;
        Ok(QuotaReservation { quota: self.clone(), is_tab: false })
    }

    /// Whether the owner has no open tabs or contexts.
    pub(super) fn is_unused(&self) -> bool {
        let mut state = self.inner.state.lock();
        state.forget_closed();
        state.contexts.is_empty() && state.shared.is_none() && state.opening_contexts == 0
    }

    fn check_memory(&self, engine: &Engine) -> Result<()> {
        let limit = self.inner.limits.memory;
        let used = engine.renderer_memory_bytes();
        if used < limit {
            Ok(())
        } else {
            Err(Error::MemoryShort { used_mb: used >> 20, limit_mb: limit >> 20 })
        }
    }
}

impl State {
    fn tabs(&mut self) -> usize {
        self.forget_closed();
        self.contexts.iter().chain(&self.shared).map(|context| context.pages().len()).sum()
    }

    fn forget_closed(&mut self) {
        let refused = &mut self.refused;
        self.contexts.retain(|context| {
            let is_alive = is_live(context);
            if !is_alive {
                refused.remove(&context.instance_id());
            }
            is_alive
        });
        self.shared.take_if(|context| !is_live(context));
    }
}

fn is_live(context: &BrowserContext) -> bool {
    !context.is_closed() && context.browser().is_ok_and(|browser| browser.is_connected())
}

impl Drop for QuotaReservation {
    fn drop(&mut self) {
        let mut state = self.quota.inner.state.lock();
        let opening = if self.is_tab { &mut state.opening_tabs } else { &mut state.opening_contexts };
        *opening = opening.saturating_sub(1);
    }
}

/// Returns half of the memory of this machine or container, in bytes.
fn half_of_the_machine() -> u64 {
    let machine = std::fs::read_to_string("/proc/meminfo").ok();
    let machine = machine.as_deref().and_then(|meminfo| {
        let kilobytes = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
        kilobytes.split_whitespace().next()?.parse::<u64>().ok().map(|kilobytes| kilobytes << 10)
    });
    let container = std::fs::read_to_string("/sys/fs/cgroup/memory.max").ok();
    let container = container.and_then(|meminfo| meminfo.trim().parse::<u64>().ok());
    machine.into_iter().chain(container).min().map_or(u64::MAX, |all| all / 2)
}
