//! Change notifications: every change of a page's state wakes the tasks that wait for a change.
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, timeout, timeout_at};

use super::{Page, PageState};
use crate::browser::objects::frame::Frame;
use crate::browser::objects::journal::{ActionEffects, Journal, JournalMark};
use crate::error::{Error, Result};

impl Page {
    /// Returns a counter that increases with every change of the page's state.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.inner.changes.subscribe()
    }

    pub(super) fn update<T>(&self, change: impl FnOnce(&mut PageState) -> T) -> T {
        let result = change(&mut self.inner.state.lock());
        self.inner.changes.send_modify(|version| *version += 1);
        result
    }

    /// Calls `find` now and after every change until it returns `Some`. Fails if the page closes or crashes.
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

    /// Waits for the next change, until `deadline`. Returns false if the time ran out.
    pub async fn wait_for_change(&self, changes: &mut watch::Receiver<u64>, deadline: Instant) -> bool {
        matches!(timeout_at(deadline, changes.changed()).await, Ok(Ok(())))
    }

    /// Waits until the page is set up and reported as ready. Fails with `PageBusy` after `limit`.
    pub(in crate::browser) async fn until_ready(&self, limit: Duration) -> Result<()> {
        let ready = self.until(|page| page.inner.state.lock().ready.then_some(()));
        timeout(limit, ready).await.unwrap_or(Err(Error::PageBusy))
    }

    /// Returns the current position in the page's journal, for [`effects_since`](Self::effects_since).
    pub fn mark(&self) -> JournalMark {
        self.inner.state.lock().journal.mark()
    }

    pub(in crate::browser) fn with_journal<T>(&self, work: impl FnOnce(&mut Journal) -> T) -> T {
        work(&mut self.inner.state.lock().journal)
    }

    /// Records an effect in the journal that the page's CDP sessions do not report, such as a download.
    pub(in crate::browser) fn note_effect(&self) {
        self.update(|state| state.journal.effect());
    }

    /// Returns the page's effects since `mark`, with the numbers of frames and requests still in progress.
    pub fn effects_since(&self, mark: JournalMark) -> ActionEffects {
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
