//! A frame of a screencast.
use std::sync::Arc;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

use crate::cdp::CdpSession;
use crate::cdp::types::page::{ScreencastFrame, ScreencastFrameAck};
use crate::sync::unix_time_ms;

/// A screencast frame. Dropping its last clone acknowledges it; the browser sends only a few frames ahead.
#[derive(Debug, Clone)]
pub struct ScreencastImage {
    /// The image in JPEG format.
    pub data: Arc<Vec<u8>>,
    /// When the frame was captured, in milliseconds since 1970.
    pub timestamp_ms: f64,
    /// The size of the page's viewport in CSS pixels.
    pub viewport: (f64, f64),
    seen: Option<Arc<FrameAcknowledgement>>,
}

#[derive(Debug)]
struct FrameAcknowledgement {
    session: CdpSession,
    number: i64,
}

impl Drop for FrameAcknowledgement {
    fn drop(&mut self) {
        self.session.send(ScreencastFrameAck { session_id: self.number }).ignore();
    }
}

impl ScreencastImage {
    /// Decodes the frame of an event; `None` if invalid. Dropping the frame acknowledges it to `session`.
    pub(super) fn read(session: &CdpSession, event: ScreencastFrame) -> Option<Self> {
        let seen = Arc::new(FrameAcknowledgement { session: session.clone(), number: event.session_id });
        Some(Self {
            data: Arc::new(BASE64_STANDARD.decode(&event.data).ok()?),
            timestamp_ms: event.metadata.timestamp.unwrap_or_default() * 1000.0,
            viewport: (event.metadata.device_width, event.metadata.device_height),
            seen: Some(seen),
        })
    }

    /// Returns the number that the browser gave the frame; `None` for a repeated frame.
    pub(super) fn number(&self) -> Option<i64> {
        self.seen.as_ref().map(|seen| seen.number)
    }

    pub(super) fn with_data(self, data: Vec<u8>) -> Self {
        Self { data: Arc::new(data), ..self }
    }

    /// Returns a copy of the frame with the current time.
    pub(super) fn again(&self) -> Self {
        Self { timestamp_ms: unix_time_ms(), seen: None, ..self.clone() }
    }
}
