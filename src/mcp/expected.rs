//! The `expect` argument: a call fails unless its action causes the expected outcome.
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};
use tokio::time::{Instant, sleep_until, timeout_at};

use crate::Result;
use crate::browser::{Page, SnapshotTreeOptions, TextCount};
use crate::error::{Error, human, squeezed};
use crate::mcp::call::Call;
use crate::mcp::condition::Condition;
use crate::mcp::describe::capture;
use crate::mcp::reply::Reply;
use crate::mcp::tool::{AnyTool, EXPECT_ARGUMENT};
use crate::snapshot::{self, ComparisonBase, Tree};

/// The interval between checks of the condition.
const PAUSE: Duration = Duration::from_millis(100);
/// The time limit for a snapshot, and for checking a page before the action.
const LOOK_LIMIT: Duration = Duration::from_secs(2);
/// The tools that open another document. What the current one shows does not matter to them.
const OPENING: [&str; 3] = ["browser_navigate", "browser_navigate_back", "browser_history"];
/// The value of `expect` for an action that must not change anything.
const NOTHING: &str = "nothing";

/// Runs a tool as part of a call, and checks the outcome that the argument [`EXPECT_ARGUMENT`] expects.
///
/// # Errors `not_as_expected` if the outcome differs, or if an expected element or address was there already; then
/// the tool is not run.
pub async fn run_with_expectation(
    call: &Call<'_>,
    tool: &AnyTool,
    mut arguments: Map<String, Value>,
    reply: &mut Reply,
) -> Result<()> {
    let expected = match arguments.remove(EXPECT_ARGUMENT) {
        Some(Value::String(text)) => {
            Some(Box::pin(Expected::begin(call, &text, OPENING.contains(&tool.name))).await?)
        }
        _ => None,
    };
    call.run(tool, arguments, reply).await?;
    match expected {
        Some(expected) => Box::pin(expected.check(call)).await,
        None => Ok(()),
    }
}

/// An expected outcome, and the state before the action.
struct Expected {
    /// The condition to wait for; `None` if the action must not change anything.
    wanted: Option<Condition>,
    /// The tabs before the action, with their URLs.
    tabs: Vec<(Page, String)>,
    /// The current page and its opener, with what they contained before the action. New tabs are added.
    pages: Vec<(Page, TextCount)>,
    /// The current page with the id of its document, if that met the condition and the action opens another one.
    left: Option<(Page, Arc<str>)>,
    outline: Option<Arc<Tree>>,
}

impl Expected {
    /// Records the state before the action. Fails if an expected element or address is there already, unless the
    /// action `opens` another document. An expected text can appear once more.
    async fn begin(call: &Call<'_>, text: &str, opens: bool) -> Result<Self> {
        let current = call.current_page().ok();
        let wanted = (text.trim() != NOTHING).then(|| Condition::parse(text));
        let tabs = tabs(call);
        let Some(mut wanted) = wanted else {
            let outline = match &current {
                Some(page) => outline(call, page).await,
                None => None,
            };
            return Ok(Self { wanted: None, tabs, pages: Vec::new(), left: None, outline });
        };
        let (mut pages, mut left) = (Vec::new(), None);
        let opener = current.as_ref().and_then(Page::opener);
        for page in current.iter().chain(&opener) {
            let deadline = Instant::now() + LOOK_LIMIT;
            let mut before = count(&wanted, page, deadline).await;
            if matches!(before, Err(Error::InvalidSelector { .. })) {
                wanted = Condition::Text(text.trim().to_owned());
                before = count(&wanted, page, deadline).await;
            }
            let before = before?;
            let is_current = Some(page) == current.as_ref();
            match !before.is_empty() {
                true if opens && is_current => left = Some((page.clone(), page.main_frame().loader_id())),
                true if !matches!(wanted, Condition::Text(_)) => {
                    if is_current {
                        return Err(Error::ExpectedBefore { what: wanted.describe() });
                    }
                }
                _ => pages.push((page.clone(), before)),
            }
        }
        Ok(Self { wanted: Some(wanted), tabs, pages, left, outline: None })
    }

