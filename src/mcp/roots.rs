//! The folders whose files one client may name: the server's, and those that the client says it works in.
use std::path::PathBuf;
use std::time::Duration;

use tokio::sync::Mutex;
use tokio::time::timeout;
use url::Url;

use crate::mcp::questions::Questions;
use crate::session::Roots;

/// How long a client may take to name its folders.
const LIMIT: Duration = Duration::from_secs(5);
/// How many of them are heard.
const MOST: usize = 100;

/// The folders of one client. It is asked when first a file is needed, and again after it has said that they changed.
#[derive(Debug)]
pub struct ClientRoots {
    own: Roots,
    /// Whether what the client says counts.
    hears: bool,
    /// All, once it has been asked. Held while it is being asked, so that one question serves all who wait.
    all: Mutex<Option<Roots>>,
}

impl ClientRoots {
    pub fn new(own: Roots, hears: bool) -> Self {
        Self { own, hears, all: Mutex::default() }
    }

    /// The folders; the client is asked if need be. One that does not answer has named none, this time.
    pub async fn get(&self, questions: &Questions) -> Roots {
        if !self.hears {
            return self.own.clone();
        }
        let mut all = self.all.lock().await;
        if let Some(all) = &*all {
            return all.clone();
        }
        let Ok(Some(answer)) = timeout(LIMIT, questions.roots()).await else { return self.own.clone() };
        let roots = self.own.with(answer.iter().take(MOST).filter_map(|uri| folder(uri)));
        all.insert(roots).clone()
    }

    /// Forgets what the client said.
    pub async fn forget(&self) {
        self.all.lock().await.take();
    }
}

/// The folder that a client calls so, if it is one of this machine.
fn folder(uri: &str) -> Option<PathBuf> {
    let path = Url::parse(uri).ok()?.to_file_path().ok()?;
    path.is_dir().then_some(path)
}
