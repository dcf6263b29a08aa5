//! Drag and drop with the mouse: press, move, hold over the target until the page makes space, and release.
//! After the first moves, native (HTML) drag and drop continues with CDP's `Input.dispatchDragEvent`.
use std::time::Duration;

use futures_util::future::join_all;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::time::{Instant, sleep, sleep_until, timeout};

use super::actionability::{ActionOptions, CheckOutcome, RequiredState};
use super::element::ElementHandle;
use super::noted::PerformedInput;
use crate::bidi::missing_features;
use crate::browser::input::{Button, Mouse, Point};
use crate::browser::objects::frame::Frame;
use crate::browser::objects::page::Page;
use crate::browser::objects::world::{UtilityWorld, value_argument};
use crate::cdp::types::input::{DispatchDragEvent, DragData, DragIntercepted, SetInterceptDrags};
use crate::cdp::{Event, Events};
use crate::error::{Error, Result};

/// How long the browser may take to report a native drag.
const DRAG_LIMIT: Duration = Duration::from_secs(1);

/// The shortest and the longest pause after the press, in milliseconds.
const PRESS_MS: (f64, f64) = (60.0, 110.0);
/// The shortest and the longest pause before the release, in milliseconds.
const RELEASE_MS: (f64, f64) = (50.0, 90.0);
/// The additional pause after the press, for pages that start a drag by a long press.
const LONG_PRESS: Duration = Duration::from_millis(700);
/// The distances of the first moves from the press, in pixels, which distinguish a drag from a click.
const FIRST_MOVES: [f64; 5] = [1.5, 4.0, 7.0, 11.0, 15.0];
const BETWEEN_FIRST_MS: (f64, f64) = (9.0, 16.0);
/// Small relative moves of the pointer over the target: x and y in pixels.
const FIDGETS: [(f64, f64); 3] = [(1.0, 1.0), (-2.0, -1.0), (1.0, 0.0)];
const BETWEEN_FIDGETS_MS: (f64, f64) = (24.0, 38.0);
/// How often to correct the target point, since pages move other elements aside gradually.
const MOST_CORRECTIONS: usize = 8;
/// The distance in pixels at which a target point counts as reached.
const NEAR: f64 = 3.0;
/// The maximum number of times that a drag is corrected when the page shows the dragged element away from its target.
const MOST_ELSEWHERE: usize = 3;
/// The distance to move away from a scrolling edge, in pixels: most areas scroll within 30 px of their edge.
const OUT_OF_EDGE: f64 = 45.0;
/// The maximum number of checks while an area scrolls because of the drag.
const MOST_LOOKS: usize = 150;
/// The number of checks without movement of the target after which a script scrolls the area.
const LOOKS_IN_VAIN: usize = 12;

/// The dragged element is between the pointer and the target, so the pointer need not hit the target.
const DROPPED_ON: RequiredState = RequiredState { hit: false, ..RequiredState::HOVERABLE };

/// Where to drop the dragged element, relative to the target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DropPosition {
    Before,
    After,
    Into,
}

/// Options for dragging.
#[derive(Debug, Clone, Default)]
pub struct DragOptions {
    pub source: ActionOptions,
    pub target: ActionOptions,
    pub place: Option<DropPosition>,
    /// Holds the button for 700 ms before moving, for pages that start a drag by a long press.
    pub long_press: bool,
    /// Repeats a drag: first clears the text selection that the previous attempt made.
    pub again: bool,
}

/// The result of a drag.
#[derive(Debug, Clone, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum DragResult {
    /// The position of the dragged element in its list has changed; `place` counts from 1.
    Order {
        place: usize,
        count: usize,
        previous: Option<String>,
        next: Option<String>,
        /// The name of the new list, if the element is in another list now.
        list: Option<String>,
        /// Whether the element is at the requested side of the target; `None` if no side was requested.
        beside: Option<bool>,
    },
    /// The value of a slider has changed.
    Value {
        value: Option<String>,
        name: String,
    },
    /// The element has moved: the top left corner (`x`, `y`) in the viewport of its frame, and the distance.
    Moved {
        x: f64,
        y: f64,
        dx: f64,
        dy: f64,
        /// Whether the element covered less than half of the distance to the target.
        short: bool,
    },
    Sized {
        width: f64,
        height: f64,
    },
    /// The dragged canvas shows another image.
    Drawn,
    /// The dragged element was removed from the document.
    Gone,
    /// The dragged element has not moved, but something else on the page changed.
    Effect {
        /// The element that was created at the drop.
        made: Option<ElementInDrag>,
    },
    /// Nothing changed.
    None {
        /// Whether the page reacted visibly before the drop.
        picked: bool,
        /// Whether the target refused the drop.
        refused: bool,
        /// Whether the target accepted the drop without a visible change.
        taken: bool,
        /// Whether the element uses native (HTML) drag and drop, which has no effect without a drop.
        native: bool,
        handle: Option<ElementInDrag>,
    },
    /// The result is unknown.
    Unknown,
}

