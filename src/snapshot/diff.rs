//! What became of a page.
use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use super::outline::{Detail, Line, NOWHERE, Worth, outline};
use super::render::{Options, Rendered, choose, render, write};
use super::tree::Tree;

/// What differs between two snapshots of a page.
#[derive(Debug, Clone)]
pub struct Changes<'a> {
    new: &'a Tree,
    /// The document is another one: there is nothing to compare.
    pub whole: bool,
    pub added: usize,
    pub removed: usize,
    pub changed: usize,
    lines: Vec<Line>,
    marks: Vec<Mark>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    Context,
    Added,
    Removed,
    Changed,
}

impl Mark {
    fn sign(self) -> &'static str {
        match self {
            Self::Context => "  ",
            Self::Added => "+ ",
            Self::Removed => "- ",
            Self::Changed => "~ ",
        }
    }
}

/// Who a line is about: the same in both snapshots.
type Key = (u32, u32);

/// Room for the note on what was left out.
const NOTE: usize = 120;

impl Changes<'_> {
    pub fn is_empty(&self) -> bool {
        !self.whole && self.added + self.removed + self.changed == 0
    }

    /// The changed lines, marked `+`, `-` and `~`, with the lines that hold them; the whole page when it is another
    /// document.
    pub fn render(&self, options: &Options) -> Rendered {
        if self.whole {
            return render(self.new, options);
        }
        let all = vec![true; self.lines.len()];
        let text = self.write(&all);
        if text.chars().count() <= options.max_chars {
            return Rendered { text, shown: self.lines.iter().map(|line| line.acts).sum(), cut: None };
        }
        let shown = choose(&self.lines, options.max_chars.saturating_sub(NOTE), usize::MAX, false)
            .unwrap_or_default();
        let text = self.write(&shown);
        let marked = |index: &usize| self.marks[*index] != Mark::Context;
        let left = (0..shown.len()).filter(marked).filter(|index| !shown[*index]).count();
        let room = options.max_chars.saturating_sub(text.chars().count());
        let note = format!("Left out: {left} more changed lines. To see them, take a snapshot.");
        let acts =
            self.lines.iter().zip(&shown).filter(|(_, shown)| **shown).map(|(line, _)| line.acts).sum();
        Rendered { text, shown: acts, cut: Some(note.chars().take(room).collect()) }
    }

    fn write(&self, shown: &[bool]) -> String {
        write(&self.lines, shown, |index| self.marks[index].sign())
    }
}

/// Compares two snapshots of a page by the refs of their nodes.
pub fn diff<'a>(old: &Tree, new: &'a Tree) -> Changes<'a> {
    let before = Side::of(old);
    let after = Side::of(new);
    let strangers = || !before.keys.keys().any(|key| after.keys.contains_key(key));
    let whole =
        old.document != new.document || (!before.keys.is_empty() && !after.keys.is_empty() && strangers());
    let mut changes =
        Changes { new, whole, added: 0, removed: 0, changed: 0, lines: Vec::new(), marks: Vec::new() };
    if !whole {
        Comparison::new(&before, &after).write(&mut changes);
    }
    changes
}

/// One snapshot's lines, and which is whose.
struct Side<'a> {
    tree: &'a Tree,
    lines: Vec<Line>,
    keys: HashMap<Key, usize>,
    /// The nearest line above that has a key.
    owners: Vec<usize>,
}

impl<'a> Side<'a> {
    fn of(tree: &'a Tree) -> Self {
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

    fn key(&self, index: usize) -> Option<Key> {
        let line = &self.lines[index];
        if line.is_property { None } else { self.tree.nodes[line.node].key() }
    }

    fn owner_key(&self, index: usize) -> Option<Key> {
        let owner = self.owners[index];
        if owner == NOWHERE { None } else { self.key(owner) }
    }

    /// True for a line that stands for no element of its own: text, an address, options. Groups are nobody.
    fn is_saying(&self, index: usize) -> bool {
        let line = &self.lines[index];
        line.is_property || self.tree.nodes[line.node].is_text()
    }
}

struct Comparison<'a> {
    before: &'a Side<'a>,
    after: &'a Side<'a>,
    marks: Vec<Mark>,
    /// Lines of the old snapshot that are gone, by the element that held them and is still there.
    gone: HashMap<Option<Key>, Vec<usize>>,
}

