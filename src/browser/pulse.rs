//! Whether a page answers, and how one is left that does not.
use std::time::Duration;

use tokio::time::{Instant, sleep, sleep_until, timeout};

use super::page::Page;
use crate::cdp::CdpSession;
use crate::cdp::types::browser::GetVersion;
use crate::cdp::types::runtime::{Evaluate, TerminateExecution};
use crate::error::{Error, Result};

/// How long a page may be silent that answered when a call began: what the call did keeps it busy.
pub const PATIENCE: Duration = Duration::from_secs(5);

/// Nothing was heard of the page for so long since the call began: its script had no end before.
const SILENCE: Duration = Duration::from_millis(1700);
/// Most calls are over before anybody needs to look.
const FIRST_LOOK: Duration = Duration::from_millis(250);
const BETWEEN_LOOKS: Duration = Duration::from_millis(500);

/// A page that is being left may go on with what it does for so long, and then so long after it was stopped.
const LAST_WORDS: Duration = Duration::from_millis(400);
const AFTER_STOP: Duration = Duration::from_millis(250);
/// What stopping does not end so many times in a row runs outside of scripts, or begins again and again.
const MOST_STOPS: u32 = 2;

/// Where the browser itself is slow to answer, a page may be slower by so many times that.
const SLOWNESS: u32 = 8;

impl Page {
    /// Waits for `work` unless the page stops answering meanwhile; `patience` as in [`until_stuck`](Self::until_stuck).
    pub async fn unless_stuck<T>(
        &self,
        patience: Option<Duration>,
        work: impl Future<Output = Result<T>>,
    ) -> Result<T> {
        tokio::select! {
            biased;
            done = work => done,
            () = self.until_stuck(patience) => Err(Error::PageBusy),
        }
    }

    /// Completes when the page runs a script without end: soon, when nothing is heard of it from now on; after `patience`
    /// if it falls silent later, or never without one. A page that waits at a dialog is not stuck.
    pub async fn until_stuck(&self, patience: Option<Duration>) {
        self.until_silent(SILENCE, patience).await;
    }

    /// Completes when another document than now is shown, and runs a script without end.
    pub async fn until_stuck_on_arrival(&self) {
        let document = self.main_frame().loader();
        let _ = self.until(|page| (*page.main_frame().loader() != *document).then_some(())).await;
        self.until_stuck_since_arrival().await;
    }

    /// Completes when the document, which has just begun to arrive, runs a script without end.
    pub async fn until_stuck_since_arrival(&self) {
        self.until_silent(PATIENCE, Some(PATIENCE)).await;
    }

    async fn until_silent(&self, first: Duration, patience: Option<Duration>) {
        let (begun, heard) = (Instant::now(), self.session().answers());
        sleep(FIRST_LOOK).await;
        loop {
            let patience = match (self.session().answers() == heard, patience) {
                (true, _) => (begun + first).saturating_duration_since(Instant::now()),
                (false, Some(patience)) => patience,
                (false, None) => return std::future::pending().await,
            };
            if self.may_be_stuck() && !answers(self, patience).await && self.may_be_stuck() {
                return;
            }
            sleep(BETWEEN_LOOKS).await;
        }
    }

    /// Fails when the page does not answer soon.
    ///
    /// # Errors
    /// `page_busy`
    pub async fn must_answer(&self) -> Result<()> {
        let is_stuck = self.may_be_stuck() && !answers(self, SILENCE).await && self.may_be_stuck();
        if is_stuck { Err(Error::PageBusy) } else { Ok(()) }
    }

    /// Whether silence of the page is its script's: not while it waits at a dialog, nor while a server has not answered for
    /// the document that comes next. Until then the browser holds back what is asked of the page.
    fn may_be_stuck(&self) -> bool {
        self.dialog().is_none() && !self.waits_for_server()
    }

    fn waits_for_server(&self) -> bool {
        let main = self.main_frame().id();
        self.with_network(|network| {
            network.entries().any(|entry| {
                let is_next = entry.kind == "Document" && entry.id == entry.loader;
                is_next
                    && entry.frame.as_deref() == Some(main)
                    && entry.response.is_none()
                    && entry.ended.is_none()
            })
        })
    }

    /// Ends the script that keeps a frame's process, with this session, from answering. One that answers goes on.
    pub(super) async fn stop_script(&self, session: &CdpSession) {
        if !answers_in(self, session, AFTER_STOP).await {
            let _ = session.call_within(TerminateExecution {}, AFTER_STOP).await;
        }
    }

    /// Whether the page answers. Ends the scripts that keep it from that; what they left running may do so again.
    pub(super) async fn release(&self) -> bool {
        if !self.may_be_stuck() || answers(self, LAST_WORDS).await {
            return true;
        }
        self.stop_scripts();
        let _ = answers(self, AFTER_STOP).await;
        false
    }

    /// Ends whatever the page does against being left, as long as it shows the same document. Completes when that is in vain.
    pub(super) async fn until_unleavable(&self) {
        let document = self.main_frame().loader();
        let mut stops = 0;
        sleep(LAST_WORDS).await;
        while *self.main_frame().loader() == *document && !self.is_closed() {
            if !self.may_be_stuck() || answers(self, AFTER_STOP).await || !self.may_be_stuck() {
                stops = 0;
                sleep(AFTER_STOP).await;
            } else if stops == MOST_STOPS {
                return;
            } else {
                self.stop_scripts();
                stops += 1;
            }
        }
        std::future::pending().await
    }

    fn stop_scripts(&self) {
        for session in self.sessions() {
            session.send(TerminateExecution {}).ignore();
        }
    }
}

async fn answers(page: &Page, patience: Duration) -> bool {
    answers_in(page, page.session(), patience).await
}

/// Whether the page does the least that it can be asked within `patience`; longer on a machine that is slow.
async fn answers_in(page: &Page, session: &CdpSession, patience: Duration) -> bool {
    let (begun, heard) = (Instant::now(), session.answers());
    let asked = session.send(Evaluate { expression: "0".to_owned(), ..Evaluate::default() });
    let silent = async {
        if let Ok(browser) = page.context().browser() {
            let told = browser.root().call_within(GetVersion {}, PATIENCE);
            let _ = timeout(PATIENCE, told).await;
        }
        sleep_until(begun + patience + SLOWNESS * begun.elapsed()).await;
    };
    tokio::select! {
        biased;
        _ = asked => true,
        () = silent => session.answers() != heard,
    }
}
