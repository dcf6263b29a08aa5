//! Texts that are hidden in screenshots.
use std::fmt;
use std::sync::Arc;

use parking_lot::RwLock;
use serde_json::{Value, json};

/// Texts that are hidden in screenshots. Cheap to clone; clones share the texts.
#[derive(Clone, Default)]
pub struct MaskedTexts {
    texts: Arc<RwLock<Texts>>,
}

#[derive(Default)]
struct Texts {
    /// Texts reduced to lower-case letters and digits. The search ignores all other characters in the page.
    patterns: Vec<String>,
    /// Texts to search for literally, not as patterns.
    literals: Vec<String>,
}

impl fmt::Debug for MaskedTexts {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("MaskedTexts").finish_non_exhaustive()
    }
}

impl MaskedTexts {
    /// Replaces all texts.
    pub fn set(&self, patterns: Vec<String>, literals: Vec<String>) {
        *self.texts.write() = Texts { patterns, literals };
    }

    pub(in crate::browser) fn is_empty(&self) -> bool {
        let texts = self.texts.read();
        texts.patterns.is_empty() && texts.literals.is_empty()
    }

    /// Returns the arguments of the search script: the patterns and the literals.
    pub(in crate::browser) fn to_arguments(&self) -> [Value; 2] {
        let texts = self.texts.read();
        [json!(texts.patterns), json!(texts.literals)]
    }
}
