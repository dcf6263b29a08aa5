//! Who is let in where there is no room: rather one with a key than one of whom nothing is known.
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;
use tokio::task::AbortHandle;

/// The connections over which nothing with a good key has come yet, oldest first.
#[derive(Debug, Default)]
pub(super) struct Strangers {
    waiting: Mutex<BTreeMap<u64, AbortHandle>>,
    last: AtomicU64,
}

/// A connection of one who may be a stranger. Its end is noticed.
#[derive(Debug)]
pub(super) struct Entrance {
    strangers: Arc<Strangers>,
    number: u64,
}

impl Strangers {
    /// Takes in a connection. `serve` begins to serve it, in a task that can be ended.
    pub(super) fn take_in(self: &Arc<Self>, serve: impl FnOnce(Entrance) -> AbortHandle) {
        let number = self.last.fetch_add(1, Ordering::Relaxed);
        // Locked until it is written down, so that it cannot be known before.
        let mut waiting = self.waiting.lock();
        let task = serve(Entrance { strangers: Arc::clone(self), number });
        waiting.insert(number, task);
    }

    /// Whether somebody could make room.
    pub(super) fn are_there(&self) -> bool {
        !self.waiting.lock().is_empty()
    }

    /// Ends the connection that has been strange for the longest time.
    pub(super) fn dismiss_oldest(&self) {
        let oldest = self.waiting.lock().pop_first();
        if let Some((_, task)) = oldest {
            tracing::debug!("a connection without a key made room for another");
            task.abort();
        }
    }
}

impl Entrance {
    /// A good key has come over the connection.
    pub(super) fn is_known(&self) {
        self.strangers.waiting.lock().remove(&self.number);
    }
}

impl Drop for Entrance {
    fn drop(&mut self) {
        self.is_known();
    }
}
