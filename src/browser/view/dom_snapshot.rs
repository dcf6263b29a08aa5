//! DOM snapshots for traces: nested arrays of tags, attributes and texts. No script runs in the page.
use serde_json::{Map, Value, json};

use crate::browser::objects::page::Page;
use crate::cdp::types::dom_snapshot::{CaptureSnapshot, Document, Nodes, Rare, RareTruth};
use crate::error::Result;

const ELEMENT: i64 = 1;
const TEXT: i64 = 3;
const DOCUMENT_TYPE: i64 = 10;
const FRAGMENT: i64 = 11;
/// Elements to omit: they are invisible, or would have side effects in the trace viewer.
const LEFT_OUT: [&str; 3] = ["SCRIPT", "NOSCRIPT", "BASE"];

/// The DOM snapshot of one frame.
#[derive(Debug, Clone, PartialEq)]
pub struct DomSnapshot {
    pub frame: String,
    pub url: String,
    pub doctype: Option<String>,
    /// The document as `["TAG", {attributes}, …children]`; texts are strings.
    pub html: Value,
    pub is_main: bool,
}

impl Page {
    /// Returns DOM snapshots of the page and its child frames, main frame first.
    pub async fn dom_snapshots(&self) -> Result<Vec<DomSnapshot>> {
        let mut snapshots = Vec::new();
        for session in self.sessions() {
            let captured = session.call(CaptureSnapshot { computed_styles: Vec::new() }).await?;
            let main = self.main_frame().id();
            let frames: Vec<_> = captured.documents.iter().map(|document| document.frame_id).collect();
            let strings = &captured.strings;
            snapshots
                .extend(captured.documents.iter().map(|document| read(document, strings, &frames, main)));
        }
        snapshots.sort_by_key(|snapshot| !snapshot.is_main);
        Ok(snapshots)
    }
}

fn read(document: &Document, strings: &[String], frames: &[i64], main: &str) -> DomSnapshot {
    let reader = Reader { nodes: &document.nodes, strings, frames };
    let frame = reader.text(document.frame_id).to_owned();
    DomSnapshot {
        is_main: frame == main,
        url: reader.text(document.document_url).to_owned(),
        doctype: reader.doctype(),
        html: reader.tree(),
        frame,
    }
}

struct Reader<'a> {
    nodes: &'a Nodes,
    strings: &'a [String],
    /// The frame ids of all captured documents, as indexes into `strings`.
    frames: &'a [i64],
}

