//! The content of a page as text, HTML, or Markdown with the main content first.
use std::sync::LazyLock;
use std::time::Duration;

use futures_util::future::join_all;
use htmd::HtmlToMarkdown;
use serde::Deserialize;
use tokio::time::timeout;

use super::pdf_text::{pdf_of, unreadable_pdf};
use crate::browser::elements::closed_roots::learn_closed_roots;
use crate::browser::elements::element::ElementHandle;
use crate::browser::elements::settle::BUILDING_LIMIT;
use crate::browser::objects::frame::Frame;
use crate::browser::objects::journal::JournalMark;
use crate::browser::objects::page::Page;
use crate::browser::objects::world::{ScriptWorld, value_argument};
use crate::error::{Error, Result};
use crate::json::decode;

const READ: &str = include_str!("../injected/read.js");

/// The separator between the main content and the rest in Markdown.
const REST: &str = "\n\n*The rest of the page:*\n\n---\n\n";
/// The separator between the main content and the rest in plain text.
const REST_OF_TEXT: &str = "\n\n---\n\n";

/// The separator before the content of a child frame.
const FRAME: &str = "\n\n*In a frame:*\n\n---\n\n";
/// The maximum number of child frames that are read.
const MOST_FRAMES: usize = 20;
/// The time limit for reading each child frame.
const FRAME_LIMIT: Duration = Duration::from_secs(1);
/// The minimum area of a child frame that is read, in square CSS pixels.
const LEAST_FRAME: f64 = 10_000.0;

/// The format of a page's content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, strum::EnumString)]
#[strum(serialize_all = "lowercase")]
pub enum ContentFormat {
    /// The visible text, without structure.
    Text,
    /// The visible text with headings, lists, tables, code and links. The main content comes first.
    #[default]
    Markdown,
    /// The HTML of the document.
    Html,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Readable {
    main: String,
    rest: String,
    /// Whether the document is a PDF, whose text scripts cannot see.
    pdf: bool,
}

impl Page {
    /// Returns the content of the main frame's document.
    pub async fn content(&self, format: ContentFormat) -> Result<String> {
        read(self.main_frame(), None, format, false).await
    }

    /// Waits, at most 5 s, until the document has built its content. Returns it as `content_with_frames` does.
    pub async fn built_content(&self, format: ContentFormat) -> Result<String> {
        self.until_content_built(JournalMark::BEGINNING, BUILDING_LIMIT).await;
        self.content_with_frames(format, false).await
    }

