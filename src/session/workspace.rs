//! The contexts and tabs that one client sees, and which of them are active.
use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::engine::Engine;
use super::quota::Quota;
use crate::browser::find::Channel;
use crate::browser::{Browser, BrowserContext, ContextOptions, Download, Page, StoredCookie, WeakPage};
use crate::error::{Error, Result};
use crate::webdriver::WebkitSession;

pub use archive::ArchivedResponse;
pub use left::DetachedContext;
pub use rules::{RequestFilter, RequestRule, RuleEffect};
pub use tabs::{Tab, TabId};

mod left;
mod archive;
mod rules;
mod spare;
mod tabs;

/// The name of the context that always exists.
const DEFAULT_CONTEXT: &str = "default";

/// The contexts and tabs of one client. Cheap to clone; clones share everything.
#[derive(Debug, Clone)]
pub struct Workspace {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    engine: Engine,
    /// The default options of the workspace's contexts.
    usual: ContextOptions,
    /// Whether the workspace uses its own contexts even if others share the browser's default context.
    apart: bool,
    /// The open tabs and contexts of the owner, with their limits.
    quota: Quota,
    state: Mutex<State>,
    /// The WebKit session of the workspace; `None` if it uses Chromium or Firefox.
    webkit: Option<Arc<WebkitSession>>,
    /// The request rules of each context.
    rules: Mutex<Vec<(BrowserContext, Arc<rules::RequestRules>)>>,
    archives: Mutex<Vec<(BrowserContext, Arc<archive::ResponseArchive>)>>,
    /// Locked while a context or its first page is created.
    making: tokio::sync::Mutex<()>,
    /// A blank tab for the next one-shot visit. Locked while it is opened.
    spare: tokio::sync::Mutex<Option<Page>>,
    /// Background tabs that calls addressed by tab id, with the time of their last use.
    beside: Mutex<Vec<(WeakPage, Instant)>>,
}

/// How long a background tab continues to render after its last use.
const BESIDE: Duration = Duration::from_secs(60);

#[derive(Debug)]
struct State {
    slots: Vec<Slot>,
    active: String,
    next_number: u32,
    notices: Vec<String>,
}

/// A named context, created in the browser on first use.
#[derive(Debug)]
struct Slot {
    name: String,
    number: u32,
    options: ContextOptions,
    live: Option<BrowserContext>,
    active: Option<Page>,
    /// Whether this client has opened pages that are not closed. They are lost when the browser ends.
    has_pages: bool,
    /// The cookies after the last call, if a new browser is to restore them.
    cookies: Vec<StoredCookie>,
    /// The ids of this client's tabs in a context shared with others; `None` if it is not shared.
    own: Option<HashSet<String>>,
    /// The browser's id of a context that another server left, and the number for the first page in it.
    left: Option<(String, u32)>,
}

/// A context as a client sees it.
#[derive(Debug, Clone)]
pub struct ContextEntry {
    /// The name by which a client selects it.
    pub name: String,
    /// The number of the context in refs and tab ids, such as 1 in `c1t3`.
    pub number: u32,
    /// Whether this is the active context, in which new tabs open.
    pub is_active: bool,
    /// The tabs of the context.
    pub tabs: Vec<Tab>,
    /// The options with which the context was created.
    pub options: ContextOptions,
}

impl Workspace {
    pub(super) fn new(engine: Engine, usual: ContextOptions, apart: bool, quota: Quota) -> Self {
        let slot = Slot::new(DEFAULT_CONTEXT.to_owned(), 0, usual.clone());
        let state = State {
            slots: vec![slot],
            active: DEFAULT_CONTEXT.to_owned(),
            next_number: 1,
            notices: Vec::new(),
        };
        let webkit = engine.webkit_session();
        Self {
            inner: Arc::new(Inner {
                engine,
                usual,
                apart,
                quota,
                state: Mutex::new(state),
                webkit,
                rules: Mutex::default(),
                archives: Mutex::default(),
                making: tokio::sync::Mutex::default(),
                spare: tokio::sync::Mutex::default(),
                beside: Mutex::default(),
            }),
        }
    }

    /// Returns the engine whose browser the workspace uses.
    pub fn engine(&self) -> &Engine {
        &self.inner.engine
    }

