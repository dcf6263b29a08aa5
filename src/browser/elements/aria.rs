//! ARIA snapshots: writes them, and matches them with templates.
//!
//! For the format see Playwright's documentation of ARIA snapshots.
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::iter::Peekable;
use std::sync::LazyLock;
use std::time::Duration;

use regex::Regex;
use serde::Deserialize;
use serde_json::Value;

use super::action::thrown;
use super::element::ElementHandle;
use super::expect::last_seen;
use super::locator::Locator;
use crate::error::{Error, Result, squeezed};

/// The accessibility tree of an element. If the element has no role, only the nodes inside the element.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(transparent)]
pub struct AriaTree(Vec<AriaNode>);

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(untagged)]
enum AriaNode {
    Text(String),
    Element {
        role: String,
        name: String,
        url: Option<String>,
        children: AriaTree,
        /// The reported states by name: `checked`, `level` and so on.
        #[serde(flatten)]
        states: BTreeMap<String, Value>,
    },
}

/// A template that an accessibility tree must match.
#[derive(Debug)]
pub struct AriaTemplate(Inside);

/// The expected content of an element.
#[derive(Debug, Default)]
struct Inside {
    url: Option<Words>,
    mode: Option<Mode>,
    children: Vec<Wanted>,
}

#[derive(Debug)]
enum Wanted {
    Text(Words),
    Element { role: String, name: Option<Words>, states: Vec<(String, String)>, inside: Inside },
}

/// Whether other children are allowed besides the expected ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Contain,
    Equal,
    DeepEqual,
}

/// An expected text, or a regular expression between slashes.
#[derive(Debug)]
struct Words {
    text: String,
    pattern: Option<Regex>,
}

/// The result of an ARIA expectation.
#[derive(Debug, Clone)]
pub struct ExpectAriaOutcome {
    /// Whether the element matches the template.
    pub matches: bool,
    /// The actual tree.
    pub received: String,
}

impl Locator {
    /// Waits until the accessibility tree of the element matches `template` or, if `is_not`, does not match.
    /// Returns the last result.
    ///
    /// # Errors `element_not_found` if no element matches the locator within `limit`.
    pub async fn expect_aria(
        &self,
        template: &AriaTemplate,
        is_not: bool,
        limit: Duration,
    ) -> Result<ExpectAriaOutcome> {
        let look = |left| self.with_element(left, |element, _| async move { element.aria_tree().await });
        let seen = last_seen(limit, look, |seen| seen.matches(template) != is_not).await?;
        Ok(ExpectAriaOutcome { matches: seen.matches(template), received: seen.to_yaml(None) })
    }
}

impl ElementHandle {
    /// Returns the accessibility tree of the element.
    ///
    /// # Errors `stale_ref` if the element is gone.
    pub async fn aria_tree(&self) -> Result<AriaTree> {
        self.ask("ariaTree", Vec::new()).await.map_err(thrown)
    }
}

impl AriaTree {
    /// Writes the tree as a YAML list. `depth` limits the number of levels below the first. Default: all.
    pub fn to_yaml(&self, depth: Option<usize>) -> String {
        let mut lines = Vec::new();
        self.write(depth, "", &mut lines);
        lines.join("\n")
    }

    fn write(&self, depth: Option<usize>, indent: &str, lines: &mut Vec<String>) {
        for node in &self.0 {
            node.write(depth, indent, lines);
        }
    }

    /// Whether the template matches this tree or a subtree.
    pub fn matches(&self, template: &AriaTemplate) -> bool {
        template.0.fits(self, false)
            || self.0.iter().any(|node| match node {
                AriaNode::Text(_) => false,
                AriaNode::Element { children, .. } => children.matches(template),
            })
    }
}

