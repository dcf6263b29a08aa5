//! Navigates pages and frames, and waits until a navigation has finished.
use std::borrow::Cow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::time::{sleep, timeout};

use super::frame::{Frame, LifecycleEvents};
use super::journal::{ABORTED, Journal, JournalMark};
use super::page::Page;
use super::pulse::HANG_TIMEOUT;
use crate::cdp::types::emulation::SetScriptExecutionDisabled;
use crate::cdp::types::network::Response;
use crate::cdp::types::page::{GetNavigationHistory, Navigate, NavigateToHistoryEntry, Reload, StopLoading};
use crate::cdp::types::performance::GetMetrics;
use crate::error::{Error, Result};

/// The event at which a navigation counts as finished.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WaitUntil {
    /// The new document is committed: the response has begun to arrive.
    Commit,
    /// The document is parsed.
    DomContentLoaded,
    /// The document and its resources are loaded.
    #[default]
    Load,
    /// There have been no requests for half a second.
    NetworkIdle,
}

/// Options of a navigation.
#[derive(Debug, Clone)]
pub struct NavigateOptions {
    pub until: WaitUntil,
    pub limit: Duration,
    pub referrer: Option<String>,
}

/// Extra time for the reply to `Page.navigate`, so that the navigation's own time limit ends first.
const COMMAND_LIMIT: Duration = Duration::from_secs(5);

impl Default for NavigateOptions {
    fn default() -> Self {
        Self { until: WaitUntil::Load, limit: Duration::from_secs(30), referrer: None }
    }
}

/// The result of a navigation.
#[derive(Debug, Clone)]
pub enum NavigationOutcome {
    /// A new document and its response; `None` for `about:blank`, `data:` and the back/forward cache.
    Document(Option<Box<Response>>),
    /// A navigation within the same document, such as to another fragment.
    SameDocument,
    /// The URL started a download. The document stays.
    Download,
    /// The response had no content (status 204 or 205). The document stays.
    NoContent,
    /// The page opened a dialog before the awaited event.
    Dialog,
}

impl LifecycleEvents {
    pub(in crate::browser) fn reached(self, until: WaitUntil) -> bool {
        match until {
            WaitUntil::Commit => self.commit,
            WaitUntil::DomContentLoaded => self.dom_content_loaded,
            WaitUntil::Load => self.load,
            WaitUntil::NetworkIdle => self.network_idle,
        }
    }
}

/// How long the browser may take to show its error page.
const FAILURE_LIMIT: Duration = Duration::from_millis(500);
/// How long there must be no requests before the network counts as idle.
pub(super) const REST: Duration = Duration::from_millis(500);

impl Page {
    /// Navigates the main frame. See [`Frame::goto`].
    pub async fn goto(&self, url: &str, options: &NavigateOptions) -> Result<NavigationOutcome> {
        self.main_frame().goto(url, options).await
    }

    /// Reloads the document.
    pub async fn reload(&self, options: &NavigateOptions) -> Result<NavigationOutcome> {
        self.load_again(false, options).await
    }

    /// Reloads the document and its resources, bypassing all caches.
    pub async fn reload_ignoring_cache(&self, options: &NavigateOptions) -> Result<NavigationOutcome> {
        self.load_again(true, options).await
    }

    async fn load_again(&self, ignore_cache: bool, options: &NavigateOptions) -> Result<NavigationOutcome> {
        let _work = self.work();
        let has_crashed = self.revive();
        let history = self.session().call_within(GetNavigationHistory {}, options.limit).await?;
        let before = self.main_frame().loader_id();
        self.with_journal(Journal::restart_document);
        let reload = async {
            self.session().call_within(Reload { ignore_cache: Some(ignore_cache) }, options.limit).await?;
            self.until_arrived(&before, options).await
        };
        let again = async || match history.entries.get(history.current_index) {
            Some(entry) => self.go_to(entry.id, options).await,
            None => Err(Error::PageBusy),
        };
        if has_crashed {
            return within(options.limit, reload).await;
        }
        self.navigate_forcibly(reload, again, options).await
    }

    /// Goes back by one entry in the tab's history.
    pub async fn go_back(&self, options: &NavigateOptions) -> Result<NavigationOutcome> {
        self.go(-1, "back", options).await
    }

    /// Goes forward by one entry in the tab's history.
    pub async fn go_forward(&self, options: &NavigateOptions) -> Result<NavigationOutcome> {
        self.go(1, "forward", options).await
    }

