//! Generates locators that find an element again: by role, label and the like, as in Playwright tests.
use serde::{Deserialize, Serialize};

use super::element::ElementHandle;
use super::locator::test_id_argument;
use super::selector::{By, RoleOptions, TextMatch};
use crate::browser::objects::frame::Frame;
use crate::browser::objects::world::{RemoteHandle, UtilityWorld};
use crate::error::Result;

/// A locator of an element in its document, in serializable form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LocatorSpec {
    /// `testId`, `role`, `label`, `placeholder`, `alt`, `title`, `text` or `css`.
    pub by: String,
    pub text: String,
    /// The accessible name, if `by` is `role`.
    pub name: Option<String>,
    #[serde(default)]
    pub exact: Option<bool>,
    /// The index among several matches.
    #[serde(default)]
    pub nth: Option<u32>,
}

/// An element's locators, tag and input type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ElementLocators {
    /// The locators of the frames that contain the element, outermost first, then of the element itself.
    pub ways: Vec<LocatorSpec>,
    /// The tag name, such as `select`.
    pub tag: String,
    /// The `type` attribute of an input; empty for other elements.
    pub kind: String,
    /// Whether the element has a native list of suggestions.
    pub has_list: bool,
}

impl ElementHandle {
    /// Generates the locators of this element and of the frames that contain it.
    pub async fn generate_locators(&self) -> Result<ElementLocators> {
        let mut ways = self.frame().generate_locators().await?;
        ways.push(way(self.world(), self.handle()).await?);
        let node = self.handle().describe().await?;
        let attributes = node.attributes.unwrap_or_default();
        let has_list = attributes.chunks(2).any(|pair| pair[0] == "list");
        let kind = attributes.chunks(2).find(|pair| pair[0] == "type").and_then(|pair| pair.get(1));
        let kind = kind.map(|kind| kind.to_ascii_lowercase()).unwrap_or_default();
        Ok(ElementLocators { ways, tag: node.local_name, kind, has_list })
    }
}

impl Frame {
    /// Generates the locators of this frame and its ancestors, outermost first; empty for the main frame.
    pub(super) async fn generate_locators(&self) -> Result<Vec<LocatorSpec>> {
        let mut ways = Vec::new();
        let mut frame = self.clone();
        while let Some((world, owner)) = frame.owner_element().await? {
            ways.push(way(&world, &owner).await?);
            let Some(parent) = frame.parent().cloned() else { break };
            frame = parent;
        }
        ways.reverse();
        Ok(ways)
    }
}

async fn way(world: &UtilityWorld, node: &RemoteHandle) -> Result<LocatorSpec> {
    world.call_with("wayTo", vec![node.argument(), test_id_argument()]).await
}

impl ElementLocators {
    /// Creates a located element from a selector only. Its tag and type are empty.
    pub fn from_selector(selector: &str) -> Self {
        Self {
            ways: vec![LocatorSpec::css(selector)],
            tag: String::new(),
            kind: String::new(),
            has_list: false,
        }
    }

    /// Returns the selector that finds the element from the main frame.
    pub fn selector(&self) -> String {
        let parts: Vec<_> = self.ways.iter().map(LocatorSpec::selector).collect();
        parts.join(" >> internal:control=enter-frame >> ")
    }
}

impl LocatorSpec {
    /// Creates a locator from a CSS selector.
    pub fn css(selector: &str) -> Self {
        Self { by: "css".to_owned(), text: selector.to_owned(), name: None, exact: None, nth: None }
    }

    /// Returns the selector of this locator.
    pub fn selector(&self) -> String {
        let words = |text: &str| TextMatch::Text { text: text.to_owned(), exact: self.exact == Some(true) };
        let by = match self.by.as_str() {
            "testId" => By::test_id(words(&self.text)),
            "role" => {
                let name = self.name.as_deref().map(words);
                By::role(&self.text, &RoleOptions { name, ..RoleOptions::default() })
            }
            "label" => By::label(words(&self.text)),
            "text" => By::text(words(&self.text)),
            "css" => By::selector(&self.text),
            attribute => By::attribute(attribute, words(&self.text)),
        };
        let by = match self.nth {
            Some(nth) => by.nth(nth.into()),
            None => by,
        };
        by.to_string()
    }
}
