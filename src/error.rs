//! Every way an operation can fail.
//!
//! The wording is part of the design: no message contains a word that the login cooldown listens for, and none
//! repeats a URL or a selector. Callers who need those have them already.
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

pub use element::{ElementKind, Needed};

mod element;
mod facts;

/// What a command goes by whose name only its caller knows.
pub const RAW_COMMAND: &str = "the command";

pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why an operation failed. Codes are a promise to callers; messages may improve.
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
    #[error("the browser does not run, or lets nobody in")]
    NoGuests,
    #[error("the browser is gone: {reason}")]
    BrowserGone { reason: String },
    #[strum(serialize = "browser_gone")]
    #[error("the browser is gone: nothing listens at its address")]
    BrowserNotListening,
    #[error("this build does not drive {browser}")]
    UnsupportedBrowser { browser: String },

    // Several servers and browsers.
    #[error("no browser of the pool has room, or none can be reached")]
    PoolFull,
    #[error("the state that the servers share is not to be had: {reason}")]
    StateUnavailable { reason: String },
    #[error("the session went to another server while the call was under way; what was done is not known")]
    LeaseLost,
    #[error("the server that worked on this call is gone; what it did is not known")]
    ReplicaGone,

    // The protocol.
    #[error("the browser refused {method}: {message}")]
    Protocol { method: &'static str, message: String },
    #[error("the browser gave no answer to {method} within {}", human(*waited))]
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
    #[error("the page is not answering; its script may be running without end")]
    PageBusy,
    #[error("the page waits for a server that has not answered; it cannot be read meanwhile")]
    AwaitsServer,

    // Navigation.
    #[error("the navigation failed: {reason}")]
    NavigationFailed { reason: String },
    #[error("the page did not load within {}", human(*waited))]
    NavigationSlow { waited: Duration },
    #[error("{reason}")]
    RequestFailed { reason: String },
    #[error("this address is refused: {reason}")]
    UrlRefused { reason: String },
    #[error("there is no page to go {direction} to")]
    NoHistory { direction: &'static str },

    // Elements.
    #[error("{target} is no longer on the page{}", again.as_ref().map(|again| format!("; in its place is {again}")).unwrap_or_default())]
    StaleRef {
        target: String,
        /// The only one of the same role and name that is there now.
        again: Option<String>,
    },
    #[error("{target} is not a ref of this page: {reason}")]
    UnknownRef { target: String, reason: String },
    #[strum(serialize = "unknown_ref")]
    #[error("this stands for nothing on the page: a ref looks like c0p0f0e12, and as a selector it {reason}")]
    NoTarget { reason: String },
    #[error("no element was found within {}", human(*waited))]
    ElementNotFound { waited: Duration },
    #[error("the selector matches {count} elements where one is needed")]
    NotUnique { count: usize, previews: Vec<String>, ways: Vec<String> },
    #[error("the selector matches {count} elements: {}", matches.join("; "))]
    SeveralMatch { count: usize, matches: Vec<String> },
    #[error("the selector cannot be read: {reason}")]
    InvalidSelector { fault: SelectorFault, reason: String },
    #[error("the element {obstacle} after {}", human(*waited))]
    NotActionable { obstacle: Obstacle, waited: Duration },
    #[strum(serialize = "not_actionable")]
    #[error("the press did not reach the element: {cover} came over it at the last moment")]
    PressMissed { cover: Box<Cover> },
    #[strum(serialize = "not_actionable")]
    #[error("the element {obstacle}; the page shows {shown} in its place")]
    KeptBack { obstacle: Obstacle, shown: String },
    #[error("the element is {found}, where {needed} is needed")]
    WrongElement { found: ElementKind, needed: Needed },
    #[error("{what} did not move: {reason}")]
    DidNotMove { what: String, reason: String },
    #[error("there is no such option; {}", options_told(available))]
    NoSuchOption { available: Vec<String> },
    #[error("several options are like that: {}", listed(matching))]
    SeveralOptions { matching: Vec<String> },
    #[error("the page did not take it; the field shows {}", shown_told(shows))]
    NotTaken { shows: String },
    #[strum(serialize = "not_taken")]
    #[error(
        "the page moved the focus while the text was typed: the field shows {}, and a part went into {}",
        shown_told(shows),
        listed_plain(into)
    )]
    Strayed { shows: String, into: Vec<String> },
    #[strum(serialize = "wrong_element")]
    #[error(
        "this field takes no {what}, whose key would leave it or send the form; leave it out, and use submit for Enter"
    )]
    TakesNoKey { what: &'static str },
    #[error("{} of {count} fields could not be filled:\n{}", problems.len(), problems.iter().map(|problem| format!("- {problem}")).collect::<Vec<_>>().join("\n"))]
    FormIncomplete { problems: Vec<String>, count: usize },

    // What a page asks of a person.
    #[error("a dialog is open: {kind} {}", question(kind, message))]
    DialogOpen { kind: String, message: String },
    #[strum(serialize = "dialog_open")]
    #[error(
        "a dialog is open in another tab, and the page stands still until it is answered: {kind} {}",
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
        wall: String,
        url: String,
        link: Option<Box<PersonLink>>,
    },
    #[error("nobody dealt with what the page asks for within {}", human(*waited))]
    PersonAway { kind: &'static str, waited: Duration },
    #[error("a person is working on the page")]
    PersonHasControl,
    #[error("the site's robots.txt does not allow this address")]
    RobotsDisallow,
    #[error("this needs the user's consent: {reason}")]
    NotAllowed { reason: &'static str },

    // Secrets.
    #[error("there is no secret named {}; there are {}", in_quotes(name), known.join(", "))]
    UnknownSecret { name: String, known: Vec<String> },
    #[error("the secret {name} is not typed here: {reason}")]
    SecretRefused { name: String, reason: String },
    #[error("the page shows a secret, and {what} would show it, too")]
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
        "there is no key named {}; keys are named as in KeyboardEvent.key: Enter, ArrowLeft, a, F5",
        in_quotes(name)
    )]
    UnknownKey { name: String },
    #[error("{what} did not happen within {}", human(*waited))]
    WaitRanOut { what: String, waited: Duration },
    #[strum(serialize = "wait_ran_out")]
    #[error("no download ended within {}", human(*waited))]
    DownloadAway { waited: Duration },
    #[strum(serialize = "wait_ran_out")]
    #[error("the answer did not come within {}", human(*waited))]
    AnswerLate { waited: Duration },
    #[error("not as expected within {}: {what}{received}", human(*waited))]
    NotAsExpected { what: String, received: String, waited: Duration },
    #[error("the call was cancelled")]
    Cancelled,
    #[error("the tool itself broke, which is a mistake in patchright-mcp")]
    Broken,
    #[error("{what} cannot be done here: {reason}")]
    Unsupported { what: &'static str, reason: String },
    #[strum(serialize = "unsupported")]
    #[error("{what} cannot be had in WebKit: {reason}")]
    NotInWebkit { what: String, reason: &'static str },
    #[strum(serialize = "unsupported")]
    #[error("{what} cannot be had in Firefox; {instead}")]
    NotInFirefox { what: String, instead: String },

    // Contexts and tabs.
    #[error("there is no context named {}", in_quotes(name))]
    UnknownContext { name: String },
    #[error("a context named {} already exists", in_quotes(name))]
    ContextExists { name: String },
    #[error("Cannot close the only remaining context")]
    OnlyContext,
    #[error("there is no tab {index}; {}", tabs_told(*count))]
    NoSuchTab { index: usize, count: usize },
    #[strum(serialize = "no_such_tab")]
    #[error("there is no tab named {}; {}", in_quotes(tab), open_tabs_told(open))]
    UnknownTab { tab: String, open: Vec<String> },
    #[error("no page is open")]
    NoPage,
    #[error("{limit} tabs are open, as many as there may be")]
    TooManyTabs { limit: usize },
    #[error("there are {limit} contexts, as many as there may be")]
    TooManyContexts { limit: usize },
    #[error("the open pages take {used_mb} MB of memory, where {limit_mb} MB are the most")]
    MemoryShort { used_mb: u64, limit_mb: u64 },
}

/// Where a person can do what is needed, and what is asked there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PersonLink {
    pub url: String,
    /// What to enter, unless somebody has entered it.
    pub code: Option<String>,
    pub seconds: u64,
}

