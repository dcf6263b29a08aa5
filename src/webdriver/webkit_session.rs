//! A WebKit session. Starts WebKit on first use, and again after it has ended.
use std::ops::Deref;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::MutexGuard;
use tokio::time::timeout;

use super::WEBKIT_NOTICE;
use super::launch::{Processes, start};
use super::options::{Options, find_driver, find_virtual_display_server};
use super::tab::{SnapshotSlot, WebkitPage};
use crate::error::{Error, Result};
use crate::snapshot::Tree;

/// How long a call waits for earlier calls on the page.
const LONGEST_QUEUE: Duration = Duration::from_secs(60);

/// A WebKit with one page for one client. Each client needs its own, since a driver has only one session.
#[derive(Debug)]
pub struct WebkitSession {
    options: Arc<Options>,
    tab: tokio::sync::Mutex<Option<WebkitPage>>,
    /// The running processes, stored separately so that they can be ended during a call.
    running: Mutex<Option<Arc<Processes>>>,
    is_closed: AtomicBool,
    /// The page's URL after the last call.
    url: Mutex<Option<String>>,
    /// The last snapshot, stored separately so that it can be read during a call.
    shown: SnapshotSlot,
}

/// Exclusive access to the page, while a call runs.
#[derive(Debug)]
pub struct LockedPage<'a> {
    held: MutexGuard<'a, Option<WebkitPage>>,
}

impl WebkitSession {
    pub fn new(options: Arc<Options>) -> Self {
        Self {
            options,
            tab: tokio::sync::Mutex::default(),
            running: Mutex::default(),
            is_closed: AtomicBool::new(false),
            url: Mutex::default(),
            shown: SnapshotSlot::default(),
        }
    }

    /// Returns whether WebKit is running.
    pub fn is_running(&self) -> bool {
        self.running.lock().as_ref().is_some_and(|running| !running.have_ended())
    }

    /// Returns the page's URL after the last call; `None` if WebKit is not running.
    pub fn url(&self) -> Option<String> {
        self.url.lock().clone().filter(|_| self.is_running())
    }

    pub fn set_url(&self, url: &str) {
        *self.url.lock() = Some(url.to_owned());
    }

    /// Returns the path of the driver.
    ///
    /// # Errors `webkit_not_found` if the driver or the virtual display is not installed.
    pub fn driver_path(&self) -> Result<PathBuf> {
        find_virtual_display_server(&self.options)?;
        find_driver(&self.options)
    }

    /// Returns the last snapshot of the page; `None` if WebKit is not running.
    pub fn last_snapshot(&self) -> Option<Arc<Tree>> {
        self.shown.lock().clone().filter(|_| self.is_running())
    }

    /// Waits for exclusive access to the page. Starts WebKit if it is not running.
    pub async fn acquire_page(&self) -> Result<LockedPage<'_>> {
        let mut held = self.wait().await?;
        if held.as_ref().is_none_or(WebkitPage::has_ended) {
            *held = None;
            self.begin(&mut held).await?;
        }
        Ok(LockedPage { held })
    }

    /// Waits for exclusive access to the page that is open.
    ///
    /// # Errors `no_page` if no page is open.
    pub async fn acquire_open_page(&self) -> Result<LockedPage<'_>> {
        let held = self.wait().await?;
        match held.as_ref().is_some_and(|tab| !tab.has_ended()) {
            true => Ok(LockedPage { held }),
            false => Err(Error::NoPage),
        }
    }

    async fn wait(&self) -> Result<MutexGuard<'_, Option<WebkitPage>>> {
        let held = timeout(LONGEST_QUEUE, self.tab.lock()).await.map_err(|_| Error::PageBusy)?;
        if self.is_closed.load(Ordering::Acquire) {
            return Err(Error::BrowserGone { reason: "it was closed".to_owned() });
        }
        Ok(held)
    }

    async fn begin(&self, held: &mut Option<WebkitPage>) -> Result<()> {
        let before = self.running.lock().take();
        if let Some(before) = before {
            before.end().await;
        }
        (self.options.warn)(WEBKIT_NOTICE);
        let (processes, client) = Box::pin(start(&self.options)).await?;
        let processes = Arc::new(processes);
        *self.running.lock() = Some(Arc::clone(&processes));
        // The session may have been closed while WebKit started.
        if self.is_closed.load(Ordering::Acquire) {
            processes.end().await;
            return Err(Error::BrowserGone { reason: "it was closed".to_owned() });
        }
        *self.shown.lock() = None;
        let shown = Arc::clone(&self.shown);
        *held = Some(WebkitPage::open(processes, client, self.options.viewport, shown).await?);
        Ok(())
    }

    /// Closes the session and ends WebKit, which is not started again.
    pub async fn close(&self) {
        self.is_closed.store(true, Ordering::Release);
        let running = self.running.lock().take();
        if let Some(running) = running {
            running.end().await;
        }
    }
}

impl Deref for LockedPage<'_> {
    type Target = WebkitPage;

    fn deref(&self) -> &WebkitPage {
        // `acquire_page` and `acquire_open_page` return only with an open page.
        self.held.as_ref().unwrap_or_else(|| unreachable!("a turn holds a page"))
    }
}
