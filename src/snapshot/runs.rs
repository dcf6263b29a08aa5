//! Summarises long runs of similar parts, such as table rows: the common content once, then the differences.
//!
//! A table of 600 rows with five controls each becomes one line with the first row, in which `#` marks what
//! varies, and a line such as `- 300: Open [e1503] Edit [e1506]` for each row. All refs are kept.
use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::ops::Range;

use super::outline::{Line, LinePriority, NOWHERE, push_mark, push_states};
use super::text::{push_name, push_quoted, push_quoted_if_ambiguous};
use super::tree::{Node, Tree};

const SHORTEST_RUN: usize = 6;
const MOST_TEXTS: usize = 2;
const LABEL: usize = 24;
const KEY: usize = 48;

/// Summarises each run of similar parts if that makes the text shorter.
pub(super) fn fold(tree: &Tree, lines: &[Line]) -> Vec<Line> {
    let ends = ends(lines);
    let forms = forms(tree, lines, &ends);
    let mut folded: Vec<Line> = Vec::with_capacity(lines.len());
    let mut moved = vec![NOWHERE; lines.len()];
    let mut index = 0;
    while index < lines.len() {
        let run = run_at(lines, &ends, &forms, index);
        let parent = lines[index].parent;
        let parent = if parent == NOWHERE { NOWHERE } else { moved[parent] };
        if run.len() >= SHORTEST_RUN && run.iter().any(|part| acts(&lines[part.clone()]) > 0) {
            index = run.last().map_or(index + 1, |last| last.end);
            Run { tree, lines, parts: run }.write(parent, &mut folded);
            continue;
        }
        moved[index] = folded.len();
        folded.push(Line { parent, ..lines[index].clone() });
        index += 1;
    }
    folded
}

fn acts(lines: &[Line]) -> usize {
    lines.iter().map(|line| line.acts).sum()
}

/// Returns for each line the index after its last descendant.
pub(super) fn ends(lines: &[Line]) -> Vec<usize> {
    let mut ends: Vec<usize> = (1..=lines.len()).collect();
    for index in (0..lines.len()).rev() {
        let parent = lines[index].parent;
        if parent != NOWHERE {
            ends[parent] = ends[parent].max(ends[index]);
        }
    }
    ends
}

/// Returns a hash of each line with its descendants, which ignores texts, states and refs.
fn forms(tree: &Tree, lines: &[Line], ends: &[usize]) -> Vec<u64> {
    let form = |(index, line): (usize, &Line)| {
        let mut hasher = DefaultHasher::new();
        for inner in lines[index..ends[index]].iter().filter(|inner| !inner.is_property) {
            (inner.depth - line.depth, tree.nodes[inner.node].role, inner.acts).hash(&mut hasher);
        }
        hasher.finish()
    };
    // Each large part gets a unique value, because only small parts form runs.
    let small = |index: usize| ends[index] - index <= 40;
    lines.iter().enumerate().map(|part| if small(part.0) { form(part) } else { part.0 as u64 }).collect()
}

fn run_at(lines: &[Line], ends: &[usize], forms: &[u64], start: usize) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut next = start;
    while next < lines.len() && lines[next].parent == lines[start].parent && forms[next] == forms[start] {
        parts.push(next..ends[next]);
        next = ends[next];
    }
    parts
}

struct Run<'a> {
    tree: &'a Tree,
    lines: &'a [Line],
    parts: Vec<Range<usize>>,
}

/// A position in the structure that all parts of a run have in common.
struct Slot<'a> {
    /// The node at this position in each part, with its text.
    nodes: Vec<(&'a Node, &'a str)>,
    /// The common beginning of all texts.
    before: &'a str,
    /// The common end of all texts.
    after: &'a str,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// All texts are equal.
    Same,
    /// The texts differ only in a key. The line of each part begins with its key.
    Keyed,
    /// The texts differ in some other way.
    Free,
}

impl<'a> Slot<'a> {
    fn new(nodes: Vec<(&'a Node, &'a str)>) -> Self {
        let first = nodes[0].1;
        let same = nodes.iter().all(|(_, says)| *says == first);
        let (before, after) = if same { (first, "") } else { shared(nodes.iter().map(|(_, says)| *says)) };
        Self { nodes, before, after, kind: if same { Kind::Same } else { Kind::Free } }
    }

    /// Returns the middle of a part's text, which differs from the other parts.
    fn key(&self, part: usize) -> &'a str {
        let says = self.nodes[part].1;
        says.get(self.before.len()..says.len() - self.after.len()).unwrap_or(says)
    }

    fn acts(&self) -> bool {
        self.nodes[0].0.is_control()
    }

    /// Returns the label of the node at this position in a part.
    fn label(&self, part: usize) -> &'a str {
        let (node, says) = self.nodes[part];
        let shared = match self.kind {
            Kind::Free => says,
            Kind::Same | Kind::Keyed => {
                let before = self.before.trim();
                if before.is_empty() { self.after.trim() } else { before }
            }
        };
        if shared.is_empty() { node.role } else { shared }
    }
}

