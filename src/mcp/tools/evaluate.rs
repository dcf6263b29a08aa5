//! Running JavaScript.
use schemars::JsonSchema;
use serde::Deserialize;

use crate::Result;
use crate::mcp::dispatch::Call;
use crate::mcp::reply::Reply;
use crate::mcp::tool::{Effect, Tool};

/// Run JavaScript in the page and return its result.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Evaluate {
    /// `() => { … }`, or `(element) => { … }` with a ref. Can be async.
    #[schemars(length(min = 1))]
    pub function: String,
    /// Ref of the element to hand over.
    pub r#ref: Option<String>,
    /// The element in words.
    pub element: Option<String>,
}

impl Tool for Evaluate {
    const NAME: &'static str = "browser_evaluate";
    const TITLE: &'static str = "Run JavaScript";
    const EFFECT: Effect = Effect::Acts;

    async fn call(self, call: &Call<'_>, _reply: &mut Reply) -> Result<()> {
        call.workspace.page().await
    }
}
