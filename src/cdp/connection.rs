use std::collections::HashMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::sync::{mpsc, watch};

use super::envelope::Envelope;
use super::events::{Events, Listener, Message, Observer, ObserverEntry};
use super::protocol_log::ProtocolLog;
use super::session::CdpSession;
use super::transport::{Transport, TransportReader, TransportWriter};
use super::types::browser::GetVersion;
use crate::error::{Error, Result};
use crate::json::decode;
use crate::sync::{AtomicBool, AtomicU64, Mutex, spawn};

/// The default time limit of a command.
pub(super) const COMMAND_LIMIT: Duration = Duration::from_secs(30);

/// One connection to one browser. Cheap to clone; the last clone's drop closes it.
#[derive(Debug, Clone)]
pub struct Connection {
    shared: Arc<Shared>,
}

/// A reference to a connection that does not keep it open.
#[derive(Debug, Clone)]
pub struct WeakConnection(Weak<Shared>);

impl WeakConnection {
    /// Returns the connection, unless all of its clones were dropped.
    pub fn upgrade(&self) -> Option<Connection> {
        self.0.upgrade().map(|shared| Connection { shared })
    }
}

#[derive(Debug)]
pub(super) struct Shared {
    next_id: AtomicU64,
    outbox: mpsc::UnboundedSender<Vec<u8>>,
    state: Mutex<State>,
    gone: watch::Sender<Option<Error>>,
    /// The number of received messages, by which [`Connection::is_alive`] detects activity.
    received: AtomicU64,
    log: Option<Arc<ProtocolLog>>,
}

#[derive(Debug, Default)]
struct State {
    pending: HashMap<u64, Pending>,
    sessions: HashMap<Arc<str>, Arc<SessionState>>,
}

struct Pending {
    session: Arc<str>,
    /// Whether the target can answer this command only while its main thread is free.
    needs_script: bool,
    then: ReplyHandler,
}

/// A callback that the reader task calls with a command's reply, in order with events. It must not block.
pub(super) type ReplyHandler = Box<dyn FnOnce(Result<Message>) + Send>;

impl std::fmt::Debug for Pending {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Pending").field("session", &self.session).finish_non_exhaustive()
    }
}

/// The state of one session: an attachment to a target, or to the browser itself.
#[derive(Default)]
pub(super) struct SessionState {
    /// The session through which this session was attached, and with which it ends. `None` for the browser's
    /// own session.
    parent: Option<Arc<str>>,
    pub(super) closed: AtomicBool,
    pub(super) crashed: AtomicBool,
    /// The number of replies to commands that need the target's main thread.
    pub(super) answers: AtomicU64,
    listeners: Mutex<Vec<Listener>>,
    observers: Mutex<Vec<ObserverEntry>>,
    event_sinks: Mutex<Vec<EventSink>>,
}

/// A callback that the reader task calls with every event of a session: name and parameters as raw JSON.
pub type EventSink = Arc<dyn Fn(&str, &[u8]) + Send + Sync>;

impl std::fmt::Debug for SessionState {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("SessionState").field("parent", &self.parent).finish_non_exhaustive()
    }
}

impl Connection {
    /// Starts the reader and the writer. Must be called inside a tokio runtime.
    pub fn start(transport: impl Transport) -> Self {
        let (incoming, outgoing) = transport.split();
        let (outbox, inbox) = mpsc::unbounded_channel();
        let log = ProtocolLog::open().map(Arc::new);
        let shared = Arc::new(Shared {
            next_id: AtomicU64::new(1),
            outbox,
            state: Mutex::default(),
            gone: watch::Sender::new(None),
            received: AtomicU64::new(0),
            log: log.clone(),
        });
        shared.state.lock().sessions.insert(Arc::from(""), Arc::default());
        let mut gone = shared.gone.subscribe();
        let reader = Reader(Arc::downgrade(&shared));
        spawn(async move {
            tokio::select! {
                ended = reader.read(incoming) => reader.close(ended),
                _ = gone.wait_for(Option::is_some) => {}
            }
        });
        let gone = shared.gone.subscribe();
        spawn(write(outgoing, inbox, gone, Arc::downgrade(&shared), log));
        Self { shared }
    }

