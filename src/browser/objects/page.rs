//! Pages (tabs) and their frames. A page mirrors the browser's state; each change wakes waiting tasks.
mod awaited;
mod changes;
mod dialogs;
mod ending;
mod title;
mod observer;
mod own;
mod programs;

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Weak};

use parking_lot::Mutex;
use tokio::sync::watch;
use tokio::time::Instant;

use super::context::BrowserContext;
use super::frame::Frame;
use super::hooks::Extensions;
use super::journal::Journal;
use super::listeners::{Listener, Listeners};
use super::network::NetworkLog;
use crate::browser::input::{Input, Keyboard, Mouse, Touch};
use crate::browser::options::routing::InterceptedUrls;
use crate::cdp::CdpSession;
use crate::cdp::types::emulation::SetFocusEmulationEnabled;
use crate::cdp::types::page as wire;
use crate::cdp::types::target::{ActivateTarget, TargetInfo};
use crate::error::{Error, Result};

pub use dialogs::{AnsweredDialog, Dialog, FileChooser};
pub(in crate::browser) use ending::DiscardedState;
pub use ending::KeepPageLoadedGuard;
use own::PageSettings;

/// One tab. Cheap to clone; compares by identity.
#[derive(Clone)]
pub struct Page {
    inner: Arc<PageInner>,
}

/// An event that a page reports to its listeners.
#[derive(Debug, Clone)]
pub enum PageEvent {
    FrameAttached(Frame),
    FrameDetached(Frame),
    FrameNavigated(Frame),
    DomContentLoaded,
    Load,
    Closed,
    Crashed,
    Dialog(Dialog),
    DialogClosed,
    FileChooser(FileChooser),
}

pub(in crate::browser) struct PageInner {
    target: String,
    index: u32,
    opener: Option<String>,
    /// The URL that the browser reported when it announced the page's target.
    target_url: String,
    /// The document's URL and title at the time the title was last read.
    cached_title: Mutex<(String, String)>,
    context: BrowserContext,
    session: CdpSession,
    input: Input,
    main_frame: Frame,
    state: Mutex<PageState>,
    changes: watch::Sender<u64>,
    listeners: Listeners<PageEvent>,
    own: Mutex<PageSettings>,
    /// Operations hold a clone of this while the page must not be unloaded from memory; see `keep_loaded`.
    kept_in_memory: Arc<()>,
    extensions: Extensions,
}

struct PageState {
    frames: HashMap<String, Frame>,
    next_frame: u32,
    journal: Journal,
    network: NetworkLog,
    dialog: Option<Dialog>,
    dialog_opened: Instant,
    dialog_answered_here: bool,
    next_answer: Option<(bool, Option<String>)>,
    dialogs_answered: Vec<AnsweredDialog>,
    dialogs_in_a_row: u32,
    dialogs_so_far: u64,
    /// The number of the last dialog that the browser reported as closed.
    dialog_closed: u64,
    /// The number of the last dialog that was reported to listeners.
    dialog_reported: u64,
    /// The number of navigations leaving the page. While above 0, dialogs are answered automatically.
    leaving_navigations: u32,
    chooser: Option<FileChooser>,
    /// URLs for external programs, such as `mailto:`, that the page tried to open, until they are reported.
    programs_asked: Vec<String>,
    /// Which requests of the page are intercepted.
    routed: InterceptedUrls,
    ready: bool,
    /// Whether the page still shows the initial empty document that its requested document will replace.
    awaits_document: bool,
    /// Whether the page's latest `window.open` call had a `javascript:` URL, which loads no document.
    opens_script: bool,
    /// Width and height in CSS pixels that the page's latest `window.open` call requested.
    opens_size: Option<(u32, u32)>,
    closed: bool,
    crashed: bool,
    /// Whether the renderer process is being ended on purpose. Its end is then not reported as a crash.
    ending: bool,
    /// The saved state of the page if its renderer process was ended to save memory; otherwise `None`.
    discarded: Option<DiscardedState>,
}

/// Converts `PageClosed` to success: during an operation on all pages of a context, a page may close.
pub(in crate::browser) fn unless_closed(done: Result<()>) -> Result<()> {
    match done {
        Err(Error::PageClosed) => Ok(()),
        done => done,
    }
}

/// A weak reference to a page.
#[derive(Debug, Clone)]
pub struct WeakPage(Weak<PageInner>);

