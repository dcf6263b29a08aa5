//! Pointer, keyboard and touch input of a page, with the same events as input from the operating system.
//!
//! [`Input`] belongs to a page and stores the pointer's position and the pressed keys and buttons; [`Mouse`],
//! [`Keyboard`] and [`Touch`] act on it. Movements are natural or instant, according to [`InputStyle`].
pub mod randomness;
pub mod geometry;
pub mod keys;
pub mod path;
mod keyboard;
mod mouse;
mod touch;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};
use tokio::sync::OwnedMutexGuard;
use tokio::time::Instant;

pub use geometry::{Point, Rect};
pub use keyboard::Keyboard;
pub(super) use mouse::PendingMovement;
pub use mouse::{Button, ClickOptions, Mouse};
pub use randomness::Randomness;
pub use touch::Touch;

use crate::cdp::types::Empty;
use crate::cdp::types::input::DispatchKeyEvent;
use crate::cdp::types::page::JavascriptDialogOpening;
use crate::cdp::{CdpSession, Event, PendingReply};
use crate::error::{Error, Result};
use crate::sync::SteadyClock;

/// How input actions are performed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, strum::EnumString, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum InputStyle {
    /// Like a person: the pointer moves along a path, buttons are held briefly, key intervals vary.
    #[default]
    Natural,
    /// As fast as the browser accepts events.
    Instant,
    /// Like `Instant`, but only with the events that Playwright sends: no Shift for upper-case characters, no
    /// moves beyond the steps of a drag. A dialog blocks the action that opened it.
    Bare,
}

/// A modifier key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize, strum::EnumString, strum::IntoStaticStr)]
#[cfg_attr(feature = "mcp", derive(schemars::JsonSchema))]
pub enum Modifier {
    Alt,
    Control,
    ControlOrMeta,
    Meta,
    Shift,
}

/// Texts with more characters than this are inserted at once, as if they were pasted.
const LONGEST_TYPED: usize = 80;

/// The kinds of input events that the page listens to. Natural input pauses only for these.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InputListeners {
    /// Pointer movements.
    pub moves: bool,
    /// Presses and releases of mouse buttons.
    pub presses: bool,
    /// Presses and releases of keys.
    pub keys: bool,
}

impl InputListeners {
    pub const ALL: Self = Self { moves: true, presses: true, keys: true };
}

/// The input devices of a page. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Input {
    devices: Arc<Devices>,
    style: InputStyle,
    listened: InputListeners,
}

/// How a browser handles input.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::browser) struct BrowserTraits {
    /// Whether the clicks of a double click must be sent in one command.
    pub chains_clicks: bool,
    /// The clock for the time stamps of events. Without a clock, the browser uses the time of receipt: on a
    /// busy machine, a press then gets the same time as the move before it, and keys arrive in bursts.
    pub clock: Option<SteadyClock>,
}

/// The state of a page's input devices.
#[derive(Debug)]
struct Devices {
    session: CdpSession,
    traits: BrowserTraits,
    /// Whether the browser runs on macOS, which has other shortcuts.
    mac: bool,
    /// The pressed modifiers, as a bit mask of `keys::modifier`.
    modifiers: AtomicU32,
    /// The `KeyboardEvent.code` values of all pressed keys.
    held: Mutex<BTreeSet<&'static str>>,
    pointer: Mutex<Pointer>,
    /// Locked while an action moves the pointer and presses buttons, since a page has only one pointer.
    turn: Arc<tokio::sync::Mutex<()>>,
    randomness: Randomness,
}

#[derive(Debug, Clone, Copy)]
struct Pointer {
    at: Point,
    /// The pressed buttons, as a bit mask like `MouseEvent.buttons`.
    buttons: u32,
    /// The time of the last movement.
    moved: Option<Instant>,
}

impl Input {
    /// Creates the input devices of the page with this CDP session.
    pub fn new(session: CdpSession, style: InputStyle) -> Self {
        Self::of(session, style, BrowserTraits::default())
    }

    /// Like [`new`](Self::new), with the traits of the page's browser.
    pub(super) fn of(session: CdpSession, style: InputStyle, traits: BrowserTraits) -> Self {
        let randomness = Randomness::new();
        // A person's pointer enters a new page from the window's upper edge, where the tabs are.
        let at = Point::new(randomness.between(120.0, 640.0).round(), randomness.between(1.0, 40.0).round());
        let devices = Devices {
            session,
            traits,
            mac: cfg!(target_os = "macos"),
            modifiers: AtomicU32::new(0),
            held: Mutex::default(),
            pointer: Mutex::new(Pointer { at, buttons: 0, moved: None }),
            turn: Arc::default(),
            randomness,
        };
        Self { devices: Arc::new(devices), style, listened: InputListeners::ALL }
    }

    /// Returns the same devices with another input style.
    #[must_use]
    pub fn with_style(&self, style: InputStyle) -> Self {
        Self { style, ..self.clone() }
    }

    /// Returns the same devices, for a page that listens only to these events.
    #[must_use]
    pub fn with_listeners(&self, listened: InputListeners) -> Self {
        Self { listened, ..self.clone() }
    }

    pub fn style(&self) -> InputStyle {
        self.style
    }

    pub fn randomness(&self) -> &Randomness {
        &self.devices.randomness
    }

    pub fn mouse(&self) -> Mouse {
        Mouse::new(self.clone())
    }

    pub fn keyboard(&self) -> Keyboard {
        Keyboard::new(self.clone())
    }

    pub fn touch(&self) -> Touch {
        Touch::new(self.clone())
    }

