//! Groups characters into lines, and lines into headings, paragraphs and tables.
use super::Block;
use super::glyphs::{PageGlyphs, PlacedGlyph};
use super::structure::{Role, Structure};

/// Columns with at least this average number of characters are prose, not table cells.
const PROSE: usize = 28;
const LONGEST_HEADING: usize = 200;

/// A run of characters on one baseline without a wide gap.
#[derive(Debug, Clone)]
struct Piece {
    text: String,
    x: f64,
    end: f64,
    y: f64,
    size: f64,
}

/// Returns the blocks of a page: from the structure of a tagged file, or else from glyph positions.
pub(super) fn blocks(seen: &PageGlyphs, structure: &Structure, page: usize) -> Vec<Block> {
    let owner = |letter: &PlacedGlyph| structure.get(&(page, letter.marked?)).copied();
    let letters = seen.glyphs.iter().filter(|letter| !letter.text.trim().is_empty());
    let (owned, all) = letters.fold((0, 0), |(owned, all), letter| {
        (owned + usize::from(owner(letter).is_some()), all + usize::from(!letter.artifact))
    });
    if all > 0 && owned * 5 >= all * 4 {
        return structured(&seen.glyphs, owner);
    }
    placed(&pieces(seen.glyphs.iter()))
}

fn structured(letters: &[PlacedGlyph], owner: impl Fn(&PlacedGlyph) -> Option<Role>) -> Vec<Block> {
    let mut groups: Vec<(Role, Vec<&PlacedGlyph>)> = Vec::new();
    for letter in letters.iter().filter(|letter| !letter.artifact) {
        let owner = owner(letter).unwrap_or(Role::Other { element: 0 });
        match groups.last_mut() {
            Some((last, group)) if *last == owner => group.push(letter),
            _ => groups.push((owner, vec![letter])),
        }
    }
    let (mut blocks, mut rows) = (Vec::new(), Vec::new());
    for (owner, letters) in groups {
        let text = joined(&pieces(letters.into_iter()));
        if text.is_empty() {
            continue;
        }
        if let Role::Cell { row, table, .. } = owner {
            match rows.last_mut() {
                Some((known, _)) if *known == (table, row) => {}
                _ => rows.push(((table, row), Vec::new())),
            }
            if let Some((_, cells)) = rows.last_mut() {
                cells.push(text);
            }
            continue;
        }
        blocks.extend(tables(&mut rows));
        blocks.push(match owner {
            Role::Heading { level, .. } => Block::Heading { level, text },
            Role::Item { .. } if !is_item(&text) => Block::Paragraph(format!("- {text}")),
            _ => Block::Paragraph(text),
        });
    }
    blocks.extend(tables(&mut rows));
    blocks
}

type Row = ((u32, u32), Vec<String>);

/// Converts the collected rows to tables, and clears them.
fn tables(rows: &mut Vec<Row>) -> Vec<Block> {
    let mut tables: Vec<(u32, Vec<Vec<String>>)> = Vec::new();
    for ((table, _), cells) in rows.drain(..) {
        match tables.last_mut() {
            Some((known, rows)) if *known == table => rows.push(cells),
            _ => tables.push((table, vec![cells])),
        }
    }
    tables.into_iter().map(|(_, rows)| Block::Table(rows)).collect()
}

/// Groups glyphs, given in drawing order, into pieces.
fn pieces<'a>(letters: impl Iterator<Item = &'a PlacedGlyph>) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    for letter in letters {
        let size = letter.size.max(1.0);
        let end = letter.x + letter.width;
        if let Some(last) = pieces.last_mut() {
            let gap = letter.x - last.end;
            if (letter.y - last.y).abs() < size * 0.3 && (-size * 0.6..size * 1.2).contains(&gap) {
                if gap > size * 0.17 && !last.text.ends_with(char::is_whitespace) {
                    last.text.push(' ');
                }
                last.text.push_str(&letter.text);
                last.end = last.end.max(end);
                continue;
            }
        }
        pieces.push(Piece { text: letter.text.clone(), x: letter.x, end, y: letter.y, size });
    }
    for piece in &mut pieces {
        piece.text = words(&piece.text);
    }
    pieces.retain(|piece| !piece.text.is_empty());
    pieces
}

/// Returns a text on one line, with single spaces and without control characters and ligatures.
fn words(text: &str) -> String {
    /// Ligatures that fonts draw as one glyph.
    const LIGATURES: [&str; 7] = ["ff", "fi", "fl", "ffi", "ffl", "ft", "st"];
    let mut seen = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\u{fb00}'..='\u{fb06}' => seen.push_str(LIGATURES[c as usize - 0xfb00]),
            c if c.is_control() => seen.push(' '),
            c => seen.push(c),
        }
    }
    seen.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Joins pieces with spaces, and rejoins words that a soft hyphen divides.
fn joined(pieces: &[Piece]) -> String {
    let mut text = String::new();
    for piece in pieces {
        if text.ends_with('\u{ad}') {
            text.pop();
        } else if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(&piece.text);
    }
    text
}