    /// Returns the default options of the workspace's contexts.
    pub fn default_options(&self) -> &ContextOptions {
        &self.inner.usual
    }

    /// Creates another workspace for the same owner, with the same sharing of the profile.
    #[must_use]
    pub fn new_for_same_owner(&self) -> Self {
        let Inner { engine, usual, apart, quota, .. } = &*self.inner;
        Self::new(engine.clone(), usual.clone(), *apart, quota.clone())
    }

    /// Creates a workspace for the same owner that shares neither contexts nor the profile with others.
    #[must_use]
    pub fn new_isolated(&self) -> Self {
        let Inner { engine, usual, quota, .. } = &*self.inner;
        Self::new(engine.clone(), usual.clone(), true, quota.clone())
    }

    /// Like [`new_isolated`](Self::new_isolated), in a browser of the pool with this label, preferably the one named
    /// `wanted`. With `outlives_connection`, contexts stay open for another server when this one disconnects.
    pub(super) fn isolated_in_pool(
        &self,
        wanted: Option<String>,
        label: Option<String>,
        outlives_connection: bool,
    ) -> Self {
        let Inner { engine, usual, quota, .. } = &*self.inner;
        let usual = ContextOptions { outlives_connection, ..usual.clone() };
        Self::new(engine.place_in_pool(wanted, label), usual, true, quota.clone())
    }

    /// Like [`new_isolated`](Self::new_isolated), in another kind of browser.
    pub fn new_isolated_in_channel(&self, channel: Channel) -> Result<Self> {
        self.inner.engine.workspace_in(channel, self.inner.usual.clone())
    }

    /// Like [`new_isolated`](Self::new_isolated), with a WebKit of its own.
    pub fn new_isolated_in_webkit(&self) -> Result<Self> {
        self.inner.engine.workspace_in_webkit(self.inner.usual.clone())
    }

    /// Returns the workspace's WebKit session; `None` if it does not use WebKit.
    pub fn webkit_session(&self) -> Option<&Arc<WebkitSession>> {
        self.inner.webkit.as_ref()
    }

    /// Opens the workspace's first page.
    pub(super) async fn begin(&self) -> Result<()> {
        match self.webkit_session() {
            Some(webkit) => webkit.acquire_page().await.map(drop),
            None => self.get_or_open_page().await.map(drop),
        }
    }

    /// Returns the active page of the active context. Opens one if there is none.
    pub async fn get_or_open_page(&self) -> Result<Page> {
        if let Some(page) = self.active_page() {
            return Ok(page);
        }
        let context = self.get_or_create_active_context().await?;
        let _making = self.inner.making.lock().await;
        if let Some(page) = self.active_page() {
            return Ok(page);
        }
        self.open_in(&context).await
    }

    /// Returns the active page; `None` if no page is open.
    pub fn active_page(&self) -> Option<Page> {
        let mut state = self.inner.state.lock();
        state.active_slot()?.active_page()
    }

    /// Returns the active page.
    ///
    /// # Errors `no_page` if no page is open.
    pub fn require_active_page(&self) -> Result<Page> {
        self.active_page().ok_or(Error::NoPage)
    }

    /// Opens a tab in the active context and makes that tab active.
    pub async fn new_tab(&self) -> Result<Page> {
        let context = self.get_or_create_active_context().await?;
        let _making = self.inner.making.lock().await;
        self.open_in(&context).await
    }

    /// Opens a tab in the active context without making it active.
    pub async fn new_background_tab(&self) -> Result<Page> {
        let context = self.get_or_create_active_context().await?;
        let _room = self.inner.quota.reserve_tab(&self.inner.engine)?;
        let page = context.new_page().await?;
        let mut state = self.inner.state.lock();
        let slot = state.slots.iter_mut().find(|slot| slot.live.as_ref() == Some(&context));
        if let Some(own) = slot.and_then(|slot| slot.own.as_mut()) {
            own.insert(page.id().to_owned());
        }
        Ok(page)
    }

