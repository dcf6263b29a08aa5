//! Frames. A frame shows one document at a time and stays the same object when it navigates.
use std::fmt;
use std::sync::{Arc, Weak};
use std::time::Duration;

use parking_lot::Mutex;

use super::page::{Page, PageInner};
use super::world::{RemoteHandle, UtilityWorld, outcome};
use crate::cdp::CdpSession;
use crate::cdp::types::dom::GetFrameOwner;
use crate::cdp::types::page::{self as wire, CreateIsolatedWorld};
use crate::cdp::types::runtime::{CallFunctionOn, Evaluate};
use crate::error::{Error, Result};

/// The difference between the lowest ref numbers (12 in `e12`) of two tabs in a row.
const REFS_APART: u32 = 10_000;
/// After this many tabs, the lowest ref numbers (12 in `e12`) repeat.
const TABS_APART: u32 = 8;

/// A frame of a page. Cheap to clone; compares by identity.
#[derive(Clone)]
pub struct Frame {
    inner: Arc<FrameInner>,
}

pub(in crate::browser) struct FrameInner {
    page: Weak<PageInner>,
    id: Arc<str>,
    number: u32,
    parent: Option<Frame>,
    state: Mutex<FrameState>,
    /// Held while the isolated world is created, so that concurrent callers create only one.
    making_world: tokio::sync::Mutex<()>,
}

struct FrameState {
    session: CdpSession,
    url: String,
    /// The URL that failed to load, if the browser shows its own error page; otherwise `None`.
    unreachable: Option<String>,
    name: String,
    loader: Arc<str>,
    moments: LifecycleEvents,
    /// Lifecycle events that were reported before their document committed, with the document's loader id.
    early: Option<(Arc<str>, LifecycleEvents)>,
    detached: bool,
    /// Whether a navigation to another document has begun.
    leaving: bool,
    world: Option<UtilityWorld>,
    main_context: Option<i64>,
    owner: Option<(UtilityWorld, RemoteHandle)>,
    /// The execution context id of the parent's world in which this frame's `<iframe>` element is registered.
    adopted_in: Option<i64>,
    next_ref: u32,
    /// The tokens that identify the functions exposed in the current document.
    exposed: Vec<Arc<str>>,
    /// Whether a snapshot of the current document was requested before.
    was_read: bool,
}

/// The lifecycle events that the current document has reached.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LifecycleEvents {
    pub commit: bool,
    pub dom_content_loaded: bool,
    pub load: bool,
    pub network_idle: bool,
}

impl LifecycleEvents {
    fn reach(&mut self, name: &str) {
        match name {
            "DOMContentLoaded" => self.dom_content_loaded = true,
            "load" => self.load = true,
            "networkIdle" => self.network_idle = true,
            _ => {}
        }
    }
}

impl fmt::Debug for Frame {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Frame").field("id", &self.inner.id).finish_non_exhaustive()
    }
}

impl PartialEq for Frame {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }
}

impl Eq for Frame {}

impl Frame {
    pub(in crate::browser) fn new(
        page: Weak<PageInner>,
        id: &str,
        number: u32,
        parent: Option<Frame>,
        session: CdpSession,
    ) -> Self {
        let state = FrameState {
            session,
            url: String::new(),
            unreachable: None,
            name: String::new(),
            loader: Arc::from(""),
            moments: LifecycleEvents::default(),
            early: None,
            detached: false,
            leaving: false,
            world: None,
            main_context: None,
            owner: None,
            adopted_in: None,
            next_ref: 1,
            exposed: Vec::new(),
            was_read: false,
        };
        let inner = FrameInner {
            page,
            id: Arc::from(id),
            number,
            parent,
            state: Mutex::new(state),
            making_world: tokio::sync::Mutex::default(),
        };
        Self { inner: Arc::new(inner) }
    }

    /// An id of this frame that is unique within this process.
    pub fn instance_id(&self) -> usize {
        Arc::as_ptr(&self.inner).addr()
    }

    /// The CDP id of this frame.
    pub fn id(&self) -> &str {
        &self.inner.id
    }

    /// The frame's number within its page: the `f` part of a ref such as `f1e12`. Never reused.
    pub fn number(&self) -> u32 {
        self.inner.number
    }

    /// The page this frame belongs to.
    pub fn page(&self) -> Result<Page> {
        self.inner.page.upgrade().map(Page::from_inner).ok_or(Error::PageClosed)
    }

