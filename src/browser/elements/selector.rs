//! Parses Playwright's selectors for `injected/select.js`.
//!
//! Layout selectors are supported as pseudo-classes only (`:near(…)`, not `near=…`); framework selectors (`_react=`,
//! `_vue=`) are refused. Additions: `label=`, `placeholder=`, `alt=` and `title=` take text as `text=` does, and
//! `testid=` takes a test id.
mod attributes;
mod by;
mod css;
mod reader;

use std::borrow::Cow;
use std::collections::BTreeMap;

use parking_lot::RwLock;
use serde::Serialize;

use self::attributes::{Attribute, Compare, Value};
pub use self::by::{By, Filter, RoleOptions, RoleStates, TextMatch};
use crate::error::{Error, Result, SelectorFault};
use crate::snapshot::Ref;

/// A parsed selector: one chain for each document, from the outermost frame to the innermost.
#[derive(Debug, Clone, PartialEq)]
pub struct Selector {
    chains: Vec<SelectorChain>,
    /// Whether the first chain is searched in all frames of the page until one matches.
    everywhere: bool,
}

/// The part of a selector for one document, for `engine.select(chain, root)`: steps from left to right, each
/// of which searches within the matches of the previous step.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(transparent)]
pub struct SelectorChain {
    parts: Vec<Part>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "by", rename_all = "camelCase")]
enum Part {
    Css(css::Css),
    Xpath {
        path: String,
    },
    Text {
        text: TextTest,
    },
    Role(Box<RoleTest>),
    Attribute {
        name: String,
        value: ValueTest,
    },
    Label {
        text: TextTest,
    },
    Has {
        chain: SelectorChain,
    },
    HasNot {
        chain: SelectorChain,
    },
    HasText {
        text: TextTest,
    },
    HasNotText {
        text: TextTest,
    },
    And {
        chain: SelectorChain,
    },
    Or {
        chain: SelectorChain,
    },
    Chain {
        chain: SelectorChain,
    },
    Nth {
        index: i64,
    },
    /// A custom selector engine: an object with `queryAll(root, body)`.
    Custom {
        source: String,
        body: String,
    },
    Visible {
        visible: bool,
    },
    /// The element with this ref.
    Ref {
        number: u32,
        #[serde(skip)]
        reference: Ref,
    },
    /// A description of the locator (`internal:describe`), which does not affect the matches.
    Same,
    /// As the last step of a selector: if no other element has the role, also matches visible `aria-hidden` elements.
    Painted,
}

impl SelectorChain {
    /// Returns the ref with which the chain begins, if any. The ref determines the frame.
    pub fn leading_ref(&self) -> Option<&Ref> {
        match self.parts.first() {
            Some(Part::Ref { reference, .. }) => Some(reference),
            _ => None,
        }
    }
}

/// How an element's text is compared; white space is collapsed.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "is", rename_all = "camelCase")]
enum TextTest {
    /// The text contains this, ignoring case.
    Containing {
        text: String,
    },
    /// The full text equals this.
    Whole {
        text: String,
    },
    /// A text node of the element equals this.
    Run {
        text: String,
    },
    Regex {
        source: String,
        flags: String,
    },
}

/// How an attribute's value is compared.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "is", rename_all = "camelCase")]
enum ValueTest {
    Containing { text: String },
    Whole { text: String },
    Regex { source: String, flags: String },
}

#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct RoleTest {
    role: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    checked: Option<State>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pressed: Option<State>,
    #[serde(skip_serializing_if = "Option::is_none")]
    selected: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expanded: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    disabled: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    level: Option<u32>,
    hidden_too: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<NameTest>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<NameTest>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
