//! The snapshot tree of a page with all its frames.
use std::collections::{HashMap, HashSet};

use super::looks::{DrawingCounts, Look, TextSelection};
use super::reference::Ref;
use super::repeated;
use super::roles;
use super::tidy::tidy;
use super::walked::{Frame, NodeDetails, PointerObstacle, WalkedNode, WalkedNodeKind};

/// A page at one point in time: its nodes in reading order, including child frames.
#[derive(Debug, Clone, Default)]
pub struct Tree {
    pub context: u32,
    pub page: u32,
    /// The number of the main frame. Refs of its elements may omit it.
    pub main: u32,
    /// The first element number that the main frame's document may use. It identifies the document.
    pub document: u32,
    /// The number of elements that were omitted because they are nested too deeply.
    pub cut: u32,
    /// Whether nothing on the page is visible. The nodes then are those of the document, although they are hidden.
    pub unseen: bool,
    /// The controls that remain reachable if something covers the others: frame and element number.
    pub(super) front: HashSet<(u32, u32)>,
    /// The numbers of drawings without text.
    pub drawn: DrawingCounts,
    /// The text selection of the first frame that has one.
    pub selected: Option<TextSelection>,
    /// The numbers of the frames that did not answer in time.
    pub(super) unanswered: HashSet<u32>,
    /// The looks of elements, by frame and element number.
    pub(super) looks: HashMap<(u32, u32), Look>,
    pub(super) nodes: Vec<Node>,
}

/// An element, a text, or a group.
#[derive(Debug, Clone)]
pub struct Node {
    pub depth: u32,
    pub frame: u32,
    /// The element's number in its frame; 0 for texts and groups, unless all refs were requested.
    pub number: u32,
    /// The ARIA role, or `text` for a text.
    pub role: &'static str,
    /// The accessible name, or the text.
    pub name: Box<str>,
    pub details: Option<Box<NodeDetails>>,
}

impl Node {
    pub(super) fn is_text(&self) -> bool {
        self.role == "text"
    }

    pub(super) fn is_group(&self) -> bool {
        self.role == "generic" && self.name.is_empty() && !self.has_details()
    }

    /// Returns why the pointer cannot reach the node; `None` if it can.
    pub(super) fn pointer_obstacle(&self) -> Option<PointerObstacle> {
        self.details.as_ref()?.mark
    }

    pub(super) fn is_clickable(&self) -> bool {
        self.details.as_ref().is_some_and(|details| details.clickable.is_some())
    }

    /// Returns the number of the frame that an `<iframe>` shows.
    fn child_frame(&self) -> Option<u32> {
        self.details.as_ref()?.child_frame
    }

    /// Words that distinguish the node if it has no accessible name.
    pub fn fallback_label(&self) -> Option<&str> {
        self.details.as_ref()?.hint.as_deref()
    }

    /// Whether the node is in the tree only because all refs were requested.
    fn is_extra(&self) -> bool {
        self.details.as_ref().is_some_and(|details| details.extra.is_some())
    }

    /// Whether the node has other details than its position.
    pub(super) fn has_details(&self) -> bool {
        self.details.as_ref().is_some_and(|details| match details.bounds {
            None => true,
            Some(_) => NodeDetails { bounds: None, ..(**details).clone() } != NodeDetails::default(),
        })
    }

    /// Whether the node is a control that tools can act on.
    pub fn is_control(&self) -> bool {
        self.number > 0 && (roles::is_interactive(self.role) || self.is_clickable())
    }

    /// The frame number and element number, stable within a document. `None` for a node without a number.
    pub(super) fn key(&self) -> Option<(u32, u32)> {
        (self.number > 0).then_some((self.frame, self.number))
    }
}

impl Tree {
    /// Inserts each frame at its `<iframe>`, beginning with the frame `top`. Drops frames without one. `main` is the
    /// main frame's number.
    pub fn assemble(context: u32, page: u32, main: u32, top: u32, mut frames: HashMap<u32, Frame>) -> Self {
        let mut tree = Self { context, page, main, ..Self::default() };
        let Some(frame) = frames.remove(&top) else { return tree };
        (tree.document, tree.unseen) = (frame.first, frame.unseen);
        tree.add(top, frame, 0, [0, 0], &mut frames);
        tidy(&mut tree.nodes);
        tree
    }

