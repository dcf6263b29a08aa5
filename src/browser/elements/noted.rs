//! Records key and pointer actions that make up one tool call, so that a generated script can repeat them.
use std::sync::Arc;

use parking_lot::Mutex;

use crate::browser::input::Point;

/// A key or pointer action on an element. Coordinates are relative to the element's top left corner.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PerformedInput {
    Keys {
        key: &'static str,
        times: usize,
    },
    Press(Point),
    Slide(Point, Point),
    /// Another element was dropped at `at`, after a long press if `long_press`.
    Drop {
        at: Point,
        long_press: bool,
    },
}

/// The recorded actions on one element; `None` until recording starts. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct PerformedInputs(Arc<Mutex<Option<Vec<PerformedInput>>>>);

impl PerformedInputs {
    /// Starts recording.
    pub(super) fn begin(&self) {
        *self.0.lock() = Some(Vec::new());
    }

    pub(super) fn add(&self, done: PerformedInput) {
        let mut noted = self.0.lock();
        let noted = noted.get_or_insert_default();
        match (noted.last_mut(), done) {
            (Some(PerformedInput::Keys { key: last, times: all }), PerformedInput::Keys { key, times })
                if *last == key =>
            {
                *all += times;
            }
            _ => noted.push(done),
        }
    }

    pub fn get(&self) -> Option<Vec<PerformedInput>> {
        self.0.lock().clone()
    }
}
