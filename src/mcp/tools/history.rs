//! The tool that goes back, forward, or reloads (`browser_history`).
use schemars::JsonSchema;
use serde::Deserialize;

use super::navigate::{LoadState, Timing, arrived};
use crate::Result;
use crate::mcp::call::Call;
use crate::mcp::reply::Reply;
use crate::mcp::tool::{StallPolicy, Tool, ToolEffect};

/// fresh: reload without caches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum HistoryAction {
    Back,
    Forward,
    Reload,
    Fresh,
}

/// Go back or forward, or reload.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct History {
    pub action: HistoryAction,
    pub wait_until: Option<LoadState>,
    /// In ms.
    #[schemars(range(min = 100, max = 600_000))]
    pub timeout: Option<f64>,
}

impl Tool for History {
    const NAME: &'static str = "browser_history";
    const TITLE: &'static str = "Back, forward, reload";
    const EFFECT: ToolEffect = ToolEffect::Acts;
    const STALL_POLICY: StallPolicy = StallPolicy::KeepWaiting;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        call.current_page()?;
        let page = call.acquire_page_for_navigation().await?;
        call.progress.set_message("loading the page");
        let timing = Timing::new(call, self.wait_until, self.timeout);
        let options = timing.options();
        let (mark, document) = (page.mark(), page.main_frame().loader_id());
        let going = async {
            match self.action {
                HistoryAction::Back => page.go_back(&options).await,
                HistoryAction::Forward => page.go_forward(&options).await,
                HistoryAction::Reload => page.reload(&options).await,
                HistoryAction::Fresh => page.reload_ignoring_cache(&options).await,
            }
        };
        let arrival = timing.unless_stalled(&page, Box::pin(going)).await;
        arrived(&page, arrival, (mark, &document), &timing, reply).await
    }
}
