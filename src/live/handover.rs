//! The hand-over of a page to a person, from the invitation to the outcome.
use std::collections::VecDeque;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use std::time::Duration;

use parking_lot::Mutex;
use tempfile::TempDir;
use tokio::sync::watch;
use tokio::time::Instant;

use super::admission::Admission;
use super::view::{GRACE, LiveViewMode};
use crate::browser::{KeepPageLoadedGuard, Page};
use crate::session::handoff::{HandoverInProgress, HandoverOutcome};
use crate::sync::unix_time;

/// The maximum number of agent calls that are kept for display.
const MOST_CALLS: usize = 50;

/// A tool call of the agent, as listed for the viewer.
#[derive(Debug, Clone)]
pub struct CallSummary {
    pub tool: String,
    /// The error code, if the call failed.
    pub failure: Option<&'static str>,
    /// When the call was recorded, in milliseconds since 1970.
    pub at: u64,
}

/// The agent's most recent calls, oldest first. Clones share the same list.
#[derive(Debug, Clone, Default)]
pub struct CallHistory(Arc<Mutex<VecDeque<CallSummary>>>);

impl CallHistory {
    /// Records a call, without its arguments and result.
    pub fn record(&self, tool: &str, failure: Option<&'static str>) {
        let at = unix_time().as_millis();
        let mut calls = self.0.lock();
        if calls.len() == MOST_CALLS {
            calls.pop_front();
        }
        let at = u64::try_from(at).unwrap_or(u64::MAX);
        calls.push_back(CallSummary { tool: tool.to_owned(), failure, at });
    }

    /// Returns the calls, newest first.
    pub(super) fn newest(&self) -> Vec<CallSummary> {
        self.0.lock().iter().rev().cloned().collect()
    }
}

/// A hand-over: one page that one person may watch or control through one link.
pub struct Handover {
    pub(super) id: String,
    /// The owner of the page, if the server has several owners.
    pub(super) owner: Option<Arc<str>>,
    pub(super) page: Page,
    pub(super) _kept: KeepPageLoadedGuard,
    pub(super) who: String,
    pub(super) why: String,
    /// The URL that requires HTTP authentication, if that is the reason for the hand-over.
    pub(super) login: Option<String>,
    /// How often the person has submitted HTTP credentials.
    pub(super) logins: AtomicU32,
    pub(super) mode: LiveViewMode,
    pub(super) calls: CallHistory,
    pub(super) link: String,
    pub admission: Admission,
    /// When the link expires.
    pub(super) link_ends: Instant,
    /// When the person must be done at the latest.
    pub(super) ends: Instant,
    pub(super) state: watch::Sender<HandoverState>,
    /// The temporary folder for files that the person uploads to the page.
    pub(super) files: Mutex<Option<TempDir>>,
}

/// The current state of a hand-over.
#[derive(Debug, Clone, Default)]
pub(super) struct HandoverState {
    pub(super) outcome: Option<HandoverOutcome>,
    /// The id of the connected viewer; `None` if nobody is connected.
    pub(super) viewer: Option<u64>,
    pub(super) viewers_ever: u64,
    /// When the last viewer disconnected.
    pub(super) left: Option<Instant>,
    /// Whether the person controls the page instead of the agent.
    pub(super) has_control: bool,
    /// Whether a tool call waits for the outcome.
    pub(super) awaited: bool,
}

impl fmt::Debug for Handover {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Handover").field("page", &self.page).finish_non_exhaustive()
    }
}

impl Handover {
    /// Returns the URL to send to the person.
    pub fn link(&self) -> &str {
        &self.link
    }

    /// Returns the reason for the hand-over, as shown to the person.
    pub fn reason(&self) -> &str {
        &self.why
    }

    /// Returns the name of the client that owns the page; `None` if the server has only one owner.
    pub fn owner(&self) -> Option<&str> {
        self.owner.as_deref()
    }

