//! The tool that searches the page for text (`browser_find`).
use schemars::JsonSchema;
use serde::Deserialize;

use crate::Result;
use crate::browser::{CollapsedText, Page, SnapshotTreeOptions};
use crate::error::{Error, quoted};
use crate::mcp::call::Call;
use crate::mcp::describe::{capture, show_snapshot};
use crate::mcp::reply::Reply;
use crate::mcp::target;
use crate::mcp::tool::{Tool, ToolEffect};
use crate::snapshot::{self, Pattern};

/// Search the whole page, including what a snapshot omits, for a text or regular expression. Returns matching lines
/// with refs.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Find {
    /// Case-insensitive text.
    #[schemars(length(min = 1))]
    pub text: Option<String>,
    /// Instead of text, for example (?i)save|submit.
    #[schemars(length(min = 1))]
    pub regex: Option<String>,
    /// Context lines. Default: 1.
    #[schemars(range(min = 0, max = 50))]
    pub around: Option<u32>,
}

impl Tool for Find {
    const NAME: &'static str = "browser_find";
    const TITLE: &'static str = "Search the page";
    const EFFECT: ToolEffect = ToolEffect::Reads;
    const FILE: Option<&'static str> = Some("yml");

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let pattern = self.pattern()?;
        let page = call.acquire_page().await?;
        let tree = capture(call, &page, SnapshotTreeOptions { all_refs: true, ..Default::default() }).await?;
        let options = call.snapshot_options();
        let around = self.around.unwrap_or(1) as usize;
        match snapshot::find(&tree, &pattern, around, options.usual_chars) {
            Some(found) => {
                show_snapshot(found, reply);
                reply.mark_as_partial();
            }
            None => reply.say(closed(call, &page, &pattern).await),
        }
        Ok(())
    }
}

/// The maximum number of texts in closed parts of the page that are listed.
const MOST_CLOSED: usize = 20;
/// The length at which a text in a closed part of the page is cut, in characters.
const LONGEST_CLOSED: usize = 200;

/// Lists matches in closed parts of the page, such as `details`, which a person's search (Ctrl+F) would open.
async fn closed(call: &Call<'_>, page: &Page, pattern: &Pattern) -> String {
    let mut lines = Vec::new();
    for frame in page.frames() {
        // A frame that cannot be read now is skipped.
        let texts = frame.collapsed_texts().await.unwrap_or_default();
        for CollapsedText { text, by } in texts.into_iter().filter(|closed| pattern.is_match(&closed.text)) {
            let by = by.map_or_else(
                || "hidden until it is found, and no control says that it opens it".to_owned(),
                |by| {
                    let reference = target::element_ref(call, page, &frame, by.number);
                    format!("opened by {} [ref={reference}]", target::words(&by.role, &by.name))
                },
            );
            lines.push(format!("- {}: {by}", quoted(&text, LONGEST_CLOSED)));
        }
    }
    if lines.is_empty() {
        return "Nothing on the page contains that.".to_owned();
    }
    let more = lines.len().saturating_sub(MOST_CLOSED);
    lines.truncate(MOST_CLOSED);
    if more > 0 {
        lines.push(format!("- and {more} more"));
    }
    format!("Nothing that is visible contains that. In closed parts of the page:\n{}", lines.join("\n"))
}

impl Find {
    fn pattern(&self) -> Result<Pattern> {
        let problem = match (&self.text, &self.regex) {
            (Some(text), None) => return Ok(Pattern::text(text)),
            (None, Some(regex)) => match Pattern::regex(regex) {
                Ok(pattern) => return Ok(pattern),
                Err(reason) => format!("`regex` cannot be read: {reason}"),
            },
            (Some(_), Some(_)) => "Give `text` or `regex`, not both".to_owned(),
            (None, None) => "`text` or `regex` is missing or empty".to_owned(),
        };
        Err(Error::InvalidArguments { problems: vec![problem] })
    }
}