    /// Keeps a background page rendering for a minute. The browser would not draw it otherwise: animations
    /// would freeze, and `requestAnimationFrame` callbacks would never run.
    pub fn keep_rendering(&self, page: &Page) {
        let in_front: Vec<_> = {
            let mut state = self.inner.state.lock();
            state.slots.iter_mut().filter_map(Slot::active_page).collect()
        };
        let idle: Vec<_> = {
            let mut beside = self.inner.beside.lock();
            let is_this = |known: &WeakPage| known.upgrade().as_ref() == Some(page);
            beside.retain(|(known, _)| !is_this(known));
            let idle = beside.extract_if(.., |(_, since)| since.elapsed() >= BESIDE);
            let idle = idle.filter_map(|(known, _)| known.upgrade()).collect();
            if !in_front.contains(page) {
                beside.push((page.downgrade(), Instant::now()));
            }
            idle
        };
        for idle in idle.iter().filter(|idle| !in_front.contains(idle)) {
            idle.emulate_focus(false);
        }
        if !in_front.contains(page) {
            page.emulate_focus(true);
        }
    }

    async fn open_in(&self, context: &BrowserContext) -> Result<Page> {
        let page = {
            let _room = self.inner.quota.reserve_tab(&self.inner.engine)?;
            context.new_page().await?
        };
        let before = {
            let mut state = self.inner.state.lock();
            let slot = state.slots.iter_mut().find(|slot| slot.live.as_ref() == Some(context));
            slot.and_then(|slot| {
                if let Some(own) = &mut slot.own {
                    own.insert(page.id().to_owned());
                }
                slot.has_pages = true;
                slot.active.replace(page.clone())
            })
        };
        focus(&page, before.as_ref());
        Ok(page)
    }

    // Contexts.

    /// Returns the active context. Creates it in the browser if needed.
    pub async fn get_or_create_active_context(&self) -> Result<BrowserContext> {
        let name = self.inner.state.lock().active.clone();
        self.context_named(&name).await
    }

    /// Returns the name and context: the named one, or the active one. Creates it in the browser if needed.
    pub async fn get_or_create_context(&self, name: Option<&str>) -> Result<(String, BrowserContext)> {
        let name = name.map_or_else(|| self.inner.state.lock().active.clone(), str::to_owned);
        let context = self.context_named(&name).await?;
        Ok((name, context))
    }

    async fn context_named(&self, name: &str) -> Result<BrowserContext> {
        let browser = self.inner.engine.get_or_launch_browser().await?;
        if let Some(context) = self.live(name, &browser)? {
            return Ok(context);
        }
        let _making = self.inner.making.lock().await;
        if let Some(context) = self.live(name, &browser)? {
            return Ok(context);
        }
        let (options, number) = {
            let mut state = self.inner.state.lock();
            let slot = state.slot(name)?;
            (slot.options.clone(), slot.number)
        };
        let engine = &self.inner.engine;
        let shares = number == 0 && engine.options().use_profile && !self.inner.apart;
        let found = self.take_over(name, &browser).await?;
        let taken_over = found.is_some();
        let context = if shares {
            browser.default_context().clone()
        } else if let Some(context) = found {
            self.inner.quota.add(&context);
            context
        } else {
            let _room = self.inner.quota.reserve_context(engine)?;
            let context = browser.new_context(options).await?;
            self.inner.quota.add(&context);
            context
        };
        if shares && !engine.uses_existing_tabs() {
            self.inner.quota.share(&context);
        }
        let kept = std::mem::take(&mut self.inner.state.lock().slot(name)?.cookies);
        if !shares && !taken_over && !kept.is_empty() {
            context.add_cookies(&kept).await?;
            let notice = format!("The cookies of context '{name}' were restored.");
            self.inner.state.lock().notices.push(notice);
        }
        let mut state = self.inner.state.lock();
        let slot = state.slot(name)?;
        context.set_index(slot.number);
        slot.live = Some(context.clone());
        // In a browser that somebody else runs, clients use all open tabs, so `own` stays `None`.
        slot.own = (shares && !engine.uses_existing_tabs()).then(HashSet::new);
        Ok(context)
    }

    /// Returns the context if it exists in `browser`. Reports once if it was lost with an earlier browser.
    fn live(&self, name: &str, browser: &Browser) -> Result<Option<BrowserContext>> {
        let mut state = self.inner.state.lock();
        let slot = state.slot(name)?;
        let Some(context) = &slot.live else { return Ok(None) };
        if context.browser().is_ok_and(|owner| owner == *browser) && !context.is_closed() {
            return Ok(Some(context.clone()));
        }
        slot.live = None;
        slot.active = None;
        let lost = std::mem::take(&mut slot.has_pages);
        if lost {
            state.notices.push("The browser was restarted; its open pages are lost.".to_owned());
        }
        Ok(None)
    }

