//! Works in a person's own browser, found by its profile folder; touches only tabs that we have opened.
use std::collections::HashSet;
use std::path::{Path, PathBuf};

use parking_lot::Mutex;

use crate::cdp::CdpSession;
use crate::cdp::types::target::{AttachToTarget, CloseTarget, FilterEntry, SetDiscoverTargets, TargetInfo};
use crate::error::{Error, Result};

/// The file in which a browser writes its port and path.
const PORT_FILE: &str = "DevToolsActivePort";

/// Our tabs in a person's browser, including their popups.
#[derive(Debug, Default)]
pub(in crate::browser) struct AttachedBrowser {
    own: Mutex<HashSet<String>>,
}

/// A browser that a person may have running.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "mcp", derive(clap::ValueEnum))]
pub enum UserBrowser {
    Chrome,
    Edge,
    Chromium,
}

impl UserBrowser {
    /// The profile folder, if one exists; otherwise the place where it would be.
    pub fn folder(self) -> PathBuf {
        let folders = self.folders();
        let found = folders.iter().find(|folder| folder.join(PORT_FILE).exists());
        found.or(folders.first()).cloned().unwrap_or_default()
    }

    #[cfg(target_os = "linux")]
    fn folders(self) -> Vec<PathBuf> {
        let home = std::env::home_dir().unwrap_or_default();
        let config = std::env::var_os("XDG_CONFIG_HOME").map_or_else(|| home.join(".config"), PathBuf::from);
        match self {
            Self::Chrome => vec![config.join("google-chrome")],
            Self::Edge => vec![config.join("microsoft-edge")],
            Self::Chromium => vec![config.join("chromium"), home.join("snap/chromium/common/chromium")],
        }
    }

    #[cfg(target_os = "macos")]
    fn folders(self) -> Vec<PathBuf> {
        let support = std::env::home_dir().unwrap_or_default().join("Library/Application Support");
        vec![support.join(match self {
            Self::Chrome => "Google/Chrome",
            Self::Edge => "Microsoft Edge",
            Self::Chromium => "Chromium",
        })]
    }

    #[cfg(windows)]
    fn folders(self) -> Vec<PathBuf> {
        let local = std::env::var_os("LOCALAPPDATA").map(PathBuf::from).unwrap_or_default();
        let name = match self {
            Self::Chrome => "Google/Chrome",
            Self::Edge => "Microsoft/Edge",
            Self::Chromium => "Chromium",
        };
        vec![local.join(name).join("User Data")]
    }
}

/// The WebSocket URL of the browser with this folder.
///
/// # Errors `no_guests` if it does not run or refuses connections.
pub fn address(folder: &Path) -> Result<String> {
    let text = std::fs::read_to_string(folder.join(PORT_FILE)).map_err(|_| Error::NoGuests)?;
    let mut lines = text.lines();
    let port = lines.next().and_then(|line| line.trim().parse::<u16>().ok()).ok_or(Error::NoGuests)?;
    let path =
        lines.next().map(str::trim).filter(|path| path.starts_with("/devtools/")).ok_or(Error::NoGuests)?;
    Ok(format!("ws://127.0.0.1:{port}{path}"))
}

/// Subscribes to new tabs without attaching to them.
pub(in crate::browser) fn watch_tabs(root: &CdpSession) {
    let pages = FilterEntry { exclude: false, kind: Some("page".to_owned()) };
    root.send(SetDiscoverTargets { discover: true, filter: Some(vec![pages]) }).ignore();
}

impl AttachedBrowser {
    /// Attaches to a tab that we have opened.
    pub(in crate::browser) fn visit(&self, root: &CdpSession, target_id: &str) {
        if self.own.lock().insert(target_id.to_owned()) {
            let attach = AttachToTarget { target_id: target_id.to_owned(), flatten: true };
            root.send(attach).ignore();
        }
    }

    /// Handles a new tab: popups of our tabs are ours.
    pub(in crate::browser) fn on_target(&self, root: &CdpSession, info: &TargetInfo) {
        if info.opener_id.as_ref().is_some_and(|opener| self.own.lock().contains(opener)) {
            self.visit(root, &info.target_id);
        }
    }

    /// Disconnects and leaves everything as it was.
    pub(in crate::browser) async fn leave(&self, root: &CdpSession) {
        let own = std::mem::take(&mut *self.own.lock());
        let closing = own.into_iter().map(|target_id| root.send(CloseTarget { target_id }));
        for closed in closing.collect::<Vec<_>>() {
            // What is gone already is as it was.
            let _ = closed.await;
        }
    }
}
