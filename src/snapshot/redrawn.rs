//! Matches new elements to the old ones that they replaced when a page re-rendered its content.
use std::collections::hash_map::DefaultHasher;
use std::collections::{HashMap, HashSet};
use std::hash::{Hash, Hasher};

use super::side::NodeKey;
use super::tree::{Node, Tree};
use super::walked::NodeDetails;

/// The element number `new` that replaced `old`, an element with the same role and name at the same position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ElementReplacement {
    pub frame: u32,
    pub old: u32,
    pub new: u32,
}

/// Returns the elements of `now` that replaced elements of `before`. Uncertain matches are left out.
pub fn replaced_elements(before: &Tree, now: &Tree) -> Vec<ElementReplacement> {
    let keys = |tree: &Tree| tree.nodes.iter().filter_map(Node::key).collect::<HashSet<_>>();
    let (were, are) = (keys(before), keys(now));
    if before.document != now.document || were.is_subset(&are) || are.is_subset(&were) {
        return Vec::new();
    }
    let (old, new) = (PageView::of(before, were), PageView::of(now, are));
    let places = |view: &PageView<'_>| -> HashMap<NodeKey, usize> {
        view.tree.nodes.iter().enumerate().filter_map(|(at, node)| Some((node.key()?, at))).collect()
    };
    let (places, places_now) = (places(&old), places(&new));
    let mut search = Search { old, new, found: Vec::new(), paired: HashSet::new() };
    search.pair_children(None, None);
    // Elements that stay, also inside a group that has changed.
    for (key, &at) in &places {
        if let Some(&now) = places_now.get(key) {
            search.pair_children(Some(at), Some(now));
        }
    }
    search.found
}

impl Tree {
    /// Gives replaced elements their old numbers, so that refs to them remain valid.
    pub fn restore_replaced_numbers(&mut self, redrawn: &[ElementReplacement]) {
        let numbers: HashMap<NodeKey, u32> =
            redrawn.iter().map(|redrawn| ((redrawn.frame, redrawn.new), redrawn.old)).collect();
        for node in &mut self.nodes {
            if let Some(number) = node.key().and_then(|key| numbers.get(&key)) {
                node.number = *number;
            }
        }
        self.front =
            self.front.iter().map(|key| (key.0, numbers.get(key).copied().unwrap_or(key.1))).collect();
    }
}

/// A tree with data for comparisons: element keys, children, and a digest of each subtree.
struct PageView<'a> {
    tree: &'a Tree,
    keys: HashSet<NodeKey>,
    tops: Vec<usize>,
    children: Vec<Vec<usize>>,
    digests: Vec<u64>,
}

impl<'a> PageView<'a> {
    fn of(tree: &'a Tree, keys: HashSet<NodeKey>) -> Self {
        let nodes = &tree.nodes;
        let mut children = vec![Vec::new(); nodes.len()];
        let (mut tops, mut path): (Vec<usize>, Vec<usize>) = (Vec::new(), Vec::new());
        for (at, node) in nodes.iter().enumerate() {
            while path.last().is_some_and(|&last| nodes[last].depth >= node.depth) {
                path.pop();
            }
            match path.last() {
                Some(&parent) => children[parent].push(at),
                None => tops.push(at),
            }
            path.push(at);
        }
        let mut digests = vec![0; nodes.len()];
        for at in (0..nodes.len()).rev() {
            let inside: Vec<u64> = children[at].iter().map(|&child| digests[child]).collect();
            digests[at] = digest(&nodes[at], &inside);
        }
        Self { tree, keys, tops, children, digests }
    }

    fn node(&self, at: usize) -> &'a Node {
        &self.tree.nodes[at]
    }

    fn inside(&self, parent: Option<usize>) -> &[usize] {
        parent.map_or(&self.tops, |parent| &self.children[parent])
    }

    fn words(&self, at: usize) -> HashSet<&'a str> {
        let nodes = &self.tree.nodes[at..self.tree.end(at)];
        nodes.iter().map(|node| node.name.trim()).filter(|name| !name.is_empty()).collect()
    }
}

/// Returns a hash of everything that a subtree shows, except refs, positions and the focus.
fn digest(node: &Node, inside: &[u64]) -> u64 {
    let mut hasher = DefaultHasher::new();
    let details = node.details.as_deref().map(NodeDetails::content);
    let details = details.filter(|details| *details != NodeDetails::default());
    (node.frame, node.role, &node.name, details.map(|details| format!("{details:?}")), inside)
        .hash(&mut hasher);
    hasher.finish()
}

