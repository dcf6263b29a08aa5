//! The browser object: a child process, or a remote browser to which this process connects.
use std::collections::HashMap;
use std::fmt;
use std::path::Path;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use parking_lot::Mutex;
use tokio::sync::oneshot;
use tokio::time::timeout;

use super::attached_browser::{self, AttachedBrowser};
use super::context::BrowserContext;
use super::hooks::HookList;
use super::page::Page;
use super::protocol::BrowserProtocol;
use crate::bidi::commands::CreateContext;
use crate::bidi::{Firefox, FirefoxOptions};
use crate::browser::egress::relay::{Relay, RelaySettings};
use crate::browser::options::ContextOptions;
use crate::browser::program::endpoint;
use crate::browser::program::identity::Identity;
use crate::browser::program::launch::{self, BrowserProcess, LaunchOptions, launch};
use crate::cdp::transport::{Pipe, WebSocket};
use crate::cdp::types::browser::{Close, DownloadProgress, DownloadWillBegin, GetVersion, Version};
use crate::cdp::types::runtime::RunIfWaitingForDebugger;
use crate::cdp::types::target::{
    AttachToTarget, AttachedToTarget, Contexts, CreateBrowserContext, DetachFromTarget,
    DisposeBrowserContext, FilterEntry, GetBrowserContexts, GetTargets, SetAutoAttach, TargetCreated,
    TargetInfo,
};
use crate::cdp::{CdpSession, Connection, Event, Observer, RawEvent};
use crate::error::{Error, Result, human};
use crate::sync::SteadyClock;

/// A browser. Cheap to clone. Usable until [`close`](Self::close) is called or the browser process exits.
#[derive(Clone)]
pub struct Browser {
    inner: Arc<BrowserInner>,
}

pub(in crate::browser) struct BrowserInner {
    connection: Connection,
    root: CdpSession,
    process: Option<BrowserProcess>,
    /// The clock for time stamps of input events.
    clock: SteadyClock,
    version: Version,
    protocol: BrowserProtocol,
    identity: Identity,
    /// All contexts except the default one, by id: those of this process and those of other clients.
    contexts: Mutex<HashMap<String, BrowserContext>>,
    /// The contexts that existed when this process connected.
    known: Contexts,
    /// Callers that wait for the session of an internal page, by the page's URL.
    helpers: Mutex<HashMap<String, oneshot::Sender<CdpSession>>>,
    default_context: BrowserContext,
    /// The tabs that this process has opened in a browser that a person uses; `None` for any other browser.
    attached_browser: Option<AttachedBrowser>,
    /// Whether other clients use the browser too. Targets in their contexts are ignored.
    is_shared: bool,
}

impl fmt::Debug for Browser {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Browser")
            .field("version", &self.inner.version.product)
            .finish_non_exhaustive()
    }
}

impl PartialEq for Browser {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }
}

impl Eq for Browser {}

/// How long an existing tab may take to become ready.
const TAB_LIMIT: Duration = Duration::from_secs(2);
/// How long the browser may take to answer the first command.
const FIRST_ANSWER: Duration = Duration::from_secs(30);

impl Browser {
    pub(in crate::browser) async fn launch_with(
        hooks: HookList,
        options: &LaunchOptions,
        default_context: ContextOptions,
        warn: &(dyn Fn(&str) + Send + Sync),
    ) -> Result<Self> {
        let relay = Relay::start(wanted(&default_context)).await?;
        let options = through(relay.as_ref(), options);
        let begun = Instant::now();
        let process = launch(&options, warn).await?;
        let limit = options.launch_limit.saturating_sub(begun.elapsed());
        let begin = FirefoxOptions {
            proxy: options.proxy.as_ref().map(|proxy| proxy.server.clone()),
            direct_hosts: direct_hosts(relay.as_ref()),
            accept_insecure_certs: default_context.ignore_https_errors,
            hides_webdriver: options.hides_webdriver,
        };
        let started = async {
            protocol(&process).check(&default_context)?;
            Self::start(converse(&process, &begin, limit).await?).await
        };
        match started.await {
            Ok(answered) => {
                Ok(Self::assemble(hooks, answered, Some(process), default_context, relay, None, false))
            }
            Err(error) => {
                process.terminate(Duration::ZERO).await;
                Err(error)
            }
        }
    }

