//! A log of a page's events, from which the effects of an action are determined.
use std::collections::{HashMap, HashSet};
use std::time::Duration;

use tokio::time::Instant;

use crate::cdp::types::network::{LoadingFailed, RequestWillBeSent, ResponseReceived};

/// A position in a page's journal, used to select later events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JournalMark(u64);

impl JournalMark {
    /// The position before all events.
    pub const BEGINNING: Self = Self(0);
}

/// The effects in a page since a [`JournalMark`], complete and in progress.
#[derive(Debug, Clone, Default)]
pub struct ActionEffects {
    /// The main frame has begun a navigation or committed a new document.
    pub navigating: bool,
    /// The main frame has committed a new document.
    pub committed: bool,
    /// When the main frame last committed a further document after the first one since the action, if it has.
    pub forwarded: Option<Instant>,
    /// The main frame has navigated within its document.
    pub moved_within: bool,
    /// The number of frames that began loading and have not stopped.
    pub loading: usize,
    /// The number of requests that have not ended.
    pub requests: usize,
    /// The number of `fetch` responses whose bodies were not read completely.
    pub bodies: usize,
    /// When the last pending request or loading frame ended, so that none was left.
    pub idle: Option<Instant>,
    /// The time of the latest effect, if there was one.
    pub last_effect: Option<Instant>,
    /// When the latest request of a script (XHR or fetch) ended, if one has.
    pub answered: Option<Instant>,
    /// The number of windows that the page has tried to open.
    pub windows: usize,
    /// A dialog is open.
    pub dialog: bool,
    /// A file chooser is open.
    pub chooser: bool,
    /// The page has closed or crashed.
    pub gone: bool,
}

/// The sequence numbers of the main frame's newest events.
#[derive(Debug, Default)]
struct MainFrameEvents {
    navigation: u64,
    /// A navigation that the document, and not a command, began.
    navigation_by_page: u64,
    commit: u64,
    moved_within: u64,
}

#[derive(Debug, Default)]
pub(in crate::browser) struct Journal {
    sequence: u64,
    last_effect: Option<(u64, Instant)>,
    answered: Option<(u64, Instant)>,
    newest: MainFrameEvents,
    loading: HashMap<String, u64>,
    windows: Vec<u64>,
    requests: HashMap<String, PendingRequest>,
    /// Frames that have announced a document request, with the sequence number of that event.
    leaving: HashMap<String, u64>,
    /// Frames that will show an error page, with the sequence number of their failed document request.
    failing: HashMap<String, u64>,
    bodies: HashMap<String, u64>,
    idle: Option<Instant>,
    /// The latest documents that the page loaded by itself in its main frame, oldest first.
    replaced: Vec<CommittedDocument>,
    /// Whether an endless reload was stopped and this was not reported yet.
    stopped: bool,
}

/// A document that the main frame has committed.
#[derive(Debug)]
struct CommittedDocument {
    since: Instant,
    address: String,
    /// Whether the document was parsed completely.
    is_read: bool,
}

/// A request that has not ended.
#[derive(Debug)]
struct PendingRequest {
    begun: u64,
    frame: Option<String>,
    /// Whether the request is an XHR or fetch, so that a script waits for the response.
    by_script: bool,
    /// Whether this is a request for a document that has not arrived yet.
    is_pending_document: bool,
}

/// The number of consecutive documents that make an endless reload.
const MANY_DOCUMENTS: usize = 6;
/// The time within which `MANY_DOCUMENTS` documents must load to count as an endless reload.
const SHORT: Duration = Duration::from_secs(10);
/// The maximum number of different URLs in an endless reload, ignoring queries and fragments.
const FEW_ADDRESSES: usize = 2;

/// The resource types whose requests an action waits for.
const AWAITED: [&str; 5] = ["Document", "Stylesheet", "Script", "XHR", "Fetch"];

/// The browser's error for a navigation that was replaced by another one, or that led to no document.
pub(super) const ABORTED: &str = "net::ERR_ABORTED";

/// The maximum number of pending requests that are tracked. An action does not wait for further ones.
const MOST_REQUESTS: usize = 10_000;

impl Journal {
    pub(in crate::browser) fn mark(&self) -> JournalMark {
        JournalMark(self.sequence)
    }

