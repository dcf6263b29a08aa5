//! How a page ends: closed, crashed, or with its browser; and what is done where a script does not let go of it.
use std::sync::Arc;
use std::time::Duration;

use tokio::time::timeout;

use super::Page;
use crate::cdp::Command;
use crate::cdp::types::page as wire;
use crate::cdp::types::runtime::TerminateExecution;
use crate::cdp::types::target::CloseTarget;
use crate::error::{Error, Result};

/// What a page was like that is out of memory.
#[derive(Debug, Clone, Default)]
pub(in crate::browser) struct Discarded {
    pub title: String,
    /// How far it was scrolled, in CSS pixels.
    pub scrolled: (f64, f64),
}

/// A page that stays in memory as long as this is held.
#[derive(Debug, Clone)]
pub struct KeptInMemory {
    _held: Arc<()>,
}

impl Page {
    pub fn is_closed(&self) -> bool {
        self.inner.state.lock().closed
    }

    pub fn is_crashed(&self) -> bool {
        self.inner.state.lock().crashed
    }

    /// Closes the tab without asking it. Done when the browser says that it is gone.
    pub async fn close(&self) -> Result<()> {
        if self.is_closed() {
            return Ok(());
        }
        let root = self.context().browser()?.root().clone();
        root.call(CloseTarget { target_id: self.id().to_owned() }).await?;
        const LIMIT: Duration = Duration::from_secs(5);
        match timeout(LIMIT, self.until_closed()).await {
            Ok(()) => Ok(()),
            Err(_) => Err(Error::NoAnswer { method: CloseTarget::METHOD, waited: LIMIT }),
        }
    }

    /// Closes the tab if it agrees: it is asked as when a person closes it. Not waited for.
    pub async fn ask_to_close(&self) -> Result<()> {
        self.inner.session.call(wire::Close {}).await.map(drop)
    }

    /// Stops a script that runs without end, so that the page answers again.
    pub async fn terminate_script(&self) -> Result<()> {
        self.inner.session.call_within(TerminateExecution {}, Duration::from_secs(2)).await.map(drop)
    }

    /// Ends the process that shows the page, whatever keeps it from answering. False when it goes on.
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

    /// The renderer is back: a navigation gives the page a new one. Answers whether it was away.
    pub(in crate::browser) fn revive(&self) -> bool {
        let has_crashed = self.is_crashed();
        if has_crashed {
            self.inner.session.revive();
            self.update(|state| {
                state.crashed = false;
                state.discarded = None;
            });
        }
        has_crashed
    }

    /// Whether it is out of memory until somebody uses it: like a crash, except that it is not reported as one.
    pub fn is_discarded(&self) -> bool {
        self.inner.state.lock().discarded.is_some()
    }

    pub(in crate::browser) fn discarded(&self) -> Option<Discarded> {
        self.inner.state.lock().discarded.clone()
    }

    /// Ends the process that shows the page, which the browser takes for no crash: it keeps history and session storage.
    /// False when it goes on.
    pub(in crate::browser) async fn take_out_of_memory(&self, discarded: Discarded) -> bool {
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

    /// For as long as what this gives is held, somebody looks at the page who could not bring it back.
    pub fn keep_in_memory(&self) -> KeptInMemory {
        KeptInMemory { _held: Arc::clone(&self.inner.kept_in_memory) }
    }

    pub(in crate::browser) fn is_kept_in_memory(&self) -> bool {
        Arc::strong_count(&self.inner.kept_in_memory) > 1
    }

    /// Waits until the page is closed.
    pub async fn until_closed(&self) {
        let _ = self.until(|page| page.is_closed().then_some(())).await;
    }

    /// Waits until nobody can work on the page any more, and tells why: it is closed, has crashed, or its browser has ended.
    pub async fn until_gone(&self) -> Error {
        let gone = self.until(|_| None::<()>).await;
        gone.err().unwrap_or(Error::PageClosed)
    }

    pub(in crate::browser) fn why_closed(&self) -> Error {
        let ended = self.context().browser().ok().and_then(|browser| browser.ended());
        ended.unwrap_or(Error::PageClosed)
    }
}
