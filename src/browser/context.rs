//! A browser context: cookies, storage, cache and permissions of its own, and the pages that share them.
use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tokio::sync::watch;

use super::browser::{Browser, BrowserInner};
use super::clock::Clock;
use super::console::{Beginning, Console};
use super::download::{Download, DownloadState, Downloads};
use super::emulation::{Emulation, metrics};
use super::events::{ContextEvent, Listener, Listeners};
use super::exposed::Exposure;
use super::front::Front;
use super::input::InputStyle;
use super::local_files::LocalFiles;
use super::page::Page;
use super::passkey::Passkeys;
use super::policy::Policy;
use super::proxy::{Proxy, Relay};
use super::storage::{StorageState, origin_of};
use super::traffic::{HttpCredentials, News, Traffic};
use super::worker::{self, Worker};
use crate::cdp::CdpSession;
use crate::cdp::types::browser::{
    CancelDownload, DownloadProgress, DownloadWillBegin, GrantPermissions, ResetPermissions,
    SetDownloadBehavior,
};
use crate::cdp::types::emulation::{
    SetIgnoreCertificateErrors, SetLocaleOverride, SetTimezoneOverride, SetTouchEmulationEnabled,
    SetUserAgentOverride,
};
use crate::cdp::types::network::{Headers, SetExtraHttpHeaders};
use crate::cdp::types::page::{AddScriptToEvaluateOnNewDocument, SetInterceptFileChooserDialog};
use crate::cdp::types::runtime::RunIfWaitingForDebugger;
use crate::cdp::types::target::{CreateTarget, DisposeBrowserContext, TargetInfo};
use crate::error::{Error, Result};

/// What a context is made with. Everything left out is as the browser has it.
#[derive(Debug, Clone, Default)]
pub struct ContextOptions {
    /// Width and height of the page in CSS pixels. `None`: as large as its window.
    pub viewport: Option<(u32, u32)>,
    /// Pages tell the room in their windows as their viewport.
    pub window_is_viewport: bool,
    pub user_agent: Option<String>,
    pub locale: Option<String>,
    pub timezone: Option<String>,
    pub extra_headers: Headers,
    pub ignore_https_errors: bool,
    /// Scripts that run in every document before its own.
    pub init_scripts: Vec<String>,
    /// A proxy for all traffic of this context.
    pub proxy: Option<Proxy>,
    /// The servers that its pages may reach.
    pub policy: Arc<Policy>,
    /// The files of this machine that its pages may show. `None`: as the browser does it.
    pub local_files: Option<LocalFiles>,
    /// What pages may do without asking, such as `geolocation`.
    pub permissions: Vec<String>,
    /// Cookies and storage to begin with.
    pub storage_state: Option<Arc<StorageState>>,
    /// Device pixels to a CSS pixel; needs a viewport.
    pub device_scale_factor: Option<f64>,
    /// Whether pages are laid out as on a telephone; needs a viewport.
    pub is_mobile: bool,
    pub has_touch: bool,
    /// How the pointer and the keys of its pages move.
    pub input: InputStyle,
    /// Where files that pages send are kept. `None`: as the browser does it.
    pub downloads: Option<PathBuf>,
    /// Downloaded files stay under the browser's own ids, instead of the names that sites propose.
    pub downloads_by_id: bool,
    /// Downloads are stopped as soon as they begin.
    pub refuses_downloads: bool,
    /// The scripts of service workers fail, so that none is ever registered.
    pub refuses_service_workers: bool,
    /// For sites that ask for a name and a password by HTTP.
    pub http_credentials: Option<HttpCredentials>,
    /// Whether file choosers are caught, to be answered by [`Page::file_chooser`] instead of a window.
    pub catch_file_choosers: bool,
    /// Whether somebody hears of each dialog and answers it: what a page is asked to do then waits for that.
    pub answers_dialogs: bool,
    pub emulation: Emulation,
}

/// An isolated context. Cheap to clone; compares by identity.
#[derive(Clone)]
pub struct BrowserContext {
    inner: Arc<ContextInner>,
}