/// The most siblings that are compared with each other by their texts.
const MOST_COMPARED: usize = 40;

struct Search<'a> {
    old: PageView<'a>,
    new: PageView<'a>,
    found: Vec<ElementReplacement>,
    /// The elements of the old page whose children were compared.
    paired: HashSet<Option<usize>>,
}

impl Search<'_> {
    /// Pairs the children of two matching elements, `old` and `new`. `None` stands for the top level.
    fn pair_children(&mut self, old: Option<usize>, new: Option<usize>) {
        if !self.paired.insert(old) {
            return;
        }
        let (mut was, mut is) = (self.old.inside(old).to_vec(), self.new.inside(new).to_vec());
        let mut pairs =
            take_pairs(&mut was, &mut is, |at| self.old.node(at).key(), |at| self.new.node(at).key());
        // Elements in both snapshots were not replaced and replaced nothing.
        was.retain(|&at| self.old.node(at).key().is_none_or(|key| !self.new.keys.contains(&key)));
        is.retain(|&at| self.new.node(at).key().is_none_or(|key| !self.old.keys.contains(&key)));
        let digest = |view: &PageView<'_>, at: usize| Some((view.digests[at], view.node(at).number > 0));
        pairs.extend(take_pairs(&mut was, &mut is, |at| digest(&self.old, at), |at| digest(&self.new, at)));
        let kind = |view: &PageView<'_>, at: usize| {
            let node = view.node(at);
            let is_kind = !node.is_text() && (node.number > 0 || !view.children[at].is_empty());
            let hint = node.fallback_label().filter(|_| node.name.is_empty()).map(str::to_owned);
            is_kind.then(|| (node.frame, node.role, node.name.clone(), hint, node.number > 0))
        };
        let alike = take_pairs(&mut was, &mut is, |at| kind(&self.old, at), |at| kind(&self.new, at));
        pairs.extend(alike.into_iter().filter(|&(old, new)| self.keeps_words(old, new)));
        pairs.extend(self.pairs_by_words(&was, &is, |view, at| kind(view, at)));
        for (old, new) in pairs {
            let (was, is) = (self.old.node(old), self.new.node(new));
            if let (Some(_), Some(_)) = (was.key(), is.key())
                && was.number != is.number
            {
                self.found.push(ElementReplacement { frame: is.frame, old: was.number, new: is.number });
            }
            self.pair_children(Some(old), Some(new));
        }
    }

    /// Whether the texts of one element are a subset of the other's texts.
    fn keeps_words(&self, old: usize, new: usize) -> bool {
        let (was, is) = (self.old.words(old), self.new.words(new));
        was.is_subset(&is) || is.is_subset(&was)
    }

    /// Returns pairs of the same kind that have more texts in common than either has with any other element.
    fn pairs_by_words<T: PartialEq>(
        &self,
        was: &[usize],
        is: &[usize],
        kind: impl Fn(&PageView<'_>, usize) -> Option<T>,
    ) -> Vec<(usize, usize)> {
        if was.len() > MOST_COMPARED || is.len() > MOST_COMPARED {
            return Vec::new();
        }
        let common = |old: usize, new: usize| {
            let (old_kind, new_kind) = (kind(&self.old, old), kind(&self.new, new));
            let is_alike = old_kind.is_some() && old_kind == new_kind && self.keeps_words(old, new);
            if is_alike { self.old.words(old).intersection(&self.new.words(new)).count() } else { 0 }
        };
        let counts: Vec<Vec<usize>> =
            was.iter().map(|&old| is.iter().map(|&new| common(old, new)).collect()).collect();
        let mut pairs = Vec::new();
        for (row, &old) in was.iter().enumerate() {
            for (column, &new) in is.iter().enumerate() {
                let count = counts[row][column];
                let in_row = counts[row].iter().filter(|&&other| other >= count).count();
                let in_column = counts.iter().filter(|other| other[column] >= count).count();
                if count > 0 && in_row == 1 && in_column == 1 {
                    pairs.push((old, new));
                }
            }
        }
        pairs
    }
}

