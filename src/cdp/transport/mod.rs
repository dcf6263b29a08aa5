//! How messages travel. Everything above sees whole messages only.
mod pipe;
pub mod tls;
pub mod websocket;

use std::io;

pub use pipe::Pipe;
pub use websocket::WebSocket;

/// The largest message that is accepted: far above what a page can cause, and a bound that a hostile peer cannot exceed.
pub const MAX_MESSAGE_BYTES: usize = 512 * 1024 * 1024;

/// A two-way stream of messages.
pub trait Transport: Send + 'static {
    type Incoming: Incoming;
    type Outgoing: Outgoing;

    fn split(self) -> (Self::Incoming, Self::Outgoing);
}

/// The half that reads.
pub trait Incoming: Send + 'static {
    /// The next message; `None` when the peer closed in good order.
    fn next(&mut self) -> impl Future<Output = io::Result<Option<Vec<u8>>>> + Send;
}

/// The half that writes.
pub trait Outgoing: Send + 'static {
    /// Writes all messages, in order, with as few system calls as it can.
    fn send(&mut self, messages: &[Vec<u8>]) -> impl Future<Output = io::Result<()>> + Send;
}

fn too_large() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "a message exceeds the largest size accepted")
}
