//! The engine: starts the browser that clients share on first use, and another one after that has ended.
//! Owners who must not share data have one browser each, because a browser has only one clipboard.
use std::collections::HashMap;
use std::fmt;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::{Arc, Weak};
use std::time::Duration;

use futures_util::future::join_all;
use parking_lot::Mutex;

use super::quota::{OwnerLimits, Quota};
use super::uses::{UsageGuard, UsageTracker};
use super::workspace::Workspace;
use crate::browser::find::Channel;
use crate::browser::launch::{BrowserProcess, LaunchOptions};
use crate::browser::{Browser, ContextOptions, Page};
use crate::error::{Error, Result, human};
use crate::fleet::{BrowserPool, GridSession, NodeProtocol, NodeReservation, PoolNode};
use crate::secrets::Secrets;
use crate::webdriver::{self, WebkitSession};

mod webkit;

/// The source of the engine's browser.
#[derive(Debug, Clone)]
#[allow(missing_docs, reason = "each variant describes its fields")]
pub enum BrowserSource {
    /// Start a browser, and close it together with the engine.
    Launch(Box<LaunchOptions>),
    /// Connect to a browser that somebody else runs, at a `ws://` or `http://` URL, with these headers.
    Attach { endpoint: String, headers: Vec<(String, String)>, limit: Duration },
    /// Connect to a person's running browser, found by its profile folder. Clients use only tabs that they open.
    Join { folder: PathBuf, limit: Duration },
    /// Use a pool of browsers. Each workspace is assigned to one of them.
    Pool(Arc<BrowserPool>),
    /// One browser of a pool, which other servers also use.
    Shared { node: Arc<PoolNode>, limit: Duration },
    /// Start a WebKit for each workspace, and close it together with the workspace.
    Webkit(Arc<webdriver::Options>),
    /// A browser that was requested by name and that this build does not support.
    Unsupported { browser: String },
}

/// Options of the engine.
#[derive(Clone)]
pub struct EngineOptions {
    /// The source of the browser.
    pub source: BrowserSource,
    /// The default options of new contexts.
    pub context: ContextOptions,
    /// Whether clients work in the browser's default context (the profile) instead of fresh ones.
    pub use_profile: bool,
    /// How long a browser in use may take to answer before it is given up.
    pub hang_limit: Duration,
    /// How long an unused browser stays open. `None`: no limit, except `unseen_idle_limit`.
    pub idle_limit: Option<Duration>,
    /// How long an unused headless browser stays open if `idle_limit` is `None`.
    pub unseen_idle_limit: Option<Duration>,
    /// Whether contexts get their cookies back when another browser replaces one that has ended.
    pub restore: bool,
    /// The limits that apply to each owner.
    pub limits: OwnerLimits,
    /// Secrets that models can type by name without seeing them.
    pub secrets: Secrets,
    /// Receives warnings for the user, one line at a time.
    pub warn: Arc<dyn Fn(&str) + Send + Sync>,
}

impl EngineOptions {
    /// Creates the default options.
    pub fn new(source: BrowserSource) -> Self {
        Self {
            source,
            context: ContextOptions::default(),
            use_profile: false,
            hang_limit: Duration::from_secs(8),
            idle_limit: None,
            unseen_idle_limit: None,
            restore: false,
            limits: OwnerLimits::default(),
            secrets: Secrets::default(),
            warn: Arc::new(|_| ()),
        }
    }

    /// Whether somebody else runs the browser, so that it is never launched or closed here.
    fn is_remote(&self) -> bool {
        matches!(
            self.source,
            BrowserSource::Attach { .. } | BrowserSource::Shared { .. } | BrowserSource::Join { .. }
        )
    }

    /// Whether clients may use tabs that were open before the server connected.
    fn uses_existing_tabs(&self) -> bool {
        matches!(self.source, BrowserSource::Attach { .. } | BrowserSource::Shared { .. })
    }
}

impl fmt::Debug for EngineOptions {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("EngineOptions").field("source", &self.source).finish_non_exhaustive()
    }
}

