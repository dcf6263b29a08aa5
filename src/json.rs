//! Parses JSON from browsers and pages.
use serde::de::DeserializeOwned;

/// Parses JSON from a browser or page. Replaces unpaired surrogates, which JavaScript strings may contain but
/// Rust strings cannot, by U+FFFD.
pub(crate) fn decode<T: DeserializeOwned>(json: &[u8]) -> serde_json::Result<T> {
    serde_json::from_slice(json).or_else(|error| match without_half_pairs(json) {
        Some(mended) => serde_json::from_slice(&mended),
        None => Err(error),
    })
}

/// Returns the JSON with escapes of unpaired surrogates replaced by U+FFFD; `None` if it has none.
pub(crate) fn without_half_pairs(json: &[u8]) -> Option<Vec<u8>> {
    const ESCAPE: usize = r"\u0000".len();
    let unit = |at: usize| -> Option<u16> {
        let digits = json.get(at..at + ESCAPE)?.strip_prefix(br"\u")?;
        u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
    };
    let mut halves = Vec::new();
    let mut at = 0;
    while let Some(step) = memchr::memchr(b'\\', json.get(at..)?) {
        at += step;
        at += match unit(at) {
            Some(0xD800..=0xDBFF) if matches!(unit(at + ESCAPE), Some(0xDC00..=0xDFFF)) => 2 * ESCAPE,
            Some(0xD800..=0xDFFF) => {
                halves.push(at);
                ESCAPE
            }
            Some(_) => ESCAPE,
            None => 2,
        };
    }
    if halves.is_empty() {
        return None;
    }
    let mut mended = json.to_vec();
    for at in halves {
        mended[at..at + ESCAPE].copy_from_slice(br"\ufffd");
    }
    Some(mended)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn half_a_pair_is_replaced_and_whole_ones_stay() {
        let text = br#"["a\ud83c", "x\\ud83c", "\ud83c\udfd6", "\udfd6\ud83c", "\""]"#;
        let read: Value = decode(text).unwrap();
        assert_eq!(read, json!(["a\u{fffd}", "x\\ud83c", "\u{1f3d6}", "\u{fffd}\u{fffd}", "\""]));
    }

    #[test]
    fn what_is_no_json_stays_an_error() {
        assert!(decode::<Value>(br#"["\ud83c""#).is_err());
    }
}
