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
