//! Tabs and windows.
use schemars::JsonSchema;
use serde::Deserialize;

use crate::Result;
use crate::mcp::dispatch::Call;
use crate::mcp::reply::Reply;
use crate::mcp::tool::{Effect, Tool};

/// Close the current page.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Close {}

impl Tool for Close {
    const NAME: &'static str = "browser_close";
    const TITLE: &'static str = "Close the page";
    const EFFECT: Effect = Effect::Acts;

    async fn call(self, call: &Call<'_>, _reply: &mut Reply) -> Result<()> {
        call.workspace.page().await
    }
}
