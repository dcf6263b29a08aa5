//! Paper formats.
use std::str::FromStr;

/// Paper format. Default: letter.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, serde::Deserialize, strum::Display, strum::EnumString,
)]
#[cfg_attr(feature = "mcp", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase", ascii_case_insensitive)]
pub enum Paper {
    #[default]
    Letter,
    Legal,
    Tabloid,
    Ledger,
    A0,
    A1,
    A2,
    A3,
    A4,
    A5,
    A6,
}

impl Paper {
    /// The paper format with this name, ignoring case.
    pub fn named(name: &str) -> Option<Self> {
        Self::from_str(name).ok()
    }

    /// Width and height in inches.
    pub fn size(self) -> (f64, f64) {
        match self {
            Self::Letter => (8.5, 11.0),
            Self::Legal => (8.5, 14.0),
            Self::Tabloid => (11.0, 17.0),
            Self::Ledger => (17.0, 11.0),
            Self::A0 => (33.1, 46.8),
            Self::A1 => (23.4, 33.1),
            Self::A2 => (16.54, 23.4),
            Self::A3 => (11.7, 16.54),
            Self::A4 => (8.27, 11.7),
            Self::A5 => (5.83, 8.27),
            Self::A6 => (4.13, 5.83),
        }
    }
}