impl AriaNode {
    fn write(&self, depth: Option<usize>, indent: &str, lines: &mut Vec<String>) {
        let (head, url, children) = match self {
            Self::Text(text) => return lines.push(format!("{indent}- text: {}", scalar(text))),
            Self::Element { role, name, url, children, states } => {
                (format!("{indent}- {}", head(role, name, states)), url, children)
            }
        };
        match (&*children.0, url) {
            ([Self::Text(only)], None) => lines.push(format!("{head}: {}", scalar(only))),
            ([], None) => lines.push(head),
            _ if depth == Some(0) => lines.push(head),
            _ => {
                lines.push(format!("{head}:"));
                lines.extend(url.iter().map(|url| format!("{indent}  - /url: {}", scalar(url))));
                children.write(depth.map(|depth| depth - 1), &format!("{indent}  "), lines);
            }
        }
    }
}

/// Formats role, name and states, such as `heading "To do" [level=2]`.
fn head(role: &str, name: &str, states: &BTreeMap<String, Value>) -> String {
    let mut head = role.to_owned();
    if !name.is_empty() {
        let _ = write!(head, " {}", Value::from(name));
    }
    for (state, value) in states {
        let _ = match value {
            Value::Null | Value::Bool(false) => Ok(()),
            Value::Bool(true) => write!(head, " [{state}]"),
            Value::String(value) => write!(head, " [{state}={value}]"),
            value => write!(head, " [{state}={value}]"),
        };
    }
    head
}

/// Formats a text as a YAML scalar, quoted if necessary.
fn scalar(text: &str) -> String {
    static SPECIAL: LazyLock<Regex> = LazyLock::new(|| {
        let pattern = r#"^[\s"'\-?:,\[\]{}#&*!|>%@`]|:\s|:$|\s#|\s$|^$|^(?i:true|false|null|~|[\d.]+)$"#;
        Regex::new(pattern).expect("a pattern of ours")
    });
    if SPECIAL.is_match(text) { Value::from(text).to_string() } else { text.to_owned() }
}

impl Inside {
    fn fits(&self, tree: &AriaTree, is_deep: bool) -> bool {
        let passes_on = self.mode == Some(Mode::DeepEqual) || (is_deep && self.mode.is_none());
        let mode = self.mode.unwrap_or(if is_deep { Mode::Equal } else { Mode::Contain });
        let fits = |(node, wanted): (&AriaNode, &Wanted)| wanted.fits(node, passes_on);
        if mode != Mode::Contain {
            return tree.0.len() == self.children.len() && tree.0.iter().zip(&self.children).all(fits);
        }
        let mut rest = tree.0.iter();
        self.children.iter().all(|wanted| rest.any(|node| fits((node, wanted))))
    }
}

impl Wanted {
    fn fits(&self, node: &AriaNode, is_deep: bool) -> bool {
        match (self, node) {
            (Self::Text(wanted), AriaNode::Text(text)) => wanted.fit(text),
            (
                Self::Element { role: wanted, name: words, states: wanted_states, inside },
                AriaNode::Element { role, name, url, children, states },
            ) => {
                wanted == role
                    && words.as_ref().is_none_or(|words| words.fit(name))
                    && inside.url.as_ref().is_none_or(|words| words.fit(url.as_deref().unwrap_or_default()))
                    && wanted_states.iter().all(|(state, value)| describe_state(states.get(state)) == *value)
                    && inside.fits(children, is_deep)
            }
            _ => false,
        }
    }
}

fn describe_state(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => "false".to_owned(),
        Some(Value::String(value)) => value.to_lowercase(),
        Some(value) => value.to_string(),
    }
}

impl Words {
    fn read(text: &str) -> Result<Self> {
        let between = text.strip_prefix('/').and_then(|rest| rest.strip_suffix('/'));
        let pattern = between.map(|pattern| {
            Regex::new(pattern)
                .map_err(|error| problem(format!("{text} is not a valid regular expression: {error}")))
        });
        Ok(Self { text: squeezed(text), pattern: pattern.transpose()? })
    }

    fn fit(&self, text: &str) -> bool {
        self.pattern.as_ref().is_some_and(|pattern| pattern.is_match(text)) || self.text == squeezed(text)
    }
}