    /// Returns the content of the main frame's document, followed by that of visible child frames. With
    /// `main_only`, returns only the main content, if the page marks one.
    pub async fn content_with_frames(&self, format: ContentFormat, main_only: bool) -> Result<String> {
        let mut text = read(self.main_frame(), None, format, main_only).await?;
        if main_only || format == ContentFormat::Html {
            return Ok(text);
        }
        let inner: Vec<_> = self
            .frames()
            .into_iter()
            .filter(|frame| frame != self.main_frame() && !is_viewer(frame))
            .collect();
        let read =
            inner.iter().take(MOST_FRAMES).map(|frame| timeout(FRAME_LIMIT, seen_content(frame, format)));
        for content in join_all(read).await {
            // Skip a frame that does not answer in time or was removed.
            if let Ok(Ok(Some(content))) = content {
                text.push_str(FRAME);
                text.push_str(&content);
            }
        }
        Ok(text)
    }
}

impl ElementHandle {
    /// Returns the content of the element; for an `<iframe>`, that of its document.
    pub async fn content(&self, format: ContentFormat) -> Result<String> {
        match self.content_frame().await? {
            Some(frame) => read(&frame, None, format, false).await,
            None => read(self.frame(), Some(self), format, false).await,
        }
    }
}

/// Whether a frame is part of the browser's PDF viewer. The text of a PDF is read from its file instead.
fn is_viewer(frame: &Frame) -> bool {
    const VIEWER: &str = "chrome-extension://mhjfbmdgcfjbbpaeojofohoefgiehjai/";
    let outer = std::iter::successors(Some(frame), |frame| frame.parent());
    outer.into_iter().any(|frame| frame.url().starts_with(VIEWER))
}

/// Returns the content of a child frame; `None` if it is too small or empty.
async fn seen_content(frame: &Frame, format: ContentFormat) -> Result<Option<String>> {
    let Some((world, owner)) = frame.owner_element().await? else { return Ok(None) };
    let size = ElementHandle::new(world, owner).bounding_box().await?;
    if size.is_none_or(|size| size.width * size.height < LEAST_FRAME) {
        return Ok(None);
    }
    let text = read(frame, None, format, false).await?;
    Ok(Some(text).filter(|text| !text.is_empty()))
}

async fn read(
    frame: &Frame,
    part: Option<&ElementHandle>,
    format: ContentFormat,
    main_only: bool,
) -> Result<String> {
    let kind = match format {
        ContentFormat::Text => "text",
        ContentFormat::Html => "html",
        ContentFormat::Markdown => "readable",
    };
    let mut arguments = vec![value_argument(&kind)];
    arguments.extend(part.map(|part| part.handle().argument()));
    let page = frame.page()?;
    let asked = async {
        if format != ContentFormat::Html {
            learn_closed_roots(&frame.utility_world().await?).await?;
        }
        frame.evaluate(READ, arguments, ScriptWorld::Isolated).await
    };
    let read = page.fail_on_dialog(asked).await?.as_str().unwrap_or_default().to_owned();
    if format == ContentFormat::Html {
        return Ok(read);
    }
    let unreadable = |reason: String| Error::Unreadable { method: "the page's structure", reason };
    let mut readable: Readable = decode(read.as_bytes()).map_err(|error| unreadable(error.to_string()))?;
    if readable.pdf {
        return Ok(match &*pdf_of(frame).await {
            Ok(document) => document.text(format == ContentFormat::Markdown),
            Err(reason) => unreadable_pdf(reason),
        });
    }
    if main_only && !readable.main.is_empty() {
        readable.rest.clear();
    }
    if format == ContentFormat::Text {
        return Ok(joined([tidy(&readable.main), tidy(&readable.rest)], REST_OF_TEXT));
    }
    markdown(&readable).map_err(|error| unreadable(error.to_string()))
}

/// Joins the non-empty parts with the separator `between`.
fn joined(parts: [String; 2], between: &str) -> String {
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(between)
}

fn markdown(readable: &Readable) -> std::io::Result<String> {
    static CONVERTER: LazyLock<HtmlToMarkdown> = LazyLock::new(HtmlToMarkdown::new);
    let parts = [&readable.main, &readable.rest];
    let parts = parts.map(|html| CONVERTER.convert(html).map(|text| tidy(&text)));
    let [main, rest] = parts;
    Ok(joined([main?, rest?], REST))
}

/// Removes repeated empty lines and trailing whitespace.
fn tidy(text: &str) -> String {
    let mut tidied = String::with_capacity(text.len());
    let mut empty = 0;
    for line in text.lines().map(str::trim_end) {
        empty = if line.is_empty() { empty + 1 } else { 0 };
        if empty < 2 {
            tidied.push_str(line);
            tidied.push('\n');
        }
    }
    tidied.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn structure_survives_and_the_main_content_comes_first() {
        let readable = Readable {
            main: "<div><h1>Report</h1><p>See <a href=\"http://a.example/x\">this</a>.</p>\
                   <table><thead><tr><th>Name</th><th>Size</th></tr></thead>\
                   <tbody><tr><td>a</td><td>1</td></tr></tbody></table>\
                   <pre><code class=\"language-rust\">let x = 1;\nlet y = 2;</code></pre>\
                   <ul><li>one</li><li>two</li></ul></div>"
                .to_owned(),
            rest: "<div>Home</div>".to_owned(),
            ..Readable::default()
        };
        let text = markdown(&readable).unwrap();
        for part in [
            "# Report",
            "[this](http://a.example/x)",
            "| Name",
            "```rust\nlet x = 1;\nlet y = 2;\n```",
            "one",
        ] {
            assert!(text.contains(part), "{part} in:\n{text}");
        }
        assert!(text.ends_with("---\n\nHome"), "{text}");
    }

    #[test]
    fn empty_lines_do_not_pile_up() {
        assert_eq!(tidy("\n a  \n\n\n\nb\n \n"), "a\n\nb");
    }
}
