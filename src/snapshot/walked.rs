//! The result of the injected script that walks one frame's DOM.
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, SeqAccess, Visitor};

use super::looks::{DrawingCounts, TextSelection, WalkedLooks};
use super::roles;
use crate::json::decode;

/// The content of a frame's document, in reading order.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct Frame {
    /// The first element number that this document may use. It identifies the document.
    pub first: u32,
    /// The last element number in use.
    pub last: u32,
    /// The number of elements that may have a closed shadow root which the walk could not open.
    pub suspects: u32,
    /// The number of custom elements whose roles may be known only to the browser (`ElementInternals`).
    pub customs: u32,
    /// The number of elements that were omitted because they are nested too deeply.
    pub cut: u32,
    /// Whether the document is invisible. The nodes are then its content all the same.
    pub unseen: bool,
    /// Whether the document is a PDF, whose text is not in the DOM.
    pub pdf: bool,
    /// Whether the frame did not answer in time, so that a note stands for its content.
    #[serde(skip)]
    pub unanswered: bool,
    /// The numbers of the controls that remain reachable if something covers the others.
    pub front: Vec<u32>,
    /// The numbers of drawings without text.
    pub drawn: DrawingCounts,
    pub selected: Option<TextSelection>,
    pub(super) looks: WalkedLooks,
    pub(super) nodes: Vec<WalkedNode>,
}

/// The error for a walk result that cannot be parsed.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct WalkParseError(#[from] serde_json::Error);

impl Frame {
    /// Parses the JSON result of the walk of one frame.
    pub fn parse(json: &str) -> Result<Self, WalkParseError> {
        Ok(decode(json.as_bytes())?)
    }

    /// Returns a placeholder for a frame that did not answer in time.
    pub fn unresponsive() -> Self {
        let text = "(this frame did not answer in time: what it shows is not known)".into();
        let nodes = vec![WalkedNode { depth: 0, what: WalkedNodeKind::Text(text) }];
        Self { unanswered: true, nodes, ..Self::default() }
    }

    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct WalkedNode {
    pub depth: u32,
    pub what: WalkedNodeKind,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum WalkedNodeKind {
    Group,
    Text(Box<str>),
    Element { role: &'static str, number: u32, name: Box<str>, details: Option<Box<NodeDetails>> },
}

/// Properties of an element besides role and name. A property that does not apply has its default value.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct NodeDetails {
    /// 1 if the element is checked, 2 if mixed.
    #[serde(rename = "k")]
    pub checked: Option<u8>,
    #[serde(rename = "x")]
    pub expanded: Option<u8>,
    #[serde(rename = "s")]
    pub selected: Option<u8>,
    /// 1 if the element is pressed, 2 if mixed.
    #[serde(rename = "p")]
    pub pressed: Option<u8>,
    #[serde(rename = "l")]
    pub level: Option<u32>,
    #[serde(rename = "d")]
    pub disabled: Option<u8>,
    #[serde(rename = "a")]
    pub active: Option<u8>,
    #[serde(rename = "q")]
    pub required: Option<u8>,
    #[serde(rename = "r")]
    pub read_only: Option<u8>,
    #[serde(rename = "i")]
    pub invalid: Option<u8>,
    /// Set if the element can be clicked although its role is not that of a control: 1 if its cursor or
    /// markup says so, 2 if only an event listener does, 3 if hovering over it reveals something.
    #[serde(rename = "c")]
    pub clickable: Option<u8>,
    /// Words from the page's markup that distinguish an element without a name; never the accessible name.
    #[serde(rename = "w")]
    pub hint: Option<Box<str>>,
    /// 1 if the element is in the tree only because all refs were requested.
    #[serde(rename = "z")]
    pub extra: Option<u8>,
    /// 1 if the element's value is secret, such as a password.
    #[serde(rename = "h")]
    pub secret: Option<u8>,
    #[serde(rename = "v")]
    pub value: Option<Box<str>>,
    #[serde(rename = "u")]
    pub url: Option<Box<str>>,
    /// The type of an `<input>` that cannot be filled by typing text, such as `date`.
    #[serde(rename = "t")]
    pub input_type: Option<Box<str>>,
    /// The labels of the options in a drop-down.
    #[serde(rename = "o")]
    pub options: Vec<Box<str>>,
    /// The number of options that `options` omits.
    #[serde(rename = "n")]
    pub more_options: u32,
    /// The number of the frame in this `<iframe>`.
    #[serde(rename = "f")]
    pub child_frame: Option<u32>,
    /// x, y, width and height in CSS pixels, in the frame's viewport; after `Tree::assemble`, in the page's.
    #[serde(rename = "b")]
    pub bounds: Option<[i32; 4]>,
    /// The position (x and y) of the content inside an `<iframe>`.
    #[serde(rename = "in")]
    pub inside: Option<[i32; 2]>,
    /// Why the pointer cannot reach the element; `None` if it can.
    #[serde(rename = "m")]
    pub mark: Option<PointerObstacle>,
    /// The name of the dialog that covers this element and the nodes after it.
    #[serde(rename = "by")]
    pub cover: Option<Box<str>>,
    /// The number of controls in this element that are not shown, because the previous page had the same.
    #[serde(skip)]
    pub as_before: usize,
}

impl NodeDetails {
    /// Returns the details without position, pointer obstacle and focus, which change without the content.
    pub(super) fn content(&self) -> Self {
        Self { active: None, bounds: None, inside: None, mark: None, cover: None, ..self.clone() }
    }
}

/// Why the pointer cannot reach an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, strum::IntoStaticStr)]
pub enum PointerObstacle {
    #[serde(rename = "covered")]
    #[strum(serialize = "covered")]
    Covered,
    /// The element is cut off by an edge that cannot be scrolled, or by a `clip-path`.
    #[serde(rename = "clipped")]
    #[strum(serialize = "clipped")]
    Clipped,
    #[serde(rename = "off-screen")]
    #[strum(serialize = "off-screen")]
    OffScreen,
    #[serde(rename = "inert")]
    #[strum(serialize = "inert")]
    Inert,
    /// The element has `pointer-events: none`.
    #[serde(rename = "no pointer")]
    #[strum(serialize = "no pointer")]
    NoPointer,
    #[serde(other)]
    #[strum(serialize = "hidden")]
    Hidden,
}

impl<'de> Deserialize<'de> for WalkedNode {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(WalkedVisitor)
    }
}

struct WalkedVisitor;

impl<'de> Visitor<'de> for WalkedVisitor {
    type Value = WalkedNode;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("[depth], [depth, text] or [depth, role, ref, name, details]")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<WalkedNode, A::Error> {
        let depth = parts.next_element()?.unwrap_or(0);
        let Some(first) = parts.next_element::<Text<'de>>()? else {
            return Ok(WalkedNode { depth, what: WalkedNodeKind::Group });
        };
        let Some(number) = parts.next_element()? else {
            return Ok(WalkedNode { depth, what: WalkedNodeKind::Text(first.0.into()) });
        };
        let name = parts.next_element()?.unwrap_or_default();
        let details = parts.next_element()?;
        while parts.next_element::<IgnoredAny>()?.is_some() {}
        Ok(WalkedNode {
            depth,
            what: WalkedNodeKind::Element { role: roles::known(&first.0), number, name, details },
        })
    }
}

/// A string that borrows from the input unless it contains escapes.
#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] std::borrow::Cow<'a, str>);
