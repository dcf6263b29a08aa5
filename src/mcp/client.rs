//! A client of the server: what is its own from call to call.
use std::sync::Arc;

use crate::live::Calls;
use crate::mcp::kept::Kept;
use crate::mcp::roots::ClientRoots;
use crate::mcp::settings::Settings;
use crate::session::Workspace;
use crate::session::cooldown::Cooldown;
use crate::session::registry::Sessions;
use crate::snapshot::Tree;

/// One client of the server.
#[derive(Debug)]
pub struct Client {
    pub workspace: Workspace,
    /// Where errands are done that have a page of their own.
    pub(super) scratch: Workspace,
    /// Those that it can reach.
    pub(super) sessions: Sessions,
    pub(super) settings: Settings,
    /// The folders whose files it may name.
    pub roots: ClientRoots,
    /// The pause of whoever it belongs to.
    pub(super) cooldown: Arc<Cooldown>,
    /// What it keeps from call to call.
    pub(super) kept: Arc<Kept>,
    /// Whose it is, where there are several.
    pub(super) owner: Option<Arc<str>>,
    /// What it did, for a person to see.
    pub(super) calls: Calls,
}

impl Client {
    /// The current page, as it was last read for this client.
    pub fn last_shown(&self) -> Option<Arc<Tree>> {
        if let Some(webkit_session) = self.workspace.webkit() {
            return webkit_session.shown();
        }
        let page = self.workspace.active_page()?;
        self.kept.seen.lock().tree(&page)
    }

    /// Where the current page stands.
    pub fn url(&self) -> Option<String> {
        match self.workspace.webkit() {
            Some(webkit_session) => webkit_session.url(),
            None => self.workspace.active_page().map(|page| page.asked_url()),
        }
    }

    /// Closes all that the client opened.
    pub async fn close(&self) {
        self.workspace.close().await;
        self.scratch.close().await;
    }
}
