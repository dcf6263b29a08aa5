//! The tool that waits for a condition (`browser_wait_for`).
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use tokio::time::{Instant, sleep, sleep_until, timeout_at};

use super::milliseconds;
use crate::Result;
use crate::browser::{Download, DownloadState, JsValue, Page, ScriptWorld, WaitUntil};
use crate::error::Error;
use crate::mcp::call::Call;
use crate::mcp::condition::{Condition, matches_url};
use crate::mcp::describe::downloads;
use crate::mcp::files::display_path;
use crate::mcp::page_text::{line_or_json_escaping, one_line};
use crate::mcp::reply::{PageDetail, Reply};
use crate::mcp::tool::{StallPolicy, Tool, ToolEffect};

/// The interval between checks.
const PAUSE: Duration = Duration::from_millis(100);

/// idle: loading and changes have ended; download: all downloads have ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum WaitState {
    DomContentLoaded,
    Load,
    NetworkIdle,
    Idle,
    Download,
}

/// Wait for a condition; give exactly one. Actions wait for their own effects.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WaitFor {
    #[schemars(length(min = 1))]
    pub text: Option<String>,
    #[schemars(length(min = 1))]
    pub text_gone: Option<String>,
    /// Ref or selector of an element to become visible.
    #[schemars(length(min = 1))]
    pub selector: Option<String>,
    #[schemars(length(min = 1))]
    pub selector_gone: Option<String>,
    /// Part of the URL; * matches anything.
    #[schemars(length(min = 1))]
    pub url: Option<String>,
    /// Part of a response's URL; * matches anything.
    #[schemars(length(min = 1))]
    pub response: Option<String>,
    /// JavaScript expression or function to become true.
    #[schemars(length(min = 1))]
    pub function: Option<String>,
    pub state: Option<WaitState>,
    /// Seconds to wait.
    #[schemars(range(min = 0, max = 60))]
    pub time: Option<f64>,
    /// In ms.
    #[schemars(range(min = 100, max = 600_000))]
    pub timeout: Option<f64>,
}

/// The condition that a call waits for.
enum WaitCondition {
    /// The condition holds, or with `false`, no longer holds.
    Page(Condition, bool),
    Response(String),
    Function(String),
    State(WaitState),
    Time(f64),
}

impl Tool for WaitFor {
    const NAME: &'static str = "browser_wait_for";
    const TITLE: &'static str = "Wait";
    const EFFECT: ToolEffect = ToolEffect::Reads;
    const STALL_POLICY: StallPolicy = StallPolicy::KeepWaiting;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let limit = self.timeout.map_or(call.settings.timeouts.navigation, milliseconds);
        let sentence = match self.wanted()? {
            WaitCondition::Time(seconds) => {
                call.progress.set_message(format!("waiting {seconds} s"));
                sleep(Duration::try_from_secs_f64(seconds).unwrap_or_default()).await;
                format!("Waited for {seconds} seconds")
            }
            wanted => {
                let page = call.acquire_page().await?;
                call.progress.set_message(format!("waiting for {}", wanted.describe()));
                page.unless_hung(None, Box::pin(wanted.wait(call, &page, limit))).await?
            }
        };
        reply.say(sentence);
        reply.show_at_least(PageDetail::Changes);
        Ok(())
    }
}

impl WaitFor {
    /// Returns the arguments that wait for this number of seconds.
    pub(super) fn seconds(time: f64) -> Self {
        Self { time: Some(time), ..Self::default() }
    }

    fn wanted(self) -> Result<WaitCondition> {
        let given = [
            self.text.map(|text| WaitCondition::Page(Condition::Text(text), true)),
            self.text_gone.map(|text| WaitCondition::Page(Condition::Text(text), false)),
            self.selector.map(|selector| WaitCondition::Page(Condition::Element(selector), true)),
            self.selector_gone.map(|selector| WaitCondition::Page(Condition::Element(selector), false)),
            self.url.map(|url| WaitCondition::Page(Condition::Url(url), true)),
            self.response.map(WaitCondition::Response),
            self.function.map(WaitCondition::Function),
            self.state.map(WaitCondition::State),
            self.time.map(WaitCondition::Time),
        ];
        let mut given = given.into_iter().flatten();
        match (given.next(), given.next()) {
            (Some(wanted), None) => Ok(wanted),
            (first, _) => {
                let missing = if first.is_none() { "The condition is missing or empty. " } else { "" };
                let choice = "Give exactly one of `text`, `textGone`, `selector`, `selectorGone`, `url`, `response`, \
                               `function`, `state` and `time`";
                Err(Error::InvalidArguments { problems: vec![format!("{missing}{choice}")] })
            }
        }
    }
}

impl WaitCondition {
    fn describe(&self) -> String {
        let what = match self {
            Self::Page(condition, true) => return condition.describe(),
            Self::Page(condition, false) => return format!("the end of {}", condition.describe()),
            Self::Response(_) => "the response",
            Self::Function(_) => "the condition",
            Self::State(WaitState::Download) => "the end of a download",
            Self::State(_) => "the page's state",
            Self::Time(_) => "the time",
        };
        what.to_owned()
    }

