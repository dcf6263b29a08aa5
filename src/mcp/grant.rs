//! The permissions of an API key's owner, and the rate limit.
use std::collections::{BTreeSet, VecDeque};
use std::num::{NonZeroU32, NonZeroUsize};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

use crate::browser::policy::{OriginPattern, Policy};
use crate::error::{Error, Result};

/// The permissions of an owner. The default permits everything that the server offers.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct OwnerPermissions {
    /// The permitted tools by name; `None` permits all tools.
    pub tools: Option<BTreeSet<&'static str>>,
    /// The only origins that pages may reach, within those that the server allows. If empty, all of these.
    pub origins: Vec<OriginPattern>,
    /// The maximum number of calls in a minute; `None` for no limit.
    pub calls_per_minute: Option<NonZeroU32>,
    /// The maximum number of open sessions; `None` for the server's limit.
    pub max_sessions: Option<NonZeroUsize>,
}

impl OwnerPermissions {
    /// Whether the owner may call a tool.
    pub fn permits(&self, tool: &str) -> bool {
        self.tools.as_ref().is_none_or(|tools| tools.contains(tool))
    }

    /// Returns the server's policy, restricted to the origins of this grant.
    pub(super) fn within(&self, policy: &Arc<Policy>) -> Arc<Policy> {
        match self.origins.is_empty() {
            true => Arc::clone(policy),
            false => Arc::new(Policy { narrowed: self.origins.clone(), ..Policy::clone(policy) }),
        }
    }
}

const MINUTE: Duration = Duration::from_secs(60);

/// The times of an owner's calls in the last minute.
#[derive(Debug, Default)]
pub(super) struct RecentCalls(Mutex<VecDeque<Instant>>);

impl RecentCalls {
    /// Counts a call against the rate limit.
    ///
    /// # Errors `rate_limited` if the limit is reached.
    pub(super) fn count(&self, grant: &OwnerPermissions) -> Result<()> {
        let Some(limit) = grant.calls_per_minute else { return Ok(()) };
        self.take(limit).map_err(|wait| Error::RateLimited { limit: limit.get(), wait })
    }

    /// Counts a call if fewer than `limit` began in the last minute; otherwise returns how long to wait.
    pub(super) fn take(&self, limit: NonZeroU32) -> Result<(), Duration> {
        let (mut times, now) = (self.0.lock(), Instant::now());
        times.retain(|time| now.duration_since(*time) < MINUTE);
        let most = limit.get() as usize;
        if let Some(waits_for) = times.len().checked_sub(most).and_then(|index| times.get(index)) {
            return Err(MINUTE.saturating_sub(now.duration_since(*waits_for)));
        }
        times.push_back(now);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_call_has_its_place_again_a_minute_later() {
        let (calls, grant) = (RecentCalls::default(), OwnerPermissions::default());
        for _ in 0..1000 {
            calls.count(&grant).unwrap();
        }
        let grant = OwnerPermissions { calls_per_minute: NonZeroU32::new(2), ..grant };
        calls.count(&grant).unwrap();
        tokio::time::advance(Duration::from_secs(20)).await;
        calls.count(&grant).unwrap();
        let refused = calls.count(&grant).unwrap_err();
        assert!(
            matches!(refused, Error::RateLimited { limit: 2, wait } if wait.as_secs() == 40),
            "{refused}"
        );
        tokio::time::advance(Duration::from_secs(40)).await;
        calls.count(&grant).unwrap();
        assert_eq!(calls.count(&grant).unwrap_err().code(), "rate_limited");
    }
}
