//! Form controls, native and custom: their kind, their value, and how to set it.
use futures_util::future::try_join_all;
use serde::Deserialize;
use serde_json::Value;

use super::actionability::ActionOptions;
use super::element::{ElementHandle, OptionChoice};
use super::fill::{MultipleChoicePolicy, wrong_value};
use super::lost::ElementSummary;
use super::matches::Match;
use super::written::{self, FieldValue};
use crate::browser::objects::world::value_argument;
use crate::error::{ElementKind, Error, RequiredElementKind, Result, quoted, quoted_as_is};

/// The kind of a control, which determines how to set its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ControlKind {
    /// Text input, including date and number fields.
    Text,
    /// A native `select`.
    Select,
    /// A checkbox, radio button or switch, native or custom.
    Check,
    /// A native slider.
    Range,
    /// A custom slider.
    Slider,
    /// A custom list of options, or a control that opens one.
    Choice,
    /// A group of radio buttons or checkboxes.
    Group,
    File,
    /// Not a control.
    None,
    /// The element is gone.
    Gone,
}

/// The current value of a control, as the page displays it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct ControlValue {
    pub kind: ControlKind,
    /// The text, the number, or the names of the chosen options.
    pub values: Vec<String>,
    #[serde(default)]
    pub checked: Value,
    /// Whether filling had no effect: the control still shows its previous value or, in a select, another option
    /// than the chosen one.
    #[serde(default)]
    pub unchanged: bool,
    /// Whether the value is secret, as in a password field.
    #[serde(default)]
    pub secret: bool,
    /// Whether an element other than the field shows the value, possibly only a part of it.
    #[serde(default)]
    pub proxy: bool,
    /// What happened to the text that was typed last.
    pub outcome: Option<TypingOutcome>,
    /// Other fields that received a part of the typed text.
    #[serde(default)]
    pub strays: Vec<MisplacedTextField>,
}

/// What happened to a text that was typed into a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TypingOutcome {
    Same,
    /// The field changed the text: by its format, its limits or its allowed characters.
    Reformatted,
    /// The field received the text and does not show it: a terminal, or a field that clears itself.
    Consumed,
    /// A part of the text went to another field.
    Strayed,
    Lost,
    /// The field was removed before any of the text arrived.
    Gone,
    /// The field was removed when a part of the text had arrived.
    Cut,
}

impl TypingOutcome {
    fn is_lost(self) -> bool {
        matches!(self, Self::Strayed | Self::Lost | Self::Gone | Self::Cut)
    }
}

/// A field that received a part of a text that was typed into another field.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct MisplacedTextField {
    role: String,
    name: String,
    shows: String,
}

/// The injected script's report about the text that was typed last.
#[derive(Debug, Deserialize)]
pub(in crate::browser) struct Typed {
    pub(in crate::browser) outcome: TypingOutcome,
    strays: Vec<MisplacedTextField>,
    shows: String,
}

impl Typed {
    /// Returns the error; `None` if the field accepted the text.
    pub(in crate::browser) fn error(&self) -> Option<Error> {
        match self.outcome {
            TypingOutcome::Strayed => Some(strayed(self.shows.clone(), &self.strays)),
            TypingOutcome::Lost => Some(Error::NotTaken { shows: self.shows.clone() }),
            TypingOutcome::Gone | TypingOutcome::Cut => Some(Error::FieldRemoved),
            TypingOutcome::Same | TypingOutcome::Reformatted | TypingOutcome::Consumed => None,
        }
    }
}

fn strayed(shows: String, strays: &[MisplacedTextField]) -> Error {
    let describe = |stray: &MisplacedTextField| {
        format!(
            "{} {}, which shows {}",
            stray.role,
            quoted(&stray.name, LONGEST_STRAY),
            quoted_as_is(&stray.shows, LONGEST_STRAY)
        )
    };
    Error::Strayed { shows, into: strays.iter().map(describe).collect() }
}

/// The maximum length, in characters, of the names and texts of misplaced-text fields in an error.
const LONGEST_STRAY: usize = 60;

impl ControlValue {
    pub fn is_empty(&self) -> bool {
        self.values.iter().all(|value| value.trim().is_empty())
    }

    /// Whether the text that was typed last did not arrive in this field.
    pub fn is_typed_text_lost(&self) -> bool {
        self.outcome.is_some_and(TypingOutcome::is_lost)
    }

    /// Returns the error for a control that does not have the value that was set.
    pub fn not_taken_error(&self) -> Error {
        let shows = if self.secret { String::new() } else { self.values.join(", ") };
        match self.outcome {
            Some(TypingOutcome::Strayed) => strayed(shows, &self.strays),
            Some(TypingOutcome::Gone | TypingOutcome::Cut) => Error::FieldRemoved,
            _ => Error::NotTaken { shows },
        }
    }
}

impl ElementHandle {
    /// Returns the kind of this control.
    ///
    /// # Errors `wrong_element` for a text input that does not accept `text`.
    pub async fn control_kind(&self, text: Option<&str>) -> Result<ControlKind> {
        #[derive(Deserialize)]
        struct Control {
            kind: ControlKind,
            wrong: Option<ElementKind>,
            needed: Option<String>,
        }
        let found: Control = self.ask("control", vec![value_argument(&text)]).await?;
        match found {
            Control { kind: ControlKind::Gone, .. } => Err(self.stale()),
            Control { kind, wrong: Some(wrong), needed } if kind != ControlKind::None => {
                let written = needed.as_deref().zip(text).map(|(needed, text)| written::read(needed, text));
                match written {
                    Some(FieldValue::As(_)) => Ok(kind),
                    written => Err(wrong_value(wrong, needed.as_deref(), written.as_ref())),
                }
            }
            Control { kind, .. } => Ok(kind),
        }
    }

