//! Whether a page answers, and how one is left that does not.
//!
//! A page is asked two things at once: one that it answers between its scripts, and one that it answers in the midst of
//! one. Who answers the second again and again, and not the first, runs a script all the while: neither the machine nor we
//! are slow. Only where a page answers neither, as one does that waits for a server without letting anything else be
//! done, has time to decide; how slow the browser itself is to answer is taken off then. A script that has an end takes longer
//! where others compute as well, so patience is longer there by so many times.
use std::time::Duration;

use tokio::time::{Instant, sleep, sleep_until, timeout_at};

use super::load::slowdown;
use super::page::{Dialog, Page};
use crate::cdp::CdpSession;
use crate::cdp::types::browser::GetVersion;
use crate::cdp::types::performance::GetMetrics;
use crate::cdp::types::runtime::{Evaluate, TerminateExecution};
use crate::error::{Error, Result};

/// How long a page may be silent that answered when a call began: what the call did keeps it busy.
pub const PATIENCE: Duration = Duration::from_secs(5);

/// Nothing was heard of the page for so long since the call began: its script had no end before.
const SILENCE: Duration = Duration::from_millis(1500);
/// Most calls are over before anybody needs to look.
const FIRST_LOOK: Duration = Duration::from_millis(250);
const BETWEEN_LOOKS: Duration = Duration::from_millis(500);

/// A page that is being left may go on with what it does for so long, and then so long after it was stopped.
const LAST_WORDS: Duration = Duration::from_millis(300);
const AFTER_STOP: Duration = Duration::from_millis(250);
/// What stopping does not end so many times in a row runs outside of scripts, or begins again and again.
const MOST_STOPS: u32 = 1;

/// Where the browser itself is slow to answer, a page may be slower by so many times that.
const SLOWNESS: u32 = 8;

