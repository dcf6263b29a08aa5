//! The JavaScript engine (`QuickJS`) for programs: has limits, and no access to files, processes or network.
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use rquickjs::context::EvalOptions;
use rquickjs::{CaughtError, Context, Ctx, Function, Object, Runtime};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::mpsc::UnboundedSender;

const NAMES: &str = include_str!("names.js");
const MEMORY: usize = 64 << 20;
const STACK: usize = 512 << 10;
/// The stack size of the engine's thread in bytes. The engine limits scripts to [`STACK`].
pub(super) const THREAD_STACK: usize = 8 << 20;
const MOST_CALLS: u32 = 5_000;
const MOST_PLACES: usize = 5;
const OUT_OF_TIME: &str = "interrupted";

/// A call that the program makes to the server.
#[derive(Debug, Clone)]
pub(super) struct Request {
    pub(super) id: u32,
    pub(super) method: String,
    pub(super) arguments: Value,
}

/// An event that the server sends to a waiting program.
#[derive(Debug)]
pub(super) enum Event {
    Answer(u32, Value),
    Dialog(Value),
    /// The deadline has changed, because the program resumes after a dialog.
    Resumed,
}

/// The deadline of a program. It moves while the program waits at a dialog.
#[derive(Debug, Clone)]
pub(super) struct Deadline(Arc<Mutex<Instant>>);

impl Deadline {
    pub(super) fn after(limit: Duration) -> Self {
        Self(Arc::new(Mutex::new(Instant::now() + limit)))
    }

    pub(super) fn left(&self) -> Duration {
        self.0.lock().saturating_duration_since(Instant::now())
    }

    pub(super) fn set(&self, left: Duration) {
        *self.0.lock() = Instant::now() + left;
    }

    pub(super) fn is_over(&self) -> bool {
        self.left().is_zero()
    }
}

/// The output of a program. `all` and `kept` are numbers of characters; at most `room` are kept.
#[derive(Debug, Default)]
pub(super) struct ProgramOutput {
    pub(super) text: String,
    pub(super) all: usize,
    pub(super) kept: usize,
    pub(super) room: usize,
}

impl ProgramOutput {
    fn add(&mut self, line: &str) {
        let length = line.chars().count() + 1;
        let left = self.room.saturating_sub(self.kept);
        self.text.extend(line.chars().chain(['\n']).take(left));
        self.kept += length.min(left);
        self.all = self.all.saturating_add(length);
    }
}

/// A function that reads browser state, such as a URL, without waiting.
pub(super) type StateReader = Box<dyn Fn(&str, &Value) -> Result<Value, String> + Send>;

/// The program's end of the connection with the server.
pub(super) struct Link {
    pub(super) requests: UnboundedSender<Request>,
    pub(super) events: Receiver<Event>,
    pub(super) look: StateReader,
    pub(super) printed: Arc<Mutex<ProgramOutput>>,
    /// Whether the program was cancelled.
    pub(super) stopped: Arc<AtomicBool>,
    pub(super) deadline: Deadline,
}

/// An uncaught error that ended a program.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Failure {
    pub(super) message: String,
    stack: String,
    /// The id of the call that failed.
    pub(super) id: Option<u32>,
    /// Elements that resemble the selector, or match it if the selector is ambiguous.
    pub(super) near: Option<String>,
}

impl Failure {
    fn of(message: impl Into<String>, stack: String) -> Self {
        Self { message: message.into(), stack, ..Self::default() }
    }

    /// Returns the line of the program that failed, counted from 1, if known.
    pub(super) fn line(&self) -> Option<u32> {
        line_in(&self.stack)
    }
}

/// How a program ended.
#[derive(Debug)]
pub(super) enum Outcome {
    Value {
        value: Option<String>,
        not_awaited: Vec<String>,
    },
    Failed(Failure),
    /// The program reached its time limit. Contains the calls that were unfinished.
    TimedOut(Vec<String>),
}

fn line_in(stack: &str) -> Option<u32> {
    let (_, place) = stack.split_once("program.js:")?;
    let digits = place.find(|c: char| !c.is_ascii_digit()).unwrap_or(place.len());
    place[..digits].parse().ok()
}

/// Runs a program to its end.
pub(super) fn run(program: &str, link: Link) -> Outcome {
    let broken = |error: rquickjs::Error| Outcome::Failed(Failure::of(error.to_string(), String::new()));
    let runtime = match Runtime::new() {
        Ok(runtime) => runtime,
        Err(error) => return broken(error),
    };
    runtime.set_memory_limit(MEMORY);
    runtime.set_max_stack_size(STACK);
    let spent = Arc::new(AtomicBool::new(false));
    let ends = [Arc::clone(&link.stopped), Arc::clone(&spent)];
    let deadline = link.deadline.clone();
    runtime.set_interrupt_handler(Some(Box::new(move || {
        deadline.is_over() || ends.iter().any(|end| end.load(Ordering::Relaxed))
    })));
    let context = match Context::full(&runtime) {
        Ok(context) => context,
        Err(error) => return broken(error),
    };
    let outcome = context.with(|ctx| {
        let spent = Arc::clone(&spent);
        let machine =
            Machine { link, ctx: ctx.clone(), under_way: Rc::default(), ended: Rc::default(), spent };
        machine.run(program).unwrap_or_else(broken)
    });
    if spent.load(Ordering::Relaxed) {
        let stack = if let Outcome::Failed(failure) = outcome { failure.stack } else { String::new() };
        return Outcome::Failed(Failure::of(format!("a program makes at most {MOST_CALLS} calls"), stack));
    }
    outcome
}

