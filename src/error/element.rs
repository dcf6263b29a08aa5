//! Kinds of elements: the kind that was found, and the kind that an action requires.
use std::fmt;

use serde::{Deserialize, Serialize};

/// The kind of an element: its tag, `input[type=radio]` for an input, or `editable` for contenteditable text.
/// A slider has its limits appended, as in `[role=slider][min=0][max=10]`; a native one also has its step.
/// `[single]`, `select-one`, `file-one` and `file-folder` are controls that accept only one value or file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ElementKind(String);

impl ElementKind {
    pub fn new(kind: impl Into<String>) -> Self {
        Self(kind.into())
    }

    /// Returns the kind of a control that accepts only one value.
    pub fn single_value_control() -> Self {
        Self::new("[single]")
    }

    /// Returns the limits of a slider, such as `[min=0][max=10]`, possibly empty; `None` if it is no slider.
    fn slider(&self) -> Option<&str> {
        ["input[type=range]", "[role=slider]"].iter().find_map(|kind| self.0.strip_prefix(kind))
    }

    /// Whether error messages call this element "a button".
    pub fn is_button(&self) -> bool {
        self.to_string() == "a button"
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for ElementKind {
    fn default() -> Self {
        Self::new("")
    }
}

impl fmt::Display for ElementKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(limits) = self.slider() {
            let limits = limits.strip_prefix("[min=").and_then(|rest| rest.strip_suffix(']'));
            return match limits.and_then(|rest| rest.split_once("][max=")) {
                Some((min, rest)) => match rest.split_once("][step=") {
                    Some((max, step)) => write!(f, "a slider from {min} to {max} in steps of {step}"),
                    None => write!(f, "a slider from {min} to {rest}"),
                },
                None => f.write_str("a slider"),
            };
        }
        let input = self.0.strip_prefix("input[type=").and_then(|rest| rest.strip_suffix(']'));
        let text = match (input, self.0.as_str()) {
            (Some("button"), _) | (None, "button") => "a button",
            (Some("checkbox"), _) => "a checkbox",
            (Some("color"), _) => "a colour field",
            (Some("date"), _) => "a date field",
            (Some("datetime-local"), _) => "a date and time field",
            (Some("file"), _) => "a file input",
            (Some("hidden"), _) => "a hidden field",
            (Some("image"), _) => "an image button",
            (Some("month"), _) => "a month field",
            (Some("number"), _) => "a number field",
            (Some("radio"), _) => "a radio button",
            (Some("reset"), _) => "a reset button",
            (Some("submit"), _) => "a submit button",
            (Some("time"), _) => "a time field",
            (Some("week"), _) => "a week field",
            (Some(_), _) | (None, "textarea") => "a text field",
            (None, "editable") => "editable text",
            (None, "a") => "a link",
            (None, "select") => "a select",
            (None, "select-one") => "a select for one option",
            (None, "option") => "an option of a select",
            (None, "label") => "a label",
            (None, "img") => "an image",
            (None, "form") => "a form",
            (None, "iframe") => "a frame",
            (None, "canvas") => "a canvas",
            (None, "file-one") => "an input for one file",
            (None, "file-folder") => "an input for a folder",
            (None, "[single]") => "a control for one value",
            (None, "") => "something else",
            (None, tag) => return write!(f, "<{tag}>"),
        };
        f.write_str(text)
    }
}

/// The kind of element or value that an action requires.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr, strum::EnumString)]
#[strum(serialize_all = "snake_case")]
pub enum RequiredElementKind {
    Element,
    HtmlElement,
    Frame,
    Checkable,
    Uncheckable,
    FileInput,
    SeveralFiles,
    /// A folder, because the file input does not accept single files.
    Folder,
    /// Files, because the file input does not accept a folder.
    Files,
    NativeSelect,
    /// An element that opens a list of options.
    List,
    SeveralOptions,
    SeveralValues,
    Value,
    Input,
    Editable,
    Text,
    Date,
    /// A date in an unambiguous format, such as 2027-03-05.
    PlainDate,
    Time,
    DatetimeLocal,
    Month,
    Week,
    Color,
    Number,
    Range,
}

impl RequiredElementKind {
    /// Returns the kind of value that an input of this `type` needs.
    pub fn for_input_type(kind: &str) -> Self {
        kind.replace('-', "_").parse().unwrap_or(Self::Text)
    }

    /// Returns what the element takes or lacks, as the end of an error's sentence.
    pub(super) fn described(self) -> String {
        if self.is_value() { format!("which takes {self}") } else { format!("but {self} is needed") }
    }

    /// Whether this is a kind of value rather than a kind of element.
    pub fn is_value(self) -> bool {
        matches!(
            self,
            Self::Folder
                | Self::Files
                | Self::Date
                | Self::PlainDate
                | Self::Time
                | Self::DatetimeLocal
                | Self::Month
                | Self::Week
                | Self::Color
                | Self::Number
                | Self::Range
        )
    }
}

impl fmt::Display for RequiredElementKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Element => "an element",
            Self::HtmlElement => "an element of HTML",
            Self::Frame => "a frame",
            Self::Checkable => "a checkbox, a radio button or a switch",
            Self::Uncheckable => "a checkbox or a switch",
            Self::FileInput => "a file input",
            Self::SeveralFiles => "an input for several files",
            Self::Folder => "the path of one folder, all files of which it takes",
            Self::Files => "files one by one: a folder cannot be given to it",
            Self::NativeSelect => "a native select",
            Self::List => "a list to choose from",
            Self::SeveralOptions => "a select for several options",
            Self::SeveralValues => "one that takes several",
            Self::Value => "an input, a text area or a select",
            Self::Input => "a field with a value",
            Self::Editable => "a field, editable text, or a role that can be read-only",
            Self::Text => "something to write text into",
            Self::Date => "a date such as 2024-03-07 or March 7, 2024",
            Self::PlainDate => "a date with its month in words, such as March 5, 2027, or 2027-03-05",
            Self::Time => "a time such as 14:30 or 2:30 PM",
            Self::DatetimeLocal => "a date and time such as 2024-03-07T14:30 or March 7, 2024 2:30 PM",
            Self::Month => "a month such as 2024-03 or March 2024",
            Self::Week => "a week such as 2024-W10",
            Self::Color => "a colour such as #e66465 or red",
            Self::Number => "a number such as 1234.5",
            Self::Range => "a number within its limits",
        })
    }
}
