//! Going to pages.
use schemars::JsonSchema;
use serde::Deserialize;

use crate::Result;
use crate::mcp::dispatch::Call;
use crate::mcp::reply::Reply;
use crate::mcp::tool::{Effect, Tool};

/// Open a URL and wait until the page has loaded.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Navigate {
    /// Without a scheme, https:// is put in front.
    #[schemars(length(min = 1))]
    pub url: String,
}

impl Tool for Navigate {
    const NAME: &'static str = "browser_navigate";
    const TITLE: &'static str = "Open a URL";
    const EFFECT: Effect = Effect::Acts;

    async fn call(self, call: &Call<'_>, _reply: &mut Reply) -> Result<()> {
        call.workspace.page().await
    }
}

/// Go back to the previous page in the history.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct NavigateBack {}

impl Tool for NavigateBack {
    const NAME: &'static str = "browser_navigate_back";
    const TITLE: &'static str = "Go back";
    const EFFECT: Effect = Effect::Acts;

    async fn call(self, call: &Call<'_>, _reply: &mut Reply) -> Result<()> {
        call.workspace.page().await
    }
}
