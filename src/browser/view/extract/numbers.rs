//! Finds and parses numbers in text, in common notations.
use std::borrow::Cow;

const BLANKS: [char; 5] = [' ', '\u{a0}', '\u{202f}', '\u{2009}', '\u{2007}'];
const APOSTROPHES: [char; 2] = ['\'', '\u{2019}'];
#[rustfmt::skip]
const CURRENCIES: [&str; 21] = [
    "EUR", "USD", "GBP", "CHF", "JPY", "CNY", "INR", "CAD", "AUD", "NZD", "SEK", "NOK", "DKK", "PLN", "CZK", "HUF", "BRL", "MXN",
    "KRW", "TRY", "ZAR",
];
/// The digit zero of each script with its own decimal digits, except ASCII.
const ZEROS: [u32; 8] = [0x0660, 0x06f0, 0x0966, 0x09e6, 0x0e50, 0x0a66, 0x0be6, 0xff10];

/// Suffixes that mean a thousand in every language. Below: a million and 10⁹ (milliard).
const THOUSAND: [&str; 2] = ["k", "K"];
const MILLION: [&str; 8] = ["M", "Mio", "Mill", "mln", "million", "millions", "Million", "Millionen"];
const MILLIARD: [&str; 7] = ["bn", "Mrd", "mrd", "Milliarde", "Milliarden", "milliard", "milliards"];
/// Suffixes that are rejected because they mean different numbers in different languages, or no number.
const UNSURE: [&str; 11] =
    ["B", "b", "T", "mil", "Tsd", "billion", "billions", "Billion", "Billionen", "trillion", "trillions"];
/// Suffixes that are rejected only after a blank: `5 M` may be a clothing size.
const UNSURE_APART: [&str; 2] = ["K", "M"];

/// A decimal number of any length, stored exactly as digits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Decimal {
    is_negative: bool,
    whole: String,
    fraction: String,
}

impl Decimal {
    /// Formats the number with a decimal point and without an exponent.
    pub(super) fn text(&self) -> String {
        let sign = if self.is_negative { "-" } else { "" };
        let whole = if self.whole.is_empty() { "0" } else { &self.whole };
        match self.fraction.is_empty() {
            true => format!("{sign}{whole}"),
            false => format!("{sign}{whole}.{}", self.fraction),
        }
    }

    /// Formats the number without its fraction; `None` if the fraction is not zero.
    pub(super) fn whole(&self) -> Option<String> {
        let whole = Self { fraction: String::new(), ..self.clone() };
        self.fraction.bytes().all(|digit| digit == b'0').then(|| whole.text())
    }

    /// Parses plain notation (digits, decimal point), and multiplies by ten to the power of `exponent`.
    fn new(is_negative: bool, plain: &str, exponent: i32) -> Self {
        let (whole, fraction) = plain.split_once('.').unwrap_or((plain, ""));
        let (mut whole, mut fraction) = (whole.to_owned(), fraction.to_owned());
        for _ in 0..exponent {
            whole.push(if fraction.is_empty() { '0' } else { fraction.remove(0) });
        }
        for _ in exponent..0 {
            fraction.insert(0, whole.pop().unwrap_or('0'));
        }
        Self { is_negative, whole: whole.trim_start_matches('0').to_owned(), fraction }
    }
}

/// A number found in a text. `parting` is the blank or apostrophe that separates its groups of three digits.
#[derive(Debug)]
struct FoundNumber<'t> {
    start: usize,
    end: usize,
    digits: &'t [char],
    parting: Option<char>,
    exponent: i32,
}

/// Parses the first number next to a currency sign, otherwise the first number in the text.
///
/// `marks` contains the decimal separator and the thousands separator of the page's language, in this order.
/// They matter only for a single point or comma before exactly three digits.
///
/// # Errors Returns the reason why the text has no unambiguous number.
pub(super) fn number_in(text: &str, marks: &str) -> Result<Decimal, Cow<'static, str>> {
    let text: Vec<char> = text.chars().map(in_ascii).collect();
    let numbers = all_in(&text);
    let meant = numbers.iter().min_by_key(|number| distance(&text, number)).ok_or("there is no number")?;
    let mut digits: String = meant.digits.iter().collect();
    if let Some(parting) = meant.parting {
        digits = digits.replace(parting, "").replace(',', ".");
    }
    let plain = plain(&digits, marks)?;
    let zeros = zeros(&text[meant.end..])?;
    Ok(Decimal::new(is_negative(&text[..meant.start]), &plain, meant.exponent + zeros))
}

