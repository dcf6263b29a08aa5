//! Compares two snapshots of a page, and renders the differences.
use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::fmt::Write as _;

use super::compact;
use super::gone::RemovedLines;
use super::left_out::Omission;
use super::outline::{Detail, Line, LinePriority, NOWHERE};
use super::render::{Options, RenderedSnapshot, choose, render, write};
use super::roles;
use super::side::{ComparedSnapshot, NodeKey};
use super::text::{push_quoted, push_written};
use super::tree::Tree;

/// The differences between two snapshots of a page.
#[derive(Debug, Clone)]
pub struct Changes<'a> {
    new: &'a Tree,
    /// Whether the document is a different one, so that the whole page is shown instead of changes.
    pub whole: bool,
    pub added: usize,
    pub removed: usize,
    pub changed: usize,
    /// Lines in which only numbers have changed, such as a clock.
    pub ticks: Vec<NumericChange>,
    lines: Vec<Line>,
    marks: Vec<Mark>,
    /// A note that is shown before all other lines.
    note: Option<String>,
}

/// A line with changing numbers, such as a clock.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct NumericChange {
    /// The element, or the nearest element around the text; `None` at the top level.
    pub key: Option<NodeKey>,
    /// The text of the line, with each number replaced by `#`.
    pub pattern: String,
    /// The current text of the element.
    pub text: String,
}

/// The previous snapshot, and what else the comparison must know.
#[derive(Debug, Clone)]
pub struct ComparisonBase<'a> {
    pub old: &'a Tree,
    /// Whether elements that are missing now still exist and are only covered by others.
    pub covered: bool,
    /// The snapshots with overlays that have closed since; `old` is then the snapshot from before them.
    pub covers: Vec<&'a Tree>,
    /// Lines whose numbers change without any action, such as clocks. Their changes are not reported.
    pub ticking: &'a [NumericChange],
    /// Texts of live regions that the page announced. They are shown first.
    pub said: &'a [String],
    /// New elements that the answer shows elsewhere.
    pub in_view: HashSet<NodeKey>,
    /// The element that was dragged. If the order of its siblings changes, this element is reported as moved.
    pub held: Option<NodeKey>,
}

impl<'a> ComparisonBase<'a> {
    pub fn new(old: &'a Tree) -> Self {
        Self {
            old,
            covered: false,
            covers: Vec::new(),
            ticking: &[],
            said: &[],
            in_view: HashSet::new(),
            held: None,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    Context,
    Added,
    Removed,
    Changed,
}

impl Mark {
    /// The number of characters of a diff mark.
    const WIDTH: usize = 2;

    fn sign(self) -> &'static str {
        match self {
            Self::Context => "  ",
            Self::Added => "+ ",
            Self::Removed => "- ",
            Self::Changed => "~ ",
        }
    }
}

/// The most elements listed individually for each of: now reachable, now unreachable, different look.
const MOST_TURNED: usize = 10;

/// The number of characters reserved for the note about omissions.
const NOTE: usize = 120;

impl Changes<'_> {
    pub fn is_empty(&self) -> bool {
        !self.whole && self.added + self.removed + self.changed == 0 && self.note.is_none()
    }

    /// Renders changed lines, marked `+`, `-` or `~`, with their ancestors; the full page if `whole` is set.
    pub fn render(&self, options: &Options) -> RenderedSnapshot {
        if self.whole {
            return render(self.new, options);
        }
        if options.brief {
            let shown = self.without_new_addresses();
            return compact::fit(options.change_chars, false, |room| {
                shown.render(&Options { max_chars: room, brief: false, ..options.clone() })
            });
        }
        let note = self.note.as_deref().unwrap_or_default();
        let all = vec![true; self.lines.len()];
        let text = format!("{note}{}", self.write(&all));
        if text.chars().count() <= options.max_chars {
            return RenderedSnapshot {
                text,
                shown: self.lines.iter().map(|line| line.acts).sum(),
                cut: None,
            };
        }
        let note = if note.len() + NOTE <= options.max_chars { note } else { "" };
        let room = options.max_chars.saturating_sub(NOTE + note.len());
        let shown = choose(&self.lines, room, usize::MAX, Mark::WIDTH);
        let text = format!("{note}{}", self.write(&shown));
        let marked = |index: &usize| self.marks[*index] != Mark::Context;
        let left = (0..shown.len()).filter(marked).filter(|index| !shown[*index]).count();
        let room = options.max_chars.saturating_sub(text.chars().count());
        let cut = Omission {
            what: format!("Left out: {left} more changed lines."),
            how: Some("To see them, call browser_snapshot, with filename for all.".to_owned()),
            most_in: Vec::new(),
        };
        let acts =
            self.lines.iter().zip(&shown).filter(|(_, shown)| **shown).map(|(line, _)| line.acts).sum();
        RenderedSnapshot { text, shown: acts, cut: cut.within(room) }
    }

