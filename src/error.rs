//! Every way an operation can fail.
//!
//! The wording is part of the design: no message contains a word that the login cooldown listens for, and none
//! repeats a URL or a selector. Callers who need those have them already.
use std::time::Duration;

pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why an operation failed. Codes are a promise to callers; messages may improve.
#[derive(Debug, Clone, thiserror::Error, strum::IntoStaticStr, strum::VariantNames)]
#[strum(serialize_all = "snake_case")]
#[non_exhaustive]
pub enum Error {
    // The browser as a whole.
    #[error("no Chromium, Chrome or Edge was found; looked at: {}", looked.join(", "))]
    BrowserNotFound { looked: Vec<String> },
    #[error("the browser did not start: {reason}")]
    BrowserLaunch { reason: String },
    #[error("Chromium could not be downloaded: {reason}")]
    BrowserInstall { reason: String },
    #[error("a visible window needs a display, and DISPLAY is not set")]
    NoDisplay,
    #[error("the profile is in use by {holder}")]
    ProfileInUse { holder: String },
    #[error("the browser is gone: {reason}")]
    BrowserGone { reason: String },
    #[error("this build does not drive {browser}")]
    UnsupportedBrowser { browser: String },

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
    #[error("{target} is no longer on the page")]
    StaleRef { target: String },
    #[error("{target} is not a ref of this page: {reason}")]
    UnknownRef { target: String, reason: String },
    #[error("no element was found within {}", human(*waited))]
    ElementNotFound { waited: Duration },
    #[error("the selector matches {count} elements where one is needed")]
    NotUnique { count: usize, previews: Vec<String>, ways: Vec<String> },
    #[error("the selector cannot be read: {reason}")]
    InvalidSelector { reason: String },
    #[error("the element {obstacle} after {}", human(*waited))]
    NotActionable { obstacle: Obstacle, waited: Duration },
    #[error("the element is {found}, where {needed} is needed")]
    WrongElement { found: String, needed: &'static str },
    #[error("there is no such option; {}", options_told(available))]
    NoSuchOption { available: Vec<String> },
    #[error("several options are like that: {}", listed(matching))]
    SeveralOptions { matching: Vec<String> },
    #[error("the page did not take it; the field shows {}", shown_told(shows))]
    NotTaken { shows: String },
    #[error("{} of {count} fields could not be filled:\n{}", problems.len(), problems.iter().map(|problem| format!("- {problem}")).collect::<Vec<_>>().join("\n"))]
    FormIncomplete { problems: Vec<String>, count: usize },

    // What a page asks of a person.
    #[error("a dialog is open: {kind} {message:?}")]
    DialogOpen { kind: String, message: String },
    #[error("no dialog is open")]
    NoDialog,
    #[error("no file chooser is open and the page has no file input")]
    NoFileChooser,

    #[error("the page asks {what} first")]
    PersonNeeded { kind: &'static str, what: &'static str, wall: String, url: String },
    #[error("nobody dealt with what the page asks for within {}", human(*waited))]
    PersonAway { kind: &'static str, waited: Duration },
    #[error("the site's robots.txt does not allow this address")]
    RobotsDisallow,

    // Scripts.
    #[error("{message}")]
    Script { message: String },

    // Files and arguments.
    #[error("{path}: {reason}")]
    File { path: String, reason: String },
    #[error("{}", problems.join("\n"))]
    InvalidArguments { problems: Vec<String> },
    #[error("{what} did not happen within {}", human(*waited))]
    WaitRanOut { what: String, waited: Duration },
    #[error("the call was cancelled")]
    Cancelled,
    #[error("the tool itself broke, which is a mistake in patchright-mcp")]
    Broken,
    #[error("{what} cannot be done here: {reason}")]
    Unsupported { what: &'static str, reason: String },

    // Contexts and tabs.
    #[error("there is no context named {name:?}")]
    UnknownContext { name: String },
    #[error("a context named {name:?} already exists")]
    ContextExists { name: String },
    #[error("Cannot close the only remaining context")]
    OnlyContext,
    #[error("there is no tab {index}; {}", tabs_told(*count))]
    NoSuchTab { index: usize, count: usize },
    #[error("no page is open")]
    NoPage,
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
            Self::BrowserInstall { .. } => {
                "install Chromium or Chrome with the system's package manager, name one with --executable-path, or a mirror with --download-host"
            }
            Self::NoDisplay => "set DISPLAY, run under xvfb-run, or use --headless",
            Self::ProfileInUse { .. } => "close that browser, or use another --user-data-dir",
            Self::BrowserGone { .. } => "call again: the next call starts a fresh browser",
            Self::UnsupportedBrowser { .. } => "this build drives chromium, chrome and msedge",
            Self::NoAnswer { .. } | Self::PageBusy => "close the page or navigate it elsewhere",
            Self::PageClosed | Self::NoPage => "open a page with browser_navigate",
            Self::PageCrashed => "navigate again to bring the page back",
            Self::FrameDetached | Self::DocumentGone | Self::StaleRef { .. } | Self::UnknownRef { .. } => {
                "take a new snapshot and use a ref from it"
            }
            Self::NotActionable { obstacle, .. } => return obstacle.hint(),
            Self::PersonNeeded { .. } => "ask the user to do it in a visible browser, or use another source",
            Self::DialogOpen { .. } => "answer it with browser_handle_dialog",
            Self::NoFileChooser => "click what opens one first",
            Self::WrongElement { needed: "a native select" | "a list to choose from", .. } => {
                "click the list open and choose in it"
            }
            Self::WrongElement { needed, .. } if needed.contains("such as") || needed.contains("number") => {
                "write it so, or as people do"
            }
            Self::WrongElement { .. } => "take a snapshot and use the ref of such an element",
            Self::NoSuchOption { available } if available.is_empty() => {
                "fill first what the options depend on, or click it and take a snapshot"
            }
            Self::NoSuchOption { .. } | Self::SeveralOptions { .. } => "give one of them in full",
            Self::NotTaken { .. } => "click it, take a snapshot, and use what it opens; or type slowly",
            Self::WaitRanOut { .. } => "take a snapshot to see what the page shows instead",
            Self::NavigationSlow { .. } => "take a snapshot to see what has come so far, or navigate again",
            Self::NoHistory { .. } => "navigate to an address instead",
            Self::UnknownContext { .. } => "list the contexts with browser_context_list",
            Self::OnlyContext => "create another one first",
            _ => return None,
        })
    }
}

