//! What pages and workers log, told as it happens to who listens: with the objects that were logged, and the errors that
//! nobody caught. Nothing of it is on while nobody listens.
//!
//! Who listens to messages alone is quiet: the console's domain stays on and tells that something was logged, as text. To
//! have the objects, `Runtime.enable` is on for a moment after: pages can notice that only by logging an error that they
//! watch, so what looks like an error is told as text and forgotten by the browser before the next look.
//!
//! Errors that nobody caught are told by `Runtime.enable` alone, which stays on while somebody listens to them.
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Weak};
use std::time::Duration;

use futures_util::future::join_all;
use parking_lot::Mutex;
use regex::Regex;
use tokio::time::sleep;

use crate::browser::context::{BrowserContext, ContextInner};
use crate::browser::events::ContextEvent;
use crate::browser::frame::Frame;
use crate::browser::handle::{JsHandle, Realm};
use crate::browser::page::{Page, WeakPage};
use crate::browser::traffic::is_icon_url;
use crate::browser::worker::Worker;
use crate::browser::world::thrown;
use crate::cdp::types::console::{Disable, Enable, EntryAdded, LogDisable, LogEnable, MessageAdded};
use crate::cdp::types::page::JavascriptDialogOpening;
use crate::cdp::types::runtime::{
    self as wire, CallFunctionOn, ConsoleApiCalled, DiscardConsoleEntries, ExceptionThrown, RemoteObject,
    RunIfWaitingForDebugger, StackTrace,
};
use crate::cdp::{CdpSession, Event, Observer, Permit, RawEvent};
use crate::error::Result;

/// What somebody wants to hear.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Hearing {
    /// What is logged.
    pub messages: bool,
    /// Errors that nobody caught. A page can notice that: it can watch how its errors are read.
    pub errors: bool,
}

impl Hearing {
    fn or(self, other: Self) -> Self {
        Self { messages: self.messages || other.messages, errors: self.errors || other.errors }
    }

    fn way(self) -> Way {
        match (self.messages, self.errors) {
            (_, true) => Way::Open,
            (true, false) => Way::Quiet,
            (false, false) => Way::Off,
        }
    }
}

/// How a session is heard.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Way {
    #[default]
    Off,
    /// With a look at what was logged.
    Quiet,
    /// With `Runtime.enable`.
    Open,
}

/// What of what the browser remembers is told when hearing begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::browser) enum Beginning {
    /// Nothing, and errors need not be remembered any more.
    Now,
    /// All of it: the target is new, or it is asked for once.
    Before,
}

/// What happens to the console of a context's pages and workers.
#[derive(Debug, Clone)]
pub enum ConsoleEvent {
    /// Something was said that is still looked at. What happens from here on came after it.
    Held(u64),
    /// It was this; 0 where nothing was held.
    Said(u64, Vec<Said>),
}

/// Something that a page or a worker said.
#[derive(Debug, Clone)]
pub struct Said {
    pub what: What,
    pub url: String,
    /// Counted from 0, as the column.
    pub line: i64,
    pub column: i64,
    /// In milliseconds since 1970; 0 where it is not known.
    pub timestamp: f64,
    pub page: Option<Page>,
    pub worker: Option<Worker>,
}

#[derive(Debug, Clone)]
pub enum What {
    /// By a method of the console, or by the browser itself.
    Logged { kind: String, text: String, arguments: Vec<JsHandle> },
    /// An error that nobody caught, with its stack where there is one.
    Uncaught { text: String },
}

/// How long a look may take. A page that spins is told of by text.
const LIMIT: Duration = Duration::from_millis(1_500);
/// The most messages that wait for a look.
const MOST: usize = 1_000;

const HEARD: [&str; 5] = [
    MessageAdded::METHOD,
    EntryAdded::METHOD,
    ConsoleApiCalled::METHOD,
    ExceptionThrown::METHOD,
    JavascriptDialogOpening::METHOD,
];

