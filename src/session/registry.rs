//! Sessions: workspaces with an id and an expiry.
use std::collections::{HashMap, VecDeque};
use std::num::NonZeroUsize;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures_util::future::join_all;
use parking_lot::Mutex;
use tokio::sync::{Semaphore, oneshot};
use tokio::time::{Instant, sleep_until};
use uuid::Uuid;

use super::engine::Engine;
use super::turns::Turns;
use super::workspace::Workspace;
use crate::error::Error;
use crate::fleet::{Lease, Peer, Replica, SavedSession};
use crate::sync::unix_time;

/// The number of expired sessions whose ids are remembered, to distinguish `expired` from `not found`.
const MOST_TOMBSTONES: usize = 10_000;

/// The maximum number of sessions that are created at the same time.
const MOST_AT_ONCE: usize = 8;

/// Options for sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SessionOptions {
    /// How long a session lives. Use does not extend it.
    pub lifetime: Duration,
    /// How many sessions each owner may have.
    pub limit: NonZeroUsize,
}

impl Default for SessionOptions {
    fn default() -> Self {
        const LIMIT: NonZeroUsize = NonZeroUsize::new(10).unwrap();
        Self { lifetime: Duration::from_secs(300), limit: LIMIT }
    }
}

/// The owner of sessions. Sessions are invisible to other owners.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Owner(pub(super) Arc<str>);

impl From<&str> for Owner {
    fn from(name: &str) -> Self {
        Self(name.into())
    }
}

/// A workspace with an id and an expiry. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Session {
    pub id: Arc<str>,
    pub(super) owner: Owner,
    pub workspace: Workspace,
    /// The creation time, in milliseconds since 1970.
    pub created_at: u64,
    /// The expiry, in milliseconds since 1970.
    pub expires_at: u64,
    pub(super) deadline: Instant,
    /// This server's lease on the session; `None` if sessions are not shared between servers.
    pub(super) lease: Option<Arc<Lease>>,
    /// The state that was last saved for other servers, to skip saves without changes.
    pub(super) saved: Arc<Mutex<SavedSession>>,
}

/// The reason why a session is not available.
#[derive(Debug, Clone)]
pub enum SessionError {
    /// The session was closed, never existed, or belongs to another owner.
    NotFound,
    /// The session has expired.
    Expired,
    /// The owner has as many sessions as the limit allows.
    LimitReached {
        limit: usize,
    },
    /// Another server holds the session, at least for this duration.
    Elsewhere(Peer, Duration),
    Browser(Error),
}

/// The sessions of one owner. Cheap to clone; clones share everything.
#[derive(Debug, Clone)]
pub struct Sessions {
    pub(super) inner: Arc<SessionsInner>,
    pub(super) owner: Owner,
    /// How many sessions this owner may have.
    pub(super) limit: NonZeroUsize,
}

#[derive(Debug)]
pub(super) struct SessionsInner {
    pub(super) engine: Engine,
    options: SessionOptions,
    pub(super) state: Mutex<SessionsState>,
    /// The group of servers that share sessions; unset for a single server.
    pub(super) replica: OnceLock<Arc<Replica>>,
    /// Locked by session id while this server takes over a session, so that it takes over only once.
    pub(super) claiming: Turns,
    /// Limits parallel creation: a hundred new pages at once would slow each other down until all time out.
    making: Semaphore,
}

#[derive(Debug, Default)]
pub(super) struct SessionsState {
    pub(super) live: HashMap<Arc<str>, Session>,
    /// The owners of sessions that are being created, with one entry for each such session.
    reserved: Vec<Owner>,
    expired: VecDeque<(Arc<str>, Owner)>,
}

impl Sessions {
    pub fn new(engine: Engine, options: SessionOptions) -> Self {
        Self {
            inner: Arc::new(SessionsInner {
                engine,
                options,
                state: Mutex::default(),
                replica: OnceLock::new(),
                claiming: Turns::default(),
                making: Semaphore::new(MOST_AT_ONCE),
            }),
            owner: Owner::default(),
            limit: options.limit,
        }
    }

