//! Hidden pages that show an empty document at every URL, for operations that need a page of a given origin.
use std::time::Duration;

use serde_json::Value;
use tokio::time::timeout;

use crate::browser::objects::browser::Browser;
use crate::browser::objects::context::BrowserContext;
use crate::browser::objects::world::outcome;
use crate::cdp::types::network::{
    Enable as NetworkEnable, FetchEnable, FulfillRequest, HeaderEntry, RequestPattern, RequestPaused,
    SetBypassServiceWorker,
};
use crate::cdp::types::page::Navigate;
use crate::cdp::types::runtime::{Evaluate, RunIfWaitingForDebugger};
use crate::cdp::types::target::{AttachToTarget, CloseTarget, CreateTarget};
use crate::cdp::{CdpSession, Event as _};
use crate::error::{Error, Result};

/// How long a hidden page may take to open.
const OPENING: Duration = Duration::from_secs(10);

/// A hidden page. It can have any origin without sending a request to that origin.
pub(in crate::browser) struct Helper {
    browser: Browser,
    target: String,
    session: CdpSession,
}

impl Helper {
    /// Opens a hidden page that shares the storage of a context.
    pub(in crate::browser) async fn open(context: &BrowserContext) -> Result<Self> {
        let id = context.id().map(str::to_owned);
        let create =
            CreateTarget { browser_context_id: id, background: Some(true), ..CreateTarget::default() };
        Self::create(context.browser()?, create).await
    }

    /// Opens a hidden page in the browser's default context. It appears in no list of tabs.
    pub(in crate::browser) async fn hidden(browser: Browser) -> Result<Self> {
        Self::create(browser, CreateTarget { hidden: Some(true), ..CreateTarget::default() }).await
    }

    async fn create(browser: Browser, how: CreateTarget) -> Result<Self> {
        let (url, attached) = browser.await_internal_page();
        let is_hidden = how.hidden.is_some();
        let target = browser.root_session().call(CreateTarget { url, ..how }).await?.target_id;
        if is_hidden || browser.attached_browser().is_some() {
            // Targets with `hidden` are not attached to automatically, nor is any target in a person's own browser.
            let attach = AttachToTarget { target_id: target.clone(), flatten: true };
            browser.root_session().send(attach).ignore();
        }
        let session = timeout(OPENING, attached).await.ok().and_then(std::result::Result::ok);
        let session = session.ok_or(Error::PageClosed)?;
        let mut paused = session.events(&[RequestPaused::METHOD]);
        let every = RequestPattern { url_pattern: Some("*".to_owned()), ..RequestPattern::default() };
        session.send(FetchEnable { patterns: Some(vec![every]), ..FetchEnable::default() }).ignore();
        session.send(NetworkEnable::default()).ignore();
        session.send(SetBypassServiceWorker { bypass: true }).ignore();
        session.send(RunIfWaitingForDebugger {}).ignore();
        let answering = session.clone();
        tokio::spawn(async move {
            while let Some(event) = paused.next().await {
                let Some(event) = event.read::<RequestPaused>() else { continue };
                let kind = HeaderEntry { name: "Content-Type".to_owned(), value: "text/html".to_owned() };
                let empty = FulfillRequest {
                    request_id: event.request_id,
                    response_code: 200,
                    response_headers: Some(vec![kind]),
                    ..FulfillRequest::default()
                };
                answering.send(empty).ignore();
            }
        });
        Ok(Self { browser, target, session })
    }

    /// Navigates the helper page to a URL. Every request is answered with an empty document; none reaches a server.
    pub(in crate::browser) async fn go(&self, url: &str) -> Result<()> {
        let navigated = self.session.call(Navigate { url: url.to_owned(), ..Navigate::default() }).await?;
        match navigated.error_text.filter(|reason| !reason.is_empty()) {
            Some(reason) => Err(Error::NavigationFailed { reason }),
            None => Ok(()),
        }
    }

    /// Evaluates an expression and returns its value as JSON. Awaits the value if it is a promise.
    pub(in crate::browser) async fn evaluate(&self, expression: String) -> Result<Value> {
        let run = Evaluate {
            expression,
            await_promise: Some(true),
            return_by_value: Some(true),
            ..Evaluate::default()
        };
        Ok(outcome(self.session.call(run).await?)?.value.unwrap_or_default())
    }
}

impl Drop for Helper {
    /// Closes the page.
    fn drop(&mut self) {
        self.browser.root_session().send(CloseTarget { target_id: self.target.clone() }).ignore();
    }
}