    pub(in crate::browser) async fn connect_with(
        hooks: HookList,
        endpoint: &str,
        headers: &[(String, String)],
        default_context: ContextOptions,
        limit: Duration,
        is_shared: bool,
    ) -> Result<Self> {
        let slow = || Error::BrowserGone { reason: format!("it gave no answer within {}", human(limit)) };
        let connecting = async {
            let websocket_url = endpoint::resolve(endpoint, headers, limit).await?;
            WebSocket::connect(&websocket_url, headers).await
        };
        let begun = Instant::now();
        let socket = timeout(limit, connecting).await.unwrap_or_else(|_| Err(slow()))?;
        let answering = Self::start(Connection::start(socket));
        let left = limit.saturating_sub(begun.elapsed());
        let answered = timeout(left, answering).await.unwrap_or_else(|_| Err(slow()))?;
        let browser = Self::assemble(hooks, answered, None, default_context, None, None, is_shared);
        // The browser reports all open targets before it answers this command.
        browser.inner.root.send(GetVersion {}).within(limit).await?;
        let pages: Vec<_> = browser.contexts().iter().flat_map(BrowserContext::pages).collect();
        until_found(&pages).await;
        Ok(browser)
    }

    pub(in crate::browser) async fn join_with(
        hooks: HookList,
        folder: &Path,
        default_context: ContextOptions,
        limit: Duration,
    ) -> Result<Self> {
        let address = attached_browser::websocket_debugger_url(folder)?;
        let connecting = timeout(limit, WebSocket::connect(&address, &[])).await;
        let socket = connecting.ok().and_then(Result::ok).ok_or(Error::NoGuests)?;
        let answered = Self::start(Connection::start(socket)).await?;
        Ok(Self::assemble(
            hooks,
            answered,
            None,
            default_context,
            None,
            Some(AttachedBrowser::default()),
            false,
        ))
    }

    async fn start(connection: Connection) -> Result<ConnectedBrowser> {
        let root = connection.root();
        let (version, known) = (root.send(GetVersion {}), root.send(GetBrowserContexts {}));
        let (version, known) = (version.within(FIRST_ANSWER).await?, known.within(FIRST_ANSWER).await?);
        Ok(ConnectedBrowser { connection, root, version, known })
    }

    fn assemble(
        hooks: HookList,
        answered: ConnectedBrowser,
        process: Option<BrowserProcess>,
        options: ContextOptions,
        relay: Option<Relay>,
        attached_browser: Option<AttachedBrowser>,
        is_shared: bool,
    ) -> Self {
        let ConnectedBrowser { connection, root, version, known } = answered;
        let identity = Identity {
            brand: process.as_ref().and_then(BrowserProcess::brand).map(str::to_owned),
            version: version.product.rsplit('/').next().unwrap_or_default().to_owned(),
            user_agent: version.user_agent.clone(),
            has_user_agent_argument: process.as_ref().is_some_and(BrowserProcess::has_user_agent_argument),
            is_genuine: !process.as_ref().is_some_and(BrowserProcess::has_configured_user_agent),
        };
        let inner = Arc::new_cyclic(|browser: &Weak<BrowserInner>| BrowserInner {
            connection,
            root,
            process,
            clock: SteadyClock::read(),
            protocol: BrowserProtocol::of(&version.product),
            version,
            identity,
            contexts: Mutex::default(),
            known,
            helpers: Mutex::default(),
            attached_browser,
            default_context: BrowserContext::new(browser.clone(), hooks, None, options, relay.map(Arc::new)),
            is_shared,
        });
        inner.root.observe(&EVENTS, Arc::new(BrowserObserver(Arc::downgrade(&inner))));
        if let Some(process) = &inner.process {
            // Child processes can keep the pipe open longer, and the exit status is a better close reason.
            let (exited, connection) = (process.wait_for_exit(), inner.connection.downgrade());
            tokio::spawn(async move {
                let exit = exited.await;
                if let Some(connection) = connection.upgrade() {
                    connection.close(&exit.to_string());
                }
            });
        }
        let browser = Self { inner };
        match &browser.inner.attached_browser {
            Some(_) => attached_browser::watch_tabs(browser.root_session()),
            // From here on, the browser attaches this process to every target before its first script runs.
            None => browser.inner.root.send(attach_to_everything()).ignore(),
        }
        browser
    }