    pub(in crate::browser) fn since(&self, JournalMark(mark): JournalMark) -> ActionEffects {
        let since_mark =
            |event: Option<(u64, Instant)>| event.filter(|(sequence, _)| *sequence > mark).map(|(_, at)| at);
        ActionEffects {
            navigating: self.newest.navigation > mark || self.newest.commit > mark,
            committed: self.newest.commit > mark,
            forwarded: self.replaced.get(1..).and_then(<[_]>::last).map(|newest| newest.since),
            moved_within: self.newest.moved_within > mark,
            loading: self.loading.values().filter(|begun| **begun > mark).count(),
            requests: self.requests.values().filter(|asked| asked.begun > mark).count(),
            bodies: self.bodies.values().filter(|begun| **begun > mark).count(),
            idle: self.idle,
            last_effect: since_mark(self.last_effect),
            answered: since_mark(self.answered),
            windows: self.windows.iter().filter(|opened| **opened > mark).count(),
            ..ActionEffects::default()
        }
    }

    pub(in crate::browser) fn effect(&mut self) {
        self.sequence += 1;
        self.last_effect = Some((self.sequence, Instant::now()));
    }

    pub(in crate::browser) fn navigation_begun(&mut self, main_frame: bool) {
        self.effect();
        if main_frame {
            self.newest.navigation = self.sequence;
        }
    }

    /// Records that a document, and not a command, begins a navigation.
    pub(in crate::browser) fn navigation_begun_by_page(&mut self, main_frame: bool) {
        self.navigation_begun(main_frame);
        if main_frame {
            self.newest.navigation_by_page = self.sequence;
        }
    }

    /// Whether the main frame's document has begun a navigation since `mark`.
    pub(in crate::browser) fn has_page_navigated_since(&self, JournalMark(mark): JournalMark) -> bool {
        self.newest.navigation_by_page > mark
    }

    pub(in crate::browser) fn committed(&mut self, main_frame: bool, url: &str) {
        self.effect();
        if main_frame {
            let address = url.split(['?', '#']).next().unwrap_or_default();
            if self.replaced.len() == 2 * MANY_DOCUMENTS {
                self.replaced.remove(0);
            }
            let address = address.to_owned();
            self.replaced.push(CommittedDocument { since: Instant::now(), address, is_read: false });
            self.newest.commit = self.sequence;
            // Requests of the old document no longer count.
            self.requests.clear();
            self.leaving.clear();
            self.failing.clear();
            self.bodies.clear();
        }
    }

    /// Records that the main frame's document was parsed completely.
    pub(in crate::browser) fn document_read(&mut self) {
        if let Some(newest) = self.replaced.last_mut() {
            newest.is_read = true;
        }
    }

    /// Records that a command, and not the page, causes the next navigation.
    pub(in crate::browser) fn restart_document(&mut self) {
        self.acted();
        self.stopped = false;
    }

    /// Records an action: the next document may be its effect, and does not count as a reload by the page.
    pub(in crate::browser) fn acted(&mut self) {
        self.replaced.clear();
    }

    /// Whether the main frame keeps replacing its document. Needs twice as many while the newest is unparsed.
    pub(in crate::browser) fn is_restless(&self) -> bool {
        let few = |documents: &[CommittedDocument]| {
            let addresses: HashSet<&str> =
                documents.iter().map(|document| document.address.as_str()).collect();
            addresses.len() <= FEW_ADDRESSES
        };
        let is_read = self.replaced.last().is_some_and(|newest| newest.is_read);
        let wanted = if is_read { MANY_DOCUMENTS } else { 2 * MANY_DOCUMENTS };
        let newest = self.replaced.len().checked_sub(wanted).map(|first| &self.replaced[first..]);
        newest.is_some_and(|documents| documents[0].since.elapsed() < SHORT && few(documents))
    }

    /// Records that an endless reload was stopped. Returns whether any of its documents was fully parsed.
    pub(in crate::browser) fn stopped(&mut self) -> bool {
        self.stopped = true;
        std::mem::take(&mut self.replaced).iter().any(|document| document.is_read)
    }

    pub(in crate::browser) fn take_stopped(&mut self) -> bool {
        std::mem::take(&mut self.stopped)
    }

    /// Records that a frame has announced a request for another document.
    pub(in crate::browser) fn leaves(&mut self, frame: &str) {
        self.leaving.insert(frame.to_owned(), self.sequence);
    }

    /// Records that the document request of a frame was sent or cancelled.
    pub(in crate::browser) fn stays(&mut self, frame: &str) {
        self.leaving.remove(frame);
    }