enum State {
    Is(bool),
    Mixed(&'static str),
}

/// How an accessible name is compared.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "is", rename_all = "camelCase")]
enum NameTest {
    Text { compare: Compare, text: String, exact: bool },
    Regex { source: String, flags: String },
}

impl Selector {
    /// Parses a selector. Native CSS, `XPath` and regular expressions are checked only later, by the browser.
    pub fn parse(text: &str) -> Result<Self> {
        let mut chains = Vec::new();
        let mut pieces = Vec::new();
        let (mut everywhere, mut painted) = (false, false);
        for piece in split(text)? {
            if piece.engine != "internal:control" {
                pieces.push(piece);
                continue;
            }
            if piece.body == "any-frame" && pieces.is_empty() && chains.is_empty() {
                everywhere = true;
                continue;
            }
            if piece.body == "painted" {
                painted = true;
                continue;
            }
            if piece.body != "enter-frame" {
                return Err(invalid("of the control parts only enter-frame is known"));
            }
            if pieces.iter().any(|piece: &Piece| piece.captures) {
                return Err(invalid("a part that is captured must be in the innermost frame"));
            }
            chains.push(chain(std::mem::take(&mut pieces), 0)?);
        }
        chains.push(chain(pieces, 0)?);
        if chains.iter().any(|chain| chain.parts.is_empty()) {
            return Err(invalid("a frame is entered through its element: one selector before, one after"));
        }
        if painted {
            for chain in &mut chains {
                chain.parts.push(Part::Painted);
            }
        }
        Ok(Self { chains, everywhere })
    }

    /// Whether the first chain is searched in all frames until it matches.
    pub fn searches_all_frames(&self) -> bool {
        self.everywhere
    }

    /// Returns the chains, one for each document. All but the last match the element of the next frame.
    pub fn chains(&self) -> &[SelectorChain] {
        &self.chains
    }

    /// Converts an exception of `select.js` to [`Error::InvalidSelector`]. Returns other errors unchanged.
    pub fn from_script_error(error: Error) -> Error {
        match &error {
            Error::Script { message } => match message.strip_prefix("SelectorError: ") {
                Some(engine_message) => {
                    let (fault, reason) = engine_message
                        .lines()
                        .next()
                        .unwrap_or_default()
                        .split_once(": ")
                        .unwrap_or_default();
                    faulty(fault.parse().unwrap_or(SelectorFault::Other), reason)
                }
                None => error,
            },
            _ => error,
        }
    }
}

/// Custom selector engines by name.
static CUSTOM: RwLock<BTreeMap<String, String>> = RwLock::new(BTreeMap::new());

/// Registers a custom selector engine: an expression for an object with `queryAll(root, body)`. It runs in the
/// isolated world. Returns false if the name is taken.
pub fn register(name: &str, source: &str) -> bool {
    let mut custom = CUSTOM.write();
    let is_new = !custom.contains_key(name);
    if is_new {
        custom.insert(name.to_owned(), source.to_owned());
    }
    is_new
}

/// The name of the attribute that holds test ids.
static TEST_ID: RwLock<Cow<'static, str>> = RwLock::new(Cow::Borrowed("data-testid"));

/// Returns the name of the attribute that `testid=` matches.
pub fn test_id_attribute() -> Cow<'static, str> {
    TEST_ID.read().clone()
}

/// Sets the name of the attribute that `testid=` matches.
pub fn set_test_id_attribute(name: &str) {
    *TEST_ID.write() = Cow::Owned(name.to_owned());
}

fn invalid(reason: impl Into<String>) -> Error {
    faulty(SelectorFault::Other, reason)
}

fn faulty(fault: SelectorFault, reason: impl Into<String>) -> Error {
    Error::InvalidSelector { fault, reason: reason.into() }
}

/// The maximum nesting depth of selectors in selectors.
const DEEPEST: usize = 32;

/// A part of a selector, between two `>>`.
struct Piece {
    engine: String,
    body: String,
    captures: bool,
}

/// Splits a selector at each `>>` outside quotes.
fn split(text: &str) -> Result<Vec<Piece>> {
    let mut pieces = Vec::new();
    let (mut start, mut quote) = (0, None);
    let mut characters = text.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '\\' => drop(characters.next()),
            _ if quote == Some(character) => quote = None,
            _ if quote.is_some() => {}
            '"' | '\'' | '`' if !in_plain_text(&text[start..at]) => quote = Some(character),
            '>' if text[at + 1..].starts_with('>') => {
                pieces.push(piece(&text[start..at])?);
                characters.next();
                start = at + 2;
            }
            _ => {}
        }
    }
    pieces.push(piece(&text[start..])?);
    Ok(pieces)
}

