//! Formats untrusted text of pages for answers, so that it cannot be mistaken for the server's own text.
//!
//! Text of pages reaches an answer only through this module: on one line ([`line_or_json`], [`inline_url`]), as JSON
//! ([`json`]), or between unpredictable marks ([`fenced`]).
use std::fmt::Write as _;

use serde::Serialize;

use crate::error::{question, squeezed};
use crate::snapshot::text::{is_invisible, is_private_use, push_quoted_if_ambiguous, push_url};

/// The length at which a text on one line is cut, in characters.
const LONGEST: usize = 300;

/// Formats a text on one line: plain if it is unambiguous, otherwise as a JSON string.
pub fn line_or_json(text: &str) -> String {
    line_or_json_escaping(text, &[])
}

/// Like [`line_or_json`], but the characters in `also` make a text ambiguous, too.
pub fn line_or_json_escaping(text: &str, also: &[char]) -> String {
    let mut out = String::new();
    push_quoted_if_ambiguous(&mut out, &one_line(text), LONGEST, also);
    // A reader that does not parse JSON strings could still take brackets for a Markdown link.
    if out.starts_with('"') && also.contains(&']') {
        for (bracket, written) in [('[', "\\u005b"), (']', "\\u005d"), ('(', "\\u0028"), (')', "\\u0029")] {
            out = out.replace(bracket, written);
        }
    }
    if out == "\"\"" { String::new() } else { out }
}

/// Returns the origin of a URL, such as `https://a.example`; `null` for an invalid URL or an opaque origin.
pub fn origin_of(url: &str) -> String {
    url::Url::parse(url).map_or_else(|_| "null".to_owned(), |url| url.origin().ascii_serialization())
}

/// Formats a URL without characters that are invalid in one.
pub fn inline_url(url: &str) -> String {
    if url.starts_with("blob:") || url.starts_with("data:") || url.starts_with("javascript:") {
        return line_or_json(&url.replace('(', "%28").replace(')', "%29")).replace(['[', ']'], "");
    }
    let mut out = String::new();
    push_url(&mut out, url, LONGEST);
    out.replace('(', "%28").replace(')', "%29").replace('<', "%3C").replace('>', "%3E")
}

/// Formats a text on one line, cut to a limited length, for use between quotation marks.
pub fn one_line(text: &str) -> String {
    let visible =
        text.chars().map(|c| if is_seen(c) { c } else { ' ' }).take(4 * LONGEST).collect::<String>();
    let words = squeezed(&visible);
    match words.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &words[..end]),
        None => words,
    }
}

/// Describes a dialog by its kind and message, such as `alert dialog "Saved"`.
pub fn dialog_summary(kind: &str, message: &str) -> String {
    format!("{kind} dialog {}", question(kind, &one_line(message)))
}

/// Formats a value of a script or page as indented JSON.
pub fn json(value: &impl Serialize) -> String {
    escaped(&serde_json::to_string_pretty(value).unwrap_or_default())
}

/// Formats a value of a script or page as JSON on one line.
pub fn json_line(value: &impl Serialize) -> String {
    escaped(&serde_json::to_string(value).unwrap_or_default())
}

/// Puts a text of several lines between marks that differ each time, so that a page cannot forge them.
pub fn fenced(text: &str, what: &str) -> String {
    let mark = mark();
    format!("--- {mark} {what} ---\n{}\n--- {mark} ---", lines(text))
}

/// Formats a text of any length: plain if it is unambiguous, otherwise as a JSON string.
pub fn text_or_json(text: &str) -> String {
    let plain = text.chars().all(is_seen) && !text.trim().is_empty() && !looks_like_ours(text);
    if plain { text.to_owned() } else { escaped(&serde_json::Value::from(text).to_string()) }
}

/// Formats the output of a program: plain on one line if it is unambiguous, otherwise between marks. Unlike
/// [`text_or_json`], it adds no second encoding to a value that is JSON already.
pub fn output(text: &str) -> String {
    let is_plain = !text.contains('\n') && text_or_json(text) == text;
    if is_plain { text.to_owned() } else { fenced(text, "output") }
}

