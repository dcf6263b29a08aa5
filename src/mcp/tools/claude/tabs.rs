//! Tools of Claude's toolset for navigation, tabs and waiting.
use schemars::JsonSchema;
use serde::Deserialize;

use super::{FAMILY, act, report_arrival};
use crate::Result;
use crate::mcp::call::Call;
use crate::mcp::reply::{PageDetail, Reply};
use crate::mcp::tool::{StallPolicy, Tool, ToolEffect, ToolsetTraits};
use crate::mcp::tools::{history, navigate, tabs, wait};

/// Open a URL, or use back, forward or reload.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Navigate {
    #[schemars(length(min = 1))]
    pub url: String,
}

impl Tool for Navigate {
    const NAME: &'static str = "navigate";
    const TITLE: &'static str = "Navigate";
    const EFFECT: ToolEffect = ToolEffect::Acts;
    const FAMILY: &'static ToolsetTraits = FAMILY;
    const STALL_POLICY: StallPolicy = StallPolicy::KeepWaiting;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let action = match self.url.as_str() {
            "back" => Some(history::HistoryAction::Back),
            "forward" => Some(history::HistoryAction::Forward),
            "reload" => Some(history::HistoryAction::Reload),
            _ => None,
        };
        match action {
            Some(action) => {
                act(history::History { action, wait_until: None, timeout: None }, call, reply).await?;
            }
            None => {
                let open = navigate::Navigate { url: self.url, wait_until: None, timeout: None };
                act(open, call, reply).await?;
            }
        }
        report_arrival(call, reply).await
    }
}

/// Wait for a number of seconds.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Wait {
    /// Seconds.
    #[schemars(range(min = 0, max = 30))]
    pub duration: f64,
}

impl Tool for Wait {
    const NAME: &'static str = "wait";
    const TITLE: &'static str = "Wait";
    const EFFECT: ToolEffect = ToolEffect::Reads;
    const FAMILY: &'static ToolsetTraits = FAMILY;
    const STALL_POLICY: StallPolicy = StallPolicy::KeepWaiting;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        act(wait::WaitFor::seconds(self.duration), call, reply).await
    }
}

async fn manage(action: tabs::TabAction, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
    Box::pin(tabs::Tabs { action, index: None, url: None }.call(call, reply)).await?;
    if action != tabs::TabAction::List {
        reply.show_at_least(PageDetail::Page);
    }
    Ok(())
}

/// Open an empty tab and make it active.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct NewTab {}

impl Tool for NewTab {
    const NAME: &'static str = "new_tab";
    const TITLE: &'static str = "Open a tab";
    const EFFECT: ToolEffect = ToolEffect::Acts;
    const OPEN_WORLD: bool = false;
    const FAMILY: &'static ToolsetTraits = FAMILY;
    const STALL_POLICY: StallPolicy = StallPolicy::KeepWaiting;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        manage(tabs::TabAction::New, call, reply).await
    }
}

/// List the open tabs: id, title and URL.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct ListTabs {}

impl Tool for ListTabs {
    const NAME: &'static str = "list_tabs";
    const TITLE: &'static str = "List tabs";
    const EFFECT: ToolEffect = ToolEffect::Reads;
    const OPEN_WORLD: bool = false;
    const FAMILY: &'static ToolsetTraits = FAMILY;
    const STALL_POLICY: StallPolicy = StallPolicy::KeepWaiting;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        manage(tabs::TabAction::List, call, reply).await
    }
}

/// Make a tab active: tools work there by default.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(extend("required" = ["tab_id"]))]
pub struct SwitchTab {}

impl Tool for SwitchTab {
    const NAME: &'static str = "switch_tab";
    const TITLE: &'static str = "Switch tabs";
    const EFFECT: ToolEffect = ToolEffect::Acts;
    const FAMILY: &'static ToolsetTraits = FAMILY;
    const STALL_POLICY: StallPolicy = StallPolicy::KeepWaiting;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        manage(tabs::TabAction::Select, call, reply).await
    }
}

/// Close a tab.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(extend("required" = ["tab_id"]))]
pub struct CloseTab {}

impl Tool for CloseTab {
    const NAME: &'static str = "close_tab";
    const TITLE: &'static str = "Close a tab";
    const EFFECT: ToolEffect = ToolEffect::Acts;
    const FAMILY: &'static ToolsetTraits = FAMILY;
    const STALL_POLICY: StallPolicy = StallPolicy::KeepWaiting;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        manage(tabs::TabAction::Close, call, reply).await
    }
}
