//! Divides the budget of a long page between reading and acting: headings and beginnings of texts, and controls.
use super::outline::{Line, NOWHERE, Worth};
use super::roles;
use super::section::MainPart;
use super::tree::Tree;

/// The purpose of a line; the first ones are kept longest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Use {
    /// In front of the page.
    Front,
    /// Dialogs, alerts, frames.
    Announced,
    /// Headings of the main content, each with the first text below it.
    Outline,
    /// Controls, except links in prose; those of the main content first.
    MainControl,
    Control,
    /// Summarised lists of links.
    Folded,
    /// Other headings.
    Heading,
    /// Links around an article.
    StrayLink,
    /// Links of an article, up to half of the remaining budget.
    Link,
    Text,
    Elsewhere,
    Rest,
}

/// The share of the budget for the outline, in percent.
const OUTLINE: usize = 70;
/// The least length of the first paragraph of a section; captions and notes may precede it.
const PARAGRAPH: usize = 80;
const MOST_LEADS: usize = 6;

/// The general budget, and the additional one for controls.
#[derive(Debug, Clone, Copy)]
pub(super) struct Room {
    pub usual: usize,
    pub most: usize,
}

/// Selects lines by purpose, then by position, with their ancestors. `None` if a control does not fit, unless a
/// part of them is acceptable.
pub(super) fn choose(
    tree: &Tree,
    lines: &[Line],
    main: &MainPart,
    room: Room,
    deepest: usize,
    partly: bool,
) -> Option<Vec<bool>> {
    let uses = uses(tree, lines, main);
    let mut choice = Choice { lines, shown: vec![false; lines.len()], used: 0, deepest };
    choice.take(&uses, Use::Front, room.most);
    let outline = if partly && !main.is_article { OUTLINE / 2 } else { OUTLINE };
    for wanted in [Use::Announced, Use::Outline] {
        choice.take(&uses, wanted, room.usual * outline / 100);
    }
    for wanted in [Use::MainControl, Use::Control] {
        if !choice.take(&uses, wanted, room.most) && !partly {
            return None;
        }
    }
    for wanted in [Use::Outline, Use::Folded, Use::Heading] {
        choice.take(&uses, wanted, room.usual);
    }
    for wanted in [Use::StrayLink, Use::Link] {
        let left = room.usual.saturating_sub(choice.used);
        choice.take(&uses, wanted, choice.used + left / 2);
    }
    for wanted in [Use::Text, Use::Link, Use::StrayLink, Use::Elsewhere, Use::Rest] {
        choice.take(&uses, wanted, room.usual);
    }
    Some(choice.shown)
}

/// The budget of which the outline's share holds the whole outline.
pub(super) fn outline_cost(tree: &Tree, lines: &[Line], main: &MainPart) -> usize {
    let uses = uses(tree, lines, main);
    let mut choice = Choice { lines, shown: vec![false; lines.len()], used: 0, deepest: usize::MAX };
    for wanted in [Use::Announced, Use::Outline] {
        choice.take(&uses, wanted, usize::MAX);
    }
    choice.used * 100 / OUTLINE
}

/// Whether every text of the main content is shown.
pub(super) fn has_texts(tree: &Tree, lines: &[Line], main: &MainPart, shown: &[bool]) -> bool {
    let mut all = lines.iter().zip(shown);
    all.all(|(line, shown)| *shown || !main.holds(line.node) || line.said(tree).is_none())
}

struct Choice<'a> {
    lines: &'a [Line],
    shown: Vec<bool>,
    used: usize,
    deepest: usize,
}

impl Choice<'_> {
    /// Selects the lines of a purpose while they fit. Returns false if not all fit.
    fn take(&mut self, uses: &[Use], wanted: Use, room: usize) -> bool {
        for (index, own) in uses.iter().enumerate() {
            if *own != wanted || self.shown[index] || self.lines[index].depth > self.deepest {
                continue;
            }
            let chain: Vec<usize> = std::iter::successors(Some(index), |&index| {
                Some(self.lines[index].parent).filter(|&parent| parent != NOWHERE)
            })
            .take_while(|&index| !self.shown[index])
            .collect();
            let price: usize = chain.iter().map(|&index| super::render::cost(&self.lines[index])).sum();
            if self.used + price > room {
                return false;
            }
            self.used += price;
            for index in chain {
                self.shown[index] = true;
            }
        }
        true
    }
}

fn uses(tree: &Tree, lines: &[Line], main: &MainPart) -> Vec<Use> {
    // The text before the first heading is the first section's.
    let mut leads = MOST_LEADS;
    let mut uses = Vec::with_capacity(lines.len());
    let front = tree.front();
    let is_front = |line: &Line| front.iter().any(|part| part.contains(&line.node));
    for line in lines {
        if is_front(line) {
            uses.push(Use::Front);
            continue;
        }
        let in_main = main.holds(line.node);
        let mut what = use_of(tree, line, main);
        let holder = (line.parent != NOWHERE).then(|| uses[line.parent]);
        let of_heading = line.parent != NOWHERE && tree.nodes[lines[line.parent].node].role == "heading";
        if of_heading && what == Use::Link {
            what = holder.unwrap_or(what);
        }
        let begins = leads == MOST_LEADS && what == Use::Link && !of_heading;
        if in_main && is_heading(tree, line) {
            leads = MOST_LEADS;
        } else if in_main && begins {
            // A section of links begins with one.
            (what, leads) = (Use::Outline, leads - 1);
        } else if in_main && leads > 0 && matches!(what, Use::Text | Use::Folded) {
            let is_long = line.said(tree).is_some_and(|said| said.chars().count() >= PARAGRAPH);
            what = Use::Outline;
            leads = match is_long {
                true if tree.nodes[line.node].role == "paragraph" => 0,
                // As long as a paragraph, and perhaps a caption.
                true => (leads - 1) / 2,
                false => leads - 1,
            };
        }
        uses.push(what);
    }
    uses
}

fn is_heading(tree: &Tree, line: &Line) -> bool {
    !line.is_property && tree.nodes[line.node].role == "heading"
}

fn use_of(tree: &Tree, line: &Line, main: &MainPart) -> Use {
    let node = &tree.nodes[line.node];
    let in_main = main.holds(line.node);
    let is_first = node.details.as_ref().and_then(|details| details.level) == Some(1);
    if line.is_property {
        Use::Rest
    } else if line.worth == Worth::Actionable && node.is_actionable() && node.role != "link" {
        if in_main { Use::MainControl } else { Use::Control }
    } else if node.role == "heading" {
        if in_main || is_first { Use::Outline } else { Use::Heading }
    } else if line.folded > 0 && line.prose.is_none() {
        Use::Folded
    } else if node.role == "iframe" || roles::is_announcement(node.role) {
        Use::Announced
    } else if line.worth == Worth::Actionable {
        if !main.is_article {
            if in_main { Use::MainControl } else { Use::Control }
        } else if in_main {
            Use::Link
        } else {
            Use::StrayLink
        }
    } else if line.worth == Worth::Text {
        if in_main { Use::Text } else { Use::Elsewhere }
    } else {
        Use::Rest
    }
}
