//! What Firefox cannot be asked for, in the words of who wants it, and what to do instead.
use std::borrow::Cow;

use crate::error::Error;

/// Something for which WebDriver BiDi has no word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lack {
    /// It is the beginning of the sentence that the user reads: "… cannot be had in Firefox".
    pub what: Cow<'static, str>,
    pub instead: &'static str,
}

impl Lack {
    const fn new(what: &'static str, instead: &'static str) -> Self {
        Self { what: Cow::Borrowed(what), instead }
    }

    const fn of(what: &'static str) -> Self {
        Self::new(what, ELSEWHERE)
    }
}

impl From<Lack> for Error {
    fn from(lack: Lack) -> Self {
        Self::NotInFirefox { what: lack.what.into_owned(), instead: lack.instead.to_owned() }
    }
}

const ELSEWHERE: &str = "use chromium for that";

pub const MOBILE: Lack = Lack::new(
    "a page laid out as on a telephone",
    "give a viewport of that size and the telephone's user agent, or use chromium for that",
);
pub const TOUCH: Lack = Lack::new("a screen that can be touched", "click, or use chromium for that");
pub const NO_SCRIPTS: Lack = Lack::of("a page without its scripts");
pub const BYPASSED_CSP: Lack = Lack::of("a page without its content security policy");
pub const MEDIA: Lack = Lack::of("another medium, colour scheme or taste");
pub const SLOW_PROCESSOR: Lack = Lack::of("a slower processor");
pub const SLOW_NETWORK: Lack =
    Lack::new("a slower network", "answer requests late by a route, or use chromium for that");
pub const GROUND: Lack = Lack::of("a picture on another ground");
pub const PDF_HEADER: Lack =
    Lack::new("a PDF with a header or a footer", "print it without them, or use chromium for that");
pub const PDF_TAGS: Lack = Lack::new("a PDF with tags", "print it without them, or use chromium for that");
pub const PDF_OUTLINE: Lack =
    Lack::new("a PDF with an outline", "print it without one, or use chromium for that");
pub const CRASH: Lack = Lack::of("a page that crashes by command");
pub const REFERRER: Lack =
    Lack::new("a navigation with a referrer", "follow a link of that page, or use chromium for that");
pub const DROP: Lack = Lack::new(
    "dropping what a page lets the browser drag",
    "look for buttons or keys that do the same, or use chromium for that",
);
pub const FINGERS: Lack = Lack::of("touching with several fingers");
pub const STOPPED_DOWNLOAD: Lack = Lack::new("stopping a download", "let it end, and remove the file");
pub const LISTENERS: Lack = Lack::of("telling which listeners a node has");
pub const HELD_BODY: Lack = Lack::of("the body of an answer that is held");
pub const BINDING: Lack = Lack::of("a function in all worlds of a page");
pub const RAW_SESSION: Lack = Lack::of("a session of the DevTools protocol");

/// A permission that has no counterpart, by Chromium's name for it: the user knows it by another.
pub(super) fn permission(name: &str) -> Lack {
    let known = match name {
        "audioCapture" => "microphone".to_owned(),
        "videoCapture" => "camera".to_owned(),
        "clipboardReadWrite" => "clipboard-read".to_owned(),
        "clipboardSanitizedWrite" => "clipboard-write".to_owned(),
        other => with_hyphens(other),
    };
    Lack { what: format!("granting the permission {known:?}").into(), instead: ELSEWHERE }
}

/// `idle-detection` for `idleDetection`.
fn with_hyphens(name: &str) -> String {
    name.chars().fold(String::new(), |mut told, letter| {
        if letter.is_ascii_uppercase() {
            told.push('-');
        }
        told.push(letter.to_ascii_lowercase());
        told
    })
}

pub(super) fn key(name: &str) -> Lack {
    Lack { what: format!("pressing the key {name:?}").into(), instead: ELSEWHERE }
}

/// By commands of the DevTools protocol, or by all of one of its domains: the first that fits.
static BY_COMMAND: [(&str, Lack); 19] = [
    (
        "Browser.setWindowBounds",
        Lack::new("another size or place of the window", "set the viewport, or use chromium for that"),
    ),
    (
        "CSS.",
        Lack::new(
            "telling the rules that hold for an element",
            "evaluate `getComputedStyle`, or use chromium for that",
        ),
    ),
    ("DOMSnapshot.", Lack::of("a snapshot of the layout of a page")),
    ("Debugger.", Lack::of("a debugger")),
    ("IO.", Lack::of("reading what the browser keeps")),
    (
        "Input.imeSetComposition",
        Lack::new("writing as with an input method", "insert the text, or use chromium for that"),
    ),
    ("Network.loadNetworkResource", Lack::of("a source map that the page itself does not ask for")),
    ("Overlay.", Lack::of("marking or picking an element over a page")),
    (
        "Page.captureSnapshot",
        Lack::new("a page saved whole as one file", "print it to PDF, or use chromium for that"),
    ),
    (
        "Page.getResourceContent",
        Lack::new("the text of a script that has come", "fetch its address, or use chromium for that"),
    ),
    ("Performance.", Lack::of("what a page takes of time and memory")),
    ("Profiler.", Lack::of("telling which code has run")),
    ("Runtime.getHeapUsage", Lack::of("what a page takes of memory")),
    ("Runtime.getIsolateId", Lack::of("what a page takes of memory")),
    ("Security.", Lack::of("a decision about a certificate")),
    ("Target.attachTo", RAW_SESSION),
    ("Tracing.", Lack::of("a profile of what a page spends its time on")),
    ("WebAuthn.", Lack::of("a passkey that is no person's")),
    ("WebMCP.", Lack::of("tools that a page offers")),
];

/// What a command of the DevTools protocol would have done that has no counterpart.
pub(super) fn of_command(method: &str) -> Lack {
    let known = BY_COMMAND.iter().find(|(name, _)| method.starts_with(name));
    known.map_or_else(|| Lack::of("what this needs"), |(_, lack)| lack.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_known_by_their_names_or_their_domains() {
        assert_eq!(of_command("Page.captureSnapshot").what, "a page saved whole as one file");
        assert_eq!(of_command("WebAuthn.enable").what, "a passkey that is no person's");
        assert_eq!(of_command("No.such").what, "what this needs");
    }

    #[test]
    fn permissions_have_the_names_that_users_give_them() {
        assert_eq!(permission("videoCapture").what, "granting the permission \"camera\"");
        assert_eq!(permission("idleDetection").what, "granting the permission \"idle-detection\"");
    }
}
