//! Calls in sessions that other servers hold, and cooldowns that all servers share.
use std::sync::Arc;
use std::time::Duration;

use rmcp::model::CallToolResult;
use serde::Deserialize as _;
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::Dispatcher;
use crate::Result;
use crate::error::Error;
use crate::fleet::{PeerCall, PeerCallResult, PeerClient, Replica};
use crate::mcp::client::Client;
use crate::mcp::failure;
use crate::mcp::progress::Progress;
use crate::mcp::reply::Reply;
use crate::mcp::tool::{AnyTool, SESSION_ARGUMENT, Tool};
use crate::mcp::tools::sessions::CloseSession;
use crate::session::registry::{Session, SessionError};

/// The maximum total of the pauses while a call looks for a session whose server has just gone.
const LONGEST_SEARCH: Duration = Duration::from_secs(10);
/// The pause before the next attempt to find the server that takes over a session.
const PAUSE: Duration = Duration::from_millis(100);
/// The minimum pause before another attempt to reach an unreachable server.
const SHORTEST_REST: Duration = Duration::from_millis(10);
/// The maximum pause before another attempt to reach an unreachable server.
const LONGEST_REST: Duration = Duration::from_secs(1);

/// Where a call runs, or its result from another server.
pub(super) enum RoutedCall {
    /// The call runs on this server, in this session if it names one.
    Here(Option<Session>),
    /// Another server has run the call, or could not be reached. Contains the answer.
    Answered(Box<Reply>),
    /// The session with this id is not available, for this reason.
    Not(String, SessionError),
}

impl Dispatcher {
    /// Starts sharing sessions, cooldowns and rate limits with the other servers of a group.
    #[must_use]
    pub fn with_replica(self, replica: Arc<Replica>) -> Self {
        self.sessions.set_replica(Arc::clone(&replica));
        self.services.pacing.set_replica(Arc::clone(&replica));
        Self { replica: Some(replica), ..self }
    }

    /// Returns the group of servers that share state; `None` for a single server.
    pub fn replica(&self) -> Option<&Arc<Replica>> {
        self.replica.as_ref()
    }

    /// Returns the HTTP client for requests to other servers of the group.
    pub fn peer_client(&self) -> &PeerClient {
        &self.peers
    }

    /// Finds the session that a call names, or runs the call on the server that holds the session. Removes
    /// the session argument, except for the session tools.
    pub(super) async fn reach(
        &self,
        tool: &AnyTool,
        arguments: &mut Map<String, Value>,
        client: &Client,
        progress: &Progress,
    ) -> RoutedCall {
        let ends_it = tool.name == CloseSession::NAME;
        let id = match tool.family.is_about_sessions {
            // `close_session` finds the session itself.
            true if ends_it && self.replica.is_none() => None,
            true => arguments.get(SESSION_ARGUMENT).cloned(),
            false => arguments.remove(SESSION_ARGUMENT),
        };
        let Some(Value::String(id)) = id else { return RoutedCall::Here(None) };
        let mut patience = LONGEST_SEARCH;
        loop {
            let (peer, lease) = match client.sessions.get_or_take_over(&id).await {
                Ok(_) if ends_it => return RoutedCall::Here(None),
                Ok(session) => return RoutedCall::Here(Some(session)),
                Err(SessionError::Elsewhere(peer, lease)) => (peer, lease),
                Err(error) => return RoutedCall::Not(id, error),
            };
            let mut given = arguments.clone();
            given.insert(SESSION_ARGUMENT.to_owned(), id.clone().into());
            self.metrics.forwards();
            let asked = PeerCall {
                owner: client.owner.as_deref().map(str::to_owned),
                tool: tool.name.to_owned(),
                arguments: given,
                trace: progress.traceparent(),
            };
            let (pause, failed) = match self.peers.call(&peer, &asked).await {
                PeerCallResult::Reply(result_json) => {
                    let result_json = CallToolResult::deserialize(result_json).map(Reply::forwarded);
                    return RoutedCall::Answered(Box::new(result_json.unwrap_or_else(|_| Reply::broken())));
                }
                // Another server is about to take over the session.
                PeerCallResult::NotRun => (PAUSE, out_of_reach()),
                // The server counts as dead once its lease ends. Calls for all of its sessions may wait for
                // that: constant retries would overload a busy machine.
                PeerCallResult::Unreachable => (lease.clamp(SHORTEST_REST, LONGEST_REST), out_of_reach()),
                PeerCallResult::Interrupted => (Duration::MAX, Error::ReplicaGone),
            };
            let Some(left) = patience.checked_sub(pause) else {
                let (mut reply, settings) = (Reply::default(), &client.settings);
                failure::report(&failed, tool, arguments, &client.cooldown, settings, &mut reply);
                return RoutedCall::Answered(Box::new(reply));
            };
            patience = left;
            sleep(pause).await;
        }
    }

