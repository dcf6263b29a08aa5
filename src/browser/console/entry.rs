//! Console entries: CDP events, and the events for subscribers.
use std::sync::LazyLock;

use regex::Regex;

use crate::browser::objects::page::Page;
use crate::browser::objects::worker::Worker;
use crate::browser::scripts::handle::JsHandle;
use crate::cdp::types::runtime::{ConsoleApiCalled, ExceptionThrown};

/// A console event of a context's pages and workers.
#[derive(Debug, Clone)]
pub enum ConsoleEvent {
    /// The objects of the batch with this number are being fetched. Its entries come before later events.
    Held(u64),
    /// New entries, with the number of their batch; 0 if they belong to none.
    Entries(u64, Vec<ConsoleEntry>),
}

/// A message logged by a page or worker, or an uncaught error.
#[derive(Debug, Clone)]
pub struct ConsoleEntry {
    pub kind: EntryKind,
    pub url: String,
    /// The line; line and column are counted from 0.
    pub line: i64,
    pub column: i64,
    /// The time in milliseconds since 1970; 0 if unknown.
    pub timestamp: f64,
    pub page: Option<Page>,
    pub worker: Option<Worker>,
}

#[derive(Debug, Clone)]
pub enum EntryKind {
    /// A message logged by a `console` method, or by the browser itself.
    Logged { kind: String, text: String, arguments: Vec<JsHandle> },
    /// An uncaught error. The text includes the stack, if the error has one.
    Uncaught { text: String },
}

static LOOKS_LIKE_AN_ERROR: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?:Error|Exception)\b").expect("a constant"));

/// An event of CDP's `Console` or `Log` domain, which contains only text.
#[derive(Debug, Default)]
pub(super) struct TextMessage {
    pub(super) level: String,
    pub(super) text: String,
    pub(super) url: String,
    pub(super) line: i64,
    pub(super) column: i64,
    pub(super) timestamp: f64,
    /// Whether the browser logged the message, and not a script.
    pub(super) is_of_browser: bool,
}

/// An event of CDP's `Runtime` domain, which contains the logged objects.
pub(super) enum RuntimeMessage {
    Called(ConsoleApiCalled),
    Thrown(Box<ExceptionThrown>),
}

impl TextMessage {
    pub(super) fn is_uncaught(&self) -> bool {
        self.text.starts_with("Uncaught") && self.level == "log" && !self.is_of_browser
    }

    pub(super) fn is_suspicious(&self) -> bool {
        !self.is_of_browser && (self.is_uncaught() || LOOKS_LIKE_AN_ERROR.is_match(&self.text))
    }

    /// Whether this message, known only as text, and `inspected` can be the same: both have the same level, or both are
    /// uncaught exceptions.
    pub(super) fn is(&self, inspected: &RuntimeMessage) -> bool {
        match inspected {
            RuntimeMessage::Thrown(_) => self.is_uncaught(),
            RuntimeMessage::Called(called) => !self.is_uncaught() && self.level == level_of(&called.kind),
        }
    }
}

/// Maps the type of a `Runtime.consoleAPICalled` event to one of the five levels of the `Console` domain.
fn level_of(kind: &str) -> &str {
    match kind {
        "debug" | "count" | "timeEnd" => "debug",
        "error" | "assert" => "error",
        "warning" => "warning",
        "info" => "info",
        _ => "log",
    }
}
