//! Clients of the server, and their state between calls.
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::live::CallHistory;
use crate::mcp::grant::{OwnerPermissions, RecentCalls};
use crate::mcp::kept::SessionMemory;
use crate::mcp::roots::ClientRoots;
use crate::mcp::settings::Settings;
use crate::session::Workspace;
use crate::session::cooldown::Cooldown;
use crate::session::registry::Sessions;
use crate::snapshot::Tree;

/// A client of the server.
#[derive(Debug)]
pub struct Client {
    pub workspace: Workspace,
    /// The workspace for one-shot visits, such as those of `patchright_fetch`.
    pub(super) scratch: Workspace,
    /// The client's sessions.
    pub(super) sessions: Sessions,
    pub(super) settings: Settings,
    /// The folders whose files the client may use.
    pub roots: ClientRoots,
    /// The cooldown of the client's owner.
    pub(super) cooldown: Arc<Cooldown>,
    /// The client's state between calls.
    pub(super) kept: Arc<SessionMemory>,
    /// The name of the client's owner; `None` if the server has only one owner.
    pub(super) owner: Option<Arc<str>>,
    /// The name of the client's API key, if it has one.
    pub(super) key: Option<Arc<str>>,
    /// The permissions of the client's owner.
    pub(super) grant: Arc<OwnerPermissions>,
    /// The owner's calls in the last minute, for the rate limit.
    pub(super) recent_calls: Arc<RecentCalls>,
    /// Cancelled when the owner's key is no longer valid or has other permissions.
    pub(super) revoked: CancellationToken,
    /// The client's latest calls, which the live view shows.
    pub(super) calls: CallHistory,
}

impl Client {
    /// Returns the last snapshot of the current page that the client received.
    pub fn last_snapshot(&self) -> Option<Arc<Tree>> {
        if let Some(webkit_session) = self.workspace.webkit_session() {
            return webkit_session.last_snapshot();
        }
        let page = self.workspace.active_page()?;
        self.kept.seen.lock().tree(&page)
    }

    /// Returns the URL of the current page.
    pub fn url(&self) -> Option<String> {
        match self.workspace.webkit_session() {
            Some(webkit_session) => webkit_session.url(),
            None => self.workspace.active_page().map(|page| page.attempted_url()),
        }
    }

    /// Sets the name of the client's API key, which the audit log contains.
    #[must_use]
    pub(super) fn with_key(self, name: &Arc<str>) -> Self {
        Self { key: Some(Arc::clone(name)), ..self }
    }

    /// Cancels the client's running calls, and closes everything that the client opened.
    pub(super) async fn revoke(&self) {
        self.revoked.cancel();
        self.close().await;
    }

    /// Closes everything that the client opened.
    pub async fn close(&self) {
        self.workspace.close().await;
        self.scratch.close().await;
    }
}