impl Error {
    /// The stable name of this failure, such as `stale_ref`.
    pub fn code(&self) -> &'static str {
        self.into()
    }

    /// What the caller can try next.
    pub fn hint(&self) -> Option<&'static str> {
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
                "ask the user to start it, to allow remote debugging at chrome://inspect/#remote-debugging, and to say yes when it asks"
            }
            Self::BrowserGone { .. } | Self::BrowserNotListening => {
                "call again: the next call starts a fresh browser"
            }
            Self::UnsupportedBrowser { .. } => "this build drives chromium, chrome, msedge and firefox",
            Self::PoolFull => "close a session, or call again later",
            Self::StateUnavailable { .. } => "call again in a few seconds",
            Self::LeaseLost | Self::ReplicaGone => {
                "take a new snapshot to see how the page stands, then go on"
            }
            Self::NoAnswer { .. } | Self::PageBusy => {
                "take a new snapshot: what was begun may have been done; if the page still does not answer, navigate it elsewhere or close it"
            }
            Self::AwaitsServer => "wait and take a snapshot, or navigate elsewhere",
            Self::UnknownTab { .. } => "list the tabs with browser_tabs",
            Self::PageClosed | Self::NoPage => "open a page with browser_navigate",
            Self::PageCrashed => "navigate again to bring the page back",
            Self::StaleRef { again: Some(_), .. } => "use that ref, if it is what you mean",
            Self::FrameDetached | Self::DocumentGone | Self::StaleRef { .. } | Self::UnknownRef { .. } => {
                "take a new snapshot and use a ref from it"
            }
            Self::NoTarget { .. } => {
                "find it with browser_find or a snapshot and use its ref; selectors look like button:has-text(\"Save\"), text=Save, role=button[name=\"Save\"], #id"
            }
            Self::SeveralMatch { .. } => "use the ref of one of them, or a narrower selector",
            Self::NotActionable { obstacle, .. } => return obstacle.hint(),
            Self::PressMissed { .. } => "take a snapshot to see what that is, and click again",
            Self::KeptBack { .. } => "use that ref",
            Self::PersonNeeded { link: Some(_), .. } => {
                "give the user the link and the code, and call again when they say that it is done"
            }
            Self::PersonHasControl => "wait until they are done, then call again",
            Self::PersonNeeded { .. } => "ask the user to do it in a visible browser, or use another source",
            Self::DialogOpen { .. } => "answer it with browser_handle_dialog",
            Self::DialogElsewhere { .. } => {
                "answer it with browser_handle_dialog and that tab, or select it first"
            }
            Self::NoFileChooser => "click what opens one first",
            Self::WrongElement { needed: Needed::NativeSelect | Needed::List, .. } => {
                "click the list open and choose in it"
            }
            Self::WrongElement { needed, .. } if needed.is_value() => "write it so, or as people do",
            Self::WrongElement { needed: Needed::Text, found } if found.is_button() => {
                "click it; or give it files with the type \"file\" if it asks for them"
            }
            Self::WrongElement { .. } => "take a snapshot and use the ref of such an element",
            Self::NoSuchOption { available } if available.is_empty() => {
                "fill first what the options depend on, or click it and take a snapshot"
            }
            Self::NoSuchOption { .. } | Self::SeveralOptions { .. } => "give one of them in full",
            Self::NotTaken { .. } => "click it, take a snapshot, and use what it opens; or type slowly",
            Self::WaitRanOut { .. } | Self::NotAsExpected { .. } => {
                "take a snapshot to see what the page shows instead"
            }
            Self::DownloadAway { .. } => {
                "give it a longer timeout if one goes on; else do what starts it, and see with browser_network_requests what was answered"
            }
            Self::AnswerLate { .. } => {
                "give it a longer timeout; the server may have done what was asked all the same"
            }
            Self::NavigationSlow { .. } => "take a snapshot to see what has come so far, or navigate again",
            Self::NoHistory { .. } => "navigate to an address instead",
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
            Self::NotAllowed { .. } => {
                "tell the user what you want to do, and why; do not look for another way"
            }
            Self::SecretRefused { .. } => {
                "type it where it belongs; the user says where that is, with --secrets"
            }
            Self::SecretShown { .. } => "clear the field that shows it, or leave the page, first",
            _ => return None,
        })
    }
}

