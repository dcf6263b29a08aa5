//! Calls in rounds, for clients that accept no requests: an answer contains a question, and the client calls
//! again with a token. Meanwhile the call continues; it ends if the client does not return.
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use rmcp::model::{ElicitResult, ElicitationAction, InputRequests, InputRequiredResult, InputResponses};
use serde::Deserialize;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::mcp::client::Client;
use crate::mcp::dispatch::Dispatcher;
use crate::mcp::progress::Progress;
use crate::mcp::questions::{PersonQuestion, QuestionToClient};
use crate::mcp::reply::Reply;
use crate::mcp::tool::UnknownTool;
use crate::session::handoff::PersonAnswer;

/// The key of the question in a round; there is only one.
pub(super) const PERSON: &str = "person";
/// The maximum length of a round, after which the client calls again: no request stays open for minutes.
const LONGEST_ROUND: Duration = Duration::from_secs(40);
/// How long a call is kept for a client that does not return.
const KEPT: Duration = Duration::from_secs(900);
const MOST_KEPT: usize = 256;

/// The calls that wait until their clients call again, by token.
#[derive(Debug, Default)]
pub(super) struct Rounds {
    waiting: Mutex<HashMap<String, Round>>,
}

/// A running call of such a client. Dropping this value aborts the call.
#[derive(Debug)]
pub(super) struct Round {
    client: Arc<Client>,
    tool: String,
    task: JoinHandle<Result<Reply, UnknownTool>>,
    pub(super) progress: Arc<Progress>,
    questions: UnboundedReceiver<QuestionToClient>,
    asked: Option<PendingQuestion>,
    cancelled: CancellationToken,
    since: Instant,
}

/// A question that the call is waiting for.
#[derive(Debug)]
struct PendingQuestion {
    asking: PersonQuestion,
    answer: oneshot::Sender<PersonAnswer>,
}

/// How a round ended.
pub(super) enum RoundOutcome {
    Answered(Box<Result<Reply, UnknownTool>>),
    /// The call waits for a person. Contains the question, or `None` if the person was asked already.
    Asks(Option<PersonQuestion>),
}

impl Round {
    /// Starts a call in its own task.
    pub(super) fn begin(
        dispatcher: &Arc<Dispatcher>,
        client: Arc<Client>,
        tool: &str,
        arguments: serde_json::Map<String, serde_json::Value>,
        caller: Option<String>,
        trace: Option<String>,
    ) -> Self {
        let (progress, questions) = Progress::with_elicitation(None);
        let progress = Arc::new(progress.with_client_name(caller).with_traceparent(trace));
        let cancelled = CancellationToken::new();
        let call = {
            let (dispatcher, client) = (Arc::clone(dispatcher), Arc::clone(&client));
            let (tool, progress, cancelled) = (tool.to_owned(), Arc::clone(&progress), cancelled.clone());
            async move { dispatcher.call(&client, &tool, arguments, &progress, &cancelled).await }
        };
        let (task, since) = (tokio::spawn(call), Instant::now());
        Self { client, tool: tool.to_owned(), task, progress, questions, asked: None, cancelled, since }
    }

    /// Continues until the call ends or asks a question. Cancels the call if the client disconnects (`gone`).
    pub(super) async fn go_on(&mut self, gone: &CancellationToken) -> RoundOutcome {
        let again = sleep(LONGEST_ROUND);
        tokio::pin!(again);
        loop {
            tokio::select! {
                biased;
                ended = &mut self.task => {
                    return RoundOutcome::Answered(Box::new(ended.unwrap_or_else(|_| Ok(Reply::broken()))));
                }
                () = gone.cancelled(), if !self.cancelled.is_cancelled() => self.cancelled.cancel(),
                Some(question) = self.questions.recv() => match question {
                    QuestionToClient::Person { asking, answer } => {
                        self.asked = Some(PendingQuestion { asking: asking.clone(), answer });
                        return RoundOutcome::Asks(Some(asking));
                    }
                    // The protocol revision with rounds has no roots.
                    QuestionToClient::Roots { answer } => drop(answer.send(Vec::new())),
                },
                () = &mut again, if self.progress.waits_for_person() => return RoundOutcome::Asks(None),
            }
        }
    }

    /// Forwards the client's answer to the call that asked the question.
    fn hear(&mut self, responses: &InputResponses) {
        let asked = self.asked.take();
        let Some(response) = responses.get(PERSON) else {
            // A client that could not ask its person returns without a response: the call continues to wait.
            if let Some(asked) = asked {
                let _ = asked.answer.send(PersonAnswer::Coming);
            }
            return;
        };
        let accepts = ElicitResult::deserialize(response)
            .is_ok_and(|response| response.action == ElicitationAction::Accept);
        match asked {
            Some(asked) if accepts => drop(asked.answer.send(accepted(&asked.asking))),
            None if accepts => {}
            _ => self.cancelled.cancel(),
        }
    }
}

/// Returns the meaning of "accept": the person opens the link, or without a link has done what was asked.
fn accepted(asking: &PersonQuestion) -> PersonAnswer {
    if asking.link.is_some() { PersonAnswer::Coming } else { PersonAnswer::Finished }
}

impl Drop for Round {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Rounds {
    /// Stores a call that needs input until the client resumes it. Returns the answer, with the token for that.
    pub(super) fn keep(&self, round: Round, requests: Option<InputRequests>) -> InputRequiredResult {
        let name = Uuid::new_v4().to_string();
        let mut waiting = self.waiting.lock();
        waiting.retain(|_, round| round.since.elapsed() < KEPT);
        while waiting.len() >= MOST_KEPT {
            let oldest = waiting.iter().min_by_key(|(_, round)| round.since).map(|(name, _)| name.clone());
            drop(oldest.and_then(|oldest| waiting.remove(&oldest)));
        }
        waiting.insert(name.clone(), round);
        InputRequiredResult::new(requests, Some(name))
    }

    /// Takes the call with this token, if it has the same client and tool, and passes on the responses.
    pub(super) fn resume(
        &self,
        name: &str,
        client: &Arc<Client>,
        tool: &str,
        responses: &InputResponses,
    ) -> Option<Round> {
        let mut waiting = self.waiting.lock();
        let known =
            waiting.get(name).is_some_and(|round| Arc::ptr_eq(&round.client, client) && round.tool == tool);
        let mut round = if known { waiting.remove(name)? } else { return None };
        drop(waiting);
        round.hear(responses);
        Some(round)
    }
}
