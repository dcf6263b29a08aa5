//! What a slow call is doing, for a client that asked for progress.
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::{Instant, MissedTickBehavior, interval_at};

use crate::mcp::questions::{Question, Questions};

/// How long a call may take before its progress is reported, and how often after that.
pub const EVERY: Duration = Duration::from_secs(1);

/// The current step of one call. Tools write it, the server sends it.
#[derive(Debug)]
pub struct Progress {
    started: Instant,
    step: Mutex<Step>,
    /// What the client calls itself.
    caller: Option<String>,
    /// Where the call stands in a trace, as W3C's `traceparent`.
    trace: Mutex<Option<String>>,
    waits_for_person: AtomicBool,
    /// What it can ask meanwhile.
    pub questions: Questions,
}

/// What a call is doing at this moment.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Step {
    pub message: Option<String>,
    /// How much is done, of how much.
    pub part: Option<(f64, f64)>,
}

impl Default for Progress {
    fn default() -> Self {
        let (step, trace, questions) = (Mutex::default(), Mutex::default(), Questions::default());
        let waits_for_person = AtomicBool::new(false);
        Self { started: Instant::now(), step, caller: None, trace, waits_for_person, questions }
    }
}

impl Progress {
    /// Of a client that can be asked; the questions come out of the other end.
    pub fn asking(patience: Option<Duration>) -> (Self, UnboundedReceiver<Question>) {
        let (questions, asked) = Questions::channel();
        (Self { questions: questions.of_person(patience), ..Self::default() }, asked)
    }

    /// Of a client whose folders can be asked for, but no person.
    pub fn asking_folders() -> (Self, UnboundedReceiver<Question>) {
        let (questions, asked) = Questions::channel();
        (Self { questions, ..Self::default() }, asked)
    }

    /// Of a client that calls itself so.
    #[must_use]
    pub fn of(self, caller: Option<String>) -> Self {
        Self { caller, ..self }
    }

    /// Within this trace.
    #[must_use]
    pub fn within(self, trace: Option<String>) -> Self {
        Self { trace: Mutex::new(trace), ..self }
    }

    /// Where the call stands in a trace, as W3C's `traceparent`.
    pub fn trace(&self) -> Option<String> {
        self.trace.lock().clone()
    }

    /// From now on it stands there.
    #[cfg(feature = "otlp")]
    pub(super) fn move_within(&self, trace: String) {
        *self.trace.lock() = Some(trace);
    }

    /// What the client calls itself.
    pub fn caller(&self) -> Option<&str> {
        self.caller.as_deref()
    }

    /// Whether the call waits for a person, as far as it has reported.
    pub fn waits_for_person(&self) -> bool {
        self.waits_for_person.load(Ordering::Relaxed)
    }

    /// Says that the call waits for a person, or no longer does.
    pub fn wait_for_person(&self, waits: bool) {
        self.waits_for_person.store(waits, Ordering::Relaxed);
    }

    /// Says what the call is doing now.
    pub fn say(&self, message: impl Into<String>) {
        *self.step.lock() = Step { message: Some(message.into()), part: None };
    }

    /// Says how far the call has come.
    pub fn count(&self, message: impl Into<String>, done: f64, of: f64) {
        *self.step.lock() = Step { message: Some(message.into()), part: Some((done, of)) };
    }

    /// What the call is doing now.
    pub fn step(&self) -> Step {
        self.step.lock().clone()
    }

    /// Seconds since the call began: the measure of progress where nothing can be counted, because it only grows.
    pub fn seconds(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }

    /// Hands the current step to `send` once a second, but a count only when it is another than before: progress has to grow.
    /// Never ends.
    pub async fn tell<F: Future<Output = ()>>(&self, send: impl Fn(f64, Step) -> F) {
        let mut ticks = interval_at(self.started + EVERY, EVERY);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut counted = None;
        loop {
            ticks.tick().await;
            let step = self.step();
            if step.part.is_none() || step.part != counted {
                counted = step.part;
                send(self.seconds(), step).await;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::sleep;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_count_is_reported_when_it_has_grown() {
        let progress = Progress::default();
        let lines = Mutex::new(Vec::new());
        let telling = progress.tell(|_, step| {
            lines.lock().push(step.part.map(|(done, _)| done));
            std::future::ready(())
        });
        let working = async {
            progress.say("working");
            sleep(EVERY * 5 / 2).await;
            progress.count("waiting", 1.0, 9.0);
            sleep(EVERY * 3).await;
            progress.count("waiting", 2.0, 9.0);
            sleep(EVERY * 2).await;
        };
        tokio::select! { () = telling => {}, () = working => {} }
        assert_eq!(*lines.lock(), [None, None, Some(1.0), Some(2.0)]);
    }
}
