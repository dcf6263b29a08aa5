//! Messages over a pipe, however the system cuts the bytes.
use std::collections::VecDeque;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use patchright_mcp::cdp::transport::{Pipe, Transport, TransportReader, TransportWriter};
use proptest::prelude::*;
use tokio::io::{AsyncRead, AsyncReadExt, ReadBuf};

/// Gives exactly one chunk, or what fits of it, at each read.
struct Chunks(VecDeque<Vec<u8>>);

impl AsyncRead for Chunks {
    fn poll_read(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if let Some(mut chunk) = self.0.pop_front() {
            let rest = chunk.split_off(chunk.len().min(buffer.remaining()));
            buffer.put_slice(&chunk);
            if !rest.is_empty() {
                self.0.push_front(rest);
            }
        }
        Poll::Ready(Ok(()))
    }
}

fn chunks(bytes: &[u8], sizes: &[usize]) -> Chunks {
    let mut sizes = sizes.iter().copied().cycle();
    let (mut chunks, mut rest) = (VecDeque::new(), bytes);
    while !rest.is_empty() {
        let (chunk, more) = rest.split_at(sizes.next().unwrap_or(rest.len()).clamp(1, rest.len()));
        chunks.push_back(chunk.to_vec());
        rest = more;
    }
    Chunks(chunks)
}

async fn all(reader: Chunks) -> (Vec<Vec<u8>>, Option<io::ErrorKind>) {
    let (mut incoming, _) = Pipe::new(reader, tokio::io::sink()).split();
    let mut messages = Vec::new();
    loop {
        match incoming.next().await {
            Ok(Some(message)) => messages.push(message),
            Ok(None) => return (messages, None),
            Err(error) => return (messages, Some(error.kind())),
        }
    }
}

fn message() -> impl Strategy<Value = Vec<u8>> {
    // Mostly small, some larger than what is read at once.
    prop_oneof![
        8 => proptest::collection::vec(1..=255_u8, 0..50),
        1 => (1..=255_u8, 60_000..200_000_usize).prop_map(|(byte, length)| vec![byte; length]),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// What was sent is what arrives, in any chunks, and an end in the middle of a message is noticed.
    #[test]
    fn any_chunking_gives_the_same_messages(
        messages in proptest::collection::vec(message(), 0..12),
        sizes in proptest::collection::vec(prop_oneof![1..40_usize, 60_000..150_000_usize], 1..8),
        cut in proptest::option::of(any::<prop::sample::Index>()),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        runtime.block_on(async {
            let (ours, mut theirs) = tokio::io::duplex(4 << 20);
            let (_, mut outgoing) = Pipe::new(tokio::io::empty(), ours).split();
            outgoing.send(&messages).await.expect("there is room");
            drop(outgoing);
            let mut wire = Vec::new();
            theirs.read_to_end(&mut wire).await.expect("it can be read");
            if let Some(cut) = cut.filter(|_| !wire.is_empty()) {
                wire.truncate(cut.index(wire.len()));
            }
            let whole = wire.split(|byte| *byte == 0).count() - 1;
            let ends_whole = wire.last().is_none_or(|byte| *byte == 0);
            let (received, error) = all(chunks(&wire, &sizes)).await;
            prop_assert_eq!(&received[..], &messages[..whole]);
            prop_assert_eq!(error, (!ends_whole).then_some(io::ErrorKind::UnexpectedEof));
            Ok(())
        })?;
    }
}
