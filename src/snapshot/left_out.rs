//! Describes what a snapshot omits, and which call returns it.
use std::fmt;

use super::outline::{Line, LinePriority, NOWHERE};
use super::render::cost;
use super::text::{counted, push_quoted};
use super::tree::Tree;

/// The maximum number of elements in a note.
const WAYS: usize = 3;
/// The maximum length of an element's name in a note, in characters.
const LONGEST_NAME: usize = 30;

/// A note about what a snapshot omits, and which call returns it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Omission {
    /// A sentence that says what is missing.
    pub what: String,
    /// A sentence with the call that returns the missing part.
    pub how: Option<String>,
    /// The elements that contain most of the omitted content: role, name and ref, or a range of refs.
    pub most_in: Vec<String>,
}

impl Omission {
    pub(super) fn of(what: impl Into<String>) -> Self {
        Self { what: what.into(), ..Self::default() }
    }

    /// Drops sentences until the note has at most `room` characters; `None` if `what` alone is longer.
    pub(super) fn within(mut self, room: usize) -> Option<Self> {
        let has_room = |omission: &Self| omission.length() <= room;
        if !has_room(&self) {
            self.most_in.clear();
        }
        if !has_room(&self) {
            self.how = None;
        }
        has_room(&self).then_some(self)
    }

    /// The length of the note in characters.
    pub(super) fn length(&self) -> usize {
        self.to_string().chars().count()
    }
}

impl fmt::Display for Omission {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.what)?;
        if let Some(how) = &self.how {
            write!(formatter, " {how}")?;
        }
        match self.most_in.is_empty() {
            true => Ok(()),
            false => write!(formatter, " Most is in {}.", self.most_in.join(", ")),
        }
    }
}

/// The lines of a snapshot, and which of them are shown.
pub(super) struct LeftOut<'a> {
    pub tree: &'a Tree,
    /// The index of the first node of the requested part.
    pub start: usize,
    pub lines: &'a [Line],
    pub shown: &'a [bool],
    /// The maximum number of characters of the snapshot.
    pub room: usize,
}

/// Whether the note about omitted parts contains refs, in a snapshot that is limited to `room` characters.
pub(super) fn names_refs(room: usize) -> bool {
    room >= 2_000
}

/// How a caller can request missing lines. The values are node indexes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MissingPart {
    /// A snapshot of this element shows it: one that contains the missing lines, or the heading above them.
    Part(usize),
    /// A snapshot of the range between these two elements shows it.
    Between(usize, usize),
}

impl<'a> LeftOut<'a> {
    /// Returns the note about the missing lines; `None` if none are. `acts` counts the controls not listed.
    pub(super) fn omission(&self, deepest: usize, acts: usize) -> Option<Omission> {
        let folded: usize = self.picked(true).map(|line| line.folded).sum();
        let acts = acts.saturating_sub(folded);
        let deeper = self.picked(false).filter(|line| line.depth > deepest).count();
        let left = self.counts(deeper, acts);
        if left.is_empty() {
            let what = "Some links are only counted; browser_snapshot with the ref of their line lists them.";
            return (folded > 0).then(|| Omission::of(what));
        }
        let names_refs = deeper == 0 && names_refs(self.room);
        let how = match deeper {
            0 if names_refs => {
                "To see them, call browser_snapshot with the ref of a part (of a heading: its section), offset or filename; or browser_find."
            }
            0 => "To see them, give the ref of a part, or search.",
            _ => "To see them, give a ref, or a larger depth.",
        };
        Some(Omission {
            what: format!("Left out: {}.", left.join(", ")),
            how: Some(how.to_owned()),
            most_in: if names_refs { self.ways() } else { Vec::new() },
        })
    }

