//! Waits until an element is actionable, by repeating the checks in `injected/probe.js`.
use std::time::Duration;

use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::sync::OwnedMutexGuard;
use tokio::time::{Instant, sleep, timeout};

use super::element::ElementHandle;
use super::hearing::Listeners;
use super::noted::{PerformedInput, PerformedInputs};
use crate::browser::injected::parse_obstacle;
use crate::browser::input::{
    ClickOptions, Input, InputListeners, InputStyle, PendingMovement, Point, Randomness, Rect,
};
use crate::browser::objects::frame::Frame;
use crate::browser::objects::network::NetworkLog;
use crate::browser::objects::page::Page;
use crate::browser::objects::world::value_argument;
use crate::error::{CoveringElement, Error, Obstacle, Result};

/// The default time limit of an action.
pub const ACTION_LIMIT: Duration = Duration::from_secs(5);

/// Options of an action on an element.
#[derive(Debug, Clone)]
pub struct ActionOptions {
    /// How long to wait until the element is actionable.
    pub limit: Duration,
    /// Skips the actionability checks.
    pub force: bool,
    /// Where to press, relative to the top left corner of the padding box.
    pub position: Option<Point>,
    /// Whether input is human-like, instant or bare. Default: as set for the page.
    pub style: Option<InputStyle>,
    /// The number of pointer moves, in a straight line to the element. Default: the input style decides.
    pub steps: Option<u32>,
    /// Fails at once if nothing in progress could make the element actionable, instead of waiting for the limit.
    pub refuses: bool,
    /// Does not scroll the page.
    pub keeps_scroll: bool,
    /// Where to record the pointer actions.
    pub noted: Option<PerformedInputs>,
}

impl Default for ActionOptions {
    fn default() -> Self {
        Self {
            limit: ACTION_LIMIT,
            force: false,
            position: None,
            style: None,
            steps: None,
            refuses: false,
            keeps_scroll: false,
            noted: None,
        }
    }
}

impl ActionOptions {
    /// Returns the default options with this limit.
    pub fn within(limit: Duration) -> Self {
        Self { limit, ..Self::default() }
    }

    /// Sets `refuses`: fails at once if nothing in progress could make the element actionable.
    #[must_use]
    pub fn fail_early(self) -> Self {
        Self { refuses: true, ..self }
    }

    /// Records a pointer action, if `noted` is set.
    pub(super) fn note(&self, done: PerformedInput) {
        if let Some(noted) = &self.noted {
            noted.add(done);
        }
    }
}

/// The requirements of an action on its element.
#[expect(clippy::struct_excessive_bools, reason = "nine questions, each asked by itself")]
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub(in crate::browser) struct RequiredState {
    pub(in crate::browser) visible: bool,
    pub(in crate::browser) enabled: bool,
    pub(in crate::browser) editable: bool,
    /// Stable: at the same position for two animation frames.
    pub(in crate::browser) stable: bool,
    /// The next check requires `stable`, so this check already records the position to compare with.
    pub(in crate::browser) soon_stable: bool,
    /// A press at the target point must hit the element: nothing may cover the element there.
    pub(in crate::browser) hit: bool,
    /// The label may be pressed instead, if the control itself is not visible.
    pub(in crate::browser) label: bool,
    /// The element may disappear when the pointer arrives, since hovering was the whole action.
    #[serde(skip)]
    pub(in crate::browser) passing: bool,
    /// Verifies that the press becomes this number of clicks, see `press_watched`. `None`: not verified.
    #[serde(skip)]
    pub(in crate::browser) watched: Option<u32>,
}

impl RequiredState {
    /// Requirements for screenshots and scrolling.
    pub(in crate::browser) const VISIBLE: Self = Self {
        visible: true,
        enabled: false,
        editable: false,
        stable: false,
        soon_stable: false,
        hit: false,
        label: false,
        passing: false,
        watched: None,
    };
    /// Requirements for hovering.
    pub(in crate::browser) const HOVERABLE: Self =
        Self { stable: true, hit: true, passing: true, ..Self::VISIBLE };
    /// Requirements for pressing.
    pub(in crate::browser) const CLICKABLE: Self = Self { enabled: true, passing: false, ..Self::HOVERABLE };
    /// Requirements for choosing options.
    pub(in crate::browser) const ENABLED: Self = Self { enabled: true, ..Self::VISIBLE };

