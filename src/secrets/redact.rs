//! Finds secrets in a text and removes them. Compares only letters and digits, ignoring all between them.
use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use memchr::memmem;

use super::forms::{self, FEWEST, letters, lower};
use super::{BEGIN, END};

/// From this number of letters and digits on, most of a value suffices to recognize it.
const LONG: usize = 12;
/// How many tenths of a long value suffice to recognize it.
const MOST: usize = 8;
/// The longest gap between two letters of a match that is removed with them, in bytes.
const WIDEST_GAP: usize = 4;
/// The longest HTML entity including the semicolon, in bytes.
const LONGEST_ENTITY: usize = 10;
/// The longest markup that is skipped between `<` and `>` or `[` and `]`, in bytes.
const LONGEST_MARK: usize = 500;

type Seed = [char; FEWEST];

/// The search index of all values.
#[derive(Default)]
pub(super) struct Redactor {
    names: Vec<String>,
    patterns: Vec<Pattern>,
    /// For each seed, the patterns that contain it: pairs of pattern index and number of preceding letters.
    seeds: HashMap<Seed, Vec<(usize, usize)>>,
    /// Values that are searched for verbatim, each with the index of its name.
    literals: Vec<(usize, String)>,
}

struct Pattern {
    name: usize,
    letters: Vec<char>,
}

/// A match: the index of the name, and the ranges of the text to remove.
struct Found {
    name: usize,
    parts: Vec<Range<usize>>,
}

impl Redactor {
    pub(super) fn new<'a>(values: impl Iterator<Item = (&'a str, &'a str)>) -> Self {
        let mut redactor = Self::default();
        for (name, value) in values {
            let number = redactor.names.len();
            redactor.names.push(name.to_owned());
            redactor.literals.push((number, value.to_owned()));
            for letters in forms::of(value) {
                redactor.add(Pattern { name: number, letters });
            }
        }
        redactor
    }

    fn add(&mut self, pattern: Pattern) {
        let count = pattern.letters.len();
        let starts = if count >= LONG { count - count * MOST / 10 } else { 0 };
        for (start, seed) in pattern.letters.windows(FEWEST).enumerate().take(starts + 1) {
            let seed = Seed::try_from(seed).unwrap_or_default();
            self.seeds.entry(seed).or_default().push((self.patterns.len(), start));
        }
        self.patterns.push(pattern);
    }

    /// Returns the patterns: spellings reduced to letters and digits.
    pub(super) fn patterns(&self) -> Vec<String> {
        self.patterns.iter().map(|pattern| pattern.letters.iter().collect()).collect()
    }

    /// Returns the values that have too few letters for a pattern and are searched for verbatim.
    pub(super) fn literals(&self) -> Vec<String> {
        let few = self.literals.iter().filter(|(_, value)| letters(value).len() < FEWEST);
        few.map(|(_, value)| value.clone()).collect()
    }

    pub(super) fn redact<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut found = Vec::new();
        for (name, value) in &self.literals {
            let places = memmem::find_iter(text.as_bytes(), value.as_bytes());
            found.extend(
                places
                    .map(|at| Found { name: *name, parts: std::iter::once(at..at + value.len()).collect() }),
            );
        }
        self.find(text, &letters_of(text), &mut found);
        for letters in [content_of(text), decoded(text)].into_iter().flatten() {
            self.find(text, &letters, &mut found);
        }
        if found.is_empty() { Cow::Borrowed(text) } else { Cow::Owned(self.without(text, found)) }
    }

    fn find(&self, text: &str, all: &[Letter], found: &mut Vec<Found>) {
        let mut at = 0;
        while at + FEWEST <= all.len() {
            let seed: Seed = std::array::from_fn(|index| all[at + index].letter);
            let begun = self.seeds.get(&seed).into_iter().flatten();
            let matches = begun.filter_map(|(number, start)| {
                let pattern = &self.patterns[*number];
                let rest = pattern.letters[*start..].iter().zip(&all[at..]);
                let count = rest.take_while(|(one, other)| **one == other.letter).count();
                is_enough(text, all, at, count, *start, pattern.letters.len())
                    .then_some((count, pattern.name))
            });
            match matches.max() {
                None => at += 1,
                Some((count, name)) => {
                    let parts = all[at..at + count].iter().map(|letter| letter.place.clone());
                    found.push(Found { name, parts: parts.collect() });
                    at += count;
                }
            }
        }
    }

    /// Returns the text with each match replaced by a placeholder.
    fn without(&self, text: &str, mut found: Vec<Found>) -> String {
        found.sort_by_key(|found| found.parts[0].start);
        let mut redacted = vec![false; text.len()];
        let mut marks = HashMap::new();
        for Found { name, parts } in found {
            if !redacted[parts[0].start] {
                marks.insert(parts[0].start, name);
            }
            for pair in parts.windows(2) {
                let gap = pair[0].end..pair[1].start;
                if gap.len() <= WIDEST_GAP && !text[gap.clone()].contains('\n') {
                    redacted[gap].fill(true);
                }
            }
            for part in parts {
                redacted[part].fill(true);
            }
        }
        let mut kept = String::with_capacity(text.len());
        for (at, letter) in text.char_indices() {
            if let Some(name) = marks.get(&at) {
                kept.extend([BEGIN, &self.names[*name], END]);
            }
            if !redacted[at] {
                kept.push(letter);
            }
        }
        kept
    }
}

