//! Lines that went, told in few.
use std::collections::HashSet;
use std::fmt::Write as _;
use std::ops::Range;

use super::diff::Side;
use super::outline::{Line, Worth};
use super::text::{push_plain, push_quoted};

/// Lines of a snapshot that are gone from the same place.
pub(super) struct Gone<'a> {
    side: &'a Side<'a>,
    indices: HashSet<usize>,
    /// Neighbours, each the outermost line of a branch.
    runs: Vec<Vec<usize>>,
}

/// So many neighbours are told one by one.
const FEW: usize = 3;
/// The longest words of a line that went.
const LONGEST: usize = 60;

impl<'a> Gone<'a> {
    /// `gone` is sorted.
    pub(super) fn new(side: &'a Side<'a>, gone: &[usize]) -> Self {
        let set: HashSet<usize> = gone.iter().copied().collect();
        let mut runs: Vec<Vec<usize>> = Vec::new();
        let mut next = None;
        for &index in gone.iter().filter(|&&index| !set.contains(&side.owners[index])) {
            match runs.last_mut().filter(|_| next == Some(index)) {
                Some(run) => run.push(index),
                None => runs.push(vec![index]),
            }
            next = Some(branch(side, index).end);
        }
        Self { side, indices: set, runs }
    }

    pub(super) fn count(&self) -> usize {
        self.indices.len()
    }

    /// One line for each branch; one for many that were neighbours.
    pub(super) fn lines(&self) -> Vec<Line> {
        let mut lines = Vec::new();
        for run in &self.runs {
            match run.as_slice() {
                [first, .., last] if run.len() > FEW => {
                    let all: usize = run.iter().map(|&index| self.size(index)).sum();
                    let (first, from, to) = (*first, self.head(*first), self.head(*last));
                    lines.push(self.line(first, format!("{from} … {to} [{all} lines]")));
                }
                run => lines.extend(run.iter().map(|&index| {
                    let head = self.head(index);
                    match self.size(index) {
                        1 => self.line(index, head),
                        size => self.line(index, format!("{head} [{size} lines]")),
                    }
                })),
            }
        }
        lines
    }

    fn line(&self, index: usize, text: String) -> Line {
        let line = self.side.lines[index].clone();
        Line { worth: Worth::Text, acts: 0, has_value: true, text, ..line }
    }

    /// How many lines went with this one, itself among them.
    fn size(&self, index: usize) -> usize {
        branch(self.side, index).filter(|inside| self.indices.contains(inside)).count()
    }

    /// The line, short.
    fn head(&self, index: usize) -> String {
        let line = &self.side.lines[index];
        if line.text.chars().count() <= 2 * LONGEST {
            return line.text.clone();
        }
        let node = &self.side.tree.nodes[line.node];
        let mut head = node.role.to_owned();
        if node.is_text() {
            head.push_str(": ");
            push_plain(&mut head, &node.name, LONGEST, &[]);
        } else if !node.name.is_empty() {
            head.push(' ');
            push_quoted(&mut head, &node.name, LONGEST);
        }
        if line.has_ref {
            let _ = write!(head, " [ref={}]", self.side.tree.ref_of(node));
        }
        head
    }
}

/// A line and all that it holds.
fn branch(side: &Side<'_>, index: usize) -> Range<usize> {
    let depth = side.lines[index].depth;
    let inside = side.lines[index + 1..].iter().take_while(|line| line.depth > depth).count();
    index..index + 1 + inside
}
