//! What was done, written as a test that does it again.
use std::collections::{HashMap, VecDeque};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::browser::input::Point;
use crate::browser::{Found, HandMove, HandMoves, Scope, SecretKind, Way};
use crate::mcp::effect::Effect;

mod recorded;
mod sequel;

pub use sequel::{Before, Sequel};

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

use Subject::{Element, Expected, Keyboard, Mouse, Option as Offered, Page, Text};

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

/// A call of a tool, to be put in words.
#[derive(Debug)]
pub struct Step<'a> {
    pub asked: &'a Map<String, Value>,
    /// How scripts find the elements, by what the call named them.
    pub found: &'a HashMap<String, Named>,
    pub dialog_was_open: bool,
    /// The place of the tab that it was done in, in the order in which they were opened.
    pub tab: usize,
    /// How many tabs are open since.
    pub tabs: usize,
    /// Whether the page opened one.
    pub opens_tab: bool,
}

impl Step<'_> {
    /// The statements; `None` where there are no words for it.
    fn lines(&self, tool: &str) -> Option<Vec<Line>> {
        Some(match tool {
            "browser_navigate" => {
                vec![call(Page, "goto", [whole(self.text("url")?).into()])]
            }
            "browser_navigate_back" => vec![call(Page, "go_back", [])],
            "browser_history" => match self.text("action")? {
                "back" => vec![call(Page, "go_back", [])],
                "forward" => vec![call(Page, "go_forward", [])],
                _ => vec![call(Page, "reload", [])],
            },
            "browser_click" => vec![self.click()?],
            "browser_hover" if self.asked.get("action").is_none_or(Value::is_null) => {
                vec![call(self.element("ref")?, "hover", [])]
            }
            "browser_scroll_into_view" => {
                vec![call(self.element("ref")?, "scroll_into_view_if_needed", [])]
            }
            "browser_drag" => self.drag()?,
            "browser_type" => self.typing()?,
            "browser_fill_form" => {
                let fields = self.asked.get("fields")?.as_array()?;
                let lines = fields.iter().map(|field| self.field(field));
                lines.collect::<Option<Vec<_>>>()?.into_iter().flatten().collect()
            }
            "browser_select_option" => {
                let found = &self.found.get(self.text("ref")?)?.found;
                choose(found, self.asked.get("values")?)?
            }
            "browser_press_key" => self.keys()?,
            "browser_evaluate" => self.evaluation()?,
            "browser_scroll" => vec![self.scroll()?],
            "browser_handle_dialog" => {
                let accepted = self.asked.get("accept")?.as_bool()?;
                let text = self.asked.get("promptText").filter(|text| !text.is_null()).cloned();
                vec![Line::Dialog(accepted.then(|| text.unwrap_or(Value::Null)))]
            }
            "browser_wait_for" => self.waiting()?,
            "browser_expect" => vec![self.expectation()?],
            "browser_resize" => {
                let size = serde_json::json!({ "width": self.asked.get("width")?, "height": self.asked.get("height")? });
                vec![call(Page, "set_viewport_size", [size])]
            }
            _ => return None,
        })
    }

    fn text(&self, name: &str) -> Option<&str> {
        self.asked.get(name)?.as_str()
    }

    fn flag(&self, name: &str) -> bool {
        self.asked.get(name) == Some(&Value::Bool(true))
    }

    fn element(&self, name: &str) -> Option<Subject> {
        Some(Element(self.found.get(self.text(name)?)?.found.ways.clone()))
    }

    fn click(&self) -> Option<Line> {
        let mut options = Vec::new();
        if let Some(button) = self.text("button").filter(|button| *button != "left") {
            options.push(("button", button.into()));
        }
        if let Some(keys) =
            self.asked.get("modifiers").filter(|keys| keys.as_array().is_some_and(|keys| !keys.is_empty()))
        {
            options.push(("modifiers", keys.clone()));
        }
        if let Some(text) = self.text("position") {
            options.push(("position", position(text)?));
        }
        let method = match (self.flag("tap"), self.flag("doubleClick")) {
            (true, _) => "tap",
            (false, true) => "dblclick",
            (false, false) => "click",
        };
        Some(Line::Call(self.element("ref")?, method, Vec::new(), options))
    }

    fn drag(&self) -> Option<Vec<Line>> {
        let (start, end) = (self.element("startRef")?, self.element("endRef")?);
        let moves = self.found.get(self.text("endRef")?)?.moves.get().unwrap_or_default();
        let dropped = moves.iter().find_map(|done| match done {
            HandMove::Drop { at, long_press } => Some((*at, *long_press)),
            _ => None,
        });
        let from = match self.text("startPosition") {
            Some(text) => Some(position(text)?),
            None => None,
        };
        let to = match (self.text("endPosition"), self.text("place"), dropped) {
            (Some(text), ..) => Some(position(text)?),
            (None, Some(_), None) => return None,
            (None, Some(_), Some((at, _))) => Some(place(at)),
            (None, None, _) => None,
        };
        let at = |option: &'static str, place: Option<Value>| place.map(|place| (option, place));
        if matches!(dropped, Some((_, true))) {
            // What moves only when it was held for a while.
            let onto = at("position", to).into_iter().chain([("force", true.into())]).collect();
            return Some(vec![
                Line::Call(start, "hover", Vec::new(), at("position", from).into_iter().collect()),
                call(Mouse, "down", []),
                call(Page, "wait_for_timeout", [LONG_PRESS_MS.into()]),
                Line::Call(end, "hover", Vec::new(), onto),
                call(Mouse, "up", []),
            ]);
        }
        let options = at("source_position", from).into_iter().chain(at("target_position", to));
        let options = options.chain([(STEPS, 10.into())]).collect();
        Some(vec![Line::Call(start, "drag_to", vec![subject(&end)], options)])
    }

    /// The paths that a file chooser or a file input was given.
    fn files(&self, tool: &str) -> Option<Value> {
        let given = tool == "browser_file_upload" && self.text("ref").is_none();
        self.asked
            .get("paths")
            .filter(|paths| given && paths.as_array().is_some_and(|all| !all.is_empty()))
            .cloned()
    }

    /// A script of the caller's own; one that only reads leads to nothing.
    fn evaluation(&self) -> Option<Vec<Line>> {
        let function = self.text("function")?;
        if Scope::for_script(function) == Scope::Isolated {
            return Some(Vec::new());
        }
        let subject = if self.text("ref").is_some() { self.element("ref")? } else { Page };
        // It may be about the page's own variables.
        let options = vec![(ISOLATED, false.into())];
        Some(vec![Line::Call(subject, "evaluate", vec![function.into()], options)])
    }

    fn scroll(&self) -> Option<Line> {
        if self.text("ref").is_some() {
            return None;
        }
        let pixels = self.asked.get("pixels")?.as_f64()?;
        let (right, down) = match self.text("direction") {
            None | Some("down") => (0.0, pixels),
            Some("up") => (0.0, -pixels),
            Some("right") => (pixels, 0.0),
            _ => (-pixels, 0.0),
        };
        Some(call(Mouse, "wheel", [right.into(), down.into()]))
    }

    fn typing(&self) -> Option<Vec<Line>> {
        let text = self.asked.get("text")?.clone();
        let enter = self.flag("submit");
        let element = match self.text("ref") {
            Some(_) => Some(self.element("ref")?),
            None => None,
        };
        let mut lines = match &element {
            None => vec![call(Keyboard, "type", [text])],
            Some(element) if self.flag("slowly") => vec![
                call(element.clone(), "fill", ["".into()]),
                call(element.clone(), "press_sequentially", [text]),
            ],
            Some(element) => {
                let named = self.found.get(self.text("ref")?)?;
                named.moved(element).unwrap_or_else(|| vec![call(element.clone(), "fill", [text])])
            }
        };
        if enter {
            let subject = element.unwrap_or(Keyboard);
            lines.push(call(subject, "press", ["Enter".into()]));
        }
        Some(lines)
    }

    fn field(&self, field: &Value) -> Option<Vec<Line>> {
        let named = self.found.get(field.get("ref")?.as_str()?)?;
        let found = &named.found;
        let element = Element(found.ways.clone());
        if let Some(moved) = named.moved(&element) {
            return Some(moved);
        }
        let value = field.get("value").cloned().unwrap_or(Value::Null);
        let several =
            field.get("values").filter(|values| values.as_array().is_some_and(|all| !all.is_empty()));
        let role = found.ways.last().filter(|way| way.by == "role").map(|way| way.text.as_str());
        let checks = matches!(found.kind.as_str(), "checkbox" | "radio") && found.tag == "input"
            || matches!(role, Some("checkbox" | "radio" | "switch" | "menuitemcheckbox"));
        let is_combobox =
            field.get("type").and_then(Value::as_str) == Some("combobox") || role == Some("combobox");
        Some(match value.as_str() {
            Some(text @ ("true" | "false")) if checks => {
                vec![call(element, "set_checked", [Value::Bool(text == "true")])]
            }
            _ if found.tag == "select" || several.is_some() => choose(found, several.unwrap_or(&value))?,
            Some(_) if found.kind == "file" => vec![call(element, "set_input_files", [value])],
            Some(text) if is_combobox && found.tag != "input" => choose(found, &text.into())?,
            // What is typed only finds the option in a list that the page draws.
            Some(text) if is_combobox && !found.has_list => {
                vec![call(element, "fill", [value.clone()]), call(Offered(text.to_owned()), "click", [])]
            }
            Some(_) => vec![call(element, "fill", [value])],
            None => return None,
        })
    }

    fn keys(&self) -> Option<Vec<Line>> {
        const MOST: u64 = 20;
        let method = match self.text("action") {
            Some("down") => "down",
            Some("up") => "up",
            _ => "press",
        };
        let times = self.asked.get("times").and_then(Value::as_u64).unwrap_or(1);
        let keys: Vec<_> = match self.text("key") {
            Some(key) => vec![Value::from(key)],
            None => self.asked.get("keys")?.as_array()?.clone(),
        };
        if times > MOST {
            return None;
        }
        let once = keys.into_iter().map(|key| call(Keyboard, method, [key])).collect::<Vec<_>>();
        Some((0..times).flat_map(|_| once.clone()).collect())
    }

    fn waiting(&self) -> Option<Vec<Line>> {
        let seen = |subject: Subject, gone: bool| {
            let limit = self.asked.get("timeout").filter(|limit| limit.is_number());
            let options = limit.map(|limit| ("timeout", limit.clone())).into_iter().collect();
            let is = if gone { "to_be_hidden" } else { "to_be_visible" };
            Line::Call(Expected(Box::new(subject), false), is, Vec::new(), options)
        };
        if let Some(text) = self.text("text") {
            return Some(vec![seen(Text(text.to_owned()), false)]);
        }
        if let Some(text) = self.text("textGone") {
            return Some(vec![seen(Text(text.to_owned()), true)]);
        }
        if self.text("selector").is_some() {
            return Some(vec![seen(self.element("selector")?, false)]);
        }
        // Time passes by itself in a script that waits for what it acts on.
        Some(Vec::new())
    }

    fn expectation(&self) -> Option<Line> {
        let subject = match self.text("ref") {
            Some(_) => self.element("ref")?,
            None => Page,
        };
        let expected = self.asked.get("expected").cloned();
        let expected: Vec<_> = expected.into_iter().filter(|expected| !expected.is_null()).collect();
        let (subject, method, expected) = match (self.text("is")?, subject) {
            ("text", Page) => (Text(expected.first()?.as_str()?.to_owned()), "to_be_visible", Vec::new()),
            ("text", subject) => (subject, "to_contain_text", expected),
            ("visible", subject) => (subject, "to_be_visible", expected),
            ("hidden", subject) => (subject, "to_be_hidden", expected),
            ("enabled", subject) => (subject, "to_be_enabled", expected),
            ("disabled", subject) => (subject, "to_be_disabled", expected),
            ("checked", subject) => (subject, "to_be_checked", expected),
            ("focused", subject) => (subject, "to_be_focused", expected),
            ("value", subject) => (subject, "to_have_value", expected),
            ("title", _) => (Page, "to_have_title", expected),
            ("url", _) => (Page, "to_have_url", expected),
            _ => return None,
        };
        let subject = Expected(Box::new(subject), self.flag("not"));
        Some(Line::Call(subject, method, expected, Vec::new()))
    }
}