impl<'a> Run<'a> {
    fn write(&self, parent: usize, folded: &mut Vec<Line>) {
        let slots = self.slots();
        let depth = if parent == NOWHERE { 0 } else { folded[parent].depth + 1 };
        let top = &self.lines[self.parts[0].start];
        let header = folded.len();
        folded.push(Line {
            depth,
            parent,
            text: self.header(&slots),
            worth: LinePriority::Actionable,
            acts: 0,
            has_ref: false,
            has_value: false,
            head: 0,
            ..top.clone()
        });
        for (part, range) in self.parts.iter().enumerate() {
            let lines = &self.lines[range.clone()];
            folded.push(Line {
                depth: depth + 1,
                parent: header,
                text: self.part(part, &slots),
                worth: LinePriority::Actionable,
                acts: acts(lines),
                has_value: true,
                head: 0,
                ..lines[0].clone()
            });
        }
    }

    fn slots(&self) -> Vec<Slot<'a>> {
        let places: Vec<Vec<usize>> = self
            .parts
            .iter()
            .map(|part| part.clone().filter(|&line| !self.lines[line].is_property).collect())
            .collect();
        let says = |line: usize| {
            let line = &self.lines[line];
            (&self.tree.nodes[line.node], &*self.tree.nodes[line.says].name)
        };
        let slot = |place: usize| Slot::new(places.iter().map(|lines| says(lines[place])).collect());
        let mut slots: Vec<Slot<'a>> = (0..places[0].len()).map(slot).collect();
        slots.retain(|slot| slot.acts() || slot.nodes.iter().any(|(_, says)| !says.is_empty()));
        let Some(key) = slots.iter().position(|slot| slot.kind == Kind::Free) else { return slots };
        let keyed: Vec<usize> = (0..slots.len())
            .filter(|&other| slots[other].kind == Kind::Free)
            .filter(|&other| (0..self.parts.len()).all(|part| slots[other].key(part) == slots[key].key(part)))
            .collect();
        for place in keyed {
            slots[place].kind = Kind::Keyed;
        }
        slots
    }

    /// Returns the line that describes the common structure of all parts.
    fn header(&self, slots: &[Slot<'a>]) -> String {
        let mut text = format!("{} alike, # for what begins the line: ", self.parts.len());
        for (place, slot) in slots.iter().enumerate() {
            text.push_str(if place > 0 { " | " } else { "" });
            text.push_str(slot.nodes[0].0.role);
            let shape = match slot.kind {
                Kind::Same => slot.before.to_owned(),
                Kind::Keyed => format!("{}#{}", slot.before, slot.after),
                Kind::Free => "*".to_owned(),
            };
            if !shape.is_empty() {
                text.push(' ');
                push_quoted(&mut text, &shape, KEY);
            }
        }
        text
    }

    fn part(&self, part: usize, slots: &[Slot<'a>]) -> String {
        let mut text = String::new();
        if let Some(slot) = slots.iter().find(|slot| slot.kind == Kind::Keyed) {
            push_name(&mut text, slot.key(part), KEY, &[':']);
            text.push(':');
        }
        let mut texts = 0;
        for slot in slots {
            let (node, _) = slot.nodes[part];
            if slot.acts() {
                text.push_str(if text.is_empty() { "" } else { " " });
                push_name(&mut text, slot.label(part), LABEL, &[':']);
                let _ = write!(text, " [{}]", self.tree.ref_of(node));
                add_state(&mut text, node);
            } else if slot.kind == Kind::Free && texts < MOST_TEXTS {
                texts += 1;
                text.push_str(if text.is_empty() { "" } else { " " });
                push_name(&mut text, slot.label(part), LABEL, &[':']);
            }
        }
        text
    }
}

fn add_state(text: &mut String, node: &Node) {
    let Some(details) = &node.details else { return };
    push_states(text, details);
    push_mark(text, node);
    if let Some(value) = details.value.as_deref().filter(|value| !value.trim().is_empty()) {
        text.push_str(" = ");
        push_quoted_if_ambiguous(text, value, LABEL, &[':']);
    }
}

/// Returns the common beginning and end of all texts, cut to whole words.
fn shared<'a>(mut all: impl Iterator<Item = &'a str> + Clone) -> (&'a str, &'a str) {
    let Some(first) = all.next() else { return ("", "") };
    let (mut before, mut after) = (first.len(), first.len());
    for other in all {
        let common = |pair: &(char, char)| pair.0 == pair.1;
        let ahead = first.chars().zip(other.chars()).take_while(common);
        before = before.min(ahead.map(|(character, _)| character.len_utf8()).sum());
        let behind = first.chars().rev().zip(other.chars().rev()).take_while(common);
        let room = other.len().saturating_sub(before);
        after = after.min(behind.map(|(character, _)| character.len_utf8()).sum()).min(room);
    }
    let before = whole_words(&first[..before], false);
    let after = first.len() - after.min(first.len() - before.len());
    let after = if first.is_char_boundary(after) { &first[after..] } else { "" };
    (before, whole_words(after, true))
}

/// Removes an incomplete word at the end of `text`, or at its beginning if `after` is set.
fn whole_words(text: &str, after: bool) -> &str {
    let inside = |character: char| character.is_alphanumeric();
    if after {
        text.find(|character| !inside(character)).map_or("", |at| &text[at..])
    } else {
        text.rfind(|character| !inside(character)).map_or("", |at| {
            let width = text[at..].chars().next().map_or(0, char::len_utf8);
            &text[..at + width]
        })
    }
}
