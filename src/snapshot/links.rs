//! Summarises a list of links in one line: their number, the first few texts, and a ref to get the rest.
use std::fmt::Write as _;
use std::ops::Range;

use super::outline::{Line, LinePriority, NOWHERE};
use super::roles;
use super::runs::ends;
use super::section::MainPart;
use super::text::push_quoted_if_ambiguous;
use super::tree::Tree;

/// The minimum number of links that are summarised in one line.
const FEWEST: usize = 5;
/// Once the shown link texts have this many characters, no more are added.
const SAMPLE: usize = 90;
/// The maximum number of characters of all shown link texts together.
const LONGEST_FIRST: usize = 200;

/// Counts for a line and its descendants. `linked` and `said` are the characters inside and outside links.
#[derive(Debug, Clone, Copy, Default)]
struct Content {
    links: usize,
    others: usize,
    linked: usize,
    said: usize,
    headings: usize,
}

impl Content {
    fn add(&mut self, other: Self) {
        self.links += other.links;
        self.others += other.others;
        self.linked += other.linked;
        self.said += other.said;
        self.headings += other.headings;
    }

    fn of(tree: &Tree, line: &Line) -> Self {
        let node = &tree.nodes[line.node];
        if line.is_property {
            return Self::default();
        }
        if node.role == "link" {
            return Self { links: 1, linked: node.name.chars().count(), ..Self::default() };
        }
        let said = line.said(tree).map_or(0, |said| said.chars().count());
        Self {
            links: line.folded,
            others: usize::from(node.is_control() || must_stay(node.role)),
            said: if line.has_value && line.head == 0 { line.text.chars().count() } else { said },
            headings: usize::from(node.role == "heading"),
            linked: 0,
        }
    }

    /// Whether the content is a list of links. In the main content, it must not contain a heading.
    fn is_list(&self, in_main: bool) -> bool {
        let headings = if in_main { 0 } else { self.links / 3 };
        let said = if in_main { self.linked / 2 } else { self.linked };
        self.links > 0 && self.others == 0 && self.headings <= headings && self.said <= said
    }
}

fn must_stay(role: &str) -> bool {
    role == "iframe" || (roles::is_announcement(role) && role != "heading")
}

/// Replaces each list of links by one line. Single links remain.
pub(super) fn fold(tree: &Tree, lines: &[Line], main: &MainPart) -> Vec<Line> {
    let ends = ends(lines);
    let contents = contents(tree, lines);
    let is_list = |index: usize| {
        let line = &lines[index];
        !line.is_property && tree.nodes[line.node].role != "heading" && {
            let in_main = main.is_article && main.holds(line.node);
            contents[index].is_list(in_main)
        }
    };
    let mut folded: Vec<Line> = Vec::with_capacity(lines.len());
    let mut moved = vec![NOWHERE; lines.len()];
    let mut index = 0;
    while index < lines.len() {
        let line = &lines[index];
        let parent = if line.parent == NOWHERE { NOWHERE } else { moved[line.parent] };
        // If the page is not an article, the links in its main content are its main controls: keep them.
        let may_fold = main.is_article || !main.holds(line.node) || in_navigation(tree, lines, index);
        let mut end = index;
        let mut content = Content::default();
        while may_fold && end < lines.len() && lines[end].parent == line.parent && is_list(end) {
            content.add(contents[end]);
            end = ends[end];
        }
        if content.links >= FEWEST {
            let is_one = ends[index] == end && !tree.nodes[line.node].is_control();
            let run = Run { tree, lines, range: index..end, is_one, content };
            folded.push(run.line(parent));
            index = end;
            continue;
        }
        moved[index] = folded.len();
        folded.push(Line { parent, ..line.clone() });
        index += 1;
    }
    folded
}

fn in_navigation(tree: &Tree, lines: &[Line], index: usize) -> bool {
    std::iter::successors(Some(index), |&line| Some(lines[line].parent).filter(|&up| up != NOWHERE))
        .any(|line| matches!(tree.nodes[lines[line].node].role, "navigation" | "contentinfo"))
}

fn contents(tree: &Tree, lines: &[Line]) -> Vec<Content> {
    let mut contents: Vec<Content> = lines.iter().map(|line| Content::of(tree, line)).collect();
    for index in (0..lines.len()).rev() {
        let parent = lines[index].parent;
        if parent != NOWHERE {
            let own = contents[index];
            contents[parent].add(own);
        }
    }
    contents
}

/// A list of links: one list element, or several sibling lines.
struct Run<'a> {
    tree: &'a Tree,
    lines: &'a [Line],
    range: Range<usize>,
    is_one: bool,
    content: Content,
}

impl Run<'_> {
    fn line(&self, parent: usize) -> Line {
        let first = &self.lines[self.range.start];
        let node = &self.tree.nodes[first.node];
        let mut text = String::new();
        if self.is_one && node.number > 0 {
            text.push_str(&first.text[..if first.head > 0 { first.head } else { first.text.len() }]);
            if !first.has_ref {
                let _ = write!(text, " [ref={}]", self.tree.ref_of(node));
            }
        } else {
            text.push_str("group");
            if let Some((from, to)) = self.ends() {
                let _ = write!(text, " [ref={from}-{to}]");
            }
        }
        let _ = write!(text, " [{} links]: ", self.content.links);
        push_quoted_if_ambiguous(&mut text, &self.sample(), LONGEST_FIRST, &[]);
        Line {
            parent,
            depth: first.depth,
            text,
            worth: LinePriority::Text,
            has_value: true,
            is_property: false,
            has_ref: true,
            acts: 0,
            head: 0,
            prose: None,
            folded: self.content.links,
            ..first.clone()
        }
    }

    /// Returns the refs of the first and last element with a ref in the run.
    fn ends(&self) -> Option<(String, String)> {
        let last = self.tree.end(self.lines[self.range.end - 1].node);
        let nodes = &self.tree.nodes[self.lines[self.range.start].node..last];
        let first = nodes.iter().find(|node| node.number > 0)?;
        let last = nodes.iter().rfind(|node| node.number > 0)?;
        let frame = if first.frame == last.frame { String::new() } else { format!("f{}", last.frame) };
        Some((self.tree.ref_of(first).to_string(), format!("{frame}e{}", last.number)))
    }

    /// Returns the first link texts, with an ellipsis if there are more.
    fn sample(&self) -> String {
        let mut sample = String::new();
        // Skip the list itself: the summary line already begins with its name.
        let inside = self.range.start + usize::from(self.is_one)..self.range.end;
        for line in self.lines[inside].iter().filter(|line| !line.is_property) {
            let said = line.said(self.tree).unwrap_or(&self.tree.nodes[line.says].name).trim();
            if said.is_empty() {
                continue;
            }
            if sample.chars().count() >= SAMPLE {
                sample.push('…');
                break;
            }
            if !sample.is_empty() {
                sample.push_str(if sample.ends_with([':', '.', ',']) { " " } else { ", " });
            }
            sample.push_str(said);
        }
        sample
    }
}
