//! Sends the person's input to the page in order, and without waiting for replies, as hardware does.
use serde::Deserialize;

use crate::browser::Page;
use crate::cdp::types::Empty;
use crate::cdp::types::input::{
    DispatchKeyEvent, DispatchMouseEvent, DispatchTouchEvent, ImeSetComposition, InsertText, TouchPoint,
};
use crate::cdp::{CdpSession, PendingReply};

const CONTROL: u32 = 2;
const META: u32 = 4;
/// The `keyCode` of keys that an input method handles.
const PROCESS: u32 = 229;
const MOST_FINGERS: usize = 10;

/// A mouse move, button press or wheel turn. Coordinates are fractions of the frame's size, from 0 to 1.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct PointerInput {
    pub(super) x: f64,
    pub(super) y: f64,
    /// The button number, as in `MouseEvent.button`.
    button: u8,
    buttons: u32,
    clicks: u32,
    delta_x: f64,
    delta_y: f64,
    modifiers: u32,
}

/// A finger on the displayed frame. Coordinates are fractions of the frame's size, from 0 to 1.
#[derive(Debug, Clone, Copy, Deserialize)]
pub(super) struct Finger {
    id: u32,
    x: f64,
    y: f64,
}

/// A phase of a touch, as in the events `touchstart`, `touchmove`, `touchend` and `touchcancel`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum TouchPhase {
    /// A finger touched the screen.
    Start,
    /// Fingers moved, or one of several was lifted.
    Move,
    /// The last finger was lifted.
    End,
    /// The touch was cancelled because it became another gesture.
    Cancel,
}

/// A key event with the fields of `KeyboardEvent`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct KeyInput {
    key: String,
    code: String,
    key_code: u32,
    location: u32,
    repeat: bool,
    modifiers: u32,
    /// Whether an input method handles this key. It sends the text later.
    process: bool,
}

/// The input devices of the person, connected to one page.
#[derive(Debug, Clone)]
pub(super) struct PersonInput {
    session: CdpSession,
    size: (f64, f64),
}

impl PersonInput {
    pub(super) fn on(page: &Page, size: (f64, f64)) -> Self {
        Self { session: page.session().clone(), size }
    }

    pub(super) fn move_to(&self, at: PointerInput) {
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

    /// Presses a mouse button. The reply arrives once the page has received the event.
    pub(super) fn press(&self, at: PointerInput) -> PendingReply<Empty> {
        self.pointed("mousePressed", at, button(at.button))
    }

    pub(super) fn release(&self, at: PointerInput) {
        self.point("mouseReleased", at, button(at.button));
    }

    fn point(&self, kind: &'static str, at: PointerInput, button: &'static str) {
        self.pointed(kind, at, button).ignore();
    }

    fn pointed(&self, kind: &'static str, at: PointerInput, button: &'static str) -> PendingReply<Empty> {
        let event = DispatchMouseEvent {
            click_count: (kind != "mouseMoved").then_some(at.clicks.clamp(1, 3)),
            ..self.mouse(kind, at, button)
        };
        self.session.send(event)
    }

    pub(super) fn wheel(&self, at: PointerInput) {
        let event = DispatchMouseEvent {
            delta_x: Some(finite(at.delta_x)),
            delta_y: Some(finite(at.delta_y)),
            ..self.mouse("mouseWheel", at, "none")
        };
        self.session.send(event).ignore();
    }

    /// Sends the current positions of all fingers, to a page that supports touch.
    pub(super) fn touch(&self, what: TouchPhase, fingers: &[Finger]) -> PendingReply<Empty> {
        let (kind, fingers) = match what {
            TouchPhase::Start => ("touchStart", fingers),
            TouchPhase::Move => ("touchMove", fingers),
            TouchPhase::End => ("touchEnd", &[][..]),
            TouchPhase::Cancel => ("touchCancel", &[][..]),
        };
        let point = |finger: &Finger| {
            let (x, y) = self.place(finger.x, finger.y);
            TouchPoint { x, y, id: Some(finger.id.into()) }
        };
        let touch_points = fingers.iter().take(MOST_FINGERS).map(point).collect();
        self.session.send(DispatchTouchEvent { kind, touch_points, modifiers: None })
    }

    /// Converts fractions of the frame's size to CSS pixels of the page.
    fn place(&self, x: f64, y: f64) -> (f64, f64) {
        let along = |part: f64, size: f64| (part.clamp(0.0, 1.0) * size).min(size - 1.0).max(0.0);
        (along(x, self.size.0), along(y, self.size.1))
    }

    fn mouse(&self, kind: &'static str, at: PointerInput, button: &'static str) -> DispatchMouseEvent {
        let (x, y) = self.place(at.x, at.y);
        DispatchMouseEvent {
            kind,
            x,
            y,
            modifiers: Some(at.modifiers & 15),
            button: Some(button),
            buttons: Some(at.buttons & 7),
            pointer_type: Some("mouse"),
            ..DispatchMouseEvent::default()
        }
    }

    pub(super) fn key_down(&self, key: &KeyInput) {
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

    pub(super) fn key_up(&self, key: &KeyInput) {
        self.session.send(DispatchKeyEvent { kind: "keyUp", ..event(key) }).ignore();
    }

    /// Shows text that an input method is composing. An empty text cancels the composition.
    pub(super) fn compose(&self, text: &str) {
        let end = i64::try_from(text.encode_utf16().count()).unwrap_or_default();
        let (text, selection_start, selection_end) = (text.to_owned(), end, end);
        self.session.send(ImeSetComposition { text, selection_start, selection_end }).ignore();
    }

    /// Inserts text without key events: from an input method, a phone's keyboard or the clipboard.
    pub(super) fn insert(&self, text: &str) {
        self.session.send(InsertText { text: text.to_owned() }).ignore();
    }

    /// Presses and releases a key, given its name and `keyCode`.
    pub(super) fn tap(&self, name: &str, key_code: u32) {
        let key = KeyInput { key: name.to_owned(), code: name.to_owned(), key_code, ..KeyInput::default() };
        self.key_down(&key);
        self.key_up(&key);
    }
}

fn event(key: &KeyInput) -> DispatchKeyEvent {
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
