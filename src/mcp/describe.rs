//! What an answer tells of the browser beside the tool's own words: where the page stands, what is on it, tabs, dialogs,
//! news. What the client knows already is not told twice.
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use axum::http::StatusCode;
use futures_util::future::{OptionFuture, join};
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::Result;
use crate::browser::{CaptureOptions, ConsoleLevel, DownloadState, PATIENCE, Page};
use crate::error::Error;
use crate::mcp::dispatch::Call;
use crate::mcp::files::shown;
use crate::mcp::reply::{PageState, Reply, TabLine, View, one_line};
use crate::session::{Tab, Workspace};
use crate::snapshot::{self, Rendered, Tree};

/// How long a tab in the background may take to say its title.
const TITLE_LIMIT: Duration = Duration::from_millis(300);
/// How long a page may take to hand over its console.
const CONSOLE_LIMIT: Duration = Duration::from_millis(500);
/// For how many tabs it is remembered what was last shown of them.
const MOST_TREES: usize = 8;

/// What a client has been shown.
#[derive(Debug, Default)]
pub(super) struct Told {
    /// The downloads that were told of, and whether their end was.
    downloads: HashMap<String, bool>,
    /// Where the current page was last said to stand.
    page: Option<PageState>,
    /// The tabs that were shown last, by their ids, newest last.
    trees: Vec<(String, Arc<Tree>)>,
}

/// What there was before a call.
#[derive(Debug)]
pub(super) struct Before {
    tabs: HashSet<String>,
}

impl Told {
    /// What was last shown of a page.
    pub(super) fn tree(&self, page: &Page) -> Option<Arc<Tree>> {
        self.trees.iter().find(|(id, _)| id == page.id()).map(|(_, tree)| Arc::clone(tree))
    }

    /// Remembers what is shown of a page.
    pub(super) fn set_tree(&mut self, page: &Page, tree: Arc<Tree>) {
        self.trees.retain(|(id, _)| id != page.id());
        if self.trees.len() == MOST_TREES {
            self.trees.remove(0);
        }
        self.trees.push((page.id().to_owned(), tree));
    }
}

impl Before {
    pub(super) fn note(workspace: &Workspace) -> Self {
        Self { tabs: workspace.tabs().iter().map(|tab| tab.page.id().to_owned()).collect() }
    }
}

/// Adds to `reply` what the client should know of the browser.
pub(super) async fn describe(call: &Call<'_>, before: &Before, failure: Option<&Error>, reply: &mut Reply) {
    let noted = std::mem::take(&mut *call.events.lock());
    for event in call.workspace.take_notices().into_iter().chain(noted) {
        reply.add_event(event);
    }
    tell_downloads(call, reply);
    let tabs = call.workspace.tabs();
    // A click with Control opens a tab that knows no opener; what is no action opens tabs by itself.
    let acted = reply.view() == View::Changes;
    let by_page = |tab: &&Tab| acted || tab.page.has_opener();
    for tab in tabs.iter().filter(|tab| !before.tabs.contains(tab.page.id())).filter(by_page) {
        reply.add_event(format!("The page opened tab {}: {}", tab.index, one_line(&tab.page.asked_url())));
    }
    if reply.view() > View::Nothing && tabs.len() > 1 || reply.wants_tabs() {
        reply.set_tabs(tab_lines(tabs).await);
    }
    let Some(page) = call.workspace.active_page() else {
        call.told.lock().page = None;
        return;
    };
    if let Some(dialog) = page.dialog() {
        let message = one_line(&dialog.message);
        reply.add_modal(format!("{} dialog {message:?}: answer it with browser_handle_dialog", dialog.kind));
    }
    if page.floods_dialogs() {
        reply.add_event("The page opens dialogs without end; they are dismissed until it is left.");
    }
    if page.file_chooser().is_some() {
        reply.add_modal("file chooser: answer it with browser_file_upload");
    }
    let url = page.asked_url();
    let moved = call.told.lock().page.as_ref().map(|page| &page.url) != Some(&url);
    let answers = !matches!(failure, Some(Error::PageBusy));
    let state = (reply.view() > View::Nothing || moved).then(|| page_state(&page, url, answers));
    let shows = failure.is_none() && reply.view() >= View::Changes;
    let shown = async {
        if shows {
            show_page(call, &page, reply).await;
        }
    };
    let (state, ()) = join(OptionFuture::from(state), shown).await;
    if let Some(state) = state {
        // After an action only what is new is told.
        let known = call.told.lock().page.replace(state.clone());
        if reply.view() != View::Changes || known.as_ref() != Some(&state) {
            reply.set_page(state);
        }
    }
}

