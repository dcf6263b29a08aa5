//! The result of checking a field before it is filled, by `injected/act.js`.
use serde::Deserialize;

use super::actionability::Answer;
use super::element::ElementHandle;
use crate::error::{ElementKind, Obstacle, Result};

/// The injected check's report about a field.
#[derive(Debug, Deserialize)]
pub(in crate::browser) struct Field {
    #[serde(flatten)]
    answer: Answer,
    pub(in crate::browser) kind: Option<FieldKind>,
    #[serde(default)]
    pub(in crate::browser) value: String,
    #[serde(default)]
    pub(in crate::browser) empty: bool,
    #[serde(default)]
    proxy: bool,
    wrong: Option<ElementKind>,
    needed: Option<String>,
}

/// How a value is entered into a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(in crate::browser) enum FieldKind {
    Text,
    Multiline,
    Editable,
    Date,
    Range,
    Color,
}

/// A field that is ready to be filled.
#[derive(Debug)]
pub(in crate::browser) struct FillableField {
    pub(in crate::browser) kind: FieldKind,
    pub(in crate::browser) value: String,
    pub(in crate::browser) empty: bool,
    /// Whether the field is invisible and only receives keys for an editor that draws the text elsewhere.
    pub(in crate::browser) proxy: bool,
}

impl Field {
    /// Returns the obstacle that prevents filling the field now, if any.
    pub(in crate::browser) fn obstacle(&self, element: &ElementHandle) -> Result<Option<Obstacle>> {
        self.answer.obstacle(element)
    }

    /// Returns the field if it can be filled; otherwise its element kind, and the kind of value that it needs.
    pub(in crate::browser) fn checked(
        self,
    ) -> std::result::Result<FillableField, (ElementKind, Option<String>)> {
        match self.kind {
            Some(kind) => Ok(FillableField { kind, value: self.value, empty: self.empty, proxy: self.proxy }),
            None => Err((self.wrong.unwrap_or_default(), self.needed)),
        }
    }
}
