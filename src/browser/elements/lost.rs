//! Presses that came to nothing, and what is reported of each.
use serde::Deserialize;

use super::matches::element_in_words;
use crate::error::{Cover, Error, Result};

/// What moved, in the words of a snapshot.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Moving {
    pub role: String,
    pub name: String,
    /// Its number in its frame.
    #[serde(rename = "ref")]
    pub number: u32,
}

/// Why nothing was clicked although a button went down.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LostPress {
    /// Something came over the element at the last moment.
    By(Cover),
    /// The page put another element in its place before the button was let go.
    Again(Moving),
    /// The page takes the element out and puts it back whenever the pointer comes to it: what holds it got the press.
    Past(Cover),
}

impl LostPress {
    /// The failure that it is, with what is said of an element that the page put in the place of the pressed one. What a
    /// hand's press reaches as well, around the element, is none: answers what that was.
    pub fn judged(lost: Option<Self>, describe: impl FnOnce(&Moving) -> String) -> Result<Option<Cover>> {
        match lost {
            None => Ok(None),
            Some(Self::Past(holder)) => Ok(Some(holder)),
            Some(Self::By(cover)) => Err(Error::PressMissed { cover: Box::new(cover) }),
            Some(Self::Again(again)) => Err(Error::PressReplaced { again: describe(&again) }),
        }
    }
}

impl Moving {
    /// Its role and its name, on one line.
    pub fn in_words(&self) -> String {
        element_in_words(&self.role, &self.name)
    }
}
