//! The session tools, such as `create_session` and `navigate`, which answer with JSON.
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::input::{self, By};
use super::milliseconds;
use crate::Result;
use crate::browser::find::Channel;
use crate::browser::input::ClickOptions;
use crate::browser::{ActionOptions, ElementHandle, ElementState, Page, WaitUntil};
use crate::error::{Error, Obstacle};
use crate::mcp::call::Call;
use crate::mcp::page_text;
use crate::mcp::reply::Reply;
use crate::mcp::target;
use crate::mcp::tool::{FailedCall, StallPolicy, TABLESS_TRAITS, Tool, ToolEffect, Toolset, ToolsetTraits};
use crate::messages::sessions as texts;
use crate::session::Workspace;
use crate::session::challenge::{VisitPurpose, detect_challenge};
use crate::session::registry::SessionError;
use crate::session::visit;
use crate::webdriver;

const FAMILY: &ToolsetTraits = &ToolsetTraits {
    toolset: Toolset::Sessions,
    fail,
    is_about_sessions: true,
    has_commands: false,
    ..TABLESS_TRAITS
};

/// Open a session with its own cookies, storage and page. Returns sessionId and expiresAt (ms since 1970).
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CreateSession {
    /// Default: the server's browser.
    pub browser_type: Option<BrowserType>,
    /// Only with a browser pool: label of its browser.
    pub label: Option<String>,
}

/// A make of browser.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum BrowserType {
    Chromium,
    Firefox,
    Webkit,
}

impl BrowserType {
    /// Creates a separate workspace in this browser for the same client.
    fn workspace(self, of: &Workspace) -> Result<Workspace> {
        match self {
            Self::Chromium => of.new_isolated_in_channel(Channel::Chromium),
            Self::Firefox => of.new_isolated_in_channel(Channel::Firefox),
            Self::Webkit => of.new_isolated_in_webkit(),
        }
    }
}

impl Tool for CreateSession {
    const NAME: &'static str = "create_session";
    const TITLE: &'static str = "Create a session";
    const EFFECT: ToolEffect = ToolEffect::Adds;
    const OPEN_WORLD: bool = false;
    const FAMILY: &'static ToolsetTraits = FAMILY;
    const STALL_POLICY: StallPolicy = StallPolicy::KeepWaiting;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let workspace = match self.browser_type {
            None => call.workspace.new_isolated(),
            Some(kind) => match kind.workspace(call.workspace) {
                Ok(workspace) => workspace,
                Err(error) => {
                    refuse(&SessionError::Browser(error), "", reply);
                    return Ok(());
                }
            },
        };
        if workspace.engine().running_browser().is_none() {
            call.progress.set_message("starting the browser");
        }
        match call.client.sessions.create_in(workspace, self.label).await {
            Ok(session) => {
                let mut json = json!({
                    "sessionId": session.id, "expiresAt": session.expires_at, "message": texts::SESSION_CREATED,
                });
                if session.workspace.webkit_session().is_some() {
                    json["note"] = webdriver::WEBKIT_NOTICE.into();
                }
                answer(reply, json);
            }
            Err(error) => refuse(&error, "", reply),
        }
        Ok(())
    }
}

/// Close a session and all its pages.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CloseSession {
    #[schemars(length(min = 1))]
    pub session_id: String,
}

impl Tool for CloseSession {
    const NAME: &'static str = "close_session";
    const TITLE: &'static str = "Close a session";
    const EFFECT: ToolEffect = ToolEffect::Acts;
    const OPEN_WORLD: bool = false;
    const FAMILY: &'static ToolsetTraits = FAMILY;
    const STALL_POLICY: StallPolicy = StallPolicy::KeepWaiting;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        match call.client.sessions.close(&self.session_id).await {
            Ok(()) => answer(reply, json!({ "success": true, "message": texts::SESSION_CLOSED })),
            Err(error) => refuse(&error, &self.session_id, reply),
        }
        Ok(())
    }
}

/// List the open sessions.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct ListSessions {}

