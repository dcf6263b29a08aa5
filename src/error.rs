//! The error type of all operations.
//!
//! Messages contain no keyword that starts the login cooldown, and no URL or selector, which callers know.
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

pub use element::{ElementKind, RequiredElementKind};

mod element;
mod facts;

/// The method name in errors of raw CDP commands: errors store static names, and the caller knows the method.
pub const RAW_CDP_COMMAND_LABEL: &str = "the command";

pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The reason why an operation failed. Error codes are stable; the wording of messages may change.
#[derive(Debug, Clone, thiserror::Error, strum::IntoStaticStr, strum::VariantNames)]
#[strum(serialize_all = "snake_case")]
#[non_exhaustive]
pub enum Error {
    // The browser as a whole.
    #[error("the browser was not found; looked at: {}", looked.join(", "))]
    BrowserNotFound { looked: Vec<String> },
    #[strum(serialize = "browser_not_found")]
    #[error("WebKit's driver was not found; looked at: {looked}")]
    WebkitNotFound { looked: String },
    #[error("the browser did not start: {reason}")]
    BrowserLaunch { reason: String },
    #[error("Chromium could not be downloaded: {reason}")]
    BrowserInstall { reason: String },
    #[error("a visible window needs a display, and DISPLAY is not set")]
    NoDisplay,
    #[error("the profile is in use by {holder}")]
    ProfileInUse { holder: String },
    #[error("the browser is not running, or remote debugging is disabled")]
    NoGuests,
    #[error("the browser is gone: {reason}")]
    BrowserGone { reason: String },
    #[strum(serialize = "browser_gone")]
    #[error("the browser is gone: nothing listens at its address")]
    BrowserNotListening,
    #[error("this build does not drive {browser}")]
    UnsupportedBrowser { browser: String },

    // Server replicas and browser pools.
    #[error("every browser in the pool is full or unreachable")]
    PoolFull,
    #[error("the shared state is unavailable: {reason}")]
    StateUnavailable { reason: String },
    #[error("the session moved to another server during the call; it is unknown what the call did")]
    LeaseLost,
    #[error("the server that ran this call is gone; it is unknown what the call did")]
    ReplicaGone,

