//! The tool that shows a snapshot of the page (`browser_snapshot`).
use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::Result;
use crate::browser::{Page, SnapshotTreeOptions};
use crate::mcp::call::{Call, still_loading};
use crate::mcp::describe::{capture, report_drawn, report_unseen, show_snapshot};
use crate::mcp::reply::{PageDetail, Reply};
use crate::mcp::target;
use crate::mcp::tool::{Tool, ToolEffect};
use crate::snapshot::{self, Ref, Tree};

/// How long an empty page may take to build its content.
const BUILDING_LIMIT: Duration = Duration::from_secs(5);

/// Show the page, or the element `ref`, as an outline with refs. With `ref` or `filename`, links have URLs.
/// Actions return only what changed.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Snapshot {
    /// Show only this element (for a heading, its section) or a range such as e12-e40.
    pub r#ref: Option<String>,
    /// Maximum depth.
    pub depth: Option<u32>,
    /// Show the unabridged snapshot from this character on.
    pub offset: Option<u32>,
    /// Add each element's `[box=x,y,width,height]`.
    #[serde(default)]
    pub boxes: bool,
    /// Add refs to texts, groups and shapes.
    #[serde(default)]
    pub all_refs: bool,
}

impl Tool for Snapshot {
    const NAME: &'static str = "browser_snapshot";
    const TITLE: &'static str = "Show the page";
    const EFFECT: ToolEffect = ToolEffect::Reads;
    const FILE: Option<&'static str> = Some("yml");

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let page = call.acquire_page().await?;
        let part = match &self.r#ref {
            Some(text) => Some(SnapshotRange::find(call, &page, text).await?),
            None => None,
        };
        call.progress.set_message("reading the page");
        let options = self.capture_options();
        let tree = match &part {
            Some(part) => part.capture(call, &page, options).await?,
            None => self.capture(call, &page, options, reply).await?,
        };
        let stands = |root: &&Ref| tree.index_of_ref(root).is_some();
        let options = snapshot::Options {
            root: part.as_ref().map(|part| &part.from).filter(stands).cloned(),
            until: part.as_ref().and_then(|part| part.until.as_ref()).filter(stands).cloned(),
            ..self.options(call)
        };
        if let Some(tree) = self.show(tree, &options, part.is_some(), call, reply) {
            let mut seen = call.kept.seen.lock();
            // With all refs, names contain icons: later changes are compared with the usual snapshot before.
            let is_known = seen.shown(&page).is_some_and(|known| known.tree.document == tree.document);
            if !(self.all_refs && is_known) {
                seen.set_tree(&page, tree);
            }
        }
        reply.show_at_least(PageDetail::Page);
        Ok(())
    }
}

impl Snapshot {
    pub(in crate::mcp) fn capture_options(&self) -> SnapshotTreeOptions {
        SnapshotTreeOptions { boxes: self.boxes, all_refs: self.all_refs, ..SnapshotTreeOptions::default() }
    }

    pub(in crate::mcp) fn options(&self, call: &Call<'_>) -> snapshot::Options {
        snapshot::Options {
            depth: self.depth.map(|depth| depth as usize),
            boxes: self.boxes,
            all_refs: self.all_refs,
            cells: self.all_refs,
            addresses: self.r#ref.is_some(),
            ..call.snapshot_options()
        }
    }

    /// Adds the snapshot to the answer. Returns the tree with which later changes are compared; `None` if the
    /// answer contains only a part of the page, or is written to a file.
    pub(in crate::mcp) fn show(
        &self,
        tree: Arc<Tree>,
        options: &snapshot::Options,
        is_part: bool,
        call: &Call<'_>,
        reply: &mut Reply,
    ) -> Option<Arc<Tree>> {
        report_unseen(&tree, reply);
        let rendered = match self.offset {
            Some(offset) => snapshot::render_from_offset(&tree, options, offset as usize),
            None => snapshot::render(&tree, options),
        };
        if rendered.text.trim().is_empty() && rendered.cut.is_none() {
            reply.say("There is nothing to see.");
        }
        show_snapshot(rendered, reply);
        if is_part {
            reply.mark_as_partial();
        } else if !self.all_refs {
            report_drawn(&tree, reply);
        }
        let tree_seen = if self.all_refs { Arc::new(tree.without_all_refs_nodes()) } else { tree };
        (!is_part && !call.has_output_file()).then_some(tree_seen)
    }

    /// Captures the page. If it is empty, waits for content, and reports if it is still loading then.
    async fn capture(
        &self,
        call: &Call<'_>,
        page: &Page,
        options: SnapshotTreeOptions,
        reply: &mut Reply,
    ) -> Result<Arc<Tree>> {
        let mark = page.mark();
        let tree = capture(call, page, options).await?;
        if !tree.is_blank() {
            return Ok(tree);
        }
        let still = page.until_content_built(mark, BUILDING_LIMIT).await;
        let tree = capture(call, page, options).await?;
        if !still.is_empty() && tree.is_blank() {
            reply.add_event(still_loading(&still));
        }
        Ok(tree)
    }
}

/// The part of the page that the argument `ref` selects: by one ref, or by a range such as `e12-e40`.
struct SnapshotRange {
    from: Ref,
    until: Option<Ref>,
}

impl SnapshotRange {
    /// Resolves the refs. Fails if an element is gone.
    async fn find(call: &Call<'_>, page: &Page, text: &str) -> Result<Self> {
        let is_ref = |text: &str| text.parse::<Ref>().is_ok();
        let (from, until) = match text.split_once('-') {
            Some((from, until)) if is_ref(from) && is_ref(until) => (from, Some(until)),
            _ => (text, None),
        };
        let from = target::find(call, page, from).await?.reference;
        let until = match until {
            Some(until) => Some(target::find(call, page, until).await?.reference),
            None => None,
        };
        Ok(Self { from, until })
    }

    /// Captures only the selected element, or the full page for a heading's section or a range of refs.
    async fn capture(&self, call: &Call<'_>, page: &Page, whole: SnapshotTreeOptions) -> Result<Arc<Tree>> {
        let frame = self.from.frame.unwrap_or(page.main_frame().number());
        let root = Some((frame, self.from.element));
        let options = SnapshotTreeOptions { root, ..whole };
        let tree = capture(call, page, options).await?;
        let is_heading = tree.nodes().first().is_some_and(|node| node.role == "heading");
        if !is_heading && self.until.is_none() {
            return Ok(tree);
        }
        let all = capture(call, page, whole).await?;
        Ok(if all.index_of_ref(&self.from).is_some() { all } else { tree })
    }
}