impl Tool for ListSessions {
    const NAME: &'static str = "list_sessions";
    const TITLE: &'static str = "List the sessions";
    const EFFECT: ToolEffect = ToolEffect::Reads;
    const OPEN_WORLD: bool = false;
    const FAMILY: &'static ToolsetTraits = FAMILY;
    const STALL_POLICY: StallPolicy = StallPolicy::KeepWaiting;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let here = call.client.sessions.list();
        let sessions =
            call.client.sessions.list_on_all_servers().await?.into_iter().map(|(id, expires_at)| {
                // The URL of a session on another server is not known here.
                let session = here.iter().find(|session| *session.id == *id);
                let url = session.and_then(|session| match session.workspace.webkit_session() {
                    Some(webkit) => webkit.url(),
                    None => session.workspace.active_page().map(|page| page.attempted_url()),
                });
                json!({ "sessionId": id, "expiresAt": expires_at, "url": url })
            });
        let sessions: Vec<_> = sessions.collect();
        let json =
            json!({ "sessions": sessions, "totalCount": sessions.len(), "untrusted": ["sessions[].url"] });
        answer(reply, json);
        Ok(())
    }
}

/// Default: until loading and changes have ended.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LoadState {
    Load,
    DomContentLoaded,
    NetworkIdle,
}

/// Open a URL in a session.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Navigate {
    #[schemars(length(min = 1))]
    pub session_id: String,
    #[schemars(length(min = 1))]
    pub url: String,
    pub wait_until: Option<LoadState>,
    /// In ms.
    #[schemars(range(min = 100))]
    pub timeout: Option<f64>,
}

impl Tool for Navigate {
    const NAME: &'static str = "navigate";
    const TITLE: &'static str = "Open a URL in a session";
    const EFFECT: ToolEffect = ToolEffect::Acts;
    const FAMILY: &'static ToolsetTraits = FAMILY;
    const STALL_POLICY: StallPolicy = StallPolicy::KeepWaiting;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let url = call.parse_url(&self.url)?;
        visit::dismiss_dialog(&call.workspace.get_or_open_page().await?).await?;
        let page = call.acquire_page_for_navigation().await?;
        call.services.pacing.wait_to_navigate(page.context(), &url).await?;
        call.progress.set_message("loading the page");
        let limit = self.timeout.map_or(call.settings.timeouts.navigation, milliseconds);
        let until = self.wait_until.map(|until| match until {
            LoadState::Load => WaitUntil::Load,
            LoadState::DomContentLoaded => WaitUntil::DomContentLoaded,
            LoadState::NetworkIdle => WaitUntil::NetworkIdle,
        });
        let is_complete = match until {
            Some(until) => visit::open_url(&page, &url, until, limit).await.map(|_| true)?,
            None => visit::open_until_usable(&page, &url, limit).await?,
        };
        let status = page.document_response().map_or(0, |response| response.status);
        let title = page.title().await;
        let mut json = json!({ "success": true, "title": title, "url": page.url(), "status": status });
        if !is_complete {
            json["loading"] = true.into();
        }
        if let Ok(Some(challenge)) = detect_challenge(&page, &url, VisitPurpose::Action).await {
            json["wall"] = json!(challenge);
        }
        reply.set_plain_text(page_text::json_line(&json));
        json["untrusted"] = json!(["title", "url"]);
        reply.set_structured(json);
        Ok(())
    }
}

/// Click an element in a session's page.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Click {
    #[schemars(length(min = 1))]
    pub session_id: String,
    /// CSS, `XPath` (// or xpath=) or text=…
    #[schemars(length(min = 1))]
    pub selector: String,
    /// In ms.
    #[schemars(range(min = 100))]
    pub timeout: Option<f64>,
    /// Click even if disabled or covered.
    #[serde(default)]
    pub force: bool,
    /// Default: 1.
    #[schemars(range(min = 1, max = 10))]
    pub click_count: Option<f64>,
}

impl Tool for Click {
    const NAME: &'static str = "click";
    const TITLE: &'static str = "Click in a session";
    const EFFECT: ToolEffect = ToolEffect::Acts;
    const FAMILY: &'static ToolsetTraits = FAMILY;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let page = page(call).await?;
        let limit = self.timeout.map_or(call.settings.timeouts.action, milliseconds);
        let begun = tokio::time::Instant::now();
        call.progress.set_message("clicking");
        let found = target::find_operable_control_within(call, &page, &self.selector, limit).await?;
        let rest = limit.saturating_sub(begun.elapsed());
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the schema says 1 to 10"
        )]
        let count = self.click_count.unwrap_or(1.0) as u32;
        let click = ClickOptions { count, ..ClickOptions::default() };
        let options = ActionOptions { force: self.force, ..ActionOptions::within(rest).fail_early() };
        let found = (self.selector.as_str(), &found.element);
        input::press_found(call, &page, found, &click, By::Pointer, &options).await?;
        visit::dismiss_dialog(&page).await?;
        answer_action(call, texts::CLICKED_MESSAGE, reply);
        Ok(())
    }
}

