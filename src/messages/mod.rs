//! Texts for people and models, most of them in Chinese and English.
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

/// The language of the texts in this module.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, strum::VariantArray)]
#[cfg_attr(feature = "mcp", derive(clap::ValueEnum))]
pub enum Language {
    #[default]
    Zh,
    En,
}
