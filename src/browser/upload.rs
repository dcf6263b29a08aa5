//! Files for pages, as they were opened: what a page gets cannot be exchanged for something else under the same name.
//!
//! The browser takes names only, and opens them when the page reads. So it is given the name of a link of our own, in a
//! folder of our own, which leads to the open file itself.
use std::fs::File;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::element::ElementHandle;
use super::launch::BrowserProcess;
use crate::error::{Error, Result};

/// How many files are held for one page: the newest.
pub(super) const MOST_HELD: usize = 500;

/// A file that was opened when it was checked.
#[derive(Debug)]
pub struct OpenedFile {
    pub file: File,
    /// Its real path at that time.
    pub path: PathBuf,
}

/// A file that a page may still read.
#[derive(Debug)]
pub(super) struct HeldFile {
    _file: File,
    _folder: TempDir,
}

impl ElementHandle {
    /// Gives open files to a file input.
    pub async fn set_opened_files(&self, files: Vec<OpenedFile>) -> Result<()> {
        let page = self.frame().page()?;
        let browser = page.context().browser()?;
        let folder = browser.process().and_then(BrowserProcess::own_folder);
        let Some(folder) = folder else {
            // A browser that we did not start may have another view of the disk: it gets the name.
            let paths: Vec<_> = files.into_iter().map(|file| file.path).collect();
            return self.set_input_files(&paths).await;
        };
        self.check_files(files.len()).await?;
        let (mut names, mut held) = (Vec::new(), Vec::new());
        for OpenedFile { file, path } in files {
            let failed = |reason: String| Error::File { path: path.display().to_string(), reason };
            let (name, folder) = link(&folder, &file, &path).map_err(|error| failed(error.to_string()))?;
            names.push(
                name.into_os_string()
                    .into_string()
                    .map_err(|_| failed("its name is not Unicode".to_owned()))?,
            );
            held.push(HeldFile { _file: file, _folder: folder });
        }
        page.hold_files(held);
        self.hand_over(names).await
    }
}

/// A link of the same name as the file, which leads to what is open under this number in our process.
#[cfg(target_os = "linux")]
fn link(parent: &Path, file: &File, path: &Path) -> std::io::Result<(PathBuf, TempDir)> {
    use std::os::fd::AsRawFd as _;

    let folder = tempfile::Builder::new().prefix("file-").tempdir_in(parent)?;
    let name = folder.path().join(path.file_name().unwrap_or_default());
    let open = format!("/proc/{}/fd/{}", std::process::id(), file.as_raw_fd());
    std::os::unix::fs::symlink(open, &name)?;
    Ok((name, folder))
}

/// Elsewhere an open file has no name.
#[cfg(not(target_os = "linux"))]
fn link(parent: &Path, mut file: &File, path: &Path) -> std::io::Result<(PathBuf, TempDir)> {
    let folder = tempfile::Builder::new().prefix("file-").tempdir_in(parent)?;
    let name = folder.path().join(path.file_name().unwrap_or_default());
    std::io::copy(&mut file, &mut File::create(&name)?)?;
    Ok((name, folder))
}
