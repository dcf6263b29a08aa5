//! The state of Firefox as reported to CDP clients: tabs, frames, worlds and requests.
use std::collections::{HashMap, HashSet, VecDeque};

use serde_json::Value;

use super::console::LogEntries;
use super::dialogs::Dialogs;
use super::downloads::DownloadFolder;
use super::fetch::NextDocument;
use super::input::Devices;
use super::network::TrackedRequest;
use super::objects::Objects;
use super::screencasts::Screencast;

/// Firefox's id of the default user context.
pub(super) const PROFILE: &str = "default";

/// How many ids a [`Remembered`] set keeps.
const REMEMBERED: usize = 500;

#[derive(Debug, Default)]
pub(super) struct State {
    /// Tabs, by the id of their top-level browsing context.
    pub tabs: HashMap<String, Tab>,
    /// The tab whose window is in front; `None` if that is not known.
    pub front: Option<String>,
    /// All browsing contexts by id.
    pub frames: HashMap<String, Frame>,
    pub objects: Objects,
    /// Whether the client has subscribed to new tabs.
    pub attaches: bool,
    /// Tabs that were open before the session, and that are not reported.
    pub hidden: HashSet<String>,
    /// The number of tabs being created whose ids are not known yet.
    pub creating: usize,
    /// Events of tabs that opened while `creating` was not zero.
    pub pending: Vec<Value>,
    /// The number of running print jobs. Firefox opens a hidden tab for each.
    pub printing: usize,
    pub requests: HashMap<String, TrackedRequest>,
    /// The postponed events of requests whose bodies are being fetched, by request.
    pub pending_requests: HashMap<String, Vec<(String, Value)>>,
    /// Browser contexts in which a tab has started.
    pub begun_contexts: HashSet<String>,
    pub context_scripts: HashMap<String, Vec<ContextScript>>,
    /// The permissions granted to each context.
    pub permissions: HashMap<String, Vec<String>>,
    pub granted: HashSet<(String, String)>,
    /// The download folder of each context.
    pub downloads: HashMap<String, DownloadFolder>,
    /// Recent navigations that turned into downloads.
    pub download_navigations: Remembered,
    /// Recent navigations within a document.
    pub same_document: Remembered,
    /// Running downloads: navigation, URL and CDP download id.
    pub running_downloads: Vec<(String, String, String)>,
    /// Console subscriptions for `Runtime.enable`, by tab: messages with objects.
    pub console: HashMap<String, String>,
    /// Console subscriptions for `Console.enable`, by tab: messages as text.
    pub console_read: HashMap<String, String>,
    /// Running screencasts by session.
    pub screencasts: HashMap<String, Screencast>,
    /// The number of screencast frames reported so far.
    pub pictures: i64,
    /// The number of additional CDP sessions created so far.
    pub sessions: u64,
}

/// A script that runs in every new document of a context.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ContextScript {
    pub world: Option<String>,
    pub source: String,
    pub script: String,
}

/// A bounded set of the most recent ids.
#[derive(Debug, Default)]
pub(super) struct Remembered(VecDeque<String>);

impl Remembered {
    pub(super) fn add(&mut self, id: &str) {
        if self.0.len() == REMEMBERED {
            self.0.pop_front();
        }
        self.0.push_back(id.to_owned());
    }

    pub(super) fn has(&self, id: &str) -> bool {
        self.0.iter().any(|known| known == id)
    }
}

/// A tab: one CDP target with one main session.
#[derive(Debug, Default)]
pub(super) struct Tab {
    pub user_context: String,
    pub devices: Devices,
    /// Scripts for new documents: CDP script ids to BiDi ids.
    pub preload: HashMap<String, String>,
    /// Whether the tab has started. Earlier settings apply to all tabs of its context, see [`State::scope`].
    pub has_begun: bool,
    /// An intercept that aborts the next document.
    pub next_document: Option<NextDocument>,
    /// The ids of the tab's BiDi intercepts.
    pub intercepts: Vec<String>,
    pub intercepts_file_choosers: bool,
    /// Whether requests bypass the cache.
    pub bypasses_cache: bool,
    pub logged: LogEntries,
    pub dialogs: Dialogs,
    /// Whether this is a popup whose first navigation has not been committed.
    pub is_pending_popup: bool,
}