    /// Sets the value of a control: as text or, if the control does not accept text, according to its kind.
    pub async fn set_value_from_text(&self, value: &str, options: &ActionOptions) -> Result<()> {
        match self.fill(value, options).await {
            Err(error @ Error::WrongElement { .. }) => match self.control_kind(None).await? {
                ControlKind::Text | ControlKind::Range | ControlKind::None | ControlKind::File => Err(error),
                kind => self.set_control_value(kind, &[value.to_owned()], options).await,
            },
            filled => filled,
        }
    }

    /// Returns the displayed value of the control after `value` was set.
    ///
    /// # Errors `not_taken` if the control did not accept a non-empty `value`, or shows nothing.
    pub async fn verify_control_value(&self, value: &str) -> Result<ControlValue> {
        let shown = self.control_value().await?;
        let holds_text = !matches!(shown.kind, ControlKind::Check | ControlKind::None | ControlKind::Gone);
        let is_refused = match shown.outcome {
            Some(outcome) => outcome.is_lost(),
            None => holds_text && (shown.is_empty() || shown.unchanged && shown.values != [value]),
        };
        if is_refused && !value.trim().is_empty() { Err(shown.not_taken_error()) } else { Ok(shown) }
    }

    /// Returns the file input that belongs to the element, such as the hidden input beside an upload button.
    pub async fn file_input(&self) -> Result<Self> {
        let found = self.handle_of("fileInputOf", Vec::new()).await?;
        let found_instead =
            || Error::WrongElement { found: ElementKind::default(), needed: RequiredElementKind::FileInput };
        found.ok_or_else(found_instead)
    }

    /// Returns the displayed value of the control.
    pub async fn control_value(&self) -> Result<ControlValue> {
        self.ask("shownBy", Vec::new()).await
    }

    /// Returns the displayed values of several controls, in one query if they are in one document.
    pub async fn control_values(elements: &[Self]) -> Result<Vec<ControlValue>> {
        match elements.first() {
            Some(first) if elements.iter().all(|element| element.is_beside(first)) => {
                let nodes = elements.iter().map(|element| element.handle().argument()).collect();
                first.world().call_with("allShownBy", nodes).await
            }
            _ => try_join_all(elements.iter().map(Self::control_value)).await,
        }
    }

    /// Sets the value of a control according to its kind. A control with a single value needs exactly one.
    pub async fn set_control_value(
        &self,
        kind: ControlKind,
        values: &[String],
        options: &ActionOptions,
    ) -> Result<()> {
        let alone = || match values {
            [value] => Ok(value.as_str()),
            _ => Err(Error::WrongElement {
                found: ElementKind::single_value_control(),
                needed: RequiredElementKind::SeveralValues,
            }),
        };
        match kind {
            ControlKind::Text | ControlKind::Range => self.field().await?.fill(alone()?, options).await,
            ControlKind::Select => {
                let choices: Vec<_> = values.iter().cloned().map(OptionChoice::Like).collect();
                self.field()
                    .await?
                    .select_options(&choices, MultipleChoicePolicy::Refused, options)
                    .await
                    .map(drop)
            }
            ControlKind::Check => {
                self.field().await?.set_checked(parse_checked(alone()?).ok_or_else(unread)?, options).await
            }
            ControlKind::Slider => self.field().await?.slide_to(alone()?, options).await,
            ControlKind::Choice | ControlKind::Group => self.choose(kind, values, options).await,
            // Fails with an error that names the element's kind.
            ControlKind::File | ControlKind::None => self.fill(alone()?, options).await,
            ControlKind::Gone => Err(self.stale()),
        }
    }

    /// Returns the error for choosing from an element without a list.
    pub async fn not_a_list_error(&self) -> Result<Error> {
        let found = self.ask("called", Vec::new()).await?;
        Ok(Error::WrongElement { found, needed: RequiredElementKind::List })
    }

    /// Returns the custom control that a library shows instead of this hidden field; `None` if there is none.
    pub async fn custom_replacement(&self) -> Result<Option<Match>> {
        self.in_place("drawnInstead").await
    }

    /// Returns the control that is probably shown instead of this invisible field, if any.
    pub async fn visible_replacement(&self) -> Result<Option<Match>> {
        self.in_place("shownInstead").await
    }

    async fn in_place(&self, method: &str) -> Result<Option<Match>> {
        let found: Option<ElementSummary> = self.ask(method, Vec::new()).await?;
        let frame = self.frame().clone();
        frame.set_last_ref(found.as_ref().map_or(0, |found| found.number));
        Ok(found.map(|ElementSummary { role, name, number }| Match { frame, number, role, name }))
    }

    /// Returns the control that belongs to the element: itself, its label's, or the one around or inside it.
    pub(in crate::browser) async fn field(&self) -> Result<Self> {
        self.handle_of("fieldOf", Vec::new()).await?.ok_or_else(|| self.stale())
    }
}

/// Parses `true`, `yes`, `off` and the like for a checkbox; `None` for other texts.
pub fn parse_checked(text: &str) -> Option<bool> {
    match text.trim().to_ascii_lowercase().as_str() {
        "true" | "on" | "yes" | "1" | "checked" => Some(true),
        "false" | "off" | "no" | "0" | "unchecked" | "" => Some(false),
        _ => None,
    }
}

fn unread() -> Error {
    Error::InvalidArguments { problems: vec!["the value must be true or false".to_owned()] }
}
