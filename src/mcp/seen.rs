//! What a client has been shown, so that it is not shown twice.
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::browser::Page;
use crate::mcp::reply::PageState;
use crate::session::Tab;
use crate::snapshot::{Ref, Tick, Tree};

/// For how many tabs it is remembered what was last shown of them.
pub(super) const MOST_TREES: usize = 32;
/// How many earlier trees of a page are kept, to know what a ref stood for, and how large each may be.
const MOST_EARLIER: usize = 3;
const LARGEST_EARLIER: usize = 3_000;

/// What a client has been shown.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// The downloads that were shown, and whether their end was.
    downloads: HashMap<String, bool>,
    /// The downloads that no wait is for: one has answered their end, or it was shown before something else was done.
    awaited: HashSet<String>,
    /// Where pages were last said to stand: the current one under no name, others by their ids.
    states: HashMap<String, PageState>,
    /// The tabs that were open when they were last listed.
    tabs: Vec<KnownTab>,
    /// The tabs that were shown last, by their ids, newest last.
    pages: Vec<(String, Shown)>,
}

/// What was shown of a tab, but for what it says itself: titles that count or blink are no news.
#[derive(Debug, PartialEq, Eq)]
struct KnownTab {
    id: String,
    /// Where it stands, whether it crashed, and whether a dialog is open; of the current tab that is shown with its page.
    state: Option<(String, bool, bool)>,
}

impl KnownTab {
    fn new(tab: &Tab) -> Self {
        Self {
            id: tab.page.id().to_owned(),
            state: (!tab.is_active).then(|| {
                (
                    tab.page.asked_url(),
                    tab.page.is_crashed() && !tab.page.is_discarded(),
                    tab.page.dialog().is_some(),
                )
            }),
        }
    }
}

/// What was shown of a page.
#[derive(Debug, Clone)]
pub(super) struct Shown {
    pub tree: Arc<Tree>,
    /// The page as it was before something came to lie over it; several where one lay over another, the newest last.
    pub behind: Vec<Arc<Tree>>,
    /// Lines whose numbers changed before.
    pub ticks: Vec<Tick>,
    /// The document as it was shown before, the newest last.
    earlier: Vec<Arc<Tree>>,
}

impl Seen {
    /// What was last shown of a page.
    pub(super) fn tree(&self, page: &Page) -> Option<Arc<Tree>> {
        self.shown(page).map(|shown| Arc::clone(&shown.tree))
    }

    /// What was last shown of a page with the element of this ref on it.
    pub(super) fn tree_with(&self, page: &Page, reference: &Ref) -> Option<Arc<Tree>> {
        let shown = self.shown(page)?;
        let mut trees = std::iter::once(&shown.tree).chain(shown.earlier.iter().rev());
        trees.find(|tree| tree.position(reference).is_some()).map(Arc::clone)
    }

    /// All that is remembered of a page.
    pub(super) fn shown(&self, page: &Page) -> Option<&Shown> {
        self.pages.iter().find(|(id, _)| id == page.id()).map(|(_, shown)| shown)
    }

    /// Remembers what is shown of a page.
    pub(super) fn set_tree(&mut self, page: &Page, tree: Arc<Tree>) {
        let known = self.shown(page).cloned();
        let known = known.filter(|known| known.tree.document == tree.document);
        let (behind, ticks) = known.map(|known| (known.behind, known.ticks)).unwrap_or_default();
        self.set_shown(page, tree, behind, ticks);
    }

    /// Where a page was last said to stand.
    pub(super) fn state(&self, page: &str) -> Option<&PageState> {
        self.states.get(page)
    }

    /// Remembers where a page was said to stand. Gives what was said before.
    pub(super) fn set_state(&mut self, page: String, state: PageState) -> Option<PageState> {
        if self.states.len() > MOST_TREES {
            self.states.clear();
        }
        self.states.insert(page, state)
    }

    /// Forgets where a page was said to stand.
    pub(super) fn forget_state(&mut self, page: &str) {
        self.states.remove(page);
    }

    /// Remembers which tabs are listed. False when the same were listed before.
    pub(super) fn set_tabs(&mut self, tabs: &[Tab]) -> bool {
        let tabs: Vec<_> = tabs.iter().map(KnownTab::new).collect();
        let is_news = self.tabs != tabs;
        self.tabs = tabs;
        is_news
    }

    /// Whether anything was shown of a download.
    pub(super) fn knows_download(&self, id: &str) -> bool {
        self.downloads.contains_key(id)
    }

    /// Whether no wait is for a download any more.
    pub(super) fn has_awaited(&self, id: &str) -> bool {
        self.awaited.contains(id)
    }

    /// Remembers that a wait answers the end of these downloads.
    pub(super) fn set_awaited(&mut self, ids: impl IntoIterator<Item = String>) {
        self.awaited.extend(ids);
    }

    /// No wait is for the downloads whose end was shown so far.
    pub(super) fn leave_downloads(&mut self) {
        let ended = self.downloads.iter().filter(|(_, ended)| **ended);
        self.awaited.extend(ended.map(|(id, _)| id.clone()));
    }

    /// Remembers that a download was shown, and whether it had ended. False when that was known.
    pub(super) fn set_download(&mut self, id: String, ended: bool) -> bool {
        self.downloads.insert(id, ended) != Some(ended)
    }

    /// Remembers what is shown of a page, and what lies behind it.
    pub(super) fn set_shown(
        &mut self,
        page: &Page,
        tree: Arc<Tree>,
        behind: Vec<Arc<Tree>>,
        ticks: Vec<Tick>,
    ) {
        // Of another document too: who uses a ref of what was shown then can be shown what stands in its place.
        let known = self.shown(page);
        let mut earlier: Vec<_> =
            known.into_iter().flat_map(|known| known.earlier.iter().chain([&known.tree])).cloned().collect();
        earlier.retain(|tree| tree.nodes().len() <= LARGEST_EARLIER);
        earlier.drain(..earlier.len().saturating_sub(MOST_EARLIER));
        let shown = Shown { tree, behind, ticks, earlier };
        self.pages.retain(|(id, _)| id != page.id());
        if self.pages.len() == MOST_TREES {
            self.pages.remove(0);
        }
        self.pages.push((page.id().to_owned(), shown));
    }
}
