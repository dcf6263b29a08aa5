use std::future::ready;
use std::time::Duration;

use tokio::time::{Instant, sleep, sleep_until, timeout};

use super::geometry::Point;
use super::keys::{self, Key};
use super::{Delivery, Input, Modifier, path};
use crate::bidi::commands::PerformClicks;
use crate::cdp::types::Empty;
use crate::cdp::types::input::DispatchMouseEvent;
use crate::cdp::types::page::FrameNavigated;
use crate::cdp::types::target::GetTargetInfo;
use crate::cdp::{Event as _, Events, PendingReply};
use crate::error::{Error, Result};

// A mouse button. Tools offer only the first three.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Default, serde::Deserialize, strum::EnumString, strum::IntoStaticStr,
)]
#[cfg_attr(feature = "mcp", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Button {
    #[default]
    Left,
    Right,
    Middle,
    #[serde(skip)]
    Back,
    #[serde(skip)]
    Forward,
}

impl Button {
    /// The button with this name: `left`, `right` or `middle`.
    pub fn named(name: &str) -> Option<Self> {
        name.parse().ok().filter(|button| !matches!(button, Self::Back | Self::Forward))
    }

    /// The button's bit in `MouseEvent.buttons`.
    fn bit(self) -> u32 {
        match self {
            Self::Left => 1,
            Self::Right => 2,
            Self::Middle => 4,
            Self::Back => 8,
            Self::Forward => 16,
        }
    }

    /// Returns the button that move events report during a drag; `none` if no button is pressed.
    fn dragging(buttons: u32) -> &'static str {
        [Self::Left, Self::Right, Self::Middle, Self::Back, Self::Forward]
            .into_iter()
            .find(|button| buttons & button.bit() != 0)
            .map_or("none", Into::into)
    }
}

/// Options of a click.
#[derive(Debug, Clone)]
pub struct ClickOptions {
    pub button: Button,
    /// The number of clicks: 2 for a double click.
    pub count: u32,
    /// Modifiers that are held during the click, in addition to those already pressed.
    pub modifiers: Vec<Modifier>,
    /// Whether to release all other modifiers during the click.
    pub only: bool,
    /// How long the button is held. Default: a short random time; with instant input, not at all.
    pub hold: Option<Duration>,
    /// Whether to fail if the page navigates before the click is complete.
    pub in_one_document: bool,
}

impl Default for ClickOptions {
    fn default() -> Self {
        Self {
            button: Button::Left,
            count: 1,
            modifiers: Vec::new(),
            only: false,
            hold: None,
            in_one_document: false,
        }
    }
}

/// The pause between a movement and a press, in milliseconds, if the page listens to movements.
const ARRIVED_MS: (f64, f64) = (3.0, 9.0);
/// How long a button is held, in milliseconds: minimum and maximum.
const HOLD_MS: (f64, f64) = (25.0, 40.0);
/// How long a button is held if the page does not listen to presses, in milliseconds.
const UNSEEN_HOLD_MS: (f64, f64) = (8.5, 12.0);
/// The pause between the clicks of a double click, in milliseconds.
const BETWEEN_CLICKS_MS: (f64, f64) = (40.0, 90.0);

/// The scroll distance of one wheel notch, in CSS pixels.
const NOTCH: f64 = 120.0;
/// The maximum number of groups in which wheel notches are sent, with pauses between the groups.
const MOST_TURNS: usize = 6;
const BETWEEN_TURNS_MS: (f64, f64) = (7.0, 13.0);

/// The number of moves of an instant drag. With fewer, a page may not make room for the dragged element.
const INSTANT_MOVES: u32 = 8;

/// The number of parts of a path. After each part, the page renders a frame, so that it receives a move.
const LEGS: usize = 3;
/// How long to wait for a page to receive the last move of a path.
const FRAME_LIMIT: Duration = Duration::from_millis(40);
/// How long to wait for a slow page to render the frame between two parts of a path.
const SLOW_FRAME_LIMIT: Duration = Duration::from_millis(250);
/// How long the browser may take to confirm a press.
const REPLY_LIMIT: Duration = Duration::from_secs(2);

/// A movement that was sent and that the page may not have received yet.
#[derive(Debug)]
pub(crate) struct PendingMovement {
    delivery: Delivery,
    replies: Vec<PendingReply<Empty>>,
}

