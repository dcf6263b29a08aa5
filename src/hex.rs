//! Bytes as hexadecimal digits.
use std::fmt::Write as _;

/// The bytes in lower-case digits, two for each.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
