//! The tool that scrolls and shows what has come into view (`browser_scroll`).
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use tokio::time::Instant;

use crate::Result;
use crate::browser::{ActionTarget, Axis, Page, ScrollArea, ScrollPosition, SnapshotTreeOptions};
use crate::error::Error;
use crate::mcp::call::Call;
use crate::mcp::describe::capture;
use crate::mcp::reply::{PageDetail, Reply};
use crate::mcp::target;
use crate::mcp::tool::{Tool, ToolEffect};
use crate::snapshot;

/// The part of the viewport by which one page of scrolling moves, so that the last lines remain visible.
const PAGE_SHARE: f64 = 0.9;
/// How many times an endless list may grow before scrolling to its end stops.
const MOST_ROUNDS: u32 = 30;
/// The time limit for scrolling to the end of an endless list.
const LONGEST: Duration = Duration::from_secs(60);

/// Scroll direction.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    #[default]
    Down,
    Up,
    Left,
    Right,
}

/// Scroll the page or a list, and show what came into view.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Scroll {
    /// Ref or selector of (or in) the scroll area.
    pub r#ref: Option<String>,
    /// Default: down.
    #[serde(default)]
    pub direction: Direction,
    /// Screenfuls. Default: 1.
    #[schemars(range(min = 0.1, max = 50))]
    pub pages: Option<f64>,
    #[schemars(range(min = 1, max = 1_000_000))]
    pub pixels: Option<f64>,
    /// Scroll until no more content loads.
    #[serde(default)]
    pub to_end: bool,
}

impl Tool for Scroll {
    const NAME: &'static str = "browser_scroll";
    const TITLE: &'static str = "Scroll";
    const EFFECT: ToolEffect = ToolEffect::Acts;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        if [self.pages.is_some(), self.pixels.is_some(), self.to_end].iter().filter(|given| **given).count()
            > 1
        {
            let problems = vec!["Give one of `pages`, `pixels` and `toEnd`".to_owned()];
            return Err(Error::InvalidArguments { problems });
        }
        let page = call.acquire_page().await?;
        let element = match &self.r#ref {
            Some(text) => Some(target::find_element(call, &page, text).await?),
            None => None,
        };
        let axis = if self.is_horizontal() { Axis::X } else { Axis::Y };
        let scroller = page.scroll_area(element.as_ref(), axis).await?.ok_or_else(|| self.stuck())?;
        call.progress.set_message("scrolling");
        let (before, now, grown) = match self.to_end {
            true => self.to_the_end(call, &page, &scroller).await?,
            false => self.some(call, &page, &scroller).await?,
        };
        reply.say(self.describe(&before, &now, grown));
        self.report_view(call, &page, &scroller, now.at - before.at, reply).await?;
        reply.show_changes();
        Ok(())
    }
}

/// How many times a list grew while it was scrolled to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ListGrowth {
    Never,
    Ended(u32),
    /// Scrolling stopped at a limit; there may be more to load.
    GoesOn(u32),
}

impl Scroll {
    fn is_horizontal(&self) -> bool {
        matches!(self.direction, Direction::Left | Direction::Right)
    }

    fn forwards(&self) -> bool {
        matches!(self.direction, Direction::Down | Direction::Right)
    }