impl PendingMovement {
    /// Waits until the page has received all events of the movement.
    pub(crate) async fn delivered(mut self) -> Result<()> {
        self.delivery.done(self.replies).await
    }

    /// Waits until the page has received the last move, up to `FRAME_LIMIT`.
    pub(crate) async fn shown(mut self) -> Self {
        if let Some(last) = self.replies.pop() {
            let _ = timeout(FRAME_LIMIT, last).await;
        }
        self
    }
}

/// Splits a scroll distance into wheel notches for each axis, as `(x, y)`. The last notch is the remainder.
fn notches(delta_x: f64, delta_y: f64) -> Vec<(f64, f64)> {
    let along = |delta: f64| {
        let mut rest = delta.abs();
        std::iter::from_fn(move || {
            let part = rest.min(NOTCH);
            rest -= part;
            (part > 0.0).then_some(part.copysign(delta))
        })
    };
    let notches: Vec<_> = along(delta_x).map(|x| (x, 0.0)).chain(along(delta_y).map(|y| (0.0, y))).collect();
    if notches.is_empty() { vec![(0.0, 0.0)] } else { notches }
}

/// Returns whether the main frame has a new document.
fn has_navigated(navigations: &mut Events) -> bool {
    let is_main = |event: FrameNavigated| event.frame.parent_id.is_none();
    std::iter::from_fn(|| navigations.try_next()).any(|event| event.read().is_some_and(is_main))
}

/// The mouse of a page. Coordinates are CSS pixels in the page's viewport.
#[derive(Debug, Clone)]
pub struct Mouse {
    input: Input,
}

impl Mouse {
    pub(super) fn new(input: Input) -> Self {
        Self { input }
    }

    /// The pointer's position.
    pub fn position(&self) -> Point {
        self.input.pointer().at
    }

    /// Moves the pointer to a point, along a path that depends on the input style.
    pub async fn move_to(&self, to: Point) -> Result<()> {
        self.go_to(to).await.delivered().await
    }

    /// Moves the pointer to a point in `steps` equal steps along a straight line.
    pub async fn move_in_steps(&self, to: Point, steps: u32) -> Result<()> {
        self.go_in_steps(to, steps).await.map(drop)
    }

    /// Like [`move_in_steps`](Self::move_in_steps). Awaits every step, as the browser merges pending moves.
    pub(crate) async fn go_in_steps(&self, to: Point, steps: u32) -> Result<PendingMovement> {
        let mut delivery = self.input.watch();
        for point in path::straight_path(self.position(), to, steps) {
            let reply = self.moved(point);
            delivery.done(vec![reply]).await?;
        }
        Ok(PendingMovement { delivery, replies: Vec::new() })
    }

    /// Presses a button without releasing it. `count` is 2 for the second press of a double click.
    pub async fn down(&self, button: Button, count: u32) -> Result<()> {
        self.arrive().await;
        let mut delivery = self.input.watch();
        let reply = self.pressed(button, count);
        delivery.done(vec![reply]).await
    }

    /// Releases a button. `count` is 2 for the second release of a double click.
    pub async fn up(&self, button: Button, count: u32) -> Result<()> {
        let mut delivery = self.input.watch();
        let reply = self.released(button, count);
        delivery.done(vec![reply]).await
    }

    /// Moves to a point and clicks.
    pub async fn click(&self, at: Point, options: &ClickOptions) -> Result<()> {
        let mut delivery = self.input.watch();
        let mut replies = self.travel(at, || ready(())).await;
        replies.extend(self.click_here(options).await?);
        delivery.done(replies).await
    }

    /// Like [`click`](Self::click), after other pointer actions. Deadlocks if the caller locks `turn`.
    pub async fn click_in_turn(&self, at: Point, options: &ClickOptions) -> Result<()> {
        let _turn = self.input.take_turn().await;
        self.click(at, options).await
    }

    /// Clicks at the pointer's position.
    pub async fn click_at_pointer(&self, options: &ClickOptions) -> Result<()> {
        let mut delivery = self.input.watch();
        let replies = self.click_here(options).await?;
        delivery.done(replies).await
    }

