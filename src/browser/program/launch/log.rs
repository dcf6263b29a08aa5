//! The browser's log. Only from it can uncaught errors be read without pages detecting it. A headed browser
//! logs only errors of its default context. Other lines explain why a browser exited.
use std::collections::VecDeque;
use std::sync::Arc;

use parking_lot::Mutex;

/// The maximum number of uncaught errors kept; older errors are dropped.
const MOST_ERRORS: usize = 500;
/// The maximum number of characters kept of each error.
const LONGEST_TEXT: usize = 2_000;
/// The maximum length of a console entry of several lines, in bytes.
const LONGEST_ENTRY: usize = 64 * 1024;

/// Uncaught errors of all pages of a browser, newest last. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct UncaughtErrors {
    errors: Arc<Mutex<VecDeque<UncaughtError>>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct UncaughtError {
    text: String,
    url: String,
    line: i64,
}

impl UncaughtErrors {
    /// Returns the texts of the `count` errors at this URL and line. `None` if the log has fewer errors
    /// there, or if it has more and their texts differ, for example because other pages run the same script.
    pub fn error_texts(&self, url: &str, line: i64, count: usize) -> Option<Vec<String>> {
        let errors = self.errors.lock();
        let here = errors.iter().filter(|error| error.line == line && error.url == url);
        let texts: Vec<_> = here.map(|error| error.text.clone()).collect();
        let alike = texts.iter().all(|text| Some(text) == texts.first());
        (texts.len() == count || (texts.len() > count && alike)).then(|| texts[..count].to_vec())
    }

    fn add(&self, error: UncaughtError) {
        let mut errors = self.errors.lock();
        if errors.len() == MOST_ERRORS {
            errors.pop_front();
        }
        errors.push_back(error);
    }
}

/// Parses the log line by line.
#[derive(Debug, Default)]
pub(super) struct LogReader {
    uncaught: UncaughtErrors,
    /// A console entry that is not complete yet.
    entry: Option<String>,
}

impl LogReader {
    pub(super) fn new(uncaught: &UncaughtErrors) -> Self {
        Self { uncaught: uncaught.clone(), entry: None }
    }

    /// Processes a line. Returns whether it helps to diagnose failures: console and routine messages do not.
    pub(super) fn process_line(&mut self, line: &str) -> bool {
        let mut entry = match (self.entry.take(), beginning(line)) {
            (_, Some((kind, said))) if kind.contains(":CONSOLE") => said.to_owned(),
            (_, Some((kind, _))) => return !kind.contains(":INFO:"),
            (Some(begun), None) => begun + "\n" + line,
            (None, None) => return true,
        };
        if let Some(error) = uncaught(&entry) {
            self.uncaught.add(error);
        } else if end(&entry).is_none() {
            let room = (0..=entry.len().min(LONGEST_ENTRY)).rev().find(|&at| entry.is_char_boundary(at));
            entry.truncate(room.unwrap_or_default());
            self.entry = Some(entry);
        }
        false
    }
}

/// Splits the first line of an entry: `[1:2:1122/041640.545042:INFO:CONSOLE:8] "text"`.
fn beginning(line: &str) -> Option<(&str, &str)> {
    let (kind, said) = line.strip_prefix('[')?.split_once("] ")?;
    (kind.starts_with(|first: char| first.is_ascii_digit()) && kind.contains('/')).then_some((kind, said))
}

/// Splits the end of an entry: text, URL and line of `"text", source: https://a.example/ (8)`.
fn end(entry: &str) -> Option<(&str, &str, i64)> {
    let (text, place) = entry.strip_prefix('"')?.rsplit_once("\", source: ")?;
    let (url, line) = place.strip_suffix(')')?.rsplit_once(" (")?;
    Some((text, url, line.parse().ok()?))
}

fn uncaught(entry: &str) -> Option<UncaughtError> {
    let (text, url, line) = end(entry)?;
    let text = text.starts_with("Uncaught ").then(|| text.chars().take(LONGEST_TEXT).collect())?;
    Some(UncaughtError { text, url: url.to_owned(), line })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(lines: &[&str]) -> (UncaughtErrors, Vec<String>) {
        let uncaught = UncaughtErrors::default();
        let mut reader = LogReader::new(&uncaught);
        let kept =
            lines.iter().filter(|line| reader.process_line(line)).map(|line| (*line).to_owned()).collect();
        (uncaught, kept)
    }

    const HEAD: &str = "[8030:8030:1122/041945.081339:INFO:CONSOLE:12] ";

    #[test]
    fn errors_are_found_by_their_place_and_what_pages_say_is_not_kept() {
        let (uncaught, kept) = read(&[
            "[1:2:1122/041943.938519:ERROR:dbus/bus.cc:405] Failed to connect",
            &format!("{HEAD}\"a word\", source: http://a.example/x (8)"),
            &format!("{HEAD}\"Uncaught Error: first"),
            "second \"line\", source: http://other.example/ (1",
            "last\", source: http://a.example/x (12)",
            "[1:2:1122/041945.1:INFO:small_talk.cc(5)] hello",
            "Received signal 11",
        ]);
        let text = "Uncaught Error: first\nsecond \"line\", source: http://other.example/ (1\nlast";
        assert_eq!(uncaught.error_texts("http://a.example/x", 12, 1), Some(vec![text.to_owned()]));
        assert_eq!(uncaught.error_texts("http://a.example/x", 8, 1), None);
        assert_eq!(kept.len(), 2, "{kept:?}");
    }

    #[test]
    fn errors_that_differ_are_reported_only_when_all_of_them_are_meant() {
        let said = |text: &str| format!("{HEAD}\"Uncaught {text}\", source: http://a.example/ (1)");
        let (uncaught, _) = read(&[&said("one"), &said("two")]);
        let texts = |count| uncaught.error_texts("http://a.example/", 1, count);
        assert_eq!(texts(2), Some(vec!["Uncaught one".to_owned(), "Uncaught two".to_owned()]));
        assert_eq!(texts(1), None);
        assert_eq!(texts(3), None);
        let (uncaught, _) = read(&[&said("one"), &said("one")]);
        assert_eq!(uncaught.error_texts("http://a.example/", 1, 1), Some(vec!["Uncaught one".to_owned()]));
    }

    #[test]
    fn an_entry_without_end_does_not_grow_for_ever() {
        let uncaught = UncaughtErrors::default();
        let mut reader = LogReader::new(&uncaught);
        assert!(!reader.process_line(&format!("{HEAD}\"Uncaught")));
        for _ in 0..10 {
            assert!(!reader.process_line(&"ä".repeat(10_000)));
        }
        assert!(reader.entry.unwrap().len() <= LONGEST_ENTRY);
    }
}
