//! Source maps. They map positions in a generated script to positions in its source files.
use std::collections::BTreeMap;

use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD, BASE64_STANDARD_NO_PAD};
use serde::Deserialize;
use url::Url;

/// The maximum line offset of a section. No real script has as many lines.
const MOST_LINES: u32 = 100_000_000;

/// A parsed source map.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct SourceMap {
    sources: Vec<String>,
    /// For each line with mappings, its segments in file order: generated column and source position.
    lines: BTreeMap<u32, Vec<Segment>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Segment {
    column: u32,
    /// Index in `sources`, line and column, both counted from 0; `None` for text without a source.
    origin: Option<(usize, u32, u32)>,
}

/// A position in a source file. Line and column are counted from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceLocation {
    pub source: String,
    pub line: u32,
    pub column: u32,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawSourceMap {
    #[serde(default)]
    sources: Vec<Option<String>>,
    source_root: Option<String>,
    #[serde(default)]
    mappings: String,
    sections: Option<Vec<Section>>,
}

#[derive(Debug, Deserialize)]
struct Section {
    offset: Offset,
    map: Box<RawSourceMap>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
struct Offset {
    line: u32,
    column: u32,
}

impl SourceMap {
    /// Parses a source map; `None` if it is invalid.
    pub(super) fn read(text: &str) -> Option<Self> {
        // Skip a first line that begins with `)]}`. Servers send it so that the file cannot run as a script.
        let text =
            text.strip_prefix(")]}").map_or(text, |rest| rest.split_once('\n').map_or("", |(_, map)| map));
        let mut map = Self::default();
        map.add(&serde_json::from_str(text).ok()?, Offset { line: 0, column: 0 })?;
        Some(map)
    }

    fn add(&mut self, written: &RawSourceMap, at: Offset) -> Option<()> {
        if let Some(sections) = &written.sections {
            for Section { offset, map } in sections {
                // A section's column offset applies only to its first line.
                self.add(map, Offset { line: at.line.checked_add(offset.line)?, column: offset.column })?;
            }
            return Some(());
        }
        if at.line > MOST_LINES {
            return None;
        }
        let first = self.sources.len();
        let root = written.source_root.as_deref().unwrap_or_default();
        let rooted = |source: &Option<String>| match (root, source.as_deref().unwrap_or("?")) {
            ("", source) => source.to_owned(),
            (root, source) => format!("{}/{source}", root.trim_end_matches('/')),
        };
        self.sources.extend(written.sources.iter().map(rooted));
        let (mut source, mut line, mut column) = (0_i64, 0_i64, 0_i64);
        for (number, segments) in (at.line..).zip(written.mappings.split(';')) {
            let mut generated = if number == at.line { i64::from(at.column) } else { 0 };
            for segment in segments.split(',').filter(|segment| !segment.is_empty()) {
                let fields = decode(segment)?;
                generated += fields.first()?;
                let origin = match fields[..] {
                    [_] => None,
                    [_, of, down, right, ..] => {
                        (source, line, column) = (source + of, line + down, column + right);
                        let place = first.checked_add(usize::try_from(source).ok()?)?;
                        Some((place, u32::try_from(line).ok()?, u32::try_from(column).ok()?))
                    }
                    _ => return None,
                };
                let column = u32::try_from(generated).ok()?;
                self.lines.entry(number).or_default().push(Segment { column, origin });
            }
        }
        Some(())
    }

    /// Returns the source position for a position in the script, with `line` and `column` counted from 0.
    pub(super) fn find(&self, line: i64, column: i64) -> Option<SourceLocation> {
        let segments = self.lines.get(&u32::try_from(line).ok()?)?;
        let column = u32::try_from(column).ok()?;
        // Segments may be unsorted.
        let nearest =
            segments.iter().filter(|segment| segment.column <= column).max_by_key(|segment| segment.column);
        let (source, line, column) = nearest?.origin?;
        Some(SourceLocation {
            source: self.sources.get(source)?.clone(),
            line: line.saturating_add(1),
            column: column.saturating_add(1),
        })
    }
}

/// Decodes the Base64 VLQ numbers of a segment; `None` if they are invalid.
fn decode(segment: &str) -> Option<Vec<i64>> {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut numbers, mut value, mut shift) = (Vec::new(), 0_i64, 0_u32);
    for letter in segment.bytes() {
        let digit = i64::try_from(DIGITS.iter().position(|&digit| digit == letter)?).ok()?;
        if shift > 30 {
            return None;
        }
        value += (digit & 31) << shift;
        if digit & 32 != 0 {
            shift += 5;
            continue;
        }
        numbers.push(if value & 1 == 1 { -(value >> 1) } else { value >> 1 });
        (value, shift) = (0, 0);
    }
    (shift == 0).then_some(numbers)
}