/// Who opens so many dialogs while it is asked, and does not answer, has the time to.
const DIALOGS_INSTEAD: u64 = 2;

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
            dialog = self.until_held_up() => Err(dialog.elsewhere()),
        }
    }

    /// Waits for `work` unless a dialog in another tab keeps the page from answering.
    ///
    /// # Errors
    /// Those of `work`; `dialog_open`.
    pub async fn unless_held_up<T>(&self, work: impl Future<Output = Result<T>>) -> Result<T> {
        tokio::select! {
            biased;
            done = work => done,
            dialog = self.until_held_up() => Err(dialog.elsewhere()),
        }
    }

    async fn until_held_up(&self) -> Dialog {
        loop {
            sleep(FIRST_LOOK).await;
            if let Some(dialog) = Box::pin(self.held_up_by()).await {
                return dialog;
            }
        }
    }

    /// The dialog in another tab that keeps the page from answering: it is asked in the process that shows both.
    pub async fn held_up_by(&self) -> Option<Dialog> {
        let dialog = self.dialog_elsewhere().filter(|_| self.may_be_stuck())?;
        // A script without end would show that it runs.
        let heartbeat = ask(self, self.session(), LAST_WORDS).await;
        let still = self.dialog_elsewhere().as_ref() == Some(&dialog) && self.may_be_stuck();
        (heartbeat == Pulse::Nothing && still).then_some(dialog)
    }

    /// Completes when the page runs a script without end: soon, when nothing is heard of it from now on; after `patience`
    /// if it falls silent later, or never without one. A page that waits at a dialog is not stuck.
    pub async fn until_stuck(&self, patience: Option<Duration>) {
        self.until_silent(SILENCE, patience).await;
    }

    /// Waits for an arrival unless the new document runs a script without end. One that still runs a script when time is
    /// up, having answered nothing, is reported as that, however slow the machine.
    ///
    /// # Errors
    /// Those of `arrival`; `page_busy`.
    pub async fn unless_stuck_on_arrival<T>(&self, arrival: impl Future<Output = Result<T>>) -> Result<T> {
        let document = self.main_frame().loader();
        let arrived = tokio::select! {
            biased;
            arrived = arrival => arrived,
            () = self.until_stuck_on_arrival() => return Err(Error::PageBusy),
        };
        match arrived {
            Err(Error::NavigationSlow { .. })
                if *self.main_frame().loader() != *document && Box::pin(self.is_in_script()).await =>
            {
                Err(Error::PageBusy)
            }
            arrived => arrived,
        }
    }

    /// Whether the page runs one script all the while that it is looked.
    async fn is_in_script(&self) -> bool {
        self.may_be_stuck() && hear(self, self.session(), SILENCE, async {}).await == Pulse::Script
    }

    /// Completes when another document than now is shown, and runs a script without end.
    async fn until_stuck_on_arrival(&self) {
        let document = self.main_frame().loader();
        let _ = self.until(|page| (*page.main_frame().loader() != *document).then_some(())).await;
        self.until_stuck_since_arrival().await;
    }

    /// Completes when the document, which has just begun to arrive, runs a script without end.
    pub async fn until_stuck_since_arrival(&self) {
        self.until_silent(PATIENCE, Some(PATIENCE)).await;
    }

    async fn until_silent(&self, first: Duration, patience: Option<Duration>) {
        let (begun, received) = (Instant::now(), self.session().answers());
        sleep(FIRST_LOOK).await;
        loop {
            let patience = match (self.session().answers() == received, patience) {
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

    /// Completes when the page has been running one script for longer than a picture of it could take.
    pub(in crate::browser) async fn until_in_script(&self) {
        loop {
            sleep(BETWEEN_LOOKS).await;
            if self.may_be_stuck() && ask(self, self.session(), PATIENCE).await == Pulse::Script {
                return;
            }
        }
    }

    /// Why the page does not answer.
    pub(in crate::browser) fn why_silent(&self) -> Error {
        if self.waits_for_server() { Error::AwaitsServer } else { Error::PageBusy }
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
    /// the document that comes next.
    fn may_be_stuck(&self) -> bool {
        self.dialog().is_none() && !self.waits_for_server()
    }

    /// Whether a server has not answered for the document that comes next: until then the browser may hold back what is
    /// asked of the page.
    pub fn waits_for_server(&self) -> bool {
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
    pub(in crate::browser) async fn stop_script(&self, session: &CdpSession) {
        if !answers_in(self, session, AFTER_STOP).await {
            let _ = session.call_within(TerminateExecution {}, self.after_stop()).await;
        }
    }

    /// How long a page may take to answer once its scripts were stopped.
    fn after_stop(&self) -> Duration {
        let ends_them =
            self.context().browser().ok().and_then(|browser| browser.dialect().ends_scripts_after());
        ends_them.unwrap_or(AFTER_STOP)
    }

    /// Whether the page answers, once the scripts are ended that keep it from that; what they left may do so again.
    pub(in crate::browser) async fn release(&self) -> bool {
        if !self.may_be_stuck() || answers(self, LAST_WORDS).await {
            return true;
        }
        self.stop_scripts();
        answers(self, self.after_stop()).await
    }

    /// Ends whatever the page does against being left, as long as it shows the same document. Completes when that is in vain.
    pub(in crate::browser) async fn until_unleavable(&self) {
        let document = self.main_frame().loader();
        let mut stops = 0;
        sleep(LAST_WORDS).await;
        while *self.main_frame().loader() == *document && !self.is_closed() {
            if !self.may_be_stuck() || answers(self, self.after_stop()).await || !self.may_be_stuck() {
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

/// What is heard of a page that is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pulse {
    Answer,
    /// It has not answered, because it runs a script.
    Script,
    Nothing,
}

async fn answers(page: &Page, patience: Duration) -> bool {
    answers_in(page, page.session(), patience).await
}

async fn answers_in(page: &Page, session: &CdpSession, patience: Duration) -> bool {
    ask(page, session, patience).await == Pulse::Answer
}

/// Whether the page does the least that it can be asked within `patience`; longer on a machine that is slow.
async fn ask(page: &Page, session: &CdpSession, patience: Duration) -> Pulse {
    let longer = async { sleep(patience.mul_f64(slowdown().await - 1.0)).await };
    Box::pin(hear(page, session, patience, longer)).await
}

/// The same within `patience` and then until `longer` completes.
async fn hear(
    page: &Page,
    session: &CdpSession,
    patience: Duration,
    longer: impl Future<Output = ()>,
) -> Pulse {
    let (begun, received) = (Instant::now(), session.answers());
    let asked = session.send(Evaluate { expression: "0".to_owned(), ..Evaluate::default() });
    let in_script = session.send(GetMetrics {});
    let silent = async {
        let in_script = async { in_script.await.is_ok().then(|| begun.elapsed()) };
        if let Ok(browser) = page.context().browser() {
            let _ = browser.root().call_within(GetVersion {}, PATIENCE).await;
        }
        let end = begun + patience + SLOWNESS * begun.elapsed();
        let runs = timeout_at(end, in_script).await.ok().flatten();
        sleep_until(end.max(begun + patience + SLOWNESS * runs.unwrap_or_default())).await;
        longer.await;
        // It has time to answer this, and still none for the other.
        match runs {
            Some(_) if session.call_within(GetMetrics {}, PATIENCE.min(begun.elapsed())).await.is_ok() => {
                Pulse::Script
            }
            _ => Pulse::Nothing,
        }
    };
    tokio::select! {
        biased;
        _ = asked => Pulse::Answer,
        silence = silent => if session.answers() == received { silence } else { Pulse::Answer },
        () = asks_on(page, patience) => Pulse::Script,
    }
}

/// Completes when the page has opened one dialog after the other for `patience`. Each is answered at once, which is no
/// answer of the page's.
async fn asks_on(page: &Page, patience: Duration) {
    loop {
        let before = page.dialogs_ever();
        sleep(patience).await;
        if page.dialogs_ever() >= before + DIALOGS_INSTEAD && page.dialog().is_none() {
            return;
        }
    }
}
