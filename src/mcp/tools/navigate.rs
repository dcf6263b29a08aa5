//! Going to pages.
use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use url::Url;

use super::address;
use crate::Result;
use crate::browser::{Arrival, Mark, NavigateOptions, Page, WaitUntil};
use crate::error::Error;
use crate::mcp::dispatch::Call;
use crate::mcp::reply::{Reply, View};
use crate::mcp::tool::{Effect, Patience, Tool};
use crate::session::handoff;
use crate::session::wall::Purpose;

/// How long a document that is there may go on loading what belongs to it, and building itself.
const REST_LIMIT: Duration = Duration::from_secs(5);
/// What took long to load still gets so long to build itself.
const LEAST_BUILDING: Duration = Duration::from_secs(2);

/// Open a URL, wait until the page has loaded, and show its outline.
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
    const PATIENCE: Patience = Patience::Endless;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let url = address::of(call, &self.url)?;
        let page = call.page_to_leave().await?;
        let document = page.main_frame().loader();
        match open(call, &page, &url, reply).await {
            Err(Error::PageBusy) if page.main_frame().loader() == document => {
                call.note("The page could not be left; its tab was closed, and a new one opened.");
                let page = call.replace_page().await?;
                open(call, &page, &url, reply).await
            }
            opened => opened,
        }
    }
}

/// Opens an address in a page, and tells what came of it.
pub(super) async fn open(call: &Call<'_>, page: &Page, url: &Url, reply: &mut Reply) -> Result<()> {
    call.pacing.before(url).await?;
    call.progress.say("loading the page");
    let mark = page.mark();
    let arrival = unless_stuck(page, page.goto(url.as_str(), &options(call))).await?;
    arrived(page, &arrival, mark, call, reply).await?;
    if matches!(arrival, Arrival::Document(_)) {
        meet_wall(call, page, url, reply).await?;
    }
    Ok(())
}

/// Tells of a wall; waits at it for the person, where there is one who can see it.
async fn meet_wall(call: &Call<'_>, page: &Page, url: &Url, reply: &mut Reply) -> Result<()> {
    let patience = call.settings.login_limit;
    let person = call.person();
    match page.unless_stuck(None, handoff::pass(page, url, Purpose::Action, patience, &person)).await {
        Err(Error::PersonNeeded { what, wall, kind, url }) => {
            reply.add_event(format!(
                "The page asks {what} first ({wall}); what it shows is not what was asked for."
            ));
            reply.set_structured(
                json!({ "status": "wall", "wall": { "kind": kind, "what": wall, "url": url } }),
            );
        }
        Err(error @ (Error::PersonAway { .. } | Error::Cancelled)) => return Err(error),
        // What cannot be looked at is told by what follows.
        Err(_) | Ok(None) => {}
        Ok(Some(passed)) => {
            reply.add_event(format!("The user passed what the page asked for ({}).", passed.wall.what));
        }
    }
    Ok(())
}

/// Go back to the previous page in the history.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct NavigateBack {}

impl Tool for NavigateBack {
    const NAME: &'static str = "browser_navigate_back";
    const TITLE: &'static str = "Go back";
    const EFFECT: Effect = Effect::Acts;
    const PATIENCE: Patience = Patience::Endless;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        call.workspace.open_page()?;
        let page = call.page_to_leave().await?;
        call.progress.say("loading the page");
        let mark = page.mark();
        let arrival = unless_stuck(&page, page.go_back(&options(call))).await?;
        arrived(&page, &arrival, mark, call, reply).await
    }
}

/// Says what is still under way.
pub(in crate::mcp) fn still_loading(still: &[String]) -> String {
    match still.is_empty() {
        true => "The page is still loading.".to_owned(),
        false => format!("The page is still loading: {}.", still.join(", ")),
    }
}

/// Waits for `arrival` unless the new document runs a script without end.
async fn unless_stuck(page: &Page, arrival: impl Future<Output = Result<Arrival>>) -> Result<Arrival> {
    tokio::select! {
        biased;
        arrival = arrival => arrival,
        () = page.until_stuck_on_arrival() => Err(Error::PageBusy),
    }
}

fn options(call: &Call<'_>) -> NavigateOptions {
    let until = WaitUntil::DomContentLoaded;
    NavigateOptions { until, limit: call.settings.navigation_limit, ..NavigateOptions::default() }
}

async fn arrived(
    page: &Page,
    arrival: &Arrival,
    mark: Mark,
    call: &Call<'_>,
    reply: &mut Reply,
) -> Result<()> {
    match arrival {
        Arrival::Document(_) | Arrival::SameDocument => {
            // A picture that never comes must not keep a page that is there from being used.
            let rest = REST_LIMIT.min(call.settings.navigation_limit);
            let begun = Instant::now();
            page.note_building();
            let loaded = page.until_reached(WaitUntil::Load, rest).await?;
            let building = rest.saturating_sub(begun.elapsed()).max(LEAST_BUILDING.min(rest));
            let still = page.until_built(mark, building).await;
            if !loaded || !still.is_empty() {
                reply.add_event(still_loading(&still));
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
