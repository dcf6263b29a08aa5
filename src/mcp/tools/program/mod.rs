//! The tool that runs JavaScript programs with Playwright's API (`browser_run`), inside the server.
mod act;
mod calls;
mod machine;
mod pages;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use futures_util::stream::{FuturesUnordered, StreamExt};
use parking_lot::Mutex;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::{mpsc as channel, oneshot};
use tokio::time::interval;

use self::calls::{Host, State};
use self::machine::{Deadline, Event, Failure, Link, Outcome, ProgramOutput, Request};
use super::{milliseconds, screenshot};
use crate::Result;
use crate::browser::Page;
use crate::error::Error;
use crate::mcp::budget::first_chars;
use crate::mcp::call::Call;
use crate::mcp::page_text;
use crate::mcp::reply::{PageDetail, Reply};
use crate::mcp::settings::ImageResponses;
use crate::mcp::tool::{StallPolicy, Tool, ToolEffect};

const DEFAULT_LIMIT: Duration = Duration::from_secs(60);
/// The maximum number of characters of output in an answer.
const MOST_SHOWN: usize = 20_000;
/// The maximum number of characters of output in a file.
const MOST_WRITTEN: usize = 20_000_000;
/// The interval between checks for open dialogs.
const DIALOG_PAUSE: Duration = Duration::from_millis(50);
/// How long a program may wait at a dialog.
const LONGEST_PAUSE: Duration = Duration::from_secs(600);
/// How long an interrupted program may take to end. Some engine functions cannot be interrupted.
const INTERRUPT_GRACE: Duration = Duration::from_secs(2);
/// The maximum number of calls of a program that are served at once.
const MOST_AT_ONCE: usize = 200;
/// The maximum number of programs that run at once in this process.
const MOST_PROGRAMS: usize = 16;

static PROGRAMS: AtomicUsize = AtomicUsize::new(0);

/// Run JavaScript with Playwright's API (page, expect; also `page.snapshot()`), for many steps or loops. Actions wait
/// for their effects. Returns its value and console log.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct RunProgram {
    /// Example: `await page.getByLabel("Name").fill("Ada"); return page.title()`. Refs: `page.locator("e12")`.
    #[schemars(length(min = 1))]
    pub code: String,
    /// In ms. Default: 60000.
    #[schemars(range(min = 100, max = 600_000))]
    pub timeout: Option<f64>,
}

impl Tool for RunProgram {
    const NAME: &'static str = "browser_run";
    const TITLE: &'static str = "Run a program";
    const EFFECT: ToolEffect = ToolEffect::Acts;
    const FILE: Option<&'static str> = Some("txt");
    const STALL_POLICY: StallPolicy = StallPolicy::KeepWaiting;
    const EXPLAINS_FAILURE: bool = true;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let page = call.acquire_or_open_page().await?;
        if call.kept.paused.lock().take().is_some() {
            call.add_event("The program that waited at a dialog was ended.");
        }
        let limit = self.timeout.map_or(DEFAULT_LIMIT, milliseconds);
        let program = Program::begin(call, page, self.code, limit)?;
        program.resume(call, reply).await
    }
}

/// Takes the session's program that waits at a dialog, if there is one.
pub(super) fn paused(call: &Call<'_>) -> Option<Box<Program>> {
    call.kept.paused.lock().take()?.downcast().ok()
}

/// A program that has started. Dropping it interrupts the program.
pub(super) struct Program {
    joint: ProgramConnection,
    state: State,
    deadline: Deadline,
    /// The remaining time of the program when it paused at a dialog; `None` while it runs.
    left: Option<Duration>,
    limit: Duration,
    printed: Arc<Mutex<ProgramOutput>>,
    /// The URL of the page when the program started.
    url: String,
    _stop: StopOnDrop,
}

/// The connection between a program and the server.
struct ProgramConnection {
    asked: channel::UnboundedReceiver<Request>,
    events: mpsc::Sender<Event>,
    ended: oneshot::Receiver<Outcome>,
    /// Calls that have not been answered yet, by call id.
    open: BTreeMap<u32, Request>,
}

enum ServeOutcome {
    /// The program has ended. `None` if it did not end although it was interrupted.
    Ended(Option<Outcome>),
    /// The program has paused at this dialog, which none of its listeners answered.
    Paused(Value),
}

