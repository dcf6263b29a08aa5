//! Tools of Claude's toolset for the mouse.
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Aim, CoordinateTarget, FAMILY, RefTarget, Target, act, modifiers};
use crate::Result;
use crate::browser::ActionTarget;
use crate::browser::input::{Button, ClickOptions, Point};
use crate::mcp::call::Call;
use crate::mcp::reply::Reply;
use crate::mcp::tool::{Tool, ToolEffect, ToolsetTraits};
use crate::mcp::tools::{input, pointer, scroll, vision};

/// The scroll distance of one wheel notch, in pixels.
const NOTCH_PX: f64 = 100.0;

/// Clicks an element or point, while the modifier keys in `held` are down.
async fn click(
    target: Target,
    held: Option<&str>,
    (button, count): (Button, u32),
    call: &Call<'_>,
    reply: &mut Reply,
) -> Result<()> {
    let options = ClickOptions { button, count, modifiers: modifiers(held)?, ..ClickOptions::default() };
    match target.aim()? {
        Aim::On(element) => Box::pin(input::press(call, &element, None, None, &options, reply)).await?,
        Aim::At(place) => Box::pin(vision::press_at(call, place, None, &options, reply)).await?,
    }
    reply.show_changes_only();
    Ok(())
}

macro_rules! clicks {
    ($($(#[$doc:meta])* $member:ident, $name:literal, $title:literal, $button:ident, $count:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Deserialize, JsonSchema)]
        pub struct $member {
            pub target: Target,
            /// Keys to hold, for example ctrl+shift.
            pub modifiers: Option<String>,
        }

        impl Tool for $member {
            const NAME: &'static str = $name;
            const TITLE: &'static str = $title;
            const EFFECT: ToolEffect = ToolEffect::Acts;
            const FAMILY: &'static ToolsetTraits = FAMILY;

            async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
                click(self.target, self.modifiers.as_deref(), (Button::$button, $count), call, reply).await
            }
        }
    )*};
}

clicks! {
    /// Click an element or a point in the viewport.
    LeftClick, "left_click", "Click", Left, 1;
    /// Click with the right button.
    RightClick, "right_click", "Right-click", Right, 1;
    /// Click with the middle button.
    MiddleClick, "middle_click", "Middle-click", Middle, 1;
    /// Click twice.
    DoubleClick, "double_click", "Double-click", Left, 2;
    /// Click three times, to select a paragraph.
    TripleClick, "triple_click", "Triple-click", Left, 3;
}

/// Formats a point as `x,y`, for the argument `position` of `browser_hover`.
fn written(x: f64, y: f64) -> String {
    format!("{x},{y}")
}

/// Move the pointer over an element or point, without clicking.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Hover {
    pub target: Target,
}

impl Tool for Hover {
    const NAME: &'static str = "hover";
    const TITLE: &'static str = "Hover";
    const EFFECT: ToolEffect = ToolEffect::Acts;
    const FAMILY: &'static ToolsetTraits = FAMILY;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let (element, position) = match self.target.aim()? {
            Aim::On(element) => (Some(element), None),
            Aim::At(place) => (None, Some(written(place.x, place.y))),
        };
        act_at(element, position, None, call, reply).await
    }
}

async fn act_at(
    element: Option<String>,
    position: Option<String>,
    action: Option<pointer::PointerAction>,
    call: &Call<'_>,
    reply: &mut Reply,
) -> Result<()> {
    let button = Button::Left;
    act(pointer::Hover { r#ref: element, element: None, position, action, button }, call, reply).await
}

/// Press the left button at `from`, drag to `target`, and release.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct LeftClickDrag {
    pub from: CoordinateTarget,
    pub target: CoordinateTarget,
}

impl Tool for LeftClickDrag {
    const NAME: &'static str = "left_click_drag";
    const TITLE: &'static str = "Drag";
    const EFFECT: ToolEffect = ToolEffect::Acts;
    const FAMILY: &'static ToolsetTraits = FAMILY;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let (from, to) = (self.from, self.target);
        let drag =
            vision::MouseDrag { start_x: from.x, start_y: from.y, end_x: to.x, end_y: to.y, steps: None };
        act(drag, call, reply).await
    }
}

