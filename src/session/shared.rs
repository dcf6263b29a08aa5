//! Sessions of which several servers know: each has one server at a time, and another takes it over when that is gone.
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::{Instant, sleep};

use super::registry::{NoSession, Session, Sessions};
use super::workspace::{LeftContext, Workspace};
use crate::error::{Error, Result};
use crate::fleet::{Claim, Found, Opened, Replica, Saved};

/// How many sessions are cleared away at once whose servers are gone.
const MOST_OVERDUE: usize = 16;
/// By how much page numbers grow when another server takes over: more pages than one opens.
const PAGES_EACH: u32 = 1000;
/// How often sessions are looked for that nobody has any more.
const RHYTHM: Duration = Duration::from_secs(1);

impl Session {
    /// The token of whoever works in it now; `None` where no others could.
    pub fn token(&self) -> Option<u64> {
        self.lease.as_ref().map(|lease| lease.token)
    }

    /// Whether it is this server's.
    fn is_held(&self) -> bool {
        self.lease.as_ref().is_none_or(|lease| lease.holds())
    }

    /// Completes when it may be another server's.
    pub async fn lost(&self) {
        match &self.lease {
            Some(lease) => lease.lost().await,
            None => std::future::pending().await,
        }
    }

    /// Closes its pages, and has the others forget it.
    pub(super) async fn end(&self) {
        if self.is_held() {
            self.workspace.close().await;
        } else {
            self.workspace.leave();
        }
        if let Some(lease) = &self.lease {
            lease.close().await;
        }
    }

    fn to_be_saved(&self) -> Saved {
        Saved {
            node: self.workspace.engine().node().unwrap_or_default(),
            contexts: serde_json::to_string(&self.workspace.left()).unwrap_or_default(),
            cookies: self.workspace.remembered(),
        }
    }

    /// Writes down how it stands, if that has changed.
    ///
    /// # Errors
    /// `lease_lost` where it is another server's by now, `state_unavailable`
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
    /// Knows of other servers from now on.
    pub fn share(&self, replica: Arc<Replica>) {
        if self.inner.replica.set(replica).is_err() {
            return;
        }
        let sessions = Arc::downgrade(&self.inner);
        let owner = self.owner.clone();
        tokio::spawn(async move {
            loop {
                sleep(RHYTHM).await;
                let Some(inner) = sessions.upgrade() else { return };
                Self { inner, owner: owner.clone() }.clear_away().await;
            }
        });
    }

    fn replica(&self) -> Option<&Arc<Replica>> {
        self.inner.replica.get()
    }

    /// Writes a session down for the others, before it is made.
    pub(super) async fn write_down(
        &self,
        id: &str,
        label: Option<&str>,
    ) -> Result<Option<Opened>, NoSession> {
        let Some(replica) = self.replica() else { return Ok(None) };
        let offers = match self.inner.engine.pool() {
            Some(pool) => {
                pool.refresh().await;
                let offers = pool.offers(label);
                if offers.is_empty() {
                    return Err(NoSession::Browser(Error::PoolFull));
                }
                // Sessions are counted for all servers.
                offers.into_iter().map(|offer| crate::fleet::pool::Offer { load: 0, ..offer }).collect()
            }
            None => Vec::new(),
        };
        let options = self.options();
        let limit = options.limit.get();
        let opened = replica.open(id, &self.owner.0, options.lifetime, limit, &offers).await;
        match opened.map_err(NoSession::Browser)? {
            Some(opened) => Ok(Some(opened)),
            None => Err(NoSession::LimitReached { limit }),
        }
    }

    /// The session of this id. One whose server is gone is taken over.
    pub async fn reach(&self, id: &str) -> Result<Session, NoSession> {
        let Some(replica) = self.replica() else { return self.get(id) };
        if let Some(known) = self.known(id)? {
            return Ok(known);
        }
        let _turn = self.inner.claiming.take(id).await;
        if let Some(known) = self.known(id)? {
            return Ok(known);
        }
        let found = replica.claim(id, &self.owner.0).await.map_err(NoSession::Browser)?;
        let before = self.inner.state.lock().live.get(id).filter(|known| known.owner == self.owner).cloned();
        match found {
            Found::Here(claim) => self.take_over(id, *claim, before).await.map_err(NoSession::Browser),
            Found::Nowhere => match before {
                Some(before) => self.write_again(replica, before).await,
                None => Err(NoSession::NotFound),
            },
            Found::Elsewhere(peer, lease) => {
                self.let_go(before);
                Err(NoSession::Elsewhere(peer, lease))
            }
            Found::Expired => {
                self.let_go(before);
                Err(NoSession::Expired)
            }
        }
    }