pub(super) struct ContextInner {
    browser: Weak<BrowserInner>,
    /// `None` for the browser's own context: the profile.
    id: Option<String>,
    options: Mutex<ContextOptions>,
    state: Mutex<ContextState>,
    changes: watch::Sender<u64>,
    listeners: Listeners<ContextEvent>,
    downloads: Downloads,
    traffic: Traffic,
    console: Mutex<Console>,
    passkeys: Mutex<Passkeys>,
    /// Which of its pages are in front, where that is for us to say.
    front: Option<Mutex<Front>>,
    /// Where its traffic goes, if it goes through one of ours.
    relay: Option<Arc<Relay>>,
}

#[derive(Default)]
struct ContextState {
    pages: Vec<Page>,
    next_page: u32,
    closed: bool,
    /// The origins that its pages have been to.
    origins: BTreeSet<String>,
    exposures: Vec<Exposure>,
    clock: Option<Clock>,
}

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
    pub(super) fn new(
        browser: Weak<BrowserInner>,
        id: Option<String>,
        options: ContextOptions,
        relay: Option<Arc<Relay>>,
    ) -> Self {
        let front = options.emulation.focus.then(Mutex::default);
        let inner = ContextInner {
            browser,
            id,
            options: Mutex::new(options),
            state: Mutex::default(),
            changes: watch::Sender::new(0),
            listeners: Listeners::default(),
            downloads: Downloads::default(),
            traffic: Traffic::default(),
            console: Mutex::default(),
            passkeys: Mutex::default(),
            front,
            relay,
        };
        Self { inner: Arc::new(inner) }
    }

    pub(super) fn from_inner(inner: Arc<ContextInner>) -> Self {
        Self { inner }
    }

    pub(super) fn downgrade(&self) -> Weak<ContextInner> {
        Arc::downgrade(&self.inner)
    }

    pub(super) fn front(&self) -> Option<&Mutex<Front>> {
        self.inner.front.as_ref()
    }

    pub(super) fn traffic(&self) -> &Traffic {
        &self.inner.traffic
    }

    pub(super) fn console<T>(&self, change: impl FnOnce(&mut Console) -> T) -> T {
        change(&mut self.inner.console.lock())
    }

    pub(super) fn passkeys<T>(&self, change: impl FnOnce(&mut Passkeys) -> T) -> T {
        change(&mut self.inner.passkeys.lock())
    }

    pub(super) fn tell_event(&self, event: &ContextEvent) {
        self.inner.listeners.tell(event);
    }

    pub(super) fn http_credentials(&self) -> Option<HttpCredentials> {
        self.inner.options.lock().http_credentials.clone()
    }

    /// The browser's id for this context; `None` for its own.
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

    pub fn is_closed(&self) -> bool {
        self.inner.state.lock().closed
    }

    /// Lets `listener` hear what happens from now on.
    pub fn listen(&self, listener: Listener<ContextEvent>) {
        self.inner.listeners.add(listener);
    }

    pub(super) fn answers_dialogs(&self) -> bool {
        self.inner.options.lock().answers_dialogs
    }

    pub(super) fn page_born(&self, page: &Page) {
        self.inner.listeners.tell(&ContextEvent::Page(page.clone()));
    }

    /// A counter that moves when a page comes or goes.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.inner.changes.subscribe()
    }

    /// Opens a tab on `about:blank`.
    pub async fn new_page(&self) -> Result<Page> {
        const READY_LIMIT: Duration = Duration::from_secs(30);
        let browser = self.browser()?;
        let create = CreateTarget {
            url: "about:blank".to_owned(),
            browser_context_id: self.inner.id.clone(),
            ..CreateTarget::default()
        };
        let target = browser.root().call(create).await?.target_id;
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
            ended = browser.until_ended() => Err(ended),
        }
    }

    /// A page that is made, once it is ready. What its set-up was refused is told here, where somebody asked for it.
    async fn made(&self, page: Page, limit: Duration) -> Result<Page> {
        page.until_ready(limit).await?;
        let timezone = self.inner.options.lock().timezone.clone();
        if let Some(timezone_id) = timezone {
            let problem = format!("the browser knows no time zone {timezone_id:?}");
            if let Err(Error::Protocol { .. }) =
                page.session().call(SetTimezoneOverride { timezone_id }).await
            {
                let _ = page.close().await;
                return Err(Error::InvalidArguments { problems: vec![problem] });
            }
        }
        Ok(page)
    }

    /// Closes the context with all its pages, and forgets its cookies and storage. The browser's own context only
    /// loses its pages.
    pub async fn close(&self) -> Result<()> {
        {
            let mut state = self.inner.state.lock();
            if std::mem::replace(&mut state.closed, self.inner.id.is_some()) {
                return Ok(());
            }
        }
        self.remove_downloads();
        let browser = self.browser()?;
        match &self.inner.id {
            Some(id) => {
                browser.forget_context(id);
                let dispose = DisposeBrowserContext { browser_context_id: id.clone() };
                browser.root().call(dispose).await?;
                self.inner.listeners.tell(&ContextEvent::Closed);
            }
            None => {
                for page in self.pages() {
                    page.close().await?;
                }
            }
        }
        Ok(())
    }

    pub(super) fn change_exposures<T>(&self, change: impl FnOnce(&mut Vec<Exposure>) -> T) -> T {
        change(&mut self.inner.state.lock().exposures)
    }

    pub(super) fn exposures(&self) -> Vec<Exposure> {
        self.inner.state.lock().exposures.clone()
    }

    pub(super) fn clock(&self) -> Option<Clock> {
        self.inner.state.lock().clock.clone()
    }

    /// Has the documents to come begin with this clock.
    pub(super) async fn keep_clock(&self, clock: Clock) -> Result<()> {
        let (first, later) = (clock.script(), clock.correction());
        let before = self.inner.state.lock().clock.replace(clock);
        self.add_to_sessions(if before.is_none() { &first } else { &later }).await.map(drop)
    }

    pub(super) fn change_options(&self, change: impl FnOnce(&mut ContextOptions)) {
        change(&mut self.inner.options.lock());
    }

    pub(super) fn change_emulation(&self, change: impl FnOnce(&mut Emulation)) {
        self.change_options(|options| change(&mut options.emulation));
    }

    /// Takes back all that was granted.
    pub async fn clear_permissions(&self) -> Result<()> {
        let reset = ResetPermissions { browser_context_id: self.inner.id.clone() };
        self.browser()?.root().call(reset).await.map(drop)
    }

    /// What tells this context from every other one.
    pub fn key(&self) -> usize {
        Arc::as_ptr(&self.inner).addr()
    }

    /// The options, for reading.
    pub fn options(&self) -> ContextOptions {
        self.inner.options.lock().clone()
    }

    /// Gives the context what it begins with. Done before its first page.
    pub async fn prepare(&self) -> Result<()> {
        let options = self.options();
        self.grant_permissions(&options.permissions, None).await?;
        self.keep_downloads(&options).await?;
        match &options.storage_state {
            Some(state) => self.restore_storage(state).await,
            None => Ok(()),
        }
    }

    /// Has the browser keep what pages send, and tell of it.
    async fn keep_downloads(&self, options: &ContextOptions) -> Result<()> {
        let folder = options.downloads.as_ref().filter(|_| !options.refuses_downloads);
        if folder.is_none() && !options.refuses_downloads {
            return Ok(());
        }
        let keep = SetDownloadBehavior {
            behavior: if folder.is_some() { "allowAndName" } else { "deny" }.to_owned(),
            browser_context_id: self.inner.id.clone(),
            download_path: folder.map(|folder| folder.display().to_string()),
            events_enabled: Some(true),
        };
        self.browser()?.root().call(keep).await.map(drop)
    }

    /// The newest downloads of its pages, oldest first.
    pub fn downloads(&self) -> Vec<Download> {
        self.inner.downloads.all()
    }

    /// Hears of a download that began. False when it is not of a page of this context.
    pub(super) fn download_begun(&self, told: &DownloadWillBegin) -> bool {
        let page = self.pages().into_iter().find(|page| page.frame_by_id(&told.frame_id).is_some());
        let Some(page) = page else { return false };
        // A window that was opened for nothing else is gone before anybody hears of it.
        let page = page.opener().filter(|_| !page.is_ready()).unwrap_or(page);
        let folder = self.inner.options.lock().downloads.clone();
        let download = self.inner.downloads.begun(told, page.id(), folder.as_deref());
        page.note_effect();
        self.tell(&News::Download(download));
        true
    }

    /// Hears of a download's progress. False when it is not one of this context's.
    pub(super) fn download_progressed(&self, told: &DownloadProgress) -> bool {
        if !self.inner.downloads.knows(&told.guid) {
            return false;
        }
        let (folder, by_id) = {
            let options = self.inner.options.lock();
            (options.downloads.clone(), options.downloads_by_id)
        };
        // Where downloads are refused, no file comes to be anywhere.
        if self.inner.downloads.progressed(told, &folder.unwrap_or_default(), by_id) {
            self.inner.changes.send_modify(|version| *version += 1);
        }
        true
    }

    /// Waits until a download has ended, and says how.
    pub async fn download_ended(&self, id: &str) -> Result<DownloadState> {
        let mut changes = self.changes();
        loop {
            match self.inner.downloads.state(id) {
                None => return Err(Error::PageClosed),
                Some(DownloadState::InProgress) if self.is_closed() => return Err(Error::PageClosed),
                Some(DownloadState::InProgress) => {}
                Some(ended) => return Ok(ended),
            }
            changes.changed().await.map_err(|_| Error::PageClosed)?;
        }
    }

    /// Waits until a download has ended, and copies its file to `path`. Folders that are missing are made.
    pub async fn save_download(&self, id: &str, path: &Path) -> Result<()> {
        let DownloadState::Completed { path: arrived, .. } = self.download_ended(id).await? else {
            let path = path.display().to_string();
            return Err(Error::File { path, reason: "the download did not come to its end".to_owned() });
        };
        let copied = async {
            if let Some(folder) = path.parent() {
                tokio::fs::create_dir_all(folder).await?;
            }
            tokio::fs::copy(&arrived, path).await
        };
        let file = |error: std::io::Error| Error::File {
            path: path.display().to_string(),
            reason: error.to_string(),
        };
        copied.await.map(drop).map_err(file)
    }

    /// Stops a download. One that has ended stays as it is.
    pub async fn cancel_download(&self, id: &str) -> Result<()> {
        let cancel = CancelDownload { guid: id.to_owned(), browser_context_id: self.inner.id.clone() };
        match self.browser()?.root().call(cancel).await {
            Err(Error::Protocol { .. }) => Ok(()),
            cancelled => cancelled.map(drop),
        }
    }

    /// Waits until a download has ended, and removes its file.
    pub async fn delete_download(&self, id: &str) -> Result<()> {
        self.download_ended(id).await?;
        self.inner.downloads.remove(Some(id));
        Ok(())
    }

    /// Removes the files that were kept under the browser's names: nobody else knows them.
    pub(super) fn remove_downloads(&self) {
        if self.inner.options.lock().downloads_by_id {
            self.inner.downloads.remove(None);
        }
    }

    /// Lets pages of this context, or only those of one origin, do things without asking: `geolocation`,
    /// `notifications`, `clipboard-read`, `camera` and so on.
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
        self.browser()?.root().call(grant).await.map(drop)
    }

    /// The relay that its traffic goes through, as a proxy for others.
    pub(super) fn relay_server(&self) -> Option<String> {
        let own = self.inner.relay.as_ref().map(|relay| relay.server());
        own.or_else(|| {
            self.browser().ok()?.default_context().inner.relay.as_ref().map(|relay| relay.server())
        })
    }

    /// Why a connection failed since `begun`, if it is our relay that knows.
    pub(super) fn explain_failure(&self, begun: Instant) -> Option<Error> {
        self.inner.relay.as_ref()?.explain(begun)
    }

    /// The origins that its pages have been to.
    pub(super) fn origins(&self) -> BTreeSet<String> {
        self.inner.state.lock().origins.clone()
    }

    /// Remembers that one of its pages has been at this address.
    pub(super) fn note_origin(&self, url: &str) {
        if let Some(origin) = origin_of(url) {
            self.inner.state.lock().origins.insert(origin);
        }
    }

    // What pages and the browser's task call.

    pub(super) fn input_style(&self) -> InputStyle {
        self.inner.options.lock().input
    }

    pub(super) fn adopt_page(&self, session: CdpSession, info: &TargetInfo) -> Page {
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

    pub(super) fn page_closed(&self, closed: &Page) {
        self.inner.state.lock().pages.retain(|page| page != closed);
        self.inner.changes.send_modify(|version| *version += 1);
    }

    /// Sends what every page and frame process of this context needs before it runs.
    pub(super) fn set_up_target(&self, session: &CdpSession, is_page: bool) {
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
        let clock = self.clock().map(|clock| clock.script());
        let exposures = self.exposures();
        let functions = exposures.iter().filter_map(|exposure| exposure.script_for(is_page));
        for source in clock.into_iter().chain(functions).chain(options.init_scripts.iter().cloned()) {
            let script = AddScriptToEvaluateOnNewDocument {
                source,
                // A page begins with an empty document, which is there already.
                run_immediately: is_page.then_some(true),
                ..AddScriptToEvaluateOnNewDocument::default()
            };
            session.send(script).ignore();
        }
    }

    /// Sends what a worker of this context needs, and then it runs, if it may.
    pub(super) fn begin_worker(&self, session: &CdpSession, info: &TargetInfo, page: Option<&Page>) {
        if info.kind == "service_worker" && self.inner.options.lock().refuses_service_workers {
            worker::refuse(session);
        } else if let Some(worker) = Worker::new(session.clone(), info, page.cloned()) {
            self.attend(session, page, Some(&worker));
            self.attend_console(session, page, Some(&worker), Beginning::Before);
        }
        if let Some(claim) = self.claim(&self.inner.options.lock()) {
            session.send(claim).ignore();
        }
        session.send(RunIfWaitingForDebugger {}).ignore();
    }

    /// What its pages are told of the browser, where that is not what the browser says by itself.
    fn claim(&self, options: &ContextOptions) -> Option<SetUserAgentOverride> {
        let browser = self.browser().ok()?;
        browser.identity().claim(options.user_agent.as_deref(), options.locale.as_deref())
    }
}