impl Named {
    /// What the hand did to it, if it had to do more than there is a word for.
    fn moved(&self, element: &Subject) -> Option<Vec<Line>> {
        let line = |done| match done {
            HandMove::Keys { key, times: 1 } => Some(call(element.clone(), "press", [key.into()])),
            HandMove::Keys { key, times } => {
                Some(Line::Times(times, Box::new(call(element.clone(), "press", [key.into()]))))
            }
            HandMove::Press(at) => Some(Line::Pointer(element.clone(), at, None)),
            HandMove::Slide(from, to) => Some(Line::Pointer(element.clone(), from, Some(to))),
            HandMove::Drop { .. } => None,
        };
        Some(self.moves.get()?.into_iter().filter_map(line).collect())
    }
}

/// Options of a list: of the browser's own, or of one that the page draws.
fn choose(found: &Found, values: &Value) -> Option<Vec<Line>> {
    let element = Element(found.ways.clone());
    if found.tag == "select" {
        return Some(vec![call(element, "select_option", [values.clone()])]);
    }
    let values = match values {
        Value::Array(values) => values.clone(),
        value => vec![value.clone()],
    };
    let mut lines = vec![call(element, "click", [])];
    for value in values {
        lines.push(call(Offered(value.as_str()?.to_owned()), "click", []));
    }
    Some(lines)
}

