//! How much of the browser one owner may use: whoever has one key, with all its clients and sessions.
use std::fmt;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::browser::launch::BrowserProcess;
use crate::browser::{Browser, BrowserContext};
use crate::error::{Error, Result};

/// The most that there may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Tabs of one owner, those that pages opened included.
    pub tabs: usize,
    /// Contexts of one owner.
    pub contexts: usize,
    /// Bytes that the pages of all owners take together, when one more is to be opened.
    pub memory: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { tabs: 100, contexts: 100, memory: half_of_the_machine() }
    }
}

/// What one owner uses. Cheap to clone; clones share everything.
#[derive(Clone)]
pub(super) struct Quota {
    inner: Arc<Inner>,
}

struct Inner {
    limits: Limits,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    contexts: Vec<BrowserContext>,
    /// The profile's, which is there anyway.
    shared: Option<BrowserContext>,
    opening_tabs: usize,
    opening_contexts: usize,
}

/// Room for one that is being made. Given back when dropped: by then it counts by itself.
pub(super) struct Reserved {
    quota: Quota,
    is_tab: bool,
}

impl fmt::Debug for Quota {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Quota").field("limits", &self.inner.limits).finish_non_exhaustive()
    }
}

impl Quota {
    pub(super) fn new(limits: Limits) -> Self {
        let inner = Inner { limits, state: Mutex::default() };
        Self { inner: Arc::new(inner) }
    }

    /// Counts a context and its tabs.
    pub(super) fn add(&self, context: &BrowserContext) {
        self.inner.state.lock().contexts.push(context.clone());
    }

    /// Counts the tabs of the profile.
    pub(super) fn share(&self, context: &BrowserContext) {
        self.inner.state.lock().shared = Some(context.clone());
    }

    /// Room for one more tab.
    pub(super) fn reserve_tab(&self, browser: &Browser) -> Result<Reserved> {
        self.check_memory(browser)?;
        let limit = self.inner.limits.tabs;
        let mut state = self.inner.state.lock();
        if state.tabs() + state.opening_tabs >= limit {
            return Err(Error::TooManyTabs { limit });
        }
        state.opening_tabs += 1;
        Ok(Reserved { quota: self.clone(), is_tab: true })
    }

    /// Room for one more context.
    pub(super) fn reserve_context(&self, browser: &Browser) -> Result<Reserved> {
        self.check_memory(browser)?;
        let limit = self.inner.limits.contexts;
        let mut state = self.inner.state.lock();
        state.forget_closed();
        if state.contexts.len() + state.opening_contexts >= limit {
            return Err(Error::TooManyContexts { limit });
        }
        state.opening_contexts += 1;
        Ok(Reserved { quota: self.clone(), is_tab: false })
    }

    fn check_memory(&self, browser: &Browser) -> Result<()> {
        let limit = self.inner.limits.memory;
        let used = browser.process().map_or(0, BrowserProcess::memory_of_pages);
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
        self.contexts.retain(is_live);
        self.shared.take_if(|context| !is_live(context));
    }
}

fn is_live(context: &BrowserContext) -> bool {
    !context.is_closed() && context.browser().is_ok_and(|browser| browser.is_connected())
}

impl Drop for Reserved {
    fn drop(&mut self) {
        let mut state = self.quota.inner.state.lock();
        let opening = if self.is_tab { &mut state.opening_tabs } else { &mut state.opening_contexts };
        *opening = opening.saturating_sub(1);
    }
}

/// Half of the memory that this machine, or the container that we are in, has.
fn half_of_the_machine() -> u64 {
    let machine = std::fs::read_to_string("/proc/meminfo").ok();
    let machine = machine.as_deref().and_then(|told| {
        let kilobytes = told.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
        kilobytes.split_whitespace().next()?.parse::<u64>().ok().map(|kilobytes| kilobytes << 10)
    });
    let container = std::fs::read_to_string("/sys/fs/cgroup/memory.max").ok();
    let container = container.and_then(|told| told.trim().parse::<u64>().ok());
    machine.into_iter().chain(container).min().map_or(u64::MAX, |all| all / 2)
}