    /// Creates a context and makes it active. Returns its name, which is generated if `name` is `None`.
    pub async fn create_context(&self, name: Option<String>, options: ContextOptions) -> Result<String> {
        let name = {
            let mut state = self.inner.state.lock();
            let name = name.unwrap_or_else(|| format!("context-{}", state.next_number));
            if state.slots.iter().any(|slot| slot.name == name) {
                return Err(Error::ContextExists { name });
            }
            let number = state.next_number;
            state.next_number += 1;
            state.slots.push(Slot::new(name.clone(), number, options));
            name
        };
        if let Err(error) = self.context_named(&name).await {
            self.inner.state.lock().slots.retain(|slot| slot.name != name);
            return Err(error);
        }
        self.inner.state.lock().active.clone_from(&name);
        Ok(name)
    }

    /// Makes a context active. Returns the name of the one that was active before.
    pub fn switch_context(&self, name: &str) -> Result<String> {
        let mut state = self.inner.state.lock();
        state.slot(name)?;
        Ok(std::mem::replace(&mut state.active, name.to_owned()))
    }

    /// Returns all contexts, oldest first.
    pub fn contexts(&self) -> Vec<ContextEntry> {
        let mut state = self.inner.state.lock();
        let active = state.active.clone();
        let entry = |slot: &mut Slot| ContextEntry {
            name: slot.name.clone(),
            number: slot.number,
            is_active: slot.name == active,
            tabs: slot.tabs(),
            options: slot.options.clone(),
        };
        state.slots.iter_mut().map(entry).collect()
    }

    /// Closes a context with all its pages. If it was active, `default` becomes active.
    pub async fn close_context(&self, name: &str) -> Result<()> {
        let closed = {
            let mut state = self.inner.state.lock();
            state.slot(name)?;
            if state.slots.len() == 1 {
                return Err(Error::OnlyContext);
            }
            let at = state.slots.iter().position(|slot| slot.name == name);
            let closed = at.map(|at| state.slots.remove(at));
            if state.active == name {
                DEFAULT_CONTEXT.clone_into(&mut state.active);
                if state.slots.iter().all(|slot| slot.name != DEFAULT_CONTEXT) {
                    let number = state.next_number;
                    state.next_number += 1;
                    let options = self.inner.usual.clone();
                    state.slots.insert(0, Slot::new(DEFAULT_CONTEXT.to_owned(), number, options));
                }
            }
            closed
        };
        match closed {
            Some(slot) => slot.close().await,
            None => Ok(()),
        }
    }

    /// Saves the cookies of all contexts, so that a new browser can restore them.
    pub async fn save_cookies(&self) {
        let live: Vec<_> = {
            let state = self.inner.state.lock();
            let slots = state.slots.iter().filter_map(|slot| Some((slot.name.clone(), slot.live.clone()?)));
            slots.filter(|(_, context)| context.id().is_some()).collect()
        };
        for (name, context) in live {
            if let Ok(cookies) = context.cookies().await
                && let Ok(slot) = self.inner.state.lock().slot(&name)
            {
                slot.cookies = cookies;
            }
        }
    }

    /// Closes everything that this workspace opened.
    pub async fn close(&self) {
        if let Some(webkit) = self.webkit_session() {
            webkit.close().await;
        }
        self.close_spare().await;
        let slots = std::mem::take(&mut self.inner.state.lock().slots);
        for slot in slots {
            let _ = slot.close().await;
        }
    }

    /// Finds a context by name or, without a name, by its number (1 in the ref `c1e5`). With neither, returns the active
    /// context.
    pub fn find_context(&self, number: Option<u32>, name: Option<&str>) -> Option<ContextEntry> {
        self.contexts().into_iter().find(|entry| match (number, name) {
            (_, Some(name)) => entry.name == name,
            (Some(number), None) => entry.number == number,
            (None, None) => entry.is_active,
        })
    }

