//! What Firefox does not support, in the user's words, with an alternative.
use std::borrow::Cow;

use crate::error::Error;

/// A feature without a WebDriver BiDi command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lack {
    /// The subject of the error "… is not available in Firefox".
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

pub const MOBILE: Lack =
    Lack::new("a mobile layout", "set the viewport and user agent of a phone, or use chromium for that");
pub const TOUCH: Lack = Lack::new("a touch screen", "click, or use chromium for that");
pub const NO_SCRIPTS: Lack = Lack::of("disabling JavaScript");
pub const BYPASSED_CSP: Lack = Lack::of("bypassing the content security policy");
pub const MEDIA: Lack = Lack::of("emulating a medium, color scheme or preference");
pub const SLOW_PROCESSOR: Lack = Lack::of("CPU throttling");
pub const SLOW_NETWORK: Lack =
    Lack::new("network throttling", "delay requests with a route, or use chromium for that");
pub const GROUND: Lack = Lack::of("a screenshot with another background");
pub const PDF_HEADER: Lack =
    Lack::new("a PDF with a header or a footer", "print it without them, or use chromium for that");
pub const PDF_TAGS: Lack = Lack::new("a PDF with tags", "print it without them, or use chromium for that");
pub const PDF_OUTLINE: Lack =
    Lack::new("a PDF with an outline", "print it without one, or use chromium for that");
pub const CRASH: Lack = Lack::of("crashing a page on demand");
pub const REFERRER: Lack =
    Lack::new("a navigation with a referrer", "follow a link of that page, or use chromium for that");
pub const DROP: Lack =
    Lack::new("native drag and drop", "look for buttons or keys that do the same, or use chromium for that");
pub const FINGERS: Lack = Lack::of("multi-touch input");
pub const STOPPED_DOWNLOAD: Lack = Lack::new("stopping a download", "let it finish, then delete the file");
pub const LISTENERS: Lack = Lack::of("listing the event listeners of a node");
pub const HELD_BODY: Lack = Lack::of("the body of an intercepted response");
pub const BINDING: Lack = Lack::of("exposing exposing a function in all worlds of a page");
pub const RAW_SESSION: Lack = Lack::of("a DevTools protocol session");

/// An unsupported permission, by its name in the permissions API.
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
    name.chars().fold(String::new(), |mut text, letter| {
        if letter.is_ascii_uppercase() {
            text.push('-');
        }
        text.push(letter.to_ascii_lowercase());
        text
    })
}

pub(super) fn key(name: &str) -> Lack {
    Lack { what: format!("pressing the key {name:?}").into(), instead: ELSEWHERE }
}

/// Missing features by CDP command or domain; the first match decides.
static BY_COMMAND: [(&str, Lack); 19] = [
    (
        "Browser.setWindowBounds",
        Lack::new("moving or resizing the window", "set the viewport, or use chromium for that"),
    ),
    (
        "CSS.",
        Lack::new(
            "listing the CSS rules of an element",
            "evaluate `getComputedStyle`, or use chromium for that",
        ),
    ),
    ("DOMSnapshot.", Lack::of("a layout snapshot")),
    ("Debugger.", Lack::of("a debugger")),
    ("IO.", Lack::of("reading a stream of the browser")),
    (
        "Input.imeSetComposition",
        Lack::new("composing text with an input method", "insert the text, or use chromium for that"),
    ),
    ("Network.loadNetworkResource", Lack::of("a source map that the page does not request")),
    ("Overlay.", Lack::of("highlighting or picking an element")),
    (
        "Page.captureSnapshot",
        Lack::new("saving a page as one file", "print it to PDF, or use chromium for that"),
    ),
    (
        "Page.getResourceContent",
        Lack::new("reading the source of a loaded script", "fetch its URL, or use chromium for that"),
    ),
    ("Performance.", Lack::of("measuring performance")),
    ("Profiler.", Lack::of("measuring code coverage")),
    ("Runtime.getHeapUsage", Lack::of("measuring memory")),
    ("Runtime.getIsolateId", Lack::of("measuring memory")),
    ("Security.", Lack::of("handling a certificate error")),
    ("Target.attachTo", RAW_SESSION),
    ("Tracing.", Lack::of("a performance trace")),
    ("WebAuthn.", Lack::of("a virtual passkey")),
    ("WebMCP.", Lack::of("WebMCP")),
];

/// The missing feature that a CDP command belongs to.
pub(super) fn of_command(method: &str) -> Lack {
    let known = BY_COMMAND.iter().find(|(name, _)| method.starts_with(name));
    known.map_or_else(|| Lack::of("a required browser feature"), |(_, lack)| lack.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_known_by_their_names_or_their_domains() {
        assert_eq!(of_command("Page.captureSnapshot").what, "saving a page as one file");
        assert_eq!(of_command("WebAuthn.enable").what, "a virtual passkey");
        assert_eq!(of_command("No.such").what, "a required browser feature");
    }

    #[test]
    fn permissions_have_the_names_that_users_give_them() {
        assert_eq!(permission("videoCapture").what, "granting the permission \"camera\"");
        assert_eq!(permission("idleDetection").what, "granting the permission \"idle-detection\"");
    }
}
