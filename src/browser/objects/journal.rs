//! What has happened on a page, in an order: who acts can ask afterwards what the action caused.
use std::collections::{HashMap, HashSet};
use std::time::Duration;

use tokio::time::Instant;

use crate::cdp::types::network::{LoadingFailed, RequestWillBeSent, ResponseReceived};

/// A point in a page's history.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark(u64);

impl Mark {
    /// Before all that has happened to the page.
    pub const BEGINNING: Self = Self(0);
}

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
pub(in crate::browser) struct Journal {
    sequence: u64,
    last_effect: Option<(u64, Instant)>,
    navigation: u64,
    commit: u64,
    moved_within: u64,
    loading: HashMap<String, u64>,
    windows: Vec<u64>,
    requests: HashMap<String, Asked>,
    /// Frames that are about to ask for another document, since when.
    leaving: HashMap<String, u64>,
    /// Frames whose document did not come, and that are about to show why, since when it was asked for.
    failing: HashMap<String, u64>,
    bodies: HashMap<String, u64>,
    /// The newest documents of the main frame that nobody of us asked for, oldest first.
    replaced: Vec<Replaced>,
    /// It was stopped, and that has not been reported.
    stopped: bool,
}

/// A document that another one took the place of.
#[derive(Debug)]
struct Replaced {
    since: Instant,
    address: String,
    /// It was read to its end.
    is_read: bool,
}

/// A request that has not been answered.
#[derive(Debug)]
struct Asked {
    begun: u64,
    frame: Option<String>,
    /// It asks for a document, which is not there yet.
    leads_elsewhere: bool,
}

/// So many documents in so short a time, of no more addresses than these, are a page that replaces itself without end.
const MANY_DOCUMENTS: usize = 6;
const SHORT: Duration = Duration::from_secs(10);
const FEW_ADDRESSES: usize = 2;

/// The kinds of request whose end an action waits for.
const AWAITED: [&str; 5] = ["Document", "Stylesheet", "Script", "XHR", "Fetch"];

/// How the browser says that another navigation took the place of this one, or that it led to no document.
pub(super) const ABORTED: &str = "net::ERR_ABORTED";

/// A page that asks for more at once is not waited for request by request.
const MOST_REQUESTS: usize = 10_000;

impl Journal {
    pub(in crate::browser) fn mark(&self) -> Mark {
        Mark(self.sequence)
    }

    pub(in crate::browser) fn since(&self, Mark(mark): Mark) -> Pending {
        Pending {
            navigating: self.navigation > mark || self.commit > mark,
            committed: self.commit > mark,
            moved_within: self.moved_within > mark,
            loading: self.loading.values().filter(|begun| **begun > mark).count(),
            requests: self.requests.values().filter(|asked| asked.begun > mark).count(),
            bodies: self.bodies.values().filter(|begun| **begun > mark).count(),
            last_effect: self.last_effect.filter(|(sequence, _)| *sequence > mark).map(|(_, at)| at),
            windows: self.windows.iter().filter(|opened| **opened > mark).count(),
            ..Pending::default()
        }
    }

    pub(in crate::browser) fn effect(&mut self) {
        self.sequence += 1;
        self.last_effect = Some((self.sequence, Instant::now()));
    }

    pub(in crate::browser) fn navigation_begun(&mut self, main_frame: bool) {
        self.effect();
        if main_frame {
            self.navigation = self.sequence;
        }
    }

    pub(in crate::browser) fn committed(&mut self, main_frame: bool, url: &str) {
        self.effect();
        if main_frame {
            let address = url.split(['?', '#']).next().unwrap_or_default();
            if self.replaced.len() == 2 * MANY_DOCUMENTS {
                self.replaced.remove(0);
            }
            let address = address.to_owned();
            self.replaced.push(Replaced { since: Instant::now(), address, is_read: false });
            self.commit = self.sequence;
            // The requests of the old document are nobody's any more.
            self.requests.clear();
            self.leaving.clear();
            self.failing.clear();
            self.bodies.clear();
        }
    }

    /// The document of the main frame was read to its end.
    pub(in crate::browser) fn document_read(&mut self) {
        if let Some(newest) = self.replaced.last_mut() {
            newest.is_read = true;
        }
    }

    /// What comes next was asked for by us.
    pub(in crate::browser) fn begin_anew(&mut self) {
        self.acted();
        self.stopped = false;
    }

    /// A document that comes next may be what our action leads to.
    pub(in crate::browser) fn acted(&mut self) {
        self.replaced.clear();
    }

    /// Whether the main frame puts one document after the other in its place. It is waited for one that has been read to its
    /// end, though not for ever.
    pub(in crate::browser) fn is_restless(&self) -> bool {
        let few = |documents: &[Replaced]| {
            let addresses: HashSet<&str> =
                documents.iter().map(|document| document.address.as_str()).collect();
            addresses.len() <= FEW_ADDRESSES
        };
        let is_read = self.replaced.last().is_some_and(|newest| newest.is_read);
        let wanted = if is_read { MANY_DOCUMENTS } else { 2 * MANY_DOCUMENTS };
        let newest = self.replaced.len().checked_sub(wanted).map(|first| &self.replaced[first..]);
        newest.is_some_and(|documents| documents[0].since.elapsed() < SHORT && few(documents))
    }

