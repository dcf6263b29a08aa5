//! Screencasts: streams of a page's frames as JPEG images. A page cannot detect its screencast.
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};

use parking_lot::Mutex;
use serde::Deserialize;

use super::cast_frame::ScreencastImage;
use super::lay::CaptionLayers;
use crate::browser::objects::hooks::{Extensions, Hooks};
use crate::browser::objects::listeners::Listener;
use crate::browser::objects::page::{KeepPageLoadedGuard, Page};
use crate::cdp::types::page::{ScreencastFrame, StartScreencast, StopScreencast};
use crate::cdp::{CdpSession, Event as _};

/// Options of a screencast. Watchers of one page share its screencast, with the first watcher's options.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ScreencastOptions {
    /// The maximum width and height in pixels. Frames are scaled down to fit. Default: 800 by 800.
    pub size: Option<(u32, u32)>,
    /// The JPEG quality from 0 to 100. Default: 80.
    pub quality: Option<u32>,
}

/// The default of [`ScreencastOptions::size`].
const USUAL_SIZE: (u32, u32) = (800, 800);
const USUAL_QUALITY: u32 = 80;

type Watchers = Vec<(u64, Listener<ScreencastImage>)>;

/// The running screencast of a page, which all its watchers share.
struct RunningScreencast {
    session: CdpSession,
    watchers: Mutex<Watchers>,
    next: AtomicU64,
    _kept: KeepPageLoadedGuard,
}

impl Drop for RunningScreencast {
    fn drop(&mut self) {
        self.session.send(StopScreencast {}).ignore();
    }
}

/// A watcher's part in a screencast. Drop it to stop watching.
pub struct Screencast {
    cast: Arc<RunningScreencast>,
    number: u64,
}

impl Drop for Screencast {
    fn drop(&mut self) {
        self.cast.watchers.lock().retain(|(number, _)| *number != self.number);
    }
}

/// The hooks that give each page storage for its running screencast.
pub(in crate::browser) struct ScreencastHooks;

impl Hooks for ScreencastHooks {
    fn extend_page(&self, extensions: &mut Extensions) {
        extensions.add::<Mutex<Weak<RunningScreencast>>>();
    }
}

impl Page {
    /// Starts to pass the page's frames to `watcher`, until the returned value is dropped or the page closes.
    pub fn start_screencast(
        &self,
        options: ScreencastOptions,
        watcher: Listener<ScreencastImage>,
    ) -> Screencast {
        let cast = {
            let mut known = self.extension::<Mutex<Weak<RunningScreencast>>>().lock();
            known.upgrade().unwrap_or_else(|| {
                let cast = RunningScreencast::start(self, options);
                *known = Arc::downgrade(&cast);
                cast
            })
        };
        let number = cast.next.fetch_add(1, Ordering::Relaxed);
        cast.watchers.lock().push((number, watcher));
        Screencast { cast, number }
    }
}

impl RunningScreencast {
    fn start(page: &Page, options: ScreencastOptions) -> Arc<Self> {
        let session = page.session();
        let cast = Self {
            session: session.clone(),
            watchers: Mutex::default(),
            next: AtomicU64::default(),
            _kept: page.keep_loaded(),
        };
        let cast = Arc::new(cast);
        let mut events = session.events(&[ScreencastFrame::METHOD]);
        let mut layers = CaptionLayers::of(page);
        let acknowledging = session.clone();
        let (width, height) = options.size.unwrap_or(USUAL_SIZE);
        let start = StartScreencast {
            format: Some("jpeg".to_owned()),
            quality: Some(options.quality.unwrap_or(USUAL_QUALITY)),
            max_width: Some(width),
            max_height: Some(height),
            every_nth_frame: Some(1),
        };
        session.send(start).ignore();
        let watched = Arc::downgrade(&cast);
        tokio::spawn(async move {
            loop {
                let taken = tokio::select! {
                    event = events.next() => match event.map(|event| event.read::<ScreencastFrame>()) {
                        Some(frame_event) => frame_event.and_then(|frame_event| ScreencastImage::read(&acknowledging, frame_event)),
                        None => break,
                    },
                    again = layers.changed() => again,
                };
                let Some(frame) = taken else { continue };
                let frame = layers.over(frame).await;
                let Some(cast) = watched.upgrade() else { return };
                cast.show(&frame);
                layers.shown();
            }
            end(&watched);
        });
        cast
    }

    fn show(&self, frame: &ScreencastImage) {
        let watchers: Vec<_> = self.watchers.lock().iter().map(|(_, watcher)| watcher.clone()).collect();
        for watcher in watchers {
            watcher(frame);
        }
    }
}

/// Drops all watchers of a screencast when its page is gone.
fn end(watched: &Weak<RunningScreencast>) {
    if let Some(cast) = watched.upgrade() {
        cast.watchers.lock().clear();
    }
}