    /// Returns the sessions of another owner on the same server. The limit applies to each owner separately.
    #[must_use]
    pub fn for_owner(&self, owner: Owner) -> Self {
        Self { inner: Arc::clone(&self.inner), owner, limit: self.limit }
    }

    /// Sets the maximum number of this owner's sessions.
    #[must_use]
    pub fn with_limit(self, limit: NonZeroUsize) -> Self {
        Self { limit, ..self }
    }

    pub fn options(&self) -> SessionOptions {
        self.inner.options
    }

    /// Creates a session with a page. Reserves it first, so that concurrent calls cannot exceed the limit.
    pub async fn create(&self) -> Result<Session, SessionError> {
        self.create_in(self.inner.engine.new_workspace(), None).await
    }

    /// Creates a session with `workspace`, which is unused. With a pool, uses a browser with this label.
    pub async fn create_in(
        &self,
        workspace: Workspace,
        label: Option<String>,
    ) -> Result<Session, SessionError> {
        let reservation = Reservation::take(self)?;
        // A separate task closes the new session if this future is dropped before it is complete.
        let (made, receiver) = oneshot::channel();
        tokio::spawn(async move {
            let sessions = reservation.sessions.clone();
            if let Err(Ok(unwanted)) = made.send(reservation.fill(workspace, label).await) {
                let _ = sessions.close(&unwanted.id).await;
            }
        });
        receiver.await.unwrap_or(Err(SessionError::Browser(Error::Broken)))
    }

    /// Returns the live session with this id.
    pub fn get(&self, id: &str) -> Result<Session, SessionError> {
        let mut state = self.inner.state.lock();
        match state.live.get(id) {
            Some(session) if session.owner != self.owner => Err(SessionError::NotFound),
            Some(session) if session.deadline > Instant::now() => Ok(session.clone()),
            Some(_) => {
                state.expire(id);
                Err(SessionError::Expired)
            }
            None if state.expired.iter().any(|(expired, owner)| **expired == *id && *owner == self.owner) => {
                Err(SessionError::Expired)
            }
            None => Err(SessionError::NotFound),
        }
    }

    /// Returns all sessions of this owner on this server, oldest first.
    pub fn list(&self) -> Vec<Session> {
        let mut state = self.inner.state.lock();
        state.expire_all();
        let mut own: Vec<_> =
            state.live.values().filter(|session| session.owner == self.owner).cloned().collect();
        own.sort_by(|a, b| (a.created_at, &a.id).cmp(&(b.created_at, &b.id)));
        own
    }

    /// Whether a session with this id is live, for any owner.
    pub fn is_live_for_any_owner(&self, id: &str) -> bool {
        self.inner.state.lock().live.contains_key(id)
    }

    /// Closes a session with all its pages. Its id is invalid as soon as the call begins.
    pub async fn close(&self, id: &str) -> Result<(), SessionError> {
        let session = self.get_or_take_over(id).await?;
        if self.inner.state.lock().live.remove(id).is_none() {
            return Err(SessionError::NotFound);
        }
        session.end().await;
        Ok(())
    }

    /// Closes all sessions of this owner on this server.
    pub async fn close_all(&self) {
        join_all(self.list().iter().map(|session| self.close(&session.id))).await;
    }

    /// Returns the number of live sessions of all owners.
    pub fn count_for_all_owners(&self) -> usize {
        let mut state = self.inner.state.lock();
        state.expire_all();
        state.live.len()
    }
}

impl SessionsState {
    /// Removes an expired session, which frees its place in the limit. Its pages close in the background.
    fn expire(&mut self, id: &str) {
        let Some(session) = self.live.remove(id) else { return };
        if self.expired.len() == MOST_TOMBSTONES {
            self.expired.pop_front();
        }
        self.expired.push_back((Arc::clone(&session.id), session.owner.clone()));
        tokio::spawn(async move { session.end().await });
    }