    /// Returns whether any message arrives from the browser within `limit`. A busy browser may still send events.
    ///
    /// The wait is split into eight: if this process is suspended, which stops the reader too, only one part is lost.
    pub async fn is_alive(&self, limit: Duration) -> bool {
        const PARTS: u32 = 8;
        let received = || self.shared.received.load(Ordering::Relaxed);
        let before = received();
        for _ in 0..PARTS {
            let answer = self.root().call_within(GetVersion {}, limit / PARTS).await;
            if !matches!(answer, Err(Error::NoAnswer { .. })) || received() > before {
                return true;
            }
        }
        false
    }

    /// Returns a reference that does not keep the connection open.
    pub fn downgrade(&self) -> WeakConnection {
        WeakConnection(Arc::downgrade(&self.shared))
    }

    /// Returns the session of the browser itself.
    pub fn root(&self) -> CdpSession {
        self.session("")
    }

    /// Returns the session with this id. If it has ended or never existed, every call on it fails at once.
    pub fn session(&self, id: &str) -> CdpSession {
        let known = self
            .shared
            .state
            .lock()
            .sessions
            .get_key_value(id)
            .map(|(id, state)| (id.clone(), state.clone()));
        let (id, state) = known.unwrap_or_else(|| {
            let state = SessionState::default();
            state.closed.store(true, Ordering::Release);
            (Arc::from(id), Arc::new(state))
        });
        CdpSession::new(self.shared.clone(), id, state)
    }

    /// Returns how many commands are waiting for their reply.
    pub fn pending(&self) -> usize {
        self.shared.state.lock().pending.len()
    }

    /// Returns why the connection ended; `None` while it is open.
    pub fn close_reason(&self) -> Option<Error> {
        self.shared.gone.borrow().clone()
    }

    /// Waits until the connection ends, and returns the reason.
    pub async fn wait_for_end(&self) -> Error {
        let mut gone = self.shared.gone.subscribe();
        let ended = gone.wait_for(Option::is_some).await;
        ended.ok().and_then(|reason| reason.clone()).unwrap_or_else(gone_by_itself)
    }

    /// Closes the connection: all pending commands fail with `reason`.
    pub fn close(&self, reason: &str) {
        self.shared.close(&Error::BrowserGone { reason: reason.to_owned() });
    }
}