    /// Returns the changes without the URLs of added links.
    fn without_new_addresses(&self) -> Self {
        let is_left_out = |index: usize| {
            let line = &self.lines[index];
            let is_new = |index: usize| self.marks.get(index) == Some(&Mark::Added);
            line.is_property && line.text.starts_with("/url") && is_new(index) && is_new(line.parent)
        };
        let mut places = Vec::with_capacity(self.lines.len());
        let (mut lines, mut marks) = (Vec::new(), Vec::new());
        for (index, line) in self.lines.iter().enumerate() {
            places.push(lines.len());
            if is_left_out(index) {
                continue;
            }
            let parent = if line.parent == NOWHERE { NOWHERE } else { places[line.parent] };
            lines.push(Line { parent, ..line.clone() });
            marks.push(self.marks[index]);
        }
        Self { lines, marks, ..self.clone() }
    }

    fn write(&self, shown: &[bool]) -> String {
        write(&self.lines, shown, |index| self.marks[index].sign())
    }
}

/// Compares two snapshots of a page, matching nodes by their refs.
pub fn diff<'a>(old: &Tree, new: &'a Tree) -> Changes<'a> {
    diff_with_base(&ComparisonBase::new(old), new)
}

/// Like [`diff`]; [`ComparisonBase`] says more about the previous snapshot than its tree.
pub fn diff_with_base<'a>(since: &ComparisonBase<'_>, new: &'a Tree) -> Changes<'a> {
    let before = ComparedSnapshot::of(since.old);
    let after = ComparedSnapshot::of(new);
    let strangers = || !before.keys.keys().any(|key| after.keys.contains_key(key));
    let whole = !since.covered
        && (since.old.document != new.document
            || (!before.keys.is_empty() && !after.keys.is_empty() && strangers()));
    let mut changes = Changes {
        new,
        whole,
        added: 0,
        removed: 0,
        changed: 0,
        ticks: Vec::new(),
        lines: Vec::new(),
        marks: Vec::new(),
        note: None,
    };
    if whole {
        return changes;
    }
    if !since.covers.is_empty() {
        changes.note = Some("(What covered the page is closed.)\n".to_owned());
        changes.uncover(&since.covers, &before, &after);
    }
    Comparison::new(&before, &after, since).write(&mut changes);
    changes
}

impl Changes<'_> {
    /// Reports the elements of closed overlays as removed.
    fn uncover(&mut self, covers: &[&Tree], before: &ComparedSnapshot<'_>, after: &ComparedSnapshot<'_>) {
        let mut reported = HashSet::new();
        for cover in covers {
            let cover = ComparedSnapshot::of(cover);
            let closed = |index: usize| {
                let key =
                    if cover.is_text_or_property(index) { cover.owner_key(index) } else { cover.key(index) };
                key.filter(|key| !after.keys.contains_key(key) && !before.keys.contains_key(key))
                    .is_some_and(|key| !reported.contains(&key))
            };
            let gone: Vec<usize> = (0..cover.lines.len()).filter(|&index| closed(index)).collect();
            self.write_gone(&RemovedLines::new(&cover, &gone), NOWHERE);
            reported.extend(gone.iter().filter_map(|&index| cover.key(index)));
        }
    }

    fn write_gone(&mut self, gone: &RemovedLines<'_>, parent: usize) {
        let depth = if parent == NOWHERE { 0 } else { self.lines[parent].depth + 1 };
        self.removed += gone.count();
        for line in gone.lines() {
            self.lines.push(Line { depth, parent, ..line });
            self.marks.push(Mark::Removed);
        }
    }
}

struct Comparison<'a> {
    before: &'a ComparedSnapshot<'a>,
    after: &'a ComparedSnapshot<'a>,
    since: &'a ComparisonBase<'a>,
    marks: Vec<Mark>,
    /// Changes of a line besides its text, by line index: a new position or a new look.
    notes: HashMap<usize, String>,
    /// Indexes of the removed lines, by their nearest ancestor that still exists.
    gone: HashMap<Option<NodeKey>, Vec<usize>>,
    ticks: Vec<NumericChange>,
    /// A note that summarises the changed looks of many elements.
    looks: Option<String>,
}

