//! Converts tool calls to statements of a script.
use std::collections::HashMap;

use serde_json::{Map, Value};

use super::Subject::{Element, Expected, Keyboard, Mouse, Option as Offered, Page, Text};
use super::{
    ISOLATED, LOCATOR, LONG_PRESS_MS, Line, ReferencedElement, SECRET, STEPS, ScriptLanguage, Subject, call,
};
use crate::browser::input::Point;
use crate::browser::{ElementLocators, PerformedInput, ScriptWorld};

/// A tool call to be converted to statements.
#[derive(Debug)]
pub struct RecordedCall<'a> {
    pub asked: &'a Map<String, Value>,
    /// The locators of elements, by the ref or selector with which the call refers to them.
    pub found: &'a HashMap<String, ReferencedElement>,
    pub dialog_was_open: bool,
    /// The index of the call's tab, in the order of opening.
    pub tab: usize,
    /// The number of open tabs after the call.
    pub tabs: usize,
    /// Whether the page opened a tab during the call.
    pub opens_tab: bool,
}

impl RecordedCall<'_> {
    /// Returns the statements for the call; `None` if no statement expresses it.
    pub(super) fn lines(&self, tool: &str) -> Option<Vec<Line>> {
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

    pub(super) fn text(&self, name: &str) -> Option<&str> {
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
            PerformedInput::Drop { at, long_press } => Some((*at, *long_press)),
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
            // The page starts a drag of this element only after a long press.
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

    /// Returns the paths of a file upload that refers to no element; `None` for other calls.
    pub(super) fn files(&self, tool: &str) -> Option<Value> {
        let given = tool == "browser_file_upload" && self.text("ref").is_none();
        self.asked
            .get("paths")
            .filter(|paths| given && paths.as_array().is_some_and(|all| !all.is_empty()))
            .cloned()
    }

    /// Returns the statement that runs the caller's script, or none if the script only reads.
    fn evaluation(&self) -> Option<Vec<Line>> {
        let function = self.text("function")?;
        if ScriptWorld::choose_world(function) == ScriptWorld::Isolated {
            return Some(Vec::new());
        }
        let subject = if self.text("ref").is_some() { self.element("ref")? } else { Page };
        // The script may use variables of the page, so it runs in the main world.
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
            // In a custom list, typing only filters the options; a click selects one.
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
        // A wait for a time is omitted: the script waits for the elements on which it acts.
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

impl ReferencedElement {
    /// Returns the recorded pointer and key actions on the element; `None` if there are none.
    fn moved(&self, element: &Subject) -> Option<Vec<Line>> {
        let line = |done| match done {
            PerformedInput::Keys { key, times: 1 } => Some(call(element.clone(), "press", [key.into()])),
            PerformedInput::Keys { key, times } => {
                Some(Line::Times(times, Box::new(call(element.clone(), "press", [key.into()]))))
            }
            PerformedInput::Press(at) => Some(Line::Pointer(element.clone(), at, None)),
            PerformedInput::Slide(from, to) => Some(Line::Pointer(element.clone(), from, Some(to))),
            PerformedInput::Drop { .. } => None,
        };
        Some(self.moves.get()?.into_iter().filter_map(line).collect())
    }
}

/// Returns the statements that select options of a native or custom list.
fn choose(found: &ElementLocators, values: &Value) -> Option<Vec<Line>> {
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

/// Returns the URL with its scheme, which scripts need. Default: `https`.
pub(super) fn whole(url: &str) -> String {
    let is_whole = url.contains("://") || url.starts_with("data:") || url.starts_with("about:");
    if is_whole { url.to_owned() } else { format!("https://{url}") }
}

pub(super) fn secret(name: &str) -> Value {
    serde_json::json!({ SECRET: name })
}

/// Returns a position in an element as `{x, y}`; `None` unless it is in pixels.
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

pub(super) fn subject(subject: &Subject) -> Value {
    let [python, typescript] =
        [ScriptLanguage::Python, ScriptLanguage::Typescript].map(|language| subject.written(language));
    serde_json::json!({ LOCATOR: [python, typescript] })
}