impl WeakPage {
    pub fn upgrade(&self) -> Option<Page> {
        self.0.upgrade().map(Page::from_inner)
    }
}

impl fmt::Debug for Page {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Page").field("target", &self.inner.target).finish_non_exhaustive()
    }
}

impl PartialEq for Page {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }
}

impl Eq for Page {}

impl Page {
    pub(in crate::browser) fn from_inner(inner: Arc<PageInner>) -> Self {
        Self { inner }
    }

    /// Creates the page for a newly attached target: sends all setup commands, then lets the target run.
    pub(in crate::browser) fn adopt(
        context: &BrowserContext,
        session: CdpSession,
        info: &TargetInfo,
        index: u32,
    ) -> Self {
        let mut extensions = Extensions::default();
        context.hooks().iter().for_each(|hook| hook.extend_page(&mut extensions));
        let inner = Arc::new_cyclic(|page: &Weak<PageInner>| {
            // The CDP id of the main frame equals the target id of its page.
            let main_frame = Frame::new(page.clone(), &info.target_id, 0, None, session.clone());
            let state = PageState {
                frames: HashMap::from([(info.target_id.clone(), main_frame.clone())]),
                next_frame: 1,
                journal: Journal::default(),
                network: NetworkLog::default(),
                dialog: None,
                dialog_opened: Instant::now(),
                dialog_answered_here: false,
                next_answer: None,
                dialogs_answered: Vec::new(),
                dialogs_in_a_row: 0,
                dialogs_so_far: 0,
                dialog_closed: 0,
                dialog_reported: 0,
                leaving_navigations: 0,
                chooser: None,
                programs_asked: Vec::new(),
                routed: InterceptedUrls::None,
                ready: false,
                awaits_document: false,
                opens_script: false,
                opens_size: None,
                closed: false,
                crashed: false,
                ending: false,
                discarded: None,
            };
            PageInner {
                target: info.target_id.clone(),
                index,
                opener: info.opener_id.clone(),
                target_url: info.url.clone(),
                cached_title: Mutex::new((info.url.clone(), info.title.clone())),
                context: context.clone(),
                input: Input::of(session.clone(), context.input_style(), context.input_traits()),
                session,
                main_frame,
                state: Mutex::new(state),
                changes: watch::Sender::new(0),
                listeners: Listeners::default(),
                own: Mutex::default(),
                kept_in_memory: Arc::default(),
                extensions,
            }
        });
        let page = Self { inner };
        page.open_in_front();
        let root = page.inner.session.clone();
        page.observe(root, true);
        page
    }

    /// An id of this page that is unique within this process.
    pub fn instance_id(&self) -> usize {
        Arc::as_ptr(&self.inner).addr()
    }

    /// A weak reference to the page.
    pub fn downgrade(&self) -> WeakPage {
        WeakPage(Arc::downgrade(&self.inner))
    }

    /// Returns the state of type `T` that a module added to this page with `Hooks::extend_page`.
    pub(in crate::browser) fn extension<T: std::any::Any>(&self) -> &T {
        self.inner.extensions.get()
    }

    /// The CDP target id of this tab.
    pub fn id(&self) -> &str {
        &self.inner.target
    }

    /// The page's number within its context: the `p` part of a ref such as `c0p1f0e12`. Never reused.
    pub fn number(&self) -> u32 {
        self.inner.index
    }

    pub fn context(&self) -> &BrowserContext {
        &self.inner.context
    }

    /// The main CDP session of the tab. Used for input, screenshots and dialogs.
    pub fn session(&self) -> &CdpSession {
        &self.inner.session
    }

    /// The input devices of this tab.
    pub fn input(&self) -> &Input {
        &self.inner.input
    }

    pub fn mouse(&self) -> Mouse {
        drop(self.work());
        self.acts();
        self.inner.input.mouse()
    }

    pub fn keyboard(&self) -> Keyboard {
        drop(self.work());
        self.acts();
        self.inner.input.keyboard()
    }

    pub fn touch(&self) -> Touch {
        drop(self.work());
        self.acts();
        self.inner.input.touch()
    }

    pub fn main_frame(&self) -> &Frame {
        &self.inner.main_frame
    }

    /// All frames in order of creation.
    pub fn frames(&self) -> Vec<Frame> {
        let mut frames: Vec<_> = self.inner.state.lock().frames.values().cloned().collect();
        frames.sort_by_key(Frame::number);
        frames
    }

