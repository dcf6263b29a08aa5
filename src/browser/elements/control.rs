//! The controls of a form, whatever draws them: what each is, what it shows, and how it gets what it is to hold.
use futures_util::future::try_join_all;
use serde::Deserialize;
use serde_json::Value;

use super::actionability::ActionOptions;
use super::element::{ElementHandle, OptionChoice};
use super::fill::{Several, wrong_value};
use super::lost::Moving;
use super::matches::Match;
use super::written::{self, Written};
use crate::browser::objects::world::value_argument;
use crate::error::{ElementKind, Error, Needed, Result, quoted};

/// What a control is, by how it gets its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ControlKind {
    /// It is typed into, as are fields for dates and numbers.
    Text,
    /// A native list of options.
    Select,
    /// A check box, a radio button or a switch, native or not.
    Check,
    /// A native slider.
    Range,
    /// A slider of the page's own.
    Slider,
    /// A list of options of the page's own, or what opens one.
    Choice,
    /// Radio buttons or check boxes that belong together.
    Group,
    File,
    /// No control.
    None,
    /// Its element is gone.
    Gone,
}

/// What a control shows at the moment.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Shown {
    pub kind: ControlKind,
    /// The text, the number, or the names of what is chosen.
    pub values: Vec<String>,
    #[serde(default)]
    pub checked: Value,
    /// It shows what it showed before it was filled, or another option than the one that was chosen.
    #[serde(default)]
    pub unchanged: bool,
    /// What it holds is not for everybody's eyes.
    #[serde(default)]
    pub secret: bool,
    /// What it shows is drawn by something else, which may show a part only.
    #[serde(default)]
    pub proxy: bool,
    /// What became of the text that was typed into it last.
    pub outcome: Option<Outcome>,
    /// Where other parts of that text went.
    #[serde(default)]
    pub strays: Vec<Stray>,
}

/// What became of a text that was typed into a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    Same,
    /// The field made something else of it: by its format, its limits, or what it lets through.
    Made,
    /// It arrived, and the field does not show it: a terminal, or a field that empties itself.
    Taken,
    /// A part of it went to another field.
    Strayed,
    Lost,
}

/// A field that got a part of a text which was meant for another one.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Stray {
    role: String,
    name: String,
    shows: String,
}

/// What the engine answers of a text that was typed.
#[derive(Debug, Deserialize)]
pub(in crate::browser) struct Typed {
    pub(in crate::browser) outcome: Outcome,
    strays: Vec<Stray>,
    shows: String,
}

impl Typed {
    /// The error that it is, unless the field took the text.
    pub(in crate::browser) fn error(&self) -> Option<Error> {
        match self.outcome {
            Outcome::Strayed => Some(strayed(self.shows.clone(), &self.strays)),
            Outcome::Lost => Some(Error::NotTaken { shows: self.shows.clone() }),
            Outcome::Same | Outcome::Made | Outcome::Taken => None,
        }
    }
}

fn strayed(shows: String, strays: &[Stray]) -> Error {
    let describe = |stray: &Stray| {
        format!(
            "{} {}, which shows {}",
            stray.role,
            quoted(&stray.name, LONGEST_STRAY),
            quoted(&stray.shows, LONGEST_STRAY)
        )
    };
    Error::Strayed { shows, into: strays.iter().map(describe).collect() }
}

/// How much is shown of a field that got what was not meant for it.
const LONGEST_STRAY: usize = 60;

impl Shown {
    pub fn is_empty(&self) -> bool {
        self.values.iter().all(|value| value.trim().is_empty())
    }

    /// The error of a control that does not hold what it was given.
    pub fn not_taken(&self) -> Error {
        let shows = if self.secret { String::new() } else { self.values.join(", ") };
        match self.outcome {
            Some(Outcome::Strayed) => strayed(shows, &self.strays),
            _ => Error::NotTaken { shows },
        }
    }
}