/// An address as a script needs it.
fn whole(url: &str) -> String {
    let is_whole = url.contains("://") || url.starts_with("data:") || url.starts_with("about:");
    if is_whole { url.to_owned() } else { format!("https://{url}") }
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

fn secret(name: &str) -> Value {
    serde_json::json!({ SECRET: name })
}

/// A place in an element, if it is in pixels.
fn position(text: &str) -> Option<Value> {
    let numbers = text.trim_matches(['(', ')', '[', ']', ' ']).split(',');
    let numbers = numbers.map(|part| part.trim().trim_end_matches("px").trim().parse::<f64>().ok());
    let [x, y] = <[f64; 2]>::try_from(numbers.collect::<Option<Vec<_>>>()?).ok()?;
    Some(serde_json::json!({ "x": x, "y": y }))
}

fn place(at: Point) -> Value {
    let at = at.rounded();
    serde_json::json!({ "x": at.x, "y": at.y })
}

fn subject(subject: &Subject) -> Value {
    let [python, typescript] =
        [ScriptLanguage::Python, ScriptLanguage::Typescript].map(|language| subject.written(language));
    serde_json::json!({ LOCATOR: [python, typescript] })
}

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

    fn written(&self, language: ScriptLanguage) -> String {
        match (self, language) {
            (Self::Note(text), ScriptLanguage::Python) => format!("# {text}"),
            (Self::Note(text), ScriptLanguage::Typescript) => format!("// {text}"),
            (Self::Dialog(answer), _) => {
                let answer = match answer {
                    None => "dismiss()".to_owned(),
                    Some(Value::Null) => "accept()".to_owned(),
                    Some(text) => format!("accept({text})"),
                };
                match language {
                    ScriptLanguage::Python => {
                        format!("page.once(\"dialog\", lambda dialog: dialog.{answer})")
                    }
                    ScriptLanguage::Typescript => {
                        format!("page.once(\"dialog\", (dialog) => dialog.{answer});")
                    }
                }
            }
            (Self::Tab(number), ScriptLanguage::Python) => format!("page = page.context.pages[{number}]"),
            (Self::Tab(number), ScriptLanguage::Typescript) => {
                format!("page = page.context().pages()[{number}];")
            }
            (Self::NewTab, ScriptLanguage::Python) => "page = page.context.new_page()".to_owned(),
            (Self::NewTab, ScriptLanguage::Typescript) => "page = await page.context().newPage();".to_owned(),
            (Self::CloseTab(number), ScriptLanguage::Python) => {
                format!("page.context.pages[{number}].close()")
            }
            (Self::CloseTab(number), ScriptLanguage::Typescript) => {
                format!("await page.context().pages()[{number}].close();")
            }
            (Self::Opens(opens), ScriptLanguage::Python) => {
                let within: Vec<_> =
                    opens.written(language).lines().map(|line| format!("\n    {line}")).collect();
                format!("with page.expect_popup():{}", within.concat())
            }
            (Self::Opens(opens), ScriptLanguage::Typescript) => format!(
                "{{\n  const opened = page.waitForEvent(\"popup\");\n  {}\n  await opened;\n}}",
                opens.written(language)
            ),
            (Self::Chooser(opens, paths), ScriptLanguage::Python) => format!(
                "with page.expect_file_chooser() as chooser:\n    {}\nchooser.value.set_files({paths})",
                opens.written(language)
            ),
            (Self::Chooser(opens, paths), ScriptLanguage::Typescript) => format!(
                "await Promise.all([\n  page.waitForEvent(\"filechooser\").then((chooser) => chooser.setFiles({paths})),\n  \
                 {},\n]);",
                opens.written(language).trim_start_matches("await ").trim_end_matches(';')
            ),
            (Self::Times(times, line), ScriptLanguage::Python) => {
                format!("for _ in range({times}):\n    {}", line.written(language))
            }
            (Self::Times(times, line), ScriptLanguage::Typescript) => {
                format!("for (let time = 0; time < {times}; time++) {}", line.written(language))
            }
            (Self::Pointer(element, from, to), _) => {
                pointed(&element.written(language), *from, *to, language)
            }
            (Self::Call(subject, method, arguments, options), _) => {
                let denied = matches!((subject, language), (Expected(_, true), ScriptLanguage::Python));
                let method = if denied { format!("not_{method}") } else { (*method).to_owned() };
                let mut told: Vec<_> = arguments.iter().map(|value| literal(value, language)).collect();
                let other = if language == ScriptLanguage::Python { STEPS } else { ISOLATED };
                let has = |name: &str| name != other;
                let options = options.iter().filter(|(name, _)| has(name));
                let options = options.map(|(name, value)| (*name, literal(value, language)));
                match language {
                    ScriptLanguage::Python => {
                        told.extend(options.map(|(name, value)| format!("{name}={value}")));
                        format!("{}.{method}({})", subject.written(language), told.join(", "))
                    }
                    ScriptLanguage::Typescript => {
                        let options: Vec<_> =
                            options.map(|(name, value)| format!("{}: {value}", camel(name))).collect();
                        if !options.is_empty() {
                            told.push(format!("{{ {} }}", options.join(", ")));
                        }
                        format!(
                            "await {}.{}({});",
                            subject.written(language),
                            camel(&method),
                            told.join(", ")
                        )
                    }
                }
            }
        }
    }
}