/// Returns the URL in a script's last `sourceMappingURL` comment.
pub(super) fn source_mapping_url(script: &str) -> Option<&str> {
    let comments = ["//# sourceMappingURL=", "//@ sourceMappingURL="];
    let after = comments.iter().filter_map(|comment| Some(script.rfind(comment)? + comment.len())).max()?;
    script[after..].split_whitespace().next().filter(|address| !address.contains(['\'', '"']))
}

/// Decodes the source map in a `data:` URL; `None` for other URLs.
pub(super) fn inline(address: &str) -> Option<String> {
    let (head, data) = address.strip_prefix("data:")?.split_once(',')?;
    if !head.ends_with(";base64") {
        return url::form_urlencoded::parse(format!("x={}", data.replace('+', "%2B")).as_bytes())
            .next()
            .map(|(_, text)| text.into_owned());
    }
    let data = data.replace("%3D", "=");
    let bytes = BASE64_STANDARD.decode(&data).or_else(|_| BASE64_STANDARD_NO_PAD.decode(&data)).ok()?;
    String::from_utf8(bytes).ok()
}

/// Resolves the source map URL `named` against the URL of its script; `None` unless it is HTTP or HTTPS.
pub(super) fn address(script: &str, named: &str) -> Option<Url> {
    let whole = Url::parse(script).ok()?.join(named).ok()?;
    matches!(whole.scheme(), "http" | "https").then_some(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(source: &str, line: u32, column: u32) -> SourceLocation {
        SourceLocation { source: source.to_owned(), line, column }
    }

    #[test]
    fn places_are_found_in_their_sources() {
        // Line 1: column 0 is a.ts 1:1, column 10 a.ts 3:5. Line 3: column 2 is b.ts 1:3, column 7 unmapped.
        let map = r#"{"version": 3, "sourceRoot": "src/", "sources": ["a.ts", "b.ts"], "mappings": "AAAA,UAEI;;ECFF,K"}"#;
        let map = SourceMap::read(map).unwrap();
        assert_eq!(map.find(0, 0), Some(place("src/a.ts", 1, 1)));
        assert_eq!(map.find(0, 9), Some(place("src/a.ts", 1, 1)));
        assert_eq!(map.find(0, 10), Some(place("src/a.ts", 3, 5)));
        assert_eq!(map.find(1, 0), None);
        assert_eq!(map.find(2, 1), None);
        assert_eq!(map.find(2, 3), Some(place("src/b.ts", 1, 3)));
        assert_eq!(map.find(2, 8), None);
    }

    #[test]
    fn sections_stand_where_they_say() {
        let map = r#"{"sections": [
            {"offset": {"line": 0, "column": 5}, "map": {"sources": ["a.js"], "mappings": "AAAA"}},
            {"offset": {"line": 2, "column": 0}, "map": {"sources": ["b.js"], "mappings": "AACA"}}]}"#;
        let map = SourceMap::read(map).unwrap();
        assert_eq!(map.find(0, 4), None);
        assert_eq!(map.find(0, 6), Some(place("a.js", 1, 1)));
        assert_eq!(map.find(2, 0), Some(place("b.js", 2, 1)));
    }

    #[test]
    fn what_is_no_map_is_none() {
        for text in [
            "",
            "<html>",
            "[]",
            r#"{"mappings": "A!"}"#,
            r#"{"mappings": "AAggggggggggA"}"#,
            r#"{"mappings": "ADAA"}"#,
        ] {
            assert_eq!(SourceMap::read(text), None, "{text}");
        }
    }

    #[test]
    fn the_last_comment_names_the_map() {
        let script = "a();\n//# sourceMappingURL=old.map\nb();\n//# sourceMappingURL=new.map \n";
        assert_eq!(source_mapping_url(script), Some("new.map"));
        assert_eq!(source_mapping_url("a()"), None);
        assert_eq!(inline("data:application/json;base64,e30").as_deref(), Some("{}"));
        assert_eq!(inline("data:application/json,%7B%7D").as_deref(), Some("{}"));
        assert_eq!(
            address("https://a.example/js/x.js", "x.js.map").unwrap().as_str(),
            "https://a.example/js/x.js.map"
        );
        assert_eq!(address("https://a.example/x.js", "file:///etc/passwd"), None);
    }
}
