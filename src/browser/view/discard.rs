//! Unloads unused pages from memory and reloads them on use, as browsers do with inactive tabs. History,
//! cookies and storage are kept, including session storage. JavaScript state is lost, so a page stays loaded
//! if it has user input, plays media, or has a `beforeunload` handler.
use std::time::Duration;

use futures_util::future::{join_all, try_join_all};
use serde::Deserialize;
use tokio::time::timeout;

use crate::browser::objects::frame::Frame;
use crate::browser::objects::navigation::{NavigateOptions, WaitUntil};
use crate::browser::objects::page::{DiscardedState, Page};
use crate::browser::objects::protocol::BrowserProtocol;
use crate::browser::objects::world::{RemoteHandle, ScriptWorld};
use crate::cdp::types::dom::GetEventListeners;
use crate::cdp::types::page::GetNavigationHistory;
use crate::cdp::types::runtime::{Evaluate, GetIsolateId};
use crate::error::{Error, Result};

const SCRIPT: &str = include_str!("discard/losses.js");

/// The time limit for a page to report what a reload would lose. A busy page stays loaded.
const LOOK_LIMIT: Duration = Duration::from_secs(1);

/// The result of unloading a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiscardOutcome {
    Done,
    /// The page stays loaded: a reload would lose something, or a screencast or similar needs the page.
    Needed,
    /// The page was busy, navigating or crashed.
    Busy,
}

/// The state of a document, as the script `losses.js` reports it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct DocumentState {
    lost: Option<String>,
    /// Whether the document has neither content nor scripts.
    is_empty: bool,
    title: String,
    scrolled: (f64, f64),
}

impl Page {
    /// Unloads the page if a reload would lose nothing. The caller must not use the page meanwhile.
    pub async fn discard(&self) -> DiscardOutcome {
        match timeout(LOOK_LIMIT, self.may_be_discarded()).await {
            Ok(Ok(Some(discarded))) => match self.unload(discarded).await {
                true => DiscardOutcome::Done,
                false => DiscardOutcome::Busy,
            },
            Ok(Ok(None)) => DiscardOutcome::Needed,
            Ok(Err(_)) | Err(_) => DiscardOutcome::Busy,
        }
    }

    /// Reloads a page that `discard` has unloaded, and restores its scroll position.
    ///
    /// # Errors Returns the errors of a navigation. The page counts as loaded in any case.
    pub async fn load_discarded(&self, limit: Duration) -> Result<()> {
        let Some(discarded) = self.discarded() else { return Ok(()) };
        let options = NavigateOptions { until: WaitUntil::Load, limit, ..NavigateOptions::default() };
        self.reload(&options).await?;
        let (x, y) = discarded.scrolled;
        if (x, y) != (0.0, 0.0) {
            let scroll = format!("void scrollTo({{ left: {x}, top: {y}, behavior: 'instant' }})");
            self.main_frame().evaluate(&scroll, Vec::new(), ScriptWorld::Isolated).await?;
        }
        Ok(())
    }

    /// Returns the state to restore after a reload; `None` if a reload would lose something.
    async fn may_be_discarded(&self) -> Result<Option<DiscardedState>> {
        let is_at_rest =
            || self.dialog().is_none() && self.main_frame().lifecycle_events().load && !self.is_closed();
        if self.is_crashed() || !is_at_rest() {
            return Err(Error::PageBusy);
        }
        if self.is_kept_loaded() || self.context().browser()?.protocol() != BrowserProtocol::Chromium {
            return Ok(None);
        }
        let frames = self.frames();
        let (states, asks, is_sent, is_shared) = tokio::try_join!(
            try_join_all(frames.iter().map(Frame::losses)),
            try_join_all(frames.iter().map(Frame::has_beforeunload_listener)),
            self.was_sent(),
            self.shares_its_process(),
        )?;
        let Some(document) = states.first() else { return Err(Error::PageBusy) };
        // Only a document with an HTTP URL can be loaded again.
        let url = self.url();
        let comes_again = url.starts_with("http:")
            || url.starts_with("https:")
            || (url == "about:blank" && document.is_empty);
        let is_needed =
            states.iter().any(|state| state.lost.is_some()) || asks.contains(&true) || is_sent || is_shared;
        if !comes_again || is_needed || self.is_kept_loaded() {
            return Ok(None);
        }
        if !is_at_rest() {
            return Err(Error::PageBusy);
        }
        Ok(Some(DiscardedState { title: document.title.clone(), scrolled: document.scrolled }))
    }

    /// Whether the document is the response to a submitted form. A reload would submit the form again.
    async fn was_sent(&self) -> Result<bool> {
        let history = self.session().call(GetNavigationHistory {}).await?;
        let entry = history.entries.get(history.current_index).ok_or(Error::PageBusy)?;
        let loader = self.main_frame().loader_id();
        let method = self.with_network(|network| network.get(&loader).map(|request| request.method.clone()));
        Ok(method.map_or(entry.transition_type == "form_submit", |method| method != "GET"))
    }

    /// Whether another page, such as a popup, runs in the same process, which must therefore not end.
    async fn shares_its_process(&self) -> Result<bool> {
        let own = self.session().call(GetIsolateId {}).await?.id;
        let others = self.context().pages().into_iter().filter(|page| page != self && !page.is_crashed());
        let ids = others.map(|page| async move { page.session().call(GetIsolateId {}).await });
        // A page that does not answer may run in this process too.
        Ok(join_all(ids).await.into_iter().any(|other| other.map_or(true, |other| other.id == own)))
    }
}

impl Frame {
    async fn losses(&self) -> Result<DocumentState> {
        self.utility_world().await?.call_apart(SCRIPT).await
    }

    /// Whether the document has a `beforeunload` handler.
    async fn has_beforeunload_listener(&self) -> Result<bool> {
        let context_id = Some(self.main_context().await?);
        let evaluate = Evaluate { expression: "globalThis".to_owned(), context_id, ..Evaluate::default() };
        let found = self.session().call(evaluate).await?.result.object_id;
        let window = RemoteHandle::new(self.session().clone(), found.unwrap_or_default());
        let listeners = GetEventListeners { object_id: window.id().to_owned(), depth: None, pierce: None };
        let listeners = self.session().call(listeners).await?.listeners;
        Ok(listeners.iter().any(|listener| listener.kind == "beforeunload"))
    }
}