static LOOKS_LIKE_AN_ERROR: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?:Error|Exception)\b").expect("a constant"));

/// What hears the console of one session.
pub(in crate::browser) struct ConsoleEar {
    context: Weak<ContextInner>,
    session: CdpSession,
    page: Option<WeakPage>,
    worker: Option<Worker>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    way: Way,
    /// Counts the changes of way: replies to earlier ones mean nothing any more.
    turn: u64,
    phase: Phase,
    /// Whether the browser remembers something that looks like an error.
    is_tainted: bool,
    /// What was told as text and is not passed on yet.
    pending: Vec<Told>,
    /// What is looked at; 0 for nothing.
    batch: u64,
    /// What the look shows.
    shown: Vec<Shown>,
    /// What the look has come to, and how many of its objects are still to be read.
    said: Vec<Said>,
    unread: usize,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Phase {
    #[default]
    Idle,
    /// The browser tells what was logged before.
    Starting(Beginning),
    /// What was logged at once is being collected.
    Gathering,
    Looking,
    Reading,
}

#[derive(Debug)]
struct Told {
    level: String,
    text: String,
    url: String,
    line: i64,
    column: i64,
    timestamp: f64,
    /// Not by a script, but by the browser.
    is_of_browser: bool,
}

enum Shown {
    Called(ConsoleApiCalled),
    Thrown(Box<ExceptionThrown>),
}

impl Told {
    fn is_uncaught(&self) -> bool {
        self.text.starts_with("Uncaught") && self.level == "log" && !self.is_of_browser
    }

    fn is_suspicious(&self) -> bool {
        !self.is_of_browser && (self.is_uncaught() || LOOKS_LIKE_AN_ERROR.is_match(&self.text))
    }

    /// Whether this is what the look shows.
    fn is(&self, shown: &Shown) -> bool {
        match shown {
            Shown::Thrown(_) => self.is_uncaught(),
            Shown::Called(called) => !self.is_uncaught() && self.level == level_of(&called.kind),
        }
    }
}

/// The console's domain knows five levels only.
fn level_of(kind: &str) -> &str {
    match kind {
        "debug" | "count" | "timeEnd" => "debug",
        "error" | "assert" => "error",
        "warning" => "warning",
        "info" => "info",
        _ => "log",
    }
}

impl BrowserContext {
    /// Has what its pages and workers log told, or no more.
    pub fn hear_console(&self, hearing: Hearing) {
        self.console(|console| console.hearing = hearing);
        for page in self.pages() {
            page.update_console(Beginning::Now);
        }
        for worker in self.workers().iter().filter(|worker| worker.page().is_none()) {
            self.attend_console(worker.session(), None, Some(worker), Beginning::Now);
        }
    }

    /// Hears a session as far as somebody listens. Done before a new target runs.
    pub(in crate::browser) fn attend_console(
        &self,
        session: &CdpSession,
        page: Option<&Page>,
        worker: Option<&Worker>,
        beginning: Beginning,
    ) {
        let of_page = page.map(|page| page.own(|own| own.hearing)).unwrap_or_default();
        let (hearing, ear) = self.console(|console| {
            let known = console.ears.iter().find(|ear| ear.session.id() == session.id());
            (console.hearing.or(of_page), known.cloned())
        });
        let ear = match ear {
            Some(ear) => ear,
            None if hearing.way() == Way::Off => return,
            None => self.new_ear(session, page, worker),
        };
        ear.turn_to(hearing.way(), beginning);
    }

