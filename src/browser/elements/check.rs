//! Checkboxes, switches and radio buttons.
use std::time::Duration;

use serde::Deserialize;
use serde_json::json;
use tokio::time::{sleep, timeout};

use super::actionability::{ActionOptions, CheckOptions, CheckOutcome, RequiredState};
use super::element::ElementHandle;
use super::lost::PressReceipt;
use crate::browser::input::ClickOptions;
use crate::error::{ElementKind, Error, Obstacle, RequiredElementKind, Result};

#[derive(Debug, Deserialize)]
struct Checked {
    #[serde(rename = "checked")]
    state: Option<serde_json::Value>,
    #[serde(default)]
    radio: bool,
    found: Option<ElementKind>,
}

/// The maximum number of presses on a control with three states.
const MOST_PRESSES: usize = 3;
/// How long a page may take to show the new state.
const CHANGE_LIMIT: Duration = Duration::from_millis(500);
const CHANGE_PAUSE: Duration = Duration::from_millis(10);

/// Whether a control has the requested state after a press (`As`) or not (`Other`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CheckResult {
    As,
    Other,
    /// The control is gone, or a dialog is open.
    Gone,
}

fn in_words(state: Option<&serde_json::Value>) -> &'static str {
    match state.and_then(serde_json::Value::as_bool) {
        Some(true) => "checked",
        Some(false) => "not checked",
        None => "partly checked",
    }
}

impl ElementHandle {
    /// Checks or unchecks a checkbox, switch or radio button with a click, unless it already has that state.
    pub async fn set_checked(&self, checked: bool, options: &ActionOptions) -> Result<()> {
        let need = RequiredState { label: true, watched: Some(1), ..RequiredState::CLICKABLE };
        let found = self.checked().await?;
        if found.state == Some(json!(checked)) {
            return Ok(());
        }
        if found.state.is_none() {
            let found = found.found.unwrap_or_default();
            return Err(Error::WrongElement { found, needed: RequiredElementKind::Checkable });
        }
        if found.radio && !checked {
            return Err(Error::WrongElement {
                found: ElementKind::new("input[type=radio]"),
                needed: RequiredElementKind::Uncheckable,
            });
        }
        let mut state = found.state.clone();
        let mut missed = None;
        for _ in 0..MOST_PRESSES {
            let Some(receipt) = self.press_to_check(need, options).await? else { break };
            match self.has_become(checked).await? {
                CheckResult::As => return Ok(()),
                CheckResult::Gone => return receipt.into_result(1),
                CheckResult::Other => missed = Some(receipt),
            }
            // Each press moves a control with three states to its next state.
            let now = self.checked().await?.state;
            let has_three = [&state, &now].contains(&&Some(json!("mixed")));
            if now == state || !has_three {
                break;
            }
            state = now;
        }
        if self.ask::<bool>("focus", Vec::new()).await? {
            self.input(options)?.keyboard().press("Space").await?;
            if self.has_become(checked).await? != CheckResult::Other {
                return Ok(());
            }
        }
        missed.map_or(Ok(()), |receipt| receipt.into_result(1))?;
        Err(Error::Unsupported {
            what: if checked { "checking the element" } else { "unchecking the element" },
            reason: match self.checked().await?.state {
                now if now == found.state => "the page did not change it when it was clicked".to_owned(),
                now => format!("the page made it {} when it was clicked", in_words(now.as_ref())),
            },
        })
    }

    /// Presses the control. Returns `None` if the pointer cannot reach it but keys can.
    async fn press_to_check(
        &self,
        need: RequiredState,
        options: &ActionOptions,
    ) -> Result<Option<PressReceipt>> {
        let reached = match self.try_approach(need, options).await? {
            Some(reached) => reached,
            None if self.is_out_of_reach(need).await? && self.ask::<bool>("focus", Vec::new()).await? => {
                return Ok(None);
            }
            None => self.approach(need, options).await?,
        };
        let input = self.input(options)?;
        let click = ClickOptions { in_one_document: !input.is_bare(), ..ClickOptions::default() };
        self.press_watched(reached, &input, &click).await.map(Some)
    }

    /// Whether the pointer cannot reach the element because it is hidden, outside the viewport or covered.
    async fn is_out_of_reach(&self, need: RequiredState) -> Result<bool> {
        let look = self.check_in_page(need, &CheckOptions::default()).await?;
        Ok(matches!(
            look,
            CheckOutcome::Blocked(Obstacle::Hidden | Obstacle::OutsideViewport | Obstacle::CoveredBy(_))
        ))
    }

    /// Waits up to `CHANGE_LIMIT` until the element is checked or, if not `checked`, unchecked.
    async fn has_become(&self, checked: bool) -> Result<CheckResult> {
        let changed = async {
            while self.checked().await?.state != Some(json!(checked)) {
                sleep(CHANGE_PAUSE).await;
            }
            Ok(())
        };
        match timeout(CHANGE_LIMIT, changed).await {
            // The click made the page navigate or open a dialog, so it had an effect.
            Ok(Err(
                Error::DocumentGone
                | Error::FrameDetached
                | Error::StaleRef { .. }
                | Error::DialogOpen { .. }
                | Error::PageClosed,
            )) => Ok(CheckResult::Gone),
            Ok(changed) => changed.map(|()| CheckResult::As),
            Err(_) => Ok(CheckResult::Other),
        }
    }

    /// Whether this is a radio button or a radio menu item.
    pub async fn is_radio(&self) -> Result<bool> {
        Ok(self.field().await?.checked().await?.radio)
    }

    async fn checked(&self) -> Result<Checked> {
        self.ask_past_internals("checked", Vec::new()).await
    }
}