    /// Returns the frame with this number, which is the `f` part of a ref such as `p0f1e12`.
    pub fn frame_by_number(&self, number: u32) -> Option<Frame> {
        self.inner.state.lock().frames.values().find(|frame| frame.number() == number).cloned()
    }

    /// The frame with this CDP id.
    pub fn frame_by_id(&self, id: &str) -> Option<Frame> {
        self.inner.state.lock().frames.get(id).cloned()
    }

    /// The number that the next new frame gets. A lower number without a frame belonged to a removed frame.
    pub fn next_frame_number(&self) -> u32 {
        self.inner.state.lock().next_frame
    }

    pub fn url(&self) -> String {
        self.main_frame().url()
    }

    /// Returns the document's URL, or the URL that failed to load if the browser shows its own error page.
    pub fn attempted_url(&self) -> String {
        self.main_frame().attempted_url()
    }

    /// Uses the URL of the page's target if the page hangs and has reported no document URL.
    pub(in crate::browser) fn use_target_url(&self) {
        self.main_frame().assume_url(&self.inner.target_url);
    }

    /// The page that opened this one, if it still exists.
    pub fn opener(&self) -> Option<Page> {
        let opener = self.inner.opener.as_deref()?;
        self.context().pages().into_iter().find(|page| page.id() == opener)
    }

    /// Whether another page opened this one.
    pub fn has_opener(&self) -> bool {
        self.inner.opener.is_some()
    }

    pub(in crate::browser) fn opener_id(&self) -> Option<&str> {
        self.inner.opener.as_deref()
    }

    pub(in crate::browser) fn is_ready(&self) -> bool {
        self.inner.state.lock().ready
    }

    pub(in crate::browser) fn is_routed(&self) -> bool {
        !self.inner.state.lock().routed.is_none()
    }

    /// Whether requests to this URL are intercepted.
    pub(in crate::browser) fn routes(&self, url: &str) -> bool {
        self.inner.state.lock().routed.holds(url)
    }

    pub(in crate::browser) fn remember_routed(&self, routed: InterceptedUrls) {
        self.inner.state.lock().routed = routed;
    }

    /// Calls `listener` for every event of the page.
    pub fn listen(&self, listener: Listener<PageEvent>) {
        self.inner.listeners.add(listener);
    }

    pub(in crate::browser) fn emit(&self, event: &PageEvent) {
        self.inner.listeners.emit(event);
    }

    /// Brings the tab to the front of its window. Does nothing in a browser that a person uses.
    pub async fn bring_to_front(&self) -> Result<()> {
        let browser = self.context().browser()?;
        if browser.attached_browser().is_some() {
            // In a browser that a person uses, switching tabs would disturb that person.
            return Ok(());
        }
        let root = browser.root_session().clone();
        root.call(ActivateTarget { target_id: self.id().to_owned() }).await.map(drop)
    }

    /// Turns focus emulation on or off. With it, the page behaves as if its window had the focus.
    pub fn emulate_focus(&self, enabled: bool) {
        for session in self.sessions() {
            session.send(SetFocusEmulationEnabled { enabled }).ignore();
        }
    }

    /// Gives the page the focus if the browser emulates none: brings its window to the front.
    pub(in crate::browser) async fn take_focus(&self) {
        if self.context().browser().is_ok_and(|browser| browser.protocol().has_one_focus()) {
            let _ = self.session().call(SetFocusEmulationEnabled { enabled: true }).await;
        }
    }

    /// Sets whether file choosers are reported as [`PageEvent::FileChooser`] instead of opening a window.
    pub async fn catch_file_choosers(&self, enabled: bool) -> Result<()> {
        for session in self.sessions() {
            session.call(wire::SetInterceptFileChooserDialog { enabled, cancel: None }).await?;
        }
        Ok(())
    }

    /// Calls `read` with the page's request log and returns the result.
    pub fn with_network<T>(&self, read: impl FnOnce(&NetworkLog) -> T) -> T {
        read(&self.inner.state.lock().network)
    }

    /// Returns the CDP sessions of the page: the main one, then those of frames in other processes.
    pub fn sessions(&self) -> Vec<CdpSession> {
        let mut sessions = vec![self.inner.session.clone()];
        for frame in self.frames() {
            let session = frame.session();
            if sessions.iter().all(|known| known.id() != session.id()) {
                sessions.push(session);
            }
        }
        sessions
    }
}
