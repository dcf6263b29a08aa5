//! Browser contexts: separate cookies, storage, cache and permissions, and the pages that share them.
mod downloads;

use std::collections::{BTreeSet, VecDeque};
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tokio::sync::watch;

use super::browser::{Browser, BrowserInner};
use super::download::Downloads;
use super::hooks::{Extensions, HookList, NewSession};
use super::listeners::{Listener, Listeners};
use super::page::{Page, WeakPage};
use super::worker::{self, Worker};
use crate::browser::egress::relay::Relay;
use crate::browser::input::{BrowserTraits, InputStyle};
use crate::browser::options::emulation::{Emulation, metrics};
use crate::browser::options::hidden_texts::MaskedTexts;
use crate::browser::options::permissions::permission;
use crate::browser::options::storage_state::origin_of;
use crate::browser::options::{ContextOptions, HttpCredentials};
use crate::cdp::CdpSession;
use crate::cdp::types::browser::{GrantPermissions, ResetPermissions};
use crate::cdp::types::emulation::{
    SetIgnoreCertificateErrors, SetLocaleOverride, SetTimezoneOverride, SetTouchEmulationEnabled,
    SetUserAgentOverride,
};
use crate::cdp::types::network::SetExtraHttpHeaders;
use crate::cdp::types::page::SetInterceptFileChooserDialog;
use crate::cdp::types::runtime::RunIfWaitingForDebugger;
use crate::cdp::types::target::{CreateTarget, DetachFromTarget, DisposeBrowserContext, TargetInfo};
use crate::error::{Error, Result};

/// A browser context. Cheap to clone; compares by identity.
#[derive(Clone)]
pub struct BrowserContext {
    inner: Arc<ContextInner>,
}

/// An event that a context reports to its listeners.
#[derive(Debug, Clone)]
pub enum ContextEvent {
    /// A page is ready: a new tab that was requested, or a popup.
    Page(Page),
    Closed,
}

pub(in crate::browser) struct ContextInner {
    browser: Weak<BrowserInner>,
    /// The CDP browser context id; `None` for the default context.
    id: Option<String>,
    /// Whether this process created the context or took it over. Only then does `close` dispose of it.
    is_owned: bool,
    options: Mutex<ContextOptions>,
    state: Mutex<ContextState>,
    changes: watch::Sender<u64>,
    listeners: Listeners<ContextEvent>,
    downloads: Downloads,
    hooks: HookList,
    extensions: Extensions,
    controls_focus: bool,
    /// Whether recording is paused while a person has control: requests and console messages are not stored.
    private: AtomicBool,
    /// The local proxy for the context's traffic; `None` if the options do not require one.
    relay: Option<Arc<Relay>>,
}

#[derive(Default)]
struct ContextState {
    pages: Vec<Page>,
    next_page: u32,
    /// The most recently closed popups, oldest first.
    closed_popups: VecDeque<ClosedPopup>,
    /// The context's number, the `c` part of a ref; see `set_index`.
    number: u32,
    closed: bool,
    /// The origins that the context's pages have visited.
    origins: BTreeSet<String>,
}

/// A closed page that another page had opened.
struct ClosedPopup {
    index: u32,
    opener: String,
    url: String,
}

/// The number of closed popups that a context keeps.
const MOST_CLOSED: usize = 20;

impl fmt::Debug for BrowserContext {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("BrowserContext").field("id", &self.inner.id).finish_non_exhaustive()
    }
}

impl PartialEq for BrowserContext {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }
}

impl Eq for BrowserContext {}

impl BrowserContext {
    pub(in crate::browser) fn new(
        browser: Weak<BrowserInner>,
        hooks: HookList,
        id: Option<String>,
        options: ContextOptions,
        relay: Option<Arc<Relay>>,
    ) -> Self {
        let is_owned = id.is_some();
        Self::build(browser, hooks, id, is_owned, options, relay)
    }

    fn build(
        browser: Weak<BrowserInner>,
        hooks: HookList,
        id: Option<String>,
        is_owned: bool,
        options: ContextOptions,
        relay: Option<Arc<Relay>>,
    ) -> Self {
        let controls_focus = options.emulation.focus;
        let mut extensions = Extensions::default();
        for hook in hooks {
            hook.extend_context(&mut extensions);
        }
        let inner = ContextInner {
            browser,
            id,
            is_owned,
            options: Mutex::new(options),
            state: Mutex::default(),
            changes: watch::Sender::new(0),
            listeners: Listeners::default(),
            downloads: Downloads::default(),
            hooks,
            extensions,
            controls_focus,
            private: AtomicBool::new(false),
            relay,
        };
        Self { inner: Arc::new(inner) }
    }

