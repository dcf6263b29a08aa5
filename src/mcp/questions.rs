//! Asking the person behind the client, in the middle of a call.
use tokio::sync::{mpsc, oneshot};

use crate::session::handoff::Answer;

/// A question on its way to the client.
#[derive(Debug)]
pub struct Question {
    pub message: String,
    pub answer: oneshot::Sender<Answer>,
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

    /// Asks, and waits for the answer.
    pub async fn ask(&self, message: String) -> Answer {
        let Some(queue) = &self.queue else { return Answer::Unasked };
        let (answer, answered) = oneshot::channel();
        if queue.send(Question { message, answer }).is_err() {
            return Answer::Unasked;
        }
        answered.await.unwrap_or(Answer::Unasked)
    }
}
