//! The browser's version, without paying for it at every start.
use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, UNIX_EPOCH};

use serde::Deserialize;
use tokio::process::Command;
use tokio::time::{Instant, timeout};

use crate::browser::find::{self, Channel, Found};

/// What the browser said about itself when it started.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Version {
    /// Such as `Chrome/156.0.8078.79` or `HeadlessChrome/156.0.8078.79`.
    pub product: String,
    pub protocol_version: String,
    /// The one pages see, `--user-agent` considered.
    pub user_agent: String,
    pub revision: String,
    pub js_version: String,
}

impl Version {
    /// Such as `156.0.8078.79`.
    pub fn number(&self) -> &str {
        self.product.rsplit('/').next().unwrap_or_default()
    }
}

/// `--version` starts a good part of the browser; it need not take longer than this.
const ASKING: Duration = Duration::from_secs(5);
/// More browsers than anyone has.
const REMEMBERED: usize = 32;

static KNOWN: Mutex<BTreeMap<String, String>> = Mutex::new(BTreeMap::new());

/// The version of a browser: as remembered from last time, or else as it says itself.
pub(super) async fn of(found: &Found, deadline: Instant) -> Option<String> {
    let key = key(found);
    if let Some(key) = &key {
        let known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner).get(key).cloned();
        if let Some(version) = known.or_else(|| stored()?.remove(key)) {
            return Some(version);
        }
    }
    let version = ask(found, deadline).await?;
    remember(found, &version);
    Some(version)
}

/// Keeps a version for later starts, of this process and of others.
pub(super) fn remember(found: &Found, version: &str) {
    let Some(key) = key(found) else { return };
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner).insert(key.clone(), version.to_owned());
    let version = version.to_owned();
    tokio::task::spawn_blocking(move || {
        let mut versions = stored().unwrap_or_default();
        if versions.len() >= REMEMBERED {
            versions.clear();
        }
        versions.insert(key, version);
        // Whoever cannot write there asks the browser again next time.
        let _ = store(&versions);
    });
}

/// The user agent that a browser with a window has. Since version 101 all but the first number is zero.
pub(super) fn user_agent(found: &Found, version: &str) -> String {
    let platform = if cfg!(windows) {
        "Windows NT 10.0; Win64; x64"
    } else if cfg!(target_os = "macos") {
        "Macintosh; Intel Mac OS X 10_15_7"
    } else {
        "X11; Linux x86_64"
    };
    let major = version.split('.').next().unwrap_or_default();
    let edge = if found.channel == Channel::Edge { format!(" Edg/{major}.0.0.0") } else { String::new() };
    format!(
        "Mozilla/5.0 ({platform}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/{major}.0.0.0 Safari/537.36{edge}"
    )
}

/// What tells one browser from another and from its next version. `None` if an update would not show.
fn key(found: &Found) -> Option<String> {
    let path = if found.is_snap() {
        fs::canonicalize("/snap/chromium/current").ok()?
    } else if find::is_script(&found.executable) {
        return None;
    } else {
        found.executable.clone()
    };
    let metadata = fs::metadata(&path).ok()?;
    let modified = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?.as_nanos();
    Some(format!("{} {modified} {}", path.display(), metadata.len()))
}

async fn ask(found: &Found, deadline: Instant) -> Option<String> {
    let mut command = Command::new(&found.executable);
    command
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true);
    #[cfg(unix)]
    command.process_group(0);
    let child = command.spawn().ok()?;
    #[cfg(unix)]
    let _group = Group(rustix::process::Pid::from_raw(child.id()?.cast_signed())?);
    // Most of the time that is left belongs to the start.
    let limit = ASKING.min(deadline.saturating_duration_since(Instant::now()) / 3);
    let output = timeout(limit, child.wait_with_output()).await.ok()?.ok()?;
    number_in(&String::from_utf8_lossy(&output.stdout))
}

/// What a script started, and left behind when it was ended.
#[cfg(unix)]
struct Group(rustix::process::Pid);

#[cfg(unix)]
impl Drop for Group {
    fn drop(&mut self) {
        let _ = rustix::process::kill_process_group(self.0, rustix::process::Signal::KILL);
    }
}

fn number_in(text: &str) -> Option<String> {
    let is_version = |word: &&str| {
        word.matches('.').count() == 3 && word.split('.').all(|part| part.parse::<u32>().is_ok())
    };
    text.split_whitespace().find(is_version).map(str::to_owned)
}

fn file() -> Option<PathBuf> {
    Some(find::cache_folder()?.join("versions.json"))
}

fn stored() -> Option<BTreeMap<String, String>> {
    serde_json::from_slice(&fs::read(file()?).ok()?).ok()
}

fn store(versions: &BTreeMap<String, String>) -> std::io::Result<()> {
    let path = file().ok_or(std::io::ErrorKind::NotFound)?;
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(&serde_json::to_vec(versions)?)?;
    file.persist(&path)?;
    Ok(())
}
