//! Turns a tree into lines: drops wrappers without information, and joins texts.
use std::borrow::Cow;
use std::fmt::Write as _;
use std::ops::Range;

use super::roles;
use super::text::{push_quoted, push_quoted_if_ambiguous, push_url, push_written};
use super::tree::{Node, Tree};
use super::walked::{NodeDetails, PointerObstacle};

/// How much to show: the maximum lengths of names, texts and URLs, the number of options, optional details.
#[derive(Debug, Clone, Copy)]
pub(super) struct Detail {
    pub name: usize,
    pub text: usize,
    pub url: usize,
    pub options: usize,
    pub all_refs: bool,
    /// Whether each cell of a row has its own line, even if the row contains only text.
    pub cells: bool,
    pub boxes: bool,
}

impl Detail {
    pub(super) const FULL: Self =
        Self { name: 200, text: 2_000, url: 200, options: 40, all_refs: false, cells: false, boxes: false };
    /// The limits for a page that does not fit in full.
    pub(super) const SHORT: Self = Self { name: 80, text: 160, url: 80, options: 12, ..Self::FULL };
    /// The limits for a page whose controls alone exceed the budget.
    pub(super) const TERSE: Self = Self { name: 40, text: 40, url: 40, options: 0, ..Self::FULL };
}

/// The priority of a line if not all lines fit. Earlier variants are shown first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum LinePriority {
    Actionable,
    Announcement,
    Text,
    Extra,
    Decoration,
}

pub(super) const NOWHERE: usize = usize::MAX;

#[derive(Debug, Clone)]
pub(super) struct Line {
    pub depth: usize,
    /// The index of the parent's line; [`NOWHERE`] at the top level.
    pub parent: usize,
    /// The index of the line's node in the tree.
    pub node: usize,
    pub worth: LinePriority,
    pub text: String,
    /// Whether the line already ends with a value after a colon.
    pub has_value: bool,
    /// Whether the line shows a property of its parent, such as a URL, and has no node of its own.
    pub is_property: bool,
    /// Whether the line contains the ref of its node.
    pub has_ref: bool,
    /// The number of controls in the line.
    pub acts: usize,
    /// The index of the node whose name or text the line shows.
    pub says: usize,
    /// The length in bytes of the text before the colon and the page's own text; 0 without such text.
    pub head: usize,
    /// The joined text, if the line joins the texts of several nodes.
    pub prose: Option<Box<str>>,
    /// The number of links that the line summarises.
    pub folded: usize,
    pub is_cut: bool,
    pub is_field: bool,
    /// The range in `text` of the note that the pointer cannot reach the element; empty if it can.
    pub mark: Range<usize>,
}

impl Line {
    /// Returns the text of the line without the note that the pointer cannot reach the element.
    pub(super) fn unmarked(&self) -> Cow<'_, str> {
        match self.mark.is_empty() {
            true => Cow::Borrowed(&self.text),
            false => Cow::Owned(format!("{}{}", &self.text[..self.mark.start], &self.text[self.mark.end..])),
        }
    }

    /// Replaces the note that the pointer cannot reach the element.
    pub(super) fn set_mark(&mut self, mark: &str) {
        self.text.replace_range(self.mark.clone(), mark);
        if self.head > 0 {
            self.head = self.head + mark.len() - self.mark.len();
        }
        self.mark.end = self.mark.start + mark.len();
    }

    /// Returns the page's text after the colon of the line, if there is one.
    pub(super) fn said<'a>(&'a self, tree: &'a Tree) -> Option<&'a str> {
        match &self.prose {
            _ if self.head == 0 => None,
            Some(prose) => Some(prose),
            None => Some(&tree.nodes[self.says].name),
        }
    }
}

/// Returns the lines for the nodes with indexes from `start` up to `end`.
pub(super) fn outline(tree: &Tree, start: usize, end: usize, detail: &Detail) -> Vec<Line> {
    let nodes = &tree.nodes[start..end];
    let shape = Shape::of(nodes, detail.cells);
    let mut writer = Writer { tree, nodes, start, detail, shape, lines: Vec::with_capacity(nodes.len()) };
    writer.write();
    writer.lines
}

