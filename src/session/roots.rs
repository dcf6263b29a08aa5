//! Restricts which files a caller may read or write: only those really inside one of a few folders.
use std::fs;
use std::io::{self, Read as _};
use std::path::{Component, Path, PathBuf};

use url::Url;

use super::place::{WriteTarget, open_strictly};
use crate::browser::{FileUrlPolicy, OpenedFile};
use crate::error::{Error, Result};

/// The folders in which a caller may use files. Paths are compared with symbolic links and `..` resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Roots {
    folders: Vec<PathBuf>,
    /// The folder from which relative paths start.
    base: PathBuf,
}

impl Default for Roots {
    /// Allows only the working directory.
    fn default() -> Self {
        Self::new([])
    }
}

impl Roots {
    /// Allows the working directory and `folders`. Ignores a disk's root, which would allow everything.
    pub fn new(folders: impl IntoIterator<Item = PathBuf>) -> Self {
        Self::with_base(std::env::current_dir().unwrap_or_default(), folders)
    }

    /// Allows only `base` and `more`, not the working directory. Relative paths start from `base`.
    pub fn with_base(base: PathBuf, more: impl IntoIterator<Item = PathBuf>) -> Self {
        let base = std::path::absolute(&base).unwrap_or(base);
        let all = more.into_iter().chain([base.clone()]);
        // A folder that does not exist yet cannot be resolved, so its absolute path is used.
        let real =
            all.filter_map(|folder| fs::canonicalize(&folder).or_else(|_| std::path::absolute(&folder)).ok());
        Self { folders: real.filter(|folder| folder.parent().is_some()).collect(), base }
    }

    /// Allows `more` in addition to these folders.
    #[must_use]
    pub fn with_folders(&self, more: impl IntoIterator<Item = PathBuf>) -> Self {
        let more = Self::with_base(self.base.clone(), more);
        let mut folders = self.folders.clone();
        folders.extend(more.folders.into_iter().filter(|folder| !self.folders.contains(folder)));
        Self { folders, base: self.base.clone() }
    }

    /// Returns the `file:` URL of a readable file, with symbolic links resolved.
    pub fn resolve_url(&self, url: &Url) -> Result<Url> {
        // The URL is not repeated in the error: it may come from untrusted text.
        let refused = |reason: &str| Error::UrlRefused { reason: reason.to_owned() };
        let path = url.to_file_path().map_err(|()| refused("it names no file of this machine"))?;
        let path = path.to_str().ok_or_else(|| refused("its name cannot be read"))?;
        let real = self.resolve_readable(path).map_err(|error| match error {
            Error::File { reason, .. } => Error::UrlRefused { reason },
            other => other,
        })?;
        let mut real = Url::from_file_path(real).map_err(|()| refused("its name cannot be read"))?;
        real.set_query(url.query());
        real.set_fragment(url.fragment());
        Ok(real)
    }

    /// Returns a policy by which pages may load the files that the caller may read.
    pub fn to_local_files(&self) -> FileUrlPolicy {
        let roots = self.clone();
        FileUrlPolicy::new(move |url| roots.resolve_url(url).is_ok())
    }

    /// Returns the real path of a file that the caller may read: a regular file inside the folders.
    pub fn resolve_readable(&self, path: &str) -> Result<PathBuf> {
        self.open(path).map(|opened| opened.path)
    }

    /// Opens a file or folder for an upload. Links in a folder must not lead outside the allowed folders.
    pub fn open_upload(&self, path: &str) -> Result<OpenedFile> {
        let folder =
            fs::canonicalize(self.absolute(path)?).ok().filter(|real| self.holds(real) && real.is_dir());
        let Some(real) = folder else { return self.open(path) };
        let failed = |error: io::Error| refused(path, &plain(&error));
        let file = open_strictly(&real, true).map_err(failed)?;
        if self.leads_out(&real).map_err(failed)? {
            return Err(refused(path, "a link in it leads out of the folders that may be used"));
        }
        Ok(OpenedFile { path: real, file })
    }