    /// Returns the requirements of a forced action: only a position.
    pub(in crate::browser) fn forced(self) -> Self {
        Self { label: self.label, ..Self::default() }
    }
}

/// The result of one check: the point to act on, or an obstacle.
#[derive(Debug, Clone)]
pub(in crate::browser) enum CheckOutcome {
    Clear(Clear),
    Blocked(Obstacle),
}

/// An actionable element: its visible box and the point to press, in the viewport of its frame or of the page.
#[derive(Debug, Clone, Copy)]
pub(in crate::browser) struct Clear {
    pub(in crate::browser) seen: Rect,
    pub(in crate::browser) point: Point,
    /// The point in the viewport of the element's own frame.
    pub(in crate::browser) inner: Point,
}

/// The result of `probe` in `probe.js`: an obstacle, or the visible box and the point to press.
#[derive(Debug, Deserialize)]
pub(in crate::browser) struct Answer {
    blocked: Option<String>,
    by: Option<CoveringElement>,
    clear: Option<Rect>,
    point: Option<Point>,
}

impl Answer {
    /// Converts the result. A result with neither an obstacle nor a point counts as `Obstacle::Silent`.
    pub(in crate::browser) fn read(self, element: &ElementHandle) -> Result<CheckOutcome> {
        Ok(match (self.obstacle(element)?, self.clear, self.point) {
            (Some(by), ..) => CheckOutcome::Blocked(by),
            (None, Some(seen), Some(point)) => CheckOutcome::Clear(Clear { seen, point, inner: point }),
            (None, ..) => CheckOutcome::Blocked(Obstacle::Silent),
        })
    }

    /// Returns the obstacle, if any. Fails with `StaleRef` if the element is gone.
    pub(in crate::browser) fn obstacle(&self, element: &ElementHandle) -> Result<Option<Obstacle>> {
        let Some(blocked) = &self.blocked else { return Ok(None) };
        parse_obstacle(blocked, self.by.clone()).map(Some).ok_or_else(|| element.stale())
    }
}

/// The pauses between checks, in milliseconds: short at first, since most obstacles disappear during loading.
const PAUSES_MS: [u64; 6] = [0, 10, 25, 50, 100, 100];
const LONGEST_PAUSE: Duration = Duration::from_millis(250);

fn pauses() -> impl Iterator<Item = Duration> {
    PAUSES_MS.into_iter().map(Duration::from_millis).chain(std::iter::repeat(LONGEST_PAUSE))
}

/// Sleeps for `pause`. Returns at once for zero, since the timer would round up to a millisecond.
async fn rest(pause: Duration) {
    if !pause.is_zero() {
        sleep(pause).await;
    }
}

/// Sleeps for `pause`, but not beyond `deadline`.
pub(in crate::browser) async fn rest_before(deadline: Instant, pause: Duration) {
    rest(pause.min(deadline.saturating_duration_since(Instant::now()))).await;
}

/// The minimum number of checks, each with another scroll alignment, before `ActionOptions::refuses` applies.
pub(super) const FEWEST_LOOKS: u32 = 3;

/// How long an idle page may take to enable a control or make it editable, such as after typing.
const ENABLING: Duration = Duration::from_secs(1);

/// How long to wait, even on an idle page, for an obstacle to disappear.
fn patience_with(obstacle: &Obstacle) -> Duration {
    if matches!(obstacle, Obstacle::Disabled | Obstacle::ReadOnly) { ENABLING } else { Duration::ZERO }
}

/// How long to try to reach an element with the pointer, if the action also works without the pointer.
const SOON: Duration = Duration::from_secs(1);

/// How long to wait until a moving element stops, before pressing it anyway. Not with a shorter time limit.
const CATCHING: Duration = Duration::from_secs(4);
/// The largest share of the time limit for `CATCHING`: a slow machine needs the rest to reach the element.
const CATCHING_SHARE: f64 = 0.6;

/// The number of the last attempt that scrolls with the wheel. Later attempts scroll by script.
const LAST_WHEEL: u32 = 3;

impl ElementHandle {
    /// Returns the page's input devices with the requested input style.
    pub(in crate::browser) fn input(&self, options: &ActionOptions) -> Result<Input> {
        let page = self.frame().page()?;
        page.acts();
        let input = page.input();
        Ok(input.with_style(options.style.unwrap_or(input.style())))
    }

