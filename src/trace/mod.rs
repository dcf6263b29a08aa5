//! Reads trace files in Playwright's format, and contains the page of the viewer.
//!
//! The viewer requests one piece at a time. Documents of a trace are shown without scripts, and load only resources
//! from the trace.
mod document;
mod events;
mod file;
mod nodes;

pub use document::DocumentQuery;
pub use events::Phase;
pub use file::{Resource, Trace, TraceError};

/// The HTML page of the viewer. `{nonce}` is replaced by the nonce that allows its script.
pub const VIEWER_HTML: &str = include_str!("page.html");