    async fn go(
        &self,
        steps: isize,
        direction: &'static str,
        options: &NavigateOptions,
    ) -> Result<NavigationOutcome> {
        let _work = self.work();
        let has_crashed = self.revive();
        let history = self.session().call_within(GetNavigationHistory {}, options.limit).await?;
        let entry =
            history.current_index.checked_add_signed(steps).and_then(|index| history.entries.get(index));
        let entry = entry.ok_or(Error::NoHistory { direction })?;
        let (first, again) = (self.go_to(entry.id, options), async || self.go_to(entry.id, options).await);
        if has_crashed {
            return within(options.limit, first).await;
        }
        match self.navigate_forcibly(first, again, options).await {
            // Not every browser reports the entries of its history in advance.
            Err(Error::Protocol { message, .. }) if message.starts_with("no such history entry") => {
                Err(Error::NoHistory { direction })
            }
            gone => gone,
        }
    }

    async fn go_to(&self, entry_id: i64, options: &NavigateOptions) -> Result<NavigationOutcome> {
        let before = (self.main_frame().loader_id(), self.mark());
        self.with_journal(Journal::restart_document);
        let go = NavigateToHistoryEntry { entry_id };
        self.session().call_within(go, options.limit).await?;
        let moved_within = self.until(|page| {
            let frame = page.main_frame();
            if page.blocking_dialog().is_some() || frame.loader_id() != before.0 {
                Some(false)
            } else {
                page.effects_since(before.1).moved_within.then_some(true)
            }
        });
        match timeout(options.limit, moved_within).await {
            Ok(Ok(true)) => Ok(NavigationOutcome::SameDocument),
            Ok(Ok(false)) => self.until_arrived(&before.0, options).await,
            Ok(Err(error)) => Err(error),
            Err(_) => Err(Error::NavigationSlow { waited: options.limit }),
        }
    }

    /// Runs the navigation `way`. If the page prevents it, dismisses dialogs and stops endless scripts. If a
    /// script cannot be stopped, ends the renderer process, which other tabs may share, and runs `again`.
    ///
    /// # Errors `page_busy` if the renderer process does not end.
    async fn navigate_forcibly(
        &self,
        way: impl Future<Output = Result<NavigationOutcome>>,
        again: impl AsyncFnOnce() -> Result<NavigationOutcome>,
        options: &NavigateOptions,
    ) -> Result<NavigationOutcome> {
        let (was_asked, before, mark) = (self.dialog().is_some(), self.main_frame().loader_id(), self.mark());
        let has_page_navigated = || self.with_journal(|journal| journal.has_page_navigated_since(mark));
        let _leaving = self.dismiss_until_left();
        let mut loading = StopLoadingOnDrop { page: self, before: before.clone(), is_over: false };
        let leave = async {
            // Must come first: no command reaches the page while the next document waits to replace this one.
            let left = if self.release().await { self.unless_stuck(way).await } else { Err(Error::PageBusy) };
            match left {
                Ok(arrival) => return Ok(arrival),
                // The browser aborted this navigation together with the one that had opened the dialog, or for one
                // that the old document began meanwhile.
                Err(Error::NavigationFailed { reason })
                    if reason == ABORTED && (was_asked || has_page_navigated()) => {}
                Err(Error::PageBusy) if self.end_renderer().await => drop(self.revive()),
                // The old document crashed, which also ended the navigation.
                Err(Error::PageCrashed) if self.main_frame().loader_id() == before => drop(self.revive()),
                Err(error) => return Err(error),
            }
            again().await
        };
        let left = timeout(options.limit, leave).await;
        loading.is_over = left.is_ok();
        left.unwrap_or(Err(Error::NavigationSlow { waited: options.limit }))
    }

    async fn unless_stuck(
        &self,
        way: impl Future<Output = Result<NavigationOutcome>>,
    ) -> Result<NavigationOutcome> {
        tokio::select! {
            biased;
            arrived = way => arrived,
            () = self.until_stuck_when_leaving() => Err(Error::PageBusy),
        }
    }

    async fn until_arrived(&self, before: &str, options: &NavigateOptions) -> Result<NavigationOutcome> {
        self.main_frame().until_arrived(before, options).await
    }

    /// Waits until the main frame has reached `until` or a dialog opens. Returns false after `limit`.
    pub async fn wait_for_load_state(&self, until: WaitUntil, limit: Duration) -> Result<bool> {
        let reached = self.until(|page| {
            (page.blocking_dialog().is_some() || page.main_frame().lifecycle_events().reached(until))
                .then_some(())
        });
        let arrived = async {
            reached.await?;
            self.until_frames_rest(until).await
        };
        timeout(limit, arrived).await.map_or(Ok(false), |reached| reached.map(|()| true))
    }

