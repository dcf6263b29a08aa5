//! Tabs and windows.
use schemars::JsonSchema;
use serde::Deserialize;

use crate::Result;
use crate::mcp::dispatch::Call;
use crate::mcp::reply::{Reply, one_line};
use crate::mcp::tool::{Effect, Tool};

/// Close the current page.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Close {}

impl Tool for Close {
    const NAME: &'static str = "browser_close";
    const TITLE: &'static str = "Close the page";
    const EFFECT: Effect = Effect::Acts;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let page = call.workspace.close_tab(None).await?;
        let left = match call.workspace.tabs().len() {
            0 => "no pages".to_owned(),
            1 => "1 page".to_owned(),
            count => format!("{count} pages"),
        };
        reply.say(format!("Closed the page ({}), {left} remaining", one_line(&page.url())));
        Ok(())
    }
}
