//! Renders the lines of a snapshot as text within a budget.
use std::cell::OnceCell;
use std::ops::Range;

use super::compact;
use super::left_out::{self, LeftOut, Omission};
use super::links;
use super::marks;
use super::outline::{Detail, Line, LinePriority, NOWHERE, outline};
use super::prose::{self, Links};
use super::reference::Ref;
use super::runs;
use super::section::{self, MainPart};
use super::shapes;
use super::share::{self, Budget};
use super::text::indent;
use super::tree::Tree;

/// Options for rendering a snapshot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// The maximum number of characters, with the note about omissions. Above `usual_chars`: only controls.
    pub max_chars: usize,
    /// The number of characters above which texts are shortened. Default: 20,000.
    pub usual_chars: usize,
    /// The maximum number of characters of a diff if `brief` is set.
    pub change_chars: usize,
    /// The maximum depth of nesting. Default: no limit.
    pub depth: Option<usize>,
    /// The element to show. A heading stands for its section. Default: the whole page.
    pub root: Option<Ref>,
    /// The last element to show, if it is not at the end of `root`.
    pub until: Option<Ref>,
    /// Whether to add each element's position: `[box=x,y,width,height]`. Requires a walk with boxes.
    pub boxes: bool,
    /// Whether all elements get refs, and not only controls and landmarks.
    pub all_refs: bool,
    /// Whether each table cell has its own line, even in rows of plain text.
    pub cells: bool,
    /// Whether to use a very short form, which may omit controls because the reader has the full page in a
    /// file. The limits apply to the shortened text.
    pub brief: bool,
    /// Whether short forms (`brief`) contain link URLs.
    pub addresses: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            max_chars: 50_000,
            usual_chars: 20_000,
            change_chars: 50_000,
            depth: None,
            root: None,
            until: None,
            boxes: false,
            all_refs: false,
            cells: false,
            brief: false,
            addresses: false,
        }
    }
}

/// A snapshot as text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RenderedSnapshot {
    pub text: String,
    /// The number of controls in the text.
    pub shown: usize,
    /// What was omitted, and how to get it; `None` if nothing was omitted.
    pub cut: Option<Omission>,
}

/// Returns how many characters to reserve for the note about omissions: fewer if the note has no refs.
fn room_for_note(most: usize) -> usize {
    if left_out::names_refs(most) { 300 } else { 180 }
}

/// How many nested elements may have the same text as their name. It is rendered once.
const MOST_REPETITIONS: usize = 4;

/// The maximum lengths of texts, tried in this order until everything fits. 0 keeps the first sentence.
const TEXTS: [usize; 4] = [2_000, 700, 300, 0];

/// Renders the page or a part of it. If it does not fit, texts are cut after sentences and lists of links are
/// summarised. Controls have priority over other content.
pub fn render(tree: &Tree, options: &Options) -> RenderedSnapshot {
    let part = match &options.root {
        None => Some(0..tree.nodes.len()),
        Some(root) => part(tree, root, options.until.as_ref()),
    };
    let Some(nodes) = part else { return nothing_there(options) };
    let reading = OnceCell::new();
    let part = Part { tree, nodes, options, reading: &reading };
    if !options.brief {
        return part.rendered();
    }
    compact::fit(part.most_in_short(), options.one_each(), |room| {
        let options = Options { max_chars: room, usual_chars: room, ..options.clone() };
        Part { nodes: part.nodes.clone(), options: &options, ..part }.rendered()
    })
}

/// Returns the whole lines of the full snapshot from character `offset` on; `cut` names the next offset.
pub fn render_from_offset(tree: &Tree, options: &Options, offset: usize) -> RenderedSnapshot {
    let everything = usize::MAX / 4;
    let all = render(tree, &Options { max_chars: everything, usual_chars: everything, ..options.clone() });
    let (mut text, mut at) = (String::new(), 0);
    for line in all.text.split_inclusive('\n') {
        let length = line.chars().count();
        if at >= offset && at + length > offset.saturating_add(options.usual_chars) && !text.is_empty() {
            let size = all.text.chars().count();
            let cut = Omission {
                what: format!("These are the characters from {offset} to {at} of {size}."),
                how: Some(format!("The next: browser_snapshot with offset {at}.")),
                most_in: Vec::new(),
            };
            return RenderedSnapshot { text, shown: all.shown, cut: Some(cut) };
        }
        if at >= offset {
            text.push_str(line);
        }
        at += length;
    }
    RenderedSnapshot { text, ..all }
}

/// Returns the nodes of an element or of a heading's section; with `until`, up to the end of that element.
fn part(tree: &Tree, root: &Ref, until: Option<&Ref>) -> Option<Range<usize>> {
    let start = tree.index_of_ref(root)?;
    let end = match until {
        Some(until) => tree.end(tree.index_of_ref(until)?),
        None if tree.nodes[start].role == "heading" => return Some(section::section(tree, start)),
        None => tree.end(start),
    };
    (start < end).then_some(start..end)
}

