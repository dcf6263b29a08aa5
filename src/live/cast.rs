//! Sends pictures of a page to a viewer: only the newest, at the rate the viewer can display, and none while the page does not change.
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
/// The JPEG quality over a slow connection.
const LOW_QUALITY: u32 = 40;
const LOW_WIDTH: u32 = 960;
/// The size of a picture's number in bytes.
const NUMBER: usize = 4;
/// The delay from which a connection counts as slow, and the longest time that a slow picture is waited for.
const SLOW: Duration = Duration::from_millis(300);
const LONGEST_WAIT: Duration = Duration::from_secs(1);

/// The stream of pictures of one page to one viewer.
pub(super) struct PageStream {
    session: CdpSession,
    page: Page,
    /// The hand-over, and the number of its viewer.
    viewer: (Arc<Handover>, u64),
    events: Events,
    /// The next picture to send, with free bytes in front for its number.
    newest: Option<Vec<u8>>,
    /// Frames that are not acknowledged to the browser yet.
    owed: Vec<i64>,
    /// The picture that was sent and is not confirmed yet, with the time of sending.
    sent: Option<(u32, Instant)>,
    number: u32,
    slow: bool,
    /// Width and height of the picture's content in CSS pixels of the page.
    pub(super) size: (f64, f64),
}

impl PageStream {
    pub(super) fn start(page: &Page, viewer: (Arc<Handover>, u64)) -> Self {
        let (page, session) = (page.clone(), page.session().clone());
        let events = session.events(&[ScreencastFrame::METHOD]);
        let (newest, owed, sent) = (None, Vec::new(), None);
        let (number, slow, size) = (0, false, (0.0, 0.0));
        let cast = Self { session, page, viewer, events, newest, owed, sent, number, slow, size };
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

    /// Waits for the next picture, or until a silent viewer needs newer ones.
    pub(super) async fn next(&mut self) -> Option<()> {
        let late = match (self.sent, self.owed.is_empty()) {
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
            self.owed.push(frame.session_id);
            if late.is_some_and(|late| late <= Instant::now()) {
                // The viewer is stuck: what it sees when it comes back shall be the present.
                self.acknowledge();
            }
        }
        Some(())
    }

    /// Acknowledges frames, so that the browser sends more.
    fn acknowledge(&mut self) {
        for session_id in self.owed.drain(..) {
            self.session.send(ScreencastFrameAck { session_id }).ignore();
        }
    }

    /// Takes the picture to send now; `None` if there is none or if one is still unconfirmed.
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

    /// The viewer confirms that it has displayed a picture.
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

/// Decodes a picture, with free bytes in front for its number.
fn numbered(data: &str) -> Option<Vec<u8>> {
    let mut picture = Vec::with_capacity(NUMBER + data.len() / 4 * 3);
    picture.extend([0; NUMBER]);
    BASE64_STANDARD.decode_vec(data, &mut picture).ok()?;
    Some(picture)
}

impl Drop for PageStream {
    fn drop(&mut self) {
        // Whoever has taken the viewer's place is shown pictures by now, and the browser knows of one showing only.
        let (handover, number) = &self.viewer;
        let is_taken = handover.state.borrow().viewer.is_some_and(|now| now != *number);
        if !is_taken || self.page != handover.page {
            self.session.send(StopScreencast {}).ignore();
        }
    }
}