/// The browser that all clients of an owner share, and how it is started. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Engine {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    options: EngineOptions,
    /// Held while a browser starts, so that waiting callers share one start.
    browser: tokio::sync::Mutex<Option<Browser>>,
    current: Mutex<Option<Browser>>,
    closed: tokio::sync::watch::Sender<bool>,
    uses: UsageTracker,
    /// The open tabs and contexts of the owner, with their limits.
    quota: Quota,
    /// The engines of owners with browsers of their own, by owner name.
    owners: Mutex<HashMap<String, Engine>>,
    /// The engines of other browsers that sessions requested.
    siblings: Mutex<HashMap<Channel, Engine>>,
    /// The engine that starts a WebKit for each workspace; `None` until a session requests one.
    webkit: Mutex<Option<Engine>>,
    /// The WebKit sessions of this engine's workspaces.
    webkit_sessions: Mutex<Vec<Weak<WebkitSession>>>,
    /// The engine of the whole server, if this one belongs to one owner or is another browser.
    root: Option<Weak<Inner>>,
    /// The engines of a pool's browsers, by browser name. Each holds the only connection to its browser.
    nodes: Mutex<HashMap<String, Engine>>,
    /// The pool from which this engine takes its browser, if it belongs to one workspace.
    place_in_pool: Option<PoolPlace>,
    /// The Selenium Grid session that provides this browser, if it comes from a grid.
    of_grid: Mutex<Option<GridSession>>,
}

/// The assignment of a workspace to a browser of a pool, on first use and when that browser is gone.
#[derive(Debug)]
struct PoolPlace {
    /// The engine that connects to the pool's browsers.
    home: Engine,
    label: Option<String>,
    /// The browser to try first.
    wanted: Mutex<Option<String>>,
    taken: Mutex<Option<(NodeReservation, Engine)>>,
}

/// How long an owner's browser stays open after the owner has closed everything in it.
const LEFT_LIMIT: Duration = Duration::from_secs(60);

impl Engine {
    /// Creates an engine without a browser. The first use starts one.
    pub fn new(options: EngineOptions) -> Self {
        Self::of(options, None)
    }

    fn of(options: EngineOptions, root: Option<Weak<Inner>>) -> Self {
        let quota = Quota::new(options.limits);
        Self::with(options, root, quota, None)
    }

    fn with(
        options: EngineOptions,
        root: Option<Weak<Inner>>,
        quota: Quota,
        place_in_pool: Option<PoolPlace>,
    ) -> Self {
        let inner = Inner {
            options,
            browser: tokio::sync::Mutex::default(),
            current: Mutex::default(),
            closed: tokio::sync::watch::Sender::new(false),
            uses: UsageTracker::new(),
            quota,
            owners: Mutex::default(),
            siblings: Mutex::default(),
            webkit: Mutex::default(),
            webkit_sessions: Mutex::default(),
            root,
            nodes: Mutex::default(),
            place_in_pool,
            of_grid: Mutex::default(),
        };
        Self { inner: Arc::new(inner) }
    }

    /// Creates a workspace for a client.
    pub fn new_workspace(&self) -> Workspace {
        let quota = self.inner.quota.clone();
        Workspace::new(self.place_in_pool(None, None), self.options().context.clone(), false, quota)
    }

    /// Creates an engine for one workspace in a browser of the pool with this label, preferably the one named
    /// `wanted`. Without a pool, returns this engine.
    pub(super) fn place_in_pool(&self, wanted: Option<String>, label: Option<String>) -> Self {
        let BrowserSource::Pool(_) = &self.options().source else { return self.clone() };
        let home =
            self.inner.place_in_pool.as_ref().map_or(self, |place_in_pool| &place_in_pool.home).clone();
        let (root, quota) = (home.downgrade_root(), home.inner.quota.clone());
        let options = self.options().clone();
        let place_in_pool = PoolPlace { home, label, wanted: Mutex::new(wanted), taken: Mutex::default() };
        Self::with(options, Some(root), quota, Some(place_in_pool))
    }

