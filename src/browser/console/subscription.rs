//! Live console events with logged objects and uncaught errors. Nothing is enabled without a subscriber.
//!
//! For messages, the `Console` domain stays enabled and reports text, which pages cannot detect. To fetch
//! logged objects, `Runtime` is enabled briefly. Pages could detect that only by logging an error with
//! observed properties, so messages that look like errors are reported as text and cleared before a fetch.
//!
//! Uncaught errors require `Runtime.enable`, which stays on while somebody subscribes to them.
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::sleep;

use super::entry::{ConsoleEntry, ConsoleEvent, EntryKind, RuntimeMessage, TextMessage};
use crate::browser::objects::context::{BrowserContext, ContextInner};
use crate::browser::objects::frame::Frame;
use crate::browser::objects::page::{Page, WeakPage};
use crate::browser::objects::worker::Worker;
use crate::browser::objects::world::thrown;
use crate::browser::scripts::handle::{JsHandle, Realm};
use crate::browser::scripts::value::preview;
use crate::browser::traffic::observer::is_icon_url;
use crate::cdp::types::console::{Disable, Enable, EntryAdded, LogDisable, LogEnable, MessageAdded};
use crate::cdp::types::page::JavascriptDialogOpening;
use crate::cdp::types::runtime::{
    self as wire, CallFunctionOn, ConsoleApiCalled, DiscardConsoleEntries, ExceptionThrown, RemoteObject,
    RunIfWaitingForDebugger, StackTrace,
};
use crate::cdp::{CdpSession, DetectableCommandReason, Event, Observer, RawEvent};

/// The time limit for fetching logged objects. If it passes, the messages are reported as text.
const LIMIT: Duration = Duration::from_millis(1_500);
/// The maximum number of messages that are held back while handles of their arguments are fetched.
const MOST: usize = 1_000;

pub(super) const EVENTS: [&str; 5] = [
    MessageAdded::METHOD,
    EntryAdded::METHOD,
    ConsoleApiCalled::METHOD,
    ExceptionThrown::METHOD,
    JavascriptDialogOpening::METHOD,
];

/// The CDP domain through which a session's console is read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Mode {
    #[default]
    Off,
    /// The `Console` domain. `Runtime` is enabled only for moments, to fetch logged objects.
    ConsoleDomain,
    /// The `Runtime` domain.
    RuntimeDomain,
}

/// Which of the browser's stored messages are reported when reading begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Replay {
    /// None. If one of them looks like an error, the browser's stored messages are cleared.
    Nothing,
    /// All, because the target is new or a replay was requested.
    All,
}

/// Reads the console of one CDP session while it has subscribers.
pub(super) struct ConsoleSubscription {
    pub(super) context: Weak<ContextInner>,
    pub(super) session: CdpSession,
    pub(super) page: Option<WeakPage>,
    pub(super) worker: Option<Worker>,
    pub(super) state: Mutex<State>,
}

#[derive(Default)]
pub(super) struct State {
    mode: Mode,
    /// A counter of mode changes, to ignore late replies that belong to an earlier mode.
    generation: u64,
    phase: Phase,
    /// Whether the browser stores a message that looks like an error.
    remembers_error: bool,
    /// Text messages that were not reported yet.
    pending: Vec<TextMessage>,
    /// The number of the batch whose objects are being fetched; 0 if there is none.
    batch: u64,
    /// The messages of the batch with their objects, as `Runtime` reported them.
    inspected: Vec<RuntimeMessage>,
    /// The entries of the batch, complete except for objects that are still being read.
    entries: Vec<ConsoleEntry>,
    /// The number of logged objects in the batch that are still being read.
    left_to_read: usize,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Phase {
    #[default]
    Idle,
    /// The browser is reporting its stored messages.
    Starting(Replay),
    /// Messages that were logged together are being collected.
    Gathering,
    Inspecting,
    Reading,
}

impl ConsoleSubscription {
    pub(super) fn set_mode(self: &Arc<Self>, mode: Mode, replay: Replay) {
        let (was, generation) = {
            let mut state = self.state.lock();
            if state.mode == mode {
                return;
            }
            state.generation += 1;
            (std::mem::replace(&mut state.mode, mode), state.generation)
        };
        if mode != Mode::Off {
            self.emit_as_text(None);
            // Set this before enabling, because stored messages arrive before the reply.
            self.state.lock().phase = Phase::Starting(replay);
        }
        match was {
            Mode::Off => self
                .session
                .send_detectable(LogEnable {}, DetectableCommandReason::ConsoleSubscribed)
                .ignore(),
            Mode::ConsoleDomain => self.session.send(Disable {}).ignore(),
            Mode::RuntimeDomain => self.session.send(wire::Disable {}).ignore(),
        }
        if mode == Mode::Off {
            // A running fetch continues and still reports its entries.
            self.session.send(LogDisable {}).ignore();
            return;
        }
        let (subscription, permit) = (self.clone(), Some(DetectableCommandReason::ConsoleSubscribed));
        match mode {
            Mode::RuntimeDomain => {
                self.session.send_then(wire::Enable {}, permit, move |_| subscription.on_enabled(generation))
            }
            _ => self.session.send_then(Enable {}, permit, move |_| subscription.on_enabled(generation)),
        }
    }

