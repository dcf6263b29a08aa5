//! Renders the DOM snapshots of a trace as HTML without scripts.
use std::collections::HashMap;
use std::fmt::Write as _;
use std::rc::Rc;
use std::sync::LazyLock;

use regex::{Captures, Regex};
use url::Url;
use url::form_urlencoded::Serializer;

use super::events::{Recorded, SnapshotPhase};
use super::nodes::{Node, Nodes};

/// The maximum size of a document's HTML in bytes. References could make a small trace expand without limit.
const LARGEST: usize = 64 << 20;
/// The start of each document, with a style that outlines the target element of the call.
const HEAD: &str =
    "<!doctype html><meta charset=utf-8><style>[data-target]{outline:2px solid #f60!important}</style>";
const VOID: [&str; 14] = [
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track",
    "wbr",
];
/// Elements that show nothing without scripts, or that would load resources from outside the trace.
const LEFT_OUT: [&str; 10] =
    ["script", "noscript", "base", "meta", "object", "embed", "noembed", "noframes", "portal", "fencedframe"];

/// Selects a document of a trace: call, moment and frame.
#[derive(Debug, Clone, Copy)]
pub struct SnapshotQuery<'a> {
    pub call: &'a str,
    pub phase: SnapshotPhase,
    /// The frame; `None` for the main frame.
    pub frame: Option<&'a str>,
}

/// Finds the snapshot of a document. If a frame has none at this moment, finds its latest earlier snapshot.
fn find(recorded: &Recorded, query: &SnapshotQuery<'_>) -> Option<usize> {
    let is_at = |index: &usize| {
        let snapshot = &recorded.snapshots[*index];
        snapshot.call_id == query.call && snapshot.phase() == Some(query.phase)
    };
    let main = recorded.mains.get(query.call).and_then(|mains| mains.iter().copied().find(is_at));
    let Some(frame) = query.frame else { return main };
    let own = recorded.frames.get(frame)?;
    own.iter().copied().find(is_at).or_else(|| {
        let moment = recorded.snapshots[main?].timestamp;
        own.iter().copied().rfind(|index| recorded.snapshots[*index].timestamp <= moment)
    })
}

/// Returns whether the main frame has a snapshot at this moment of a call.
pub(super) fn is_there(recorded: &Recorded, call: &str, phase: SnapshotPhase) -> bool {
    find(recorded, &SnapshotQuery { call, phase, frame: None }).is_some()
}

/// Renders a document as HTML; `None` if there is no snapshot.
pub(super) fn write(recorded: &Recorded, query: &SnapshotQuery<'_>) -> Option<String> {
    let at = find(recorded, query)?;
    let snapshot = &recorded.snapshots[at];
    let frame = recorded.frames.get(&snapshot.frame_id)?;
    let writer = Writer {
        recorded,
        query,
        part: snapshot.frame_id.split('/').next().unwrap_or_default(),
        at,
        frame,
        base: Url::parse(&snapshot.frame_url).ok(),
        read: HashMap::new(),
        html: String::from(HEAD),
        steps: Vec::new(),
    };
    Some(writer.write(frame.iter().position(|index| *index == at)?))
}

struct Writer<'a> {
    recorded: &'a Recorded,
    query: &'a SnapshotQuery<'a>,
    part: &'a str,
    at: usize,
    /// The indices of the frame's snapshots.
    frame: &'a [usize],
    base: Option<Url>,
    read: HashMap<usize, Option<Rc<Nodes>>>,
    html: String,
    steps: Vec<Step>,
}

enum Step {
    /// A node to write, from a snapshot of the frame.
    Open {
        snapshot: usize,
        node: usize,
        is_style: bool,
    },
    Close(String),
}