    /// Returns the pool from which this engine takes browsers; `None` if it has none.
    pub fn pool(&self) -> Option<&Arc<BrowserPool>> {
        match &self.options().source {
            BrowserSource::Pool(pool) => Some(pool),
            _ => None,
        }
    }

    /// Returns the name of the pool's browser that this engine uses; `None` if none is assigned.
    pub(super) fn node(&self) -> Option<String> {
        let place_in_pool = self.inner.place_in_pool.as_ref()?;
        place_in_pool.taken.lock().as_ref().map(|(placement, _)| placement.node.name.clone())
    }

    /// Returns the engine for one browser of the pool, shared by all workspaces in that browser.
    pub(super) fn engine_of(&self, node: &Arc<PoolNode>, limit: Duration) -> Self {
        let mut nodes = self.inner.nodes.lock();
        let make = || {
            let source = BrowserSource::Shared { node: Arc::clone(node), limit };
            let options = EngineOptions { source, use_profile: false, ..self.options().clone() };
            let engine = Self::with(options, Some(self.downgrade_root()), self.inner.quota.clone(), None);
            engine.inner.closed.send_replace(*self.inner.closed.borrow());
            engine
        };
        nodes.entry(node.name.clone()).or_insert_with(make).clone()
    }

    fn downgrade_root(&self) -> Weak<Inner> {
        self.inner.root.clone().unwrap_or_else(|| Arc::downgrade(&self.inner))
    }

