//! Unloads pages from memory while nobody uses them, and loads them on use, as browsers do with inactive tabs.
//! History, cookies and storage stay, including session storage; JavaScript state does not. So a page stays if
//! it has user input, plays media, or asks before it is left.
use std::time::Duration;

use futures_util::future::{join_all, try_join_all};
use serde::Deserialize;
use tokio::time::timeout;

use crate::browser::objects::dialect::Dialect;
use crate::browser::objects::frame::Frame;
use crate::browser::objects::navigation::{NavigateOptions, WaitUntil};
use crate::browser::objects::page::{Discarded, Page};
use crate::browser::objects::world::{RemoteHandle, Scope};
use crate::cdp::types::dom::GetEventListeners;
use crate::cdp::types::page::GetNavigationHistory;
use crate::cdp::types::runtime::{Evaluate, GetIsolateId};
use crate::error::{Error, Result};

const SCRIPT: &str = include_str!("discard/losses.js");

/// How long a page may take to report what would be lost. A busy page stays.
const LOOK_LIMIT: Duration = Duration::from_secs(1);

/// The result of unloading a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Discarding {
    Done,
    /// Something would be lost, or somebody watches it.
    Needed,
    /// It was busy or navigating.
    Busy,
}

/// The document's report about its state.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct DocumentState {
    lost: Option<String>,
    /// Whether it is empty and unused.
    is_empty: bool,
    title: String,
    scrolled: (f64, f64),
}

impl Page {
    /// Unloads the page if nothing is lost by that. Nobody may use it meanwhile.
    pub async fn discard(&self) -> Discarding {
        match timeout(LOOK_LIMIT, self.may_be_discarded()).await {
            Ok(Ok(Some(discarded))) => match self.unload(discarded).await {
                true => Discarding::Done,
                false => Discarding::Busy,
            },
            Ok(Ok(None)) => Discarding::Needed,
            Ok(Err(_)) | Err(_) => Discarding::Busy,
        }
    }

    /// Loads an unloaded page, and restores its scroll position.
    ///
    /// # Errors Those of a navigation. The page counts as loaded in any case.
    pub async fn load_discarded(&self, limit: Duration) -> Result<()> {
        let Some(discarded) = self.discarded() else { return Ok(()) };
        let options = NavigateOptions { until: WaitUntil::Load, limit, ..NavigateOptions::default() };
        self.reload(&options).await?;
        let (x, y) = discarded.scrolled;
        if (x, y) != (0.0, 0.0) {
            let scroll = format!("void scrollTo({{ left: {x}, top: {y}, behavior: 'instant' }})");
            self.main_frame().evaluate(&scroll, Vec::new(), Scope::Isolated).await?;
        }
        Ok(())
    }

    /// The page's state, if nothing would be lost.
    async fn may_be_discarded(&self) -> Result<Option<Discarded>> {
        let is_at_rest = || self.dialog().is_none() && self.main_frame().moments().load && !self.is_closed();
        if self.is_crashed() || !is_at_rest() {
            return Err(Error::PageBusy);
        }
        if self.is_kept_loaded() || self.context().browser()?.dialect() != Dialect::Chromium {
            return Ok(None);
        }
        let frames = self.frames();
        let (states, asks, is_sent, is_shared) = tokio::try_join!(
            try_join_all(frames.iter().map(Frame::losses)),
            try_join_all(frames.iter().map(Frame::asks_before)),
            self.was_sent(),
            self.shares_its_process(),
        )?;
        let Some(document) = states.first() else { return Err(Error::PageBusy) };
        // What came by no address cannot come again.
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
        Ok(Some(Discarded { title: document.title.clone(), scrolled: document.scrolled }))
    }

    /// Whether its document is the response to a submitted form, which would be sent again.
    async fn was_sent(&self) -> Result<bool> {
        let history = self.session().call(GetNavigationHistory {}).await?;
        let entry = history.entries.get(history.current_index).ok_or(Error::PageBusy)?;
        let loader = self.main_frame().loader();
        let method = self.with_network(|network| network.get(&loader).map(|request| request.method.clone()));
        Ok(method.map_or(entry.transition_type == "form_submit", |method| method != "GET"))
    }

    /// Whether another page of the context runs in its process and would end with it, such as a popup.
    async fn shares_its_process(&self) -> Result<bool> {
        let own = self.session().call(GetIsolateId {}).await?.id;
        let others = self.context().pages().into_iter().filter(|page| page != self && !page.is_crashed());
        let ids = others.map(|page| async move { page.session().call(GetIsolateId {}).await });
        // One that does not say where it runs may run there.
        Ok(join_all(ids).await.into_iter().any(|other| other.map_or(true, |other| other.id == own)))
    }
}

impl Frame {
    async fn losses(&self) -> Result<DocumentState> {
        self.utility().await?.call_apart(SCRIPT).await
    }

    /// Whether the document has a `beforeunload` handler.
    async fn asks_before(&self) -> Result<bool> {
        let context_id = Some(self.main_context().await?);
        let evaluate = Evaluate { expression: "globalThis".to_owned(), context_id, ..Evaluate::default() };
        let found = self.session().call(evaluate).await?.result.object_id;
        let window = RemoteHandle::new(self.session().clone(), found.unwrap_or_default());
        let listeners = GetEventListeners { object_id: window.id().to_owned(), depth: None, pierce: None };
        let listeners = self.session().call(listeners).await?.listeners;
        Ok(listeners.iter().any(|listener| listener.kind == "beforeunload"))
    }
}
