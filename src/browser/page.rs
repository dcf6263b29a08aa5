//! A page: one tab, with its frames. What the browser tells of it is kept here; who waits is woken by every change.
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Weak};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::watch;
use tokio::time::{Instant, sleep, sleep_until, timeout};

use super::console::Beginning;
use super::context::BrowserContext;
use super::emulation::{Own, asked_size};
use super::events::{Listener, Listeners, PageEvent};
use super::frame::Frame;
use super::input::{Input, Keyboard, Mouse, Touch};
use super::journal::{Journal, Mark, Pending};
use super::network::NetworkLog;
use super::upload::{HeldFile, MOST_HELD};
use super::world::Scope;
use crate::cdp::types::console::{self, InspectorEnable};
use crate::cdp::types::emulation::{SetDeviceMetricsOverride, SetFocusEmulationEnabled};
use crate::cdp::types::network::{self as net, Enable as NetworkEnable};
use crate::cdp::types::page as wire;
use crate::cdp::types::runtime::{RunIfWaitingForDebugger, TerminateExecution};
use crate::cdp::types::target::{
    ActivateTarget, AttachedToTarget, CloseTarget, DetachedFromTarget, FilterEntry, SetAutoAttach, TargetInfo,
};
use crate::cdp::{CdpSession, Command, Event, Observer, RawEvent};
use crate::error::{Error, Result};

/// One tab. Cheap to clone; compares by identity.
#[derive(Clone)]
pub struct Page {
    inner: Arc<PageInner>,
}

pub(super) struct PageInner {
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
    /// Files that were given to it, and that its scripts may still read.
    held: Mutex<Vec<HeldFile>>,
}

struct PageState {
    frames: HashMap<String, Frame>,
    next_frame: u32,
    journal: Journal,
    network: NetworkLog,
    dialog: Option<Dialog>,
    dialog_opened: Instant,
    next_answer: Option<(bool, Option<String>)>,
    dialogs_in_a_row: u32,
    dialogs_ever: u64,
    /// The last one that was told of.
    dialog_told: u64,
    /// How many are leaving the page: to them a dialog is no question.
    leavers: u32,
    chooser: Option<FileChooser>,
    /// Whether its requests wait for a decision.
    routed: bool,
    ready: bool,
    /// Whether it has begun with an empty document that another one is about to replace.
    unborn: bool,
    /// The newest window that it opened shows no document, but what a script does there.
    opens_script: bool,
    /// The size that was asked for the newest window.
    opens_size: Option<(u32, u32)>,
    closed: bool,
    crashed: bool,
}

/// A dialog that is open: an alert, a confirm, a prompt, or the question before leaving.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dialog {
    /// `alert`, `confirm`, `prompt` or `beforeunload`.
    pub kind: String,
    pub message: String,
    pub default_prompt: String,
    pub url: String,
    session: String,
    /// Tells it from one that says the same: a page can open the next before we know that the last is closed.
    number: u64,
}

/// A file chooser that the page asked for, and that nobody has answered.
#[derive(Debug, Clone)]
pub struct FileChooser {
    pub frame: Frame,
    /// The input; `None` when the page used a picker without one.
    pub backend_node_id: Option<i64>,
    pub multiple: bool,
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

/// An open dialog that is being answered, among what an action waits for.
const DIALOG: &str = "dialog";

/// A document that opens more dialogs than this is not asking anybody any more.
const MOST_DIALOGS: u32 = 20;

/// All that a page's sessions tell and that we keep. Anything else is not decoded.
const HEARD: [&str; 24] = [
    AttachedToTarget::METHOD,
    DetachedFromTarget::METHOD,
    console::TargetCrashed::METHOD,
    wire::FrameAttached::METHOD,
    wire::FrameDetached::METHOD,
    wire::FrameNavigated::METHOD,
    wire::NavigatedWithinDocument::METHOD,
    wire::FrameStartedNavigating::METHOD,
    wire::FrameRequestedNavigation::METHOD,
    wire::FrameStartedLoading::METHOD,
    wire::FrameStoppedLoading::METHOD,
    wire::LifecycleEvent::METHOD,
    wire::JavascriptDialogOpening::METHOD,
    wire::JavascriptDialogClosed::METHOD,
    wire::FileChooserOpened::METHOD,
    wire::WindowOpen::METHOD,
    net::RequestWillBeSent::METHOD,
    net::ResponseReceived::METHOD,
    net::LoadingFinished::METHOD,
    net::LoadingFailed::METHOD,
    net::RequestServedFromCache::METHOD,
    net::WebSocketCreated::METHOD,
    net::WebSocketClosed::METHOD,
    net::RequestWillBeSentExtraInfo::METHOD,
];

impl Page {
    pub(super) fn from_inner(inner: Arc<PageInner>) -> Self {
        Self { inner }
    }

