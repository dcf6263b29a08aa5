//! Streams a page's screencast to a viewer: only the newest frames, as fast as the viewer displays them.
use std::sync::Arc;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use tokio::time::{Duration, Instant};

use super::handover::Handover;
use crate::browser::Page;
use crate::cdp::types::page::{ScreencastFrame, ScreencastFrameAck, StartScreencast, StopScreencast};
use crate::cdp::{CdpSession, Event, Events};

const QUALITY: u32 = 60;
const WIDTH: u32 = 1280;
const HEIGHT: u32 = 1600;
/// The JPEG quality for a slow connection.
const LOW_QUALITY: u32 = 40;
const LOW_WIDTH: u32 = 960;
/// The length in bytes of the frame number that precedes each frame.
const NUMBER: usize = 4;
/// A connection counts as slow if the viewer takes longer than this to confirm a frame.
const SLOW: Duration = Duration::from_millis(300);
/// How long to wait for a confirmation before capturing newer frames anyway.
const LONGEST_WAIT: Duration = Duration::from_secs(1);

/// The stream of screencast frames of one page to one viewer.
pub(super) struct PageStream {
    session: CdpSession,
    page: Page,
    /// The hand-over, and the id of its viewer.
    viewer: (Arc<Handover>, u64),
    events: Events,
    /// The next frame to send. Its first bytes are reserved for the frame number.
    newest: Option<Vec<u8>>,
    /// Frames that were not acknowledged to the browser yet.
    unacknowledged: Vec<i64>,
    /// The frame that was sent but not confirmed yet, and when it was sent.
    sent: Option<(u32, Instant)>,
    number: u32,
    slow: bool,
    /// Width and height of the displayed part of the page in CSS pixels.
    pub(super) size: (f64, f64),
}

impl PageStream {
    pub(super) fn start(page: &Page, viewer: (Arc<Handover>, u64)) -> Self {
        let (page, session) = (page.clone(), page.session().clone());
        let events = session.events(&[ScreencastFrame::METHOD]);
        let (newest, unacknowledged, sent) = (None, Vec::new(), None);
        let (number, slow, size) = (0, false, (0.0, 0.0));
        let cast = Self { session, page, viewer, events, newest, unacknowledged, sent, number, slow, size };
        cast.begin();
        cast
    }

    fn begin(&self) {
        let start = StartScreencast {
            format: Some("jpeg".to_owned()),
            quality: Some(if self.slow { LOW_QUALITY } else { QUALITY }),
            max_width: Some(if self.slow { LOW_WIDTH } else { WIDTH }),
            max_height: Some(HEIGHT),
            every_nth_frame: Some(1),
        };
        self.session.send(start).ignore();
    }

    /// Waits for the browser's next frame, or until a viewer that does not confirm must get newer frames.
    pub(super) async fn next(&mut self) -> Option<()> {
        let late = match (self.sent, self.unacknowledged.is_empty()) {
            (Some((_, since)), false) => Some(since + LONGEST_WAIT),
            _ => None,
        };
        let event = match late.filter(|late| *late > Instant::now()) {
            Some(late) => tokio::select! {
                event = self.events.next() => event?,
                () = tokio::time::sleep_until(late) => {
                    self.acknowledge();
                    return Some(());
                }
            },
            None => self.events.next().await?,
        };
        if let Some(frame) = event.read::<ScreencastFrame>() {
            self.size = (frame.metadata.device_width, frame.metadata.device_height);
            self.newest = numbered(&frame.data);
            self.unacknowledged.push(frame.session_id);
            if late.is_some_and(|late| late <= Instant::now()) {
                // The viewer does not confirm. Captures newer frames anyway, so that a current one is ready.
                self.acknowledge();
            }
        }
        Some(())
    }

    /// Acknowledges all received frames to the browser, which then sends more.
    fn acknowledge(&mut self) {
        for session_id in self.unacknowledged.drain(..) {
            self.session.send(ScreencastFrameAck { session_id }).ignore();
        }
    }

    /// Returns the frame to send now; `None` if there is none or the last one is not confirmed yet.
    pub(super) fn take(&mut self) -> Option<Vec<u8>> {
        if self.sent.is_some() {
            return None;
        }
        let mut picture = self.newest.take()?;
        self.number = self.number.wrapping_add(1);
        self.sent = Some((self.number, Instant::now()));
        picture[..NUMBER].copy_from_slice(&self.number.to_be_bytes());
        Some(picture)
    }

    /// Handles the viewer's confirmation that it has displayed a frame.
    pub(super) fn shown(&mut self, number: u32) {
        let Some((_, since)) = self.sent.take_if(|(sent, _)| *sent == number) else { return };
        let slow = since.elapsed() > SLOW;
        self.acknowledge();
        if slow != self.slow {
            self.slow = slow;
            self.begin();
        }
    }
}

/// Decodes a frame from Base64, with reserved bytes in front for its number.
fn numbered(data: &str) -> Option<Vec<u8>> {
    let mut picture = Vec::with_capacity(NUMBER + data.len() / 4 * 3);
    picture.extend([0; NUMBER]);
    BASE64_STANDARD.decode_vec(data, &mut picture).ok()?;
    Some(picture)
}

impl Drop for PageStream {
    fn drop(&mut self) {
        // The browser has one screencast per session, which another viewer of this page may be using by now.
        let (handover, number) = &self.viewer;
        let is_taken = handover.state.borrow().viewer.is_some_and(|now| now != *number);
        if !is_taken || self.page != handover.page {
            self.session.send(StopScreencast {}).ignore();
        }
    }
}
