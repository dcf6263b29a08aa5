//! Numbers nodes for refs. WebDriver gives each node a permanent handle; each handle gets one number.
use std::collections::{BTreeMap, HashMap};

use serde_json::Value;

use super::client::handle_of;
use crate::error::{Error, Result};
use crate::json::decode;
use crate::snapshot::{self, Ref};

/// The maximum number of known nodes per document, besides the nodes of the last snapshot.
const MOST_KNOWN: usize = 20_000;

/// An element of a page, as a WebDriver reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Element {
    pub(super) handle: String,
    /// The number of the element's frame; 0 for the main frame.
    pub(super) frame: u32,
    /// How errors name the element.
    pub(super) target: String,
}

impl Element {
    /// Returns how errors name the element: the ref as the caller wrote it.
    pub fn target(&self) -> &str {
        &self.target
    }

    /// Returns the error with this element's name instead of its handle.
    pub(super) fn named(&self, error: Error) -> Error {
        match error {
            Error::StaleRef { again, .. } => Error::StaleRef { target: self.target.clone(), again },
            other => other,
        }
    }
}

/// The known nodes of a page, by frame.
#[derive(Debug, Default)]
pub(super) struct Nodes {
    frames: BTreeMap<u32, Known>,
    next_frame: u32,
}

/// The known nodes of a frame.
#[derive(Debug)]
struct Known {
    /// The number of the parent frame, and the handle of the element that embeds this frame.
    around: Option<(u32, String)>,
    /// The handle of the root element. If it changes, the frame has another document.
    document: Option<String>,
    /// The number of this document's first node; `next` is the number for the next new node.
    first: u32,
    next: u32,
    numbers: HashMap<String, u32>,
    handles: HashMap<u32, String>,
}

impl Known {
    fn new(around: Option<(u32, String)>) -> Self {
        let (numbers, handles) = (HashMap::new(), HashMap::new());
        Self { around, document: None, first: 1, next: 1, numbers, handles }
    }

    /// Forgets all nodes if the frame has another document. Numbers are never reused.
    fn is_of(&mut self, document: Option<&str>) {
        if self.document.as_deref() != document {
            self.document = document.map(str::to_owned);
            self.first = self.next;
            self.numbers.clear();
            self.handles.clear();
        }
    }

    fn number(&mut self, handle: &str) -> u32 {
        if let Some(number) = self.numbers.get(handle) {
            return *number;
        }
        let number = self.next;
        self.next += 1;
        self.numbers.insert(handle.to_owned(), number);
        self.handles.insert(number, handle.to_owned());
        number
    }

    /// Forgets the nodes that are not in the snapshot, if too many nodes are known.
    fn sweep(&mut self, shown: &[u32]) {
        if self.handles.len() > MOST_KNOWN + shown.len() {
            self.handles.retain(|number, _| shown.contains(number));
            self.numbers.retain(|_, number| shown.contains(number));
        }
    }
}

/// The snapshot of a frame, and the numbers of its child frames.
#[derive(Debug)]
pub(super) struct ReadFrame {
    pub(super) frame: snapshot::Frame,
    pub(super) children: Vec<u32>,
}

impl Nodes {
    /// Returns the nodes of a frame. Forgets those of its previous document.
    fn frame(&mut self, number: u32, document: Option<&str>) -> &mut Known {
        if number == 0 && self.frames.get(&0).is_some_and(|top| top.document.as_deref() != document) {
            self.frames.retain(|number, _| *number == 0);
        }
        let known = self.frames.entry(number).or_insert_with(|| Known::new(None));
        known.is_of(document);
        known
    }

    /// Returns the number of the child frame that the element `owner` embeds.
    fn child(&mut self, parent: u32, owner: &str) -> u32 {
        let around = Some((parent, owner.to_owned()));
        if let Some((number, _)) = self.frames.iter().find(|(_, known)| known.around == around) {
            return *number;
        }
        self.next_frame += 1;
        self.frames.insert(self.next_frame, Known::new(around));
        self.next_frame
    }

    /// Returns the parent frame, and the handle of the element that embeds this frame.
    pub(super) fn parent_of(&self, frame: u32) -> Option<(u32, String)> {
        self.frames.get(&frame)?.around.clone()
    }

