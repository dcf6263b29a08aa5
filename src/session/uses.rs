//! Tracks whether calls use the browser, so that it is not closed during a call.
use std::sync::Arc;

use tokio::time::Instant;

use crate::sync::{Mutex, now};

/// The number of running calls, and the time when the last one ended.
#[derive(Debug, Clone)]
pub(super) struct UsageTracker(Arc<Mutex<Known>>);

#[derive(Debug)]
struct Known {
    running: usize,
    ended: Instant,
}

/// A running call. Dropping it marks the end of the call.
#[derive(Debug)]
pub struct UsageGuard(UsageTracker);

impl Drop for UsageGuard {
    fn drop(&mut self) {
        let mut known = self.0.0.lock();
        known.running -= 1;
        known.ended = now();
    }
}

impl UsageTracker {
    pub(super) fn new() -> Self {
        Self(Arc::new(Mutex::new(Known { running: 0, ended: now() })))
    }

    /// Marks a call as running until the returned guard is dropped.
    pub(super) fn begin(&self) -> UsageGuard {
        self.0.lock().running += 1;
        UsageGuard(self.clone())
    }

    /// Returns when the last call ended; `None` while a call is running.
    pub(super) fn unused_since(&self) -> Option<Instant> {
        let known = self.0.lock();
        (known.running == 0).then_some(known.ended)
    }

    /// Runs `then` if no call is running; calls that begin meanwhile wait. `then` must not block.
    pub(super) fn while_unused<T>(&self, then: impl FnOnce() -> T) -> Option<T> {
        let known = self.0.lock();
        (known.running == 0).then(then)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use shuttle::future::{block_on, spawn, yield_now};

    use super::*;
    use crate::sync::in_many_orders;

    /// Models the engine: a call marks itself as running before it gets the browser.
    #[test]
    fn a_browser_is_not_closed_under_a_call() {
        in_many_orders(|| {
            block_on(async {
                let uses = UsageTracker::new();
                let current = Arc::new(Mutex::new(Some(Arc::new(AtomicBool::new(true)))));
                let (held, idle) = (current.clone(), uses.clone());
                let closer = spawn(async move {
                    for _ in 0..3 {
                        let unneeded = idle.while_unused(|| held.lock().take());
                        if let Some(browser) = unneeded.flatten() {
                            browser.store(false, Ordering::SeqCst);
                        }
                        yield_now().await;
                    }
                });
                let callers = [0, 1].map(|_| {
                    let (uses, current) = (uses.clone(), current.clone());
                    spawn(async move {
                        let in_use = uses.begin();
                        let browser = current.lock().clone();
                        yield_now().await;
                        assert!(browser.is_none_or(|browser| browser.load(Ordering::SeqCst)));
                        drop(in_use);
                    })
                });
                for task in callers.into_iter().chain([closer]) {
                    task.await.unwrap();
                }
                assert!(uses.unused_since().is_some());
            });
        });
    }
}
