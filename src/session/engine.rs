//! The one browser of this process: started when first needed, started again when it is gone.
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::quota::{Limits, Quota};
use super::workspace::Workspace;
use crate::browser::launch::LaunchOptions;
use crate::browser::{Browser, ContextOptions};
use crate::error::{Error, Result, human};

/// Where the browser comes from.
#[derive(Debug, Clone)]
pub enum Source {
    /// We start it, and close it.
    Launch(Box<LaunchOptions>),
    /// Somebody else runs it; we attach to a `ws://` or `http://` address, with these headers.
    Attach { endpoint: String, headers: Vec<(String, String)>, limit: Duration },
    /// One that was asked for by name and that this build does not drive.
    Unsupported { browser: String },
}

/// What the engine needs to know.
#[derive(Clone)]
pub struct EngineOptions {
    pub source: Source,
    /// What every context is made with unless its maker says otherwise.
    pub context: ContextOptions,
    /// Whether clients work in the browser's own context (the profile) instead of fresh ones.
    pub use_profile: bool,
    /// How long a browser that is needed may go without an answer.
    pub hang_limit: Duration,
    /// How long a browser stays that nobody needs.
    pub idle_limit: Option<Duration>,
    /// Whether the cookies of contexts outlive a browser that ends.
    pub restore: bool,
    /// How much of the browser each owner may use.
    pub limits: Limits,
    /// Hears what the user should know, one line at a time.
    pub warn: Arc<dyn Fn(&str) + Send + Sync>,
}

impl EngineOptions {
    /// The options that hold unless somebody says otherwise.
    pub fn new(source: Source) -> Self {
        Self {
            source,
            context: ContextOptions::default(),
            use_profile: false,
            hang_limit: Duration::from_secs(8),
            idle_limit: None,
            restore: false,
            limits: Limits::default(),
            warn: Arc::new(|_| ()),
        }
    }
}

impl fmt::Debug for EngineOptions {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("EngineOptions").field("source", &self.source).finish_non_exhaustive()
    }
}

/// The browser that all clients share. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Engine {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    options: EngineOptions,
    /// Held while a browser starts, so that one start serves all who wait for it.
    browser: tokio::sync::Mutex<Option<Browser>>,
    current: Mutex<Option<Browser>>,
    closed: tokio::sync::watch::Sender<bool>,
    uses: tokio::sync::watch::Sender<Uses>,
    /// What whoever does not come with one of several keys uses.
    quota: Quota,
    /// What the others use, by their names.
    quotas: Mutex<HashMap<String, Quota>>,
}

/// How many calls are under way, and when the last one ended.
#[derive(Debug, Clone, Copy)]
struct Uses {
    running: usize,
    ended: Instant,
}

/// A call that is under way.
#[derive(Debug)]
pub struct InUse {
    engine: Engine,
}

impl Drop for InUse {
    fn drop(&mut self) {
        self.engine.inner.uses.send_modify(|uses| {
            uses.running -= 1;
            uses.ended = Instant::now();
        });
    }
}

impl Engine {
    pub fn new(options: EngineOptions) -> Self {
        let quota = Quota::new(options.limits);
        let inner = Inner {
            options,
            browser: tokio::sync::Mutex::default(),
            current: Mutex::default(),
            closed: tokio::sync::watch::Sender::new(false),
            uses: tokio::sync::watch::Sender::new(Uses { running: 0, ended: Instant::now() }),
            quota,
            quotas: Mutex::default(),
        };
        Self { inner: Arc::new(inner) }
    }

    /// A fresh workspace for a client.
    pub fn workspace(&self) -> Workspace {
        Workspace::new(self.clone(), self.options().context.clone(), false, self.inner.quota.clone())
    }