impl Shared {
    /// Sends a command and returns its id. `then` gets the reply; an error returns `then` to the caller.
    ///
    /// `announced_as` is the method name that errors contain.
    pub(super) fn post<P: Serialize + ?Sized>(
        &self,
        session: &Arc<str>,
        state: &SessionState,
        (method, announced_as): (&str, &'static str),
        parameters: &P,
        then: ReplyHandler,
    ) -> std::result::Result<u64, (Error, ReplyHandler)> {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        // The method name is escaped as a JSON string, so it cannot smuggle in a method that the policy forbids.
        let text = match serde_json::to_vec(&Outbound { id, session_id: session, method, params: parameters })
        {
            Ok(text) => text,
            Err(error) => {
                return Err((Error::Unreadable { method: announced_as, reason: error.to_string() }, then));
            }
        };
        {
            let mut shared = self.state.lock();
            // Checked under the lock: an ending session sets its flag before it fails pending commands.
            if let Some(error) = self.gone.borrow().clone() {
                return Err((error, then));
            }
            if state.closed.load(Ordering::Acquire) {
                return Err((state.why_ended(), then));
            }
            if state.crashed.load(Ordering::Acquire) {
                return Err((Error::PageCrashed, then));
            }
            let needs_script = method.starts_with("Runtime.") && method != "Runtime.terminateExecution";
            shared.pending.insert(id, Pending { session: session.clone(), needs_script, then });
        }
        // If the command is no longer pending, its handler was called already.
        if self.outbox.send(text).is_err()
            && let Some(pending) = self.state.lock().pending.remove(&id)
        {
            let error = self.gone.borrow().clone().unwrap_or_else(gone_by_itself);
            return Err((error, pending.then));
        }
        Ok(id)
    }

    pub(super) fn forget(&self, id: u64) {
        self.state.lock().pending.remove(&id);
    }

    pub(super) fn listen(state: &SessionState, methods: &[&'static str]) -> Events {
        let (listener, events) = Listener::new(methods);
        let mut listeners = state.listeners.lock();
        // Checked under the lock under which `end` sets the flag, so that no listener outlives its session.
        if !state.closed.load(Ordering::Acquire) {
            listeners.retain(Listener::is_needed);
            listeners.push(listener);
        }
        events
    }

    pub(super) fn observe(state: &SessionState, methods: &[&'static str], observer: Arc<dyn Observer>) {
        let observing = ObserverEntry::new(methods, observer);
        let mut observers = state.observers.lock();
        if !state.closed.load(Ordering::Acquire) {
            observers.push(observing);
            return;
        }
        drop(observers);
        observing.end();
    }

    pub(super) fn forward_events(state: &SessionState, overhearer: EventSink) {
        state.event_sinks.lock().push(overhearer);
    }

    fn close(&self, reason: &Error) {
        let first = self.gone.send_if_modified(|gone| {
            let first = gone.is_none();
            gone.get_or_insert_with(|| reason.clone());
            first
        });
        if !first {
            return;
        }
        let (pending, sessions) = {
            let mut state = self.state.lock();
            (std::mem::take(&mut state.pending), std::mem::take(&mut state.sessions))
        };
        for session in sessions.values() {
            session.end();
        }
        for waiting in pending.into_values() {
            (waiting.then)(Err(reason.clone()));
        }
    }

    fn receive(&self, bytes: Vec<u8>) {
        self.received.fetch_add(1, Ordering::Relaxed);
        if let Some(log) = &self.log {
            log.received(&bytes);
        }
        let Some(envelope) = Envelope::read(&bytes) else {
            tracing::debug!(bytes = bytes.len(), "a message from the browser cannot be read");
            return;
        };
        if let Some(id) = envelope.id {
            let Some(waiting) = self.answered(id) else { return };
            let answer = match (envelope.error, envelope.result) {
                (Some(error), _) => Err(Refusal::read(&bytes[error]).into_error()),
                (None, Some(result)) => Ok(Message::new(bytes, result)),
                (None, None) => Ok(Message::new(b"{}".to_vec(), 0..2)),
            };
            (waiting.then)(answer);
            return;
        }
        let (Some(method), Some(range)) = (envelope.method, envelope.params) else { return };
        let parameters = &bytes[range.clone()];
        let session = envelope.session_id.unwrap_or_default();
        let Some((session, state)) = self.known(&session) else { return };
        let (mut ended, mut crashed) = (None, Vec::new());
        match &*method {
            "Target.attachedToTarget" => self.attach(&session, parameters),
            "Target.detachedFromTarget" => ended = session_named_in(parameters),
            "Inspector.targetCrashed" => {
                state.crashed.store(true, Ordering::Release);
                // Taken before observers are notified: they may revive the target and send commands that must not fail.
                crashed = self.take_pending(std::slice::from_ref(&session));
            }
            "Inspector.targetReloadedAfterCrash" => state.crashed.store(false, Ordering::Release),
            _ => {}
        }
        let event_sinks = state.event_sinks.lock().clone();
        for overhearer in event_sinks {
            overhearer(&method, parameters);
        }
        if state.wants(&method) {
            let method = method.into_owned();
            let message = Message::new(bytes, range);
            // Called without the lock: an observer may send commands or subscribe to more events.
            let observers = state.observers.lock().clone();
            for observer in observers {
                observer.emit(&method, &message);
            }
            state.listeners.lock().retain(|listener| listener.offer(&method, &message));
        }
        // Last: when a caller sees its command fail, the observers already know of the crash.
        fail(crashed, &Error::PageCrashed);
        if let Some(ended) = ended {
            self.detach(ended);
        }
    }

    /// Removes and returns the pending command with this id, and counts replies that need the main thread.
    fn answered(&self, id: u64) -> Option<Pending> {
        let mut state = self.state.lock();
        let waiting = state.pending.remove(&id)?;
        if waiting.needs_script
            && let Some(session) = state.sessions.get(&waiting.session)
        {
            session.answers.fetch_add(1, Ordering::Relaxed);
        }
        Some(waiting)
    }

    fn known(&self, session: &str) -> Option<(Arc<str>, Arc<SessionState>)> {
        self.state.lock().sessions.get_key_value(session).map(|(id, state)| (id.clone(), state.clone()))
    }

    /// Registers a session as soon as the browser reports it, so that its end cannot be missed.
    fn attach(&self, parent: &Arc<str>, parameters: &[u8]) {
        let Some(id) = session_named_in(parameters) else { return };
        let mut state = self.state.lock();
        if self.gone.borrow().is_none() {
            let new = || Arc::new(SessionState { parent: Some(parent.clone()), ..SessionState::default() });
            state.sessions.entry(id).or_insert_with(new);
        }
    }

    /// Ends a session and its child sessions, whose ends the browser may not report.
    fn detach(&self, id: Arc<str>) {
        let mut ended = vec![id];
        let mut states = Vec::new();
        {
            let mut state = self.state.lock();
            let mut next = 0;
            while let Some(id) = ended.get(next).cloned() {
                states.extend(state.sessions.remove(&id));
                let children =
                    state.sessions.iter().filter(|(_, session)| session.parent.as_ref() == Some(&id));
                ended.extend(children.map(|(id, _)| id.clone()));
                next += 1;
            }
        }
        let why = states.first().map_or(Error::PageClosed, |first| first.why_ended());
        for session in states {
            session.end();
        }
        fail(self.take_pending(&ended), &why);
    }

    /// Removes and returns the pending commands of these sessions.
    fn take_pending(&self, sessions: &[Arc<str>]) -> Vec<Pending> {
        let mut state = self.state.lock();
        state
            .pending
            .extract_if(|_, pending| sessions.contains(&pending.session))
            .map(|(_, waiting)| waiting)
            .collect()
    }
}

fn fail(pending: Vec<Pending>, error: &Error) {
    for waiting in pending {
        (waiting.then)(Err(error.clone()));
    }
}

impl SessionState {
    /// Returns the error for commands of this session after its end. A session attached through a page's session is a
    /// part of that page: a frame in another process, or a worker.
    fn why_ended(&self) -> Error {
        match self.parent.as_deref() {
            Some(parent) if !parent.is_empty() => Error::FrameDetached,
            _ => Error::PageClosed,
        }
    }

    fn end(&self) {
        let observers = {
            // Set under both locks, so that no observer or listener is added after this.
            let mut observers = self.observers.lock();
            let mut listeners = self.listeners.lock();
            self.closed.store(true, Ordering::Release);
            listeners.clear();
            self.event_sinks.lock().clear();
            std::mem::take(&mut *observers)
        };
        for observer in observers {
            observer.end();
        }
    }

    fn wants(&self, method: &str) -> bool {
        self.listeners.lock().iter().any(|listener| listener.wants(method))
            || self.observers.lock().iter().any(|observer| observer.wants(method))
    }
}

/// Reads messages from the transport. When dropped, even by a panic, it fails all pending commands.
struct Reader(Weak<Shared>);

impl Reader {
    async fn read(&self, mut incoming: impl TransportReader) -> String {
        loop {
            match incoming.next().await {
                Ok(Some(bytes)) => match self.0.upgrade() {
                    Some(shared) => shared.receive(bytes),
                    None => return "nobody needs it any more".to_owned(),
                },
                Ok(None) => return "it closed the connection".to_owned(),
                Err(error) => return format!("the connection to it broke ({error})"),
            }
        }
    }

    fn close(&self, reason: String) {
        if let Some(shared) = self.0.upgrade() {
            shared.close(&Error::BrowserGone { reason });
        }
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.close("its reader stopped".to_owned());
    }
}

/// Writes queued messages until the connection ends. Messages queued before the end are still sent, unless the peer has
/// stopped reading.
async fn write(
    mut outgoing: impl TransportWriter,
    mut inbox: mpsc::UnboundedReceiver<Vec<u8>>,
    mut gone: watch::Receiver<Option<Error>>,
    shared: Weak<Shared>,
    log: Option<Arc<ProtocolLog>>,
) {
    const AT_ONCE: usize = 64;
    let mut messages = Vec::with_capacity(AT_ONCE);
    loop {
        let received = tokio::select! {
            biased;
            received = inbox.recv_many(&mut messages, AT_ONCE) => received,
            _ = gone.wait_for(Option::is_some) => return,
        };
        if received == 0 {
            return;
        }
        if let Some(log) = &log {
            for message in &messages {
                log.sent(message);
            }
        }
        let sent = tokio::select! {
            biased;
            sent = outgoing.send(&messages) => sent,
            _ = gone.wait_for(Option::is_some) => return,
        };
        messages.clear();
        if let Err(error) = sent {
            if let Some(shared) = shared.upgrade() {
                shared.close(&Error::BrowserGone { reason: format!("writing to it failed ({error})") });
            }
            return;
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Outbound<'a, P: ?Sized> {
    id: u64,
    #[serde(skip_serializing_if = "str::is_empty")]
    session_id: &'a str,
    method: &'a str,
    params: &'a P,
}

/// The error code for commands that Firefox does not support. The error's `message` names the command, its
/// `data` an alternative.
pub(crate) const NOT_IN_FIREFOX: i64 = -31_001;

#[derive(Deserialize, Default)]
#[serde(default)]
struct Refusal {
    code: i64,
    message: String,
    data: Option<serde_json::Value>,
}

impl Refusal {
    /// Parses an error reply. If it cannot be parsed, returns an error without a message.
    fn read(error: &[u8]) -> Self {
        decode(error).unwrap_or_default()
    }

    /// Converts the error: to a variant of its own if Chromium's message means that a document, frame or page is
    /// gone, else to a general protocol error, whose `method` is left empty for the caller.
    fn into_error(self) -> Error {
        const REPLACED: [&str; 5] = [
            "Inspected target navigated or closed",
            "Cannot find context with specified id",
            "Execution context was destroyed",
            "Cannot find default execution context",
            "uniqueContextId not found",
        ];
        if REPLACED.iter().any(|text| self.message.starts_with(text)) {
            return Error::DocumentGone;
        }
        if self.message.starts_with("No frame with given id found") {
            return Error::FrameDetached;
        }
        if self.message.starts_with("Session with given id not found") {
            return Error::PageClosed;
        }
        let data = self.data.and_then(|data| data.as_str().map(str::to_owned));
        if self.code == NOT_IN_FIREFOX {
            return Error::NotInFirefox { what: self.message, instead: data.unwrap_or_default() };
        }
        let data = data.map(|data| format!(": {data}")).unwrap_or_default();
        Error::Protocol { method: "", message: self.message + &data }
    }
}

fn session_named_in(parameters: &[u8]) -> Option<Arc<str>> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Named<'a> {
        #[serde(borrow)]
        session_id: std::borrow::Cow<'a, str>,
    }
    let named: Named = serde_json::from_slice(parameters).ok()?;
    // An empty id means the browser's own session, which exists as long as the connection.
    (!named.session_id.is_empty()).then(|| Arc::from(named.session_id))
}

fn gone_by_itself() -> Error {
    Error::BrowserGone { reason: "it ended".to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listeners_that_were_dropped_are_not_kept() {
        let forget = || {
            let state = SessionState::default();
            let kept = Shared::listen(&state, &["Page.windowOpen"]);
            for _ in 0..100 {
                drop(Shared::listen(&state, &["Page.windowOpen"]));
            }
            assert!(state.listeners.lock().len() <= 2);
            drop(kept);
        };
        shuttle::check_random(forget, 1);
    }
}