    /// Pauses between a movement and a press, if input is natural and the page listens to movements.
    async fn arrive(&self) {
        let moved =
            self.input.pointer().moved.filter(|_| self.input.listened.moves && self.input.is_natural());
        if let Some(moved) = moved {
            sleep_until(moved + self.input.randomness().random_duration(ARRIVED_MS.0, ARRIVED_MS.1)).await;
        }
    }

    /// Records a new pointer position without sending an event, after a drag has moved the pointer.
    pub(crate) fn place(&self, at: Point) {
        self.input.pointer().at = at;
    }

    /// Records a button as released without sending an event, since a drop replaces the mouseup event.
    pub(crate) fn forget(&self, button: Button) {
        self.input.pointer().buttons &= !button.bit();
    }

    pub(crate) fn is_down(&self, button: Button) -> bool {
        self.input.pointer().buttons & button.bit() != 0
    }

    /// Returns the path of a drag from the pointer to `to`, without moving the pointer.
    pub(crate) fn dragging_way(&self, to: Point) -> Vec<path::Waypoint> {
        if self.input.is_natural() {
            return path::drag_path(self.position(), to, self.input.randomness());
        }
        let still = |point| path::Waypoint { point, at: Duration::ZERO };
        path::straight_path(self.position(), to, INSTANT_MOVES).map(still).collect()
    }

    /// Moves to a point and waits until the page has received the event.
    pub(crate) async fn step_to(&self, to: Point) -> Result<()> {
        let mut delivery = self.input.watch();
        let reply = self.moved(to);
        delivery.done(vec![reply]).await
    }

    /// Moves to a point without waiting.
    pub(crate) fn send_move(&self, to: Point) -> PendingMovement {
        let delivery = self.input.watch();
        PendingMovement { delivery, replies: vec![self.moved(to)] }
    }

    /// Moves to `from`, presses, moves to `to` and releases. Makes `steps` equal steps if given.
    pub async fn drag(&self, from: Point, to: Point, steps: Option<u32>) -> Result<()> {
        let mut delivery = self.input.watch();
        let mut replies = self.travel(from, || ready(())).await;
        self.arrive().await;
        replies.push(self.pressed(Button::Left, 1));
        self.rest(HOLD_MS).await;
        if let Some(steps) = steps {
            replies.extend(path::straight_path(from, to, steps).map(|point| self.moved(point)));
        } else {
            // A drag begins only after a few pixels, so many pages miss a drag without an intermediate move.
            replies.push(self.moved(from.towards(to, 0.5)));
            replies.extend(self.travel(to, || ready(())).await);
        }
        self.rest(HOLD_MS).await;
        replies.push(self.released(Button::Left, 1));
        delivery.done(replies).await
    }

    /// Turns the wheel at the pointer's position. The deltas are in CSS pixels.
    pub async fn wheel(&self, delta_x: f64, delta_y: f64) -> Result<()> {
        let mut delivery = self.input.watch();
        let mut replies = Vec::new();
        if self.input.is_natural() {
            let notches = notches(delta_x, delta_y);
            // The browser merges notches that are sent without a pause into one event for the page.
            let turn = notches.len().div_ceil(MOST_TURNS);
            for (number, (x, y)) in notches.into_iter().enumerate() {
                if number > 0 && number % turn == 0 {
                    self.rest(BETWEEN_TURNS_MS).await;
                }
                replies.push(self.turned(x, y));
            }
        } else {
            replies.push(self.turned(delta_x, delta_y));
        }
        delivery.done(replies).await
    }

    /// Moves to a point. Returns after the last move is sent; the page may not have received all moves.
    pub(crate) async fn go_to(&self, to: Point) -> PendingMovement {
        self.go_to_seen(to, || ready(())).await
    }

    /// Like [`go_to`](Self::go_to), but awaits a frame (`drawn`) between parts of the path, since the browser
    /// merges moves within one frame.
    pub(crate) async fn go_to_seen<Drawing: Future<Output = ()>>(
        &self,
        to: Point,
        drawn: impl Fn() -> Drawing,
    ) -> PendingMovement {
        let delivery = self.input.watch();
        PendingMovement { delivery, replies: self.travel(to, drawn).await }
    }

