//! One-shot visits: open a page, do one task there, and return the result.
use std::time::Duration;

use serde_json::Value;
use tokio::time::{Instant, timeout};
use url::Url;

use super::challenge::{ChallengeKind, VisitPurpose};
use super::handoff::{self, ClearedChallenge, PersonContact};
use super::pacing::Pacing;
use crate::browser::input::ClickOptions;
use crate::browser::locator::WaitForState;
use crate::browser::{
    ActionOptions, ActionTarget, Area, ContentFormat, DownloadState, ElementHandle, ElementSummary,
    HANG_TIMEOUT, JournalMark, NavigateOptions, NavigationOutcome, Page, PressFailure, ScreenshotOptions,
    ScriptWorld, SettleOptions, WaitUntil,
};
use crate::error::{Error, Result};
use crate::pdf::{self, PdfReadError};
use crate::secrets::Secrets;

/// The longest side of a screenshot in pixels. Models see no more detail in larger ones.
const LONGEST_SIDE: u32 = 8_000;
const MOST_PIXELS: u32 = 16_000_000;

/// How long a parsed document may continue to load resources.
const REST_LIMIT: Duration = Duration::from_secs(5);
/// The minimum time for a slowly loaded page to build its content.
const LEAST_BUILDING: Duration = Duration::from_secs(2);

/// The maximum time from the first byte of a document to its last.
const PARSE_LIMIT: Duration = Duration::from_secs(8);

/// How long to wait for the download event after a navigation turned into a download.
const DOWNLOAD_LIMIT: Duration = Duration::from_secs(2);

/// What to do on the visited page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum VisitTask {
    /// Read the page, after waiting until this element is visible if a selector is given.
    Read {
        wait_for: Option<String>,
    },
    Picture {
        full_page: bool,
    },
    Click {
        selector: String,
    },
    /// Fill in fields in this order: (selector, value) each. `submit` selects the button to click afterwards.
    Fill {
        fields: Vec<(String, String)>,
        submit: Option<String>,
    },
    /// Run JavaScript and return its value.
    Run {
        script: String,
    },
}

/// Options of a visit.
#[derive(Debug, Clone, Copy)]
pub struct VisitOptions<'a> {
    /// The time limit, which excludes the time that a person takes.
    pub limit: Duration,
    /// How long the page must be quiet after a click to count as settled.
    pub settle: Duration,
    /// How long to wait for a person to deal with a challenge.
    pub patience: Duration,
    /// The formats in which to return the page.
    pub formats: &'a [ContentFormat],
    pub pacing: &'a Pacing,
    /// The secrets that the task may type by name.
    pub secrets: &'a Secrets,
}

/// The result of a visit.
#[derive(Debug, Clone, Default)]
pub struct VisitResult {
    /// The final URL of the page.
    pub url: String,
    pub title: String,
    /// The content of the page in each requested format.
    pub contents: Vec<String>,
    pub picture: Vec<u8>,
    pub value: Option<Value>,
    /// The challenge that a person dealt with during the visit, if any.
    pub passed: Option<ClearedChallenge>,
}

/// Opens `url`, waits for a person if there is a challenge, performs `task`, and returns the result.
pub async fn run(
    page: &Page,
    url: &Url,
    task: &VisitTask,
    options: VisitOptions<'_>,
    person: &dyn PersonContact,
) -> Result<VisitResult> {
    let _kept = page.keep_loaded();
    let before = page.context().downloads().len();
    let mut deadline = match Box::pin(arrive(page, url, options)).await {
        Err(error) if matches!(task, VisitTask::Read { .. }) && is_file(&error) => {
            return Box::pin(downloaded(page, before, options)).await.ok_or(error);
        }
        arrived => arrived?,
    };
    let purpose = match task {
        VisitTask::Read { .. } | VisitTask::Picture { .. } => VisitPurpose::Content,
        VisitTask::Click { .. } | VisitTask::Fill { .. } | VisitTask::Run { .. } => VisitPurpose::Action,
    };
    let passed = handoff::wait_until_challenge_cleared(page, url, purpose, options.patience, person);
    let passed = page.unless_hung(None, passed).await?;
    if let Some(passed) = &passed {
        deadline += passed.waited;
        if passed.challenge.kind == ChallengeKind::Login && is_elsewhere(page, url) {
            deadline = Box::pin(arrive(page, url, options)).await?;
        }
    }
    let work = Box::pin(perform(page, task, deadline, options));
    let mut visit = match task {
        // A script has its own deadline.
        VisitTask::Run { .. } => work.await?,
        _ => page.unless_hung(Some(HANG_TIMEOUT), work).await?,
    };
    if matches!(task, VisitTask::Read { .. } | VisitTask::Click { .. } | VisitTask::Fill { .. }) {
        for format in options.formats {
            visit
                .contents
                .push(page.unless_hung(None, Box::pin(page.content_with_frames(*format, false))).await?);
        }
    }
    visit.url = page.url();
    visit.title = page.title().await;
    visit.passed = passed;
    Ok(visit)
}

