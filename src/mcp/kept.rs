//! State that is kept between the calls of a session, besides its pages.
use std::any::Any;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use parking_lot::Mutex;
use tokio::time::Instant;

use crate::browser::{ActionRecording, CoverageRecording, PerformanceTrace, Screenshot, Video};
use crate::mcp::program::PythonNotebook;
use crate::mcp::script::RecordedScript;
use crate::mcp::seen::ShownState;
use crate::session::WriteTarget;

/// State that is kept between the calls of a session or client.
#[derive(Debug, Default)]
pub struct SessionMemory {
    /// The pages, tabs and downloads that the client has already seen.
    pub(super) seen: Mutex<ShownState>,
    /// The interpreter with the variables of the session's Python programs. Locked while a program runs.
    pub notebook: tokio::sync::Mutex<Option<Arc<dyn PythonNotebook>>>,
    /// A JavaScript program that waits until its dialog is answered.
    pub paused: Mutex<Option<Box<dyn Any + Send>>>,
    /// The actions recorded so far, for export as a test.
    pub script: Arc<Mutex<RecordedScript>>,
    /// The recorder that adds a person's actions to `script`; `None` while it is off.
    pub recording: Mutex<Option<ActionRecording>>,
    pub activity: Arc<ActivityTracker>,
    /// The last screenshot, with which the next one can be compared.
    pub picture: Mutex<Option<Screenshot>>,
    /// Whether the last screenshot of a viewport was too large for an answer without scaling.
    pub large_pictures: AtomicBool,
    /// The video that is being recorded.
    pub video: Mutex<Option<RunningVideo>>,
    /// The code coverage that is being measured.
    pub coverage: Mutex<Option<CoverageRecording>>,
    pub performance: Mutex<Option<PerformanceTrace>>,
    /// The newest console message of each document, and the newest request of each page, that was returned by
    /// tools which return only new entries.
    pub read: Mutex<HashMap<String, u64>>,
    /// Answers to consent questions that a person gave in the live view after the asking call had ended.
    pub answers: Arc<Mutex<HashMap<String, SavedConsent>>>,
    /// The page's own tools (WebMCP) in the client's last tool list, by name and description.
    pub offered: Mutex<Vec<String>>,
}

/// A person's answer to a consent question, and until when it is valid.
#[derive(Debug, Clone, Copy)]
pub struct SavedConsent {
    pub is_yes: bool,
    pub until: Instant,
}

/// Tracks whether a tool acts on the pages of a session, or leaves them to a person.
#[derive(Debug, Default)]
pub struct ActivityTracker {
    acting: AtomicUsize,
    waits_for_person: AtomicBool,
}

impl ActivityTracker {
    /// Marks a tool as acting until the guard is dropped.
    pub fn begin(self: &Arc<Self>) -> ToolActivityGuard {
        self.acting.fetch_add(1, Ordering::Relaxed);
        ToolActivityGuard(Arc::clone(self))
    }

    /// Marks the acting tool as waiting for a person.
    pub fn set_waits_for_person(&self) {
        self.waits_for_person.store(true, Ordering::Relaxed);
    }

    /// Whether no tool acts now, or the acting tool waits for a person.
    pub fn is_idle(&self) -> bool {
        self.acting.load(Ordering::Relaxed) == 0 || self.waits_for_person.load(Ordering::Relaxed)
    }
}

/// Marks a tool as acting until this guard is dropped.
#[derive(Debug)]
pub struct ToolActivityGuard(Arc<ActivityTracker>);

impl Drop for ToolActivityGuard {
    fn drop(&mut self) {
        self.0.waits_for_person.store(false, Ordering::Relaxed);
        self.0.acting.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A video that is being recorded, and the destination of its file.
#[derive(Debug)]
pub struct RunningVideo {
    pub video: Video,
    /// The temporary file that receives the video until it is complete.
    pub file: tempfile::TempPath,
    pub place: WriteTarget,
    pub name: String,
}