    /// The nodes in reading order. Children follow their parent and are one level deeper.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Whether the tree contains neither text nor controls.
    pub fn is_blank(&self) -> bool {
        self.nodes.iter().all(|node| node.name.trim().is_empty() && !node.is_control())
    }

    /// Returns the tree without the nodes that are in it only because all refs were requested.
    #[must_use]
    pub fn without_all_refs_nodes(&self) -> Self {
        let mut tree = self.clone();
        tree.nodes.retain(|node| !node.is_extra());
        for node in &mut tree.nodes {
            if node.is_text() || node.is_group() {
                node.number = 0;
            }
        }
        tree
    }

    /// Returns the tree with menus and similar parts that are the same in `before` reduced to one line each.
    #[must_use]
    pub fn with_repeated_landmarks_collapsed(&self, before: &Self) -> Self {
        repeated::without(self, before)
    }

    /// Whether a frame did not answer in time.
    pub fn has_unanswered_frames(&self) -> bool {
        !self.unanswered.is_empty()
    }

    /// Returns the tree with the content that `before` has of the frames that did not answer in time.
    #[must_use]
    pub fn with_unanswered_frames_of(&self, before: &Self) -> Self {
        let owner =
            |tree: &Self, number: u32| tree.nodes.iter().position(|node| node.child_frame() == Some(number));
        let mut tree = self.clone();
        for &number in &self.unanswered {
            let (Some(known), Some(now)) = (owner(before, number), owner(&tree, number)) else { continue };
            let (was, is) = (before.nodes[known].depth, tree.nodes[now].depth);
            let content = before.nodes[known + 1..before.end(known)].iter().cloned();
            let content: Vec<Node> =
                content.map(|node| Node { depth: node.depth + is - was, ..node }).collect();
            if !content.is_empty() {
                let end = tree.end(now);
                tree.nodes.splice(now + 1..end, content);
            }
        }
        tree
    }

    /// Returns the tree with no element marked as focused.
    #[must_use]
    pub fn without_focus(&self) -> Self {
        let mut tree = self.clone();
        tree.nodes
            .iter_mut()
            .filter_map(|node| node.details.as_mut())
            .for_each(|details| details.active = None);
        tree
    }

    pub(super) fn without_nodes(&self) -> Self {
        let Self { context, page, main, document, cut, unseen, drawn, .. } = *self;
        let front = self.front.clone();
        Self { context, page, main, document, cut, unseen, front, drawn, ..Self::default() }
    }

    /// Returns the shortest ref of a node in this tree.
    pub fn ref_of(&self, node: &Node) -> Ref {
        Ref::shortest(self.context, (node.frame != self.main).then_some(node.frame), node.number)
    }

    /// Returns the first words inside the node at index `place`, cut to `most` characters.
    pub fn text_preview(&self, place: usize, most: usize) -> String {
        let mut said = String::new();
        let inside = self.nodes[place..self.end(place)].iter();
        let is_group = self.nodes[place].role == "generic";
        // The text of a control in a group does not describe the group.
        let own = inside.enumerate().take_while(|(at, node)| *at == 0 || !is_group || !node.is_control());
        for node in own.map(|(_, node)| node).filter(|node| node.is_text()) {
            if !said.is_empty() {
                said.push(' ');
            }
            said.push_str(node.name.trim());
            if let Some((cut, _)) = said.char_indices().nth(most) {
                said.truncate(cut);
                said.push('…');
                break;
            }
        }
        said
    }

    /// Returns the index in [`nodes`](Self::nodes) of the node with a ref; `None` if there is none.
    pub fn index_of_ref(&self, reference: &Ref) -> Option<usize> {
        self.nodes.iter().position(|node| self.matches_ref(node, reference))
    }

