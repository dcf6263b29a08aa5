//! Finds the main content of a page, and the sections of headings.
use std::ops::Range;

use super::tree::{Node, Tree};

/// The share of the prose, in percent, that a child must contain to be the main content instead.
const MOST: usize = 60;
/// The characters that do not count in each text, so that labels are no prose.
const LABEL: usize = 20;
/// The characters of prose below which a page is an application and not an article.
const LEAST_PROSE: usize = 1_200;

/// The main content of a page.
#[derive(Debug, Clone)]
pub(super) struct MainPart {
    pub nodes: Range<usize>,
    pub is_article: bool,
}

impl MainPart {
    /// Finds the main content: descends as long as one child contains most of the prose.
    pub(super) fn of(tree: &Tree, within: Range<usize>) -> Self {
        let nodes = &tree.nodes[within.clone()];
        let sums = prose_before(nodes);
        let prose = |part: &Range<usize>| sums[part.end] - sums[part.start];
        let mut main = 0..nodes.len();
        loop {
            let held = prose(&main);
            let next = children(nodes, &main).find(|child| {
                child.len() < main.len() && child.len() > 1 && prose(child) * 100 > held * MOST
            });
            match next {
                Some(child) if held > 0 => main = child,
                _ => break,
            }
        }
        let is_article = prose(&main) >= LEAST_PROSE;
        Self { nodes: within.start + main.start..within.start + main.end, is_article }
    }

    pub(super) fn holds(&self, node: usize) -> bool {
        self.nodes.contains(&node)
    }
}

/// Returns the characters of prose before each node, without the texts of controls.
fn prose_before(nodes: &[Node]) -> Vec<usize> {
    let mut sums = Vec::with_capacity(nodes.len() + 1);
    let (mut sum, mut acting): (usize, Option<u32>) = (0, None);
    for node in nodes {
        sums.push(sum);
        if acting.is_some_and(|depth| node.depth <= depth) {
            acting = None;
        }
        if acting.is_none() && node.is_actionable() {
            acting = Some(node.depth);
        }
        if acting.is_none() && node.is_text() {
            sum += node.name.chars().count().saturating_sub(LABEL);
        }
    }
    sums.push(sum);
    sums
}

/// The children of a part; the roots of the page for the whole page.
fn children<'a>(nodes: &'a [Node], part: &Range<usize>) -> impl Iterator<Item = Range<usize>> + use<'a> {
    let is_all = part.start == 0 && part.end == nodes.len();
    let (mut next, end) = (if is_all { 0 } else { part.start + 1 }, part.end);
    std::iter::from_fn(move || {
        let start = (next < end).then_some(next)?;
        let depth = nodes[start].depth;
        let inside = nodes[start + 1..end].iter().take_while(|node| node.depth > depth).count();
        next = start + 1 + inside;
        Some(start..next)
    })
}

/// The section of the heading at `start`: up to the next heading of its level or above, or the end of the parent.
pub(super) fn section(tree: &Tree, start: usize) -> Range<usize> {
    let nodes = &tree.nodes;
    let rank = |node: &Node| node.details.as_ref().and_then(|details| details.level).unwrap_or(2);
    let own = rank(&nodes[start]);
    let mut end = tree.end(start);
    // If nothing follows the heading in its container, its section continues after the container.
    let mut holder = start;
    while end < nodes.len() && nodes[end].depth < nodes[holder].depth {
        let above = nodes[end].depth;
        let Some(parent) = nodes[..holder].iter().rposition(|node| node.depth < nodes[holder].depth) else {
            break;
        };
        if above > nodes[parent].depth || tree.end(parent) > end {
            break;
        }
        (holder, end) = (parent, tree.end(parent));
    }
    let depth = nodes[holder].depth;
    let inside = nodes[end..]
        .iter()
        .take_while(|node| node.depth >= depth && !(node.role == "heading" && rank(node) <= own));
    let length = inside.count();
    let mut last = end + length;
    // Groups that begin with the next heading belong to its section.
    while last > end && last < nodes.len() && nodes[last].role == "heading" && nodes[last - 1].is_group() {
        last -= 1;
    }
    start..last.max(tree.end(start))
}
