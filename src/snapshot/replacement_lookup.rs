//! Finds the element that replaced a removed one when the page re-rendered its content.
use std::collections::HashSet;

use super::reference::Ref;
use super::side::NodeKey;
use super::tree::{Node, Tree};

/// Returns the index in `now` of the only element that can have replaced the removed element `reference`: the
/// one with the same surroundings, otherwise the only one with the same role and name.
pub fn find_replacement(before: &Tree, now: &Tree, reference: &Ref) -> Option<usize> {
    let gone = before.index_of_ref(reference)?;
    let search = Search::new(before, now, gone)?;
    let in_its_place = search.in_its_place().filter(|_| before.document == now.document);
    in_its_place.or_else(|| search.alone())
}

struct Search<'a> {
    before: &'a Tree,
    now: &'a Tree,
    gone: usize,
    /// Indexes of the removed elements with the role and name of `gone`, which is one of them.
    lost: Vec<usize>,
    /// Indexes of the added elements with this role and name.
    came: Vec<usize>,
    /// The number of elements with this role and name in `before`.
    were: usize,
    /// Indexes of the elements with this role and name in `now`.
    are: Vec<usize>,
}

impl<'a> Search<'a> {
    fn new(before: &'a Tree, now: &'a Tree, gone: usize) -> Option<Self> {
        let node = &before.nodes[gone];
        if node.name.trim().is_empty() && node.fallback_label().is_none() {
            return None;
        }
        let is_named = !node.name.trim().is_empty();
        let is_like = |other: &Node| {
            other.number > 0
                && other.frame == node.frame
                && other.role == node.role
                && other.name == node.name
                && (is_named || other.fallback_label() == node.fallback_label())
        };
        let like = |tree: &Tree| -> Vec<usize> {
            (0..tree.nodes.len()).filter(|&place| is_like(&tree.nodes[place])).collect()
        };
        let (were, are) = (like(before), like(now));
        let (old, new) = (keys(before), keys(now));
        let not_in = |tree: &Tree, places: &[usize], keys: &HashSet<NodeKey>| -> Vec<usize> {
            let is_other = |place: &usize| tree.nodes[*place].key().is_some_and(|key| !keys.contains(&key));
            places.iter().copied().filter(is_other).collect()
        };
        let lost = not_in(before, &were, &new);
        let came = not_in(now, &are, &old);
        Some(Self { before, now, gone, lost, came, were: were.len(), are })
    }

    /// Returns the only candidate: one such element before and now, or one removed and one added.
    fn alone(&self) -> Option<usize> {
        match self.are[..] {
            [only] if self.were == 1 => Some(only),
            _ => match (&self.lost[..], &self.came[..]) {
                ([_], &[only]) => Some(only),
                _ => None,
            },
        }
    }

    /// Returns the only added candidate that has the same surroundings as `gone`.
    fn in_its_place(&self) -> Option<usize> {
        let mut found = self.came.iter().copied().filter(|&came| self.stands_for(self.gone, came));
        let only = found.next().filter(|_| found.next().is_none())?;
        let claims = self.lost.iter().filter(|&&lost| self.stands_for(lost, only)).count();
        (claims == 1).then_some(only)
    }

    /// Whether both elements have ancestors with the same roles, names and texts, up to a common ancestor.
    fn stands_for(&self, lost: usize, came: usize) -> bool {
        let (mut old, mut new) = (holder(self.before, lost), holder(self.now, came));
        loop {
            let (Some(was), Some(is)) = (old, new) else { return old.is_none() && new.is_none() };
            let (one, other) = (&self.before.nodes[was], &self.now.nodes[is]);
            if one.key().is_some() && one.key() == other.key() {
                return true;
            }
            if one.role != other.role || one.name != other.name || !self.keeps_words(was, is) {
                return false;
            }
            (old, new) = (holder(self.before, was), holder(self.now, is));
        }
    }

    fn keeps_words(&self, was: usize, is: usize) -> bool {
        let there: HashSet<&str> = words(self.now, is).collect();
        words(self.before, was).all(|word| there.contains(word))
    }
}

fn keys(tree: &Tree) -> HashSet<NodeKey> {
    tree.nodes.iter().filter_map(Node::key).collect()
}

/// Returns the names and texts in the subtree of the node at index `place`.
fn words(tree: &Tree, place: usize) -> impl Iterator<Item = &str> {
    tree.nodes[place..tree.end(place)].iter().map(|node| node.name.trim()).filter(|name| !name.is_empty())
}

/// Returns the index of the parent of the node at index `place`.
fn holder(tree: &Tree, place: usize) -> Option<usize> {
    let depth = tree.nodes[place].depth;
    (0..place).rev().find(|&above| tree.nodes[above].depth < depth)
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::super::walked::Frame;
    use super::*;

    fn tree(nodes: &str) -> Tree {
        let frame = Frame::parse(&format!(r#"{{"first":1,"nodes":{nodes}}}"#)).unwrap();
        Tree::assemble(0, 0, 0, 0, HashMap::from([(0, frame)]))
    }

    fn found(before: &str, now: &str, number: u32) -> Option<u32> {
        let (before, now) = (tree(before), tree(now));
        let reference = Ref::new(0, 0, 0, number);
        find_replacement(&before, &now, &reference).map(|place| now.nodes[place].number)
    }

    #[test]
    fn what_is_drawn_anew_beside_its_like_is_found_in_its_place() {
        let before = r#"[[0,"region",1,"Editor"],[1],[2,"textbox",2,"tag"],[2,"button",3,"add"],[1],[2,"textbox",4,"field"],[2,"button",5,"add"]]"#;
        let now = r#"[[0,"region",1,"Editor"],[1],[2,"textbox",2,"tag"],[2,"button",8,"add"],[2,"todo"],[1],[2,"textbox",4,"field"],[2,"button",5,"add"]]"#;
        assert_eq!(found(before, now, 3), Some(8));
    }

    #[test]
    fn a_row_is_never_taken_for_another() {
        let before = r#"[[0,"table",1,""],[1,"row",2,""],[2,"Ann"],[2,"button",3,"Delete"],[1,"row",4,""],[2,"Bob"],[2,"button",5,"Delete"]]"#;
        let now = r#"[[0,"table",1,""],[1,"row",6,""],[2,"Bob"],[2,"button",7,"Delete"]]"#;
        assert_eq!(found(before, now, 3), None);
        assert_eq!(found(before, now, 5), Some(7));
        let other = r#"[[0,"table",1,""],[1,"row",6,""],[2,"Zed"],[2,"button",7,"Delete"],[1,"row",4,""],[2,"Bob"],[2,"button",5,"Delete"]]"#;
        assert_eq!(found(before, other, 3), Some(7));
    }
}
