//! Shortens the lines of a snapshot: siblings with the same role share a line, and a change is shown only
//! with its nearest container.
use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::ops::Bound;

use super::left_out::Omission;
use super::render::RenderedSnapshot;
use super::roles;

/// With at least this many items on one line, long names are cut to `LONGEST_OF_MANY` if space is short.
const MANY: usize = 4;
const LONGEST_OF_MANY: usize = 40;
/// With at least this many items on one line, long names are cut to `LONGEST_OF_VERY_MANY` instead.
const VERY_MANY: usize = 12;
const LONGEST_OF_VERY_MANY: usize = 28;
/// If at least this many elements have the same hint, the hint is dropped: it does not distinguish them.
const ALIKE: usize = 4;
/// If at least this many adjacent items are disabled and nameless, only their number is shown.
const NAMELESS: usize = 3;
/// The maximum length, in characters, of the text of an item that shares a line.
const LONGEST_VALUE: usize = 24;
/// The maximum number of characters shown of a hint.
const LONGEST_HINT: usize = 20;
const HINT: &str = "[hint=";
/// The maximum number of characters of a name in a line of a diff that the reader has seen before.
const LONGEST_KNOWN: usize = 60;
/// The maximum number of characters of a row on one line.
const LONGEST_ROW: usize = 200;
/// The beginning of a line that contains only text.
const TEXT: &str = "text: ";
/// The maximum number of times that a page is rendered again with another budget until it fits.
const TRIES: usize = 4;
/// Replacements of state markers by shorter ones.
const SHORTER: [(&str, &str); 3] =
    [(" [cursor=pointer]", ""), (" [expanded=false]", " [closed]"), (" [expanded]", " [open]")];

/// A line: its diff mark, such as `+ `, its depth, and its text.
struct Line {
    mark: &'static str,
    depth: usize,
    text: String,
    /// Whether the line belongs to another group than the previous line, so that they must not share a line.
    is_apart: bool,
}

/// Whether names are cut if many items share a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Names {
    Whole,
    Short,
}

/// Shortens the lines of a rendered snapshot or diff.
pub(super) fn compact(text: &str, names: Names) -> String {
    let is_diff = text.lines().any(|line| mark_of(line).is_some());
    let hints = Hints::of(text);
    let mut lines: Vec<Line> = text.lines().map(|line| Line::read(line, is_diff, &hints)).collect();
    if is_diff {
        drop_outer_containers(&mut lines);
    }
    leave_out_wrappers(&mut lines);
    leave_out_headers(&mut lines);
    drop_only_level(&mut lines);
    join_rows(&mut lines);
    for line in lines.iter_mut().filter(|line| matches!(line.mark, "~ " | "  ")) {
        line.text = shortened(&line.text, LONGEST_KNOWN);
    }
    let lines = put_behind(share(lines, names));
    let written = lines.iter().map(Line::written).collect::<Vec<_>>();
    written.join("\n")
}

/// Renders with the largest budget whose shortened result has at most `most` characters.
pub(super) fn fit(
    most: usize,
    one_each: bool,
    render: impl Fn(usize) -> RenderedSnapshot,
) -> RenderedSnapshot {
    if one_each {
        return render(most);
    }
    let length = |rendered: &RenderedSnapshot| {
        rendered.text.chars().count() + rendered.cut.as_ref().map_or(0, Omission::length)
    };
    let short = |rendered: RenderedSnapshot, names| RenderedSnapshot {
        text: compact(&rendered.text, names),
        ..rendered
    };
    let mut room = most.saturating_mul(2);
    let mut rendered = render(room);
    if rendered.cut.is_none() {
        let whole = short(rendered.clone(), Names::Whole);
        if length(&whole) <= most {
            return whole;
        }
    }
    for _ in 0..TRIES {
        let is_all = rendered.cut.is_none();
        let shown = short(rendered, Names::Short);
        let taken = length(&shown);
        let has_more_room = !is_all && taken < most / 2 && room == most.saturating_mul(2);
        if taken <= most && !has_more_room {
            return shown;
        }
        room = (room.saturating_mul(most) / taken.max(1)).saturating_sub(room / 20);
        rendered = render(room);
    }
    short(render(most), Names::Short)
}

