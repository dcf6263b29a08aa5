//! Traces as files, in Playwright's format: reading one, and the page that shows it.
//!
//! The viewer asks for one piece at a time. Documents of a trace are written without scripts; what they load comes from the trace.
mod document;
mod events;
mod file;
mod nodes;

pub use document::DocumentQuery;
pub use events::Phase;
pub use file::{Resource, Trace, TraceError};

/// The HTML page of the viewer. `{nonce}` is replaced by the nonce that allows its script.
pub const PAGE: &str = include_str!("page.html");
