//! Tools for navigation.
use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::Deserialize;
use url::Url;

use super::milliseconds;
use crate::Result;
use crate::browser::{JournalMark, NavigateOptions, NavigationOutcome, Page, WaitUntil};
use crate::error::Error;
use crate::mcp::call::{Call, still_loading};
use crate::mcp::failure;
use crate::mcp::page_text;
use crate::mcp::reply::{PageDetail, Reply};
use crate::mcp::tool::{StallPolicy, Tool, ToolEffect};
use crate::session::challenge::VisitPurpose;
use crate::session::handoff;

/// The message for a URL that starts a download instead of opening a page.
pub const DOWNLOAD_NOTE: &str = "The address is a file, which is being downloaded; the page stays as it was.";

/// How long a navigation waits for resources and content after the document has been parsed.
const REST_LIMIT: Duration = Duration::from_secs(5);
/// The minimum time that a page gets to build its content, even if loading took most of [`REST_LIMIT`].
const LEAST_BUILDING: Duration = Duration::from_secs(2);

/// Open a URL, wait until the page has loaded, and show its outline.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Navigate {
    /// Default scheme: https; http for loopback.
    #[schemars(length(min = 1))]
    pub url: String,
    pub wait_until: Option<LoadState>,
    /// In ms.
    #[schemars(range(min = 100, max = 600_000))]
    pub timeout: Option<f64>,
}

impl Tool for Navigate {
    const NAME: &'static str = "browser_navigate";
    const TITLE: &'static str = "Open a URL";
    const EFFECT: ToolEffect = ToolEffect::Acts;
    const STALL_POLICY: StallPolicy = StallPolicy::KeepWaiting;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let url = call.parse_url(&self.url)?;
        let page = call.acquire_page_for_navigation().await?;
        open_url(call, &page, &url, &Timing::new(call, self.wait_until, self.timeout), reply).await
    }
}

/// Opens a URL in a page, waits until it has loaded, and reports the result.
pub(super) async fn open(call: &Call<'_>, page: &Page, url: &Url, reply: &mut Reply) -> Result<()> {
    open_url(call, page, url, &Timing::new(call, None, None), reply).await
}

async fn open_url(call: &Call<'_>, page: &Page, url: &Url, timing: &Timing, reply: &mut Reply) -> Result<()> {
    call.services.pacing.wait_to_navigate(page.context(), url).await?;
    call.progress.set_message("loading the page");
    let mark = page.mark();
    let before = page.main_frame().loader_id();
    let arrival =
        match timing.unless_stalled(page, Box::pin(page.goto(url.as_str(), &timing.options()))).await {
            Err(Error::NavigationFailed { reason }) if reason.contains(HTTP_AUTH_ERROR) => {
                Ok(named(call, page, url, reason).await?)
            }
            arrival => arrival,
        };
    let is_document = matches!(arrival, Ok(NavigationOutcome::Document(_)));
    arrived(page, arrival, (mark, &before), timing, reply).await?;
    if is_document {
        handle_challenge(call, page, url, reply).await?;
    }
    Ok(())
}

/// Chromium's error when a site requires HTTP authentication and no login prompt can be shown.
const HTTP_AUTH_ERROR: &str = "ERR_INVALID_AUTH_CREDENTIALS";

/// Waits for a person to enter HTTP credentials. Without a person, fails with `reason`.
async fn named(call: &Call<'_>, page: &Page, url: &Url, reason: String) -> Result<NavigationOutcome> {
    match handoff::wait_for_http_login(page, url, call.settings.timeouts.login, &call.person_contact()).await
    {
        Ok(_) => Ok(NavigationOutcome::Document(page.document_response().map(Box::new))),
        Err(Error::PersonNeeded { link: None, .. }) => Err(Error::NavigationFailed { reason }),
        Err(error) => Err(error),
    }
}

/// Waits until a person has passed the page's challenge, such as a CAPTCHA, or reports it if nobody can.
async fn handle_challenge(call: &Call<'_>, page: &Page, url: &Url, reply: &mut Reply) -> Result<()> {
    let patience = call.settings.timeouts.login;
    let person = call.person_contact();
    match page
        .unless_hung(
            None,
            handoff::wait_until_challenge_cleared(page, url, VisitPurpose::Action, patience, &person),
        )
        .await
    {
        Err(error @ Error::PersonNeeded { .. }) => {
            if let Error::PersonNeeded { what, challenge, .. } = &error {
                reply.add_event(format!(
                    "The page asks {what} first ({challenge}); what it shows is not what was asked for."
                ));
            }
            failure::report_challenge(&error, reply);
        }
        Err(error @ (Error::PersonAway { .. } | Error::Cancelled | Error::NavigationFailed { .. })) => {
            return Err(error);
        }
        // An error is ignored here: reading the page for the answer reports it.
        Err(_) | Ok(None) => {}
        Ok(Some(passed)) => {
            reply.add_event(format!("The user passed what the page asked for ({}).", passed.challenge.what));
        }
    }
    Ok(())
}

/// Go back one page. To go forward or reload: `browser_history`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct NavigateBack {}