    pub(in crate::browser) fn from_inner(inner: Arc<BrowserInner>) -> Self {
        Self { inner }
    }

    /// An id of this browser that is unique within this process.
    pub fn instance_id(&self) -> usize {
        Arc::as_ptr(&self.inner).addr()
    }

    /// The CDP session of the browser itself.
    pub fn root_session(&self) -> &CdpSession {
        &self.inner.root
    }

    /// The tabs that this process has opened, if a person uses the browser. Other tabs must not be touched.
    pub(in crate::browser) fn attached_browser(&self) -> Option<&AttachedBrowser> {
        self.inner.attached_browser.as_ref()
    }

    pub(in crate::browser) fn connection(&self) -> &Connection {
        &self.inner.connection
    }

    /// The product name, version and user agent that the browser reports to this process.
    pub fn version(&self) -> &Version {
        &self.inner.version
    }

    /// The browser's name: `chromium` or `firefox`.
    pub fn name(&self) -> &'static str {
        match self.inner.protocol {
            BrowserProtocol::Chromium => "chromium",
            BrowserProtocol::Firefox => "firefox",
        }
    }

    /// The version without the product name, such as `156.0.8078.73`.
    pub fn version_number(&self) -> &str {
        let product = &self.inner.version.product;
        product.split_once('/').map_or(product.as_str(), |(_, version)| version)
    }

    /// The protocol of this browser, which decides which features it supports.
    pub fn protocol(&self) -> BrowserProtocol {
        self.inner.protocol
    }

    /// The name and version that the browser reports to pages.
    pub(in crate::browser) fn identity(&self) -> &Identity {
        &self.inner.identity
    }

    /// Whether the browser was launched so that WebRTC never bypasses the proxy.
    pub(in crate::browser) fn restricts_webrtc(&self) -> bool {
        self.inner.process.as_ref().is_some_and(BrowserProcess::restricts_webrtc)
    }

    /// Whether the browser blocks links to external programs, such as `mailto:`, without showing a prompt.
    pub fn blocks_external_protocols(&self) -> bool {
        self.inner.process.as_ref().is_some_and(BrowserProcess::blocks_external_protocols)
    }

    /// Whether the browser has no window. For a remote browser, this is derived from its user agent.
    pub fn is_headless(&self) -> bool {
        match &self.inner.process {
            Some(process) => process.is_headless(),
            None => self.inner.version.user_agent.contains("Headless"),
        }
    }

    /// The browser's process; `None` if another process launched it.
    pub fn process(&self) -> Option<&BrowserProcess> {
        self.inner.process.as_ref()
    }

    /// The clock for time stamps of input events; `None` for a remote browser, whose clock may differ.
    pub(in crate::browser) fn clock(&self) -> Option<SteadyClock> {
        self.process().map(|_| self.inner.clock)
    }

    /// The default context, which uses the browser's profile.
    pub fn default_context(&self) -> &BrowserContext {
        &self.inner.default_context
    }

    /// All contexts, the default one first. Contexts of other clients are included if they have pages.
    pub fn contexts(&self) -> Vec<BrowserContext> {
        let mut contexts = vec![self.inner.default_context.clone()];
        let others = self.inner.contexts.lock();
        contexts.extend(others.values().filter(|context| context.is_owned() || context.has_pages()).cloned());
        contexts
    }

    /// Creates a context with its own cookies, storage, cache and permissions.
    pub async fn new_context(&self, options: ContextOptions) -> Result<BrowserContext> {
        let relay = Relay::start(wanted(&options)).await?.map(Arc::new);
        self.protocol().check(&options)?;
        let proxy_server = relay.as_ref().map(|relay| relay.server());
        let root = &self.inner.root;
        let created = match self.protocol() {
            BrowserProtocol::Firefox => {
                let accept_insecure_certs = options.ignore_https_errors;
                let direct_hosts = direct_hosts(relay.as_deref());
                root.call(CreateContext { proxy_server, direct_hosts, accept_insecure_certs }).await?
            }
            BrowserProtocol::Chromium => {
                let proxy_bypass_list = relay.as_ref().map(|relay| relay.bypass());
                let dispose_on_detach = Some(!options.outlives_connection);
                root.call(CreateBrowserContext { dispose_on_detach, proxy_server, proxy_bypass_list }).await?
            }
        };
        let id = created.browser_context_id;
        let (browser, hooks) = (Arc::downgrade(&self.inner), self.default_context().hooks());
        let context = BrowserContext::new(browser, hooks, Some(id.clone()), options, relay);
        self.inner.contexts.lock().insert(id, context.clone());
        if let Err(error) = context.apply_options().await {
            let _ = context.close().await;
            return Err(error);
        }
        Ok(context)
    }

    /// Takes over a disconnected client's context and its open pages. Numbers the pages from `first_page`.
    ///
    /// # Errors `browser_gone` if there is no such context.
    pub async fn adopt_context(
        &self,
        id: &str,
        options: ContextOptions,
        first_page: u32,
    ) -> Result<BrowserContext> {
        let root = &self.inner.root;
        let there = root.call(GetBrowserContexts {}).await?.browser_context_ids;
        if there.iter().all(|known| known != id) {
            return Err(Error::BrowserGone { reason: "its context was closed".to_owned() });
        }
        // The initial storage state was applied when the context was created.
        let options = ContextOptions { storage_state: None, ..options };
        let (browser, hooks) = (Arc::downgrade(&self.inner), self.default_context().hooks());
        let context = BrowserContext::new(browser, hooks, Some(id.to_owned()), options, None);
        context.number_pages_from(first_page);
        self.inner.contexts.lock().insert(id.to_owned(), context.clone());
        context.apply_options().await?;
        let targets = root.call(GetTargets::default()).await?.target_infos;
        let pages = targets
            .into_iter()
            .filter(|target| target.kind == "page" && target.browser_context_id.as_deref() == Some(id));
        for page in pages {
            // An error means that the page was closed meanwhile.
            let _ = root.call(AttachToTarget { target_id: page.target_id, flatten: true }).await;
        }
        until_found(&context.pages()).await;
        Ok(context)
    }

    /// Disposes of the context with this id, which no client takes over.
    pub async fn dispose_context(&self, id: &str) -> Result<()> {
        let dispose = DisposeBrowserContext { browser_context_id: id.to_owned() };
        self.inner.root.call(dispose).await.map(drop)
    }

    /// Returns why the browser or the connection to it ended; `None` while it is connected.
    pub fn close_reason(&self) -> Option<Error> {
        self.inner.connection.close_reason()
    }

    pub fn is_connected(&self) -> bool {
        self.close_reason().is_none()
    }

    /// Waits until the browser ends, and returns the reason.
    pub async fn wait_for_disconnect(&self) -> Error {
        self.inner.connection.wait_for_end().await
    }

    /// Whether any message arrives from the browser within `limit`; see [`Connection::is_alive`].
    pub async fn is_alive(&self, limit: Duration) -> bool {
        self.inner.connection.is_alive(limit).await
    }

    /// Abandons a browser that does not answer: pending commands fail, and a child process is killed.
    pub async fn force_close(&self, reason: &str) {
        self.inner.connection.close(reason);
        if let Some(process) = &self.inner.process {
            process.terminate(Duration::ZERO).await;
        }
    }

    /// Closes a launched browser. In a remote browser, closes only the contexts and tabs of this process.
    pub async fn close(&self) -> Result<()> {
        const GOODBYE: Duration = Duration::from_secs(2);
        const LIMIT: Duration = Duration::from_secs(5);
        let Some(process) = &self.inner.process else {
            let contexts: Vec<_> = self.inner.contexts.lock().drain().map(|(_, context)| context).collect();
            for context in contexts.iter().filter(|context| context.is_owned()) {
                let _ = context.close().await;
            }
            if let Some(attached_browser) = &self.inner.attached_browser {
                let _ = timeout(GOODBYE, attached_browser.leave(self.root_session())).await;
            }
            self.inner.connection.close("we let go of it");
            return Ok(());
        };
        if !process.has_temporary_profile() {
            let _ = self.inner.root.call_within(Close {}, GOODBYE).await;
        }
        self.contexts().iter().for_each(BrowserContext::remove_downloads);
        self.inner.connection.close("it was closed");
        process.terminate(LIMIT).await;
        Ok(())
    }

    pub(in crate::browser) fn forget_context(&self, id: &str) {
        self.inner.contexts.lock().remove(id);
    }

    /// Returns a unique URL for an internal page, and a receiver for the session of the page with that URL.
    pub(in crate::browser) fn await_internal_page(&self) -> (String, oneshot::Receiver<CdpSession>) {
        let url = format!("about:blank#{}", uuid::Uuid::new_v4());
        let (sender, receiver) = oneshot::channel();
        self.inner.helpers.lock().insert(url.clone(), sender);
        (url, receiver)
    }

    /// Returns the context with this id. Adds an object for an unknown id, which belongs to another client.
    fn context_of(&self, id: Option<&str>) -> BrowserContext {
        let Some(id) = id.filter(|id| !self.is_own(id)) else { return self.inner.default_context.clone() };
        let mut contexts = self.inner.contexts.lock();
        let of_other_client = || {
            let usual = self.inner.default_context.options();
            let (has_dialog_listener, input) = (usual.has_dialog_listener, usual.input);
            let options = ContextOptions { input, has_dialog_listener, ..ContextOptions::default() };
            BrowserContext::of_other_client(
                Arc::downgrade(&self.inner),
                self.default_context().hooks(),
                id.to_owned(),
                options,
            )
        };
        contexts.entry(id.to_owned()).or_insert_with(of_other_client).clone()
    }

    /// Whether `id` is the default context's. Older browsers do not report it; there, any unknown id counts.
    fn is_own(&self, id: &str) -> bool {
        let known = &self.inner.known;
        match &known.default_browser_context_id {
            Some(own) => own == id,
            None => {
                !self.inner.contexts.lock().contains_key(id)
                    && known.browser_context_ids.iter().all(|made| made != id)
            }
        }
    }

    fn on_attached(&self, event: &AttachedToTarget) {
        let session = self.inner.connection.session(&event.session_id);
        let info = &event.target_info;
        if let Some(helper) = self.inner.helpers.lock().remove(&info.url) {
            let _ = helper.send(session);
            return;
        }
        let context = || self.context_of(info.browser_context_id.as_deref());
        if self.inner.is_shared && !self.is_of_ours(info) {
            self.leave_alone(&session, &event.session_id);
            return;
        }
        match info.kind.as_str() {
            "page" if !is_of_the_browser(&info.url) => {
                context().adopt_page(session, info);
            }
            "service_worker" | "shared_worker" | "worker" => {
                context().set_up_worker(&session, info, None);
            }
            "browser" => {} // A session that `attach_raw` has requested.
            _ => self.leave_alone(&session, &event.session_id),
        }
    }

    fn is_of_ours(&self, info: &TargetInfo) -> bool {
        let contexts = self.inner.contexts.lock();
        info.kind == "browser" || info.browser_context_id.as_ref().is_some_and(|id| contexts.contains_key(id))
    }

    fn leave_alone(&self, session: &CdpSession, id: &str) {
        session.send(RunIfWaitingForDebugger {}).ignore();
        self.inner.root.send(DetachFromTarget { session_id: Some(id.to_owned()) }).ignore();
    }
}