    /// Calls `look` with the attempt number until there is no obstacle, or fails at the time limit.
    pub(in crate::browser) async fn until_clear<T, Looking: Future<Output = Result<Attempt<T>>>>(
        &self,
        options: &ActionOptions,
        mut look: impl FnMut(u32) -> Looking,
    ) -> Result<T> {
        let limit = options.limit;
        let mut obstacle = Obstacle::Silent;
        let page = self.frame().page()?;
        let begun = Instant::now();
        let deadline = begun + limit;
        let search = async {
            for (attempt, pause) in (0..).zip(pauses()) {
                rest(pause).await;
                page.run_locator_handlers(limit, deadline).await?;
                match look(attempt).await? {
                    Attempt::Done(found) => return Ok(found),
                    Attempt::Blocked(by) => obstacle = by,
                }
                let is_final = options.refuses && obstacle.stays();
                let is_due = attempt >= FEWEST_LOOKS && begun.elapsed() >= patience_with(&obstacle);
                if is_final && self.is_calm(&page).await && is_due {
                    return Err(Error::NotActionable { obstacle: obstacle.clone(), waited: begun.elapsed() });
                }
            }
            Err(Error::Cancelled)
        };
        let outcome = tokio::select! {
            biased;
            outcome = timeout(limit, search) => outcome,
            // A page with an open dialog does not answer.
            dialog = page.until(Page::blocking_dialog) => Ok(dialog.and_then(|dialog| {
                Err(Error::DialogOpen { kind: dialog.kind, message: dialog.message })
            })),
        };
        outcome.unwrap_or(Err(Error::NotActionable { obstacle, waited: limit }))
    }

    /// Whether nothing loads, moves or has just changed in the main document and in the element's own.
    pub(crate) async fn is_calm(&self, page: &Page) -> bool {
        let main = page.main_frame();
        if page.with_network(NetworkLog::is_waiting) || !is_calm(self.frame()).await {
            return false;
        }
        self.frame().number() == main.number() || is_calm(main).await
    }

    /// Waits until the element has the required states, without scrolling or pointing at it.
    pub(in crate::browser) async fn until_ready(
        &self,
        need: RequiredState,
        options: &ActionOptions,
    ) -> Result<()> {
        if options.force {
            return Ok(());
        }
        let need = RequiredState { stable: false, hit: false, ..need };
        self.until_clear(options, |_| async move {
            Ok(match self.look(need, &CheckOptions::default()).await? {
                CheckOutcome::Clear(_) | CheckOutcome::Blocked(Obstacle::OutsideViewport) => {
                    Attempt::Done(())
                }
                CheckOutcome::Blocked(by) => Attempt::Blocked(by),
            })
        })
        .await
    }

    /// Waits until the element is actionable and points at it. Without `hit`, an instant pointer moves later.
    pub(in crate::browser) async fn approach(
        &self,
        need: RequiredState,
        options: &ActionOptions,
    ) -> Result<PointerTarget> {
        if options.force {
            let approached = self.approach_once(need.forced(), options, 0).await?;
            return match approached {
                Attempt::Done(reached) => Ok(reached),
                Attempt::Blocked(obstacle) => Err(Error::NotActionable { obstacle, waited: Duration::ZERO }),
            };
        }
        let begun = Instant::now();
        let catches = options.limit >= CATCHING;
        let catching = CATCHING.min(options.limit.mul_f64(CATCHING_SHARE));
        self.until_clear(options, |attempt| async move {
            match self.approach_once(need, options, attempt).await? {
                Attempt::Blocked(Obstacle::Moving) if catches && begun.elapsed() >= catching => {
                    let input = self.input(options)?;
                    let turn = input.take_turn().await;
                    let need = RequiredState { stable: false, ..need };
                    self.reach_at_once(need, &input, turn, options, attempt).await
                }
                approached => Ok(approached),
            }
        })
        .await
    }