    // The DevTools protocol.
    #[error("the browser refused {method}: {message}")]
    Protocol { method: &'static str, message: String },
    #[error("the browser did not answer {method} within {}", human(*waited))]
    NoAnswer { method: &'static str, waited: Duration },
    #[error("{method} is refused: a page could notice it")]
    Noticeable { method: &'static str },
    #[error("the browser's answer to {method} could not be read: {reason}")]
    Unreadable { method: &'static str, reason: String },

    // Pages, frames, documents.
    #[error("the page was closed")]
    PageClosed,
    #[error("the page crashed")]
    PageCrashed,
    #[error("the frame was removed from the page")]
    FrameDetached,
    #[error("the document was replaced by another one")]
    DocumentGone,
    #[error("the page does not respond; its script may be running without end")]
    PageBusy,
    #[error("the page is waiting for a server and cannot be read until it answers")]
    AwaitsServer,

    // Navigation.
    #[error("the navigation failed: {reason}")]
    NavigationFailed { reason: String },
    #[error("the page did not load within {}", human(*waited))]
    NavigationSlow { waited: Duration },
    #[error("{reason}")]
    RequestFailed { reason: String },
    #[error("this URL is refused: {reason}")]
    UrlRefused { reason: String },
    #[error("there is no page to go {direction} to")]
    NoHistory { direction: &'static str },

    // Elements.
    #[error("{target} is no longer on the page{}", again.as_ref().map(|again| format!("; in its place is {again}")).unwrap_or_default())]
    StaleRef {
        target: String,
        /// The ref of the element that now has the same role and name; `None` if there is none, or several.
        again: Option<String>,
    },
    #[error("{target} is not a ref of this page: {reason}")]
    UnknownRef { target: String, reason: String },
    #[strum(serialize = "unknown_ref")]
    #[error("no such {which}element: this is not a ref such as e12, and as a selector it {reason}")]
    NoTarget {
        /// `start ` or `end ` if the action takes two elements; otherwise empty.
        which: &'static str,
        reason: String,
    },
    #[error("no element was found within {}", human(*waited))]
    ElementNotFound { waited: Duration },
    #[error("the selector matches {count} elements, but one is needed")]
    NotUnique { count: usize, previews: Vec<String>, ways: Vec<String> },
    #[error("the selector matches {count} elements: {}", matches.join("; "))]
    SeveralMatch { count: usize, matches: Vec<String> },
    #[error("the selector is invalid: {reason}")]
    InvalidSelector { fault: SelectorFault, reason: String },
    #[error("the element {obstacle} after {}", human(*waited))]
    NotActionable { obstacle: Obstacle, waited: Duration },
    #[strum(serialize = "not_actionable")]
    #[error("the click did not reach the element: {cover} covered it at the last moment")]
    PressMissed { cover: Box<CoveringElement> },
    #[strum(serialize = "not_actionable")]
    #[error("no click reached the element: the page replaced it with {again} before the button was released")]
    PressReplaced { again: String },
    #[strum(serialize = "not_actionable")]
    #[error("no {what} reached the element: {how} before it was complete")]
    PressLost { what: String, how: String },
    #[strum(serialize = "not_actionable")]
    #[error("the element {obstacle}; the page shows {shown} in its place")]
    KeptBack { obstacle: Obstacle, shown: String },
    #[error("the element is {found}, {}", needed.described())]
    WrongElement { found: ElementKind, needed: RequiredElementKind },
    #[error("{what} did not move: {reason}")]
    DidNotMove { what: String, reason: String },
    #[strum(serialize = "did_not_move")]
    #[error("{what} was dragged {to} and is elsewhere: {reason}")]
    MovedElsewhere { what: String, to: String, reason: String },
    #[error("there is no such option; {}", list_options(available))]
    NoSuchOption { available: Vec<String> },
    #[error("several options match: {}", listed(matching))]
    SeveralOptions { matching: Vec<String> },
    #[error("the page did not accept the value; the field shows {}", describe_shown(shows))]
    NotTaken { shows: String },
    #[strum(serialize = "not_taken")]
    #[error(
        "the page moved the focus while the text was typed: the field shows {}, and a part went into {}",
        describe_shown(shows),
        listed_plain(into)
    )]
    Strayed { shows: String, into: Vec<String> },
    #[strum(serialize = "not_taken")]
    #[error("the page removed the field before it had all of the text")]
    FieldRemoved,
    #[strum(serialize = "wrong_element")]
    #[error(
        "this field takes no {what}, whose key would leave it or send the form; leave it out, and use submit for Enter"
    )]
    TakesNoKey { what: &'static str },
    #[error("{} of {count} fields could not be filled:\n{}", problems.len(), problems.iter().map(|problem| format!("- {problem}")).collect::<Vec<_>>().join("\n"))]
    FormIncomplete { problems: Vec<String>, count: usize },

    // Dialogs, and what needs a person: challenges and consent.
    #[error("a dialog is open: {kind} {}", question(kind, message))]
    DialogOpen { kind: String, message: String },
    #[strum(serialize = "dialog_open")]
    #[error(
        "a dialog in another tab blocks this page until it is answered: {kind} {}",
        question(kind, message)
    )]
    DialogElsewhere { kind: String, message: String },
    #[error("no dialog is open")]
    NoDialog,
    #[error("no file chooser is open and the page has no file input")]
    NoFileChooser,