/// Whether this is a `text=` part that already contains text: a quote there is an apostrophe.
fn in_plain_text(before: &str) -> bool {
    let body = before.trim_start().strip_prefix("text").and_then(|rest| rest.trim_start().strip_prefix('='));
    body.is_some_and(|body| !body.is_empty())
}

fn piece(text: &str) -> Result<Piece> {
    let text = text.trim();
    let named = text.split_once('=').map(|(name, body)| (name.trim(), body));
    let is_name = |name: &str| {
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "_-+:*".contains(c))
    };
    let quoted = |quote| text.len() > 1 && text.starts_with(quote) && text.ends_with(quote);
    let (engine, body) = match named {
        Some((name, body)) if is_name(name) => (name, body),
        _ if quoted('"') || quoted('\'') => ("text", text),
        _ if text.trim_start_matches('(').starts_with("//") || text.starts_with("..") => ("xpath", text),
        _ => ("css", text),
    };
    let (captures, engine) = engine.strip_prefix('*').map_or((false, engine), |engine| (true, engine));
    if body.trim().is_empty() && engine != "text" {
        return Err(faulty(SelectorFault::EmptyPart, "it has an empty part"));
    }
    Ok(Piece { engine: engine.to_owned(), body: body.to_owned(), captures })
}

fn chain(mut pieces: Vec<Piece>, depth: usize) -> Result<SelectorChain> {
    if depth > DEEPEST {
        return Err(invalid("it holds too many selectors in one another"));
    }
    let mut captured = pieces.iter().enumerate().filter(|(_, piece)| piece.captures).map(|(index, _)| index);
    let capture = captured.next();
    if captured.next().is_some() {
        return Err(invalid("only one part can be captured with *"));
    }
    // The parts after the captured part are a condition on the captured part.
    let condition = match capture {
        Some(capture) if pieces.iter().any(|piece| piece.engine == "nth") && capture + 1 < pieces.len() => {
            return Err(faulty(
                SelectorFault::CapturedNth,
                "nth cannot be combined with a captured part (*)",
            ));
        }
        Some(capture) => pieces.split_off(capture + 1),
        None => Vec::new(),
    };
    let mut parts: Vec<Part> = pieces.into_iter().map(|piece| part(&piece, depth)).collect::<Result<_>>()?;
    if !condition.is_empty() {
        parts.push(Part::Has { chain: chain(condition, depth + 1)? });
    }
    Ok(SelectorChain { parts })
}

fn part(piece: &Piece, depth: usize) -> Result<Part> {
    let body = piece.body.as_str();
    let nested = || nested(body, depth);
    let attribute_is = |name: &str, value| Part::Attribute { name: name.to_owned(), value };
    Ok(match piece.engine.as_str() {
        "css" => Part::Css(css::read(body, false)?),
        "css:light" => Part::Css(css::read(body, true)?),
        "xpath" => Part::Xpath { path: body.trim().to_owned() },
        "text" => Part::Text { text: public_text(body) },
        name @ ("id" | "data-testid" | "data-test-id" | "data-test") => {
            attribute_is(name, ValueTest::Whole { text: body.to_owned() })
        }
        "role" => Part::Role(Box::new(role(body, false)?)),
        "internal:role" => Part::Role(Box::new(role(body, true)?)),
        "label" => Part::Label { text: public_text(body) },
        name @ ("placeholder" | "alt" | "title") => attribute_is(name, value_of(public_text(body))),
        "testid" => attribute_is(&test_id_attribute(), test_id(body)),
        "internal:text" => Part::Text { text: internal_text(body)? },
        "internal:label" => Part::Label { text: internal_text(body)? },
        "internal:attr" | "internal:testid" => attribute(body)?,
        "internal:has" => Part::Has { chain: nested()? },
        "internal:has-not" => Part::HasNot { chain: nested()? },
        "internal:has-text" => Part::HasText { text: internal_text(body)? },
        "internal:has-not-text" => Part::HasNotText { text: internal_text(body)? },
        "internal:and" => Part::And { chain: nested()? },
        "internal:or" => Part::Or { chain: nested()? },
        "internal:chain" => Part::Chain { chain: nested()? },
        "internal:describe" => Part::Same,
        "aria-ref" => {
            let unknown = |_| Error::UnknownRef {
                target: "this".to_owned(),
                reason: "a ref looks like e12".to_owned(),
            };
            let reference: Ref = body.parse().map_err(unknown)?;
            Part::Ref { number: reference.element, reference }
        }
        "nth" => Part::Nth { index: body.trim().parse().map_err(|_| invalid("nth takes a whole number"))? },
        "visible" => match body.trim() {
            // Older versions of Playwright accepted 1 for true, and clients such as LangChain still send it.
            "true" | "1" => Part::Visible { visible: true },
            "false" | "0" => Part::Visible { visible: false },
            _ => return Err(invalid("visible takes true or false")),
        },
        "left-of" | "right-of" | "above" | "below" | "near" => {
            let reason = "a selector by layout is written as a pseudo-class, such as :near(…)";
            return Err(faulty(SelectorFault::LayoutAlone, reason));
        }
        name => match CUSTOM.read().get(name) {
            Some(source) => Part::Custom { source: source.clone(), body: body.to_owned() },
            None => {
                return Err(faulty(SelectorFault::UnknownEngine, "it names an unknown engine"));
            }
        },
    })
}

