//! What the protocol layer costs by itself: round trips with a peer that answers at once, and large replies.
//!
//! `cargo bench --bench cdp`. Times are p50 and p95 in microseconds; the peer runs in the same process.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a bench says what it measured")]
use std::time::{Duration, Instant};

use patchright_mcp::cdp::transport::Pipe;
use patchright_mcp::cdp::types::page::CaptureScreenshot;
use patchright_mcp::cdp::types::runtime::{Evaluate, GetProperties};
use patchright_mcp::cdp::{CdpSession, Connection};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex, split};
use tokio::runtime::Builder;

const LARGE: usize = 10_000_000;

fn main() {
    let runtime = Builder::new_multi_thread().worker_threads(2).enable_time().build().unwrap();
    runtime.block_on(async {
        let evaluate = || Evaluate { expression: "1 + 1".to_owned(), ..Evaluate::default() };
        let value = br#"{"result":{"type":"number","value":2,"description":"2"}}"#;
        let session = answered_with(value.to_vec());
        measure("round trip", 20_000, 1, async || drop(session.call(evaluate()).await.unwrap())).await;
        measure("100 commands in flight, each", 500, 100, async || {
            let sent: Vec<_> = (0..100).map(|_| session.send(evaluate())).collect();
            for reply in sent {
                reply.await.unwrap();
            }
        })
        .await;

        let picture = format!(r#"{{"data":"{}"}}"#, "iVBORw0K".repeat(LARGE / 8));
        let session = answered_with(picture.into_bytes());
        measure("10 MB picture", 40, 1, async || {
            let picture = session.call(CaptureScreenshot::default()).await.unwrap();
            assert!(picture.data.len() >= LARGE);
        })
        .await;

        let property =
            r#"{"name":"name","enumerable":true,"isOwn":true,"value":{"type":"string","value":"some text"}}"#;
        let count = LARGE / (property.len() + 1);
        let session =
            answered_with(format!(r#"{{"result":[{}]}}"#, vec![property; count].join(",")).into_bytes());
        measure("10 MB of small objects", 20, 1, async || {
            let properties = session.call(GetProperties::default()).await.unwrap();
            assert_eq!(properties.result.len(), count);
        })
        .await;
    });
}

/// A session whose peer gives every command this result.
fn answered_with(result: Vec<u8>) -> CdpSession {
    let (ours, theirs) = duplex(64 * 1024);
    let (reader, writer) = split(ours);
    tokio::spawn(answer(theirs, result));
    Connection::start(Pipe::new(reader, writer)).root()
}

async fn answer(mut stream: DuplexStream, result: Vec<u8>) {
    let mut received = Vec::new();
    while stream.read_buf(&mut received).await.unwrap() > 0 {
        let mut replies = Vec::new();
        while let Some(end) = received.iter().position(|byte| *byte == 0) {
            // `{"id":17,…`
            let id: Vec<u8> = received.drain(..=end).skip(6).take_while(u8::is_ascii_digit).collect();
            replies.extend([br#"{"id":"#, &id[..], br#","result":"#, &result[..], b"}\0"].concat());
        }
        stream.write_all(&replies).await.unwrap();
    }
}

/// Runs `work` and says how long it took, divided by the number of things it does.
async fn measure(name: &str, times: usize, each: u32, mut work: impl AsyncFnMut()) {
    for _ in 0..times / 10 {
        work().await;
    }
    let mut taken = Vec::with_capacity(times);
    for _ in 0..times {
        let start = Instant::now();
        work().await;
        taken.push(start.elapsed() / each);
    }
    taken.sort_unstable();
    let at = |part: usize| micros(taken[times * part / 100]);
    println!("{name:30} p50 {:>10.1} µs   p95 {:>10.1} µs", at(50), at(95));
}

fn micros(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e6
}
