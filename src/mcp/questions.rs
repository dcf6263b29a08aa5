//! Asking the client, in the middle of a call.
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

use crate::session::handoff::Answer;

/// A question on its way to the client.
#[derive(Debug)]
pub enum Question {
    /// For the person behind it.
    Person { asking: Asking, answer: oneshot::Sender<Answer> },
    /// Which folders it works in, as addresses.
    Roots { answer: oneshot::Sender<Vec<String>> },
}

/// What a person is asked to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asking {
    pub message: String,
    /// Where it can be done, if not in a window on the screen.
    pub link: Option<String>,
}

/// Where questions go; nowhere, unless the client can be asked.
#[derive(Debug, Default)]
pub struct Questions {
    queue: Option<mpsc::UnboundedSender<Question>>,
    person: bool,
    /// How long the person may take to answer.
    patience: Option<Duration>,
    /// The client did not ask the person, or nobody answered: it is not tried again.
    in_vain: AtomicBool,
}

impl Questions {
    /// Questions that come out of the other end.
    pub fn channel() -> (Self, mpsc::UnboundedReceiver<Question>) {
        let (queue, questions) = mpsc::unbounded_channel();
        (Self { queue: Some(queue), ..Self::default() }, questions)
    }

    /// Says that there is a person who can be asked, and how long they may take to answer.
    #[must_use]
    pub fn of_person(self, patience: Option<Duration>) -> Self {
        Self { person: true, patience, ..self }
    }

    /// Whether the person can be asked.
    pub fn reach_person(&self) -> bool {
        self.person && !self.in_vain.load(Ordering::Relaxed)
    }

    /// Asks the person, and waits for the answer.
    pub async fn ask(&self, asking: Asking) -> Answer {
        if !self.reach_person() {
            return Answer::Unasked;
        }
        let asked = self.put(|answer| Question::Person { asking, answer });
        let answer = match self.patience {
            Some(patience) => timeout(patience, asked).await.ok().flatten(),
            None => asked.await,
        };
        let answer = answer.unwrap_or(Answer::Unasked);
        self.in_vain.fetch_or(answer == Answer::Unasked, Ordering::Relaxed);
        answer
    }

    /// Asks which folders the client works in. `None` when it did not say.
    pub async fn roots(&self) -> Option<Vec<String>> {
        self.put(|answer| Question::Roots { answer }).await
    }

    async fn put<T>(&self, question: impl FnOnce(oneshot::Sender<T>) -> Question) -> Option<T> {
        let (answer, answered) = oneshot::channel();
        self.queue.as_ref()?.send(question(answer)).ok()?;
        answered.await.ok()
    }
}