/// Parses a nested selector, which is written as a JSON string.
fn nested(body: &str, depth: usize) -> Result<SelectorChain> {
    let text: String = serde_json::from_str(body.trim())
        .map_err(|_| invalid("a selector within it is not a JSON string"))?;
    let pieces = split(&text)?;
    if pieces.iter().any(|piece| piece.engine == "internal:control") {
        return Err(invalid("a selector within another cannot enter a frame"));
    }
    chain(pieces, depth + 1)
}

/// Parses a text as users write it: `word`, `"exact text"` or `/pattern/i`.
fn public_text(body: &str) -> TextTest {
    if let Some((source, flags)) = regex(body) {
        return TextTest::Regex { source, flags };
    }
    let trimmed = body.trim();
    let quoted = |quote| trimmed.len() > 1 && trimmed.starts_with(quote) && trimmed.ends_with(quote);
    if !quoted('"') && !quoted('\'') {
        return TextTest::Containing { text: body.to_owned() };
    }
    TextTest::Run { text: unescaped(&trimmed[1..trimmed.len() - 1]) }
}

/// Parses a text as client libraries write it: a JSON string with `i` (partial) or `s` (full), or a pattern.
fn internal_text(body: &str) -> Result<TextTest> {
    if let Some((source, flags)) = regex(body) {
        return Ok(TextTest::Regex { source, flags });
    }
    let (quoted, exact) = match body.strip_suffix('i') {
        Some(quoted) if quoted.ends_with('"') => (quoted, false),
        _ => (body.strip_suffix('s').unwrap_or(body), true),
    };
    if !quoted.starts_with('"') {
        return Ok(TextTest::Containing { text: body.to_owned() });
    }
    let text = serde_json::from_str(quoted).map_err(|_| invalid("a text in it is not a JSON string"))?;
    Ok(if exact { TextTest::Whole { text } } else { TextTest::Containing { text } })
}

/// Parses `/source/flags`.
fn regex(body: &str) -> Option<(String, String)> {
    let (source, flags) = body.strip_prefix('/')?.rsplit_once('/')?;
    Some((source.to_owned(), flags.to_owned()))
}

fn unescaped(text: &str) -> String {
    let mut characters = text.chars();
    let mut result = String::with_capacity(text.len());
    while let Some(character) = characters.next() {
        result.push(if character == '\\' { characters.next().unwrap_or('\\') } else { character });
    }
    result
}

fn value_of(text: TextTest) -> ValueTest {
    match text {
        TextTest::Containing { text } => ValueTest::Containing { text: text.trim().to_owned() },
        TextTest::Whole { text } | TextTest::Run { text } => ValueTest::Whole { text },
        TextTest::Regex { source, flags } => ValueTest::Regex { source, flags },
    }
}

fn test_id(body: &str) -> ValueTest {
    match public_text(body) {
        TextTest::Containing { text } => ValueTest::Whole { text },
        text => value_of(text),
    }
}

