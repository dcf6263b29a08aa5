//! What a person does in the viewer, given to the page as an operating system would: in order, and without waiting.
use serde::Deserialize;

use crate::browser::{Page, Scope};
use crate::cdp::types::Empty;
use crate::cdp::types::input::{DispatchKeyEvent, DispatchMouseEvent, ImeSetComposition, InsertText};
use crate::cdp::{CdpSession, PendingReply};

const CONTROL: u32 = 2;
const META: u32 = 4;
/// What an input method's key says of itself.
const PROCESS: u32 = 229;

/// A movement, a press or a turn of the wheel. Places are parts of the picture: 0 to 1.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Pointing {
    pub(super) x: f64,
    pub(super) y: f64,
    /// The button, as `MouseEvent.button` counts them.
    button: u8,
    buttons: u32,
    clicks: u32,
    delta_x: f64,
    delta_y: f64,
    modifiers: u32,
}

/// A key, as `KeyboardEvent` names it.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Keying {
    key: String,
    code: String,
    key_code: u32,
    location: u32,
    repeat: bool,
    modifiers: u32,
    /// The key belongs to an input method, which says later what it types.
    process: bool,
}

/// The devices of the person, on one page.
#[derive(Debug, Clone)]
pub(super) struct Hand {
    session: CdpSession,
    size: (f64, f64),
}

impl Hand {
    pub(super) fn on(page: &Page, size: (f64, f64)) -> Self {
        Self { session: page.session().clone(), size }
    }

    pub(super) fn move_to(&self, at: Pointing) {
        let held = if at.buttons & 1 != 0 {
            "left"
        } else if at.buttons & 2 != 0 {
            "right"
        } else if at.buttons & 4 != 0 {
            "middle"
        } else {
            "none"
        };
        self.point("mouseMoved", at, held);
    }

    /// Presses a button. What that opens can be looked for when the page has heard of it.
    pub(super) fn press(&self, at: Pointing) -> PendingReply<Empty> {
        self.pointed("mousePressed", at, button(at.button))
    }

    pub(super) fn release(&self, at: Pointing) {
        self.point("mouseReleased", at, button(at.button));
    }

    fn point(&self, kind: &'static str, at: Pointing, button: &'static str) {
        self.pointed(kind, at, button).ignore();
    }

    fn pointed(&self, kind: &'static str, at: Pointing, button: &'static str) -> PendingReply<Empty> {
        let event = DispatchMouseEvent {
            click_count: (kind != "mouseMoved").then_some(at.clicks.clamp(1, 3)),
            ..self.mouse(kind, at, button)
        };
        self.session.send(event)
    }

    pub(super) fn wheel(&self, at: Pointing) {
        let event = DispatchMouseEvent {
            delta_x: Some(finite(at.delta_x)),
            delta_y: Some(finite(at.delta_y)),
            ..self.mouse("mouseWheel", at, "none")
        };
        self.session.send(event).ignore();
    }

    fn mouse(&self, kind: &'static str, at: Pointing, button: &'static str) -> DispatchMouseEvent {
        DispatchMouseEvent {
            kind,
            x: (at.x.clamp(0.0, 1.0) * self.size.0).min(self.size.0 - 1.0).max(0.0),
            y: (at.y.clamp(0.0, 1.0) * self.size.1).min(self.size.1 - 1.0).max(0.0),
            modifiers: Some(at.modifiers & 15),
            button: Some(button),
            buttons: Some(at.buttons & 7),
            pointer_type: Some("mouse"),
            ..DispatchMouseEvent::default()
        }
    }

    pub(super) fn key_down(&self, key: &Keying) {
        self.session.send(DispatchKeyEvent { kind: "rawKeyDown", ..event(key) }).ignore();
        let text = match key.key.as_str() {
            "Enter" => Some("\r".to_owned()),
            one if one.chars().count() == 1 && key.modifiers & (CONTROL | META) == 0 => Some(one.to_owned()),
            _ => None,
        };
        if let Some(text) = text.filter(|_| !key.process) {
            let typed = DispatchKeyEvent {
                kind: "char",
                text: Some(text.clone()),
                unmodified_text: Some(text),
                ..event(key)
            };
            self.session.send(typed).ignore();
        }
    }

    pub(super) fn key_up(&self, key: &Keying) {
        self.session.send(DispatchKeyEvent { kind: "keyUp", ..event(key) }).ignore();
    }

    /// What an input method shows while it is not decided; empty when it was given up.
    pub(super) fn compose(&self, text: &str) {
        let end = i64::try_from(text.encode_utf16().count()).unwrap_or_default();
        let (text, selection_start, selection_end) = (text.to_owned(), end, end);
        self.session.send(ImeSetComposition { text, selection_start, selection_end }).ignore();
    }

    /// Text that no key made: of an input method, a phone's keyboard, or the clipboard.
    pub(super) fn insert(&self, text: &str) {
        self.session.send(InsertText { text: text.to_owned() }).ignore();
    }

    /// A key by its name, pressed and let go.
    pub(super) fn tap(&self, name: &str, key_code: u32) {
        let key = Keying { key: name.to_owned(), code: name.to_owned(), key_code, ..Keying::default() };
        self.key_down(&key);
        self.key_up(&key);
    }
}

fn event(key: &Keying) -> DispatchKeyEvent {
    DispatchKeyEvent {
        modifiers: Some(key.modifiers & 15),
        code: Some(key.code.clone()),
        key: Some(if key.process { "Process".to_owned() } else { key.key.clone() }),
        windows_virtual_key_code: Some(if key.process { PROCESS } else { key.key_code }),
        location: (1..=2).contains(&key.location).then_some(key.location),
        is_keypad: (key.location == 3).then_some(true),
        auto_repeat: key.repeat.then_some(true),
        ..DispatchKeyEvent::default()
    }
}

fn button(number: u8) -> &'static str {
    match number {
        1 => "middle",
        2 => "right",
        _ => "left",
    }
}

fn finite(number: f64) -> f64 {
    if number.is_finite() { number.clamp(-10_000.0, 10_000.0) } else { 0.0 }
}

/// A list that the browser opens in a window of its own, which is in no picture.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, serde::Serialize)]
pub(super) struct Choice {
    pub(super) options: Vec<ChoiceOption>,
    pub(super) index: i64,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize, serde::Serialize)]
pub(super) struct ChoiceOption {
    label: String,
    pub(super) disabled: bool,
}

/// What has the focus, looked at from our own world.
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

impl Choice {
    /// The list that a press has opened, if it has opened one.
    pub(super) async fn opened(page: &Page) -> Option<Self> {
        for frame in page.frames() {
            let told = frame.evaluate(FOCUSED, Vec::new(), Scope::Isolated).await.ok();
            if let Some(choice) = told.and_then(|told| serde_json::from_value::<Option<Self>>(told).ok()?) {
                return Some(choice);
            }
        }
        None
    }

    /// Chooses as the keyboard does it: so far up or down, and Enter.
    pub(super) fn choose(&self, index: i64, hand: &Hand) {
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
