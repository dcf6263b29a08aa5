//! The browser: one process, or somebody else's that we attached to.
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Weak};
use std::time::Duration;

use futures_util::future::join_all;
use parking_lot::Mutex;
use tokio::sync::oneshot;
use tokio::time::timeout;

use super::context::{BrowserContext, ContextOptions};
use super::endpoint;
use super::identity::Identity;
use super::launch::{self, BrowserProcess, LaunchOptions, launch};
use super::proxy::Relay;
use crate::cdp::transport::{Pipe, WebSocket};
use crate::cdp::types::browser::{Close, DownloadProgress, DownloadWillBegin, GetVersion, Version};
use crate::cdp::types::runtime::RunIfWaitingForDebugger;
use crate::cdp::types::target::{
    AttachedToTarget, CreateBrowserContext, DetachFromTarget, FilterEntry, SetAutoAttach,
};
use crate::cdp::{CdpSession, Connection, Event, Observer, RawEvent};
use crate::error::{Error, Result, human};

/// A browser. Cheap to clone. It ends when [`close`](Self::close)d, or when it ends by itself.
#[derive(Clone)]
pub struct Browser {
    inner: Arc<BrowserInner>,
}

pub(super) struct BrowserInner {
    connection: Connection,
    root: CdpSession,
    process: Option<BrowserProcess>,
    version: Version,
    identity: Identity,
    contexts: Mutex<HashMap<String, BrowserContext>>,
    /// Who waits for a page that nobody is to see, by its address.
    helpers: Mutex<HashMap<String, oneshot::Sender<CdpSession>>>,
    default_context: BrowserContext,
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

/// How long a tab that is open already may take to tell what is in it.
const TAB_LIMIT: Duration = Duration::from_secs(2);
/// How long the browser may take to answer the first command.
const FIRST_ANSWER: Duration = Duration::from_secs(30);

impl Browser {
    /// Starts a browser. `warn` hears what the user should know, one line at a time.
    pub async fn launch(
        options: &LaunchOptions,
        default_context: ContextOptions,
        warn: &(dyn Fn(&str) + Send + Sync),
    ) -> Result<Self> {
        let relay = Relay::start(default_context.proxy.as_ref(), &default_context.policy).await?;
        let options = through(relay.as_ref(), options);
        let process = launch(&options, warn).await?;
        let pipes = process.take_pipes();
        let (reader, writer) =
            pipes.ok_or_else(|| Error::BrowserLaunch { reason: "its pipe is gone".to_owned() })?;
        let connection = Connection::start(Pipe::new(reader, writer));
        let started = Self::start(connection, default_context);
        match started.await {
            Ok((connection, root, version, options)) => {
                Ok(Self::assemble(connection, root, Some(process), version, options, relay))
            }
            Err(error) => {
                process.terminate(Duration::ZERO).await;
                Err(error)
            }
        }
    }

    /// Attaches to a browser that somebody else runs. It is never closed by us.
    ///
    /// `endpoint` is a `ws://` address, or the `http://` address that tells it; `limit` is for both steps.
    pub async fn connect(
        endpoint: &str,
        headers: &[(String, String)],
        default_context: ContextOptions,
        limit: Duration,
    ) -> Result<Self> {
        let slow = || Error::BrowserGone { reason: format!("it gave no answer within {}", human(limit)) };
        let connecting = async {
            let websocket_url = endpoint::resolve(endpoint, headers, limit).await?;
            WebSocket::connect(&websocket_url, headers).await
        };
        let socket = timeout(limit, connecting).await.unwrap_or_else(|_| Err(slow()))?;
        let connection = Connection::start(socket);
        let (connection, root, version, options) = Self::start(connection, default_context).await?;
        let browser = Self::assemble(connection, root, None, version, options, None);
        // Once it answers, it has told of all that is open.
        browser.inner.root.send(GetVersion {}).within(limit).await?;
        // A tab that hangs or was discarded holds up nobody for long.
        let pages = browser.default_context().pages();
        join_all(pages.iter().map(async |page| {
            if page.until_ready(TAB_LIMIT).await.is_err() {
                page.assume_found();
            }
        }))
        .await;
        Ok(browser)
    }

    async fn start(
        connection: Connection,
        options: ContextOptions,
    ) -> Result<(Connection, CdpSession, Version, ContextOptions)> {
        let root = connection.root();
        let version = root.send(GetVersion {}).within(FIRST_ANSWER).await?;
        Ok((connection, root, version, options))
    }

