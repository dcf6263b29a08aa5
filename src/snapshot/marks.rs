//! Moves notes that the pointer cannot reach elements to the container that they share.
use super::outline::{Line, NOWHERE};
use super::tree::Tree;
use super::walked::PointerObstacle;

/// The minimum number of controls that share a note at their container.
const FEWEST: usize = 3;

/// Writes a note such as ` [covered]` once, at the outermost line above some controls that all have it.
pub(super) fn group(tree: &Tree, lines: &mut [Line]) {
    let mut all: Vec<Marks> = (0..lines.len()).map(|at| Marks::of(tree, lines, at)).collect();
    for at in (0..lines.len()).rev().filter(|&at| lines[at].parent != NOWHERE) {
        let inner = all[at];
        all[lines[at].parent].add(inner);
    }
    let mut is_grouped = vec![false; lines.len()];
    for at in 0..lines.len() {
        let holder = lines[at].parent;
        if holder != NOWHERE && is_grouped[holder] {
            is_grouped[at] = true;
            lines[at].set_mark("");
        } else if lines[at].acts == 0 && all[at].count >= FEWEST && !all[at].are_mixed {
            is_grouped[at] = true;
            let first = &lines[all[at].first];
            let mark = first.text[first.mark.clone()].to_owned();
            lines[at].set_mark(&mark);
        }
    }
}

/// The notes of the controls in a line and below it.
#[derive(Debug, Clone, Copy)]
struct Marks {
    /// The number of controls with a note, and the index of the first.
    count: usize,
    first: usize,
    kind: Option<PointerObstacle>,
    /// Whether a control has no note, or a different one.
    are_mixed: bool,
}

impl Marks {
    fn of(tree: &Tree, lines: &[Line], at: usize) -> Self {
        let line = &lines[at];
        let is_marked = line.acts > 0 && !line.mark.is_empty();
        let kind = tree.nodes[line.node].pointer_obstacle().filter(|_| is_marked);
        Self { count: is_marked.into(), first: at, kind, are_mixed: line.acts > 0 && !is_marked }
    }

    /// Adds the notes of a descendant line. Call it for the lines in reverse order.
    fn add(&mut self, inner: Self) {
        self.are_mixed |= inner.are_mixed;
        if inner.count == 0 {
            return;
        }
        self.are_mixed |= self.kind.is_some_and(|kind| Some(kind) != inner.kind);
        (self.kind, self.first) = (inner.kind, inner.first);
        self.count += inner.count;
    }
}