    fn on_enabled(self: &Arc<Self>, generation: u64) {
        let forgets = {
            let mut state = self.state.lock();
            let Phase::Starting(replay) = state.phase else { return };
            if state.generation != generation && state.mode != Mode::Off {
                return;
            }
            state.phase = Phase::Idle;
            std::mem::take(&mut state.remembers_error) && replay == Replay::Nothing
        };
        if forgets {
            self.session.send(DiscardConsoleEntries {}).ignore();
        }
        self.inspect_pending();
    }

    fn on_event(self: &Arc<Self>, event: &RawEvent) {
        if let Some(event) = event.read::<MessageAdded>() {
            let event = event.message;
            self.on_reported(TextMessage {
                level: event.level,
                text: event.text,
                url: event.url.unwrap_or_default(),
                line: event.line.unwrap_or(1) - 1,
                column: event.column.unwrap_or(1) - 1,
                ..TextMessage::default()
            });
        } else if let Some(event) = event.read::<EntryAdded>() {
            let entry = event.entry;
            // The browser itself requests tab icons, so their errors are not the page's.
            let is_of_icon = entry.source == "network" && entry.url.as_deref().is_some_and(is_icon_url);
            if entry.source != "worker" && !is_of_icon {
                self.on_reported(TextMessage {
                    level: if entry.level == "verbose" { "debug".to_owned() } else { entry.level },
                    text: entry.text,
                    url: entry.url.unwrap_or_default(),
                    line: entry.line_number.unwrap_or(0),
                    column: 0,
                    timestamp: entry.timestamp,
                    is_of_browser: true,
                });
            }
        } else if let Some(called) = event.read::<ConsoleApiCalled>() {
            self.on_inspected(RuntimeMessage::Called(called));
        } else if let Some(thrown) = event.read::<ExceptionThrown>() {
            self.on_inspected(RuntimeMessage::Thrown(Box::new(thrown)));
        } else if event.method() == JavascriptDialogOpening::METHOD {
            // A dialog blocks the page: objects cannot be fetched until it is answered.
            self.emit_as_text(None);
        }
    }

    fn on_reported(self: &Arc<Self>, event: TextMessage) {
        let mut state = self.state.lock();
        if state.phase == Phase::Starting(Replay::Nothing) {
            state.remembers_error |= event.is_suspicious();
            return;
        }
        match state.mode {
            Mode::RuntimeDomain if event.is_of_browser => {
                drop(state);
                self.emit(ConsoleEvent::Entries(0, vec![self.entry_from_text(event)]));
            }
            Mode::ConsoleDomain if state.pending.len() < MOST => {
                state.pending.push(event);
                drop(state);
                self.inspect_pending();
            }
            _ => {}
        }
    }

    fn on_inspected(&self, inspected: RuntimeMessage) {
        let mut state = self.state.lock();
        if state.phase == Phase::Inspecting {
            if state.inspected.len() >= MOST {
                state.inspected.remove(0);
            }
            state.inspected.push(inspected);
        } else if state.mode == Mode::RuntimeDomain && state.phase != Phase::Starting(Replay::Nothing) {
            drop(state);
            let entry = match inspected {
                RuntimeMessage::Called(called) => self.entry_from_call(called, true),
                RuntimeMessage::Thrown(thrown) => self.entry_from_exception(&thrown),
            };
            self.emit(ConsoleEvent::Entries(0, vec![entry]));
        }
    }

    /// Starts to fetch the objects of pending messages, unless a fetch is running.
    fn inspect_pending(self: &Arc<Self>) {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let batch = {
            let mut state = self.state.lock();
            if state.phase != Phase::Idle || state.pending.is_empty() {
                return;
            }
            state.phase = Phase::Gathering;
            state.batch = NEXT.fetch_add(1, Ordering::Relaxed);
            state.batch
        };
        self.emit(ConsoleEvent::Held(batch));
        let subscription = self.clone();
        self.session
            .send_then(RunIfWaitingForDebugger {}, None, move |_| subscription.on_batch_reported(batch));
        let subscription = self.clone();
        tokio::spawn(async move {
            sleep(LIMIT).await;
            subscription.emit_as_text(Some(batch));
        });
    }

