//! Text that pages wrote, as it stands in our answers: it is never taken for a line of ours.
//!
//! All of it comes through here: on one line ([`inline`], [`address`]), as data ([`json`]), or between marks that no page
//! can guess ([`fenced`]).
use std::fmt::Write as _;

use serde::Serialize;

use crate::error::{question, squeezed};
use crate::snapshot::text::{is_invisible, is_private, push_plain, push_url};

/// The longest text on one line.
const LONGEST: usize = 300;

/// On one line: as it is where that cannot be misread, as a JSON string where it could.
pub fn inline(text: &str) -> String {
    inline_beside(text, &[])
}

/// Like [`inline`], where these characters too stand for something.
pub fn inline_beside(text: &str, also: &[char]) -> String {
    let mut out = String::new();
    push_plain(&mut out, &one_line(text), LONGEST, also);
    // A bracket stays one to those who read no JSON.
    if out.starts_with('"') && also.contains(&']') {
        for (bracket, written) in [('[', "\\u005b"), (']', "\\u005d"), ('(', "\\u0028"), (')', "\\u0029")] {
            out = out.replace(bracket, written);
        }
    }
    if out == "\"\"" { String::new() } else { out }
}

/// Whose an address is, such as `https://a.example`; `null` where it is nobody's.
pub fn origin_of(url: &str) -> String {
    url::Url::parse(url).map_or_else(|_| "null".to_owned(), |url| url.origin().ascii_serialization())
}

/// An address, with nothing in it that no address holds.
pub fn address(url: &str) -> String {
    if url.starts_with("blob:") || url.starts_with("data:") || url.starts_with("javascript:") {
        return inline(url).replace(['[', ']', '(', ')'], "");
    }
    let mut out = String::new();
    push_url(&mut out, url, LONGEST);
    out.replace('(', "%28").replace(')', "%29").replace('<', "%3C").replace('>', "%3E")
}

/// On one line and of bounded length, for a place where it is quoted already.
pub fn one_line(text: &str) -> String {
    let visible =
        text.chars().map(|c| if is_seen(c) { c } else { ' ' }).take(4 * LONGEST).collect::<String>();
    let words = squeezed(&visible);
    match words.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &words[..end]),
        None => words,
    }
}

/// A dialog as it is named, with what it asks.
pub fn dialog(kind: &str, message: &str) -> String {
    format!("{kind} dialog {}", question(kind, &one_line(message)))
}

/// What a script or a page gave, as a program reads it.
pub fn json(value: &impl Serialize) -> String {
    escaped(&serde_json::to_string_pretty(value).unwrap_or_default())
}

/// Like [`json`], on one line.
pub fn json_line(value: &impl Serialize) -> String {
    escaped(&serde_json::to_string(value).unwrap_or_default())
}

/// Several lines, as they are, between marks that are different each time.
pub fn fenced(text: &str, what: &str) -> String {
    let mark = mark();
    format!("--- {mark} {what} ---\n{}\n--- {mark} ---", lines(text))
}

/// A text of any length among words of ours: as it is if it is one line that looks like nothing else.
pub fn quoted(text: &str) -> String {
    let begin = text.trim_start();
    let looks_like_ours = begin.is_empty()
        || begin.starts_with(['#', '`', '"'])
        || begin.starts_with("- ")
        || ["](", "[ref="].iter().any(|part| text.contains(part));
    let plain = text.chars().all(is_seen) && !looks_like_ours;
    if plain { text.to_owned() } else { escaped(&serde_json::Value::from(text).to_string()) }
}

/// An error's words, of which a page may have written some: no line of them begins as ours do.
pub fn safe(text: &str) -> String {
    text.chars().map(|c| if is_seen(c) { c } else { ' ' }).collect()
}

/// Lines as a person sees them, and nothing that cannot be seen.
fn lines(text: &str) -> String {
    let line_break = |c| matches!(c, '\u{2028}' | '\u{2029}' | '\u{85}');
    let seen = text.chars().map(|c| if line_break(c) { '\n' } else { c });
    seen.filter(|&c| is_seen(c) || matches!(c, '\n' | '\t') || joins(c)).collect()
}

/// Whether a character is what it looks like, wherever it stands.
fn is_seen(c: char) -> bool {
    !(c.is_control()
        || matches!(c, '\u{2028}' | '\u{2029}')
        || is_invisible(c) && !is_private(c) && !joins(c))
}

/// What makes one sign of several: emoji and some scripts need it.
fn joins(c: char) -> bool {
    matches!(c, '\u{200c}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}')
}

/// JSON in which everything can be seen.
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
            for shown in [inline(&text), address(&text), one_line(&text), quoted(&text), safe(&text)] {
                prop_assert!(shown.chars().all(is_seen), "{:?}", shown);
            }
        }

        #[test]
        fn a_quoted_text_is_read_as_it_was(text in any::<String>()) {
            let shown = quoted(&text);
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
        let title = inline_beside("Bank](https://bank.com/) - nothing [x", &['[', ']', '(', ')']);
        assert!(!title.contains(['[', ']', '(', ')']), "{title}");
        assert_eq!(inline_beside("What a hand can do", &['[', ']']), "What a hand can do");
    }

    #[test]
    fn marks_differ_each_time() {
        assert_ne!(fenced("a", "x"), fenced("a", "x"));
    }
}
