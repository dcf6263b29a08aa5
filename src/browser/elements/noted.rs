//! What a hand did where a script has no one word for it, noted for whoever writes scripts.
use std::sync::Arc;

use parking_lot::Mutex;

use crate::browser::input::Point;

/// One thing that a hand did to an element. Places are counted from its upper left corner.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum HandMove {
    Keys {
        key: &'static str,
        times: usize,
    },
    Press(Point),
    Slide(Point, Point),
    /// Something was dragged here, after it was held for a while if `long_press`.
    Drop {
        at: Point,
        long_press: bool,
    },
}

/// What was done to one element; nothing before it is clear that it has to be noted. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct HandMoves(Arc<Mutex<Option<Vec<HandMove>>>>);

impl HandMoves {
    /// From now on all that is done counts, and nothing before.
    pub(super) fn begin(&self) {
        *self.0.lock() = Some(Vec::new());
    }

    pub(super) fn add(&self, done: HandMove) {
        let mut noted = self.0.lock();
        let noted = noted.get_or_insert_default();
        match (noted.last_mut(), done) {
            (Some(HandMove::Keys { key: last, times: all }), HandMove::Keys { key, times })
                if *last == key =>
            {
                *all += times;
            }
            _ => noted.push(done),
        }
    }

    pub fn get(&self) -> Option<Vec<HandMove>> {
        self.0.lock().clone()
    }
}