    /// Like [`approach`](Self::approach), for actions that also work without the pointer. Returns `None` if
    /// the element is not actionable within `SOON`.
    pub(in crate::browser) async fn try_approach(
        &self,
        need: RequiredState,
        options: &ActionOptions,
    ) -> Result<Option<PointerTarget>> {
        let soon = ActionOptions { limit: options.limit.min(SOON), ..options.clone() };
        match self.approach(need, &soon).await {
            Err(Error::NotActionable { .. }) => Ok(None),
            reached => reached.map(Some),
        }
    }

    async fn approach_once(
        &self,
        need: RequiredState,
        options: &ActionOptions,
        attempt: u32,
    ) -> Result<Attempt<PointerTarget>> {
        let input = self.input(options)?;
        let turn = input.take_turn().await;
        if input.style() == InputStyle::Natural && options.steps.is_none() {
            return self.approach_naturally(need, &input, turn, options, attempt).await;
        }
        self.reach_at_once(need, &input, turn, options, attempt).await
    }

    /// Moves the pointer straight to the element, and checks again whether a press there hits the element.
    async fn reach_at_once(
        &self,
        need: RequiredState,
        input: &Input,
        turn: OwnedMutexGuard<()>,
        options: &ActionOptions,
        attempt: u32,
    ) -> Result<Attempt<PointerTarget>> {
        let scroll = (!options.keeps_scroll).then_some(attempt);
        let aim = CheckOptions { scroll, at: None, position: options.position };
        Ok(match self.check_in_page(need, &aim).await? {
            CheckOutcome::Blocked(by) => Attempt::Blocked(by),
            CheckOutcome::Clear(Clear { point, inner, .. }) => {
                let journey = match options.steps.or(need.hit.then_some(1)) {
                    Some(steps) => Some(input.mouse().go_in_steps(point, steps).await?),
                    None => None,
                };
                let answered = self.begin_watching(need).await?;
                // An element that has appeared under the pointer would receive the press instead.
                if need.hit
                    && let Some(by) = self.new_obstacle_at(need, inner).await?
                {
                    return Ok(Attempt::Blocked(by));
                }
                Attempt::Done(PointerTarget { point, journey, listened: InputListeners::ALL, turn, answered })
            }
        })
    }

    /// Moves the pointer along a natural path: checks the element, moves, and checks again before the press.
    async fn approach_naturally(
        &self,
        need: RequiredState,
        input: &Input,
        turn: OwnedMutexGuard<()>,
        options: &ActionOptions,
        attempt: u32,
    ) -> Result<Attempt<PointerTarget>> {
        // Elements that the wheel cannot bring into view are scrolled by script.
        let stays = options.keeps_scroll;
        let wheeled = !stays && attempt <= LAST_WHEEL && self.wheel_into_view(options, attempt).await?;
        let scroll = ((!wheeled || options.position.is_some()) && !stays).then_some(attempt);
        let aim =
            CheckOptions { scroll, at: Some(off_centre(input.randomness())), position: options.position };
        let standing = RequiredState { stable: false, soon_stable: need.stable, ..need };
        let (found, listeners) =
            tokio::join!(self.check_in_page(standing, &aim), Listeners::in_document_of(self));
        let mut found = match found? {
            CheckOutcome::Blocked(by) => return Ok(Attempt::Blocked(by)),
            CheckOutcome::Clear(clear) => clear,
        };
        let way = input.mouse().sampled_path(found.point);
        let mut listened = match listeners {
            Ok(listeners) => {
                let places = [&[input.mouse().position()], &way[..]].concat();
                self.listened_on_way(&listeners, &places).await.unwrap_or(InputListeners::ALL)
            }
            Err(_) => InputListeners::ALL,
        };
        // The element must not move while the pointer moves to it.
        let still = CheckOptions { scroll: None, ..aim };
        let (mouse, page) = (input.with_listeners(listened).mouse(), self.frame().page()?);
        let go = async {
            match listened.moves {
                true => Box::pin(mouse.go_to_seen(found.point, || page.until_drawn(1))).await,
                false => mouse.send_moves(&way).shown().await,
            }
        };
        let (mut journey, second) = tokio::join!(go, async {
            if need.stable { self.check_in_page(need, &still).await } else { Ok(CheckOutcome::Clear(found)) }
        });
        let second = match second? {
            CheckOutcome::Blocked(Obstacle::Hidden | Obstacle::Missing) if need.passing => {
                return Ok(Attempt::Done(PointerTarget {
                    point: found.point,
                    journey: Some(journey),
                    listened,
                    turn,
                    answered: None,
                }));
            }
            CheckOutcome::Blocked(by) => return Ok(Attempt::Blocked(by)),
            CheckOutcome::Clear(clear) => clear,
        };
        if !second.seen.contains(found.point) {
            found = second;
            // The listeners on the path to the new point are unknown.
            listened = InputListeners::ALL;
            journey = input.mouse().go_to(found.point).await;
        }
        let answered = self.begin_watching(need).await?;
        if need.hit
            && let Some(by) = self.new_obstacle_at(need, found.inner).await?
        {
            return Ok(Attempt::Blocked(by));
        }
        Ok(Attempt::Done(PointerTarget {
            point: found.point,
            journey: Some(journey),
            listened,
            turn,
            answered,
        }))
    }