    /// Waits until no other action uses the pointer, since a page has only one pointer. Dropping the guard
    /// lets the next action continue.
    pub(super) async fn take_turn(&self) -> OwnedMutexGuard<()> {
        Arc::clone(&self.devices.turn).lock_owned().await
    }

    /// How long a person takes to read a short question before answering; zero unless input is natural.
    pub(super) fn reading_time(&self) -> Duration {
        if self.is_natural() { self.randomness().random_duration(300.0, 700.0) } else { Duration::ZERO }
    }

    fn is_natural(&self) -> bool {
        self.style == InputStyle::Natural
    }

    /// Whether a text is typed key by key. Otherwise, it is inserted at once.
    pub(super) fn types_by_key(&self, text: &str) -> bool {
        let is_short = text.chars().count() <= LONGEST_TYPED && !text.contains(['\n', '\r', '\t']);
        self.is_natural() && self.listened.keys && is_short && !text.is_empty()
    }

    pub(super) fn is_bare(&self) -> bool {
        self.style == InputStyle::Bare
    }

    fn session(&self) -> &CdpSession {
        &self.devices.session
    }

    fn modifiers(&self) -> u32 {
        self.devices.modifiers.load(Ordering::Acquire)
    }

    fn pointer(&self) -> MutexGuard<'_, Pointer> {
        self.devices.pointer.lock()
    }

    /// Subscribes to dialogs, which can block the browser's replies. Must be called before input is sent.
    fn watch(&self) -> Delivery {
        let listened: &[_] = if self.is_bare() { &[] } else { &[JavascriptDialogOpening::METHOD] };
        Delivery { blockers: self.session().events(listened) }
    }

    /// Sends a key press and the text it enters, if any. If the key is already down, sends an auto-repeat.
    fn key_down(&self, key: &'static keys::Key, repeat: bool) -> Vec<PendingReply<Empty>> {
        self.stroke_down(keys::Keystroke { key, shift: false }, repeat)
    }

    /// Like [`key_down`](Self::key_down), but the key may have its shifted value without Shift being pressed.
    fn stroke_down(&self, stroke: keys::Keystroke, repeat: bool) -> Vec<PendingReply<Empty>> {
        let key = stroke.key;
        let repeat = !self.devices.held.lock().insert(key.code) || repeat;
        if let Some(bit) = key.modifier() {
            self.devices.modifiers.fetch_or(bit, Ordering::AcqRel);
        }
        let modifiers = self.modifiers();
        let commands = if self.devices.mac { keys::mac_editing_commands(key.code, modifiers) } else { &[] };
        let down = DispatchKeyEvent {
            kind: "rawKeyDown",
            auto_repeat: repeat.then_some(true),
            commands: (!commands.is_empty()).then(|| commands.iter().map(|&name| name.to_owned()).collect()),
            ..self.key_event(stroke, modifiers)
        };
        let mut replies = vec![self.session().send(down)];
        if let Some(text) = key.text(stroke.with_shift(modifiers)) {
            let character = DispatchKeyEvent {
                kind: "char",
                text: Some(text.to_owned()),
                unmodified_text: Some(key.text(0).unwrap_or(text).to_owned()),
                auto_repeat: repeat.then_some(true),
                ..self.key_event(stroke, modifiers)
            };
            replies.push(self.session().send(character));
        }
        replies
    }

    fn key_up(&self, key: &'static keys::Key) -> PendingReply<Empty> {
        self.stroke_up(keys::Keystroke { key, shift: false })
    }

    fn stroke_up(&self, stroke: keys::Keystroke) -> PendingReply<Empty> {
        let key = stroke.key;
        self.devices.held.lock().remove(key.code);
        if let Some(bit) = key.modifier() {
            self.devices.modifiers.fetch_and(!bit, Ordering::AcqRel);
        }
        self.session().send(DispatchKeyEvent { kind: "keyUp", ..self.key_event(stroke, self.modifiers()) })
    }

    fn key_event(&self, stroke: keys::Keystroke, modifiers: u32) -> DispatchKeyEvent {
        use keys::Location;
        let key = stroke.key;
        DispatchKeyEvent {
            modifiers: Some(modifiers),
            code: Some(key.code.to_owned()),
            key: Some(key.key_value(stroke.with_shift(modifiers)).to_owned()),
            windows_virtual_key_code: Some(key.key_code),
            location: match key.location {
                Location::Standard | Location::Keypad => None,
                Location::Left => Some(1),
                Location::Right => Some(2),
            },
            is_keypad: (key.location == Location::Keypad).then_some(true),
            timestamp: self.time(),
            ..DispatchKeyEvent::default()
        }
    }

    /// Returns the time stamp for an event sent now; `None` if the browser does not accept time stamps.
    fn time(&self) -> Option<f64> {
        self.devices.traits.clock.map(|clock| clock.unix_time().as_secs_f64())
    }
}

/// Waits for the confirmation of input that was sent.
#[derive(Debug)]
struct Delivery {
    blockers: crate::cdp::Events,
}

impl Delivery {
    /// Waits until the page has handled all input, or has opened a dialog that prevents the confirmation.
    async fn done(&mut self, replies: Vec<PendingReply<Empty>>) -> Result<()> {
        tokio::select! {
            biased;
            all = futures_util::future::try_join_all(replies) => match all {
                // The input has closed the page or the frame, which is an effect and not an error.
                Ok(_) | Err(Error::PageClosed | Error::FrameDetached) => Ok(()),
                Err(error) => Err(error),
            },
            Some(_) = self.blockers.next() => Ok(()),
        }
    }
}