    #[error("the page asks {what} first")]
    PersonNeeded {
        kind: &'static str,
        what: &'static str,
        challenge: String,
        url: String,
        link: Option<Box<LiveViewLink>>,
    },
    #[error("no person did what the page asks for within {}", human(*waited))]
    PersonAway { kind: &'static str, waited: Duration },
    #[error("a person is working on the page")]
    PersonHasControl,
    #[error("the site's robots.txt does not allow this URL")]
    RobotsDisallow,
    #[error("this needs the user's consent: {reason}")]
    NotAllowed { reason: &'static str },

    // Secrets.
    #[error("there is no secret named {}; there are {}", in_quotes(name), known.join(", "))]
    UnknownSecret { name: String, known: Vec<String> },
    #[error("the secret {name} may not be typed here: {reason}")]
    SecretRefused { name: String, reason: String },
    #[error("the page shows a secret, which {what} would reveal")]
    SecretShown { what: &'static str },

    // Scripts.
    #[error("{message}")]
    Script { message: String },
    #[strum(serialize = "program_failed")]
    #[error("{message}")]
    Program { message: String },
    #[error("a handler failed: {cause}")]
    HandlerFailed { cause: Arc<dyn std::error::Error + Send + Sync> },

    // Files and arguments.
    #[error("{path}: {reason}")]
    File { path: String, reason: String },
    #[error("{}", problems.join("\n"))]
    InvalidArguments { problems: Vec<String> },
    #[strum(serialize = "invalid_arguments")]
    #[error(
        "there is no key named {}; keys are named as in KeyboardEvent.key (Enter, ArrowLeft, a, F5), after Control, Shift, Alt or Meta: Control+Shift+a",
        in_quotes(name)
    )]
    UnknownKey { name: String },
    #[error("timed out after {} waiting for {what}", human(*waited))]
    WaitRanOut { what: String, waited: Duration },
    #[strum(serialize = "wait_ran_out")]
    #[error("no download finished within {}", human(*waited))]
    DownloadAway { waited: Duration },
    #[strum(serialize = "wait_ran_out")]
    #[error("no response arrived within {}", human(*waited))]
    AnswerLate { waited: Duration },
    #[error("not as expected within {}: {what}{received}", human(*waited))]
    NotAsExpected { what: String, received: String, waited: Duration },
    #[strum(serialize = "not_as_expected")]
    #[error("not as expected: {what}")]
    Unexpected { what: String },
    #[strum(serialize = "not_as_expected")]
    #[error(
        "not as expected: {what} is there already, so it cannot be a result of the action, which was not done"
    )]
    ExpectedBefore { what: String },
    /// The number of the extracted item that failed, counted from 1.
    #[error("{field}, item {item}: {reason}")]
    NotExtracted { field: String, item: usize, reason: String },
    #[error("the call was cancelled")]
    Cancelled,
    #[error("the key's limit of {limit} calls a minute is reached; wait {}", human(*wait))]
    RateLimited { limit: u32, wait: Duration },
    #[error("the tool failed because of a bug in patchright-mcp")]
    Broken,
    #[error("{what} is not possible here: {reason}")]
    Unsupported { what: &'static str, reason: String },
    #[strum(serialize = "unsupported")]
    #[error("{what} is not available in WebKit: {reason}")]
    NotInWebkit { what: String, reason: &'static str },
    #[strum(serialize = "unsupported")]
    #[error("{what} is not available in Firefox; {instead}")]
    NotInFirefox { what: String, instead: String },

    // Contexts and tabs.
    #[error("there is no context named {}", in_quotes(name))]
    UnknownContext { name: String },
    #[error("a context named {} already exists", in_quotes(name))]
    ContextExists { name: String },
    #[error("Cannot close the only remaining context")]
    OnlyContext,
    #[error("there is no tab {index}; {}", count_tabs(*count))]
    NoSuchTab { index: usize, count: usize },
    #[strum(serialize = "no_such_tab")]
    #[error("there is no tab named {}; {}", in_quotes(tab), list_open_tabs(open))]
    UnknownTab { tab: String, open: Vec<String> },
    #[error("no page is open")]
    NoPage,
    #[error("{limit} tabs are open, which is the limit")]
    TooManyTabs { limit: usize },
    #[error("there are {limit} contexts, which is the limit")]
    TooManyContexts { limit: usize },
    #[error("the open pages use {used_mb} MB of memory; the limit is {limit_mb} MB")]
    MemoryShort { used_mb: u64, limit_mb: u64 },
}

/// A link to the live view, where a person can operate the page, and the code to enter there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiveViewLink {
    pub url: String,
    /// The code to enter; `None` after it was used.
    pub code: Option<String>,
    pub seconds: u64,
}