fn mark_of(line: &str) -> Option<&'static str> {
    let mark = ["+ ", "- ", "~ "].into_iter().find(|mark| line.starts_with(mark))?;
    line[mark.len()..].trim_start_matches(' ').starts_with("- ").then_some(mark)
}

impl Line {
    fn read(line: &str, is_diff: bool, hints: &Hints<'_>) -> Self {
        let mark = match mark_of(line).filter(|_| is_diff) {
            Some(mark) => mark,
            None if is_diff && line.starts_with("  ") => "  ",
            None => "",
        };
        let rest = &line[mark.len()..];
        let text = rest.trim_start_matches(' ');
        let depth = (rest.len() - text.len()) / 2;
        match text.strip_prefix("- ") {
            Some(text) => Self { mark, depth, text: cleaned(text, hints), is_apart: false },
            // A note of the engine, not a line of the page.
            None => Self { mark: "", depth: 0, text: format!("\0{line}"), is_apart: false },
        }
    }

    fn written(&self) -> String {
        match self.text.strip_prefix('\0') {
            Some(line) => line.to_owned(),
            // The diff mark replaces the bullet.
            None if !self.mark.is_empty() => {
                format!("{}{}{}", self.mark, " ".repeat(self.depth), self.text)
            }
            None => format!("{}- {}", " ".repeat(self.depth), self.text),
        }
    }

    /// Splits an item into its role and the rest: name, ref, states, short text. `None` for any other line.
    fn thing(&self) -> Option<(&str, &str)> {
        let (role, rest) = self.text.split_once(' ')?;
        let is_role = role.chars().all(|letter| letter.is_ascii_lowercase());
        let is_thing = is_role && rest.starts_with(['"', '[']);
        (is_thing && !self.text.ends_with(':') && !is_too_long_to_join(rest)).then_some((role, rest))
    }
}

/// Whether the text of a line, after `: `, is too long to share a line or could be read as several items.
fn is_too_long_to_join(rest: &str) -> bool {
    let mut parts = quoted_segments(rest).skip_while(|(part, is_quoted)| *is_quoted || !part.contains(": "));
    let Some((value, _)) = parts.next() else { return false };
    let value = value.split_once(": ").map_or("", |(_, value)| value);
    parts.next().is_some()
        || value.is_empty()
        || value.contains([',', '[', ':'])
        || value.chars().count() > LONGEST_VALUE
}

/// Returns the line with shorter states and hints, and without a hint that many elements share.
fn cleaned(text: &str, hints: &Hints<'_>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut drops_bracket = false;
    for (part, is_quoted) in quoted_segments(text) {
        match is_quoted {
            true if out.ends_with(HINT) && hints.is_common(part) => {
                out.truncate(out.len() - HINT.len());
                out.truncate(out.trim_end().len());
                drops_bracket = true;
            }
            true if out.ends_with(HINT) => out.push_str(&cut_hint(part, &hints.long)),
            true => out.push_str(part),
            false => {
                let part = part.strip_prefix(']').filter(|_| drops_bracket).unwrap_or(part);
                drops_bracket = false;
                let words = |part: String, (long, short): &(&str, &str)| part.replace(long, short);
                out.push_str(&SHORTER.iter().fold(part.to_owned(), words));
            }
        }
    }
    out
}

/// The hints in a snapshot, each with the number of its occurrences.
struct Hints<'a> {
    counts: HashMap<&'a str, usize>,
    /// The hints that are too long to be shown in full.
    long: BTreeSet<&'a str>,
}

impl<'a> Hints<'a> {
    fn of(text: &'a str) -> Self {
        let mut hints = Self { counts: HashMap::new(), long: BTreeSet::new() };
        let mut is_hint = false;
        for (part, is_quoted) in text.lines().flat_map(quoted_segments) {
            if is_quoted && is_hint {
                *hints.counts.entry(part).or_default() += 1;
                if part.chars().count() > LONGEST_HINT + 2 {
                    hints.long.insert(part);
                }
            }
            is_hint = !is_quoted && part.ends_with(HINT);
        }
        hints
    }