    /// Takes a target that the browser has just attached us to. Its set-up goes out in one write, then it runs.
    pub(super) fn adopt(
        context: &BrowserContext,
        session: CdpSession,
        info: &TargetInfo,
        index: u32,
    ) -> Self {
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
                next_answer: None,
                dialogs_in_a_row: 0,
                dialogs_ever: 0,
                dialog_told: 0,
                leavers: 0,
                chooser: None,
                routed: false,
                ready: false,
                unborn: false,
                opens_script: false,
                opens_size: None,
                closed: false,
                crashed: false,
            };
            PageInner {
                target: info.target_id.clone(),
                index,
                opener: info.opener_id.clone(),
                found: (info.url.clone(), info.title.clone()),
                context: context.clone(),
                input: Input::new(session.clone(), context.input_style()),
                session,
                main_frame,
                state: Mutex::new(state),
                changes: watch::Sender::new(0),
                listeners: Listeners::default(),
                own: Mutex::default(),
                held: Mutex::default(),
            }
        });
        let page = Self { inner };
        page.cover_others();
        let root = page.inner.session.clone();
        page.attend(root, true);
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

    /// Reads or changes what this page was told for itself alone.
    pub(super) fn own<T>(&self, change: impl FnOnce(&mut Own) -> T) -> T {
        change(&mut self.inner.own.lock())
    }

    /// Width and height that this page was given, or its context; or its window's, where that counts as given.
    pub fn viewport(&self) -> Option<(u32, u32)> {
        let (own, window) = self.own(|own| (own.viewport, own.window));
        own.or(self.context().options().viewport).or(window)
    }

    /// The browser's id for this tab.
    pub fn id(&self) -> &str {
        &self.inner.target
    }

    /// The page's number within its context: the `p` of a ref. Never used again for another page.
    pub fn index(&self) -> u32 {
        self.inner.index
    }

    /// Keeps files open for as long as the page is there.
    pub(super) fn hold_files(&self, files: Vec<HeldFile>) {
        let mut held = self.inner.held.lock();
        held.extend(files);
        let old = held.len().saturating_sub(MOST_HELD);
        held.drain(..old);
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
    pub(super) fn assume_found(&self) {
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

    pub(super) fn is_ready(&self) -> bool {
        self.inner.state.lock().ready
    }

    pub(super) fn is_routed(&self) -> bool {
        self.inner.state.lock().routed
    }

    pub(super) fn set_routed(&self, routed: bool) {
        self.inner.state.lock().routed = routed;
    }

    pub fn is_crashed(&self) -> bool {
        self.inner.state.lock().crashed
    }

    /// The dialog that is open, if one is.
    pub fn dialog(&self) -> Option<Dialog> {
        self.inner.state.lock().dialog.clone()
    }

    /// The dialog that is open, where nobody but the caller could answer it: the page stands still until then.
    pub(super) fn obstruction(&self) -> Option<Dialog> {
        if self.context().answers_dialogs() { None } else { self.dialog() }
    }

    /// Lets `listener` hear what happens from now on.
    pub fn listen(&self, listener: Listener<PageEvent>) {
        self.inner.listeners.add(listener);
    }

    pub(super) fn tell(&self, event: &PageEvent) {
        self.inner.listeners.tell(event);
    }

    /// The file chooser that waits for an answer, if one does.
    pub fn file_chooser(&self) -> Option<FileChooser> {
        self.inner.state.lock().chooser.clone()
    }

    /// Forgets the waiting file chooser: it has been answered, or given up.
    pub fn take_file_chooser(&self) -> Option<FileChooser> {
        self.inner.state.lock().chooser.take()
    }

    /// Lets a file chooser wait on, unless another one does.
    pub fn reopen_file_chooser(&self, chooser: FileChooser) {
        self.inner.state.lock().chooser.get_or_insert(chooser);
    }

    /// Answers the open dialog, once a person could have read it.
    pub async fn answer_dialog(&self, accept: bool, prompt_text: Option<String>) -> Result<Dialog> {
        let (dialog, readable) = {
            let state = self.inner.state.lock();
            let dialog = state.dialog.clone().ok_or(Error::NoDialog)?;
            (dialog, state.dialog_opened + self.reading_time(&state))
        };
        sleep_until(readable).await;
        let session = self.sessions().into_iter().find(|session| session.id() == dialog.session);
        let session = session.unwrap_or_else(|| self.inner.session.clone());
        session.call(wire::HandleJavaScriptDialog { accept, prompt_text }).await?;
        self.update(|state| {
            if state.dialog.as_ref() == Some(&dialog) {
                state.dialog = None;
            }
        });
        Ok(dialog)
    }

    /// Answers the open dialog as somebody who leaves the page, and those that open until the guard is dropped. `None`
    /// when no dialog is open.
    pub(super) fn leave_dialogs(&self) -> Option<Leaving> {
        let dialog = self.obstruction()?;
        self.update(|state| {
            state.leavers += 1;
            state.dialog = None;
        });
        let session = self.sessions().into_iter().find(|session| session.id() == dialog.session);
        // A navigation that asked whether it may go on does not: it would meet the one that comes.
        let answer = wire::HandleJavaScriptDialog { accept: false, prompt_text: None };
        session.as_ref().unwrap_or(&self.inner.session).send(answer).ignore();
        Some(Leaving(self.downgrade()))
    }

    /// Answers the next dialog that opens, once.
    pub fn answer_next_dialog(&self, accept: bool, prompt_text: Option<String>) {
        self.update(|state| state.next_answer = Some((accept, prompt_text)));
    }

    /// Whether the document opens dialogs without end, so that they are dismissed unasked.
    pub fn floods_dialogs(&self) -> bool {
        self.inner.state.lock().dialogs_in_a_row > MOST_DIALOGS
    }

    /// Makes the page this large, in CSS pixels, whatever the size of its window.
    pub async fn set_viewport(&self, width: u32, height: u32) -> Result<()> {
        let metrics = SetDeviceMetricsOverride { width, height, ..SetDeviceMetricsOverride::default() };
        self.session().call(metrics).await.map(drop)
    }

    /// Width and height of what can be pointed at, in CSS pixels.
    pub async fn viewport_size(&self) -> Result<(f64, f64)> {
        let size =
            self.main_frame().evaluate("[innerWidth, innerHeight]", Vec::new(), Scope::Isolated).await?;
        let side = |index: usize| size[index].as_f64().unwrap_or_default();
        Ok((side(0), side(1)))
    }

    /// Something happened that belongs to the page and that none of its sessions tells.
    pub(super) fn note_effect(&self) {
        self.update(|state| state.journal.effect());
    }

    /// Brings the tab to the front of its window.
    pub async fn bring_to_front(&self) -> Result<()> {
        let root = self.context().browser()?.root().clone();
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

    // Effects.

    /// A point in time; what comes after it can be asked for with [`pending_since`](Self::pending_since).
    pub fn mark(&self) -> Mark {
        self.inner.state.lock().journal.mark()
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

    /// A counter that moves with every change of what is known of the page.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.inner.changes.subscribe()
    }

    /// Waits until the page can be used, at most `limit`.
    pub(super) async fn until_ready(&self, limit: Duration) -> Result<()> {
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

    pub(super) fn why_closed(&self) -> Error {
        let ended = self.context().browser().ok().and_then(|browser| browser.ended());
        ended.unwrap_or(Error::PageClosed)
    }

    fn update<T>(&self, change: impl FnOnce(&mut PageState) -> T) -> T {
        let result = change(&mut self.inner.state.lock());
        self.inner.changes.send_modify(|version| *version += 1);
        result
    }

    // What the browser tells.

    /// Sets a session up and hears it until it ends. `is_root` is false for a frame that lives in another process.
    fn attend(&self, session: CdpSession, is_root: bool) {
        let page = Arc::downgrade(&self.inner);
        session.observe(&HEARD, Arc::new(Ear { page: page.clone(), session: session.clone(), is_root }));
        let set_up = self.set_up(&session);
        let size = (is_root && self.context().options().window_is_viewport)
            .then(|| session.send(wire::GetLayoutMetrics {}));
        tokio::spawn(async move {
            if let Some(Ok(metrics)) = futures_util::future::OptionFuture::from(size).await
                && let Some(inner) = page.upgrade()
            {
                let view = metrics.css_layout_viewport;
                Page { inner }.own(|own| own.window = Some((view.client_width, view.client_height)));
            }
            if let Ok(tree) = set_up.await
                && let Some(inner) = page.upgrade()
            {
                let page = Page { inner };
                // A popup's first document is empty and without an address, until the one that was asked for commits.
                let unborn = matches!(tree.frame_tree.frame.url.as_str(), "" | ":")
                    && page.main_frame().loader().is_empty();
                page.learn_tree(&tree.frame_tree, &session, is_root);
                if is_root {
                    match unborn && !page.is_script_window() {
                        true => page.update(|state| state.unborn = true),
                        false => page.born(),
                    }
                }
            }
        });
    }

    /// Everything a new target needs before its first script runs, in one write.
    fn set_up(&self, session: &CdpSession) -> crate::cdp::PendingReply<wire::FrameTreeReply> {
        session.send(wire::Enable {}).ignore();
        let tree = session.send(wire::GetFrameTree {});
        session.send(wire::SetLifecycleEventsEnabled { enabled: true }).ignore();
        session.send(NetworkEnable::default()).ignore();
        self.context().guard_files(session);
        self.context().attend(session, Some(self), None);
        self.context().attend_console(session, Some(self), None, Beginning::Before);
        session.send(InspectorEnable {}).ignore();
        session.send(auto_attach()).ignore();
        let is_root = session.id() == self.inner.session.id();
        self.context().set_up_target(session, is_root);
        if is_root {
            if let Some(size) = self.opener().and_then(|opener| opener.inner.state.lock().opens_size) {
                self.open_as_large(size);
            }
            drop(self.equip());
        }
        self.own(|own| own.set_up(session));
        if self.is_in_front() {
            session.send(SetFocusEmulationEnabled { enabled: true }).ignore();
        }
        session.send(RunIfWaitingForDebugger {}).ignore();
        tree
    }

    /// Windows that this page opened with a script for an address: no document will ever commit in them.
    fn bear_script_windows(&self) {
        let is_waiting = |page: &Page| page.opener().as_ref() == Some(self) && page.inner.state.lock().unborn;
        for page in self.context().pages().into_iter().filter(is_waiting) {
            page.born();
        }
    }

    fn is_script_window(&self) -> bool {
        self.opener().is_some_and(|opener| opener.inner.state.lock().opens_script)
    }

    /// The page can be used. Told once.
    fn born(&self) {
        let first = self.update(|state| {
            state.unborn = false;
            !state.ready
        });
        if first {
            self.context().page_born(self);
            self.update(|state| state.ready = true);
            self.tell_dialog();
        }
    }

    /// Tells of the open dialog, once, as soon as anybody knows of the page.
    fn tell_dialog(&self) {
        let untold = self.update(|state| {
            let told = state.dialog_told;
            let dialog = state.dialog.clone().filter(|dialog| state.ready && dialog.number > told)?;
            state.dialog_told = dialog.number;
            Some(dialog)
        });
        if let Some(dialog) = untold {
            self.tell(&PageEvent::Dialog(dialog));
        }
    }

    fn learn_tree(&self, tree: &wire::FrameTree, session: &CdpSession, is_root: bool) {
        let frame = self.frame_or_new(&tree.frame.id, tree.frame.parent_id.as_deref(), session);
        // A document that has committed since is the newer one.
        if frame.loader().is_empty() {
            let complete = tree.frame.url == "about:blank" && is_root;
            frame.committed(&tree.frame, session, complete);
            self.serve_document(&frame);
        }
        for child in tree.child_frames.iter().flatten() {
            self.learn_tree(child, session, is_root);
        }
    }

    fn frame_or_new(&self, id: &str, parent: Option<&str>, session: &CdpSession) -> Frame {
        let mut state = self.inner.state.lock();
        if let Some(frame) = state.frames.get(id) {
            return frame.clone();
        }
        let parent = parent.and_then(|parent| state.frames.get(parent).cloned());
        let parent = parent.unwrap_or_else(|| self.inner.main_frame.clone());
        let number = state.next_frame;
        state.next_frame += 1;
        let frame = Frame::new(Arc::downgrade(&self.inner), id, number, Some(parent), session.clone());
        state.frames.insert(id.to_owned(), frame.clone());
        frame
    }

    fn hear(&self, event: &RawEvent, session: &CdpSession) {
        if event.method().starts_with("Network.") {
            self.hear_network(event, session);
        } else if let Some(told) = event.read::<wire::LifecycleEvent>() {
            if let Some(frame) = self.frame_by_id(&told.frame_id) {
                let current = frame.moment(&told.loader_id, &told.name);
                self.update(|_| ());
                if current && frame == *self.main_frame() {
                    match told.name.as_str() {
                        "DOMContentLoaded" => self.tell(&PageEvent::DomContentLoaded),
                        "load" => self.tell(&PageEvent::Load),
                        _ => {}
                    }
                }
            }
        } else if event.method().starts_with("Page.frame")
            || event.method() == wire::NavigatedWithinDocument::METHOD
        {
            self.hear_frames(event, session);
        } else if event.method().starts_with("Target.") {
            self.hear_targets(event);
        } else {
            self.hear_rest(event, session);
        }
    }

    fn hear_frames(&self, event: &RawEvent, session: &CdpSession) {
        if let Some(told) = event.read::<wire::FrameAttached>() {
            let frame = self.frame_or_new(&told.frame_id, Some(&told.parent_frame_id), session);
            frame.moved_to_process(session);
            self.tell(&PageEvent::FrameAttached(frame));
        } else if let Some(told) = event.read::<wire::FrameDetached>() {
            // "swap": the frame goes on in another process, and keeps its number.
            if told.reason != "swap" {
                self.detach_frame(&told.frame_id);
            }
        } else if let Some(told) = event.read::<wire::FrameNavigated>() {
            let frame = self.frame_or_new(&told.frame.id, told.frame.parent_id.as_deref(), session);
            let restored = told.kind == "BackForwardCacheRestore";
            self.detach_children(&frame);
            frame.committed(&told.frame, session, restored);
            self.context().note_origin(&told.frame.url);
            let main = frame == *self.main_frame();
            self.update(|state| {
                state.journal.committed(main);
                if main {
                    state.network.document_changed(&told.frame.loader_id);
                    state.dialogs_in_a_row = 0;
                    state.chooser = None;
                }
            });
            if main && self.inner.state.lock().unborn {
                self.born();
            }
            self.serve_document(&frame);
            self.tell(&PageEvent::FrameNavigated(frame));
        } else if let Some(told) = event.read::<wire::NavigatedWithinDocument>() {
            let main = told.frame_id == self.inner.target;
            if let Some(frame) = self.frame_by_id(&told.frame_id) {
                frame.moved_within(&told.url);
                self.update(|state| state.journal.moved_within(main));
                self.tell(&PageEvent::FrameNavigated(frame));
            }
        } else if let Some(told) = event.read::<wire::FrameStartedNavigating>() {
            // `sameDocument` and `historySameDocument` bring no other one.
            if !told.navigation_type.ends_with("ameDocument")
                && let Some(frame) = self.frame_by_id(&told.frame_id)
            {
                frame.leaves();
            }
            let main = told.frame_id == self.inner.target;
            self.update(|state| state.journal.navigation_begun(main));
        } else if let Some(told) = event.read::<wire::FrameRequestedNavigation>() {
            let main = told.frame_id == self.inner.target && told.disposition == "currentTab";
            self.update(|state| state.journal.navigation_begun(main));
        } else if let Some(told) = event.read::<wire::FrameStartedLoading>() {
            self.update(|state| state.journal.loading(&told.frame_id, true));
        } else if let Some(told) = event.read::<wire::FrameStoppedLoading>() {
            if let Some(frame) = self.frame_by_id(&told.frame_id) {
                frame.stopped_loading();
            }
            self.update(|state| state.journal.loading(&told.frame_id, false));
        }
    }

    fn hear_targets(&self, event: &RawEvent) {
        if let Some(told) = event.read::<AttachedToTarget>() {
            let Ok(browser) = self.context().browser() else { return };
            let session = browser.connection().session(&told.session_id);
            if told.target_info.kind == "iframe" {
                let frame = self.frame_or_new(&told.target_info.target_id, None, &session);
                frame.moved_to_process(&session);
                self.attend(session, false);
            } else {
                self.context().begin_worker(&session, &told.target_info, Some(self));
            }
        } else if let Some(told) = event.read::<DetachedFromTarget>() {
            // The frame itself goes on, here or elsewhere, until it is said to be detached.
            for frame in self.frames() {
                if frame.session().id() == told.session_id {
                    frame.forget_worlds();
                }
            }
            self.update(|_| ());
        }
    }

    fn hear_network(&self, event: &RawEvent, session: &CdpSession) {
        self.update(|state| {
            if let Some(told) = event.read::<net::RequestWillBeSent>() {
                state.journal.request_begun(&told);
                state.network.begun(told, session.id());
            } else if let Some(told) = event.read::<net::ResponseReceived>() {
                state.journal.request_answered(&told);
                state.network.answered(told);
            } else if let Some(told) = event.read::<net::LoadingFinished>() {
                state.journal.request_ended(&told.request_id);
                state.network.finished(&told);
            } else if let Some(told) = event.read::<net::LoadingFailed>() {
                state.journal.request_ended(&told.request_id);
                state.network.failed(&told);
            } else if let Some(told) = event.read::<net::RequestServedFromCache>() {
                state.network.served_from_cache(&told.request_id);
            } else if let Some(told) = event.read::<net::WebSocketCreated>() {
                state.journal.effect();
                state.network.socket_opened(&told);
            } else if let Some(told) = event.read::<net::WebSocketClosed>() {
                state.network.socket_closed(&told.request_id);
            }
        });
    }

    fn hear_rest(&self, event: &RawEvent, session: &CdpSession) {
        if let Some(told) = event.read::<wire::JavascriptDialogOpening>() {
            let dialog = Dialog {
                kind: told.kind,
                message: told.message,
                default_prompt: told.default_prompt.unwrap_or_default(),
                url: told.url,
                session: session.id().to_owned(),
                number: 0,
            };
            self.opened(dialog, session);
        } else if event.method() == wire::JavascriptDialogClosed::METHOD {
            self.update(|state| {
                state.dialog = None;
                state.journal.loading(DIALOG, false);
            });
            self.tell(&PageEvent::DialogClosed);
        } else if let Some(told) = event.read::<wire::FileChooserOpened>() {
            let frame = self.frame_by_id(&told.frame_id).unwrap_or_else(|| self.main_frame().clone());
            let chooser = FileChooser {
                frame,
                backend_node_id: told.backend_node_id,
                multiple: told.mode == "selectMultiple",
            };
            self.update(|state| {
                state.chooser = Some(chooser.clone());
                state.journal.effect();
            });
            self.tell(&PageEvent::FileChooser(chooser));
        } else if let Some(told) = event.read::<wire::WindowOpen>() {
            self.update(|state| {
                state.journal.window_opened();
                state.opens_script = told.url.starts_with("javascript:");
                state.opens_size = asked_size(&told.window_features);
            });
            if told.url.starts_with("javascript:") {
                self.bear_script_windows();
            }
        } else if event.method() == console::TargetCrashed::METHOD {
            if session.id() == self.inner.session.id() {
                self.update(|state| {
                    state.crashed = true;
                    state.dialog = None;
                });
                self.tell(&PageEvent::Crashed);
            } else {
                self.update(|state| state.journal.effect());
            }
        }
    }

    /// A dialog stands open until somebody answers, unless the answer was given before, or the document never stops.
    fn opened(&self, dialog: Dialog, session: &CdpSession) {
        let number = {
            let mut state = self.inner.state.lock();
            state.dialogs_ever += 1;
            state.dialogs_ever
        };
        let dialog = Dialog { number, ..dialog };
        let patient = self.context().answers_dialogs();
        let answer = self.update(|state| {
            state.journal.effect();
            state.dialogs_in_a_row += u32::from(!patient);
            let unasked = state.dialogs_in_a_row > MOST_DIALOGS || state.leavers > 0;
            let flood = unasked.then_some((dialog.kind == "beforeunload", None));
            let answer = flood.or_else(|| state.next_answer.take());
            state.dialog = answer.is_none().then_some(dialog);
            state.dialog_opened = Instant::now();
            let (accept, prompt_text) = answer?;
            let left = state.leavers > 0;
            // What the answer causes belongs to what opened the dialog.
            state.journal.loading(DIALOG, true);
            let read = if left { Duration::ZERO } else { self.reading_time(state) };
            Some((accept, prompt_text, read))
        });
        if let Some((accept, prompt_text, reading_time)) = answer {
            let session = session.clone();
            tokio::spawn(async move {
                sleep(reading_time).await;
                session.send(wire::HandleJavaScriptDialog { accept, prompt_text }).ignore();
            });
        } else {
            // Its renderer stands still, and would tell nothing else before the answer.
            if self.has_opener() && session.id() == self.inner.session.id() {
                self.born();
            }
            self.tell_dialog();
        }
    }

    /// How long the open dialog has to be looked at. Of several in a row a person reads only the first ones.
    fn reading_time(&self, state: &PageState) -> Duration {
        const READ: u32 = 3;
        if state.dialogs_in_a_row > READ { Duration::ZERO } else { self.inner.input.reading_time() }
    }

    /// The renderer is back: a navigation gave the page a new one.
    pub(super) fn revive(&self) {
        if self.is_crashed() {
            self.inner.session.revive();
            self.update(|state| state.crashed = false);
        }
    }

    fn detach_children(&self, parent: &Frame) {
        let children: Vec<_> = {
            let state = self.inner.state.lock();
            let children = state.frames.values().filter(|frame| frame.parent() == Some(parent));
            children.map(|frame| frame.id().to_owned()).collect()
        };
        for child in children {
            self.detach_frame(&child);
        }
    }

    fn detach_frame(&self, id: &str) {
        let Some(frame) = self.frame_by_id(id) else { return };
        self.detach_children(&frame);
        frame.detach();
        self.update(|state| {
            state.frames.remove(id);
            state.journal.loading(id, false);
        });
        self.tell(&PageEvent::FrameDetached(frame));
    }

    fn gone(&self) {
        for frame in self.frames() {
            frame.detach();
        }
        self.context().page_closed(self); // First: who waits for the end does not find the page among the open ones.
        self.update(|state| {
            state.closed = true;
            state.dialog = None;
            state.chooser = None;
        });
        self.context().traffic_of_page_ended(self);
        self.tell(&PageEvent::Closed);
    }
}

/// As long as it is held, no dialog keeps the page from being left.
pub(super) struct Leaving(WeakPage);

impl Drop for Leaving {
    fn drop(&mut self) {
        if let Some(page) = self.0.upgrade() {
            page.update(|state| state.leavers -= 1);
        }
    }
}

/// What hears a session on behalf of a page.
struct Ear {
    page: Weak<PageInner>,
    session: CdpSession,
    is_root: bool,
}

impl Observer for Ear {
    fn told(&self, event: RawEvent) {
        if let Some(inner) = self.page.upgrade() {
            Page { inner }.hear(&event, &self.session);
        }
    }

    fn ended(&self) {
        if self.is_root
            && let Some(inner) = self.page.upgrade()
        {
            Page { inner }.gone();
        }
    }
}

/// Frames of other processes and workers are attached to before they run.
fn auto_attach() -> SetAutoAttach {
    let exclude = |kind: &str| FilterEntry { exclude: true, kind: Some(kind.to_owned()) };
    SetAutoAttach {
        auto_attach: true,
        wait_for_debugger_on_start: true,
        flatten: true,
        filter: Some(vec![exclude("browser"), exclude("tab"), exclude("page"), FilterEntry::default()]),
    }
}
