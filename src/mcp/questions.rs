//! Asking the client, in the middle of a call.
use tokio::sync::{mpsc, oneshot};

use crate::session::handoff::Answer;

/// A question on its way to the client.
#[derive(Debug)]
pub enum Question {
    /// For the person behind it.
    Person { message: String, answer: oneshot::Sender<Answer> },
    /// Which folders it works in, as addresses.
    Roots { answer: oneshot::Sender<Vec<String>> },
}

/// Where questions go; nowhere, unless the client can be asked.
#[derive(Debug, Default)]
pub struct Questions {
    queue: Option<mpsc::UnboundedSender<Question>>,
}

impl Questions {
    /// Questions that come out of the other end.
    pub fn channel() -> (Self, mpsc::UnboundedReceiver<Question>) {
        let (queue, questions) = mpsc::unbounded_channel();
        (Self { queue: Some(queue) }, questions)
    }

    /// Asks the person, and waits for the answer.
    pub async fn ask(&self, message: String) -> Answer {
        self.put(|answer| Question::Person { message, answer }).await.unwrap_or(Answer::Unasked)
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