/// How each node is shown. Determined from the innermost nodes outwards.
struct Shape {
    fates: Vec<NodeTreatment>,
    /// The end index of each node's subtree.
    ends: Vec<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NodeTreatment {
    Shown,
    /// Not shown; its children take its place.
    Dissolved,
    /// Shown with its only text, whose index is given, on the same line.
    WithText(usize),
    /// A row whose cells contain only text. Shown as one line.
    RowOfText,
    /// Included in the line of an ancestor.
    Absorbed,
}

/// The content of a node, not counting dissolved wrappers inside it.
#[derive(Debug, Clone, Copy, Default)]
struct Content {
    children: usize,
    /// The index of the only child, if `children` is 1.
    only: usize,
    texts: usize,
    /// The number of children that are groups with several items, at least one of them a control.
    parts: usize,
    acts: bool,
    /// The number of children that are not cells with plain text.
    not_plain_cells: usize,
}

impl Shape {
    fn of(nodes: &[Node], cells: bool) -> Self {
        let mut shape = Self { fates: vec![NodeTreatment::Shown; nodes.len()], ends: vec![0; nodes.len()] };
        let mut contents = vec![Content::default(); nodes.len()];
        let parents = parents(nodes);
        for index in (0..nodes.len()).rev() {
            shape.ends[index] = shape.ends[index].max(index + 1);
            if let Some(parent) = parents[index] {
                shape.ends[parent] = shape.ends[parent].max(shape.ends[index]);
            }
            let content = contents[index];
            shape.fates[index] = match fate(nodes, &shape.fates, index, content) {
                NodeTreatment::RowOfText if cells => NodeTreatment::Shown,
                fate => fate,
            };
            if let Some(parent) = parents[index] {
                shape.tell_parent(nodes, index, content, &mut contents[parent]);
            }
        }
        shape.settle_groups(nodes, &parents, &contents);
        shape
    }

    fn tell_parent(&self, nodes: &[Node], index: usize, own: Content, parent: &mut Content) {
        let node = &nodes[index];
        parent.acts |= own.acts || node.is_control();
        if self.fates[index] == NodeTreatment::Dissolved {
            parent.children += own.children;
            parent.texts += own.texts;
            if own.children > 0 {
                parent.only = own.only;
            }
            if node.is_group() && own.children >= 2 && own.acts {
                parent.parts += 1;
            }
        } else {
            parent.children += 1;
            parent.texts += usize::from(node.is_text());
            parent.only = index;
        }
        let plain_cell = roles::is_cell(node.role)
            && !node.is_control()
            && node.name.is_empty()
            && !node.has_details()
            && own.children == own.texts
            && own.children <= 1;
        parent.not_plain_cells += usize::from(!plain_cell);
    }

    /// Keeps groups with similar siblings: each is an item, such as a card or a line of a form.
    fn settle_groups(&mut self, nodes: &[Node], parents: &[Option<usize>], contents: &[Content]) {
        for index in 0..nodes.len() {
            let content = contents[index];
            let beside = parents[index].map_or(0, |parent| contents[parent].parts);
            if nodes[index].is_group() && beside >= 2 && content.children >= 2 && content.acts {
                self.fates[index] = NodeTreatment::Shown;
            }
        }
    }
}

fn fate(nodes: &[Node], fates: &[NodeTreatment], index: usize, content: Content) -> NodeTreatment {
    let node = &nodes[index];
    if node.is_text() {
        return NodeTreatment::Shown;
    }
    if node.is_group() {
        return NodeTreatment::Dissolved;
    }
    let only_text = content.children == 1 && content.texts == 1;
    if only_text {
        return NodeTreatment::WithText(content.only);
    }
    let says_nothing = node.name.is_empty() && !node.has_details();
    if says_nothing
        && roles::is_wrapper(node.role)
        && content.children == 1
        && fates[content.only] != NodeTreatment::Dissolved
    {
        return NodeTreatment::Dissolved;
    }
    if node.role == "row" && says_nothing && content.children > 0 && content.not_plain_cells == 0 {
        return NodeTreatment::RowOfText;
    }
    NodeTreatment::Shown
}

fn parents(nodes: &[Node]) -> Vec<Option<usize>> {
    let mut path: Vec<usize> = Vec::new();
    let mut parents = Vec::with_capacity(nodes.len());
    for (index, node) in nodes.iter().enumerate() {
        while path.last().is_some_and(|&last| nodes[last].depth >= node.depth) {
            path.pop();
        }
        parents.push(path.last().copied());
        path.push(index);
    }
    parents
}

struct Writer<'a> {
    tree: &'a Tree,
    nodes: &'a [Node],
    start: usize,
    detail: &'a Detail,
    shape: Shape,
    lines: Vec<Line>,
}