    /// Waits until the expected outcome occurs.
    async fn check(&self, call: &Call<'_>) -> Result<()> {
        let limit = call.settings.timeouts.action;
        let deadline = Instant::now() + limit;
        let Some(wanted) = &self.wanted else { return self.check_unchanged(call).await };
        call.progress.set_message(format!("waiting for {}", wanted.describe()));
        loop {
            let has_left = |(page, document): &&(Page, Arc<str>)| page.main_frame().loader_id() != *document;
            let left = self.left.as_ref().filter(has_left).map(|(page, _)| page);
            let others = self.opened(call).into_iter().chain(left.cloned());
            for (page, before) in
                self.pages.iter().cloned().chain(others.map(|page| (page, TextCount::default())))
            {
                if count(wanted, &page, deadline).await?.is_more_than(&before) {
                    return Ok(());
                }
            }
            if Instant::now() >= deadline {
                let is_old = self.pages.iter().any(|(_, before)| !before.is_empty());
                let old = if is_old { ", which the page contained before" } else { "" };
                let (what, limit) = (wanted.describe(), human(limit));
                let what = format!("the action was done, but it did not lead to {what} within {limit}{old}");
                return Err(Error::Unexpected { what });
            }
            sleep_until((Instant::now() + PAUSE).min(deadline)).await;
        }
    }

    /// Returns the pages of tabs that have opened since the action began.
    fn opened(&self, call: &Call<'_>) -> Vec<Page> {
        let pages = call.tabs().into_iter().map(|tab| tab.page);
        pages.filter(|page| !self.tabs.iter().any(|(known, _)| known == page)).collect()
    }

    async fn check_unchanged(&self, call: &Call<'_>) -> Result<()> {
        let current = call.current_page().ok();
        let asks = |page: &Page| page.dialog().is_some() || page.file_chooser().is_some();
        let announced = !call.report.said.lock().is_empty() || !call.report.moved.lock().is_empty();
        let is_changed = announced
            || tabs(call) != self.tabs
            || current.as_ref().is_some_and(asks)
            || match (&self.outline, &current) {
                (Some(before), Some(page)) => match outline(call, page).await {
                    Some(now) => !is_same(call, page, before, &now),
                    None => true,
                },
                (before, _) => before.is_some(),
            };
        match is_changed {
            false => Ok(()),
            true => {
                let what = "the action was done, and something changed, though nothing was expected to";
                Err(Error::Unexpected { what: what.to_owned() })
            }
        }
    }
}

fn tabs(call: &Call<'_>) -> Vec<(Page, String)> {
    call.tabs().into_iter().map(|tab| (tab.page.clone(), tab.page.attempted_url())).collect()
}

async fn outline(call: &Call<'_>, page: &Page) -> Option<Arc<Tree>> {
    if page.dialog().is_some() || page.is_crashed() {
        return None;
    }
    let options = SnapshotTreeOptions { limit: LOOK_LIMIT, ..SnapshotTreeOptions::default() };
    capture(call, page, options).await.ok()
}

/// Whether two snapshots are the same, apart from the focus and from lines that change by themselves.
fn is_same(call: &Call<'_>, page: &Page, before: &Tree, now: &Tree) -> bool {
    let ticking = call.kept.seen.lock().shown(page).map(|shown| shown.ticks.clone()).unwrap_or_default();
    let [before, now] = [before, now].map(Tree::without_focus);
    let base = ComparisonBase { ticking: &ticking, ..ComparisonBase::new(&before) };
    before.drawn == now.drawn && snapshot::diff_with_base(&base, &now).is_empty()
}

/// Counts how often the page meets the condition now: an expected text may also be in a dialog; an element or address
/// counts once.
async fn count(wanted: &Condition, page: &Page, deadline: Instant) -> Result<TextCount> {
    let once = |is_met: bool| if is_met { TextCount::once() } else { TextCount::default() };
    if page.is_closed() || page.is_crashed() {
        return Ok(once(false));
    }
    if let (Some(dialog), Condition::Text(text)) = (page.dialog(), wanted) {
        let contains = squeezed(&dialog.message).to_lowercase().contains(&squeezed(text).to_lowercase());
        return Ok(once(contains));
    }
    let looked = page.fail_on_dialog(async {
        match wanted {
            Condition::Text(text) => page.count_text(&squeezed(text)).await,
            _ => wanted.is_met(page).await.map(once),
        }
    });
    match timeout_at(deadline, looked).await {
        Ok(Err(error @ Error::InvalidSelector { .. })) => Err(error),
        // A page that cannot be read now does not meet the condition.
        looked => Ok(looked.ok().and_then(Result::ok).unwrap_or_default()),
    }
}