    fn new_ear(&self, session: &CdpSession, page: Option<&Page>, worker: Option<&Worker>) -> Arc<ConsoleEar> {
        let ear = Arc::new(ConsoleEar {
            context: self.downgrade(),
            session: session.clone(),
            page: page.map(Page::downgrade),
            worker: worker.cloned(),
            state: Mutex::default(),
        });
        self.console(|console| console.ears.push(ear.clone()));
        session.observe(&HEARD, Arc::new(Hears(ear.clone())));
        ear
    }
}

/// Who listens to a context's console, and what hears it.
#[derive(Default)]
pub(in crate::browser) struct Console {
    hearing: Hearing,
    ears: Vec<Arc<ConsoleEar>>,
}

impl Page {
    /// Has what this page and its workers log told, or no more.
    pub fn hear_console(&self, hearing: Hearing) {
        self.own(|own| own.hearing = hearing);
        self.update_console(Beginning::Now);
    }

    /// Tells once more what the browser still knows of what was logged. Nobody may be listening.
    pub async fn tell_console(&self, hearing: Hearing) -> Result<()> {
        let before = self.own(|own| std::mem::replace(&mut own.hearing, hearing));
        self.update_console(Beginning::Before);
        // Answered after all that was remembered has been told.
        let fence = |session: CdpSession| session.send(RunIfWaitingForDebugger {});
        let fences: Vec<_> = self.sessions().into_iter().map(fence).collect();
        let fenced = join_all(fences).await;
        self.hear_console(before);
        fenced.into_iter().collect::<Result<Vec<_>>>().map(drop)
    }

    /// Has the browser forget what was logged.
    pub fn forget_console(&self) {
        for session in self.sessions() {
            session.send(DiscardConsoleEntries {}).ignore();
        }
    }

    fn update_console(&self, beginning: Beginning) {
        for session in self.sessions() {
            self.context().attend_console(&session, Some(self), None, beginning);
        }
        for worker in self.context().workers().iter().filter(|worker| worker.page() == Some(self)) {
            self.context().attend_console(worker.session(), Some(self), Some(worker), beginning);
        }
    }
}

impl ConsoleEar {
    fn turn_to(self: &Arc<Self>, way: Way, beginning: Beginning) {
        let (was, turn) = {
            let mut state = self.state.lock();
            if state.way == way {
                return;
            }
            state.turn += 1;
            (std::mem::replace(&mut state.way, way), state.turn)
        };
        match was {
            Way::Off => self.session.send_permitted(LogEnable {}, Permit::ConsoleHeard).ignore(),
            Way::Quiet => self.session.send(Disable {}).ignore(),
            Way::Open => self.session.send(wire::Disable {}).ignore(),
        }
        if way == Way::Off {
            // What is looked at is told to its end.
            self.session.send(LogDisable {}).ignore();
            return;
        }
        self.give_up(None);
        self.state.lock().phase = Phase::Starting(beginning);
        let (ear, permit) = (self.clone(), Some(Permit::ConsoleHeard));
        match way {
            Way::Open => self.session.send_then(wire::Enable {}, permit, move |_| ear.started(turn)),
            _ => self.session.send_then(Enable {}, permit, move |_| ear.started(turn)),
        }
    }

    fn started(self: &Arc<Self>, turn: u64) {
        let forgets = {
            let mut state = self.state.lock();
            let Phase::Starting(beginning) = state.phase else { return };
            if state.turn != turn && state.way != Way::Off {
                return;
            }
            state.phase = Phase::Idle;
            std::mem::take(&mut state.is_tainted) && beginning == Beginning::Now
        };
        if forgets {
            self.session.send(DiscardConsoleEntries {}).ignore();
        }
        self.go_on();
    }

