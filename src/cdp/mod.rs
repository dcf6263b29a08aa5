//! The DevTools protocol: JSON over a pipe or a socket. Knows no page.
//!
//! A [`Connection`] owns a transport, a reader and a writer. Over it go many [`CdpSession`]s, one for each target that
//! we are attached to. Every command has a deadline, an event is decoded only if somebody listens for it, and when the
//! peer goes away all that is pending fails at once.
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
pub mod types;

pub use command::{Command, Event};
pub(crate) use connection::NOT_IN_FIREFOX;
pub use connection::{Connection, EventSink, WeakConnection};
pub use events::{Events, Observer, RawEvent};
pub use policy::Permit;
pub use session::{CdpSession, PendingReply};
