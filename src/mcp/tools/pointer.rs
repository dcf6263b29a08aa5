//! Tools for the pointer: hover, drag, scroll into view.
use schemars::JsonSchema;
use serde::Deserialize;

use super::vision::inside;
use crate::Result;
use crate::browser::input::{Button, Mouse, Point};
use crate::browser::{self, ActionOptions, ActionTarget, DragOptions, DragResult, ElementHandle, Page};
use crate::error::{Error, in_quotes};
use crate::mcp::call::Call;
use crate::mcp::page_text::one_line;
use crate::mcp::reply::{PageDetail, Reply};
use crate::mcp::target;
use crate::mcp::tool::{Tool, ToolEffect};

// Whether to press or release the mouse button.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PointerAction {
    Down,
    Up,
}

/// Move the pointer over an element; with action, press or release the button there, to hold or draw.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Hover {
    /// Ref or selector.
    pub r#ref: Option<String>,
    pub element: Option<String>,
    /// Point in ref or the viewport: 10,20 (px) or 90%,50%.
    pub position: Option<String>,
    pub action: Option<PointerAction>,
    #[serde(default)]
    pub button: Button,
}

impl Tool for Hover {
    const NAME: &'static str = "browser_hover";
    const TITLE: &'static str = "Move the pointer";
    const EFFECT: ToolEffect = ToolEffect::Acts;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let page = call.acquire_page().await?;
        let mouse = page.input().mouse();
        let description = match &self.r#ref {
            Some(text) => {
                let (element, description) =
                    target::find_and_describe(call, &page, text, self.element.clone()).await?;
                let position = target::parse_position("position", self.position.as_deref(), &element).await?;
                let options = ActionOptions { position, ..call.action_options() };
                let hover = async {
                    element.hover(&options).await?;
                    self.hold_or_release(&mouse).await
                };
                if self.action.is_some() {
                    call.confirm_press(&element, false).await?;
                }
                let acts_on = match self.action {
                    None => ActionTarget::Pointed(&element),
                    Some(_) => ActionTarget::Pressed(&element),
                };
                call.act_and_settle(&page, acts_on, Box::pin(hover)).await?;
                description
            }
            None => {
                let at = self.place(&page).await?;
                if self.action.is_some() {
                    call.confirm_anything(&page, Self::TITLE).await?;
                }
                let go = async {
                    if let Some(at) = at {
                        mouse.move_to(at).await?;
                    }
                    self.hold_or_release(&mouse).await
                };
                call.act_and_settle(&page, ActionTarget::Page, Box::pin(go)).await?;
                let now = mouse.position();
                format!("({}, {})", now.x.round(), now.y.round())
            }
        };
        let verb = match self.action {
            None => "Hovering over",
            Some(PointerAction::Down) => "Holding the button down at",
            Some(PointerAction::Up) => "Let go of the button at",
        };
        reply.say(format!("{verb} {description}"));
        reply.show_at_least(PageDetail::Changes);
        Ok(())
    }
}

impl Hover {
    /// Returns the argument `position` as a point in the viewport; `None` to act at the pointer's position.
    async fn place(&self, page: &Page) -> Result<Option<Point>> {
        let (width, height) = page.measure_viewport_size().await?;
        let place = target::parse_point_in_area("position", self.position.as_deref(), width, height)?;
        match place {
            Some(place) => inside(page, &[("position", "position", place.x, place.y)]).await?,
            None if self.action.is_none() => {
                let problems = vec!["`ref` (or `target`), `position` or `action` is missing".to_owned()];
                return Err(Error::InvalidArguments { problems });
            }
            None => {}
        }
        Ok(place)
    }

    async fn hold_or_release(&self, mouse: &Mouse) -> Result<()> {
        match self.action {
            None => Ok(()),
            Some(PointerAction::Down) => mouse.down(self.button, 1).await,
            Some(PointerAction::Up) => mouse.up(self.button, 1).await,
        }
    }
}

/// Where beside the end element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DropPlacement {
    Before,
    After,
    Into,
}