impl<'a> Comparison<'a> {
    fn new(before: &'a Side<'a>, after: &'a Side<'a>) -> Self {
        let marks = vec![Mark::Context; after.lines.len()];
        let mut comparison = Self { before, after, marks, gone: HashMap::new() };
        comparison.compare_elements();
        comparison.compare_order();
        comparison.find_gone_elements();
        comparison.compare_sayings();
        comparison
    }

    fn compare_elements(&mut self) {
        for index in 0..self.after.lines.len() {
            let Some(key) = self.after.key(index) else { continue };
            self.marks[index] = match self.before.keys.get(&key) {
                None => Mark::Added,
                Some(&old) if self.before.lines[old].text != self.after.lines[index].text => Mark::Changed,
                Some(&old) if self.before.owner_key(old) != self.after.owner_key(index) => Mark::Changed,
                Some(_) => Mark::Context,
            };
        }
    }

    /// Marks what has moved among its siblings: all but the longest run that kept its order.
    fn compare_order(&mut self) {
        let mut siblings: HashMap<Option<Key>, Vec<(usize, usize)>> = HashMap::new();
        for index in 0..self.after.lines.len() {
            let Some(&old) = self.after.key(index).and_then(|key| self.before.keys.get(&key)) else {
                continue;
            };
            let owner = self.after.owner_key(index);
            if self.before.owner_key(old) == owner {
                siblings.entry(owner).or_default().push((index, old));
            }
        }
        for children in siblings.values() {
            if children.is_sorted_by_key(|(_, old)| *old) {
                continue;
            }
            let kept = longest_rise(children);
            for (index, _) in children {
                if !kept.contains(index) {
                    self.marks[*index] = Mark::Changed;
                }
            }
        }
    }

    fn find_gone_elements(&mut self) {
        for index in 0..self.before.lines.len() {
            let Some(key) = self.before.key(index) else { continue };
            if !self.after.keys.contains_key(&key) {
                self.gone.entry(self.survivor(index)).or_default().push(index);
            }
        }
    }

    /// The nearest element above an old line that is still there.
    fn survivor(&self, index: usize) -> Option<Key> {
        let mut owner = self.before.owners[index];
        while owner != NOWHERE {
            let key = self.before.key(owner);
            if key.is_some_and(|key| self.after.keys.contains_key(&key)) {
                return key;
            }
            owner = self.before.owners[owner];
        }
        None
    }

    /// Text and properties have no identity: under the same element the same words are the same. A word that went
    /// and one that came, in order, are one that changed.
    fn compare_sayings(&mut self) {
        let mut old: HashMap<Option<Key>, Vec<usize>> = HashMap::new();
        for index in (0..self.before.lines.len()).filter(|&index| self.before.is_saying(index)) {
            let owner = self.before.owner_key(index);
            if owner.is_none_or(|owner| self.after.keys.contains_key(&owner)) {
                old.entry(owner).or_default().push(index);
            }
        }
        let mut new: HashMap<Option<Key>, Vec<usize>> = HashMap::new();
        for index in (0..self.after.lines.len()).filter(|&index| self.after.is_saying(index)) {
            new.entry(self.after.owner_key(index)).or_default().push(index);
        }
        for (owner, said) in &mut new {
            let mut was = old.remove(owner).unwrap_or_default();
            let mut counts: HashMap<&str, isize> = HashMap::new();
            for &index in &was {
                *counts.entry(&self.before.lines[index].text).or_default() += 1;
            }
            said.retain(|&index| {
                let left = counts.entry(&self.after.lines[index].text).or_default();
                *left -= 1;
                *left < 0
            });
            was.retain(|&index| {
                let left = counts.entry(&self.before.lines[index].text).or_default();
                *left -= 1;
                *left >= 0
            });
            let paired = was.len().min(said.len());
            for (place, &index) in said.iter().enumerate() {
                self.marks[index] = if place < paired { Mark::Changed } else { Mark::Added };
            }
            self.gone.entry(*owner).or_default().extend(&was[paired..]);
        }
        for (owner, was) in old {
            self.gone.entry(owner).or_default().extend(was);
        }
    }

