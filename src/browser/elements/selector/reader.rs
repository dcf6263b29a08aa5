use super::{faulty, invalid};
use crate::error::{Error, Result, SelectorFault};

/// A text with a read position.
#[derive(Debug, Clone)]
pub(super) struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    pub(super) fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// Returns the text that was read since position `start`.
    pub(super) fn since(&self, start: usize) -> &'a str {
        &self.text[start..self.at]
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn next(&mut self) -> Option<char> {
        let character = self.peek()?;
        self.at += character.len_utf8();
        Some(character)
    }

    /// Skips `text` if it comes next. Returns whether `text` was skipped.
    pub(super) fn take(&mut self, text: &str) -> bool {
        let comes = self.rest().starts_with(text);
        if comes {
            self.at += text.len();
        }
        comes
    }

    pub(super) fn expect(&mut self, text: &str) -> Result<()> {
        if self.take(text) { Ok(()) } else { Err(self.unexpected()) }
    }

    pub(super) fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let length = rest.find(|character| !wanted(character)).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    /// Skips white space. Returns whether there was any.
    pub(super) fn skip_space(&mut self) -> bool {
        !self.take_while(char::is_whitespace).is_empty()
    }

    pub(super) fn unexpected(&self) -> Error {
        match self.peek() {
            Some(_) => {
                let at = self.text[..self.at].chars().count() + 1;
                faulty(SelectorFault::Unexpected { at }, format!("character {at} is not expected there"))
            }
            None => invalid("it ends too early"),
        }
    }
}
