//! What was done, written as a test that does it again.
use std::collections::VecDeque;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::browser::input::Point;
use crate::browser::{Found, HandMoves, SecretKind, Way};
use crate::mcp::effect::Effect;

mod recorded;
mod sequel;
mod step;
mod written;

pub use sequel::{Before, Sequel};
pub use step::Step;
use step::whole;

// The language of a script.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ScriptLanguage {
    #[default]
    Python,
    Typescript,
}

/// An element that a call named.
#[derive(Debug)]
pub struct Named {
    found: Found,
    /// What was done to it that has no word of its own.
    pub moves: HandMoves,
}

impl From<Found> for Named {
    fn from(found: Found) -> Self {
        Self { found, moves: HandMoves::default() }
    }
}

/// So much is kept of what was done; the oldest goes first.
const MOST_LINES: usize = 1_000;

/// What was done so far.
#[derive(Debug, Default)]
pub struct Script {
    lines: VecDeque<Line>,
    /// The tab that the last statement left; `None` before there is one, and when it was closed.
    tab: Option<usize>,
    /// The tab that a test begins with. Those that were opened before it no test knows.
    first_tab: usize,
    /// What the last statement led to.
    sequel: Option<Sequel>,
    /// The fields whose text is not written, by what it is.
    secrets: Vec<(SecretKind, Vec<Way>)>,
}

/// A statement.
#[derive(Debug, Clone, PartialEq)]
enum Line {
    Call(Subject, &'static str, Vec<Value>, Vec<(&'static str, Value)>),
    /// The same statement so many times.
    Times(usize, Box<Line>),
    /// The pointer at places that are counted from the upper left corner of an element: there, and on to the other one with the button held.
    Pointer(Subject, Point, Option<Point>),
    /// What the next dialog is answered: the text for it if it is accepted.
    Dialog(Option<Value>),
    /// From here on in the tab of this number, counted from 0 in the order in which they were opened.
    Tab(usize),
    /// From here on in a new tab.
    NewTab,
    /// The tab of this number is closed.
    CloseTab(usize),
    /// A statement with which the page opens a tab.
    Opens(Box<Line>),
    /// A statement that opens a file chooser, and the paths that it was given.
    Chooser(Box<Line>, Value),
    /// What cannot be written.
    Note(String),
}

/// What a statement is about.
#[derive(Debug, Clone, PartialEq)]
enum Subject {
    Page,
    Keyboard,
    Mouse,
    Element(Vec<Way>),
    Text(String),
    Option(String),
    Expected(Box<Subject>, bool),
}

use Subject::{Element, Keyboard, Mouse, Option as Offered, Page};

/// Tools that leave no trace in a script, though they may do more than read.
const SILENT: [&str; 8] = [
    "browser_steps",
    "browser_install",
    "browser_evaluate_handle",
    "browser_export_script",
    "browser_ask_person",
    "browser_record",
    "browser_inspect",
    "browser_picture",
];

impl Script {
    /// Adds what a tool did; `sequel` is what came of it.
    pub fn add(&mut self, tool: &'static str, effect: Effect, step: &Step<'_>, sequel: Option<Sequel>) {
        if tool == "browser_tabs" || tool == "browser_close" {
            return self.manage_tabs(tool, step);
        }
        if let Some(paths) = step.files(tool) {
            self.give_files(paths);
            self.sequel = sequel;
            return;
        }
        let lines = step.lines(tool).unwrap_or_else(|| match effect {
            Effect::Reads => Vec::new(),
            _ if SILENT.contains(&tool) => Vec::new(),
            _ => vec![Line::Note(format!("{tool} was called here, which has no words in a script."))],
        });
        if let Some(last) = lines.last() {
            self.sequel = sequel.filter(|_| last.may_have_sequel());
        }
        // A dialog is answered wherever what opened it was done.
        if lines.iter().any(|line| !matches!(line, Line::Dialog(_))) {
            self.go_to(step.tab);
        }
        for line in lines {
            match line {
                Line::Dialog(answer) if step.dialog_was_open => self.answer(answer),
                line => self.push(line),
            }
        }
        if step.opens_tab
            && self.lines.back().is_some_and(Line::may_have_sequel)
            && let Some(opens) = self.lines.pop_back()
        {
            self.push(Line::Opens(Box::new(opens)));
        }
    }

    /// What follows is done in this tab.
    fn go_to(&mut self, tab: usize) {
        if self.is_empty() {
            self.first_tab = tab;
        } else if self.tab != Some(tab) {
            self.push(Line::Tab(tab.saturating_sub(self.first_tab)));
        }
        self.tab = Some(tab);
    }