/// A node whose children are being written: the end index of its subtree, and the index of its line.
struct Open {
    end: usize,
    line: usize,
}

impl Writer<'_> {
    fn write(&mut self) {
        let mut open: Vec<Open> = Vec::new();
        let mut index = 0;
        while index < self.nodes.len() {
            while open.last().is_some_and(|last| last.end <= index) {
                open.pop();
            }
            let end = self.shape.ends[index];
            let parent = open.last().map_or(NOWHERE, |last| last.line);
            match self.shape.fates[index] {
                NodeTreatment::Dissolved | NodeTreatment::Absorbed => {}
                NodeTreatment::RowOfText => {
                    self.row(index, end, parent);
                    index = end;
                    continue;
                }
                fate => {
                    let line = self.lines.len();
                    self.node(index, fate, parent);
                    open.push(Open { end, line });
                }
            }
            index += 1;
        }
    }

    fn push(&mut self, parent: usize, index: usize, worth: LinePriority, text: String) -> &mut Line {
        let depth = if parent == NOWHERE { 0 } else { self.lines[parent].depth + 1 };
        let node = self.start + index;
        self.lines.push(Line {
            depth,
            parent,
            node,
            worth,
            text,
            has_value: false,
            is_property: false,
            has_ref: false,
            acts: 0,
            says: node,
            head: 0,
            prose: None,
            folded: 0,
            is_cut: false,
            is_field: false,
            mark: 0..0,
        });
        self.lines.last_mut().expect("just pushed")
    }

    fn node(&mut self, index: usize, fate: NodeTreatment, parent: usize) {
        let node = &self.nodes[index];
        if node.is_text() {
            let mut text = String::from("text");
            let has_ref = node.number > 0 && self.detail.all_refs;
            if has_ref {
                let _ = write!(text, " [ref={}]", self.tree.ref_of(node));
            }
            let head = text.len();
            text.push_str(": ");
            push_quoted_if_ambiguous(&mut text, &node.name, self.detail.text, &[]);
            let line = self.push(parent, index, LinePriority::Text, text);
            (line.has_value, line.has_ref, line.head) = (true, has_ref, head);
            return;
        }
        let inner = match fate {
            NodeTreatment::WithText(inner) => {
                self.shape.fates[inner] = NodeTreatment::Absorbed;
                Some(&*self.nodes[inner].name)
            }
            _ => None,
        };
        let echoed = self.echoes(index);
        let has_ref = node.number > 0 && !echoed && (self.detail.all_refs || wants_ref(node));
        let mut text = String::with_capacity(64);
        text.push_str(node.role);
        if !node.name.is_empty() && !echoed {
            text.push(' ');
            // Headings keep their full length, because readers search for their text.
            let most = if node.role == "heading" { Detail::FULL.name } else { self.detail.name };
            push_quoted(&mut text, &node.name, most);
        }
        if let Some(details) = &node.details {
            push_states(&mut text, details);
        }
        let unmarked = text.len();
        push_mark(&mut text, node);
        let mark = unmarked..text.len();
        if has_ref {
            let _ = write!(text, " [ref={}]", self.tree.ref_of(node));
        }
        match node.details.as_ref().and_then(|details| details.clickable) {
            Some(1) => text.push_str(" [cursor=pointer]"),
            Some(3) => text.push_str(" [hover]"),
            _ => {}
        }
        if let Some(hint) = node.details.as_ref().and_then(|details| details.hint.as_deref()) {
            text.push_str(" [hint=");
            push_quoted(&mut text, hint, self.detail.name);
            text.push(']');
        }
        if self.detail.boxes
            && let Some([x, y, width, height]) = node.details.as_ref().and_then(|details| details.bounds)
        {
            let _ = write!(text, " [box={x},{y},{width},{height}]");
        }
        if let Some(details) = node.details.as_ref().filter(|details| details.as_before > 0) {
            let _ = write!(text, " [as before: {} elements]", details.as_before);
        }
        let head = text.len();
        let held = node.details.as_ref().and_then(|details| details.value.as_deref());
        let inner = inner.filter(|text| !text.trim().is_empty());
        let value = inner.or(held.filter(|value| !value.is_empty()));
        // Omit a text or combobox value that repeats the name. The values of other fields are always shown.
        let names = inner.is_some() || node.role == "combobox";
        let repeats = |value: &str| names && !echoed && node.name.trim() == value.trim();
        let value = value.filter(|value| !repeats(value));
        if let Some(value) = value {
            text.push_str(": ");
            match inner {
                Some(_) => push_quoted_if_ambiguous(&mut text, value, self.detail.text, &[]),
                None => push_written(&mut text, value, self.detail.text),
            }
        }
        let worth = worth(node, value.is_some());
        let has_value = value.is_some();
        let says = match fate {
            NodeTreatment::WithText(inner) if node.name.is_empty() => self.start + inner,
            _ => self.start + index,
        };
        let acts = usize::from(node.is_control());
        let tells = has_value && acts == 0 && says != self.start + index;
        let line = self.push(parent, index, worth, text);
        line.head = if tells { head } else { 0 };
        line.is_field = roles::is_field(node.role);
        line.mark = mark;
        (line.has_value, line.has_ref, line.says, line.acts) = (has_value, has_ref, says, acts);
        self.properties(index);
    }

    /// Whether a node is a heading whose only child is a control with the same name. The control shows it.
    fn echoes(&self, index: usize) -> bool {
        let node = &self.nodes[index];
        if node.is_control() || node.name.is_empty() || node.role != "heading" {
            return false;
        }
        let inside = &self.nodes[index + 1..self.shape.ends[index]];
        let mut shown = inside.iter().filter(|inner| !inner.is_group());
        shown.next().is_some_and(|only| only.name == node.name && only.is_control()) && shown.next().is_none()
    }

    fn properties(&mut self, index: usize) {
        let Some(details) = &self.nodes[index].details else { return };
        let parent = self.lines.len() - 1;
        if let Some(url) = &details.url {
            let mut text = String::from("/url: ");
            push_url(&mut text, url, self.detail.url);
            self.property(parent, index, text);
        }
        if !details.options.is_empty() && self.detail.options > 0 {
            let mut text = String::from("/options: ");
            let shown = details.options.len().min(self.detail.options);
            for (place, option) in details.options[..shown].iter().enumerate() {
                text.push_str(if place > 0 { " | " } else { "" });
                push_quoted_if_ambiguous(&mut text, option, self.detail.name, &['|']);
            }
            let left = details.options.len() - shown + details.more_options as usize;
            if left > 0 {
                let _ = write!(text, " | … {left} more");
            }
            self.property(parent, index, text);
        }
    }

    fn property(&mut self, parent: usize, index: usize, text: String) {
        let line = self.push(parent, index, LinePriority::Extra, text);
        line.has_value = true;
        line.is_property = true;
    }

    fn row(&mut self, index: usize, end: usize, parent: usize) {
        let mut text = String::from("row");
        let row = &self.nodes[index];
        if self.detail.all_refs {
            let _ = write!(text, " [ref={}]", self.tree.ref_of(row));
        }
        text.push_str(": ");
        let mut cells = 0;
        for node in &self.nodes[index + 1..end] {
            if roles::is_cell(node.role) {
                text.push_str(if cells > 0 { " | " } else { "" });
                cells += 1;
            } else if node.is_text() {
                push_quoted_if_ambiguous(&mut text, &node.name, self.detail.text, &['|']);
            }
        }
        text.truncate(text.trim_end().len());
        let has_ref = self.detail.all_refs;
        let line = self.push(parent, index, LinePriority::Text, text);
        line.has_value = true;
        line.has_ref = has_ref;
    }
}