/// Parses `[name="value"i]`, the form of `internal:attr` and `internal:testid`.
fn attribute(body: &str) -> Result<Part> {
    let (name, attributes) = attributes::read(body)?;
    let one = <[Attribute; 1]>::try_from(attributes);
    let (true, Ok([Attribute { name, compare: Some(Compare::Is), value, exact }])) = (name.is_empty(), one)
    else {
        return Err(invalid("one attribute with its value is needed"));
    };
    let value = match value {
        Value::Regex { source, flags } => ValueTest::Regex { source, flags },
        Value::Text(text) if exact => ValueTest::Whole { text },
        Value::Text(text) => ValueTest::Containing { text },
        Value::Is(_) => return Err(invalid("the value of an attribute is a text")),
    };
    Ok(Part::Attribute { name, value })
}

/// Each state with the roles that can have it, separated by spaces. Other roles would never match.
const BEARERS: [(&str, &str); 4] = [
    ("checked", "checkbox menuitemcheckbox menuitemradio option radio switch treeitem"),
    ("level", "heading listitem row treeitem"),
    ("pressed", "button"),
    ("selected", "gridcell option row tab rowheader columnheader treeitem"),
];

/// Parses `button[name="OK"i][pressed]`. With `internal`, a name compared without case also matches partially.
fn role(body: &str, internal: bool) -> Result<RoleTest> {
    let (role, attributes) = attributes::read(body)?;
    if role.is_empty() {
        return Err(invalid("a role is missing"));
    }
    let mut test = RoleTest { role: role.to_lowercase(), ..RoleTest::default() };
    let mut exact = None;
    for attribute in &attributes {
        let bearers = BEARERS.into_iter().find(|(state, _)| *state == attribute.name);
        if bearers.is_some_and(|(_, roles)| !roles.split(' ').any(|role| role == test.role)) {
            return Err(invalid("a role in it never has the state that is asked for"));
        }
        match attribute.name.as_str() {
            "checked" => test.checked = Some(attribute.state()?),
            "pressed" => test.pressed = Some(attribute.state()?),
            "selected" => test.selected = Some(attribute.truth()?),
            "expanded" => test.expanded = Some(attribute.truth()?),
            "disabled" => test.disabled = Some(attribute.truth()?),
            "include-hidden" => test.hidden_too = attribute.truth()?,
            "exact" => exact = Some(attribute.truth()?),
            "level" => test.level = Some(attribute.number()?),
            "name" => test.name = Some(attribute.name_test(internal)?),
            "description" => test.description = Some(attribute.name_test(internal)?),
            _ => return Err(invalid("a role has no such attribute")),
        }
    }
    if let Some(wanted) = exact {
        let Some(NameTest::Text { compare, exact, .. }) = &mut test.name else {
            return Err(invalid("exact needs a name that is a text"));
        };
        *compare = if wanted { Compare::Is } else { Compare::Containing };
        *exact = wanted;
    }
    Ok(test)
}

impl Attribute {
    fn truth(&self) -> Result<bool> {
        match (self.compare, &self.value) {
            (None, _) => Ok(true),
            (Some(Compare::Is), Value::Is(truth)) => Ok(*truth),
            _ => Err(invalid("a state of a role is true or false")),
        }
    }

    fn state(&self) -> Result<State> {
        match &self.value {
            Value::Text(text) if self.compare == Some(Compare::Is) && text == "mixed" => {
                Ok(State::Mixed("mixed"))
            }
            _ => self.truth().map(State::Is),
        }
    }

    fn number(&self) -> Result<u32> {
        let number = match &self.value {
            Value::Text(text) if self.compare == Some(Compare::Is) => text.parse().ok(),
            _ => None,
        };
        number.ok_or_else(|| invalid("a level is a whole number"))
    }

    fn name_test(&self, internal: bool) -> Result<NameTest> {
        match (self.compare, &self.value) {
            (Some(Compare::Is), Value::Regex { source, flags }) => {
                Ok(NameTest::Regex { source: source.clone(), flags: flags.clone() })
            }
            (Some(compare), Value::Text(text)) => {
                let part = internal && !self.exact && compare == Compare::Is;
                let compare = if part { Compare::Containing } else { compare };
                Ok(NameTest::Text { compare, text: text.clone(), exact: self.exact })
            }
            _ => Err(invalid("a name is a text or a regular expression")),
        }
    }
}
