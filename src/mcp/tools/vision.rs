//! Tools for coordinates, for models that look at screenshots.
use schemars::JsonSchema;
use serde::Deserialize;

use super::input::clicked;
use crate::Result;
use crate::browser::input::{Button, ClickOptions, Point};
use crate::browser::{ActionTarget, Page};
use crate::error::Error;
use crate::mcp::call::Call;
use crate::mcp::reply::{PageDetail, Reply};
use crate::mcp::tool::{Capability, Tool, ToolEffect};

/// Click at a point in the viewport.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MouseClick {
    #[schemars(range(min = 0))]
    pub x: f64,
    #[schemars(range(min = 0))]
    pub y: f64,
    #[serde(default)]
    pub button: Button,
    #[schemars(range(min = 1, max = 3))]
    pub click_count: Option<u32>,
    pub element: Option<String>,
}

impl Tool for MouseClick {
    const NAME: &'static str = "browser_mouse_click_xy";
    const TITLE: &'static str = "Click at coordinates";
    const EFFECT: ToolEffect = ToolEffect::Acts;
    const CAPABILITY: Capability = Capability::Vision;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let count = self.click_count.unwrap_or(1);
        let options = ClickOptions { button: self.button, count, ..ClickOptions::default() };
        press_at(call, Point::new(self.x, self.y), self.element.as_deref(), &options, reply).await
    }
}

/// Clicks at a point in the viewport, waits for the effects, and reports the click.
pub(super) async fn press_at(
    call: &Call<'_>,
    at: Point,
    what: Option<&str>,
    options: &ClickOptions,
    reply: &mut Reply,
) -> Result<()> {
    let page = call.acquire_page().await?;
    inside(&page, &[("x", "y", at.x, at.y)]).await?;
    call.confirm_anything(&page, what.unwrap_or(MouseClick::TITLE)).await?;
    let mouse = page.input().mouse();
    call.act_and_settle(&page, ActionTarget::Page, Box::pin(mouse.click(at, options))).await?;
    let verb = clicked(options.count);
    let what = what.unwrap_or("position");
    let button = match options.button {
        Button::Right => " (right button)",
        Button::Middle => " (middle button)",
        _ => "",
    };
    reply.say(format!("{verb} {what} at ({}, {}){button}", at.x, at.y));
    reply.show_at_least(PageDetail::Changes);
    Ok(())
}

/// Checks that points are in the viewport. Each point is (name of x argument, name of y argument, x, y).
pub(super) async fn inside(page: &Page, places: &[(&str, &str, f64, f64)]) -> Result<()> {
    let (width, height) = page.measure_viewport_size().await?;
    let mut problems = Vec::new();
    for (x_name, y_name, x, y) in places {
        for (name, value, size, what) in [(x_name, x, width, "width"), (y_name, y, height, "height")] {
            if *value < 0.0 {
                problems.push(format!("`{name}` must not be negative: the viewport begins at 0"));
            } else if *value >= size {
                problems.push(format!(
                    "`{name}` must be less than {size}, the {what} of the viewport; scroll first"
                ));
            }
        }
    }
    if problems.is_empty() { Ok(()) } else { Err(Error::InvalidArguments { problems }) }
}

/// Move the pointer to a point in the viewport.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct MouseMove {
    #[schemars(range(min = 0))]
    pub x: f64,
    #[schemars(range(min = 0))]
    pub y: f64,
    #[schemars(range(min = 1, max = 1000))]
    pub steps: Option<u32>,
}

impl Tool for MouseMove {
    const NAME: &'static str = "browser_mouse_move_xy";
    const TITLE: &'static str = "Move the pointer";
    const EFFECT: ToolEffect = ToolEffect::Acts;
    const CAPABILITY: Capability = Capability::Vision;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let page = call.acquire_page().await?;
        inside(&page, &[("x", "y", self.x, self.y)]).await?;
        let mouse = page.input().mouse();
        let to = Point::new(self.x, self.y);
        let steps = self.steps;
        let travel = async {
            match steps {
                Some(steps) => mouse.move_in_steps(to, steps).await,
                None => mouse.move_to(to).await,
            }
        };
        call.act_and_settle(&page, ActionTarget::Page, Box::pin(travel)).await?;
        let in_steps =
            steps.filter(|steps| *steps > 1).map(|steps| format!(" in {steps} steps")).unwrap_or_default();
        reply.say(format!("Moved mouse to ({}, {}){in_steps}", self.x, self.y));
        reply.show_at_least(PageDetail::Changes);
        Ok(())
    }
}

/// Drag from one point in the viewport to another.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MouseDrag {
    #[schemars(range(min = 0))]
    pub start_x: f64,
    #[schemars(range(min = 0))]
    pub start_y: f64,
    #[schemars(range(min = 0))]
    pub end_x: f64,
    #[schemars(range(min = 0))]
    pub end_y: f64,
    #[schemars(range(min = 1, max = 1000))]
    pub steps: Option<u32>,
}

impl Tool for MouseDrag {
    const NAME: &'static str = "browser_mouse_drag_xy";
    const TITLE: &'static str = "Drag by coordinates";
    const EFFECT: ToolEffect = ToolEffect::Acts;
    const CAPABILITY: Capability = Capability::Vision;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let page = call.acquire_page().await?;
        let (from, to) = (Point::new(self.start_x, self.start_y), Point::new(self.end_x, self.end_y));
        let ends = [("startX", "startY", from.x, from.y), ("endX", "endY", to.x, to.y)];
        inside(&page, &ends).await?;
        call.act_and_settle(&page, ActionTarget::Page, Box::pin(page.drag(from, to, self.steps))).await?;
        let Self { start_x, start_y, end_x, end_y, .. } = self;
        let steps = self.steps.map(|steps| format!(" in {steps} steps")).unwrap_or_default();
        reply.say(format!("Dragged from ({start_x}, {start_y}) to ({end_x}, {end_y}){steps}"));
        reply.show_at_least(PageDetail::Changes);
        Ok(())
    }
}
