//! Reports `WebSockets` of pages.
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

use super::{NetworkEvent, Source};
use crate::browser::objects::context::BrowserContext;
use crate::browser::traffic::socket::{WebSocket, WebSocketEvent, WebSocketMessage};
use crate::cdp::RawEvent;
use crate::cdp::types::network::{
    self as wire, WebSocketClosed, WebSocketCreated, WebSocketFrameError, WebSocketFrameReceived,
    WebSocketFrameSent, WebSocketHandshakeResponseReceived,
};

impl BrowserContext {
    pub(super) fn on_socket_event(&self, event: &RawEvent, source: &Source) {
        if let Some(event) = event.read::<WebSocketCreated>() {
            let Some(page) = &source.page else { return };
            let socket = WebSocket::new(event.url, page.clone());
            self.traffic().state.lock().sockets.insert(event.request_id, socket.clone());
            self.emit(&NetworkEvent::WebSocket(socket));
        } else if let Some(event) = event.read::<WebSocketFrameSent>() {
            self.emit_socket(&event.request_id, payload(event.response).map(WebSocketEvent::Sent));
        } else if let Some(event) = event.read::<WebSocketFrameReceived>() {
            self.emit_socket(&event.request_id, payload(event.response).map(WebSocketEvent::Received));
        } else if let Some(event) = event.read::<WebSocketFrameError>() {
            self.emit_socket(&event.request_id, Some(WebSocketEvent::Failed(event.error_message)));
        } else if let Some(event) = event.read::<WebSocketHandshakeResponseReceived>() {
            let failed = event.response.status >= 400;
            let reason = format!("{}: {}", event.response.status_text, event.response.status);
            self.emit_socket(&event.request_id, failed.then_some(WebSocketEvent::Failed(reason)));
        } else if let Some(event) = event.read::<WebSocketClosed>() {
            self.emit_socket(&event.request_id, Some(WebSocketEvent::Closed));
            self.traffic().state.lock().sockets.remove(&event.request_id);
        }
    }

    fn emit_socket(&self, id: &str, event: Option<WebSocketEvent>) {
        let socket = self.traffic().state.lock().sockets.get(id).cloned();
        if let (Some(socket), Some(event)) = (socket, event) {
            self.emit(&NetworkEvent::Socket(socket, event));
        }
    }
}

fn payload(frame: wire::WebSocketFrame) -> Option<WebSocketMessage> {
    const TEXT: f64 = 1.0;
    const BINARY: f64 = 2.0;
    if (frame.opcode - TEXT).abs() < f64::EPSILON {
        Some(WebSocketMessage::Text(frame.payload_data))
    } else if (frame.opcode - BINARY).abs() < f64::EPSILON {
        Some(WebSocketMessage::Binary(BASE64_STANDARD.decode(&frame.payload_data).unwrap_or_default()))
    } else {
        None
    }
}