    /// Whether a frame has announced a document request since `mark`, and has neither sent nor cancelled it.
    pub(in crate::browser) fn will_request_since(&self, JournalMark(mark): JournalMark) -> bool {
        self.leaving.values().any(|begun| *begun > mark)
    }

    /// Whether a document requested since `mark` is missing: neither it nor an error page has arrived.
    pub(in crate::browser) fn awaits_document_since(&self, JournalMark(mark): JournalMark) -> bool {
        self.requests.values().any(|asked| asked.is_pending_document && asked.begun > mark)
            || self.failing.values().any(|begun| *begun > mark)
    }

    /// Records a frame's new document, or its removal (`None`). Requests of the old document no longer count.
    pub(in crate::browser) fn frame_changed(&mut self, frame: &str, new_document: Option<&str>) {
        self.leaving.remove(frame);
        self.failing.remove(frame);
        if let Some(asked) = new_document.and_then(|id| self.requests.get_mut(id)) {
            asked.is_pending_document = false;
        }
        self.requests
            .retain(|id, asked| asked.frame.as_deref() != Some(frame) || Some(id.as_str()) == new_document);
    }

    /// Whether frames other than `main_frame` have pending requests.
    pub(in crate::browser) fn other_frames_have_requests(&self, main_frame: &str) -> bool {
        self.requests.values().any(|asked| asked.frame.as_deref().is_some_and(|frame| frame != main_frame))
    }

    /// Returns how long to wait before checking again whether the frame has had no request, and the page no
    /// event, for `rest`; `None` if that is the case now. Event streams do not count.
    pub(in crate::browser) fn busy_for(&self, frame: &str, rest: Duration) -> Option<Duration> {
        if self.requests.values().any(|asked| asked.frame.as_deref() == Some(frame)) {
            return Some(rest);
        }
        let (_, at) = self.last_effect?;
        rest.checked_sub(at.elapsed())
    }

    pub(in crate::browser) fn moved_within(&mut self, main_frame: bool) {
        self.effect();
        if main_frame {
            self.newest.moved_within = self.sequence;
        }
    }

    pub(in crate::browser) fn loading(&mut self, frame: &str, loading: bool) {
        self.effect();
        if loading {
            self.loading.insert(frame.to_owned(), self.sequence);
        } else {
            self.loading.remove(frame);
            self.failing.remove(frame);
            self.note_idle();
        }
    }

    fn note_idle(&mut self) {
        if self.requests.is_empty() && self.loading.is_empty() {
            self.idle = Some(Instant::now());
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
        let kind = event.kind.as_deref().unwrap_or_default();
        if AWAITED.contains(&kind) && self.requests.len() < MOST_REQUESTS {
            let asked = PendingRequest {
                begun: self.sequence,
                frame: event.frame_id.clone(),
                by_script: matches!(kind, "XHR" | "Fetch"),
                is_pending_document: kind == "Document",
            };
            self.requests.insert(event.request_id.clone(), asked);
        }
        if let Some(frame) = event.frame_id.as_ref().filter(|_| kind == "Document") {
            self.stays(frame);
        }
    }

    /// Handles a response. Ends a fetch, since the browser reports its end late if no script reads the body.
    pub(in crate::browser) fn request_answered(&mut self, event: &ResponseReceived) {
        if event.kind == "Fetch"
            && let Some(PendingRequest { begun, .. }) = self.requests.remove(&event.request_id)
        {
            self.effect();
            self.answered = self.last_effect;
            self.bodies.insert(event.request_id.clone(), begun);
            self.note_idle();
        }
    }

    pub(in crate::browser) fn request_ended(&mut self, id: &str) {
        let by_script = match self.requests.remove(id) {
            Some(asked) => asked.by_script,
            None if self.bodies.remove(id).is_some() => true,
            None => return,
        };
        self.effect();
        if by_script {
            self.answered = self.last_effect;
        }
        self.note_idle();
    }

    /// Like [`request_ended`](Self::request_ended). If a document failed, expects an error page in its frame.
    pub(in crate::browser) fn request_failed(&mut self, event: &LoadingFailed) {
        let was_given_up = event.canceled == Some(true) || event.error_text == ABORTED;
        if let Some(asked) = self.requests.get(&event.request_id)
            && let Some(frame) = asked.frame.as_ref().filter(|frame| self.is_loading(frame))
            && asked.is_pending_document
            && !was_given_up
        {
            self.failing.insert(frame.clone(), asked.begun);
        }
        self.request_ended(&event.request_id);
    }
}