impl Writer<'_> {
    fn write(mut self, snapshot: usize) -> String {
        if let Some(nodes) = self.nodes(snapshot) {
            self.steps.push(Step::Open { snapshot, node: nodes.root, is_style: false });
        }
        while let Some(step) = self.steps.pop() {
            if self.html.len() > LARGEST {
                break;
            }
            match step {
                Step::Close(name) => drop(write!(self.html, "</{name}>")),
                Step::Open { snapshot, node, is_style } => self.open(snapshot, node, is_style),
            }
        }
        self.html
    }

    fn nodes(&mut self, snapshot: usize) -> Option<Rc<Nodes>> {
        let html = &self.recorded.snapshots[*self.frame.get(snapshot)?].html;
        self.read.entry(snapshot).or_insert_with(|| Nodes::read(html).map(Rc::new)).clone()
    }

    fn open(&mut self, snapshot: usize, node: usize, is_style: bool) {
        let Some(nodes) = self.nodes(snapshot) else { return };
        match &nodes.list[node] {
            Node::Text(text) if is_style => {
                let css = self.rewrite_css(text);
                self.html += &css.replace("</", "<\\/");
            }
            Node::Text(text) => self.html += &escaped(text),
            Node::Reference { back, node } => {
                // References must point to earlier snapshots, since a cycle would never end.
                let Some(earlier) = snapshot.checked_sub(*back).filter(|earlier| *earlier < snapshot) else {
                    return;
                };
                let Some(referred) = self.nodes(earlier) else { return };
                if let Some(node) = referred.order.get(*node) {
                    self.steps.push(Step::Open { snapshot: earlier, node: *node, is_style });
                }
            }
            Node::Element { name, attributes, children } => {
                let children = children.iter().rev();
                let children = children.map(|node| (snapshot, *node)).collect();
                self.element(name, attributes, children);
            }
        }
    }

    /// Writes an element's start tag, and adds steps for its end tag and its `children` (in reverse order).
    fn element(&mut self, name: &str, attributes: &[(String, String)], children: Vec<(usize, usize)>) {
        let get = |wanted: &str| {
            attributes.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.as_str())
        };
        let lower = name.to_ascii_lowercase();
        if lower == "base" {
            let base = get("href").and_then(|href| match &self.base {
                Some(base) => base.join(href).ok(),
                None => Url::parse(href).ok(),
            });
            self.base = base.or_else(|| self.base.take());
        }
        let is_sheet = get("rel").is_some_and(|rel| rel.to_ascii_lowercase().contains("stylesheet"));
        if LEFT_OUT.contains(&lower.as_str()) || !is_name(name) || (lower == "link" && !is_sheet) {
            return;
        }
        if let Some(css) = get("__playwright_style_sheet_") {
            let css = self.rewrite_css(css).replace("</", "<\\/");
            let _ = write!(self.html, "<style>{css}</style>");
            return;
        }
        // Within these elements, the browser would show tags as text.
        let name = if matches!(lower.as_str(), "xmp" | "plaintext" | "listing") { "pre" } else { name };
        let _ = write!(self.html, "<{name}");
        self.attributes(&lower, attributes);
        self.html.push('>');
        if VOID.contains(&lower.as_str()) {
            return;
        }
        self.steps.push(Step::Close(name.to_owned()));
        match get("__playwright_value_").filter(|_| lower == "textarea") {
            Some(value) => self.html += &escaped(value),
            None if lower == "iframe" => {}
            None => {
                let is_style = lower == "style";
                let steps =
                    children.into_iter().map(|(snapshot, node)| Step::Open { snapshot, node, is_style });
                self.steps.extend(steps);
            }
        }
    }

    fn attributes(&mut self, element: &str, attributes: &[(String, String)]) {
        let has = |wanted: &str| attributes.iter().any(|(name, _)| name == wanted);
        let mut is_target = false;
        for (name, value) in attributes {
            let (name, value) = match (name.to_ascii_lowercase().as_str(), element) {
                ("__playwright_value_", "input") => ("value", value.clone()),
                ("__playwright_checked_", _) if value != "false" => ("checked", String::new()),
                ("__playwright_selected_", _) if value != "false" => ("selected", String::new()),
                ("__playwright_shadow_root_", "template") => ("shadowrootmode", "open".to_owned()),
                ("__playwright_current_src__", _) => ("src", self.resource(value)),
                ("__playwright_src__", _) | ("src", "iframe" | "frame") => ("src", self.document(value)),
                ("__playwright_target__", _) => {
                    is_target = true;
                    continue;
                }
                ("value", "input") if has("__playwright_value_") => continue,
                ("checked", _) if has("__playwright_checked_") => continue,
                ("selected", _) if has("__playwright_selected_") => continue,
                ("src", _) if has("__playwright_current_src__") => continue,
                ("src" | "poster" | "background", _)
                | ("href", "link" | "image")
                | ("xlink:href", "image") => (name.as_str(), self.resource(value)),
                ("href" | "xlink:href", _) => (name.as_str(), local(value)),
                ("style", _) => ("style", self.rewrite_css(value)),
                ("srcset" | "srcdoc" | "ping" | "autofocus" | "target" | "action" | "formaction", _) => {
                    continue;
                }
                (lower, _)
                    if lower.starts_with("on") || lower.starts_with("__playwright") || !is_name(lower) =>
                {
                    continue;
                }
                _ => (name.as_str(), value.clone()),
            };
            let _ = write!(self.html, " {name}=\"{}\"", escaped(&value));
        }
        if is_target {
            self.html += " data-target";
        }
    }

    /// Returns the viewer's URL for the document of a child frame. In the trace, that URL is `/snapshot/ID`.
    fn document(&self, source: &str) -> String {
        let Some(frame) = source.strip_prefix("/snapshot/") else { return String::new() };
        let frame = format!("{}/{}", self.part, frame.split('?').next().unwrap_or_default());
        let phase: &str = self.query.phase.into();
        let mut query = Serializer::new(String::new());
        query.append_pair("call", self.query.call).append_pair("phase", phase).append_pair("frame", &frame);
        format!("document?{}", query.finish())
    }

    fn resource(&self, address: &str) -> String {
        resource(self.at, self.base.as_ref(), address)
    }

    fn rewrite_css(&self, css: &str) -> String {
        rewrite_css(css, |address| self.resource(address))
    }
}