/// Type text into an element of a session's page.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Type {
    #[schemars(length(min = 1))]
    pub session_id: String,
    /// CSS, `XPath` (// or xpath=) or text=…
    #[schemars(length(min = 1))]
    pub selector: String,
    pub text: String,
    /// Delay between characters, in ms.
    #[schemars(range(min = 0, max = 10_000))]
    pub delay: Option<f64>,
    /// In ms.
    #[schemars(range(min = 100))]
    pub timeout: Option<f64>,
    /// Clear the field first.
    #[serde(default)]
    pub clear: bool,
}

impl Tool for Type {
    const NAME: &'static str = "type";
    const TITLE: &'static str = "Type in a session";
    const EFFECT: ToolEffect = ToolEffect::Acts;
    const FAMILY: &'static ToolsetTraits = FAMILY;

    async fn call(mut self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let page = page(call).await?;
        let limit = self.timeout.map_or(call.settings.timeouts.action, milliseconds);
        let begun = tokio::time::Instant::now();
        call.progress.set_message("typing");
        let element = target::find_operable_control_within(call, &page, &self.selector, limit).await?.element;
        self.text = call.services.secrets().expand_secrets(&self.text, &element).await?.into_owned();
        if !element.is_set_without_typing().await? {
            until_editable(&element, limit.saturating_sub(begun.elapsed()), limit).await?;
        }
        if self.text.contains(['\n', '\r']) {
            call.confirm_press(&element, true).await?;
        }
        let options = ActionOptions::within(limit.saturating_sub(begun.elapsed())).fail_early();
        let delay = self.delay.map(milliseconds);
        let mut field = element.clone();
        let typing = async {
            match self.clear {
                true => field = element.clear_and_type(&self.text, delay, &options).await?,
                false => element.type_multiline(&self.text, delay, &options).await?,
            }
            Ok(())
        };
        call.act_and_settle(&page, input::typing(&element, &self.text, false), Box::pin(typing)).await?;
        visit::dismiss_dialog(&page).await?;
        let is_sent = self.text.ends_with('\n');
        let shown = match is_sent {
            true => field.control_value().await,
            false => field.verify_control_value(&self.text).await,
        };
        if let Err(error @ (Error::NotTaken { .. } | Error::Strayed { .. } | Error::FieldRemoved)) = shown {
            return Err(error);
        }
        answer_action(call, texts::TYPED_MESSAGE, reply);
        Ok(())
    }
}

/// Answers that an action succeeded, with events such as opened tabs.
fn answer_action(call: &Call<'_>, message: &str, reply: &mut Reply) {
    let mut result = json!({ "success": true, "message": message });
    call.note_windows();
    let events = std::mem::take(&mut *call.report.events.lock());
    if !events.is_empty() {
        result["events"] = json!(events);
        result["untrusted"] = json!(["events"]);
    }
    answer(reply, result);
}

/// Returns the session's page. Dismisses an open dialog, since these tools cannot show one.
async fn page(call: &Call<'_>) -> Result<Page> {
    visit::dismiss_dialog(&call.workspace.get_or_open_page().await?).await?;
    call.acquire_or_open_page().await
}

