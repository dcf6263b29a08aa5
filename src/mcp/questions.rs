//! Questions to the client during a call.
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

use crate::session::handoff::Answer;

/// A question to the client.
#[derive(Debug)]
pub enum Question {
    /// For the person behind it.
    Person { asking: PersonQuestion, answer: oneshot::Sender<Answer> },
    /// For its workspace folders, as URIs.
    Roots { answer: oneshot::Sender<Vec<String>> },
}

/// What a person is asked to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PersonQuestion {
    pub message: String,
    /// The link for it, if there is no window on the screen.
    pub link: Option<String>,
}

/// A channel for questions; closed unless the client can be asked.
#[derive(Debug, Default)]
pub struct Questions {
    queue: Option<mpsc::UnboundedSender<Question>>,
    person: bool,
    /// How long the person may take to answer.
    patience: Option<Duration>,
    /// The client did not ask the person, or nobody answered: no further attempts.
    in_vain: AtomicBool,
}

impl Questions {
    /// Creates a channel; questions are received at the other end.
    pub fn channel() -> (Self, mpsc::UnboundedReceiver<Question>) {
        let (queue, questions) = mpsc::unbounded_channel();
        (Self { queue: Some(queue), ..Self::default() }, questions)
    }

    /// Marks that a person can be asked, with their time limit.
    #[must_use]
    pub fn of_person(self, patience: Option<Duration>) -> Self {
        Self { person: true, patience, ..self }
    }

    /// Whether a person can be asked.
    pub fn can_ask_person(&self) -> bool {
        self.person && !self.in_vain.load(Ordering::Relaxed)
    }

    /// Asks the person, and waits for the answer.
    pub async fn ask(&self, asking: PersonQuestion) -> Answer {
        if !self.can_ask_person() {
            return Answer::NoQuestions;
        }
        let asked = self.put(|answer| Question::Person { asking, answer });
        let answer = match self.patience {
            Some(patience) => timeout(patience, asked).await.ok().flatten(),
            None => asked.await,
        };
        let answer = answer.unwrap_or(Answer::NoQuestions);
        self.in_vain.fetch_or(answer == Answer::NoQuestions, Ordering::Relaxed);
        answer
    }

    /// Asks for the client's folders. `None` without an answer.
    pub async fn roots(&self) -> Option<Vec<String>> {
        self.put(|answer| Question::Roots { answer }).await
    }

    async fn put<T>(&self, question: impl FnOnce(oneshot::Sender<T>) -> Question) -> Option<T> {
        let (answer, answered) = oneshot::channel();
        self.queue.as_ref()?.send(question(answer)).ok()?;
        answered.await.ok()
    }
}
