//! What the injected walk answers for one frame.
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, SeqAccess, Visitor};

use super::roles;
use crate::json::decode;

/// One frame's document as it was walked, in reading order.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct Frame {
    /// The first number that this document may give: it tells documents apart.
    pub first: u32,
    /// The last number that was given.
    pub last: u32,
    /// How many elements may hide a closed shadow root and were not checked yet.
    pub suspects: u32,
    /// How many custom elements the browser is to be asked about.
    pub customs: u32,
    /// How many elements lay too deep to be walked.
    pub cut: u32,
    /// Nothing can be seen: the nodes are what the document holds all the same.
    pub unseen: bool,
    /// The document is a PDF, of which the walk sees nothing.
    pub pdf: bool,
    /// What can be reached of what can be acted on, where something lies over the rest.
    pub front: Vec<u32>,
    pub(super) nodes: Vec<Walked>,
}

/// The walk's answer could not be read.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct Malformed(#[from] serde_json::Error);

impl Frame {
    /// Reads one frame's walk.
    pub fn parse(json: &str) -> Result<Self, Malformed> {
        Ok(decode(json.as_bytes())?)
    }

    /// What stands for a frame that did not answer in time.
    pub fn silent() -> Self {
        let text = "(this frame did not answer in time: what it shows is not known)".into();
        Self { nodes: vec![Walked { depth: 0, what: What::Text(text) }], ..Self::default() }
    }

    /// How many nodes it has.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Walked {
    pub depth: u32,
    pub what: What,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum What {
    Group,
    Text(Box<str>),
    Element { role: &'static str, number: u32, name: Box<str>, details: Option<Box<Details>> },
}

/// What a walk says of an element besides its role and name. What does not apply is absent.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Details {
    /// 1 for checked, 2 for mixed.
    #[serde(rename = "k")]
    pub checked: Option<u8>,
    #[serde(rename = "x")]
    pub expanded: Option<u8>,
    #[serde(rename = "s")]
    pub selected: Option<u8>,
    /// 1 for pressed, 2 for mixed.
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
    /// Not a control by its role, yet there to be clicked: 1 where it shows so itself, 2 where only a listener says so, 3 where
    /// something shows when the pointer is over it.
    #[serde(rename = "c")]
    pub clickable: Option<u8>,
    /// What tells apart what has no name: words of the page's source, never the accessible name.
    #[serde(rename = "w")]
    pub hint: Option<Box<str>>,
    /// It is shown only because all were asked for.
    #[serde(rename = "z")]
    pub extra: Option<u8>,
    /// It holds a value that is not shown.
    #[serde(rename = "h")]
    pub secret: Option<u8>,
    #[serde(rename = "v")]
    pub value: Option<Box<str>>,
    #[serde(rename = "u")]
    pub url: Option<Box<str>>,
    /// The type of an `<input>` that is filled in its own way, such as `date`.
    #[serde(rename = "t")]
    pub input_type: Option<Box<str>>,
    /// The labels of a drop-down's options.
    #[serde(rename = "o")]
    pub options: Vec<Box<str>>,
    /// How many more options there are.
    #[serde(rename = "n")]
    pub more_options: u32,
    /// The frame that an `<iframe>` shows.
    #[serde(rename = "f")]
    pub child_frame: Option<u32>,
    /// x, y, width and height, in the frame's viewport and, once assembled, in the page's.
    #[serde(rename = "b")]
    pub bounds: Option<[i32; 4]>,
    /// Where the content of an `<iframe>` begins.
    #[serde(rename = "in")]
    pub inside: Option<[i32; 2]>,
    /// Why no press reaches it as the page stands.
    #[serde(rename = "m")]
    pub mark: Option<Reach>,
    /// The name of the dialog that covers it and what follows, if one does.
    #[serde(rename = "by")]
    pub cover: Option<Box<str>>,
    /// So many elements to act on stand in it as they stood before, and are not shown again.
    #[serde(skip)]
    pub as_before: usize,
}

/// Why no press reaches an element as the page stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, strum::IntoStaticStr)]
pub enum Reach {
    #[serde(rename = "covered")]
    #[strum(serialize = "covered")]
    Covered,
    /// By an edge that nobody can scroll, or by a clip path.
    #[serde(rename = "clipped")]
    #[strum(serialize = "clipped")]
    Clipped,
    #[serde(rename = "off-screen")]
    #[strum(serialize = "off-screen")]
    OffScreen,
    #[serde(rename = "inert")]
    #[strum(serialize = "inert")]
    Inert,
    /// It lets the pointer through.
    #[serde(rename = "no pointer")]
    #[strum(serialize = "no pointer")]
    NoPointer,
    #[serde(other)]
    #[strum(serialize = "hidden")]
    Hidden,
}

impl<'de> Deserialize<'de> for Walked {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(WalkedVisitor)
    }
}

struct WalkedVisitor;

impl<'de> Visitor<'de> for WalkedVisitor {
    type Value = Walked;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("[depth], [depth, text] or [depth, role, ref, name, details]")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<Walked, A::Error> {
        let depth = parts.next_element()?.unwrap_or(0);
        let Some(first) = parts.next_element::<Text<'de>>()? else {
            return Ok(Walked { depth, what: What::Group });
        };
        let Some(number) = parts.next_element()? else {
            return Ok(Walked { depth, what: What::Text(first.0.into()) });
        };
        let name = parts.next_element()?.unwrap_or_default();
        let details = parts.next_element()?;
        while parts.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Walked { depth, what: What::Element { role: roles::known(&first.0), number, name, details } })
    }
}

/// A string, borrowed from the input where it holds no escape.
#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] std::borrow::Cow<'a, str>);
