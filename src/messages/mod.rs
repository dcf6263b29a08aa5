//! Every text that a person or a model reads about waiting and pausing, in one place and in two languages.
//!
//! Nothing here knows where a text is shown. What the cooldown listens for stands in [`login`].
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