/// Converts a decimal digit of another script to ASCII.
fn in_ascii(character: char) -> char {
    let code = u32::from(character);
    let zero = ZEROS.iter().find(|zero| (**zero..**zero + 10).contains(&code));
    zero.and_then(|zero| char::from_digit(code - zero, 10)).unwrap_or(character)
}

fn all_in(text: &[char]) -> Vec<FoundNumber<'_>> {
    let (mut at, mut found) = (0, Vec::new());
    while at < text.len() {
        match number_at(text, at) {
            Some(number) => {
                at = number.end;
                found.push(number);
            }
            None => at += 1,
        }
    }
    found
}

fn number_at(text: &[char], start: usize) -> Option<FoundNumber<'_>> {
    let (mut end, mut parting) = (start, None);
    if let Some((apart, mark)) = parted(text, start) {
        (end, parting) = (apart, Some(mark));
        end = with_fraction(text, end).unwrap_or(end);
    } else if digits_at(text, start) > 0 {
        end += digits_at(text, start);
        while let Some(longer) = with_fraction(text, end) {
            end = longer;
        }
    } else if text[start] == '.' && !before(text, start).is_some_and(|one| is_word(one) || one == '.') {
        end = with_fraction(text, start)?;
    } else {
        return None;
    }
    let (exponent, length) = exponent_at(text, end).unwrap_or_default();
    Some(FoundNumber { start, end: end + length, digits: &text[start..end], parting, exponent })
}

/// Returns the end index of a number in groups of three digits, and the separator between the groups.
fn parted(text: &[char], start: usize) -> Option<(usize, char)> {
    let first = digits_at(text, start);
    let mark = *text.get(start + first)?;
    if !(1..=3).contains(&first) || !(BLANKS.contains(&mark) || APOSTROPHES.contains(&mark)) {
        return None;
    }
    let mut end = start + first;
    while text.get(end) == Some(&mark) && digits_at(text, end + 1) == 3 {
        end += 4;
    }
    (end > start + first).then_some((end, mark))
}

/// Returns the end index of a decimal separator at `at` and its digits; `None` if there is none.
fn with_fraction(text: &[char], at: usize) -> Option<usize> {
    let digits = digits_at(text, at + 1);
    (matches!(text.get(at), Some('.' | ',')) && digits > 0).then_some(at + 1 + digits)
}

/// Parses an exponent such as `e-3` at `at`. Returns its value and its length in characters.
fn exponent_at(text: &[char], at: usize) -> Option<(i32, usize)> {
    if !matches!(text.get(at), Some('e' | 'E')) {
        return None;
    }
    let sign = usize::from(matches!(text.get(at + 1), Some('-' | '+')));
    let digits = digits_at(text, at + 1 + sign);
    let end = at + 1 + sign + digits;
    if !(1..=3).contains(&digits) || text.get(end).copied().is_some_and(is_word) {
        return None;
    }
    let written: String = text[at + 1..end].iter().collect();
    Some((written.parse().ok()?, end - at))
}

fn digits_at(text: &[char], at: usize) -> usize {
    text.iter().skip(at).take_while(|character| character.is_ascii_digit()).count()
}

