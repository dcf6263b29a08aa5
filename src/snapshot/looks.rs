//! What words do not say about a page: how its elements look, what is drawn without text, and what is selected.
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use serde::Deserialize;

use super::text::{counted, push_quoted};

/// The parts of a look, such as `background`, and their computed styles.
type Style = BTreeMap<Box<str>, Box<str>>;

/// The looks of a frame's elements, as walked.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct WalkedLooks {
    kinds: Vec<Style>,
    /// Element number, index in `kinds`, and bits.
    of: Vec<(u32, usize, u8)>,
}

/// How an element looks.
#[derive(Debug, Clone)]
pub(super) struct Look {
    style: Arc<Style>,
    /// Whether the pointer or the focus is in the element, which may be why it looks like this.
    transient: bool,
    /// Whether an attribute that the look may depend on has changed during the action.
    restyled: bool,
}

/// The number of things that are drawn without text, such as the parts of a chart. They have lines only if all refs are requested.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Drawn {
    pub shapes: u32,
    pub boxes: u32,
}

/// The selected text.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Selection {
    /// The beginning of the text.
    pub text: String,
    /// The length of the whole text in UTF-16 code units.
    pub length: usize,
}

impl WalkedLooks {
    pub(super) fn into_looks(self) -> impl Iterator<Item = (u32, Look)> {
        let kinds: Vec<_> = self.kinds.into_iter().map(Arc::new).collect();
        self.of.into_iter().filter_map(move |(number, kind, bits)| {
            let style = Arc::clone(kinds.get(kind)?);
            Some((number, Look { style, transient: bits & 1 != 0, restyled: bits & 2 != 0 }))
        })
    }
}

impl Look {
    /// The parts that differ in a later look, unless only the pointer or the focus may be the cause.
    pub(super) fn changes(&self, later: &Self) -> Vec<&str> {
        if (self.transient || later.transient) && !later.restyled {
            return Vec::new();
        }
        let differs = |part: &&str| self.style.get(*part) != later.style.get(*part);
        self.style.keys().map(|part| &**part).filter(differs).collect()
    }
}

impl Drawn {
    pub(super) fn add(&mut self, other: Self) {
        self.shapes += other.shapes;
        self.boxes += other.boxes;
    }

    /// The numbers in words, such as `3 shapes and 1 box`; `None` if nothing is drawn.
    pub fn in_words(self) -> Option<String> {
        let shapes = counted(self.shapes as usize, "shape", "shapes");
        let boxes = counted(self.boxes as usize, "box", "boxes");
        let parts: Vec<_> = shapes.into_iter().chain(boxes).collect();
        (!parts.is_empty()).then(|| parts.join(" and "))
    }
}

impl Selection {
    /// The quoted text, with its length if only the beginning is known.
    pub fn in_words(&self) -> String {
        let mut words = String::new();
        push_quoted(&mut words, &self.text, usize::MAX);
        if self.length > self.text.encode_utf16().count() {
            let _ = write!(words, "… ({} characters)", self.length);
        }
        words
    }
}