    pub fn parent(&self) -> Option<&Frame> {
        self.inner.parent.as_ref()
    }

    /// The URL of the current document.
    pub fn url(&self) -> String {
        self.inner.state.lock().url.clone()
    }

    /// Returns the document's URL, or the URL that failed to load if the browser shows its own error page.
    pub fn attempted_url(&self) -> String {
        let state = self.inner.state.lock();
        state.unreachable.as_ref().unwrap_or(&state.url).clone()
    }

    /// The frame's `name` attribute.
    pub fn name(&self) -> String {
        self.inner.state.lock().name.clone()
    }

    /// The CDP session of the process that contains the frame's document.
    pub fn session(&self) -> CdpSession {
        self.inner.state.lock().session.clone()
    }

    /// The CDP loader id of the current document; empty until a document is reported.
    pub fn loader_id(&self) -> Arc<str> {
        self.inner.state.lock().loader.clone()
    }

    /// The lifecycle events that the current document has reached.
    pub fn lifecycle_events(&self) -> LifecycleEvents {
        self.inner.state.lock().moments
    }

    pub fn is_detached(&self) -> bool {
        self.inner.state.lock().detached
    }

    /// Whether the frame is the top frame of its CDP session: a main frame, or a frame in its own process.
    pub fn is_session_root(&self) -> bool {
        match self.parent() {
            None => true,
            Some(parent) => parent.session().id() != self.session().id(),
        }
    }

    /// Returns the isolated world of the current document. Creates the world on first use.
    pub async fn utility_world(&self) -> Result<UtilityWorld> {
        const ATTEMPTS: usize = 4;
        let mut last = Error::DocumentGone;
        for _ in 0..ATTEMPTS {
            if let Some(world) = self.known_world()? {
                return Ok(world);
            }
            let _making = self.inner.making_world.lock().await;
            if let Some(world) = self.known_world()? {
                return Ok(world);
            }
            match self.make_world().await {
                Ok(world) => return Ok(world),
                // A new document has replaced the old one in the meantime.
                Err(error @ (Error::DocumentGone | Error::Protocol { .. })) => last = error,
                // The frame has just moved to another process, which may not know it yet.
                Err(Error::FrameDetached) if !self.is_detached() => last = Error::DocumentGone,
                Err(error) => return Err(error),
            }
        }
        Err(last)
    }

    fn known_world(&self) -> Result<Option<UtilityWorld>> {
        let state = self.inner.state.lock();
        match state.detached {
            true => {
                drop(state);
                Err(self.detached_error())
            }
            false => Ok(state.world.clone()),
        }
    }

    /// Returns the reason why the frame is gone: it was detached, its page was closed, or the browser ended.
    pub(in crate::browser) fn detached_error(&self) -> Error {
        match self.page() {
            Ok(page) if page.is_closed() => page.why_closed(),
            Ok(_) => Error::FrameDetached,
            Err(error) => error,
        }
    }

    async fn make_world(&self) -> Result<UtilityWorld> {
        let (session, loader) = (self.session(), self.loader_id());
        let world = CreateIsolatedWorld {
            frame_id: self.id().to_owned(),
            // A common name, since CDP clients that use the same name share the world. Pages cannot see it.
            world_name: Some("utility".to_owned()),
            grant_univeral_access: Some(true),
        };
        let context_id = session.call(world).await?.execution_context_id;
        let world = UtilityWorld::new(self.clone(), session, context_id);
        let mut state = self.inner.state.lock();
        if state.loader != loader {
            return Err(Error::DocumentGone);
        }
        state.world = Some(world.clone());
        Ok(world)
    }

    /// Returns the execution context id of the main world.
    pub(in crate::browser) async fn main_context(&self) -> Result<i64> {
        let (known, loader) = {
            let state = self.inner.state.lock();
            (state.main_context, state.loader.clone())
        };
        if let Some(known) = known {
            return Ok(known);
        }
        // CDP reports this id only after `Runtime.enable`, but it is also the second part of each object id.
        let object =
            if self.is_session_root() { self.main_global().await? } else { self.main_document().await? };
        let context =
            object.id().split('.').nth(1).and_then(|part| part.parse().ok()).ok_or(Error::DocumentGone)?;
        let mut state = self.inner.state.lock();
        if state.loader == loader {
            state.main_context = Some(context);
        }
        Ok(context)
    }