impl AriaTemplate {
    /// Parses a template; indented lines are children.
    ///
    /// # Errors `invalid_arguments` with the invalid line.
    pub fn parse(text: &str) -> Result<Self> {
        let lines = text.lines().filter(|line| !line.trim().is_empty());
        let lines = lines.map(|line| (line.len() - line.trim_start().len(), line.trim()));
        Ok(Self(Inside::read(&mut lines.peekable(), None)?))
    }
}

impl Inside {
    fn read<'a>(
        lines: &mut Peekable<impl Iterator<Item = (usize, &'a str)>>,
        around: Option<usize>,
    ) -> Result<Self> {
        let mut inside = Self::default();
        while let Some((indent, line)) =
            lines.next_if(|(indent, _)| around.is_none_or(|around| *indent > around))
        {
            let unreadable = || problem(format!("a line of an aria snapshot cannot be read: {line}"));
            let line = line
                .strip_prefix("- ")
                .map(str::trim)
                .ok_or_else(|| problem(format!("a line of an aria snapshot begins with a dash: {line}")))?;
            if let Some(mode) = line.strip_prefix("/children:") {
                inside.mode = Some(match mode.trim() {
                    "contain" => Mode::Contain,
                    "equal" => Mode::Equal,
                    "deep-equal" => Mode::DeepEqual,
                    _ => return Err(unreadable()),
                });
            } else if let Some(url) = line.strip_prefix("/url:") {
                inside.url = Some(Words::read(&unquoted(url.trim()).ok_or_else(unreadable)?)?);
            } else if let Some(text) = line.strip_prefix("text:") {
                inside
                    .children
                    .push(Wanted::Text(Words::read(&unquoted(text.trim()).ok_or_else(unreadable)?)?));
            } else {
                let mut element = Wanted::read(line)?.ok_or_else(unreadable)?;
                if let Wanted::Element { inside: within, .. } = &mut element {
                    let below = Self::read(lines, Some(indent))?;
                    within.children.extend(below.children);
                    (within.url, within.mode) = (below.url, below.mode);
                }
                inside.children.push(element);
            }
        }
        Ok(inside)
    }
}

impl Wanted {
    /// Parses a line: role, name, states, and the text if that is the only child. `None` for an invalid line.
    fn read(line: &str) -> Result<Option<Self>> {
        static HEAD: LazyLock<Regex> = LazyLock::new(|| {
            let name = r#""(?:[^"\\]|\\.)*"|/(?:[^/\\]|\\.)*/"#;
            let pattern = format!(r"^([\w-]+)(?:\s+({name}))?((?:\s*\[[^\]]*\])*)\s*(?::\s*(.*))?$");
            Regex::new(&pattern).expect("a pattern of ours")
        });
        static STATE: LazyLock<Regex> =
            LazyLock::new(|| Regex::new(r"\[([^\]=]*)(?:=([^\]]*))?\]").expect("a pattern of ours"));
        let quoted = line.strip_suffix(':').filter(|line| line.starts_with(['\'', '"']));
        let Some(line) = quoted.map_or_else(|| Some(line.to_owned()), unquoted) else { return Ok(None) };
        let Some(head) = HEAD.captures(&line) else { return Ok(None) };
        let name = match head.get(2).map(|name| name.as_str()) {
            None => None,
            Some(pattern) if pattern.starts_with('/') => Some(Words::read(pattern)?),
            Some(quoted) => {
                let Some(name) = unquoted(quoted) else { return Ok(None) };
                Some(Words { text: squeezed(&name), pattern: None })
            }
        };
        let states = STATE.captures_iter(&head[3]).map(|state| {
            let value = state.get(2).map_or("true", |value| value.as_str().trim());
            (state[1].trim().to_owned(), value.to_owned())
        });
        let mut inside = Inside::default();
        if let Some(text) = head.get(4).map(|text| text.as_str().trim()).filter(|text| !text.is_empty()) {
            let Some(text) = unquoted(text) else { return Ok(None) };
            inside.children.push(Wanted::Text(Words::read(&text)?));
        }
        Ok(Some(Self::Element { role: head[1].to_owned(), name, states: states.collect(), inside }))
    }
}