/// An element other than the dragged one: a drag handle, or an element that the drop created.
#[derive(Debug, Clone, Deserialize)]
pub struct ElementInDrag {
    pub r#ref: u32,
    pub name: String,
}

/// Options for checking the target during a drag.
#[derive(Debug, Clone, Copy, Serialize)]
struct TargetCheck {
    /// How far the target must be inside of the scrolling area, in pixels.
    margin: u32,
    /// Whether to wait first until the target stops moving.
    still: bool,
}

impl TargetCheck {
    const AT_ONCE: Self = Self { margin: 0, still: false };
    const AT_REST: Self = Self { margin: 0, still: true };
    const WELL_INSIDE: Self = Self { margin: 60, still: false };
}

/// The state of the target during a drag.
#[derive(Debug, Deserialize)]
struct TargetState {
    /// The point at which to hold the dragged element.
    point: Point,
    /// The point at the edge of a scrolling area to hold at until the target is visible; `None` if it is.
    edge: Option<Point>,
    /// The side of the target where the dragged element is now.
    side: Option<DropPosition>,
    /// Whether the page shows the dragged element in the target's list, but not next to the target.
    elsewhere: bool,
    /// The offset from `point` to a point outside the target, on the requested side.
    out: Point,
}

impl TargetState {
    /// Whether the dragged element, held at this point, is at the requested position.
    fn is_met(&self, place: Option<DropPosition>, at: Point) -> bool {
        match (place, self.side) {
            (Some(DropPosition::Before | DropPosition::After), Some(side)) => Some(side) == place,
            (None, Some(_)) => true,
            _ => self.point.distance(at) <= NEAR,
        }
    }
}

impl ElementHandle {
    /// Drags the element onto another one.
    pub async fn drag_to(
        &self,
        target: &ElementHandle,
        options: &ActionOptions,
        target_options: &ActionOptions,
    ) -> Result<()> {
        let (source, target_options) = (options.clone(), target_options.clone());
        let options = DragOptions { source, target: target_options, ..DragOptions::default() };
        self.drag(target, &options).await
    }

    /// Drags the element onto another one, and checks that the page received the drop.
    ///
    /// # Errors
    /// `did_not_move` if the element uses native (HTML) drag and drop, and no element received the drop.
    pub async fn drag_to_and_verify(
        &self,
        target: &ElementHandle,
        options: &ActionOptions,
        target_options: &ActionOptions,
    ) -> Result<()> {
        self.drag_to(target, options, target_options).await?;
        if options.force || self.input(options)?.is_bare() {
            return Ok(());
        }
        match self.frame().page()?.fail_on_dialog(self.last_drag_result()).await {
            Ok(DragResult::None { native: true, taken: false, .. }) => Err(Error::DidNotMove {
                what: "the element".to_owned(),
                reason: "the target received no drop".to_owned(),
            }),
            // The document is gone, or a dialog is open: the result is unknown.
            _ => Ok(()),
        }
    }

