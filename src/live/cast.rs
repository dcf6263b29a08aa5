//! Pictures of a page, the newest only: as many as the viewer takes, and none while nothing changes.
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
/// The same for a line that takes long.
const LOW_QUALITY: u32 = 40;
const LOW_WIDTH: u32 = 960;
/// How many bytes a picture's number takes.
const NUMBER: usize = 4;
/// From which delay on a line counts as slow, and how long one is waited for.
const SLOW: Duration = Duration::from_millis(300);
const LONGEST_WAIT: Duration = Duration::from_secs(1);

/// The pictures of one page for one viewer.
pub(super) struct Cast {
    session: CdpSession,
    page: Page,
    /// Of which viewer of which hand-over it is.
    viewer: (Arc<Handover>, u64),
    events: Events,
    /// What the viewer has not been sent yet, behind room for its number.
    newest: Option<Vec<u8>>,
    /// What the browser waits for to hear.
    owed: Vec<i64>,
    /// The picture that is on its way, since when.
    sent: Option<(u32, Instant)>,
    number: u32,
    slow: bool,
    /// Width and height of what is shown, in the page's own pixels.
    pub(super) size: (f64, f64),
}

impl Cast {
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

    /// Waits for the next picture, or until the viewer has been silent for so long that newer ones are wanted.
    pub(super) async fn next(&mut self) -> Option<()> {
        let late = match (self.sent, self.owed.is_empty()) {
            (Some((_, since)), false) => Some(since + LONGEST_WAIT),
            _ => None,
        };
        let event = match late.filter(|late| *late > Instant::now()) {
            Some(late) => tokio::select! {
                event = self.events.next() => event?,
                () = tokio::time::sleep_until(late) => {
                    self.thank();
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
                self.thank();
            }
        }
        Some(())
    }

    /// Tells the browser that it may go on.
    fn thank(&mut self) {
        for session_id in self.owed.drain(..) {
            self.session.send(ScreencastFrameAck { session_id }).ignore();
        }
    }

    /// The picture to send now, if there is one and none is on its way.
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

    /// The viewer has shown a picture.
    pub(super) fn shown(&mut self, number: u32) {
        let Some((_, since)) = self.sent.take_if(|(sent, _)| *sent == number) else { return };
        let slow = since.elapsed() > SLOW;
        self.thank();
        if slow != self.slow {
            self.slow = slow;
            self.begin();
        }
    }
}

/// A picture, behind room for its number.
fn numbered(data: &str) -> Option<Vec<u8>> {
    let mut picture = Vec::with_capacity(NUMBER + data.len() / 4 * 3);
    picture.extend([0; NUMBER]);
    BASE64_STANDARD.decode_vec(data, &mut picture).ok()?;
    Some(picture)
}

impl Drop for Cast {
    fn drop(&mut self) {
        // Whoever has taken the viewer's place is shown pictures by now, and the browser knows of one showing only.
        let (handover, number) = &self.viewer;
        let is_taken = handover.state.borrow().viewer.is_some_and(|now| now != *number);
        if !is_taken || self.page != handover.page {
            self.session.send(StopScreencast {}).ignore();
        }
    }
}
