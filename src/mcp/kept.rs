//! What a session keeps from call to call, beside its pages.
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use parking_lot::Mutex;
use tokio::time::Instant;

use crate::browser::{ActionRecording, Coverage, Performance, Screenshot, Video};
use crate::mcp::program::Notebook;
use crate::mcp::script::Script;
use crate::mcp::seen::Seen;
use crate::session::Place;

/// What a session keeps from call to call.
#[derive(Debug, Default)]
pub struct Kept {
    /// What the client has been shown.
    pub(super) seen: Mutex<Seen>,
    /// What its programs named, from the first on. Held while one runs.
    pub notebook: tokio::sync::Mutex<Option<Arc<dyn Notebook>>>,
    /// What was done, to be written as a test.
    pub script: Arc<Mutex<Script>>,
    /// What a person does is written, too, for as long as this is there.
    pub recording: Mutex<Option<ActionRecording>>,
    pub activity: Arc<ToolActivity>,
    /// The last picture that another can be compared with.
    pub picture: Mutex<Option<Screenshot>>,
    /// Whether the last picture of a viewport was too large to be sent along as it is.
    pub large_pictures: AtomicBool,
    /// A video that is being made.
    pub video: Mutex<Option<Recording>>,
    /// What is measured until somebody asks for it.
    pub coverage: Mutex<Option<Coverage>>,
    pub performance: Mutex<Option<Performance>>,
    /// What of a document's console, and of a page's requests, was read, where each reading gives only what is new.
    pub read: Mutex<HashMap<String, u64>>,
    /// What the person has answered at a page when no call waited for it any more.
    pub answers: Arc<Mutex<HashMap<String, LateAnswer>>>,
    /// The tools of the page that the client was last shown, by name and description.
    pub offered: Mutex<Vec<String>>,
}

/// Whether the person allows what was asked for, for as long as that holds.
#[derive(Debug, Clone, Copy)]
pub struct LateAnswer {
    pub is_yes: bool,
    pub until: Instant,
}

/// Whose hands are on the pages of a session.
#[derive(Debug, Default)]
pub struct ToolActivity {
    acting: AtomicUsize,
    waits_for_person: AtomicBool,
}

impl ToolActivity {
    /// A tool acts until what this gives is dropped.
    pub fn act(self: &Arc<Self>) -> Acting {
        self.acting.fetch_add(1, Ordering::Relaxed);
        Acting(Arc::clone(self))
    }

    /// The tool that acts has stopped, to wait for a person.
    pub fn wait_for_person(&self) {
        self.waits_for_person.store(true, Ordering::Relaxed);
    }

    /// Whether no tool acts.
    pub fn are_off(&self) -> bool {
        self.acting.load(Ordering::Relaxed) == 0 || self.waits_for_person.load(Ordering::Relaxed)
    }
}

/// A tool at work.
#[derive(Debug)]
pub struct Acting(Arc<ToolActivity>);

impl Drop for Acting {
    fn drop(&mut self) {
        self.0.waits_for_person.store(false, Ordering::Relaxed);
        self.0.acting.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A video, and the name that it was asked for by.
#[derive(Debug)]
pub struct Recording {
    pub video: Video,
    /// Where it is written until it is whole.
    pub file: tempfile::TempPath,
    pub place: Place,
    pub name: String,
}
