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
    /// Distinguishes equal dialogs: the next one can open before the browser reports the last as closed.
    pub(super) number: u64,
}

impl Dialog {
    /// The default text of a prompt; `None` for other dialogs.
    pub fn default_text(&self) -> Option<String> {
        (self.kind == "prompt").then(|| self.default_prompt.clone())
    }

    /// Returns the error for a page that is blocked because this dialog is open in another tab.
    pub(in crate::browser) fn elsewhere(self) -> Error {
        Error::DialogElsewhere { kind: self.kind, message: self.message }
    }
}

/// A dialog that was answered, and its answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnsweredDialog {
    pub dialog: Dialog,
    pub accepted: bool,
    /// The text that was entered into an accepted prompt; otherwise `None`.
    pub text: Option<String>,
}

/// An open file chooser.
#[derive(Debug, Clone)]
pub struct FileChooser {
    pub frame: Frame,
    /// The CDP backend node id of the file input; `None` if the page used a picker without an input.
    pub backend_node_id: Option<i64>,
    pub multiple: bool,
}

/// The journal key that marks a dialog as being answered. Actions wait for it as for a loading frame.
pub(super) const DIALOG: &str = "dialog";

/// The browser's error for a command to a document that is being replaced.
const IS_BEING_REPLACED: &str = "Not attached to an active page";

/// A URL that Chromium neither loads nor passes to an external program.
const NOWHERE: &str = "vbscript:0";

/// The number of dialogs of one document after which further ones are dismissed automatically.
const MOST_DIALOGS: u32 = 20;

impl Page {
    /// The open dialog, if any.
    pub fn dialog(&self) -> Option<Dialog> {
        self.inner.state.lock().dialog.clone()
    }

    /// Whether the last dialog was answered by a command, rather than by a person in the browser window.
    pub(in crate::browser) fn dialog_is_answered_here(&self) -> bool {
        self.inner.state.lock().dialog_answered_here
    }

    /// Returns the open dialog that blocks the page until it is answered. `None` with a dialog listener.
    pub(in crate::browser) fn blocking_dialog(&self) -> Option<Dialog> {
        if self.context().has_dialog_listener() { None } else { self.dialog() }
    }

    /// Returns an open dialog in another tab of the context. It blocks this page too if both share a process.
    pub fn dialog_in_other_tab(&self) -> Option<Dialog> {
        let mut others = self.context().pages().into_iter().filter(|page| page != self);
        others.find_map(|page| page.blocking_dialog())
    }

    /// Removes and returns the automatically answered dialogs that were not reported yet.
    pub fn take_answered_dialogs(&self) -> Vec<AnsweredDialog> {
        std::mem::take(&mut self.inner.state.lock().dialogs_answered)
    }

    /// The number of dialogs that the page has opened so far.
    pub(in crate::browser) fn dialogs_so_far(&self) -> u64 {
        self.inner.state.lock().dialogs_so_far
    }

    /// The open file chooser, if any.
    pub fn file_chooser(&self) -> Option<FileChooser> {
        self.inner.state.lock().chooser.clone()
    }

    /// Removes and returns the open file chooser, after it was answered or abandoned.
    pub fn take_file_chooser(&self) -> Option<FileChooser> {
        self.inner.state.lock().chooser.take()
    }

    /// Restores a file chooser that was taken, unless another one has opened.
    pub fn reopen_file_chooser(&self, chooser: FileChooser) {
        self.inner.state.lock().chooser.get_or_insert(chooser);
    }

    /// Answers the open dialog; with natural input, after the time that a person needs to read it. Returns
    /// the actual answer: in a document that is being replaced, a dialog can only be dismissed.
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

    /// Dismisses the dialog of a document whose replacement waits until the dialog is closed.
    async fn dismiss_in_replaced_document(&self) -> Result<()> {
        let session = &self.inner.session;
        // Events arrive before the reply. They show whether the browser has closed the dialog by itself.
        let _ = session.call(wire::GetNavigationHistory {}).await;
        let is_closed = {
            let state = self.inner.state.lock();
            state.dialog_closed == state.dialogs_so_far
        };
        if !is_closed {
            // Any navigation closes the dialog. This one loads nothing, so the next document stays. It would
            // cancel a navigation that has begun after the dialog.
            session.call(wire::Navigate { url: NOWHERE.to_owned(), ..wire::Navigate::default() }).await?;
        }
        Ok(())
    }

    /// Dismisses the open dialog, and later ones until the guard is dropped, so that a navigation can leave
    /// the page. `None` if no dialog blocks the page and the document does not keep opening dialogs.
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
            // Dismissing a `beforeunload` dialog cancels its navigation, which would affect the next one.
            tokio::spawn(self.close_dialog(session.as_ref().unwrap_or(&self.inner.session), false, None));
        }
        Some(DialogDismissal(self.downgrade()))
    }

    /// Sets the automatic answer for the next dialog only. A prompt accepted without text keeps its default.
    pub fn answer_next_dialog(&self, accept: bool, prompt_text: Option<String>) {
        self.update(|state| state.next_answer = Some((accept, prompt_text)));
    }

    /// Whether the document keeps opening dialogs, so that further ones are dismissed automatically.
    pub fn floods_dialogs(&self) -> bool {
        self.inner.state.lock().dialogs_in_a_row > MOST_DIALOGS
    }

    /// Reports the open dialog to listeners: once, and only after the page is ready.
    pub(super) fn report_dialog(&self) {
        let pending = self.update(|state| {
            let reported = state.dialog_reported;
            let dialog = state.dialog.clone().filter(|dialog| state.ready && dialog.number > reported)?;
            state.dialog_reported = dialog.number;
            Some(dialog)
        });
        if let Some(dialog) = pending {
            self.emit(&PageEvent::Dialog(dialog));
        }
    }

    /// Handles a new dialog. It stays open until it is answered, unless an automatic answer is set, a
    /// navigation is leaving the page, or the document keeps opening dialogs.
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
            // The effects of the answer belong to the action that has opened the dialog.
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
            // The dialog blocks the renderer, so a new popup reports nothing else before the answer.
            if self.has_opener() && session.id() == self.inner.session.id() {
                self.set_ready();
            }
            self.report_dialog();
        }
    }

    /// How long a dialog stays open before it is answered, as if a person read it; zero after three in a row.
    fn reading_time(&self, state: &PageState) -> Duration {
        const READ: u32 = 3;
        if state.dialogs_in_a_row > READ { Duration::ZERO } else { self.inner.input.reading_time() }
    }
}

impl PageState {
    /// Corrects the record of a dialog that was dismissed, because it could not be accepted.
    fn was_dismissed(&mut self, number: u64) {
        for answered in self.dialogs_answered.iter_mut().filter(|answered| answered.dialog.number == number) {
            answered.accepted = false;
            answered.text = None;
        }
    }
}

/// A guard. Until it is dropped, new dialogs are answered automatically and do not block navigations.
pub(in crate::browser) struct DialogDismissal(WeakPage);

impl Drop for DialogDismissal {
    fn drop(&mut self) {
        if let Some(page) = self.0.upgrade() {
            page.update(|state| state.leaving_navigations -= 1);
        }
    }
}
