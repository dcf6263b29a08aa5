//! File uploads. A file is opened when it is checked, so that it cannot be replaced before the page reads it.
//!
//! The browser accepts only paths, and opens a file when the page reads it. So it receives the path of a
//! symbolic link, in a private folder, to the open file.
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

use parking_lot::Mutex;
use serde::Deserialize;
use tempfile::TempDir;
use tokio::time::timeout;

use super::actionability::ActionOptions;
use super::dropped::DropPayload;
use super::element::ElementHandle;
use crate::browser::objects::hooks::{Extensions, Hooks};
use crate::browser::objects::page::Page;
use crate::browser::objects::world::value_argument;
use crate::browser::program::launch::BrowserProcess;
use crate::cdp::types::dom::SetFileInputFiles;
use crate::error::{ElementKind, Error, Obstacle, RequiredElementKind, Result};

/// The maximum number of files to keep open for one page. The oldest are closed first.
const MOST_HELD: usize = 500;

/// A file that was opened when it was checked.
#[derive(Debug)]
pub struct OpenedFile {
    pub file: File,
    /// The file's real path when it was opened.
    pub path: PathBuf,
}

/// A file that is kept open, since a page may still read it.
#[derive(Debug)]
struct HeldFile {
    _file: File,
    _folder: TempDir,
}

/// The files that are kept open for a page.
#[derive(Debug, Default)]
struct HeldFiles(Mutex<Vec<HeldFile>>);

/// The hooks that keep files open as long as their page exists.
pub(in crate::browser) struct UploadHooks;

impl Hooks for UploadHooks {
    fn extend_page(&self, extensions: &mut Extensions) {
        extensions.add::<HeldFiles>();
    }
}

impl ElementHandle {
    /// Sets the files of a file input. An empty list clears the input. Returns the number of files, including
    /// those in a folder.
    ///
    /// # Errors `not_taken` if the input does not receive the files.
    pub async fn set_input_files(&self, files: &[PathBuf]) -> Result<usize> {
        self.give_files(files, &[]).await
    }

    /// Like [`set_input_files`](Self::set_input_files), with a MIME type for each file.
    pub(in crate::browser) async fn give_files(
        &self,
        files: &[PathBuf],
        types: &[Option<String>],
    ) -> Result<usize> {
        self.check_files(files.len(), files.iter().filter(|file| file.is_dir()).count()).await?;
        let mut paths = Vec::with_capacity(files.len());
        for file in files {
            let to_error = |error: std::io::Error| Error::File {
                path: file.display().to_string(),
                reason: error.to_string(),
            };
            let path = tokio::fs::canonicalize(file).await.map_err(to_error)?;
            paths.push(path.into_os_string().into_string().map_err(|_| Error::File {
                path: file.display().to_string(),
                reason: "its name is not valid Unicode".to_owned(),
            })?);
        }
        if paths.is_empty() {
            return self.ask::<()>("setValue", vec![value_argument(&"")]).await.map(|()| 0);
        }
        if !types.is_empty() {
            self.ask::<()>("retypeNextFiles", vec![value_argument(&types)]).await?;
        }
        self.hand_over(paths).await
    }

    /// Checks that the input accepts this number of files and folders.
    async fn check_files(&self, count: usize, folders: usize) -> Result<()> {
        let input: FileInput = self.ask("fileInput", Vec::new()).await?;
        if let Some(found) = input.wrong {
            return Err(Error::WrongElement { found, needed: RequiredElementKind::FileInput });
        }
        if input.disabled {
            return Err(Error::NotActionable { obstacle: Obstacle::Disabled, waited: Duration::ZERO });
        }
        if count > 1 && !input.multiple && !input.folder {
            let found = ElementKind::new("file-one");
            return Err(Error::WrongElement { found, needed: RequiredElementKind::SeveralFiles });
        }
        if folders > 0 && !input.folder {
            let found = ElementKind::new("input[type=file]");
            return Err(Error::WrongElement { found, needed: RequiredElementKind::Files });
        }
        if input.folder && count > 0 && (count, folders) != (1, 1) {
            let found = ElementKind::new("file-folder");
            return Err(Error::WrongElement { found, needed: RequiredElementKind::Folder });
        }
        Ok(())
    }

    /// Sets the files on this input, or on its replacement. Returns the number of files that have arrived.
    async fn hand_over(&self, paths: Vec<String>) -> Result<usize> {
        if let Some(heir) = self.handle_of("fileHeir", Vec::new()).await? {
            return heir.hand_over_here(paths).await;
        }
        let given = self.hand_over_here(paths.clone()).await;
        // The page may have replaced the input before the files arrived.
        if matches!(given, Err(Error::StaleRef { .. }))
            && let Some(heir) = self.handle_of("fileHeir", Vec::new()).await?
        {
            return heir.hand_over_here(paths).await;
        }
        given
    }

    async fn hand_over_here(&self, paths: Vec<String>) -> Result<usize> {
        let count = paths.len();
        // It is unknown how many files of a folder the browser passes to the page.
        let is_folder = paths.iter().any(|path| Path::new(path).is_dir());
        let least = if is_folder { usize::from(bring_change(&paths)) } else { count };
        self.ask::<()>("noteFiles", Vec::new()).await?;
        self.give_paths(paths).await?;
        if self.frame().page()?.dialog().is_some() {
            return Ok(count);
        }
        match self.ask::<Option<usize>>("filesArrived", Vec::new()).await {
            Ok(None) => Err(self.stale()),
            Ok(Some(arrived)) if arrived < least => Err(Error::NotTaken { shows: String::new() }),
            Ok(Some(arrived)) => Ok(arrived),
            // The page has navigated, so it received the files.
            Err(_) => Ok(count),
        }
    }

