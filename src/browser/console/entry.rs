//! Console entries: as the browser reports them, and as we pass them on.
use std::sync::LazyLock;

use regex::Regex;

use crate::browser::objects::page::Page;
use crate::browser::objects::worker::Worker;
use crate::browser::scripts::handle::JsHandle;
use crate::cdp::types::runtime::{ConsoleApiCalled, ExceptionThrown};

/// A console event of a context's pages and workers.
#[derive(Debug, Clone)]
pub enum ConsoleEvent {
    /// A message was reported whose objects are being fetched. Later events wait for its entries.
    Held(u64),
    /// New entries, with the number of the held event; 0 if none was held.
    Entries(u64, Vec<ConsoleEntry>),
}

/// A message logged by a page or worker, or an uncaught error.
#[derive(Debug, Clone)]
pub struct ConsoleEntry {
    pub kind: EntryKind,
    pub url: String,
    /// Line, counted from 0; likewise the column.
    pub line: i64,
    pub column: i64,
    /// In milliseconds since 1970; 0 if unknown.
    pub timestamp: f64,
    pub page: Option<Page>,
    pub worker: Option<Worker>,
}

#[derive(Debug, Clone)]
pub enum EntryKind {
    /// Logged by a method of the console, or by the browser itself.
    Logged { kind: String, text: String, arguments: Vec<JsHandle> },
    /// An uncaught error, with its stack if there is one.
    Uncaught { text: String },
}

static LOOKS_LIKE_AN_ERROR: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?:Error|Exception)\b").expect("a constant"));

/// An event of the `Console` or `Log` domain: text only.
#[derive(Debug, Default)]
pub(super) struct Reported {
    pub(super) level: String,
    pub(super) text: String,
    pub(super) url: String,
    pub(super) line: i64,
    pub(super) column: i64,
    pub(super) timestamp: f64,
    /// Whether the browser logged it, and not a script.
    pub(super) is_of_browser: bool,
    /// Its number among the uncaught errors at its place; 0 if its text is known.
    pub(super) number: usize,
}

/// An event of the `Runtime` domain: with objects.
pub(super) enum Inspected {
    Called(ConsoleApiCalled),
    Thrown(Box<ExceptionThrown>),
}

impl Reported {
    pub(super) fn is_uncaught(&self) -> bool {
        self.text.starts_with("Uncaught") && self.level == "log" && !self.is_of_browser
    }

    /// The URL and the line, as the browser's log has them.
    pub(super) fn place(&self) -> (String, i64) {
        (self.url.clone(), self.line + 1)
    }

    pub(super) fn is_suspicious(&self) -> bool {
        !self.is_of_browser && (self.is_uncaught() || LOOKS_LIKE_AN_ERROR.is_match(&self.text))
    }

    /// Whether both events describe the same message.
    pub(super) fn is(&self, inspected: &Inspected) -> bool {
        match inspected {
            Inspected::Thrown(_) => self.is_uncaught(),
            Inspected::Called(called) => !self.is_uncaught() && self.level == level_of(&called.kind),
        }
    }
}

/// The level in the `Console` domain, which has only five.
fn level_of(kind: &str) -> &str {
    match kind {
        "debug" | "count" | "timeEnd" => "debug",
        "error" | "assert" => "error",
        "warning" => "warning",
        "info" => "info",
        _ => "log",
    }
}
