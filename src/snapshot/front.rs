//! Finds the foreground of a page: dialogs, and what remains reachable when something covers the rest.
use std::ops::Range;

use super::tree::{Node, Tree};

impl Tree {
    /// Returns the node ranges in front of the page, in reading order. They are shown first.
    pub fn foreground_ranges(&self) -> Vec<Range<usize>> {
        let mut parts: Vec<Range<usize>> = Vec::new();
        let dialogs = (0..self.nodes.len()).filter(|&at| is_dialog(&self.nodes[at]));
        for part in dialogs.map(|at| at..self.end(at)).chain(self.over_the_rest()) {
            if !parts.iter().any(|other| other.start <= part.start && part.end <= other.end) {
                parts.push(part);
            }
        }
        parts.sort_by_key(|part| part.start);
        parts
    }

    /// Returns the smallest subtree with all reachable controls; only these if it has unreachable ones.
    fn over_the_rest(&self) -> Vec<Range<usize>> {
        let is_front = |node: &Node| node.key().is_some_and(|key| self.front.contains(&key));
        let reached: Vec<usize> = (0..self.nodes.len()).filter(|&at| is_front(&self.nodes[at])).collect();
        let (Some(&first), Some(&last)) = (reached.first(), reached.last()) else { return Vec::new() };
        let holder = (0..=first).rev().find(|&at| self.end(at) > last);
        let part = holder.map(|holder| holder..self.end(holder));
        let is_apart = |part: &Range<usize>| {
            self.nodes[part.clone()].iter().all(|node| !node.is_control() || is_front(node))
        };
        match part.filter(is_apart) {
            Some(part) => vec![part],
            None => reached.iter().map(|&at| at..self.end(at)).collect(),
        }
    }
}

fn is_dialog(node: &Node) -> bool {
    matches!(node.role, "dialog" | "alertdialog")
}