    /// Returns the number of an owner's sessions, including those that are being created.
    fn slots_of(&self, owner: &Owner) -> usize {
        let live = self.live.values().filter(|session| session.owner == *owner).count();
        live + self.reserved.iter().filter(|reserved| *reserved == owner).count()
    }

    /// Removes one reservation of an owner.
    fn give_back(&mut self, owner: &Owner) {
        if let Some(at) = self.reserved.iter().position(|reserved| reserved == owner) {
            self.reserved.swap_remove(at);
        }
    }

    fn expire_all(&mut self) {
        let now = Instant::now();
        let over = self.live.values().filter(|session| session.deadline <= now);
        for id in over.map(|session| Arc::clone(&session.id)).collect::<Vec<_>>() {
            self.expire(&id);
        }
    }
}

/// A reservation for a session that is being created. Dropping it releases the reservation.
struct Reservation {
    sessions: Sessions,
    filled: bool,
}

impl Reservation {
    fn take(sessions: &Sessions) -> Result<Self, SessionError> {
        let mut state = sessions.inner.state.lock();
        state.expire_all();
        let limit = sessions.limit.get();
        if state.slots_of(&sessions.owner) >= limit {
            return Err(SessionError::LimitReached { limit });
        }
        state.reserved.push(sessions.owner.clone());
        drop(state);
        Ok(Self { sessions: sessions.clone(), filled: false })
    }

    /// Creates the reserved session.
    async fn fill(mut self, workspace: Workspace, label: Option<String>) -> Result<Session, SessionError> {
        let sessions = Arc::clone(&self.sessions.inner);
        let _permit = sessions.making.acquire().await;
        let id = Arc::<str>::from(Uuid::new_v4().to_string());
        let opened = self.sessions.register_in_store(&id, label.as_deref()).await?;
        let node = opened.as_ref().map(|opened| opened.node.clone()).filter(|node| !node.is_empty());
        let workspace = match workspace.engine().pool() {
            Some(_) => workspace.isolated_in_pool(node, label, opened.is_some()),
            None => workspace,
        };
        let lease = opened.map(|opened| Arc::new(opened.lease));
        if let Err(error) = workspace.begin().await {
            workspace.close().await;
            if let Some(lease) = lease {
                lease.delete_session().await;
            }
            return Err(SessionError::Browser(error));
        }
        let lifetime = sessions.options.lifetime;
        let created_at = now_ms();
        let deadline = Instant::now() + lifetime;
        let session = Session {
            id,
            owner: self.sessions.owner.clone(),
            workspace,
            created_at,
            expires_at: created_at + in_ms(lifetime),
            deadline,
            lease,
            saved: Arc::default(),
        };
        session.save().await.map_err(SessionError::Browser)?;
        {
            let mut state = sessions.state.lock();
            state.live.insert(Arc::clone(&session.id), session.clone());
            state.give_back(&session.owner);
            self.filled = true;
        }
        sessions.end_at(&session.id, deadline);
        Ok(session)
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        if !self.filled {
            self.sessions.inner.state.lock().give_back(&self.sessions.owner);
        }
    }
}

impl SessionsInner {
    /// Closes a session at its deadline.
    pub(super) fn end_at(self: &Arc<Self>, id: &Arc<str>, deadline: Instant) {
        let (sessions, id) = (Arc::downgrade(self), Arc::clone(id));
        tokio::spawn(async move {
            sleep_until(deadline).await;
            if let Some(sessions) = sessions.upgrade() {
                let mut state = sessions.state.lock();
                // If another server had the session in the meantime, its deadline may have changed.
                if state.live.get(&id).is_some_and(|session| session.deadline <= Instant::now()) {
                    state.expire(&id);
                }
            }
        });
    }
}

fn now_ms() -> u64 {
    in_ms(unix_time())
}

pub(super) fn in_ms(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
