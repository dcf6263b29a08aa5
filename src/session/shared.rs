//! Sessions that several servers share: one server holds a session; another takes over when that one is gone.
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::{Instant, sleep};

use super::registry::{Session, SessionError, Sessions};
use super::workspace::{DetachedContext, Workspace};
use crate::error::{Error, Result};
use crate::fleet::{ClaimResult, ClaimedSession, NewSession, Replica, SavedSession};

/// The maximum number of expired sessions of dead servers that are cleaned up at once.
const MOST_OVERDUE: usize = 16;
/// How much page numbers advance at a take-over: more than the number of pages that one server opens.
const PAGES_EACH: u32 = 1000;
/// The interval between searches for sessions of dead servers.
const RHYTHM: Duration = Duration::from_secs(1);

impl Session {
    /// Returns the token of this server's lease on the session; `None` without other servers.
    pub fn lease_token(&self) -> Option<u64> {
        self.lease.as_ref().map(|lease| lease.token)
    }

    /// Whether this server holds the session: its lease is valid, or sessions are not shared.
    fn is_held(&self) -> bool {
        self.lease.as_ref().is_none_or(|lease| lease.is_valid())
    }

    /// Completes when another server may have the session. Never completes without other servers.
    pub async fn until_lease_lost(&self) {
        match &self.lease {
            Some(lease) => lease.until_lost().await,
            None => std::future::pending().await,
        }
    }

    /// Closes the session's pages and removes the session from the shared state.
    pub(super) async fn end(&self) {
        if self.is_held() {
            self.workspace.close().await;
        } else {
            self.workspace.leave();
        }
        if let Some(lease) = &self.lease {
            lease.delete_session().await;
        }
    }

    fn to_be_saved(&self) -> SavedSession {
        SavedSession {
            node: self.workspace.engine().node().unwrap_or_default(),
            contexts: serde_json::to_string(&self.workspace.left()).unwrap_or_default(),
            cookies: self.workspace.saved_cookies(),
        }
    }

    /// Saves the session's state if it has changed since the last save.
    ///
    /// # Errors `lease_lost` if another server has the session now; `state_unavailable` if the store fails.
    pub async fn save(&self) -> Result<()> {
        let Some(lease) = &self.lease else { return Ok(()) };
        let now = self.to_be_saved();
        if *self.saved.lock() == now {
            return Ok(());
        }
        if !lease.save(&now).await? {
            return Err(Error::LeaseLost);
        }
        *self.saved.lock() = now;
        Ok(())
    }
}

impl Sessions {
    /// Starts sharing sessions with the other servers of a group.
    pub fn set_replica(&self, replica: Arc<Replica>) {
        if self.inner.replica.set(replica).is_err() {
            return;
        }
        let sessions = Arc::downgrade(&self.inner);
        let (owner, limit) = (self.owner.clone(), self.limit);
        tokio::spawn(async move {
            loop {
                sleep(RHYTHM).await;
                let Some(inner) = sessions.upgrade() else { return };
                Self { inner, owner: owner.clone(), limit }.clear_away().await;
            }
        });
    }

    fn replica(&self) -> Option<&Arc<Replica>> {
        self.inner.replica.get()
    }

    /// Registers a session in the shared state before it is created. `None` if sessions are not shared.
    pub(super) async fn register_in_store(
        &self,
        id: &str,
        label: Option<&str>,
    ) -> Result<Option<NewSession>, SessionError> {
        let Some(replica) = self.replica() else { return Ok(None) };
        let offers = match self.inner.engine.pool() {
            Some(pool) => {
                pool.refresh_nodes().await;
                let offers = pool.candidates(label);
                if offers.is_empty() {
                    return Err(SessionError::Browser(Error::PoolFull));
                }
                // The shared state counts the sessions of all servers, including this one's.
                offers
                    .into_iter()
                    .map(|offer| crate::fleet::pool::PoolCandidate { load: 0, ..offer })
                    .collect()
            }
            None => Vec::new(),
        };
        let options = self.options();
        let limit = options.limit.get();
        let opened = replica.create_session(id, &self.owner.0, options.lifetime, limit, &offers).await;
        match opened.map_err(SessionError::Browser)? {
            Some(opened) => Ok(Some(opened)),
            None => Err(SessionError::LimitReached { limit }),
        }
    }

    /// Returns the session with this id. Takes it over if the server that had it is gone.
    pub async fn get_or_take_over(&self, id: &str) -> Result<Session, SessionError> {
        let Some(replica) = self.replica() else { return self.get(id) };
        if let Some(known) = self.known(id)? {
            return Ok(known);
        }
        let _turn = self.inner.claiming.take(id).await;
        if let Some(known) = self.known(id)? {
            return Ok(known);
        }
        let found = replica.claim(id, &self.owner.0).await.map_err(SessionError::Browser)?;
        let before = self.inner.state.lock().live.get(id).filter(|known| known.owner == self.owner).cloned();
        match found {
            ClaimResult::Here(claim) => {
                self.take_over(id, *claim, before).await.map_err(SessionError::Browser)
            }
            ClaimResult::NotFound => match before {
                Some(before) => self.write_again(replica, before).await,
                None => Err(SessionError::NotFound),
            },
            ClaimResult::Elsewhere(peer, lease) => {
                self.let_go(before);
                Err(SessionError::Elsewhere(peer, lease))
            }
            ClaimResult::Expired => {
                self.let_go(before);
                Err(SessionError::Expired)
            }
        }
    }