impl Error {
    /// Returns the stable error code, such as `stale_ref`.
    pub fn code(&self) -> &'static str {
        self.into()
    }

    /// Whether the browser could not compile a script, so that nothing of it ran. An error that a running script
    /// throws, such as that of `JSON.parse`, has a stack.
    pub(crate) fn is_syntax_error(&self) -> bool {
        matches!(self, Self::Script { message } if message.starts_with("SyntaxError") && !message.contains('\n'))
    }

    /// Returns a hint about what the caller can try next; `None` if there is none.
    #[expect(clippy::too_many_lines, reason = "it is a table")]
    pub fn suggestion(&self) -> Option<&'static str> {
        Some(match self {
            Self::BrowserNotFound { .. } => {
                "install Chromium or Chrome, name one with --executable-path, or call browser_install"
            }
            Self::WebkitNotFound { .. } => {
                "install webkit2gtk-driver, and xvfb where there is no display, with the system's package manager; or name \
                 WebKitWebDriver with --executable-path"
            }
            Self::NotInWebkit { .. } => "do it in a session with browserType chromium or firefox",
            Self::BrowserInstall { .. } => {
                "install Chromium or Chrome with the system's package manager, name one with --executable-path, or a mirror with --download-host"
            }
            Self::NoDisplay => "set DISPLAY, run under xvfb-run, or use --headless",
            Self::ProfileInUse { .. } => {
                "close that browser, use another --user-data-dir, or work in it with --attach chrome, edge or chromium"
            }
            Self::NoGuests => {
                "ask the user to start it, to allow remote debugging at chrome://inspect/#remote-debugging, and to confirm when it asks"
            }
            Self::BrowserGone { .. } | Self::BrowserNotListening => {
                "call again: the next call starts a fresh browser"
            }
            Self::UnsupportedBrowser { .. } => "this build drives chromium, chrome, msedge and firefox",
            Self::RateLimited { .. } => {
                "wait, then call again; browser_steps does several actions in one call"
            }
            Self::PoolFull => "close a session, or call again later",
            Self::StateUnavailable { .. } => "call again in a few seconds",
            Self::LeaseLost | Self::ReplicaGone => "take a new snapshot to check the page, then continue",
            Self::NoAnswer { .. } | Self::PageBusy => {
                "take a new snapshot: the action may have been done; if the page still does not respond, navigate elsewhere or close it"
            }
            Self::AwaitsServer => "wait and take a snapshot, or navigate elsewhere",
            Self::UnknownTab { .. } | Self::NoSuchTab { .. } => "list the tabs with browser_tabs",
            Self::PageClosed | Self::NoPage => "open a page with browser_navigate",
            Self::PageCrashed => "navigate again to bring the page back",
            Self::StaleRef { again: Some(_), .. } => "use that ref if it is the element you mean",
            Self::FrameDetached | Self::DocumentGone | Self::StaleRef { .. } | Self::UnknownRef { .. } => {
                "take a new snapshot and use a ref from it"
            }
            Self::NoTarget { .. } => {
                "find it with browser_find or a snapshot and use its ref; selectors look like button:has-text(\"Save\"), text=Save, role=button[name=\"Save\"], #id"
            }
            Self::SeveralMatch { .. } | Self::NotUnique { .. } => {
                "use the ref of one of them, or a narrower selector"
            }
            Self::ElementNotFound { .. } => "take a snapshot and use a ref from it, or another selector",
            Self::InvalidSelector { .. } => {
                "use a ref, or a selector like text=Save, role=button[name=\"Save\"], #id"
            }
            Self::NavigationFailed { reason } if reason == "net::ERR_UNSAFE_PORT" => {
                "use another port: the browser blocks this one"
            }
            Self::NavigationFailed { .. } => "check the URL, then navigate again",
            Self::RequestFailed { .. } => "check the URL, and whether the server can be reached",
            Self::NotActionable { obstacle, .. } => return obstacle.suggestion(),
            Self::PressMissed { .. } => "take a snapshot to see what covers it, and click again",
            Self::PressReplaced { .. } => "if the press had no effect, click that one",
            Self::PressLost { .. } => "take a snapshot; if the press had no effect, click again",
            Self::MovedElsewhere { .. } => "take a snapshot, and drag it on from there",
            Self::KeptBack { .. } => "use that ref",
            Self::PersonNeeded { link: Some(_), .. } => {
                "give the user the link and the code, and call again when they are done"
            }
            Self::PersonHasControl => "wait until they are done, then call again",
            Self::PersonNeeded { .. } => "ask the user to do it in a visible browser, or use another source",
            Self::DialogOpen { .. } => "answer it with browser_handle_dialog",
            Self::DialogElsewhere { .. } => {
                "answer it with browser_handle_dialog and that tab, or select it first"
            }
            Self::NoFileChooser => "first click the control that opens it",
            Self::WrongElement {
                needed: RequiredElementKind::NativeSelect | RequiredElementKind::List,
                ..
            } => "click to open the list, then click an option",
            Self::WrongElement { needed, .. } if needed.is_value() => "write the value in such a format",
            Self::WrongElement { needed: RequiredElementKind::Text, found } if found.is_button() => {
                "use the ref of a text field; a button is pressed with browser_click, and takes files with browser_file_upload"
            }
            Self::WrongElement { .. } => "take a snapshot and use the ref of the right element",
            Self::NoSuchOption { available } if available.is_empty() => {
                "first fill in the fields that the options depend on, or click the list and take a snapshot"
            }
            Self::NoSuchOption { .. } | Self::SeveralOptions { .. } => {
                "use the full name of one of them, or its value"
            }
            Self::Strayed { .. } => "clear that field, wait until the page is at rest, and type again",
            Self::FieldRemoved => {
                "take a snapshot, and see what the field in its place shows before you type again"
            }
            Self::NotTaken { .. } => "click the field, take a snapshot, and use what opens; or type slowly",
            Self::WaitRanOut { .. } | Self::NotAsExpected { .. } => {
                "take a snapshot to see what the page shows instead"
            }
            Self::ExpectedBefore { .. } => "do it without expect, or expect what is not there yet",
            Self::Unexpected { .. } => "the answer shows what changed; if it shows nothing, take a snapshot",
            Self::DownloadAway { .. } => {
                "allow more time if a download is running; otherwise start it, and check the response with browser_network_requests"
            }
            Self::AnswerLate { .. } => "allow more time; the server may have processed the request anyway",
            Self::NavigationSlow { .. } => "take a snapshot to see what has loaded, or navigate again",
            Self::NoHistory { .. } => "navigate to a URL instead",
            Self::UnknownContext { .. } => "list the contexts with browser_context_list",
            Self::TooManyTabs { .. } => {
                "close tabs with browser_tabs, or start the server with a larger --max-tabs"
            }
            Self::TooManyContexts { .. } => {
                "close one with browser_context_close, or start the server with a larger --max-contexts"
            }
            Self::MemoryShort { .. } => {
                "close tabs with browser_tabs, or start the server with a larger --max-memory"
            }
            Self::OnlyContext => "create another one first",
            Self::ContextExists { .. } => "use another name, or switch to it with browser_context_switch",
            Self::NoDialog => "take a snapshot: it may have been answered already",
            Self::Protocol { .. } | Self::Unreadable { .. } => {
                "take a snapshot to check the page, then try again"
            }
            Self::PersonAway { .. } => "ask the user to be there, then call again",
            Self::NotExtracted { .. } => {
                "give the field another selector or type (string takes any text), or make it optional if it can be missing"
            }
            Self::RobotsDisallow => {
                "use another source; only the user may decide to ignore robots.txt, with ignoreRobots or without --respect-robots"
            }
            Self::Broken => "take a snapshot, then try another way; the server's log has the details",
            Self::NotAllowed { .. } => {
                "tell the user what you want to do and why; do not look for a workaround"
            }
            Self::SecretRefused { .. } => {
                "type it only where it belongs; the user sets the allowed sites and fields with --secrets"
            }
            Self::SecretShown { .. } => "first clear the field that shows it, or leave the page",
            _ => return None,
        })
    }
}

