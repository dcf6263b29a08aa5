use std::io;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

use super::{MAX_MESSAGE_BYTES, Transport, TransportReader, TransportWriter, too_large};

/// A transport of messages that each end with a zero byte, as with Chromium's `--remote-debugging-pipe`.
#[derive(Debug)]
pub struct Pipe<R, W> {
    reader: R,
    writer: W,
    largest: usize,
}

impl<R, W> Pipe<R, W> {
    /// Creates a transport from the reading and the writing end of a pipe.
    pub fn new(reader: R, writer: W) -> Self {
        Self { reader, writer, largest: MAX_MESSAGE_BYTES }
    }

    /// Limits the size of received messages, in bytes.
    #[must_use]
    pub fn with_max_message_bytes(self, largest: usize) -> Self {
        Self { largest, ..self }
    }
}

impl<R, W> Transport for Pipe<R, W>
where
    R: AsyncRead + Unpin + Send + 'static,
    W: AsyncWrite + Unpin + Send + 'static,
{
    type TransportReader = PipeReader<R>;
    type TransportWriter = PipeWriter<W>;

    fn split(self) -> (Self::TransportReader, Self::TransportWriter) {
        let reader = PipeReader {
            reader: self.reader,
            largest: self.largest,
            buffer: Vec::new(),
            start: 0,
            searched: 0,
        };
        (reader, PipeWriter(self.writer))
    }
}

#[derive(Debug)]
pub struct PipeReader<R> {
    reader: R,
    largest: usize,
    buffer: Vec<u8>,
    /// Where the next message starts in `buffer`.
    start: usize,
    /// The position in `buffer` up to which no terminator of the next message was found.
    searched: usize,
}

const READ_BYTES: usize = 64 * 1024;

impl<R> PipeReader<R> {
    /// Removes and returns the next message; `None` if it is not complete yet.
    fn take(&mut self) -> Option<Vec<u8>> {
        let end = self.searched + memchr::memchr(0, &self.buffer[self.searched..])?;
        let message = if self.start == 0 && end > READ_BYTES {
            // A large message takes over the whole buffer, which avoids a copy and frees the memory later.
            let rest = self.buffer.split_off(end + 1);
            let mut message = std::mem::replace(&mut self.buffer, rest);
            message.pop();
            self.searched = 0;
            message
        } else {
            let message = self.buffer[self.start..end].to_vec();
            self.start = end + 1;
            self.searched = self.start;
            message
        };
        Some(message)
    }
}

impl<R: AsyncRead + Unpin + Send + 'static> TransportReader for PipeReader<R> {
    async fn next(&mut self) -> io::Result<Option<Vec<u8>>> {
        loop {
            if let Some(message) = self.take() {
                return if message.len() > self.largest { Err(too_large()) } else { Ok(Some(message)) };
            }
            self.buffer.drain(..self.start);
            self.start = 0;
            self.searched = self.buffer.len();
            if self.buffer.len() > self.largest {
                return Err(too_large());
            }
            self.buffer.reserve(READ_BYTES);
            if self.reader.read_buf(&mut self.buffer).await? == 0 {
                return if self.buffer.is_empty() { Ok(None) } else { Err(cut_off()) };
            }
        }
    }
}

fn cut_off() -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, "the last message was cut off")
}

#[derive(Debug)]
pub struct PipeWriter<W>(W);

impl<W: AsyncWrite + Unpin + Send + 'static> TransportWriter for PipeWriter<W> {
    async fn send(&mut self, messages: &[Vec<u8>]) -> io::Result<()> {
        let mut together = Vec::with_capacity(messages.iter().map(|message| message.len() + 1).sum());
        for message in messages {
            together.extend_from_slice(message);
            together.push(0);
        }
        self.0.write_all(&together).await?;
        self.0.flush().await
    }
}