    /// Returns a few points of a path to `to`, for a page that does not listen to movements.
    pub(crate) fn sampled_path(&self, to: Point) -> Vec<Point> {
        path::sampled_path(self.position(), to, self.input.randomness())
    }

    /// Moves through these points without waiting.
    pub(crate) fn send_moves(&self, way: &[Point]) -> PendingMovement {
        let delivery = self.input.watch();
        PendingMovement { delivery, replies: way.iter().map(|point| self.moved(*point)).collect() }
    }

    async fn travel<Drawing: Future<Output = ()>>(
        &self,
        to: Point,
        drawn: impl Fn() -> Drawing,
    ) -> Vec<PendingReply<Empty>> {
        if !self.input.is_natural() {
            return vec![self.moved(to)];
        }
        if !self.input.listened.moves {
            return self.sampled_path(to).into_iter().map(|point| self.moved(point)).collect();
        }
        let began = Instant::now();
        let mut replies = Vec::new();
        let path = path::natural_path(self.position(), to, self.input.randomness());
        let legs_after = |step: usize| step * LEGS / path.len();
        for (step, waypoint) in path.iter().enumerate() {
            sleep_until(began + waypoint.at).await;
            let reply = self.moved(waypoint.point);
            if legs_after(step + 1) > legs_after(step) && step + 1 < path.len() {
                // A page receives one move per frame. Waits for a slow page, but not for a page that hangs.
                let listened = async {
                    let _ = reply.await;
                    drawn().await;
                };
                let _ = timeout(SLOW_FRAME_LIMIT, listened).await;
            } else {
                replies.push(reply);
            }
        }
        replies
    }

    async fn click_here(&self, options: &ClickOptions) -> Result<Vec<PendingReply<Empty>>> {
        self.arrive().await;
        let modifiers = self.keys_for(&options.modifiers)?;
        let released = if options.only { self.others_held(&options.modifiers)? } else { Vec::new() };
        let mut replies: Vec<_> = released.iter().map(|key| self.input.key_up(key)).collect();
        replies.extend(modifiers.iter().flat_map(|key| self.input.key_down(key, false)));
        if options.count > 1 && self.input.devices.traits.chains_clicks {
            replies.push(self.clicked(options));
        }
        let alone =
            if self.input.devices.traits.chains_clicks && options.count > 1 { 0 } else { options.count };
        let mut navigations = self.input.session().events(&[FrameNavigated::METHOD]);
        let mut is_gone = false;
        for count in 1..=alone {
            if count > 1 {
                self.rest(BETWEEN_CLICKS_MS).await;
                is_gone |= has_navigated(&mut navigations);
            }
            replies.push(self.pressed(options.button, count));
            match options.hold {
                Some(hold) => sleep(hold).await,
                None => self.hold().await,
            }
            is_gone |= has_navigated(&mut navigations);
            replies.push(self.released(options.button, count));
        }
        replies.extend(modifiers.iter().rev().map(|key| self.input.key_up(key)));
        replies.extend(released.iter().rev().flat_map(|key| self.input.key_down(key, false)));
        if is_gone && options.in_one_document { Err(Error::DocumentGone) } else { Ok(replies) }
    }

    /// Sends all clicks of a double or multiple click in one command.
    fn clicked(&self, options: &ClickOptions) -> PendingReply<Empty> {
        let milliseconds = |range: (f64, f64)| match self.input.is_natural() {
            true => u32::try_from(self.input.randomness().random_duration(range.0, range.1).as_millis())
                .unwrap_or_default(),
            false => 0,
        };
        let held = |hold: Duration| u32::try_from(hold.as_millis()).unwrap_or(u32::MAX);
        let hold = || options.hold.map_or_else(|| milliseconds(HOLD_MS), held);
        self.input.session().send(PerformClicks {
            button: options.button.into(),
            holds: (0..options.count).map(|_| hold()).collect(),
            pauses: (1..options.count).map(|_| milliseconds(BETWEEN_CLICKS_MS)).collect(),
        })
    }

