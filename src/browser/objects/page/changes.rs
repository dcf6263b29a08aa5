//! Every change of what is known of a page wakes who waits for one.
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, timeout, timeout_at};

use super::{Page, PageState};
use crate::browser::objects::frame::Frame;
use crate::browser::objects::journal::{Journal, Mark, Pending};
use crate::error::{Error, Result};

impl Page {
    /// A counter that moves with every change of what is known of the page.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.inner.changes.subscribe()
    }

    pub(super) fn update<T>(&self, change: impl FnOnce(&mut PageState) -> T) -> T {
        let result = change(&mut self.inner.state.lock());
        self.inner.changes.send_modify(|version| *version += 1);
        result
    }

    /// Waits until `find` finds something; looks again after every change. Fails when the page closes or crashes.
    pub async fn until<T>(&self, mut find: impl FnMut(&Page) -> Option<T>) -> Result<T> {
        let mut changes = self.inner.changes.subscribe();
        loop {
            if let Some(found) = find(self) {
                return Ok(found);
            }
            if self.is_closed() {
                return Err(self.why_closed());
            }
            if self.is_crashed() {
                return Err(Error::PageCrashed);
            }
            if changes.changed().await.is_err() {
                return Err(Error::PageClosed);
            }
        }
    }

    /// Waits for any change, at most until `deadline`. False when the time ran out first.
    pub async fn changed_before(&self, changes: &mut watch::Receiver<u64>, deadline: Instant) -> bool {
        matches!(timeout_at(deadline, changes.changed()).await, Ok(Ok(())))
    }

    /// Waits until the page can be used, at most `limit`.
    pub(in crate::browser) async fn until_ready(&self, limit: Duration) -> Result<()> {
        let ready = self.until(|page| page.inner.state.lock().ready.then_some(()));
        timeout(limit, ready).await.unwrap_or(Err(Error::PageBusy))
    }

    /// A point in time; what comes after it can be asked for with [`pending_since`](Self::pending_since).
    pub fn mark(&self) -> Mark {
        self.inner.state.lock().journal.mark()
    }

    pub(in crate::browser) fn with_journal<T>(&self, work: impl FnOnce(&mut Journal) -> T) -> T {
        work(&mut self.inner.state.lock().journal)
    }

    /// Something happened that belongs to the page and that none of its sessions tells.
    pub(in crate::browser) fn note_effect(&self) {
        self.update(|state| state.journal.effect());
    }

    /// What has begun since `mark` and what of it has not ended.
    pub fn pending_since(&self, mark: Mark) -> Pending {
        let state = self.inner.state.lock();
        let mut pending = state.journal.since(mark);
        pending.dialog = state.dialog.is_some();
        pending.chooser = state.chooser.is_some();
        pending.gone = state.closed || state.crashed;
        pending
    }

    /// Whether the frame is loading a document.
    pub(in crate::browser) fn is_loading(&self, frame: &Frame) -> bool {
        self.with_journal(|journal| journal.is_loading(frame.id()))
    }
}
