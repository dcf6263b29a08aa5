use std::fmt;
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll};
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::command::Command;
use super::connection::{COMMAND_LIMIT, EventSink, ReplyHandler, SessionState, Shared};
use super::events::{Events, Message, Observer};
use super::policy::{self, DetectableCommandReason};
use crate::error::{Error, RAW_CDP_COMMAND_LABEL, Result};
use crate::sync::{Sleep, sleep_until};

/// An attachment to one target, or to the browser itself. Cheap to clone.
#[derive(Clone)]
pub struct CdpSession {
    shared: Arc<Shared>,
    id: Arc<str>,
    state: Arc<SessionState>,
}

impl fmt::Debug for CdpSession {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("CdpSession").field(&self.id).finish()
    }
}

impl CdpSession {
    pub(super) fn new(shared: Arc<Shared>, id: Arc<str>, state: Arc<SessionState>) -> Self {
        Self { shared, id, state }
    }

    /// Returns the session id that the browser assigned; empty for the browser's own session.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns whether the session has ended, with its target or with the connection.
    pub fn is_closed(&self) -> bool {
        self.state.closed.load(Ordering::Acquire)
    }

    /// Whether the target's renderer crashed and has not come back.
    pub fn is_crashed(&self) -> bool {
        self.state.crashed.load(Ordering::Acquire)
    }

    /// Returns the number of replies to commands that need the target's main thread.
    pub fn main_thread_reply_count(&self) -> u64 {
        self.state.answers.load(Ordering::Relaxed)
    }

    /// Clears the crashed state, after a navigation has given the target a new renderer.
    pub fn reset_crashed(&self) {
        self.state.crashed.store(false, Ordering::Release);
    }

    /// Sends a command and waits for its reply, at most 30 s.
    pub async fn call<C: Command>(&self, command: C) -> Result<C::Reply> {
        self.call_within(command, COMMAND_LIMIT).await
    }

    /// Sends a command and waits for its reply, at most `limit`.
    pub async fn call_within<C: Command>(&self, command: C, limit: Duration) -> Result<C::Reply> {
        self.send(command).within(limit).await
    }

    /// Sends a command at once; the reply can be awaited later, so that several commands share one round trip.
    #[expect(clippy::needless_pass_by_value, reason = "a command is said once")]
    pub fn send<C: Command>(&self, command: C) -> PendingReply<C::Reply> {
        self.post(C::METHOD, &command, None)
    }

    /// Like [`send`](Self::send), for a command that pages can notice. `permit` is the reason to allow it.
    #[expect(clippy::needless_pass_by_value, reason = "a command is said once")]
    pub fn send_detectable<C: Command>(
        &self,
        command: C,
        permit: DetectableCommandReason,
    ) -> PendingReply<C::Reply> {
        self.post(C::METHOD, &command, Some(permit))
    }

    /// Sends a command, and calls `then` with the reply in the reader task: after observers have received all earlier
    /// events, and before they receive later ones. `then` must not block.
    #[expect(clippy::needless_pass_by_value, reason = "a command is said once")]
    pub fn send_then<C: Command>(
        &self,
        command: C,
        permit: Option<DetectableCommandReason>,
        then: impl FnOnce(Result<C::Reply>) + Send + 'static,
    ) {
        let method = C::METHOD;
        let then: ReplyHandler =
            Box::new(move |answer| then(answer.and_then(|message| decoded(&message, method))));
        let posted = match policy::check(method, permit) {
            Ok(()) => self.shared.post(&self.id, &self.state, (method, method), &command, then),
            Err(error) => Err((error, then)),
        };
        if let Err((error, then)) = posted {
            then(Err(error));
        }
    }

    /// Passes every event of this session to `overhearer`, by name and as raw JSON, until the session ends.
    pub fn forward_events(&self, overhearer: EventSink) {
        Shared::forward_events(&self.state, overhearer);
    }

    /// Sends a command by its wire name, for raw CDP sessions. Waits for the reply, at most 30 s.
    pub async fn call_raw(
        &self,
        method: &str,
        parameters: &serde_json::Value,
        permit: Option<DetectableCommandReason>,
    ) -> Result<serde_json::Value> {
        self.call_raw_within(method, parameters, permit, COMMAND_LIMIT).await
    }