    /// Starts to record the press, if it will be verified. The page handles this call before all later ones.
    async fn begin_watching(&self, need: RequiredState) -> Result<Option<PressAnswer>> {
        let Some(clicks) = need.watched.filter(|_| need.hit) else { return Ok(None) };
        Ok(Some(self.begin_ask("pressed", vec![value_argument(&(clicks > 1))]).await?))
    }

    /// Returns the obstacle that has appeared at this point of the element's own frame, if any.
    async fn new_obstacle_at(&self, need: RequiredState, point: Point) -> Result<Option<Obstacle>> {
        Ok(match self.confirm(need, point).await? {
            CheckOutcome::Blocked(by) if !(need.passing && self.is_out_of_sight().await?) => Some(by),
            _ => None,
        })
    }

    async fn is_out_of_sight(&self) -> Result<bool> {
        let seen = RequiredState { stable: false, hit: false, ..RequiredState::VISIBLE };
        Ok(matches!(
            self.look(seen, &CheckOptions::default()).await?,
            CheckOutcome::Blocked(Obstacle::Hidden | Obstacle::Missing)
        ))
    }

    /// Checks the element once. The resulting point is in the viewport of the element's own frame.
    async fn look(&self, need: RequiredState, aim: &CheckOptions) -> Result<CheckOutcome> {
        let options = json!({ "need": need, "scroll": aim.scroll, "at": aim.at, "position": aim.position });
        self.ask::<Answer>("probe", vec![value_argument(&options)]).await?.read(self)
    }

    /// Checks the element and all frames around it once. The resulting point is in the page's viewport.
    pub(in crate::browser) async fn check_in_page(
        &self,
        need: RequiredState,
        aim: &CheckOptions,
    ) -> Result<CheckOutcome> {
        match self.look(need, aim).await? {
            CheckOutcome::Blocked(by) => Ok(CheckOutcome::Blocked(by)),
            CheckOutcome::Clear(Clear { seen, inner, .. }) => {
                Ok(match self.to_page(inner, need.hit, aim.scroll).await? {
                    CheckOutcome::Blocked(by) => CheckOutcome::Blocked(by),
                    CheckOutcome::Clear(Clear { point, .. }) => {
                        let seen =
                            Rect { x: seen.x + point.x - inner.x, y: seen.y + point.y - inner.y, ..seen };
                        CheckOutcome::Clear(Clear { seen, point, inner })
                    }
                })
            }
        }
    }

    /// Checks whether a press at this point of the element's own frame still hits the element.
    async fn confirm(&self, need: RequiredState, point: Point) -> Result<CheckOutcome> {
        self.ask::<Answer>("confirm", vec![value_argument(&point), value_argument(&need)]).await?.read(self)
    }

    /// Converts a point from the element's frame to the page. If `hit`, a press there must reach the frame.
    pub(in crate::browser) async fn to_page(
        &self,
        point: Point,
        hit: bool,
        scroll: Option<u32>,
    ) -> Result<CheckOutcome> {
        let mut clear = Clear { seen: Rect::default(), point, inner: point };
        for owner in self.frame().owners().await? {
            let options = json!({ "hit": hit, "scroll": scroll });
            let answer = owner
                .ask::<Answer>("probeOwner", vec![value_argument(&clear.point), value_argument(&options)])
                .await?;
            match answer.read(&owner)? {
                CheckOutcome::Blocked(by) => return Ok(CheckOutcome::Blocked(by)),
                CheckOutcome::Clear(next) => clear = next,
            }
        }
        if self.frame().parent().is_some() {
            clear.point = clear.point.rounded();
        }
        Ok(CheckOutcome::Clear(clear))
    }

