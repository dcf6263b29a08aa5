//! Looking at pages.
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::Result;
use crate::browser::CaptureOptions;
use crate::mcp::describe::{capture, show_snapshot, tell_unseen};
use crate::mcp::dispatch::Call;
use crate::mcp::reply::{Reply, View};
use crate::mcp::target;
use crate::mcp::tool::{Effect, Tool};
use crate::snapshot;

/// Show the page as an outline with a ref for each element. Better than a screenshot for acting on it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Snapshot {
    /// Show only this element and what is in it.
    pub r#ref: Option<String>,
    /// Levels to show.
    pub depth: Option<u32>,
    /// Where each element is: `[box=x,y,width,height]`.
    #[serde(default)]
    pub boxes: bool,
    /// Refs also for what is not for acting on: texts, groups, shapes of drawings.
    #[serde(default)]
    pub all_refs: bool,
}

impl Tool for Snapshot {
    const NAME: &'static str = "browser_snapshot";
    const TITLE: &'static str = "Show the page";
    const EFFECT: Effect = Effect::Reads;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let page = call.open_page().await?;
        let root = self.r#ref.as_deref().map(target::read).transpose()?;
        let root_frame = root.as_ref().map(|root| target::frame(call, &page, root)).transpose()?;
        if let Some(text) = &self.r#ref {
            target::element(call, &page, text).await?;
        }
        call.progress.say("reading the page");
        let from = root.as_ref().zip(root_frame.as_ref()).map(|(root, frame)| (frame.number(), root.element));
        let tree = capture(
            call,
            &page,
            CaptureOptions { boxes: self.boxes, all_refs: self.all_refs, root: from, ..Default::default() },
        )
        .await?;
        tell_unseen(&tree, reply);
        let rendered = snapshot::render(
            &tree,
            &snapshot::Options {
                max_chars: call.settings.snapshot_max_chars,
                depth: self.depth.map(|depth| depth as usize),
                boxes: self.boxes,
                all_refs: self.all_refs,
                root: None,
            },
        );
        if rendered.text.trim().is_empty() && rendered.cut.is_none() {
            reply.say("There is nothing to see.");
        }
        show_snapshot(rendered, reply);
        if root.is_none() {
            let told = if self.all_refs { Arc::new(tree.without_extra()) } else { tree };
            call.told.lock().set_tree(&page, told);
        }
        reply.show(View::Page);
        Ok(())
    }
}
