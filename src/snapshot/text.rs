//! Sanitises texts of a page: they cannot imitate a line or a ref, and contain no invisible characters.
use std::iter;

/// The kind of a text. Icon-font characters are removed from words, but a name may consist of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Words,
    Name,
}

/// Appends a name to `out` as a JSON string of at most `longest` characters.
pub(super) fn push_quoted(out: &mut String, text: &str, longest: usize) {
    out.push('"');
    let clean = clean(text, longest, Kind::Name);
    push_escaped(out, &clean);
    out.push('"');
}

/// Returns a text of a page in quotes, on one line, cut to 300 characters.
pub fn quoted(text: &str) -> String {
    let mut out = String::new();
    push_quoted(&mut out, text, 300);
    out
}

/// Appends `text`, in quotes only if it would be ambiguous without them or contains a character of `also`.
pub fn push_quoted_if_ambiguous(out: &mut String, text: &str, longest: usize, also: &[char]) {
    push_unless_misread(out, &clean(text, longest, Kind::Words), also);
}

/// Like [`push_quoted_if_ambiguous`], for the value of a field: line breaks and repeated spaces are kept.
pub(super) fn push_written(out: &mut String, text: &str, longest: usize) {
    push_unless_misread(out, &verbatim(text, longest), &['\t']);
}

/// Returns the text with all its spaces and without invisible characters, cut to `longest` characters.
fn verbatim(text: &str, longest: usize) -> String {
    let text = text.replace("\r\n", "\n");
    let shown = text.chars().filter_map(|character| match character {
        '\n' | '\t' => Some(character),
        '\u{2028}' | '\u{2029}' | '\u{85}' | '\u{b}' | '\u{c}' | '\r' => Some('\n'),
        _ if character.is_whitespace() => Some(' '),
        _ => (!is_invisible(character) || is_joiner(character)).then_some(character),
    });
    let mut shown = shown.peekable();
    let mut out: String = shown.by_ref().take(longest).collect();
    if shown.peek().is_some() {
        out.push('…');
    }
    out
}

/// Whether the character merges its neighbours into one visible character, as in emoji and Arabic.
fn is_joiner(character: char) -> bool {
    matches!(character, '\u{200c}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}')
}

/// Like [`push_quoted_if_ambiguous`], for a name.
pub(super) fn push_name(out: &mut String, name: &str, longest: usize, also: &[char]) {
    push_unless_misread(out, &clean(name, longest, Kind::Name), also);
}

fn push_unless_misread(out: &mut String, clean: &str, also: &[char]) {
    if is_plain(clean) && !clean.contains(also) {
        out.push_str(clean);
    } else {
        out.push('"');
        push_escaped(out, clean);
        out.push('"');
    }
}

/// Appends text inside a longer text, in quotes only if it would be ambiguous without them.
pub(super) fn push_inside(out: &mut String, text: &str, kind: Kind) {
    let clean = clean(text, usize::MAX, kind);
    if clean.contains(['\n', '[', ']', '{', '}', '"', '\\', '`']) || clean.contains(": ") || has_ref(&clean) {
        out.push('"');
        push_escaped(out, &clean);
        out.push('"');
    } else {
        out.push_str(&clean);
    }
}

/// The maximum length of a sentence in characters. Longer sentences are cut.
const LONGEST_SENTENCE: usize = 600;
/// The minimum length of the first sentence: an earlier period may belong to an abbreviation such as `Dr.`
const SHORTEST_SENTENCE: usize = 40;

/// Returns the first sentence, and further sentences while the text has at most `longest` characters.
pub(super) fn beginning(text: &str, longest: usize) -> &str {
    let text = text.trim_start();
    let (mut sentence, mut word) = (0, 0);
    let (mut ended, mut in_note) = (false, false);
    for (count, (at, character)) in text.char_indices().enumerate() {
        let blank = character.is_whitespace();
        if ended && (blank || !character.is_ascii()) && count >= SHORTEST_SENTENCE {
            (sentence, ended) = (at, false);
        }
        if sentence > 0 && count >= longest {
            return &text[..sentence];
        }
        if blank {
            word = at;
        }
        if count >= LONGEST_SENTENCE.max(longest) {
            let end = [sentence, word, at].into_iter().find(|end| *end > 0).unwrap_or(at);
            return &text[..end];
        }
        // Closing quotes and footnotes belong to the sentence: `it.” [3]`.
        in_note = character == '[' || (in_note && character != ']');
        ended = match character {
            '.' | '!' | '?' | '。' | '！' | '？' => true,
            '"' | '\'' | ')' | '[' | ']' | '”' | '’' | '»' => ended,
            _ => ended && in_note,
        };
    }
    text
}

