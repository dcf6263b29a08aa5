//! Records a person's actions in a page, as steps that can be repeated. The event listeners are in the
//! isolated world, so that pages cannot detect the recording.
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use serde::Deserialize;
use serde_json::Value;
use tokio::time::Instant;

use super::selector::test_id_attribute;
use super::way::LocatorSpec;
use crate::browser::injected::as_function;
use crate::browser::objects::frame::Frame;
use crate::browser::objects::hooks::{Extensions, Hooks, NewSession};
use crate::browser::objects::listeners::Listener;
use crate::browser::objects::page::{KeepPageLoadedGuard, Page, WeakPage};
use crate::cdp::types::page::{
    FrameStartedNavigating, GetNavigationHistory, HistoryEntry, JavascriptDialogClosed,
    NavigatedWithinDocument,
};
use crate::cdp::types::runtime::{AddBinding, BindingCalled};
use crate::cdp::{CdpSession, Event as _, Observer, RawEvent};
use crate::error::{Error, Result};
use crate::json::decode;

const RECORD: &str = include_str!("../injected/record.js");
/// The name of the CDP binding through which the injected script reports steps.
const BINDING: &str = "tellRecorded";
/// Events within this time after a step are considered its effects.
const SOON: Duration = Duration::from_millis(500);

/// A recorded action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecordedUserAction {
    /// An action on the element with the locators `at`; `None` means the focused element.
    Step {
        at: Option<Vec<LocatorSpec>>,
        did: RecordedElementAction,
    },
    BrowserNavigation(BrowserNavigation),
    /// A dialog was accepted, with this text, or dismissed.
    Answered {
        accepted: bool,
        text: String,
    },
    /// A person opened another tab. Actions in the new tab are not recorded.
    Opened,
}

/// The action on an element.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(tag = "does", rename_all = "snake_case")]
pub enum RecordedElementAction {
    Click {
        button: String,
        modifiers: Vec<String>,
    },
    DoubleClick,
    /// The full new content of a field.
    Fill {
        text: String,
    },
    /// Like `Fill`, without the text, for a field whose content is secret.
    FillSecret {
        kind: SecretKind,
    },
    Check {
        checked: bool,
    },
    Select {
        options: Vec<String>,
    },
    /// The names of the chosen files.
    Files {
        names: Vec<String>,
    },
    Press {
        key: String,
    },
    Drag {
        onto: LocatorSpec,
    },
}

/// The kind of a secret field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "SCREAMING_SNAKE_CASE")]
pub enum SecretKind {
    Password,
    NewPassword,
    OneTimeCode,
    CardNumber,
    CardCode,
}

/// Keyboard shortcuts for reload and history navigation. Pages may use these keys for something else.
const LEADING_KEYS: [&str; 16] = [
    "F5",
    "Control+F5",
    "Shift+F5",
    "Control+r",
    "Control+R",
    "Meta+r",
    "Meta+R",
    "BrowserRefresh",
    "Alt+ArrowLeft",
    "Alt+ArrowRight",
    "Meta+ArrowLeft",
    "Meta+ArrowRight",
    "Meta+[",
    "Meta+]",
    "BrowserBack",
    "BrowserForward",
];

impl RecordedElementAction {
    /// Whether this is a key press that may have caused a navigation.
    pub fn may_navigate(&self) -> bool {
        matches!(self, Self::Press { key } if LEADING_KEYS.contains(&key.as_str()))
    }
}

/// How a person navigated with the browser's own controls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BrowserNavigation {
    To(String),
    Back,
    Forward,
    Reload,
}

#[derive(Debug, Deserialize)]
struct RecorderMessage {
    way: Option<LocatorSpec>,
    #[serde(flatten)]
    did: RecordedElementAction,
}

/// The callback for recorded actions, and `counts`: whether current events come from a person.
#[derive(Clone)]
pub struct RecordingCallbacks {
    pub counts: Arc<dyn Fn() -> bool + Send + Sync>,
    pub on_recorded: Listener<RecordedUserAction>,
}

impl fmt::Debug for RecordingCallbacks {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("RecordingCallbacks").finish_non_exhaustive()
    }
}

/// A running recording. Dropping this value stops the recording.
#[derive(Debug)]
pub struct ActionRecording {
    page: WeakPage,
    running: Arc<Running>,
}

#[derive(Debug)]
struct Running {
    _kept: KeepPageLoadedGuard,
    recorder: RecordingCallbacks,
    /// The locators of the frames of each world that reports steps.
    worlds: Mutex<HashMap<WorldKey, Vec<LocatorSpec>>>,
    history: Mutex<History>,
    /// When the last step that may have made the page navigate was reported.
    last: Mutex<Option<Instant>>,
    /// When a back, forward or reload navigation, which a shortcut can also cause, was last reported.
    went: Mutex<Option<Instant>>,
}

/// A CDP session id, and the id of an execution context in that session.
type WorldKey = (Arc<str>, i64);

