//! The end of a page: closing, crashing and unloading it, and stopping its scripts or its renderer.
use std::sync::Arc;
use std::time::Duration;

use tokio::time::timeout;

use super::Page;
use crate::cdp::Command;
use crate::cdp::types::page as wire;
use crate::cdp::types::runtime::TerminateExecution;
use crate::cdp::types::target::CloseTarget;
use crate::error::{Error, Result};

/// The state that is kept of a page while it is unloaded from memory.
#[derive(Debug, Clone, Default)]
pub(in crate::browser) struct DiscardedState {
    pub title: String,
    /// The scroll position in CSS pixels.
    pub scrolled: (f64, f64),
}

/// A guard that keeps a page loaded: until the guard is dropped, the page is not unloaded from memory.
#[derive(Debug, Clone)]
pub struct KeepPageLoadedGuard {
    _held: Arc<()>,
}

impl Page {
    pub fn is_closed(&self) -> bool {
        self.inner.state.lock().closed
    }

    pub fn is_crashed(&self) -> bool {
        self.inner.state.lock().crashed
    }

    /// Closes the tab without running `beforeunload` handlers. Waits until the browser confirms, up to 5 s.
    pub async fn close(&self) -> Result<()> {
        if self.is_closed() {
            return Ok(());
        }
        let root = self.context().browser()?.root_session().clone();
        root.call(CloseTarget { target_id: self.id().to_owned() }).await?;
        const LIMIT: Duration = Duration::from_secs(5);
        match timeout(LIMIT, self.until_closed()).await {
            Ok(()) => Ok(()),
            Err(_) => Err(Error::NoAnswer { method: CloseTarget::METHOD, waited: LIMIT }),
        }
    }

    /// Asks the page to close, which runs its `beforeunload` handlers. Does not wait until it has closed.
    pub async fn ask_to_close(&self) -> Result<()> {
        self.inner.session.call(wire::Close {}).await.map(drop)
    }

    /// Stops the running script, such as an endless loop, so that the page responds again.
    pub async fn terminate_script(&self) -> Result<()> {
        self.inner.session.call_within(TerminateExecution {}, Duration::from_secs(2)).await.map(drop)
    }

    /// Ends the renderer process of the page. Returns false if the process still runs after 5 s.
    pub(in crate::browser) async fn end_renderer(&self) -> bool {
        const LIMIT: Duration = Duration::from_secs(5);
        self.update(|state| state.ending = true);
        self.inner.session.send(wire::Crash {}).ignore();
        let has_ended = self.ends_within(LIMIT).await;
        self.update(|state| state.ending = false);
        has_ended
    }

    async fn ends_within(&self, limit: Duration) -> bool {
        let ended = self.until(|page| page.is_crashed().then_some(()));
        matches!(timeout(limit, ended).await, Ok(Ok(())))
    }

    /// Clears the crashed state, so that a navigation can start a new renderer. Returns whether it was set.
    pub(in crate::browser) fn revive(&self) -> bool {
        let has_crashed = self.is_crashed();
        if has_crashed {
            self.inner.session.reset_crashed();
            self.update(|state| {
                state.crashed = false;
                state.discarded = None;
            });
        }
        has_crashed
    }

    /// Whether the page is unloaded from memory until its next use. Does not count as a crash.
    pub fn is_discarded(&self) -> bool {
        self.inner.state.lock().discarded.is_some()
    }

    pub(in crate::browser) fn discarded(&self) -> Option<DiscardedState> {
        self.inner.state.lock().discarded.clone()
    }

    /// Unloads the page by ending its renderer. Keeps history and session storage. Returns false on failure.
    pub(in crate::browser) async fn unload(&self, discarded: DiscardedState) -> bool {
        const LIMIT: Duration = Duration::from_secs(2);
        self.update(|state| {
            state.ending = true;
            state.discarded = Some(discarded);
        });
        self.inner
            .session
            .send(wire::Navigate { url: "chrome://kill".to_owned(), ..wire::Navigate::default() })
            .ignore();
        let has_ended = self.ends_within(LIMIT).await;
        self.update(|state| {
            state.ending = false;
            if !has_ended {
                state.discarded = None;
            }
        });
        has_ended
    }

    /// Prevents the page from being unloaded from memory until the guard is dropped.
    pub fn keep_loaded(&self) -> KeepPageLoadedGuard {
        KeepPageLoadedGuard { _held: Arc::clone(&self.inner.kept_in_memory) }
    }

    pub(in crate::browser) fn is_kept_loaded(&self) -> bool {
        Arc::strong_count(&self.inner.kept_in_memory) > 1
    }

    /// Waits until the page is closed.
    pub async fn until_closed(&self) {
        let _ = self.until(|page| page.is_closed().then_some(())).await;
    }

    /// Waits until the page is unusable. Returns the reason: it was closed, it crashed, or the browser ended.
    pub async fn until_unusable(&self) -> Error {
        let gone = self.until(|_| None::<()>).await;
        gone.err().unwrap_or(Error::PageClosed)
    }

    pub(in crate::browser) fn why_closed(&self) -> Error {
        let ended = self.context().browser().ok().and_then(|browser| browser.close_reason());
        ended.unwrap_or(Error::PageClosed)
    }
}
