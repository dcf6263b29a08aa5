//! Asks and notifies the person who uses the client.
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;

use super::Call;
use crate::browser::Page;
use crate::error::LiveViewLink;
use crate::live::{Handover, HandoverRequest, LiveViewMode};
use crate::mcp::page_text::one_line;
use crate::mcp::questions::PersonQuestion;
use crate::messages::{Language, challenge as texts};
use crate::session::challenge::{Challenge, ChallengeKind};
use crate::session::handoff::{HandoverInvitation, PersonAnswer, PersonContact};

impl Call<'_> {
    /// Returns the contact to the person who uses the client.
    pub fn person_contact(&self) -> impl PersonContact {
        ClientsPerson { call: self, link: Mutex::default() }
    }

    /// Returns a link to watch the page in the live view; `None` unless the live view is for watching only.
    pub async fn watching(&self, page: &Page, why: &str) -> Option<LiveViewLink> {
        self.services.live.as_ref().filter(|live| live.mode_for(page) == LiveViewMode::Watch)?;
        let challenge =
            Challenge { kind: ChallengeKind::Asked, url: page.attempted_url(), what: why.to_owned() };
        let person = ClientsPerson { call: self, link: Mutex::default() };
        person.opened(page, &challenge).await.map(|(link, ..)| link)
    }
}

/// The contact to the person who uses the client: sees the call's progress, and answers its questions.
struct ClientsPerson<'a> {
    call: &'a Call<'a>,
    /// The link that the person has received; `None` if there is none.
    link: Mutex<Option<String>>,
}

impl ClientsPerson<'_> {
    fn language(&self) -> Language {
        self.call.settings.language
    }

    fn caller(&self) -> String {
        let caller = self.call.progress.client_name().map(one_line);
        caller.unwrap_or_else(|| texts::default_agent_name(self.language()).to_owned())
    }

    /// Invites a person to take over the page. Also returns whether an invitation was open. `None` if the live view is off.
    async fn opened(
        &self,
        page: &Page,
        challenge: &Challenge,
    ) -> Option<(LiveViewLink, Arc<Handover>, bool)> {
        let live = self.call.services.live.as_ref()?;
        let calls = self.call.client.calls.clone();
        let (owner, who, why) = (self.call.client.owner.clone(), self.caller(), challenge.what.clone());
        let login = (challenge.kind == ChallengeKind::Challenge && page.url() != challenge.url)
            .then(|| challenge.url.clone());
        let known = live.handover_for_page(page).is_some();
        let coming = live.start_handover(HandoverRequest { page, owner, who, why, login, calls }).await?;
        let (code, seconds) = (coming.admission.code(), coming.link_time_left().as_secs());
        let link = LiveViewLink { url: coming.link().to_owned(), code, seconds };
        Some((link, coming, known))
    }

    async fn invitation(&self, page: &Page, challenge: &Challenge) -> Option<HandoverInvitation> {
        self.call.services.live.as_ref().filter(|live| live.mode_for(page) == LiveViewMode::Control)?;
        let (link, coming, known) = self.opened(page, challenge).await?;
        if !known {
            tracing::warn!(link = link.url, "a person is needed");
        }
        *self.link.lock() = Some(link.url.clone());
        // A client that already has the link calls again to wait.
        let asks = self.call.progress.questions.can_ask_person() || known;
        Some(HandoverInvitation { link, asks, known, coming })
    }
}

impl PersonContact for ClientsPerson<'_> {
    fn report(&self, challenge: &Challenge, waited: Duration, limit: Duration) {
        let rest = limit.saturating_sub(waited).as_secs();
        let text = match &*self.link.lock() {
            Some(link) => texts::waiting_at_link(self.language(), &challenge.what, link, rest),
            None => texts::waiting_at_window(self.language(), &challenge.what, rest),
        };
        self.call.progress.set_waits_for_person(true);
        self.call.kept.activity.set_waits_for_person();
        self.call.progress.set_counted_step(text, waited.as_secs_f64(), limit.as_secs_f64());
    }

    fn ask<'a>(
        &'a self,
        challenge: &'a Challenge,
        link: Option<&'a LiveViewLink>,
    ) -> Pin<Box<dyn Future<Output = PersonAnswer> + Send + 'a>> {
        let language = self.language();
        let message = match link {
            Some(link) => texts::open_link_prompt(
                language,
                &challenge.what,
                &challenge.url,
                &link.url,
                link.code.as_deref(),
            ),
            None => texts::use_window_prompt(language, &challenge.what, &challenge.url),
        };
        let asking = PersonQuestion { message, link: link.map(|link| link.url.clone()) };
        Box::pin(self.call.progress.questions.ask(asking))
    }

    fn invite<'a>(
        &'a self,
        page: &'a Page,
        challenge: &'a Challenge,
    ) -> Pin<Box<dyn Future<Output = Option<HandoverInvitation>> + Send + 'a>> {
        Box::pin(self.invitation(page, challenge))
    }
}
