//! A page: one tab, with its frames. What the browser tells of it is kept here; who waits is woken by every change.
mod dialogs;
mod observer;
mod own;

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Weak};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::watch;
use tokio::time::{Instant, timeout};

use super::context::BrowserContext;
use super::events::{Listener, Listeners, PageEvent};
use super::frame::Frame;
use super::journal::{Journal, Mark, Pending};
use super::network::NetworkLog;
use super::parts::Slots;
use crate::browser::input::{Input, Keyboard, Mouse, Touch};
use crate::browser::options::routing::Routed;
use crate::cdp::types::emulation::SetFocusEmulationEnabled;
use crate::cdp::types::page as wire;
use crate::cdp::types::runtime::TerminateExecution;
use crate::cdp::types::target::{ActivateTarget, CloseTarget, TargetInfo};
use crate::cdp::{CdpSession, Command};
use crate::error::{Error, Result};

pub use dialogs::{AnsweredDialog, Dialog, FileChooser};
use own::Own;

/// One tab. Cheap to clone; compares by identity.
#[derive(Clone)]
pub struct Page {
    inner: Arc<PageInner>,
}

pub(in crate::browser) struct PageInner {
    target: String,
    index: u32,
    opener: Option<String>,
    /// The address and the title that it had when the browser first told of it.
    found: (String, String),
    context: BrowserContext,
    session: CdpSession,
    input: Input,
    main_frame: Frame,
    state: Mutex<PageState>,
    changes: watch::Sender<u64>,
    listeners: Listeners<PageEvent>,
    own: Mutex<Own>,
    slots: Slots,
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
    dialogs_ever: u64,
    /// The last one that was told of.
    dialog_told: u64,
    /// How many are leaving the page: to them a dialog is no question.
    leavers: u32,
    chooser: Option<FileChooser>,
    /// Whether its requests wait for a decision.
    routed: Routed,
    ready: bool,
    /// Whether it has begun with an empty document that another one is about to replace.
    awaits_document: bool,
    /// The newest window that it opened shows no document, but what a script does there.
    opens_script: bool,
    /// The size that was asked for the newest window.
    opens_size: Option<(u32, u32)>,
    closed: bool,
    crashed: bool,
    /// Its renderer is being ended by us: no crash to tell of.
    ending: bool,
}