    /// Parses the result `[json, nodes, owners, root]` of reading a frame. Its node numbers start at 1.
    pub(super) fn read(&mut self, number: u32, answer: &Value) -> Result<ReadFrame> {
        let unreadable = |reason: String| Error::Unreadable { method: "the walk of a frame", reason };
        let json = answer[0].as_str().ok_or_else(|| unreadable("there is none".to_owned()))?;
        let mut walk: Value = decode(json.as_bytes()).map_err(|error| unreadable(error.to_string()))?;
        let handles = |part: &Value| -> Vec<Option<String>> {
            let all = part.as_array().map(Vec::as_slice).unwrap_or_default();
            all.iter().map(|node| handle_of(node).map(str::to_owned)).collect()
        };
        let owners = handles(&answer[2]);
        let children: Vec<_> = owners.iter().flatten().map(|owner| self.child(number, owner)).collect();
        let known = self.frame(number, handle_of(&answer[3]));
        let numbers: Vec<_> = handles(&answer[1])
            .iter()
            .map(|handle| handle.as_deref().map_or(0, |handle| known.number(handle)))
            .collect();
        let stable = |local: &Value, from: &[u32]| {
            let at = local.as_u64().and_then(|local| usize::try_from(local).ok()?.checked_sub(1));
            Value::from(at.and_then(|at| from.get(at)).copied().unwrap_or(0))
        };
        let mut shown = Vec::new();
        for node in walk["nodes"].as_array_mut().into_iter().flatten() {
            let Some(parts) = node.as_array_mut().filter(|parts| parts.len() >= 4) else { continue };
            parts[2] = stable(&parts[2], &numbers);
            if let Some(child) = parts.get_mut(4).and_then(|details| details.get_mut("f")) {
                *child = stable(child, &children);
                shown.extend(child.as_u64().and_then(|child| u32::try_from(child).ok()));
            }
        }
        for node in walk.get_mut("front").and_then(Value::as_array_mut).into_iter().flatten() {
            *node = stable(node, &numbers);
        }
        walk["first"] = known.first.into();
        walk["last"] = (known.next - 1).into();
        known.sweep(&numbers);
        let frame =
            snapshot::Frame::parse(&walk.to_string()).map_err(|error| unreadable(error.to_string()))?;
        Ok(ReadFrame { frame, children: shown })
    }

    /// Returns the element of a ref.
    ///
    /// # Errors `unknown_ref` if no snapshot had the ref, `stale_ref` if it is of an earlier document.
    pub(super) fn element(&self, reference: &Ref) -> Result<Element> {
        let target = reference.to_string();
        let unknown = |reason: &str| Error::UnknownRef { target: target.clone(), reason: reason.to_owned() };
        if reference.context_name.is_some() || reference.context.is_some_and(|number| number != 0) {
            return Err(unknown("WebKit has only one context"));
        }
        if reference.page.is_some_and(|number| number != 0) {
            return Err(unknown("in WebKit there is one tab"));
        }
        let number = reference.element;
        let of_main = || self.frames.get(&0).filter(|main| number < main.next).map(|_| 0);
        let frame = reference.frame.or_else(of_main);
        let in_frames = self.frames.iter().filter(|(known, _)| frame.is_none_or(|one| one == **known));
        let mut found =
            in_frames.clone().filter_map(|(frame, known)| Some((*frame, known.handles.get(&number)?)));
        match (found.next(), found.next()) {
            (Some((frame, handle)), None) => Ok(Element { handle: handle.clone(), frame, target }),
            (Some(_), Some(_)) => Err(unknown("several frames have one; write its frame, too: f1e12")),
            (None, _) if in_frames.clone().any(|(_, known)| number > 0 && number < known.next) => {
                Err(Error::StaleRef { target, again: None })
            }
            (None, _) => Err(unknown("no snapshot has shown it")),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::client::element;
    use super::*;

    fn walked(nodes: &[&str], root: &str) -> Value {
        let lines: Vec<_> = (1..=nodes.len()).map(|number| json!([0, "button", number, "b"])).collect();
        let handles: Vec<_> = nodes.iter().map(|handle| element(handle)).collect();
        json!([json!({ "nodes": lines }).to_string(), handles, [], element(root)])
    }

    fn refs(nodes: &mut Nodes, walk: &Value) -> Vec<u32> {
        let frame = nodes.read(0, walk).unwrap().frame;
        let tree = snapshot::Tree::assemble(0, 0, 0, 0, HashMap::from([(0, frame)]));
        tree.nodes().iter().map(|node| node.number).collect()
    }

    #[test]
    fn a_node_keeps_its_number_and_no_number_is_given_twice() {
        let mut nodes = Nodes::default();
        assert_eq!(refs(&mut nodes, &walked(&["a", "b"], "one")), [1, 2]);
        assert_eq!(refs(&mut nodes, &walked(&["b", "c", "a"], "one")), [2, 3, 1]);
        // The numbers of another document continue after those of the previous one.
        assert_eq!(refs(&mut nodes, &walked(&["d"], "two")), [4]);
        let stands = |number: u32| nodes.element(&format!("e{number}").parse().unwrap());
        assert_eq!(stands(4).unwrap().handle, "d");
        assert_eq!(stands(2).unwrap_err().code(), "stale_ref");
        assert_eq!(stands(5).unwrap_err().code(), "unknown_ref");
    }

    #[test]
    fn a_ref_of_another_tab_or_context_is_no_ref_here() {
        let mut nodes = Nodes::default();
        refs(&mut nodes, &walked(&["a"], "one"));
        for (text, is_known) in
            [("c0p0f0e1", true), ("c1p0f0e1", false), ("c0p1f0e1", false), ("f1e1", false)]
        {
            assert_eq!(nodes.element(&text.parse().unwrap()).is_ok(), is_known, "{text}");
        }
    }
}
