//! Dialogs and file choosers of a page.
use std::time::Duration;

use tokio::time::{Instant, sleep, sleep_until};

use super::{Page, PageEvent, PageState, WeakPage};
use crate::browser::objects::frame::Frame;
use crate::cdp::CdpSession;
use crate::cdp::types::page as wire;
use crate::error::{Error, Result};

/// An open dialog: `alert`, `confirm`, `prompt` or `beforeunload`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dialog {
    /// `alert`, `confirm`, `prompt` or `beforeunload`.
    pub kind: String,
    pub message: String,
    pub default_prompt: String,
    pub url: String,
    pub(super) session: String,
    /// Distinguishes dialogs with the same text: a page can open the next one before the last is reported as closed.
    pub(super) number: u64,
}

impl Dialog {
    /// The default text of a prompt; `None` for other dialogs.
    pub fn default_text(&self) -> Option<String> {
        (self.kind == "prompt").then(|| self.default_prompt.clone())
    }

    /// The error for a page that is blocked while this dialog is open in another tab.
    pub(in crate::browser) fn elsewhere(self) -> Error {
        Error::DialogElsewhere { kind: self.kind, message: self.message }
    }
}

/// A dialog that was answered automatically, as requested before it opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnsweredDialog {
    pub dialog: Dialog,
    pub accepted: bool,
    /// The text that was entered into a prompt.
    pub text: Option<String>,
}

/// An open file chooser.
#[derive(Debug, Clone)]
pub struct FileChooser {
    pub frame: Frame,
    /// The file input; `None` if the page used a picker without one.
    pub backend_node_id: Option<i64>,
    pub multiple: bool,
}

/// The key under which the journal counts a dialog that is being answered as loading, so that actions wait.
pub(super) const DIALOG: &str = "dialog";

/// The browser's error for a command to a document that is being replaced.
const IS_BEING_REPLACED: &str = "Not attached to an active page";

/// A URL that Chromium neither opens nor offers to an external program.
const NOWHERE: &str = "vbscript:0";

/// The number of dialogs after which further ones of a document are dismissed automatically.
const MOST_DIALOGS: u32 = 20;

impl Page {
    /// The open dialog, if any.
    pub fn dialog(&self) -> Option<Dialog> {
        self.inner.state.lock().dialog.clone()
    }

    /// Whether the last dialog was answered by a command, and not by a person in the window.
    pub(in crate::browser) fn dialog_is_answered_here(&self) -> bool {
        self.inner.state.lock().dialog_answered_here
    }

    /// The open dialog, unless a listener answers all dialogs. It blocks the page until the caller answers it.
    pub(in crate::browser) fn blocking_dialog(&self) -> Option<Dialog> {
        if self.context().has_dialog_listener() { None } else { self.dialog() }
    }

    /// An open dialog in another tab of the context. It blocks this page as well if both share a process.
    pub fn dialog_in_other_tab(&self) -> Option<Dialog> {
        let mut others = self.context().pages().into_iter().filter(|page| page != self);
        others.find_map(|page| page.blocking_dialog())
    }

    /// Takes the dialogs that were answered automatically and not reported yet.
    pub fn take_answered_dialogs(&self) -> Vec<AnsweredDialog> {
        std::mem::take(&mut self.inner.state.lock().dialogs_answered)
    }

    /// The number of dialogs so far.
    pub(in crate::browser) fn dialogs_so_far(&self) -> u64 {
        self.inner.state.lock().dialogs_so_far
    }

    /// The open file chooser, if any.
    pub fn file_chooser(&self) -> Option<FileChooser> {
        self.inner.state.lock().chooser.clone()
    }

    /// Takes the open file chooser: it was answered or given up.
    pub fn take_file_chooser(&self) -> Option<FileChooser> {
        self.inner.state.lock().chooser.take()
    }

