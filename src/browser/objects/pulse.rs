//! Checks whether a page is responsive, and recovers from one that is not.
//!
//! Two commands are sent at once: `Runtime.evaluate`, which the page answers between its scripts, and
//! `Performance.getMetrics`, which it also answers during a script. If only that one is answered, a script runs.
//! If neither is, as during a synchronous request to a server, the page counts as busy after a time limit, plus the
//! delay of the browser itself. The limit is multiplied by the machine's slowdown, since scripts then take longer.
use std::time::Duration;

use tokio::time::{Instant, sleep, sleep_until, timeout_at};

use super::load::slowdown;
use super::page::{Dialog, Page};
use crate::cdp::CdpSession;
use crate::cdp::types::browser::GetVersion;
use crate::cdp::types::performance::GetMetrics;
use crate::cdp::types::runtime::{Evaluate, TerminateExecution};
use crate::error::{Error, Result};

/// How long a page may stop responding during a call, if it responded at the beginning: the call may keep it busy.
pub const HANG_TIMEOUT: Duration = Duration::from_secs(5);

/// How long a page may fail to respond from the beginning of a call. Its script was running before.
const SILENCE: Duration = Duration::from_millis(1500);
/// The time before the first check: most calls end earlier.
const FIRST_LOOK: Duration = Duration::from_millis(250);
const BETWEEN_LOOKS: Duration = Duration::from_millis(500);

/// How long a page that is being left may take to respond before its scripts are stopped.
const BEFORE_STOP: Duration = Duration::from_millis(300);
/// How long a page may take to respond after its scripts were stopped.
const AFTER_STOP: Duration = Duration::from_millis(250);
/// The number of failed stops after which the page is considered busy outside of scripts, or in a loop of scripts.
const MOST_STOPS: u32 = 1;

/// The factor by which a page may be slower than the browser process.
const SLOWNESS: u32 = 8;

/// A page that opens this number of dialogs in turn without responding is considered busy in a script.
const DIALOGS_INSTEAD: u64 = 2;

impl Page {
    /// Runs `work` unless the page stops responding; `patience` as in [`until_hung`](Self::until_hung).
    pub async fn unless_hung<T>(
        &self,
        patience: Option<Duration>,
        work: impl Future<Output = Result<T>>,
    ) -> Result<T> {
        tokio::select! {
            biased;
            done = work => done,
            () = self.until_hung(patience) => Err(Error::PageBusy),
            dialog = self.until_held_up() => Err(dialog.elsewhere()),
        }
    }

    /// Runs `work` unless a dialog in another tab blocks the page.
    ///
    /// # Errors Those of `work`; `dialog_open` if there is such a dialog.
    pub async fn unless_blocked_by_dialog<T>(&self, work: impl Future<Output = Result<T>>) -> Result<T> {
        tokio::select! {
            biased;
            done = work => done,
            dialog = self.until_held_up() => Err(dialog.elsewhere()),
        }
    }

    async fn until_held_up(&self) -> Dialog {
        loop {
            sleep(FIRST_LOOK).await;
            if let Some(dialog) = Box::pin(self.blocking_dialog_in_other_tab()).await {
                return dialog;
            }
        }
    }

    /// The dialog in another tab that blocks the page, because both share a process.
    pub async fn blocking_dialog_in_other_tab(&self) -> Option<Dialog> {
        let dialog = self.dialog_in_other_tab().filter(|_| self.may_be_stuck())?;
        // For an endless script, the result would be `Pulse::Script`.
        let heartbeat = ask(self, self.session(), BEFORE_STOP).await;
        let still = self.dialog_in_other_tab().as_ref() == Some(&dialog) && self.may_be_stuck();
        (heartbeat == Pulse::Nothing && still).then_some(dialog)
    }

    /// Completes when the page runs an endless script: after `SILENCE` if it does not respond from now on; after
    /// `patience` if it stops responding later, or never for `None`. Does not complete while a dialog is open.
    pub async fn until_hung(&self, patience: Option<Duration>) {
        self.until_silent(SILENCE, patience).await;
    }

    /// Runs a navigation unless the new document runs an endless script. A script that runs at the time limit,
    /// without any answer, is reported as such, however slow the machine is.
    ///
    /// # Errors Those of `arrival`; `page_busy` for an endless script.
    pub async fn await_navigation_unless_hung<T>(
        &self,
        arrival: impl Future<Output = Result<T>>,
    ) -> Result<T> {
        let document = self.main_frame().loader_id();
        let arrived = tokio::select! {
            biased;
            arrived = arrival => arrived,
            () = self.until_stuck_on_arrival() => return Err(Error::PageBusy),
        };
        match arrived {
            Err(Error::NavigationSlow { .. })
                if *self.main_frame().loader_id() != *document && Box::pin(self.is_in_script()).await =>
            {
                Err(Error::PageBusy)
            }
            arrived => arrived,
        }
    }

    /// Whether the page runs one script during the whole check.
    async fn is_in_script(&self) -> bool {
        self.may_be_stuck() && hear(self, self.session(), SILENCE, async {}).await == Pulse::Script
    }

    /// Completes when a new document is shown and runs an endless script.
    async fn until_stuck_on_arrival(&self) {
        let document = self.main_frame().loader_id();
        let _ = self.until(|page| (*page.main_frame().loader_id() != *document).then_some(())).await;
        self.until_new_document_hung().await;
    }

    /// Completes when the document, which has just begun to arrive, runs an endless script.
    pub async fn until_new_document_hung(&self) {
        self.until_silent(HANG_TIMEOUT, Some(HANG_TIMEOUT)).await;
    }