    async fn give_paths(&self, paths: Vec<String>) -> Result<()> {
        let control = self.control().await?;
        let brings_change = bring_change(&paths);
        let set = SetFileInputFiles {
            files: paths,
            object_id: Some(control.handle().id().to_owned()),
            ..SetFileInputFiles::default()
        };
        let set = control.handle().session().call(set);
        if !brings_change {
            return set.await.map(drop);
        }
        // The browser answers before it has read the folder.
        let changed = timeout(FOLDER_LIMIT, self.ask::<()>("whenFilesChange", Vec::new()));
        let (changed, set) = tokio::join!(changed, set);
        set?;
        changed.unwrap_or(Ok(()))
    }

    /// Sets open files on a file input. Returns the number of files that have arrived.
    pub async fn set_opened_files(&self, files: Vec<OpenedFile>) -> Result<usize> {
        let page = self.frame().page()?;
        if scratch_folder(&page)?.is_none() {
            // A browser that we did not start may not see our links, so it receives the real paths.
            let paths: Vec<_> = files.into_iter().map(|file| file.path).collect();
            return self.set_input_files(&paths).await;
        }
        self.check_files(files.len(), files.iter().filter(|file| file.path.is_dir()).count()).await?;
        self.hand_over(page.names_of(files)?).await
    }

    /// Drops open files, and texts by MIME type, as if they came from another program.
    pub async fn drop_files_on_element(
        &self,
        files: Vec<OpenedFile>,
        texts: Vec<(String, String)>,
        options: &ActionOptions,
    ) -> Result<()> {
        let names = self.frame().page()?.names_of(files)?;
        let dropped = DropPayload::new(names.into_iter().map(PathBuf::from).collect(), texts);
        self.drop_payload(&dropped, options).await
    }
}

/// How long the browser may take to read a folder.
const FOLDER_LIMIT: Duration = Duration::from_secs(10);

fn bring_change(paths: &[String]) -> bool {
    paths.iter().any(|path| is_folder_with_files(Path::new(path)))
}

fn is_folder_with_files(path: &Path) -> bool {
    let inside = std::fs::read_dir(path).into_iter().flatten().flatten();
    inside
        .filter_map(|entry| Some((entry.file_type().ok()?, entry.path())))
        .any(|(kind, path)| kind.is_file() || (kind.is_dir() && is_folder_with_files(&path)))
}

#[derive(Debug, Deserialize)]
struct FileInput {
    wrong: Option<ElementKind>,
    #[serde(default)]
    disabled: bool,
    #[serde(default)]
    multiple: bool,
    #[serde(default)]
    folder: bool,
}

/// Returns the folder for links to open files; `None` for a browser that we did not start.
fn scratch_folder(page: &Page) -> Result<Option<PathBuf>> {
    Ok(page.context().browser()?.process().and_then(BrowserProcess::scratch_folder))
}

impl Page {
    /// Returns paths under which the browser finds these files as long as the page exists.
    fn names_of(&self, files: Vec<OpenedFile>) -> Result<Vec<String>> {
        let Some(folder) = scratch_folder(self)? else {
            return Ok(files.into_iter().map(|file| file.path.display().to_string()).collect());
        };
        let (mut names, mut held) = (Vec::new(), Vec::new());
        for OpenedFile { file, path } in files {
            // Browsers follow no links when they read a folder, so a folder is passed by its real path.
            if path.is_dir() {
                names.push(path.display().to_string());
                continue;
            }
            let failed = |reason: String| Error::File { path: path.display().to_string(), reason };
            let (name, folder) = link(&folder, &file, &path).map_err(|error| failed(error.to_string()))?;
            names.push(
                name.into_os_string()
                    .into_string()
                    .map_err(|_| failed("its name is not Unicode".to_owned()))?,
            );
            held.push(HeldFile { _file: file, _folder: folder });
        }
        let mut all = self.extension::<HeldFiles>().0.lock();
        all.extend(held);
        let old = all.len().saturating_sub(MOST_HELD);
        all.drain(..old);
        drop(all);
        Ok(names)
    }
}

/// Creates a symbolic link, with the name of the file, to our open file descriptor.
#[cfg(target_os = "linux")]
fn link(parent: &Path, file: &File, path: &Path) -> std::io::Result<(PathBuf, TempDir)> {
    use std::os::fd::AsRawFd as _;

    let folder = tempfile::Builder::new().prefix("file-").tempdir_in(parent)?;
    let name = folder.path().join(path.file_name().unwrap_or_default());
    let open = format!("/proc/{}/fd/{}", std::process::id(), file.as_raw_fd());
    std::os::unix::fs::symlink(open, &name)?;
    Ok((name, folder))
}

/// Creates a copy of the file: except on Linux, an open file descriptor has no path.
#[cfg(not(target_os = "linux"))]
fn link(parent: &Path, mut file: &File, path: &Path) -> std::io::Result<(PathBuf, TempDir)> {
    let folder = tempfile::Builder::new().prefix("file-").tempdir_in(parent)?;
    let name = folder.path().join(path.file_name().unwrap_or_default());
    std::io::copy(&mut file, &mut File::create(&name)?)?;
    Ok((name, folder))
}
