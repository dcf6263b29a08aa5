//! Scrolling: with the wheel as a person does, or by script where the wheel has no effect.
use std::time::Duration;

use serde::Deserialize;
use serde_json::json;
use tokio::time::{Instant, sleep};

use super::element::ElementHandle;
use crate::browser::input::{Point, Rect};
use crate::browser::objects::frame::Frame;
use crate::browser::objects::journal::JournalMark;
use crate::browser::objects::page::Page;
use crate::browser::objects::world::{RemoteHandle, UtilityWorld, value_argument};
use crate::error::{Error, Result};

/// The longest distance that is scrolled with the wheel, in pixels.
const FARTHEST_TURN: f64 = 12_000.0;
/// The interval between checks of a scroll.
const PAUSE: Duration = Duration::from_millis(20);
/// How long a scroll may take to start.
const BEGIN_LIMIT: Duration = Duration::from_millis(250);
/// How long a scroll may take to end.
const REST_LIMIT: Duration = Duration::from_secs(3);
/// How long an area may take to grow after its end was reached.
const MORE_LIMIT: Duration = Duration::from_millis(800);
/// How long an area may take to grow after the page's last pending request has ended.
const ANSWER_LIMIT: Duration = Duration::from_millis(400);
/// The interval between checks for growth.
pub(in crate::browser) const MORE_PAUSE: Duration = Duration::from_millis(80);
/// How long to wait for requests for more content, since some pages never stop.
const REQUESTS_LIMIT: Duration = Duration::from_secs(5);
/// The number of consecutive checks without movement after which a scroll has ended.
const STILL_LOOKS: u32 = 3;

/// The direction of scrolling.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Axis {
    X,
    Y,
}

/// A scrolling area: the page itself, or an element.
#[derive(Debug, Clone)]
pub struct ScrollArea {
    page: Page,
    element: ElementHandle,
    axis: Axis,
}

/// The scroll position of an area in CSS pixels.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ScrollPosition {
    pub at: f64,
    /// The largest possible scroll position.
    pub most: f64,
    /// The visible length of the area along the axis.
    pub room: f64,
    pub is_page: bool,
    /// The point where the wheel has an effect, in the viewport of its frame.
    point: Option<(f64, f64)>,
}

impl Axis {
    fn name(self) -> &'static str {
        match self {
            Self::X => "x",
            Self::Y => "y",
        }
    }
}

impl Page {
    /// Returns the scrolling area at an element or, without one, of the page. `None` if nothing scrolls.
    pub async fn scroll_area(&self, at: Option<&ElementHandle>, axis: Axis) -> Result<Option<ScrollArea>> {
        let world = match at {
            Some(element) => element.world().clone(),
            None => self.main_frame().utility_world().await?,
        };
        let node = at.map_or_else(|| value_argument(&json!(null)), |element| element.handle().argument());
        let found = world.call_handle("scrollerOf", vec![node, value_argument(&axis.name())]).await?;
        Ok(found.map(|handle| ScrollArea::new(self, world, handle, axis)))
    }
}

impl Page {
    /// Scrolls an area to its end, and continues as long as it grows, at most `most_times`. Returns how often
    /// it grew. Waits for earlier requests, too: a list may still be empty while it loads.
    pub async fn scroll_while_growing(
        &self,
        at: Option<&ElementHandle>,
        most_times: Option<u32>,
    ) -> Result<u32> {
        let Some(scroller) = self.coming_scroller(at).await? else { return Ok(0) };
        let (mut grown, mut mark) = (0, JournalMark::BEGINNING);
        loop {
            let (_, now) = scroller.scroll_to_end(true).await?;
            if most_times == Some(grown) || !scroller.wait_for_growth(now, mark).await? {
                return Ok(grown);
            }
            grown += 1;
            mark = self.mark();
        }
    }

    async fn coming_scroller(&self, at: Option<&ElementHandle>) -> Result<Option<ScrollArea>> {
        let mut growth = Growth::begin(self, JournalMark::BEGINNING);
        loop {
            growth.look();
            let found = self.scroll_area(at, Axis::Y).await?;
            if found.is_some() || growth.is_over() {
                return Ok(found);
            }
            sleep(MORE_PAUSE).await;
        }
    }
}

/// Tracks whether an area may still grow.
pub(in crate::browser) struct Growth<'a> {
    page: &'a Page,
    since: JournalMark,
    begun: Instant,
    is_busy: bool,
    answered: Option<Instant>,
}

impl<'a> Growth<'a> {
    pub(in crate::browser) fn begin(page: &'a Page, since: JournalMark) -> Self {
        Self { page, since, begun: Instant::now(), is_busy: false, answered: None }
    }

    /// Records whether requests are in progress. Call this before checking whether the area has grown.
    pub(in crate::browser) fn look(&mut self) {
        self.is_busy = self.page.effects_since(self.since).requests > 0;
        if self.is_busy {
            self.answered = Some(Instant::now());
        }
    }

    /// Whether the area is no longer expected to grow. It may grow a moment after a response.
    pub(in crate::browser) fn is_over(&self) -> bool {
        let waited = self.begun.elapsed();
        let is_at_rest = waited >= MORE_LIMIT && self.answered.is_none_or(|at| at.elapsed() >= ANSWER_LIMIT);
        waited >= REQUESTS_LIMIT || !self.is_busy && is_at_rest
    }
}

impl ScrollArea {
    fn new(page: &Page, world: UtilityWorld, handle: RemoteHandle, axis: Axis) -> Self {
        Self { page: page.clone(), element: ElementHandle::new(world, handle), axis }
    }

