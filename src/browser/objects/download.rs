//! Downloads of a context. Files are saved under a sanitized name in the configured folder.
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use parking_lot::Mutex;

use crate::cdp::types::browser::{DownloadProgress, DownloadWillBegin};
use crate::folders::{hide_from_git, make_private};

/// The number of downloads that a context keeps in its list: the newest.
const REMEMBERED: usize = 200;

/// The paths of the unfinished download files of this process.
static UNFINISHED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Deletes the files of unfinished downloads. Called when this process exits.
pub fn remove_unfinished_downloads() {
    for path in std::mem::take(&mut *UNFINISHED.lock()) {
        remove_arrived(&path);
    }
}

/// The state of a download.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DownloadState {
    InProgress,
    /// The file is complete.
    Completed {
        path: PathBuf,
        bytes: u64,
    },
    /// The page, the browser or the network cancelled the download.
    Failed {
        reason: String,
    },
}

/// A download.
#[derive(Debug, Clone)]
pub struct Download {
    /// The id (`guid`) that the browser assigned to the download.
    pub id: String,
    /// The CDP target id of the page that started the download.
    pub page: String,
    pub url: String,
    /// The suggested file name, sanitized.
    pub name: String,
    pub state: DownloadState,
}

/// The downloads of one context, oldest first.
#[derive(Debug, Default)]
pub(in crate::browser) struct Downloads {
    known: Mutex<Vec<Download>>,
    /// The ids of discarded downloads that are still in progress. Their files are deleted when they end.
    unwanted: Mutex<BTreeSet<String>>,
}

impl Downloads {
    pub(in crate::browser) fn all(&self) -> Vec<Download> {
        self.known.lock().clone()
    }

    pub(in crate::browser) fn begun(
        &self,
        event: &DownloadWillBegin,
        page: &str,
        folder: Option<&Path>,
    ) -> Download {
        UNFINISHED.lock().extend(folder.map(|folder| folder.join(&event.guid)));
        let mut known = self.known.lock();
        if known.len() == REMEMBERED {
            known.remove(0);
        }
        let download = Download {
            id: event.guid.clone(),
            page: page.to_owned(),
            url: event.url.clone(),
            name: safe_name(&event.suggested_filename),
            state: DownloadState::InProgress,
        };
        known.push(download.clone());
        download
    }

    pub(in crate::browser) fn state(&self, id: &str) -> Option<DownloadState> {
        self.known.lock().iter().find(|download| download.id == id).map(|download| download.state.clone())
    }

    /// Removes the download with this id, or all for `None`, from the list. Deletes completed files.
    pub(in crate::browser) fn remove(&self, id: Option<&str>) {
        let mut known = self.known.lock();
        for download in known.extract_if(.., |download| id.is_none_or(|id| download.id == id)) {
            if let DownloadState::Completed { path, .. } = download.state {
                let _ = std::fs::remove_file(path);
            }
        }
    }

    /// Removes a download that cannot be cancelled from the list. Deletes its file, now or when it ends.
    pub(in crate::browser) fn remove_when_ended(&self, id: &str) {
        let mut known = self.known.lock();
        for download in known.extract_if(.., |download| download.id == id) {
            match download.state {
                DownloadState::InProgress => drop(self.unwanted.lock().insert(download.id)),
                DownloadState::Completed { path, .. } => drop(std::fs::remove_file(path)),
                DownloadState::Failed { .. } => {}
            }
        }
    }

    pub(in crate::browser) fn knows(&self, id: &str) -> bool {
        self.known.lock().iter().any(|download| download.id == id) || self.unwanted.lock().contains(id)
    }

    /// Handles a progress event. Returns whether the download has just ended. `by_id` prevents renaming.
    pub(in crate::browser) fn progressed(
        &self,
        event: &DownloadProgress,
        folder: &Path,
        by_id: bool,
    ) -> bool {
        let arrived = folder.join(&event.guid);
        let mut known = self.known.lock();
        if matches!(event.state.as_str(), "completed" | "canceled")
            && self.unwanted.lock().remove(&event.guid)
        {
            remove_arrived(&arrived);
            UNFINISHED.lock().remove(&arrived);
            return true;
        }
        let Some(download) = known.iter_mut().find(|download| download.id == event.guid) else {
            return false;
        };
        if download.state != DownloadState::InProgress {
            return false;
        }
        download.state = match event.state.as_str() {
            "completed" if by_id => {
                let bytes = std::fs::metadata(&arrived).map_or(0, |file| file.len());
                DownloadState::Completed { path: arrived.clone(), bytes }
            }
            "completed" => match give_name(&arrived, folder, &download.name) {
                Ok((path, bytes)) => {
                    // The browser has made the folder.
                    hide_from_git(folder);
                    DownloadState::Completed { path, bytes }
                }
                Err(error) => DownloadState::Failed { reason: error.to_string() },
            },
            "canceled" => {
                remove_arrived(&arrived);
                let reason = if by_id { "canceled".to_owned() } else { why_cancelled(folder) };
                DownloadState::Failed { reason }
            }
            _ => return false,
        };
        UNFINISHED.lock().remove(&arrived);
        true
    }
}

/// Returns why a download was cancelled. Checks the folder, since the browser does not report write errors.
fn why_cancelled(folder: &Path) -> String {
    match make_private(folder).and_then(|()| tempfile::tempfile_in(folder)) {
        Ok(_) => "it was cancelled or the connection broke".to_owned(),
        Err(error) => format!("{} cannot be written to: {error}", folder.display()),
    }
}

