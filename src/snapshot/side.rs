//! A snapshot prepared for a comparison with another one.
use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use super::outline::{Detail, Line, NOWHERE, outline};
use super::text::push_quoted;
use super::tree::Tree;

/// The frame number and element number of an element. They are the same in all snapshots of a document.
pub type NodeKey = (u32, u32);

/// The lines of a snapshot, and the elements that they belong to.
pub(super) struct ComparedSnapshot<'a> {
    pub(super) tree: &'a Tree,
    pub(super) lines: Vec<Line>,
    pub(super) keys: HashMap<NodeKey, usize>,
    /// For each line, the index of its nearest ancestor line with a key, or [`NOWHERE`].
    pub(super) owners: Vec<usize>,
}

impl<'a> ComparedSnapshot<'a> {
    pub(super) fn of(tree: &'a Tree) -> Self {
        let lines = outline(tree, 0, tree.nodes.len(), &Detail::FULL);
        let mut side = Self { tree, keys: HashMap::with_capacity(lines.len()), owners: Vec::new(), lines };
        for index in 0..side.lines.len() {
            let parent = side.lines[index].parent;
            let owner = match parent {
                NOWHERE => NOWHERE,
                parent if side.key(parent).is_some() => parent,
                parent => side.owners[parent],
            };
            side.owners.push(owner);
            if let Some(key) = side.key(index) {
                side.keys.insert(key, index);
            }
        }
        side
    }

    pub(super) fn key(&self, index: usize) -> Option<NodeKey> {
        let line = &self.lines[index];
        if line.is_property { None } else { self.tree.nodes[line.node].key() }
    }

    pub(super) fn owner_key(&self, index: usize) -> Option<NodeKey> {
        let owner = self.owners[index];
        if owner == NOWHERE { None } else { self.key(owner) }
    }

    /// Whether a line is a text, URL or list of options. Groups, which have no key either, do not count.
    pub(super) fn is_text_or_property(&self, index: usize) -> bool {
        let line = &self.lines[index];
        line.is_property || self.tree.nodes[line.node].is_text()
    }

    /// Returns the element on the previous line, if both lines have the same parent.
    pub(super) fn beside(&self, index: usize) -> Option<NodeKey> {
        let before = index.checked_sub(1)?;
        let is_beside = self.lines[before].parent == self.lines[index].parent;
        if is_beside { self.key(before) } else { None }
    }

    /// Returns the texts of those lines that do not directly follow an element.
    pub(super) fn loose(&self, lines: &[usize]) -> HashSet<&str> {
        lines
            .iter()
            .filter(|&&line| self.beside(line).is_none())
            .map(|&line| &*self.lines[line].text)
            .collect()
    }

    /// Returns the name or text that a line shows, otherwise the value of its element; may be empty.
    pub(super) fn said(&self, index: usize) -> &str {
        let line = &self.lines[index];
        let said = &*self.tree.nodes[line.says].name;
        let value =
            || self.tree.nodes[line.node].details.as_ref().and_then(|details| details.value.as_deref());
        if said.is_empty() { value().unwrap_or_default() } else { said }
    }

    /// Returns a label for a line: its text, the first text inside it, its ref, or its role.
    pub(super) fn label(&self, index: usize) -> String {
        const LONGEST: usize = 40;
        let depth = self.lines[index].depth;
        let inside = (index + 1..self.lines.len()).take_while(|&inside| self.lines[inside].depth > depth);
        let named = std::iter::once(index).chain(inside).map(|line| self.said(line));
        let mut label = String::new();
        match (named.into_iter().find(|said| !said.trim().is_empty()), self.key(index)) {
            (Some(said), _) => push_quoted(&mut label, said, LONGEST),
            (None, Some(_)) => {
                let _ = write!(label, "{}", self.tree.ref_of(&self.tree.nodes[self.lines[index].node]));
            }
            (None, None) => label.push_str(self.tree.nodes[self.lines[index].node].role),
        }
        label
    }
}