/// A browsing context: a tab's main frame or a nested frame.
#[derive(Debug, Default)]
pub(super) struct Frame {
    /// The id of the top-level browsing context.
    pub tab: String,
    pub parent: Option<String>,
    /// The URL of the running navigation that the client requested.
    pub requested: Option<String>,
    /// The id of the navigation that loaded the document: CDP's loader id.
    pub loader: String,
    pub url: String,
    pub name: String,
    /// Firefox's realm id of the main world.
    pub realm: Option<String>,
    /// The navigation in progress.
    pub navigation: Option<String>,
    /// Requests in progress that belong to the document.
    pub in_flight: HashSet<String>,
    pub has_parsed: bool,
    pub has_loaded: bool,
    pub is_idle: bool,
    /// Counts network events, to detect whether the network stays idle.
    pub activity: u64,
}

/// Returns the id of a tab's main session.
pub(super) fn session_of(tab: &str) -> String {
    format!("firefox-{tab}")
}

/// The separator of tab and number in the id of an additional session.
const BESIDE: char = '#';

/// Returns the tab of a session.
pub(super) fn tab_of(session: &str) -> &str {
    let named = session.strip_prefix("firefox-").unwrap_or_default();
    named.split_once(BESIDE).map_or(named, |(tab, _)| tab)
}

impl State {
    /// Creates another session for a tab: it gets all replies, but only the events of its own screencasts.
    pub(super) fn add_session(&mut self, tab: &str) -> String {
        self.sessions += 1;
        format!("{}{BESIDE}{}", session_of(tab), self.sessions)
    }

    /// Returns the BiDi scope of a setting: the name of the parameter, and its value. Before the first tab of
    /// a context starts, its settings apply to the whole context, so that popups have them from the start.
    pub(super) fn scope(&self, tab: &str) -> (&'static str, Value) {
        match self.tabs.get(tab).filter(|tab| !tab.has_begun) {
            Some(tab) if !self.begun_contexts.contains(&tab.user_context) => {
                ("userContexts", vec![tab.user_context.clone()].into())
            }
            _ => ("contexts", vec![tab.to_owned()].into()),
        }
    }

    /// Returns the tab that contains a browsing context.
    pub(super) fn tab_containing(&mut self, context: &str) -> Option<&mut Tab> {
        self.tabs.get_mut(&self.frames.get(context)?.tab)
    }

    /// Marks a tab and its context as started.
    pub(super) fn begin(&mut self, tab: &str) {
        let Some(tab) = self.tabs.get_mut(tab) else { return };
        tab.has_begun = true;
        self.begun_contexts.insert(tab.user_context.clone());
    }

    /// Forgets a script that ran in new documents.
    pub(super) fn forget_script(&mut self, script: &str) {
        self.context_scripts.values_mut().for_each(|scripts| scripts.retain(|known| known.script != script));
    }

    /// Drops the state of a removed browser context.
    pub(super) fn forget_context(&mut self, context: &str) {
        self.begun_contexts.remove(context);
        self.context_scripts.remove(context);
        self.downloads.remove(context);
    }

    /// Returns the id of the session in which a browsing context is reported; `None` if its tab has none.
    pub(super) fn session_for(&self, context: &str) -> Option<String> {
        let frame = self.frames.get(context)?;
        self.tabs.contains_key(&frame.tab).then(|| session_of(&frame.tab))
    }

    /// Returns the ids of a frame and all its descendants.
    pub(super) fn family(&self, context: &str) -> Vec<String> {
        let mut family = vec![context.to_owned()];
        let mut next = 0;
        while let Some(parent) = family.get(next).cloned() {
            let children = self.frames.iter().filter(|(_, frame)| frame.parent.as_ref() == Some(&parent));
            family.extend(children.map(|(id, _)| id.clone()));
            next += 1;
        }
        family
    }

    /// Drops the state of a frame's previous document, with its child frames.
    pub(super) fn forget_document(&mut self, context: &str) {
        let family = self.family(context);
        if let Some(tab) = self.tab_containing(context) {
            tab.logged.forget(&family);
        }
        for child in family.iter().skip(1) {
            self.frames.remove(child);
            self.objects.forget_frame(child);
        }
        self.objects.forget_frame(context);
    }
}
