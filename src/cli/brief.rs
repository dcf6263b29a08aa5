//! An answer as a shell shows it: the same words as over MCP, without headings, with short refs and the names of verbs.
use serde_json::{Value, json};

use super::verbs::translated;
use crate::mcp::reply::Reply;

/// The page that refs are short for.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Place {
    pub context: u32,
    pub page: u32,
    /// The number of the main frame, whose refs need not say it.
    pub frame: u32,
}

/// The file that holds the whole page.
#[derive(Debug, Clone)]
pub(super) struct PageFile {
    /// As it is named from where the person is.
    pub path: String,
    pub lines: usize,
    /// Whether the answer shows less than it.
    pub holds_more: bool,
}

/// The answer in plain lines.
pub(super) fn text(reply: &Reply, place: Place, file: Option<&PageFile>) -> String {
    let mut lines = Vec::new();
    for (name, texts) in reply.sections() {
        let text = texts.join("\n");
        lines.push(match name {
            "Error" => format!("Error ({}): {}", reply.error_code().unwrap_or("error"), translated(&text)),
            "Page" => text.lines().map(|line| line.trim_start_matches("- ")).collect::<Vec<_>>().join("\n"),
            "Snapshot" | "Came into view" => without_fence(&text),
            "Result" => result(&text),
            _ => translated(&text),
        });
    }
    if let Some(file) = file.filter(|file| file.holds_more) {
        lines.push(format!("Whole page: {} ({} lines)", file.path, file.lines));
    }
    short(&lines.join("\n"), place)
}

/// The answer for programs.
pub(super) fn object(reply: &Reply, place: Place, file: Option<&PageFile>) -> Value {
    let mut object = json!({ "ok": !reply.is_error() });
    for (name, texts) in reply.sections() {
        let (key, text) = (name.to_ascii_lowercase().replace(' ', "_"), texts.join("\n"));
        object[key] = match name {
            "Error" => json!({ "code": reply.error_code(), "message": short(&translated(&text), place) }),
            "Page" => continue,
            "Snapshot" | "Came into view" => short(&without_fence(&text), place).into(),
            "Result" => result(&text).into(),
            _ => texts.iter().map(|text| short(&translated(text.trim_start_matches("- ")), place)).collect(),
        };
    }
    if let Some(page) = reply.page() {
        object["page"] = json!({
            "url": page.url,
            "title": page.title,
            "status": page.status.as_ref().map(|(code, _)| code),
        });
    }
    if let Some(structured) = reply.structured() {
        object["structured"] = structured.clone();
    }
    if let Some(file) = file {
        object["page_file"] = file.path.clone().into();
    }
    object
}

/// The page as it stands in its file.
pub(super) fn outline(text: &str, place: Place) -> String {
    short(text, place)
}

/// What a page or a script answered is not ours to change; which step failed is.
fn result(text: &str) -> String {
    let is_ours = |line: &str| line.starts_with("Step ") && line.ends_with(" failed; the rest was not done.");
    let lines = text.split('\n').map(|line| if is_ours(line) { translated(line) } else { line.to_owned() });
    lines.collect::<Vec<_>>().join("\n")
}

fn without_fence(text: &str) -> String {
    let text = text.strip_prefix("```yaml\n").unwrap_or(text);
    match text.rsplit_once("\n```") {
        Some((outline, note)) => format!("{outline}{}", translated(note)),
        None => text.to_owned(),
    }
}

/// Writes refs of this page as `e12`, or `f3e12` in a frame. What stands in quotes was written by a page and stays.
fn short(text: &str, place: Place) -> String {
    let prefix = format!("c{}p{}f", place.context, place.page);
    let main = format!("{}e", place.frame);
    let mut written = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        for (part, is_quoted) in parts(line) {
            if is_quoted {
                written.push_str(part);
                continue;
            }
            let mut pieces = part.split(&prefix);
            written.push_str(pieces.next().unwrap_or_default());
            for piece in pieces {
                let is_main = piece.starts_with(&main);
                written.push_str(if is_main { "e" } else { "f" });
                written.push_str(if is_main { &piece[main.len()..] } else { piece });
            }
        }
    }
    written
}

/// What stands outside of quotes and in them, in turn.
fn parts(line: &str) -> impl Iterator<Item = (&str, bool)> {
    let mut rest = line;
    let mut is_quoted = false;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = if is_quoted { end_of_quotation(rest) } else { rest.find('"').unwrap_or(rest.len()) };
        let (part, after) = rest.split_at(end);
        rest = after;
        let told = (part, is_quoted);
        is_quoted = !is_quoted;
        Some(told)
    })
}

/// Behind the closing quote of a text that begins with one.
fn end_of_quotation(text: &str) -> usize {
    let mut escaped = false;
    for (at, letter) in text.char_indices().skip(1) {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLACE: Place = Place { context: 0, page: 1, frame: 0 };

    #[test]
    fn refs_of_this_page_are_short_and_those_of_others_whole() {
        for (long, expected) in [
            ("- button \"Go\" [ref=c0p1f0e12]", "- button \"Go\" [ref=e12]"),
            ("- link [ref=c0p1f3e4]: c0p0f0e5", "- link [ref=f3e4]: c0p0f0e5"),
            ("e1-e2: c0p1f0e1-c0p1f0e2", "e1-e2: e1-e2"),
        ] {
            assert_eq!(short(long, PLACE), expected);
        }
    }

    #[test]
    fn what_a_page_wrote_in_quotes_stays() {
        let line = "- text \"see \\\" c0p1f0e1 \" [ref=c0p1f0e1]\n- \"c0p1f0e2";
        assert_eq!(short(line, PLACE), "- text \"see \\\" c0p1f0e1 \" [ref=e1]\n- \"c0p1f0e2");
    }
}
