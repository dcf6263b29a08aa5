//! Web sockets that pages open, as they are heard of.
use std::sync::Arc;

use crate::browser::objects::page::Page;

/// A web socket of a page. Cheap to clone; compares by identity.
#[derive(Debug, Clone)]
pub struct WebSocket {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    url: String,
    page: Page,
}

impl PartialEq for WebSocket {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }
}

impl Eq for WebSocket {}

/// What went through a web socket in one piece.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Payload {
    Text(String),
    Binary(Vec<u8>),
}

/// What became of a web socket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SocketEvent {
    Sent(Payload),
    Received(Payload),
    Failed(String),
    Closed,
}

impl WebSocket {
    pub(in crate::browser) fn new(url: String, page: Page) -> Self {
        Self { inner: Arc::new(Inner { url, page }) }
    }

    pub fn url(&self) -> &str {
        &self.inner.url
    }

    pub fn page(&self) -> &Page {
        &self.inner.page
    }

    /// A number that no other web socket has while this one exists.
    pub fn number(&self) -> usize {
        Arc::as_ptr(&self.inner) as usize
    }
}