/// Appends a URL. Characters that are not allowed in URLs are escaped.
pub fn push_url(out: &mut String, url: &str, longest: usize) {
    if let Some(scheme) = ["data:", "javascript:", "blob:"].into_iter().find(|scheme| url.starts_with(scheme))
    {
        out.push_str(scheme);
        out.push('…');
        return;
    }
    let mut left = longest;
    for character in url.chars().filter(|&character| !is_invisible(character)) {
        if left == 0 {
            out.push('…');
            return;
        }
        left -= 1;
        match character {
            ' ' => out.push_str("%20"),
            '"' => out.push_str("%22"),
            '[' => out.push_str("%5B"),
            ']' => out.push_str("%5D"),
            '`' => out.push_str("%60"),
            character if character.is_whitespace() => {}
            character => out.push(character),
        }
    }
}

/// Removes invisible characters, collapses whitespace (line breaks remain), and cuts to `longest` characters.
fn clean(text: &str, longest: usize, kind: Kind) -> String {
    let mut out = String::with_capacity(text.len().min(longest.saturating_mul(2)));
    let mut blank: Option<char> = None;
    let mut left = longest;
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        if character.is_whitespace() || matches!(character, '\u{2028}' | '\u{2029}' | '\u{85}') {
            let breaks = character == '\n' || blank == Some('\n');
            blank = Some(if breaks { '\n' } else { ' ' });
            continue;
        }
        if is_joiner(character) {
            let between = out.chars().next_back().is_some_and(|before| !before.is_ascii())
                && characters.peek().is_none_or(|after| !after.is_ascii());
            if !between || blank.is_some() {
                continue;
            }
        } else if is_invisible(character) && !(kind == Kind::Name && is_private_use(character)) {
            continue;
        }
        if let Some(blank) = blank.take()
            && !out.is_empty()
        {
            if left <= 1 {
                out.push('…');
                return out;
            }
            out.push(blank);
            left -= 1;
        }
        if left == 0 {
            out.push('…');
            return out;
        }
        out.push(character);
        left -= 1;
    }
    out
}

fn push_escaped(out: &mut String, clean: &str) {
    for (at, character) in clean.char_indices() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '=' if imitates_ref(&clean[..at], &clean[at + 1..]) => out.push_str("\\u003d"),
            character => out.push(character),
        }
    }
}

/// Whether an equals sign between two texts looks like that of a ref: after the word `ref`, or after a longer word such
/// as `href` and before something that looks like a ref.
fn imitates_ref(before: &str, after: &str) -> bool {
    let mut before = before.chars().rev();
    if !"fer".chars().all(|letter| before.next().is_some_and(|last| last.eq_ignore_ascii_case(&letter))) {
        return false;
    }
    let is_word = !before.next().is_some_and(char::is_alphanumeric);
    let number =
        after.trim_start_matches(|letter: char| letter.is_ascii_digit() || "cpfCPF".contains(letter));
    is_word || number.starts_with(['e', 'E']) && number[1..].starts_with(|digit: char| digit.is_ascii_digit())
}

/// Whether a text is unambiguous as a plain YAML value.
fn is_plain(clean: &str) -> bool {
    let Some(first) = clean.chars().next() else { return false };
    let begins = first.is_alphanumeric()
        || matches!(first, '(' | '$' | '€' | '£' | '+' | '©' | '.' | '…')
        || !first.is_ascii();
    begins
        && !clean.ends_with([':', ' '])
        && !clean.contains("  ")
        && !clean.contains(['\n', '[', ']', '{', '}', '"', '\\', '`'])
        && !clean.contains(": ")
        && !clean.contains(" #")
        && !has_ref(clean)
}

fn has_ref(text: &str) -> bool {
    text.as_bytes().windows(4).any(|four| four.eq_ignore_ascii_case(b"ref="))
}

/// Whether a character is invisible: controls, text direction, joiners, fillers, tags, and private use.
pub fn is_invisible(character: char) -> bool {
    matches!(character,
        '\0'..='\u{8}' | '\u{b}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{ad}' | '\u{34f}' | '\u{61c}'
        | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{e000}'..='\u{f8ff}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffc}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}' | '\u{f0000}'..)
}

/// Whether a character is for private use. Icon fonts put their symbols there.
pub fn is_private_use(character: char) -> bool {
    matches!(character,
        '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..='\u{ffffd}' | '\u{100000}'..='\u{10fffd}')
}

pub(super) fn indent(depth: usize) -> impl Iterator<Item = char> {
    iter::repeat_n(' ', depth * 2)
}

/// Formats a number with its noun, such as `3 shapes`; `None` for 0.
pub(super) fn counted(number: usize, one: &str, many: &str) -> Option<String> {
    (number > 0).then(|| format!("{number} {}", if number == 1 { one } else { many }))
}
