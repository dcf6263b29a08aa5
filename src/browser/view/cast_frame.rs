//! One picture of what a page looks like from moment to moment.
use std::sync::Arc;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

use crate::cdp::CdpSession;
use crate::cdp::types::page::{ScreencastFrame, ScreencastFrameAck};
use crate::sync::unix_time_ms;

/// One picture. The browser sends few of them ahead: the next comes when this and its clones are dropped.
#[derive(Debug, Clone)]
pub struct CastFrame {
    /// A JPEG.
    pub data: Arc<Vec<u8>>,
    /// In milliseconds since 1970.
    pub timestamp_ms: f64,
    /// The size of the page's viewport, in CSS pixels.
    pub viewport: (f64, f64),
    seen: Option<Arc<Seen>>,
}

#[derive(Debug)]
struct Seen {
    session: CdpSession,
    number: i64,
}

impl Drop for Seen {
    fn drop(&mut self) {
        self.session.send(ScreencastFrameAck { session_id: self.number }).ignore();
    }
}

impl CastFrame {
    /// The picture that a browser has reported, which is acknowledged to `session`.
    pub(super) fn read(session: &CdpSession, event: ScreencastFrame) -> Option<Self> {
        let seen = Arc::new(Seen { session: session.clone(), number: event.session_id });
        Some(Self {
            data: Arc::new(BASE64_STANDARD.decode(&event.data).ok()?),
            timestamp_ms: event.metadata.timestamp.unwrap_or_default() * 1000.0,
            viewport: (event.metadata.device_width, event.metadata.device_height),
            seen: Some(seen),
        })
    }

    /// The browser's number for it; none where it was seen before.
    pub(super) fn number(&self) -> Option<i64> {
        self.seen.as_ref().map(|seen| seen.number)
    }

    pub(super) fn with_data(self, data: Vec<u8>) -> Self {
        Self { data: Arc::new(data), ..self }
    }

    /// The same picture a moment later.
    pub(super) fn again(&self) -> Self {
        Self { timestamp_ms: unix_time_ms(), seen: None, ..self.clone() }
    }
}