    /// Creates the object for another client's context. The object is removed after the last page has closed.
    pub(in crate::browser) fn of_other_client(
        browser: Weak<BrowserInner>,
        hooks: HookList,
        id: String,
        options: ContextOptions,
    ) -> Self {
        Self::build(browser, hooks, Some(id), false, options, None)
    }

    /// Whether this process created the context or took it over. False for the default context.
    pub fn is_owned(&self) -> bool {
        self.inner.is_owned
    }

    /// Sets the number of the next new page, so that page numbers of an adopted context are not reused.
    pub(super) fn number_pages_from(&self, first: u32) {
        self.inner.state.lock().next_page = first;
    }

    /// Detaches from the context without closing it. Its pages stay open for the server that takes it over.
    pub fn detach(&self) {
        if std::mem::replace(&mut self.inner.state.lock().closed, true) {
            return;
        }
        let (Ok(browser), Some(id)) = (self.browser(), &self.inner.id) else { return };
        browser.forget_context(id);
        for page in self.pages() {
            let session_id = Some(page.session().id().to_owned());
            browser.root_session().send(DetachFromTarget { session_id }).ignore();
        }
        self.inner.listeners.emit(&ContextEvent::Closed);
    }

    pub(in crate::browser) fn from_inner(inner: Arc<ContextInner>) -> Self {
        Self { inner }
    }

    pub(in crate::browser) fn downgrade(&self) -> Weak<ContextInner> {
        Arc::downgrade(&self.inner)
    }

    /// Whether focus emulation follows use: pages behave as focused only while they are used. See `front.rs`.
    pub(in crate::browser) fn controls_focus(&self) -> bool {
        self.inner.controls_focus
    }

    pub(in crate::browser) fn hooks(&self) -> HookList {
        self.inner.hooks
    }

    /// Returns the state of type `T` that a module added to this context with `Hooks::extend_context`.
    pub(in crate::browser) fn extension<T: std::any::Any>(&self) -> &T {
        self.inner.extensions.get()
    }

    pub(in crate::browser) fn has_http_credentials(&self) -> bool {
        !self.inner.options.lock().http_credentials.is_empty()
    }

    pub(in crate::browser) fn http_credentials_for(&self, url: &str) -> Option<HttpCredentials> {
        HttpCredentials::matching(&self.inner.options.lock().http_credentials, url).cloned()
    }

    /// The CDP id of this context; `None` for the default context.
    pub fn id(&self) -> Option<&str> {
        self.inner.id.as_deref()
    }

    pub fn browser(&self) -> Result<Browser> {
        let gone = || Error::BrowserGone { reason: "it was closed".to_owned() };
        self.inner.browser.upgrade().map(Browser::from_inner).ok_or_else(gone)
    }

    /// The open pages, oldest first.
    pub fn pages(&self) -> Vec<Page> {
        self.inner.state.lock().pages.clone()
    }

    /// The number of pages opened so far, which is the index of the next page.
    pub fn next_page_number(&self) -> u32 {
        self.inner.state.lock().next_page
    }

    /// Returns the URLs of closed popups that `opener` opened. Ignores popups with an index below `so_far`.
    pub fn popups_closed_since(&self, so_far: u32, opener: &Page) -> Vec<String> {
        let state = self.inner.state.lock();
        let closed = state.closed_popups.iter();
        let closed = closed.filter(|popup| popup.index >= so_far && popup.opener == opener.id());
        closed.map(|popup| popup.url.clone()).collect()
    }

    pub(in crate::browser) fn has_pages(&self) -> bool {
        !self.inner.state.lock().pages.is_empty()
    }

    pub fn is_closed(&self) -> bool {
        self.inner.state.lock().closed
    }

    /// Calls `listener` for every event of the context.
    pub fn listen(&self, listener: Listener<ContextEvent>) {
        self.inner.listeners.add(listener);
    }

    /// Sets the context's number, the `c` part of a ref. The first ref numbers of its tabs depend on it.
    pub fn set_index(&self, number: u32) {
        self.inner.state.lock().number = number;
    }

    pub(in crate::browser) fn number(&self) -> u32 {
        self.inner.state.lock().number
    }

