//! Selects nodes of a page that do not form one subtree, such as the visible ones.
use std::collections::HashSet;

use super::side::NodeKey;
use super::tree::{Node, Tree};

impl Tree {
    /// Returns the numbers of the elements in a frame, without duplicates.
    pub fn element_numbers_in_frame(&self, frame: u32) -> Vec<u32> {
        let mut seen = HashSet::new();
        let numbers = self.nodes.iter().filter(|node| node.frame == frame && node.number > 0);
        numbers.map(|node| node.number).filter(|number| seen.insert(*number)).collect()
    }

    /// Returns the keys of all elements.
    pub fn keys(&self) -> impl Iterator<Item = NodeKey> {
        self.nodes.iter().filter_map(Node::key)
    }

    /// Returns a tree with only these nodes of a frame and their ancestors. Empty if the nodes do not exist.
    #[must_use]
    pub fn only_elements(&self, frame: u32, numbers: &HashSet<u32>) -> Self {
        let is_wanted = |node: &Node| node.frame == frame && numbers.contains(&node.number);
        let mut kept = vec![false; self.nodes.len()];
        let mut holders: Vec<usize> = Vec::new();
        for (index, node) in self.nodes.iter().enumerate() {
            holders.retain(|&holder| self.nodes[holder].depth < node.depth);
            if is_wanted(node) && !node.is_group() {
                kept[index] = true;
                for &holder in &holders {
                    kept[holder] = true;
                }
            }
            holders.push(index);
        }
        let mut tree = self.clone();
        let mut kept = kept.into_iter();
        tree.nodes.retain(|_| kept.next() == Some(true));
        tree
    }

    /// Returns a tree with only the controls, as a flat list.
    #[must_use]
    pub fn only_controls(&self) -> Self {
        let mut tree = self.clone();
        tree.nodes.retain(Node::is_control);
        tree.nodes.iter_mut().for_each(|node| node.depth = 0);
        tree
    }

    /// Returns a tree with the nodes in a viewport of this size and their ancestors. Requires boxes in the walk.
    #[must_use]
    pub fn only_in_viewport(&self, width: f64, height: f64) -> Self {
        let is_seen = |[x, y, across, down]: [i32; 4]| {
            let (x, y, across, down) = (f64::from(x), f64::from(y), f64::from(across), f64::from(down));
            x < width && y < height && x + across > 0.0 && y + down > 0.0
        };
        let mut kept = vec![false; self.nodes.len()];
        // The current node's ancestors, and whether each is visible. Texts have no box: the parent counts.
        let mut holders: Vec<(usize, bool)> = Vec::new();
        for (index, node) in self.nodes.iter().enumerate() {
            holders.retain(|&(holder, _)| self.nodes[holder].depth < node.depth);
            let bounds = node.details.as_ref().and_then(|details| details.bounds);
            let around = holders.last().is_none_or(|&(_, seen)| seen);
            let seen = bounds.map_or(around, is_seen);
            if seen {
                kept[index] = true;
                for &(holder, _) in &holders {
                    kept[holder] = true;
                }
            }
            holders.push((index, seen));
        }
        let mut tree = self.clone();
        let mut kept = kept.into_iter();
        tree.nodes.retain(|_| kept.next() == Some(true));
        tree
    }
}
