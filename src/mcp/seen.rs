//! Remembers what a client has seen, so that answers do not repeat it.
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::browser::Page;
use crate::mcp::reply::PageState;
use crate::session::Tab;
use crate::snapshot::{NumericChange, Ref, Tree};

/// The maximum number of tabs whose last snapshot is kept.
pub(super) const MOST_TREES: usize = 32;
/// The maximum number of earlier snapshots of a page, which resolve refs.
const MOST_EARLIER: usize = 3;
/// The largest earlier snapshot that is kept, as a number of nodes.
const LARGEST_EARLIER: usize = 3_000;

/// The pages, tabs and downloads that a client has seen.
#[derive(Debug, Default)]
pub(super) struct ShownState {
    /// The reported downloads by id. The value is true if the end of the download was reported.
    downloads: HashMap<String, bool>,
    /// Downloads that later waits ignore: a wait reported their end, or an action followed after their end.
    excluded_downloads: HashSet<String>,
    /// The last reported state of each page: the current page has an empty key, others have the page id.
    states: HashMap<String, PageState>,
    /// The tabs in the last list.
    tabs: Vec<KnownTab>,
    /// The pages that the client has seen, by id; newest last.
    pages: Vec<(String, ShownPage)>,
}

/// The reported state of a tab. It has no title, since some titles change all the time.
#[derive(Debug, PartialEq, Eq)]
struct KnownTab {
    id: String,
    /// The URL, whether the page crashed, and whether a dialog is open. `None` for the current tab, whose
    /// page the answer reports anyway.
    state: Option<(String, bool, bool)>,
}

impl KnownTab {
    fn new(tab: &Tab) -> Self {
        Self {
            id: tab.page.id().to_owned(),
            state: (!tab.is_active).then(|| {
                (
                    tab.page.attempted_url(),
                    tab.page.is_crashed() && !tab.page.is_discarded(),
                    tab.page.dialog().is_some(),
                )
            }),
        }
    }
}

/// The snapshots of a page that the client has seen.
#[derive(Debug, Clone)]
pub(super) struct ShownPage {
    pub tree: Arc<Tree>,
    /// A snapshot of what each open overlay covers, in the order in which the overlays opened.
    pub behind: Vec<Arc<Tree>>,
    /// Lines with numbers that change by themselves, such as clocks.
    pub ticks: Vec<NumericChange>,
    /// Earlier snapshots of the page, including those of other documents; newest last.
    earlier: Vec<Arc<Tree>>,
}

impl ShownState {
    /// Returns the last snapshot of a page that the client has seen.
    pub(super) fn tree(&self, page: &Page) -> Option<Arc<Tree>> {
        self.shown(page).map(|shown| Arc::clone(&shown.tree))
    }

    /// Returns the newest snapshot of a page that contains this ref.
    pub(super) fn tree_with(&self, page: &Page, reference: &Ref) -> Option<Arc<Tree>> {
        let shown = self.shown(page)?;
        let mut trees = std::iter::once(&shown.tree).chain(shown.earlier.iter().rev());
        trees.find(|tree| tree.index_of_ref(reference).is_some()).map(Arc::clone)
    }

    /// Returns the snapshots of a page that the client has seen.
    pub(super) fn shown(&self, page: &Page) -> Option<&ShownPage> {
        self.pages.iter().find(|(id, _)| id == page.id()).map(|(_, shown)| shown)
    }

    /// Records a snapshot as seen.
    pub(super) fn set_tree(&mut self, page: &Page, tree: Arc<Tree>) {
        let known = self.shown(page).cloned();
        let known = known.filter(|known| known.tree.document == tree.document);
        let (behind, ticks) = known.map(|known| (known.behind, known.ticks)).unwrap_or_default();
        self.set_shown(page, tree, behind, ticks);
    }

    /// Returns the last reported state of a page, by its key.
    pub(super) fn state(&self, page: &str) -> Option<&PageState> {
        self.states.get(page)
    }

    /// Records the reported state of a page. Returns the state before.
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

    /// Records the listed tabs. Returns false if they are the same as in the last list.
    pub(super) fn set_tabs(&mut self, tabs: &[Tab]) -> bool {
        let tabs: Vec<_> = tabs.iter().map(KnownTab::new).collect();
        let is_news = self.tabs != tabs;
        self.tabs = tabs;
        is_news
    }

    /// Whether the start or end of a download was reported.
    pub(super) fn knows_download(&self, id: &str) -> bool {
        self.downloads.contains_key(id)
    }

    /// Whether later waits for downloads ignore this one.
    pub(super) fn is_excluded_download(&self, id: &str) -> bool {
        self.excluded_downloads.contains(id)
    }

    /// Makes later waits for downloads ignore these, since a wait reports their end.
    pub(super) fn exclude_downloads(&mut self, ids: impl IntoIterator<Item = String>) {
        self.excluded_downloads.extend(ids);
    }

    /// Makes later waits for downloads ignore those whose end was reported.
    pub(super) fn exclude_ended_downloads(&mut self) {
        let ended = self.downloads.iter().filter(|(_, ended)| **ended);
        self.excluded_downloads.extend(ended.map(|(id, _)| id.clone()));
    }

    /// Records that a download was reported, and whether it has ended. Returns false if this is not new.
    pub(super) fn set_download(&mut self, id: String, ended: bool) -> bool {
        self.downloads.insert(id, ended) != Some(ended)
    }

    /// Records a snapshot as seen, with what overlays in it cover, and its lines with changing numbers.
    pub(super) fn set_shown(
        &mut self,
        page: &Page,
        tree: Arc<Tree>,
        behind: Vec<Arc<Tree>>,
        ticks: Vec<NumericChange>,
    ) {
        // Keeps snapshots of other documents, too: for their refs, an answer can name the replacing element.
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