    /// Puts a file chooser back, unless there is another one.
    pub fn reopen_file_chooser(&self, chooser: FileChooser) {
        self.inner.state.lock().chooser.get_or_insert(chooser);
    }

    /// Answers the open dialog after a reading time. Returns how it was answered: in a document that is being
    /// replaced, a dialog can only be dismissed.
    ///
    /// # Errors `no_dialog` if no dialog is open.
    pub async fn answer_dialog(&self, accept: bool, prompt_text: Option<String>) -> Result<AnsweredDialog> {
        let (dialog, readable) = {
            let state = self.inner.state.lock();
            let dialog = state.dialog.clone().ok_or(Error::NoDialog)?;
            (dialog, state.dialog_opened + self.reading_time(&state))
        };
        sleep_until(readable).await;
        let session = self.sessions().into_iter().find(|session| session.id() == dialog.session);
        let session = session.unwrap_or_else(|| self.inner.session.clone());
        self.update(|state| state.dialog_answered_here = true);
        let text = prompt_text.clone().filter(|_| accept && dialog.kind == "prompt");
        let accepted = self.close_dialog(&session, accept, prompt_text).await?;
        self.update(|state| {
            if state.dialog.as_ref() == Some(&dialog) {
                state.dialog = None;
            }
        });
        Ok(AnsweredDialog { dialog, accepted, text: text.filter(|_| accepted) })
    }

    /// Sends the answer to the browser. Returns whether the dialog was accepted.
    fn close_dialog(
        &self,
        session: &CdpSession,
        accept: bool,
        prompt_text: Option<String>,
    ) -> impl Future<Output = Result<bool>> + Send + use<> {
        let answer = session.send(wire::HandleJavaScriptDialog { accept, prompt_text });
        let page = self.clone();
        async move {
            match answer.await {
                Err(Error::Protocol { message, .. }) if message == IS_BEING_REPLACED => {
                    page.dismiss_in_replaced_document().await.map(|()| false)
                }
                answer => answer.map(|_| accept),
            }
        }
    }

    /// Closes the dialog of a document whose successor has arrived and waits for the dialog.
    async fn dismiss_in_replaced_document(&self) -> Result<()> {
        let session = &self.inner.session;
        // The events that precede any answer tell whether the browser has closed the dialog by itself.
        let _ = session.call(wire::GetNavigationHistory {}).await;
        let is_closed = {
            let state = self.inner.state.lock();
            state.dialog_closed == state.dialogs_so_far
        };
        if !is_closed {
            // A navigation makes the browser close the dialog. One that leads nowhere keeps the next document, but would
            // cancel a navigation that has begun after the dialog.
            session.call(wire::Navigate { url: NOWHERE.to_owned(), ..wire::Navigate::default() }).await?;
        }
        Ok(())
    }

    /// Closes the open dialog, and later ones until the guard is dropped, so that the page can be left. `None`
    /// if no dialog is open and the document does not keep opening dialogs.
    pub(in crate::browser) fn dismiss_until_left(&self) -> Option<DialogDismissal> {
        let dialog = self.blocking_dialog();
        if dialog.is_none() && !self.floods_dialogs() {
            return None;
        }
        self.update(|state| {
            state.leaving_navigations += 1;
            state.dialog = None;
            state.dialog_answered_here = true;
        });
        if let Some(dialog) = dialog {
            let session = self.sessions().into_iter().find(|session| session.id() == dialog.session);
            // Dismissing a `beforeunload` dialog ends its navigation, which would conflict with the next one.
            tokio::spawn(self.close_dialog(session.as_ref().unwrap_or(&self.inner.session), false, None));
        }
        Some(DialogDismissal(self.downgrade()))
    }

    /// Answers the next dialog automatically, once. A prompt accepted without a text keeps its default.
    pub fn answer_next_dialog(&self, accept: bool, prompt_text: Option<String>) {
        self.update(|state| state.next_answer = Some((accept, prompt_text)));
    }

