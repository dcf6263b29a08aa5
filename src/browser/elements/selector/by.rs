//! Builders for selectors.
use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::test_id_attribute;

/// A builder for selectors by role, text, label and other properties that a person sees.
///
/// ```
/// use patchright_mcp::browser::selector::{By, RoleOptions};
///
/// let save = By::role("button", &RoleOptions { name: Some("Save".into()), ..RoleOptions::default() });
/// assert_eq!(save.as_str(), r#"internal:role=button[name="Save"i]"#);
/// assert_eq!(By::label("Name").nth(1).as_str(), r#"internal:label="Name"i >> nth=1"#);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct By(String);

/// A text to search for. A `&str` matches any part, ignoring case.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged, expecting = "expected a text or a pattern")]
pub enum TextMatch {
    /// A JavaScript regular expression.
    Pattern { source: String, flags: String },
    /// A part of the text, ignoring case; with `exact`, the full text.
    Text {
        text: String,
        #[serde(default)]
        exact: bool,
    },
}

/// Properties that an element with a role must have.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct RoleOptions {
    pub states: RoleStates,
    /// The accessible name.
    pub name: Option<TextMatch>,
    /// The accessible description.
    pub description: Option<TextMatch>,
}

/// The states of an element; `None` matches any.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, rename_all(serialize = "kebab-case"))]
pub struct RoleStates {
    pub checked: Option<bool>,
    pub disabled: Option<bool>,
    pub selected: Option<bool>,
    pub expanded: Option<bool>,
    /// Whether elements match that are hidden from assistive technology.
    pub include_hidden: Option<bool>,
    pub level: Option<u32>,
    pub pressed: Option<bool>,
}

/// Conditions that narrow the matches. `has` and `has_not` are selectors of descendants.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct Filter {
    pub has_text: Option<TextMatch>,
    pub has_not_text: Option<TextMatch>,
    pub has: Option<String>,
    pub has_not: Option<String>,
    pub visible: Option<bool>,
}

impl By {
    /// Wraps a selector: CSS, or any other syntax that [`Selector::parse`](super::Selector::parse) supports.
    pub fn selector(selector: &str) -> Self {
        Self(selector.to_owned())
    }

    /// Matches elements with this role and these properties.
    pub fn role(role: &str, options: &RoleOptions) -> Self {
        let states = serde_json::to_value(&options.states).unwrap_or_default();
        let states = states.as_object().into_iter().flatten().filter(|(_, value)| !value.is_null());
        let words = [("name", &options.name), ("description", &options.description)];
        let words = words.iter().filter_map(|(what, words)| Some((what, words.as_ref()?)));
        let mut parts = vec![format!("internal:role={role}")];
        parts.extend(states.map(|(state, value)| format!("[{state}={value}]")));
        parts.extend(words.map(|(what, words)| format!("[{what}={}]", words.as_attribute())));
        Self(parts.concat())
    }

    /// Matches elements by their text.
    pub fn text(text: impl Into<TextMatch>) -> Self {
        Self(format!("internal:text={}", text.into()))
    }

    /// Matches controls by their label.
    pub fn label(text: impl Into<TextMatch>) -> Self {
        Self(format!("internal:label={}", text.into()))
    }

    /// Matches elements by the value of an attribute, such as `placeholder`, `alt` or `title`.
    pub fn attribute(name: &str, text: impl Into<TextMatch>) -> Self {
        Self(format!("internal:attr=[{name}={}]", text.into().as_attribute()))
    }

    /// Matches elements by their test id. A text must equal the full id.
    pub fn test_id(text: impl Into<TextMatch>) -> Self {
        let text = match text.into() {
            TextMatch::Text { text, .. } => TextMatch::Text { text, exact: true },
            pattern @ TextMatch::Pattern { .. } => pattern,
        };
        Self(format!("internal:testid=[{}={}]", test_id_attribute(), text.as_attribute()))
    }

    /// Chooses one of several matches: the first is 0, the last is -1.
    #[must_use]
    pub fn nth(self, index: i64) -> Self {
        Self(format!("{self} >> nth={index}"))
    }