/// Why an element cannot be acted on yet.
#[derive(Debug, Clone, PartialEq, Eq, strum::Display, strum::EnumDiscriminants)]
#[strum_discriminants(
    name(ObstacleKind),
    derive(strum::IntoStaticStr),
    strum(serialize_all = "snake_case"),
    vis(pub(self))
)]
pub enum Obstacle {
    #[strum(to_string = "gave no answer")]
    Silent,
    #[strum(to_string = "was not found")]
    Missing,
    #[strum(to_string = "was not visible")]
    Hidden,
    #[strum(to_string = "was still moving")]
    Moving,
    #[strum(to_string = "was disabled")]
    Disabled,
    #[strum(to_string = "was read-only")]
    ReadOnly,
    #[strum(to_string = "was outside the viewport")]
    OutsideViewport,
    #[strum(to_string = "was inert: nothing in it can be used now")]
    Inert,
    /// Cut off by a `clip-path`, or by the edge of an element that clips it.
    #[strum(to_string = "was clipped, so that nothing of it is left to press")]
    Clipped,
    #[strum(to_string = "lets the pointer through (pointer-events: none)")]
    Pointerless,
    /// The page holds a pointer lock (Pointer Lock API), so another element receives each press.
    #[strum(to_string = "was out of reach: the page has locked the pointer to another element")]
    PointerLocked,
    #[strum(to_string = "was covered by {0}")]
    CoveredBy(Box<CoveringElement>),
    /// A locator handler delays the action: it is still running, or its locator is still visible.
    #[strum(to_string = "was waiting for the handler of {by}")]
    Handled { by: String, finished: bool },
}