    /// Drags the element to another one, or to a side of it.
    pub async fn drag(&self, target: &ElementHandle, options: &DragOptions) -> Result<()> {
        let page = self.frame().page()?;
        if !page.context().browser()?.protocol().supports_native_drags()
            && self.ask("isDraggable", Vec::new()).await?
        {
            return Err(undroppable());
        }
        let beside = self.is_beside(target);
        if beside && !options.source.keeps_scroll {
            self.ask::<()>("showBoth", vec![target.handle().argument()]).await?;
        }
        // `reached` is kept until the end, since another press would release the dragged element.
        let reached = self.approach(RequiredState::CLICKABLE, &options.source).await?;
        let from = reached.point;
        let known = if beside { target.handle().argument() } else { value_argument(&Value::Null) };
        if options.again {
            self.world().call::<()>("unselectDragged", &[]).await?;
        }
        self.ask::<()>("noteDrag", vec![known, value_argument(&options.place)]).await?;
        let input = self.input(&options.source)?;
        let mouse = input.mouse();
        let towards = target.sight(options.target.position, TargetCheck::AT_ONCE).await?;
        let towards = towards.ok_or_else(|| target.stale())?.point;
        let worlds = [self.world().clone()];
        // A native drag needs a first move to start; other drags make exactly the requested steps.
        let is_exact = input.is_bare() && options.target.steps.is_some();
        let is_exact = is_exact && !self.ask::<bool>("isDraggable", Vec::new()).await?;
        let towards = Some(towards).filter(|_| !is_exact);
        let work = async |hand: &mut DragPointer<'_>| match options.target.steps {
            Some(steps) if hand.data.is_none() => {
                let to = target.wait_until_actionable(DROPPED_ON, &options.target);
                mouse.move_in_steps(to.await?, steps).await
            }
            _ => self.hold_over(target, hand, options).await,
        };
        let carried = page.carry(from, towards, &mouse, &worlds, options.long_press, work).await;
        if carried.is_err() {
            // Otherwise the next drag would drag the text that this one selected.
            let _ = self.world().call::<()>("unselectDragged", &[]).await;
        }
        carried
    }

    /// Waits until the dragged element is at rest, and returns the result of the last drag in this document.
    pub async fn last_drag_result(&self) -> Result<DragResult> {
        let dragged = self.world().call("dragOutcome", &[]).await?;
        if let DragResult::None { handle: Some(part), .. } | DragResult::Effect { made: Some(part) } =
            &dragged
        {
            self.frame().set_last_ref(part.r#ref);
        }
        Ok(dragged)
    }

    /// Moves the dragged element to the target, and waits until the page has moved other elements aside.
    async fn hold_over(
        &self,
        target: &ElementHandle,
        hand: &mut DragPointer<'_>,
        options: &DragOptions,
    ) -> Result<()> {
        let position = options.target.position;
        self.world().call::<()>("notePickUp", &[]).await?;
        if options.target.keeps_scroll {
            // The page must not scroll, so the target must already be in view.
            target.wait_until_actionable(DROPPED_ON, &options.target).await?;
        }
        let aim = hand.scroll_to(target, position).await?;
        if let Some(noted) = &options.target.noted {
            let stood = target.bounding_box().await?.unwrap_or_default();
            noted.begin();
            let at = aim.point.seen_from(stood.corner());
            noted.add(PerformedInput::Drop { at, long_press: options.long_press });
        }
        hand.go(aim.point).await?;
        for correction in 0..MOST_CORRECTIONS {
            // Elements that are still moving aside would react to the small moves.
            let mut sight = target.sight(position, TargetCheck::AT_REST).await?;
            for aside in FIDGETS {
                hand.fidget(aside).await?;
                // Elements that move aside must stop before the next small move.
                sight = target.sight(position, TargetCheck::AT_REST).await?;
            }
            // The page may have removed the target, which is no error.
            let Some(sight) = sight else { break };
            let is_elsewhere = sight.elsewhere && correction < MOST_ELSEWHERE;
            if !is_elsewhere && sight.is_met(options.place, hand.at()) {
                break;
            }
            if sight.point.distance(hand.at()) <= NEAR {
                // The element is on the wrong side of the target: approach the target again from there.
                hand.go(Point::new(sight.point.x + sight.out.x, sight.point.y + sight.out.y)).await?;
            }
            // The last move may have scrolled the target out of view.
            let is_out = sight.edge.is_some() && correction < MOST_ELSEWHERE && !options.target.keeps_scroll;
            let aim = if is_out { hand.scroll_to(target, position).await? } else { sight };
            hand.go(aim.point).await?;
        }
        self.world().call("noteCarried", &[]).await
    }

    /// Returns the state of the target, in page coordinates; `None` if the target is gone.
    async fn sight(&self, position: Option<Point>, glance: TargetCheck) -> Result<Option<TargetState>> {
        let arguments = vec![value_argument(&position), value_argument(&glance)];
        let Some(sight) = self.ask::<Option<TargetState>>("dragSight", arguments).await? else {
            return Ok(None);
        };
        let in_page = async |point| match self.to_page(point, false, None).await? {
            CheckOutcome::Clear(clear) => Ok(clear.point),
            CheckOutcome::Blocked(_) => Err(self.stale()),
        };
        let edge = match sight.edge {
            Some(edge) => Some(in_page(edge).await?),
            None => None,
        };
        Ok(Some(TargetState { point: in_page(sight.point).await?, edge, ..sight }))
    }
}

/// The pointer during a drag.
struct DragPointer<'a> {
    mouse: &'a Mouse,
    page: &'a Page,
    /// The drag data of the page, for native drag and drop; `None` for other drags.
    data: Option<DragData>,
    has_entered: bool,
}

