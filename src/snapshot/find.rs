//! Text search in a snapshot.
use regex::{Regex, RegexBuilder};

use super::compact::{Names, compact};
use super::left_out::Omission;
use super::outline::{Detail, Line, NOWHERE, outline};
use super::prose::{self, Links};
use super::render::{RenderedSnapshot, write};
use super::tree::Tree;

/// A text or regular expression to search for.
#[derive(Debug, Clone)]
pub enum Pattern {
    /// A text; letter case is ignored.
    Text(String),
    Regex(Regex),
}

/// The maximum size of a compiled regular expression, in bytes.
const LARGEST_REGEX: usize = 1 << 20;

impl Pattern {
    pub fn text(text: &str) -> Self {
        Self::Text(text.to_lowercase())
    }

    /// Parses a regular expression. Matching takes linear time for every expression.
    pub fn regex(expression: &str) -> Result<Self, String> {
        let built = RegexBuilder::new(expression).size_limit(LARGEST_REGEX).build();
        built.map(Self::Regex).map_err(|error| match error {
            regex::Error::CompiledTooBig(_) => "it is too large".to_owned(),
            error => error.to_string().lines().last().unwrap_or_default().replace("error: ", ""),
        })
    }

    pub fn is_match(&self, line: &str) -> bool {
        match self {
            Self::Text(text) => line.to_lowercase().contains(text),
            Self::Regex(regex) => regex.is_match(line),
        }
    }

    /// Returns an expression that finds where a line matches; `None` for a text that is too long for one.
    fn finder(&self) -> Option<Regex> {
        match self {
            Self::Text(text) => RegexBuilder::new(&regex::escape(text)).case_insensitive(true).build().ok(),
            Self::Regex(regex) => Some(regex.clone()),
        }
    }
}

/// The maximum length of a line in characters, and how many are kept on both sides of a match in a longer one.
const LONGEST_LINE: usize = 600;
const BESIDE_MATCH: usize = 120;

/// Shortens a long line, such as the value of a text area, to its beginning and the first match.
fn shorten(line: &mut Line, finder: Option<&Regex>) {
    let length = line.text.chars().count();
    if length <= LONGEST_LINE {
        return;
    }
    let found = finder.and_then(|finder| finder.find(&line.text)).map_or(0..0, |found| found.range());
    let place = |byte: usize| line.text[..byte].chars().count();
    let (start, end) = (place(found.start), place(found.end));
    let from = start.saturating_sub(BESIDE_MATCH).max(BESIDE_MATCH);
    let to = (end.min(start + LONGEST_LINE) + BESIDE_MATCH).min(length);
    let part = |from: usize, to: usize| line.text.chars().take(to).skip(from);
    let mut text: String = part(0, BESIDE_MATCH).collect();
    if from > BESIDE_MATCH {
        text.push('…');
    }
    text.extend(part(from, to));
    if to < length {
        // A value that began with a quotation mark also ends with one.
        text.push_str(if line.text.ends_with('"') { "…\"" } else { "…" });
    }
    (line.text, line.mark, line.head) = (text, 0..0, 0);
}

/// Renders the lines that match `pattern`, with their ancestors and `around` lines before and after. `None`
/// without matches. Writes only whole matches, at most `max_chars` characters.
pub fn find(tree: &Tree, pattern: &Pattern, around: usize, max_chars: usize) -> Option<RenderedSnapshot> {
    let detail = Detail { all_refs: true, text: usize::MAX, ..Detail::FULL };
    let mut lines = prose::join(tree, &outline(tree, 0, tree.nodes.len(), &detail), Links::WithRefs);
    let says = |line: &Line| {
        pattern.is_match(&line.text) || line.prose.as_ref().is_some_and(|prose| pattern.is_match(prose))
    };
    let matches: Vec<usize> = (0..lines.len()).filter(|&index| says(&lines[index])).collect();
    if matches.is_empty() {
        return None;
    }
    let finder = pattern.finder();
    for line in &mut lines {
        shorten(line, finder.as_ref());
    }
    let mut shown = vec![false; lines.len()];
    let mut listed = 0;
    let mut room = max_chars.saturating_sub(120);
    for &found in &matches {
        let near = found.saturating_sub(around)..lines.len().min(found + around + 1);
        let holders =
            std::iter::successors(Some(found), |&line| Some(lines[line].parent).filter(|&up| up != NOWHERE));
        let fresh: Vec<usize> = near.clone().chain(holders).filter(|&line| !shown[line]).collect();
        let price: usize =
            fresh.iter().map(|&line| lines[line].depth * 2 + lines[line].text.chars().count() + 4).sum();
        let Some(rest) = room.checked_sub(price) else { break };
        room = rest;
        listed += 1;
        for line in fresh {
            shown[line] = true;
        }
    }
    let text = compact(&write(&lines, &shown, |_| ""), Names::Whole);
    let left = matches.len() - listed;
    let cut = (left > 0)
        .then(|| Omission::of(format!("{left} more matches are left out; search for something rarer.")));
    let acts = lines.iter().zip(&shown).filter(|(_, shown)| **shown).map(|(line, _)| line.acts).sum();
    Some(RenderedSnapshot { text, shown: acts, cut })
}
