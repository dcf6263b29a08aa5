//! The effects of an action on other pages of the context: on the opener of a closed popup, and on pages that
//! receive a message, a storage event or a changed cookie.
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures_util::future::join_all;
use serde::Deserialize;
use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};

use crate::browser::objects::journal::{ActionEffects, JournalMark};
use crate::browser::objects::page::Page;
use crate::browser::objects::world::UtilityWorld;

/// A page other than the one acted on, and what the action changed there.
#[derive(Debug, Clone)]
pub struct AffectedPage {
    pub page: Page,
    /// Whether the page has loaded another document.
    pub navigated: bool,
    /// The new texts of the page.
    pub texts: Vec<String>,
}

/// The maximum number of other pages to watch. The newest pages are watched first.
const MOST: usize = 8;
/// How long to wait until the context's other pages are watched. An action starts without pages that take longer.
const BEGIN_LIMIT: Duration = Duration::from_millis(60);
const ANSWER_LIMIT: Duration = Duration::from_millis(150);
/// How long the opener of a closed page may take to react.
const MESSAGE_LIMIT: Duration = Duration::from_millis(300);
/// How long a page that received a message must stay quiet before it counts as settled.
const QUIET: Duration = Duration::from_millis(60);
/// How long to watch a page that changed although it received no event. Browsers run the timers of hidden pages once a
/// second.
const TIMER_PERIOD: Duration = Duration::from_millis(1100);
const PAUSE: Duration = Duration::from_millis(20);
/// How long after the action to wait for another page to become quiet.
const LIMIT: Duration = Duration::from_secs(1);
/// Like `LIMIT`, for a page with pending requests or a navigation.
const REQUEST_LIMIT: Duration = Duration::from_secs(5);

/// A recording of the effects on other pages, which begins before the action.
#[derive(Debug)]
pub(super) struct OtherPagesWatch {
    /// The opener of the page acted on.
    opener: Option<Page>,
    watched: Vec<OtherPageWatch>,
}

#[derive(Debug)]
struct OtherPageWatch {
    page: Page,
    mark: JournalMark,
    begun: Arc<OnceLock<(UtilityWorld, u32)>>,
}

#[derive(Debug, Default, Deserialize)]
struct OtherPageReport {
    heard: u32,
    changes: u32,
    quiet: f64,
    /// Whether the page is known to change by itself.
    restless: bool,
    texts: Vec<String>,
}

impl Page {
    /// Returns the open pages that opened this page or were opened by it.
    fn opener_and_popups(&self) -> Vec<Self> {
        let pages = self.context().pages().into_iter().filter(|page| page != self);
        let opener = self.opener();
        let is_relative = |page: &Self| Some(page) == opener.as_ref() || page.opener().as_ref() == Some(self);
        pages.filter(is_relative).collect()
    }

    /// Waits until the opener and the popups of this page have handled pending messages.
    pub async fn until_opener_and_popups_ran_tasks(&self) {
        let opener_and_popups = self.opener_and_popups();
        if opener_and_popups.is_empty() {
            return;
        }
        self.take_turn().await;
        join_all(opener_and_popups.iter().map(Self::take_turn)).await;
    }

    async fn take_turn(&self) {
        if self.cannot_be_queried() {
            return;
        }
        let turn = async { self.main_frame().utility_world().await?.call::<()>("turn", &[]).await };
        let _ = timeout(ANSWER_LIMIT, turn).await;
    }

    /// Whether the page cannot be queried now: it is gone, not ready, or has an open dialog.
    fn cannot_be_queried(&self) -> bool {
        self.is_closed()
            || self.is_crashed()
            || self.is_discarded()
            || !self.is_ready()
            || self.dialog().is_some()
    }

    /// Starts to watch the other pages of the context.
    pub(super) async fn watch_neighbours(&self) -> OtherPagesWatch {
        let pages = self.context().pages().into_iter().rev();
        let pages = pages.filter(|page| page != self && !page.cannot_be_queried()).take(MOST);
        let (watched, begun): (Vec<_>, Vec<_>) = pages.map(OtherPageWatch::begin).unzip();
        let _ = timeout(BEGIN_LIMIT, join_all(begun)).await;
        OtherPagesWatch { opener: self.opener(), watched }
    }
}

impl OtherPagesWatch {
    /// Waits until the other pages are quiet. Returns the affected ones. `closed`: the page acted on is gone.
    pub(super) async fn settle(self, acted: Instant, closed: bool) -> Vec<AffectedPage> {
        let Self { opener, watched } = self;
        let settled = watched.iter().map(|neighbour| {
            let awaits = closed && opener.as_ref() == Some(&neighbour.page);
            neighbour.settle(acted, awaits)
        });
        join_all(settled).await.into_iter().flatten().collect()
    }
}

impl OtherPageWatch {
    /// Starts to watch a page. The returned task ends when the watch has started.
    fn begin(page: Page) -> (Self, JoinHandle<()>) {
        let neighbour = Self { mark: page.mark(), page, begun: Arc::default() };
        let (page, begun) = (neighbour.page.clone(), Arc::clone(&neighbour.begun));
        let beginning = tokio::spawn(async move {
            if let Ok(world) = page.main_frame().utility_world().await
                && let Ok(number) = world.call("attend", &[]).await
            {
                let _ = begun.set((world, number));
            }
        });
        (neighbour, beginning)
    }

    /// Waits until the page is quiet. Returns `None` if nothing changed. `awaits`: a change is expected.
    async fn settle(&self, acted: Instant, awaits: bool) -> Option<AffectedPage> {
        let called = Instant::now();
        let mut attended = self.attended().await.unwrap_or_default();
        loop {
            let pending = self.page.effects_since(self.mark);
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
                return (is_news && (navigated || !texts.is_empty())).then(|| AffectedPage {
                    page: self.page.clone(),
                    navigated,
                    texts,
                });
            }
            sleep(PAUSE).await;
            attended = self.attended().await.unwrap_or_default();
        }
    }

    /// Whether the page keeps changing by itself, or is too busy to answer. Marks such a page, so that
    /// the check costs time only once.
    async fn changes_by_itself(&self, before: &OtherPageReport) -> bool {
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

    /// Returns what the page has recorded; `None` if the page does not answer in time.
    async fn attended(&self) -> Option<OtherPageReport> {
        let (world, number) = self.begun.get()?;
        let number = [(*number).into()];
        timeout(ANSWER_LIMIT, world.call("attended", &number)).await.ok()?.ok()
    }
}

impl Drop for OtherPageWatch {
    fn drop(&mut self) {
        if let (Some((world, number)), Ok(runtime)) = (self.begun.get().cloned(), Handle::try_current()) {
            runtime.spawn(async move { world.call::<()>("unattend", &[number.into()]).await });
        }
    }
}

/// Whether the effects on a page are still in progress.
fn is_under_way(attended: &OtherPageReport, pending: &ActionEffects, acted: Instant) -> bool {
    let loads = pending.requests > 0 || pending.loading > 0;
    if loads || (pending.navigating && !pending.committed) {
        return acted.elapsed() < REQUEST_LIMIT;
    }
    !pending.committed && attended.quiet < QUIET.as_secs_f64() * 1000.0 && acted.elapsed() < LIMIT
}
