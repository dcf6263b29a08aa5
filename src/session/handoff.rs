//! Waits for a person to deal with a challenge, either in the browser's window or through the live view.
use std::future::pending;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep};
use url::Url;

use super::challenge::{Challenge, ChallengeKind, VisitPurpose, detect_challenge};
use crate::browser::{Page, WaitUntil};
use crate::error::{Error, LiveViewLink, Result};

/// The interval between checks whether the challenge is gone, and between progress reports.
const INTERVAL: Duration = Duration::from_secs(1);
/// The time limit for loading the page that follows a challenge, before that page is checked.
const LOAD_LIMIT: Duration = Duration::from_secs(5);
/// How many times to check, once per [`INTERVAL`], whether the challenge is gone after a confirmation.
const LAST_LOOKS: usize = 4;

/// The answer of a person to a question that the client asked them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PersonAnswer {
    Finished,
    Cancelled,
    /// The person has received the link, and has not finished yet.
    Coming,
    /// The client cannot ask the person.
    NoQuestions,
}

/// How a hand-over ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HandoverOutcome {
    /// The person confirmed that the challenge is done.
    Done,
    /// The person declined, or is not the one who can do it.
    NotMe,
    /// The time ran out.
    Over,
    /// The person disconnected and did not return.
    Left,
    /// The page closed.
    Closed,
    /// The page crashed.
    Crashed,
    /// Nobody waits for the outcome any more.
    Unawaited,
}

/// A hand-over of a page to a person that has not ended.
pub trait HandoverInProgress: Send + Sync {
    /// Whether a person is connected to the live view now.
    fn is_here(&self) -> bool;

    /// How much more time a connected person has.
    fn limit(&self) -> Duration;

    /// Waits until the hand-over ends, and returns its outcome.
    fn ended(&self) -> Pin<Box<dyn Future<Output = HandoverOutcome> + Send + '_>>;

    /// Ends the hand-over with this outcome.
    fn finish(&self, outcome: HandoverOutcome);
}

/// A link to the page in the live view, for a person who does not see the browser's window.
pub struct HandoverInvitation {
    pub link: LiveViewLink,
    /// Whether the client shows the link to the person; otherwise only the caller can pass the link on.
    pub asks: bool,
    /// Whether an earlier call returned this link already, so that this call waits for the same hand-over.
    pub known: bool,
    pub coming: Arc<dyn HandoverInProgress>,
}

/// The channel to the person who uses the client: reports progress, asks questions, opens hand-overs.
pub trait PersonContact: Send + Sync {
    /// Reports progress: the awaited challenge, the time waited so far, and the time limit.
    fn report(&self, challenge: &Challenge, waited: Duration, limit: Duration);

    /// Asks the person to deal with the challenge and to confirm. Includes the link if there is one.
    fn ask<'a>(
        &'a self,
        challenge: &'a Challenge,
        link: Option<&'a LiveViewLink>,
    ) -> Pin<Box<dyn Future<Output = PersonAnswer> + Send + 'a>>;

    /// Invites a person to take over the page; `None` if the live view is off.
    fn invite<'a>(
        &'a self,
        _page: &'a Page,
        _challenge: &'a Challenge,
    ) -> Pin<Box<dyn Future<Output = Option<HandoverInvitation>> + Send + 'a>> {
        Box::pin(std::future::ready(None))
    }
}

/// The contact of a caller that cannot reach a person. A person may still see the browser's window.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoPersonContact;

impl PersonContact for NoPersonContact {
    fn report(&self, _challenge: &Challenge, _waited: Duration, _limit: Duration) {}

    fn ask<'a>(
        &'a self,
        _challenge: &'a Challenge,
        _link: Option<&'a LiveViewLink>,
    ) -> Pin<Box<dyn Future<Output = PersonAnswer> + Send + 'a>> {
        Box::pin(std::future::ready(PersonAnswer::NoQuestions))
    }
}

/// A challenge that a person has dealt with, and how long that took.
#[derive(Debug, Clone)]
pub struct ClearedChallenge {
    pub challenge: Challenge,
    pub waited: Duration,
}

/// Checks the page for a challenge. If there is one and a person can see the page, waits until it is gone.
///
/// # Errors `navigation_failed` if the site refused configured credentials; `person_needed` at once if nobody
/// can see the page; `person_away` when `patience` runs out; `cancelled` when the person declines.
pub async fn wait_until_challenge_cleared(
    page: &Page,
    asked: &Url,
    purpose: VisitPurpose,
    patience: Duration,
    person: &dyn PersonContact,
) -> Result<Option<ClearedChallenge>> {
    if asks_for_name(page) && page.context().has_credentials_for(&page.url()) {
        return Err(login_refused(&page.url()));
    }
    let Some(challenge) = detect_challenge(page, asked, purpose).await? else { return Ok(None) };
    let gone = || async move { is_gone(page, asked, purpose).await };
    let waited = until_passed(page, &challenge, patience, person, &gone, false).await?;
    Ok(Some(ClearedChallenge { challenge, waited }))
}

