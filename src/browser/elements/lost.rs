//! Presses that did not become clicks, and their reasons.
use serde::Deserialize;

use super::matches::element_in_words;
use crate::error::{Cover, Error, Result};

/// An element that moved, as snapshots describe it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Moving {
    pub role: String,
    pub name: String,
    /// Its number in its frame.
    #[serde(rename = "ref")]
    pub number: u32,
}

/// Why a press did not become a click.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LostPress {
    /// Another element covered the target at the last moment.
    By(Cover),
    /// The page replaced the element before the button was released.
    Again(Moving),
    /// The page removes and re-inserts the element when the pointer arrives: its container received the press.
    Past(Cover),
}

impl LostPress {
    /// The error for a lost press, with a description of the element that replaced the pressed one. It is no
    /// error if another element around the target received the press: returns that element.
    pub fn into_result(
        lost: Option<Self>,
        describe: impl FnOnce(&Moving) -> String,
    ) -> Result<Option<Cover>> {
        match lost {
            None => Ok(None),
            Some(Self::Past(holder)) => Ok(Some(holder)),
            Some(Self::By(cover)) => Err(Error::PressMissed { cover: Box::new(cover) }),
            Some(Self::Again(again)) => Err(Error::PressReplaced { again: describe(&again) }),
        }
    }
}

impl Moving {
    /// Its role and name on one line.
    pub fn in_words(&self) -> String {
        element_in_words(&self.role, &self.name)
    }
}