    fn write(mut self, changes: &mut Changes<'_>) {
        for lines in self.gone.values_mut() {
            lines.sort_unstable();
        }
        let wanted = self.wanted();
        let mut places: Vec<usize> = vec![NOWHERE; self.after.lines.len()];
        self.write_gone(None, NOWHERE, changes);
        for index in (0..self.after.lines.len()).filter(|&index| wanted[index]) {
            let line = &self.after.lines[index];
            let parent = if line.parent == NOWHERE { NOWHERE } else { places[line.parent] };
            let depth = if parent == NOWHERE { 0 } else { changes.lines[parent].depth + 1 };
            places[index] = changes.lines.len();
            let mark = self.marks[index];
            match mark {
                Mark::Added => changes.added += 1,
                Mark::Changed => changes.changed += 1,
                Mark::Context | Mark::Removed => {}
            }
            let worth = if mark == Mark::Context { Worth::Decoration } else { line.worth };
            changes.lines.push(Line { depth, parent, worth, ..line.clone() });
            changes.marks.push(mark);
            if let Some(key) = self.after.key(index) {
                self.write_gone(Some(key), places[index], changes);
            }
        }
    }

    /// The new lines to show: those that differ, those that lost something, and what holds them.
    fn wanted(&self) -> Vec<bool> {
        let mut wanted = vec![false; self.after.lines.len()];
        for index in (0..self.after.lines.len()).rev() {
            let lost = self
                .after
                .key(index)
                .is_some_and(|key| self.gone.get(&Some(key)).is_some_and(|gone| !gone.is_empty()));
            wanted[index] |= lost || self.marks[index] != Mark::Context;
            let parent = self.after.lines[index].parent;
            if wanted[index] && parent != NOWHERE {
                wanted[parent] = true;
            }
        }
        wanted
    }

    /// What is gone from one element: each outermost line, with the refs that went with it.
    fn write_gone(&self, owner: Option<Key>, parent: usize, changes: &mut Changes<'_>) {
        let Some(gone) = self.gone.get(&owner) else { return };
        let depth = if parent == NOWHERE { 0 } else { changes.lines[parent].depth + 1 };
        let set: HashSet<usize> = gone.iter().copied().collect();
        let top = self.before.tree.nodes.first().map_or(0, |node| node.frame);
        let mut outermost: Option<usize> = None;
        for &index in gone {
            changes.removed += 1;
            let line = &self.before.lines[index];
            if set.contains(&self.before.owners[index]) {
                if let (Some(place), true) = (outermost, line.has_ref) {
                    let node = &self.before.tree.nodes[line.node];
                    let holder = &mut changes.lines[place];
                    // Brackets stand in no page text that is not quoted.
                    if holder.has_value {
                        holder.text.truncate(holder.text.len() - 1);
                    } else {
                        holder.text.push_str(" [with");
                    }
                    holder.has_value = true;
                    let frame = if node.frame == top { String::new() } else { format!("f{}", node.frame) };
                    let _ = write!(holder.text, " {frame}e{}]", node.number);
                }
                continue;
            }
            outermost = Some(changes.lines.len());
            // `has_value` says from here on whether refs were added.
            let line = Line { depth, parent, worth: Worth::Text, acts: 0, has_value: false, ..line.clone() };
            changes.lines.push(line);
            changes.marks.push(Mark::Removed);
        }
    }
}

/// The places of the longest rising sequence of old positions.
fn longest_rise(children: &[(usize, usize)]) -> HashSet<usize> {
    let mut tails: Vec<usize> = Vec::new();
    let mut previous = vec![NOWHERE; children.len()];
    for (place, &(_, old)) in children.iter().enumerate() {
        let at = tails.partition_point(|&tail| children[tail].1 < old);
        if at > 0 {
            previous[place] = tails[at - 1];
        }
        if at == tails.len() {
            tails.push(place);
        } else {
            tails[at] = place;
        }
    }
    let mut kept = HashSet::new();
    let mut place = tails.last().copied().unwrap_or(NOWHERE);
    while place != NOWHERE {
        kept.insert(children[place].0);
        place = previous[place];
    }
    kept
}