/// The element that covers the target of an action.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CoveringElement {
    pub tag: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    #[serde(default)]
    pub classes: Vec<String>,
    /// The name of the dialog that the element belongs to, or whose backdrop it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dialog: Option<String>,
    /// Whether the covering element is an interactive control, or inside one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub acts: bool,
    /// The covering element in selector notation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shown: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<String>,
}

impl CoveringElement {
    /// Returns the element's tag, id and classes, such as `<div#veil.dark>`; `None` if the browser did not report it.
    pub(crate) fn in_brackets(&self) -> Option<String> {
        let id = self.id.iter().map(|id| format!("#{id}"));
        let parts: String = id.chain(self.classes.iter().map(|class| format!(".{class}"))).collect();
        (!self.tag.is_empty()).then(|| format!("<{}{parts}>", self.tag))
    }

    /// Returns the name of the element's dialog in quotes, cut to 60 characters.
    pub(crate) fn dialog_name(&self) -> Option<String> {
        self.dialog.as_deref().map(|name| quoted_as_is(name, 60))
    }
}

/// Formats the element as `<div#veil.dark>` or `another element`, after its dialog if there is one.
impl fmt::Display for CoveringElement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.dialog_name().iter().try_for_each(|name| write!(f, "the dialog {name}, "))?;
        f.write_str(self.in_brackets().as_deref().unwrap_or("another element"))
    }
}

/// The reason why a selector is invalid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr, strum::EnumString)]
#[strum(serialize_all = "snake_case")]
pub enum SelectorFault {
    UnknownEngine,
    /// `nth` in a selector with a captured part (`*css=…`).
    CapturedNth,
    /// A layout selector, such as `near=`, without another selector before it.
    LayoutAlone,
    /// The browser's CSS parser rejects it.
    InvalidCss,
    /// An unexpected character, at a position counted from 1.
    Unexpected {
        at: usize,
    },
    EmptyPart,
    Other,
}

impl Obstacle {
    /// Whether the obstacle persists until something on the page changes.
    pub(crate) fn stays(&self) -> bool {
        !matches!(self, Self::Silent | Self::Missing | Self::Moving | Self::Handled { .. })
    }

    /// Returns the stable code of the obstacle, such as `covered_by`.
    pub fn code(&self) -> &'static str {
        ObstacleKind::from(self).into()
    }

    /// Returns a hint about what the caller can try next; `None` if there is none.
    pub fn suggestion(&self) -> Option<&'static str> {
        match self {
            Self::CoveredBy(cover) if cover.dialog.is_some() => Some("use the dialog first, or close it"),
            Self::CoveredBy(cover) if cover.acts => {
                Some("a press there goes to what covers it: press that if you mean it, or close it or scroll")
            }
            Self::CoveredBy(_) => Some("close what covers it, or scroll"),
            Self::Inert => Some("close the dialog over it, or first do what activates it"),
            Self::Clipped => Some("open its container, or scroll to it there"),
            Self::Pointerless => Some("first do what enables it, or press the element behind it"),
            Self::PointerLocked => {
                Some("use keys, or have the page release the pointer: document.exitPointerLock()")
            }
            Self::Handled { finished: false, .. } => {
                Some("make the handler faster, or give the action more time")
            }
            Self::Handled { finished: true, .. } => {
                Some("make the handler hide its element, or do not wait for that")
            }
            Self::Hidden => Some("first make it visible, for example by opening a menu"),
            Self::Silent => Some(
                "take a new snapshot; if the page still does not respond, navigate elsewhere or close it",
            ),
            Self::Disabled => Some("first do what enables it, for example fill in the required fields"),
            Self::ReadOnly => {
                Some("look for a control that makes it editable, for example a button beside it")
            }
            Self::Moving => Some("wait until it stops, or close what moves it"),
            Self::OutsideViewport => Some(
                "scrolling does not reach it: enlarge the viewport, or open the menu or panel that contains it",
            ),
            Self::Missing => Some("take a new snapshot and use a ref from it"),
        }
    }
}

