//! Downloads a browser.
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

use chromiumoxide_fetcher::{BrowserFetcher, BrowserFetcherOptions, BrowserHost, BrowserKind};
use tempfile::TempDir;
use tokio::time::Instant;

use super::find;
use crate::error::{Error, Result, human};

/// The interval between progress reports.
const INTERVAL: Duration = Duration::from_millis(500);

/// The default of `stall_timeout` in [`install`]: how long the server may send no data.
pub const DEFAULT_STALL_TIMEOUT: Duration = Duration::from_secs(60);

/// The name prefix of an unfinished download's folder.
const UNFINISHED: &str = ".download-";

/// The file in an unfinished download's folder that is locked while the downloading process runs.
const LOCK: &str = "lock";

/// The progress of a download.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InstallProgress {
    Arrived { bytes: u64 },
    Unpacking,
}

/// Downloads Chromium into `folder` (default: [`find::browsers_folder`]) and returns the program's path.
/// `mirror` replaces the default server. Fails if no data arrives for `stall_timeout`. An interrupted
/// download leaves no files; the next download removes those of a killed process.
pub async fn install(
    mirror: Option<&str>,
    folder: Option<&Path>,
    stall_timeout: Duration,
    progress: &(dyn Fn(InstallProgress) + Send + Sync),
) -> Result<PathBuf> {
    let folder = folder.map(Path::to_owned).or_else(find::browsers_folder);
    let folder = folder.ok_or_else(|| failed("there is no folder to keep it in; set HOME"))?;
    std::fs::create_dir_all(&folder).map_err(failed)?;
    clear_leftovers(&folder);
    let (unpacked, _lock) = workplace(&folder).map_err(failed)?;
    let mut options =
        BrowserFetcherOptions::builder().with_kind(BrowserKind::Chromium).with_path(unpacked.path());
    if let Some(mirror) = mirror {
        options = options.with_host(BrowserHost::single(mirror.trim_end_matches('/')));
    }
    let options = options.build().map_err(|error| failed(chain(&error)))?;
    let fetcher = BrowserFetcher::new(options);
    let mut fetching = std::pin::pin!(fetcher.fetch());
    let mut step = InstallProgress::Arrived { bytes: 0 };
    let mut since = Instant::now();
    let installation = loop {
        tokio::select! {
            outcome = &mut fetching => break outcome.map_err(|error| failed(chain(&error)))?,
            () = tokio::time::sleep(INTERVAL) => {
                let now = step_of(unpacked.path());
                if now != step || now == InstallProgress::Unpacking {
                    (step, since) = (now, Instant::now());
                    progress(step);
                } else if since.elapsed() > stall_timeout {
                    return Err(failed(format!("the server sent nothing for {}", human(stall_timeout))));
                }
            }
        }
    };
    let inside = installation.executable_path.strip_prefix(&installation.folder_path);
    let inside = inside.map_err(failed)?.to_owned();
    let name = installation.folder_path.file_name().ok_or_else(|| failed("it has no name"))?;
    let kept = folder.join(name);
    if !kept.join(&inside).exists() {
        let _ = std::fs::remove_dir_all(&kept);
        std::fs::rename(&installation.folder_path, &kept).map_err(failed)?;
    }
    Ok(kept.join(inside))
}

/// Creates a temporary folder inside the destination, so that the final move is atomic, and locks it.
fn workplace(folder: &Path) -> std::io::Result<(TempDir, File)> {
    let made = tempfile::Builder::new().prefix(UNFINISHED).tempdir_in(folder)?;
    let lock = File::create(made.path().join(LOCK))?;
    // Without file locks, an abandoned download looks like a running one, so it is never removed.
    let _ = lock.try_lock();
    Ok((made, lock))
}

/// Removes unfinished downloads whose process was killed: their lock is free.
fn clear_leftovers(folder: &Path) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let is_download = entry.file_name().to_string_lossy().starts_with(UNFINISHED);
        let lock = is_download.then(|| File::options().write(true).open(entry.path().join(LOCK)));
        if let Some(Ok(lock)) = lock
            && lock.try_lock().is_ok()
        {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

fn failed(reason: impl ToString) -> Error {
    Error::BrowserInstall { reason: reason.to_string() }
}

/// Joins the messages of an error and its causes, without URLs.
fn chain(error: &dyn std::error::Error) -> String {
    let mut reason = vec![error.to_string()];
    let mut cause = error.source();
    while let Some(error) = cause {
        reason.push(error.to_string());
        cause = error.source();
    }
    let reason = reason.join(": ");
    let words = reason.split(' ').map(|word| if word.contains("://") { "the server" } else { word });
    words.collect::<Vec<_>>().join(" ")
}

/// Returns the current progress: unpacking once `folder` has a subfolder, otherwise the bytes received.
fn step_of(folder: &Path) -> InstallProgress {
    let mut bytes = 0;
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.metadata() {
            Ok(what) if what.is_dir() => return InstallProgress::Unpacking,
            Ok(what) => bytes += what.len(),
            Err(_) => {}
        }
    }
    InstallProgress::Arrived { bytes }
}