impl Subject {
    fn written(&self, language: ScriptLanguage) -> String {
        let named = |method: &str, text: &str| match language {
            ScriptLanguage::Python => format!("page.{method}({})", quoted(text)),
            ScriptLanguage::Typescript => format!("page.{}({})", camel(method), quoted(text)),
        };
        let first = if language == ScriptLanguage::Python { ".first" } else { ".first()" };
        match self {
            Page => "page".to_owned(),
            Keyboard => "page.keyboard".to_owned(),
            Mouse => "page.mouse".to_owned(),
            Text(text) => named("get_by_text", text) + first,
            Offered(name) => way_written(
                &Way {
                    by: "role".to_owned(),
                    text: "option".to_owned(),
                    name: Some(name.clone()),
                    exact: None,
                    nth: Some(0),
                },
                language,
                "page",
            ),
            Element(ways) => {
                let mut written = "page".to_owned();
                for (number, way) in ways.iter().enumerate() {
                    written = way_written(way, language, &written);
                    if number + 1 < ways.len() {
                        written += if language == ScriptLanguage::Python {
                            ".content_frame"
                        } else {
                            ".contentFrame()"
                        };
                    }
                }
                written
            }
            Expected(subject, is_not) => {
                let not = if *is_not && language == ScriptLanguage::Typescript { ".not" } else { "" };
                format!("expect({}){not}", subject.written(language))
            }
        }
    }
}