/// Deletes a partial file, which the browser keeps after an interruption to resume it.
fn remove_arrived(arrived: &Path) {
    let _ = std::fs::remove_file(arrived);
    let _ = std::fs::remove_file(arrived.with_extension("crdownload"));
}

/// Moves a file to `folder` under a sanitized name. Returns its new path and its size in bytes.
pub fn move_to_folder(arrived: &Path, folder: &Path) -> std::io::Result<(PathBuf, u64)> {
    let name = safe_name(&arrived.file_name().unwrap_or_default().to_string_lossy());
    match give_name(arrived, folder, &name) {
        // On another disk: copies to a temporary name first, so that no partial file has the final name.
        Err(error) if error.kind() == std::io::ErrorKind::CrossesDevices => {
            let near = tempfile::NamedTempFile::new_in(folder)?.into_temp_path();
            std::fs::copy(arrived, &near)?;
            let kept = give_name(&near, folder, &name)?;
            std::fs::remove_file(arrived)?;
            Ok(kept)
        }
        kept => kept,
    }
}

/// Moves a file to `name` in `folder`, or to `name (1)` etc. if taken. Returns its path and size in bytes.
fn give_name(arrived: &Path, folder: &Path, name: &str) -> std::io::Result<(PathBuf, u64)> {
    const MOST_NAMESAKES: usize = 10_000;
    let bytes = std::fs::metadata(arrived)?.len();
    #[cfg(unix)]
    std::fs::set_permissions(arrived, std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
    let (stem, ending) = match name.rsplit_once('.') {
        Some((stem, ending)) if !stem.is_empty() => (stem, format!(".{ending}")),
        _ => (name, String::new()),
    };
    for number in 0..MOST_NAMESAKES {
        let name = if number == 0 { name.to_owned() } else { format!("{stem} ({number}){ending}") };
        let path = folder.join(name);
        // A hard link never overwrites an existing file, not even one that was created a moment ago.
        match std::fs::hard_link(arrived, &path) {
            Ok(()) => {
                std::fs::remove_file(arrived)?;
                return Ok((path, bytes));
            }
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(_) if !path.exists() => {
                std::fs::rename(arrived, &path)?;
                return Ok((path, bytes));
            }
            Err(_) => {}
        }
    }
    Err(std::io::Error::other("too many files have this name"))
}

/// Returns a file name without folders, control characters, or characters that other systems forbid.
fn safe_name(proposed: &str) -> String {
    /// The maximum length in bytes: 255 on most disks, minus space for a number.
    const LONGEST: usize = 200;
    const RESERVED: [&str; 6] = ["CON", "PRN", "AUX", "NUL", "COM1", "LPT1"];
    let base = proposed.rsplit(['/', '\\']).next().unwrap_or_default();
    let cleaned: String = base
        .chars()
        .map(|character| match character {
            '<' | '>' | ':' | '"' | '|' | '?' | '*'
            // Characters that change the writing direction can disguise a name's extension.
            | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => '_',
            character if character.is_control() => '_',
            character => character,
        })
        .collect();
    let cleaned = cleaned.trim().trim_end_matches(['.', ' ']).trim_start_matches('.');
    let stem = cleaned.split('.').next().unwrap_or_default();
    if cleaned.is_empty() {
        return "download".to_owned();
    }
    if RESERVED.iter().any(|reserved| reserved.eq_ignore_ascii_case(stem)) {
        return shortened(&format!("_{cleaned}"), LONGEST);
    }
    shortened(cleaned, LONGEST)
}

/// Shortens a name to `longest` bytes, keeping its extension and whole characters.
fn shortened(name: &str, longest: usize) -> String {
    if name.len() <= longest {
        return name.to_owned();
    }
    const LONGEST_ENDING: usize = 32;
    let ending = name.rfind('.').map_or("", |dot| &name[dot..]);
    let ending = if ending.len() > LONGEST_ENDING { "" } else { ending };
    let room = longest - ending.len();
    let end = (0..=room).rev().find(|end| name.is_char_boundary(*end)).unwrap_or_default();
    format!("{}{ending}", &name[..end])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::safe_name;

    proptest! {
        /// Every suggested name becomes a valid one with its extension.
        #[test]
        fn a_name_fits_on_a_disk_and_keeps_its_ending(stem in "[^./\\\\]{1,400}", ending in "[a-z0-9]{1,8}") {
            let name = safe_name(&format!("x{stem}.{ending}"));
            prop_assert!(name.len() <= 200, "{} bytes", name.len());
            let ending = format!(".{ending}");
            prop_assert!(name.ends_with(&ending));
        }
    }

    #[test]
    fn names_from_the_web_are_made_safe() {
        for (proposed, safe) in [
            ("report.pdf", "report.pdf"),
            ("../../etc/passwd", "passwd"),
            ("..\\..\\x.exe", "x.exe"),
            (".bashrc", "bashrc"),
            ("a\u{202e}fdp.exe", "a_fdp.exe"),
            ("con.txt", "_con.txt"),
            ("name. ", "name"),
            ("a:b|c?.txt", "a_b_c_.txt"),
            ("", "download"),
            ("...", "download"),
        ] {
            assert_eq!(safe_name(proposed), safe, "{proposed:?}");
        }
        let long = safe_name(&("x".repeat(300) + ".tar.gz"));
        assert_eq!((long.chars().count(), long.rsplit('.').next()), (200, Some("gz")));
    }
}
