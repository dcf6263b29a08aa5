//! Log entries: as the browser reports them, and as we pass them on.
use std::sync::LazyLock;

use regex::Regex;

use crate::browser::objects::page::Page;
use crate::browser::objects::worker::Worker;
use crate::browser::scripts::handle::JsHandle;
use crate::cdp::types::runtime::{ConsoleApiCalled, ExceptionThrown};

/// What happens to the console of a context's pages and workers.
#[derive(Debug, Clone)]
pub enum ConsoleEvent {
    /// Something was said that is still looked at. What happens from here on came after it.
    Held(u64),
    /// These were logged; 0 where nothing was held.
    Entries(u64, Vec<ConsoleEntry>),
}

/// Something that a page or a worker logged, or an error that nobody caught.
#[derive(Debug, Clone)]
pub struct ConsoleEntry {
    pub kind: EntryKind,
    pub url: String,
    /// Counted from 0, as the column.
    pub line: i64,
    pub column: i64,
    /// In milliseconds since 1970; 0 where it is not known.
    pub timestamp: f64,
    pub page: Option<Page>,
    pub worker: Option<Worker>,
}

#[derive(Debug, Clone)]
pub enum EntryKind {
    /// By a method of the console, or by the browser itself.
    Logged { kind: String, text: String, arguments: Vec<JsHandle> },
    /// An error that nobody caught, with its stack where there is one.
    Uncaught { text: String },
}

static LOOKS_LIKE_AN_ERROR: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?:Error|Exception)\b").expect("a constant"));

/// What the console's domain, or that of the log, reports: text.
#[derive(Debug)]
pub(super) struct Reported {
    pub(super) level: String,
    pub(super) text: String,
    pub(super) url: String,
    pub(super) line: i64,
    pub(super) column: i64,
    pub(super) timestamp: f64,
    /// Not by a script, but by the browser.
    pub(super) is_of_browser: bool,
}

/// What `Runtime.enable` reports: with the objects.
pub(super) enum Inspected {
    Called(ConsoleApiCalled),
    Thrown(Box<ExceptionThrown>),
}

impl Reported {
    pub(super) fn is_uncaught(&self) -> bool {
        self.text.starts_with("Uncaught") && self.level == "log" && !self.is_of_browser
    }

    pub(super) fn is_suspicious(&self) -> bool {
        !self.is_of_browser && (self.is_uncaught() || LOOKS_LIKE_AN_ERROR.is_match(&self.text))
    }

    /// Whether this is what the look shows.
    pub(super) fn is(&self, inspected: &Inspected) -> bool {
        match inspected {
            Inspected::Thrown(_) => self.is_uncaught(),
            Inspected::Called(called) => !self.is_uncaught() && self.level == level_of(&called.kind),
        }
    }
}

/// The console's domain knows five levels only.
fn level_of(kind: &str) -> &str {
    match kind {
        "debug" | "count" | "timeEnd" => "debug",
        "error" | "assert" => "error",
        "warning" => "warning",
        "info" => "info",
        _ => "log",
    }
}