    /// Returns the global object of the main world. The frame must be the top frame of its CDP session.
    async fn main_global(&self) -> Result<RemoteHandle> {
        let session = self.session();
        let global = Evaluate { expression: "globalThis".to_owned(), ..Evaluate::default() };
        let global = outcome(session.call(global).await?)?.object_id.ok_or(Error::DocumentGone)?;
        Ok(RemoteHandle::new(session, global))
    }

    /// Returns the `document` object of the main world.
    async fn main_document(&self) -> Result<RemoteHandle> {
        let world = self.utility_world().await?;
        let session = world.session();
        let document = Evaluate {
            expression: "document".to_owned(),
            context_id: Some(world.context_id()),
            ..Evaluate::default()
        };
        let document = outcome(session.call(document).await?)?.object_id.ok_or(Error::DocumentGone)?;
        let document = RemoteHandle::new(session.clone(), document);
        let backend_node_id = document.describe().await?.backend_node_id;
        RemoteHandle::of_node(session, backend_node_id, None).await?.ok_or(Error::DocumentGone)
    }

    /// Returns the parent's isolated world, and in it the element that embeds this frame. `None`: main frame.
    pub async fn owner_element(&self) -> Result<Option<(UtilityWorld, RemoteHandle)>> {
        let Some(parent) = self.parent() else { return Ok(None) };
        let world = parent.utility_world().await?;
        if let Some((known_world, owner)) = &self.inner.state.lock().owner
            && known_world.context_id() == world.context_id()
            && known_world.session().id() == world.session().id()
        {
            return Ok(Some((known_world.clone(), owner.clone())));
        }
        let owner = world.session().call(GetFrameOwner { frame_id: self.id().to_owned() }).await?;
        let node =
            RemoteHandle::of_node(world.session(), owner.backend_node_id, Some(world.context_id())).await?;
        let owner = (world, node.ok_or(Error::FrameDetached)?);
        self.inner.state.lock().owner = Some(owner.clone());
        Ok(Some(owner))
    }

    /// Sets the frame's URL if the browser has not reported one.
    pub(in crate::browser) fn assume_url(&self, url: &str) {
        let mut state = self.inner.state.lock();
        if state.url.is_empty() {
            url.clone_into(&mut state.url);
        }
    }

    /// Returns the document's title. Empty if the page does not answer within 2 s.
    pub async fn title(&self) -> String {
        const SOON: Duration = Duration::from_secs(2);
        let title = async {
            let world = self.utility_world().await?;
            let read = CallFunctionOn {
                function_declaration: "() => document.title".to_owned(),
                execution_context_id: Some(world.context_id()),
                return_by_value: Some(true),
                ..CallFunctionOn::default()
            };
            outcome(world.session().call(read).await?)
        };
        let title = tokio::time::timeout(SOON, title).await.ok().and_then(Result::ok);
        title
            .and_then(|title| title.value)
            .and_then(|value| value.as_str().map(str::to_owned))
            .unwrap_or_default()
    }

    /// Whether the element that embeds this frame is not registered in the parent's world yet.
    pub(in crate::browser) fn needs_adoption(&self, parent: &UtilityWorld) -> bool {
        self.inner.state.lock().adopted_in != Some(parent.context_id())
    }

    pub(in crate::browser) fn adopted_in(&self, parent: &UtilityWorld) {
        self.inner.state.lock().adopted_in = Some(parent.context_id());
    }

    /// Records an exposed function. Returns false if it was recorded before or if the document was replaced.
    pub(in crate::browser) fn record_exposure(&self, loader: &Arc<str>, token: &Arc<str>) -> bool {
        let mut state = self.inner.state.lock();
        let is_new = state.loader == *loader && !state.exposed.contains(token);
        if is_new {
            state.exposed.push(token.clone());
        }
        is_new
    }

    pub(in crate::browser) fn has_exposure(&self, token: &Arc<str>) -> bool {
        self.inner.state.lock().exposed.contains(token)
    }

    /// Records that a snapshot of the current document is requested. Returns true the first time.
    pub(in crate::browser) fn mark_read(&self) -> bool {
        !std::mem::replace(&mut self.inner.state.lock().was_read, true)
    }

    /// Records the highest ref number that the document uses. The next document starts above it.
    pub fn set_last_ref(&self, last: u32) {
        let mut state = self.inner.state.lock();
        state.next_ref = state.next_ref.max(last.saturating_add(1));
    }

