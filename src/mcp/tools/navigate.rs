//! Going to pages.
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use url::Url;

use super::address;
use crate::Result;
use crate::browser::{Arrival, NavigateOptions, Page, WaitUntil};
use crate::mcp::dispatch::Call;
use crate::mcp::reply::{Reply, View};
use crate::mcp::tool::{Effect, Tool};

/// How long a document that is there may go on loading what belongs to it.
const REST_LIMIT: Duration = Duration::from_secs(5);

/// Open a URL and wait until the page has loaded.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Navigate {
    /// Without a scheme, https:// is put in front.
    #[schemars(length(min = 1))]
    pub url: String,
}

impl Tool for Navigate {
    const NAME: &'static str = "browser_navigate";
    const TITLE: &'static str = "Open a URL";
    const EFFECT: Effect = Effect::Acts;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let url = address::read(&self.url)?;
        let page = call.page().await?;
        open(call, &page, &url, reply).await
    }
}

/// Opens an address in a page, and tells what came of it.
pub(super) async fn open(call: &Call<'_>, page: &Page, url: &Url, reply: &mut Reply) -> Result<()> {
    call.progress.say("loading the page");
    let arrival = page.goto(url.as_str(), &options(call)).await?;
    arrived(page, &arrival, call, reply).await
}

/// Go back to the previous page in the history.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct NavigateBack {}

impl Tool for NavigateBack {
    const NAME: &'static str = "browser_navigate_back";
    const TITLE: &'static str = "Go back";
    const EFFECT: Effect = Effect::Acts;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let page = call.open_page().await?;
        call.progress.say("loading the page");
        let arrival = page.go_back(&options(call)).await?;
        arrived(&page, &arrival, call, reply).await
    }
}

fn options(call: &Call<'_>) -> NavigateOptions {
    let until = WaitUntil::DomContentLoaded;
    NavigateOptions { until, limit: call.settings.navigation_limit, ..NavigateOptions::default() }
}

async fn arrived(page: &Page, arrival: &Arrival, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
    match arrival {
        Arrival::Document(_) | Arrival::SameDocument => {
            // A picture that never comes must not keep a page that is there from being used.
            let rest = REST_LIMIT.min(call.settings.navigation_limit);
            if !page.until_reached(WaitUntil::Load, rest).await? {
                reply.add_event("The page is still loading.");
            }
        }
        Arrival::Download => {
            reply.say("The address is a file, which is being downloaded; the page stays as it was.");
        }
        Arrival::NoContent => reply.say("The server answered without content; the page stays as it was."),
        Arrival::Dialog => reply.say("The page asks something before it goes on."),
    }
    reply.show(View::Whole);
    Ok(())
}