fn nothing_there(options: &Options) -> RenderedSnapshot {
    let root = options.root.as_ref().map(Ref::to_string).unwrap_or_default();
    let cut = Omission::of(format!("{root} is not in this snapshot."));
    RenderedSnapshot { cut: cut.within(options.max_chars), ..RenderedSnapshot::default() }
}

impl Options {
    /// Whether each element needs its own line.
    fn one_each(&self) -> bool {
        self.all_refs || self.boxes
    }
}

/// The requested part of a page.
struct Part<'a> {
    tree: &'a Tree,
    nodes: Range<usize>,
    options: &'a Options,
    /// The lines of the reading view. They do not depend on the budget, for which several are tried.
    reading: &'a OnceCell<Vec<Line>>,
}

impl Part<'_> {
    fn rendered(&self) -> RenderedSnapshot {
        self.whole().or_else(|| self.short()).unwrap_or_else(|| self.bare())
    }

    fn lines(&self, detail: Detail) -> Vec<Line> {
        let detail = Detail {
            all_refs: self.options.all_refs,
            cells: self.options.cells,
            boxes: self.options.boxes,
            ..detail
        };
        let mut lines = outline(self.tree, self.nodes.start, self.nodes.end, &detail);
        marks::group(self.tree, &mut lines);
        let hides_addresses = self.options.brief && !self.options.addresses;
        let lines = if hides_addresses { prose::without_urls(&lines) } else { lines };
        if self.options.all_refs { shapes::fold(self.tree, lines) } else { lines }
    }

    /// Returns the lines, with texts and their links joined to one line each.
    fn prose(&self, detail: Detail, links: Links) -> Vec<Line> {
        let lines = self.lines(detail);
        let apart = links == Links::WithRefs && self.options.one_each();
        if apart { lines } else { prose::join(self.tree, &lines, links) }
    }

    fn deepest(&self) -> usize {
        self.options.depth.unwrap_or(usize::MAX)
    }

    fn usual(&self) -> usize {
        self.options.usual_chars.min(self.options.max_chars)
    }

    /// Returns the budget of the short form: the usual, or what an article's headings and leads need.
    fn most_in_short(&self) -> usize {
        let main = MainPart::of(self.tree, self.nodes.clone());
        if !main.is_article || self.options.one_each() {
            return self.usual();
        }
        let mut lines = self.read_lines(&main).to_vec();
        for line in &mut lines {
            prose::shorten(self.tree, line, 0);
        }
        let needed = share::outline_cost(self.tree, &lines, &main);
        self.usual().max(needed.min(self.options.max_chars))
    }

    /// Returns the lines of the reading view, with links as plain text.
    fn read_lines(&self, main: &MainPart) -> &[Line] {
        self.reading.get_or_init(|| {
            let lines = self.prose(Detail { text: usize::MAX, ..Detail::SHORT }, Links::WordsOnly);
            let lines: Vec<Line> = prose::without_urls(&lines);
            if self.options.all_refs { lines } else { links::fold(self.tree, &lines, main) }
        })
    }

    /// Whether the page has so much text that it is not worth trying to render everything.
    fn is_far_too_long(&self) -> bool {
        let nodes = &self.tree.nodes[self.nodes.clone()];
        let text: usize = nodes.iter().map(|node| node.name.chars().count()).sum();
        self.options.depth.is_none() && text / MOST_REPETITIONS > self.usual()
    }

    /// Renders everything; `None` if it does not fit.
    fn whole(&self) -> Option<RenderedSnapshot> {
        if self.is_far_too_long() {
            return None;
        }
        let most = self.usual();
        let detail = Detail { text: most.max(Detail::FULL.text), ..Detail::FULL };
        let lines = self.prose(detail, Links::WithRefs);
        let shown: Vec<bool> = lines.iter().map(|line| line.depth <= self.deepest()).collect();
        // If the sum of the lengths is already too large, skip writing the text.
        let least: usize =
            lines.iter().zip(&shown).filter(|(_, shown)| **shown).map(|(line, _)| cost(line) - 1).sum();
        if least > most { None } else { self.finish(&lines, &shown, most, false) }
    }

    /// Renders headings and first texts, all controls, and as much of the rest as fits. If that is too long,
    /// summarises repeated parts. `None` if the controls still do not fit.
    fn short(&self) -> Option<RenderedSnapshot> {
        let main = MainPart::of(self.tree, self.nodes.clone());
        let mut lines = self.read_lines(&main).to_vec();
        let note = |room: usize| room.saturating_sub(room_for_note(room));
        let (usual, most) = (note(self.usual()), note(self.options.max_chars));
        let mut shown = None;
        for longest in TEXTS {
            for line in &mut lines {
                prose::shorten(self.tree, line, longest);
            }
            shown =
                share::choose(self.tree, &lines, &main, Budget { usual, most: usual }, self.deepest(), false);
            if shown.as_ref().is_none_or(|shown| share::has_texts(self.tree, &lines, &main, shown)) {
                break;
            }
        }
        if let Some(shown) = shown {
            return self.finish(&lines, &shown, self.options.max_chars, false);
        }
        for line in &mut lines {
            prose::shorten(self.tree, line, 0);
        }
        // The brief form joins similar items on one line anyway.
        let brief = self.options.brief;
        let lines = if brief { lines } else { runs::fold(self.tree, &lines) };
        let shown = share::choose(self.tree, &lines, &main, Budget { usual, most }, self.deepest(), brief)?;
        self.finish(&lines, &shown, self.options.max_chars, false)
    }

    /// Renders as many controls as fit, without their ancestors.
    fn bare(&self) -> RenderedSnapshot {
        let mut lines = runs::fold(self.tree, &self.lines(Detail::TERSE));
        for line in &mut lines {
            (line.parent, line.has_value) = (NOWHERE, true);
            line.depth = if line.depth <= self.deepest() { 0 } else { usize::MAX };
        }
        let room = self.options.max_chars.saturating_sub(room_for_note(self.options.max_chars));
        self.put_first(&mut lines);
        let mut shown = choose(&lines, room, 0, 0);
        for (shown, line) in shown.iter_mut().zip(&lines) {
            *shown &= line.worth == LinePriority::Actionable && !line.is_property;
        }
        self.finish(&lines, &shown, self.options.max_chars, true).unwrap_or_default()
    }

    /// Moves the lines in front of the page, such as those of dialogs, to the beginning.
    fn put_first(&self, lines: &mut [Line]) {
        let front = self.tree.foreground_ranges();
        lines.sort_by_key(|line| !front.iter().any(|part| part.contains(&line.node)));
    }

    fn finish(
        &self,
        lines: &[Line],
        shown: &[bool],
        most: usize,
        cut_to_size: bool,
    ) -> Option<RenderedSnapshot> {
        let text = write(lines, shown, |_| "");
        let acts = acts(lines, shown);
        let all = self.tree.nodes[self.nodes.clone()].iter().filter(|node| node.is_control()).count();
        let left_out = LeftOut { tree: self.tree, start: self.nodes.start, lines, shown, room: most };
        let mut cut = left_out.omission(self.deepest(), all.saturating_sub(acts));
        let length = text.chars().count();
        if cut_to_size {
            cut = cut.and_then(|cut| cut.within(most.saturating_sub(length)));
        }
        let notice = cut.as_ref().map_or(0, Omission::length);
        (length + notice <= most).then_some(RenderedSnapshot { text, shown: acts, cut })
    }
}