impl ElementHandle {
    /// What the element is as a control.
    ///
    /// # Errors
    /// `wrong_element` when it is typed into and does not take this text.
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
                    Some(Written::As(_)) => Ok(kind),
                    written => Err(wrong_value(wrong, needed.as_deref(), written.as_ref())),
                }
            }
            Control { kind, .. } => Ok(kind),
        }
    }

    /// Gives a control a value: most take text, and only of the others it is asked what they are.
    pub async fn give_text(&self, value: &str, options: &ActionOptions) -> Result<()> {
        match self.fill(value, options).await {
            Err(error @ Error::WrongElement { .. }) => match self.control_kind(None).await? {
                ControlKind::Text | ControlKind::Range | ControlKind::None | ControlKind::File => Err(error),
                kind => self.give(kind, &[value.to_owned()], options).await,
            },
            filled => filled,
        }
    }

    /// What the control shows, once something was given to it that is not nothing.
    ///
    /// # Errors
    /// `not_taken` when it shows nothing.
    pub async fn shown_after(&self, value: &str) -> Result<Shown> {
        let shown = self.shown().await?;
        let holds_text = !matches!(shown.kind, ControlKind::Check | ControlKind::None | ControlKind::Gone);
        let is_refused = match shown.outcome {
            Some(outcome) => matches!(outcome, Outcome::Strayed | Outcome::Lost),
            None => holds_text && (shown.is_empty() || shown.unchanged && shown.values != [value]),
        };
        if is_refused && !value.trim().is_empty() { Err(shown.not_taken()) } else { Ok(shown) }
    }

    /// The input that takes the files that the element stands for.
    pub async fn file_input(&self) -> Result<Self> {
        let found = self.handle_of("fileInputOf", Vec::new()).await?;
        let found_instead =
            || Error::WrongElement { found: ElementKind::default(), needed: Needed::FileInput };
        found.ok_or_else(found_instead)
    }

    /// What the control shows.
    pub async fn shown(&self) -> Result<Shown> {
        self.ask("shownBy", Vec::new()).await
    }

    /// What several controls show, in one look where they are in one document.
    pub async fn shown_of(elements: &[Self]) -> Result<Vec<Shown>> {
        match elements.first() {
            Some(first) if elements.iter().all(|element| element.is_beside(first)) => {
                let nodes = elements.iter().map(|element| element.handle().argument()).collect();
                first.world().call_with("allShownBy", nodes).await
            }
            _ => try_join_all(elements.iter().map(Self::shown)).await,
        }
    }

    /// Gives a control what it is to hold, in the way that its kind asks for. Of what takes one value there must be one.
    pub async fn give(&self, kind: ControlKind, values: &[String], options: &ActionOptions) -> Result<()> {
        let alone = || match values {
            [value] => Ok(value.as_str()),
            _ => Err(Error::WrongElement { found: ElementKind::single(), needed: Needed::SeveralValues }),
        };
        match kind {
            ControlKind::Text | ControlKind::Range => self.field().await?.fill(alone()?, options).await,
            ControlKind::Select => {
                let choices: Vec<_> = values.iter().cloned().map(OptionChoice::Like).collect();
                self.field().await?.select_options(&choices, Several::Refused, options).await.map(drop)
            }
            ControlKind::Check => {
                self.field().await?.set_checked(read_checked(alone()?).ok_or_else(unread)?, options).await
            }
            ControlKind::Slider => self.field().await?.slide_to(alone()?, options).await,
            ControlKind::Choice | ControlKind::Group => self.choose(kind, values, options).await,
            // Says what it is instead.
            ControlKind::File | ControlKind::None => self.fill(alone()?, options).await,
            ControlKind::Gone => Err(self.stale()),
        }
    }

    /// The error of choosing where there is nothing to choose from.
    pub async fn no_list(&self) -> Result<Error> {
        let found = self.ask("called", Vec::new()).await?;
        Ok(Error::WrongElement { found, needed: Needed::List })
    }

    /// What a library draws in the place of this field, which it keeps out of sight; nothing for any other element.
    pub async fn drawn_instead(&self) -> Result<Option<Match>> {
        self.in_place("drawnInstead").await
    }

    /// What seems to be shown in the place of this field, which nobody can see.
    pub async fn shown_instead(&self) -> Result<Option<Match>> {
        self.in_place("shownInstead").await
    }

    async fn in_place(&self, method: &str) -> Result<Option<Match>> {
        let found: Option<Moving> = self.ask(method, Vec::new()).await?;
        let frame = self.frame().clone();
        frame.refs_used_up_to(found.as_ref().map_or(0, |found| found.number));
        Ok(found.map(|Moving { role, name, number }| Match { frame, number, role, name }))
    }

    /// The control that the element stands for.
    pub(in crate::browser) async fn field(&self) -> Result<Self> {
        self.handle_of("fieldOf", Vec::new()).await?.ok_or_else(|| self.stale())
    }
}

/// Whether something is to be checked, as people write it.
pub fn read_checked(text: &str) -> Option<bool> {
    match text.trim().to_ascii_lowercase().as_str() {
        "true" | "on" | "yes" | "1" | "checked" => Some(true),
        "false" | "off" | "no" | "0" | "unchecked" | "" => Some(false),
        _ => None,
    }
}

fn unread() -> Error {
    Error::InvalidArguments { problems: vec!["the value must be true or false".to_owned()] }
}
