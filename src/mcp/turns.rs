//! Calls on one page take turns; calls on different pages do not wait for each other.
use std::collections::HashMap;
use std::sync::{Arc, Weak};

use parking_lot::Mutex;
use tokio::sync::OwnedMutexGuard;

use crate::browser::Page;

type Queue = tokio::sync::Mutex<()>;

/// Who is at work on which page.
#[derive(Debug, Default)]
pub(super) struct Turns {
    pages: Mutex<HashMap<String, Weak<Queue>>>,
}

impl Turns {
    /// Waits until nobody else works on the page. The turn ends when the guard is dropped.
    pub(super) async fn take(&self, page: &Page) -> OwnedMutexGuard<()> {
        self.queue(page.id()).lock_owned().await
    }

    fn queue(&self, page: &str) -> Arc<Queue> {
        let mut pages = self.pages.lock();
        if let Some(queue) = pages.get(page).and_then(Weak::upgrade) {
            return queue;
        }
        pages.retain(|_, queue| queue.strong_count() > 0);
        let queue = Arc::<Queue>::default();
        pages.insert(page.to_owned(), Arc::downgrade(&queue));
        queue
    }
}