/// Waits until existing pages are ready, at most `TAB_LIMIT`. A page that hangs gets the URL of its target.
async fn until_found(pages: &[Page]) {
    join_all(pages.iter().map(async |page| {
        if page.until_ready(TAB_LIMIT).await.is_err() {
            page.use_target_url();
        }
    }))
    .await;
}

/// The protocol of a browser process.
fn protocol(process: &BrowserProcess) -> BrowserProtocol {
    if process.bidi_address().is_some() { BrowserProtocol::Firefox } else { BrowserProtocol::Chromium }
}

/// Connects to a browser process: over its pipe for CDP, or over its port for WebDriver BiDi.
async fn converse(process: &BrowserProcess, begin: &FirefoxOptions, limit: Duration) -> Result<Connection> {
    if let Some(address) = process.bidi_address() {
        return Ok(Connection::start(Firefox::connect(address, begin, limit).await?));
    }
    let pipes = process.take_pipes();
    let (reader, writer) =
        pipes.ok_or_else(|| Error::BrowserLaunch { reason: "its pipe is gone".to_owned() })?;
    Ok(Connection::start(Pipe::new(reader, writer)))
}

/// An open connection, with the browser's answers to the first commands.
struct ConnectedBrowser {
    connection: Connection,
    root: CdpSession,
    version: Version,
    known: Contexts,
}

