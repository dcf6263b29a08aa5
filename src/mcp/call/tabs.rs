//! In which tab a call works: the one that it names, or the current one.
use serde_json::{Map, Value};

use super::Call;
use crate::Result;
use crate::browser::Page;
use crate::error::in_quotes;
use crate::mcp::page_text::one_line;
use crate::mcp::tool::AnyTool;
use crate::session::{Tab, TabId};

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
            *self.tab.lock() = Some(self.workspace.tab(&name)?.id);
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

    /// The tab that the call names.
    pub fn tab(&self) -> Option<TabId> {
        *self.tab.lock()
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