    fn picked(&self, shown: bool) -> impl Iterator<Item = &'a Line> {
        self.lines
            .iter()
            .zip(self.shown)
            .filter(move |(_, is_shown)| **is_shown == shown)
            .map(|(line, _)| line)
    }

    fn counts(&self, deeper: usize, acts: usize) -> Vec<String> {
        let texts = self.picked(false).filter(|line| line.worth == LinePriority::Text).count();
        let urls = self.picked(false).filter(|line| line.is_property).count();
        let others = self.picked(false).count().saturating_sub(texts + urls + acts);
        let mut counts = Vec::new();
        let mut count = |number: usize, one: &str, many: &str| counts.extend(counted(number, one, many));
        count(acts, "element to act on", "elements to act on");
        if deeper > 0 {
            count(deeper, "line below this depth", "lines below this depth");
        } else {
            count(texts, "text", "texts");
            let ends = self.picked(true).filter(|line| line.is_cut).count();
            count(ends, "end of a text", "ends of texts");
            count(urls, "address or list of options", "addresses and lists of options");
            count(others, "other line", "other lines");
        }
        count(self.tree.cut as usize, "element nested too deep to read", "elements nested too deep to read");
        counts
    }

    /// Returns the elements that contain most of the omitted content, longest first.
    fn ways(&self) -> Vec<String> {
        let mut prices: Vec<(usize, MissingPart)> = Vec::new();
        for (price, way) in self.missing() {
            match prices.iter_mut().find(|(_, other)| *other == way) {
                Some((sum, _)) => *sum = sum.saturating_add(price),
                None => prices.push((price, way)),
            }
        }
        prices.sort_by_key(|(price, _)| std::cmp::Reverse(*price));
        prices.iter().take(WAYS).map(|(_, way)| self.name(*way)).collect()
    }

    /// Returns the omitted parts: the length of each in characters, and how to request it.
    fn missing(&self) -> Vec<(usize, MissingPart)> {
        let mut missing: Vec<(usize, MissingPart)> = Vec::new();
        let mut holders: Vec<Option<usize>> = Vec::with_capacity(self.lines.len());
        let (mut heading, mut goes_on) = (None, false);
        for (index, line) in self.lines.iter().enumerate() {
            let node = &self.tree.nodes[line.node];
            let above = if line.parent == NOWHERE { None } else { holders[line.parent] };
            let can_be_asked = node.number > 0 && line.node > self.start;
            let own = (self.shown[index] && line.has_ref && can_be_asked).then_some(line.node);
            if own.is_some() && node.role == "heading" {
                heading = own;
            }
            holders.push(own.or(above));
            if self.shown[index] || line.is_property {
                goes_on &= !self.shown[index];
                continue;
            }
            let way = match above.max(heading) {
                Some(part) => MissingPart::Part(part),
                None if can_be_asked => MissingPart::Between(line.node, line.node),
                None => continue,
            };
            match (missing.last_mut(), way) {
                (Some((price, MissingPart::Between(_, last))), MissingPart::Between(..)) if goes_on => {
                    (*price, *last) = (price.saturating_add(cost(line)), line.node);
                }
                _ => missing.push((cost(line), way)),
            }
            goes_on = true;
        }
        missing
    }

    fn name(&self, way: MissingPart) -> String {
        let name = |node: usize| {
            let node = &self.tree.nodes[node];
            let mut text = format!("{} ", node.role);
            if !node.name.trim().is_empty() {
                push_quoted(&mut text, &node.name, LONGEST_NAME);
                text.push(' ');
            }
            text + &self.tree.ref_of(node).to_string()
        };
        match way {
            MissingPart::Part(part) => name(part),
            MissingPart::Between(first, last) if first == last => name(first),
            MissingPart::Between(first, last) => {
                let (first, last) = (&self.tree.nodes[first], &self.tree.nodes[last]);
                let frame =
                    if first.frame == last.frame { String::new() } else { format!("f{}", last.frame) };
                format!("{}-{frame}e{}", self.tree.ref_of(first), last.number)
            }
        }
    }
}