    fn is_common(&self, hint: &str) -> bool {
        self.counts.get(hint).is_some_and(|count| *count >= ALIKE)
    }
}

/// Shortens a long hint. If it shares a long beginning with another hint, that beginning is dropped.
fn cut_hint(hint: &str, hints: &BTreeSet<&str>) -> String {
    let shared =
        |other: &&str| hint.chars().zip(other.chars()).take_while(|(one, other)| one == other).count();
    let before = hints.range::<&str, _>(..hint).next_back().map_or(0, shared);
    let after = hints.range::<&str, _>((Bound::Excluded(hint), Bound::Unbounded)).next().map_or(0, shared);
    let shared = before.max(after);
    if shared <= LONGEST_HINT / 2 {
        return cut(hint, LONGEST_HINT);
    }
    let differs = hint.char_indices().nth(shared).map_or(hint.len(), |(at, _)| at);
    // Do not split an escape sequence: its second half alone could end the quoted text.
    let alike = hint[..differs].trim_end_matches('\\');
    let word = alike.rfind([' ', '-', '_']).map_or(alike.len(), |at| at + 1);
    cut(&format!("\"…{}", &hint[word..]), LONGEST_HINT)
}

/// Returns the numbers of descendants and of children of the line at index `at`.
fn inside(lines: &[Line], at: usize) -> (usize, usize) {
    let depth = lines[at].depth;
    let all = lines[at + 1..].iter().take_while(|line| line.depth > depth).count();
    let direct = lines[at + 1..=at + all].iter().filter(|line| line.depth == depth + 1).count();
    (all, direct)
}

/// Keeps only the nearest container of each change, because earlier snapshots already showed the outer ones.
fn drop_outer_containers(lines: &mut Vec<Line>) {
    let mut at = 0;
    while at < lines.len() {
        let (all, direct) = inside(lines, at);
        let line = &lines[at];
        let is_holder = line.mark == "  " && line.text.ends_with(':') && all > 0;
        let has_ref = line.text.contains('[');
        let is_far = direct == 1 && lines[at + 1].mark == "  " && lines[at + 1].text.contains('[');
        if is_holder && (!has_ref || is_far) {
            lines[at + 1..=at + all].iter_mut().for_each(|line| line.depth -= 1);
            lines.remove(at);
        } else {
            at += 1;
        }
    }
}

/// Drops the lines of header cells around a single control, which says as much.
fn leave_out_headers(lines: &mut Vec<Line>) {
    let mut at = 0;
    while at < lines.len() {
        let is_header = ["columnheader", "rowheader"].iter().any(|role| is_open(&lines[at], role));
        if is_header && inside(lines, at) == (1, 1) && lines[at + 1].thing().is_some() {
            lines[at + 1].depth -= 1;
            lines.remove(at);
        }
        at += 1;
    }
}

/// Drops the lines of groups without name and ref, but keeps their items apart from items outside the group.
fn leave_out_wrappers(lines: &mut Vec<Line>) {
    let mut at = 0;
    while at < lines.len() {
        let (all, _) = inside(lines, at);
        if lines[at].text != "generic:" || lines[at].mark == "~ " || all == 0 {
            at += 1;
            continue;
        }
        lines[at + 1..=at + all].iter_mut().for_each(|line| line.depth -= 1);
        lines[at + 1].is_apart = true;
        if let Some(next) = lines.get_mut(at + all + 1) {
            next.is_apart = true;
        }
        lines.remove(at);
    }
}

/// Drops the level of the entries of trees if all have the same.
fn drop_only_level(lines: &mut [Line]) {
    let level = |line: &Line| {
        let (_, rest) = line.text.strip_prefix("treeitem ")?.rsplit_once(LEVEL)?;
        rest.split_once(']').map(|(level, _)| format!("{LEVEL}{level}]"))
    };
    let levels: BTreeSet<String> = lines.iter().filter_map(level).collect();
    if let [only] = &levels.into_iter().collect::<Vec<_>>()[..] {
        for line in lines.iter_mut().filter(|line| level(line).is_some()) {
            line.text = unquoted_without(&line.text, only);
        }
    }
}
const LEVEL: &str = " [level=";

