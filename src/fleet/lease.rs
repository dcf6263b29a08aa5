//! Leases: make sure that at most one server at a time works in a session.
use std::sync::Arc;
use std::time::Duration;

use super::beat::AlivePeriod;
use super::peers::Peer;
use super::pool::PoolCandidate;
use super::replica::{Replica, read_peer, script};
use crate::error::{Error, Result};

/// The right of this server to work in a session. It ends when other servers may consider this server dead.
/// To continue, the server must [claim](Replica::claim) the session again.
#[derive(Debug)]
pub struct Lease {
    replica: Arc<Replica>,
    session: Arc<str>,
    /// The fencing token of the lease. Each new lease of a session has a higher token.
    pub token: u64,
    life: AlivePeriod,
}

/// A session that was just created in the shared state.
#[derive(Debug)]
pub struct NewSession {
    pub lease: Lease,
    /// The name of the pool's browser for this session; empty without a pool.
    pub node: String,
    /// When the session expires, in milliseconds since 1970.
    pub expires_at: u64,
}

/// A session whose lease this server has acquired.
#[derive(Debug)]
pub struct ClaimedSession {
    pub lease: Lease,
    /// The token of the previous lease.
    pub before: u64,
    pub saved: SavedSession,
    /// When the session was created, in milliseconds since 1970.
    pub created_at: u64,
    /// When the session expires, in milliseconds since 1970.
    pub expires_at: u64,
    pub rest: Duration,
    /// How often the session was taken over by another server.
    pub adoptions: u32,
}

/// The stored state of a session, from which another server can continue it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SavedSession {
    /// The name of the pool's browser that hosts the session.
    pub node: String,
    /// The session's contexts in that browser, as JSON.
    pub contexts: String,
    /// Cookies as JSON if they must survive the browser; otherwise empty.
    pub cookies: String,
}

/// The result of claiming a session.
#[derive(Debug)]
pub enum ClaimResult {
    Here(Box<ClaimedSession>),
    /// Another server owns the session, at least for this duration.
    Elsewhere(Peer, Duration),
    Expired,
    NotFound,
}

impl Lease {
    /// Returns whether this server may still work in the session.
    pub fn is_valid(&self) -> bool {
        self.replica.beats.held_until(self.life).is_some()
    }

    /// Completes when this server may no longer work in the session.
    pub async fn until_lost(&self) {
        self.replica.beats.lost(self.life).await;
    }

    /// Saves the session's state. Returns whether this server still owned the session.
    pub async fn save(&self, saved: &SavedSession) -> Result<bool> {
        let token = self.token.to_string();
        let arguments = [&*self.session, &token, &saved.node, &saved.contexts, &saved.cookies];
        let kept: i64 = self.replica.store.run(script!("save"), &arguments).await?;
        Ok(kept == 1)
    }

    /// Releases the session, so that any server can claim it.
    pub async fn release(&self) {
        let _ = self
            .replica
            .store
            .run::<i64>(script!("release"), &[&self.session, &self.token.to_string()])
            .await;
    }

    /// Removes the session from the shared state.
    pub async fn delete_session(&self) {
        let _ =
            self.replica.store.run::<i64>(script!("close"), &[&self.session, &self.token.to_string()]).await;
    }
}

impl Replica {
    fn lease(self: &Arc<Self>, session: &str, token: u64, life: AlivePeriod) -> Lease {
        Lease { replica: Arc::clone(self), session: session.into(), token, life }
    }

