//! Listeners: called in order, and before any later reply is handed out.
use std::fmt;
use std::sync::Arc;

use parking_lot::Mutex;

/// What hears. It must not wait for anything.
pub type Listener<E> = Arc<dyn Fn(&E) + Send + Sync>;

/// Those who listen to one thing.
pub(in crate::browser) struct Listeners<E>(Mutex<Vec<Listener<E>>>);

impl<E> Listeners<E> {
    pub(in crate::browser) fn add(&self, listener: Listener<E>) {
        self.0.lock().push(listener);
    }

    pub(in crate::browser) fn tell(&self, event: &E) {
        // Who hears may add another listener.
        let listeners = self.0.lock().clone();
        for listener in listeners {
            listener(event);
        }
    }
}

impl<E> Default for Listeners<E> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<E> fmt::Debug for Listeners<E> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Listeners").field("count", &self.0.lock().len()).finish()
    }
}
