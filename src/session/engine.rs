//! The one browser of this process: started when first needed, started again when it is gone.
use std::fmt;
use std::sync::Arc;

use parking_lot::Mutex;

use super::workspace::Workspace;
use crate::browser::launch::LaunchOptions;
use crate::browser::{Browser, ContextOptions};
use crate::error::{Error, Result};

/// Where the browser comes from.
#[derive(Debug, Clone)]
pub enum Source {
    /// We start it, and close it.
    Launch(Box<LaunchOptions>),
    /// Somebody else runs it; we attach to a `ws://` or `http://` address, with these headers.
    Attach { endpoint: String, headers: Vec<(String, String)> },
    /// One that was asked for by name and that this build does not drive.
    Unsupported { browser: String },
}

/// What the engine needs to know.
#[derive(Clone)]
pub struct EngineOptions {
    pub source: Source,
    /// What every context is made with unless its maker says otherwise.
    pub context: ContextOptions,
    /// Whether a client works in the browser's own context (the profile) instead of a fresh one.
    pub use_profile: bool,
    /// Hears what the user should know, one line at a time.
    pub warn: Arc<dyn Fn(&str) + Send + Sync>,
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
}

impl Engine {
    pub fn new(options: EngineOptions) -> Self {
        let inner = Inner {
            options,
            browser: tokio::sync::Mutex::default(),
            current: Mutex::default(),
            closed: tokio::sync::watch::Sender::new(false),
        };
        Self { inner: Arc::new(inner) }
    }

    /// A fresh workspace for a client.
    pub fn workspace(&self) -> Workspace {
        Workspace::new(self.clone())
    }

    pub fn options(&self) -> &EngineOptions {
        &self.inner.options
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
        tokio::select! {
            started = self.start() => started,
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
            Source::Attach { endpoint, headers } => {
                Browser::connect(endpoint, headers, options.context.clone()).await?
            }
        };
        *self.inner.current.lock() = Some(browser.clone());
        *held = Some(browser.clone());
        Ok(browser)
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