/// Returns the line without a text in its unquoted parts.
fn unquoted_without(line: &str, text: &str) -> String {
    let parts = quoted_segments(line);
    parts.map(|(part, is_quoted)| if is_quoted { part.to_owned() } else { part.replace(text, "") }).collect()
}

/// Writes a row or list item on one line if it holds only a few short texts and controls.
fn join_rows(lines: &mut Vec<Line>) {
    let mut at = 0;
    while at < lines.len() {
        let role = ["row", "listitem", "cell"].into_iter().find(|role| is_open(&lines[at], role));
        let (all, _) = inside(lines, at);
        let pieces = role.filter(|_| all > 1).and_then(|_| pieces(&lines[at], &lines[at + 1..=at + all]));
        if let (Some(role), Some(pieces)) = (role, pieces) {
            lines[at].text = format!("{role}: {pieces}");
            lines.drain(at + 1..=at + all);
        }
        at += 1;
    }
}

/// Whether a line is a container with this role, and nothing else.
fn is_open(line: &Line, role: &str) -> bool {
    line.text.strip_prefix(role) == Some(":")
}

/// Returns the texts and controls of the lines in a row, separated by `|`. `None` if they do not fit on one line.
fn pieces(row: &Line, inside: &[Line]) -> Option<String> {
    let mut pieces: Vec<Cow<'_, str>> = Vec::new();
    for line in inside {
        let holds = ["cell", "gridcell", "generic", "paragraph"].iter().any(|role| is_open(line, role));
        let text = [TEXT, "cell: ", "gridcell: "].iter().find_map(|prefix| line.text.strip_prefix(prefix));
        let text = text.filter(|text| !text.contains('|') || text.starts_with('"'));
        let is_empty = matches!(&*line.text, "cell" | "gridcell");
        match (text, line.thing()) {
            _ if line.mark != row.mark => return None,
            (Some(text), _) => pieces.push(text.into()),
            (None, Some(_)) => pieces.push(value_with_ref(&line.text).unwrap_or_else(|| (&line.text).into())),
            _ if is_empty => pieces.push("".into()),
            _ if holds => {}
            _ => return None,
        }
    }
    let joined = pieces.join(" | ");
    let joined = joined.trim_end_matches([' ', '|']).trim_start();
    (!joined.is_empty() && joined.chars().count() <= LONGEST_ROW).then(|| joined.to_owned())
}

/// Writes a cell of a grid as its value and ref: `gridcell [ref=e5]: 12` becomes `12 [ref=e5]`.
fn value_with_ref(cell: &str) -> Option<Cow<'_, str>> {
    let (reference, value) = cell.strip_prefix("gridcell [ref=")?.split_once("]: ")?;
    (!value.contains('|')).then(|| format!("{value} [ref={reference}]").into())
}

/// Joins childless siblings with the same role on one line. Each input field keeps its own line.
fn share(lines: Vec<Line>, names: Names) -> Vec<Line> {
    let holds: Vec<bool> = (0..lines.len()).map(|at| inside(&lines, at).0 > 0).collect();
    let mut shared: Vec<(Line, Vec<String>)> = Vec::with_capacity(lines.len());
    let mut open = false;
    for (line, holds) in lines.into_iter().zip(holds) {
        let role = line.thing().map(|(role, _)| role).filter(|role| !holds && !roles::is_field(role));
        let Some(role) = role.map(|role| format!("{role} ")) else {
            shared.push((line, Vec::new()));
            open = false;
            continue;
        };
        let is_alike = |other: &Line| {
            let is_beside = other.mark == line.mark && other.depth == line.depth && !line.is_apart;
            is_beside && other.text.starts_with(&role)
        };
        match shared.last_mut().filter(|(other, _)| open && is_alike(other)) {
            Some((_, more)) => more.push(line.text),
            None => shared.push((line, Vec::new())),
        }
        open = true;
    }
    shared.into_iter().map(|(line, more)| joined(line, &more, names)).collect()
}