    /// Creates a session in the shared state, on the browser of `offers` with the lowest load. Returns `None`
    /// if the owner already has `limit` sessions.
    ///
    /// # Errors `pool_full` if no browser has free capacity.
    pub async fn create_session(
        self: &Arc<Self>,
        session: &str,
        owner: &str,
        lifetime: Duration,
        limit: usize,
        offers: &[PoolCandidate],
    ) -> Result<Option<NewSession>> {
        let (lifetime, limit) = (lifetime.as_millis().to_string(), limit.to_string());
        let numbers: Vec<_> =
            offers.iter().map(|offer| (offer.capacity.to_string(), offer.load.to_string())).collect();
        let mut arguments = vec![session, owner, self.id.as_str(), &lifetime, &limit];
        for (offer, (capacity, load)) in offers.iter().zip(&numbers) {
            arguments.extend([offer.node.as_str(), capacity, load]);
        }
        let (answer, life) = self.run_if_alive(script!("open"), &arguments).await?;
        match answer.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            ["limit"] => Ok(None),
            ["full"] => Err(Error::PoolFull),
            ["opened", token, node, expires] => Ok(Some(NewSession {
                lease: self.lease(session, number(token)?, life),
                node: node.to_owned(),
                expires_at: number(expires)?,
            })),
            _ => Err(unreadable()),
        }
    }

    /// Claims a session. Succeeds unless another live server owns it.
    pub async fn claim(self: &Arc<Self>, session: &str, owner: &str) -> Result<ClaimResult> {
        let (answer, life) = self.run_if_alive(script!("claim"), &[session, owner, &self.id]).await?;
        Ok(match answer.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            ["none"] => ClaimResult::NotFound,
            ["expired"] => ClaimResult::Expired,
            ["held", info, lease] => {
                let peer = read_peer(info).ok_or_else(unreadable)?;
                ClaimResult::Elsewhere(peer, Duration::from_millis(lease.parse().unwrap_or_default()))
            }
            ["mine", token, before, node, contexts, created, expires, rest, adoptions, cookies] => {
                ClaimResult::Here(Box::new(ClaimedSession {
                    lease: self.lease(session, number(token)?, life),
                    before: number(before)?,
                    saved: SavedSession {
                        node: node.to_owned(),
                        contexts: contexts.to_owned(),
                        cookies: cookies.to_owned(),
                    },
                    created_at: number(created)?,
                    expires_at: number(expires)?,
                    rest: Duration::from_millis(number(rest)?),
                    adoptions: u32::try_from(number(adoptions)?).unwrap_or(u32::MAX),
                }))
            }
            _ => return Err(unreadable()),
        })
    }

    /// Stores a session again that the shared state has lost; `None` if another server was first.
    pub async fn restore_lost_session(
        self: &Arc<Self>,
        session: &str,
        owner: &str,
        rest: Duration,
        saved: &SavedSession,
    ) -> Result<Option<Lease>> {
        let rest = rest.as_millis().to_string();
        let arguments = [session, owner, &self.id, &rest, &saved.node, &saved.contexts];
        let (answer, life) = self.run_if_alive(script!("restore"), &arguments).await?;
        match answer.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            ["opened", token] => Ok(Some(self.lease(session, number(token)?, life))),
            _ => Ok(None),
        }
    }

    /// Returns the owner's sessions on all servers: id, and expiry in milliseconds since 1970.
    pub async fn session_expiries_of(&self, owner: &str) -> Result<Vec<(String, u64)>> {
        let pairs: Vec<String> = self.store.run(script!("list"), &[owner]).await?;
        Ok(pairs.chunks_exact(2).map(|pair| (pair[0].clone(), whole(&pair[1]))).collect())
    }

    /// Removes up to `most` expired sessions whose server is gone. Returns browser and contexts of each.
    pub async fn take_expired_sessions(&self, most: usize) -> Result<Vec<(String, String)>> {
        let pairs: Vec<String> = self.store.run(script!("overdue"), &[&most.to_string()]).await?;
        Ok(pairs.chunks_exact(2).map(|pair| (pair[0].clone(), pair[1].clone())).collect())
    }
}

fn number(text: &str) -> Result<u64> {
    text.parse().map_err(|_| unreadable())
}

/// Parses a score of a sorted set, which Redis may write as `1.7e12`.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "times are whole and positive")]
fn whole(score: &str) -> u64 {
    score.parse::<f64>().unwrap_or_default() as u64
}

fn unreadable() -> Error {
    Error::StateUnavailable { reason: "its content was written by another version".to_owned() }
}
