//! Event listeners. They are called in order of subscription, before any later CDP reply is delivered.
use std::fmt;
use std::sync::Arc;

use parking_lot::Mutex;

/// A callback for events. It must not block.
pub type Listener<E> = Arc<dyn Fn(&E) + Send + Sync>;

/// The listeners of one kind of event.
pub(in crate::browser) struct Listeners<E>(Mutex<Vec<Listener<E>>>);

impl<E> Listeners<E> {
    pub(in crate::browser) fn add(&self, listener: Listener<E>) {
        self.0.lock().push(listener);
    }

    pub(in crate::browser) fn emit(&self, event: &E) {
        // Copies the list, since a listener may add another listener.
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
