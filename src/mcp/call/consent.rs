//! Asks a person for consent to the actions that `--confirm` names.
use std::collections::HashSet;
use std::sync::Arc;

use tokio::time::{Instant, timeout};

use super::Call;
use crate::Result;
use crate::browser::{Download, ElementHandle, Page, PredictedPressEffect};
use crate::error::Error;
use crate::mcp::consent::{ConsentRules, is_purchase};
use crate::mcp::kept::SavedConsent;
use crate::mcp::page_text::{line_or_json, origin_of};
use crate::mcp::questions::PersonQuestion;
use crate::mcp::tool::{AnyTool, ToolEffect};
use crate::messages::consent::{self as texts, GuardedAction};
use crate::session::handoff::{self, HandoverOutcome, PersonAnswer};

/// The actions that a call may perform if its effect is unknown in advance.
const ANYTHING: [Option<GuardedAction>; 2] = [Some(GuardedAction::Submit), Some(GuardedAction::Purchase)];

const NO_WAY: &str = "there is no way to ask the user through this client";

impl Call<'_> {
    fn consent(&self) -> &ConsentRules {
        &self.settings.consent
    }

    /// Asks for consent to a whole call, if `--confirm` contains the origin at which the call works.
    pub(in crate::mcp) async fn confirm_call(&self, tool: &AnyTool, url: Option<&str>) -> Result<()> {
        if self.consent().is_empty() || tool.effect != ToolEffect::Acts {
            return Ok(());
        }
        let opens_own_page = tool.family.opens_own_page;
        let (origins, actions) = match (opens_own_page, url) {
            // The tool opens a page and acts on it at once, so its actions cannot be checked individually.
            (true, Some(url)) => {
                let [submit, purchase] = ANYTHING;
                (vec![origin_of(url)], vec![None, submit, purchase])
            }
            (true, None) => return Ok(()),
            (false, _) => match self.current_page() {
                Ok(page) => (vec![origin_of(&page.url())], vec![None]),
                Err(_) => return Ok(()),
            },
        };
        if self.consent().asks(&actions, &origins) {
            let page = self.current_page().ok().filter(|_| !opens_own_page);
            self.allowed(
                page.as_ref(),
                &texts::tool_call_description(self.settings.language, tool.title, &origins[0]),
            )
            .await?;
        }
        Ok(())
    }

    /// Asks for consent, if required, before an element is pressed, or Enter in a field (`enters`).
    pub(in crate::mcp) async fn confirm_press(&self, element: &ElementHandle, enters: bool) -> Result<()> {
        if self.consent().is_empty() {
            return Ok(());
        }
        let PredictedPressEffect { submits, name } = element.predict_press_effect(enters).await?;
        let origins = element.origins().await?;
        let mut actions = Vec::new();
        actions.extend(submits.then_some(Some(GuardedAction::Submit)));
        actions.extend(is_purchase(&name).then_some(Some(GuardedAction::Purchase)));
        if !self.consent().asks(&actions, &origins) {
            return Ok(());
        }
        let action = if is_purchase(&name) { GuardedAction::Purchase } else { GuardedAction::Submit };
        let page = element.frame().page()?;
        self.allowed(
            Some(&page),
            &texts::click_description(self.settings.language, action, &line_or_json(&name), &origins[0]),
        )
        .await
    }

    /// Asks for consent, if required, before an action with unknown effect: a script, a press at a point, or
    /// an answer to a dialog. `what` describes the action.
    pub(in crate::mcp) async fn confirm_anything(&self, page: &Page, what: &str) -> Result<()> {
        let origins = [origin_of(&page.url())];
        if !self.consent().asks(&ANYTHING, &origins) {
            return Ok(());
        }
        self.allowed(
            Some(page),
            &texts::unknown_action_description(self.settings.language, &line_or_json(what), &origins[0]),
        )
        .await
    }

    /// Asks for consent, if required, before a program acts at origins that are not in `allowed`, and adds
    /// them there. Consent at the origin where the program started was asked for before the call.
    pub(in crate::mcp) async fn confirm_program(
        &self,
        page: &Page,
        code: &str,
        begun_at: &str,
        allowed: &mut HashSet<String>,
    ) -> Result<()> {
        if self.consent().is_empty() {
            return Ok(());
        }
        let [submit, purchase] = ANYTHING;
        for frame in page.frames() {
            let origin = origin_of(&frame.url());
            let actions = [submit, purchase, None];
            let actions = if origin == begun_at { &actions[..2] } else { &actions };
            if !allowed.contains(&origin) && self.consent().asks(actions, std::slice::from_ref(&origin)) {
                let question =
                    texts::unknown_action_description(self.settings.language, &line_or_json(code), &origin);
                self.allowed(Some(page), &question).await?;
            }
            allowed.insert(origin);
        }
        Ok(())
    }

    /// Asks for consent, if required, before files are uploaded.
    pub(in crate::mcp) async fn confirm_upload(&self, page: &Page, paths: &[String]) -> Result<()> {
        let origins = [origin_of(&page.url())];
        if paths.is_empty() || !self.consent().asks(&[Some(GuardedAction::Upload)], &origins) {
            return Ok(());
        }
        let names: Vec<_> = paths.iter().map(|path| line_or_json(path)).collect();
        self.allowed(
            Some(page),
            &texts::upload_description(self.settings.language, &names.join(", "), &origins[0]),
        )
        .await
    }

    /// Asks for consent, if required, to downloads that the call has started. Deletes refused ones.
    pub(in crate::mcp) async fn confirm_downloads(&self) {
        if self.consent().is_empty() {
            return;
        }
        let asks = |download: &Download| {
            let known = self.kept.seen.lock().knows_download(&download.id);
            !known && self.consent().asks(&[Some(GuardedAction::Download)], &[origin_of(&download.url)])
        };
        for download in self.workspace.downloads().into_iter().filter(asks) {
            let (name, from) = (line_or_json(&download.name), origin_of(&download.url));
            let page = self.tabs().into_iter().map(|tab| tab.page).find(|page| page.id() == download.page);
            let text = texts::download_description(self.settings.language, &name, &from);
            if let Err(error) = self.allowed(page.as_ref(), &text).await {
                let what_came = match self.workspace.discard_download(&download.id).await {
                    Ok(true) => "it was removed",
                    Ok(false) => "the browser cannot stop it, and its file is removed when it has arrived",
                    Err(_) => "it could not be stopped",
                };
                self.add_event(format!("The download of {name} was not allowed ({error}); {what_came}."));
            }
        }
    }

    /// Asks the person through the client, or else through the live view. Fails unless the person agrees.
    async fn allowed(&self, page: Option<&Page>, question: &str) -> Result<()> {
        let (language, patience) = (self.settings.language, self.settings.timeouts.login);
        self.progress.set_message("waiting for the user, who must allow this");
        let refused = |reason: &'static str| Err(Error::NotAllowed { reason });
        let question = texts::consent_question(language, question);
        if let Some(is_yes) = page.and_then(|page| self.late_answer(page, &question)) {
            return if is_yes { Ok(()) } else { refused("the user refused") };
        }
        let asking = PersonQuestion { message: question.clone(), link: None };
        self.progress.set_waits_for_person(true);
        let answer = timeout(patience, self.progress.questions.ask(asking)).await;
        self.progress.set_waits_for_person(false);
        match (answer, page) {
            (Ok(PersonAnswer::Finished), _) => Ok(()),
            (Ok(PersonAnswer::Cancelled), _) => refused("the user refused"),
            (Err(_), _) => refused("the user gave no answer"),
            (Ok(PersonAnswer::NoQuestions | PersonAnswer::Coming), None) => refused(NO_WAY),
            (Ok(PersonAnswer::NoQuestions | PersonAnswer::Coming), Some(page)) => {
                let open = self.services.live.as_ref().and_then(|live| live.handover_for_page(page));
                if open.is_some_and(|open| open.reason() != question) {
                    // The person is already answering another question about this page.
                    return refused(
                        "the user is asked for something else at this page; call again after that",
                    );
                }
                let person = self.person_contact();
                match handoff::ask_person(page, &question, patience, &person).await {
                    Ok(_) => Ok(()),
                    Err(Error::Cancelled) => refused("the user refused"),
                    // Not `PersonAway`, which would start a cooldown: no login has timed out.
                    Err(Error::PersonAway { .. }) => refused("the user gave no answer"),
                    Err(Error::PersonNeeded { link: None, .. }) => refused(NO_WAY),
                    Err(error) => {
                        self.keep_late_answer(page, question);
                        Err(error)
                    }
                }
            }
        }
    }

    /// Takes an answer that the person gave in the live view after the asking call ended. Valid for one call.
    fn late_answer(&self, page: &Page, question: &str) -> Option<bool> {
        let answer = self.kept.answers.lock().remove(&asked_at(page, question))?;
        (answer.until > Instant::now()).then_some(answer.is_yes)
    }

    fn keep_late_answer(&self, page: &Page, question: String) {
        let Some((live, open)) =
            self.services.live.as_ref().and_then(|live| Some((live, live.handover_for_page(page)?)))
        else {
            return;
        };
        let (answers, limit, asked) =
            (Arc::clone(&self.kept.answers), live.options().limit, asked_at(page, &question));
        tokio::spawn(async move {
            let is_yes = match open.wait_for_end().await {
                HandoverOutcome::Done => true,
                HandoverOutcome::NotMe => false,
                _ => return,
            };
            let now = Instant::now();
            let mut answers = answers.lock();
            answers.retain(|_, answer| answer.until > now);
            answers.insert(asked, SavedConsent { is_yes, until: now + limit });
        });
    }
}

/// Returns the key under which the answer to a question about a page is stored.
fn asked_at(page: &Page, question: &str) -> String {
    format!("{} {question}", page.id())
}