/// What keeps an element from being acted on right now.
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
    #[strum(to_string = "was covered by {0}")]
    CoveredBy(Box<Cover>),
    /// A handler of the user's for what comes up in the way: it has not ended, or what it is for is still seen.
    #[strum(to_string = "had to wait for the handler of {by}")]
    Handled { by: String, finished: bool },
}

/// The element that lies over the one that is meant.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cover {
    pub tag: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    #[serde(default)]
    pub classes: Vec<String>,
    /// What is hit, as a debugger shows it, and what it is part of that does not hold the element that is meant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shown: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<String>,
}

/// `<div#veil.dark>`; "another element" where the browser does not say which.
impl fmt::Display for Cover {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.tag.is_empty() {
            return f.write_str("another element");
        }
        write!(f, "<{}", self.tag)?;
        self.id.iter().try_for_each(|id| write!(f, "#{id}"))?;
        self.classes.iter().try_for_each(|class| write!(f, ".{class}"))?;
        f.write_str(">")
    }
}

/// What is wrong with a selector, as far as callers can tell it apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr, strum::EnumString)]
#[strum(serialize_all = "snake_case")]
pub enum SelectorFault {
    UnknownEngine,
    /// `nth` beside a part that is captured.
    CapturedNth,
    /// A selector by layout that stands alone.
    LayoutAlone,
    /// The browser's own parser refuses it.
    InvalidCss,
    /// A character, counted from 1, that does not belong there.
    Unexpected {
        at: usize,
    },
    EmptyPart,
    Other,
}

