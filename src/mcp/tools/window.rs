//! The tool that resizes the page (`browser_resize`).
use schemars::JsonSchema;
use serde::Deserialize;

use crate::Result;
use crate::mcp::call::Call;
use crate::mcp::reply::{PageDetail, Reply};
use crate::mcp::tool::{Tool, ToolEffect};

/// Resize the viewport, in CSS pixels.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Resize {
    #[schemars(range(min = 1, max = 16384))]
    pub width: f64,
    #[schemars(range(min = 1, max = 16384))]
    pub height: f64,
}

impl Tool for Resize {
    const NAME: &'static str = "browser_resize";
    const TITLE: &'static str = "Resize the viewport";
    const EFFECT: ToolEffect = ToolEffect::Sets;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let page = call.acquire_or_open_page().await?;
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the schema bounds both")]
        let (width, height) = (self.width.round() as u32, self.height.round() as u32);
        page.resize_viewport(width, height).await?;
        reply.say(format!("Resized viewport to {width}x{height} pixels"));
        reply.show_at_least(PageDetail::Page);
        Ok(())
    }
}
