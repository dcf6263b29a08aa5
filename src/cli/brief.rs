//! Formats tool answers for a shell: the text of the MCP answer, without headings, with `[e12]` instead of
//! `[ref=e12]`, and with verbs instead of tool names.
use serde_json::{Value, json};

use super::verbs::replace_tool_names;
use crate::mcp::reply::Reply;
use crate::snapshot::{Omission, quoted_segments};

/// The file to which a page's full snapshot was written.
#[derive(Debug, Clone)]
pub(super) struct PageFile {
    /// The path relative to the user's working directory.
    pub path: String,
    pub lines: usize,
    /// Whether the file contains parts of the page that the answer omits.
    pub holds_more: bool,
}

/// Returns the answer as plain text, without the page's URL and title if `is_known`.
pub(super) fn text(reply: &Reply, file: Option<&PageFile>, is_known: bool) -> String {
    let mut lines = Vec::new();
    let mut points_at_file = file.is_none_or(|file| !file.holds_more);
    for (name, texts) in reply.sections() {
        let text = texts.join("\n");
        lines.push(match name {
            "Error" => {
                format!("Error ({}): {}", reply.error_code().unwrap_or("error"), replace_tool_names(&text))
            }
            "Page" if is_known => continue,
            "Page" => text.lines().map(|line| line.trim_start_matches("- ")).collect::<Vec<_>>().join("\n"),
            "Snapshot" => {
                let left_out = reply.omission().map(|left_out| match file {
                    Some(file) => pointed(left_out, file, &mut points_at_file),
                    None => replace_tool_names(&left_out.to_string()),
                });
                outlined(reply.snapshot().unwrap_or_default(), left_out)
            }
            "Came into view" => reply.newly_visible().map_or(text, |part| {
                outlined(
                    &part.text,
                    part.cut.as_ref().map(|left_out| replace_tool_names(&left_out.to_string())),
                )
            }),
            "Result" => result(reply),
            _ => replace_tool_names(&text),
        });
    }
    if let Some(file) = file.filter(|_| !points_at_file) {
        lines.push(format!("Whole page: {} ({} lines)", file.path, file.lines));
    }
    bare_refs(&lines.join("\n"))
}

/// Returns the answer as JSON, for `--json`.
pub(super) fn object(reply: &Reply, file: Option<&PageFile>) -> Value {
    let mut object = json!({ "ok": !reply.is_error() });
    for (name, texts) in reply.sections() {
        let (key, text) = (name.to_ascii_lowercase().replace(' ', "_"), texts.join("\n"));
        object[key] = match name {
            "Error" => json!({ "code": reply.error_code(), "message": replace_tool_names(&text) }),
            "Page" => continue,
            "Snapshot" => with_omission(reply.snapshot().unwrap_or_default(), reply.omission()).into(),
            "Came into view" => match reply.newly_visible() {
                Some(part) => with_omission(&part.text, part.cut.as_ref()).into(),
                None => continue,
            },
            "Result" => result(reply).into(),
            _ => texts.iter().map(|text| replace_tool_names(text.trim_start_matches("- "))).collect(),
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

/// Converts a snapshot to the text of the file in which the command line saves the page: refs without brackets.
pub(super) fn outline(text: &str) -> String {
    bare_refs(text)
}

/// Returns the answer's result. Replaces tool names by verbs, but not in text of pages and scripts.
fn result(reply: &Reply) -> String {
    let parts = reply.result_paragraphs().into_iter();
    let text = parts.map(|part| if part.names_tools { replace_tool_names(&part.text) } else { part.text });
    text.collect::<Vec<_>>().join("\n")
}

/// Returns a snapshot, followed by the note about omitted parts, if any.
fn outlined(outline: &str, left_out: Option<String>) -> String {
    [Some(outline.trim_end().to_owned()), left_out].into_iter().flatten().collect::<Vec<_>>().join("\n")
}

/// Returns a snapshot for the JSON answer, followed by the note about omitted parts, if any.
fn with_omission(outline: &str, left_out: Option<&Omission>) -> String {
    outlined(outline, left_out.map(|left_out| replace_tool_names(&left_out.to_string())))
}

/// Returns the note about omitted parts: points at the page file instead of at further tool calls.
fn pointed(left_out: &Omission, file: &PageFile, points_at_file: &mut bool) -> String {
    if left_out.how.is_none() {
        return replace_tool_names(&left_out.to_string());
    }
    *points_at_file = true;
    let how = Some(format!("All is in {} ({} lines).", file.path, file.lines));
    Omission { how, ..left_out.clone() }.to_string()
}

/// Replaces `[ref=e12]` by `[e12]`, except in quoted text.
fn bare_refs(text: &str) -> String {
    let lines = text.split_inclusive('\n').flat_map(quoted_segments);
    lines
        .map(|(part, is_quoted)| if is_quoted { part.to_owned() } else { part.replace("[ref=", "[") })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_page_wrote_in_quotes_stays() {
        let line = "- text \"see \\\" [ref=e1] \" [ref=e1]\n- \"[ref=e2]";
        assert_eq!(bare_refs(line), "- text \"see \\\" [ref=e1] \" [e1]\n- \"[ref=e2]");
    }
}
