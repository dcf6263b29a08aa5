//! The page that a person watches and takes over, where no window shows it.
//!
//! [`Live`] opens a [`Handover`] when somebody is needed: a link, behind which a [`admission`] asks who comes. A [`viewer`] is that
//! person's browser: `cast` sends it pictures, `input` gives the page what it does. Nothing here knows how a viewer is
//! reached; whoever listens asks [`Live`] for the hand-over of a link.
mod input;
mod opened;
mod cast;
pub mod admission;
pub mod handover;
mod show;
mod desk;
pub mod viewer;

pub use desk::{Entry, Live, LiveOptions, Mode, Wish};
pub use handover::{CallLine, Calls, Handover};
pub use show::Picture;

/// The page that viewers are given. `{nonce}` stands for what allows its script.
pub const PAGE: &str = include_str!("page.html");

#[cfg(test)]
mod tests {
    #[test]
    fn the_page_is_small() {
        assert!(super::PAGE.len() <= 25_000, "{} bytes", super::PAGE.len());
    }
}
