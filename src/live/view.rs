//! Manages all hand-overs of a server: opens, finds and ends them.
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout};

use super::admission::{self, Admission};
use super::handover::{CallHistory, Handover, HandoverState};
use super::show::{LiveFrame, WatchedPages};
use crate::browser::Page;
use crate::error::{Error, Result};
use crate::session::handoff::HandoverOutcome;

/// How long to wait until the live view's HTTP listener is open.
const OPENING_LIMIT: Duration = Duration::from_secs(5);
/// How long a person may be disconnected before the agent regains control of the page.
pub(super) const GRACE: Duration = Duration::from_secs(30);
/// How often to check whether the person is still connected.
const RHYTHM: Duration = Duration::from_millis(500);

/// The permissions of a person in the live view.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum LiveViewMode {
    /// No live view.
    Off,
    /// The person can look only.
    Watch,
    /// The person can take over the page.
    Control,
}

/// How a person is authenticated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum VisitorAuth {
    /// By the code that the MCP client shows to its user along with the link.
    Code,
    /// By the API key of the page's owner.
    Key,
    /// By a header that a trusted proxy sets and a visitor cannot set.
    Header(String),
}

/// Options of the live view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiveViewOptions {
    /// `None`: `Control` for browsers without windows, `Off` for browsers with windows.
    pub mode: Option<LiveViewMode>,
    /// The public URL, if a proxy is in front of this server.
    pub url: Option<String>,
    /// How long a link can be opened, and how long the person may stay afterwards.
    pub limit: Duration,
    pub entry: VisitorAuth,
}

impl Default for LiveViewOptions {
    fn default() -> Self {
        Self { mode: None, url: None, limit: Duration::from_secs(600), entry: VisitorAuth::Code }
    }
}

/// All hand-overs of a server. Cheap to clone; clones share everything.
#[derive(Debug, Clone)]
pub struct LiveView {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    options: LiveViewOptions,
    /// The name of this server if there are several; its links contain the name.
    server: Option<String>,
    open: Mutex<HashMap<String, Arc<Handover>>>,
    /// The number of open hand-overs. The HTTP listener of the live view is open while this is not zero.
    wanted: watch::Sender<usize>,
    /// The base URL of the links; `None` while no HTTP listener is open.
    base: watch::Sender<Option<String>>,
    /// Pages that are watched without a link.
    shows: WatchedPages,
}

/// The page for which a person is invited, and the reason.
#[derive(Debug)]
pub struct HandoverRequest<'a> {
    pub page: &'a Page,
    /// The owner of the page, if the server has several owners.
    pub owner: Option<Arc<str>>,
    /// Who asks, and for what; shown to the person.
    pub who: String,
    pub why: String,
    /// The URL that requires HTTP authentication, if that is the reason.
    pub login: Option<String>,
    pub calls: CallHistory,
}

impl LiveView {
    /// Creates the live view. `server` is the name of this server, if there are several.
    pub fn new(options: LiveViewOptions, server: Option<String>) -> Self {
        let (open, wanted) = (Mutex::default(), watch::Sender::new(0));
        let (base, shows) = (watch::Sender::new(None), WatchedPages::default());
        let inner = Inner { options, server, open, wanted, base, shows };
        Self { inner: Arc::new(inner) }
    }

    pub fn options(&self) -> &LiveViewOptions {
        &self.inner.options
    }

    /// Returns a receiver for changes of the number of open hand-overs.
    pub fn watch_open_handovers(&self) -> watch::Receiver<usize> {
        self.inner.wanted.subscribe()
    }

    /// Sets the base URL at which visitors reach this server; `None` while the server does not listen.
    pub fn set_base_url(&self, base: Option<String>) {
        let base = base.map(|base| self.options().url.clone().unwrap_or(base));
        self.inner.base.send_replace(base.map(|base| base.trim_end_matches('/').to_owned()));
    }

    /// Returns the newest frame of a page for a viewer that has seen frame number `seen`. Waits up to `patience` for
    /// another frame; `None` if there is none.
    pub async fn next_frame(&self, page: &Page, seen: u64, patience: Duration) -> Result<Option<LiveFrame>> {
        self.inner.shows.look(page, seen, patience).await
    }

    /// Returns the permissions of a person on this page.
    pub fn mode_for(&self, page: &Page) -> LiveViewMode {
        let windowless = || page.context().browser().is_ok_and(|browser| browser.is_headless());
        match self.options().mode {
            Some(mode) => mode,
            None if windowless() => LiveViewMode::Control,
            None => LiveViewMode::Off,
        }
    }

