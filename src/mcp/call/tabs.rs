//! The tab in which a call works: the tab that it names, or the current one.
use serde_json::{Map, Value};

use super::Call;
use crate::Result;
use crate::browser::{AffectedPage, Page};
use crate::error::in_quotes;
use crate::mcp::page_text::{inline_url, one_line};
use crate::mcp::tool::AnyTool;
use crate::session::{Tab, TabId};
use crate::snapshot;

/// The maximum number of dialogs in a row that are dismissed. A page that opens more is left alone.
const MOST_DIALOGS: usize = 5;

/// Returns a sentence about a tab that the page opened.
pub(in crate::mcp) fn opened_note(tab: &Tab) -> String {
    format!("The page opened tab {}: {} [tab={}]", tab.index, inline_url(&tab.page.attempted_url()), tab.id)
}

impl Call<'_> {
    /// Removes the tab argument from the arguments, and makes the call work in that tab.
    ///
    /// # Errors `no_such_tab` if there is no tab with this name.
    pub(in crate::mcp) fn take_tab(&self, tool: &AnyTool, arguments: &mut Map<String, Value>) -> Result<()> {
        if let Some(argument) = tool.family.tab_argument
            && let Some(Value::String(name)) = arguments.remove(argument)
        {
            *self.place.tab.lock() = Some(self.workspace.tab_by_id(&name)?.id);
        }
        Ok(())
    }

    /// Dismisses dialogs, and reports them, for a client without a tool that answers them.
    pub(in crate::mcp) async fn dismiss_dialogs(&self) {
        for _ in 0..MOST_DIALOGS {
            let Ok(page) = self.current_page() else { return };
            // A dialog in a window that the page opened also blocks the page itself.
            let tabs = self.tabs().into_iter().map(|tab| tab.page);
            let opened = tabs.filter(|tab| tab.opener().as_ref() == Some(&page));
            let asking =
                std::iter::once(page.clone()).chain(opened).find_map(|page| Some((page.dialog()?, page)));
            let Some((dialog, page)) = asking else { return };
            if page.answer_dialog(false, None).await.is_err() {
                return;
            }
            self.add_event(format!(
                "The {} dialog {} was dismissed.",
                dialog.kind,
                in_quotes(&one_line(&dialog.message))
            ));
        }
    }

    /// Returns a sentence that the page closed, and which tab is current now.
    pub(super) fn closing_note(&self) -> String {
        let current = self.current_page().ok();
        match self.tabs().into_iter().find(|tab| Some(&tab.page) == current.as_ref()) {
            Some(tab) => {
                let address = inline_url(&tab.page.attempted_url());
                format!("The page closed. The current tab is now {}: {address} [tab={}].", tab.index, tab.id)
            }
            None => "The page closed.".to_owned(),
        }
    }

    /// Reports windows that the page opened during the call, for clients whose answers do not list tabs.
    pub(in crate::mcp) fn note_windows(&self) {
        let Some((page, so_far)) = self.place.begun.get() else { return };
        for tab in self.tabs() {
            if tab.page.number() >= *so_far && tab.page.opener().as_ref() == Some(page) {
                self.add_event(opened_note(&tab));
            }
        }
        self.report.events.lock().extend(self.closed_windows());
    }

    /// Returns sentences about windows that the page opened during the call and that have closed already.
    pub(in crate::mcp) fn closed_windows(&self) -> Vec<String> {
        let Some((page, so_far)) = self.place.begun.get() else { return Vec::new() };
        let note =
            |url: String| format!("The page opened a window that has closed again: {}.", inline_url(&url));
        page.context().popups_closed_since(*so_far, page).into_iter().map(note).collect()
    }

    /// Reports effects of an action on tabs other than the current one.
    pub(super) fn note_reached(&self, reached: &[AffectedPage]) {
        let current = self.current_page().ok();
        let tabs = self.tabs();
        for AffectedPage { page, navigated, texts } in reached {
            let Some(tab) = tabs.iter().find(|tab| tab.page == *page && Some(page) != current.as_ref())
            else {
                continue;
            };
            let now = match navigated {
                true => inline_url(&page.attempted_url()),
                false => texts.iter().map(|text| snapshot::quoted(text)).collect::<Vec<_>>().join(", "),
            };
            self.add_event(format!("Tab {} changed, too: {now} [tab={}].", tab.index, tab.id));
        }
    }

    /// Returns the id of the tab that the call names; `None` for the current tab.
    pub fn named_tab(&self) -> Option<TabId> {
        *self.place.tab.lock()
    }

    /// Returns the page of the tab that the call names, or else the active page.
    ///
    /// # Errors `no_such_tab` if the tab is gone, `no_page` if no page is open.
    pub fn current_page(&self) -> Result<Page> {
        match self.named_tab() {
            Some(id) => self.workspace.tab_by_id(&id.to_string()).map(|tab| tab.page),
            None => self.workspace.require_active_page(),
        }
    }

    /// Returns the number of the browser context in which the call works.
    pub fn context_index(&self) -> u32 {
        let active = || self.workspace.find_context(None, None).map_or(0, |entry| entry.number);
        self.named_tab().map_or_else(active, |tab| tab.context)
    }

    /// Returns the tabs of the context in which the call works.
    pub fn tabs(&self) -> Vec<Tab> {
        match self.named_tab() {
            Some(id) => self
                .workspace
                .find_context(Some(id.context), None)
                .map(|entry| entry.tabs)
                .unwrap_or_default(),
            None => self.workspace.tabs(),
        }
    }
}
