//! Parses DOM snapshots: `["TAG", {attributes}, …children]`, texts, and `[[n, k]]` for node k of the snapshot
//! n snapshots earlier. Not recursive, since documents can be nested too deeply.
use serde_json::{Map, Value};

use crate::json::decode;

#[derive(Debug, PartialEq)]
pub(super) enum Node {
    Text(String),
    Element { name: String, attributes: Vec<(String, String)>, children: Vec<usize> },
    Reference { back: usize, node: usize },
}

/// The nodes of a document.
#[derive(Debug)]
pub(super) struct Nodes {
    pub list: Vec<Node>,
    /// Indices into `list` in the order in which references count nodes: each node after its children.
    pub order: Vec<usize>,
    pub root: usize,
}

/// An array whose end was not parsed yet.
#[derive(Default)]
struct Open {
    name: Option<String>,
    attributes: Vec<(String, String)>,
    children: Vec<usize>,
    numbers: Vec<usize>,
    reference: Option<(usize, usize)>,
}

impl Nodes {
    /// Parses the document at the start of `text`; `None` if it is malformed.
    pub(super) fn read(text: &str) -> Option<Self> {
        let mut nodes = Self { list: Vec::new(), order: Vec::new(), root: 0 };
        let mut open: Vec<Open> = Vec::new();
        let bytes = text.as_bytes();
        let mut at = 0;
        loop {
            let token = *bytes.get(at)?;
            let end = match token {
                b'"' => end_of_string(bytes, at)?,
                b'{' => end_of_object(bytes, at)?,
                b'0'..=b'9' => at + bytes[at..].iter().take_while(|byte| byte.is_ascii_digit()).count(),
                _ => at + 1,
            };
            let content = &text[at..end];
            at = end;
            match token {
                b'[' => open.push(Open::default()),
                b'{' => open.last_mut()?.attributes = attributes(content),
                b'0'..=b'9' => open.last_mut()?.numbers.push(content.parse().ok()?),
                b'"' => nodes.take_string(open.last_mut(), decode(content.as_bytes()).ok()?),
                b']' => {
                    let closed = open.pop()?;
                    nodes.close(closed, open.last_mut());
                }
                _ => continue,
            }
            if open.is_empty() {
                return (!nodes.list.is_empty()).then_some(nodes);
            }
        }
    }

    fn take_string(&mut self, parent: Option<&mut Open>, text: String) {
        match parent {
            Some(parent) if parent.name.is_none() => parent.name = Some(text),
            parent => self.add(Node::Text(text), parent),
        }
    }

    fn close(&mut self, closed: Open, parent: Option<&mut Open>) {
        if let Some(name) = closed.name {
            self.add(
                Node::Element { name, attributes: closed.attributes, children: closed.children },
                parent,
            );
        } else if let Some((back, node)) = closed.reference {
            self.add(Node::Reference { back, node }, parent);
        } else if let ([back, node], Some(parent)) = (closed.numbers.as_slice(), parent) {
            parent.reference = Some((*back, *node));
        }
    }

    fn add(&mut self, node: Node, parent: Option<&mut Open>) {
        let index = self.list.len();
        if !matches!(node, Node::Reference { .. }) {
            self.order.push(index);
        }
        self.list.push(node);
        match parent {
            Some(parent) => parent.children.push(index),
            None => self.root = index,
        }
    }
}

fn attributes(object: &str) -> Vec<(String, String)> {
    let read: Map<String, Value> = decode(object.as_bytes()).unwrap_or_default();
    let text = |value: Value| match value {
        Value::String(text) => text,
        other => other.to_string(),
    };
    read.into_iter().map(|(name, value)| (name, text(value))).collect()
}

/// Returns the position after the JSON string that starts at `start`.
fn end_of_string(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start + 1;
    loop {
        match bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

/// Returns the position after the JSON object that starts at `start`.
fn end_of_object(bytes: &[u8], start: usize) -> Option<usize> {
    let (mut at, mut depth) = (start, 0_usize);
    loop {
        match bytes.get(at)? {
            b'"' => {
                at = end_of_string(bytes, at)?;
                continue;
            }
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ => {}
        }
        at += 1;
        if depth == 0 {
            return Some(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_texts_and_references_are_distinguished_and_counted_after_their_children() {
        let nodes = Nodes::read(r#"["P", {"a": "]\"}"}, "x\ud83c", [[2, 7]], ["B"]], "rest""#).unwrap();
        let kinds: Vec<_> = nodes.list.iter().collect();
        assert_eq!(kinds[0], &Node::Text("x\u{fffd}".to_owned()));
        assert_eq!(kinds[1], &Node::Reference { back: 2, node: 7 });
        let Node::Element { name, attributes, children } = &nodes.list[nodes.root] else { panic!() };
        assert_eq!((name.as_str(), children.as_slice()), ("P", &[0, 1, 2][..]));
        assert_eq!(attributes, &[("a".to_owned(), "]\"}".to_owned())]);
        assert_eq!(nodes.order, [0, 2, 3]);
    }

    #[test]
    fn a_document_can_be_as_deep_as_it_likes_and_may_end_early() {
        let deep = format!("{}{}", "[\"B\",{},".repeat(100_000), "]".repeat(100_000));
        assert_eq!(Nodes::read(&deep).unwrap().order.len(), 100_000);
        for broken in ["", "[", "[\"P", "[\"P\", {", "[]", "{}", "7"] {
            assert!(Nodes::read(broken).is_none(), "{broken}");
        }
    }
}
