//! Lists and pickers that the browser opens as native windows, which screencasts do not contain.
use std::time::Duration;

use serde::Deserialize;
use tokio::time::{sleep, timeout};

use super::input::PersonInput;
use crate::browser::{ElementHandle, FieldPicker, Page, ScriptWorld};
use crate::cdp::PendingReply;
use crate::cdp::types::Empty;

/// How long after a press to wait for a list or picker to open.
const PRESS_LIMIT: Duration = Duration::from_millis(700);
/// How often to check whether a tap has opened a list or picker.
const TAP_RHYTHM: Duration = Duration::from_millis(100);
const TAP_LOOKS: usize = 6;
/// The time limit of one check after a tap.
const TAP_LIMIT: Duration = Duration::from_secs(1);

/// A native list or picker that is open on a page.
pub(super) enum NativePopup {
    OpenSelect(OpenSelect),
    /// A field with a native picker or suggestions.
    Field(ElementHandle, FieldPicker),
}

impl NativePopup {
    /// Returns the list or picker that is open on the page, if any.
    pub(super) async fn on(page: &Page) -> Option<Self> {
        if let Some(choice) = OpenSelect::opened(page).await {
            return Some(Self::OpenSelect(choice));
        }
        for frame in page.frames() {
            if let Ok(Some((field, help))) = ElementHandle::focused_field_with_picker(&frame).await {
                return Some(Self::Field(field, help));
            }
        }
        None
    }

    /// Returns the list or picker that a press opened, if any, once the page has received the press.
    pub(super) async fn after(page: Page, received: PendingReply<Empty>) -> Option<Self> {
        let opened = page.fail_on_dialog(async {
            received.await?;
            Ok(Self::on(&page).await)
        });
        timeout(PRESS_LIMIT, opened).await.ok()?.ok()?
    }

    /// Returns the list or picker that a tap opened, if any. A page receives a tap's click with a delay.
    pub(super) async fn soon(page: Page, received: PendingReply<Empty>) -> Option<Self> {
        received.await.ok()?;
        for _ in 0..TAP_LOOKS {
            let opened = page.fail_on_dialog(async { Ok(Self::on(&page).await) });
            if let Some(opened) = timeout(TAP_LIMIT, opened).await.ok()?.ok()? {
                return Some(opened);
            }
            sleep(TAP_RHYTHM).await;
        }
        None
    }
}

/// An open dropdown list, such as that of a `<select>`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, serde::Serialize)]
pub(super) struct OpenSelect {
    options: Vec<ChoiceOption>,
    index: i64,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize, serde::Serialize)]
pub(super) struct ChoiceOption {
    label: String,
    disabled: bool,
}

/// Script that returns the options of the focused `<select>`, if its list opens as a popup.
const FOCUSED: &str = r"() => {
  let focused = document.activeElement;
  while (focused?.shadowRoot?.activeElement) focused = focused.shadowRoot.activeElement;
  if (!(focused instanceof HTMLSelectElement) || focused.multiple || focused.size > 1) return null;
  const options = [...focused.options].slice(0, 500).map((option) => ({
    label: option.label.slice(0, 200),
    disabled: option.disabled || (option.parentElement instanceof HTMLOptGroupElement && option.parentElement.disabled),
  }));
  return { options, index: focused.selectedIndex };
}";

impl OpenSelect {
    /// Returns the dropdown list that is open on the page, if any.
    async fn opened(page: &Page) -> Option<Self> {
        for frame in page.frames() {
            let focused = frame.evaluate(FOCUSED, Vec::new(), ScriptWorld::Isolated).await.ok();
            if let Some(choice) =
                focused.and_then(|focused| serde_json::from_value::<Option<Self>>(focused).ok()?)
            {
                return Some(choice);
            }
        }
        None
    }

    /// Chooses an option with the keyboard, by arrow keys and Enter.
    pub(super) fn choose(&self, index: i64, hand: &PersonInput) {
        let enabled = |from: i64, to: i64| {
            (from..to)
                .filter(|at| {
                    usize::try_from(*at)
                        .ok()
                        .and_then(|at| self.options.get(at))
                        .is_some_and(|option| !option.disabled)
                })
                .count()
        };
        if index > self.index {
            for _ in 0..enabled(self.index + 1, index + 1) {
                hand.tap("ArrowDown", 40);
            }
        } else {
            for _ in 0..enabled(index, self.index) {
                hand.tap("ArrowUp", 38);
            }
        }
        hand.tap("Enter", 13);
    }
}
