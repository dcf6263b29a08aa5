//! The live view: a person watches a page of a windowless browser, or takes control of it.
//!
//! [`LiveView`] opens a [`Handover`] when a person is needed. Its link is protected by [`admission`]. A
//! [`viewer`] is the person's connection: `cast` sends frames, and `input` forwards input to the page. The
//! HTTP server accepts connections and asks [`LiveView`] for the hand-over of a link.
mod input;
mod opened;
mod cast;
pub mod admission;
pub mod handover;
mod show;
mod view;
pub mod viewer;

pub use handover::{CallHistory, CallSummary, Handover};
pub use show::LiveFrame;
pub use view::{HandoverRequest, LiveView, LiveViewMode, LiveViewOptions, VisitorAuth};

/// The HTML page of the viewer. The server replaces `{nonce}` by the CSP nonce that permits its script.
pub const LIVE_VIEW_HTML: &str = include_str!("page.html");

#[cfg(test)]
mod tests {
    #[test]
    fn the_page_is_small() {
        assert!(super::LIVE_VIEW_HTML.len() <= 25_000, "{} bytes", super::LIVE_VIEW_HTML.len());
    }
}
