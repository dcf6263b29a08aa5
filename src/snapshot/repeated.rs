//! Summarises parts that are the same on several pages of a site, such as menus.
use std::collections::HashSet;
use std::fmt::Write as _;

use super::tree::{Node, Tree};
use super::walked::NodeDetails;

/// The minimum number of controls in a part that is summarised.
const FEWEST: usize = 6;

/// Returns `now` without the content of parts that are the same in `before`: only their control counts.
pub(super) fn without(now: &Tree, before: &Tree) -> Tree {
    let known: HashSet<String> = parts(before).map(|part| words(&before.nodes[part.clone()])).collect();
    let mut nodes = Vec::with_capacity(now.nodes.len());
    let mut from = 0;
    for part in parts(now) {
        if part.start < from || !known.contains(&words(&now.nodes[part.clone()])) {
            continue;
        }
        nodes.extend_from_slice(&now.nodes[from..=part.start]);
        if let Some(node) = nodes.last_mut() {
            node.details.get_or_insert_default().as_before = acts(&now.nodes[part.clone()]);
        }
        from = part.end;
    }
    nodes.extend_from_slice(&now.nodes[from..]);
    Tree { nodes, ..now.without_nodes() }
}

/// Returns the node ranges of parts that other pages may share, outermost first.
fn parts(tree: &Tree) -> impl Iterator<Item = std::ops::Range<usize>> {
    let shared = |node: &Node| {
        node.number > 0 && matches!(node.role, "banner" | "complementary" | "contentinfo" | "navigation")
    };
    (0..tree.nodes.len())
        .filter(move |&index| shared(&tree.nodes[index]))
        .map(|index| index..tree.end(index))
        .filter(|part| acts(&tree.nodes[part.clone()]) >= FEWEST)
}

fn acts(nodes: &[Node]) -> usize {
    nodes.iter().filter(|node| node.is_control()).count()
}

/// Returns the whole content of these nodes as text, without refs, positions and focus, for comparisons.
fn words(nodes: &[Node]) -> String {
    let mut words = String::with_capacity(nodes.len() * 48);
    let top = nodes.first().map_or(0, |node| node.depth);
    for node in nodes {
        let details = node.details.as_deref().map(NodeDetails::content);
        let _ = writeln!(
            words,
            "{} {} {:?} {:?}",
            node.depth - top,
            node.role,
            node.name,
            details.unwrap_or_default()
        );
    }
    words
}