/// Joins items on one line. Each keeps its role, and so reads as it would on its own line.
fn joined(mut line: Line, more: &[String], names: Names) -> Line {
    if more.is_empty() {
        return line;
    }
    let longest = match more.len() + 1 {
        _ if names == Names::Whole => usize::MAX,
        VERY_MANY.. => LONGEST_OF_VERY_MANY,
        MANY.. => LONGEST_OF_MANY,
        _ => usize::MAX,
    };
    let all: Vec<&str> = std::iter::once(&line.text).chain(more).map(String::as_str).collect();
    let mut parts = Vec::with_capacity(all.len());
    let runs = all.chunk_by(|one, other| is_nameless(one) && is_nameless(other));
    for run in runs {
        match run {
            [first, ..] if run.len() >= NAMELESS && is_nameless(first) => {
                let role = first.split(' ').next().unwrap_or_default();
                parts.push(format!("{} × {role} [disabled]", run.len()));
            }
            _ => parts.extend(run.iter().map(|one| shortened(one, longest))),
        }
    }
    line.text = parts.join(", ");
    line
}

/// Whether an item has no name and is disabled.
fn is_nameless(thing: &str) -> bool {
    let states = thing.split_once(' ').map_or("", |(_, states)| states);
    states.starts_with('[') && states.contains("[disabled]") && !states.contains(": ")
}

/// Returns an item with its name cut to `longest` characters.
fn shortened(thing: &str, longest: usize) -> String {
    let Some((role, rest)) = thing.split_once(' ') else { return thing.to_owned() };
    match quoted_segments(rest).nth(1).or(quoted_segments(rest).next()) {
        Some((name, true)) if rest.starts_with('"') => {
            format!("{role} {}{}", cut(name, longest), &rest[name.len()..])
        }
        _ => thing.to_owned(),
    }
}

/// Cuts a quoted text to `longest` characters.
fn cut(quotation: &str, longest: usize) -> String {
    if quotation.chars().count() <= longest.saturating_add(2) {
        return quotation.to_owned();
    }
    let mut short: String = quotation.chars().take(longest).collect();
    // If the cut leaves half an escape sequence, its backslash would escape the closing quote.
    let slashes = short.len() - short.trim_end_matches('\\').len();
    short.truncate(short.len() - slashes % 2);
    format!("{}…\"", short.trim_end())
}

/// Appends an only child to the line of its parent.
fn put_behind(lines: Vec<Line>) -> Vec<Line> {
    let mut put: Vec<Line> = Vec::with_capacity(lines.len());
    let alone: Vec<bool> = (0..lines.len())
        .map(|at| {
            let Some(holder) = at.checked_sub(1).map(|before| &lines[before]) else { return false };
            let is_held = inside(&lines, at - 1) == (1, 1) && lines[at].depth == holder.depth + 1;
            let is_text = lines[at].text.starts_with(TEXT);
            // After a container with a ref, the child could be mistaken for the container's value.
            // The control of a row keeps its own line, where it is easier to find.
            let is_short =
                lines[at].thing().is_some() && !holder.text.contains("[ref=") && !is_open(holder, "row");
            is_held && (is_text || is_short) && holder.mark == lines[at].mark
        })
        .collect();
    for (line, is_alone) in lines.into_iter().zip(alone) {
        match put.last_mut().filter(|holder| is_alone && holder.text.ends_with(':')) {
            Some(holder) => {
                let text = line.text.strip_prefix(TEXT).unwrap_or(&line.text);
                holder.text = format!("{} {text}", holder.text);
            }
            None => put.push(line),
        }
    }
    put
}

