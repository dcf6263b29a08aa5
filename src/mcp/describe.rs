//! What an answer tells of the browser beside the tool's own words: where the page stands, tabs, dialogs, news.
use std::collections::BTreeSet;
use std::time::Duration;

use axum::http::StatusCode;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::browser::Page;
use crate::mcp::reply::{PageState, Reply, TabLine, View, one_line};
use crate::session::{Tab, Workspace};

/// How long a tab in the background may take to say its title.
const TITLE_LIMIT: Duration = Duration::from_millis(300);

/// What a client knows already, so that it is not told twice.
#[derive(Debug, Clone, Default)]
pub(super) struct Told {
    url: Option<String>,
    tabs: BTreeSet<String>,
}

impl Told {
    /// Remembers which tabs were open before a call.
    pub(super) fn note_tabs(&mut self, workspace: &Workspace) {
        self.tabs = workspace.tabs().iter().map(|tab| tab.page.id().to_owned()).collect();
    }
}

/// Adds to `reply` what the client should know of the browser.
pub(super) async fn describe(workspace: &Workspace, told: &mut Told, reply: &mut Reply) {
    for notice in workspace.take_notices() {
        reply.add_event(notice);
    }
    let tabs = workspace.tabs();
    for tab in tabs.iter().filter(|tab| !told.tabs.contains(tab.page.id()) && tab.page.has_opener()) {
        reply.add_event(format!("The page opened tab {}: {}", tab.index, tab.page.url()));
    }
    if reply.view() > View::Nothing && tabs.len() > 1 || reply.wants_tabs() {
        reply.set_tabs(tab_lines(tabs).await);
    }
    let Some(page) = workspace.active_page() else {
        told.url = None;
        return;
    };
    if let Some(dialog) = page.dialog() {
        let message = one_line(&dialog.message);
        reply.add_modal(format!("{} dialog {message:?}: answer it with browser_handle_dialog", dialog.kind));
    }
    if page.file_chooser().is_some() {
        reply.add_modal("file chooser: answer it with browser_file_upload");
    }
    let url = page.url();
    if reply.view() > View::Nothing || told.url.as_ref() != Some(&url) {
        reply.set_page(page_state(&page, url.clone()).await);
        told.url = Some(url);
    }
}

async fn page_state(page: &Page, url: String) -> PageState {
    let status = page.document_response().and_then(|response| {
        let code = StatusCode::from_u16(response.status.try_into().ok()?).ok()?;
        // HTTP/2 sends no reason.
        let reason = Some(response.status_text).filter(|reason| !reason.is_empty());
        Some((
            code.as_u16(),
            reason.or_else(|| code.canonical_reason().map(str::to_owned)).unwrap_or_default(),
        ))
    });
    let crashed = page.is_crashed();
    PageState { url, title: page.title().await, status, crashed, ..PageState::default() }
}

/// Asks all tabs at once for their titles. One that does not answer soon is told without.
async fn tab_lines(tabs: Vec<Tab>) -> Vec<TabLine> {
    let mut asked = JoinSet::new();
    for Tab { index, page, is_active } in tabs {
        asked.spawn(async move {
            let title = timeout(TITLE_LIMIT, page.title()).await.unwrap_or_default();
            TabLine { index, title, url: page.url(), active: is_active, crashed: page.is_crashed() }
        });
    }
    let mut lines = asked.join_all().await;
    lines.sort_by_key(|line| line.index);
    lines
}