impl Reader<'_> {
    fn text(&self, index: i64) -> &str {
        usize::try_from(index).ok().and_then(|index| self.strings.get(index)).map_or("", String::as_str)
    }

    fn kind(&self, node: usize) -> i64 {
        self.nodes.node_type.get(node).copied().unwrap_or_default()
    }

    fn name(&self, node: usize) -> &str {
        self.text(self.nodes.node_name.get(node).copied().unwrap_or(-1))
    }

    fn doctype(&self) -> Option<String> {
        let node = (0..self.nodes.node_type.len()).find(|node| self.kind(*node) == DOCUMENT_TYPE)?;
        Some(self.name(node).to_owned())
    }

    /// Builds the tree from the last node to the first. Nodes follow their parents in the list, so a node has
    /// all its children before it is added to its parent.
    fn tree(&self) -> Value {
        let mut children: Vec<Vec<Value>> = vec![Vec::new(); self.nodes.node_type.len()];
        for node in (1..children.len()).rev() {
            let mut own = std::mem::take(&mut children[node]);
            own.reverse();
            let parent = self.nodes.parent_index.get(node).and_then(|parent| usize::try_from(*parent).ok());
            if let (Some(written), Some(parent)) = (self.node(node, own), parent) {
                children[parent].push(written);
            }
        }
        let roots = children.into_iter().next().unwrap_or_default();
        roots.into_iter().find(Value::is_array).unwrap_or_else(|| json!(["HTML"]))
    }

    fn node(&self, node: usize, children: Vec<Value>) -> Option<Value> {
        match self.kind(node) {
            TEXT => Some(json!(self.text(*self.nodes.node_value.get(node)?))),
            ELEMENT => self.element(node, children),
            FRAGMENT if value(self.nodes.shadow_root_type.as_ref(), node).is_some() => {
                Some(tag("template", json!({ "__playwright_shadow_root_": "open" }), children))
            }
            _ => None,
        }
    }

    fn element(&self, node: usize, children: Vec<Value>) -> Option<Value> {
        let name = self.name(node);
        if name.starts_with("::") || LEFT_OUT.contains(&name) {
            return None;
        }
        let mut attributes = self.attributes(node);
        if name == "META" && attributes.contains_key("http-equiv") {
            return None;
        }
        if matches!(name, "IFRAME" | "FRAME") {
            attributes.remove("srcdoc");
            let document = value(self.nodes.content_document_index.as_ref(), node);
            let shown = document.and_then(|index| self.frames.get(usize::try_from(index).ok()?));
            let source = shown.map_or(String::new(), |frame| format!("/snapshot/{}", self.text(*frame)));
            attributes.insert("src".to_owned(), json!(source));
        }
        if let Some(typed) = value(self.nodes.input_value.as_ref().or(self.nodes.text_value.as_ref()), node) {
            attributes.insert("__playwright_value_".to_owned(), json!(self.text(typed)));
        }
        if holds(self.nodes.input_checked.as_ref(), node) {
            attributes.insert("__playwright_checked_".to_owned(), json!("true"));
        }
        if holds(self.nodes.option_selected.as_ref(), node) {
            attributes.insert("__playwright_selected_".to_owned(), json!("true"));
        }
        Some(tag(name, Value::Object(attributes), children))
    }

    fn attributes(&self, node: usize) -> Map<String, Value> {
        let listed = self.nodes.attributes.get(node).map_or(&[][..], Vec::as_slice);
        let pairs = listed.chunks_exact(2).map(|pair| (self.text(pair[0]), self.text(pair[1])));
        let safe = pairs.filter(|(name, value)| {
            !name.starts_with("on") && !value.trim_start().to_ascii_lowercase().starts_with("javascript:")
        });
        safe.map(|(name, value)| (name.to_owned(), json!(value))).collect()
    }
}

fn tag(name: &str, attributes: Value, children: Vec<Value>) -> Value {
    let mut written = vec![json!(name), attributes];
    written.extend(children);
    Value::Array(written)
}

fn value(rare: Option<&Rare>, node: usize) -> Option<i64> {
    let rare = rare?;
    let at = rare.index.iter().position(|index| usize::try_from(*index) == Ok(node))?;
    rare.value.get(at).copied()
}

fn holds(rare: Option<&RareTruth>, node: usize) -> bool {
    rare.is_some_and(|rare| rare.index.iter().any(|index| usize::try_from(*index) == Ok(node)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_read_from_flat_lists_without_what_would_run() {
        let strings =
            ["#document", "HTML", "SCRIPT", "P", "#text", "alert()", "hello", "onclick", "x", "id", "F"];
        let strings = strings.map(str::to_owned);
        let nodes = json!({
            "parentIndex": [-1, 0, 1, 2, 1, 4], "nodeType": [9, 1, 1, 3, 1, 3], "nodeName": [0, 1, 2, 4, 3, 4],
            "nodeValue": [-1, -1, -1, 5, -1, 6], "attributes": [[], [], [], [], [7, 5, 9, 8], []],
        });
        let document = json!({ "documentURL": 8, "frameId": 10, "nodes": nodes });
        let document: Document = serde_json::from_value(document).unwrap();
        let snapshot = read(&document, &strings, &[10], "F");
        assert_eq!(snapshot.html, json!(["HTML", {}, ["P", { "id": "x" }, "hello"]]));
        assert!(snapshot.is_main);
    }
}