/// Drag an element onto another, or to a position in a list.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Drag {
    /// Ref or selector of the dragged element.
    #[schemars(length(min = 1))]
    pub start_ref: String,
    pub start_element: Option<String>,
    /// Point in the start element: 10,20 (px) or 90%,50%.
    pub start_position: Option<String>,
    /// Ref or selector to drop on.
    #[schemars(length(min = 1))]
    pub end_ref: String,
    pub end_element: Option<String>,
    pub end_position: Option<String>,
    /// Drop before, after or into the end element.
    pub place: Option<DropPlacement>,
}

impl Tool for Drag {
    const NAME: &'static str = "browser_drag";
    const TITLE: &'static str = "Drag and drop";
    const EFFECT: ToolEffect = ToolEffect::Acts;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let page = call.acquire_page().await?;
        let (start, start_description) =
            target::find_and_describe(call, &page, &self.start_ref, self.start_element)
                .await
                .map_err(naming("start "))?;
        let held = (start.frame().number(), start.number().await?);
        call.report.held.lock().push(held);
        let (end, end_description) = target::find_and_describe(call, &page, &self.end_ref, self.end_element)
            .await
            .map_err(naming("end "))?;
        let from = target::parse_position("startPosition", self.start_position.as_deref(), &start).await?;
        let to = target::parse_position("endPosition", self.end_position.as_deref(), &end).await?;
        let mut options = DragOptions {
            source: ActionOptions { position: from, ..call.action_options() },
            target: ActionOptions { position: to, ..call.action_options_for(&self.end_ref) },
            place: self.place.map(Into::into),
            ..DragOptions::default()
        };
        let mut dragged = drag(call, &page, &start, &end, &options).await?;
        options.again = true;
        if matches!(dragged, DragResult::None { picked: false, refused: false, taken: false, .. }) {
            // Some pages start a drag only after a long press.
            options.long_press = true;
            dragged = drag(call, &page, &start, &end, &options).await?;
        }
        if matches!(dragged, DragResult::Order { beside: Some(false), .. }) {
            // A second, shorter drag may reach the position. If it fails, the first result counts.
            if let Ok(again @ DragResult::Order { .. }) = drag(call, &page, &start, &end, &options).await {
                dragged = again;
            }
        }
        reply.show_at_least(PageDetail::Changes);
        let to = format!("{}{end_description}", options.place.map_or("to ", to_place));
        let now = match dragged {
            DragResult::Moved { short: true, .. } | DragResult::Order { beside: Some(false), .. } => {
                let reason = describe_drag(&dragged).trim_start_matches(": ").to_owned();
                return Err(Error::MovedElsewhere { what: start_description, to, reason });
            }
            DragResult::None { picked, refused, taken: false, handle, .. } => {
                let handle = handle.map(|handle| {
                    (target::element_ref(call, &page, start.frame(), handle.r#ref).to_string(), handle.name)
                });
                return Err(Error::DidNotMove {
                    what: start_description,
                    reason: why_not(picked, refused, handle),
                });
            }
            DragResult::Effect { made: Some(made) } => {
                let reference = target::element_ref(call, &page, start.frame(), made.r#ref);
                format!(": this made {} [ref={reference}]", in_quotes(&one_line(&made.name)))
            }
            dragged => describe_drag(&dragged),
        };
        reply.say(format!("Dragged {start_description} {to}{now}"));
        Ok(())
    }
}

/// Returns a function that names one of two elements in the error that it was not found.
fn naming(which: &'static str) -> impl FnOnce(Error) -> Error {
    move |error| match error {
        Error::NoTarget { reason, .. } => Error::NoTarget { which, reason },
        other => other,
    }
}

async fn drag(
    call: &Call<'_>,
    page: &Page,
    start: &ElementHandle,
    end: &ElementHandle,
    options: &DragOptions,
) -> Result<DragResult> {
    call.act_and_settle(page, ActionTarget::Page, Box::pin(start.drag(end, options))).await?;
    // A document that was replaced, or that shows a dialog, cannot report the result.
    let answer = if page.dialog().is_some() { None } else { start.last_drag_result().await.ok() };
    Ok(answer.unwrap_or(DragResult::Unknown))
}

fn to_place(place: browser::DropPosition) -> &'static str {
    match place {
        browser::DropPosition::Before => "to before ",
        browser::DropPosition::After => "to after ",
        browser::DropPosition::Into => "into ",
    }
}

/// Describes the result of a drag, to be appended to the sentence about the drag.
fn describe_drag(dragged: &DragResult) -> String {
    match dragged {
        DragResult::Order { place, count, previous, next, list, .. } => {
            let list =
                list.as_ref().map(|list| format!(" in {}", in_quotes(&one_line(list)))).unwrap_or_default();
            let between = match (previous, next) {
                (Some(previous), Some(next)) => {
                    format!(", between {} and {}", in_quotes(&one_line(previous)), in_quotes(&one_line(next)))
                }
                (Some(previous), None) => format!(", after {}", in_quotes(&one_line(previous))),
                (None, Some(next)) => format!(", before {}", in_quotes(&one_line(next))),
                (None, None) => String::new(),
            };
            format!(": it is now {} of {count}{list}{between}", ordinal(*place))
        }
        DragResult::Value { value, name } => {
            let name = one_line(name);
            let name = if name.is_empty() { "its value".to_owned() } else { in_quotes(&name) };
            format!(": {name} is now {}", in_quotes(&one_line(value.as_deref().unwrap_or_default())))
        }
        DragResult::Moved { x, y, dx, dy, .. } => {
            format!(": it moved by {dx:+}, {dy:+} px, and is now at {x},{y}")
        }
        DragResult::Sized { width, height } => format!(": it is now {width} × {height} px"),
        DragResult::Drawn => ": the drawing changed".to_owned(),
        DragResult::Gone => ": it is no longer where it was".to_owned(),
        DragResult::Effect { .. } => ". It stayed where it is; its effect is shown below".to_owned(),
        DragResult::None { taken: true, .. } => {
            ": the page accepted the drop, but shows no change".to_owned()
        }
        DragResult::None { .. } | DragResult::Unknown => {
            ": whether anything moved cannot be seen from here".to_owned()
        }
    }
}

/// Explains why nothing moved, and what to do instead.
fn why_not(picked: bool, refused: bool, handle: Option<(String, String)>) -> String {
    let why = match (picked, refused) {
        (_, true) => "the target refused the drop",
        (true, false) => "it was picked up and moved back",
        (false, false) => "the page did not treat it as draggable",
    };
    match handle {
        Some((reference, name)) => format!("{why}; drag it by {reference}, {}", one_line(&name)),
        None if picked || refused => format!("{why}; try another endRef, place or endPosition"),
        None => format!("{why}; drag what is around it, or use its keys or menu"),
    }
}

fn ordinal(number: usize) -> String {
    let suffix = match (number % 10, number % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{number}{suffix}")
}

impl From<DropPlacement> for browser::DropPosition {
    fn from(place: DropPlacement) -> Self {
        match place {
            DropPlacement::Before => Self::Before,
            DropPlacement::After => Self::After,
            DropPlacement::Into => Self::Into,
        }
    }
}

/// Scroll an element to the middle of the viewport.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct ScrollIntoView {
    /// Ref or selector.
    #[schemars(length(min = 1))]
    pub r#ref: String,
    pub element: Option<String>,
}

impl Tool for ScrollIntoView {
    const NAME: &'static str = "browser_scroll_into_view";
    const TITLE: &'static str = "Scroll to an element";
    const EFFECT: ToolEffect = ToolEffect::Sets;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let page = call.acquire_page().await?;
        let (element, description) =
            target::find_and_describe(call, &page, &self.r#ref, self.element).await?;
        call.act_and_settle(
            &page,
            ActionTarget::Page,
            Box::pin(element.scroll_to_centre(&call.action_options())),
        )
        .await?;
        reply.say(format!("Scrolled {description} into view"));
        reply.show_at_least(PageDetail::Changes);
        Ok(())
    }
}
