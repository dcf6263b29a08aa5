use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use serde::de::DeserializeOwned;
use tokio::sync::mpsc;

use super::command::Event;
use crate::json::decode;

/// A received message with the byte range of its payload, which is decoded on demand.
#[derive(Debug, Clone)]
pub(super) struct Message {
    bytes: Arc<Vec<u8>>,
    range: Range<usize>,
}

impl Message {
    pub(super) fn new(bytes: Vec<u8>, range: Range<usize>) -> Self {
        Self { bytes: Arc::new(bytes), range }
    }

    pub(super) fn part(&self) -> &[u8] {
        &self.bytes[self.range.clone()]
    }

    fn weight(&self) -> usize {
        self.bytes.len() + EVENT_BYTES
    }

    pub(super) fn decode<T: DeserializeOwned>(&self) -> serde_json::Result<T> {
        decode(self.part())
    }
}

/// An event from the browser, decoded on demand.
#[derive(Debug, Clone)]
pub struct RawEvent {
    method: &'static str,
    message: Message,
}

impl RawEvent {
    /// The wire name, such as `Page.frameNavigated`.
    pub fn method(&self) -> &'static str {
        self.method
    }

    /// Decodes the event as `E`; `None` if it has another method name or cannot be decoded.
    pub fn read<E: Event>(&self) -> Option<E> {
        if self.method != E::METHOD {
            return None;
        }
        self.message
            .decode()
            .inspect_err(|error| tracing::warn!(method = E::METHOD, %error, "an event could not be read"))
            .ok()
    }

    /// Returns the parameters as raw JSON.
    pub fn params_json(&self) -> &[u8] {
        self.message.part()
    }
}

/// The maximum number of bytes queued for a slow listener. Further events are dropped and counted, so that a page
/// cannot use up memory by flooding a stuck listener.
const QUEUE_BYTES: usize = 32 * 1024 * 1024;

/// The assumed overhead of a queued event, in bytes, in addition to its message.
const EVENT_BYTES: usize = 256;

/// A stream of the subscribed events, in the order in which the browser sent them.
#[derive(Debug)]
pub struct Events {
    receiver: mpsc::UnboundedReceiver<RawEvent>,
    queue: Arc<Queue>,
}

/// Counts the bytes queued between the reader task and one listener, and the dropped events.
#[derive(Debug, Default)]
struct Queue {
    bytes: AtomicUsize,
    lost: AtomicU64,
}

impl Events {
    /// Waits for the next event; `None` when the session or the connection has ended.
    pub async fn next(&mut self) -> Option<RawEvent> {
        let event = self.receiver.recv().await;
        self.taken(event)
    }

    /// Returns the next event if it has already arrived, without waiting.
    pub fn try_next(&mut self) -> Option<RawEvent> {
        let event = self.receiver.try_recv().ok();
        self.taken(event)
    }

    /// Returns how many events were dropped because the queue was full.
    pub fn dropped_count(&self) -> u64 {
        self.queue.lost.load(Ordering::Relaxed)
    }

    fn taken(&self, event: Option<RawEvent>) -> Option<RawEvent> {
        event.inspect(|event| {
            self.queue.bytes.fetch_sub(event.message.weight(), Ordering::Relaxed);
        })
    }
}

#[derive(Debug)]
pub(super) struct Listener {
    methods: Box<[&'static str]>,
    sender: mpsc::UnboundedSender<RawEvent>,
    queue: Arc<Queue>,
}

impl Listener {
    pub(super) fn new(methods: &[&'static str]) -> (Self, Events) {
        let (sender, receiver) = mpsc::unbounded_channel();
        let queue = Arc::new(Queue::default());
        (Self { methods: methods.into(), sender, queue: queue.clone() }, Events { receiver, queue })
    }

    pub(super) fn wants(&self, method: &str) -> bool {
        self.methods.contains(&method)
    }

    /// Returns whether the [`Events`] to which this listener sends still exist.
    pub(super) fn is_needed(&self) -> bool {
        !self.sender.is_closed()
    }

    /// Queues the event if its method matches. Returns false if the receiving [`Events`] were dropped.
    pub(super) fn offer(&self, method: &str, message: &Message) -> bool {
        let Some(&method) = self.methods.iter().find(|wanted| **wanted == method) else {
            return self.is_needed();
        };
        let weight = message.weight();
        if self.queue.bytes.fetch_add(weight, Ordering::Relaxed) + weight > QUEUE_BYTES {
            self.queue.bytes.fetch_sub(weight, Ordering::Relaxed);
            if self.queue.lost.fetch_add(1, Ordering::Relaxed) == 0 {
                tracing::warn!(method, "events come faster than they are read; some are dropped");
            }
            return self.is_needed();
        }
        self.sender.send(RawEvent { method, message: message.clone() }).is_ok()
    }
}

/// A receiver of events that the reader task calls directly, in order. Once a command's reply is delivered, observers
/// have received all events that preceded the reply. An observer must not block.
pub trait Observer: Send + Sync {
    /// Handles an event that was subscribed to.
    fn on_event(&self, event: RawEvent);

    /// Called when the session or the connection has ended.
    fn ended(&self) {}
}

#[derive(Clone)]
pub(super) struct ObserverEntry {
    methods: Arc<[&'static str]>,
    observer: Arc<dyn Observer>,
}

impl ObserverEntry {
    pub(super) fn new(methods: &[&'static str], observer: Arc<dyn Observer>) -> Self {
        Self { methods: methods.into(), observer }
    }

    pub(super) fn wants(&self, method: &str) -> bool {
        self.methods.contains(&method)
    }

    pub(super) fn emit(&self, method: &str, message: &Message) {
        if let Some(&method) = self.methods.iter().find(|wanted| **wanted == method) {
            self.observer.on_event(RawEvent { method, message: message.clone() });
        }
    }

    pub(super) fn end(&self) {
        self.observer.ended();
    }
}

impl std::fmt::Debug for ObserverEntry {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("ObserverEntry").field("methods", &self.methods.len()).finish_non_exhaustive()
    }
}
