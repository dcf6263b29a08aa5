//! Connection limits: at the limit, a new connection replaces the oldest one without a valid key.
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;
use tokio::task::AbortHandle;

/// Connections that have not sent a valid key yet, oldest first.
#[derive(Debug, Default)]
pub(super) struct UnauthenticatedConnections {
    waiting: Mutex<BTreeMap<u64, AbortHandle>>,
    last: AtomicU64,
}

/// An accepted connection, which may be unauthenticated. Dropping it removes it from the list of those.
#[derive(Debug)]
pub(super) struct AcceptedConnection {
    strangers: Arc<UnauthenticatedConnections>,
    number: u64,
}

impl UnauthenticatedConnections {
    /// Accepts a connection. `serve` must start a task that serves the connection, and return its handle.
    pub(super) fn accept(self: &Arc<Self>, serve: impl FnOnce(AcceptedConnection) -> AbortHandle) {
        let number = self.last.fetch_add(1, Ordering::Relaxed);
        // Locked until the connection is in the list, so that it cannot authenticate before it is there.
        let mut waiting = self.waiting.lock();
        let task = serve(AcceptedConnection { strangers: Arc::clone(self), number });
        waiting.insert(number, task);
    }

    /// Whether there is an unauthenticated connection that could be closed.
    pub(super) fn has_any(&self) -> bool {
        !self.waiting.lock().is_empty()
    }

    /// Closes the oldest unauthenticated connection.
    pub(super) fn close_oldest(&self) {
        let oldest = self.waiting.lock().pop_first();
        if let Some((_, task)) = oldest {
            tracing::debug!("a connection without a key made room for another");
            task.abort();
        }
    }
}

impl AcceptedConnection {
    /// Marks the connection as authenticated, so that it is not closed to make room for another.
    pub(super) fn mark_authenticated(&self) {
        self.strangers.waiting.lock().remove(&self.number);
    }
}

impl Drop for AcceptedConnection {
    fn drop(&mut self) {
        self.mark_authenticated();
    }
}
