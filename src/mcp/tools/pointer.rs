//! Pointing, dragging and scrolling.
use schemars::JsonSchema;
use serde::Deserialize;

use crate::Result;
use crate::browser::ActsOn;
use crate::mcp::dispatch::Call;
use crate::mcp::reply::{Reply, View};
use crate::mcp::target;
use crate::mcp::tool::{Effect, Tool};

/// Move the pointer over an element.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Hover {
    /// Ref from the snapshot.
    #[schemars(length(min = 1))]
    pub r#ref: String,
    pub element: Option<String>,
}

impl Tool for Hover {
    const NAME: &'static str = "browser_hover";
    const TITLE: &'static str = "Hover over an element";
    const EFFECT: Effect = Effect::Acts;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let page = call.open_page().await?;
        let (element, told) = target::described(call, &page, &self.r#ref, self.element).await?;
        call.act(&page, ActsOn::Pressed(&element), element.hover(&call.action_options())).await?;
        reply.say(format!("Hovering over {told}"));
        reply.show(View::Changes);
        Ok(())
    }
}

/// Drag one element onto another.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Drag {
    /// Ref of what is dragged.
    #[schemars(length(min = 1))]
    pub start_ref: String,
    pub start_element: Option<String>,
    /// Ref of where it is dropped.
    #[schemars(length(min = 1))]
    pub end_ref: String,
    pub end_element: Option<String>,
}

impl Tool for Drag {
    const NAME: &'static str = "browser_drag";
    const TITLE: &'static str = "Drag and drop";
    const EFFECT: Effect = Effect::Acts;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let page = call.open_page().await?;
        let (start, start_told) = target::described(call, &page, &self.start_ref, self.start_element).await?;
        let (end, end_told) = target::described(call, &page, &self.end_ref, self.end_element).await?;
        let options = call.action_options();
        call.act(&page, ActsOn::Page, Box::pin(start.drag_to(&end, &options, &options))).await?;
        reply.say(format!("Dragged {start_told} to {end_told}"));
        reply.show(View::Changes);
        Ok(())
    }
}

/// Scroll an element into the middle of the viewport.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct ScrollIntoView {
    /// Ref from the snapshot.
    #[schemars(length(min = 1))]
    pub r#ref: String,
    pub element: Option<String>,
}

impl Tool for ScrollIntoView {
    const NAME: &'static str = "browser_scroll_into_view";
    const TITLE: &'static str = "Scroll to an element";
    const EFFECT: Effect = Effect::Sets;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let page = call.open_page().await?;
        let (element, told) = target::described(call, &page, &self.r#ref, self.element).await?;
        call.act(&page, ActsOn::Page, Box::pin(element.scroll_to_centre(&call.action_options()))).await?;
        reply.say(format!("Scrolled {told} into view"));
        reply.show(View::Changes);
        Ok(())
    }
}
