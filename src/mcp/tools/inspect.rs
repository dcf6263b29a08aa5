//! Looking at pages.
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::Result;
use crate::browser::{CaptureOptions, Page};
use crate::mcp::describe::{capture, show_snapshot};
use crate::mcp::dispatch::Call;
use crate::mcp::reply::{Reply, View};
use crate::mcp::target;
use crate::mcp::tool::{Effect, Tool};
use crate::snapshot::{self, Ref, Tree};

/// Show the page as an outline with a ref for each element: all of it, where other tools only tell what changed, or one part.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Snapshot {
    /// Show only this element and what is in it; of a heading, its section; or a stretch such as e12-e40.
    pub r#ref: Option<String>,
    /// Levels to show.
    pub depth: Option<u32>,
    /// Where each element is: `[box=x,y,width,height]`.
    #[serde(default)]
    pub boxes: bool,
    /// Refs also for elements that are not for acting on.
    #[serde(default)]
    pub all_refs: bool,
}

impl Tool for Snapshot {
    const NAME: &'static str = "browser_snapshot";
    const TITLE: &'static str = "Show the page";
    const EFFECT: Effect = Effect::Reads;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let page = call.open_page().await?;
        let part = self.r#ref.as_deref().map(Stretch::read).transpose()?;
        if let Some(part) = &part {
            part.check(call, &page).await?;
        }
        call.progress.say("reading the page");
        let tree = match &part {
            Some(part) => part.capture(call, &page, self.boxes).await?,
            None => capture(call, &page, CaptureOptions { boxes: self.boxes, ..Default::default() }).await?,
        };
        let stands = |root: &&Ref| tree.position(root).is_some();
        let rendered = snapshot::render(
            &tree,
            &snapshot::Options {
                max_chars: call.settings.snapshot_max_chars,
                depth: self.depth.map(|depth| depth as usize),
                boxes: self.boxes,
                all_refs: self.all_refs,
                root: part.as_ref().map(|part| &part.from).filter(stands).cloned(),
                until: part.as_ref().and_then(|part| part.until.as_ref()).filter(stands).cloned(),
                ..Default::default()
            },
        );
        if rendered.text.trim().is_empty() && rendered.cut.is_none() {
            reply.say("There is nothing to see.");
        }
        show_snapshot(rendered, reply);
        if part.is_none() {
            call.told.lock().set_tree(&page, tree);
        }
        reply.show(View::Page);
        Ok(())
    }
}

/// What a ref, or two, ask to be shown.
struct Stretch {
    from: Ref,
    until: Option<Ref>,
}

impl Stretch {
    fn read(text: &str) -> Result<Self> {
        let both = text.split_once('-').map(|(from, until)| (target::read(from), target::read(until)));
        match both {
            Some((Ok(from), Ok(until))) => Ok(Self { from, until: Some(until) }),
            _ => Ok(Self { from: target::read(text)?, until: None }),
        }
    }

    /// Fails when an element is gone.
    async fn check(&self, call: &Call<'_>, page: &Page) -> Result<()> {
        for reference in std::iter::once(&self.from).chain(&self.until) {
            target::element(call, page, &reference.to_string()).await?;
        }
        Ok(())
    }

    /// One element is read alone; what is around it must be read for a section, or for a stretch.
    async fn capture(&self, call: &Call<'_>, page: &Page, boxes: bool) -> Result<Arc<Tree>> {
        let frame = target::frame(call, page, &self.from)?;
        let options =
            CaptureOptions { boxes, root: Some((frame.number(), self.from.element)), ..Default::default() };
        let tree = capture(call, page, options).await?;
        let is_heading = tree.nodes().first().is_some_and(|node| node.role == "heading");
        if !is_heading && self.until.is_none() {
            return Ok(tree);
        }
        let all = capture(call, page, CaptureOptions { boxes, ..Default::default() }).await?;
        Ok(if all.position(&self.from).is_some() { all } else { tree })
    }
}