    /// The page is stopped: whether any of its documents was read to its end before another one took its place.
    pub(in crate::browser) fn stopped(&mut self) -> bool {
        self.stopped = true;
        std::mem::take(&mut self.replaced).iter().any(|document| document.is_read)
    }

    pub(in crate::browser) fn take_stopped(&mut self) -> bool {
        std::mem::take(&mut self.stopped)
    }

    /// A frame is about to ask for another document.
    pub(in crate::browser) fn leaves(&mut self, frame: &str) {
        self.leaving.insert(frame.to_owned(), self.sequence);
    }

    /// It does not, or has.
    pub(in crate::browser) fn stays(&mut self, frame: &str) {
        self.leaving.remove(frame);
    }

    /// Whether a frame was about to ask for another document since `mark`, and neither has asked nor come to anything else.
    pub(in crate::browser) fn will_ask_since(&self, Mark(mark): Mark) -> bool {
        self.leaving.values().any(|begun| *begun > mark)
    }

    /// Whether a document was asked for since `mark` that is not there yet, nor the browser's own in its place.
    pub(in crate::browser) fn awaits_document_since(&self, Mark(mark): Mark) -> bool {
        self.requests.values().any(|asked| asked.leads_elsewhere && asked.begun > mark)
            || self.failing.values().any(|begun| *begun > mark)
    }

    /// Another document is in a frame within the page, or none: what was asked for there before is nobody's any more.
    pub(in crate::browser) fn frame_changed(&mut self, frame: &str, new_document: Option<&str>) {
        self.leaving.remove(frame);
        self.failing.remove(frame);
        if let Some(asked) = new_document.and_then(|id| self.requests.get_mut(id)) {
            asked.leads_elsewhere = false;
        }
        self.requests
            .retain(|id, asked| asked.frame.as_deref() != Some(frame) || Some(id.as_str()) == new_document);
    }

    /// Whether frames other than this one wait for what they asked for.
    pub(in crate::browser) fn others_ask(&self, main_frame: &str) -> bool {
        self.requests.values().any(|asked| asked.frame.as_deref().is_some_and(|frame| frame != main_frame))
    }

    pub(in crate::browser) fn moved_within(&mut self, main_frame: bool) {
        self.effect();
        if main_frame {
            self.moved_within = self.sequence;
        }
    }

    pub(in crate::browser) fn loading(&mut self, frame: &str, loading: bool) {
        self.effect();
        if loading {
            self.loading.insert(frame.to_owned(), self.sequence);
        } else {
            self.loading.remove(frame);
            self.failing.remove(frame);
        }
    }

    pub(in crate::browser) fn is_loading(&self, frame: &str) -> bool {
        self.loading.contains_key(frame)
    }

    pub(in crate::browser) fn window_opened(&mut self) {
        self.effect();
        self.windows.push(self.sequence);
        if self.windows.len() > MOST_REQUESTS {
            self.windows.remove(0);
        }
    }

    pub(in crate::browser) fn request_begun(&mut self, event: &RequestWillBeSent) {
        self.effect();
        let awaited = event.kind.as_deref().is_some_and(|kind| AWAITED.contains(&kind));
        if awaited && self.requests.len() < MOST_REQUESTS {
            let leads_elsewhere = event.kind.as_deref() == Some("Document");
            let asked = Asked { begun: self.sequence, frame: event.frame_id.clone(), leads_elsewhere };
            self.requests.insert(event.request_id.clone(), asked);
        }
        if let Some(frame) = event.frame_id.as_ref().filter(|_| event.kind.as_deref() == Some("Document")) {
            self.stays(frame);
        }
    }

    /// A page that fetches need not read what comes: such a request ends when nobody remembers it.
    pub(in crate::browser) fn request_answered(&mut self, event: &ResponseReceived) {
        if event.kind == "Fetch"
            && let Some(Asked { begun, .. }) = self.requests.remove(&event.request_id)
        {
            self.effect();
            self.bodies.insert(event.request_id.clone(), begun);
        }
    }

    pub(in crate::browser) fn request_ended(&mut self, id: &str) {
        if self.requests.remove(id).map(|asked| asked.begun).or_else(|| self.bodies.remove(id)).is_some() {
            self.effect();
        }
    }

    /// Like [`request_ended`](Self::request_ended). In place of a document that did not come the browser shows one of its own.
    pub(in crate::browser) fn request_failed(&mut self, event: &LoadingFailed) {
        let was_given_up = event.canceled == Some(true) || event.error_text == ABORTED;
        if let Some(asked) = self.requests.get(&event.request_id)
            && let Some(frame) = asked.frame.as_ref().filter(|frame| self.is_loading(frame))
            && asked.leads_elsewhere
            && !was_given_up
        {
            self.failing.insert(frame.clone(), asked.begun);
        }
        self.request_ended(&event.request_id);
    }
}