impl Program {
    fn begin(call: &Call<'_>, page: Page, code: String, limit: Duration) -> Result<Self> {
        let alive = ProgramSlot::new()?;
        let (requests, asked) = channel::unbounded_channel();
        let (events, incoming) = mpsc::channel();
        let (end, ended) = oneshot::channel();
        let room = if call.has_output_file() { MOST_WRITTEN } else { MOST_SHOWN };
        let printed = Arc::new(Mutex::new(ProgramOutput { room, ..ProgramOutput::default() }));
        let stop = StopOnDrop(Arc::new(AtomicBool::new(false)));
        let (deadline, url) = (Deadline::after(limit), page.url());
        let state = State::new(call, page, code.clone());
        let pages = Arc::clone(&state.pages);
        let link = Link {
            requests,
            events: incoming,
            look: Box::new(move |what, arguments| pages.look(what, arguments)),
            printed: Arc::clone(&printed),
            stopped: Arc::clone(&stop.0),
            deadline: deadline.clone(),
        };
        let work = move || {
            let outcome = machine::run(&code, link);
            drop(alive);
            let _ = end.send(outcome);
        };
        let thread = thread::Builder::new().name("program".to_owned()).stack_size(machine::THREAD_STACK);
        thread.spawn(work).map_err(|error| refused(format!("the program could not be started: {error}")))?;
        let joint = ProgramConnection { asked, events, ended, open: BTreeMap::new() };
        Ok(Self { joint, state, deadline, left: None, limit, printed, url, _stop: stop })
    }

    /// Serves the program until it ends or pauses at a dialog, and reports the result.
    pub(super) async fn resume(mut self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        call.progress.set_message("running the program");
        if let Some(left) = self.left.take() {
            self.deadline.set(left);
            let _ = self.joint.events.send(Event::Resumed);
        }
        let host = Host::new(call, &self.state, &self.deadline);
        let outcome = match self.joint.serve(&host, &self.deadline).await {
            ServeOutcome::Ended(outcome) => outcome,
            ServeOutcome::Paused(at) => return self.pause(&at, call, reply),
        };
        for picture in self.state.take_pictures() {
            match call.settings.image_responses {
                ImageResponses::Omit => {}
                ImageResponses::File | ImageResponses::Inline => screenshot::include(picture, reply),
            }
        }
        if call.current_page().is_ok_and(|page| page.url() != self.url) {
            reply.show_at_least(PageDetail::Page);
        }
        self.report(outcome, call, reply)
    }

    /// Stores the program in the session until its dialog is answered.
    fn pause(mut self, at: &Value, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let (_, dialog) = self.state.dialog(at).ok_or(Error::NoDialog)?;
        self.left = Some(self.deadline.left());
        self.deadline.set(LONGEST_PAUSE);
        let places = machine::places(at["at"].as_str().unwrap_or_default());
        let place = if places.is_empty() { String::new() } else { format!(" ({})", places.join(", ")) };
        reply.say(format!(
            "The program waits at a dialog{place}. Answer it with browser_handle_dialog: the program goes on then, and \
             that answer has its result."
        ));
        let so_far = self.printed.lock().text.trim_end().to_owned();
        if !so_far.is_empty() {
            reply.say(page_text::fenced(first_chars(&so_far, MOST_SHOWN), "output so far"));
        }
        *call.kept.paused.lock() = Some(Box::new(self));
        Err(Error::DialogOpen { kind: dialog.kind, message: dialog.message })
    }

    fn report(&self, outcome: Option<Outcome>, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let printed = self.printed.lock();
        let mut text = printed.text.trim_end().to_owned();
        let (mut all, mut value_given, mut failure) = (printed.all, false, None);
        let mut notes = Vec::new();
        match outcome {
            Some(Outcome::Value { value, not_awaited }) => {
                if let Some(value) = value {
                    value_given = true;
                    all += value.chars().count();
                    let left = printed.room.saturating_sub(text.chars().count());
                    text.push_str(if text.is_empty() { "" } else { "\n" });
                    text.push_str(first_chars(&value, left));
                }
                if !not_awaited.is_empty() {
                    notes.push(format!(
                        "Not awaited, and ended with the program: {}.",
                        not_awaited.join(", ")
                    ));
                }
            }
            Some(Outcome::Failed(failed)) => failure = Some(self.explained(failed, &mut notes)),
            Some(Outcome::TimedOut(waits)) => failure = Some(self.timed_out(&waits)),
            None => failure = Some(self.timed_out(&["a function that cannot be interrupted".to_owned()])),
        }
        let (is_whole, is_empty) = (call.has_output_file(), text.is_empty() && !value_given);
        if !is_whole {
            text.truncate(first_chars(&text, MOST_SHOWN).len());
        }
        match is_empty {
            _ if is_whole => reply.say(text.as_str()),
            true if failure.is_none() => {
                reply.say("The program returned and logged nothing");
                reply.show_at_least(PageDetail::Changes);
            }
            true => {}
            false => reply.say(page_text::output(&text)),
        }
        if all > text.chars().count() + 1 {
            reply.say(format!("[cut: {all} characters in all; log less, or give filename]"));
        }
        for note in notes {
            reply.say(note);
        }
        failure.map_or(Ok(()), Err)
    }

