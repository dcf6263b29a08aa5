//! Refs, which identify nodes in snapshots.
use std::fmt;
use std::str::FromStr;

use super::roles;

/// A ref of a node: context, page, frame, element. Examples: `c0p0f0e12`, `e12`, `f1e12`, `work:c0p0f0e12`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Ref {
    /// The name of the browser context, if it was written before a colon.
    pub context_name: Option<String>,
    pub context: Option<u32>,
    pub page: Option<u32>,
    pub frame: Option<u32>,
    pub element: u32,
}

/// The error for a string that is not a ref.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a ref looks like e12")]
pub struct ParseRefError;

impl Ref {
    /// Creates the shortest ref: for the default context and the main frame, only the element's number.
    pub fn shortest(context: u32, frame: Option<u32>, element: u32) -> Self {
        let context = (context != 0).then_some(context);
        Self { context_name: None, context, page: None, frame, element }
    }

    /// Creates the full ref.
    pub fn new(context: u32, page: u32, frame: u32, element: u32) -> Self {
        Self { context_name: None, context: Some(context), page: Some(page), frame: Some(frame), element }
    }
}

impl fmt::Display for Ref {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(name) = &self.context_name {
            write!(formatter, "{name}:")?;
        }
        for (letter, number) in [('c', self.context), ('p', self.page), ('f', self.frame)] {
            if let Some(number) = number {
                write!(formatter, "{letter}{number}")?;
            }
        }
        write!(formatter, "e{}", self.element)
    }
}

impl FromStr for Ref {
    type Err = ParseRefError;

    /// Parses a ref. Surrounding spaces, brackets, quotes, `ref=` and `@` are ignored.
    fn from_str(text: &str) -> Result<Self, ParseRefError> {
        let text = text.trim().trim_start_matches('[').trim_end_matches(']');
        let text = text.strip_prefix("ref=").unwrap_or(text).trim_matches(['"', '\'', '`']);
        let text = text.strip_prefix('@').unwrap_or(text);
        let (context_name, mut rest) = match text.rsplit_once(':') {
            Some(("", _)) => return Err(ParseRefError),
            Some((name, rest)) => (Some(name.to_owned()), rest),
            None => (None, text),
        };
        let context = part(&mut rest, 'c')?;
        let page = part(&mut rest, 'p')?;
        let frame = part(&mut rest, 'f')?;
        let element = part(&mut rest, 'e')?.ok_or(ParseRefError)?;
        if rest.is_empty() {
            Ok(Self { context_name, context, page, frame, element })
        } else {
            Err(ParseRefError)
        }
    }
}

/// Removes `letter` and its number from the front of `rest`. Returns the number; `None` without `letter`.
fn part(rest: &mut &str, letter: char) -> Result<Option<u32>, ParseRefError> {
    let Some(after) = rest.strip_prefix([letter, letter.to_ascii_uppercase()]) else { return Ok(None) };
    let end = after.find(|character: char| !character.is_ascii_digit()).unwrap_or(after.len());
    let number = after[..end].parse().map_err(|_| ParseRefError)?;
    *rest = &after[end..];
    Ok(Some(number))
}
/// Returns the ref in a line of a snapshot, such as `button "Save" [ref=e12]`; without a ref, a selector for the role and
/// name. `None` if the text is no such line.
pub fn target_in_line(line: &str) -> Option<String> {
    let (role, rest) = line.trim().trim_start_matches("- ").split_once(" \"")?;
    let (name, states) = rest.split_once('"').unwrap_or((rest, ""));
    let reference = states.split_once("[ref=").and_then(|(_, reference)| reference.split_once(']'));
    let is_plain = !name.is_empty() && !name.ends_with(['\\', '…']);
    match reference {
        _ if !roles::is_role(role) => None,
        Some((reference, _)) => Some(reference.to_owned()),
        None => is_plain.then(|| format!("role={role}[name=\"{name}\"]")),
    }
}