fn acts(lines: &[Line], shown: &[bool]) -> usize {
    lines.iter().zip(shown).filter(|(_, shown)| **shown).map(|(line, _)| line.acts).sum()
}

/// Writes the shown lines. `mark` returns the prefix of the line with this index.
pub(super) fn write(lines: &[Line], shown: &[bool], mark: impl Fn(usize) -> &'static str) -> String {
    let mut holds = vec![false; lines.len()];
    for (line, _) in lines.iter().zip(shown).filter(|(_, shown)| **shown) {
        if line.parent != NOWHERE {
            holds[line.parent] = true;
        }
    }
    let mut text = String::with_capacity(lines.len() * 48);
    for (index, line) in lines.iter().enumerate().filter(|(index, _)| shown[*index]) {
        text.push_str(mark(index));
        text.extend(indent(line.depth));
        text.push_str("- ");
        text.push_str(&line.text);
        text.push_str(if holds[index] && !line.has_value { ":\n" } else { "\n" });
    }
    text
}

/// Returns the length of a line in characters, with indentation, colon and line break.
pub(super) fn cost(line: &Line) -> usize {
    line.depth.saturating_mul(2).saturating_add(2 + line.text.chars().count() + 2)
}

/// Selects lines with their ancestors until `room` characters are used up, by priority, then by position.
/// Input fields precede other controls. `sign` is the number of additional characters before each line.
pub(super) fn choose(lines: &[Line], room: usize, deepest: usize, sign: usize) -> Vec<bool> {
    let mut shown = vec![false; lines.len()];
    let mut left = room;
    let worths = [
        LinePriority::Actionable,
        LinePriority::Announcement,
        LinePriority::Text,
        LinePriority::Extra,
        LinePriority::Decoration,
    ];
    for (worth, of_fields) in
        [(LinePriority::Actionable, true)].into_iter().chain(worths.map(|worth| (worth, false)))
    {
        for (index, line) in lines.iter().enumerate() {
            let is_next = line.worth == worth && (line.is_field || !of_fields);
            if !is_next || shown[index] || line.depth > deepest {
                continue;
            }
            let chain = || {
                let up = |&index: &usize| Some(lines[index].parent).filter(|&parent| parent != NOWHERE);
                std::iter::successors(Some(index), up).take_while(|&index| !shown[index])
            };
            let price: usize = chain().map(|index| cost(&lines[index]) + sign).sum();
            let Some(rest) = left.checked_sub(price) else { return shown };
            left = rest;
            let chain: Vec<usize> = chain().collect();
            for index in chain {
                shown[index] = true;
            }
        }
    }
    shown
}