/// Whether a text could be taken for words of the server: a heading, a fence, a line of an outline, a link or a ref.
fn looks_like_ours(text: &str) -> bool {
    let begin = text.trim_start();
    begin.starts_with(['#', '`', '"'])
        || begin.starts_with("- ")
        || ["](", "[ref="].iter().any(|part| text.contains(part))
}

/// Formats the text of an exception: its message as [`text_or_json`] does, and each line of its stack indented.
pub fn exception(text: &str) -> String {
    let (message, stack) = text.split_once('\n').unwrap_or((text, ""));
    let is_stack = stack.lines().all(|line| line.trim_start().starts_with("at "));
    if !is_stack || looks_like_ours(stack) {
        return text_or_json(text);
    }
    let stack = stack.lines().map(|line| format!("\n    {}", blank_invisible_chars(line.trim())));
    text_or_json(message) + &stack.collect::<String>()
}

/// Replaces line breaks, control characters and invisible characters by spaces, so that page text in an error
/// message cannot imitate the server's output.
pub fn blank_invisible_chars(text: &str) -> String {
    text.chars().map(|c| if is_seen(c) { c } else { ' ' }).collect()
}

/// Normalises line breaks and removes invisible characters.
fn lines(text: &str) -> String {
    let line_break = |c| matches!(c, '\u{2028}' | '\u{2029}' | '\u{85}');
    let seen = text.chars().map(|c| if line_break(c) { '\n' } else { c });
    seen.filter(|&c| is_seen(c) || matches!(c, '\n' | '\t') || joins(c)).collect()
}

/// Whether a character is visible and unambiguous.
fn is_seen(c: char) -> bool {
    !(c.is_control()
        || matches!(c, '\u{2028}' | '\u{2029}')
        || is_invisible(c) && !is_private_use(c) && !joins(c))
}

/// Whether a character joins its neighbours into one glyph, as emoji and some scripts need.
fn joins(c: char) -> bool {
    matches!(c, '\u{200c}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}')
}

/// Escapes invisible characters in JSON.
fn escaped(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        if is_seen(c) || c == '\n' {
            out.push(c);
        } else {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        }
    }
    out
}

fn mark() -> String {
    uuid::Uuid::new_v4().simple().to_string()[..16].to_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]

        #[test]
        fn whatever_a_page_says_stays_on_its_line(text in any::<String>()) {
            for shown in [line_or_json(&text), inline_url(&text), one_line(&text), text_or_json(&text), blank_invisible_chars(&text)] {
                prop_assert!(shown.chars().all(is_seen), "{:?}", shown);
            }
        }

        #[test]
        fn an_exception_forges_no_line(message in any::<String>(), stack in any::<String>()) {
            for text in [format!("{message}\n{stack}"), format!("{message}\n    at f ({stack})\n at g")] {
                let shown = exception(&text);
                prop_assert!(shown.split('\n').skip(1).all(|line| line.starts_with("    at ")), "{:?}", shown);
                prop_assert!(!shown.starts_with(['#', '`']), "{:?}", shown);
            }
        }

        #[test]
        fn a_quoted_text_is_read_as_it_was(text in any::<String>()) {
            let shown = text_or_json(&text);
            let read = if shown.starts_with('"') { serde_json::from_str(&shown).unwrap() } else { shown };
            prop_assert_eq!(read, text);
        }

        #[test]
        fn data_is_read_as_it_was(text in any::<String>()) {
            let shown = json(&serde_json::json!({ "a": [&text], format!("b{text}"): 1 }));
            let read: serde_json::Value = serde_json::from_str(&shown).unwrap();
            prop_assert_eq!(&read["a"][0], &serde_json::Value::from(text.as_str()));
        }
    }

    #[test]
    fn a_title_forges_no_link() {
        let title = line_or_json_escaping("Bank](https://bank.com/) - nothing [x", &['[', ']', '(', ')']);
        assert!(!title.contains(['[', ']', '(', ')']), "{title}");
        assert_eq!(line_or_json_escaping("What a hand can do", &['[', ']']), "What a hand can do");
    }

    #[test]
    fn marks_differ_each_time() {
        assert_ne!(fenced("a", "x"), fenced("a", "x"));
    }
}
