//! What is known of the browser: its tabs, their frames, where scripts run in them, and what was reported of them.
use std::collections::{HashMap, HashSet, VecDeque};

use serde_json::Value;

use super::console::Logged;
use super::dialogs::Dialogs;
use super::downloads::DownloadFolder;
use super::fetch::NextDocument;
use super::films::Film;
use super::input::Devices;
use super::network::Hop;
use super::objects::Objects;

/// The context of the profile, as Firefox names it.
pub(super) const PROFILE: &str = "default";

/// How many ids of things that are over are remembered.
const REMEMBERED: usize = 500;

#[derive(Debug, Default)]
pub(super) struct State {
    /// By the id of the top browsing context.
    pub tabs: HashMap<String, Tab>,
    /// All browsing contexts that are shown, by their ids.
    pub frames: HashMap<String, Frame>,
    pub objects: Objects,
    /// Whether what opens is reported.
    pub attaches: bool,
    /// What was open when we came, and is nobody's page.
    pub hidden: HashSet<String>,
    /// How many tabs are being made by us, whose ids nobody knows yet; and what opened meanwhile.
    pub creating: usize,
    pub pending: Vec<Value>,
    /// How many prints are being made: Firefox shows each to itself as a tab.
    pub printing: usize,
    pub requests: HashMap<String, Hop>,
    /// Requests whose bodies are being fetched, and what was reported of them meanwhile.
    pub pending_requests: HashMap<String, Vec<(String, Value)>>,
    /// Contexts that had a tab; and the scripts that all documents of a context begin with: the world, the source, the number.
    pub begun_contexts: HashSet<String>,
    pub context_scripts: HashMap<String, Vec<ContextScript>>,
    /// What was given to the profile and to each context.
    pub permissions: HashMap<String, Vec<String>>,
    pub granted: HashSet<(String, String)>,
    /// Where each context keeps what pages send.
    pub downloads: HashMap<String, DownloadFolder>,
    /// Navigations that ended as downloads, and those that stayed within their document.
    pub download_navigations: Remembered,
    pub same_document: Remembered,
    /// The downloads that are under way: their navigation and address, and the number that we gave.
    pub running_downloads: Vec<(String, String, String)>,
    /// Whose console is heard.
    pub console: HashMap<String, String>,
    /// Whose console is read, for a moment or as long as somebody listens, and the subscription for it once there is one.
    pub console_read: HashMap<String, String>,
    /// Films that are being made, by the sessions that asked for them, and how many pictures of films were reported.
    pub films: HashMap<String, Film>,
    pub pictures: i64,
    /// How many sessions there are beside those that each tab has.
    pub sessions: u64,
}

/// A script that every document of a context begins with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ContextScript {
    pub world: Option<String>,
    pub source: String,
    pub script: String,
}

/// The newest of some ids.
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

/// A tab, which is one target with one session.
#[derive(Debug, Default)]
pub(super) struct Tab {
    pub user_context: String,
    pub devices: Devices,
    /// The scripts that its documents begin with, by our numbers.
    pub preload: HashMap<String, String>,
    /// Whether it runs: what is sent to it before that is sent to every tab of its context.
    pub has_begun: bool,
    /// Waits to refuse the next document.
    pub next_document: Option<NextDocument>,
    /// The intercepts that hold its requests.
    pub intercepts: Vec<String>,
    pub catches_choosers: bool,
    /// Whether all is asked for past the caches.
    pub passes_caches: bool,
    pub logged: Logged,
    pub dialogs: Dialogs,
    /// A window that was opened for an address, and shows nothing yet.
    pub is_unborn: bool,
}

/// A browsing context: a place where one document after another is shown.
#[derive(Debug, Default)]
pub(super) struct Frame {
    /// The top one that it belongs to.
    pub tab: String,
    pub parent: Option<String>,
    /// The navigation that brought the document.
    pub loader: String,
    pub url: String,
    pub name: String,
    /// The page's own world, as Firefox names it.
    pub realm: Option<String>,
    /// The navigation that is under way.
    pub navigation: Option<String>,
    /// What is asked for by the document and has not ended.
    pub in_flight: HashSet<String>,
    pub has_parsed: bool,
    pub has_loaded: bool,
    pub is_idle: bool,
    /// Counts what is asked for: rest is no change of it.
    pub activity: u64,
}

/// The session that stands for a tab.
pub(super) fn session_of(tab: &str) -> String {
    format!("firefox-{tab}")
}

/// Between the tab and the number of a session beside the one that every tab has.
const BESIDE: char = '#';

/// The tab that a session stands for.
pub(super) fn tab_of(session: &str) -> &str {
    let named = session.strip_prefix("firefox-").unwrap_or_default();
    named.split_once(BESIDE).map_or(named, |(tab, _)| tab)
}

impl State {
    /// Another session with a tab: it gets the same answers as the tab's own session, but events of its films only.
    pub(super) fn session_beside(&mut self, tab: &str) -> String {
        self.sessions += 1;
        format!("{}{BESIDE}{}", session_of(tab), self.sessions)
    }

    /// Whom a setting of a tab holds for. What is set in the first tab of a context before it runs holds for all of its tabs:
    /// so a window that a page opens has it from its first moment on, for which Firefox does not wait.
    pub(super) fn scope(&self, tab: &str) -> (&'static str, Value) {
        match self.tabs.get(tab).filter(|tab| !tab.has_begun) {
            Some(tab) if !self.begun_contexts.contains(&tab.user_context) => {
                ("userContexts", vec![tab.user_context.clone()].into())
            }
            _ => ("contexts", vec![tab.to_owned()].into()),
        }
    }

    /// The tab that a browsing context is in.
    pub(super) fn tab_with(&mut self, context: &str) -> Option<&mut Tab> {
        self.tabs.get_mut(&self.frames.get(context)?.tab)
    }

    /// A tab runs.
    pub(super) fn begin(&mut self, tab: &str) {
        let Some(tab) = self.tabs.get_mut(tab) else { return };
        tab.has_begun = true;
        self.begun_contexts.insert(tab.user_context.clone());
    }

    /// A script is taken back.
    pub(super) fn forget_script(&mut self, script: &str) {
        self.context_scripts.values_mut().for_each(|scripts| scripts.retain(|known| known.script != script));
    }

    /// A context is gone.
    pub(super) fn forget_context(&mut self, context: &str) {
        self.begun_contexts.remove(context);
        self.context_scripts.remove(context);
        self.downloads.remove(context);
    }

    /// The session that tells of a browsing context.
    pub(super) fn session_for(&self, context: &str) -> Option<String> {
        let frame = self.frames.get(context)?;
        self.tabs.contains_key(&frame.tab).then(|| session_of(&frame.tab))
    }

    /// The frame and all that are in it.
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

    /// The document of a frame is another one: nothing that was known in it is there any more.
    pub(super) fn forget_document(&mut self, context: &str) {
        let family = self.family(context);
        if let Some(tab) = self.tab_with(context) {
            tab.logged.forget(&family);
        }
        for child in family.iter().skip(1) {
            self.frames.remove(child);
            self.objects.forget_frame(child);
        }
        self.objects.forget_frame(context);
    }
}