/// Returns whether `count` letters of a value, from letter `start` on, reveal it: all of them, most of a long
/// value, or the beginning of a value that was cut off.
fn is_enough(text: &str, all: &[Letter], at: usize, count: usize, start: usize, whole: usize) -> bool {
    if start == 0 && count == whole {
        return true;
    }
    if whole >= LONG && count * 10 >= whole * MOST {
        return true;
    }
    let behind = &text[all[at + count - 1].place.end..];
    let stops = |letter: char| letter.is_alphanumeric() || letter == '…' || letter == '\n';
    let behind = behind.trim_start_matches(|letter| !stops(letter));
    start == 0 && count >= FEWEST && (behind.is_empty() || behind.starts_with('…'))
}

/// A letter or digit in lower case, and the range of the text that encodes it.
#[derive(Debug, Clone)]
struct Letter {
    letter: char,
    place: Range<usize>,
}

impl Letter {
    fn new(at: usize, letter: char) -> Option<Self> {
        Self::written(letter, at..at + letter.len_utf8())
    }

    fn written(letter: char, place: Range<usize>) -> Option<Self> {
        letter.is_alphanumeric().then(|| Self { letter: lower(letter), place })
    }
}

/// Returns the letters and digits of a text.
fn letters_of(text: &str) -> Vec<Letter> {
    text.char_indices().filter_map(|(at, letter)| Letter::new(at, letter)).collect()
}

/// Returns the letters of a text after decoding URL, HTML, JSON and JavaScript escapes; `None` without any.
fn decoded(text: &str) -> Option<Vec<Letter>> {
    if !text.contains(['%', '\\', '&']) {
        return None;
    }
    let mut letters = Vec::new();
    let mut at = 0;
    while let Some(letter) = text[at..].chars().next() {
        match escape(&text[at..]) {
            Some((written, length)) => {
                letters.extend(written.and_then(|written| Letter::written(written, at..at + length)));
                at += length;
            }
            None => {
                letters.extend(Letter::new(at, letter));
                at += letter.len_utf8();
            }
        }
    }
    Some(letters)
}