/// Press the left button at a point and hold it until `left_mouse_up`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct LeftMouseDown {
    pub target: CoordinateTarget,
}

impl Tool for LeftMouseDown {
    const NAME: &'static str = "left_mouse_down";
    const TITLE: &'static str = "Hold the button";
    const EFFECT: ToolEffect = ToolEffect::Acts;
    const FAMILY: &'static ToolsetTraits = FAMILY;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let at = Some(written(self.target.x, self.target.y));
        act_at(None, at, Some(pointer::PointerAction::Down), call, reply).await
    }
}

/// Release the left button at a point.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct LeftMouseUp {
    pub target: CoordinateTarget,
}

impl Tool for LeftMouseUp {
    const NAME: &'static str = "left_mouse_up";
    const TITLE: &'static str = "Let the button go";
    const EFFECT: ToolEffect = ToolEffect::Acts;
    const FAMILY: &'static ToolsetTraits = FAMILY;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let at = Some(written(self.target.x, self.target.y));
        act_at(None, at, Some(pointer::PointerAction::Up), call, reply).await
    }
}

/// Move the pointer to a point.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct MouseMove {
    pub target: CoordinateTarget,
}

impl Tool for MouseMove {
    const NAME: &'static str = "mouse_move";
    const TITLE: &'static str = "Move the pointer";
    const EFFECT: ToolEffect = ToolEffect::Acts;
    const FAMILY: &'static ToolsetTraits = FAMILY;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        act(vision::MouseMove { x: self.target.x, y: self.target.y, steps: None }, call, reply).await
    }
}

/// Scroll the wheel at a point.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Scroll {
    pub target: CoordinateTarget,
    pub scroll_direction: scroll::Direction,
    /// Wheel notches. Default: 3.
    #[schemars(range(min = 1, max = 10))]
    pub scroll_amount: Option<u32>,
}

impl Tool for Scroll {
    const NAME: &'static str = "scroll";
    const TITLE: &'static str = "Scroll";
    const EFFECT: ToolEffect = ToolEffect::Acts;
    const FAMILY: &'static ToolsetTraits = FAMILY;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let page = call.acquire_page().await?;
        let at = Point::new(self.target.x, self.target.y);
        vision::inside(&page, &[("target.x", "target.y", at.x, at.y)]).await?;
        let notches = self.scroll_amount.unwrap_or(3);
        let far = f64::from(notches) * NOTCH_PX;
        let (word, x, y) = match self.scroll_direction {
            scroll::Direction::Down => ("down", 0.0, far),
            scroll::Direction::Up => ("up", 0.0, -far),
            scroll::Direction::Left => ("left", -far, 0.0),
            scroll::Direction::Right => ("right", far, 0.0),
        };
        let mouse = page.input().mouse();
        let turn = async {
            mouse.move_to(at).await?;
            mouse.wheel(x, y).await
        };
        call.act_and_settle(&page, ActionTarget::Page, Box::pin(turn)).await?;
        reply.say(format!("Turned the wheel {word} by {notches} notches at ({}, {})", at.x, at.y));
        reply.show_changes_only();
        Ok(())
    }
}

/// Scroll an element into view.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct ScrollTo {
    pub target: RefTarget,
}

impl Tool for ScrollTo {
    const NAME: &'static str = "scroll_to";
    const TITLE: &'static str = "Scroll to an element";
    const EFFECT: ToolEffect = ToolEffect::Sets;
    const FAMILY: &'static ToolsetTraits = FAMILY;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        act(pointer::ScrollIntoView { r#ref: self.target.r#ref, element: None }, call, reply).await
    }
}