/// Tells of downloads that began or ended since the last answer.
fn tell_downloads(call: &Call<'_>, reply: &mut Reply) {
    let downloads: Vec<_> = call.workspace.downloads();
    let mut told = call.told.lock();
    for download in downloads {
        let name = one_line(&download.name);
        let ended = download.state != DownloadState::InProgress;
        if told.downloads.insert(download.id, ended) == Some(ended) {
            continue;
        }
        reply.add_event(match download.state {
            DownloadState::InProgress => format!("Downloading {name} …"),
            DownloadState::Completed { path, bytes } => {
                format!("Downloaded {name} to {} ({bytes} bytes)", shown(&path))
            }
            DownloadState::Failed { reason } => format!("The download of {name} failed: {reason}"),
        });
    }
}

/// Reads the page for refs that begin with the right context.
pub(super) async fn capture(call: &Call<'_>, page: &Page, options: CaptureOptions) -> Result<Arc<Tree>> {
    let context = call.workspace.context_entry(None, None).map_or(0, |entry| entry.number);
    Ok(Arc::new(page.capture(context, options).await?))
}

/// Shows a snapshot, with what was left out of it.
pub(super) fn show_snapshot(rendered: Rendered, reply: &mut Reply) {
    if !rendered.text.trim().is_empty() {
        reply.set_snapshot(rendered.text);
    }
    if let Some(cut) = rendered.cut {
        reply.set_left_out(cut);
    }
}

async fn show_page(call: &Call<'_>, page: &Page, reply: &mut Reply) {
    if page.dialog().is_some() || page.is_crashed() || reply.has_snapshot() {
        return;
    }
    call.progress.say("reading the page");
    let read = Box::pin(capture(call, page, CaptureOptions::default()));
    let tree = match page.unless_stuck(Some(PATIENCE), read).await {
        Ok(tree) => tree,
        Err(error) => return reply.add_event(format!("The page could not be read: {error}.")),
    };
    let options = snapshot::Options { max_chars: call.settings.snapshot_max_chars, ..Default::default() };
    let known = call.told.lock().tree(page).filter(|_| reply.view() == View::Changes);
    match known {
        Some(known) => {
            let changes = snapshot::diff(&known, &tree);
            if changes.is_empty() {
                reply.add_event("Nothing changed in the snapshot.");
            } else {
                show_snapshot(changes.render(&options), reply);
            }
        }
        None => show_snapshot(snapshot::render(&tree, &options), reply),
    }
    call.told.lock().set_tree(page, tree);
}

async fn page_state(page: &Page, url: String, answers: bool) -> PageState {
    let status = page.document_response().and_then(|response| {
        let code = StatusCode::from_u16(response.status.try_into().ok()?).ok()?;
        // HTTP/2 sends no reason.
        let reason = Some(response.status_text).filter(|reason| !reason.is_empty());
        let reason = reason.or_else(|| code.canonical_reason().map(str::to_owned));
        Some((code.as_u16(), reason.unwrap_or_default()))
    });
    let crashed = page.is_crashed();
    if crashed || !answers || page.dialog().is_some() {
        return PageState { url, status, crashed, ..PageState::default() };
    }
    let (title, messages) = tokio::join!(page.title(), timeout(CONSOLE_LIMIT, page.console_messages()));
    let messages = messages.ok().and_then(Result::ok).unwrap_or_default();
    let count = |level| messages.iter().filter(|message| message.level == level).count();
    let (console_errors, console_warnings) = (count(ConsoleLevel::Error), count(ConsoleLevel::Warning));
    PageState { url, title, status, console_errors, console_warnings, crashed }
}

/// Asks all tabs at once for their titles. One that does not answer soon is told as it was found.
async fn tab_lines(tabs: Vec<Tab>) -> Vec<TabLine> {
    let mut asked = JoinSet::new();
    for Tab { index, page, is_active } in tabs {
        asked.spawn(async move {
            let title = timeout(TITLE_LIMIT, page.title()).await;
            let title = title.unwrap_or_else(|_| page.found_title().to_owned());
            TabLine { index, title, url: page.asked_url(), active: is_active, crashed: page.is_crashed() }
        });
    }
    let mut lines = asked.join_all().await;
    lines.sort_by_key(|line| line.index);
    lines
}
