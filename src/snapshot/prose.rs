//! Prose with inline links, instead of one line for each link.
//!
//! If there is space, each link keeps its ref: `met on [Tuesday](e12) and spoke`. Otherwise the line has only
//! the words, with the ref of the paragraph.
use std::fmt::Write as _;
use std::ops::Range;

use super::outline::{Line, LinePriority, NOWHERE, push_states};
use super::roles;
use super::runs::ends;
use super::text::{Kind, beginning, push_inside, push_quoted_if_ambiguous};
use super::tree::{Node, Tree};
use super::walked::NodeDetails;

/// Whether links in prose keep their refs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Links {
    WithRefs,
    WordsOnly,
}

/// Joins each run of texts and links to one line, on the parent's line if the parent contains nothing else.
pub(super) fn join(tree: &Tree, lines: &[Line], links: Links) -> Vec<Line> {
    let ends = ends(lines);
    let mut joined: Vec<Line> = Vec::with_capacity(lines.len());
    let mut moved = vec![NOWHERE; lines.len()];
    let mut index = 0;
    while index < lines.len() {
        let line = &lines[index];
        let parent = if line.parent == NOWHERE { NOWHERE } else { moved[line.parent] };
        let run = run_at(tree, lines, &ends, index);
        if run.is_empty() {
            moved[index] = joined.len();
            joined.push(Line { parent, ..line.clone() });
            index += 1;
            continue;
        }
        let whole = line.parent != NOWHERE
            && line.parent + 1 == index
            && ends[line.parent] == run.end
            && can_hold(tree, &lines[line.parent]);
        let (paragraph, prose) = tell(tree, &lines[run.clone()], links);
        let acts: usize = lines[run.clone()].iter().map(|line| line.acts).sum();
        if !whole {
            let text = "text".to_owned();
            joined.push(Line {
                parent,
                text,
                worth: LinePriority::Text,
                has_ref: false,
                acts: 0,
                ..line.clone()
            });
        }
        let holder = joined.last_mut().expect("just pushed, or the line before");
        holder.head = holder.text.len();
        let _ = write!(holder.text, ": {paragraph}");
        (holder.has_value, holder.worth, holder.prose) = (true, LinePriority::Text, Some(prose.into()));
        match links {
            Links::WithRefs => holder.acts += acts,
            Links::WordsOnly => holder.folded += acts,
        }
        index = run.end;
    }
    joined
}

/// Whether an element has no text of its own, so that its content can be shown on its line.
fn can_hold(tree: &Tree, line: &Line) -> bool {
    let node = &tree.nodes[line.node];
    !line.has_value && !line.is_property && !node.is_control() && node.name.is_empty()
}

/// Returns the index range of texts and links from `start` that form one text. Empty if there is none.
fn run_at(tree: &Tree, lines: &[Line], ends: &[usize], start: usize) -> Range<usize> {
    let (mut next, mut node) = (start, lines[start].node);
    let (mut words, mut links) = (false, false);
    while next < lines.len() && lines[next].parent == lines[start].parent && lines[next].node == node {
        let piece = &tree.nodes[node];
        if piece.depth != tree.nodes[lines[start].node].depth {
            break;
        }
        if piece.is_text() {
            words |= piece.name.contains(char::is_alphanumeric);
        } else if is_plain_link(piece, &lines[next + 1..ends[next]]) {
            links = true;
        } else {
            break;
        }
        node = tree.end(node);
        next = ends[next];
    }
    if words && links { start..next } else { start..start }
}

/// Whether a link consists only of its text and its URL.
fn is_plain_link(node: &Node, inside: &[Line]) -> bool {
    node.role == "link"
        && node.number > 0
        && node.pointer_obstacle().is_none()
        && !node.name.trim().is_empty()
        && inside.iter().all(|line| line.is_property)
}

/// Returns the joined text of the lines: as displayed, with refs, and as plain text.
fn tell(tree: &Tree, lines: &[Line], links: Links) -> (String, String) {
    let top = tree.nodes.first().map_or(0, |node| node.frame);
    let (mut text, mut prose) = (String::new(), String::new());
    for line in lines.iter().filter(|line| !line.is_property) {
        let node = &tree.nodes[line.node];
        let is_link = !node.is_text();
        if is_link && follows_a_link(tree, line.node) {
            prose.push(' ');
        }
        let stands_apart = node.name.starts_with(' ') || prose.ends_with(' ') || prose.is_empty();
        if stands_apart && !text.is_empty() && !text.ends_with(' ') {
            text.push(' ');
        }
        prose.push_str(&node.name);
        if links == Links::WordsOnly {
            continue;
        }
        if is_link {
            text.push('[');
            push_inside(&mut text, &node.name, Kind::Name);
            let frame = if node.frame == top { String::new() } else { format!("f{}", node.frame) };
            let _ = write!(text, "]({frame}e{})", node.number);
            if let Some(details) = &node.details {
                push_states(&mut text, &NodeDetails { level: None, ..(**details).clone() });
            }
        } else if text.is_empty() {
            push_quoted_if_ambiguous(&mut text, &node.name, usize::MAX, &[]);
        } else {
            push_inside(&mut text, &node.name, Kind::Words);
        }
    }
    if links == Links::WordsOnly {
        push_quoted_if_ambiguous(&mut text, &prose, usize::MAX, &[]);
    }
    (text, prose)
}

/// Whether the node directly before is also a link with the same parent.
fn follows_a_link(tree: &Tree, node: usize) -> bool {
    let before = node.checked_sub(1).map(|before| &tree.nodes[before]);
    before.is_some_and(|before| before.role == "link" && before.depth == tree.nodes[node].depth)
}

/// Drops the URLs of links.
pub(super) fn without_urls(lines: &[Line]) -> Vec<Line> {
    let mut kept: Vec<Line> = Vec::with_capacity(lines.len());
    let mut moved = vec![NOWHERE; lines.len()];
    for (index, line) in lines.iter().enumerate() {
        if line.is_property && line.text.starts_with("/url") {
            continue;
        }
        moved[index] = kept.len();
        let parent = if line.parent == NOWHERE { NOWHERE } else { moved[line.parent] };
        kept.push(Line { parent, ..line.clone() });
    }
    kept
}

/// Cuts a line's text after whole sentences, keeping at least the first. Adds a ref for the full text.
pub(super) fn shorten(tree: &Tree, line: &mut Line, longest: usize) {
    let Some(said) = line.said(tree).map(str::trim) else { return };
    let kept = beginning(said, longest);
    let is_cut = kept.trim_end().len() < said.len();
    let mut value = kept.trim_end().to_owned();
    let links = line.folded;
    if is_cut {
        value.push_str(" …");
    } else if links == 0 {
        return;
    }
    line.is_cut = is_cut;
    let node = &tree.nodes[line.node];
    line.text.truncate(line.head);
    if node.number > 0 && !line.has_ref && !node.is_control() && !roles::is_cell(node.role) {
        let _ = write!(line.text, " [ref={}]", tree.ref_of(node));
        (line.has_ref, line.head) = (true, line.text.len());
    }
    if links > 0 {
        let _ = write!(line.text, " [{links} {}]", if links == 1 { "link" } else { "links" });
    }
    line.text.push_str(": ");
    push_quoted_if_ambiguous(&mut line.text, &value, usize::MAX, &[]);
}
