//! A browser context: cookies, storage, cache and permissions of its own, and the pages that share them.
use std::sync::{Arc, Weak};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::watch;

use super::browser::{Browser, BrowserInner};
use super::input::InputStyle;
use super::page::Page;
use crate::cdp::CdpSession;
use crate::cdp::types::emulation::{
    SetDeviceMetricsOverride, SetLocaleOverride, SetTimezoneOverride, SetUserAgentOverride,
};
use crate::cdp::types::network::{Headers, SetExtraHttpHeaders};
use crate::cdp::types::page::AddScriptToEvaluateOnNewDocument;
use crate::cdp::types::target::{CreateTarget, DisposeBrowserContext, TargetInfo};
use crate::error::{Error, Result};

/// What a context is made with. Everything left out is as the browser has it.
#[derive(Debug, Clone, Default)]
pub struct ContextOptions {
    /// Width and height of the page in CSS pixels. `None`: as large as its window.
    pub viewport: Option<(u32, u32)>,
    pub user_agent: Option<String>,
    pub locale: Option<String>,
    pub timezone: Option<String>,
    pub extra_headers: Headers,
    pub ignore_https_errors: bool,
    /// Scripts that run in every document before its own.
    pub init_scripts: Vec<String>,
    /// A proxy for all traffic of this context, such as `http://host:3128`.
    pub proxy_server: Option<String>,
    /// Hosts that are reached without the proxy, separated by commas.
    pub proxy_bypass: Option<String>,
    /// How the pointer and the keys of its pages move.
    pub input: InputStyle,
}

/// An isolated context. Cheap to clone; compares by identity.
#[derive(Debug, Clone)]
pub struct BrowserContext {
    inner: Arc<ContextInner>,
}

#[derive(Debug)]
pub(super) struct ContextInner {
    browser: Weak<BrowserInner>,
    /// `None` for the browser's own context: the profile.
    id: Option<String>,
    options: Mutex<ContextOptions>,
    state: Mutex<ContextState>,
    changes: watch::Sender<u64>,
}

#[derive(Debug, Default)]
struct ContextState {
    pages: Vec<Page>,
    next_page: u32,
    closed: bool,
}

impl PartialEq for BrowserContext {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }
}

impl Eq for BrowserContext {}

impl BrowserContext {
    pub(super) fn new(browser: Weak<BrowserInner>, id: Option<String>, options: ContextOptions) -> Self {
        let inner = ContextInner {
            browser,
            id,
            options: Mutex::new(options),
            state: Mutex::default(),
            changes: watch::Sender::new(0),
        };
        Self { inner: Arc::new(inner) }
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

    /// A counter that moves when a page comes or goes.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.inner.changes.subscribe()
    }

    /// Opens a tab on `about:blank`.
    pub async fn new_page(&self) -> Result<Page> {
        const READY_LIMIT: Duration = Duration::from_secs(15);
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
                    Some(page) => return page.until_ready(READY_LIMIT).await.map(|()| page),
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

    /// Closes the context with all its pages, and forgets its cookies and storage. The browser's own context only
    /// loses its pages.
    pub async fn close(&self) -> Result<()> {
        {
            let mut state = self.inner.state.lock();
            if std::mem::replace(&mut state.closed, self.inner.id.is_some()) {
                return Ok(());
            }
        }
        let browser = self.browser()?;
        match &self.inner.id {
            Some(id) => {
                browser.forget_context(id);
                let dispose = DisposeBrowserContext { browser_context_id: id.clone() };
                browser.root().call(dispose).await?;
            }
            None => {
                for page in self.pages() {
                    page.close().await?;
                }
            }
        }
        Ok(())
    }

    /// Runs `source` in every document of this context that is made from now on, before the document's own scripts.
    pub async fn add_init_script(&self, source: String) -> Result<()> {
        self.inner.options.lock().init_scripts.push(source.clone());
        for page in self.pages() {
            for session in page.sessions() {
                session
                    .call(AddScriptToEvaluateOnNewDocument {
                        source: source.clone(),
                        ..AddScriptToEvaluateOnNewDocument::default()
                    })
                    .await?;
            }
        }
        Ok(())
    }

    /// The options, for reading.
    pub fn options(&self) -> ContextOptions {
        self.inner.options.lock().clone()
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
        if is_page && let Some((width, height)) = options.viewport {
            let metrics = SetDeviceMetricsOverride { width, height, ..SetDeviceMetricsOverride::default() };
            session.send(metrics).ignore();
        }
        if let Some(user_agent) = &options.user_agent {
            let user_agent = user_agent.clone();
            session.send(SetUserAgentOverride { user_agent, ..SetUserAgentOverride::default() }).ignore();
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
        for source in &options.init_scripts {
            let script = AddScriptToEvaluateOnNewDocument {
                source: source.clone(),
                ..AddScriptToEvaluateOnNewDocument::default()
            };
            session.send(script).ignore();
        }
    }

    /// Sends what a worker of this context needs before it runs.
    pub(super) fn set_up_worker(&self, session: &CdpSession, _info: &TargetInfo) {
        if let Some(user_agent) = &self.inner.options.lock().user_agent {
            let user_agent = user_agent.clone();
            session.send(SetUserAgentOverride { user_agent, ..SetUserAgentOverride::default() }).ignore();
        }
    }
}
