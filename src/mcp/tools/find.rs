//! Searching in what a snapshot would show.
use schemars::JsonSchema;
use serde::Deserialize;

use crate::Result;
use crate::browser::CaptureOptions;
use crate::mcp::describe::{capture, show_snapshot};
use crate::mcp::dispatch::Call;
use crate::mcp::reply::{Reply, View};
use crate::mcp::tool::{Capability, Effect, Tool};
use crate::snapshot;

/// Find lines of the page's snapshot that contain a text, with the lines around them.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Find {
    /// Upper and lower case are the same.
    #[schemars(length(min = 1))]
    pub text: String,
    /// Lines to show around each; 2 when left out.
    #[schemars(range(min = 0, max = 50))]
    pub around: Option<u32>,
}

impl Tool for Find {
    const NAME: &'static str = "browser_find";
    const TITLE: &'static str = "Search the page";
    const EFFECT: Effect = Effect::Reads;
    const CAPABILITY: Capability = Capability::Find;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let page = call.open_page().await?;
        let tree = capture(call, &page, CaptureOptions::default()).await?;
        let around = self.around.unwrap_or(2) as usize;
        match snapshot::find(&tree, &self.text, around, call.settings.snapshot_max_chars) {
            Some(found) => show_snapshot(found, reply),
            None => reply.say("Nothing on the page contains that."),
        }
        reply.show(View::Page);
        Ok(())
    }
}