    fn timed_out(&self, waits: &[String]) -> Error {
        let at =
            if waits.is_empty() { String::new() } else { format!(" It stood at: {}.", waits.join(", ")) };
        refused(format!(
            "the program did not end within {:?}.{at} Give a longer timeout, or do less",
            self.limit
        ))
    }

    /// Converts a failure to an error. Adds to `notes` the line that failed, and the page's elements that resemble the
    /// one it did not find.
    fn explained(&self, failed: Failure, notes: &mut Vec<String>) -> Error {
        let line = failed.line().map(|line| format!("line {line}")).unwrap_or_default();
        let failed_call = failed.id.and_then(|id| self.state.errors.lock().remove(&id));
        if let Some((what, _)) = &failed_call {
            let place =
                if line.is_empty() { "The program".to_owned() } else { format!("The program, {line},") };
            notes.push(format!("{place} failed at {what}."));
        }
        if let Some(near) = &failed.near {
            notes.push(page_text::fenced(near, "on the page"));
        }
        match failed_call {
            Some((_, error)) => error,
            None if line.is_empty() => refused(page_text::one_line(&failed.message)),
            None => refused(format!("{line}: {}", page_text::one_line(&failed.message))),
        }
    }
}

fn refused(message: String) -> Error {
    Error::Program { message }
}

impl ProgramConnection {
    /// Serves the program's calls until it ends or pauses at a dialog.
    async fn serve(&mut self, host: &Host<'_>, deadline: &Deadline) -> ServeOutcome {
        let answer = |request: Request| async move { (request.id, host.answer(&request).await) };
        let mut under_way: FuturesUnordered<_> = self.open.values().cloned().map(answer).collect();
        let mut looks = interval(DIALOG_PAUSE);
        let mut over = None;
        loop {
            tokio::select! {
                biased;
                outcome = &mut self.ended => return ServeOutcome::Ended(outcome.ok()),
                Some((id, value)) = under_way.next(), if !under_way.is_empty() => {
                    self.open.remove(&id);
                    drop(self.events.send(Event::Answer(id, value)));
                }
                Some(request) = self.asked.recv(), if under_way.len() < MOST_AT_ONCE => match request.method.as_str() {
                    "unanswered_dialog" => {
                        drop(self.events.send(Event::Answer(request.id, json!({ "value": null }))));
                        if host.is_open(&request.arguments) {
                            return ServeOutcome::Paused(request.arguments);
                        }
                    }
                    _ => {
                        self.open.insert(request.id, request.clone());
                        under_way.push(answer(request));
                    }
                },
                _ = looks.tick() => {
                    for dialog in host.new_dialogs() {
                        drop(self.events.send(Event::Dialog(dialog)));
                    }
                    if deadline.is_over() && over.get_or_insert_with(Instant::now).elapsed() > INTERRUPT_GRACE {
                        return ServeOutcome::Ended(None);
                    }
                }
            }
        }
    }
}

/// Counts a running program towards [`MOST_PROGRAMS`] until it is dropped.
struct ProgramSlot;

impl ProgramSlot {
    fn new() -> Result<Self> {
        if PROGRAMS.fetch_add(1, Ordering::Relaxed) >= MOST_PROGRAMS {
            PROGRAMS.fetch_sub(1, Ordering::Relaxed);
            return Err(refused(format!(
                "{MOST_PROGRAMS} programs run on this server already; try again later"
            )));
        }
        Ok(Self)
    }
}

impl Drop for ProgramSlot {
    fn drop(&mut self) {
        PROGRAMS.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Interrupts the program when dropped.
struct StopOnDrop(Arc<AtomicBool>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