/// The pointer at places in an element, wherever that stands.
fn pointed(element: &str, from: Point, to: Option<Point>, language: ScriptLanguage) -> String {
    let at = |point: Point| {
        let Point { x, y } = point.rounded();
        match language {
            ScriptLanguage::Python => format!("box[\"x\"] + {x}, box[\"y\"] + {y}"),
            ScriptLanguage::Typescript => format!("box.x + {x}, box.y + {y}"),
        }
    };
    let steps = if language == ScriptLanguage::Python { "steps=10" } else { "{ steps: 10 }" };
    let calls = match to {
        None => vec![format!("click({})", at(from))],
        Some(to) => vec![
            format!("move({})", at(from)),
            "down()".to_owned(),
            format!("move({}, {steps})", at(to)),
            "up()".to_owned(),
        ],
    };
    let calls = calls.iter().map(|call| match language {
        ScriptLanguage::Python => format!("\npage.mouse.{call}"),
        ScriptLanguage::Typescript => format!("\n  await page.mouse.{call};"),
    });
    let calls: String = calls.collect();
    match language {
        ScriptLanguage::Python => format!("box = {element}.bounding_box()\nassert box{calls}"),
        ScriptLanguage::Typescript => {
            format!("{{\n  const box = (await {element}.boundingBox())!;{calls}\n}}")
        }
    }
}