/// Asks a person to do something on the page, and waits until they confirm. Returns how long that took.
///
/// # Errors As [`wait_until_challenge_cleared`].
pub async fn ask_person(
    page: &Page,
    why: &str,
    patience: Duration,
    person: &dyn PersonContact,
) -> Result<Duration> {
    let challenge = Challenge { kind: ChallengeKind::Asked, url: page.attempted_url(), what: why.to_owned() };
    until_passed(page, &challenge, patience, person, &|| std::future::ready(false), true).await
}

/// Waits for a person to enter HTTP credentials if the browser shows no prompt. Returns how long that took.
///
/// # Errors As [`wait_until_challenge_cleared`].
pub async fn wait_for_http_login(
    page: &Page,
    asked: &Url,
    patience: Duration,
    person: &dyn PersonContact,
) -> Result<Duration> {
    if page.context().has_credentials_for(asked.as_str()) {
        return Err(login_refused(asked.as_str()));
    }
    let what = "a site that asks for a name and a password".to_owned();
    let challenge = Challenge { kind: ChallengeKind::Challenge, url: asked.to_string(), what };
    let gone = || std::future::ready(page.document_response().is_some_and(|response| response.status != 401));
    until_passed(page, &challenge, patience, person, &gone, false).await
}

/// Whether the document's response requests HTTP authentication with a known scheme: Basic or Digest.
fn asks_for_name(page: &Page) -> bool {
    page.document_response().is_some_and(|response| {
        let asks = |name: &str, value: &str| {
            let scheme = value.split_whitespace().next().unwrap_or_default();
            let is_known = ["basic", "digest"].iter().any(|known| known.eq_ignore_ascii_case(scheme));
            name.eq_ignore_ascii_case("www-authenticate") && is_known
        };
        response.status == 401 && response.headers.iter().any(|(name, value)| asks(name, value))
    })
}

/// Returns the error for a site that refused the configured credentials.
fn login_refused(url: &str) -> Error {
    let host = Url::parse(url).ok().and_then(|url| {
        let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
        Some(format!("{}{port}", url.host_str()?))
    });
    let host = host.as_deref().unwrap_or("the site");
    Error::NavigationFailed {
        reason: format!(
            "{host} rejected the configured user name or password; set others with browser_access"
        ),
    }
}

/// The wait for an invited person. Dropping it ends the hand-over with `outcome`, which the person sees.
struct Waiting {
    coming: Option<Arc<dyn HandoverInProgress>>,
    outcome: HandoverOutcome,
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if let Some(coming) = self.coming.take() {
            coming.finish(self.outcome);
        }
    }
}

async fn until_passed<F: Future<Output = bool>>(
    page: &Page,
    challenge: &Challenge,
    patience: Duration,
    person: &dyn PersonContact,
    gone: &impl Fn() -> F,
    trusts_answer: bool,
) -> Result<Duration> {
    let has_window = !page.context().browser()?.is_headless();
    let invitation = if patience.is_zero() { None } else { person.invite(page, challenge).await };
    if patience.is_zero() || (!has_window && invitation.is_none()) {
        return Err(person_needed_error(challenge, None));
    }
    let link = invitation.as_ref().map(|invitation| &invitation.link);
    if !has_window && invitation.as_ref().is_some_and(|invitation| !invitation.asks) {
        // Only the caller can give the link to the person, after this call has returned.
        return Err(person_needed_error(challenge, link.cloned()));
    }
    page.bring_to_front().await?;
    let coming = invitation.as_ref().map(|invitation| Arc::clone(&invitation.coming));
    // If the call is cancelled, the hand-over ends with this outcome.
    let mut waiting = Waiting { coming, outcome: HandoverOutcome::Unawaited };
    let passed =
        until_answered(page, challenge, patience, person, gone, trusts_answer, invitation.as_ref()).await;
    if matches!(passed, Err(Error::PersonNeeded { link: Some(_), .. })) {
        // The error gives the link to the caller, so the hand-over must stay open.
        waiting.coming = None;
    }
    waiting.outcome = match &passed {
        Ok(_) => HandoverOutcome::Done,
        Err(Error::PersonAway { .. }) => HandoverOutcome::Over,
        Err(Error::PageCrashed) => HandoverOutcome::Crashed,
        Err(_) if page.is_closed() => HandoverOutcome::Closed,
        Err(_) => HandoverOutcome::Unawaited,
    };
    passed
}

