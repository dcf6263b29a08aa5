//! Transports: how messages are sent and received.
mod pipe;
pub mod tls;
/// Messages over a WebSocket.
pub mod websocket;

use std::io;

pub use pipe::Pipe;
pub use websocket::WebSocket;

/// The maximum size of a received message. Real messages are far smaller; the limit protects against a hostile peer.
pub const MAX_MESSAGE_BYTES: usize = 512 * 1024 * 1024;

/// A two-way stream of messages.
pub trait Transport: Send + 'static {
    /// The reading half.
    type TransportReader: TransportReader;
    /// The writing half.
    type TransportWriter: TransportWriter;

    /// Splits the transport into its reading and writing halves.
    fn split(self) -> (Self::TransportReader, Self::TransportWriter);
}

/// The reading half of a transport.
pub trait TransportReader: Send + 'static {
    /// Waits for the next message; `None` after a clean close.
    fn next(&mut self) -> impl Future<Output = io::Result<Option<Vec<u8>>>> + Send;
}

/// The writing half of a transport.
pub trait TransportWriter: Send + 'static {
    /// Writes all messages, in order, with as few system calls as possible.
    fn send(&mut self, messages: &[Vec<u8>]) -> impl Future<Output = io::Result<()>> + Send;
}

fn too_large() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "a message exceeds the largest size accepted")
}