    /// Whether the document keeps opening dialogs, so that they are dismissed automatically.
    pub fn floods_dialogs(&self) -> bool {
        self.inner.state.lock().dialogs_in_a_row > MOST_DIALOGS
    }

    /// Reports the open dialog once, and only after the page is ready.
    pub(super) fn report_dialog(&self) {
        let pending = self.update(|state| {
            let reported = state.dialog_reported;
            let dialog = state.dialog.clone().filter(|dialog| state.ready && dialog.number > reported)?;
            state.dialog_reported = dialog.number;
            Some(dialog)
        });
        if let Some(dialog) = pending {
            self.tell(&PageEvent::Dialog(dialog));
        }
    }

    /// Handles a new dialog: it stays open until it is answered, unless there is an automatic answer, or the
    /// document keeps opening dialogs.
    pub(super) fn on_dialog(&self, dialog: Dialog, session: &CdpSession) {
        let number = {
            let mut state = self.inner.state.lock();
            state.dialogs_so_far += 1;
            state.dialogs_so_far
        };
        let dialog = Dialog { number, ..dialog };
        let patient = self.context().has_dialog_listener();
        let answer = self.update(|state| {
            state.journal.effect();
            state.dialogs_in_a_row += u32::from(!patient);
            let unasked = state.dialogs_in_a_row > MOST_DIALOGS || state.leaving_navigations > 0;
            let flood = unasked.then_some((dialog.kind == "beforeunload", None));
            let said = if flood.is_none() { state.next_answer.take() } else { None };
            let said = said.map(|(accepted, text)| {
                let text =
                    text.or_else(|| dialog.default_text()).filter(|_| accepted && dialog.kind == "prompt");
                state.dialogs_answered.push(AnsweredDialog {
                    dialog: dialog.clone(),
                    accepted,
                    text: text.clone(),
                });
                (accepted, text)
            });
            let answer = flood.or(said);
            state.dialog_answered_here = answer.is_some();
            state.dialog = answer.is_none().then_some(dialog);
            state.dialog_opened = Instant::now();
            let (accept, prompt_text) = answer?;
            let left = state.leaving_navigations > 0;
            // Effects of the answer belong to the action that has opened the dialog.
            state.journal.loading(DIALOG, true);
            let read = if left { Duration::ZERO } else { self.reading_time(state) };
            Some((accept, prompt_text, read))
        });
        if let Some((accept, prompt_text, reading_time)) = answer {
            let (page, session) = (self.clone(), session.clone());
            tokio::spawn(async move {
                sleep(reading_time).await;
                let accepted = page.close_dialog(&session, accept, prompt_text).await;
                if accept && matches!(accepted, Ok(false)) {
                    page.update(|state| state.was_dismissed(number));
                }
            });
        } else {
            // The renderer is blocked: a new popup reports nothing else before the answer.
            if self.has_opener() && session.id() == self.inner.session.id() {
                self.set_ready();
            }
            self.report_dialog();
        }
    }

    /// How long the dialog stays open before it is answered, as if a person read it; in a series, zero.
    fn reading_time(&self, state: &PageState) -> Duration {
        const READ: u32 = 3;
        if state.dialogs_in_a_row > READ { Duration::ZERO } else { self.inner.input.reading_time() }
    }
}

impl PageState {
    /// Corrects the record of a dialog that could not be accepted.
    fn was_dismissed(&mut self, number: u64) {
        for answered in self.dialogs_answered.iter_mut().filter(|answered| answered.dialog.number == number) {
            answered.accepted = false;
            answered.text = None;
        }
    }
}

/// While this exists, dialogs do not prevent leaving the page.
pub(in crate::browser) struct DialogDismissal(WeakPage);

impl Drop for DialogDismissal {
    fn drop(&mut self) {
        if let Some(page) = self.0.upgrade() {
            page.update(|state| state.leaving_navigations -= 1);
        }
    }
}