/// Decodes the escape at the start of a text. Returns its character and its length in bytes.
fn escape(text: &str) -> Option<(Option<char>, usize)> {
    let number = |digits: &str, radix| u32::from_str_radix(digits, radix).ok();
    let hex = |from: usize, count: usize| number(text.get(from..from + count)?, 16);
    if text.starts_with('%') {
        let first = u8::try_from(hex(1, 2)?).ok()?;
        let count = match first.leading_ones() {
            0 => 1,
            count @ 2..=4 => count as usize,
            _ => return Some((None, 3)),
        };
        let bytes: Option<Vec<u8>> = (0..count)
            .map(|index| {
                let is_escape = text.get(index * 3..=index * 3) == Some("%");
                u8::try_from(hex(index * 3 + 1, 2).filter(|_| is_escape)?).ok()
            })
            .collect();
        let letter =
            bytes.and_then(|bytes| String::from_utf8(bytes).ok()).and_then(|text| text.chars().next());
        return Some((letter, if letter.is_some() { count * 3 } else { 3 }));
    }
    if let Some(rest) = text.strip_prefix('\\') {
        return match rest.as_bytes().first()? {
            b'u' => Some((char::from_u32(hex(2, 4)?), 6)),
            b'x' => Some((char::from_u32(hex(2, 2)?), 4)),
            b'n' | b'r' | b't' => Some((None, 2)),
            _ => None,
        };
    }
    let entity = text.strip_prefix('&')?;
    let name = &entity[..entity.find(';').filter(|length| *length < LONGEST_ENTITY)?];
    let letter = match name.strip_prefix('#') {
        Some(digits) => match digits.strip_prefix(['x', 'X']) {
            Some(digits) => char::from_u32(number(digits, 16)?),
            None => char::from_u32(number(digits, 10)?),
        },
        None if ["amp", "lt", "gt", "quot", "apos", "nbsp"].contains(&name) => None,
        None => return None,
    };
    Some((letter, name.len() + 2))
}