/// Waits until the challenge is gone or the person confirms. Fails if the person declines or time runs out.
async fn until_answered<F: Future<Output = bool>>(
    page: &Page,
    challenge: &Challenge,
    patience: Duration,
    person: &dyn PersonContact,
    gone: &impl Fn() -> F,
    trusts_answer: bool,
    invitation: Option<&HandoverInvitation>,
) -> Result<Duration> {
    let has_window = !page.context().browser()?.is_headless();
    let _kept = page.keep_loaded();
    let coming = invitation.map(|invitation| &invitation.coming);
    let started = Instant::now();
    let mut asking = pin!(person.ask(challenge, invitation.map(|invitation| &invitation.link)));
    let mut asked_already = false;
    let mut ended = pin!(async {
        match coming {
            Some(coming) => coming.ended().await,
            None => pending().await,
        }
    });
    loop {
        let waited = started.elapsed();
        let rest = match coming.filter(|coming| coming.is_here()) {
            Some(coming) => coming.limit(),
            None => patience.saturating_sub(waited),
        };
        if rest.is_zero() {
            return Err(Error::PersonAway { kind: challenge.kind.into(), waited });
        }
        person.report(challenge, waited, waited + rest);
        let answer = async { if asked_already { pending().await } else { asking.as_mut().await } };
        tokio::select! {
            answer = answer => {
                asked_already = true;
                match answer {
                    PersonAnswer::Cancelled => return Err(Error::Cancelled),
                    PersonAnswer::Finished if trusts_answer => return Ok(started.elapsed()),
                    // Without a question and a live view, the person could not confirm.
                    PersonAnswer::NoQuestions if trusts_answer && coming.is_none() => return Err(person_needed_error(challenge, None)),
                    PersonAnswer::NoQuestions if !has_window && is_unknown(invitation) => {
                        return Err(person_needed_error(challenge, invitation.map(|invitation| invitation.link.clone())));
                    }
                    PersonAnswer::Finished | PersonAnswer::Coming | PersonAnswer::NoQuestions => {}
                }
            }
            outcome = &mut ended => return match outcome {
                HandoverOutcome::NotMe | HandoverOutcome::Unawaited => Err(Error::Cancelled),
                HandoverOutcome::Done if trusts_answer || is_gone_soon(gone).await => Ok(started.elapsed()),
                HandoverOutcome::Done => Err(person_needed_error(challenge, None)),
                HandoverOutcome::Over | HandoverOutcome::Left if gone().await => Ok(started.elapsed()),
                HandoverOutcome::Closed => Err(Error::PageClosed),
                HandoverOutcome::Crashed => Err(Error::PageCrashed),
                HandoverOutcome::Over | HandoverOutcome::Left => {
                    Err(Error::PersonAway { kind: challenge.kind.into(), waited: started.elapsed() })
                }
            },
            () = sleep(INTERVAL.min(rest)) => {}
            why = page.until_unusable() => return Err(why),
        }
        if gone().await {
            return Ok(started.elapsed());
        }
    }
}

/// Whether the caller does not know the link yet, and no person is connected.
fn is_unknown(invitation: Option<&HandoverInvitation>) -> bool {
    invitation.is_some_and(|invitation| !invitation.known && !invitation.coming.is_here())
}

/// Checks several times whether the challenge is gone: the person's last action may still be loading a page.
async fn is_gone_soon<F: Future<Output = bool>>(gone: &impl Fn() -> F) -> bool {
    for _ in 0..LAST_LOOKS {
        if gone().await {
            return true;
        }
        sleep(INTERVAL).await;
    }
    false
}

/// Whether the challenge is gone. Checks twice, since between two pages no challenge is visible for a moment.
async fn is_gone(page: &Page, asked: &Url, purpose: VisitPurpose) -> bool {
    for _ in 0..2 {
        if page.is_closed() || !matches!(detect_challenge(page, asked, purpose).await, Ok(None)) {
            return false;
        }
        let _ = page.wait_for_load_state(WaitUntil::Load, LOAD_LIMIT).await;
    }
    true
}

/// Returns the error that reports a challenge to the caller, with the link to the live view if there is one.
pub fn person_needed_error(challenge: &Challenge, link: Option<LiveViewLink>) -> Error {
    let what = match challenge.kind {
        ChallengeKind::Login => "to log in",
        ChallengeKind::Captcha => "to show that a person is there",
        ChallengeKind::UnusualTraffic => "to show that the traffic is a person's",
        ChallengeKind::Challenge => "to pass a check",
        ChallengeKind::Asked => "for a person",
    };
    Error::PersonNeeded {
        kind: challenge.kind.into(),
        what,
        challenge: challenge.what.clone(),
        url: challenge.url.clone(),
        link: link.map(Box::new),
    }
}
