//! The state of the browser: tabs, frames, worlds, and what was reported about them.
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

/// Firefox's name of the default context.
pub(super) const PROFILE: &str = "default";

/// The number of past ids that are remembered.
const REMEMBERED: usize = 500;

#[derive(Debug, Default)]
pub(super) struct State {
    /// Tabs by the id of their top-level browsing context.
    pub tabs: HashMap<String, Tab>,
    /// All browsing contexts by id.
    pub frames: HashMap<String, Frame>,
    pub objects: Objects,
    /// Whether new tabs are reported.
    pub attaches: bool,
    /// Tabs that were open before us and are ignored.
    pub hidden: HashSet<String>,
    /// The number of tabs that we are creating and whose ids are unknown yet.
    pub creating: usize,
    /// Tabs that opened while `creating` was not zero.
    pub pending: Vec<Value>,
    /// The number of running print jobs: Firefox opens a hidden tab for each.
    pub printing: usize,
    pub requests: HashMap<String, TrackedRequest>,
    /// Requests whose bodies are being fetched, with their events in the meantime.
    pub pending_requests: HashMap<String, Vec<(String, Value)>>,
    /// Contexts that have had a tab.
    pub begun_contexts: HashSet<String>,
    pub context_scripts: HashMap<String, Vec<ContextScript>>,
    /// The permissions granted to each context.
    pub permissions: HashMap<String, Vec<String>>,
    pub granted: HashSet<(String, String)>,
    /// The download folder of each context.
    pub downloads: HashMap<String, DownloadFolder>,
    /// Recent navigations that became downloads.
    pub download_navigations: Remembered,
    /// Recent navigations within a document.
    pub same_document: Remembered,
    /// Running downloads: navigation, URL and our id.
    pub running_downloads: Vec<(String, String, String)>,
    /// The subscriptions of tabs whose console is reported with objects (`Runtime.enable`).
    pub console: HashMap<String, String>,
    /// The subscriptions of tabs whose console is read as text (`Console.enable`).
    pub console_read: HashMap<String, String>,
    /// Running screencasts by session.
    pub screencasts: HashMap<String, Screencast>,
    /// The number of screencast frames reported so far.
    pub pictures: i64,
    /// The number of additional sessions.
    pub sessions: u64,
}

/// A script that runs in every new document of a context.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ContextScript {
    pub world: Option<String>,
    pub source: String,
    pub script: String,
}

/// A bounded set of recent ids.
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

/// A tab: one target with one main session.
#[derive(Debug, Default)]
pub(super) struct Tab {
    pub user_context: String,
    pub devices: Devices,
    /// Scripts for its new documents, by our ids.
    pub preload: HashMap<String, String>,
    /// Whether the tab runs: settings that are sent earlier apply to all tabs of its context.
    pub has_begun: bool,
    /// The pending refusal of its next document.
    pub next_document: Option<NextDocument>,
    /// The ids of its BiDi intercepts.
    pub intercepts: Vec<String>,
    pub intercepts_file_choosers: bool,
    /// Whether its requests bypass the cache.
    pub bypasses_cache: bool,
    pub logged: LogEntries,
    pub dialogs: Dialogs,
    /// Whether it is a popup that has not begun its navigation yet.
    pub is_pending_popup: bool,
}

/// A browsing context, which shows one document after another.
#[derive(Debug, Default)]
pub(super) struct Frame {
    /// The id of its top-level browsing context.
    pub tab: String,
    pub parent: Option<String>,
    /// The navigation that loaded the document.
    pub loader: String,
    pub url: String,
    pub name: String,
    /// Firefox's id of its main world.
    pub realm: Option<String>,
    /// The navigation in progress.
    pub navigation: Option<String>,
    /// Requests of the document in progress.
    pub in_flight: HashSet<String>,
    pub has_parsed: bool,
    pub has_loaded: bool,
    pub is_idle: bool,
    /// Grows with network activity, to detect whether the network stays idle.
    pub activity: u64,
}

/// The session id of a tab.
pub(super) fn session_of(tab: &str) -> String {
    format!("firefox-{tab}")
}

/// Separates the tab and the number in the id of an additional session.
const BESIDE: char = '#';

/// The tab of a session id.
pub(super) fn tab_of(session: &str) -> &str {
    let named = session.strip_prefix("firefox-").unwrap_or_default();
    named.split_once(BESIDE).map_or(named, |(tab, _)| tab)
}

impl State {
    /// Creates an additional session for a tab: it gets the same replies as the main session, but only events of its own screencasts.
    pub(super) fn add_session(&mut self, tab: &str) -> String {
        self.sessions += 1;
        format!("{}{BESIDE}{}", session_of(tab), self.sessions)
    }

    /// The tabs that a setting applies to. Settings of a context's first tab apply to the whole context before
    /// the tab runs: so popups have them from the start, since Firefox does not wait for popups.
    pub(super) fn scope(&self, tab: &str) -> (&'static str, Value) {
        match self.tabs.get(tab).filter(|tab| !tab.has_begun) {
            Some(tab) if !self.begun_contexts.contains(&tab.user_context) => {
                ("userContexts", vec![tab.user_context.clone()].into())
            }
            _ => ("contexts", vec![tab.to_owned()].into()),
        }
    }

    /// The tab that contains a browsing context.
    pub(super) fn tab_containing(&mut self, context: &str) -> Option<&mut Tab> {
        self.tabs.get_mut(&self.frames.get(context)?.tab)
    }

    /// Marks a tab as running.
    pub(super) fn begin(&mut self, tab: &str) {
        let Some(tab) = self.tabs.get_mut(tab) else { return };
        tab.has_begun = true;
        self.begun_contexts.insert(tab.user_context.clone());
    }

    /// Removes a script for new documents.
    pub(super) fn forget_script(&mut self, script: &str) {
        self.context_scripts.values_mut().for_each(|scripts| scripts.retain(|known| known.script != script));
    }

    /// Drops the state of a removed context.
    pub(super) fn forget_context(&mut self, context: &str) {
        self.begun_contexts.remove(context);
        self.context_scripts.remove(context);
        self.downloads.remove(context);
    }

    /// The session that reports a browsing context.
    pub(super) fn session_for(&self, context: &str) -> Option<String> {
        let frame = self.frames.get(context)?;
        self.tabs.contains_key(&frame.tab).then(|| session_of(&frame.tab))
    }

    /// A frame with all its descendants.
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

    /// Drops what was known of a frame's previous document.
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