/// Waits up to `rest` until the element is editable. An error reports `limit` as the time waited.
async fn until_editable(element: &ElementHandle, rest: Duration, limit: Duration) -> Result<()> {
    let deadline = tokio::time::Instant::now() + rest;
    loop {
        let state = element.state().await?;
        if state.editable {
            return Ok(());
        }
        if tokio::time::Instant::now() >= deadline {
            let obstacle = match state {
                ElementState { visible: false, .. } => Obstacle::Hidden,
                ElementState { enabled: false, .. } => Obstacle::Disabled,
                _ => Obstacle::ReadOnly,
            };
            return Err(Error::NotActionable { obstacle, waited: limit });
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

pub(in crate::mcp) fn answer(reply: &mut Reply, json: Value) {
    reply.set_plain_text(page_text::json_line(&json));
    reply.set_structured(json);
}

/// Answers that a session is not available, with the reason.
pub(in crate::mcp) fn refuse(error: &SessionError, id: &str, reply: &mut Reply) {
    let (code, message) = match error {
        SessionError::NotFound => ("SESSION_NOT_FOUND", texts::session_not_found(id)),
        SessionError::Expired => ("SESSION_EXPIRED", texts::session_expired(id)),
        SessionError::LimitReached { limit } => {
            ("MAX_SESSIONS_REACHED", texts::session_limit_reached(*limit))
        }
        SessionError::Elsewhere(..) => ("BROWSER_ERROR", texts::browser_error(&Error::ReplicaGone)),
        SessionError::Browser(error) => ("BROWSER_ERROR", texts::browser_error(error)),
    };
    let next = match error {
        SessionError::NotFound => Some(texts::SESSION_NOT_FOUND_HELP),
        SessionError::Expired => Some(texts::SESSION_EXPIRED_HELP),
        SessionError::LimitReached { .. } => Some(texts::SESSION_LIMIT_HELP),
        SessionError::Elsewhere(..) | SessionError::Browser(_) => None,
    };
    let details = next.map(|next| json!({ "next": next }));
    let session = (!id.is_empty()).then_some(id);
    reply.fail_with_text(code, page_text::json_line(&error_json(code, &message, session, details)));
}

/// Reports the error of a tool as JSON, with this toolset's error codes.
fn fail(&FailedCall { tool: name, arguments, error, .. }: &FailedCall<'_>, reply: &mut Reply) {
    let argument = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default();
    let selector = argument("selector");
    let engine = || Some(Value::from(texts::browser_error(error)));
    let (code, message, details) = match error {
        Error::InvalidArguments { problems } => {
            let required = required_of(name);
            let lacks = required.iter().any(|name| match arguments.get(*name) {
                None => true,
                Some(value) => *name != "text" && value.as_str().is_some_and(str::is_empty),
            });
            let message = texts::missing_arguments(if lacks { required } else { &[] });
            let mut details = json!({ "problems": problems });
            if lacks && argument("sessionId").is_empty() {
                details["next"] = texts::SESSION_MISSING_HELP.into();
            }
            ("INVALID_PARAMETERS", message, Some(details))
        }
        Error::InvalidSelector { .. } => ("INVALID_PARAMETERS", texts::missing_arguments(&[]), engine()),
        Error::NavigationFailed { .. }
        | Error::NavigationSlow { .. }
        | Error::UrlRefused { .. }
        | Error::RobotsDisallow => ("NAVIGATION_FAILED", texts::navigation_failed(argument("url")), engine()),
        Error::ElementNotFound { .. } | Error::NotActionable { obstacle: Obstacle::Missing, .. } => {
            ("ELEMENT_NOT_FOUND", texts::element_not_found(selector), None)
        }
        Error::StaleRef { .. } | Error::UnknownRef { .. } => {
            ("ELEMENT_NOT_FOUND", texts::element_not_found(selector), engine())
        }
        error if name == "click" && is_of_element(error) => {
            ("ELEMENT_NOT_CLICKABLE", texts::element_not_clickable(selector), engine())
        }
        error if name == "type" && is_of_element(error) => {
            ("ELEMENT_NOT_EDITABLE", texts::element_not_editable(selector), engine())
        }
        other => ("BROWSER_ERROR", texts::browser_error(other), None),
    };
    let session = Some(argument("sessionId")).filter(|id| !id.is_empty());
    reply.fail_with_text(code, page_text::json_line(&error_json(code, &message, session, details)));
}

/// Whether an error concerns the element itself.
fn is_of_element(error: &Error) -> bool {
    matches!(
        error,
        Error::NotActionable { .. }
            | Error::PressMissed { .. }
            | Error::PressReplaced { .. }
            | Error::PressLost { .. }
            | Error::KeptBack { .. }
            | Error::WrongElement { .. }
            | Error::SeveralMatch { .. }
            | Error::NotTaken { .. }
            | Error::Strayed { .. }
            | Error::FieldRemoved
            | Error::TakesNoKey { .. }
    )
}

fn required_of(name: &str) -> &'static [&'static str] {
    match name {
        "close_session" => &["sessionId"],
        "navigate" => &["sessionId", "url"],
        "click" => &["sessionId", "selector"],
        "type" => &["sessionId", "selector", "text"],
        _ => &[],
    }
}

fn error_json(code: &str, message: &str, session: Option<&str>, details: Option<Value>) -> Value {
    let mut json = json!({ "errorCode": code, "message": message });
    if let Some(session) = session {
        json["sessionId"] = session.into();
    }
    if let Some(details) = details {
        json["details"] = details;
    }
    json
}