    /// Calls [`get_or_launch_browser`](Self::get_or_launch_browser) through a box, which its recursion requires.
    fn reach(&self) -> Pin<Box<dyn Future<Output = Result<Browser>> + Send + '_>> {
        Box::pin(self.get_or_launch_browser())
    }

    /// Assigns the workspace to a reachable browser of the pool, and connects to that browser.
    async fn take_place(&self, pool: &Arc<BrowserPool>, place_in_pool: &PoolPlace) -> Result<Browser> {
        pool.refresh_nodes().await;
        let mut failed = None;
        let mut wanted = place_in_pool.wanted.lock().take();
        loop {
            let placement = match pool.reserve(wanted.as_deref(), place_in_pool.label.as_deref()) {
                Ok(placement) => placement,
                Err(_) if wanted.take().is_some() => continue,
                Err(full) => return Err(failed.unwrap_or(full)),
            };
            wanted = None;
            let engine = place_in_pool.home.engine_of(&placement.node, pool.limit);
            match engine.reach().await {
                Ok(browser) => {
                    pool.mark_reachable(&placement.node.name);
                    *place_in_pool.taken.lock() = Some((placement, engine));
                    return Ok(browser);
                }
                Err(error) => {
                    tracing::warn!(%error, node = placement.node.name, "a browser of the pool cannot be reached");
                    pool.mark_unreachable(&placement.node.name);
                    failed = Some(error);
                }
            }
        }
    }

    /// Creates a workspace for an owner who shares neither profile nor browser with others. `context` has the
    /// default options of the workspace's contexts.
    pub fn isolated_workspace(&self, owner: &str, context: ContextOptions) -> Workspace {
        let engine = self.of_owner(owner, &context).place_in_pool(None, None);
        let quota = engine.inner.quota.clone();
        Workspace::new(engine, context, true, quota)
    }

    fn of_owner(&self, owner: &str, context: &ContextOptions) -> Self {
        let mut owners = self.inner.owners.lock();
        let engine = owners.entry(owner.to_owned()).or_insert_with(|| {
            let mut options = EngineOptions { context: context.clone(), ..self.options().clone() };
            match &mut options.source {
                // Only one browser can use a profile folder, and owners must not share its data.
                BrowserSource::Launch(launch) => launch.user_data_dir = None,
                BrowserSource::Webkit(webkit) => *webkit = Arc::new(webkit.within(&context.policy)),
                _ => {}
            }
            Self::of(options, Some(Arc::downgrade(&self.inner)))
        });
        engine.clone()
    }

    /// Closes all browsers of an owner who is no longer admitted. Later use by the owner starts another one.
    pub async fn close_owner_browsers(&self, owner: &str) {
        let engine = self.inner.owners.lock().remove(owner);
        if let Some(engine) = engine {
            engine.close().await;
        }
    }

    /// Creates a workspace in another kind of browser, which starts on first use.
    ///
    /// # Errors `unsupported` if the browser is run by somebody else.
    pub(super) fn workspace_in(&self, channel: Channel, context: ContextOptions) -> Result<Workspace> {
        let engine = self.sibling(channel)?;
        let quota = engine.inner.quota.clone();
        Ok(Workspace::new(engine, context, true, quota))
    }

    fn sibling(&self, channel: Channel) -> Result<Self> {
        let launch = match &self.options().source {
            BrowserSource::Launch(launch) if launch.channel == channel => return Ok(self.clone()),
            BrowserSource::Launch(launch) => LaunchOptions {
                channel,
                // The configured executable and profile belong to the default browser.
                executable: None,
                user_data_dir: None,
                ..(**launch).clone()
            },
            BrowserSource::Unsupported { .. } => LaunchOptions { channel, ..LaunchOptions::default() },
            BrowserSource::Webkit(options) => LaunchOptions { channel, ..options.for_other_browser() },
            BrowserSource::Attach { .. }
            | BrowserSource::Join { .. }
            | BrowserSource::Shared { .. }
            | BrowserSource::Pool(_) => {
                let reason = "the server is attached to one that runs already".to_owned();
                return Err(Error::Unsupported { what: "another browser", reason });
            }
        };
        let mut siblings = self.inner.siblings.lock();
        let make = || {
            let source = BrowserSource::Launch(Box::new(launch));
            let options = EngineOptions { source, use_profile: false, ..self.options().clone() };
            let root = self.inner.root.clone().unwrap_or_else(|| Arc::downgrade(&self.inner));
            Self::of(options, Some(root))
        };
        Ok(siblings.entry(channel).or_insert_with(make).clone())
    }

    /// Returns this engine and those that it created: for owners, other browsers, and a pool's browsers.
    fn family(&self) -> Vec<Self> {
        let mut family = vec![self.clone()];
        family.extend(self.inner.owners.lock().values().cloned());
        let siblings = family.iter().flat_map(|engine| {
            let siblings = engine.inner.siblings.lock();
            let webkit = engine.inner.webkit.lock();
            siblings.values().chain(webkit.as_ref()).cloned().collect::<Vec<_>>()
        });
        let siblings: Vec<_> = siblings.collect();
        family.extend(siblings);
        let nodes =
            family.iter().flat_map(|engine| engine.inner.nodes.lock().values().cloned().collect::<Vec<_>>());
        let nodes: Vec<_> = nodes.collect();
        family.extend(nodes);
        family
    }

    /// Returns the memory that the pages of all owners use, in bytes.
    pub(super) fn renderer_memory_bytes(&self) -> u64 {
        let root = self.inner.root.as_ref().and_then(Weak::upgrade).map(|inner| Self { inner });
        let root = root.as_ref().unwrap_or(self);
        let family = root.family();
        family
            .iter()
            .filter_map(Self::running_browser)
            .filter_map(|browser| browser.process().map(BrowserProcess::renderer_memory_bytes))
            .sum()
    }

    /// Returns how long the browser stays open after the last call; `None` for no limit.
    fn idle_limit(&self, browser: &Browser) -> Option<Duration> {
        let left = self.inner.root.is_some() && self.inner.quota.is_unused();
        let unseen_limit = self.options().unseen_idle_limit.filter(|_| self.is_unseen(browser));
        let limit = self.options().idle_limit.or(unseen_limit);
        limit.into_iter().chain(left.then_some(LEFT_LIMIT)).min()
    }

    /// Returns the options with which this engine was created.
    pub fn options(&self) -> &EngineOptions {
        &self.inner.options
    }

    /// Whether somebody else runs the browser.
    pub fn is_remote(&self) -> bool {
        self.inner.options.is_remote()
    }

    /// Whether clients may use tabs that were open before the server connected.
    pub fn uses_existing_tabs(&self) -> bool {
        self.inner.options.uses_existing_tabs()
    }

    /// Whether nobody can see the tabs of the running browser.
    pub(super) fn hides_tabs(&self) -> bool {
        self.running_browser().is_some_and(|browser| self.is_unseen(&browser))
    }

    /// Whether nobody can see the browser's tabs: this server runs it headless.
    fn is_unseen(&self, browser: &Browser) -> bool {
        !self.is_remote() && browser.is_headless()
    }

    /// Returns the browser; `None` if it is not running.
    pub fn running_browser(&self) -> Option<Browser> {
        self.inner.current.lock().clone().filter(Browser::is_connected)
    }

    /// Returns the browser. Starts one if none is running.
    pub async fn get_or_launch_browser(&self) -> Result<Browser> {
        if let Some(browser) = self.running_browser() {
            return Ok(browser);
        }
        let mut closed = self.inner.closed.subscribe();
        let engine = self.clone();
        // A separate task finishes the start even if this future is dropped.
        let starting = tokio::spawn(async move { engine.start().await });
        tokio::select! {
            started = starting => started.unwrap_or(Err(Error::Broken)),
            _ = closed.wait_for(|closed| *closed) => Err(shut_down()),
        }
    }

    async fn start(&self) -> Result<Browser> {
        let mut held = self.inner.browser.lock().await;
        if *self.inner.closed.borrow() {
            return Err(shut_down());
        }
        if let Some(browser) = held.as_ref().filter(|browser| browser.is_connected()) {
            return Ok(browser.clone());
        }
        if let Some(dead) = held.take() {
            let _ = dead.close().await;
        }
        if let (BrowserSource::Pool(pool), Some(place_in_pool)) =
            (&self.inner.options.source, &self.inner.place_in_pool)
        {
            let browser = self.take_place(pool, place_in_pool).await?;
            *self.inner.current.lock() = Some(browser.clone());
            *held = Some(browser.clone());
            return Ok(browser);
        }
        let options = &self.inner.options;
        let browser = match &options.source {
            BrowserSource::Launch(launch) => {
                Browser::launch(launch, options.context.clone(), &*options.warn).await?
            }
            BrowserSource::Webkit(_) => {
                return Err(Error::NotInWebkit {
                    what: "this".to_owned(),
                    reason: "WebKit's driver does not support it",
                });
            }
            BrowserSource::Unsupported { browser } => {
                return Err(Error::UnsupportedBrowser { browser: browser.clone() });
            }
            BrowserSource::Shared { node, limit } => self.share(node, *limit).await?,
            BrowserSource::Attach { endpoint, headers, limit } => {
                Browser::connect(endpoint, headers, options.context.clone(), *limit).await?
            }
            BrowserSource::Join { folder, limit } => {
                Browser::connect_to_profile(folder, options.context.clone(), *limit).await?
            }
            // The pool itself is no browser: only the engine of a workspace is assigned to one.
            BrowserSource::Pool(_) => return Err(Error::PoolFull),
        };
        if options.use_profile && !self.is_remote() {
            // New contexts get the options when they are created; the profile's context exists already.
            if let Err(error) = browser.default_context().apply_options().await {
                let _ = browser.close().await;
                return Err(error);
            }
        }
        self.attend(&browser);
        *self.inner.current.lock() = Some(browser.clone());
        *held = Some(browser.clone());
        Ok(browser)
    }

    /// Returns the number of running browsers, and the number of this server's pages in them.
    pub fn browser_and_page_counts(&self) -> (usize, usize) {
        let family = self.family();
        let running: Vec<_> = family.iter().filter_map(Self::running_browser).collect();
        let webkits = family
            .iter()
            .flat_map(Self::webkit_sessions)
            .filter(|webkit_session| webkit_session.is_running())
            .count();
        (running.len() + webkits, pages_in(&running).len() + webkits)
    }

    /// Returns this server's pages in all running browsers.
    pub(super) fn pages(&self) -> Vec<Page> {
        pages_in(&self.family().iter().filter_map(Self::running_browser).collect::<Vec<_>>())
    }

    async fn share(&self, node: &PoolNode, limit: Duration) -> Result<Browser> {
        let context = self.options().context.clone();
        if node.service == NodeProtocol::Cdp {
            return Browser::connect_shared(&node.endpoint, &node.headers, context, limit).await;
        }
        let session = GridSession::start(node, limit).await?;
        let browser = match Browser::connect_shared(&session.socket, &node.headers, context, limit).await {
            Ok(browser) => browser,
            Err(error) => {
                session.end().await;
                return Err(error);
            }
        };
        let (kept, used) = (session.clone(), browser.clone());
        tokio::spawn(async move { kept.keep_alive_during(used.wait_for_disconnect()).await });
        let before = self.inner.of_grid.lock().replace(session);
        if let Some(before) = before {
            before.end().await;
        }
        Ok(browser)
    }

    /// Marks the browser as in use until the guard is dropped, so that the idle limit does not close it.
    pub fn usage_guard(&self) -> UsageGuard {
        if let Some(place_in_pool) = &self.inner.place_in_pool
            && let Some((_, engine)) = &*place_in_pool.taken.lock()
        {
            return engine.usage_guard();
        }
        self.inner.uses.begin()
    }

    /// Watches a browser until it ends. Abandons it if it hangs in use, and closes it after the idle limit.
    fn attend(&self, browser: &Browser) {
        const RHYTHM: Duration = Duration::from_secs(1);
        let (browser, ending, engine) = (browser.clone(), browser.clone(), Arc::downgrade(&self.inner));
        let watching = async move {
            loop {
                tokio::time::sleep(RHYTHM).await;
                let Some(inner) = engine.upgrade() else { return };
                let Some(unused_since) = inner.uses.unused_since() else {
                    if !browser.is_alive(inner.options.hang_limit).await {
                        let waited = human(inner.options.hang_limit);
                        browser.force_close(&format!("it gave no answer for {waited}")).await;
                        return;
                    }
                    continue;
                };
                let engine = Engine { inner };
                if engine.idle_limit(&browser).is_some_and(|limit| unused_since.elapsed() >= limit) {
                    engine.close_idle(&browser).await;
                    return;
                }
            }
        };
        tokio::spawn(async move {
            tokio::select! {
                () = watching => {}
                _ = ending.wait_for_disconnect() => {}
            }
        });
    }

    async fn close_idle(&self, browser: &Browser) {
        let mut held = self.inner.browser.lock().await;
        // A call may have begun meanwhile. A later call waits for `held`, and then starts another browser.
        if self.inner.uses.while_unused(|| self.inner.current.lock().take()).is_some() {
            tracing::info!("nobody needs the browser; it is closed until somebody does");
            held.take();
            let _ = browser.close().await;
        }
    }

    /// Closes all browsers of this engine, even one that is starting. No browser can start afterwards.
    pub async fn close(&self) {
        self.inner.closed.send_replace(true);
        join_all(self.family().iter().map(Self::close_own)).await;
    }

    async fn close_own(&self) {
        self.inner.closed.send_replace(true);
        join_all(self.webkit_sessions().iter().map(|webkit_session| webkit_session.close())).await;
        let browser = self.inner.browser.lock().await.take();
        self.inner.current.lock().take();
        if let Some(browser) = browser {
            let _ = browser.close().await;
        }
        let of_grid = self.inner.of_grid.lock().take();
        if let Some(session) = of_grid {
            session.end().await;
        }
    }
}

fn pages_in(browsers: &[Browser]) -> Vec<Page> {
    browsers.iter().flat_map(Browser::contexts).flat_map(|context| context.pages()).collect()
}

fn shut_down() -> Error {
    Error::BrowserGone { reason: "the server is shutting down".to_owned() }
}
