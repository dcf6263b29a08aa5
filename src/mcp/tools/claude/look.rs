//! Tools of Claude's toolset that read: screenshots, text, console, network.
use schemars::JsonSchema;
use serde::Deserialize;

use super::{FAMILY, wrong};
use crate::Result;
use crate::browser::{Area, ConsoleMessage, Page, RequestEntry, SnapshotTreeOptions};
use crate::mcp::call::Call;
use crate::mcp::describe::{capture, report_unseen, show_snapshot};
use crate::mcp::page_text::{inline_url, line_or_json};
use crate::mcp::reply::{PageDetail, Reply};
use crate::mcp::target;
use crate::mcp::tool::{Tool, ToolEffect, ToolsetTraits};
use crate::mcp::tools::evidence::{LARGEST_SCALE, LONGEST_SIDE};
use crate::mcp::tools::{read, screenshot};
use crate::snapshot::{self, Tree};

/// The default depth of the outline that `read_page` returns.
const USUAL_DEPTH: u32 = 15;
/// The maximum number of characters that `read_page` and `get_page_text` return.
const MOST_CHARS: usize = 50_000;
/// The maximum number of elements that `find` returns.
const MOST_FOUND: usize = 20;

/// Take a screenshot of the viewport. Other tools take its coordinates.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Screenshot {}

impl Tool for Screenshot {
    const NAME: &'static str = "screenshot";
    const TITLE: &'static str = "Take a screenshot";
    const EFFECT: ToolEffect = ToolEffect::Reads;
    const FAMILY: &'static ToolsetTraits = FAMILY;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let page = call.acquire_page().await?;
        // At scale 1, coordinates in the screenshot are viewport coordinates, which the other tools accept.
        let picture = screenshot::shown(&page, Area::Viewport, Some(1.0)).await?;
        let [_, _, width, height] = picture.area;
        reply.say(format!("The viewport, {width}x{height}"));
        screenshot::include(picture, reply);
        Ok(())
    }
}

/// Take an enlarged screenshot of a region of the viewport, to read small details.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Zoom {
    /// x, y of the upper left and lower right corner.
    #[schemars(length(min = 4, max = 4))]
    pub region: Vec<f64>,
}

impl Tool for Zoom {
    const NAME: &'static str = "zoom";
    const TITLE: &'static str = "Zoom in";
    const EFFECT: ToolEffect = ToolEffect::Reads;
    const FAMILY: &'static ToolsetTraits = FAMILY;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let problem = "`region` must be x0, y0, x1 and y1 in the viewport, the second corner right of and below the first";
        let [x, y, right, bottom] = self.region[..] else { return Err(wrong(problem)) };
        let page = call.acquire_page().await?;
        let (width, height) = page.measure_viewport_size().await?;
        let is_inside = x >= 0.0 && y >= 0.0 && right <= width && bottom <= height;
        if !is_inside || right - x < 1.0 || bottom - y < 1.0 {
            return Err(wrong(&format!("{problem}; the viewport is {width}x{height}")));
        }
        let (across, down) = (right - x, bottom - y);
        let scale = (f64::from(LONGEST_SIDE) / across.max(down)).clamp(1.0, LARGEST_SCALE);
        let picture = screenshot::shown(&page, Area::Part([x, y, across, down]), Some(scale)).await?;
        let scale = picture.scale;
        reply.say(format!("{x},{y} to {right},{bottom}, {scale:.2} times as large"));
        screenshot::add(picture, reply);
        Ok(())
    }
}

/// Which elements to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Filter {
    All,
    Interactive,
}

/// Read the viewport as an outline with refs. filter all: the whole page; interactive: only interactive elements.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct ReadPage {
    pub filter: Option<Filter>,
    /// Maximum depth. Default: 15.
    #[schemars(range(min = 1, max = 1000))]
    pub depth: Option<u32>,
    /// Read only this element.
    #[schemars(length(min = 1))]
    pub r#ref: Option<String>,
}

impl Tool for ReadPage {
    const NAME: &'static str = "read_page";
    const TITLE: &'static str = "Read the page";
    const EFFECT: ToolEffect = ToolEffect::Reads;
    const FAMILY: &'static ToolsetTraits = FAMILY;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let page = call.acquire_page().await?;
        let root = match &self.r#ref {
            Some(text) => Some(target::find(call, &page, text).await?.reference),
            None => None,
        };
        let main = page.main_frame().number();
        let part = root.as_ref().map(|root| (root.frame.unwrap_or(main), root.element));
        let options = SnapshotTreeOptions { boxes: true, root: part, ..SnapshotTreeOptions::default() };
        let tree = capture(call, &page, options).await?;
        report_unseen(&tree, reply);
        let shown = match self.filter {
            Some(Filter::All) => Tree::clone(&tree),
            Some(Filter::Interactive) => tree.only_controls(),
            None if root.is_some() => Tree::clone(&tree),
            None => {
                let (width, height) = page.measure_viewport_size().await?;
                tree.only_in_viewport(width, height)
            }
        };
        let root = root.filter(|root| shown.index_of_ref(root).is_some());
        let options = snapshot::Options {
            depth: Some(self.depth.unwrap_or(USUAL_DEPTH) as usize),
            root,
            usual_chars: MOST_CHARS,
            max_chars: MOST_CHARS,
            ..snapshot::Options::default()
        };
        let rendered = snapshot::render(&shown, &options);
        if rendered.text.trim().is_empty() && rendered.cut.is_none() {
            reply.say("There is nothing to see.");
        }
        show_snapshot(rendered, reply);
        if part.is_none() {
            call.kept.seen.lock().set_tree(&page, tree);
        }
        reply.show_at_least(PageDetail::Page);
        Ok(())
    }
}