/// Removes the quotes of a text; `None` if they are invalid.
fn unquoted(text: &str) -> Option<String> {
    match text.chars().next() {
        Some('\'') => Some(text.strip_prefix('\'')?.strip_suffix('\'')?.replace("''", "'")),
        Some('"') => serde_json::from_str(text).ok(),
        _ => Some(text.to_owned()),
    }
}

fn problem(text: String) -> Error {
    Error::InvalidArguments { problems: vec![text] }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{from_value, json};

    use super::*;

    fn tree() -> AriaTree {
        from_value(json!([
            { "role": "heading", "name": "To do", "level": 2, "children": [] },
            { "role": "list", "name": "", "children": [
                { "role": "listitem", "name": "", "children": [
                    { "role": "checkbox", "name": "Eat", "checked": true, "children": [] }, "true",
                ] },
                { "role": "link", "name": "A: b", "url": "/a", "children": ["more", { "role": "img", "name": "", "children": [] }] },
            ] },
            "The end",
        ]))
        .unwrap()
    }

    #[test]
    fn a_tree_is_written_as_deep_as_was_asked_for() {
        let whole = "- heading \"To do\" [level=2]\n- list:\n  - listitem:\n    - checkbox \"Eat\" [checked]\n    - text: \"true\"\n  \
                     - link \"A: b\":\n    - /url: /a\n    - text: more\n    - img\n- text: The end";
        assert_eq!(tree().to_yaml(None), whole);
        assert_eq!(tree().to_yaml(Some(0)), "- heading \"To do\" [level=2]\n- list\n- text: The end");
        assert!(tree().matches(&AriaTemplate::parse(whole).unwrap()));
    }

    #[test]
    fn a_template_says_what_must_be_there() {
        let fits = |template: &str| tree().matches(&AriaTemplate::parse(template).unwrap());
        for template in [
            "",
            "- list",
            "- checkbox \"Eat\" [checked]",
            "- checkbox /^E/",
            "- heading [level=2]\n- text: /end$/",
            "- list:\n  - link:\n    - /url: /a",
            "- list:\n  - /children: equal\n  - listitem\n  - link",
            "- link:\n  - /url: /^.a$/\n  - text: more\n  - img",
            "- 'link \"A: b\"':\n  - text: more",
        ] {
            assert!(fits(template), "{template}");
        }
        for template in [
            "- button",
            "- checkbox \"Ea\"",
            "- checkbox [checked=false]",
            "- text: The",
            "- list:\n  - /children: equal\n  - listitem",
            "- list:\n  - /children: deep-equal\n  - listitem\n  - link",
            "- link:\n  - /url: /b",
            "- text: The end\n- heading",
        ] {
            assert!(!fits(template), "{template}");
        }
        for template in ["list", "- list: \"a", "- /children: some", "- button \"a", "- link /(/", "- list x"]
        {
            assert!(AriaTemplate::parse(template).is_err(), "{template}");
        }
    }

    proptest! {
        /// Feature: aria, a written tree matches itself as a template
        #[test]
        fn what_is_written_fits_itself_as_a_template(name in ".*", text in ".*", url in proptest::option::of("[^/].*")) {
            // As pages report texts: with collapsed white space.
            let (name, text) = (squeezed(&name), squeezed(&text));
            let said: Vec<_> = [text.clone()].into_iter().filter(|text| !text.is_empty()).collect();
            let url = url.map(|url| squeezed(&url));
            let tree: AriaTree = from_value(json!([
                { "role": "link", "name": name, "url": url, "children": said },
                { "role": "list", "name": "", "children": [{ "role": "img", "name": name, "children": [] }, text.clone() + "."] },
            ])).unwrap();
            let is_pattern = |text: &str| text.len() > 1 && text.starts_with('/') && text.ends_with('/');
            prop_assume!(!is_pattern(&text) && !url.as_deref().is_some_and(is_pattern));
            prop_assert!(tree.matches(&AriaTemplate::parse(&tree.to_yaml(None)).unwrap()), "{}", tree.to_yaml(None));
        }
    }
}