    /// Returns the frame that contains the area.
    pub fn frame(&self) -> &Frame {
        self.element.frame()
    }

    /// Returns the current scroll position.
    pub async fn scroll_position(&self) -> Result<ScrollPosition> {
        self.scrolled_before(0.0).await
    }

    /// Returns the current scroll position, with a point from which the wheel can scroll this distance.
    async fn scrolled_before(&self, distance: f64) -> Result<ScrollPosition> {
        let pointer = self.page.mouse().position();
        let offset = self.offset().await?;
        let pointer = json!([pointer.x - offset.x, pointer.y - offset.y]);
        let arguments =
            vec![value_argument(&self.axis.name()), value_argument(&pointer), value_argument(&distance)];
        let scrolled = self.element.ask::<Option<ScrollPosition>>("scrolled", arguments).await?;
        scrolled.ok_or_else(|| self.element.stale())
    }

    /// Scrolls by a distance, at most to the end, and waits until it stops. Returns the positions before and after.
    pub async fn scroll_by(&self, distance: f64) -> Result<(ScrollPosition, ScrollPosition)> {
        self.element.learn_wheel_hearers().await?;
        let before = self.scrolled_before(distance).await?;
        let wanted = (before.at + distance).clamp(0.0, before.most.max(before.at)) - before.at;
        if wanted.abs() < 1.0 {
            // At its end, an area may react to the wheel in its own way, so the wheel is not turned.
            return Ok((before, before));
        }
        let mut now = before;
        if let Some(point) = before.point.filter(|_| wanted.abs() <= FARTHEST_TURN) {
            self.turn(point, wanted).await?;
            now = self.rest(before.at).await?;
        }
        let missing = wanted - (now.at - before.at);
        // An area with scroll snapping stops at its own positions.
        let snaps = (now.at - before.at).abs() > 1.0 && missing.abs() < before.room / 2.0;
        if missing.abs() > 1.0 && !snaps {
            self.at_once(missing).await?;
            now = self.rest(now.at).await?;
        }
        Ok((before, now))
    }

    /// Scrolls to the end, or to the beginning, in one step. Returns the positions before and after.
    pub async fn scroll_to_end(&self, forwards: bool) -> Result<(ScrollPosition, ScrollPosition)> {
        const BEYOND_ALL: f64 = 1e8;
        let before = self.scroll_position().await?;
        self.at_once(if forwards { BEYOND_ALL } else { -BEYOND_ALL }).await?;
        Ok((before, self.rest(before.at).await?))
    }

    /// Whether the area grows shortly after its end was reached, or while requests since then are in progress.
    pub async fn wait_for_growth(&self, before: ScrollPosition, since: JournalMark) -> Result<bool> {
        let mut growth = Growth::begin(&self.page, since);
        loop {
            growth.look();
            let now = self.scroll_position().await?;
            if now.most > before.most + 1.0 || now.most - now.at > 2.0 {
                return Ok(true);
            }
            if growth.is_over() {
                return Ok(false);
            }
            sleep(MORE_PAUSE).await;
        }
    }

    /// Returns those ref `numbers` whose elements came into view when the area scrolled by `moved` pixels.
    pub async fn refs_scrolled_into_view(&self, moved: f64, numbers: &[u32]) -> Result<Vec<u32>> {
        let arguments =
            vec![value_argument(&self.axis.name()), value_argument(&moved), value_argument(&numbers)];
        self.element.ask("cameIntoView", arguments).await
    }

    async fn at_once(&self, distance: f64) -> Result<()> {
        let arguments = vec![value_argument(&self.axis.name()), value_argument(&distance)];
        self.element.ask("scrollAtOnce", arguments).await
    }

    async fn turn(&self, (x, y): (f64, f64), distance: f64) -> Result<()> {
        let offset = self.offset().await?;
        let mouse = self.page.mouse();
        let at = Point::new(x + offset.x, y + offset.y);
        if mouse.position().distance(at) > 1.0 {
            mouse.move_to(at).await?;
        }
        match self.axis {
            Axis::X => mouse.wheel(distance, 0.0).await,
            Axis::Y => mouse.wheel(0.0, distance).await,
        }
    }

    /// Waits until scrolling from `from` has stopped. Returns early if it does not start.
    async fn rest(&self, from: f64) -> Result<ScrollPosition> {
        let begun = Instant::now();
        let mut last = self.scroll_position().await?;
        let mut still = 0;
        loop {
            let has_begun = (last.at - from).abs() >= 1.0;
            let waited = begun.elapsed();
            if has_begun && still >= STILL_LOOKS
                || !has_begun && waited >= BEGIN_LIMIT
                || waited >= REST_LIMIT
            {
                return Ok(last);
            }
            sleep(PAUSE).await;
            let now = self.scroll_position().await?;
            still = if (now.at - last.at).abs() < 0.5 { still + 1 } else { 0 };
            last = now;
        }
    }

    /// Returns the offset of the frame's viewport in the page's viewport.
    async fn offset(&self) -> Result<Point> {
        if self.frame().parent().is_none() {
            return Ok(Point::default());
        }
        let missing =
            || Error::Unsupported { what: "scrolling", reason: "the frame is not shown".to_owned() };
        let own = self.element.ask::<Option<Rect>>("boxOf", Vec::new()).await?.ok_or_else(missing)?;
        let page = self.element.bounding_box().await?.ok_or_else(missing)?;
        Ok(Point::new(page.x - own.x, page.y - own.y))
    }
}