    fn assemble(
        connection: Connection,
        root: CdpSession,
        process: Option<BrowserProcess>,
        version: Version,
        options: ContextOptions,
        relay: Option<Relay>,
    ) -> Self {
        let identity = Identity {
            brand: process.as_ref().and_then(BrowserProcess::brand).map(str::to_owned),
            version: version.product.rsplit('/').next().unwrap_or_default().to_owned(),
            user_agent: version.user_agent.clone(),
            disguised: process.as_ref().is_some_and(BrowserProcess::is_disguised),
            is_genuine: !process.as_ref().is_some_and(BrowserProcess::claims_another),
        };
        let inner = Arc::new_cyclic(|browser: &Weak<BrowserInner>| BrowserInner {
            connection,
            root,
            process,
            version,
            identity,
            contexts: Mutex::default(),
            helpers: Mutex::default(),
            default_context: BrowserContext::new(browser.clone(), None, options, relay.map(Arc::new)),
        });
        inner.root.observe(&HEARD, Arc::new(Ear(Arc::downgrade(&inner))));
        if let Some(process) = &inner.process {
            // Its children can hold the pipe open for a moment longer, and the exit tells more than the pipe.
            let (exited, connection) = (process.exited(), inner.connection.downgrade());
            tokio::spawn(async move {
                let exit = exited.await;
                if let Some(connection) = connection.upgrade() {
                    connection.close(&exit.to_string());
                }
            });
        }
        // From here on every target is attached to before its first script runs.
        inner.root.send(attach_to_everything()).ignore();
        Self { inner }
    }

    pub(super) fn from_inner(inner: Arc<BrowserInner>) -> Self {
        Self { inner }
    }

    /// What tells this browser from every other one.
    pub fn key(&self) -> usize {
        Arc::as_ptr(&self.inner).addr()
    }

    /// The session of the browser itself.
    pub fn root(&self) -> &CdpSession {
        &self.inner.root
    }

    pub(super) fn connection(&self) -> &Connection {
        &self.inner.connection
    }

    /// Name, version and user agent, as the browser tells them.
    pub fn version(&self) -> &Version {
        &self.inner.version
    }

    /// What it is known to be, for what is said about it to pages.
    pub(super) fn identity(&self) -> &Identity {
        &self.inner.identity
    }

    /// Whether it has no window. Of somebody else's browser only its user agent tells.
    pub fn is_headless(&self) -> bool {
        match &self.inner.process {
            Some(process) => process.headless(),
            None => self.inner.version.user_agent.contains("Headless"),
        }
    }

    /// The process, if it is ours.
    pub fn process(&self) -> Option<&BrowserProcess> {
        self.inner.process.as_ref()
    }

    /// The context of the profile.
    pub fn default_context(&self) -> &BrowserContext {
        &self.inner.default_context
    }

    /// All contexts, the browser's own first.
    pub fn contexts(&self) -> Vec<BrowserContext> {
        let mut contexts = vec![self.inner.default_context.clone()];
        contexts.extend(self.inner.contexts.lock().values().cloned());
        contexts
    }

    /// Makes an isolated context.
    pub async fn new_context(&self, options: ContextOptions) -> Result<BrowserContext> {
        let relay = Relay::start(options.proxy.as_ref(), &options.policy).await?.map(Arc::new);
        let create = CreateBrowserContext {
            dispose_on_detach: Some(true),
            proxy_server: relay.as_ref().map(|relay| relay.server()),
            proxy_bypass_list: relay.as_ref().map(|relay| relay.bypass()),
        };
        let id = self.inner.root.call(create).await?.browser_context_id;
        let context = BrowserContext::new(Arc::downgrade(&self.inner), Some(id.clone()), options, relay);
        self.inner.contexts.lock().insert(id, context.clone());
        if let Err(error) = context.prepare().await {
            let _ = context.close().await;
            return Err(error);
        }
        Ok(context)
    }

    /// Why the browser ended, if it has.
    pub fn ended(&self) -> Option<Error> {
        self.inner.connection.ended()
    }

    pub fn is_connected(&self) -> bool {
        self.ended().is_none()
    }

    /// Waits until the browser ends, and says why.
    pub async fn until_ended(&self) -> Error {
        self.inner.connection.until_ended().await
    }

    /// Whether anything at all comes from it within `limit` of being asked. One that has much to do may answer late, but
    /// it goes on telling.
    pub async fn is_alive(&self, limit: Duration) -> bool {
        let before = self.inner.connection.heard();
        let answer = self.inner.root.call_within(GetVersion {}, limit).await;
        !matches!(answer, Err(Error::NoAnswer { .. })) || self.inner.connection.heard() > before
    }