fn way_written(way: &Way, language: ScriptLanguage, within: &str) -> String {
    let method = match way.by.as_str() {
        "testId" => "get_by_test_id".to_owned(),
        "alt" => "get_by_alt_text".to_owned(),
        "css" => "locator".to_owned(),
        by => format!("get_by_{by}"),
    };
    let mut options = Vec::new();
    if let Some(name) = &way.name {
        options.push(("name", quoted(name)));
    }
    if way.exact == Some(true) {
        options.push(("exact", if language == ScriptLanguage::Python { "True" } else { "true" }.to_owned()));
    }
    let mut told = vec![quoted(&way.text)];
    match language {
        ScriptLanguage::Python => {
            told.extend(options.into_iter().map(|(name, value)| format!("{name}={value}")))
        }
        ScriptLanguage::Typescript if options.is_empty() => {}
        ScriptLanguage::Typescript => {
            let options: Vec<_> =
                options.into_iter().map(|(name, value)| format!("{name}: {value}")).collect();
            told.push(format!("{{ {} }}", options.join(", ")));
        }
    }
    let method = if language == ScriptLanguage::Python { method } else { camel(&method) };
    let written = format!("{within}.{method}({})", told.join(", "));
    match (way.nth, language) {
        (None, _) => written,
        (Some(0), ScriptLanguage::Python) => format!("{written}.first"),
        (Some(0), ScriptLanguage::Typescript) => format!("{written}.first()"),
        (Some(nth), _) => format!("{written}.nth({nth})"),
    }
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

fn literal(value: &Value, language: ScriptLanguage) -> String {
    if let Some([python, typescript]) = value.get(LOCATOR).and_then(Value::as_array).map(Vec::as_slice) {
        let written = if language == ScriptLanguage::Python { python } else { typescript };
        return written.as_str().unwrap_or_default().to_owned();
    }
    match (value, language) {
        (value, ScriptLanguage::Python) if value.get(SECRET).is_some() => {
            format!("os.environ[{}]", value[SECRET])
        }
        (value, ScriptLanguage::Typescript) if value.get(SECRET).is_some() => {
            format!("process.env.{} ?? \"\"", value[SECRET].as_str().unwrap_or_default())
        }
        (Value::Bool(true), ScriptLanguage::Python) => "True".to_owned(),
        (Value::Bool(false), ScriptLanguage::Python) => "False".to_owned(),
        (value, _) => value.to_string(),
    }
}

/// `get_by_role` as `getByRole`.
fn camel(name: &str) -> String {
    let mut words = name.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |written, word| {
        let mut letters = word.chars();
        let begin = letters.next().map(|letter| letter.to_ascii_uppercase());
        written + &begin.into_iter().chain(letters).collect::<String>()
    })
}