    /// Opens a hand-over for a page, or returns the open one. Returns `None` if it cannot be opened.
    pub async fn start_handover(&self, wish: HandoverRequest<'_>) -> Option<Arc<Handover>> {
        if let Some(open) = self.handover_for_page(wish.page) {
            return Some(open);
        }
        let mode = self.mode_for(wish.page);
        let mut id = admission::name().ok()?;
        if let Some(server) = &self.inner.server {
            id = format!("{id}.{server}");
        }
        let admission = Admission::new().ok()?;
        let mut base = self.inner.base.subscribe();
        // The slot makes the HTTP listener open. The listener then sets the base URL.
        let place = HandoverSlot::take(&self.inner);
        let base = timeout(OPENING_LIMIT, base.wait_for(Option::is_some)).await.ok()?.ok()?.clone()?;
        let now = Instant::now();
        let limit = self.options().limit;
        let handover = Arc::new(Handover {
            link: format!("{base}/live/{id}"),
            id,
            owner: wish.owner,
            page: wish.page.clone(),
            _kept: wish.page.keep_loaded(),
            who: wish.who,
            why: wish.why,
            login: wish.login,
            logins: AtomicU32::new(0),
            mode,
            calls: wish.calls,
            admission,
            link_ends: now + limit,
            ends: now + 2 * limit,
            state: watch::Sender::new(HandoverState::default()),
            files: Mutex::default(),
        });
        self.inner.open.lock().insert(handover.id.clone(), Arc::clone(&handover));
        tokio::spawn(watch_over(Arc::clone(&handover), place));
        Some(handover)
    }

    /// Returns the hand-over of a link; `None` if it never existed or has ended.
    pub fn find_handover(&self, id: &str) -> Option<Arc<Handover>> {
        self.inner.open.lock().get(id).filter(|handover| handover.allows_entry()).cloned()
    }

    /// Returns the name of the server to which a link belongs; `None` for this server's own links.
    pub fn other_server_of_link<'a>(&self, id: &'a str) -> Option<&'a str> {
        let (_, server) = id.rsplit_once('.')?;
        self.inner.server.as_ref().filter(|own| *own != server).map(|_| server)
    }

    /// Returns the open hand-over of this page, if any.
    pub fn handover_for_page(&self, page: &Page) -> Option<Arc<Handover>> {
        let open = self.inner.open.lock();
        open.values().find(|handover| handover.page == *page && handover.allows_entry()).cloned()
    }

    /// Returns the hand-over through which a person controls this page now, if any.
    pub fn controlling_handover(&self, page: &Page) -> Option<Arc<Handover>> {
        let open = self.inner.open.lock();
        open.values().find(|handover| handover.person_has_control() && handover.covers(page)).cloned()
    }
}

/// Counts as one open hand-over until it is dropped, which keeps the HTTP listener open.
struct HandoverSlot {
    live: Arc<Inner>,
}

impl HandoverSlot {
    fn take(live: &Arc<Inner>) -> Self {
        live.wanted.send_modify(|wanted| *wanted += 1);
        Self { live: Arc::clone(live) }
    }
}

impl Drop for HandoverSlot {
    fn drop(&mut self) {
        self.live.wanted.send_modify(|wanted| *wanted -= 1);
    }
}

/// Ends a hand-over when its time is over, the person has left, or the page has closed or crashed.
async fn watch_over(handover: Arc<Handover>, place: HandoverSlot) {
    let looking = async {
        loop {
            tokio::select! {
                why = handover.page.until_unusable() => return match why {
                    Error::PageCrashed => HandoverOutcome::Crashed,
                    _ => HandoverOutcome::Closed,
                },
                () = sleep(RHYTHM) => {}
            }
            let now = Instant::now();
            let (left, came) = {
                let state = handover.state.borrow();
                let left = state.viewer.is_none().then_some(state.left).flatten();
                (left, state.viewers_ever > 0)
            };
            let late = if came { handover.ends <= now } else { handover.link_ends <= now };
            if late {
                return HandoverOutcome::Over;
            }
            if left.is_some_and(|left| left + GRACE <= now) {
                return HandoverOutcome::Left;
            }
        }
    };
    tokio::select! {
        outcome = looking => handover.finish(outcome),
        _ = handover.wait_for_end() => {}
    }
    handover.forget();
    // Leaves the viewer time to receive the outcome before its connection closes.
    sleep(RHYTHM).await;
    place.live.open.lock().remove(&handover.id);
}
