//! Remembers what a client has been shown, so that answers do not repeat it.
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::browser::Page;
use crate::mcp::reply::PageState;
use crate::session::Tab;
use crate::snapshot::{NumericChange, Ref, Tree};

/// The number of tabs whose last snapshot is kept.
pub(super) const MOST_TREES: usize = 32;
/// How many earlier snapshots of a page are kept to resolve refs.
const MOST_EARLIER: usize = 3;
/// The largest earlier snapshot that is kept, in nodes.
const LARGEST_EARLIER: usize = 3_000;

/// The pages, tabs and downloads that a client has been shown.
#[derive(Debug, Default)]
pub(super) struct ShownState {
    /// The reported downloads, each with whether its end was reported.
    downloads: HashMap<String, bool>,
    /// Downloads that later waits ignore: a wait has reported their end, or another action has followed it.
    excluded_downloads: HashSet<String>,
    /// The last reported state of pages: the current one under an empty name, others by id.
    states: HashMap<String, PageState>,
    /// The last listed tabs.
    tabs: Vec<KnownTab>,
    /// The last shown tabs by id, newest last.
    pages: Vec<(String, ShownPage)>,
}

/// The reported state of a tab. Titles are excluded, since some change all the time.
#[derive(Debug, PartialEq, Eq)]
struct KnownTab {
    id: String,
    /// The URL, whether the tab crashed, and whether a dialog is open; `None` for the current tab, whose page is
    /// reported anyway.
    state: Option<(String, bool, bool)>,
}

impl KnownTab {
    fn new(tab: &Tab) -> Self {
        Self {
            id: tab.page.id().to_owned(),
            state: (!tab.is_active).then(|| {
                (
                    tab.page.requested_url(),
                    tab.page.is_crashed() && !tab.page.is_discarded(),
                    tab.page.dialog().is_some(),
                )
            }),
        }
    }
}

/// The snapshots of a page that were shown.
#[derive(Debug, Clone)]
pub(super) struct ShownPage {
    pub tree: Arc<Tree>,
    /// The page before something covered it; several for nested covers, newest last.
    pub behind: Vec<Arc<Tree>>,
    /// Lines with changing numbers.
    pub ticks: Vec<NumericChange>,
    /// Earlier snapshots of the page, also of other documents, newest last.
    earlier: Vec<Arc<Tree>>,
}

impl ShownState {
    /// The last snapshot of a page.
    pub(super) fn tree(&self, page: &Page) -> Option<Arc<Tree>> {
        self.shown(page).map(|shown| Arc::clone(&shown.tree))
    }

    /// The last snapshot of a page that contains this ref.
    pub(super) fn tree_with(&self, page: &Page, reference: &Ref) -> Option<Arc<Tree>> {
        let shown = self.shown(page)?;
        let mut trees = std::iter::once(&shown.tree).chain(shown.earlier.iter().rev());
        trees.find(|tree| tree.position(reference).is_some()).map(Arc::clone)
    }

    /// Everything that was shown of a page.
    pub(super) fn shown(&self, page: &Page) -> Option<&ShownPage> {
        self.pages.iter().find(|(id, _)| id == page.id()).map(|(_, shown)| shown)
    }

    /// Records a snapshot of a page.
    pub(super) fn set_tree(&mut self, page: &Page, tree: Arc<Tree>) {
        let known = self.shown(page).cloned();
        let known = known.filter(|known| known.tree.document == tree.document);
        let (behind, ticks) = known.map(|known| (known.behind, known.ticks)).unwrap_or_default();
        self.set_shown(page, tree, behind, ticks);
    }

    /// The last reported state of a page.
    pub(super) fn state(&self, page: &str) -> Option<&PageState> {
        self.states.get(page)
    }

    /// Records the reported state of a page. Returns the previous one.
    pub(super) fn set_state(&mut self, page: String, state: PageState) -> Option<PageState> {
        if self.states.len() > MOST_TREES {
            self.states.clear();
        }
        self.states.insert(page, state)
    }

    /// Forgets the reported state of a page.
    pub(super) fn forget_state(&mut self, page: &str) {
        self.states.remove(page);
    }

    /// Records the listed tabs. Returns false if they are unchanged.
    pub(super) fn set_tabs(&mut self, tabs: &[Tab]) -> bool {
        let tabs: Vec<_> = tabs.iter().map(KnownTab::new).collect();
        let is_news = self.tabs != tabs;
        self.tabs = tabs;
        is_news
    }

    /// Whether a download was reported.
    pub(super) fn knows_download(&self, id: &str) -> bool {
        self.downloads.contains_key(id)
    }

    /// Whether later waits ignore a download.
    pub(super) fn is_excluded_download(&self, id: &str) -> bool {
        self.excluded_downloads.contains(id)
    }

    /// Records that a wait reports the end of these downloads.
    pub(super) fn exclude_downloads(&mut self, ids: impl IntoIterator<Item = String>) {
        self.excluded_downloads.extend(ids);
    }

    /// Excludes the downloads whose end was reported from later waits.
    pub(super) fn exclude_ended_downloads(&mut self) {
        let ended = self.downloads.iter().filter(|(_, ended)| **ended);
        self.excluded_downloads.extend(ended.map(|(id, _)| id.clone()));
    }

    /// Records that a download was reported, and whether it had ended. Returns false if that was known.
    pub(super) fn set_download(&mut self, id: String, ended: bool) -> bool {
        self.downloads.insert(id, ended) != Some(ended)
    }

    /// Records a snapshot of a page, the snapshots of what is covered in it, and its lines with changing numbers.
    pub(super) fn set_shown(
        &mut self,
        page: &Page,
        tree: Arc<Tree>,
        behind: Vec<Arc<Tree>>,
        ticks: Vec<NumericChange>,
    ) {
        // Also those of other documents: for one of their refs, an answer can name the element that replaces it.
        let known = self.shown(page);
        let mut earlier: Vec<_> =
            known.into_iter().flat_map(|known| known.earlier.iter().chain([&known.tree])).cloned().collect();
        earlier.retain(|tree| tree.nodes().len() <= LARGEST_EARLIER);
        earlier.drain(..earlier.len().saturating_sub(MOST_EARLIER));
        let shown = ShownPage { tree, behind, ticks, earlier };
        self.pages.retain(|(id, _)| id != page.id());
        if self.pages.len() == MOST_TREES {
            self.pages.remove(0);
        }
        self.pages.push((page.id().to_owned(), shown));
    }
}