/// Find up to 20 elements by name or purpose, for example search bar or add to cart button. Returns refs.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Find {
    #[schemars(length(min = 1))]
    pub query: String,
}

impl Tool for Find {
    const NAME: &'static str = "find";
    const TITLE: &'static str = "Find elements";
    const EFFECT: ToolEffect = ToolEffect::Reads;
    const FAMILY: &'static ToolsetTraits = FAMILY;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let page = call.acquire_page().await?;
        let tree = capture(call, &page, SnapshotTreeOptions { all_refs: true, ..Default::default() }).await?;
        let found = snapshot::rank(&tree, &self.query, MOST_FOUND);
        let lines: Vec<_> = found
            .into_iter()
            .map(|node| format!("{} {} [ref={}]", node.role, snapshot::quoted(&node.name), tree.ref_of(node)))
            .collect();
        reply.say(match lines.is_empty() {
            true => "Nothing on the page is called so; read_page shows what there is.".to_owned(),
            false => lines.join("\n"),
        });
        reply.show_at_least(PageDetail::Page);
        Ok(())
    }
}

/// Read the main text of the page.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct GetPageText {}

impl Tool for GetPageText {
    const NAME: &'static str = "get_page_text";
    const TITLE: &'static str = "Read the text";
    const EFFECT: ToolEffect = ToolEffect::Reads;
    const FAMILY: &'static ToolsetTraits = FAMILY;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let text = read::ReadPage {
            r#ref: None,
            format: read::ReadFormat::Text,
            main_only: true,
            download: None,
            offset: None,
            max_chars: Some(MOST_CHARS),
        };
        Box::pin(text.call(call, reply)).await
    }
}

/// Read console messages since the last call.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct ReadConsole {}

impl Tool for ReadConsole {
    const NAME: &'static str = "read_console";
    const TITLE: &'static str = "Read the console";
    const EFFECT: ToolEffect = ToolEffect::Reads;
    const FAMILY: &'static ToolsetTraits = FAMILY;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let page = call.acquire_page().await?;
        let messages = page.console_messages().await?;
        let key = format!("console {}", page.main_frame().loader_id());
        let count = u64::try_from(messages.len()).unwrap_or(u64::MAX);
        let read = call.kept.read.lock().insert(key, count).unwrap_or_default();
        let fresh = messages.iter().skip(usize::try_from(read).unwrap_or(usize::MAX));
        say_lines(fresh.map(logged).collect(), "No new console messages.", reply);
        Ok(())
    }
}

fn logged(message: &ConsoleMessage) -> String {
    let level: &str = message.level.into();
    let place = match message.url.is_empty() {
        true => String::new(),
        false => format!(" ({}:{})", inline_url(&message.url), message.line),
    };
    format!("[{level}] {}{place}", line_or_json(&message.text))
}

/// Read network requests since the last call: method, URL, status, kind, time.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct ReadNetwork {}

impl Tool for ReadNetwork {
    const NAME: &'static str = "read_network";
    const TITLE: &'static str = "Read the requests";
    const EFFECT: ToolEffect = ToolEffect::Reads;
    const FAMILY: &'static ToolsetTraits = FAMILY;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let page: Page = call.current_page()?;
        let key = format!("network {}", page.id());
        let read = call.kept.read.lock().get(&key).copied().unwrap_or_default();
        let (lines, last) = page.with_network(|network| {
            let fresh = network.entries().filter(|entry| entry.number >= read);
            let last = network.entries().map(|entry| entry.number + 1).max().unwrap_or(read);
            (fresh.map(asked).collect::<Vec<_>>(), last.max(read))
        });
        call.kept.read.lock().insert(key, last);
        say_lines(lines, "Nothing was asked for since.", reply);
        Ok(())
    }
}

fn asked(entry: &RequestEntry) -> String {
    let outcome = match (&entry.response, &entry.failure) {
        (_, Some(failure)) => format!("failed: {}", line_or_json(failure)),
        (Some(response), None) => format!("{} {}", response.status, line_or_json(&response.mime_type)),
        (None, None) => "pending".to_owned(),
    };
    let time = entry.ended.map(|ended| format!(" {:.0} ms", ((ended - entry.started) * 1000.0).max(0.0)));
    format!(
        "{} {} {outcome}{}",
        line_or_json(&entry.method),
        inline_url(&entry.url),
        time.unwrap_or_default()
    )
}

fn say_lines(lines: Vec<String>, none: &str, reply: &mut Reply) {
    reply.say(if lines.is_empty() { none.to_owned() } else { lines.join("\n") });
}