/// What keeps an element from being acted on right now.
#[derive(Debug, Clone, PartialEq, Eq, strum::Display)]
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
    CoveredBy(String),
}

impl Obstacle {
    /// What the caller can try next.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::CoveredBy(_) => Some("close what covers it, or scroll"),
            Self::Hidden => Some("make it visible first; a menu may need opening"),
            Self::Silent => Some("close the page or navigate it elsewhere"),
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

/// What a page wrote, quoted and on one line.
pub(crate) fn quoted(text: &str, longest: usize) -> String {
    let plain = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match plain.char_indices().nth(longest) {
        Some((end, _)) => format!("{:?}", format!("{}…", &plain[..end])),
        None => format!("{plain:?}"),
    }
}

fn shown_told(shows: &str) -> String {
    if shows.trim().is_empty() { "nothing".to_owned() } else { quoted(shows, LONGEST_LISTED) }
}

/// `5 s`, `1.5 s`, `200 ms`.
pub(crate) fn human(duration: Duration) -> String {
    let ms = duration.as_millis();
    if ms < 1000 { format!("{ms} ms") } else { format!("{} s", duration.as_secs_f64()) }
}

fn tabs_told(count: usize) -> String {
    match count {
        0 => "no tab is open".to_owned(),
        1 => "the only tab is 0".to_owned(),
        _ => format!("the tabs are 0 to {}", count - 1),
    }
}
