//! Scrolls an element into view with the mouse wheel, as a person does.
use serde::Deserialize;

use super::actionability::{ActionOptions, CheckOptions, CheckOutcome, RequiredState};
use super::element::ElementHandle;
use crate::browser::input::{InputStyle, Point, Rect};
use crate::browser::objects::world::value_argument;
use crate::error::Result;

/// How many animation frames a busy machine may take to show a scroll.
const MOST_FRAMES: usize = 6;

/// Whether a box has moved by the scrolled distance. True if there is no box.
fn has_gone(from: Option<Rect>, to: Option<Rect>, delta_x: f64, delta_y: f64) -> bool {
    let (Some(from), Some(to)) = (from, to) else { return true };
    (from.x - to.x - delta_x).abs() < 1.0 && (from.y - to.y - delta_y).abs() < 1.0
}

/// The maximum number of wheel turns to scroll into view: nested scrolling areas need several turns.
const MOST_TURNS: usize = 12;

impl ElementHandle {
    /// Scrolls the element into view: with the wheel if the input style is natural, or else by script.
    pub(in crate::browser) async fn bring_into_view(
        &self,
        options: &ActionOptions,
        attempt: u32,
    ) -> Result<()> {
        let natural = self.input(options)?.style() == InputStyle::Natural;
        if natural && self.wheel_into_view(options, attempt).await? {
            return Ok(());
        }
        let aim = CheckOptions { scroll: Some(attempt), ..CheckOptions::default() };
        self.check_in_page(RequiredState::default(), &aim).await.map(drop)
    }

    /// Turns the wheel until the element is in view. Returns false if the wheel cannot do that.
    pub(super) async fn wheel_into_view(&self, options: &ActionOptions, attempt: u32) -> Result<bool> {
        // First from the outermost frame inwards; then back outwards, to the part of each frame with the element.
        let owners = self.frame().owners().await?;
        for owner in owners.iter().rev() {
            if !owner.wheel(options, 0, None).await? {
                return Ok(false);
            }
        }
        if !self.wheel(options, attempt, None).await? {
            return Ok(false);
        }
        if owners.is_empty() {
            return Ok(true);
        }
        let Some(mut part) = self.ask::<Option<Rect>>("boxOf", Vec::new()).await? else { return Ok(false) };
        for owner in &owners {
            if !owner.wheel(options, attempt, Some(part)).await? {
                return Ok(false);
            }
            let corner = Point::new(part.x, part.y);
            let corner: Point = owner.ask("fromFrame", vec![value_argument(&corner)]).await?;
            part = Rect { x: corner.x, y: corner.y, ..part };
        }
        Ok(true)
    }

    /// Turns the wheel in the element's own frame until the element is in view. Returns false if that fails.
    async fn wheel(&self, options: &ActionOptions, attempt: u32, part: Option<Rect>) -> Result<bool> {
        #[derive(Deserialize)]
        struct Turn {
            point: Point,
            dx: f64,
            dy: f64,
        }
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Next {
            Turn(Turn),
            /// The wheel cannot bring the element into view.
            Never(#[allow(dead_code, reason = "only its kind matters")] bool),
            /// The element is in view.
            Done(()),
        }
        let input = self.input(options)?;
        let mouse = input.mouse();
        let mut is_known = false;
        for turn in 0..MOST_TURNS {
            // Only the first turn aligns the element; after that, being in view is enough.
            let attempt = if turn == 0 { attempt } else { 0 };
            // In a frame, converting the pointer's position costs too much: the wheel goes to the middle of the area.
            let here = self.frame().parent().is_none().then(|| mouse.position());
            let arguments = vec![value_argument(&attempt), value_argument(&here), value_argument(&part)];
            let mut next = self.ask("nextTurn", arguments.clone()).await?;
            if !is_known && matches!(next, Next::Turn(_)) {
                is_known = true;
                if self.learn_wheel_hearers().await? {
                    next = self.ask("nextTurn", arguments).await?;
                }
            }
            let turn = match next {
                Next::Done(()) => return Ok(true),
                Next::Never(_) => return Ok(false),
                Next::Turn(turn) => turn,
            };
            if here != Some(turn.point) {
                let CheckOutcome::Clear(clear) = self.to_page(turn.point, false, None).await? else {
                    return Ok(false);
                };
                mouse.move_to(clear.point).await?;
            }
            let before: Option<Rect> = self.ask("boxOf", Vec::new()).await?;
            mouse.wheel(turn.dx, turn.dy).await?;
            let mut now = before;
            for _ in 0..MOST_FRAMES {
                self.frames(1).await?;
                let last = std::mem::replace(&mut now, self.ask("boxOf", Vec::new()).await?);
                // A long scroll takes several frames. It ends when the distance is reached, or the box stops.
                if now != before && (now == last || has_gone(before, now, turn.dx, turn.dy)) {
                    break;
                }
            }
            // The page handles the wheel itself, or the element does not move with the area around it.
            if now == before {
                return Ok(false);
            }
        }
        Ok(false)
    }
}