    /// Whether a folder contains a symbolic link that leads outside the allowed folders.
    fn leads_out(&self, folder: &Path) -> io::Result<bool> {
        for entry in fs::read_dir(folder)? {
            let (path, kind) = entry.and_then(|entry| Ok((entry.path(), entry.file_type()?)))?;
            let is_out = if kind.is_symlink() {
                !fs::canonicalize(&path).is_ok_and(|real| self.holds(&real))
            } else {
                kind.is_dir() && self.leads_out(&path)?
            };
            if is_out {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Opens a file that the caller may read. Opens exactly the checked file, even if links change meanwhile.
    pub fn open(&self, path: &str) -> Result<OpenedFile> {
        // Errors must not reveal whether a file outside the folders exists, nor where a link leads.
        let whole = self.absolute(path)?;
        let nothing = || refused(path, &self.why_not(&whole, "file"));
        let real = fs::canonicalize(&whole).map_err(|_| nothing())?;
        if !self.holds(&real) {
            return Err(nothing());
        }
        let failed = |error: io::Error| refused(path, &plain(&error));
        let file = open_strictly(&real, false).map_err(failed)?;
        if !file.metadata().map_err(failed)?.is_file() {
            return Err(refused(path, "it is not a file"));
        }
        Ok(OpenedFile { path: real, file })
    }

    /// Reads a text file of at most `longest` bytes.
    pub fn read(&self, path: &str, longest: u64) -> Result<String> {
        let mut text = String::new();
        let read = self.open(path)?.file.take(longest + 1).read_to_string(&mut text);
        read.map_err(|error| refused(path, &plain(&error)))?;
        if text.len() as u64 > longest { Err(refused(path, "it is too large")) } else { Ok(text) }
    }

    /// Returns the destination for a file to write: an existing folder inside the allowed ones, without
    /// symbolic links. Refuses hidden files, since other programs read their settings there.
    pub fn write_target(&self, path: &str) -> Result<WriteTarget> {
        let whole = self.absolute(path)?;
        let ends_as_folder = path.ends_with(['/', '\\', '.', ' ']);
        let name = whole.file_name().filter(|_| !ends_as_folder);
        let name = name.ok_or_else(|| refused(path, "it names no file"))?;
        if name.len() > 255 {
            return Err(refused(path, "its name is too long"));
        }
        let parent = whole.parent().unwrap_or(Path::new("/"));
        let nothing = || refused(path, &self.why_not(parent, "folder"));
        let folder = fs::canonicalize(parent).map_err(|_| nothing())?;
        if !self.holds(&folder) {
            return Err(nothing());
        }
        let real = folder.join(name);
        let inner = self.folders.iter().filter_map(|root| real.strip_prefix(root).ok());
        if !inner.into_iter().any(|inner| inner.components().all(|part| !is_hidden(part))) {
            return Err(refused(path, "hidden files, and files in hidden folders, cannot be written"));
        }
        WriteTarget::open(&folder, Path::new(name)).map_err(|error| refused(path, &plain(&error)))
    }

    fn absolute(&self, path: &str) -> Result<PathBuf> {
        if path.is_empty() || path.contains('\0') {
            return Err(refused(&path.replace('\0', "␀"), "it is not a path"));
        }
        // Only a shell expands `~` to the home folder; here it would be a folder named `~`.
        if path.starts_with('~') {
            return Err(refused(path, "write the whole path instead of ~"));
        }
        let path_here = Path::new(path);
        if path_here.components().any(|part| part == Component::ParentDir) {
            return Err(refused(path, "it must not contain .."));
        }
        Ok(self.base.join(path_here))
    }

    fn holds(&self, real: &Path) -> bool {
        self.folders.iter().any(|folder| real.starts_with(folder))
    }

    /// Explains why a file is not available. Reveals whether it exists only if its path certainly is inside
    /// the folders and has no symbolic links.
    fn why_not(&self, whole: &Path, what: &str) -> String {
        let folders: Vec<_> = self.folders.iter().map(|folder| folder.display().to_string()).collect();
        let outside = format!("outside the folders that may be used: {}", folders.join(", "));
        let base = fs::canonicalize(&self.base).unwrap_or_else(|_| self.base.clone());
        let whole = whole.strip_prefix(&self.base).map_or_else(|_| whole.to_owned(), |rest| base.join(rest));
        let Some(folder) = self.folders.iter().find(|folder| whole.starts_with(folder)) else {
            return format!("it is {outside}");
        };
        let is_link = |part: &&Path| fs::symlink_metadata(part).is_ok_and(|found| found.is_symlink());
        let inside = whole.ancestors().take_while(|part| *part != folder.as_path()).collect::<Vec<_>>();
        // Checks from the outermost folder inwards and stops at the first link, so nothing behind a link is examined.
        match inside.iter().rev().any(is_link) {
            true => format!("there is no such {what}, or a link leads to what is {outside}"),
            false => format!("there is no such {what}"),
        }
    }
}

fn is_hidden(part: Component<'_>) -> bool {
    part.as_os_str().as_encoded_bytes().starts_with(b".")
}

fn refused(path: &str, reason: &str) -> Error {
    let shown: String = path.chars().filter(|c| !c.is_control()).take(200).collect();
    Error::File { path: shown, reason: reason.to_owned() }
}

fn plain(error: &io::Error) -> String {
    if is_link(error) {
        return "a link is in the way".to_owned();
    }
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such file or folder".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        io::ErrorKind::InvalidData => "it is not text".to_owned(),
        _ => error.to_string(),
    }
}

/// Whether the error means that the path is a symbolic link. `ErrorKind` has no stable name for this yet.
#[cfg(unix)]
fn is_link(error: &io::Error) -> bool {
    error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error())
}

#[cfg(not(unix))]
fn is_link(_error: &io::Error) -> bool {
    false
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::secrets::Secrets;
    use crate::session::ContentKind;

    /// Each attack on a folder next to a secret is refused and changes nothing.
    #[test]
    fn nothing_outside_is_read_or_written() {
        let all = tempfile::tempdir().unwrap();
        let (inside, outside) = (all.path().join("in"), all.path().join("out"));
        fs::create_dir_all(inside.join("sub")).unwrap();
        fs::create_dir(&outside).unwrap();
        fs::write(outside.join("secret"), "secret").unwrap();
        fs::write(inside.join("good"), "good").unwrap();
        symlink(outside.join("secret"), inside.join("link")).unwrap();
        symlink(&outside, inside.join("door")).unwrap();
        symlink(outside.join("new"), inside.join("dangling")).unwrap();
        rustix::fs::mknodat(
            rustix::fs::CWD,
            inside.join("fifo"),
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::from_raw_mode(0o600),
            0,
        )
        .unwrap();
        let roots = Roots { folders: vec![fs::canonicalize(&inside).unwrap()], base: inside.clone() };
        let secret = outside.join("secret").display().to_string();
        let beside = format!("{}-more", inside.display());
        fs::create_dir(&beside).unwrap();
        let long = "n".repeat(300);
        for path in [
            "../out/secret",
            "sub/../../out/secret",
            &secret,
            "link",
            "door/secret",
            "~/secret",
            "good\0",
            "",
            "/etc/passwd",
            "/proc/self/environ",
            "/dev/zero",
            "fifo",
            "sub",
            ".",
            "..",
            "missing",
            &long,
        ] {
            assert!(roots.read(path, 100).is_err(), "read {path:?}");
        }
        for path in [
            "../out/new",
            "door/new",
            "link",
            "dangling",
            "sub/",
            "sub/.",
            "..",
            "/new-file",
            "/tmp/x\0y",
            "",
            "~/x",
            &long,
            "no/such/folder",
            "sub",
            "fifo",
            &format!("{beside}/new"),
            "sub/../../out/new",
            "name.",
            "name ",
        ] {
            let written = roots.write_target(path).and_then(|place| {
                place.write(b"{}".to_vec(), ContentKind::StorageState, &Secrets::default())
            });
            assert!(written.is_err(), "write {path:?}");
        }
        assert_eq!(roots.read("good", 100).unwrap(), "good");
        assert!(roots.read("good", 3).is_err());
        assert!(roots.write_target("sub/new.json").unwrap().path().ends_with("in/sub/new.json"));
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 1);
        assert_eq!(fs::read_to_string(outside.join("secret")).unwrap(), "secret");
    }

    #[test]
    fn a_link_that_appears_after_the_check_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("secret"), "secret").unwrap();
        let link = folder.path().join("swapped");
        symlink(folder.path().join("secret"), &link).unwrap();
        assert!(is_link(&open_strictly(&link, false).unwrap_err()));
    }

    #[test]
    fn the_root_of_the_disk_is_no_limit_and_so_not_a_folder() {
        assert!(!Roots::new([PathBuf::from("/")]).folders.contains(&PathBuf::from("/")));
    }
}