    /// Returns the keys of modifiers that are pressed now and not in `wanted`.
    fn others_held(&self, wanted: &[Modifier]) -> Result<Vec<&'static Key>> {
        let bit = |modifier: &Modifier| -> Result<(&'static Key, u32)> {
            let key = keys::Chord::read(modifier.into(), self.input.devices.mac)?.last.key;
            Ok((key, key.modifier().unwrap_or_default()))
        };
        let wanted = wanted.iter().map(bit).collect::<Result<Vec<_>>>()?;
        let all = [Modifier::Alt, Modifier::Control, Modifier::Meta, Modifier::Shift];
        let held = all.iter().map(bit).collect::<Result<Vec<_>>>()?.into_iter();
        let others = held
            .filter(|(_, bit)| self.input.modifiers() & bit != 0 && wanted.iter().all(|(_, own)| own != bit));
        Ok(others.map(|(key, _)| key).collect())
    }

    /// Returns the keys to press for these modifiers, without those that are already pressed.
    fn keys_for(&self, modifiers: &[Modifier]) -> Result<Vec<&'static Key>> {
        let mut held: Vec<&'static Key> = Vec::new();
        for modifier in modifiers {
            let key = keys::Chord::read(modifier.into(), self.input.devices.mac)?.last.key;
            let down = key.modifier().is_some_and(|bit| self.input.modifiers() & bit != 0);
            if !down && !held.contains(&key) {
                held.push(key);
            }
        }
        Ok(held)
    }

    /// Holds the button for a while after the browser has confirmed the press. Otherwise, a busy browser
    /// would give press and release the same time.
    async fn hold(&self) {
        if self.input.is_natural() {
            let _ = self.input.session().call_within(GetTargetInfo::default(), REPLY_LIMIT).await;
            self.rest(if self.input.listened.presses { HOLD_MS } else { UNSEEN_HOLD_MS }).await;
        }
    }

    pub(crate) async fn rest(&self, (low, high): (f64, f64)) {
        if self.input.is_natural() {
            sleep(self.input.randomness().random_duration(low, high)).await;
        }
    }

    fn moved(&self, to: Point) -> PendingReply<Empty> {
        let buttons = {
            let mut pointer = self.input.pointer();
            pointer.at = to;
            pointer.moved = Some(Instant::now());
            pointer.buttons
        };
        self.input.session().send(DispatchMouseEvent {
            button: Some(Button::dragging(buttons)),
            buttons: Some(buttons),
            ..self.event("mouseMoved", to)
        })
    }

    fn pressed(&self, button: Button, count: u32) -> PendingReply<Empty> {
        let pointer = {
            let mut pointer = self.input.pointer();
            pointer.buttons |= button.bit();
            *pointer
        };
        self.input.session().send(DispatchMouseEvent {
            button: Some(button.into()),
            buttons: Some(pointer.buttons),
            click_count: Some(count),
            force: Some(0.5),
            ..self.event("mousePressed", pointer.at)
        })
    }

    fn released(&self, button: Button, count: u32) -> PendingReply<Empty> {
        let pointer = {
            let mut pointer = self.input.pointer();
            pointer.buttons &= !button.bit();
            *pointer
        };
        self.input.session().send(DispatchMouseEvent {
            button: Some(button.into()),
            buttons: Some(pointer.buttons),
            click_count: Some(count),
            ..self.event("mouseReleased", pointer.at)
        })
    }

    fn turned(&self, delta_x: f64, delta_y: f64) -> PendingReply<Empty> {
        self.input.session().send(DispatchMouseEvent {
            delta_x: Some(delta_x),
            delta_y: Some(delta_y),
            ..self.event("mouseWheel", self.position())
        })
    }

    fn event(&self, kind: &'static str, at: Point) -> DispatchMouseEvent {
        DispatchMouseEvent {
            kind,
            x: at.x,
            y: at.y,
            modifiers: Some(self.input.modifiers()),
            pointer_type: Some("mouse"),
            timestamp: self.input.time(),
            ..DispatchMouseEvent::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wheel_turns_by_whole_notches_and_scrolls_exactly_as_far_as_it_should() {
        assert_eq!(notches(0.0, 400.0), [(0.0, 120.0), (0.0, 120.0), (0.0, 120.0), (0.0, 40.0)]);
        assert_eq!(notches(-7.5, 0.0), [(-7.5, 0.0)]);
        assert_eq!(notches(120.0, -240.0), [(120.0, 0.0), (0.0, -120.0), (0.0, -120.0)]);
        assert_eq!(notches(0.0, 0.0), [(0.0, 0.0)]);
    }
}