    /// Keeps only the matches that pass `filter`.
    #[must_use]
    pub fn filter(self, filter: &Filter) -> Self {
        let texts = [("has-text", &filter.has_text), ("has-not-text", &filter.has_not_text)];
        let texts = texts.iter().filter_map(|(what, text)| Some((what, text.as_ref()?.to_string())));
        let within = [("has", &filter.has), ("has-not", &filter.has_not)];
        let within = within.iter().filter_map(|(what, selector)| Some((what, quoted(selector.as_ref()?))));
        let mut parts = vec![self.0];
        parts.extend(texts.chain(within).map(|(what, value)| format!(" >> internal:{what}={value}")));
        parts.extend(filter.visible.map(|visible| format!(" >> visible={visible}")));
        Self(parts.concat())
    }

    /// Returns the selector as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for By {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl TextMatch {
    /// Creates a match for the full text instead of a part.
    pub fn exact(text: &str) -> Self {
        Self::Text { text: text.to_owned(), exact: true }
    }

    /// Formats the text as the value of an attribute in brackets, where a backslash escapes one character.
    fn as_attribute(&self) -> String {
        match self {
            Self::Text { text, exact } => {
                format!("\"{}\"{}", text.replace('\\', r"\\").replace('"', r#"\""#), how(*exact))
            }
            pattern @ Self::Pattern { .. } => pattern.to_string(),
        }
    }
}

impl From<&str> for TextMatch {
    fn from(text: &str) -> Self {
        Self::Text { text: text.to_owned(), exact: false }
    }
}

impl fmt::Display for TextMatch {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text { text, exact } => write!(formatter, "{}{}", quoted(text), how(*exact)),
            Self::Pattern { source, flags } => write!(formatter, "/{}/{flags}", within_selector(source)),
        }
    }
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// Returns the selector suffix for exact (`s`) or partial (`i`) matching.
fn how(exact: bool) -> char {
    if exact { 's' } else { 'i' }
}

/// Escapes a pattern so that its quotes, slashes and `>>` do not end the selector.
fn within_selector(source: &str) -> String {
    let (mut safe, mut is_escaped) = (String::new(), false);
    for character in source.chars() {
        if !is_escaped && matches!(character, '/' | '"' | '\'' | '`') {
            safe.push('\\');
        }
        safe.push(character);
        is_escaped = character == '\\' && !is_escaped;
    }
    safe.replace(">>", r"\>\>")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::Selector;
    use super::*;

    fn any_text() -> impl Strategy<Value = TextMatch> {
        (".*", any::<bool>()).prop_map(|(text, exact)| TextMatch::Text { text, exact })
    }

    proptest! {
        /// Feature: selectors, a built selector can always be parsed
        #[test]
        fn whatever_a_text_holds_what_is_built_of_it_can_be_read(text in any_text(), name in any_text(), level: Option<u32>) {
            let role = RoleOptions {
                states: RoleStates { level, include_hidden: Some(true), ..RoleStates::default() },
                name: Some(name.clone()),
                description: Some(text.clone()),
            };
            for by in [
                By::role("heading", &role),
                By::text(text.clone()),
                By::label(text.clone()),
                By::attribute("title", text.clone()),
                By::test_id(text.clone()),
            ] {
                let filter = Filter { has_text: Some(name.clone()), has: Some(by.to_string()), visible: Some(true), ..Filter::default() };
                let by = by.filter(&filter).nth(-1);
                prop_assert!(Selector::parse(by.as_str()).is_ok(), "{by}");
            }
        }
    }

    #[test]
    fn a_pattern_does_not_end_where_it_should_not() {
        let pattern = TextMatch::Pattern { source: r#"a/b\/"c" >> d"#.to_owned(), flags: "i".to_owned() };
        assert_eq!(By::text(pattern.clone()).as_str(), r#"internal:text=/a\/b\/\"c\" \>\> d/i"#);
        assert!(Selector::parse(By::attribute("title", pattern).as_str()).is_ok());
    }
}
