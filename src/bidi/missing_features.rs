//! Features that Firefox does not support, with the alternatives that error messages suggest.
use std::borrow::Cow;

use crate::error::Error;

/// A feature for which WebDriver BiDi has no command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingFeature {
    /// The subject of the error "… is not available in Firefox".
    pub what: Cow<'static, str>,
    pub instead: &'static str,
}

impl MissingFeature {
    const fn new(what: &'static str, instead: &'static str) -> Self {
        Self { what: Cow::Borrowed(what), instead }
    }

    const fn of(what: &'static str) -> Self {
        Self::new(what, ELSEWHERE)
    }
}

impl From<MissingFeature> for Error {
    fn from(lack: MissingFeature) -> Self {
        Self::NotInFirefox { what: lack.what.into_owned(), instead: lack.instead.to_owned() }
    }
}

const ELSEWHERE: &str = "use chromium for that";

pub const MOBILE: MissingFeature = MissingFeature::new(
    "a mobile layout",
    "set the viewport and user agent of a phone, or use chromium for that",
);
pub const TOUCH: MissingFeature = MissingFeature::new("a touch screen", "click, or use chromium for that");
pub const DISABLED_JAVASCRIPT: MissingFeature = MissingFeature::of("disabling JavaScript");
pub const BYPASS_CSP: MissingFeature = MissingFeature::of("bypassing the content security policy");
pub const MEDIA: MissingFeature = MissingFeature::of("emulating a medium, color scheme or preference");
pub const CPU_THROTTLING: MissingFeature = MissingFeature::of("CPU throttling");
pub const NETWORK_THROTTLING: MissingFeature =
    MissingFeature::new("network throttling", "delay requests with a route, or use chromium for that");
pub const SCREENSHOT_BACKGROUND: MissingFeature = MissingFeature::of("a screenshot with another background");
pub const PDF_HEADER: MissingFeature =
    MissingFeature::new("a PDF with a header or a footer", "print it without them, or use chromium for that");
pub const PDF_TAGS: MissingFeature =
    MissingFeature::new("a PDF with tags", "print it without them, or use chromium for that");
pub const PDF_OUTLINE: MissingFeature =
    MissingFeature::new("a PDF with an outline", "print it without one, or use chromium for that");
pub const CRASH: MissingFeature = MissingFeature::of("crashing a page on demand");
pub const REFERRER: MissingFeature = MissingFeature::new(
    "a navigation with a referrer",
    "follow a link of that page, or use chromium for that",
);
pub const DRAG_AND_DROP: MissingFeature = MissingFeature::new(
    "native drag and drop",
    "look for buttons or keys that do the same, or use chromium for that",
);
pub const MULTI_TOUCH: MissingFeature = MissingFeature::of("multi-touch input");
pub const CANCEL_DOWNLOAD: MissingFeature =
    MissingFeature::new("stopping a download", "let it finish, then delete the file");
pub const LISTENERS: MissingFeature = MissingFeature::of("listing the event listeners of a node");
pub const INTERCEPTED_RESPONSE_BODY: MissingFeature =
    MissingFeature::of("the body of an intercepted response");
pub const BINDING: MissingFeature =
    MissingFeature::of("exposing exposing a function in all worlds of a page");
pub const CDP_SESSION: MissingFeature = MissingFeature::of("a DevTools protocol session");

/// Returns the missing feature for an unsupported permission, given its CDP name.
pub(super) fn permission(name: &str) -> MissingFeature {
    let known = match name {
        "audioCapture" => "microphone".to_owned(),
        "videoCapture" => "camera".to_owned(),
        "clipboardReadWrite" => "clipboard-read".to_owned(),
        "clipboardSanitizedWrite" => "clipboard-write".to_owned(),
        other => with_hyphens(other),
    };
    MissingFeature { what: format!("granting the permission {known:?}").into(), instead: ELSEWHERE }
}

/// Converts a CDP permission name such as `idleDetection` to the web's name `idle-detection`.
fn with_hyphens(name: &str) -> String {
    name.chars().fold(String::new(), |mut text, letter| {
        if letter.is_ascii_uppercase() {
            text.push('-');
        }
        text.push(letter.to_ascii_lowercase());
        text
    })
}

pub(super) fn key(name: &str) -> MissingFeature {
    MissingFeature { what: format!("pressing the key {name:?}").into(), instead: ELSEWHERE }
}

/// Missing features by CDP command or domain prefix. The first match applies.
static BY_COMMAND: [(&str, MissingFeature); 19] = [
    (
        "Browser.setWindowBounds",
        MissingFeature::new("moving or resizing the window", "set the viewport, or use chromium for that"),
    ),
    (
        "CSS.",
        MissingFeature::new(
            "listing the CSS rules of an element",
            "evaluate `getComputedStyle`, or use chromium for that",
        ),
    ),
    ("DOMSnapshot.", MissingFeature::of("a layout snapshot")),
    ("Debugger.", MissingFeature::of("a debugger")),
    ("IO.", MissingFeature::of("reading a stream of the browser")),
    (
        "Input.imeSetComposition",
        MissingFeature::new(
            "composing text with an input method",
            "insert the text, or use chromium for that",
        ),
    ),
    ("Network.loadNetworkResource", MissingFeature::of("a source map that the page does not request")),
    ("Overlay.", MissingFeature::of("highlighting or picking an element")),
    (
        "Page.captureSnapshot",
        MissingFeature::new("saving a page as one file", "print it to PDF, or use chromium for that"),
    ),
    (
        "Page.getResourceContent",
        MissingFeature::new(
            "reading the source of a loaded script",
            "fetch its URL, or use chromium for that",
        ),
    ),
    ("Performance.", MissingFeature::of("measuring performance")),
    ("Profiler.", MissingFeature::of("measuring code coverage")),
    ("Runtime.getHeapUsage", MissingFeature::of("measuring memory")),
    ("Runtime.getIsolateId", MissingFeature::of("measuring memory")),
    ("Security.", MissingFeature::of("handling a certificate error")),
    ("Target.attachTo", CDP_SESSION),
    ("Tracing.", MissingFeature::of("a performance trace")),
    ("WebAuthn.", MissingFeature::of("a virtual passkey")),
    ("WebMCP.", MissingFeature::of("WebMCP")),
];

/// Returns the missing feature for an unsupported CDP command.
pub(super) fn of_command(method: &str) -> MissingFeature {
    let known = BY_COMMAND.iter().find(|(name, _)| method.starts_with(name));
    known.map_or_else(|| MissingFeature::of("a required browser feature"), |(_, lack)| lack.clone())
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
