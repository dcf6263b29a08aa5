//! Finds the main content of a page, and the section that belongs to a heading.
use std::ops::Range;

use super::tree::{Node, Tree};

/// The search for the main content descends into a child with more than this percentage of the prose.
const MOST: usize = 60;
/// The number of characters of each text that do not count as prose, so that short labels count as none.
const LABEL: usize = 20;
/// A page with fewer characters of prose is an application, not an article.
const LEAST_PROSE: usize = 1_200;

/// The main content of a page.
#[derive(Debug, Clone)]
pub(super) struct MainPart {
    nodes: Range<usize>,
    /// Navigation and asides within it, which do not belong to it.
    asides: Vec<Range<usize>>,
    pub is_article: bool,
}

impl MainPart {
    /// Finds the main content: descends while one child contains most of the prose.
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
        let main = within.start + main.start..within.start + main.end;
        let asides = if is_article { asides(tree, &main) } else { Vec::new() };
        Self { nodes: main, asides, is_article }
    }

    pub(super) fn holds(&self, node: usize) -> bool {
        let next = self.asides.partition_point(|aside| aside.end <= node);
        self.nodes.contains(&node) && !self.asides.get(next).is_some_and(|aside| aside.contains(&node))
    }
}

fn asides(tree: &Tree, main: &Range<usize>) -> Vec<Range<usize>> {
    let mut asides = Vec::new();
    let mut index = main.start + 1;
    while index < main.end {
        let is_aside = matches!(tree.nodes[index].role, "navigation" | "complementary" | "contentinfo");
        let end = if is_aside { tree.end(index) } else { index + 1 };
        if is_aside {
            asides.push(index..end);
        }
        index = end;
    }
    asides
}

/// Returns for each node the number of prose characters before it, not counting the texts of controls.
fn prose_before(nodes: &[Node]) -> Vec<usize> {
    let mut sums = Vec::with_capacity(nodes.len() + 1);
    let (mut sum, mut acting): (usize, Option<u32>) = (0, None);
    for node in nodes {
        sums.push(sum);
        if acting.is_some_and(|depth| node.depth <= depth) {
            acting = None;
        }
        if acting.is_none() && node.is_control() {
            acting = Some(node.depth);
        }
        if acting.is_none() && node.is_text() {
            sum += node.name.chars().count().saturating_sub(LABEL);
        }
    }
    sums.push(sum);
    sums
}

/// Returns the ranges of the children of a part. For the whole page, these are its top-level nodes.
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

/// Returns a heading's section: up to the next heading of the same or a higher level, or the parent's end.
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
    // Groups that begin with the next heading belong to the next section.
    while last > end && last < nodes.len() && nodes[last].role == "heading" && nodes[last - 1].is_group() {
        last -= 1;
    }
    start..last.max(tree.end(start))
}