    /// Like [`call_raw`](Self::call_raw), with a time limit of `limit`.
    pub async fn call_raw_within(
        &self,
        method: &str,
        parameters: &serde_json::Value,
        permit: Option<DetectableCommandReason>,
        limit: Duration,
    ) -> Result<serde_json::Value> {
        self.post_named(method, RAW_CDP_COMMAND_LABEL, parameters, permit).within(limit).await
    }

    /// Subscribes to the events with these names.
    pub fn events(&self, methods: &[&'static str]) -> Events {
        Shared::listen(&self.state, methods)
    }

    /// Passes events with these names to `observer` until the session ends.
    pub fn observe(&self, methods: &[&'static str], observer: Arc<dyn Observer>) {
        Shared::observe(&self.state, methods, observer);
    }

    fn post<T>(
        &self,
        method: &'static str,
        parameters: &impl Serialize,
        permit: Option<DetectableCommandReason>,
    ) -> PendingReply<T> {
        self.post_named(method, method, parameters, permit)
    }

    fn post_named<T>(
        &self,
        method: &str,
        announced_as: &'static str,
        parameters: &impl Serialize,
        permit: Option<DetectableCommandReason>,
    ) -> PendingReply<T> {
        let (sender, receiver) = oneshot::channel();
        let then = Box::new(move |answer| drop(sender.send(answer)));
        let posted = policy::check(method, permit).and_then(|()| {
            let posted = self.shared.post(&self.id, &self.state, (method, announced_as), parameters, then);
            posted.map(|id| (id, receiver)).map_err(|(error, _)| error)
        });
        PendingReply {
            shared: self.shared.clone(),
            method: announced_as,
            posted,
            posted_at: Instant::now(),
            limit: COMMAND_LIMIT,
            timer: None,
            reply: PhantomData,
        }
    }
}

/// A future of the reply to a sent command. Dropping it discards the reply, but does not cancel the command.
#[derive(Debug)]
#[must_use = "the reply tells whether the command succeeded"]
pub struct PendingReply<T> {
    shared: Arc<Shared>,
    method: &'static str,
    posted: Result<(u64, oneshot::Receiver<Result<Message>>)>,
    posted_at: Instant,
    limit: Duration,
    timer: Option<Pin<Box<Sleep>>>,
    reply: PhantomData<fn() -> T>,
}

impl<T> PendingReply<T> {
    /// Sets the time limit, counted from sending. Default: 30 s.
    pub fn within(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    /// Discards the reply, even if it is an error.
    pub fn ignore(self) {}
}

fn decoded<T: DeserializeOwned>(message: &Message, method: &'static str) -> Result<T> {
    message.decode().map_err(|error| Error::Unreadable { method, reason: error.to_string() })
}

impl<T: DeserializeOwned> Future for PendingReply<T> {
    type Output = Result<T>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.get_mut();
        let method = this.method;
        let receiver = match &mut this.posted {
            Ok((_, receiver)) => receiver,
            Err(error) => return Poll::Ready(Err(error.clone())),
        };
        match Pin::new(receiver).poll(context) {
            Poll::Ready(Ok(Ok(message))) => Poll::Ready(decoded(&message, method)),
            Poll::Ready(Ok(Err(Error::Protocol { message, .. }))) => {
                Poll::Ready(Err(Error::Protocol { method, message }))
            }
            Poll::Ready(Ok(Err(error))) => Poll::Ready(Err(error)),
            Poll::Ready(Err(_)) => Poll::Ready(Err(Error::BrowserGone { reason: "it ended".to_owned() })),
            Poll::Pending => {
                let (limit, end) = (this.limit, this.posted_at + this.limit);
                let timer = this.timer.get_or_insert_with(|| Box::pin(sleep_until(end)));
                timer.as_mut().poll(context).map(|()| Err(Error::NoAnswer { method, waited: limit }))
            }
        }
    }
}

impl<T> Drop for PendingReply<T> {
    fn drop(&mut self) {
        if let Ok((id, _)) = self.posted {
            self.shared.forget(id);
        }
    }
}
