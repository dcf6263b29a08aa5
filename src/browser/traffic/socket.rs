//! `WebSockets` of pages.
use std::sync::Arc;

use crate::browser::objects::page::Page;

/// A WebSocket of a page. Cheap to clone; compares by identity.
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

/// A WebSocket message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WebSocketMessage {
    Text(String),
    Binary(Vec<u8>),
}

/// An event of a WebSocket: a message, an error or the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WebSocketEvent {
    Sent(WebSocketMessage),
    Received(WebSocketMessage),
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

    /// Returns a number that identifies this WebSocket among the open ones.
    pub fn instance_id(&self) -> usize {
        Arc::as_ptr(&self.inner) as usize
    }
}
