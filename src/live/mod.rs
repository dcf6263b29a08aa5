//! The live view: a person watches a page without a window, or takes it over.
//!
//! [`Live`] opens a [`Handover`] when a person is needed. Its link is protected by [`admission`]. A [`viewer`]
//! is the person's browser: `cast` sends it frames, and `input` passes its input to the page. This module
//! does not know how viewers connect; the HTTP server asks [`Live`] for the hand-over of a link.
mod input;
mod opened;
mod cast;
pub mod admission;
pub mod handover;
mod show;
mod desk;
pub mod viewer;

pub use desk::{HandoverRequest, Live, LiveOptions, Mode, VisitorAuth};
pub use handover::{CallLine, Calls, Handover};
pub use show::Picture;

/// The HTML page of the viewer. `{nonce}` is replaced by the nonce that allows its script.
pub const PAGE: &str = include_str!("page.html");

#[cfg(test)]
mod tests {
    #[test]
    fn the_page_is_small() {
        assert!(super::PAGE.len() <= 25_000, "{} bytes", super::PAGE.len());
    }
}