/// Whether a node needs a ref: it is a control, or useful as the root of a snapshot.
pub(super) fn wants_ref(node: &Node) -> bool {
    node.is_control() || roles::is_landmark(node.role) || (node.role == "img" && !node.name.is_empty())
}

fn worth(node: &Node, has_text: bool) -> LinePriority {
    if node.is_control() || node.role == "iframe" {
        LinePriority::Actionable
    } else if roles::is_announcement(node.role) {
        LinePriority::Announcement
    } else if has_text {
        LinePriority::Text
    } else if !node.name.is_empty() {
        LinePriority::Extra
    } else {
        LinePriority::Decoration
    }
}

/// Writes the states of an element, such as ` [checked]`, in the order of Playwright's ARIA snapshots.
pub(super) fn push_states(text: &mut String, details: &NodeDetails) {
    let on = |state: Option<u8>, word: &'static str| (state == Some(1)).then_some(word);
    let mixed = |state: Option<u8>, word: &'static str, mixed: &'static str| match state {
        Some(2) => Some(mixed),
        state => on(state, word),
    };
    let expanded = details.expanded.map(|state| if state == 0 { "expanded=false" } else { "expanded" });
    let before = [
        mixed(details.checked, "checked", "checked=mixed"),
        on(details.disabled, "disabled"),
        expanded,
        on(details.active, "active"),
    ];
    let after = [
        mixed(details.pressed, "pressed", "pressed=mixed"),
        on(details.selected, "selected"),
        on(details.required, "required"),
        on(details.read_only, "readonly"),
        on(details.invalid, "invalid"),
        on(details.secret, "value hidden"),
    ];
    let words = |text: &mut String, words: &[Option<&str>]| {
        for word in words.iter().flatten() {
            let _ = write!(text, " [{word}]");
        }
    };
    words(text, &before);
    if let Some(level) = details.level {
        let _ = write!(text, " [level={level}]");
    }
    words(text, &after);
    if let Some(kind) = details.input_type.as_deref().filter(|kind| is_special(kind)) {
        let _ = write!(text, " [type={kind}]");
    }
}

/// Writes why the pointer cannot reach a node, such as ` [covered by dialog "Cookies"]`.
pub(super) fn push_mark(text: &mut String, node: &Node) {
    let Some(mark) = node.pointer_obstacle() else { return };
    let is_disabled = node.details.as_ref().is_some_and(|details| details.disabled.is_some());
    // Many style sheets switch the pointer off for what is disabled.
    if is_disabled && mark == PointerObstacle::NoPointer {
        return;
    }
    text.push_str(" [");
    text.push_str(mark.into());
    if let Some(name) = node.details.as_ref().and_then(|details| details.cover.as_deref()) {
        text.push_str(" by dialog");
        if !name.trim().is_empty() {
            text.push(' ');
            push_quoted(text, name, MOST_OF_COVER);
        }
    }
    text.push(']');
}

/// The maximum number of characters of a covering dialog's name.
const MOST_OF_COVER: usize = 40;

/// Whether an `<input>` of this type cannot be filled by typing text.
fn is_special(kind: &str) -> bool {
    matches!(kind, "file" | "date" | "time" | "datetime-local" | "month" | "week" | "color")
}