    /// Handles a complete batch: fetches its objects, or reports text if the page could detect the fetch.
    fn on_batch_reported(self: &Arc<Self>, batch: u64) {
        let looks = {
            let mut state = self.state.lock();
            if state.batch != batch || state.phase != Phase::Gathering {
                return;
            }
            let suspicious = state.pending.iter().any(TextMessage::is_suspicious);
            if suspicious && state.mode != Mode::Off {
                self.session.send(DiscardConsoleEntries {}).ignore();
            }
            let looks = !suspicious && !state.pending.iter().all(|item| item.is_of_browser);
            if looks {
                state.phase = Phase::Inspecting;
                state.inspected.clear();
            }
            looks
        };
        if !looks {
            self.emit_as_text(Some(batch));
            return;
        }
        self.session.send_detectable(wire::Enable {}, DetectableCommandReason::ConsoleSubscribed).ignore();
        let subscription = self.clone();
        self.session.send_then(wire::Disable {}, None, move |_| subscription.on_inspection_done(batch));
    }

    /// Handles the end of a fetch. The newest fetched messages are the pending ones. Reads their objects a
    /// second time, because the browser would otherwise release them.
    fn on_inspection_done(self: &Arc<Self>, batch: u64) {
        let objects = {
            let mut state = self.state.lock();
            if state.batch != batch || state.phase != Phase::Inspecting {
                return;
            }
            let (pending, mut inspected) =
                (std::mem::take(&mut state.pending), std::mem::take(&mut state.inspected));
            let of_scripts = pending.iter().filter(|item| !item.is_of_browser).count();
            let mut inspected = inspected.split_off(inspected.len().saturating_sub(of_scripts));
            let missing = of_scripts - inspected.len();
            let mut inspected = inspected.drain(..);
            let mut objects = Vec::new();
            let mut entries = Vec::new();
            for (number, item) in pending.into_iter().enumerate() {
                let look = (!item.is_of_browser && number >= missing).then(|| inspected.next()).flatten();
                match look.filter(|look| item.is(look)) {
                    Some(RuntimeMessage::Called(called)) => {
                        for (place, object) in called.args.iter().enumerate() {
                            if let Some(id) = &object.object_id {
                                objects.push((entries.len(), place, id.clone()));
                            }
                        }
                        entries.push(self.entry_from_call(called, false));
                    }
                    Some(RuntimeMessage::Thrown(thrown)) => entries.push(self.entry_from_exception(&thrown)),
                    None => entries.push(self.entry_from_text(item)),
                }
            }
            state.entries = entries;
            state.phase = Phase::Reading;
            state.left_to_read = objects.len();
            objects
        };
        for (number, place, object_id) in &objects {
            let read = CallFunctionOn {
                function_declaration: "function () { return this; }".to_owned(),
                object_id: Some(object_id.clone()),
                generate_preview: Some(true),
                ..CallFunctionOn::default()
            };
            let (subscription, number, place) = (self.clone(), *number, *place);
            self.session.send_then(read, None, move |read| {
                subscription.on_object_read(batch, number, place, read.ok().map(|read| read.result));
            });
        }
        if objects.is_empty() {
            self.emit_entries(batch);
        }
    }

    fn on_object_read(
        self: &Arc<Self>,
        batch: u64,
        number: usize,
        place: usize,
        object: Option<RemoteObject>,
    ) {
        let is_last = {
            let mut state = self.state.lock();
            if state.batch != batch || state.phase != Phase::Reading {
                return;
            }
            state.left_to_read -= 1;
            let logged = state.entries.get_mut(number).map(|entry| &mut entry.kind);
            if let (Some(object), Some(EntryKind::Logged { arguments, .. })) = (object, logged) {
                let realm = arguments[place].realm().clone();
                arguments[place] = realm.hold(object);
            }
            state.left_to_read == 0
        };
        if is_last {
            self.emit_entries(batch);
        }
    }

    fn emit_entries(self: &Arc<Self>, batch: u64) {
        let mut entries = {
            let mut state = self.state.lock();
            state.phase = Phase::Idle;
            state.batch = 0;
            std::mem::take(&mut state.entries)
        };
        for entry in &mut entries {
            if let EntryKind::Logged { text, arguments, .. } = &mut entry.kind
                && !arguments.is_empty()
            {
                *text = text_of(arguments);
            }
        }
        self.emit(ConsoleEvent::Entries(batch, entries));
        self.inspect_pending();
    }