impl<'a> Comparison<'a> {
    fn new(
        before: &'a ComparedSnapshot<'a>,
        after: &'a ComparedSnapshot<'a>,
        since: &'a ComparisonBase<'a>,
    ) -> Self {
        let marks = vec![Mark::Context; after.lines.len()];
        let mut comparison = Self {
            before,
            after,
            since,
            marks,
            notes: HashMap::new(),
            gone: HashMap::new(),
            ticks: Vec::new(),
            looks: None,
        };
        comparison.compare_elements();
        comparison.compare_order();
        comparison.find_gone_elements();
        comparison.compare_texts();
        comparison.compare_looks();
        comparison
    }

    fn compare_elements(&mut self) {
        let (mut freed, mut blocked) = (Vec::new(), Vec::new());
        for index in 0..self.after.lines.len() {
            let Some(key) = self.after.key(index) else { continue };
            let Some(&old) = self.before.keys.get(&key) else {
                if !self.since.in_view.contains(&key) {
                    self.marks[index] = Mark::Added;
                }
                continue;
            };
            let (was, is) = (&self.before.lines[old], &self.after.lines[index]);
            if was.unmarked() != is.unmarked() {
                self.changed(old, index, Some(key));
            } else if was.mark.is_empty() != is.mark.is_empty() {
                let turned = if is.mark.is_empty() { &mut freed } else { &mut blocked };
                turned.push(index);
            }
            let (was_in, is_in) = (self.before.owner_key(old), self.after.owner_key(index));
            if was_in != is_in && [was_in, is_in].into_iter().flatten().all(|owner| self.stays(owner)) {
                self.marks[index] = Mark::Changed;
                self.notes.insert(index, self.place(index, "moved here"));
            }
        }
        // Not reported for many elements: an overlay over a whole page is itself among the changes.
        for turned in [freed, blocked].iter().filter(|turned| turned.len() <= MOST_TURNED) {
            for &index in turned {
                self.marks[index] = Mark::Changed;
            }
        }
    }

    fn stays(&self, key: NodeKey) -> bool {
        self.before.keys.contains_key(&key) && self.after.keys.contains_key(&key)
    }

    /// Marks a line as changed. If only numbers differ, records a tick, and skips lines known as `ticking`.
    fn changed(&mut self, old: usize, index: usize, key: Option<NodeKey>) {
        self.marks[index] = Mark::Changed;
        let pattern = without_numbers(&self.after.lines[index].text);
        if pattern != without_numbers(&self.before.lines[old].text) {
            return;
        }
        if self.since.ticking.iter().any(|tick| tick.key == key && tick.pattern == pattern) {
            self.marks[index] = Mark::Context;
        }
        self.ticks.push(NumericChange { key, pattern, text: self.after.said(index).to_owned() });
    }

