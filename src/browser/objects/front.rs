//! Focus emulation. Pages in use behave as focused, since browsers do not render background pages. All other
//! pages of a context behave as background pages. If a single page is in use, the browser also shows its tab.
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::context::BrowserContext;
use super::hooks::{Extensions, Hooks};
use super::page::{Page, WeakPage};
use crate::cdp::types::target::ActivateTarget;

/// How long a page stays focused after its last use, even if another page is used. Longer than the interval at which
/// callers poll a page, so that polling two pages in turn does not move the focus.
const LINGER: Duration = Duration::from_millis(400);

/// The pages of a context that behave as focused.
#[derive(Debug, Default)]
pub(in crate::browser) struct FocusedPages {
    shown: Vec<FocusedPage>,
    /// The key of the page that was used last.
    latest: Option<usize>,
    /// The key of the page whose tab the browser shows.
    active: Option<usize>,
    is_resting: bool,
}

#[derive(Debug)]
struct FocusedPage {
    key: usize,
    page: WeakPage,
    /// The number of running operations on the page.
    works: usize,
    idle_since: Instant,
}

/// A guard that marks an operation on a page as running. Dropping it ends the operation.
#[derive(Debug)]
pub(in crate::browser) struct FocusGuard(Option<WeakPage>);

/// Hooks that add the list of focused pages to each context.
pub(in crate::browser) struct FocusHooks;

impl Hooks for FocusHooks {
    fn extend_context(&self, extensions: &mut Extensions) {
        extensions.add::<Mutex<FocusedPages>>();
    }
}

impl BrowserContext {
    /// Returns the context's focused pages; `None` unless `controls_focus`.
    fn front(&self) -> Option<&Mutex<FocusedPages>> {
        self.controls_focus().then(|| self.extension())
    }
}

impl FocusedPages {
    fn find(&mut self, key: usize) -> Option<&mut FocusedPage> {
        self.shown.iter_mut().find(|shown| shown.key == key)
    }

    fn show(&mut self, page: &Page, works: usize) {
        self.shown.push(FocusedPage {
            key: page.instance_id(),
            page: page.downgrade(),
            works,
            idle_since: Instant::now(),
        });
    }

    /// Removes and returns the pages idle for at least `idle`, except the page that was used last.
    fn take_idle(&mut self, idle: Duration) -> Vec<WeakPage> {
        let latest = self.latest;
        let is_over = |shown: &mut FocusedPage| {
            shown.works == 0 && Some(shown.key) != latest && shown.idle_since.elapsed() >= idle
        };
        self.shown.extract_if(.., is_over).map(|shown| shown.page).collect()
    }
}

impl Page {
    /// Makes the page behave as focused. Hold the returned guard during the operation that requires this.
    pub(in crate::browser) fn work(&self) -> FocusGuard {
        let context = self.context();
        let Some(front) = context.front() else { return FocusGuard(None) };
        let key = self.instance_id();
        let (comes, has_others) = {
            let mut front = front.lock();
            front.latest = Some(key);
            let comes = match front.find(key) {
                Some(shown) => {
                    shown.works += 1;
                    false
                }
                None => {
                    front.show(self, 1);
                    true
                }
            };
            (comes, front.shown.len() > 1 || front.active != Some(key))
        };
        if comes {
            self.emulate_focus(true);
        }
        if has_others {
            rest_soon(context);
        }
        FocusGuard(Some(self.downgrade()))
    }

    /// Records that this page is a new tab, which the browser shows instead of its other tabs.
    pub(in crate::browser) fn open_in_front(&self) {
        let Some(front) = self.context().front() else { return };
        let idle = {
            let mut front = front.lock();
            front.show(self, 0);
            front.latest = Some(self.instance_id());
            front.active = front.latest;
            front.take_idle(Duration::ZERO)
        };
        hide(&idle);
    }

    pub(in crate::browser) fn is_in_front(&self) -> bool {
        self.context().front().is_some_and(|front| front.lock().find(self.instance_id()).is_some())
    }
}

impl Drop for FocusGuard {
    fn drop(&mut self) {
        let Some(page) = self.0.take().and_then(|page| page.upgrade()) else { return };
        let Some(front) = page.context().front() else { return };
        let has_others = {
            let mut front = front.lock();
            if let Some(shown) = front.find(page.instance_id()) {
                shown.works = shown.works.saturating_sub(1);
                shown.idle_since = Instant::now();
            }
            front.shown.len() > 1 || front.active != Some(page.instance_id())
        };
        if has_others {
            rest_soon(page.context());
        }
    }
}

fn hide(pages: &[WeakPage]) {
    for page in pages.iter().filter_map(WeakPage::upgrade) {
        page.emulate_focus(false);
    }
}

/// Starts the task that moves idle pages to the background, unless it is running.
fn rest_soon(context: &BrowserContext) {
    let Some(front) = context.front() else { return };
    if std::mem::replace(&mut front.lock().is_resting, true) {
        return;
    }
    let context = context.downgrade();
    tokio::spawn(async move {
        loop {
            tokio::time::sleep(LINGER).await;
            let Some(inner) = context.upgrade() else { return };
            if !rest(&BrowserContext::from_inner(inner)) {
                return;
            }
        }
    });
}

/// Moves idle pages to the background. If a single page remains, shows its tab. Returns whether to repeat.
fn rest(context: &BrowserContext) -> bool {
    let Some(front) = context.front() else { return false };
    let (idle, alone, goes_on) = {
        let mut front = front.lock();
        let idle = front.take_idle(LINGER);
        front.shown.retain(|shown| shown.page.upgrade().is_some_and(|page| !page.is_closed()));
        let alone = match front.shown.as_slice() {
            [shown] if front.active != Some(shown.key) => shown.page.upgrade(),
            _ => None,
        };
        if let Some(page) = &alone {
            front.active = Some(page.instance_id());
        }
        // The end of a running operation calls `rest_soon` again.
        let goes_on = front.shown.len() > 1 && front.shown.iter().any(|shown| shown.works == 0);
        front.is_resting = goes_on;
        (idle, alone, goes_on)
    };
    hide(&idle);
    if let (Some(page), Ok(browser)) = (alone, context.browser()) {
        browser.root_session().send(ActivateTarget { target_id: page.id().to_owned() }).ignore();
    }
    goes_on
}