    /// Reports pending messages as text if `batch` is the current batch. `None` stands for any batch.
    fn emit_as_text(self: &Arc<Self>, batch: Option<u64>) {
        let (batch, entries) = {
            let mut state = self.state.lock();
            if state.batch == 0 || batch.is_some_and(|batch| state.batch != batch) {
                return;
            }
            let mut entries = std::mem::take(&mut state.entries);
            entries.extend(
                std::mem::take(&mut state.pending).into_iter().map(|item| self.entry_from_text(item)),
            );
            state.phase = Phase::Idle;
            state.inspected.clear();
            (std::mem::take(&mut state.batch), entries)
        };
        self.emit(ConsoleEvent::Entries(batch, entries));
        self.inspect_pending();
    }

    fn emit(&self, event: ConsoleEvent) {
        if let Some(inner) = self.context.upgrade() {
            let context = BrowserContext::from_inner(inner);
            context.with_console(|console| console.listeners.clone()).emit(&event);
        }
    }

    fn page(&self) -> Option<Page> {
        self.page.as_ref().and_then(WeakPage::upgrade)
    }

    fn realm(&self, context: i64) -> Realm {
        if self.worker.is_some() {
            return Realm::of_worker(self.session.clone());
        }
        let frame = self.page().map(|page| self.frame(&page));
        Realm::numbered(self.session.clone(), Some(context), frame)
    }

    /// Returns the first frame of this session, otherwise the page's main frame.
    fn frame(&self, page: &Page) -> Frame {
        let own = page.frames().into_iter().find(|frame| frame.session().id() == self.session.id());
        own.unwrap_or_else(|| page.main_frame().clone())
    }

    fn entry(&self, kind: EntryKind, place: (String, i64, i64), timestamp: f64) -> ConsoleEntry {
        let (url, line, column) = place;
        ConsoleEntry { kind, url, line, column, timestamp, page: self.page(), worker: self.worker.clone() }
    }

    fn entry_from_text(&self, event: TextMessage) -> ConsoleEntry {
        let kind = if event.is_uncaught() {
            EntryKind::Uncaught { text: event.text }
        } else {
            let words = RemoteObject {
                kind: "string".to_owned(),
                value: Some(event.text.as_str().into()),
                ..RemoteObject::default()
            };
            let argument = (!event.is_of_browser).then(|| self.realm(0).hold(words));
            EntryKind::Logged {
                kind: event.level,
                text: event.text,
                arguments: argument.into_iter().collect(),
            }
        };
        self.entry(kind, (event.url, event.line, event.column), event.timestamp)
    }

    /// Creates an entry. With `is_whole`, keeps the valid object ids; otherwise `on_object_read` adds them.
    fn entry_from_call(&self, called: ConsoleApiCalled, is_whole: bool) -> ConsoleEntry {
        let place = place(called.stack_trace.as_ref()).unwrap_or_default();
        let realm = self.realm(called.execution_context_id);
        let hold = |object: RemoteObject| {
            let object_id = object.object_id.clone().filter(|_| is_whole);
            realm.hold(RemoteObject { object_id, ..object })
        };
        let arguments: Vec<_> = called.args.into_iter().map(hold).collect();
        let kind = EntryKind::Logged { kind: called.kind, text: text_of(&arguments), arguments };
        self.entry(kind, place, called.timestamp)
    }

    fn entry_from_exception(&self, event: &ExceptionThrown) -> ConsoleEntry {
        let details = &event.exception_details;
        let own = (details.url.clone().unwrap_or_default(), details.line_number, details.column_number);
        let place = place(details.stack_trace.as_ref()).unwrap_or(own);
        let plain = details.exception.as_ref().filter(|thrown| thrown.description.is_none()).map(preview);
        let text = plain.unwrap_or_else(|| thrown(details));
        self.entry(EntryKind::Uncaught { text }, place, event.timestamp)
    }
}

fn place(stack: Option<&StackTrace>) -> Option<(String, i64, i64)> {
    let frame = stack?.call_frames.first()?;
    Some((frame.url.clone(), frame.line_number, frame.column_number))
}

fn text_of(arguments: &[JsHandle]) -> String {
    arguments.iter().map(|argument| preview(argument.object())).collect::<Vec<_>>().join(" ")
}

/// Passes the CDP events of a session to its subscription.
pub(super) struct SubscriptionObserver(pub(super) Arc<ConsoleSubscription>);

impl Observer for SubscriptionObserver {
    fn on_event(&self, event: RawEvent) {
        self.0.on_event(&event);
    }

    fn ended(&self) {
        self.0.emit_as_text(None);
        if let Some(inner) = self.0.context.upgrade() {
            let context = BrowserContext::from_inner(inner);
            context.with_console(|console| {
                console.subscriptions.retain(|subscription| !Arc::ptr_eq(subscription, &self.0))
            });
        }
    }
}
