//! A page as something to read: text, HTML, or Markdown with the main content first.
use std::sync::LazyLock;

use htmd::HtmlToMarkdown;
use serde::Deserialize;

use super::page::Page;
use super::world::{Scope, value_argument};
use crate::error::{Error, Result};

const READ: &str = include_str!("injected/read.js");

/// Stands between the main content and what is around it.
const REST: &str = "\n\n*The rest of the page:*\n\n---\n\n";

/// How a page is written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ContentFormat {
    /// What is visible, without structure.
    Text,
    /// What is visible, with headings, lists, tables, code and links. The main content comes first.
    #[default]
    Markdown,
    /// The document as it stands.
    Html,
}

#[derive(Deserialize)]
struct Readable {
    main: String,
    rest: String,
}

impl Page {
    /// Reads the main frame's document.
    pub async fn content(&self, format: ContentFormat) -> Result<String> {
        match format {
            ContentFormat::Text => Ok(tidy(&self.read("text").await?)),
            ContentFormat::Html => self.read("html").await,
            ContentFormat::Markdown => {
                let unreadable =
                    |reason: String| Error::Unreadable { method: "the page's structure", reason };
                let readable = self.read("readable").await?;
                let readable: Readable =
                    serde_json::from_str(&readable).map_err(|error| unreadable(error.to_string()))?;
                markdown(&readable).map_err(|error| unreadable(error.to_string()))
            }
        }
    }

    async fn read(&self, kind: &'static str) -> Result<String> {
        let frame = self.main_frame();
        let read = frame.evaluate(READ, vec![value_argument(&kind)], Scope::Isolated).await?;
        Ok(read.as_str().unwrap_or_default().to_owned())
    }
}

fn markdown(readable: &Readable) -> std::io::Result<String> {
    static CONVERTER: LazyLock<HtmlToMarkdown> = LazyLock::new(HtmlToMarkdown::new);
    let parts = [&readable.main, &readable.rest];
    let parts = parts.map(|html| CONVERTER.convert(html).map(|text| tidy(&text)));
    let parts = parts.into_iter().collect::<Result<Vec<_>, _>>()?;
    Ok(parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(REST))
}

/// At most one empty line in a row, and no blanks at the ends of lines.
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
