//! The tool that reads the current page as text.
use schemars::JsonSchema;
use serde::Deserialize;

use crate::Result;
use crate::browser::{ContentFormat, DownloadState};
use crate::error::Error;
use crate::mcp::call::Call;
use crate::mcp::describe::downloads;
use crate::mcp::page_text;
use crate::mcp::reply::Reply;
use crate::mcp::target;
use crate::mcp::tool::{Tool, ToolEffect};
use crate::pdf;

/// The default maximum number of characters of the page in an answer.
const USUAL_CHARS: usize = 20_000;

// The output format.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ReadFormat {
    #[default]
    Markdown,
    Text,
    Html,
}

/// Read the page as Markdown with tables and links. To act, use `browser_snapshot`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReadPage {
    /// Ref or selector of the part to read.
    pub r#ref: Option<String>,
    #[serde(default)]
    pub format: ReadFormat,
    /// Omit menus and footers.
    #[serde(default)]
    pub main_only: bool,
    /// Name of a downloaded PDF to read instead of the page.
    #[schemars(length(min = 1))]
    pub download: Option<String>,
    /// Start at this character.
    pub offset: Option<usize>,
    /// Default: 20000.
    #[schemars(range(min = 1))]
    pub max_chars: Option<usize>,
}

impl Tool for ReadPage {
    const NAME: &'static str = "browser_read";
    const TITLE: &'static str = "Read the page";
    const EFFECT: ToolEffect = ToolEffect::Reads;
    const FILE: Option<&'static str> = Some("md");

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        if let Some(name) = &self.download {
            let text = downloaded(call, name, self.format != ReadFormat::Text).await?;
            self.answer(call, &text, reply);
            return Ok(());
        }
        let page = call.acquire_page().await?;
        let part = match &self.r#ref {
            Some(text) => Some(target::find_element(call, &page, text).await?),
            None => None,
        };
        call.progress.set_message("reading the page");
        let format = match self.format {
            ReadFormat::Markdown => ContentFormat::Markdown,
            ReadFormat::Text => ContentFormat::Text,
            ReadFormat::Html => ContentFormat::Html,
        };
        let text = match &part {
            Some(part) => part.content(format).await?,
            None => page.content_with_frames(format, self.main_only).await?,
        };
        self.answer(call, &text, reply);
        Ok(())
    }
}

/// Returns the text of the newest downloaded PDF with this name.
async fn downloaded(call: &Call<'_>, name: &str, markdown: bool) -> Result<String> {
    let refused = |reason: &str| Error::File { path: name.to_owned(), reason: reason.to_owned() };
    let downloads = downloads(call);
    let download = downloads.iter().rev().find(|download| download.name == name);
    let DownloadState::Completed { path, .. } =
        &download.ok_or_else(|| refused("no download has this name"))?.state
    else {
        return Err(refused("the download is incomplete"));
    };
    let read = pdf::read_file(path).await.map_err(|reason| refused(&reason.to_string()))?;
    Ok(read.text(markdown))
}

impl ReadPage {
    fn answer(&self, call: &Call<'_>, text: &str, reply: &mut Reply) {
        // Redacts secrets first: after splitting, a part of a secret would not be recognised.
        let text = call.services.secrets().redact(text);
        let begin = self.offset.unwrap_or_default();
        if call.has_output_file() {
            let most = self.max_chars.unwrap_or(usize::MAX);
            reply.say(text.chars().skip(begin).take(most).collect::<String>());
            return;
        }
        let all = text.chars().count();
        let end = all.min(begin.saturating_add(self.max_chars.unwrap_or(USUAL_CHARS)));
        reply.raise_char_limit(end.saturating_sub(begin));
        let shown: String = text.chars().skip(begin).take(end.saturating_sub(begin)).collect();
        if shown.trim().is_empty() {
            reply.say(if begin > 0 {
                format!("The page ends after {all} characters.")
            } else {
                "There is nothing to read.".to_owned()
            });
            return;
        }
        reply.say(page_text::fenced(&shown, "text of the page"));
        if end < all {
            reply.say(format!("These are characters {begin} to {end} of {all}; go on with offset {end}."));
        }
    }
}