    /// Returns the first ref number for a new document.
    pub(in crate::browser) fn first_ref(&self) -> u32 {
        let lowest = self.lowest_ref();
        self.inner.state.lock().next_ref.max(lowest)
    }

    /// Returns the first ref number of this tab. The numbers of neighbouring tabs and contexts are far apart,
    /// so that a ref used in the wrong tab is an error instead of matching another element.
    fn lowest_ref(&self) -> u32 {
        let Some(page) = self.inner.page.upgrade().map(Page::from_inner) else { return 1 };
        1 + (page.number() % TABS_APART + 3 * (page.context().number() % TABS_APART)) % TABS_APART
            * REFS_APART
    }

    /// Whether a ref with this number was ever assigned in this frame.
    pub fn had_ref(&self, number: u32) -> bool {
        (self.lowest_ref()..self.inner.state.lock().next_ref).contains(&number)
    }

    /// Records a committed document, fully loaded if `complete`. Returns its events that arrived earlier.
    pub(in crate::browser) fn committed(
        &self,
        frame: &wire::Frame,
        session: &CdpSession,
        complete: bool,
    ) -> LifecycleEvents {
        let mut state = self.inner.state.lock();
        state.session = session.clone();
        state.url = frame.url.clone() + frame.url_fragment.as_deref().unwrap_or_default();
        state.unreachable.clone_from(&frame.unreachable_url);
        state.name = frame.name.clone().unwrap_or_default();
        state.loader = Arc::from(frame.loader_id.as_str());
        let early = state.early.take().filter(|(loader, _)| *loader == state.loader);
        let early = early.map(|(_, moments)| moments).unwrap_or_default();
        state.moments = match complete {
            true => {
                LifecycleEvents { commit: true, dom_content_loaded: true, load: true, network_idle: true }
            }
            false => LifecycleEvents { commit: true, ..early },
        };
        state.leaving = false;
        state.world = None;
        state.main_context = None;
        state.exposed.clear();
        state.was_read = false;
        early
    }

    /// Records that a navigation to another document has begun.
    pub(in crate::browser) fn leaves(&self) {
        self.inner.state.lock().leaving = true;
    }

    /// Records that loading has stopped. If the navigation loaded no document, such as one to `mailto:`, the
    /// current document stays, and counts as loaded although it never fires `load`.
    pub(in crate::browser) fn stopped_loading(&self) {
        let mut state = self.inner.state.lock();
        if std::mem::replace(&mut state.leaving, false) {
            state.moments.dom_content_loaded = true;
            state.moments.load = true;
        }
    }

    pub(in crate::browser) fn named(&self, name: String) {
        self.inner.state.lock().name = name;
    }

    pub(in crate::browser) fn moved_within(&self, url: &str) {
        url.clone_into(&mut self.inner.state.lock().url);
    }

    /// Records a lifecycle event. Returns false if it belongs to another document than the current one.
    pub(in crate::browser) fn record_lifecycle(&self, loader: &str, name: &str) -> bool {
        let mut state = self.inner.state.lock();
        if *state.loader == *loader {
            state.moments.reach(name);
            return true;
        }
        let early = state.early.take().filter(|(known, _)| **known == *loader);
        let (loader, mut moments) = early.unwrap_or_else(|| (Arc::from(loader), LifecycleEvents::default()));
        moments.reach(name);
        state.early = Some((loader, moments));
        false
    }

    /// Resets the lifecycle events, before the content of the document is replaced.
    pub(in crate::browser) fn restart_document(&self) {
        self.inner.state.lock().moments = LifecycleEvents { commit: true, ..LifecycleEvents::default() };
    }

    pub(in crate::browser) fn moved_to_process(&self, session: &CdpSession) {
        let mut state = self.inner.state.lock();
        if state.session.id() != session.id() {
            state.session = session.clone();
            state.loader = Arc::from("");
            state.world = None;
            state.main_context = None;
            state.exposed.clear();
            state.was_read = false;
        }
    }

    pub(in crate::browser) fn forget_worlds(&self) {
        let mut state = self.inner.state.lock();
        state.world = None;
        state.main_context = None;
        state.owner = None;
        state.adopted_in = None;
    }

    pub(in crate::browser) fn detach(&self) {
        self.forget_worlds();
        self.inner.state.lock().detached = true;
    }
}
