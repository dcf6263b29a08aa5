//! The spellings of a secret that are searched for in texts, each reduced to letters and digits.
use std::collections::BTreeSet;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

use crate::messages::html;

/// The minimum number of letters and digits that identify a value. Shorter ones occur by chance.
pub(super) const FEWEST: usize = 6;

/// Returns the letters and digits of a text, in lower case.
pub(super) fn letters(text: &str) -> Vec<char> {
    text.chars().filter(|letter| letter.is_alphanumeric()).map(lower).collect()
}

/// Returns the lower case of a letter, or the letter itself if its lower case is several letters.
pub(super) fn lower(letter: char) -> char {
    let mut lower = letter.to_lowercase();
    match (lower.next(), lower.next()) {
        (Some(only), None) => only,
        _ => letter,
    }
}

/// Returns the spellings of a value: plain and reversed, in any case; with the escapes of URLs, HTML, JSON
/// and JavaScript; as character codes; in Base64, also as part of a longer text; in ROT13.
pub(super) fn of(value: &str) -> Vec<Vec<char>> {
    let backwards = value.chars().rev().collect();
    let ways: BTreeSet<String> =
        [value.to_owned(), value.to_lowercase(), value.to_uppercase(), backwards].into();
    let mut forms: Vec<_> = ways.iter().flat_map(|way| written(way)).collect();
    forms.sort();
    forms.dedup();
    forms
}

fn written(value: &str) -> Vec<Vec<char>> {
    let bytes = |write: fn(u8) -> String| value.bytes().map(write).collect::<String>();
    let units = |write: fn(u16) -> String| value.encode_utf16().map(write).collect::<String>();
    let ascii = |letter: char| if letter.is_ascii() { letter.to_string() } else { escaped(letter) };
    let mut texts = vec![
        value.to_owned(),
        bytes(percent),
        html::escape_html(value),
        serde_json::to_string(value).unwrap_or_default(),
        value.chars().map(ascii).collect(),
        bytes(|byte| format!("{byte:02x}")),
        bytes(|byte| format!("x{byte:02x}")),
        bytes(|byte| format!("0x{byte:02x}")),
        bytes(|byte| format!("{byte:03o}")),
        bytes(|byte| format!("{byte:08b}")),
        units(|unit| format!("u{unit:04x}")),
        units(|unit| format!("x{unit:x}")),
        units(|unit| unit.to_string()),
        value.chars().map(rotated).collect(),
    ];
    texts.extend((0..3).map(|shift| base64(value.as_bytes(), shift)));
    let mut forms: Vec<_> = texts.iter().map(|text| letters(text)).collect();
    forms.retain(|form| form.len() >= FEWEST);
    forms
}

fn percent(byte: u8) -> String {
    if byte.is_ascii_alphanumeric() { char::from(byte).into() } else { format!("%{byte:02x}") }
}

fn escaped(letter: char) -> String {
    let unit = |unit: &u16| format!("\\u{unit:04x}");
    letter.encode_utf16(&mut [0; 2]).iter().map(unit).collect()
}

fn rotated(letter: char) -> char {
    let turn = |first: u8| char::from(first + (letter as u8 - first + 13) % 26);
    match letter {
        'a'..='z' => turn(b'a'),
        'A'..='Z' => turn(b'A'),
        other => other,
    }
}

/// Returns the Base64 characters that depend only on `bytes`, if `shift` other bytes precede them.
fn base64(bytes: &[u8], shift: usize) -> String {
    let shifted = [&[0; 2][..shift], bytes].concat();
    let text = BASE64_STANDARD.encode(&shifted);
    text[(shift * 8).div_ceil(6)..shifted.len() * 8 / 6].to_owned()
}