    /// Reads a cooldown that another server may have started. Returns the start of the active cooldown.
    pub(super) async fn read_shared_cooldown(&self, client: &Client) -> Option<f64> {
        let replica = self.replica.as_ref()?;
        // Does not wait for a shared state that is unavailable.
        if !replica.is_alive() {
            return client.cooldown.started_at();
        }
        let owner = client.owner.as_deref().unwrap_or_default();
        if let Ok(Some(since)) = replica.read_or_start_cooldown(owner, None, 0.0).await {
            client.cooldown.set_started_at(Some(since));
        }
        client.cooldown.started_at()
    }

    /// Publishes a cooldown that began on this server. `before` is the start of the one before the call.
    pub(super) async fn publish_cooldown(&self, client: &Client, before: Option<f64>) {
        let Some(replica) = &self.replica else { return };
        let since = client.cooldown.started_at();
        if since.is_some() && since != before {
            let owner = client.owner.as_deref().unwrap_or_default();
            let _ = replica.read_or_start_cooldown(owner, since, client.cooldown.period()).await;
        }
    }

    /// Runs a call for another server. `None` if the session may be on a third server; then nothing was run.
    pub async fn run_for_peer(&self, client: &Client, asked: PeerCall) -> Option<CallToolResult> {
        let PeerCall { tool, arguments, trace, .. } = asked;
        let id = arguments.get(SESSION_ARGUMENT).and_then(Value::as_str)?;
        // The others consider this server dead, so its sessions may be elsewhere: the caller searches again.
        if self.replica.as_ref().is_some_and(|replica| !replica.is_alive()) {
            return None;
        }
        let reached = client.sessions.get_or_take_over(id).await;
        if let Err(SessionError::Elsewhere(..) | SessionError::Browser(Error::StateUnavailable { .. })) =
            reached
        {
            return None;
        }
        let (progress, cancelled) = (Progress::default().with_traceparent(trace), CancellationToken::new());
        let answer = self.call(client, &tool, arguments, &progress, &cancelled).await;
        answer.ok().map(Reply::into_result)
    }
}

/// Returns the error for a session whose server does not answer, but does not count as dead yet.
fn out_of_reach() -> Error {
    Error::StateUnavailable { reason: "the server that has the session cannot be reached".to_owned() }
}

/// Completes when another server may have taken over the session. Never completes without a session.
pub(super) async fn lost(session: Option<&Session>) {
    match session {
        Some(session) => session.until_lease_lost().await,
        None => std::future::pending().await,
    }
}

/// Saves a session after a call. If that fails, the outcome of the call stays the same.
pub(super) async fn saved(session: Option<&Session>, outcome: Result<()>) -> Result<()> {
    let Some(session) = session else { return outcome };
    if let Err(error) = session.save().await {
        tracing::warn!(%error, "a session could not be written down");
    }
    outcome
}

/// A call in a shared session. Its log entries prove that no two servers work in one session at once.
pub(super) struct SharedCall {
    session: String,
    token: u64,
}

impl SharedCall {
    pub(super) fn begin(session: &Session) -> Option<Self> {
        let token = session.lease_token()?;
        let digest = Sha256::digest(session.id.as_bytes());
        let session =
            format!("{:016x}", digest[..8].iter().fold(0_u64, |all, byte| all << 8 | u64::from(*byte)));
        tracing::debug!(session, token, "a call begins");
        Some(Self { session, token })
    }
}

impl Drop for SharedCall {
    fn drop(&mut self) {
        tracing::debug!(session = self.session, token = self.token, "a call ends");
    }
}