impl Tool for NavigateBack {
    const NAME: &'static str = "browser_navigate_back";
    const TITLE: &'static str = "Go back";
    const EFFECT: ToolEffect = ToolEffect::Acts;
    const STALL_POLICY: StallPolicy = StallPolicy::KeepWaiting;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        call.current_page()?;
        let page = call.acquire_page_for_navigation().await?;
        call.progress.set_message("loading the page");
        let (mark, document) = (page.mark(), page.main_frame().loader_id());
        let timing = Timing::new(call, None, None);
        let arrival = timing.unless_stalled(&page, Box::pin(page.go_back(&timing.options()))).await;
        arrived(&page, arrival, (mark, &document), &timing, reply).await
    }
}

/// Default: until loading and changes have ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LoadState {
    Commit,
    DomContentLoaded,
    Load,
    NetworkIdle,
}

/// The event that a navigation waits for, and its time limit.
#[derive(Debug, Clone, Copy)]
pub(super) struct Timing {
    until: Option<LoadState>,
    limit: Duration,
}

impl Timing {
    pub(super) fn new(call: &Call<'_>, until: Option<LoadState>, timeout: Option<f64>) -> Self {
        Self { until, limit: timeout.map_or(call.settings.timeouts.navigation, milliseconds) }
    }

    pub(super) fn options(&self) -> NavigateOptions {
        let until = match self.until {
            Some(LoadState::Commit) => WaitUntil::Commit,
            None | Some(LoadState::DomContentLoaded) => WaitUntil::DomContentLoaded,
            Some(LoadState::Load) => WaitUntil::Load,
            Some(LoadState::NetworkIdle) => WaitUntil::NetworkIdle,
        };
        NavigateOptions { until, limit: self.limit, ..NavigateOptions::default() }
    }

    /// Waits for a navigation. Fails if the page hangs, or if servers of its resources do not answer.
    pub(super) async fn unless_stalled(
        &self,
        page: &Page,
        navigation: impl Future<Output = Result<NavigationOutcome>>,
    ) -> Result<NavigationOutcome> {
        let before = page.main_frame().loader_id();
        tokio::select! {
            biased;
            arrival = page.await_navigation_unless_hung(navigation) => arrival,
            () = page.until_parsing_stalled(&before), if self.until.is_none() => {
                Err(Error::NavigationSlow { waited: self.limit })
            }
        }
    }

    /// Whether the navigation also waits for resources and scripts.
    fn rests(&self) -> bool {
        !matches!(self.until, Some(LoadState::Commit | LoadState::DomContentLoaded))
    }
}

/// Returns a sentence that lists the page's pending requests; empty if there are none.
fn describe_pending_requests(page: &Page) -> String {
    const MOST: usize = 3;
    let awaited = page.pending_requests();
    let named = awaited.iter().take(MOST);
    let named: Vec<_> =
        named.map(|(kind, url)| format!("{} {}", kind.to_lowercase(), page_text::inline_url(url))).collect();
    match awaited.len().saturating_sub(MOST) {
        _ if named.is_empty() => String::new(),
        0 => format!(" No answer yet: {}.", named.join(", ")),
        more => format!(" No answer yet: {} and {more} more.", named.join(", ")),
    }
}

/// Waits until the page is usable, and reports what is missing. `mark` and `before` precede the navigation.
pub(super) async fn arrived(
    page: &Page,
    arrival: Result<NavigationOutcome>,
    (mark, before): (JournalMark, &str),
    timing: &Timing,
    reply: &mut Reply,
) -> Result<()> {
    let is_new = *page.main_frame().loader_id() != *before;
    match arrival {
        // The new document can be read, although a pending resource delays its load event.
        Err(Error::NavigationSlow { .. }) if timing.until.is_none() && is_new => {
            reply.add_event(format!("{}{}", still_loading(&[]), describe_pending_requests(page)));
            reply.show_at_least(PageDetail::Whole);
            Ok(())
        }
        arrival => report_arrival(page, &arrival?, mark, timing, reply).await,
    }
}

async fn report_arrival(
    page: &Page,
    arrival: &NavigationOutcome,
    mark: JournalMark,
    timing: &Timing,
    reply: &mut Reply,
) -> Result<()> {
    match arrival {
        NavigationOutcome::Document(_) | NavigationOutcome::SameDocument if !timing.rests() => {}
        NavigationOutcome::Document(_) | NavigationOutcome::SameDocument => {
            // An image that never loads must not delay an otherwise usable page.
            let rest = REST_LIMIT.min(timing.limit);
            let begun = Instant::now();
            page.track_content_growth();
            let loaded = match timing.until {
                None => page.until_resources_loaded(rest).await?,
                Some(_) => page.wait_for_load_state(WaitUntil::Load, rest).await?,
            };
            let building = rest.saturating_sub(begun.elapsed()).max(LEAST_BUILDING.min(rest));
            let still = page.until_content_built(mark, building).await;
            if !loaded || !still.is_empty() {
                reply.add_event(format!("{}{}", still_loading(&still), describe_pending_requests(page)));
            }
        }
        NavigationOutcome::Download => reply.say(DOWNLOAD_NOTE),
        NavigationOutcome::NoContent => {
            reply.say("The server answered without content; the page stays as it was.")
        }
        NavigationOutcome::Dialog => reply.say("The page asks something before it goes on."),
    }
    reply.show_at_least(PageDetail::Whole);
    Ok(())
}
