//! Lines to text, within a budget.
use super::outline::{Detail, Line, NOWHERE, Worth, outline};
use super::reference::Ref;
use super::runs;
use super::text::indent;
use super::tree::Tree;

/// What a snapshot shows, and how much of it.
#[derive(Debug, Clone)]
pub struct Options {
    /// The most characters of text and note together.
    pub max_chars: usize,
    /// Levels below the top that are shown; all without it.
    pub depth: Option<usize>,
    /// The element to begin at; the page without it.
    pub root: Option<Ref>,
    /// Where each element is: `[box=x,y,width,height]`. The walk must have been asked for boxes too.
    pub boxes: bool,
    /// Refs for all elements, not only for those to act on and the parts of the page.
    pub all_refs: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { max_chars: 50_000, depth: None, root: None, boxes: false, all_refs: false }
    }
}

/// A snapshot as text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rendered {
    pub text: String,
    /// How many elements that can be acted on are listed.
    pub shown: usize,
    /// What was left out, and how to see it.
    pub cut: Option<String>,
}

/// Room for the note on what was left out.
const NOTE: usize = 180;

/// Writes the page, or a part of it. What is least useful is dropped first; every element that can be acted on is
/// listed before anything else is.
pub fn render(tree: &Tree, options: &Options) -> Rendered {
    let start = match &options.root {
        None => 0,
        Some(root) => match tree.position(root) {
            Some(start) => start,
            None => return nothing_there(root, options),
        },
    };
    let end = if options.root.is_some() { tree.end(start) } else { tree.nodes.len() };
    let page = Part { tree, start, end, options };
    page.whole().or_else(|| page.short()).unwrap_or_else(|| page.bare())
}

fn nothing_there(root: &Ref, options: &Options) -> Rendered {
    let note = format!("{root} is not in this snapshot.");
    Rendered { cut: Some(note.chars().take(options.max_chars).collect()), ..Rendered::default() }
}

/// The part of a page that was asked for.
struct Part<'a> {
    tree: &'a Tree,
    start: usize,
    end: usize,
    options: &'a Options,
}

