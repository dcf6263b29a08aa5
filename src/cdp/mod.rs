//! The Chrome DevTools Protocol (CDP): JSON over a pipe or a WebSocket. This module knows nothing about pages.
//!
//! A [`Connection`] owns a transport, a reader and a writer. It carries many [`CdpSession`]s, one for each
//! attached target. Every command has a deadline, events are decoded only for listeners, and when the browser
//! disconnects, all pending commands fail at once.
mod command;
mod connection;
mod envelope;
mod events;
#[cfg(test)]
mod orders;
mod policy;
mod protocol_log;
mod session;
pub mod transport;
#[allow(missing_docs, reason = "the reference of the protocol describes them")]
pub mod types;

pub use command::{Command, Event};
pub(crate) use connection::NOT_IN_FIREFOX;
pub use connection::{Connection, EventSink, WeakConnection};
pub use events::{Events, Observer, RawEvent};
pub use policy::DetectableCommandReason;
pub(crate) use protocol_log::FOLDER as PROTOCOL_LOG_FOLDER;
pub use session::{CdpSession, PendingReply};
