//! Tabs, addressed by index or by permanent id.
use std::fmt;
use std::str::FromStr;

use super::{Slot, Workspace, focus};
use crate::browser::Page;
use crate::error::{Error, Result};

/// A tab as a client sees it.
#[derive(Debug, Clone)]
pub struct Tab {
    /// The position in the context's list of tabs, counted from 0.
    pub index: usize,
    /// The permanent id, which is never reused.
    pub id: TabId,
    /// The page.
    pub page: Page,
    /// Whether this is the active tab of its context.
    pub is_active: bool,
}

/// The permanent id of a tab, unique in its workspace: `t3`, or `c1t3` in a context other than the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TabId {
    /// The number of its context.
    pub context: u32,
    /// The number of its page.
    pub page: u32,
}

/// The error for a text that is not a tab id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParseTabIdError;

impl fmt::Display for TabId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.context > 0 {
            write!(f, "c{}", self.context)?;
        }
        write!(f, "t{}", self.page)
    }
}

impl FromStr for TabId {
    type Err = ParseTabIdError;

    fn from_str(text: &str) -> Result<Self, ParseTabIdError> {
        let number = |text: &str| match text.bytes().all(|byte| byte.is_ascii_digit()) {
            true => text.parse::<u32>().map_err(|_| ParseTabIdError),
            false => Err(ParseTabIdError),
        };
        let (context, page) = text.trim().rsplit_once('t').ok_or(ParseTabIdError)?;
        let context =
            if context.is_empty() { 0 } else { number(context.strip_prefix('c').ok_or(ParseTabIdError)?)? };
        Ok(Self { context, page: number(page)? })
    }
}

impl Workspace {
    /// Returns the tabs of the active context.
    pub fn tabs(&self) -> Vec<Tab> {
        self.inner.state.lock().active_slot().map(Slot::tabs).unwrap_or_default()
    }

    /// Returns the tab with this id, such as `t3`, in any context.
    ///
    /// # Errors `no_such_tab`, with the ids of the open tabs.
    pub fn tab_by_id(&self, name: &str) -> Result<Tab> {
        let id = name.parse::<TabId>().ok();
        let tabs: Vec<_> = self.contexts().into_iter().flat_map(|entry| entry.tabs).collect();
        match tabs.iter().find(|tab| Some(tab.id) == id) {
            Some(tab) => Ok(tab.clone()),
            None => Err(Error::UnknownTab {
                tab: name.chars().filter(|c| !c.is_control()).take(40).collect(),
                open: tabs.iter().map(|tab| tab.id.to_string()).collect(),
            }),
        }
    }

    /// Makes the tab at this index active and brings it to the front.
    pub async fn select_tab(&self, index: usize) -> Result<Page> {
        let page = {
            let mut state = self.inner.state.lock();
            state.active_slot().ok_or(Error::NoPage)?.tab(index)?
        };
        self.select(page).await
    }

    /// Makes the tab with this id active, together with its context, and brings it to the front.
    pub async fn select_tab_by_id(&self, name: &str) -> Result<Page> {
        self.select(self.tab_by_id(name)?.page).await
    }

    async fn select(&self, page: Page) -> Result<Page> {
        let before = {
            let mut state = self.inner.state.lock();
            let holder = state.slots.iter_mut().position(|slot| slot.pages().contains(&page));
            let slot = &mut state.slots[holder.ok_or(Error::NoPage)?];
            let (name, before) = (slot.name.clone(), slot.active.replace(page.clone()));
            state.active = name;
            before
        };
        page.bring_to_front().await?;
        focus(&page, before.as_ref());
        Ok(page)
    }

    /// Closes the tab at this index. Default: the active tab.
    pub async fn close_tab(&self, index: Option<usize>) -> Result<Page> {
        let page = {
            let mut state = self.inner.state.lock();
            let slot = state.active_slot().ok_or(Error::NoPage)?;
            match index {
                Some(index) => slot.tab(index)?,
                None => slot.active_page().ok_or(Error::NoPage)?,
            }
        };
        self.close_page(page).await
    }

    /// Closes the tab with this id.
    pub async fn close_tab_by_id(&self, name: &str) -> Result<Page> {
        self.close_page(self.tab_by_id(name)?.page).await
    }

    async fn close_page(&self, page: Page) -> Result<Page> {
        let was_active = self.active_page().as_ref() == Some(&page);
        page.close().await?;
        for slot in &mut self.inner.state.lock().slots {
            slot.has_pages = !slot.pages().is_empty();
        }
        if was_active && let Some(next) = self.active_page() {
            focus(&next, None);
        }
        Ok(page)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_tabs_are_read_as_they_are_written() {
        for (text, context, page) in [("t0", 0, 0), ("t12", 0, 12), ("c3t4", 3, 4)] {
            let id = TabId { context, page };
            assert_eq!((text.parse(), id.to_string().as_str()), (Ok(id), text));
        }
        for text in ["", "t", "3", "t-1", "t+1", "ct1", "c1t", "x1t2", "t99999999999", "tt1", "c1t2e3"] {
            assert_eq!(text.parse::<TabId>(), Err(ParseTabIdError), "{text}");
        }
    }
}
