//! Presses that did not become clicks, and their reasons.
use std::time::Duration;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use tokio::time::timeout;

use super::actionability::PointerTarget;
use super::element::ElementHandle;
use super::matches::element_in_words;
use crate::browser::input::{ClickOptions, Input};
use crate::error::{CoveringElement, Error, Result};

/// How long a busy page may take to record a press, or to report whether it was lost. After that, the press is unconfirmed.
pub(super) const PRESS_LIMIT: Duration = Duration::from_secs(5);

/// An element's role, name and ref, as in snapshots.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct ElementSummary {
    pub role: String,
    pub name: String,
    /// The element's ref number in its frame.
    #[serde(rename = "ref")]
    pub number: u32,
}

/// What happened to an element that was pressed but did not receive the click.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PressedElementFate {
    Gone,
    Moved,
    Disabled,
    /// The element is still there, but the page replaced its content.
    Changed,
    /// The first click of a double click has opened something over the element.
    Covered,
    /// The element's document is gone.
    Elsewhere,
}

impl PressedElementFate {
    /// Returns the error for an action, such as `click` or `double click`, that did not reach the element.
    pub(super) fn lost(self, what: String) -> Error {
        let how = match self {
            Self::Gone => "the page removed it",
            Self::Moved => "it moved away",
            Self::Disabled => "the page disabled it",
            Self::Changed => "the page replaced its content",
            Self::Covered => "what its first click opened covered it",
            Self::Elsewhere => "the page navigated",
        };
        Error::PressLost { what, how: how.to_owned() }
    }
}

/// Why a press did not become a click.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PressFailure {
    /// Another element covered the target at the last moment.
    By(CoveringElement),
    /// The page replaced the element before the button was released.
    Again(ElementSummary),
    /// The page re-inserts the element when the pointer arrives, so its container received the press.
    Past(CoveringElement),
    /// The element was not clicked: what happened to the element, and the action (`click` or `double click`).
    Away((PressedElementFate, String)),
}

impl PressFailure {
    /// Fails if the press was lost; `describe` names the replacement of the pressed element. If a container
    /// of the target received the press, returns the container.
    pub fn into_result(
        lost: Option<Self>,
        describe: impl FnOnce(&ElementSummary) -> String,
    ) -> Result<Option<CoveringElement>> {
        match lost {
            None => Ok(None),
            Some(Self::Past(holder)) => Ok(Some(holder)),
            Some(Self::By(cover)) => Err(Error::PressMissed { cover: Box::new(cover) }),
            Some(Self::Away((became, what))) => Err(became.lost(what)),
            Some(Self::Again(again)) => Err(Error::PressReplaced { again: describe(&again) }),
        }
    }
}

/// Whether a complete press became a click, as far as that is known.
#[derive(Debug)]
pub(super) struct PressReceipt(Result<Option<PressFailure>>);

impl PressReceipt {
    /// Fails if the press was lost, or if the document is gone and did not report a click.
    pub(super) fn into_result(self, count: u32) -> Result<()> {
        let what = if count > 1 { "double click" } else { "click" };
        match self.0 {
            Err(Error::DocumentGone) => Err(PressedElementFate::Elsewhere.lost(what.to_owned())),
            lost => PressFailure::into_result(lost.ok().flatten(), ElementSummary::description).map(drop),
        }
    }
}

impl ElementSummary {
    /// Formats the element's role and name, such as `button "Save"`.
    pub fn description(&self) -> String {
        element_in_words(&self.role, &self.name)
    }
}

impl ElementHandle {
    /// Returns the element's role, name and ref.
    pub async fn summary(&self) -> Result<ElementSummary> {
        self.ask("inWords", Vec::new()).await
    }

    /// Presses at a point that was reached with `RequiredState::watched`, and checks whether the press became a click.
    pub(super) async fn press_watched(
        &self,
        mut reached: PointerTarget,
        input: &Input,
        click: &ClickOptions,
    ) -> Result<PressReceipt> {
        let answered = reached.answered.take();
        // Only one press can be watched at a time.
        let mut known = match reached.press_in_turn(input, click).await {
            Ok(_turn) => self.recorded_result("pressLost").await,
            // In Firefox, a document that is replaced as it handles the press does not confirm the press.
            Err(Error::DocumentGone) => Err(Error::DocumentGone),
            Err(error) => return Err(error),
        };
        // The old document reports a click before the new document replaces it.
        if matches!(known, Err(Error::DocumentGone))
            && let Some(answered) = answered
            && let Ok(Ok(true)) = timeout(PRESS_LIMIT, answered).await
        {
            known = Ok(None);
        }
        Ok(PressReceipt(known))
    }

    /// Calls a method of the injected script that returns what was recorded during an action.
    pub(super) async fn recorded_result<T: DeserializeOwned>(&self, method: &str) -> Result<T> {
        let page = self.frame().page()?;
        let answer = page.fail_on_dialog(self.world().call(method, &[]));
        timeout(PRESS_LIMIT, answer).await.map_err(|_| Error::PageBusy)?
    }
}