/// The error message when the browser downloaded a file instead of opening a page.
const A_FILE: &str = "the address is a file to download";

/// Whether a visit failed because the browser downloaded the URL instead of opening it.
pub(super) fn is_file(error: &Error) -> bool {
    matches!(error, Error::NavigationFailed { reason } if reason == A_FILE)
}

/// Returns the text of a PDF that the browser downloaded instead of opening it.
async fn downloaded(page: &Page, before: usize, options: VisitOptions<'_>) -> Option<VisitResult> {
    let context = page.context();
    let begun = || context.downloads().into_iter().skip(before).find(|new| new.page == page.id());
    let deadline = Instant::now() + DOWNLOAD_LIMIT;
    let mut changes = page.changes();
    let download = loop {
        match begun() {
            None if page.wait_for_change(&mut changes, deadline).await => {}
            download => break download?,
        }
    };
    let ended = timeout(options.limit, context.wait_for_download(&download.id)).await.ok()?.ok()?;
    let DownloadState::Completed { path, .. } = ended else { return None };
    let read = pdf::read_file(&path).await;
    let text = |format: &ContentFormat| match &read {
        Ok(document) => Some(document.text(*format != ContentFormat::Text)),
        Err(PdfReadError::Broken) => None,
        Err(reason) => Some(format!("A PDF that cannot be read as text: {reason}.")),
    };
    let contents = options.formats.iter().map(text).collect::<Option<Vec<_>>>()?;
    Some(VisitResult { url: download.url, title: download.name, contents, ..VisitResult::default() })
}

async fn perform(
    page: &Page,
    task: &VisitTask,
    deadline: Instant,
    VisitOptions { settle, secrets, .. }: VisitOptions<'_>,
) -> Result<VisitResult> {
    let mut visit = VisitResult::default();
    match task {
        VisitTask::Read { wait_for } => {
            if let Some(selector) = wait_for {
                let shown = page.main_frame().locator(selector, false)?;
                shown.wait_for(WaitForState::Visible, rest(deadline)).await?;
            }
        }
        VisitTask::Picture { full_page } => {
            let area = if *full_page { Area::FullPage } else { Area::Viewport };
            let at_most = Some((LONGEST_SIDE, MOST_PIXELS));
            let options = ScreenshotOptions { area, at_most, ..ScreenshotOptions::default() };
            visit.picture = page.screenshot(options).await?.bytes;
        }
        VisitTask::Click { selector } => click(page, selector, deadline, settle).await?,
        VisitTask::Fill { fields, submit } => {
            for (selector, value) in fields {
                let fill = |element: ElementHandle, left| async move {
                    let value = secrets.expand_secrets(value, &element).await?;
                    let mark = page.mark();
                    element.set_value_from_text(&value, &ActionOptions::within(left).fail_early()).await?;
                    match element.verify_control_value(&value).await {
                        // The text arrived, and the page has left because of it.
                        Err(Error::StaleRef { .. } | Error::DocumentGone)
                            if page.effects_since(mark).committed =>
                        {
                            Ok(())
                        }
                        shown => shown.map(drop),
                    }
                };
                page.with_match(selector, rest(deadline), fill).await?;
            }
            if let Some(selector) = submit {
                click(page, selector, deadline, settle).await?;
            }
        }
        VisitTask::Run { script } => {
            visit.value = Some(evaluate(page, script, deadline).await?);
        }
    }
    Ok(visit)
}

/// Runs a script: an expression, a function, or a function body; all of them may use `await`.
async fn evaluate(page: &Page, script: &str, deadline: Instant) -> Result<Value> {
    let run = async |script: &str| {
        let scope = ScriptWorld::choose_world(script);
        page.main_frame().evaluate_within(rest(deadline), script, Vec::new(), scope).await
    };
    page.ensure_responsive().await?;
    let mut outcome = run(script).await;
    // A script with a syntax error has not run, so it is tried as an expression and then as a function body.
    for function in [format!("async () => (\n{script}\n)"), format!("async () => {{\n{script}\n}}")] {
        if !outcome.as_ref().is_err_and(Error::is_syntax_error) {
            return outcome;
        }
        let other_way = run(&function).await;
        // Keeps the first syntax error, which refers to the script as the caller wrote it.
        if !other_way.as_ref().is_err_and(Error::is_syntax_error) {
            outcome = other_way;
        }
    }
    outcome
}

async fn click(page: &Page, selector: &str, deadline: Instant, settle: Duration) -> Result<()> {
    let press = |element: ElementHandle, left| async move {
        let watch = page.watch_effects(ActionTarget::Clicked(&element)).await;
        match element.click(&ClickOptions::default(), &ActionOptions::within(left).fail_early()).await {
            Ok(()) | Err(Error::DialogOpen { .. }) => Ok(watch),
            Err(error) => Err(error),
        }
    };
    let watch = page.with_match(selector, rest(deadline), press).await?;
    let settled = watch.settle(&SettleOptions { window: settle, navigation_limit: rest(deadline) }).await;
    dismiss_dialog(page).await?;
    PressFailure::into_result(settled.lost, ElementSummary::description).map(drop)
}