impl DragPointer<'_> {
    fn at(&self) -> Point {
        self.mouse.position()
    }

    /// Moves the pointer to a point along a natural path.
    async fn go(&mut self, to: Point) -> Result<()> {
        let began = Instant::now();
        let mut last = None;
        for waypoint in self.mouse.dragging_way(to) {
            sleep_until(began + waypoint.at).await;
            match &self.data {
                Some(_) => self.carry_over(waypoint.point).await?,
                None if waypoint.at.is_zero() => self.mouse.step_to(waypoint.point).await?,
                None => last = Some(self.mouse.send_move(waypoint.point)),
            }
        }
        match last {
            Some(journey) => journey.delivered().await,
            None => Ok(()),
        }
    }

    /// Moves the pointer to a point in one step.
    async fn step(&mut self, to: Point) -> Result<()> {
        match &self.data {
            Some(_) => self.carry_over(to).await,
            None => self.mouse.step_to(to).await,
        }
    }

    async fn carry_over(&mut self, to: Point) -> Result<()> {
        let Some(data) = self.data.clone() else { return Ok(()) };
        let kind = if self.has_entered { "dragOver" } else { "dragEnter" };
        self.has_entered = true;
        self.mouse.place(to);
        self.page.session().call(drag_event(kind, to, data)).await.map(drop)
    }

    /// Moves the pointer by this offset, and waits until the page has drawn two frames.
    async fn fidget(&mut self, (x, y): (f64, f64)) -> Result<()> {
        let at = self.at();
        self.step(Point::new(at.x + x, at.y + y)).await?;
        self.mouse.rest(BETWEEN_FIDGETS_MS).await;
        self.page.until_drawn(2).await;
        Ok(())
    }

    /// Holds at the edge of a scrolling area until the target is visible. Returns the state of the target.
    async fn scroll_to(&mut self, target: &ElementHandle, position: Option<Point>) -> Result<TargetState> {
        let mut in_vain = 0;
        let mut last = None;
        let mut is_at_edge = false;
        for look in 0..MOST_LOOKS {
            let glance = if is_at_edge { TargetCheck::WELL_INSIDE } else { TargetCheck::AT_ONCE };
            let sight = target.sight(position, glance).await?.ok_or_else(|| target.stale())?;
            let Some(edge) = sight.edge else {
                if !is_at_edge {
                    return Ok(sight);
                }
                self.leave_edge(sight.point).await?;
                is_at_edge = false;
                continue;
            };
            if edge.distance(self.at()) > NEAR {
                if is_at_edge {
                    self.leave_edge(edge).await?;
                }
                self.go(near(edge, self.at())).await?;
                self.step(edge).await?;
            }
            is_at_edge = true;
            in_vain = if last == Some(sight.point) { in_vain + 1 } else { 0 };
            last = Some(sight.point);
            if in_vain > LOOKS_IN_VAIN {
                let options = ActionOptions { position, ..ActionOptions::default() };
                target.wait_until_actionable(RequiredState::VISIBLE, &options).await?;
                in_vain = 0;
            }
            // An area scrolls on only while the pointer keeps moving at the edge.
            let aside = if look % 2 == 0 { 1.0 } else { -1.0 };
            self.step(Point::new(edge.x + aside, edge.y)).await?;
            self.page.until_drawn(1).await;
        }
        target.sight(position, TargetCheck::AT_REST).await?.ok_or_else(|| target.stale())
    }

    /// Leaves the edge of a scrolling area in one move, since each move there scrolls further.
    async fn leave_edge(&mut self, towards: Point) -> Result<()> {
        self.step(near(self.at(), towards)).await?;
        self.page.until_drawn(1).await;
        Ok(())
    }

    /// Dispatches the drop of a native drag. For other drags, only pauses: `carry` releases the button.
    async fn drop_it(&mut self) -> Result<()> {
        self.mouse.rest(RELEASE_MS).await;
        let Some(data) = self.data.clone() else { return Ok(()) };
        let at = self.at();
        for kind in ["dragOver", "drop"] {
            self.page.session().call(drag_event(kind, at, data.clone())).await?;
        }
        // The drop event replaces the mouseup event, so only the button state is cleared here.
        self.mouse.forget(Button::Left);
        Ok(())
    }
}