/// A page that is not held.
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

    /// Takes a target that the browser has just attached us to. Its set-up goes out in one write, then it runs.
    pub(in crate::browser) fn adopt(
        context: &BrowserContext,
        session: CdpSession,
        info: &TargetInfo,
        index: u32,
    ) -> Self {
        let mut slots = Slots::default();
        context.parts().iter().for_each(|part| part.keep_with_page(&mut slots));
        let inner = Arc::new_cyclic(|page: &Weak<PageInner>| {
            // A page's main frame bears the id of its target.
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
                dialogs_ever: 0,
                dialog_told: 0,
                leavers: 0,
                chooser: None,
                routed: Routed::None,
                ready: false,
                awaits_document: false,
                opens_script: false,
                opens_size: None,
                closed: false,
                crashed: false,
                ending: false,
            };
            PageInner {
                target: info.target_id.clone(),
                index,
                opener: info.opener_id.clone(),
                found: (info.url.clone(), info.title.clone()),
                context: context.clone(),
                input: Input::of(session.clone(), context.input_style(), context.input_traits()),
                session,
                main_frame,
                state: Mutex::new(state),
                changes: watch::Sender::new(0),
                listeners: Listeners::default(),
                own: Mutex::default(),
                slots,
            }
        });
        let page = Self { inner };
        page.cover_others();
        let root = page.inner.session.clone();
        page.observe(root, true);
        page
    }

    /// What tells this page from every other one.
    pub fn key(&self) -> usize {
        Arc::as_ptr(&self.inner).addr()
    }

    /// The page, as long as somebody else holds it.
    pub fn downgrade(&self) -> WeakPage {
        WeakPage(Arc::downgrade(&self.inner))
    }

    /// What a part keeps with this page.
    pub(in crate::browser) fn slot<T: std::any::Any>(&self) -> &T {
        self.inner.slots.get()
    }

    /// The browser's id for this tab.
    pub fn id(&self) -> &str {
        &self.inner.target
    }

    /// The page's number within its context: the `p` of a ref. Never used again for another page.
    pub fn index(&self) -> u32 {
        self.inner.index
    }

    pub fn context(&self) -> &BrowserContext {
        &self.inner.context
    }

    /// The session of the tab itself: input, pictures and dialogs go through it.
    pub fn session(&self) -> &CdpSession {
        &self.inner.session
    }

    /// The pointer, the keys and the finger of this tab.
    pub fn input(&self) -> &Input {
        &self.inner.input
    }

    pub fn mouse(&self) -> Mouse {
        drop(self.work());
        self.inner.input.mouse()
    }

    pub fn keyboard(&self) -> Keyboard {
        drop(self.work());
        self.inner.input.keyboard()
    }

    pub fn touch(&self) -> Touch {
        drop(self.work());
        self.inner.input.touch()
    }

    pub fn main_frame(&self) -> &Frame {
        &self.inner.main_frame
    }

    /// All frames, in the order in which they came.
    pub fn frames(&self) -> Vec<Frame> {
        let mut frames: Vec<_> = self.inner.state.lock().frames.values().cloned().collect();
        frames.sort_by_key(Frame::number);
        frames
    }

    /// The frame that the `f` of a ref names.
    pub fn frame_by_number(&self, number: u32) -> Option<Frame> {
        self.inner.state.lock().frames.values().find(|frame| frame.number() == number).cloned()
    }

    /// The frame with the browser's id.
    pub fn frame_by_id(&self, id: &str) -> Option<Frame> {
        self.inner.state.lock().frames.get(id).cloned()
    }

    /// How many frames there have been: a number below it that is no frame now was one once.
    pub fn frames_ever(&self) -> u32 {
        self.inner.state.lock().next_frame
    }

    pub fn url(&self) -> String {
        self.main_frame().url()
    }

    /// The address as a person reads it: on an error page of the browser's own, the one that was tried.
    pub fn asked_url(&self) -> String {
        self.main_frame().asked_url()
    }

    pub async fn title(&self) -> String {
        if self.dialog().is_some() || self.is_crashed() {
            return String::new();
        }
        self.main_frame().title().await
    }

    /// What the browser said of the tab when we found it, for as long as the page itself has told nothing else.
    pub fn found_title(&self) -> &str {
        let (url, title) = &self.inner.found;
        if self.url() == *url { title } else { "" }
    }

    /// A tab that hangs tells nothing itself.
    pub(in crate::browser) fn assume_found(&self) {
        self.main_frame().assume_url(&self.inner.found.0);
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

    pub fn is_closed(&self) -> bool {
        self.inner.state.lock().closed
    }

    pub(in crate::browser) fn is_ready(&self) -> bool {
        self.inner.state.lock().ready
    }

    pub(in crate::browser) fn is_routed(&self) -> bool {
        !self.inner.state.lock().routed.is_none()
    }

    /// Whether a request to this address waits for a decision.
    pub(in crate::browser) fn routes(&self, url: &str) -> bool {
        self.inner.state.lock().routed.holds(url)
    }

    pub(in crate::browser) fn set_routed(&self, routed: Routed) {
        self.inner.state.lock().routed = routed;
    }

    pub fn is_crashed(&self) -> bool {
        self.inner.state.lock().crashed
    }

    /// Lets `listener` hear what happens from now on.
    pub fn listen(&self, listener: Listener<PageEvent>) {
        self.inner.listeners.add(listener);
    }

    pub(in crate::browser) fn tell(&self, event: &PageEvent) {
        self.inner.listeners.tell(event);
    }

    /// Something happened that belongs to the page and that none of its sessions tells.
    pub(in crate::browser) fn note_effect(&self) {
        self.update(|state| state.journal.effect());
    }

    /// Brings the tab to the front of its window.
    pub async fn bring_to_front(&self) -> Result<()> {
        let browser = self.context().browser()?;
        if browser.guest().is_some() {
            // Whoever works there is not to be disturbed.
            return Ok(());
        }
        let root = browser.root().clone();
        root.call(ActivateTarget { target_id: self.id().to_owned() }).await.map(drop)
    }

    /// Makes the page believe that its window has the focus, or leaves it as it is.
    pub fn emulate_focus(&self, enabled: bool) {
        for session in self.sessions() {
            session.send(SetFocusEmulationEnabled { enabled }).ignore();
        }
    }

    /// Stops a script that runs without end, so that the page answers again.
    pub async fn terminate_script(&self) -> Result<()> {
        self.inner.session.call_within(TerminateExecution {}, Duration::from_secs(2)).await.map(drop)
    }

    /// Closes the tab without asking it. Done when the browser says that it is gone.
    pub async fn close(&self) -> Result<()> {
        if self.is_closed() {
            return Ok(());
        }
        let root = self.context().browser()?.root().clone();
        root.call(CloseTarget { target_id: self.id().to_owned() }).await?;
        const LIMIT: Duration = Duration::from_secs(5);
        match timeout(LIMIT, self.until_closed()).await {
            Ok(()) => Ok(()),
            Err(_) => Err(Error::NoAnswer { method: CloseTarget::METHOD, waited: LIMIT }),
        }
    }

    /// Closes the tab if it agrees: it is asked as when a person closes it. Not waited for.
    pub async fn ask_to_close(&self) -> Result<()> {
        self.inner.session.call(wire::Close {}).await.map(drop)
    }

    /// Whether file choosers are told of instead of shown.
    pub async fn catch_file_choosers(&self, enabled: bool) -> Result<()> {
        for session in self.sessions() {
            session.call(wire::SetInterceptFileChooserDialog { enabled, cancel: None }).await?;
        }
        Ok(())
    }

    /// Waits until the page is closed.
    pub async fn until_closed(&self) {
        let _ = self.until(|page| page.is_closed().then_some(())).await;
    }

    /// Waits until nobody can work on the page any more, and tells why: it is closed, has crashed, or its browser has ended.
    pub async fn until_gone(&self) -> Error {
        let gone = self.until(|_| None::<()>).await;
        gone.err().unwrap_or(Error::PageClosed)
    }

    // Effects.

    /// A point in time; what comes after it can be asked for with [`pending_since`](Self::pending_since).
    pub fn mark(&self) -> Mark {
        self.inner.state.lock().journal.mark()
    }

    pub(in crate::browser) fn with_journal<T>(&self, work: impl FnOnce(&mut Journal) -> T) -> T {
        work(&mut self.inner.state.lock().journal)
    }

    /// What has begun since `mark` and what of it has not ended.
    pub fn pending_since(&self, mark: Mark) -> Pending {
        let state = self.inner.state.lock();
        let mut pending = state.journal.since(mark);
        pending.dialog = state.dialog.is_some();
        pending.chooser = state.chooser.is_some();
        pending.gone = state.closed || state.crashed;
        pending
    }

    /// Reads the log of requests.
    pub fn with_network<T>(&self, read: impl FnOnce(&NetworkLog) -> T) -> T {
        read(&self.inner.state.lock().network)
    }

    /// Waits until `find` finds something; looks again after every change. Fails when the page closes or crashes.
    pub async fn until<T>(&self, mut find: impl FnMut(&Page) -> Option<T>) -> Result<T> {
        let mut changes = self.inner.changes.subscribe();
        loop {
            if let Some(found) = find(self) {
                return Ok(found);
            }
            if self.is_closed() {
                return Err(self.why_closed());
            }
            if self.is_crashed() {
                return Err(Error::PageCrashed);
            }
            if changes.changed().await.is_err() {
                return Err(Error::PageClosed);
            }
        }
    }

    /// Waits for any change, at most until `deadline`. False when the time ran out first.
    pub async fn changed_before(&self, changes: &mut watch::Receiver<u64>, deadline: Instant) -> bool {
        matches!(tokio::time::timeout_at(deadline, changes.changed()).await, Ok(Ok(())))
    }

    /// Whether the frame is loading a document.
    pub(in crate::browser) fn is_loading(&self, frame: &Frame) -> bool {
        self.with_journal(|journal| journal.is_loading(frame.id()))
    }

    /// A counter that moves with every change of what is known of the page.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.inner.changes.subscribe()
    }

    /// Waits until the page can be used, at most `limit`.
    pub(in crate::browser) async fn until_ready(&self, limit: Duration) -> Result<()> {
        let ready = self.until(|page| page.inner.state.lock().ready.then_some(()));
        timeout(limit, ready).await.unwrap_or(Err(Error::PageBusy))
    }

    /// The page's own session and those of its frames in other processes.
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

    pub(in crate::browser) fn why_closed(&self) -> Error {
        let ended = self.context().browser().ok().and_then(|browser| browser.ended());
        ended.unwrap_or(Error::PageClosed)
    }

    fn update<T>(&self, change: impl FnOnce(&mut PageState) -> T) -> T {
        let result = change(&mut self.inner.state.lock());
        self.inner.changes.send_modify(|version| *version += 1);
        result
    }

    /// Ends the process that shows the page, whatever keeps it from answering. False when it goes on.
    pub(in crate::browser) async fn end_renderer(&self) -> bool {
        const LIMIT: Duration = Duration::from_secs(5);
        self.update(|state| state.ending = true);
        self.inner.session.send(wire::Crash {}).ignore();
        let ended = self.until(|page| page.is_crashed().then_some(()));
        let has_ended = matches!(timeout(LIMIT, ended).await, Ok(Ok(())));
        self.update(|state| state.ending = false);
        has_ended
    }

    /// The renderer is back: a navigation gave the page a new one.
    pub(in crate::browser) fn revive(&self) {
        if self.is_crashed() {
            self.inner.session.revive();
            self.update(|state| state.crashed = false);
        }
    }
}
