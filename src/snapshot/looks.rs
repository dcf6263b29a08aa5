//! What text cannot say about a page: the looks of elements, drawings without text, and the selection.
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use serde::Deserialize;

use super::text::{counted, push_quoted};

/// The aspects of a look, such as `background`, with a value for each from the computed style.
type Style = BTreeMap<Box<str>, Box<str>>;

/// The looks of a frame's elements, as the injected walk returns them.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct WalkedLooks {
    kinds: Vec<Style>,
    /// Element number, index in `kinds`, and flags: bit 0 for `transient`, bit 1 for `restyled`.
    of: Vec<(u32, usize, u8)>,
}

/// How an element looks.
#[derive(Debug, Clone)]
pub(super) struct Look {
    style: Arc<Style>,
    /// Whether the pointer or the focus is in the element, which may explain its look.
    transient: bool,
    /// Whether an attribute on which the look may depend has changed during the action.
    restyled: bool,
}

/// The numbers of drawings without text, such as the parts of a chart. They get lines only with `all_refs`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct DrawingCounts {
    pub shapes: u32,
    pub boxes: u32,
}

/// The text selection in a page.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct TextSelection {
    /// The beginning of the selected text.
    pub text: String,
    /// The length of the whole selection, in UTF-16 code units.
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
    /// Returns the aspects that differ in a later look; none if the pointer or focus may be the only cause.
    pub(super) fn changes(&self, later: &Self) -> Vec<&str> {
        if (self.transient || later.transient) && !later.restyled {
            return Vec::new();
        }
        let differs = |part: &&str| self.style.get(*part) != later.style.get(*part);
        self.style.keys().map(|part| &**part).filter(differs).collect()
    }
}

impl DrawingCounts {
    pub(super) fn add(&mut self, other: Self) {
        self.shapes += other.shapes;
        self.boxes += other.boxes;
    }

    /// Describes the numbers in words, such as `3 shapes and 1 box`; `None` if both are 0.
    pub fn in_words(self) -> Option<String> {
        let shapes = counted(self.shapes as usize, "shape", "shapes");
        let boxes = counted(self.boxes as usize, "box", "boxes");
        let parts: Vec<_> = shapes.into_iter().chain(boxes).collect();
        (!parts.is_empty()).then(|| parts.join(" and "))
    }
}

impl TextSelection {
    /// Returns the selected text in quotes, with its length if only the beginning is known.
    pub fn in_words(&self) -> String {
        let mut words = String::new();
        push_quoted(&mut words, &self.text, usize::MAX);
        if self.length > self.text.encode_utf16().count() {
            let _ = write!(words, "… ({} characters)", self.length);
        }
        words
    }
}