    fn word(&self) -> &'static str {
        match self.direction {
            Direction::Down => "down",
            Direction::Up => "up",
            Direction::Left => "left",
            Direction::Right => "right",
        }
    }

    fn stuck(&self) -> Error {
        let (what, place) = match &self.r#ref {
            Some(_) => ("the element", "neither it nor an element around it"),
            None => ("the page", "nothing on it"),
        };
        let way = if self.is_horizontal() { "sideways" } else { "up or down" };
        Error::DidNotMove { what: what.to_owned(), reason: format!("{place} scrolls {way}") }
    }

    async fn some(
        &self,
        call: &Call<'_>,
        page: &Page,
        scroller: &ScrollArea,
    ) -> Result<(ScrollPosition, ScrollPosition, ListGrowth)> {
        let room = scroller.scroll_position().await?.room;
        let pixels = self.pixels.unwrap_or_else(|| self.pages.unwrap_or(1.0) * room * PAGE_SHARE);
        let distance = if self.forwards() { pixels } else { -pixels };
        let mut moved = None;
        let scroll = async {
            moved = Some(scroller.scroll_by(distance).await?);
            Ok(())
        };
        call.act_and_settle(page, ActionTarget::Page, Box::pin(scroll)).await?;
        let (before, now) = moved.ok_or(Error::PageBusy)?;
        Ok((before, now, ListGrowth::Never))
    }

    /// Scrolls to the end, and continues as long as the page loads more.
    async fn to_the_end(
        &self,
        call: &Call<'_>,
        page: &Page,
        scroller: &ScrollArea,
    ) -> Result<(ScrollPosition, ScrollPosition, ListGrowth)> {
        let begun = Instant::now();
        let first = scroller.scroll_position().await?;
        let mut rounds = 0;
        loop {
            let mut now = first;
            let mark = page.mark();
            let scroll = async {
                now = scroller.scroll_to_end(self.forwards()).await?.1;
                Ok(())
            };
            call.act_and_settle(page, ActionTarget::Page, Box::pin(scroll)).await?;
            let longer = self.forwards() && scroller.wait_for_growth(now, mark).await?;
            if !longer {
                let grown = if rounds == 0 { ListGrowth::Never } else { ListGrowth::Ended(rounds) };
                return Ok((first, scroller.scroll_position().await?, grown));
            }
            rounds += 1;
            call.progress.set_message(format!("scrolling on, {rounds}"));
            if rounds == MOST_ROUNDS || begun.elapsed() >= LONGEST {
                return Ok((first, scroller.scroll_position().await?, ListGrowth::GoesOn(rounds)));
            }
        }
    }

    fn describe(&self, before: &ScrollPosition, now: &ScrollPosition, grown: ListGrowth) -> String {
        let what = if now.is_page { "the page" } else { "a part of the page" };
        let moved = (now.at - before.at).abs().round();
        let place = format!("{} of {} px", now.at.round(), now.most.round());
        let end = match now {
            _ if now.most - now.at < 2.0 && self.forwards() => ", the end",
            _ if now.at < 2.0 && !self.forwards() => ", the beginning",
            _ => "",
        };
        let grew = match grown {
            ListGrowth::Never => String::new(),
            ListGrowth::Ended(times) => format!(" It grew {times} times on the way, and no more."),
            ListGrowth::GoesOn(times) => {
                format!(" It grew {times} times and may go on; scroll again for more.")
            }
        };
        if moved < 1.0 {
            return format!("Nothing moved: {what} is at {place}{end}.{grew}");
        }
        format!("Scrolled {what} {} by {moved} px, to {place}{end}.{grew}", self.word())
    }

    /// Shows what has come into view. The page's changes omit it.
    async fn report_view(
        &self,
        call: &Call<'_>,
        page: &Page,
        scroller: &ScrollArea,
        moved: f64,
        reply: &mut Reply,
    ) -> Result<()> {
        if moved.abs() < 1.0 || page.dialog().is_some() {
            return Ok(());
        }
        let frame = scroller.frame().number();
        let tree =
            capture(call, page, SnapshotTreeOptions { all_refs: true, ..SnapshotTreeOptions::default() })
                .await?;
        let came = match scroller.refs_scrolled_into_view(moved, &tree.element_numbers_in_frame(frame)).await
        {
            Ok(came) => came,
            // Scrolling may make the page replace the scrolled area.
            Err(Error::StaleRef { .. } | Error::DocumentGone | Error::FrameDetached) => return Ok(()),
            Err(error) => return Err(error),
        };
        let part = tree.only_elements(frame, &came.into_iter().collect()).without_all_refs_nodes();
        if part.nodes().is_empty() {
            return Ok(());
        }
        let usual = call.snapshot_options();
        let most = usual.change_chars;
        let options = snapshot::Options { usual_chars: most, max_chars: most, ..usual };
        reply.set_newly_visible(snapshot::render(&part, &options));
        call.report.in_view.lock().extend(part.keys());
        reply.show_at_least(PageDetail::Page);
        Ok(())
    }
}
