//! Finds the foreground of a page: dialogs, and what remains reachable when something covers the rest.
use std::ops::Range;

use super::roles;
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

/// The fewest controls behind a dialog that are left out of the changes, and their share of all behind it, in percent.
const FEWEST_BEHIND: usize = 8;
const LEAST_SHARE: usize = 90;

impl Tree {
    /// Returns the tree with only what is in front and the live regions; `None` unless the pointer reaches hardly any
    /// of the other controls.
    #[must_use]
    pub fn foreground(&self) -> Option<Self> {
        let front = self.foreground_ranges();
        let is_front = |at: usize| front.iter().any(|part| part.contains(&at));
        let is_reached =
            |at: usize| self.nodes[at].is_control() && self.nodes[at].pointer_obstacle().is_none();
        let behind: Vec<usize> =
            (0..self.nodes.len()).filter(|&at| !is_front(at) && self.nodes[at].is_control()).collect();
        let reached = behind.iter().filter(|&&at| is_reached(at)).count();
        let is_open = behind.len() < FEWEST_BEHIND || reached * 100 > behind.len() * (100 - LEAST_SHARE);
        if is_open || !(0..self.nodes.len()).any(|at| is_front(at) && is_reached(at)) {
            return None;
        }
        let live: Vec<_> = (0..self.nodes.len())
            .filter(|&at| roles::is_live(self.nodes[at].role))
            .map(|at| at..self.end(at))
            .collect();
        let mut tree = self.clone();
        let mut at = 0;
        tree.nodes.retain(|_| {
            at += 1;
            is_front(at - 1) || live.iter().any(|part| part.contains(&(at - 1)))
        });
        Some(tree)
    }
}

fn is_dialog(node: &Node) -> bool {
    matches!(node.role, "dialog" | "alertdialog")
}
