//! Recorded actions of a session, exported as a test script.
use std::collections::VecDeque;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::browser::input::Point;
use crate::browser::{ElementLocators, LocatorSpec, PerformedInputs, SecretKind};
use crate::mcp::effect::ToolEffect;

mod recorded;
mod sequel;
mod step;
mod written;

pub use sequel::{ActionBaseline, ActionEffect};
pub use step::RecordedCall;
use step::whole;

// The language of an exported script.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ScriptLanguage {
    #[default]
    Python,
    Typescript,
}

/// An element to which a call referred by a ref or selector.
#[derive(Debug)]
pub struct ReferencedElement {
    found: ElementLocators,
    /// Pointer and key actions on the element that no single statement expresses.
    pub moves: PerformedInputs,
}

impl From<ElementLocators> for ReferencedElement {
    fn from(found: ElementLocators) -> Self {
        Self { found, moves: PerformedInputs::default() }
    }
}

/// The maximum number of recorded statements. The oldest are dropped first.
const MOST_LINES: usize = 1_000;

/// The recorded actions of a session, as statements of a test script.
#[derive(Debug, Default)]
pub struct RecordedScript {
    lines: VecDeque<Line>,
    /// The tab in which the most recent statement ran. `None` before the first statement, and once that tab is closed.
    tab: Option<usize>,
    /// The tab in which the test begins. The test does not see tabs that were opened earlier.
    first_tab: usize,
    /// What the newest statement caused, such as a navigation: the generated test waits for it.
    sequel: Option<ActionEffect>,
    /// The fields that contain secrets, with the kind of each secret and the locators of the field.
    secrets: Vec<(SecretKind, Vec<LocatorSpec>)>,
}

/// A statement of the script.
#[derive(Debug, Clone, PartialEq)]
enum Line {
    Call(Subject, &'static str, Vec<Value>, Vec<(&'static str, Value)>),
    /// The statement, repeated this number of times.
    Times(usize, Box<Line>),
    /// Pointer actions at points relative to the top left corner of an element: a press at the first point,
    /// and a drag to the second if there is one.
    Pointer(Subject, Point, Option<Point>),
    /// The answer to the next dialog: `Some` text accepts it, `None` dismisses it.
    Dialog(Option<Value>),
    /// Switches to the tab with this index, counted from 0 in the order of opening.
    Tab(usize),
    /// Opens a tab and switches to it.
    NewTab,
    /// Closes the tab with this index.
    CloseTab(usize),
    /// A statement that makes the page open a tab.
    Opens(Box<Line>),
    /// A statement that opens a file chooser, and the paths of the files to choose.
    Chooser(Box<Line>, Value),
    /// A comment about an action that no statement expresses.
    Note(String),
}

/// The object on which a statement calls a method.
#[derive(Debug, Clone, PartialEq)]
enum Subject {
    Page,
    Keyboard,
    Mouse,
    Element(Vec<LocatorSpec>),
    Text(String),
    Option(String),
    Expected(Box<Subject>, bool),
}

use Subject::{Element, Keyboard, Mouse, Option as Offered, Page};

/// Tools that are not recorded, although they do more than read the page.
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

impl RecordedScript {
    /// Records a tool call and its effect.
    pub fn add_call(
        &mut self,
        tool: &'static str,
        effect: ToolEffect,
        step: &RecordedCall<'_>,
        sequel: Option<ActionEffect>,
    ) {
        if tool == "browser_tabs" || tool == "browser_close" {
            return self.manage_tabs(tool, step);
        }
        if let Some(paths) = step.files(tool) {
            self.give_files(paths);
            self.sequel = sequel;
            return;
        }
        let lines = step.lines(tool).unwrap_or_else(|| match effect {
            ToolEffect::Reads => Vec::new(),
            _ if SILENT.contains(&tool) => Vec::new(),
            _ => vec![Line::Note(format!("{tool} was called here, which has no words in a script."))],
        });
        if let Some(last) = lines.last() {
            self.sequel = sequel.filter(|_| last.may_have_late_effect());
        }
        // The answer belongs to the action that opened the dialog, so no switch of tabs is needed.
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
            && self.lines.back().is_some_and(Line::may_have_late_effect)
            && let Some(opens) = self.lines.pop_back()
        {
            self.push(Line::Opens(Box::new(opens)));
        }
    }

    /// Makes the next statements run in this tab.
    fn go_to(&mut self, tab: usize) {
        if self.is_empty() {
            self.first_tab = tab;
        } else if self.tab != Some(tab) {
            self.push(Line::Tab(tab.saturating_sub(self.first_tab)));
        }
        self.tab = Some(tab);
    }

    fn manage_tabs(&mut self, tool: &str, step: &RecordedCall<'_>) {
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
            // The next recorded action adds the switch of tabs.
            _ => return,
        }
        self.sequel = None;
    }

    /// Records the answer to a dialog that the last statement opened. The test sets it before that statement.
    fn answer(&mut self, answer: Option<Value>) {
        let opens = self.lines.pop_back();
        self.push(Line::Dialog(answer));
        self.lines.extend(opens);
    }

    /// Records a navigation to this URL in this tab, if nothing has been recorded yet.
    pub fn start_with_goto(&mut self, tab: usize, url: &str) {
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

    /// Records the files for the chooser that the last statement opened, or for the page's file input.
    fn give_files(&mut self, paths: Value) {
        match self.lines.pop_back() {
            Some(line @ Line::Call(_, "click" | "press" | "dblclick" | "tap", ..)) => {
                self.push(Line::Chooser(Box::new(line), paths));
            }
            other => {
                self.lines.extend(other);
                let input = LocatorSpec { nth: Some(0), ..LocatorSpec::css("input[type=file]") };
                self.push(call(Element(vec![input]), "set_input_files", [paths]));
            }
        }
    }

    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Returns the last `last` statements in this language.
    pub fn last_statements(&self, language: ScriptLanguage, last: usize) -> Vec<String> {
        let skipped = self.lines.len().saturating_sub(last);
        self.lines.iter().skip(skipped).map(|line| line.written(language)).collect()
    }

    /// Returns all statements as a runnable test.
    pub fn to_test(&self, language: ScriptLanguage) -> String {
        let mut lines = self.last_statements(language, usize::MAX);
        // Without a wait, the test could end before the effect of its last action.
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

/// Returns the expression that locates an element in a script.
pub fn locator(found: &ElementLocators, language: ScriptLanguage) -> String {
    Element(found.ways.clone()).written(language)
}

fn call<const N: usize>(subject: Subject, method: &'static str, arguments: [Value; N]) -> Line {
    Line::Call(subject, method, arguments.into(), Vec::new())
}

/// Marks a JSON argument that is itself a locator.
const LOCATOR: &str = "\u{0}locator";

/// An option that only this project's Python library has: Playwright always evaluates in the main world.
const ISOLATED: &str = "isolated_context";

/// An option that only Playwright needs, because its pointer jumps by default: many sortable lists make room
/// only while the pointer moves.
const STEPS: &str = "steps";

/// How long a long press holds the button, in ms.
const LONG_PRESS_MS: u32 = 700;

/// Marks a JSON argument that is a secret. The script reads it from the environment variable named there.
const SECRET: &str = "\u{0}secret";

impl Line {
    /// Whether the statement may complete before its effect has occurred.
    fn may_have_late_effect(&self) -> bool {
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
