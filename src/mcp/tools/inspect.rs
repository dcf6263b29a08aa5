//! Looking at pages.
use schemars::JsonSchema;
use serde::Deserialize;

use crate::Result;
use crate::mcp::dispatch::Call;
use crate::mcp::reply::Reply;
use crate::mcp::tool::{Effect, Tool};

/// Show the page as an outline with a ref for each element. Better than a screenshot for acting on it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Snapshot {
    /// Refs for all elements, not only those to act on.
    #[serde(default)]
    pub all_refs: bool,
}

impl Tool for Snapshot {
    const NAME: &'static str = "browser_snapshot";
    const TITLE: &'static str = "Show the page";
    const EFFECT: Effect = Effect::Reads;

    async fn call(self, call: &Call<'_>, _reply: &mut Reply) -> Result<()> {
        call.open_page().await.map(drop)
    }
}

/// How a screenshot is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ImageType {
    #[default]
    Png,
    Jpeg,
    Webp,
}

/// Save a picture of the page, or of one element. To act on the page, use `browser_snapshot`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TakeScreenshot {
    #[serde(default)]
    pub r#type: ImageType,
    /// Name in the screenshot directory; made from the time when left out.
    pub filename: Option<String>,
    /// Ref of the element to show instead of the viewport.
    pub r#ref: Option<String>,
    /// The element in words.
    pub element: Option<String>,
    /// The whole page, not only what is visible.
    #[serde(default)]
    pub full_page: bool,
}

impl Tool for TakeScreenshot {
    const NAME: &'static str = "browser_take_screenshot";
    const TITLE: &'static str = "Take a screenshot";
    const EFFECT: Effect = Effect::Reads;

    async fn call(self, call: &Call<'_>, _reply: &mut Reply) -> Result<()> {
        call.open_page().await.map(drop)
    }
}