/// Removes pairs with equal values from both lists and returns them, if a value is equally often in both.
fn take_pairs<T: Hash + Eq>(
    was: &mut Vec<usize>,
    is: &mut Vec<usize>,
    old: impl Fn(usize) -> Option<T>,
    new: impl Fn(usize) -> Option<T>,
) -> Vec<(usize, usize)> {
    let mut groups: HashMap<T, (Vec<usize>, Vec<usize>)> = HashMap::new();
    for &at in was.iter() {
        if let Some(value) = old(at) {
            groups.entry(value).or_default().0.push(at);
        }
    }
    for &at in is.iter() {
        if let Some(value) = new(at) {
            groups.entry(value).or_default().1.push(at);
        }
    }
    let same = groups.into_values().filter(|(was, is)| was.len() == is.len());
    let pairs: Vec<(usize, usize)> = same.flat_map(|(was, is)| was.into_iter().zip(is)).collect();
    let (olds, news): (HashSet<_>, HashSet<_>) = pairs.iter().copied().unzip();
    was.retain(|at| !olds.contains(at));
    is.retain(|at| !news.contains(at));
    pairs
}

#[cfg(test)]
mod tests {
    use super::super::Frame;
    use super::*;

    fn tree(nodes: &str) -> Tree {
        let frame = Frame::parse(&format!(r#"{{"first":1,"nodes":{nodes}}}"#)).unwrap();
        Tree::assemble(0, 0, 0, 0, HashMap::from([(0, frame)]))
    }

    fn found(before: &str, now: &str) -> Vec<(u32, u32)> {
        let mut found: Vec<_> = replaced_elements(&tree(before), &tree(now))
            .iter()
            .map(|redrawn| (redrawn.old, redrawn.new))
            .collect();
        found.sort_unstable();
        found
    }

    #[test]
    fn a_list_that_is_drawn_again_keeps_its_refs_though_one_entry_opened() {
        let before =
            r#"[[0,"main",1,""],[1,"tree",2,"Files"],[2,"treeitem",3,"a",{"x":0}],[2,"treeitem",4,"b"]]"#;
        let now = r#"[[0,"main",1,""],[1,"tree",5,"Files"],[2,"treeitem",6,"a",{"x":1}],[2,"treeitem",7,"inner"],[2,"treeitem",8,"b"]]"#;
        assert_eq!(found(before, now), [(2, 5), (3, 6), (4, 8)]);
    }

    #[test]
    fn what_is_drawn_again_keeps_its_ref_inside_a_group_with_other_texts() {
        let before =
            r#"[[0],[1,"One"],[1,"tree",1,"Files"],[2,"treeitem",2,"a"],[2,"treeitem",3,"b"],[1,"Old"]]"#;
        let now = r#"[[0],[1,"Two"],[1,"tree",1,"Files"],[2,"treeitem",4,"new"],[2,"treeitem",5,"a"]]"#;
        assert_eq!(found(before, now), [(2, 5)]);
    }

    #[test]
    fn a_row_never_takes_the_ref_of_another() {
        let before = r#"[[0,"table",1,""],[1,"row",2,""],[2,"Ann"],[2,"button",3,"Delete"],[1,"row",4,""],[2,"Bob"],[2,"button",5,"Delete"]]"#;
        let now = r#"[[0,"table",1,""],[1,"row",6,""],[2,"Bob"],[2,"button",7,"Delete"]]"#;
        assert_eq!(found(before, now), [(4, 6), (5, 7)]);
        let other = r#"[[0,"table",1,""],[1,"row",8,""],[2,"Zed"],[2,"button",9,"Delete"]]"#;
        assert_eq!(found(now, other), []);
        let more = r#"[[0,"table",1,""],[1,"row",2,""],[2,"Ann"],[2,"button",3,"Delete"],[1,"row",8,""],[2,"Bob"],[2,"due"],[2,"button",9,"Delete"],[1,"row",10,""],[2,"Cid"],[2,"button",11,"Delete"]]"#;
        assert_eq!(found(before, more), [(4, 8), (5, 9)]);
        let twice = r#"[[0,"table",1,""],[1,"row",8,""],[2,"Bob"],[2,"button",9,"Delete"],[1,"row",10,""],[2,"Bob"],[2,"button",11,"Delete"]]"#;
        assert_eq!(found(now, twice), []);
    }
}