    /// Converts a point from the viewport of the element's frame to the page's, with subpixel precision.
    pub(in crate::browser) async fn to_page_exactly(&self, mut point: Point) -> Result<Point> {
        for owner in self.frame().owners().await? {
            point = owner.ask("fromFrame", vec![value_argument(&point)]).await?;
        }
        Ok(point)
    }
}

async fn is_calm(frame: &Frame) -> bool {
    let Ok(world) = frame.utility_world().await else { return false };
    world.call::<bool>("isCalm", &[]).await.unwrap_or(false)
}

impl Page {
    /// Waits for this number of animation frames, each up to a timeout, since hidden pages draw none.
    pub(super) async fn until_drawn(&self, frames: u32) {
        if let Ok(world) = self.main_frame().utility_world().await {
            let _ = world.call::<()>("frames", &[frames.into()]).await;
        }
    }
}

impl Frame {
    /// Returns the elements that embed this frame and its ancestors, innermost first.
    pub(in crate::browser) async fn owners(&self) -> Result<Vec<ElementHandle>> {
        let mut owners = Vec::new();
        let mut frame = self.clone();
        while let Some((world, handle)) = frame.owner_element().await? {
            frame = world.frame().clone();
            owners.push(ElementHandle::new(world, handle));
        }
        Ok(owners)
    }
}

/// A future that resolves to whether the recorded press has become a click, or double click, on its element.
pub(super) type PressAnswer = BoxFuture<'static, Result<bool>>;

/// The point to press for an actionable element, in the page's viewport.
pub(in crate::browser) struct PointerTarget {
    pub(in crate::browser) point: Point,
    /// The pointer's movement to the point; `None` if it has not moved yet.
    journey: Option<PendingMovement>,
    /// The input events that the page listens to at the point.
    listened: InputListeners,
    /// The guard that prevents other presses while the pointer is at the point.
    turn: OwnedMutexGuard<()>,
    /// Whether the recorded press has become a click; `None` if the press is not verified.
    pub(super) answered: Option<PressAnswer>,
}

impl PointerTarget {
    /// Moves the pointer to the point if needed, and waits until the page has received the event.
    pub(in crate::browser) async fn point_at(self, input: &Input) -> Result<()> {
        match self.journey {
            Some(journey) => journey.delivered().await,
            None => input.mouse().move_to(self.point).await,
        }
    }

    /// Clicks at the point.
    pub(in crate::browser) async fn press(self, input: &Input, click: &ClickOptions) -> Result<()> {
        self.press_in_turn(input, click).await.map(drop)
    }

    /// Clicks at the point. Other clicks on the page wait until the returned guard is dropped.
    pub(in crate::browser) async fn press_in_turn(
        self,
        input: &Input,
        click: &ClickOptions,
    ) -> Result<OwnedMutexGuard<()>> {
        let input = input.with_listeners(self.listened);
        match self.journey {
            Some(_) if input.mouse().position() == self.point => input.mouse().click_at_pointer(click).await,
            // The pointer has not moved yet, or another action has moved it since.
            _ => input.mouse().click(self.point, click).await,
        }?;
        Ok(self.turn)
    }
}

/// The result of one attempt at an action.
#[derive(Debug)]
pub(in crate::browser) enum Attempt<T> {
    Done(T),
    Blocked(Obstacle),
}

/// Options of one actionability check.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::browser) struct CheckOptions {
    /// The attempt number: scrolls into view first, each time with another alignment. `None`: no scrolling.
    pub(in crate::browser) scroll: Option<u32>,
    /// The preferred point, as fractions of the element's visible box.
    pub(in crate::browser) at: Option<(f64, f64)>,
    /// The required point, relative to the top left corner of the padding box.
    pub(in crate::browser) position: Option<Point>,
}

/// Returns a random point near the centre of the box, as fractions: people rarely click the exact centre.
fn off_centre(randomness: &Randomness) -> (f64, f64) {
    let aside = || {
        let offset = 0.06 + 0.14 * randomness.unit() * randomness.unit();
        if randomness.unit() < 0.5 { 0.5 - offset } else { 0.5 + offset }
    };
    (aside(), aside())
}