    fn hear(self: &Arc<Self>, event: &RawEvent) {
        if let Some(told) = event.read::<MessageAdded>() {
            let told = told.message;
            self.heard(Told {
                level: told.level,
                text: told.text,
                url: told.url.unwrap_or_default(),
                line: told.line.unwrap_or(1) - 1,
                column: told.column.unwrap_or(1) - 1,
                timestamp: 0.0,
                is_of_browser: false,
            });
        } else if let Some(told) = event.read::<EntryAdded>() {
            let entry = told.entry;
            // No page asked for the icon of its tab.
            let is_of_icon = entry.source == "network" && entry.url.as_deref().is_some_and(is_icon_url);
            if entry.source != "worker" && !is_of_icon {
                self.heard(Told {
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
            self.show(Shown::Called(called));
        } else if let Some(thrown) = event.read::<ExceptionThrown>() {
            self.show(Shown::Thrown(Box::new(thrown)));
        } else if event.method() == JavascriptDialogOpening::METHOD {
            // The page stands still until somebody answers, who must hear of it first.
            self.give_up(None);
        }
    }

    fn heard(self: &Arc<Self>, told: Told) {
        let mut state = self.state.lock();
        if state.phase == Phase::Starting(Beginning::Now) {
            state.is_tainted |= told.is_suspicious();
            return;
        }
        match state.way {
            Way::Open if told.is_of_browser => {
                drop(state);
                self.tell(ConsoleEvent::Said(0, vec![self.as_text(told)]));
            }
            Way::Quiet if state.pending.len() < MOST => {
                state.pending.push(told);
                drop(state);
                self.go_on();
            }
            _ => {}
        }
    }

    fn show(&self, shown: Shown) {
        let mut state = self.state.lock();
        if state.phase == Phase::Looking {
            if state.shown.len() >= MOST {
                state.shown.remove(0);
            }
            state.shown.push(shown);
        } else if state.way == Way::Open && state.phase != Phase::Starting(Beginning::Now) {
            drop(state);
            let said = match shown {
                Shown::Called(called) => self.called(called, true),
                Shown::Thrown(thrown) => self.uncaught(&thrown),
            };
            self.tell(ConsoleEvent::Said(0, vec![said]));
        }
    }

    /// Begins with what is pending, if nothing else is under way.
    fn go_on(self: &Arc<Self>) {
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
        self.tell(ConsoleEvent::Held(batch));
        let ear = self.clone();
        self.session.send_then(RunIfWaitingForDebugger {}, None, move |_| ear.gathered(batch));
        let ear = self.clone();
        tokio::spawn(async move {
            sleep(LIMIT).await;
            ear.give_up(Some(batch));
        });
    }

    /// All that was logged at once is known: is it safe to look at?
    fn gathered(self: &Arc<Self>, batch: u64) {
        let looks = {
            let mut state = self.state.lock();
            if state.batch != batch || state.phase != Phase::Gathering {
                return;
            }
            let suspicious = state.pending.iter().any(Told::is_suspicious);
            if suspicious && state.way != Way::Off {
                self.session.send(DiscardConsoleEntries {}).ignore();
            }
            let looks = !suspicious && !state.pending.iter().all(|told| told.is_of_browser);
            if looks {
                state.phase = Phase::Looking;
                state.shown.clear();
            }
            looks
        };
        if !looks {
            self.give_up(Some(batch));
            return;
        }
        self.session.send_permitted(wire::Enable {}, Permit::ConsoleHeard).ignore();
        let ear = self.clone();
        self.session.send_then(wire::Disable {}, None, move |_| ear.looked(batch));
    }

    /// The last of what was shown is what is pending. Objects are read once more: so the browser keeps them for us.
    fn looked(self: &Arc<Self>, batch: u64) {
        let objects = {
            let mut state = self.state.lock();
            if state.batch != batch || state.phase != Phase::Looking {
                return;
            }
            let (pending, mut shown) = (std::mem::take(&mut state.pending), std::mem::take(&mut state.shown));
            let of_scripts = pending.iter().filter(|told| !told.is_of_browser).count();
            let mut shown = shown.split_off(shown.len().saturating_sub(of_scripts));
            let missing = of_scripts - shown.len();
            let mut shown = shown.drain(..);
            let mut objects = Vec::new();
            let mut said = Vec::new();
            for (number, told) in pending.into_iter().enumerate() {
                let look = (!told.is_of_browser && number >= missing).then(|| shown.next()).flatten();
                match look.filter(|look| told.is(look)) {
                    Some(Shown::Called(called)) => {
                        for (place, object) in called.args.iter().enumerate() {
                            if let Some(id) = &object.object_id {
                                objects.push((said.len(), place, id.clone()));
                            }
                        }
                        said.push(self.called(called, false));
                    }
                    Some(Shown::Thrown(thrown)) => said.push(self.uncaught(&thrown)),
                    None => said.push(self.as_text(told)),
                }
            }
            state.said = said;
            state.phase = Phase::Reading;
            state.unread = objects.len();
            objects
        };
        for (number, place, object_id) in &objects {
            let read = CallFunctionOn {
                function_declaration: "function () { return this; }".to_owned(),
                object_id: Some(object_id.clone()),
                generate_preview: Some(true),
                ..CallFunctionOn::default()
            };
            let (ear, number, place) = (self.clone(), *number, *place);
            self.session.send_then(read, None, move |read| {
                ear.read(batch, number, place, read.ok().map(|read| read.result));
            });
        }
        if objects.is_empty() {
            self.finish(batch);
        }
    }

    fn read(self: &Arc<Self>, batch: u64, number: usize, place: usize, object: Option<RemoteObject>) {
        let is_last = {
            let mut state = self.state.lock();
            if state.batch != batch || state.phase != Phase::Reading {
                return;
            }
            state.unread -= 1;
            let logged = state.said.get_mut(number).map(|said| &mut said.what);
            if let (Some(object), Some(What::Logged { arguments, .. })) = (object, logged) {
                let realm = arguments[place].realm().clone();
                arguments[place] = realm.hold(object);
            }
            state.unread == 0
        };
        if is_last {
            self.finish(batch);
        }
    }

    fn finish(self: &Arc<Self>, batch: u64) {
        let mut said = {
            let mut state = self.state.lock();
            state.phase = Phase::Idle;
            state.batch = 0;
            std::mem::take(&mut state.said)
        };
        for said in &mut said {
            if let What::Logged { text, arguments, .. } = &mut said.what
                && !arguments.is_empty()
            {
                *text = words(arguments);
            }
        }
        self.tell(ConsoleEvent::Said(batch, said));
        self.go_on();
    }

    /// Tells as text what has not been looked at, if it is still that batch; and whatever it is without one.
    fn give_up(self: &Arc<Self>, batch: Option<u64>) {
        let (batch, said) = {
            let mut state = self.state.lock();
            if state.batch == 0 || batch.is_some_and(|batch| state.batch != batch) {
                return;
            }
            let mut said = std::mem::take(&mut state.said);
            said.extend(std::mem::take(&mut state.pending).into_iter().map(|told| self.as_text(told)));
            state.phase = Phase::Idle;
            state.shown.clear();
            (std::mem::take(&mut state.batch), said)
        };
        self.tell(ConsoleEvent::Said(batch, said));
        self.go_on();
    }

    fn tell(&self, event: ConsoleEvent) {
        if let Some(inner) = self.context.upgrade() {
            BrowserContext::from_inner(inner).tell_event(&ContextEvent::Console(event));
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

    /// The frame that the session is for.
    fn frame(&self, page: &Page) -> Frame {
        let own = page.frames().into_iter().find(|frame| frame.session().id() == self.session.id());
        own.unwrap_or_else(|| page.main_frame().clone())
    }

    fn said(&self, what: What, place: (String, i64, i64), timestamp: f64) -> Said {
        let (url, line, column) = place;
        Said { what, url, line, column, timestamp, page: self.page(), worker: self.worker.clone() }
    }

    fn as_text(&self, told: Told) -> Said {
        let what = if told.is_uncaught() {
            What::Uncaught { text: told.text }
        } else {
            let words = RemoteObject {
                kind: "string".to_owned(),
                value: Some(told.text.as_str().into()),
                ..RemoteObject::default()
            };
            let argument = (!told.is_of_browser).then(|| self.realm(0).hold(words));
            What::Logged { kind: told.level, text: told.text, arguments: argument.into_iter().collect() }
        };
        self.said(what, (told.url, told.line, told.column), told.timestamp)
    }

    /// `is_whole`: with the objects themselves, which otherwise are on loan until they are read.
    fn called(&self, called: ConsoleApiCalled, is_whole: bool) -> Said {
        let place = place(called.stack_trace.as_ref()).unwrap_or_default();
        let realm = self.realm(called.execution_context_id);
        let hold = |object: RemoteObject| {
            let object_id = object.object_id.clone().filter(|_| is_whole);
            realm.hold(RemoteObject { object_id, ..object })
        };
        let arguments: Vec<_> = called.args.into_iter().map(hold).collect();
        let what = What::Logged { kind: called.kind, text: words(&arguments), arguments };
        self.said(what, place, called.timestamp)
    }

    fn uncaught(&self, told: &ExceptionThrown) -> Said {
        let details = &told.exception_details;
        let own = (details.url.clone().unwrap_or_default(), details.line_number, details.column_number);
        let place = place(details.stack_trace.as_ref()).unwrap_or(own);
        let plain = details.exception.as_ref().filter(|thrown| thrown.description.is_none()).map(preview);
        let text = plain.unwrap_or_else(|| thrown(details));
        self.said(What::Uncaught { text }, place, told.timestamp)
    }
}

fn place(stack: Option<&StackTrace>) -> Option<(String, i64, i64)> {
    let frame = stack?.call_frames.first()?;
    Some((frame.url.clone(), frame.line_number, frame.column_number))
}

fn words(arguments: &[JsHandle]) -> String {
    arguments.iter().map(|argument| preview(argument.object())).collect::<Vec<_>>().join(" ")
}

/// What was logged, in a few words.
pub(in crate::browser) fn preview(object: &RemoteObject) -> String {
    if let Some(special) = &object.unserializable_value {
        return special.clone();
    }
    match (object.kind.as_str(), object.subtype.as_deref(), &object.value) {
        ("undefined", ..) => return "undefined".to_owned(),
        (_, Some("null"), _) => return "null".to_owned(),
        (_, Some("node"), _) => return "JSHandle@node".to_owned(),
        (_, _, Some(serde_json::Value::String(text))) => return text.clone(),
        (_, _, Some(value)) => return value.to_string(),
        _ => {}
    }
    let description = object.description.clone().unwrap_or_default();
    let Some(preview) = &object.preview else { return description };
    let value = |value: &Option<String>| value.clone().unwrap_or_default();
    if object.subtype.as_deref() == Some("array") {
        let mut items = Vec::new();
        let mut next = 0;
        for item in &preview.properties {
            let Ok(place) = item.name.parse::<usize>() else { continue };
            match place.saturating_sub(next) {
                0 => {}
                1 => items.push("empty".to_owned()),
                gap => items.push(format!("empty x {gap}")),
            }
            items.push(value(&item.value));
            next = place + 1;
        }
        return format!("[{}]", items.join(", "));
    }
    if description != "Object" {
        return description;
    }
    let entries = preview.properties.iter().map(|entry| format!("{}: {}", entry.name, value(&entry.value)));
    format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
}

/// What the connection tells an ear.
struct Hears(Arc<ConsoleEar>);

impl Observer for Hears {
    fn told(&self, event: RawEvent) {
        self.0.hear(&event);
    }

    fn ended(&self) {
        self.0.give_up(None);
        if let Some(inner) = self.0.context.upgrade() {
            let context = BrowserContext::from_inner(inner);
            context.console(|console| console.ears.retain(|ear| !Arc::ptr_eq(ear, &self.0)));
        }
    }
}