struct Machine<'js> {
    link: Link,
    ctx: Ctx<'js>,
    under_way: Rc<Cell<u32>>,
    ended: Rc<RefCell<Option<String>>>,
    /// Whether the program exceeded [`MOST_CALLS`].
    spent: Arc<AtomicBool>,
}

impl<'js> Machine<'js> {
    fn run(mut self, program: &str) -> rquickjs::Result<Outcome> {
        let names = self.names()?;
        let program = match self.compiled(program) {
            Ok(program) => program,
            Err(failure) => return Ok(Outcome::Failed(failure)),
        };
        let (begin, answer, dialog, waiting): (Function, Function, Function, Function) =
            (names.get("begin")?, names.get("answer")?, names.get("dialog")?, names.get("waiting")?);
        if let Err(error) = begin.call::<_, rquickjs::Value>((program,)) {
            let failure = self.caught(error);
            if self.is_over() {
                return Ok(Outcome::TimedOut(failure.line().map(at_line).into_iter().collect()));
            }
            return Ok(Outcome::Failed(failure));
        }
        loop {
            while !self.is_over() && self.ctx.execute_pending_job() {}
            if let Some(ended) = self.ended.take() {
                return Ok(outcome(&ended, || self.waits(&waiting)));
            }
            let left = self.link.deadline.left();
            if self.is_over() {
                return Ok(Outcome::TimedOut(self.waits(&waiting)));
            }
            if self.under_way.get() == 0 {
                let message =
                    "the program waits for a promise that nothing settles, or ran out of memory (64 MB)";
                return Ok(Outcome::Failed(Failure::of(message, String::new())));
            }
            let delivered = match self.link.events.recv_timeout(left) {
                Ok(Event::Answer(id, value)) => {
                    self.under_way.set(self.under_way.get().saturating_sub(1));
                    answer.call::<_, ()>((id, value.to_string()))
                }
                Ok(Event::Dialog(value)) => dialog.call::<_, ()>((value.to_string(),)),
                Ok(Event::Resumed) | Err(RecvTimeoutError::Timeout) => Ok(()),
                Err(RecvTimeoutError::Disconnected) => {
                    return Ok(Outcome::TimedOut(self.waits(&waiting)));
                }
            };
            if let Err(error) = delivered {
                return Ok(Outcome::Failed(self.caught(error)));
            }
        }
    }

    fn is_over(&self) -> bool {
        let ends = [&self.link.stopped, &self.spent];
        self.link.deadline.is_over() || ends.into_iter().any(|end| end.load(Ordering::Relaxed))
    }

    /// Evaluates `names.js`, and returns the object with what a program can call.
    fn names(&mut self) -> rquickjs::Result<Object<'js>> {
        let options = named("names.js");
        let make: Function = self.ctx.eval_with_options(NAMES, options)?;
        let (requests, under_way, made) =
            (self.link.requests.clone(), Rc::clone(&self.under_way), Cell::new(0));
        let spent = Arc::clone(&self.spent);
        let send = move |ctx: Ctx<'js>, id: u32, method: String, arguments: String| {
            made.set(made.get() + 1);
            if made.get() > MOST_CALLS {
                spent.store(true, Ordering::Relaxed);
                return Err(rquickjs::Exception::throw_message(&ctx, OUT_OF_TIME));
            }
            under_way.set(under_way.get() + 1);
            let arguments = serde_json::from_str(&arguments).unwrap_or_default();
            let _ = requests.send(Request { id, method, arguments });
            Ok(())
        };
        let printed = Arc::clone(&self.link.printed);
        let print = move |text: String| printed.lock().add(&text);
        let ended = Rc::clone(&self.ended);
        let done = move |text: String| {
            ended.borrow_mut().get_or_insert(text);
        };
        let look = std::mem::replace(&mut self.link.look, Box::new(|_, _| Ok(Value::Null)));
        let look = move |what: String, arguments: String| {
            let arguments = serde_json::from_str(&arguments).unwrap_or_default();
            match look(&what, &arguments) {
                Ok(value) => json!({"value": value}).to_string(),
                Err(error) => json!({"error": error}).to_string(),
            }
        };
        let look = Function::new(self.ctx.clone(), look)?;
        let send = Function::new(self.ctx.clone(), send)?;
        let print = Function::new(self.ctx.clone(), print)?;
        let done = Function::new(self.ctx.clone(), done)?;
        make.call((send, look, print, done))
    }

    /// Compiles the program as an expression, or else as statements, to a function.
    fn compiled(&self, program: &str) -> Result<Function<'js>, Failure> {
        let expression = program.trim_end().trim_end_matches(';');
        let whole = format!("(async () => ({expression}\n))");
        if let Ok(function) = self.ctx.eval_with_options(whole, named("program.js")) {
            return Ok(function);
        }
        self.ctx.catch();
        let whole = format!("(async () => {{{program}\n}})");
        self.ctx.eval_with_options(whole, named("program.js")).map_err(|error| self.caught(error))
    }

    fn caught(&self, error: rquickjs::Error) -> Failure {
        match CaughtError::from_error(&self.ctx, error) {
            CaughtError::Exception(exception) => {
                let message = exception.message().unwrap_or_default();
                let name: Option<String> = exception.get("name").ok();
                let message = match name {
                    Some(name) if message != OUT_OF_TIME => format!("{name}: {message}"),
                    _ => message,
                };
                Failure::of(message, exception.stack().unwrap_or_default())
            }
            other => Failure::of(other.to_string(), String::new()),
        }
    }

    /// Describes the unfinished calls, each with its line.
    fn waits(&self, waiting: &Function<'js>) -> Vec<String> {
        // An interrupted engine may fail to run `waiting`; the list is then empty.
        places(&waiting.call::<_, String>(()).unwrap_or_default())
    }
}