impl Part<'_> {
    fn lines(&self, detail: Detail) -> Vec<Line> {
        let detail = Detail { all_refs: self.options.all_refs, boxes: self.options.boxes, ..detail };
        outline(self.tree, self.start, self.end, &detail)
    }

    fn deepest(&self) -> usize {
        self.options.depth.unwrap_or(usize::MAX)
    }

    /// Everything, when it fits.
    fn whole(&self) -> Option<Rendered> {
        let lines = self.lines(Detail::FULL);
        let shown: Vec<bool> = lines.iter().map(|line| line.depth <= self.deepest()).collect();
        // What is by far too long need not be written to know that.
        let least: usize =
            lines.iter().zip(&shown).filter(|(_, shown)| **shown).map(|(line, _)| cost(line) - 1).sum();
        if least > self.options.max_chars { None } else { self.finish(&lines, &shown, false) }
    }

    /// Everything to act on, and as much of the rest as fits; where that is too long, with long runs of parts that are
    /// alike told in short.
    fn short(&self) -> Option<Rendered> {
        let lines = self.lines(Detail::SHORT);
        self.chosen(&lines).or_else(|| self.chosen(&runs::fold(self.tree, &lines)))
    }

    fn chosen(&self, lines: &[Line]) -> Option<Rendered> {
        let shown = choose(lines, self.options.max_chars.checked_sub(NOTE)?, self.deepest(), true)?;
        self.finish(lines, &shown, false)
    }

    /// Only what can be acted on, without what holds it, as far as it fits.
    fn bare(&self) -> Rendered {
        let mut lines = runs::fold(self.tree, &self.lines(Detail::TERSE));
        for line in &mut lines {
            (line.parent, line.has_value) = (NOWHERE, true);
            line.depth = if line.depth <= self.deepest() { 0 } else { usize::MAX };
        }
        let room = self.options.max_chars.saturating_sub(NOTE);
        let mut shown = choose(&lines, room, 0, false).unwrap_or_default();
        for (shown, line) in shown.iter_mut().zip(&lines) {
            *shown &= line.worth == Worth::Actionable && !line.is_property;
        }
        self.finish(&lines, &shown, true).unwrap_or_default()
    }

    fn finish(&self, lines: &[Line], shown: &[bool], cut_to_size: bool) -> Option<Rendered> {
        let text = write(lines, shown, |_| "");
        let acts = acts(lines, shown);
        let all = self.tree.nodes[self.start..self.end].iter().filter(|node| node.is_actionable()).count();
        let mut cut = self.note(lines, shown, all.saturating_sub(acts));
        let length = text.chars().count();
        if let Some(note) = &mut cut
            && cut_to_size
        {
            *note = note.chars().take(self.options.max_chars.saturating_sub(length)).collect();
        }
        let note = cut.as_ref().map_or(0, |note| note.chars().count());
        (length + note <= self.options.max_chars).then_some(Rendered { text, shown: acts, cut })
    }

    fn note(&self, lines: &[Line], shown: &[bool], acts_left: usize) -> Option<String> {
        let hidden = || lines.iter().zip(shown).filter(|(_, shown)| !**shown).map(|(line, _)| line);
        let deeper = hidden().filter(|line| line.depth > self.deepest()).count();
        let texts = hidden().filter(|line| line.worth == Worth::Text).count();
        let urls = hidden().filter(|line| line.is_property).count();
        let others = hidden().count().saturating_sub(texts + urls);
        let mut left = Vec::new();
        let mut count = |number: usize, one: &str, many: &str| {
            if number > 0 {
                left.push(format!("{number} {}", if number == 1 { one } else { many }));
            }
        };
        count(acts_left, "element to act on", "elements to act on");
        if deeper > 0 {
            count(deeper, "line below this depth", "lines below this depth");
        } else {
            count(texts, "text", "texts");
            count(urls, "address or list of options", "addresses and lists of options");
            count(others.saturating_sub(acts_left), "other line", "other lines");
        }
        if self.tree.cut > 0 {
            left.push(format!("{} elements nested too deep to read", self.tree.cut));
        }
        if left.is_empty() {
            return None;
        }
        let list = left.join(", ");
        let way =
            if deeper > 0 { "give a ref, or a larger depth" } else { "give the ref of a part, or search" };
        Some(format!("Left out: {list}. To see them, {way}."))
    }
}

fn acts(lines: &[Line], shown: &[bool]) -> usize {
    lines.iter().zip(shown).filter(|(_, shown)| **shown).map(|(line, _)| line.acts).sum()
}

/// Writes the lines that are shown, each after `mark`.
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

/// Characters of a line, its colon and its line break.
fn cost(line: &Line) -> usize {
    line.depth * 2 + 2 + line.text.chars().count() + 2
}

/// Picks lines by worth, then by place, with all that hold them, until `room` is full. `None` when `strict` and not
/// everything that can be acted on has room.
pub(super) fn choose(lines: &[Line], room: usize, deepest: usize, strict: bool) -> Option<Vec<bool>> {
    let mut shown = vec![false; lines.len()];
    let mut left = room;
    for worth in [Worth::Actionable, Worth::Announcement, Worth::Text, Worth::Extra, Worth::Decoration] {
        for (index, line) in lines.iter().enumerate() {
            if line.worth != worth || shown[index] || line.depth > deepest {
                continue;
            }
            let chain = || {
                let up = |&index: &usize| Some(lines[index].parent).filter(|&parent| parent != NOWHERE);
                std::iter::successors(Some(index), up).take_while(|&index| !shown[index])
            };
            let price: usize = chain().map(|index| cost(&lines[index])).sum();
            let Some(rest) = left.checked_sub(price) else {
                return (worth != Worth::Actionable || !strict).then_some(shown);
            };
            left = rest;
            let chain: Vec<usize> = chain().collect();
            for index in chain {
                shown[index] = true;
            }
        }
    }
    Some(shown)
}
