//! In which tab a call works: the one that it names, or the current one.
use serde_json::{Map, Value};

use super::Call;
use crate::Result;
use crate::browser::{Page, Reached};
use crate::error::in_quotes;
use crate::mcp::page_text::{address, one_line};
use crate::mcp::tool::AnyTool;
use crate::session::{Tab, TabId};
use crate::snapshot;

/// A page that opens dialogs without end is given up on.
const MOST_DIALOGS: usize = 5;

impl Call<'_> {
    /// Works in the tab that the arguments name, and takes its name out of them.
    ///
    /// # Errors
    /// `no_such_tab` when there is none of this name.
    pub(in crate::mcp) fn take_tab(&self, tool: &AnyTool, arguments: &mut Map<String, Value>) -> Result<()> {
        if let Some(argument) = tool.toolset.family().tab_argument
            && let Some(Value::String(name)) = arguments.remove(argument)
        {
            *self.place.tab.lock() = Some(self.workspace.tab(&name)?.id);
        }
        Ok(())
    }

    /// Dismisses the dialogs of a client that knows none, and tells it.
    pub(in crate::mcp) async fn dismiss_dialogs(&self) {
        for _ in 0..MOST_DIALOGS {
            let Ok(page) = self.current_page() else { return };
            // A window that it opened keeps it waiting, too.
            let tabs = self.tabs().into_iter().map(|tab| tab.page);
            let opened = tabs.filter(|tab| tab.opener().as_ref() == Some(&page));
            let asking =
                std::iter::once(page.clone()).chain(opened).find_map(|page| Some((page.dialog()?, page)));
            let Some((dialog, page)) = asking else { return };
            if page.answer_dialog(false, None).await.is_err() {
                return;
            }
            self.note(format!(
                "The {} dialog {} was dismissed.",
                dialog.kind,
                in_quotes(&one_line(&dialog.message))
            ));
        }
    }

    /// Says that the page closed, and where the next call works.
    pub(super) fn reported_closing(&self) -> String {
        let current = self.current_page().ok();
        match self.tabs().into_iter().find(|tab| Some(&tab.page) == current.as_ref()) {
            Some(tab) => {
                let address = address(&tab.page.asked_url());
                format!("The page closed. The current tab is now {}: {address} [tab={}].", tab.index, tab.id)
            }
            None => "The page closed.".to_owned(),
        }
    }

    /// Notes what an action did in other tabs than the current one, which is shown.
    pub(super) fn note_reached(&self, reached: &[Reached]) {
        let current = self.current_page().ok();
        let tabs = self.tabs();
        for Reached { page, navigated, texts } in reached {
            let Some(tab) = tabs.iter().find(|tab| tab.page == *page && Some(page) != current.as_ref())
            else {
                continue;
            };
            let now = match navigated {
                true => address(&page.asked_url()),
                false => texts.iter().map(|text| snapshot::quoted(text)).collect::<Vec<_>>().join(", "),
            };
            self.note(format!("Tab {} changed, too: {now} [tab={}].", tab.index, tab.id));
        }
    }

    /// The tab that the call names.
    pub fn tab(&self) -> Option<TabId> {
        *self.place.tab.lock()
    }

    /// The page of the tab that the call names, or the active one.
    ///
    /// # Errors
    /// `no_such_tab` when it is gone, `no_page` when none is open.
    pub fn current_page(&self) -> Result<Page> {
        match self.tab() {
            Some(id) => self.workspace.tab(&id.to_string()).map(|tab| tab.page),
            None => self.workspace.open_page(),
        }
    }

    /// The number of the context in which the call works.
    pub fn context_number(&self) -> u32 {
        let active = || self.workspace.context_entry(None, None).map_or(0, |entry| entry.number);
        self.tab().map_or_else(active, |tab| tab.context)
    }

    /// The tabs of the context in which the call works.
    pub fn tabs(&self) -> Vec<Tab> {
        match self.tab() {
            Some(id) => self
                .workspace
                .context_entry(Some(id.context), None)
                .map(|entry| entry.tabs)
                .unwrap_or_default(),
            None => self.workspace.tabs(),
        }
    }
}
