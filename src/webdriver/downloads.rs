//! WebKit's downloads. It saves files to a folder in its home directory and sends no events.
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use parking_lot::Mutex;

use crate::browser::DownloadState;

/// The suffix of an incomplete file. Meanwhile, an empty file reserves the final name.
const ARRIVING: &str = ".wkdownload";
/// How long an empty file counts as the reserved name of a download, not as a complete download.
const MOMENT: Duration = Duration::from_millis(200);

/// The folder to which a WebKit process downloads.
#[derive(Debug)]
pub(super) struct Downloads {
    folder: PathBuf,
    /// Downloads that were already reported as started.
    begun: Mutex<BTreeSet<OsString>>,
}

/// A running or ended download.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DownloadEntry {
    /// The file name that WebKit chose.
    pub name: String,
    /// The state. A complete file stays in WebKit's folder until it is moved.
    pub state: DownloadState,
}

impl Downloads {
    /// Creates the download folder in WebKit's home directory, and the file that configures it.
    #[cfg_attr(not(unix), expect(dead_code, reason = "no WebKit is started there"))]
    pub(super) fn prepare(home: &Path) -> std::io::Result<()> {
        std::fs::create_dir_all(home.join(".config"))?;
        std::fs::create_dir_all(home.join("Downloads"))?;
        std::fs::write(home.join(".config/user-dirs.dirs"), "XDG_DOWNLOAD_DIR=\"$HOME/Downloads\"\n")
    }

    /// Returns the downloads in a home directory that was prepared.
    #[cfg_attr(not(unix), expect(dead_code, reason = "no WebKit is started there"))]
    pub(super) fn of(home: &Path) -> Self {
        Self { folder: home.join("Downloads"), begun: Mutex::default() }
    }

    /// Returns whether a download has started that was not reported yet.
    pub(super) fn has_begun(&self) -> bool {
        let begun = self.begun.lock();
        self.files().iter().any(|(name, is_arriving)| *is_arriving && !begun.contains(name))
    }

    /// Returns whether [`Self::updates`] would return anything.
    pub(super) fn has_updates(&self) -> bool {
        let begun = self.begun.lock();
        let files = self.files();
        let is_gone = |name: &OsString| !files.iter().any(|(file, _)| file == name);
        files.iter().any(|(name, is_arriving)| !is_arriving || !begun.contains(name))
            || begun.iter().any(is_gone)
    }

    /// Returns the downloads that have started, completed or failed since the last call. Complete downloads
    /// are returned again until their file is moved.
    pub(super) fn updates(&self) -> Vec<DownloadEntry> {
        let files = self.files();
        let mut begun = self.begun.lock();
        let is_there = |name: &OsString| files.iter().any(|(file, _)| file == name);
        let (kept, gone): (BTreeSet<_>, Vec<_>) = {
            let all = std::mem::take(&mut *begun);
            let (kept, gone): (Vec<_>, Vec<_>) = all.into_iter().partition(is_there);
            (kept.into_iter().collect(), gone)
        };
        *begun = kept;
        let failed = |name: OsString| DownloadEntry {
            name: name.to_string_lossy().into_owned(),
            state: DownloadState::Failed { reason: "it was cancelled or the connection broke".to_owned() },
        };
        let mut updates: Vec<_> = gone.into_iter().map(failed).collect();
        for (name, is_arriving) in files {
            let text = name.to_string_lossy().into_owned();
            let path = self.folder.join(&name);
            let state = match is_arriving {
                true if begun.insert(name.clone()) => DownloadState::InProgress,
                true => continue,
                false => {
                    begun.remove(&name);
                    let bytes = std::fs::metadata(&path).map_or(0, |file| file.len());
                    DownloadState::Completed { path, bytes }
                }
            };
            updates.push(DownloadEntry { name: text, state });
        }
        updates
    }

    /// Returns the files in the folder, and whether each is still incomplete.
    fn files(&self) -> Vec<(OsString, bool)> {
        let entries = std::fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let files = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
        let mut files: Vec<_> = files.filter_map(|entry| self.file(entry.file_name())).collect();
        files.sort();
        files
    }

    fn file(&self, name: OsString) -> Option<(OsString, bool)> {
        let path = self.folder.join(&name);
        let is_part = path.extension().is_some_and(|ending| ending == &ARRIVING[1..])
            && path.with_extension("").exists();
        if is_part {
            return None;
        }
        let mut part = name.clone();
        part.push(ARRIVING);
        let is_arriving = self.folder.join(part).exists() || is_just_made(&path);
        Some((name, is_arriving))
    }
}

/// Returns whether this is the empty file that was just created to reserve a name.
fn is_just_made(path: &Path) -> bool {
    let Ok(file) = std::fs::metadata(path) else { return true };
    let age = file.modified().ok().and_then(|when| when.elapsed().ok());
    file.len() == 0 && age.is_none_or(|age| age < MOMENT)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reports(downloads: &Downloads) -> Vec<(String, &'static str)> {
        let word = |state: &DownloadState| match state {
            DownloadState::InProgress => "begun",
            DownloadState::Completed { .. } => "done",
            DownloadState::Failed { .. } => "failed",
        };
        downloads.updates().into_iter().map(|sent| (sent.name, word(&sent.state))).collect()
    }

    #[test]
    fn each_file_is_reported_when_it_begins_and_when_it_ends() {
        let home = tempfile::tempdir().unwrap();
        Downloads::prepare(home.path()).unwrap();
        let downloads = Downloads::of(home.path());
        let file = |name: &str| home.path().join("Downloads").join(name);
        let write = |name: &str, text: &str| std::fs::write(file(name), text).unwrap();
        assert!(!downloads.has_updates());
        write("a", "");
        assert!(downloads.has_begun(), "an empty file that is new may be of one that is to arrive");
        write("a.wkdownload", "he");
        write("b", "");
        write("b.wkdownload", "");
        assert_eq!(reports(&downloads), [("a".to_owned(), "begun"), ("b".to_owned(), "begun")]);
        assert!(!downloads.has_begun() && !downloads.has_updates());
        assert!(reports(&downloads).is_empty());
        std::fs::rename(file("a.wkdownload"), file("a")).unwrap();
        for name in ["b", "b.wkdownload"] {
            std::fs::remove_file(file(name)).unwrap();
        }
        assert!(downloads.has_updates());
        assert_eq!(reports(&downloads), [("b".to_owned(), "failed"), ("a".to_owned(), "done")]);
        std::fs::remove_file(file("a")).unwrap();
        // A site may choose a file name that ends with this suffix.
        write("c.wkdownload", "all of it");
        assert_eq!(reports(&downloads), [("c.wkdownload".to_owned(), "done")]);
    }
}
