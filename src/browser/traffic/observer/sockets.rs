//! Web sockets of pages, as they are told of.
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

use super::{NetworkEvent, Source};
use crate::browser::objects::context::BrowserContext;
use crate::browser::traffic::socket::{Payload, SocketEvent, WebSocket};
use crate::cdp::RawEvent;
use crate::cdp::types::network::{
    self as wire, WebSocketClosed, WebSocketCreated, WebSocketFrameError, WebSocketFrameReceived,
    WebSocketFrameSent, WebSocketHandshakeResponseReceived,
};

impl BrowserContext {
    pub(super) fn on_socket_event(&self, event: &RawEvent, source: &Source) {
        if let Some(told) = event.read::<WebSocketCreated>() {
            let Some(page) = &source.page else { return };
            let socket = WebSocket::new(told.url, page.clone());
            self.traffic().state.lock().sockets.insert(told.request_id, socket.clone());
            self.tell(&NetworkEvent::WebSocket(socket));
        } else if let Some(told) = event.read::<WebSocketFrameSent>() {
            self.tell_socket(&told.request_id, payload(told.response).map(SocketEvent::Sent));
        } else if let Some(told) = event.read::<WebSocketFrameReceived>() {
            self.tell_socket(&told.request_id, payload(told.response).map(SocketEvent::Received));
        } else if let Some(told) = event.read::<WebSocketFrameError>() {
            self.tell_socket(&told.request_id, Some(SocketEvent::Failed(told.error_message)));
        } else if let Some(told) = event.read::<WebSocketHandshakeResponseReceived>() {
            let failed = told.response.status >= 400;
            let reason = format!("{}: {}", told.response.status_text, told.response.status);
            self.tell_socket(&told.request_id, failed.then_some(SocketEvent::Failed(reason)));
        } else if let Some(told) = event.read::<WebSocketClosed>() {
            self.tell_socket(&told.request_id, Some(SocketEvent::Closed));
            self.traffic().state.lock().sockets.remove(&told.request_id);
        }
    }

    fn tell_socket(&self, id: &str, event: Option<SocketEvent>) {
        let socket = self.traffic().state.lock().sockets.get(id).cloned();
        if let (Some(socket), Some(event)) = (socket, event) {
            self.tell(&NetworkEvent::Socket(socket, event));
        }
    }
}

fn payload(frame: wire::WebSocketFrame) -> Option<Payload> {
    const TEXT: f64 = 1.0;
    const BINARY: f64 = 2.0;
    if (frame.opcode - TEXT).abs() < f64::EPSILON {
        Some(Payload::Text(frame.payload_data))
    } else if (frame.opcode - BINARY).abs() < f64::EPSILON {
        Some(Payload::Binary(BASE64_STANDARD.decode(&frame.payload_data).unwrap_or_default()))
    } else {
        None
    }
}
