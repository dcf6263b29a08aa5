//! Checks whether a page responds, and recovers a page that does not.
//!
//! A check sends two commands: `Runtime.evaluate`, which a page answers only between its scripts, and
//! `Performance.getMetrics`, which it also answers during a script. If only `getMetrics` is answered, a
//! script runs. If neither is, as during a synchronous request, the page counts as busy after a time limit
//! plus the browser's own delay. The limit is multiplied by the machine's slowdown.
use std::time::Duration;

use tokio::time::{Instant, sleep, sleep_until, timeout_at};

use super::load::slowdown;
use super::page::{Dialog, Page};
use crate::cdp::CdpSession;
use crate::cdp::types::browser::GetVersion;
use crate::cdp::types::performance::GetMetrics;
use crate::cdp::types::runtime::{Evaluate, TerminateExecution};
use crate::error::{Error, Result};

/// How long a page may stop responding during a call, if it responded first: the call may keep it busy.
pub const HANG_TIMEOUT: Duration = Duration::from_secs(5);

/// How long a page may stay unresponsive if it does not respond from the start of a call.
const SILENCE: Duration = Duration::from_millis(1500);
/// The time before the first check. Most calls end earlier.
const FIRST_LOOK: Duration = Duration::from_millis(250);
const BETWEEN_LOOKS: Duration = Duration::from_millis(500);

/// How long a page may take to respond, before a navigation away from it stops its scripts.
const BEFORE_STOP: Duration = Duration::from_millis(300);
/// How long a page may take to respond after its scripts were stopped.
const AFTER_STOP: Duration = Duration::from_millis(250);
/// The number of failed attempts to stop scripts after which the page counts as impossible to unblock.
const MOST_STOPS: u32 = 1;

/// The factor by which a page may respond more slowly than the browser process.
const SLOWNESS: u32 = 8;

/// A page that opens this many dialogs in a row without responding counts as busy in a script.
const DIALOGS_INSTEAD: u64 = 2;

impl Page {
    /// Runs `work`. Fails if the page hangs (see [`until_hung`](Self::until_hung)) or a dialog blocks it.
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

    /// Runs `work`. Fails if a dialog in another tab blocks the page.
    ///
    /// # Errors Those of `work`; `dialog_open` if a dialog in another tab blocks the page.
    pub async fn unless_blocked_by_dialog_in_other_tab<T>(
        &self,
        work: impl Future<Output = Result<T>>,
    ) -> Result<T> {
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

    /// Returns the dialog in another tab that blocks this page, because both share a renderer process.
    pub async fn blocking_dialog_in_other_tab(&self) -> Option<Dialog> {
        let dialog = self.dialog_in_other_tab().filter(|_| self.may_be_stuck())?;
        // For an endless script, the result would be `Pulse::Script`.
        let heartbeat = ask(self, self.session(), BEFORE_STOP).await;
        let still = self.dialog_in_other_tab().as_ref() == Some(&dialog) && self.may_be_stuck();
        (heartbeat == Pulse::Nothing && still).then_some(dialog)
    }

    /// Completes when the page hangs in a script: after `SILENCE` if it does not respond from the start,
    /// after `patience` if it stops responding later (`None`: never). Waits while a dialog is open.
    pub async fn until_hung(&self, patience: Option<Duration>) {
        self.until_silent(SILENCE, patience).await;
    }

    /// Runs the navigation `arrival` unless the new document runs an endless script. A script that still
    /// blocks the page when the navigation times out counts as endless too, however slow the machine is.
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

    /// Whether a single script blocks the page during the whole check, which takes `SILENCE`.
    async fn is_in_script(&self) -> bool {
        self.may_be_stuck() && hear(self, self.session(), SILENCE, async {}).await == Pulse::Script
    }

    /// Completes when a new document has committed and runs an endless script.
    async fn until_stuck_on_arrival(&self) {
        let document = self.main_frame().loader_id();
        let _ = self.until(|page| (*page.main_frame().loader_id() != *document).then_some(())).await;
        self.until_committed_document_hung().await;
    }

    /// Completes when the current document, which has just committed, runs an endless script.
    pub async fn until_committed_document_hung(&self) {
        self.until_silent(HANG_TIMEOUT, Some(HANG_TIMEOUT)).await;
    }

    async fn until_silent(&self, first: Duration, patience: Option<Duration>) {
        let (begun, received) = (Instant::now(), self.session().main_thread_reply_count());
        sleep(FIRST_LOOK).await;
        loop {
            let patience = match (self.session().main_thread_reply_count() == received, patience) {
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

    /// Returns the error for an unresponsive page: `AwaitsServer` or `PageBusy`.
    pub(in crate::browser) fn unresponsive_error(&self) -> Error {
        if self.awaits_navigation_response() { Error::AwaitsServer } else { Error::PageBusy }
    }

    /// Checks that the page responds.
    ///
    /// # Errors `page_busy` if it does not respond within `SILENCE`.
    pub async fn ensure_responsive(&self) -> Result<()> {
        let is_stuck = self.may_be_stuck() && !answers(self, SILENCE).await && self.may_be_stuck();
        if is_stuck { Err(Error::PageBusy) } else { Ok(()) }
    }

    /// Whether a script can be the reason if the page does not respond. False while a dialog is open, or
    /// while the server of the next document has not answered.
    fn may_be_stuck(&self) -> bool {
        self.dialog().is_none() && !self.awaits_navigation_response()
    }

    /// Whether the server has not answered a pending navigation. Until then, the browser may delay commands.
    pub fn awaits_navigation_response(&self) -> bool {
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

    /// Stops the script that blocks the frame process of this session. Does nothing if the process responds.
    pub(in crate::browser) async fn stop_script(&self, session: &CdpSession) {
        if !answers_in(self, session, AFTER_STOP).await {
            let _ = session.call_within(TerminateExecution {}, self.after_stop()).await;
        }
    }

    /// How long the page may take to respond after its scripts were stopped. Depends on the browser.
    fn after_stop(&self) -> Duration {
        let ends_them =
            self.context().browser().ok().and_then(|browser| browser.protocol().script_time_limit());
        ends_them.unwrap_or(AFTER_STOP)
    }

    /// Stops blocking scripts. Returns whether the page responds then. Tasks in its queue may block it again.
    pub(in crate::browser) async fn release(&self) -> bool {
        if !self.may_be_stuck() || answers(self, BEFORE_STOP).await {
            return true;
        }
        self.stop_scripts();
        answers(self, self.after_stop()).await
    }

    /// Terminates scripts that block the page until the next document is shown. Completes only if that fails.
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

/// The result of checking whether a page responds.
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

/// Checks whether the page responds within `patience`, and then until `longer` completes.
async fn hear(
    page: &Page,
    session: &CdpSession,
    patience: Duration,
    longer: impl Future<Output = ()>,
) -> Pulse {
    let (begun, received) = (Instant::now(), session.main_thread_reply_count());
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
        silence = silent => if session.main_thread_reply_count() == received { silence } else { Pulse::Answer },
        () = until_dialog_series(page, patience) => Pulse::Script,
    }
}

/// Completes when the page has opened dialogs one after the other for `patience`. They are answered at once,
/// but the script that opens them does not end.
async fn until_dialog_series(page: &Page, patience: Duration) {
    loop {
        let before = page.dialogs_so_far();
        sleep(patience).await;
        if page.dialogs_so_far() >= before + DIALOGS_INSTEAD && page.dialog().is_none() {
            return;
        }
    }
}
