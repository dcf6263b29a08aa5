//! MCP progress notifications of slow calls.
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::{Instant, MissedTickBehavior, interval_at};
use url::Url;

use crate::mcp::questions::{QuestionToClient, QuestionsToClient};

/// How long a call runs before its first progress notification, and the interval after that.
pub const INTERVAL: Duration = Duration::from_secs(1);

/// The progress of a call. Tools set the current step, and the server sends it to the client.
#[derive(Debug)]
pub struct Progress {
    started: Instant,
    step: Mutex<ProgressStep>,
    /// The client's name.
    caller: Option<String>,
    /// The call's trace context, as a W3C `traceparent`.
    trace: Mutex<Option<String>>,
    /// The origin of the page that the call works on, for the audit log.
    origin: Mutex<Option<String>>,
    waits_for_person: AtomicBool,
    /// Questions to the client.
    pub questions: QuestionsToClient,
}

/// The current step of a call.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ProgressStep {
    pub message: Option<String>,
    /// The finished part and the total, if the step can be counted.
    pub part: Option<(f64, f64)>,
}

impl Default for Progress {
    fn default() -> Self {
        let (step, trace, questions) = (Mutex::default(), Mutex::default(), QuestionsToClient::default());
        let waits_for_person = AtomicBool::new(false);
        let origin = Mutex::default();
        Self { started: Instant::now(), step, caller: None, trace, origin, waits_for_person, questions }
    }
}

impl Progress {
    /// Creates progress for a client that can ask its person. Also returns the receiver of the questions.
    pub fn with_elicitation(patience: Option<Duration>) -> (Self, UnboundedReceiver<QuestionToClient>) {
        let (questions, asked) = QuestionsToClient::channel();
        (Self { questions: questions.with_person(patience), ..Self::default() }, asked)
    }

    /// Creates progress for a client that can list its folders, but cannot ask its person.
    pub fn with_client_roots() -> (Self, UnboundedReceiver<QuestionToClient>) {
        let (questions, asked) = QuestionsToClient::channel();
        (Self { questions, ..Self::default() }, asked)
    }

    /// Sets the client's name.
    #[must_use]
    pub fn with_client_name(self, caller: Option<String>) -> Self {
        Self { caller, ..self }
    }

    /// Sets the trace context.
    #[must_use]
    pub fn with_traceparent(self, trace: Option<String>) -> Self {
        Self { trace: Mutex::new(trace), ..self }
    }

    /// Returns the call's trace context, as a W3C `traceparent`.
    pub fn traceparent(&self) -> Option<String> {
        self.trace.lock().clone()
    }

    /// Replaces the trace context.
    #[cfg(feature = "otlp")]
    pub(super) fn move_within(&self, trace: String) {
        *self.trace.lock() = Some(trace);
    }

    /// Records the origin of the page that the call works on.
    pub(super) fn note_page(&self, url: &Url) {
        *self.origin.lock() = Some(url.origin().ascii_serialization());
    }

    /// Returns the origin that was recorded last.
    pub(super) fn origin(&self) -> Option<String> {
        self.origin.lock().clone()
    }

    /// The client's name.
    pub fn client_name(&self) -> Option<&str> {
        self.caller.as_deref()
    }

    /// Whether the call waits for a person.
    pub fn waits_for_person(&self) -> bool {
        self.waits_for_person.load(Ordering::Relaxed)
    }

    /// Sets whether the call waits for a person.
    pub fn set_waits_for_person(&self, waits: bool) {
        self.waits_for_person.store(waits, Ordering::Relaxed);
    }

    /// Sets the message of the current step.
    pub fn set_message(&self, message: impl Into<String>) {
        *self.step.lock() = ProgressStep { message: Some(message.into()), part: None };
    }

    /// Sets the current step, of which `done` out of `of` parts are finished.
    pub fn set_counted_step(&self, message: impl Into<String>, done: f64, of: f64) {
        *self.step.lock() = ProgressStep { message: Some(message.into()), part: Some((done, of)) };
    }

    /// The current step.
    pub fn step(&self) -> ProgressStep {
        self.step.lock().clone()
    }

    /// Returns the seconds since the call began, which serve as progress if nothing can be counted.
    pub fn elapsed_seconds(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }

    /// Passes the current step to `send` once a second. Repeats no count, since MCP progress must increase.
    /// Never completes.
    pub async fn send_updates<F: Future<Output = ()>>(&self, send: impl Fn(f64, ProgressStep) -> F) {
        let mut ticks = interval_at(self.started + INTERVAL, INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut counted = None;
        loop {
            ticks.tick().await;
            let step = self.step();
            if step.part.is_none() || step.part != counted {
                counted = step.part;
                send(self.elapsed_seconds(), step).await;
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
        let telling = progress.send_updates(|_, step| {
            lines.lock().push(step.part.map(|(done, _)| done));
            std::future::ready(())
        });
        let working = async {
            progress.set_message("working");
            sleep(INTERVAL * 5 / 2).await;
            progress.set_counted_step("waiting", 1.0, 9.0);
            sleep(INTERVAL * 3).await;
            progress.set_counted_step("waiting", 2.0, 9.0);
            sleep(INTERVAL * 2).await;
        };
        tokio::select! { () = telling => {}, () = working => {} }
        assert_eq!(*lines.lock(), [None, None, Some(1.0), Some(2.0)]);
    }
}
