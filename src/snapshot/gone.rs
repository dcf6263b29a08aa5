//! Summarises removed lines for a diff.
use std::collections::HashSet;
use std::fmt::Write as _;
use std::ops::Range;

use super::outline::{Line, LinePriority};
use super::side::ComparedSnapshot;
use super::text::{push_quoted, push_quoted_if_ambiguous};

/// Removed lines with the same parent.
pub(super) struct RemovedLines<'a> {
    side: &'a ComparedSnapshot<'a>,
    indices: HashSet<usize>,
    /// Runs of adjacent removed siblings.
    runs: Vec<Vec<Branch>>,
}

/// A removed line with its removed descendants.
#[derive(Debug, Clone)]
struct Branch {
    lines: Range<usize>,
    /// Whether the lines are the whole content of a removed container that itself has no line.
    is_box: bool,
}

/// The most removed siblings that each get a line. A longer run shares one line.
const FEW: usize = 3;
/// The maximum number of characters of the text in a shortened line.
const LONGEST: usize = 60;

impl<'a> RemovedLines<'a> {
    /// `gone` contains the indexes of the removed lines in ascending order.
    pub(super) fn new(side: &'a ComparedSnapshot<'a>, gone: &[usize]) -> Self {
        let set: HashSet<usize> = gone.iter().copied().collect();
        let mut runs: Vec<Vec<Branch>> = Vec::new();
        let mut next = 0;
        for &index in gone.iter().filter(|&&index| !set.contains(&side.owners[index])) {
            if index < next {
                continue; // Part of the previous container.
            }
            let lines = branch(side, index);
            let found = box_around(side, index, &set).filter(|found| found.end > lines.end);
            let branch = Branch { is_box: found.is_some(), lines: found.unwrap_or(lines) };
            let is_beside = next == branch.lines.start;
            next = branch.lines.end;
            match runs.last_mut().filter(|_| is_beside) {
                Some(run) => run.push(branch),
                None => runs.push(vec![branch]),
            }
        }
        Self { side, indices: set, runs }
    }

    pub(super) fn count(&self) -> usize {
        self.indices.len()
    }

    /// Returns one line for each branch, and one line for each long run of siblings.
    pub(super) fn lines(&self) -> Vec<Line> {
        let mut lines = Vec::new();
        for run in &self.runs {
            match run.as_slice() {
                [first, .., last] if run.len() > FEW => {
                    let all: usize = run.iter().map(|branch| self.size(branch)).sum();
                    let (from, to) = (self.head(first), self.head(last));
                    lines.push(self.line(first, format!("{from} … {to} [{all} lines]")));
                }
                run => {
                    let heads: Vec<_> =
                        run.iter().map(|branch| (branch, self.head(branch), self.size(branch))).collect();
                    for alike in heads.chunk_by(|(_, one, _), (_, other, _)| one == other) {
                        let (branch, head, _) = &alike[0];
                        lines.push(match alike.iter().map(|(_, _, size)| size).sum() {
                            1 => self.line(branch, head.clone()),
                            all => self.line(branch, format!("{head} [{all} lines]")),
                        });
                    }
                }
            }
        }
        lines
    }

    fn line(&self, branch: &Branch, text: String) -> Line {
        let line = self.side.lines[branch.lines.start].clone();
        Line { worth: LinePriority::Text, acts: 0, has_value: true, text, ..line }
    }

    /// The number of removed lines in a branch.
    fn size(&self, branch: &Branch) -> usize {
        branch.lines.clone().filter(|inside| self.indices.contains(inside)).count()
    }

    /// Returns a branch's shortened first line; for a container without a line, a label from its content.
    fn head(&self, branch: &Branch) -> String {
        let index = branch.lines.start;
        if branch.is_box {
            return format!("generic {}", self.side.label(index));
        }
        let line = &self.side.lines[index];
        if line.is_property {
            return line.text.clone();
        }
        let node = &self.side.tree.nodes[line.node];
        let mut head = node.role.to_owned();
        let said = self.side.said(index);
        if !node.is_text() && !node.name.is_empty() {
            head.push(' ');
            push_quoted(&mut head, &node.name, LONGEST);
        } else if !said.is_empty() {
            head.push_str(": ");
            push_quoted_if_ambiguous(&mut head, said, LONGEST, &[]);
        } else if let Some(hint) = node.fallback_label() {
            let _ = write!(head, " [hint={hint}]");
        }
        head
    }
}

/// Returns the lines inside the outermost removed container without a role that contains the line at `index`.
fn box_around(side: &ComparedSnapshot<'_>, index: usize, gone: &HashSet<usize>) -> Option<Range<usize>> {
    let nodes = &side.tree.nodes;
    let start = side.lines[index].node;
    let went =
        |line: usize| gone.contains(&line) || (side.key(line).is_none() && !side.is_text_or_property(line));
    let mut depth = nodes[start].depth;
    let mut found = None;
    for place in (0..start).rev() {
        if nodes[place].depth >= depth {
            continue;
        }
        depth = nodes[place].depth;
        let end = nodes[place + 1..].iter().position(|node| node.depth <= depth);
        let end = end.map_or(nodes.len(), |inside| place + 1 + inside);
        let lines = side.lines.partition_point(|line| line.node < place)
            ..side.lines.partition_point(|line| line.node < end);
        if !nodes[place].is_group() || !lines.clone().all(went) {
            break;
        }
        found = Some(lines);
    }
    found
}

/// Returns the index range of a line and its descendants.
fn branch(side: &ComparedSnapshot<'_>, index: usize) -> Range<usize> {
    let depth = side.lines[index].depth;
    let inside = side.lines[index + 1..].iter().take_while(|line| line.depth > depth).count();
    index..index + 1 + inside
}