    /// A fresh workspace for a client of an owner who shares nothing with others, not even the profile. Its contexts are
    /// made with `context` unless their maker says otherwise.
    pub fn workspace_apart(&self, owner: &str, context: ContextOptions) -> Workspace {
        let limits = self.options().limits;
        let mut quotas = self.inner.quotas.lock();
        let quota = quotas.entry(owner.to_owned()).or_insert_with(|| Quota::new(limits)).clone();
        Workspace::new(self.clone(), context, true, quota)
    }

    pub fn options(&self) -> &EngineOptions {
        &self.inner.options
    }

    /// Whether the browser is somebody else's.
    pub fn attaches(&self) -> bool {
        matches!(self.inner.options.source, Source::Attach { .. })
    }

    /// The browser, if it runs.
    pub fn running(&self) -> Option<Browser> {
        self.inner.current.lock().clone().filter(Browser::is_connected)
    }

    /// The browser; started now if it does not run.
    pub async fn browser(&self) -> Result<Browser> {
        if let Some(browser) = self.running() {
            return Ok(browser);
        }
        let mut closed = self.inner.closed.subscribe();
        let engine = self.clone();
        // In a task of its own: a caller that gives up must not leave half a browser behind.
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
        let options = &self.inner.options;
        let browser = match &options.source {
            Source::Launch(launch) => {
                Browser::launch(launch, options.context.clone(), &*options.warn).await?
            }
            Source::Unsupported { browser } => {
                return Err(Error::UnsupportedBrowser { browser: browser.clone() });
            }
            Source::Attach { endpoint, headers, limit } => {
                Browser::connect(endpoint, headers, options.context.clone(), *limit).await?
            }
        };
        if options.use_profile && !self.attaches() {
            // What a fresh context gets when it is made, the profile's own gets now.
            if let Err(error) = browser.default_context().prepare().await {
                let _ = browser.close().await;
                return Err(error);
            }
        }
        self.attend(&browser);
        *self.inner.current.lock() = Some(browser.clone());
        *held = Some(browser.clone());
        Ok(browser)
    }

    /// Says that a call is under way, for as long as what it gives is held.
    pub fn in_use(&self) -> InUse {
        self.inner.uses.send_modify(|uses| uses.running += 1);
        InUse { engine: self.clone() }
    }

    /// Watches over a browser until it ends: one that hangs while it is needed is given up, one that nobody needs any
    /// more is closed.
    fn attend(&self, browser: &Browser) {
        const RHYTHM: Duration = Duration::from_secs(1);
        let (browser, ending, engine) = (browser.clone(), browser.clone(), Arc::downgrade(&self.inner));
        let watching = async move {
            loop {
                tokio::time::sleep(RHYTHM).await;
                let Some(inner) = engine.upgrade() else { return };
                let uses = *inner.uses.borrow();
                if uses.running > 0 {
                    if !browser.is_alive(inner.options.hang_limit).await {
                        let waited = human(inner.options.hang_limit);
                        browser.abandon(&format!("it gave no answer for {waited}")).await;
                        return;
                    }
                } else if inner.options.idle_limit.is_some_and(|limit| uses.ended.elapsed() >= limit) {
                    Engine { inner }.close_idle(&browser).await;
                    return;
                }
            }
        };
        tokio::spawn(async move {
            tokio::select! {
                () = watching => {}
                _ = ending.until_ended() => {}
            }
        });
    }

    async fn close_idle(&self, browser: &Browser) {
        let mut held = self.inner.browser.lock().await;
        // Somebody may have come meanwhile.
        if self.inner.uses.borrow().running == 0 {
            tracing::info!("nobody needs the browser; it is closed until somebody does");
            self.inner.current.lock().take();
            held.take();
            let _ = browser.close().await;
        }
    }

    /// Closes the browser, also one that is just starting. No other is started afterwards.
    pub async fn close(&self) {
        self.inner.closed.send_replace(true);
        let browser = self.inner.browser.lock().await.take();
        self.inner.current.lock().take();
        if let Some(browser) = browser {
            let _ = browser.close().await;
        }
    }
}

fn shut_down() -> Error {
    Error::BrowserGone { reason: "the server is shutting down".to_owned() }
}