fn placed(pieces: &[Piece]) -> Vec<Block> {
    let rows = rows(pieces);
    let usual = usual_size(pieces);
    let mut blocks = Vec::new();
    let mut at = 0;
    while at < rows.len() {
        let alike = rows[at..].windows(2).take_while(|pair| aligned(&pair[0], &pair[1])).count();
        if rows[at].len() > 1 && alike > 0 {
            let table = &rows[at..=at + alike];
            blocks.extend(columns_or_table(table));
            at += table.len();
            continue;
        }
        let line = &rows[at];
        let text = joined(line);
        let size = line.iter().map(|piece| piece.size).fold(0.0, f64::max);
        if size > usual * 1.15 && text.chars().count() <= LONGEST_HEADING {
            let level = if size > usual * 1.7 {
                1
            } else if size > usual * 1.35 {
                2
            } else {
                3
            };
            blocks.push(Block::Heading { level, text });
            at += 1;
            continue;
        }
        let near = rows[at..].windows(2).take_while(|pair| goes_on(&pair[0], &pair[1])).count();
        let lines = &rows[at..=at + near];
        at += lines.len();
        let edge = lines.iter().flatten().map(|piece| piece.end).fold(0.0, f64::max);
        for paragraph in lines.chunk_by(|above, line| !has_room(above, line, edge)) {
            blocks.push(Block::Paragraph(joined(&paragraph.concat())));
        }
    }
    blocks
}

/// Groups pieces into lines from top to bottom. The pieces of a line are ordered from left to right.
fn rows(pieces: &[Piece]) -> Vec<Vec<Piece>> {
    let mut sorted = pieces.to_vec();
    sorted.sort_by(|a, b| a.y.total_cmp(&b.y));
    let mut rows: Vec<Vec<Piece>> = Vec::new();
    for piece in sorted {
        match rows.last_mut() {
            Some(row) if (piece.y - row[0].y).abs() < piece.size.min(row[0].size) * 0.5 => row.push(piece),
            _ => rows.push(vec![piece]),
        }
    }
    for row in &mut rows {
        row.sort_by(|a, b| a.x.total_cmp(&b.x));
        let mut merged: Vec<Piece> = Vec::with_capacity(row.len());
        for piece in row.drain(..) {
            match merged.last_mut() {
                Some(last) if piece.x - last.end < piece.size * 1.2 => {
                    if piece.text.len() > last.text.len() {
                        last.size = piece.size;
                    }
                    last.text = format!("{} {}", last.text, piece.text);
                    last.end = last.end.max(piece.end);
                }
                _ => merged.push(piece),
            }
        }
        *row = merged;
    }
    rows
}

/// Returns the most frequent font size, by number of characters.
fn usual_size(pieces: &[Piece]) -> f64 {
    let mut sizes: Vec<(f64, usize)> = Vec::new();
    for piece in pieces {
        let letters = piece.text.chars().count();
        match sizes.iter_mut().find(|(size, _)| (size - piece.size).abs() < 0.3) {
            Some((_, count)) => *count += letters,
            None => sizes.push((piece.size, letters)),
        }
    }
    sizes.into_iter().max_by_key(|(_, count)| *count).map_or(1.0, |(size, _)| size)
}

/// Returns whether two lines have the same number of pieces at the same horizontal positions.
fn aligned(above: &[Piece], below: &[Piece]) -> bool {
    if above.len() < 2 || above.len() != below.len() {
        return false;
    }
    let near = |a: f64, b: f64, size: f64| (a - b).abs() < size * 0.8;
    above.iter().zip(below).all(|(a, b)| {
        let middle = |piece: &Piece| f64::midpoint(piece.x, piece.end);
        near(a.x, b.x, a.size) || near(a.end, b.end, a.size) || near(middle(a), middle(b), a.size)
    })
}

/// Converts lines with aligned gaps to a table, or, if they are prose, to one paragraph per column.
fn columns_or_table(rows: &[Vec<Piece>]) -> Vec<Block> {
    let columns = rows[0].len();
    let letters: usize = rows.iter().flatten().map(|piece| piece.text.chars().count()).sum();
    if letters / (rows.len() * columns) < PROSE {
        let cells = |row: &Vec<Piece>| row.iter().map(|piece| piece.text.clone()).collect();
        return vec![Block::Table(rows.iter().map(cells).collect())];
    }
    let column = |at: usize| rows.iter().map(|row| row[at].clone()).collect::<Vec<_>>();
    (0..columns).map(|at| Block::Paragraph(joined(&column(at)))).collect()
}

/// Returns whether the first word of a line would fit into the line above, so the line starts a paragraph.
fn has_room(above: &[Piece], line: &[Piece], edge: f64) -> bool {
    let (Some(last), Some(next)) = (above.last(), line.first()) else { return true };
    let letters = next.text.chars().count().max(1);
    let first = next.text.split(' ').next().map_or(0, |word| word.chars().count() + 1);
    #[allow(clippy::cast_precision_loss, reason = "a line has few letters")]
    let width = (next.end - next.x) * first as f64 / letters as f64;
    edge - last.end > width
}

/// Returns whether a line continues the paragraph of the line above.
fn goes_on(above: &[Piece], line: &[Piece]) -> bool {
    let (Some(last), Some(next)) = (above.first(), line.first()) else { return false };
    let gap = next.y - last.y;
    above.len() == 1
        && line.len() == 1
        && (next.size - last.size).abs() < last.size * 0.1
        && gap < last.size * 1.7
        && !is_item(&next.text)
}

/// Returns whether a text starts with a bullet or a number, like a list item.
fn is_item(text: &str) -> bool {
    let Some(first) = text.split(' ').next() else { return false };
    let numbered = first.strip_suffix(['.', ')']).is_some_and(|number| {
        !number.is_empty() && number.len() <= 3 && number.chars().all(|c| c.is_ascii_alphanumeric())
    });
    numbered || matches!(first, "•" | "-" | "–" | "*" | "◦" | "▪" | "●" | "○")
}
