//! The effects of an action on other pages of the context: on the opener of a closed popup, and on pages that
//! receive a message, a storage event or a changed cookie.
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures_util::future::join_all;
use serde::Deserialize;
use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};

use crate::browser::objects::journal::{Mark, Pending};
use crate::browser::objects::page::Page;
use crate::browser::objects::world::World;

/// A page other than the one acted on, and what the action changed there.
#[derive(Debug, Clone)]
pub struct Reached {
    pub page: Page,
    /// It has loaded another document.
    pub navigated: bool,
    /// Its new texts.
    pub texts: Vec<String>,
}

/// The number of other pages that are watched, the newest first.
const MOST: usize = 8;
/// How long other pages may take to start the watch; an action does not wait for one that hangs.
const BEGIN_LIMIT: Duration = Duration::from_millis(60);
const ANSWER_LIMIT: Duration = Duration::from_millis(150);
/// How long the opener of a closed page may take to react.
const MESSAGE_LIMIT: Duration = Duration::from_millis(300);
/// How long a page that received a message must be quiet.
const QUIET: Duration = Duration::from_millis(60);
/// How long a page must be quiet if no event explains its change. Timers of hidden pages run once a second.
const TIMER_PERIOD: Duration = Duration::from_millis(1100);
const PAUSE: Duration = Duration::from_millis(20);
/// How long to wait for such a page: in general, and while it has pending requests.
const LIMIT: Duration = Duration::from_secs(1);
const REQUEST_LIMIT: Duration = Duration::from_secs(5);

/// Watches the other pages, from before an action on.
#[derive(Debug)]
pub(super) struct Neighbours {
    /// The opener of the page acted on.
    opener: Option<Page>,
    watched: Vec<Neighbour>,
}

#[derive(Debug)]
struct Neighbour {
    page: Page,
    mark: Mark,
    begun: Arc<OnceLock<(World, u32)>>,
}

#[derive(Debug, Default, Deserialize)]
struct Attended {
    heard: u32,
    changes: u32,
    quiet: f64,
    /// Whether it is known to change by itself.
    restless: bool,
    texts: Vec<String>,
}

impl Page {
    /// The open pages that opened this one or were opened by it.
    fn relatives(&self) -> Vec<Self> {
        let pages = self.context().pages().into_iter().filter(|page| page != self);
        let opener = self.opener();
        let is_relative = |page: &Self| Some(page) == opener.as_ref() || page.opener().as_ref() == Some(self);
        pages.filter(is_relative).collect()
    }

    /// Waits until the opener and the popups of this page have received pending messages.
    pub async fn until_relatives_heard(&self) {
        let relatives = self.relatives();
        if relatives.is_empty() {
            return;
        }
        self.take_turn().await;
        join_all(relatives.iter().map(Self::take_turn)).await;
    }

    async fn take_turn(&self) {
        if self.is_at_work() {
            return;
        }
        let turn = async { self.main_frame().utility().await?.call::<()>("turn", &[]).await };
        let _ = timeout(ANSWER_LIMIT, turn).await;
    }

    /// Whether the page is busy, so that it cannot be queried now.
    fn is_at_work(&self) -> bool {
        self.is_closed()
            || self.is_crashed()
            || self.is_discarded()
            || !self.is_ready()
            || self.dialog().is_some()
    }

    /// Starts to watch the other pages of the context.
    pub(super) async fn watch_neighbours(&self) -> Neighbours {
        let pages = self.context().pages().into_iter().rev();
        let pages = pages.filter(|page| page != self && !page.is_at_work()).take(MOST);
        let (watched, begun): (Vec<_>, Vec<_>) = pages.map(Neighbour::begin).unzip();
        let _ = timeout(BEGIN_LIMIT, join_all(begun)).await;
        Neighbours { opener: self.opener(), watched }
    }
}

impl Neighbours {
    /// Waits for the effects of the action on other pages, until they are quiet. `closed`: the page acted on is gone.
    pub(super) async fn settle(self, acted: Instant, closed: bool) -> Vec<Reached> {
        let Self { opener, watched } = self;
        let settled = watched.iter().map(|neighbour| {
            let awaits = closed && opener.as_ref() == Some(&neighbour.page);
            neighbour.settle(acted, awaits)
        });
        join_all(settled).await.into_iter().flatten().collect()
    }
}

impl Neighbour {
    /// Starts to watch a page. The returned task ends when the watch has started.
    fn begin(page: Page) -> (Self, JoinHandle<()>) {
        let neighbour = Self { mark: page.mark(), page, begun: Arc::default() };
        let (page, begun) = (neighbour.page.clone(), Arc::clone(&neighbour.begun));
        let beginning = tokio::spawn(async move {
            if let Ok(world) = page.main_frame().utility().await
                && let Ok(number) = world.call("attend", &[]).await
            {
                let _ = begun.set((world, number));
            }
        });
        (neighbour, beginning)
    }

    /// Waits until the page is quiet. `None` if nothing has changed; `awaits`: a change is likely.
    async fn settle(&self, acted: Instant, awaits: bool) -> Option<Reached> {
        let called = Instant::now();
        let mut attended = self.attended().await.unwrap_or_default();
        loop {
            let pending = self.page.pending_since(self.mark);
            if pending.gone || pending.dialog {
                return None;
            }
            let is_reached = attended.heard > 0 || pending.navigating;
            let is_waited_for = if is_reached {
                is_under_way(&attended, &pending, acted)
            } else {
                awaits && attended.changes == 0 && called.elapsed() < MESSAGE_LIMIT
            };
            if !is_waited_for {
                let is_news =
                    is_reached || (attended.changes > 0 && !self.changes_by_itself(&attended).await);
                let (navigated, texts) = (pending.committed, attended.texts);
                return (is_news && (navigated || !texts.is_empty())).then(|| Reached {
                    page: self.page.clone(),
                    navigated,
                    texts,
                });
            }
            sleep(PAUSE).await;
            attended = self.attended().await.unwrap_or_default();
        }
    }

    /// Whether the page keeps changing by itself, or is too busy to answer. Such a page is remembered, so that
    /// this costs time only once.
    async fn changes_by_itself(&self, before: &Attended) -> bool {
        if before.restless {
            return true;
        }
        let begun = Instant::now();
        while begun.elapsed() < TIMER_PERIOD {
            sleep(QUIET).await;
            if self.attended().await.is_none_or(|now| now.changes > before.changes) {
                if let Some((world, _)) = self.begun.get() {
                    let _ = timeout(ANSWER_LIMIT, world.call::<()>("markRestless", &[])).await;
                }
                return true;
            }
        }
        false
    }

    /// The page's report about the watch. `None` if it does not answer in time.
    async fn attended(&self) -> Option<Attended> {
        let (world, number) = self.begun.get()?;
        let number = [(*number).into()];
        timeout(ANSWER_LIMIT, world.call("attended", &number)).await.ok()?.ok()
    }
}

impl Drop for Neighbour {
    fn drop(&mut self) {
        if let (Some((world, number)), Ok(runtime)) = (self.begun.get().cloned(), Handle::try_current()) {
            runtime.spawn(async move { world.call::<()>("unattend", &[number.into()]).await });
        }
    }
}

/// Whether the effects on a page are still in progress.
fn is_under_way(attended: &Attended, pending: &Pending, acted: Instant) -> bool {
    let loads = pending.requests > 0 || pending.loading > 0;
    if loads || (pending.navigating && !pending.committed) {
        return acted.elapsed() < REQUEST_LIMIT;
    }
    !pending.committed && attended.quiet < QUIET.as_secs_f64() * 1000.0 && acted.elapsed() < LIMIT
}