/// Returns the letters of a text without markup, such as HTML tags or the roles and attributes of a snapshot.
/// `None` if there is no markup.
fn content_of(text: &str) -> Option<Vec<Letter>> {
    if !text.contains(['<', '[']) && !text.contains("- ") {
        return None;
    }
    let mut letters = Vec::new();
    let mut from = 0;
    for line in text.split_inclusive('\n') {
        let indented = line.trim_start();
        let mut at = line.len() - indented.len();
        if let Some(item) = indented.strip_prefix("- ") {
            let role = item.find(|letter: char| !letter.is_ascii_lowercase()).unwrap_or(item.len());
            at += 2 + role;
        }
        while let Some(letter) = line[at..].chars().next() {
            let close = match letter {
                '[' => Some(']'),
                '<' => Some('>'),
                _ => None,
            };
            let end = close.and_then(|close| line[at..].find(close)).filter(|length| *length <= LONGEST_MARK);
            if let Some(length) = end {
                at += length + 1;
                continue;
            }
            letters.extend(Letter::new(from + at, letter));
            at += letter.len_utf8();
        }
        from += line.len();
    }
    Some(letters)
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD};
    use proptest::prelude::*;

    use super::*;

    const VALUE: &str = "Tr0ub4dor&3é";

    fn redacted(text: &str) -> String {
        Redactor::new([("door", VALUE), ("pin", "4711")].into_iter()).redact(text).into_owned()
    }

    #[test]
    fn a_value_is_struck_however_it_is_written() {
        let each = |write: fn(char) -> String| VALUE.chars().map(write).collect::<String>();
        let spread = |between: &str| each(|letter| letter.to_string() + "\0").replace('\0', between);
        let bytes = VALUE.as_bytes();
        let of_bytes = |write: fn(&u8) -> String| bytes.iter().map(write).collect::<String>();
        let written = [
            VALUE.to_owned(),
            VALUE.to_uppercase(),
            VALUE.chars().rev().collect(),
            spread(" "),
            spread("-"),
            spread("\u{200b}"),
            spread("</b><b class=\"letter\">"),
            spread("\", \""),
            "Tr0ub4dor%263%C3%A9".to_owned(),
            "Tr0ub4dor&3%C3%A9".to_owned(),
            "TR0UB4DOR&3%c3%89".to_owned(),
            "Tr0ub4dor&#38;3&#xe9;".to_owned(),
            "\\x54r0ub4dor\\x263\\u00e9".to_owned(),
            "Tr0ub4dor&amp;3é".to_owned(),
            "Tr0ub4dor\\u00263\\u00e9".to_owned(),
            "Tr0ub4dor&3\\u00e9".to_owned(),
            each(|letter| format!("&#{};", u32::from(letter))),
            each(|letter| format!("&#x{:x};", u32::from(letter))),
            each(|letter| format!("\\u{:04X}", u32::from(letter))),
            each(|letter| format!("{}, ", u32::from(letter))),
            of_bytes(|byte| format!("{byte:02x}")),
            of_bytes(|byte| format!("{byte:02X} ")),
            of_bytes(|byte| format!("\\x{byte:02x}")),
            of_bytes(|byte| format!("0x{byte:02x}, ")),
            of_bytes(|byte| format!("%{byte:02x}")),
            BASE64_STANDARD.encode(VALUE),
            BASE64_STANDARD.encode(format!("ada:{VALUE}")),
            BASE64_URL_SAFE_NO_PAD.encode(format!("{{\"user\":\"ada\",\"key\":\"{VALUE}\"}}")),
            "Ge0ho4qbe&3é".to_owned(),
        ];
        for written in written {
            let text = redacted(&format!("before «{written}» after"));
            assert!(text.contains("<secret>door</secret>"), "{written}: {text}");
            assert!(text.starts_with("before «") && text.ends_with("» after"), "{text}");
            if written.starts_with("YWRhOl") || written.starts_with("eyJ") {
                continue; // The Base64 text also encodes other text.
            }
            let text = text.replace("</b><b class=\"letter\">", "");
            // Escapes of other characters, such as `\u0026`, may stay.
            assert!(letters(&text).len() <= letters("before secret door secret after").len() + 5, "{text}");
        }
    }

    #[test]
    fn one_in_pieces_is_struck_and_the_outline_stays() {
        let outline = "- main [ref=c0p0f0e1]:\n  - generic [ref=c0p0f0e2]: Tr0u\n  - generic [ref=c0p0f0e3]: b4dor&3é\n";
        let expected = "- main [ref=c0p0f0e1]:\n  - generic [ref=c0p0f0e2]: <secret>door</secret>\n  - generic [ref=c0p0f0e3]: \n";
        assert_eq!(redacted(outline), expected);
    }

    #[test]
    fn the_beginning_of_one_that_was_cut_is_struck() {
        assert_eq!(redacted("shows \"Tr0ub4d…\""), "shows \"<secret>door</secret>…\"");
        assert_eq!(redacted("Tr0ub4"), "<secret>door</secret>");
        assert_eq!(redacted("Tr0ub4 is not all"), "Tr0ub4 is not all");
    }

    #[test]
    fn one_of_few_letters_is_struck_as_it_is() {
        assert_eq!(redacted("4711 and 4 7 1 1"), "<secret>pin</secret> and 4 7 1 1");
        assert_eq!(redacted("34373131"), "<secret>pin</secret>");
    }

    proptest! {
        /// A text without a secret stays unchanged, and no character is ever cut in half.
        #[test]
        fn other_texts_stay(text in "[a-z0-9é√ \n<\\[\\]>\"-]{0,80}") {
            prop_assert_eq!(redacted(&text), text);
        }

        /// A secret is removed wherever it occurs.
        #[test]
        fn none_is_left(before in "\\PC{0,40}", after in "\\PC{0,40}") {
            let text = redacted(&format!("{before}{VALUE}{after}"));
            prop_assert!(!text.contains(VALUE));
            prop_assert!(text.contains("<secret>door</secret>"));
        }
    }
}
