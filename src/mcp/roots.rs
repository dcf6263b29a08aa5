//! The folders whose files a client may use: the server's, and the client's workspace folders (MCP roots).
use std::path::PathBuf;
use std::time::Duration;

use tokio::sync::Mutex;
use tokio::time::timeout;
use url::Url;

use crate::mcp::questions::QuestionsToClient;
use crate::session::Roots;

/// The time limit for a client to list its workspace folders.
const LIMIT: Duration = Duration::from_secs(5);
/// The maximum number of workspace folders that are used.
const MOST: usize = 100;

/// The folders of one client. The client is asked on first use, and again after it has reported a change.
#[derive(Debug)]
pub struct ClientRoots {
    own: Roots,
    /// Whether the client's workspace folders are used.
    asks_client: bool,
    /// All folders, once the client was asked. Locked while asking, so that concurrent calls ask only once.
    all: Mutex<Option<Roots>>,
}

impl ClientRoots {
    pub fn new(own: Roots, asks_client: bool) -> Self {
        Self { own, asks_client, all: Mutex::default() }
    }

    /// Returns the folders; asks the client if necessary. If it does not answer, only the server's folders.
    pub async fn get(&self, questions: &QuestionsToClient) -> Roots {
        if !self.asks_client {
            return self.own.clone();
        }
        let mut all = self.all.lock().await;
        if let Some(all) = &*all {
            return all.clone();
        }
        let Ok(Some(answer)) = timeout(LIMIT, questions.roots()).await else { return self.own.clone() };
        let roots = self.own.with_folders(answer.iter().take(MOST).filter_map(|uri| folder(uri)));
        all.insert(roots).clone()
    }

    /// Forgets the client's folders, so that the next use asks for them again.
    pub async fn forget(&self) {
        self.all.lock().await.take();
    }
}

/// Returns the folder of a `file:` URI, if it exists on this machine.
fn folder(uri: &str) -> Option<PathBuf> {
    let path = Url::parse(uri).ok()?.to_file_path().ok()?;
    path.is_dir().then_some(path)
}