    /// Returns the time until the link expires.
    pub fn link_time_left(&self) -> Duration {
        self.link_ends.saturating_duration_since(Instant::now())
    }

    /// Returns whether a person is connected or can still connect.
    pub fn allows_entry(&self) -> bool {
        let state = self.state.borrow();
        let can_come = state.viewers_ever > 0 || self.link_ends > Instant::now();
        state.outcome.is_none() && can_come && self.admission.is_open() && !self.page.is_closed()
    }

    /// Returns whether the person controls the page now.
    pub fn person_has_control(&self) -> bool {
        let state = self.state.borrow();
        state.outcome.is_none() && state.has_control
    }

    /// Ends the hand-over. Has no effect if it already has an outcome.
    pub fn finish(&self, outcome: HandoverOutcome) {
        if self.person_has_control() {
            // Deletes what was recorded, before the agent works on the page again.
            self.forget();
        }
        self.state.send_if_modified(|state| {
            let first = state.outcome.is_none();
            state.outcome.get_or_insert(outcome);
            state.has_control = false;
            first
        });
    }

    /// Returns the tabs that the person can switch to.
    pub(super) fn tabs(&self) -> Vec<Page> {
        let context = self.page.context();
        let is_own = context.id().is_some();
        let belongs =
            |page: &Page| is_own || *page == self.page || page.opener().as_ref() == Some(&self.page);
        context.pages().into_iter().filter(belongs).collect()
    }

    /// Returns whether the person can control this page.
    pub(super) fn covers(&self, page: &Page) -> bool {
        let same = page.context() == self.page.context() && self.page.context().id().is_some();
        *page == self.page || same || page.opener().as_ref() == Some(&self.page)
    }

    /// Gives control of the page to the person, or returns it to the agent.
    pub(super) fn set_control(&self, has_control: bool) {
        if self.person_has_control() && !has_control {
            self.forget();
        }
        self.state.send_if_modified(|state| {
            let differs = state.has_control != has_control && state.outcome.is_none();
            if differs {
                state.has_control = has_control;
            }
            differs
        });
        self.page.context().set_recording_paused(self.person_has_control());
    }

    /// Deletes what was recorded while the person had control, such as console messages.
    pub(super) fn forget(&self) {
        for page in self.tabs() {
            page.clear_console();
        }
        self.page.context().set_recording_paused(false);
    }

    /// Returns the folder for files that the person uploads, creating it on first use.
    pub fn upload_folder(&self) -> std::io::Result<std::path::PathBuf> {
        let mut files = self.files.lock();
        if files.is_none() {
            *files = Some(tempfile::Builder::new().prefix("live-").tempdir()?);
        }
        Ok(files.as_ref().map(|folder| folder.path().to_owned()).unwrap_or_default())
    }

    /// Waits until the person no longer controls the page.
    pub async fn wait_for_release(&self) {
        let mut state = self.state.subscribe();
        let _ = state.wait_for(|state| state.outcome.is_some() || !state.has_control).await;
    }

    /// Waits for the hand-over to end, and returns its outcome.
    pub async fn wait_for_end(&self) -> HandoverOutcome {
        let mut state = self.state.subscribe();
        let ended = state.wait_for(|state| state.outcome.is_some()).await;
        ended.ok().and_then(|state| state.outcome).unwrap_or(HandoverOutcome::Over)
    }
}

impl HandoverInProgress for Handover {
    fn is_here(&self) -> bool {
        let state = self.state.borrow();
        state.viewer.is_some() || state.left.is_some_and(|left| left.elapsed() < GRACE)
    }

    fn limit(&self) -> Duration {
        self.ends.saturating_duration_since(Instant::now())
    }

    fn ended(&self) -> Pin<Box<dyn Future<Output = HandoverOutcome> + Send + '_>> {
        self.state.send_modify(|state| state.awaited = true);
        Box::pin(self.wait_for_end())
    }

    fn finish(&self, outcome: HandoverOutcome) {
        Handover::finish(self, outcome);
    }
}
