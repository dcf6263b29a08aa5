//! Whether there is room for one more page. Pages open windows by themselves, so the browser's task asks before it takes one.
use std::fmt;
use std::sync::Arc;

/// Says whether there is room. Cheap to clone.
#[derive(Clone)]
pub struct Room(Arc<dyn Fn() -> bool + Send + Sync>);

impl Room {
    pub fn new(is_there: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self(Arc::new(is_there))
    }

    pub(super) fn is_there(&self) -> bool {
        (self.0)()
    }
}

impl fmt::Debug for Room {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Room")
    }
}