    /// Returns the downloads of this client's tabs, oldest first.
    pub fn downloads(&self) -> Vec<Download> {
        let mut state = self.inner.state.lock();
        let of = |slot: &mut Slot| {
            let Some(context) = slot.live.clone() else { return Vec::new() };
            let mut downloads = context.downloads();
            if let Some(own) = &slot.own {
                downloads.retain(|download| own.contains(&download.page));
            }
            downloads
        };
        state.slots.iter_mut().flat_map(of).collect()
    }

    /// Cancels a download or deletes its file, and forgets it. Returns false if the browser cannot cancel the
    /// download: the file is then deleted on arrival.
    pub async fn discard_download(&self, id: &str) -> Result<bool> {
        let contexts: Vec<_> =
            self.inner.state.lock().slots.iter().filter_map(|slot| slot.live.clone()).collect();
        for context in contexts {
            if context.downloads().iter().any(|download| download.id == id) {
                return context.discard_download(id).await;
            }
        }
        Ok(true)
    }

    /// Takes the pending one-time notices for the client, such as that the browser was restarted.
    pub fn take_notices(&self) -> Vec<String> {
        let mut state = self.inner.state.lock();
        let mut notices = std::mem::take(&mut state.notices);
        let refused =
            state.slots.iter().filter_map(|slot| self.inner.quota.take_refused(slot.live.as_ref()?));
        notices.extend(refused.map(|(refused, limit)| {
            let tabs = if refused == 1 {
                "A tab that a page opened was"
            } else {
                &*format!("{refused} tabs that pages opened were")
            };
            format!("{tabs} closed: {limit} tabs are open, which is the limit.")
        }));
        notices
    }
}

impl State {
    fn slot(&mut self, name: &str) -> Result<&mut Slot> {
        let slot = self.slots.iter_mut().find(|slot| slot.name == name);
        slot.ok_or_else(|| Error::UnknownContext { name: name.to_owned() })
    }

    fn active_slot(&mut self) -> Option<&mut Slot> {
        let active = self.active.clone();
        self.slots.iter_mut().find(|slot| slot.name == active)
    }
}

impl Slot {
    fn new(name: String, number: u32, options: ContextOptions) -> Self {
        Self {
            name,
            number,
            options,
            live: None,
            active: None,
            has_pages: false,
            cookies: Vec::new(),
            own: None,
            left: None,
        }
    }

    fn pages(&mut self) -> Vec<Page> {
        let Some(context) = &self.live else { return Vec::new() };
        let mut pages = context.pages();
        if let Some(own) = &mut self.own {
            // A popup that one of this client's pages opened also belongs to this client.
            for page in &pages {
                if page.opener().is_some_and(|opener| own.contains(opener.id())) {
                    own.insert(page.id().to_owned());
                }
            }
            pages.retain(|page| own.contains(page.id()));
        }
        pages
    }

    /// Returns the active page. If it has closed, its opener becomes active, or else the newest page.
    fn active_page(&mut self) -> Option<Page> {
        let pages = self.pages();
        let current = self.active.take();
        self.active = match current {
            Some(page) if pages.contains(&page) => Some(page),
            Some(gone) => {
                gone.opener().filter(|opener| pages.contains(opener)).or_else(|| pages.last().cloned())
            }
            None => pages.last().cloned(),
        };
        self.active.clone()
    }

    fn tabs(&mut self) -> Vec<Tab> {
        let active = self.active_page();
        let context = self.number;
        let tab = |(index, page): (usize, Page)| Tab {
            index,
            id: TabId { context, page: page.number() },
            is_active: active.as_ref() == Some(&page),
            page,
        };
        self.pages().into_iter().enumerate().map(tab).collect()
    }

    fn tab(&mut self, index: usize) -> Result<Page> {
        let pages = self.pages();
        let count = pages.len();
        pages.into_iter().nth(index).ok_or(Error::NoSuchTab { index, count })
    }

    async fn close(mut self) -> Result<()> {
        let pages = self.pages();
        match (&self.live, &self.own) {
            (Some(context), None) if context.id().is_some() => context.close().await,
            (Some(_), Some(_)) => {
                for page in pages {
                    page.close().await?;
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

/// Makes `page` behave as focused and the previous page as unfocused, as when a person switches tabs.
fn focus(page: &Page, before: Option<&Page>) {
    if let Some(before) = before
        && before != page
    {
        before.emulate_focus(false);
    }
    page.emulate_focus(true);
}