fn wanted(options: &ContextOptions) -> RelaySettings<'_> {
    RelaySettings {
        upstream: options.proxy.as_ref(),
        policy: &options.policy,
        certificates: &options.client_certificates,
        ignores_errors: options.ignore_https_errors,
    }
}

fn direct_hosts(relay: Option<&Relay>) -> Vec<String> {
    relay.map(|relay| relay.direct_hosts().map(str::to_owned).collect()).unwrap_or_default()
}

/// Returns launch options with the relay as proxy, for pages and for the browser's own requests.
fn through(relay: Option<&Relay>, options: &LaunchOptions) -> LaunchOptions {
    let mut options = options.clone();
    if let Some(relay) = relay {
        options.proxy = Some(launch::Proxy { server: relay.server(), bypass: Some(relay.bypass()) });
        // WebRTC's direct connections would bypass the relay.
        for name in ["--webrtc-ip-handling-policy", "--force-webrtc-ip-handling-policy"] {
            options.arguments.push(format!("{name}=disable_non_proxied_udp"));
        }
    }
    options
}

/// The events of the browser session that are handled.
const EVENTS: [&str; 4] =
    [AttachedToTarget::METHOD, TargetCreated::METHOD, DownloadWillBegin::METHOD, DownloadProgress::METHOD];

