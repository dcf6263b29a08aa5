//! Tabs and windows.
use schemars::JsonSchema;
use serde::Deserialize;

use super::{address, navigate};
use crate::Result;
use crate::error::Error;
use crate::mcp::dispatch::Call;
use crate::mcp::reply::{Reply, View, one_line};
use crate::mcp::tool::{Effect, Patience, Tool};

/// Close the current page.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Close {}

impl Tool for Close {
    const NAME: &'static str = "browser_close";
    const TITLE: &'static str = "Close the page";
    const EFFECT: Effect = Effect::Acts;
    const PATIENCE: Patience = Patience::Endless;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let page = call.workspace.close_tab(None).await?;
        let left = match call.workspace.tabs().len() {
            0 => "no pages".to_owned(),
            1 => "1 page".to_owned(),
            count => format!("{count} pages"),
        };
        reply.say(format!("Closed the page ({}), {left} remaining", one_line(&page.asked_url())));
        Ok(())
    }
}

/// What to do with tabs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TabAction {
    List,
    New,
    Close,
    Select,
}

/// List, open, select or close tabs.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Tabs {
    pub action: TabAction,
    /// Which tab, counted from 0. To close: the current one when left out.
    #[schemars(range(min = 0))]
    pub index: Option<usize>,
    /// What a new tab opens.
    pub url: Option<String>,
}

impl Tool for Tabs {
    const NAME: &'static str = "browser_tabs";
    const TITLE: &'static str = "Manage tabs";
    const EFFECT: Effect = Effect::Acts;
    const PATIENCE: Patience = Patience::Endless;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        if self.url.is_some() && self.action != TabAction::New {
            return Err(problem("`url` goes with the action new only"));
        }
        if self.index.is_some() && matches!(self.action, TabAction::New | TabAction::List) {
            return Err(problem("`index` goes with the actions select and close only"));
        }
        match self.action {
            TabAction::List => reply.say(match call.workspace.tabs().len() {
                0 => "No tabs open".to_owned(),
                count => format!("Tabs ({count} total)"),
            }),
            TabAction::New => self.open(call, reply).await?,
            TabAction::Select => {
                let index = self.index.ok_or_else(|| problem("`index` is needed to select a tab"))?;
                call.workspace.select_tab(index).await?;
                reply.say(format!("Switched to tab at index {index}"));
                reply.show(View::Page);
            }
            TabAction::Close => {
                let tabs = call.workspace.tabs();
                let current = tabs.iter().find(|tab| tab.is_active).map(|tab| tab.index);
                let index = self.index.or(current).unwrap_or(0);
                call.workspace.close_tab(Some(index)).await?;
                let left = call.workspace.tabs().len();
                reply.say(format!("Closed tab at index {index} ({left} tabs remaining)"));
            }
        }
        reply.show_tabs();
        Ok(())
    }
}

impl Tabs {
    async fn open(&self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let url = self.url.as_deref().map(|url| address::of(call, url)).transpose()?;
        let page = call.workspace.new_tab().await?;
        let tabs = call.workspace.tabs();
        let index = tabs.iter().find(|tab| tab.page == page).map_or(0, |tab| tab.index);
        reply.say(format!("Created new tab at index {index} ({} tabs total)", tabs.len()));
        match url {
            Some(url) => navigate::open(call, &page, &url, reply).await,
            None => Ok(()),
        }
    }
}

fn problem(text: &str) -> Error {
    Error::InvalidArguments { problems: vec![text.to_owned()] }
}