    /// Pauses or resumes recording the requests and console messages of the context's pages.
    pub fn set_recording_paused(&self, private: bool) {
        self.inner.private.store(private, Ordering::Release);
    }

    pub(in crate::browser) fn is_private(&self) -> bool {
        self.inner.private.load(Ordering::Acquire)
    }

    /// Sets whether a listener answers dialogs. If so, actions wait for the listener's answer.
    pub fn set_has_dialog_listener(&self, answered: bool) {
        self.inner.options.lock().has_dialog_listener = answered;
    }

    pub(in crate::browser) fn has_dialog_listener(&self) -> bool {
        self.inner.options.lock().has_dialog_listener
    }

    pub(in crate::browser) fn on_page_ready(&self, page: &Page) {
        self.inner.listeners.emit(&ContextEvent::Page(page.clone()));
    }

    /// Returns a counter that increases when a page opens or closes, or when a download ends.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.inner.changes.subscribe()
    }

    /// Opens a tab on `about:blank` and waits until it is ready.
    pub async fn new_page(&self) -> Result<Page> {
        const READY_LIMIT: Duration = Duration::from_secs(30);
        let browser = self.browser()?;
        let create = CreateTarget {
            url: "about:blank".to_owned(),
            browser_context_id: self.inner.id.clone(),
            // In a person's own browser, the tab opens in a new window, behind the person's windows.
            new_window: browser.attached_browser().map(|_| true),
            background: browser.attached_browser().map(|_| true),
            ..CreateTarget::default()
        };
        let target = browser.root_session().call(create).await?.target_id;
        if let Some(attached_browser) = browser.attached_browser() {
            attached_browser.visit(browser.root_session(), &target);
        }
        let mut changes = self.changes();
        let arrived = async {
            loop {
                let page = self.pages().into_iter().find(|page| page.id() == target);
                match page {
                    Some(page) => return self.made(page, READY_LIMIT).await,
                    None if changes.changed().await.is_ok() => {}
                    None => return Err(Error::PageClosed),
                }
            }
        };
        tokio::select! {
            page = tokio::time::timeout(READY_LIMIT, arrived) => page.unwrap_or(Err(Error::PageBusy)),
            ended = browser.wait_for_disconnect() => Err(ended),
        }
    }

    /// Waits until a new page is ready. Closes it and fails if the browser rejects its time zone or locale.
    async fn made(&self, page: Page, limit: Duration) -> Result<Page> {
        page.until_ready(limit).await?;
        if let Some(problem) = self.refused(&page).await {
            let _ = page.close().await;
            return Err(Error::InvalidArguments { problems: vec![problem] });
        }
        Ok(page)
    }

    /// Sends the time zone and the locale again to check the replies. Returns the problem if one is rejected.
    async fn refused(&self, page: &Page) -> Option<String> {
        let (timezone, locale) = {
            let options = self.inner.options.lock();
            (options.timezone.clone(), options.locale.clone())
        };
        if let Some(timezone_id) = timezone {
            let problem = format!("the browser does not support the time zone {timezone_id:?}");
            if let Err(Error::Protocol { .. }) =
                page.session().call(SetTimezoneOverride { timezone_id }).await
            {
                return Some(problem);
            }
        }
        let locale = locale?;
        let problem = format!("the browser does not support the locale {locale:?}");
        // Chromium also fails if a page of the same process has set a locale already; ignores that error.
        match page.session().call(SetLocaleOverride { locale: Some(locale) }).await {
            Err(Error::Protocol { message, .. }) if message.contains("Invalid locale") => Some(problem),
            _ => None,
        }
    }

    /// Closes the context with its pages, cookies and storage. If `is_owned` is false, closes only the pages.
    pub async fn close(&self) -> Result<()> {
        {
            let mut state = self.inner.state.lock();
            if std::mem::replace(&mut state.closed, self.is_owned()) {
                return Ok(());
            }
        }
        self.remove_downloads();
        let browser = self.browser()?;
        match &self.inner.id {
            Some(id) if self.is_owned() => {
                browser.forget_context(id);
                let dispose = DisposeBrowserContext { browser_context_id: id.clone() };
                browser.root_session().call(dispose).await?;
                self.inner.listeners.emit(&ContextEvent::Closed);
            }
            _ => {
                for page in self.pages() {
                    page.close().await?;
                }
            }
        }
        Ok(())
    }

    pub(in crate::browser) fn change_options(&self, change: impl FnOnce(&mut ContextOptions)) {
        change(&mut self.inner.options.lock());
    }

    pub(in crate::browser) fn change_emulation(&self, change: impl FnOnce(&mut Emulation)) {
        self.change_options(|options| change(&mut options.emulation));
    }

    /// Resets all permissions of the context to the browser's defaults.
    pub async fn clear_permissions(&self) -> Result<()> {
        let reset = ResetPermissions { browser_context_id: self.inner.id.clone() };
        self.browser()?.root_session().call(reset).await.map(drop)
    }

    /// An id of this context that is unique within this process.
    pub fn instance_id(&self) -> usize {
        Arc::as_ptr(&self.inner).addr()
    }

    /// A copy of the current options.
    pub fn options(&self) -> ContextOptions {
        self.inner.options.lock().clone()
    }

    /// The texts to hide in screenshots of the context's pages.
    pub(in crate::browser) fn hidden_texts(&self) -> MaskedTexts {
        self.inner.options.lock().hidden_texts.clone()
    }

    /// Applies permissions, download settings and module hooks. Must be called before the first page opens.
    pub async fn apply_options(&self) -> Result<()> {
        let options = self.options();
        self.grant_permissions(&options.permissions, None).await?;
        self.keep_downloads(&options).await?;
        for hook in self.inner.hooks {
            hook.on_context(self).await?;
        }
        Ok(())
    }

    /// Grants permissions such as `geolocation`, `notifications`, `clipboard-read` or `camera` to `origin`,
    /// or to all origins of this context if `None`.
    pub async fn grant_permissions(&self, permissions: &[String], origin: Option<String>) -> Result<()> {
        if permissions.is_empty() {
            return Ok(());
        }
        let names = permissions.iter().map(|name| permission(name)).collect::<Result<Vec<_>>>()?;
        let grant = GrantPermissions {
            permissions: names.into_iter().map(str::to_owned).collect(),
            origin,
            browser_context_id: self.inner.id.clone(),
        };
        self.browser()?.root_session().call(grant).await.map(drop)
    }

    /// Returns the proxy URL for API requests: that of this context's relay, or else the default context's.
    pub(in crate::browser) fn relay_server(&self) -> Option<String> {
        let own = self.inner.relay.as_ref().map(|relay| relay.plain_server());
        own.or_else(|| {
            self.browser().ok()?.default_context().inner.relay.as_ref().map(|relay| relay.plain_server())
        })
    }

    /// Whether WebRTC would reveal another IP address than HTTP requests, by bypassing the upstream proxy.
    pub(in crate::browser) fn has_another_address(&self) -> Result<bool> {
        let is_elsewhere = self.inner.relay.as_ref().is_some_and(|relay| relay.has_upstream());
        Ok(is_elsewhere && !self.browser()?.restricts_webrtc())
    }

    /// Returns the cause of a connection error since `begun`, if the relay has recorded one.
    pub(in crate::browser) fn explain_failure(&self, begun: Instant) -> Option<Error> {
        match &self.inner.relay {
            Some(relay) => relay.explain(begun),
            None => self.browser().ok()?.default_context().inner.relay.as_ref()?.explain(begun),
        }
    }

    /// Records why a connection through the relay failed.
    pub(in crate::browser) fn note_failure(&self, reason: String) {
        if let Some(relay) = &self.inner.relay {
            relay.note_failure(reason);
        }
    }

    /// The origins that the context's pages have visited.
    pub(in crate::browser) fn origins(&self) -> BTreeSet<String> {
        self.inner.state.lock().origins.clone()
    }

    /// Records the origin of a URL that a page has visited.
    pub(in crate::browser) fn note_origin(&self, url: &str) {
        if let Some(origin) = origin_of(url) {
            self.inner.state.lock().origins.insert(origin);
        }
    }

    pub(in crate::browser) fn input_style(&self) -> InputStyle {
        self.inner.options.lock().input
    }

    /// Returns how the context's browser handles input.
    pub(in crate::browser) fn input_traits(&self) -> BrowserTraits {
        let Ok(browser) = self.browser() else { return BrowserTraits::default() };
        BrowserTraits {
            chains_clicks: browser.protocol().chains_clicks(),
            clock: browser.clock().filter(|_| browser.protocol().accepts_event_times()),
        }
    }

    pub(in crate::browser) fn adopt_page(&self, session: CdpSession, info: &TargetInfo) -> Page {
        let index = {
            let mut state = self.inner.state.lock();
            let index = state.next_page;
            state.next_page += 1;
            index
        };
        let page = Page::adopt(self, session, info, index);
        self.inner.state.lock().pages.push(page.clone());
        self.inner.changes.send_modify(|version| *version += 1);
        page
    }

    pub(in crate::browser) fn page_closed(&self, closed: &Page) {
        let popup = closed.opener_id().map(|opener| ClosedPopup {
            index: closed.number(),
            opener: opener.to_owned(),
            url: closed.attempted_url(),
        });
        let mut state = self.inner.state.lock();
        state.pages.retain(|page| page != closed);
        state.closed_popups.extend(popup);
        let excess = state.closed_popups.len().saturating_sub(MOST_CLOSED);
        state.closed_popups.drain(..excess);
        drop(state);
        self.inner.changes.send_modify(|version| *version += 1);
    }

    /// Removes the object for another client's context after its last page has closed.
    pub(in crate::browser) fn forget_if_unused(&self) {
        let Some(id) = self.id().filter(|_| !self.is_owned() && !self.has_pages()) else { return };
        if let Ok(browser) = self.browser() {
            browser.forget_context(id);
        }
        self.inner.state.lock().closed = true;
        self.inner.listeners.emit(&ContextEvent::Closed);
    }

    /// Sends the commands that apply the context's options to a new page or frame process, before it runs.
    pub(in crate::browser) fn set_up_target(&self, session: &CdpSession, is_page: bool) {
        let options = self.inner.options.lock();
        if is_page && let Some(viewport) = options.viewport {
            session.send(metrics(&options, viewport)).ignore();
        }
        options.emulation.set_up(session, is_page);
        if is_page && options.catch_file_choosers {
            session.send(SetInterceptFileChooserDialog { enabled: true, cancel: None }).ignore();
        }
        if options.ignore_https_errors {
            session.send(SetIgnoreCertificateErrors { ignore: true }).ignore();
        }
        if options.has_touch {
            let touch = SetTouchEmulationEnabled { enabled: true, ..SetTouchEmulationEnabled::default() };
            session.send(touch).ignore();
        }
        if let Some(claim) = self.claim(&options) {
            session.send(claim).ignore();
        }
        if let Some(locale) = &options.locale {
            session.send(SetLocaleOverride { locale: Some(locale.clone()) }).ignore();
        }
        if let Some(timezone) = &options.timezone {
            session.send(SetTimezoneOverride { timezone_id: timezone.clone() }).ignore();
        }
        if !options.extra_headers.is_empty() {
            session.send(SetExtraHttpHeaders { headers: options.extra_headers.clone() }).ignore();
        }
    }

    /// Calls every module's `on_session` hook, which can send commands to a new target before it runs.
    pub(in crate::browser) fn set_up_session(
        &self,
        session: &CdpSession,
        page: Option<&Page>,
        worker: Option<&Worker>,
    ) {
        let new = NewSession { context: self, session, page, worker };
        self.inner.hooks.iter().for_each(|hook| hook.on_session(&new));
    }

    /// Sets up a worker and lets it run. Makes service workers fail to register if the options refuse them.
    pub(in crate::browser) fn set_up_worker(
        &self,
        session: &CdpSession,
        info: &TargetInfo,
        page: Option<&Page>,
    ) {
        if info.kind == "service_worker" && self.inner.options.lock().refuses_service_workers {
            worker::refuse(session);
        } else if let Some(worker) = Worker::new(session.clone(), info, page.cloned()) {
            self.set_up_session(session, page, Some(&worker));
        }
        if let Some(claim) = self.claim(&self.inner.options.lock()) {
            session.send(claim).ignore();
        }
        self.begin_headers(session, page);
        let pages = page.map_or_else(|| self.pages(), |page| vec![page.clone()]);
        let (pages, id) = (pages.iter().map(Page::downgrade).collect::<Vec<_>>(), info.target_id.clone());
        session.send_then(RunIfWaitingForDebugger {}, None, move |_| {
            for page in pages.iter().filter_map(WeakPage::upgrade) {
                page.on_worker_begun(&id);
            }
        });
    }

    /// Returns the user agent override for the context's pages; `None` if they need none.
    pub(in crate::browser) fn claim(&self, options: &ContextOptions) -> Option<SetUserAgentOverride> {
        let browser = self.browser().ok()?;
        browser.identity().claim(options.user_agent.as_deref(), options.languages())
    }
}
