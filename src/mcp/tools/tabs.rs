//! Tools for tabs.
use schemars::JsonSchema;
use serde::Deserialize;

use super::navigate;
use crate::Result;
use crate::error::Error;
use crate::mcp::call::Call;
use crate::mcp::page_text;
use crate::mcp::reply::{PageDetail, Reply};
use crate::mcp::tool::{StallPolicy, Tool, ToolEffect};

/// Close the current tab.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct ClosePage {}

impl Tool for ClosePage {
    const NAME: &'static str = "browser_close";
    const TITLE: &'static str = "Close the page";
    const EFFECT: ToolEffect = ToolEffect::Acts;
    const STALL_POLICY: StallPolicy = StallPolicy::KeepWaiting;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let page = match call.named_tab() {
            Some(tab) => call.workspace.close_tab_by_id(&tab.to_string()).await?,
            None => call.workspace.close_tab(None).await?,
        };
        let left = match call.workspace.tabs().len() {
            0 => "no pages".to_owned(),
            1 => "1 page".to_owned(),
            count => format!("{count} pages"),
        };
        reply.say(format!(
            "Closed the page ({}), {left} remaining",
            page_text::inline_url(&page.attempted_url())
        ));
        Ok(())
    }
}

// The action on tabs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TabAction {
    List,
    New,
    Close,
    Select,
}

/// List tabs, or open (`new`), select or close one. The tab argument of any tool takes a tab id such as t3.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Tabs {
    pub action: TabAction,
    /// Position from 0, instead of `tab`. With neither, close takes the current tab.
    #[schemars(range(min = 0))]
    pub index: Option<usize>,
    /// URL for the new tab.
    pub url: Option<String>,
}

impl Tool for Tabs {
    const NAME: &'static str = "browser_tabs";
    const TITLE: &'static str = "Manage tabs";
    const EFFECT: ToolEffect = ToolEffect::Acts;
    const STALL_POLICY: StallPolicy = StallPolicy::KeepWaiting;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        if self.url.is_some() && self.action != TabAction::New {
            return Err(problem("`url` goes with the action new only"));
        }
        if self.index.is_some() && call.named_tab().is_some() {
            return Err(problem("`index` and `tab` both name a tab; give one"));
        }
        if (self.index.is_some() || call.named_tab().is_some())
            && matches!(self.action, TabAction::New | TabAction::List)
        {
            return Err(problem("`index` and `tab` go with the actions select and close only"));
        }
        match self.action {
            TabAction::List => reply.say(match call.workspace.tabs().len() {
                0 => "No tabs open".to_owned(),
                count => format!("Tabs ({count} total)"),
            }),
            TabAction::New => self.open(call, reply).await?,
            TabAction::Select => {
                let chosen = match (call.named_tab(), self.index) {
                    (Some(tab), _) => Some(call.workspace.tab_by_id(&tab.to_string())?),
                    (None, Some(index)) => call.workspace.tabs().into_iter().nth(index),
                    (None, None) => None,
                };
                if let Some(chosen) = chosen {
                    call.reload_if_discarded(&chosen.page).await?;
                }
                let page = match (call.named_tab(), self.index) {
                    (Some(tab), _) => call.workspace.select_tab_by_id(&tab.to_string()).await?,
                    (None, Some(index)) => call.workspace.select_tab(index).await?,
                    (None, None) => return Err(problem("`tab` or `index` is needed to select a tab")),
                };
                let index = call.tab_index(&page).unwrap_or_default();
                reply.say(format!("Switched to tab at index {index}"));
                reply.show_at_least(PageDetail::Page);
            }
            TabAction::Close => {
                let tabs = call.workspace.tabs();
                let current = tabs.iter().find(|tab| tab.is_active).map(|tab| tab.index);
                let closed = match call.named_tab() {
                    Some(tab) => {
                        call.workspace.close_tab_by_id(&tab.to_string()).await?;
                        tab.to_string()
                    }
                    None => {
                        let index = self.index.or(current).unwrap_or(0);
                        call.workspace.close_tab(Some(index)).await?;
                        format!("at index {index}")
                    }
                };
                let left = call.workspace.tabs().len();
                reply.say(format!("Closed tab {closed} ({left} tabs remaining)"));
            }
        }
        reply.show_tabs();
        Ok(())
    }
}

impl Tabs {
    async fn open(&self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let url = self.url.as_deref().map(|url| call.parse_url(url)).transpose()?;
        let page = call.workspace.new_tab().await?;
        let tabs = call.workspace.tabs();
        let made = tabs.iter().find(|tab| tab.page == page);
        let (index, id) = made.map_or((0, String::new()), |tab| (tab.index, tab.id.to_string()));
        reply.say(format!("Created new tab at index {index} ({} tabs total): {id}", tabs.len()));
        match url {
            Some(url) => navigate::open(call, &page, &url, reply).await,
            None => Ok(()),
        }
    }
}

fn problem(text: &str) -> Error {
    Error::InvalidArguments { problems: vec![text.to_owned()] }
}