/// The entry ids of a tab's history, and the index of the current entry.
#[derive(Debug, Default, Clone, PartialEq)]
struct History {
    entries: Vec<i64>,
    current: usize,
}

/// The running recording of a page, if any.
#[derive(Debug, Default)]
struct Recording(Mutex<Option<Arc<Running>>>);

/// The hooks that receive steps from recorded pages.
pub(in crate::browser) struct RecordHooks;

const EVENTS: [&str; 4] = [
    BindingCalled::METHOD,
    FrameStartedNavigating::METHOD,
    NavigatedWithinDocument::METHOD,
    JavascriptDialogClosed::METHOD,
];

impl Hooks for RecordHooks {
    fn extend_page(&self, extensions: &mut Extensions) {
        extensions.add::<Recording>();
    }

    fn on_session(&self, new: &NewSession<'_>) {
        let Some(page) = new.page.filter(|_| new.worker.is_none()) else { return };
        if new.is_of_tab()
            && let Some(opener) = page.opener()
            && let Some(running) = opener.recording()
            && (running.recorder.counts)()
        {
            running.emit(&RecordedUserAction::Opened);
        }
        let observer = RecordObserver { page: page.downgrade(), session: new.session.clone() };
        new.session.observe(&EVENTS, Arc::new(observer));
    }

    fn on_document(&self, page: &Page, frame: &Frame) {
        let Some(running) = page.recording() else { return };
        let frame = frame.clone();
        let counts = (running.recorder.counts)();
        let page = page.clone();
        tokio::spawn(async move {
            // An error means that the document is gone: there is nothing to record.
            let _ = running.hear(&frame).await;
            if frame == *page.main_frame() {
                running.report_navigation(&page, counts).await;
            }
        });
    }
}

struct RecordObserver {
    page: WeakPage,
    session: CdpSession,
}

impl Observer for RecordObserver {
    fn on_event(&self, event: RawEvent) {
        let Some(page) = self.page.upgrade() else { return };
        let Some(running) = page.recording() else { return };
        let counts = (running.recorder.counts)();
        if let Some(event) = event.read::<BindingCalled>() {
            if counts && event.name == BINDING {
                running.step(&self.session, &event);
            }
        } else if let Some(event) = event.read::<JavascriptDialogClosed>() {
            if counts && !page.dialog_is_answered_here() {
                running
                    .emit(&RecordedUserAction::Answered { accepted: event.result, text: event.user_input });
            }
        } else if let Some(event) = event.read::<FrameStartedNavigating>() {
            let loads_again = event.frame_id == page.id() && event.navigation_type.starts_with("reload");
            if counts && loads_again && !running.follows_a_step() {
                running.emit(&RecordedUserAction::BrowserNavigation(BrowserNavigation::Reload));
            }
        } else if event.read::<NavigatedWithinDocument>().is_some_and(|event| event.frame_id == page.id()) {
            tokio::spawn(async move { running.report_navigation(&page, counts).await });
        }
    }
}

impl Running {
    fn emit(&self, recorded: &RecordedUserAction) {
        if matches!(
            recorded,
            RecordedUserAction::BrowserNavigation(
                BrowserNavigation::Back | BrowserNavigation::Forward | BrowserNavigation::Reload
            )
        ) {
            *self.went.lock() = Some(Instant::now());
        }
        (self.recorder.on_recorded)(recorded);
    }

    /// Handles a step that a recorded world has reported. Page scripts do not have the binding.
    fn step(&self, session: &CdpSession, called: &BindingCalled) {
        let world = (Arc::from(session.id()), called.execution_context_id);
        let Some(frame) = self.worlds.lock().get(&world).cloned() else { return };
        let Ok(message) = decode::<RecorderMessage>(called.payload.as_bytes()) else { return };
        if !message.did.may_navigate() {
            *self.last.lock() = Some(Instant::now());
        } else if self.went.lock().is_some_and(|went| went.elapsed() < SOON) {
            // The navigation that this shortcut caused was already reported.
            return;
        }
        let at = message.way.map(|way| frame.into_iter().chain([way]).collect());
        self.emit(&RecordedUserAction::Step { at, did: message.did });
    }

    /// Starts recording in a frame's document.
    async fn hear(&self, frame: &Frame) -> Result<()> {
        let world = frame.utility_world().await?;
        let ways = frame.generate_locators().await?;
        let binding = AddBinding {
            name: BINDING.to_owned(),
            execution_context_id: Some(world.context_id()),
            ..AddBinding::default()
        };
        world.session().call(binding).await?;
        self.worlds.lock().insert((Arc::from(world.session().id()), world.context_id()), ways);
        let test_id = Value::from(&*test_id_attribute());
        let script = format!("function () {{ return ({})(this, {test_id}); }}", as_function(RECORD));
        world.call_apart::<Value>(&script).await.map(drop)
    }