/// Lists the first [`MOST_LISTED`] options for an error message.
fn list_options(available: &[String]) -> String {
    if available.is_empty() {
        "none is offered".to_owned()
    } else {
        format!("the options are: {}", listed(available))
    }
}

const MOST_LISTED: usize = 30;
const LONGEST_LISTED: usize = 60;

/// Lists texts from a page, quoted, shortened and separated by commas, and counts the rest.
pub(crate) fn listed(texts: &[String]) -> String {
    let mut shown: Vec<_> = texts.iter().take(MOST_LISTED).map(|text| quoted(text, LONGEST_LISTED)).collect();
    if texts.len() > MOST_LISTED {
        shown.push(format!("and {} more", texts.len() - MOST_LISTED));
    }
    shown.join(", ")
}

/// Replaces each run of white space with one space, and trims both ends.
pub(crate) fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Quotes text from a page on one line: collapses white space and truncates after `longest` characters.
pub(crate) fn quoted(text: &str, longest: usize) -> String {
    quoted_as_is(&squeezed(text), longest)
}

/// Quotes text from a page and keeps its white space; truncates after `longest` characters.
pub(crate) fn quoted_as_is(plain: &str, longest: usize) -> String {
    match plain.char_indices().nth(longest) {
        Some((end, _)) => in_quotes(&format!("{}…", &plain[..end])),
        None => in_quotes(plain),
    }
}

/// Like [`quoted_as_is`], but keeps the end, which shows what an editor has added: truncates in the middle.
pub(crate) fn quoted_with_end(plain: &str, longest: usize) -> String {
    let length = plain.chars().count();
    if length <= longest {
        return in_quotes(plain);
    }
    let end = longest / 3;
    let beginning: String = plain.chars().take(longest - end).collect();
    let end: String = plain.chars().skip(length - end).collect();
    in_quotes(&format!("{beginning}…{end}"))
}

/// Puts a text in quotation marks on one line. Keeps letters of all scripts; escapes quotation marks, backslashes,
/// control characters and characters that change the text direction.
pub(crate) fn in_quotes(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            _ if character.is_control() || turns_direction(character) => {
                quoted.extend(character.escape_unicode());
            }
            _ => quoted.push(character),
        }
    }
    quoted.push('"');
    quoted
}

/// Whether a character ends a line or changes the text direction.
fn turns_direction(character: char) -> bool {
    matches!(
        character,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    )
}

/// Returns the quoted question of a dialog. A `beforeunload` dialog has no text: explains the choices.
pub(crate) fn question(kind: &str, message: &str) -> String {
    match (kind, message) {
        ("beforeunload", "") => "(accept leaves the page, dismiss stays)".to_owned(),
        _ => in_quotes(message),
    }
}

fn listed_plain(texts: &[String]) -> String {
    texts.join("; ")
}

fn describe_shown(shows: &str) -> String {
    if shows.trim().is_empty() { "nothing".to_owned() } else { quoted_as_is(shows, LONGEST_LISTED) }
}

/// Formats a duration, such as `5 s`, `1.5 s` or `200 ms`.
pub(crate) fn human(duration: Duration) -> String {
    let ms = duration.as_millis();
    if ms < 1000 {
        format!("{ms} ms")
    } else {
        format!("{} s", (duration.as_secs_f64() * 100.0).round() / 100.0)
    }
}

fn list_open_tabs(open: &[String]) -> String {
    if open.is_empty() { "no tab is open".to_owned() } else { format!("the tabs are {}", open.join(", ")) }
}

fn count_tabs(count: usize) -> String {
    match count {
        0 => "no tab is open".to_owned(),
        1 => "the only tab is 0".to_owned(),
        _ => format!("the tabs are 0 to {}", count - 1),
    }
}