    /// Waits for the condition, and returns a sentence about what has happened.
    async fn wait(&self, call: &Call<'_>, page: &Page, limit: Duration) -> Result<String> {
        match self {
            Self::Function(script) => {
                let frame = page.main_frame();
                let scope = ScriptWorld::choose_world(script);
                let pause = Some(PAUSE);
                let holds = frame.wait_for_function(script, &JsValue::Undefined, scope, pause, limit);
                page.fail_on_dialog(holds).await?;
                Ok("The condition holds".to_owned())
            }
            Self::State(WaitState::Idle) => self.until_idle(page, limit).await,
            Self::State(state @ (WaitState::Load | WaitState::DomContentLoaded | WaitState::NetworkIdle)) => {
                let moment = match state {
                    WaitState::Load => WaitUntil::Load,
                    WaitState::DomContentLoaded => WaitUntil::DomContentLoaded,
                    _ => WaitUntil::NetworkIdle,
                };
                page.fail_on_dialog(page.main_frame().wait_for_lifecycle(moment, limit)).await?;
                Ok("The page has come to that state".to_owned())
            }
            _ => {
                self.until_seen(call, page, limit).await?;
                Ok(self.describe_end(call, page))
            }
        }
    }

    fn describe_end(&self, call: &Call<'_>, page: &Page) -> String {
        match self {
            Self::Page(Condition::Text(text), true) => format!("Text '{text}' appeared on page"),
            Self::Page(Condition::Text(text), false) => format!("Text '{text}' disappeared from page"),
            Self::Page(Condition::Element(_), true) => "The element can be seen".to_owned(),
            Self::Page(Condition::Element(_), false) => "The element is gone or hidden".to_owned(),
            Self::Page(Condition::Url(_), _) => "The page is there".to_owned(),
            Self::Response(part) => match answered(page, part) {
                Some((status, url)) => format!("Answered {status}: {}", one_line(&url)),
                None => "The response came".to_owned(),
            },
            Self::State(_) => describe_downloads(call),
            Self::Function(_) | Self::Time(_) => "It is so".to_owned(),
        }
    }

    /// Checks the condition until it holds. A text or element may be in any frame.
    async fn until_seen(&self, call: &Call<'_>, page: &Page, limit: Duration) -> Result<()> {
        let deadline = Instant::now() + limit;
        let mut changes = page.changes();
        loop {
            if let Some(dialog) = page.dialog() {
                return Err(Error::DialogOpen { kind: dialog.kind, message: dialog.message });
            }
            let look = page.fail_on_dialog(Box::pin(self.is_so(call, page)));
            if timeout_at(deadline, look).await.unwrap_or(Ok(false))? {
                return Ok(());
            }
            if Instant::now() >= deadline {
                if matches!(self, Self::State(_)) {
                    return Err(Error::DownloadAway { waited: limit });
                }
                return Err(Error::WaitRanOut { what: self.describe(), waited: limit });
            }
            let pause = (Instant::now() + PAUSE).min(deadline);
            page.wait_for_change(&mut changes, pause).await;
            sleep_until(pause).await;
        }
    }

    async fn is_so(&self, call: &Call<'_>, page: &Page) -> Result<bool> {
        match self {
            Self::Page(condition, there) => Ok(condition.is_met(page).await? == *there),
            Self::Response(part) => Ok(answered(page, part).is_some()),
            Self::State(_) => Ok(downloads_ended(call)),
            Self::Function(_) | Self::Time(_) => Ok(true),
        }
    }

    /// Waits until the page has loaded, has built its content, and has no pending requests.
    async fn until_idle(&self, page: &Page, limit: Duration) -> Result<String> {
        let deadline = Instant::now() + limit;
        let mark = page.mark();
        page.track_content_growth();
        page.fail_on_dialog(page.main_frame().wait_for_lifecycle(WaitUntil::Load, limit)).await?;
        loop {
            let rest = deadline.saturating_duration_since(Instant::now());
            let still = page.until_content_built(mark, rest).await;
            if let Some(dialog) = page.dialog() {
                return Err(Error::DialogOpen { kind: dialog.kind, message: dialog.message });
            }
            if still.is_empty() {
                return Ok("The page is at rest".to_owned());
            }
            if Instant::now() >= deadline {
                let what = format!("the page to become idle ({})", still.join(", "));
                return Err(Error::WaitRanOut { what, waited: limit });
            }
            sleep_until((Instant::now() + PAUSE).min(deadline)).await;
        }
    }
}

/// Returns status and URL of the latest completed response whose URL matches `part`; `None` if there is none.
fn answered(page: &Page, part: &str) -> Option<(i64, String)> {
    page.with_network(|network| {
        let entries =
            network.entries().filter(|entry| matches_url(part, &entry.url) && entry.ended.is_some());
        entries.filter_map(|entry| Some((entry.response.as_ref()?.status, entry.url.clone()))).last()
    })
}

/// Whether no download is running, and at least one has ended that no earlier wait has reported.
fn downloads_ended(call: &Call<'_>) -> bool {
    let downloads = downloads(call);
    let seen = call.kept.seen.lock();
    let goes_on = downloads.iter().any(|download| download.state == DownloadState::InProgress);
    !goes_on && downloads.iter().any(|download| !seen.is_excluded_download(&download.id))
}

/// Describes the downloads that have ended since the last wait for downloads.
fn describe_downloads(call: &Call<'_>) -> String {
    let mut ended = downloads(call);
    let mut seen = call.kept.seen.lock();
    ended.retain(|download| !seen.is_excluded_download(&download.id));
    let line = |download: &Download| {
        let name = line_or_json_escaping(&download.name, &[' ', ',']);
        match &download.state {
            DownloadState::Completed { path, .. } => format!("{name} is at {}", display_path(path)),
            _ => format!("{name} failed"),
        }
    };
    let lines: Vec<_> = ended.iter().map(line).collect();
    seen.exclude_downloads(ended.into_iter().map(|download| download.id));
    format!("No download goes on: {}", lines.join(", "))
}