    /// Whether `reference` identifies this node.
    pub fn matches_ref(&self, node: &Node, reference: &Ref) -> bool {
        let is_own = |given: Option<u32>, own: u32| given.is_none_or(|given| given == own);
        is_own(reference.context, self.context)
            && is_own(reference.page, self.page)
            && node.key() == Some((reference.frame.unwrap_or(self.main), reference.element))
    }

    /// Returns the elements that another snapshot of the page lacks, as frame and element numbers.
    pub fn elements_missing_in(&self, other: &Self) -> Vec<(u32, u32)> {
        let there: HashSet<_> = other.nodes.iter().filter_map(Node::key).collect();
        self.nodes.iter().filter_map(Node::key).filter(|key| !there.contains(key)).collect()
    }

    /// Returns the aspects of an element's look that differ in a later snapshot, such as `background`.
    pub(super) fn changed_look(&self, later: &Self, key: (u32, u32)) -> Vec<&str> {
        match (self.looks.get(&key), later.looks.get(&key)) {
            (Some(look), Some(now)) => look.changes(now),
            _ => Vec::new(),
        }
    }

    /// Whether the overlay in `with_overlay` is closed: most elements of `before_overlay` that it hid are here again,
    /// or some of them are, and most of the overlay is gone.
    pub fn is_overlay_closed(&self, before_overlay: &Self, with_overlay: &Self) -> bool {
        const LEAST_BACK: usize = 8;
        if self.document != before_overlay.document {
            return false;
        }
        let there: HashSet<_> = self.nodes.iter().filter_map(Node::key).collect();
        let share = |keys: &[(u32, u32)]| (keys.iter().filter(|key| there.contains(key)).count(), keys.len());
        let (back, hidden) = share(&before_overlay.elements_missing_in(with_overlay));
        let (left, overlay) = share(&with_overlay.elements_missing_in(before_overlay));
        back * 2 > hidden || (left * 2 < overlay && back >= LEAST_BACK)
    }

    /// Returns the index after the subtree that begins at `start`.
    pub(super) fn end(&self, start: usize) -> usize {
        let depth = self.nodes[start].depth;
        let inside = self.nodes[start + 1..].iter().take_while(|node| node.depth > depth).count();
        start + 1 + inside
    }

    fn add(
        &mut self,
        number: u32,
        frame: Frame,
        below: u32,
        [x, y]: [i32; 2],
        others: &mut HashMap<u32, Frame>,
    ) {
        self.cut += frame.cut;
        if frame.unanswered {
            self.unanswered.insert(number);
        }
        self.front.extend(frame.front.iter().map(|&element| (number, element)));
        self.drawn.add(frame.drawn);
        self.selected = self.selected.take().or(frame.selected);
        self.looks.extend(frame.looks.into_looks().map(|(element, look)| ((number, element), look)));
        for walked in frame.nodes {
            let mut node = node(walked, number);
            node.depth += below;
            let mut child = None;
            if let Some(details) = &mut node.details {
                if let Some([left, top, ..]) = &mut details.bounds {
                    *left += x;
                    *top += y;
                }
                let [left, top] = details.inside.unwrap_or_default();
                child = details.child_frame.map(|frame| (frame, [x + left, y + top]));
            }
            let below = node.depth + 1;
            self.nodes.push(node);
            if let Some((number, origin)) = child
                && let Some(frame) = others.remove(&number)
            {
                self.add(number, frame, below, origin, others);
            }
        }
    }
}

fn node(walked: WalkedNode, frame: u32) -> Node {
    let WalkedNode { depth, what } = walked;
    match what {
        WalkedNodeKind::Group => {
            Node { depth, frame, number: 0, role: "generic", name: Box::default(), details: None }
        }
        WalkedNodeKind::Text(text) => {
            Node { depth, frame, number: 0, role: "text", name: text, details: None }
        }
        WalkedNodeKind::Element { role, number, name, details } => {
            Node { depth, frame, number, role, name, details }
        }
    }
}