    /// Whether the current event is an effect of a recent step.
    fn follows_a_step(&self) -> bool {
        self.last.lock().is_some_and(|last| last.elapsed() < SOON)
    }

    /// Reports a navigation of the tab, if a person caused it.
    async fn report_navigation(&self, page: &Page, counts: bool) {
        let Ok(now) = page.session().call(GetNavigationHistory {}).await else { return };
        let history = History::of(&now.entries, now.current_index);
        let before = std::mem::replace(&mut *self.history.lock(), history.clone());
        let Some(entry) = now.entries.get(now.current_index).filter(|_| counts) else { return };
        let follows = self.follows_a_step();
        let went = history.went_from(&before, entry);
        // A page can go back by itself, but only a person can type into the address bar.
        let went = went.into_iter().filter(|went| !follows || matches!(went, BrowserNavigation::To(_)));
        went.for_each(|went| self.emit(&RecordedUserAction::BrowserNavigation(went)));
    }
}

impl History {
    fn of(entries: &[HistoryEntry], current: usize) -> Self {
        Self { entries: entries.iter().map(|entry| entry.id).collect(), current }
    }

    /// Compares this history with an earlier one. Returns how the back, forward and reload buttons led to `entry`.
    fn went_from(&self, before: &Self, entry: &HistoryEntry) -> Vec<BrowserNavigation> {
        const TYPED: [&str; 6] =
            ["typed", "address_bar", "auto_bookmark", "auto_toplevel", "generated", "keyword"];
        if self.entries == before.entries {
            let steps = self.current.abs_diff(before.current);
            return vec![
                if self.current < before.current {
                    BrowserNavigation::Back
                } else {
                    BrowserNavigation::Forward
                };
                steps
            ];
        }
        match TYPED.contains(&entry.transition_type.as_str()) {
            true => vec![BrowserNavigation::To(entry.url.clone())],
            false => Vec::new(),
        }
    }
}

impl Page {
    fn recording(&self) -> Option<Arc<Running>> {
        self.extension::<Recording>().0.lock().clone()
    }

    /// Records a person's actions in this tab. The page cannot detect the recording.
    ///
    /// # Errors `unsupported` if the browser does not support recording.
    pub async fn record_actions(&self, recorder: RecordingCallbacks) -> Result<ActionRecording> {
        let now = self.session().call(GetNavigationHistory {}).await?;
        let running = Arc::new(Running {
            _kept: self.keep_loaded(),
            recorder,
            worlds: Mutex::default(),
            history: Mutex::new(History::of(&now.entries, now.current_index)),
            last: Mutex::default(),
            went: Mutex::default(),
        });
        *self.extension::<Recording>().0.lock() = Some(Arc::clone(&running));
        let recording = ActionRecording { page: self.downgrade(), running };
        for frame in self.frames() {
            match recording.running.hear(&frame).await {
                Err(Error::DocumentGone | Error::FrameDetached) => {}
                listened => listened?,
            }
        }
        Ok(recording)
    }
}

impl ActionRecording {
    /// Stops the recording and removes its listeners.
    pub async fn stop(self) {
        let Some(page) = self.page.upgrade() else { return };
        for frame in page.frames() {
            if let Ok(world) = frame.utility_world().await {
                // If the document is gone, so are its listeners.
                let _ = world.call_apart::<Value>("function () { this.stopRecording?.(); }").await;
            }
        }
    }
}

impl Drop for ActionRecording {
    fn drop(&mut self) {
        let Some(page) = self.page.upgrade() else { return };
        let mut known = page.extension::<Recording>().0.lock();
        if known.as_ref().is_some_and(|known| Arc::ptr_eq(known, &self.running)) {
            *known = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(id: i64, transition_type: &str) -> HistoryEntry {
        let url = format!("https://a.example/{id}");
        HistoryEntry { id, url, transition_type: transition_type.to_owned(), ..HistoryEntry::default() }
    }

    #[test]
    fn what_the_window_did_is_distinguished_from_what_the_page_did() {
        let at = |entries: &[i64], current| History { entries: entries.to_vec(), current };
        let rows = [
            (
                at(&[1], 0),
                at(&[1, 2], 1),
                "typed",
                vec![BrowserNavigation::To("https://a.example/2".to_owned())],
            ),
            (at(&[1], 0), at(&[1, 2], 1), "link", vec![]),
            (
                at(&[1, 2, 3], 2),
                at(&[1, 2, 3], 0),
                "typed",
                vec![BrowserNavigation::Back, BrowserNavigation::Back],
            ),
            (at(&[1, 2], 0), at(&[1, 2], 1), "link", vec![BrowserNavigation::Forward]),
            (at(&[1, 2], 1), at(&[1, 2], 1), "link", vec![]),
        ];
        for (before, now, kind, expected) in rows {
            let entry = entry(now.entries[now.current], kind);
            assert_eq!(now.went_from(&before, &entry), expected, "{before:?} {now:?} {kind}");
        }
    }
}