    /// A session that is this server's for sure.
    fn known(&self, id: &str) -> Result<Option<Session>, NoSession> {
        match self.get(id) {
            Ok(session) => Ok(Some(session).filter(Session::is_held)),
            Err(NoSession::NotFound) => Ok(None),
            Err(error) => Err(error),
        }
    }

    async fn take_over(&self, id: &str, claim: Claim, before: Option<Session>) -> Result<Session> {
        let Claim { lease, saved, created_at, expires_at, rest, adoptions, .. } = claim;
        // Nobody else has worked in it since we did.
        let same = before.filter(|before| before.token() == Some(claim.before));
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
            tracing::info!(token = session.token(), "a session of another server was taken over");
            if let Some(replaced) = replaced {
                replaced.workspace.leave();
            }
            self.inner.end_at(&session.id, session.deadline);
        }
        session.save().await?;
        Ok(session)
    }

    /// A workspace of what another server left.
    async fn workspace_of(&self, saved: &Saved, adoptions: u32) -> Result<Workspace> {
        let engine = &self.inner.engine;
        let workspace = match &*self.owner.0 {
            "" => engine.workspace(),
            owner => engine.workspace_apart(owner, engine.options().context.clone()),
        };
        let left: Vec<LeftContext> = serde_json::from_str(&saved.contexts).unwrap_or_default();
        let names: Vec<_> = left.iter().map(|context| context.name().to_owned()).collect();
        let node = Some(saved.node.clone()).filter(|node| !node.is_empty());
        let workspace = workspace.berthed(node, None, true);
        workspace.begin_with(left, adoptions * PAGES_EACH);
        workspace.recall(&saved.cookies);
        for name in names {
            workspace.live_context(Some(&name)).await?;
        }
        Ok(workspace)
    }

    /// The shared state has lost a session that was this server's: it is written down again.
    async fn write_again(&self, replica: &Arc<Replica>, before: Session) -> Result<Session, NoSession> {
        let rest = before.deadline.saturating_duration_since(Instant::now());
        let saved = before.to_be_saved();
        let lease =
            replica.restore(&before.id, &self.owner.0, rest, &saved).await.map_err(NoSession::Browser)?;
        let Some(lease) = lease else {
            self.let_go(Some(before));
            return Err(NoSession::NotFound);
        };
        let session = Session { lease: Some(Arc::new(lease)), ..before };
        self.inner.state.lock().live.insert(Arc::clone(&session.id), session.clone());
        Ok(session)
    }

    /// Forgets a session that is not this server's any more.
    fn let_go(&self, session: Option<Session>) {
        if let Some(session) = session {
            self.inner.state.lock().live.remove(&session.id);
            session.workspace.leave();
        }
    }

    /// All sessions of the owner, wherever they are, and when they end, the next to end first.
    pub async fn everywhere(&self) -> Result<Vec<(String, u64)>> {
        match self.replica() {
            Some(replica) => replica.sessions_of(&self.owner.0).await,
            None => Ok(self
                .list()
                .into_iter()
                .map(|session| (session.id.to_string(), session.expires_at))
                .collect()),
        }
    }

    /// Leaves all sessions to other servers, with their pages as they are.
    pub async fn hand_over(&self) {
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

    /// Closes what sessions have left whose servers are gone, and whose time is over.
    async fn clear_away(&self) {
        let (Some(replica), Some(pool)) = (self.replica(), self.inner.engine.pool()) else { return };
        let Ok(overdue) = replica.overdue(MOST_OVERDUE).await else { return };
        for (node, contexts) in overdue {
            let Some(node) = pool.node(&node) else { continue };
            let Ok(browser) = self.inner.engine.engine_of(&node, pool.limit).browser().await else {
                continue;
            };
            for context in serde_json::from_str::<Vec<LeftContext>>(&contexts).unwrap_or_default() {
                let _ = browser.dispose_context(&context.id).await;
            }
        }
    }
}
