//! Divides the budget of a long page between content to read and controls to act on.
use super::outline::{Line, LinePriority, NOWHERE};
use super::roles;
use super::section::MainPart;
use super::tree::Tree;

/// The purpose of a line. It determines the line's share of the budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum LinePurpose {
    /// Lines in the foreground of the page, such as an open dialog.
    Front,
    /// Dialogs, alerts, frames.
    Announced,
    /// Headings of the main content.
    MainHeading,
    /// The first text below each heading of the main content.
    Lead,
    /// Controls of the main content; links only if the page is not an article.
    MainControl,
    Control,
    /// Summarised lists of links.
    Folded,
    /// Headings outside the main content.
    Heading,
    /// Links outside the main content of an article.
    StrayLink,
    /// Links of an article. They get up to half of the remaining budget at first.
    Link,
    Text,
    Elsewhere,
    Rest,
}

/// The percentage of the budget for announcements and the outline.
const OUTLINE: usize = 70;
/// The minimum length of a section's first paragraph, in characters. Shorter texts are captions or notes.
const PARAGRAPH: usize = 80;
const MOST_LEADS: usize = 6;

/// Budgets in characters: `usual` for all lines; between `usual` and `most`, only controls are added.
#[derive(Debug, Clone, Copy)]
pub(super) struct Budget {
    pub usual: usize,
    pub most: usize,
}

/// Selects the lines that fit into the budget: controls before text, then by position, each with its ancestors.
/// Returns for each line whether it is shown; `None` if a control does not fit and `partly` is false.
pub(super) fn choose(
    tree: &Tree,
    lines: &[Line],
    main: &MainPart,
    budget: Budget,
    deepest: usize,
    partly: bool,
) -> Option<Vec<bool>> {
    let uses = uses(tree, lines, main);
    let mut choice = Choice { lines, shown: vec![false; lines.len()], used: 0, deepest };
    choice.take(&uses, LinePurpose::Front, budget.most);
    let outline = if partly && !main.is_article { OUTLINE / 2 } else { OUTLINE };
    for wanted in [LinePurpose::Announced, LinePurpose::MainHeading, LinePurpose::Lead] {
        choice.take(&uses, wanted, budget.usual * outline / 100);
    }
    for wanted in [LinePurpose::MainControl, LinePurpose::Control] {
        if !choice.take(&uses, wanted, budget.most) && !partly {
            return None;
        }
    }
    for wanted in [LinePurpose::MainHeading, LinePurpose::Lead, LinePurpose::Folded, LinePurpose::Heading] {
        choice.take(&uses, wanted, budget.usual);
    }
    for wanted in [LinePurpose::StrayLink, LinePurpose::Link] {
        let left = budget.usual.saturating_sub(choice.used);
        choice.take(&uses, wanted, choice.used + left / 2);
    }
    for wanted in [
        LinePurpose::Text,
        LinePurpose::Link,
        LinePurpose::StrayLink,
        LinePurpose::Elsewhere,
        LinePurpose::Rest,
    ] {
        choice.take(&uses, wanted, budget.usual);
    }
    Some(choice.shown)
}

/// Returns the budget, in characters, with which the outline's share holds the whole outline.
pub(super) fn outline_cost(tree: &Tree, lines: &[Line], main: &MainPart) -> usize {
    let uses = uses(tree, lines, main);
    let mut choice = Choice { lines, shown: vec![false; lines.len()], used: 0, deepest: usize::MAX };
    for wanted in [LinePurpose::Announced, LinePurpose::MainHeading, LinePurpose::Lead] {
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
    /// Selects the lines with the purpose `wanted` while they fit into `room`. Returns whether all fit.
    fn take(&mut self, uses: &[LinePurpose], wanted: LinePurpose, room: usize) -> bool {
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

fn uses(tree: &Tree, lines: &[Line], main: &MainPart) -> Vec<LinePurpose> {
    // The text before the first heading counts as a section.
    let mut leads = MOST_LEADS;
    let mut uses = Vec::with_capacity(lines.len());
    let front = tree.foreground_ranges();
    let is_front = |line: &Line| front.iter().any(|part| part.contains(&line.node));
    for line in lines {
        if is_front(line) {
            uses.push(LinePurpose::Front);
            continue;
        }
        let in_main = main.holds(line.node);
        let mut what = use_of(tree, line, main);
        let holder = (line.parent != NOWHERE).then(|| uses[line.parent]);
        let of_heading = line.parent != NOWHERE && tree.nodes[lines[line.parent].node].role == "heading";
        // The link in a heading without a name is its text.
        if of_heading && what == LinePurpose::Link && !lines[line.parent].text.starts_with("heading \"") {
            what = holder.unwrap_or(what);
        }
        let begins = leads == MOST_LEADS && what == LinePurpose::Link && !of_heading;
        if in_main && is_heading(tree, line) {
            leads = MOST_LEADS;
        } else if in_main && begins {
            // If a section begins with a link, the first link counts as its first text.
            (what, leads) = (LinePurpose::Lead, leads - 1);
        } else if in_main && leads > 0 && matches!(what, LinePurpose::Text | LinePurpose::Folded) {
            let is_long = line.said(tree).is_some_and(|said| said.chars().count() >= PARAGRAPH);
            what = LinePurpose::Lead;
            leads = match is_long {
                true if tree.nodes[line.node].role == "paragraph" => 0,
                // A text as long as a paragraph may still be a caption.
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

fn use_of(tree: &Tree, line: &Line, main: &MainPart) -> LinePurpose {
    let node = &tree.nodes[line.node];
    let in_main = main.holds(line.node);
    let is_first = node.details.as_ref().and_then(|details| details.level) == Some(1);
    if line.is_property {
        LinePurpose::Rest
    } else if line.worth == LinePriority::Actionable && node.is_control() && node.role != "link" {
        if in_main { LinePurpose::MainControl } else { LinePurpose::Control }
    } else if node.role == "heading" {
        if in_main || is_first { LinePurpose::MainHeading } else { LinePurpose::Heading }
    } else if line.folded > 0 && line.prose.is_none() {
        LinePurpose::Folded
    } else if node.role == "iframe" || roles::is_announcement(node.role) {
        LinePurpose::Announced
    } else if line.worth == LinePriority::Actionable {
        if !main.is_article {
            if in_main { LinePurpose::MainControl } else { LinePurpose::Control }
        } else if in_main {
            LinePurpose::Link
        } else {
            LinePurpose::StrayLink
        }
    } else if line.worth == LinePriority::Text {
        if in_main { LinePurpose::Text } else { LinePurpose::Elsewhere }
    } else {
        LinePurpose::Rest
    }
}