fn before(text: &[char], at: usize) -> Option<char> {
    at.checked_sub(1).map(|at| text[at])
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

fn is_minus(character: char) -> bool {
    matches!(character, '-' | '\u{2212}')
}

/// Returns 0 if a currency sign or code touches the number, 1 if a blank separates them, 2 if there is none.
fn distance(text: &[char], number: &FoundNumber<'_>) -> u8 {
    let mut left = &text[..number.start];
    left = left.split_last().filter(|(last, _)| is_minus(**last)).map_or(left, |(_, rest)| rest);
    let right = &text[number.end..];
    if currency_ends(left) > 0 || currency_begins(right) > 0 {
        return 0;
    }
    let left = left.split_last().filter(|(last, _)| BLANKS.contains(last));
    let right = right.split_first().filter(|(first, _)| BLANKS.contains(first));
    let is_near = left.is_some_and(|(_, rest)| currency_ends(rest) > 0)
        || right.is_some_and(|(_, rest)| currency_begins(rest) > 0);
    if is_near { 1 } else { 2 }
}

/// Returns the length of the currency sign or code at the end of a text; 0 if there is none.
fn currency_ends(text: &[char]) -> usize {
    if text.last().copied().is_some_and(is_currency_sign) {
        return 1;
    }
    let Some(code) = text.len().checked_sub(3) else { return 0 };
    let is_apart = !before(text, code).is_some_and(|before| before.is_ascii_alphabetic());
    if is_apart && is_currency_code(&text[code..]) { 3 } else { 0 }
}

/// Returns the length of the currency sign or code at the beginning of a text; 0 if there is none.
fn currency_begins(text: &[char]) -> usize {
    if text.first().copied().is_some_and(is_currency_sign) {
        return 1;
    }
    let is_apart = !text.get(3).is_some_and(char::is_ascii_alphabetic);
    if text.len() >= 3 && is_apart && is_currency_code(&text[..3]) { 3 } else { 0 }
}

fn is_currency_sign(character: char) -> bool {
    matches!(character, '$' | '¢'..='¥' | '\u{e3f}' | '\u{fdfc}' | '\u{ffe5}' | '\u{20a0}'..='\u{20bf}')
}

fn is_currency_code(code: &[char]) -> bool {
    let code: String = code.iter().collect();
    CURRENCIES.contains(&code.as_str())
}

/// Whether a minus sign precedes a number, directly or before a currency sign.
fn is_negative(left: &[char]) -> bool {
    let ends = |text: &[char]| {
        let minus = text.last().copied().is_some_and(is_minus);
        minus && !before(text, text.len() - 1).is_some_and(is_word)
    };
    let near = left.split_last().filter(|(last, _)| BLANKS.contains(last)).map_or(left, |(_, rest)| rest);
    let currency = currency_ends(near);
    ends(left) || currency > 0 && ends(&near[..near.len() - currency])
}

/// Returns the number of zeros that a suffix after a number adds, such as 3 for `k`.
fn zeros(rest: &[char]) -> Result<i32, Cow<'static, str>> {
    let is_apart = rest.first().is_some_and(|first| BLANKS.contains(first));
    let rest = &rest[usize::from(is_apart)..];
    let word: String = rest.iter().take_while(|character| character.is_alphabetic()).collect();
    let next = rest.get(word.chars().count());
    if word.is_empty() || next.is_some_and(|next| is_word(*next) || *next == '-') {
        return Ok(0);
    }
    let word = word.as_str();
    if UNSURE.contains(&word) || is_apart && UNSURE_APART.contains(&word) {
        return Err(format!("the suffix \"{word}\" is ambiguous").into());
    }
    Ok(match word {
        word if THOUSAND.contains(&word) => 3,
        word if MILLION.contains(&word) => 6,
        word if MILLIARD.contains(&word) => 9,
        _ => 0,
    })
}

/// Removes the thousands separators, and replaces the decimal separator by a point.
fn plain(written: &str, marks: &str) -> Result<String, Cow<'static, str>> {
    let used: Vec<char> = written.chars().filter(|mark| matches!(mark, '.' | ',')).collect();
    let Some(last) = used.last().copied() else { return Ok(written.to_owned()) };
    if used.len() == 1 {
        return Ok(match written.split_once(last) {
            Some((whole, rest)) if may_be_thousands(whole, rest) && !is_decimal(last, marks) => {
                format!("{whole}{rest}")
            }
            _ => written.replace(',', "."),
        });
    }
    // If both marks occur, the last one is the decimal separator. A repeated mark separates thousands.
    let is_point = used.iter().filter(|mark| **mark == last).count() == 1;
    let (whole, fraction) = match written.rsplit_once(last) {
        Some((whole, fraction)) if is_point => (whole, fraction),
        _ => (written, ""),
    };
    let groups: Vec<_> = whole.split(['.', ',']).collect();
    let others = &used[..used.len() - usize::from(is_point)];
    if others.iter().any(|mark| *mark != others[0]) || !parts_thousands(&groups) {
        return Err("the number has an unknown format".into());
    }
    let point = if fraction.is_empty() { "" } else { "." };
    Ok(format!("{}{point}{fraction}", groups.concat()))
}

