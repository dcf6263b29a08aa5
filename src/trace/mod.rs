//! Reads trace files in Playwright's format, and contains the HTML page of the trace viewer.
//!
//! The viewer requests content piece by piece. It shows documents without scripts, and loads only resources
//! that are in the trace.
mod document;
mod events;
mod file;
mod nodes;

pub use document::SnapshotQuery;
pub use events::SnapshotPhase;
pub use file::{Resource, Trace, TraceError};

/// The HTML page of the viewer. The server replaces `{nonce}` by the CSP nonce that permits its script.
pub const VIEWER_HTML: &str = include_str!("page.html");