impl Page {
    /// Drags from one point of the viewport to another in `steps` moves. Default: along a natural path.
    pub async fn drag(&self, from: Point, to: Point, steps: Option<u32>) -> Result<()> {
        let _turn = self.input().take_turn().await;
        let mouse = self.input().mouse();
        if !self.context().browser()?.protocol().supports_native_drags() {
            let world = self.main_frame().utility_world().await?;
            if world.call("isDraggableAt", &[from.x.into(), from.y.into()]).await? {
                return Err(undroppable());
            }
        }
        let frames = self.frames();
        let worlds = join_all(frames.iter().map(Frame::utility_world)).await;
        // A frame without a document has nothing to drag.
        let worlds: Vec<_> = worlds.into_iter().filter_map(Result::ok).collect();
        self.carry(from, Some(to), &mouse, &worlds, false, async |hand| {
            match steps {
                Some(steps) if hand.data.is_none() => mouse.move_in_steps(to, steps).await?,
                _ => hand.go(to).await?,
            }
            for aside in FIDGETS {
                hand.fidget(aside).await?;
            }
            Ok(())
        })
        .await
    }

    /// Presses at `from`, moves towards another point, and releases where `work` has moved the pointer.
    /// `worlds` are those of the frames in which a native drag could begin.
    async fn carry(
        &self,
        from: Point,
        towards: Option<Point>,
        mouse: &Mouse,
        worlds: &[UtilityWorld],
        long_press: bool,
        work: impl AsyncFnOnce(&mut DragPointer<'_>) -> Result<()>,
    ) -> Result<()> {
        let session = self.session();
        let hands_over = self.context().browser()?.protocol().supports_native_drags();
        // The browser passes the drag to us instead of to the desktop, which would wait for a real mouse.
        let mut intercepted = session.events(&[DragIntercepted::METHOD]);
        if hands_over {
            session.call(SetInterceptDrags { enabled: true }).await?;
        }
        let carried = async {
            join_all(worlds.iter().map(|world| world.call::<()>("watchDrag", &[]))).await;
            press(from, mouse, long_press).await?;
            if let Some(towards) = towards {
                set_out(from, towards, mouse).await?;
            }
            let data = picked_up(worlds, &mut intercepted).await;
            let mut hand = DragPointer { mouse, page: self, data, has_entered: false };
            hand.page.until_drawn(2).await;
            self.fail_on_dialog(work(&mut hand)).await?;
            hand.drop_it().await
        };
        let carried = carried.await;
        let released = if mouse.is_down(Button::Left) { mouse.up(Button::Left, 1).await } else { Ok(()) };
        if hands_over {
            session.call(SetInterceptDrags { enabled: false }).await?;
        }
        carried.and(released)
    }
}

/// Returns the nearest point on the line from `edge` to `other` at which the area does not scroll.
fn near(edge: Point, other: Point) -> Point {
    let far = edge.distance(other).max(OUT_OF_EDGE);
    edge.towards(other, OUT_OF_EDGE / far).rounded()
}

/// Returns the error for a native drag over a browser protocol that does not support native drags.
fn undroppable() -> Error {
    missing_features::DRAG_AND_DROP.into()
}

async fn press(at: Point, mouse: &Mouse, long: bool) -> Result<()> {
    if mouse.position() != at {
        mouse.move_to(at).await?;
    }
    mouse.down(Button::Left, 1).await?;
    if long {
        sleep(LONG_PRESS).await;
    }
    mouse.rest(PRESS_MS).await;
    Ok(())
}

/// Makes the first moves towards the target, but not beyond it.
async fn set_out(from: Point, towards: Point, mouse: &Mouse) -> Result<()> {
    let distance = from.distance(towards);
    let far = FIRST_MOVES.into_iter().take_while(|far| *far < distance);
    for far in far {
        mouse.step_to(from.towards(towards, far / distance).rounded()).await?;
        mouse.rest(BETWEEN_FIRST_MS).await;
    }
    Ok(())
}

/// Waits for the drag data of a native drag; `None` if the page did not start one.
async fn picked_up(worlds: &[UtilityWorld], intercepted: &mut Events) -> Option<DragData> {
    let dragged = join_all(worlds.iter().map(|world| world.call::<bool>("hasDragged", &[]))).await;
    if !dragged.iter().any(|dragged| matches!(dragged, Ok(true))) {
        return None;
    }
    let event = timeout(DRAG_LIMIT, intercepted.next()).await.ok().flatten();
    event.and_then(|event| event.read::<DragIntercepted>()).map(|event| event.data)
}

pub(super) fn drag_event(kind: &'static str, at: Point, data: DragData) -> DispatchDragEvent {
    DispatchDragEvent { kind, x: at.x, y: at.y, data, ..DispatchDragEvent::default() }
}
