//! The state of a session between calls, besides its pages.
use std::any::Any;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use parking_lot::Mutex;
use tokio::time::Instant;

use crate::browser::{ActionRecording, Coverage, PerformanceTrace, Screenshot, Video};
use crate::mcp::program::Notebook;
use crate::mcp::script::RecordedScript;
use crate::mcp::seen::ShownState;
use crate::session::FileTarget;

/// The state of a session between calls.
#[derive(Debug, Default)]
pub struct SessionMemory {
    /// The pages, tabs and downloads that the client has been shown.
    pub(super) seen: Mutex<ShownState>,
    /// The variables of the session's programs. Locked while a program runs.
    pub notebook: tokio::sync::Mutex<Option<Arc<dyn Notebook>>>,
    /// A program that waits at a dialog.
    pub paused: Mutex<Option<Box<dyn Any + Send>>>,
    /// Recorded actions, for export as a test.
    pub script: Arc<Mutex<RecordedScript>>,
    /// The recording of a person's actions into `script`, while it runs.
    pub recording: Mutex<Option<ActionRecording>>,
    pub activity: Arc<ActivityTracker>,
    /// The last screenshot, for comparison.
    pub picture: Mutex<Option<Screenshot>>,
    /// Whether the last screenshot of a viewport was too large to be sent unscaled.
    pub large_pictures: AtomicBool,
    /// The running video.
    pub video: Mutex<Option<RunningVideo>>,
    /// The running coverage measurement.
    pub coverage: Mutex<Option<Coverage>>,
    pub performance: Mutex<Option<PerformanceTrace>>,
    /// How much of each document's console, and of each page's requests, was read, for tools that return only
    /// new entries.
    pub read: Mutex<HashMap<String, u64>>,
    /// Answers that the person gave in the live view when no call was waiting.
    pub answers: Arc<Mutex<HashMap<String, SavedConsent>>>,
    /// The page's own tools that were last listed for the client, by name and description.
    pub offered: Mutex<Vec<String>>,
}

/// Whether the person allows what was asked for, and how long that is valid.
#[derive(Debug, Clone, Copy)]
pub struct SavedConsent {
    pub is_yes: bool,
    pub until: Instant,
}

/// Tracks whether a tool or a person acts on the pages of a session.
#[derive(Debug, Default)]
pub struct ActivityTracker {
    acting: AtomicUsize,
    waits_for_person: AtomicBool,
}

impl ActivityTracker {
    /// Marks a tool as acting until the guard is dropped.
    pub fn begin(self: &Arc<Self>) -> ToolGuard {
        self.acting.fetch_add(1, Ordering::Relaxed);
        ToolGuard(Arc::clone(self))
    }

    /// Marks the acting tool as waiting for a person.
    pub fn set_waits_for_person(&self) {
        self.waits_for_person.store(true, Ordering::Relaxed);
    }

    /// Whether no tool is acting.
    pub fn is_idle(&self) -> bool {
        self.acting.load(Ordering::Relaxed) == 0 || self.waits_for_person.load(Ordering::Relaxed)
    }
}

/// Marks a tool as acting until this guard is dropped.
#[derive(Debug)]
pub struct ToolGuard(Arc<ActivityTracker>);

impl Drop for ToolGuard {
    fn drop(&mut self) {
        self.0.waits_for_person.store(false, Ordering::Relaxed);
        self.0.acting.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A video, and its requested name.
#[derive(Debug)]
pub struct RunningVideo {
    pub video: Video,
    /// The temporary file until the video is complete.
    pub file: tempfile::TempPath,
    pub place: FileTarget,
    pub name: String,
}