    /// For `NetworkIdle`, waits until all frames are idle. The browser reports idleness per frame.
    async fn until_frames_rest(&self, until: WaitUntil) -> Result<()> {
        let asks = |page: &Self| {
            page.blocking_dialog().is_none()
                && page.with_journal(|journal| journal.other_frames_have_requests(page.id()))
        };
        while until == WaitUntil::NetworkIdle && asks(self) {
            self.until(|page| (!asks(page)).then_some(())).await?;
            sleep(REST).await;
        }
        Ok(())
    }

    /// Waits, at most 1 s, until the browser has reported document requests caused by an action since `mark`.
    pub async fn until_navigation_reported(&self, mark: JournalMark) {
        // A page may submit a form only after the press is confirmed. The renderer answers this command then.
        let answered = self.session().call(GetMetrics {});
        let held_up = self.until(Self::dialog);
        let answered = async {
            tokio::select! {
                _ = answered => {}
                _ = held_up => {}
            }
        };
        let _ = timeout(REST, answered).await;
        let settled_page = self.until(|page| {
            let settled =
                page.dialog().is_some() || !page.with_journal(|journal| journal.will_request_since(mark));
            settled.then_some(())
        });
        let _ = timeout(REST, settled_page).await;
    }

    /// Waits until documents requested since `mark` have arrived or failed, up to `limit`.
    pub async fn until_navigations_ended(&self, mark: JournalMark, limit: Duration) {
        let followed = self.until(|page| {
            let is_over = page.blocking_dialog().is_some()
                || !page.with_journal(|journal| journal.awaits_document_since(mark));
            is_over.then_some(())
        });
        let _ = timeout(limit, followed).await;
    }

    /// Returns the URL that was requested before redirects; without redirects, the document's URL.
    pub fn url_before_redirects(&self) -> String {
        let loader = self.main_frame().loader_id();
        let asked =
            self.with_network(|network| network.original_request(&loader).map(|entry| entry.url.clone()));
        asked.unwrap_or_else(|| self.url())
    }

    /// The response of the current document, if it has one.
    pub fn document_response(&self) -> Option<Response> {
        let loader = self.main_frame().loader_id();
        self.with_network(|network| network.document_response(&loader).cloned())
    }
}

/// Stops loading if it is dropped before the navigation ends. Otherwise, later commands might wait forever.
struct StopLoadingOnDrop<'a> {
    page: &'a Page,
    before: Arc<str>,
    is_over: bool,
}

impl Drop for StopLoadingOnDrop<'_> {
    fn drop(&mut self) {
        // A committed document stays, since the part that has arrived can be used.
        if !self.is_over && self.page.main_frame().loader_id() == self.before {
            self.page.session().send(StopLoading {}).ignore();
        }
    }
}

/// Runs a navigation. Fails with `NavigationSlow` after `limit`.
async fn within<T>(limit: Duration, navigation: impl Future<Output = Result<T>>) -> Result<T> {
    timeout(limit, navigation).await.unwrap_or(Err(Error::NavigationSlow { waited: limit }))
}

/// Whether navigating from `here` to `url` stays in the document, because only the fragment differs.
fn remains_on(here: &str, url: &str) -> bool {
    let document = |url: &str| url.split('#').next().map(str::to_owned);
    url.contains('#') && document(here) == document(url)
}

/// Adds `http://` to a URL without a scheme that begins with `localhost` or `127.0.0.1`.
fn with_scheme(url: &str) -> Cow<'_, str> {
    let is_local = url.starts_with("localhost") || url.starts_with("127.0.0.1");
    if is_local { Cow::Owned(format!("http://{url}")) } else { Cow::Borrowed(url) }
}

impl Frame {
    /// Navigates the frame. Waits for the event in `options`, a download, an empty response, or a dialog.
    pub async fn goto(&self, url: &str, options: &NavigateOptions) -> Result<NavigationOutcome> {
        let page = self.page()?;
        let url = &*with_scheme(url);
        if let Some(referrer) = &options.referrer
            && page.sends_other_referrer(referrer)
        {
            let reason = "\"referer\" is already specified as extra HTTP header".to_owned();
            return Err(Error::NavigationFailed { reason });
        }
        let _work = page.work();
        let has_crashed = page.revive();
        if self != page.main_frame() {
            return within(options.limit, self.start_and_wait(&page, url, options)).await;
        }
        let go = async {
            if page.floods_dialogs() {
                self.replace_with_blank(&page, options).await?;
            }
            self.start_and_wait(&page, url, options).await
        };
        if has_crashed {
            // A crashed page has no document that could prevent the navigation.
            return within(options.limit, go).await;
        }
        if remains_on(&page.url(), url) {
            // A navigation within the document does not leave it.
            return within(options.limit, page.unless_hung(Some(HANG_TIMEOUT), go)).await;
        }
        page.navigate_forcibly(go, async || self.start_and_wait(&page, url, options).await, options).await
    }