/// Opens `url` and waits until the page has settled. Returns the deadline for the remaining steps. Resources
/// that do not arrive, such as a script from a stuck server, do not fail the visit.
async fn arrive(page: &Page, url: &Url, options: VisitOptions<'_>) -> Result<Instant> {
    options.pacing.wait_to_navigate(page.context(), url).await?;
    let deadline = Instant::now() + options.limit;
    let mark = page.mark();
    Box::pin(open_url(page, url, WaitUntil::Commit, options.limit)).await?;
    if Box::pin(until_parsed(page, deadline.min(Instant::now() + PARSE_LIMIT))).await? {
        Box::pin(settled(page, mark, deadline)).await?;
    }
    Ok(deadline)
}

/// Waits until the document is parsed. Returns false if the deadline comes first.
async fn until_parsed(page: &Page, deadline: Instant) -> Result<bool> {
    while !page.main_frame().lifecycle_events().dom_content_loaded {
        dismiss_dialog(page).await?;
        let reached = tokio::select! {
            biased;
            reached = page.wait_for_load_state(WaitUntil::DomContentLoaded, rest(deadline)) => reached?,
            () = page.until_committed_document_hung() => return Err(Error::PageBusy),
            () = page.until_parsing_stalled("") => return Ok(false),
        };
        if !reached {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Opens `url` and waits until the page is usable. Returns false if something has not loaded within `limit`.
pub async fn open_until_usable(page: &Page, url: &Url, limit: Duration) -> Result<bool> {
    let deadline = Instant::now() + limit;
    let mark = page.mark();
    Box::pin(open_url(page, url, WaitUntil::Commit, limit)).await?;
    Ok(Box::pin(until_parsed(page, deadline)).await? && Box::pin(settled(page, mark, deadline)).await?)
}

/// Opens `url` and waits for the load event `until`. Dismisses dialogs meanwhile.
pub async fn open_url(
    page: &Page,
    url: &Url,
    until: WaitUntil,
    limit: Duration,
) -> Result<NavigationOutcome> {
    let deadline = Instant::now() + limit;
    let options = NavigateOptions { until, limit, ..NavigateOptions::default() };
    dismiss_dialog(page).await?;
    let mut arrival = page.await_navigation_unless_hung(page.goto(url.as_str(), &options)).await?;
    while matches!(arrival, NavigationOutcome::Dialog) {
        dismiss_dialog(page).await?;
        if !page.wait_for_load_state(until, rest(deadline)).await? {
            return Err(Error::NavigationSlow { waited: limit });
        }
        if page.dialog().is_none() {
            arrival = NavigationOutcome::Document(page.document_response().map(Box::new));
        }
    }
    let failed = |reason: &str| Error::NavigationFailed { reason: reason.to_owned() };
    match arrival {
        NavigationOutcome::Download => Err(failed(A_FILE)),
        NavigationOutcome::NoContent => Err(failed("the server answered without content")),
        arrival => Ok(arrival),
    }
}

/// Waits until the page has loaded and built its content; also for a document that replaces it. Does not wait
/// long for slow resources. Returns false if something has not loaded.
async fn settled(page: &Page, mark: JournalMark, deadline: Instant) -> Result<bool> {
    loop {
        dismiss_dialog(page).await?;
        let (begun, here) = (Instant::now(), page.mark());
        page.track_content_growth();
        let limit = REST_LIMIT.min(rest(deadline));
        let is_loaded = page.until_resources_loaded(limit).await?;
        let building = limit.saturating_sub(begun.elapsed()).max(LEAST_BUILDING.min(limit));
        let still = page.until_content_built(mark, building).await;
        let pending = page.effects_since(here);
        // The next iteration waits for a new document or a dialog.
        let goes_on = pending.committed || pending.dialog;
        if pending.gone || !goes_on || Instant::now() >= deadline {
            return Ok(is_loaded && still.is_empty());
        }
    }
}

/// Dismisses open dialogs, except that it accepts `beforeunload` dialogs.
pub async fn dismiss_dialog(page: &Page) -> Result<()> {
    while let Some(dialog) = page.dialog() {
        match page.answer_dialog(dialog.kind == "beforeunload", None).await {
            Ok(_) | Err(Error::NoDialog) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn is_elsewhere(page: &Page, asked: &Url) -> bool {
    let here = Url::parse(&page.url());
    !here.is_ok_and(|here| here.host_str() == asked.host_str() && here.path() == asked.path())
}

fn rest(deadline: Instant) -> Duration {
    deadline.saturating_duration_since(Instant::now())
}