    /// Marks siblings as moved, except those of the longest subsequence that is still in the old order.
    fn compare_order(&mut self) {
        let mut siblings: HashMap<Option<NodeKey>, Vec<(usize, usize)>> = HashMap::new();
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
            self.find_moves(children);
        }
    }

    fn find_moves(&mut self, children: &[(usize, usize)]) {
        if children.is_sorted_by_key(|(_, old)| *old) {
            return;
        }
        let held = children.iter().filter(|(index, _)| self.is_held(*index)).map(|&(index, _)| index).next();
        let others = || children.iter().filter(|(index, _)| Some(*index) != held);
        let kept = match held {
            Some(_) if others().is_sorted_by_key(|(_, old)| *old) => {
                others().map(|&(index, _)| index).collect()
            }
            _ => longest_rise(children),
        };
        for &(index, _) in children.iter().filter(|(index, _)| !kept.contains(index)) {
            self.marks[index] = Mark::Changed;
            self.notes.insert(index, self.place(index, "moved"));
        }
    }

    /// Reports elements of which only the look has changed: a few on their own lines, many in one note.
    fn compare_looks(&mut self) {
        let without_focus = |line: &Line| line.text.replace(" [active]", "");
        let looks = |index: usize| {
            let key = self.after.key(index)?;
            let &old = self.before.keys.get(&key)?;
            let is_same = self.marks[index] == Mark::Context
                || without_focus(&self.before.lines[old]) == without_focus(&self.after.lines[index]);
            let changed = self.since.old.changed_look(self.after.tree, key);
            (is_same && !changed.is_empty() && !self.notes.contains_key(&index)).then_some((index, changed))
        };
        let changed: Vec<_> = (0..self.after.lines.len()).filter_map(looks).collect();
        if changed.len() > MOST_TURNED {
            let parts: BTreeSet<&str> = changed.iter().flat_map(|(_, parts)| parts.iter().copied()).collect();
            let parts = parts.into_iter().collect::<Vec<_>>().join(", ");
            self.looks = Some(format!("(The look of {} elements changed: {parts}.)\n", changed.len()));
            return;
        }
        for (index, parts) in changed {
            self.marks[index] = Mark::Changed;
            self.notes.insert(index, format!("its look changed: {}", parts.join(", ")));
        }
    }

    /// Whether a line is the dragged element's, or that of one of its ancestors or descendants.
    fn is_held(&self, index: usize) -> bool {
        let held = self.since.held.and_then(|held| self.after.keys.get(&held));
        let Some(&held) = held else { return false };
        let parent = |line: usize| Some(self.after.lines[line].parent).filter(|parent| *parent != NOWHERE);
        let around = |line: usize| std::iter::successors(Some(line), move |line| parent(*line));
        around(index).any(|line| line == held) || around(held).any(|line| line == index)
    }

    /// Describes the position of a line among its siblings, such as `moved: 2nd, after "Name"`.
    fn place(&self, index: usize, moved: &str) -> String {
        let parent = self.after.lines[index].parent;
        let own =
            |line: &usize| self.after.lines[*line].parent == parent && !self.after.lines[*line].is_property;
        let from = if parent == NOWHERE { 0 } else { parent + 1 };
        let before: Vec<usize> = (from..index).filter(own).collect();
        match before.last() {
            None => format!("{moved}: first"),
            Some(&last) => {
                format!("{moved}: {}, after {}", ordinal(before.len() + 1), self.after.label(last))
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

    /// Returns the nearest ancestor of a removed line that still exists; `None` if there is none.
    fn survivor(&self, index: usize) -> Option<NodeKey> {
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

    /// Compares texts and properties, which have no refs. Equal texts under the same element match. Other
    /// removed and added texts are paired as changes: first if they differ only in numbers, then in order. A
    /// text right after an element is first compared with the old text there.
    fn compare_texts(&mut self) {
        let mut old: HashMap<Option<NodeKey>, Vec<usize>> = HashMap::new();
        for index in (0..self.before.lines.len()).filter(|&index| self.before.is_text_or_property(index)) {
            let owner = self.before.owner_key(index);
            if owner.is_none_or(|owner| self.after.keys.contains_key(&owner)) {
                old.entry(owner).or_default().push(index);
            } else {
                self.gone.entry(self.survivor(index)).or_default().push(index);
            }
        }
        let mut new: HashMap<Option<NodeKey>, Vec<usize>> = HashMap::new();
        for index in (0..self.after.lines.len()).filter(|&index| self.after.is_text_or_property(index)) {
            new.entry(self.after.owner_key(index)).or_default().push(index);
        }
        let text = |side: &'a ComparedSnapshot<'a>| move |index: usize| Some(side.lines[index].text.clone());
        let pattern = |side: &'a ComparedSnapshot<'a>| {
            move |index: usize| Some(without_numbers(&side.lines[index].text))
        };
        for (owner, mut said) in new {
            let mut was = old.remove(&owner).unwrap_or_default();
            let (loose, loose_now) = (self.before.loose(&was), self.after.loose(&said));
            let anchored = |side: &'a ComparedSnapshot<'a>, index: usize| {
                let text = &*side.lines[index].text;
                let beside =
                    side.beside(index).filter(|_| !loose.contains(text) && !loose_now.contains(text))?;
                Some((beside, text))
            };
            let exactly = |side| move |index| anchored(side, index).map(|anchor| format!("{anchor:?}"));
            let counting = |side| {
                move |index| {
                    anchored(side, index)
                        .map(|(beside, text)| format!("{beside:?} {}", without_numbers(text)))
                }
            };
            let mut same = pairs(&mut was, &mut said, exactly(self.before), exactly(self.after));
            let counted = pairs(&mut was, &mut said, counting(self.before), counting(self.after));
            same.extend(pairs(&mut was, &mut said, text(self.before), text(self.after)));
            same.sort_unstable();
            self.find_moves(&same);
            let ticked = pairs(&mut was, &mut said, pattern(self.before), pattern(self.after));
            let in_order = was.len().min(said.len());
            let changed = said.iter().copied().zip(was.iter().copied());
            for (index, old) in counted.into_iter().chain(ticked).chain(changed) {
                self.changed(old, index, owner);
            }
            let is_shown = owner.is_some_and(|owner| self.since.in_view.contains(&owner));
            for &index in said[in_order..].iter().filter(|_| !is_shown) {
                self.marks[index] = Mark::Added;
            }
            self.gone.entry(owner).or_default().extend(&was[in_order..]);
        }
        for (owner, was) in old {
            self.gone.entry(owner).or_default().extend(was);
        }
    }

    fn write(mut self, changes: &mut Changes<'_>) {
        self.gone.retain(|_, lines| !lines.is_empty());
        for lines in self.gone.values_mut() {
            lines.sort_unstable();
        }
        if self.since.covered {
            let covered: usize = self.gone.values().map(Vec::len).sum();
            changes.note =
                Some(format!("(This covers the page, of which {covered} lines are not repeated.)\n"));
            self.gone.clear();
        }
        if let Some(looks) = self.looks.take() {
            changes.note.get_or_insert_default().push_str(&looks);
        }
        changes.ticks.append(&mut self.ticks);
        let announced = self.announced();
        let on_top = self.on_top();
        let apart: Vec<bool> = announced.iter().zip(&on_top).map(|(one, other)| *one || *other).collect();
        let wanted = self.wanted(&apart);
        let wanted_of = |top: bool, announces: bool| {
            let wanted = &wanted;
            let (on_top, announced) = (&on_top, &announced);
            (0..wanted.len()).filter(move |&index| {
                wanted[index] && on_top[index] == top && (top || announced[index] == announces)
            })
        };
        let mut places: Vec<usize> = vec![NOWHERE; self.after.lines.len()];
        for index in wanted_of(true, false) {
            self.write_line(index, &mut places, LinePriority::Actionable, changes);
        }
        for index in wanted_of(false, true) {
            self.write_line(index, &mut places, LinePriority::Actionable, changes);
        }
        self.write_gone(None, NOWHERE, changes);
        for index in wanted_of(false, false) {
            let worth = self.after.lines[index].worth;
            let worth = if self.marks[index] == Mark::Context { LinePriority::Decoration } else { worth };
            self.write_line(index, &mut places, worth, changes);
        }
    }

    /// Returns for each line whether it is new content over the page, such as a dialog or menu.
    fn on_top(&self) -> Vec<bool> {
        let front = self.after.tree.foreground_ranges();
        let mut on_top = vec![false; self.after.lines.len()];
        for (index, line) in self.after.lines.iter().enumerate() {
            let inside = line.parent != NOWHERE && on_top[line.parent];
            let role = self.after.tree.nodes[line.node].role;
            let is_new = self.marks[index] == Mark::Added && !line.is_property;
            let lies_over = || roles::opens(role) || front.iter().any(|part| part.start == line.node);
            on_top[index] = inside || (is_new && lies_over());
        }
        on_top
    }

    fn write_line(&self, index: usize, places: &mut [usize], worth: LinePriority, changes: &mut Changes<'_>) {
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
        let mut line = Line { depth, parent, worth, ..line.clone() };
        if mark == Mark::Changed {
            self.shorten_value(index, &mut line);
        }
        if let Some(note) = self.notes.get(&index) {
            // Unquoted page text never contains brackets, so it cannot imitate this note.
            let _ = write!(line.text, " [{note}]");
        }
        changes.lines.push(line);
        changes.marks.push(mark);
        if let Some(key) = self.after.key(index) {
            self.write_gone(Some(key), places[index], changes);
        }
    }

    /// Replaces the long value of a field by the part of it that has changed, if that is much shorter.
    fn shorten_value(&self, index: usize, line: &mut Line) {
        let value = |side: &'a ComparedSnapshot<'a>, line: usize| {
            side.tree.nodes[side.lines[line].node].details.as_ref()?.value.as_deref()
        };
        let old = self.after.key(index).and_then(|key| self.before.keys.get(&key));
        let (Some(was), Some(now)) = (old.and_then(|&old| value(self.before, old)), value(self.after, index))
        else {
            return;
        };
        let Some(part) = changed_lines(was, now).filter(|part| part.len() * 2 < now.len()) else { return };
        let mut whole = String::new();
        push_written(&mut whole, now, Detail::FULL.text);
        if let Some(head) = line.text.strip_suffix(&*whole) {
            let mut text = format!("{head}… ");
            push_quoted(&mut text, part, Detail::FULL.text);
            text.push_str(" …");
            line.text = text;
        }
    }

    /// Returns for each line whether it belongs to a live region or alert. Such lines are shown first.
    fn announced(&self) -> Vec<bool> {
        let mut announced = vec![false; self.after.lines.len()];
        for index in 0..self.after.lines.len() {
            let parent = self.after.lines[index].parent;
            let inside = parent != NOWHERE && announced[parent];
            announced[index] = inside || (self.marks[index] != Mark::Context && self.is_announcement(index));
        }
        announced
    }

    fn is_announcement(&self, index: usize) -> bool {
        let line = &self.after.lines[index];
        let node = &self.after.tree.nodes[line.node];
        if line.is_property {
            return false;
        }
        let held = || {
            line.parent != NOWHERE
                && roles::is_live(self.after.tree.nodes[self.after.lines[line.parent].node].role)
        };
        let said = self.after.said(index);
        roles::is_live(node.role)
            || (node.is_text() && held())
            || (!said.is_empty() && self.since.said.iter().any(|text| text == said))
    }

    /// Returns for each line whether to show it: it has changed, lost children, or contains such a line.
    fn wanted(&self, apart: &[bool]) -> Vec<bool> {
        let mut wanted = vec![false; self.after.lines.len()];
        for index in (0..self.after.lines.len()).rev() {
            let lost = self.after.key(index).is_some_and(|key| self.gone.contains_key(&Some(key)));
            wanted[index] |= lost || self.marks[index] != Mark::Context;
            let parent = self.after.lines[index].parent;
            if wanted[index] && parent != NOWHERE && (apart[parent] || !apart[index]) {
                wanted[parent] = true;
            }
        }
        wanted
    }

    /// Writes the lines that were removed below the element `owner`.
    fn write_gone(&self, owner: Option<NodeKey>, parent: usize, changes: &mut Changes<'_>) {
        if let Some(gone) = self.gone.get(&owner) {
            changes.write_gone(&RemovedLines::new(self.before, gone), parent);
        }
    }
}

/// The shortest value of which only the changed lines are shown, in bytes.
const LONG_VALUE: usize = 200;

/// Returns the lines of a long text that differ from the text before; `None` if none do, or the text is short.
fn changed_lines<'a>(was: &str, now: &'a str) -> Option<&'a str> {
    if now.len() < LONG_VALUE || was == now {
        return None;
    }
    let alike = was.chars().zip(now.chars()).take_while(|(one, other)| one == other);
    let start: usize = alike.map(|(letter, _)| letter.len_utf8()).sum();
    let most = was.len().min(now.len()) - start;
    let mut end = 0;
    for (one, other) in was.chars().rev().zip(now.chars().rev()) {
        if one != other || end + other.len_utf8() > most {
            break;
        }
        end += other.len_utf8();
    }
    let from = now[..start].rfind('\n').map_or(0, |at| at + 1);
    let rest = &now[now.len() - end..];
    let to = now.len() - end + rest.find('\n').unwrap_or(rest.len());
    Some(&now[from..to])
}

/// Removes pairs with equal texts from both lists, in order, and returns them. A `None` text equals no other.
fn pairs(
    was: &mut Vec<usize>,
    said: &mut Vec<usize>,
    old: impl Fn(usize) -> Option<String>,
    new: impl Fn(usize) -> Option<String>,
) -> Vec<(usize, usize)> {
    let mut places: HashMap<String, VecDeque<usize>> = HashMap::new();
    for &index in was.iter() {
        if let Some(place) = old(index) {
            places.entry(place).or_default().push_back(index);
        }
    }
    let mut pairs = Vec::new();
    said.retain(|&index| {
        let found = new(index).and_then(|place| places.get_mut(&place)?.pop_front());
        pairs.extend(found.map(|old| (index, old)));
        found.is_none()
    });
    let paired: HashSet<usize> = pairs.iter().map(|(_, old)| *old).collect();
    was.retain(|index| !paired.contains(index));
    pairs
}

/// Replaces each number in a text by `#`.
fn without_numbers(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character.is_numeric() {
            true if out.ends_with('#') => {}
            true => out.push('#'),
            false => out.push(character),
        }
    }
    out
}

fn ordinal(number: usize) -> String {
    let ending = match (number % 100, number % 10) {
        (11..=13, _) => "th",
        (_, 1) => "st",
        (_, 2) => "nd",
        (_, 3) => "rd",
        _ => "th",
    };
    format!("{number}{ending}")
}

/// Returns the indexes of the longest subsequence whose old positions increase.
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