    /// Returns the session if this server certainly holds it; `None` if not.
    fn known(&self, id: &str) -> Result<Option<Session>, SessionError> {
        match self.get(id) {
            Ok(session) => Ok(Some(session).filter(Session::is_held)),
            Err(SessionError::NotFound) => Ok(None),
            Err(error) => Err(error),
        }
    }

    async fn take_over(&self, id: &str, claim: ClaimedSession, before: Option<Session>) -> Result<Session> {
        let ClaimedSession { lease, saved, created_at, expires_at, rest, adoptions, .. } = claim;
        // If the token is unchanged, no other server has used the session since this one.
        let same = before.filter(|before| before.lease_token() == Some(claim.before));
        let workspace = match &same {
            Some(same) => same.workspace.clone(),
            None => self.workspace_of(&saved, adoptions).await?,
        };
        let session = Session {
            id: id.into(),
            owner: self.owner.clone(),
            workspace,
            created_at,
            expires_at,
            deadline: Instant::now() + rest,
            lease: Some(Arc::new(lease)),
            saved: Arc::new(Mutex::new(saved)),
        };
        let replaced = self.inner.state.lock().live.insert(Arc::clone(&session.id), session.clone());
        if same.is_none() {
            tracing::info!(token = session.lease_token(), "a session of another server was taken over");
            if let Some(replaced) = replaced {
                replaced.workspace.leave();
            }
            self.inner.end_at(&session.id, session.deadline);
        }
        session.save().await?;
        Ok(session)
    }

    /// Rebuilds a workspace from the state that another server has saved.
    async fn workspace_of(&self, saved: &SavedSession, adoptions: u32) -> Result<Workspace> {
        let engine = &self.inner.engine;
        let workspace = match &*self.owner.0 {
            "" => engine.new_workspace(),
            owner => engine.isolated_workspace(owner, engine.options().context.clone()),
        };
        let left: Vec<DetachedContext> = serde_json::from_str(&saved.contexts).unwrap_or_default();
        let names: Vec<_> = left.iter().map(|context| context.name().to_owned()).collect();
        let node = Some(saved.node.clone()).filter(|node| !node.is_empty());
        let workspace = workspace.isolated_in_pool(node, None, true);
        workspace.adopt_contexts(left, adoptions * PAGES_EACH);
        workspace.restore_cookies(&saved.cookies);
        for name in names {
            workspace.get_or_create_context(Some(&name)).await?;
        }
        Ok(workspace)
    }

    /// Registers a live session again after the shared state has lost it.
    async fn write_again(&self, replica: &Arc<Replica>, before: Session) -> Result<Session, SessionError> {
        let rest = before.deadline.saturating_duration_since(Instant::now());
        let saved = before.to_be_saved();
        let lease = replica
            .restore_lost_session(&before.id, &self.owner.0, rest, &saved)
            .await
            .map_err(SessionError::Browser)?;
        let Some(lease) = lease else {
            self.let_go(Some(before));
            return Err(SessionError::NotFound);
        };
        let session = Session { lease: Some(Arc::new(lease)), ..before };
        self.inner.state.lock().live.insert(Arc::clone(&session.id), session.clone());
        Ok(session)
    }

    /// Drops a session that another server holds now, and leaves its pages open.
    fn let_go(&self, session: Option<Session>) {
        if let Some(session) = session {
            self.inner.state.lock().live.remove(&session.id);
            session.workspace.leave();
        }
    }

    /// Returns the id and expiry (ms since 1970) of the owner's sessions on all servers, earliest first.
    pub async fn list_on_all_servers(&self) -> Result<Vec<(String, u64)>> {
        match self.replica() {
            Some(replica) => replica.session_expiries_of(&self.owner.0).await,
            None => Ok(self
                .list()
                .into_iter()
                .map(|session| (session.id.to_string(), session.expires_at))
                .collect()),
        }
    }

    /// Releases all sessions to other servers, and leaves their pages open.
    pub async fn release_all(&self) {
        if self.replica().is_none() {
            return;
        }
        let sessions: Vec<_> = self.inner.state.lock().live.drain().map(|(_, session)| session).collect();
        let left = sessions.iter().map(async |session| {
            if session.is_held() {
                let _ = session.save().await;
            }
            session.workspace.leave();
            if let Some(lease) = &session.lease {
                lease.release().await;
            }
        });
        futures_util::future::join_all(left).await;
    }

    /// Closes contexts that expired sessions of dead servers have left open.
    async fn clear_away(&self) {
        let (Some(replica), Some(pool)) = (self.replica(), self.inner.engine.pool()) else { return };
        let Ok(overdue) = replica.take_expired_sessions(MOST_OVERDUE).await else { return };
        for (node, contexts) in overdue {
            let Some(node) = pool.node(&node) else { continue };
            let Ok(browser) = self.inner.engine.engine_of(&node, pool.limit).get_or_launch_browser().await
            else {
                continue;
            };
            for context in serde_json::from_str::<Vec<DetachedContext>>(&contexts).unwrap_or_default() {
                let _ = browser.dispose_context(&context.id).await;
            }
        }
    }
}