    fn manage_tabs(&mut self, tool: &str, step: &Step<'_>) {
        let action = if tool == "browser_close" { "close" } else { step.text("action").unwrap_or_default() };
        match action {
            "new" => {
                if self.is_empty() {
                    self.first_tab = step.tab;
                }
                self.push(Line::NewTab);
                self.tab = Some(step.tabs.saturating_sub(1));
                if let Some(url) = step.text("url") {
                    self.push(call(Page, "goto", [whole(url).into()]));
                }
            }
            "close" => {
                let index = step.asked.get("index").and_then(Value::as_u64);
                let closed = index.and_then(|index| usize::try_from(index).ok()).unwrap_or(step.tab);
                self.push(Line::CloseTab(closed.saturating_sub(self.first_tab)));
                self.tab = None;
            }
            // Whatever is done next says in which tab.
            _ => return,
        }
        self.sequel = None;
    }

    /// Adds the answer to a dialog that the last statement opened. It is to be known before that goes on.
    fn answer(&mut self, answer: Option<Value>) {
        let opens = self.lines.pop_back();
        self.push(Line::Dialog(answer));
        self.lines.extend(opens);
    }

    /// Begins in this tab at this address, where nothing was done before.
    pub fn begin_at(&mut self, tab: usize, url: &str) {
        if self.is_empty() {
            self.go_to(tab);
            self.push(call(Page, "goto", [url.into()]));
        }
    }

    fn push(&mut self, line: Line) {
        self.lines.push_back(line);
        let surplus = self.lines.len().saturating_sub(MOST_LINES);
        self.lines.drain(..surplus);
    }

    /// Gives files to the chooser that the last statement opened, or to the page's file input.
    fn give_files(&mut self, paths: Value) {
        match self.lines.pop_back() {
            Some(line @ Line::Call(_, "click" | "press" | "dblclick" | "tap", ..)) => {
                self.push(Line::Chooser(Box::new(line), paths));
            }
            other => {
                self.lines.extend(other);
                let input = Way { nth: Some(0), ..Way::css("input[type=file]") };
                self.push(call(Element(vec![input]), "set_input_files", [paths]));
            }
        }
    }

    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// The last so many statements.
    pub fn statements(&self, language: ScriptLanguage, last: usize) -> Vec<String> {
        let skipped = self.lines.len().saturating_sub(last);
        self.lines.iter().skip(skipped).map(|line| line.written(language)).collect()
    }

    /// All of it, as a test that can be run.
    pub fn test(&self, language: ScriptLanguage) -> String {
        let mut lines = self.statements(language, usize::MAX);
        // Whoever leaves as soon as the last thing is done may take away what it was done for.
        if let (Some(last), Some(sequel)) = (lines.last_mut(), &self.sequel) {
            *last = sequel.awaited(last, language);
        }
        let indent = if language == ScriptLanguage::Python { "    " } else { "  " };
        let body = lines.iter().flat_map(|line| line.lines()).map(|line| format!("{indent}{line}\n"));
        let body = body.collect::<Vec<_>>().concat();
        let imports = if self.lines.iter().any(Line::has_secret) { "import os\n\n" } else { "" };
        match language {
            ScriptLanguage::Python => format!(
                "{imports}from patchright_mcp.sync_api import Page, expect\n\n\n\
                 def test_session(page: Page) -> None:\n{body}"
            ),
            ScriptLanguage::Typescript => format!(
                "import {{ expect, test }} from \"@playwright/test\";\n\n\
                 test(\"session\", async ({{ page }}) => {{\n{body}}});\n"
            ),
        }
    }
}

/// How a script finds an element.
pub fn locator(found: &Found, language: ScriptLanguage) -> String {
    Element(found.ways.clone()).written(language)
}

fn call<const N: usize>(subject: Subject, method: &'static str, arguments: [Value; N]) -> Line {
    Line::Call(subject, method, arguments.into(), Vec::new())
}

/// Marks an argument that is itself a locator.
const LOCATOR: &str = "\u{0}locator";

/// An option that only our own Python has: Playwright always evaluates beside the page's scripts.
const ISOLATED: &str = "isolated_context";

/// An option that only Playwright needs, whose pointer jumps otherwise; many lists make room only for what they see coming.
const STEPS: &str = "steps";

/// For how long something is held that moves only then.
const LONG_PRESS_MS: u32 = 700;

/// Stands for what no script says: whoever runs it has it in their environment, under this name.
const SECRET: &str = "\u{0}secret";

impl Line {
    /// Whether it ends before what it led to has come.
    fn may_have_sequel(&self) -> bool {
        match self {
            Self::Call(subject, ..) => matches!(subject, Element(_) | Offered(_) | Keyboard | Mouse),
            Self::Times(..) | Self::Pointer(..) | Self::Chooser(..) => true,
            Self::Dialog(_)
            | Self::Note(_)
            | Self::Opens(_)
            | Self::Tab(_)
            | Self::NewTab
            | Self::CloseTab(_) => false,
        }
    }

    fn has_secret(&self) -> bool {
        matches!(self, Self::Call(_, _, arguments, _) if arguments.iter().any(|value| value.get(SECRET).is_some()))
    }
}
