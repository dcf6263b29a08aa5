//! In which tab a call works: the one that it names, or the current one.
use serde_json::{Map, Value};

use super::Call;
use crate::Result;
use crate::browser::Page;
use crate::mcp::tool::AnyTool;
use crate::session::{Tab, TabId};

impl Call<'_> {
    /// Works in the tab that the arguments name, and takes its name out of them.
    ///
    /// # Errors
    /// `no_such_tab` when there is none of this name.
    pub(in crate::mcp) fn take_tab(&self, tool: &AnyTool, arguments: &mut Map<String, Value>) -> Result<()> {
        if tool.toolset.has_tabs()
            && let Some(Value::String(name)) = arguments.remove(tool.toolset.tab_argument())
        {
            *self.tab.lock() = Some(self.workspace.tab(&name)?.id);
        }
        Ok(())
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