fn may_be_thousands(whole: &str, rest: &str) -> bool {
    (1..=3).contains(&whole.len()) && !whole.starts_with('0') && rest.len() == 3
}

/// Whether a single separator before three digits is the decimal separator in the page's language.
fn is_decimal(mark: char, marks: &str) -> bool {
    match mark {
        '.' => marks.chars().nth(1) != Some('.'),
        _ => marks.starts_with(','),
    }
}

/// Whether groups of digits are valid thousands. In Indian notation, groups of two are valid too.
fn parts_thousands(groups: &[&str]) -> bool {
    let [first, between @ .., last] = groups else { return false };
    let (first, last) = (first.len(), last.len());
    let is_usual = (1..=3).contains(&first) && between.iter().all(|group| group.len() == 3);
    let is_indian =
        (1..=2).contains(&first) && !between.is_empty() && between.iter().all(|group| group.len() == 2);
    last == 3 && (is_usual || is_indian)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::number_in;

    #[test]
    fn numbers_are_read_by_the_marks_of_their_language() {
        for (text, marks, number) in [
            ("1,299.00", "", "1299.00"),
            ("1.299,00", "", "1299.00"),
            ("99.999", ",.", "99999"),
            ("99.999", ".,", "99.999"),
            ("1,299", ".,", "1299"),
            ("1 299", "", "1299"),
            ("1 234 5678", "", "1234"),
            ("1234 567", "", "1234"),
            ("CHF 1'234.50", "", "1234.50"),
            ("1,23,456.78", "", "123456.78"),
            ("\u{2212}7.25", "", "-7.25"),
            ("-€ 5", "", "-5"),
            ("€-5", "", "-5"),
            ("model X-5", "", "5"),
            ("$.99", "", "0.99"),
            ("1.5k", "", "1500"),
            ("1.5 Mio.", "", "1500000"),
            ("1e-3", "", "0.001"),
            ("Lamp 3 $30", "", "30"),
            ("2 for 30 EUR", "", "30"),
            ("٣", "", "3"),
        ] {
            assert_eq!(number_in(text, marks).unwrap().text(), number, "{text}");
        }
    }

    #[test]
    fn what_is_no_plain_number_is_refused() {
        for text in ["1.2.3", "1.5B", "2 billion", "5 M", "1,2.3,4", "31.1.2026", "none", ""] {
            assert!(number_in(text, "").is_err(), "{text}");
        }
        assert_eq!(number_in("4.00/5", "").unwrap().whole().unwrap(), "4");
        assert_eq!(number_in("4.5/5", "").unwrap().whole(), None);
    }

    proptest! {
        #[test]
        fn no_text_is_too_odd(text in "[-0-9.,eE 'k€$a\u{2212}\u{a0}]{0,24}|.{0,24}", marks in ".{0,2}") {
            let number = number_in(&text, &marks);
            prop_assert!(number.is_err() || number.unwrap().text().parse::<f64>().is_ok());
        }

        #[test]
        fn what_is_written_with_marks_is_the_number(number in -1_000_000_000_i64..1_000_000_000, cents in 0..100_u8) {
            let digits = number.unsigned_abs().to_string();
            let groups: Vec<_> = digits.as_bytes().rchunks(3).rev().map(|group| std::str::from_utf8(group).unwrap()).collect();
            let sign = if number < 0 { "-" } else { "" };
            for (group, decimal) in [(",", "."), (".", ","), ("\u{202f}", ","), ("'", ".")] {
                let written = format!("{sign}{}{decimal}{cents:02}", groups.join(group));
                prop_assert_eq!(number_in(&written, "").unwrap().text(), format!("{sign}{digits}.{cents:02}"), "{}", written);
            }
        }
    }
}