/// Splits a line into quoted and unquoted parts. The flag is true for quoted parts, which include their quotes.
pub fn quoted_segments(line: &str) -> impl Iterator<Item = (&str, bool)> {
    let mut rest = line;
    let mut is_quoted = false;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = if is_quoted { end_of_quotation(rest) } else { rest.find('"').unwrap_or(rest.len()) };
        let (part, after) = rest.split_at(end);
        rest = after;
        let piece = (part, is_quoted);
        is_quoted = !is_quoted;
        Some(piece)
    })
}

/// Returns the byte index after the closing quote of a text that begins with a quote.
fn end_of_quotation(text: &str) -> usize {
    let mut escaped = false;
    for (at, letter) in text.char_indices().skip(1) {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compact(text: &str) -> String {
        super::compact(text, Names::Short)
    }

    #[test]
    fn what_is_of_one_kind_shares_a_line() {
        let outline = "- toolbar \"Edit\" [ref=c0p1f0e1]:\n  - button \"Cut: all\" [ref=c0p1f0e2]\n  - button [disabled] [ref=c0p1f0e3] [hint=\"x\"]\n\
                       - main [ref=c0p1f0e4]:\n  - heading \"One\" [level=2] [ref=c0p1f0e5]\n  - generic [ref=c0p1f0e6] [cursor=pointer]: Go\n\
                       \x20 - link \"A\" [ref=c0p1f0e7]:\n    - img\n  - link \"B\" [ref=c0p1f0e8]";
        let expected = "- toolbar \"Edit\" [ref=c0p1f0e1]:\n - button \"Cut: all\" [ref=c0p1f0e2], button [disabled] [ref=c0p1f0e3] [hint=\"x\"]\n\
                        - main [ref=c0p1f0e4]:\n - heading \"One\" [level=2] [ref=c0p1f0e5]\n - generic [ref=c0p1f0e6]: Go\n\
                        \x20- link \"A\" [ref=c0p1f0e7]:\n  - img\n - link \"B\" [ref=c0p1f0e8]";
        assert_eq!(compact(outline), expected);
    }

    #[test]
    fn a_row_of_short_texts_and_controls_is_one_line() {
        let outline = "- table \"Letters\" [ref=e1]:\n  - row:\n    - cell:\n      - text: Ann\n      - text: Thu 12:03\n\
                       \x20     - link \"Hello\" [ref=e2]\n    - cell\n  - row:\n    - cell:\n      - text: a | b\n      - text: c";
        let expected = "- table \"Letters\" [ref=e1]:\n - row: Ann | Thu 12:03 | link \"Hello\" [ref=e2]\n - row:\n  - cell:\n   - text: a | b\n   - text: c";
        assert_eq!(compact(outline), expected);
    }

    #[test]
    fn a_header_cell_around_a_control_is_left_out() {
        let outline = "- row:\n  - columnheader:\n    - button \"Name\" [ref=e1]\n  - columnheader:\n    - button \"Age\" [ref=e2]\n\
                       - row:\n  - button \"More\" [ref=e3]";
        let expected =
            "- row: button \"Name\" [ref=e1] | button \"Age\" [ref=e2]\n- row:\n - button \"More\" [ref=e3]";
        assert_eq!(compact(outline), expected);
    }

    #[test]
    fn short_texts_share_a_line_and_long_ones_do_not() {
        let outline = "- generic [ref=e1] [cursor=pointer]: inject\n- generic [ref=e2] [cursor=pointer]: debug\n\
                       - generic [ref=e3]: one, two\n- textbox \"A\" [ref=e4]: \"x\"\n- textbox \"B\" [ref=e5]: y";
        let expected = "- generic [ref=e1]: inject, generic [ref=e2]: debug\n- generic [ref=e3]: one, two\n- textbox \"A\" [ref=e4]: \"x\"\n- textbox \"B\" [ref=e5]: y";
        assert_eq!(compact(outline), expected);
    }

    #[test]
    fn states_are_reported_in_one_word_and_what_a_page_wrote_stays() {
        let outline = "- button \"[ref=e1] [expanded]\" [expanded=false] [ref=e2] [hint=\"a-class-of-the-page with-words\"]";
        let expected = "- button \"[ref=e1] [expanded]\" [closed] [ref=e2] [hint=\"a-class-of-the-page…\"]";
        assert_eq!(compact(outline), expected);
    }

    #[test]
    fn what_only_groups_is_left_out_and_what_it_held_stays_apart() {
        let outline = "- generic:\n  - generic:\n    - button \"A\" [ref=e1]\n    - button \"B\" [ref=e2]\n\
                       \x20 - generic:\n    - button \"C\" [ref=e3]\n- button \"D\" [ref=e4]\n- listitem:\n  - text: one, two\n\
                       - generic [ref=e5]:\n  - text: Flows\n- generic:\n  - text: Name\n  - text: Modified";
        let expected = "- button \"A\" [ref=e1], button \"B\" [ref=e2]\n- button \"C\" [ref=e3]\n- button \"D\" [ref=e4]\n- listitem: one, two\n\
                        - generic [ref=e5]: Flows\n- text: Name\n- text: Modified";
        assert_eq!(compact(outline), expected);
    }

    #[test]
    fn hints_that_begin_alike_are_distinguished_from_where_they_differ() {
        let outline = "- button [e1] [hint=\"red-ui-flow-port red-ui-flow-port-output\"]\n\
                       - button [e2] [hint=\"red-ui-flow-port red-ui-flow-port-input\"]\n\
                       - img [e3] [hint=\"red-ui-flow-port red-ui-flow\"]\n- img [e4] [hint=\"another-class-of-the-page\"]";
        let expected = "- button [e1] [hint=\"…output\"], button [e2] [hint=\"…input\"]\n\
                        - img [e3] [hint=\"…flow\"], img [e4] [hint=\"another-class-of-th…\"]";
        assert_eq!(compact(outline), expected);
    }

    #[test]
    fn what_tells_nothing_apart_is_left_out() {
        let hint = |at: usize| format!("- button [ref=e{at}] [hint=\"box flex\"]");
        let buttons = (1..5).map(hint).collect::<Vec<_>>().join("\n");
        let expected = "- button [ref=e1], button [ref=e2], button [ref=e3], button [ref=e4]";
        assert_eq!(compact(&buttons), expected);
        let disabled = ["- button [disabled] [ref=e1]"; 3].join("\n");
        let expected = "- 3 × button [disabled], button \"Go\" [ref=e4]";
        assert_eq!(compact(&format!("{disabled}\n- button \"Go\" [ref=e4]")), expected);
    }

    #[test]
    fn no_escape_in_a_hint_is_taken_apart() {
        let hint = |end: &str| format!("- img [e1] [hint=\"{}\\{end}\"]", "a".repeat(30));
        let short = compact(&format!("{}\n{}", hint("\" [e9] x"), hint("\\ [e9] x")));
        assert_eq!(short, "- img [e1] [hint=\"…\\\" [e9] x\"], img [e1] [hint=\"…\\\\ [e9] x\"]");
    }

    #[test]
    fn a_change_is_reported_with_the_nearest_that_holds_it() {
        let diff = "(A line of ours.)\n  - main [ref=c0p1f0e1]:\n    - region \"R\" [ref=c0p1f0e2]:\n      - generic:\n\
                    ~       - button \"1\" [ref=c0p1f0e3]\n+       - button \"2\" [ref=c0p1f0e4]\n-       - text: gone";
        let expected = "(A line of ours.)\n  region \"R\" [ref=c0p1f0e2]:\n~  button \"1\" [ref=c0p1f0e3]\n+  button \"2\" [ref=c0p1f0e4]\n-  text: gone";
        assert_eq!(compact(diff), expected);
    }

    #[test]
    fn long_names_of_many_are_cut_between_escapes() {
        let name = format!("{}\\\" and more", "a".repeat(38));
        let outline = vec![format!("- button \"{name}\" [e1]"); 4].join("\n");
        let short = compact(&outline);
        assert_eq!(short.matches("[e1]").count(), 4);
        assert!(short.starts_with(&format!("- button \"{}…\" [e1], button \"", "a".repeat(38))), "{short}");
    }
}
