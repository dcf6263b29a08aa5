//! The protocol layer against peers that misbehave, and against the names that a real browser knows.
mod events;
mod faults;
mod framing;
mod peer;
mod points;
mod policy;
pub(crate) mod protocol;
mod sessions;
mod types;
mod websocket;