    /// Gives up on a browser that does not answer: what waits for it fails now, and if it is ours it is ended.
    pub async fn abandon(&self, reason: &str) {
        self.inner.connection.close(reason);
        if let Some(process) = &self.inner.process {
            process.terminate(Duration::ZERO).await;
        }
    }

    /// Closes the browser if it is ours, and otherwise lets go of it. Nothing is left behind.
    pub async fn close(&self) -> Result<()> {
        const GOODBYE: Duration = Duration::from_secs(2);
        const LIMIT: Duration = Duration::from_secs(5);
        let Some(process) = &self.inner.process else {
            let contexts: Vec<_> = self.inner.contexts.lock().drain().map(|(_, context)| context).collect();
            for context in contexts {
                let _ = context.close().await;
            }
            self.inner.connection.close("we let go of it");
            return Ok(());
        };
        let _ = self.inner.root.call_within(Close {}, GOODBYE).await;
        self.contexts().iter().for_each(BrowserContext::remove_downloads);
        self.inner.connection.close("it was closed");
        process.terminate(LIMIT).await;
        Ok(())
    }

    pub(super) fn forget_context(&self, id: &str) {
        self.inner.contexts.lock().remove(id);
    }

    /// An address for a page that is no tab, and where its session will arrive.
    pub(super) fn expect_helper(&self) -> (String, oneshot::Receiver<CdpSession>) {
        let url = format!("about:blank#{}", uuid::Uuid::new_v4());
        let (sender, receiver) = oneshot::channel();
        self.inner.helpers.lock().insert(url.clone(), sender);
        (url, receiver)
    }

    fn context_of(&self, id: Option<&str>) -> Option<BrowserContext> {
        let named = id.and_then(|id| self.inner.contexts.lock().get(id).cloned());
        // A launched browser has one context that we did not make: its own. In somebody else's there may be more.
        named.or_else(|| self.inner.process.is_some().then(|| self.inner.default_context.clone())).or_else(
            || {
                let unknown_is_default = self.inner.process.is_none();
                unknown_is_default.then(|| self.inner.default_context.clone())
            },
        )
    }

    fn attached(&self, told: &AttachedToTarget) {
        let session = self.inner.connection.session(&told.session_id);
        let info = &told.target_info;
        if let Some(helper) = self.inner.helpers.lock().remove(&info.url) {
            let _ = helper.send(session);
            return;
        }
        let context = self.context_of(info.browser_context_id.as_deref());
        match (info.kind.as_str(), context) {
            ("page", Some(context)) if !is_of_the_browser(&info.url) => {
                context.adopt_page(session, info);
            }
            ("service_worker" | "shared_worker" | "worker", Some(context)) => {
                context.begin_worker(&session, info, None);
            }
            ("browser", _) => {} // Somebody asked for a session of the raw protocol.
            _ => {
                session.send(RunIfWaitingForDebugger {}).ignore();
                let detach = DetachFromTarget { session_id: Some(told.session_id.clone()) };
                self.inner.root.send(detach).ignore();
            }
        }
    }
}

/// The whole browser goes through the relay: its own context, and what it asks for by itself.
fn through(relay: Option<&Relay>, options: &LaunchOptions) -> LaunchOptions {
    let mut options = options.clone();
    if let Some(relay) = relay {
        options.proxy = Some(launch::Proxy { server: relay.server(), bypass: Some(relay.bypass()) });
        // What pages say to each other directly would pass it by.
        for name in ["--webrtc-ip-handling-policy", "--force-webrtc-ip-handling-policy"] {
            options.arguments.push(format!("{name}=disable_non_proxied_udp"));
        }
    }
    options
}

/// What the browser's own session tells and that we keep.
const HEARD: [&str; 3] = [AttachedToTarget::METHOD, DownloadWillBegin::METHOD, DownloadProgress::METHOD];

/// What hears of new targets and of downloads.
struct Ear(Weak<BrowserInner>);

impl Observer for Ear {
    fn told(&self, event: RawEvent) {
        let Some(inner) = self.0.upgrade() else { return };
        let browser = Browser { inner };
        if let Some(told) = event.read::<AttachedToTarget>() {
            browser.attached(&told);
        } else if let Some(told) = event.read::<DownloadWillBegin>() {
            let _ = browser.contexts().iter().any(|context| context.download_begun(&told));
        } else if let Some(told) = event.read::<DownloadProgress>() {
            let _ = browser.contexts().iter().any(|context| context.download_progressed(&told));
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