/// Returns the viewer's URL for a resource that the snapshot with index `at` loads.
pub(super) fn resource(at: usize, base: Option<&Url>, address: &str) -> String {
    let address = address.trim();
    if address.is_empty() || address.starts_with("data:") || address.starts_with('#') {
        return address.to_owned();
    }
    let resolved = match base {
        Some(base) => base.join(address),
        None => Url::parse(address),
    };
    let Ok(mut url) = resolved else { return String::new() };
    url.set_fragment(None);
    let mut query = Serializer::new(String::new());
    query.append_pair("at", &at.to_string()).append_pair("url", url.as_str());
    format!("resource?{}", query.finish())
}

/// Replaces each URL in a style sheet by the result of `to`.
pub(super) fn rewrite_css(css: &str, to: impl Fn(&str) -> String) -> String {
    static ADDRESS: LazyLock<Option<Regex>> = LazyLock::new(|| {
        let pattern =
            r#"(?i)(@import\s+(?:url\(\s*)?|url\(\s*)(?:"([^"\\]*)"|'([^'\\]*)'|([^)'"\s;]*))(\s*\))?"#;
        Regex::new(pattern).ok()
    });
    let Some(pattern) = ADDRESS.as_ref() else { return String::new() };
    let replaced = pattern.replace_all(css, |found: &Captures<'_>| {
        let address = (2..5).find_map(|group| found.get(group)).map_or("", |found| found.as_str());
        format!(
            "{}\"{}\"{}",
            &found[1],
            to(address).replace('"', "%22"),
            found.get(5).map_or("", |end| end.as_str())
        )
    });
    replaced.into_owned()
}

/// Returns a link target that stays in the document: fragments are kept, other URLs become `#`.
fn local(address: &str) -> String {
    if address.starts_with('#') { address.to_owned() } else { "#".to_owned() }
}

fn is_name(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && name.chars().all(|one| one.is_alphanumeric() || matches!(one, '-' | '_' | ':' | '.'))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn document(documents: &[Value]) -> String {
        let mut recorded = Recorded::default();
        for (index, html) in documents.iter().enumerate() {
            let snapshot = json!({
                "callId": format!("c{index}"), "phase": "after", "frameId": "f", "isMainFrame": true,
                "frameUrl": "http://shop.example/a/", "html": html,
            });
            let event = json!({ "type": "frame-snapshot", "snapshot": snapshot });
            recorded.take("trace", &event.to_string());
        }
        let call = format!("trace/c{}", documents.len() - 1);
        let query = SnapshotQuery { call: &call, phase: SnapshotPhase::After, frame: None };
        let html = write(&recorded, &query).unwrap();
        html.trim_start_matches(HEAD).to_owned()
    }

    #[test]
    fn references_are_followed_and_the_state_of_fields_is_written() {
        let first = json!(["HTML", {}, ["BODY", {}, ["P", {}, "a<b"], ["INPUT", { "value": "x" }]]]);
        let typed = json!(["INPUT", { "value": "x", "__playwright_value_": "ty\"ped" }]);
        let second = json!(["HTML", {}, ["BODY", {}, [[1, 1]], typed, ["B", {}, [[0, 0]], [[1, 99]]]]]);
        let expected = "<HTML><BODY><P>a&lt;b</P><INPUT value=\"ty&quot;ped\"><B></B></BODY></HTML>";
        assert_eq!(document(&[first, second]), expected);
    }

    #[test]
    fn nothing_runs_and_nothing_is_loaded_from_elsewhere() {
        let html = json!(["HTML", {}, ["SCRIPT", {}, "alert()"], ["META", { "http-equiv": "refresh" }],
            ["STYLE", {}, "b { background: url( 'x.png' ) } @import \"y.css\"; </style><script>"],
            ["IMG", { "src": "p.png", "onerror": "alert()", "srcset": "q.png 2x", "a\"b": "" }],
            ["A", { "href": "http://elsewhere.example/", "ping": "/p" }, "go"],
            ["IFRAME", { "src": "/snapshot/inner" }], ["IFRAME", { "src": "http://elsewhere.example/" }]]);
        let written = document(&[html]);
        assert!(!written.contains("alert()") && !written.contains("</style><script>"), "{written}");
        assert!(
            written.contains("url( \"resource?at=0&url=http%3A%2F%2Fshop.example%2Fa%2Fx.png\" )"),
            "{written}"
        );
        assert!(
            written.contains("@import \"resource?at=0&url=http%3A%2F%2Fshop.example%2Fa%2Fy.css\""),
            "{written}"
        );
        let image = "<IMG src=\"resource?at=0&amp;url=http%3A%2F%2Fshop.example%2Fa%2Fp.png\">";
        assert!(written.contains(image), "{written}");
        assert!(written.contains("<A href=\"#\">go</A>"), "{written}");
        let frame = "src=\"document?call=trace%2Fc0&amp;phase=after&amp;frame=trace%2Finner\"";
        assert!(written.contains(frame) && written.contains("<IFRAME src=\"\">"), "{written}");
    }
}
