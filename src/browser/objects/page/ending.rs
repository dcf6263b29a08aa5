//! How a page ends: closed, crashed, or with its browser; and what is done where a script does not let go of it.
use std::time::Duration;

use tokio::time::timeout;

use super::Page;
use crate::cdp::Command;
use crate::cdp::types::page as wire;
use crate::cdp::types::runtime::TerminateExecution;
use crate::cdp::types::target::CloseTarget;
use crate::error::{Error, Result};

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
        let ended = self.until(|page| page.is_crashed().then_some(()));
        let has_ended = matches!(timeout(LIMIT, ended).await, Ok(Ok(())));
        self.update(|state| state.ending = false);
        has_ended
    }

    /// The renderer is back: a navigation gave the page a new one.
    pub(in crate::browser) fn revive(&self) {
        if self.is_crashed() {
            self.inner.session.revive();
            self.update(|state| state.crashed = false);
        }
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