    /// Replaces a document that keeps opening dialogs with `about:blank`, while scripts are disabled.
    async fn replace_with_blank(&self, page: &Page, options: &NavigateOptions) -> Result<()> {
        page.session().send(SetScriptExecutionDisabled { value: true }).ignore();
        let left = self.start_and_wait(page, "about:blank", options).await;
        page.session().send(SetScriptExecutionDisabled { value: false }).ignore();
        left.map(drop)
    }

    async fn start_and_wait(
        &self,
        page: &Page,
        url: &str,
        options: &NavigateOptions,
    ) -> Result<NavigationOutcome> {
        let (before, mark, begun) = (self.loader_id(), page.mark(), Instant::now());
        page.with_journal(Journal::restart_document);
        let navigate = Navigate {
            url: url.to_owned(),
            referrer: options.referrer.clone(),
            referrer_policy: options.referrer.as_ref().map(|_| "unsafeUrl".to_owned()),
            // As if a person had typed the URL.
            transition_type: Some("typed".to_owned()),
            frame_id: Some(self.id().to_owned()),
        };
        let navigation = self.session().send(navigate).within(options.limit + COMMAND_LIMIT);
        let navigated = tokio::select! {
            navigated = navigation => navigated?,
            // The old document has opened a `beforeunload` dialog.
            asked = page.until(Page::blocking_dialog) => return asked.map(|_| NavigationOutcome::Dialog),
        };
        if let Some(reason) = navigated.error_text.filter(|text| !text.is_empty()) {
            if navigated.is_download == Some(true) {
                return Ok(NavigationOutcome::Download);
            }
            let status = navigated.loader_id.as_deref().and_then(|loader| {
                page.with_network(|network| network.document_response(loader).map(|response| response.status))
            });
            if matches!(status, Some(204 | 205)) {
                return Ok(NavigationOutcome::NoContent);
            }
            if reason != ABORTED {
                let replaced = page.until(|_| (*self.loader_id() != *before).then_some(()));
                let _ = timeout(FAILURE_LIMIT, replaced).await;
            }
            // The browser reports only that a connection failed; the relay may know the reason.
            return Err(page.context().explain_failure(begun).unwrap_or(Error::NavigationFailed { reason }));
        }
        if navigated.loader_id.is_some_and(|loader| *loader != *before) {
            return self.until_arrived(&before, options).await;
        }
        let is_main = self == page.main_frame();
        let moved = page.until(|page| (!is_main || page.effects_since(mark).moved_within).then_some(()));
        moved.await.map(|()| NavigationOutcome::SameDocument)
    }

    /// Waits until a document with another loader id than `before` has reached the requested event.
    async fn until_arrived(&self, before: &str, options: &NavigateOptions) -> Result<NavigationOutcome> {
        let page = self.page()?;
        let mut was_stopped = false;
        let arrived = page.until(|page| {
            if self.is_detached() {
                return Some(Err(Error::FrameDetached));
            }
            if page.blocking_dialog().is_some() {
                return Some(Ok(NavigationOutcome::Dialog));
            }
            // A stopped document may never reach the event, so the end of loading is enough.
            if self == page.main_frame() && page.is_restless() {
                let page = page.clone();
                tokio::spawn(async move { page.stop_replacing().await });
                was_stopped = true;
            }
            let reached =
                self.lifecycle_events().reached(options.until) || (was_stopped && !page.is_loading(self));
            let here = *self.loader_id() != *before && reached;
            here.then(|| {
                let loader = self.loader_id();
                let response = page.with_network(|network| network.document_response(&loader).cloned());
                Ok(NavigationOutcome::Document(response.map(Box::new)))
            })
        });
        let rested = async {
            let arrived = arrived.await??;
            if self == page.main_frame() {
                page.until_frames_rest(options.until).await?;
            }
            Ok(arrived)
        };
        match timeout(options.limit, rested).await {
            Ok(arrived) => arrived,
            Err(_) => Err(Error::NavigationSlow { waited: options.limit }),
        }
    }
}
