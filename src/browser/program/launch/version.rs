//! The browser's version. It is cached, so that a start need not run the browser just to read the version.
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

use crate::browser::program::find::{self, Channel, FoundBrowser};

/// The result of CDP's `Browser.getVersion` at the browser's start.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Version {
    /// The name and version, such as `Chrome/156.0.8078.79` or `HeadlessChrome/156.0.8078.79`.
    pub product: String,
    pub protocol_version: String,
    /// The user agent for pages. It is the value of `--user-agent` if given.
    pub user_agent: String,
    pub revision: String,
    pub js_version: String,
}

impl Version {
    /// The version number, such as `156.0.8078.79`.
    pub fn number(&self) -> &str {
        self.product.rsplit('/').next().unwrap_or_default()
    }
}

/// The time limit for running the browser with `--version`, which starts large parts of the browser.
const ASKING: Duration = Duration::from_secs(5);
/// The number of browser programs whose versions the cache holds.
const REMEMBERED: usize = 32;

static KNOWN: Mutex<BTreeMap<String, String>> = Mutex::new(BTreeMap::new());

/// A browser's name and version, such as `Google Chrome 156.0.8078.79`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Release(String);

impl Release {
    /// Parses the output of `--version`; `None` without a version number.
    fn read(text: &str) -> Option<Self> {
        let is_version = |word: &str| {
            word.matches('.').count() == 3 && word.split('.').all(|part| part.parse::<u32>().is_ok())
        };
        let mut words = Vec::new();
        for word in text.split_whitespace() {
            words.push(word);
            if is_version(word) {
                return Some(Self(words.join(" ")));
            }
        }
        None
    }

    /// The version number, such as `156.0.8078.79`.
    pub(super) fn number(&self) -> &str {
        self.0.rsplit(' ').next().unwrap_or_default()
    }

    fn name(&self) -> &str {
        self.0.rsplit_once(' ').map_or("", |(name, _)| name)
    }
}

/// Returns the name and version of a browser, from the cache or from `--version`; `None` if unknown.
pub(super) async fn of(found: &FoundBrowser, deadline: Instant) -> Option<Release> {
    if let Some(known) = known(found) {
        return Some(known);
    }
    let release = ask(found, deadline).await?;
    keep(found, &release);
    Some(release)
}

/// Returns the brand that a browser reports to pages besides Chromium; `None` if it reports only Chromium.
pub(super) fn brand(found: &FoundBrowser) -> Option<String> {
    const BRANDS: [&str; 2] = ["Google Chrome", "Microsoft Edge"];
    let known = known(found).filter(|release| !release.name().is_empty());
    match known {
        Some(release) => {
            let name = release.name();
            BRANDS.iter().any(|brand| name.starts_with(brand)).then(|| name.to_owned())
        }
        None => match found.channel {
            Channel::Chromium | Channel::Firefox => None,
            Channel::Chrome => Some(BRANDS[0].to_owned()),
            Channel::Edge => Some(BRANDS[1].to_owned()),
        },
    }
}

fn known(found: &FoundBrowser) -> Option<Release> {
    let key = key(found)?;
    let known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
    Release::read(&known.or_else(|| stored()?.remove(&key))?)
}

/// Caches the version that a running browser reported.
pub(super) fn remember(found: &FoundBrowser, number: &str) {
    let name = known(found).map_or_else(String::new, |release| release.name().to_owned() + " ");
    keep(found, &Release(name + number));
}

/// Caches the version in this process and on disk, for other processes.
fn keep(found: &FoundBrowser, release: &Release) {
    let Some(key) = key(found) else { return };
    let version = release.0.clone();
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner).insert(key.clone(), version.clone());
    tokio::task::spawn_blocking(move || {
        let mut versions = stored().unwrap_or_default();
        if versions.len() >= REMEMBERED {
            versions.clear();
        }
        versions.insert(key, version);
        // If the cache cannot be written, the next start runs `--version` again.
        let _ = store(&versions);
    });
}

/// Returns the user agent of a headed browser. Since Chromium 101, it contains only the major version.
pub(super) fn user_agent(found: &FoundBrowser, version: &str) -> String {
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

/// Returns the cache key of a browser program. `None` for a script, which an update would not change.
fn key(found: &FoundBrowser) -> Option<String> {
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

async fn ask(found: &FoundBrowser, deadline: Instant) -> Option<Release> {
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
    // Leave two thirds of the remaining time for the start itself.
    let limit = ASKING.min(deadline.saturating_duration_since(Instant::now()) / 3);
    let output = timeout(limit, child.wait_with_output()).await.ok()?.ok()?;
    Release::read(&String::from_utf8_lossy(&output.stdout))
}

/// The process group of a `--version` run. It is killed on drop, because a wrapper script may have children.
#[cfg(unix)]
struct Group(rustix::process::Pid);

#[cfg(unix)]
impl Drop for Group {
    fn drop(&mut self) {
        let _ = rustix::process::kill_process_group(self.0, rustix::process::Signal::KILL);
    }
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
