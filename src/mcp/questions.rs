//! Questions that a running call asks its client.
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

use crate::session::handoff::PersonAnswer;

/// A question that a call asks its client.
#[derive(Debug)]
pub enum QuestionToClient {
    /// A question for the person who uses the client.
    Person { asking: PersonQuestion, answer: oneshot::Sender<PersonAnswer> },
    /// A request for the client's workspace folders (MCP roots), as URIs.
    Roots { answer: oneshot::Sender<Vec<String>> },
}

/// A question or request to a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PersonQuestion {
    pub message: String,
    /// The link to the page in the live view, if the person needs one.
    pub link: Option<String>,
}

/// The channel on which a call asks its client; closed if the client cannot be asked.
#[derive(Debug, Default)]
pub struct QuestionsToClient {
    queue: Option<mpsc::UnboundedSender<QuestionToClient>>,
    person: bool,
    /// How long the person may take to answer.
    patience: Option<Duration>,
    /// Whether the client failed to ask its person, or nobody answered. Then the person is not asked again.
    is_given_up: AtomicBool,
}

impl QuestionsToClient {
    /// Creates a channel. Also returns the receiver of its questions.
    pub fn channel() -> (Self, mpsc::UnboundedReceiver<QuestionToClient>) {
        let (queue, questions) = mpsc::unbounded_channel();
        (Self { queue: Some(queue), ..Self::default() }, questions)
    }

    /// Enables questions to the person, with a time limit for the answer. `None` for no limit.
    #[must_use]
    pub fn with_person(self, patience: Option<Duration>) -> Self {
        Self { person: true, patience, ..self }
    }

    /// Whether the person can be asked.
    pub fn can_ask_person(&self) -> bool {
        self.person && !self.is_given_up.load(Ordering::Relaxed)
    }

    /// Asks the person, and waits for the answer.
    pub async fn ask(&self, asking: PersonQuestion) -> PersonAnswer {
        if !self.can_ask_person() {
            return PersonAnswer::NoQuestions;
        }
        let asked = self.put(|answer| QuestionToClient::Person { asking, answer });
        let answer = match self.patience {
            Some(patience) => timeout(patience, asked).await.ok().flatten(),
            None => asked.await,
        };
        let answer = answer.unwrap_or(PersonAnswer::NoQuestions);
        self.is_given_up.fetch_or(answer == PersonAnswer::NoQuestions, Ordering::Relaxed);
        answer
    }

    /// Asks for the client's workspace folders, as URIs; `None` if the client does not answer.
    pub async fn roots(&self) -> Option<Vec<String>> {
        self.put(|answer| QuestionToClient::Roots { answer }).await
    }

    async fn put<T>(&self, question: impl FnOnce(oneshot::Sender<T>) -> QuestionToClient) -> Option<T> {
        let (answer, answered) = oneshot::channel();
        self.queue.as_ref()?.send(question(answer)).ok()?;
        answered.await.ok()
    }
}