/// Handles the target and download events of the browser session.
struct BrowserObserver(Weak<BrowserInner>);

impl Observer for BrowserObserver {
    fn on_event(&self, event: RawEvent) {
        let Some(inner) = self.0.upgrade() else { return };
        let browser = Browser { inner };
        if let Some(event) = event.read::<AttachedToTarget>() {
            browser.on_attached(&event);
        } else if let Some(event) = event.read::<TargetCreated>() {
            if let Some(attached_browser) = browser.attached_browser() {
                attached_browser.on_target(browser.root_session(), &event.target_info);
            }
        } else if let Some(event) = event.read::<DownloadWillBegin>() {
            let _ = browser.contexts().iter().any(|context| context.download_begun(&event));
        } else if let Some(event) = event.read::<DownloadProgress>() {
            let _ = browser.contexts().iter().any(|context| context.download_progressed(&event));
        }
    }
}

fn is_of_the_browser(url: &str) -> bool {
    url.starts_with("devtools://") || url.starts_with("chrome-extension://")
}

fn attach_to_everything() -> SetAutoAttach {
    let exclude = |kind: &str| FilterEntry { exclude: true, kind: Some(kind.to_owned()) };
    SetAutoAttach {
        auto_attach: true,
        wait_for_debugger_on_start: true,
        flatten: true,
        filter: Some(vec![exclude("browser"), exclude("tab"), exclude("browser_ui"), FilterEntry::default()]),
    }
}