/// The names that can be granted, and the browser's own for them.
pub const PERMISSIONS: [(&str, &str); 19] = [
    ("accelerometer", "sensors"),
    ("ambient-light-sensor", "sensors"),
    ("background-sync", "backgroundSync"),
    ("camera", "videoCapture"),
    ("clipboard-read", "clipboardReadWrite"),
    ("clipboard-write", "clipboardSanitizedWrite"),
    ("geolocation", "geolocation"),
    ("gyroscope", "sensors"),
    ("idle-detection", "idleDetection"),
    ("local-fonts", "localFonts"),
    ("local-network-access", "localNetworkAccess"),
    ("magnetometer", "sensors"),
    ("microphone", "audioCapture"),
    ("midi", "midi"),
    ("midi-sysex", "midiSysex"),
    ("notifications", "notifications"),
    ("payment-handler", "paymentHandler"),
    ("storage-access", "storageAccess"),
    ("window-management", "windowManagement"),
];

fn permission(name: &str) -> Result<&'static str> {
    let known = PERMISSIONS.iter().find(|(known, _)| *known == name);
    known.map(|(_, wire)| *wire).ok_or_else(|| {
        let names = PERMISSIONS.map(|(name, _)| name).join(", ");
        Error::InvalidArguments { problems: vec![format!("{name:?} is no permission; there are {names}")] }
    })
}
