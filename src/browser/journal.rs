//! What has happened on a page, in an order: who acts can ask afterwards what the action caused.
use std::collections::HashMap;

use tokio::time::Instant;

use crate::cdp::types::network::{RequestWillBeSent, ResponseReceived};

/// A point in a page's history.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark(u64);

/// What has happened since a mark.
#[derive(Debug, Clone, Default)]
pub struct Pending {
    /// The main frame began to navigate, or committed a new document.
    pub navigating: bool,
    /// The main frame has committed a new document.
    pub committed: bool,
    /// The main frame moved to another place within its document.
    pub moved_within: bool,
    /// Frames that began to load since then and have not stopped.
    pub loading: usize,
    /// Requests begun since then that have not ended.
    pub requests: usize,
    /// Fetches begun since then that were answered, but have not been read to their end.
    pub bodies: usize,
    /// When the newest effect was seen, if there was one.
    pub last_effect: Option<Instant>,
    /// New windows asked for.
    pub windows: usize,
    /// A dialog is open.
    pub dialog: bool,
    /// A file chooser waits.
    pub chooser: bool,
    /// The page has closed or crashed.
    pub gone: bool,
}

#[derive(Debug, Default)]
pub(super) struct Journal {
    sequence: u64,
    last_effect: Option<(u64, Instant)>,
    navigation: u64,
    commit: u64,
    moved_within: u64,
    loading: HashMap<String, u64>,
    windows: Vec<u64>,
    requests: HashMap<String, u64>,
    bodies: HashMap<String, u64>,
}

/// The kinds of request whose end an action waits for.
const AWAITED: [&str; 5] = ["Document", "Stylesheet", "Script", "XHR", "Fetch"];

/// A page that asks for more at once is not waited for request by request.
const MOST_REQUESTS: usize = 10_000;

impl Journal {
    pub(super) fn mark(&self) -> Mark {
        Mark(self.sequence)
    }

    pub(super) fn since(&self, Mark(mark): Mark) -> Pending {
        Pending {
            navigating: self.navigation > mark || self.commit > mark,
            committed: self.commit > mark,
            moved_within: self.moved_within > mark,
            loading: self.loading.values().filter(|begun| **begun > mark).count(),
            requests: self.requests.values().filter(|begun| **begun > mark).count(),
            bodies: self.bodies.values().filter(|begun| **begun > mark).count(),
            last_effect: self.last_effect.filter(|(sequence, _)| *sequence > mark).map(|(_, at)| at),
            windows: self.windows.iter().filter(|opened| **opened > mark).count(),
            ..Pending::default()
        }
    }

    pub(super) fn effect(&mut self) {
        self.sequence += 1;
        self.last_effect = Some((self.sequence, Instant::now()));
    }

    pub(super) fn navigation_begun(&mut self, main_frame: bool) {
        self.effect();
        if main_frame {
            self.navigation = self.sequence;
        }
    }

    pub(super) fn committed(&mut self, main_frame: bool) {
        self.effect();
        if main_frame {
            self.commit = self.sequence;
            // The requests of the old document are nobody's any more.
            self.requests.clear();
            self.bodies.clear();
        }
    }

    pub(super) fn moved_within(&mut self, main_frame: bool) {
        self.effect();
        if main_frame {
            self.moved_within = self.sequence;
        }
    }

    pub(super) fn loading(&mut self, frame: &str, loading: bool) {
        self.effect();
        if loading {
            self.loading.insert(frame.to_owned(), self.sequence);
        } else {
            self.loading.remove(frame);
        }
    }

    pub(super) fn window_opened(&mut self) {
        self.effect();
        self.windows.push(self.sequence);
        if self.windows.len() > MOST_REQUESTS {
            self.windows.remove(0);
        }
    }

    pub(super) fn request_begun(&mut self, told: &RequestWillBeSent) {
        self.effect();
        let awaited = told.kind.as_deref().is_some_and(|kind| AWAITED.contains(&kind));
        if awaited && self.requests.len() < MOST_REQUESTS {
            self.requests.insert(told.request_id.clone(), self.sequence);
        }
    }

    /// A page that fetches need not read what comes: such a request ends when nobody remembers it.
    pub(super) fn request_answered(&mut self, told: &ResponseReceived) {
        if told.kind == "Fetch"
            && let Some(begun) = self.requests.remove(&told.request_id)
        {
            self.effect();
            self.bodies.insert(told.request_id.clone(), begun);
        }
    }

    pub(super) fn request_ended(&mut self, id: &str) {
        if self.requests.remove(id).or_else(|| self.bodies.remove(id)).is_some() {
            self.effect();
        }
    }
}