    async fn until_silent(&self, first: Duration, patience: Option<Duration>) {
        let (begun, received) = (Instant::now(), self.session().answer_count());
        sleep(FIRST_LOOK).await;
        loop {
            let patience = match (self.session().answer_count() == received, patience) {
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

    /// Completes when the page has been running one script for at least `HANG_TIMEOUT`.
    pub(in crate::browser) async fn until_in_script(&self) {
        loop {
            sleep(BETWEEN_LOOKS).await;
            if self.may_be_stuck() && ask(self, self.session(), HANG_TIMEOUT).await == Pulse::Script {
                return;
            }
        }
    }

    /// The error for a page that does not respond.
    pub(in crate::browser) fn unresponsive_error(&self) -> Error {
        if self.waits_for_server() { Error::AwaitsServer } else { Error::PageBusy }
    }

    /// Checks that the page responds.
    ///
    /// # Errors `page_busy` if it does not respond within `SILENCE`.
    pub async fn ensure_responsive(&self) -> Result<()> {
        let is_stuck = self.may_be_stuck() && !answers(self, SILENCE).await && self.may_be_stuck();
        if is_stuck { Err(Error::PageBusy) } else { Ok(()) }
    }

    /// Whether a script can be the reason if the page does not respond: not while a dialog is open, or while the server
    /// of the next document has not answered.
    fn may_be_stuck(&self) -> bool {
        self.dialog().is_none() && !self.waits_for_server()
    }

    /// Whether the server of the next document has not answered. Until then, the browser may delay commands.
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

    /// Stops the script that blocks the frame process of this session. Does nothing if it responds.
    pub(in crate::browser) async fn stop_script(&self, session: &CdpSession) {
        if !answers_in(self, session, AFTER_STOP).await {
            let _ = session.call_within(TerminateExecution {}, self.after_stop()).await;
        }
    }

    /// How long a page may take to respond after its scripts were stopped.
    fn after_stop(&self) -> Duration {
        let ends_them =
            self.context().browser().ok().and_then(|browser| browser.protocol().script_time_limit());
        ends_them.unwrap_or(AFTER_STOP)
    }

    /// Stops blocking scripts. Returns whether the page responds then; tasks that they have queued may block it again.
    pub(in crate::browser) async fn release(&self) -> bool {
        if !self.may_be_stuck() || answers(self, BEFORE_STOP).await {
            return true;
        }
        self.stop_scripts();
        answers(self, self.after_stop()).await
    }

    /// Stops blocking scripts as long as the page shows the same document. Completes if the page cannot be unblocked.
    pub(in crate::browser) async fn until_stuck_when_leaving(&self) {
        let document = self.main_frame().loader_id();
        let mut stops = 0;
        sleep(BEFORE_STOP).await;
        while *self.main_frame().loader_id() == *document && !self.is_closed() {
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

/// The result of a check whether the page responds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pulse {
    Answer,
    /// No answer, because a script is running.
    Script,
    Nothing,
}

async fn answers(page: &Page, patience: Duration) -> bool {
    answers_in(page, page.session(), patience).await
}

async fn answers_in(page: &Page, session: &CdpSession, patience: Duration) -> bool {
    ask(page, session, patience).await == Pulse::Answer
}

/// Checks whether the page responds within `patience`, which is extended on a slow machine.
async fn ask(page: &Page, session: &CdpSession, patience: Duration) -> Pulse {
    let longer = async { sleep(patience.mul_f64(slowdown().await - 1.0)).await };
    Box::pin(hear(page, session, patience, longer)).await
}

/// Checks whether the page responds within `patience`, or after that until `longer` completes.
async fn hear(
    page: &Page,
    session: &CdpSession,
    patience: Duration,
    longer: impl Future<Output = ()>,
) -> Pulse {
    let (begun, received) = (Instant::now(), session.answer_count());
    let asked = session.send(Evaluate { expression: "0".to_owned(), ..Evaluate::default() });
    let in_script = session.send(GetMetrics {});
    let silent = async {
        let in_script = async { in_script.await.is_ok().then(|| begun.elapsed()) };
        if let Ok(browser) = page.context().browser() {
            let _ = browser.root_session().call_within(GetVersion {}, HANG_TIMEOUT).await;
        }
        let end = begun + patience + SLOWNESS * begun.elapsed();
        let runs = timeout_at(end, in_script).await.ok().flatten();
        sleep_until(end.max(begun + patience + SLOWNESS * runs.unwrap_or_default())).await;
        longer.await;
        // During a script, the page answers this command as well, but still not `Runtime.evaluate`.
        match runs {
            Some(_)
                if session.call_within(GetMetrics {}, HANG_TIMEOUT.min(begun.elapsed())).await.is_ok() =>
            {
                Pulse::Script
            }
            _ => Pulse::Nothing,
        }
    };
    tokio::select! {
        biased;
        _ = asked => Pulse::Answer,
        silence = silent => if session.answer_count() == received { silence } else { Pulse::Answer },
        () = until_dialog_series(page, patience) => Pulse::Script,
    }
}

/// Completes when the page has opened dialogs one after the other for `patience`: they are answered at once, but the
/// script that opens them does not end.
async fn until_dialog_series(page: &Page, patience: Duration) {
    loop {
        let before = page.dialogs_so_far();
        sleep(patience).await;
        if page.dialogs_so_far() >= before + DIALOGS_INSTEAD && page.dialog().is_none() {
            return;
        }
    }
}
