//! Sessions that one server at a time may work in.
use std::sync::Arc;
use std::time::Duration;

use super::beat::Life;
use super::peers::Peer;
use super::pool::Offer;
use super::replica::{Replica, read_peer, script};
use crate::error::{Error, Result};

/// That a session is this server's. It ends when the server may be taken for dead; nothing is done in the session then
/// until it is [claimed](Replica::claim) again.
#[derive(Debug)]
pub struct Lease {
    replica: Arc<Replica>,
    session: Arc<str>,
    /// Larger than that of whoever had the session before, whichever server that was.
    pub token: u64,
    life: Life,
}

/// A session that was written down.
#[derive(Debug)]
pub struct Opened {
    pub lease: Lease,
    /// The browser that it is to be in; empty without a pool.
    pub node: String,
    /// Milliseconds since 1970.
    pub expires_at: u64,
}

/// What is known of a session that this server has from now on.
#[derive(Debug)]
pub struct Claim {
    pub lease: Lease,
    /// The token of whoever had it before.
    pub before: u64,
    pub saved: Saved,
    /// Milliseconds since 1970.
    pub created_at: u64,
    /// Milliseconds since 1970.
    pub expires_at: u64,
    pub rest: Duration,
    /// How many servers have taken it over.
    pub adoptions: u32,
}

/// What is written down of a session, so that another server can go on with it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Saved {
    /// The browser that it is in.
    pub node: String,
    /// The contexts that it has there, as JSON.
    pub contexts: String,
    /// Cookies, as JSON, if they are to outlive the browser; empty where they are not.
    pub cookies: String,
}

/// Where a session is.
#[derive(Debug)]
pub enum Found {
    Here(Box<Claim>),
    /// Another server has it, for so long at least.
    Elsewhere(Peer, Duration),
    Expired,
    Nowhere,
}

impl Lease {
    /// Whether the session may be worked in.
    pub fn holds(&self) -> bool {
        self.replica.beats.held_until(self.life).is_some()
    }

    /// Completes when the session may no longer be worked in.
    pub async fn lost(&self) {
        self.replica.beats.lost(self.life).await;
    }

    /// Writes down how it stands. Gives whether the session is still this server's.
    pub async fn save(&self, saved: &Saved) -> Result<bool> {
        let token = self.token.to_string();
        let arguments = [&*self.session, &token, &saved.node, &saved.contexts, &saved.cookies];
        let kept: i64 = self.replica.store.run(script!("save"), &arguments).await?;
        Ok(kept == 1)
    }

    /// Leaves the session to whoever is asked for it next.
    pub async fn release(&self) {
        let _ = self
            .replica
            .store
            .run::<i64>(script!("release"), &[&self.session, &self.token.to_string()])
            .await;
    }

    /// The session has ended.
    pub async fn close(&self) {
        let _ =
            self.replica.store.run::<i64>(script!("close"), &[&self.session, &self.token.to_string()]).await;
    }
}

impl Replica {
    fn lease(self: &Arc<Self>, session: &str, token: u64, life: Life) -> Lease {
        Lease { replica: Arc::clone(self), session: session.into(), token, life }
    }

    /// Writes down a session that is to be made, in the browser of `offers` that bears least; `None` where the owner has
    /// as many as `limit` says.
    ///
    /// # Errors
    /// `pool_full` where no browser has room.
    pub async fn open(
        self: &Arc<Self>,
        session: &str,
        owner: &str,
        lifetime: Duration,
        limit: usize,
        offers: &[Offer],
    ) -> Result<Option<Opened>> {
        let (lifetime, limit) = (lifetime.as_millis().to_string(), limit.to_string());
        let numbers: Vec<_> =
            offers.iter().map(|offer| (offer.capacity.to_string(), offer.load.to_string())).collect();
        let mut arguments = vec![session, owner, self.id.as_str(), &lifetime, &limit];
        for (offer, (capacity, load)) in offers.iter().zip(&numbers) {
            arguments.extend([offer.node.as_str(), capacity, load]);
        }
        let (answer, life) = self.run_alive(script!("open"), &arguments).await?;
        match answer.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            ["limit"] => Ok(None),
            ["full"] => Err(Error::PoolFull),
            ["opened", token, node, expires] => Ok(Some(Opened {
                lease: self.lease(session, number(token)?, life),
                node: node.to_owned(),
                expires_at: number(expires)?,
            })),
            _ => Err(unreadable()),
        }
    }

    /// Asks for a session, which is this server's from now on unless another has it that lives.
    pub async fn claim(self: &Arc<Self>, session: &str, owner: &str) -> Result<Found> {
        let (answer, life) = self.run_alive(script!("claim"), &[session, owner, &self.id]).await?;
        Ok(match answer.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            ["none"] => Found::Nowhere,
            ["expired"] => Found::Expired,
            ["held", info, lease] => {
                let peer = read_peer(info).ok_or_else(unreadable)?;
                Found::Elsewhere(peer, Duration::from_millis(lease.parse().unwrap_or_default()))
            }
            ["mine", token, before, node, contexts, created, expires, rest, adoptions, cookies] => {
                Found::Here(Box::new(Claim {
                    lease: self.lease(session, number(token)?, life),
                    before: number(before)?,
                    saved: Saved {
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

    /// Writes down again a session that the shared state has lost, if nobody else has.
    pub async fn restore(
        self: &Arc<Self>,
        session: &str,
        owner: &str,
        rest: Duration,
        saved: &Saved,
    ) -> Result<Option<Lease>> {
        let rest = rest.as_millis().to_string();
        let arguments = [session, owner, &self.id, &rest, &saved.node, &saved.contexts];
        let (answer, life) = self.run_alive(script!("restore"), &arguments).await?;
        match answer.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            ["opened", token] => Ok(Some(self.lease(session, number(token)?, life))),
            _ => Ok(None),
        }
    }

    /// The sessions of an owner, wherever they are, and when they end, in milliseconds since 1970.
    pub async fn sessions_of(&self, owner: &str) -> Result<Vec<(String, u64)>> {
        let pairs: Vec<String> = self.store.run(script!("list"), &[owner]).await?;
        Ok(pairs.chunks_exact(2).map(|pair| (pair[0].clone(), whole(&pair[1]))).collect())
    }

    /// Sessions whose time is over and whose server is gone: the browser of each, and its contexts there.
    pub async fn overdue(&self, most: usize) -> Result<Vec<(String, String)>> {
        let pairs: Vec<String> = self.store.run(script!("overdue"), &[&most.to_string()]).await?;
        Ok(pairs.chunks_exact(2).map(|pair| (pair[0].clone(), pair[1].clone())).collect())
    }
}

fn number(text: &str) -> Result<u64> {
    text.parse().map_err(|_| unreadable())
}

/// A score, which may be reported as `1.7e12`.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "times are whole and positive")]
fn whole(score: &str) -> u64 {
    score.parse::<f64>().unwrap_or_default() as u64
}

fn unreadable() -> Error {
    Error::StateUnavailable { reason: "what it holds is of another version".to_owned() }
}