/// Describes the unfinished calls that the JSON text `waiting` lists.
pub(super) fn places(waiting: &str) -> Vec<String> {
    let calls: Vec<Value> = serde_json::from_str(waiting).unwrap_or_default();
    let place = |call: &Value| {
        let method = call["method"].as_str().unwrap_or_default();
        match line_in(call["stack"].as_str().unwrap_or_default()) {
            Some(line) => format!("{method} in line {line}"),
            None => method.to_owned(),
        }
    };
    let mut places: Vec<_> = calls.iter().map(place).collect();
    places.dedup();
    places.truncate(MOST_PLACES);
    places
}

fn at_line(line: u32) -> String {
    format!("line {line}")
}

fn named(file: &str) -> EvalOptions {
    let mut options = EvalOptions::default();
    options.strict = false;
    options.filename = Some(file.to_owned());
    options
}

fn outcome(ended: &str, waits: impl FnOnce() -> Vec<String>) -> Outcome {
    let mut ended: Value = serde_json::from_str(ended).unwrap_or_default();
    match ended["error"].take() {
        Value::Null => {
            let value = ended["value"].as_str().map(str::to_owned);
            let not_awaited = waits().into_iter().filter(|wait| !wait.starts_with("sleep")).collect();
            Outcome::Value { value, not_awaited }
        }
        error => Outcome::Failed(serde_json::from_value(error).unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use tokio::sync::mpsc as channel;

    use super::*;

    /// Runs a program without answering its calls. Returns how it ended, and its output.
    fn ended(program: &str, limit: Duration) -> (Outcome, String) {
        let (requests, _asked) = channel::unbounded_channel();
        let (_sender, events) = mpsc::channel();
        let printed = Arc::new(Mutex::new(ProgramOutput { room: 100, ..ProgramOutput::default() }));
        let link = Link {
            requests,
            events,
            look: Box::new(|_, _| Ok(Value::Null)),
            printed: Arc::clone(&printed),
            stopped: Arc::default(),
            deadline: Deadline::after(limit),
        };
        let program = program.to_owned();
        let thread = std::thread::Builder::new().stack_size(THREAD_STACK);
        let outcome = thread.spawn(move || run(&program, link)).unwrap().join().unwrap();
        let text = printed.lock().text.clone();
        (outcome, text)
    }

    #[test]
    fn time_ends_what_runs_and_what_waits() {
        for endless in ["for (;;) {}", "/(a+)+b/.test('a'.repeat(60))", "await page.title()"] {
            let (outcome, _) = ended(endless, Duration::from_millis(300));
            assert!(
                matches!(&outcome, Outcome::TimedOut(places) if places.len() == 1),
                "{endless}: {outcome:?}"
            );
        }
    }

    #[test]
    fn memory_stack_and_calls_have_limits() {
        for (program, said) in [
            ("const all = []; for (;;) all.push('x'.repeat(1e6))", "memory"),
            ("const deep = () => deep() + 1; deep()", "stack"),
            ("for (;;) page.isVisible('a')", "5000 calls"),
            ("for (;;) page.isHidden('a')", "5000 calls"),
            ("for (;;) try { page.isVisible('a') } catch {}", "5000 calls"),
        ] {
            match ended(program, Duration::from_secs(60)) {
                (Outcome::Failed(failure), _) => assert!(failure.message.contains(said), "{failure:?}"),
                (other, _) => panic!("{program}: {other:?}"),
            }
        }
    }

    #[test]
    fn output_beyond_the_room_is_counted_only() {
        let (outcome, text) =
            ended("for (let i = 0; i < 50; i++) console.log('line', i)", Duration::from_secs(60));
        assert!(matches!(outcome, Outcome::Value { value: None, .. }), "{outcome:?}");
        assert_eq!(text.chars().count(), 100);
    }
}