impl Obstacle {
    /// The stable name of this obstacle, such as `covered_by`.
    pub fn code(&self) -> &'static str {
        ObstacleKind::from(self).into()
    }

    /// What the caller can try next.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::CoveredBy(_) => Some("close what covers it, or scroll"),
            Self::Handled { finished: false, .. } => {
                Some("have the handler end sooner, or give the action more time")
            }
            Self::Handled { finished: true, .. } => {
                Some("have the handler hide what it is called for, or do not wait for that")
            }
            Self::Hidden => Some("make it visible first; a menu may need opening"),
            Self::Silent => Some(
                "take a new snapshot; if the page still does not answer, navigate it elsewhere or close it",
            ),
            Self::Disabled => Some("do first what enables it, such as filling in what is required"),
            Self::ReadOnly => Some("look for what opens it for editing, such as a button beside it"),
            Self::Moving => Some("wait until it rests, or close what moves it"),
            Self::OutsideViewport => Some("make the page larger, or open what holds it"),
            Self::Missing => Some("take a new snapshot and use a ref from it"),
        }
    }
}

/// The options that there are, as far as an error has room for them.
fn options_told(available: &[String]) -> String {
    if available.is_empty() {
        "none is offered".to_owned()
    } else {
        format!("the options are: {}", listed(available))
    }
}

const MOST_LISTED: usize = 30;
const LONGEST_LISTED: usize = 60;

/// What a page wrote, quoted, each on no more than a part of a line.
pub(crate) fn listed(texts: &[String]) -> String {
    let mut told: Vec<_> = texts.iter().take(MOST_LISTED).map(|text| quoted(text, LONGEST_LISTED)).collect();
    if texts.len() > MOST_LISTED {
        told.push(format!("and {} more", texts.len() - MOST_LISTED));
    }
    told.join(", ")
}

/// A text in which white space counts once.
pub(crate) fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What a page wrote, quoted and on one line.
pub(crate) fn quoted(text: &str, longest: usize) -> String {
    quoted_as_is(&squeezed(text), longest)
}

/// The same, with the line breaks of what was written in a field.
pub(crate) fn quoted_lines(text: &str, longest: usize) -> String {
    quoted_as_is(&text.trim().lines().map(squeezed).collect::<Vec<_>>().join("\n"), longest)
}

fn quoted_as_is(plain: &str, longest: usize) -> String {
    match plain.char_indices().nth(longest) {
        Some((end, _)) => in_quotes(&format!("{}…", &plain[..end])),
        None => in_quotes(plain),
    }
}

/// A text in quotation marks, on one line. All writing systems stand as they are; what could end the quotation, the line
/// or the direction of reading is escaped.
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

/// Whether a character ends a line, or turns the direction in which what follows is read.
fn turns_direction(character: char) -> bool {
    matches!(
        character,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    )
}

/// What a dialog asks. Before a page is left the browser asks in words of its own, which it does not tell.
pub(crate) fn question(kind: &str, message: &str) -> String {
    match (kind, message) {
        ("beforeunload", "") => "(accept leaves the page, dismiss stays)".to_owned(),
        _ => in_quotes(message),
    }
}

fn listed_plain(texts: &[String]) -> String {
    texts.join("; ")
}

fn shown_told(shows: &str) -> String {
    if shows.trim().is_empty() { "nothing".to_owned() } else { quoted(shows, LONGEST_LISTED) }
}

/// `5 s`, `1.5 s`, `200 ms`.
pub(crate) fn human(duration: Duration) -> String {
    let ms = duration.as_millis();
    if ms < 1000 {
        format!("{ms} ms")
    } else {
        format!("{} s", (duration.as_secs_f64() * 100.0).round() / 100.0)
    }
}

fn open_tabs_told(open: &[String]) -> String {
    if open.is_empty() { "no tab is open".to_owned() } else { format!("the tabs are {}", open.join(", ")) }
}

fn tabs_told(count: usize) -> String {
    match count {
        0 => "no tab is open".to_owned(),
        1 => "the only tab is 0".to_owned(),
        _ => format!("the tabs are 0 to {}", count - 1),
    }
}
