//! Screencasts for viewers that only watch. Frames are captured on request, and only of a changed page.
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout};

use crate::Result;
use crate::browser::{Page, RawSession};
use crate::cdp::Event as _;
use crate::cdp::types::page::ScreencastFrame;

const QUALITY: u32 = 60;
const WIDTH: u32 = 800;
const HEIGHT: u32 = 1000;
/// How long a screencast continues without being requested.
const IDLE: Duration = Duration::from_secs(10);
const RHYTHM: Duration = Duration::from_secs(1);
const COMMAND_LIMIT: Duration = Duration::from_secs(5);

/// The watched pages, by page id.
#[derive(Debug, Default)]
pub(super) struct WatchedPages {
    open: Arc<Mutex<HashMap<String, Arc<WatchedPage>>>>,
    /// Locked while a screencast starts, so that two concurrent requests for a page start only one.
    beginning: tokio::sync::Mutex<()>,
}

/// A screencast frame: a JPEG in Base64, and its number.
#[derive(Debug, Clone)]
pub struct LiveFrame {
    pub number: u64,
    pub data: Arc<str>,
}

/// A page with a screencast for viewers that only watch.
#[derive(Debug)]
struct WatchedPage {
    /// A separate CDP session: the main session's screencast is for the person who controls the page.
    session: RawSession,
    newest: watch::Sender<Option<LiveFrame>>,
    /// Frames not acknowledged yet. The browser sends only a few before it waits for acknowledgements.
    unacknowledged: Mutex<Vec<i64>>,
    looked: Mutex<Instant>,
}

impl WatchedPages {
    /// Returns the newest frame if its number differs from `seen`. Waits up to `patience`; `None` after that.
    pub(super) async fn look(&self, page: &Page, seen: u64, patience: Duration) -> Result<Option<LiveFrame>> {
        let show = self.show(page).await?;
        *show.looked.lock() = Instant::now();
        let mut newest = show.newest.subscribe();
        let is_new = |picture: &Option<LiveFrame>| picture.as_ref().is_some_and(|one| one.number != seen);
        let picture = match timeout(patience, newest.wait_for(is_new)).await {
            Ok(Ok(picture)) => picture.clone(),
            Ok(Err(_)) | Err(_) => None,
        };
        if picture.is_some() {
            show.acknowledge().await;
        }
        Ok(picture)
    }

    async fn show(&self, page: &Page) -> Result<Arc<WatchedPage>> {
        let _turn = self.beginning.lock().await;
        let known = self.open.lock().get(page.id()).cloned();
        if let Some(known) = known {
            return Ok(known);
        }
        let session = page.context().attach_dedicated_session(page.main_frame()).await?;
        let (newest, unacknowledged, looked) =
            (watch::Sender::new(None), Mutex::default(), Mutex::new(Instant::now()));
        let show = Arc::new(WatchedPage { session, newest, unacknowledged, looked });
        show.begin().await?;
        self.open.lock().insert(page.id().to_owned(), Arc::clone(&show));
        tokio::spawn(end_when_idle(Arc::clone(&self.open), page.clone(), Arc::clone(&show)));
        Ok(show)
    }
}

impl WatchedPage {
    async fn begin(self: &Arc<Self>) -> Result<()> {
        let show = Arc::downgrade(self);
        self.session.forward_events(Arc::new(move |method, event| {
            let show = show.upgrade().filter(|_| method == ScreencastFrame::METHOD);
            let Some(show) = show else { return };
            if let Ok(frame) = serde_json::from_slice::<ScreencastFrame>(event) {
                show.unacknowledged.lock().push(frame.session_id);
                let number = show.newest.borrow().as_ref().map_or(1, |last| last.number + 1);
                show.newest.send_replace(Some(LiveFrame { number, data: frame.data.as_str().into() }));
            }
        }));
        let size = json!({ "format": "jpeg", "quality": QUALITY, "maxWidth": WIDTH, "maxHeight": HEIGHT });
        self.send("Page.startScreencast", &size).await.map(drop)
    }

    async fn send(&self, method: &str, parameters: &Value) -> Result<Value> {
        self.session.send(method, parameters, COMMAND_LIMIT).await
    }

    /// Acknowledges all received frames to the browser, which then sends more.
    async fn acknowledge(&self) {
        let unacknowledged = std::mem::take(&mut *self.unacknowledged.lock());
        for number in unacknowledged {
            let _ = self.send("Page.screencastFrameAck", &json!({ "sessionId": number })).await;
        }
    }
}

async fn end_when_idle(
    open: Arc<Mutex<HashMap<String, Arc<WatchedPage>>>>,
    page: Page,
    show: Arc<WatchedPage>,
) {
    while !page.is_closed() && show.looked.lock().elapsed() < IDLE {
        sleep(RHYTHM).await;
    }
    open.lock().remove(page.id());
    let _ = show.send("Page.stopScreencast", &json!({})).await;
    let _ = show.session.detach().await;
}
