//! Connects to a person's own browser through its profile folder. Uses only tabs that this process opens.
use std::collections::HashSet;
use std::path::{Path, PathBuf};

use parking_lot::Mutex;

use crate::cdp::CdpSession;
use crate::cdp::types::target::{AttachToTarget, CloseTarget, FilterEntry, SetDiscoverTargets, TargetInfo};
use crate::error::{Error, Result};

/// The file in a profile folder to which the browser writes its debugging port and WebSocket path.
const PORT_FILE: &str = "DevToolsActivePort";

/// The target ids of the tabs that this process has opened in a person's browser, and of their popups.
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
    /// Returns the profile folder that contains a port file, or the default one if none does.
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

/// Reads the WebSocket URL of the browser that runs with this profile folder.
///
/// # Errors `no_guests` if the folder has no valid port file: the browser does not run, or debugging is off.
pub fn websocket_debugger_url(folder: &Path) -> Result<String> {
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
    /// Attaches to a tab that this process has opened. Does nothing if it is already attached.
    pub(in crate::browser) fn visit(&self, root: &CdpSession, target_id: &str) {
        if self.own.lock().insert(target_id.to_owned()) {
            let attach = AttachToTarget { target_id: target_id.to_owned(), flatten: true };
            root.send(attach).ignore();
        }
    }

    /// Handles a new tab: attaches to it if it is a popup of a tab that this process has opened.
    pub(in crate::browser) fn on_target(&self, root: &CdpSession, info: &TargetInfo) {
        if info.opener_id.as_ref().is_some_and(|opener| self.own.lock().contains(opener)) {
            self.visit(root, &info.target_id);
        }
    }

    /// Closes the tabs that this process has opened, before the connection to the browser is closed.
    pub(in crate::browser) async fn leave(&self, root: &CdpSession) {
        let own = std::mem::take(&mut *self.own.lock());
        let closing = own.into_iter().map(|target_id| root.send(CloseTarget { target_id }));
        for closed in closing.collect::<Vec<_>>() {
            // An error means that the tab was closed already.
            let _ = closed.await;
        }
    }
}
