//! The texts about waiting and pausing for people and models, in two languages.
//!
//! This module does not know where texts are shown. The keywords that start a cooldown are in [`login`].
pub mod consent;
pub mod cooldown;
pub mod html;
pub mod listing;
pub mod login;
pub mod patchright;
pub mod sessions;
pub mod challenge;

/// The language of these texts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, strum::VariantArray)]
#[cfg_attr(feature = "mcp", derive(clap::ValueEnum))]
pub enum Language {
    #[default]
    Zh,
    En,
}
