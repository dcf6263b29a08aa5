use std::ops::Range;
use std::sync::Arc;

use tokio::sync::mpsc;

use super::command::Event;

/// A message as it came, and which part of it matters. Decoded when somebody asks.
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
}

/// Something the browser told, not yet decoded.
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

    /// The event as `E`, if that is what it is and it can be read.
    pub fn read<E: Event>(&self) -> Option<E> {
        if self.method != E::METHOD {
            return None;
        }
        serde_json::from_slice(self.message.part())
            .inspect_err(|error| tracing::warn!(method = E::METHOD, %error, "an event could not be read"))
            .ok()
    }

    /// The parameters as they came.
    pub fn json(&self) -> &[u8] {
        self.message.part()
    }
}

/// The events somebody asked for, in the order in which the browser told them.
#[derive(Debug)]
pub struct Events {
    receiver: mpsc::UnboundedReceiver<RawEvent>,
}

impl Events {
    /// The next event; `None` when the session or the connection has ended.
    pub async fn next(&mut self) -> Option<RawEvent> {
        self.receiver.recv().await
    }

    /// The next event if it has come already.
    pub fn ready(&mut self) -> Option<RawEvent> {
        self.receiver.try_recv().ok()
    }
}

#[derive(Debug)]
pub(super) struct Listener {
    methods: Box<[&'static str]>,
    sender: mpsc::UnboundedSender<RawEvent>,
}

impl Listener {
    pub(super) fn new(methods: &[&'static str]) -> (Self, Events) {
        let (sender, receiver) = mpsc::unbounded_channel();
        (Self { methods: methods.into(), sender }, Events { receiver })
    }

    pub(super) fn wants(&self, method: &str) -> bool {
        self.methods.contains(&method)
    }

    /// Passes the event on if it is wanted. False when nobody listens any more.
    pub(super) fn offer(&self, method: &str, message: &Message) -> bool {
        match self.methods.iter().find(|wanted| **wanted == method) {
            Some(&method) => self.sender.send(RawEvent { method, message: message.clone() }).is_ok(),
            None => !self.sender.is_closed(),
        }
    }
}

/// Hears events in the reader itself, in order and before any later reply is handed out: who awaits a reply can rely on
/// every observer having heard what came before it. An observer must not wait for anything.
pub trait Observer: Send + Sync {
    /// The browser told something that was asked for.
    fn told(&self, event: RawEvent);

    /// The session or the connection has ended.
    fn ended(&self) {}
}

#[derive(Clone)]
pub(super) struct Observing {
    methods: Arc<[&'static str]>,
    observer: Arc<dyn Observer>,
}

impl Observing {
    pub(super) fn new(methods: &[&'static str], observer: Arc<dyn Observer>) -> Self {
        Self { methods: methods.into(), observer }
    }

    pub(super) fn wants(&self, method: &str) -> bool {
        self.methods.contains(&method)
    }

    pub(super) fn tell(&self, method: &str, message: &Message) {
        if let Some(&method) = self.methods.iter().find(|wanted| **wanted == method) {
            self.observer.told(RawEvent { method, message: message.clone() });
        }
    }

    pub(super) fn end(&self) {
        self.observer.ended();
    }
}

impl std::fmt::Debug for Observing {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Observing").field("methods", &self.methods.len()).finish_non_exhaustive()
    }
}
