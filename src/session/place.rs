//! The destination of a file to write. Its folder stays open from check to write, so nobody can redirect it.
use std::collections::BTreeSet;
use std::fs::{File, Metadata};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use parking_lot::Mutex;

use crate::browser::StorageState;
use crate::error::{Error, Result};
use crate::secrets::Secrets;

/// The largest existing storage state, in bytes, that is read to decide whether it may be replaced.
const LARGEST_KNOWN: u64 = 64 << 20;

/// A file to be written: a file name in an open folder.
#[derive(Debug)]
pub struct WriteTarget {
    folder: File,
    /// The real path of the file when the folder was checked.
    real: PathBuf,
}

/// The kind of a file's content. A file replaces only files of the same kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContentKind {
    /// PNG, JPEG or WebP.
    Picture,
    /// PDF.
    Pdf,
    /// A video (`.webm`).
    Video,
    /// A storage state of this program or of Playwright, as JSON.
    StorageState,
    /// Text of any format. It replaces only files that this program wrote: nothing else identifies them.
    Text,
}

/// The text files that this program has written. A file that somebody else replaces has another identity.
static WRITTEN: Mutex<BTreeSet<Identity>> = Mutex::new(BTreeSet::new());

/// The identity of a file on disk: device, inode (without Unix: 0 and size) and modification time.
type Identity = (u64, u64, Option<SystemTime>);

#[cfg(unix)]
fn identity(known: &Metadata) -> Identity {
    use std::os::unix::fs::MetadataExt as _;
    (known.dev(), known.ino(), known.modified().ok())
}

#[cfg(not(unix))]
fn identity(known: &Metadata) -> Identity {
    (0, known.len(), known.modified().ok())
}

impl WriteTarget {
    /// Opens `folder`, a real path. Fails if a symbolic link has appeared in that path since the check.
    pub(super) fn open(folder: &Path, name: &Path) -> io::Result<Self> {
        Ok(Self { folder: open_strictly(folder, true)?, real: folder.join(name) })
    }

    /// Returns the real path of the file.
    pub fn path(&self) -> &Path {
        &self.real
    }

    /// Writes the file, readable only by its owner and with secrets redacted. Atomically replaces an existing
    /// file.
    ///
    /// # Errors `file` if a file of another kind exists.
    pub fn write(&self, mut bytes: Vec<u8>, kind: ContentKind, secrets: &Secrets) -> Result<()> {
        if matches!(kind, ContentKind::Text | ContentKind::StorageState) {
            secrets.redact_file_content(&mut bytes);
        }
        let failed = |reason: String| Error::File { path: self.real.display().to_string(), reason };
        self.check(kind).map_err(|reason| failed(reason.to_owned()))?;
        let written = || -> io::Result<()> {
            // `tempfile` creates the file with mode 0600.
            let mut fresh = tempfile::NamedTempFile::new_in(self.way_to(Path::new("")))?;
            fresh.write_all(&bytes)?;
            let file = fresh.persist(self.way_to(self.name())).map_err(|error| error.error)?;
            if kind == ContentKind::Text {
                WRITTEN.lock().extend(file.metadata().ok().as_ref().map(identity));
            }
            Ok(())
        };
        written().map_err(|error| failed(error.to_string()))
    }

    fn name(&self) -> &Path {
        self.real.file_name().map_or(Path::new(""), Path::new)
    }

    /// Returns a path through the open folder, which stays valid if the folder is renamed.
    fn way_to(&self, name: &Path) -> PathBuf {
        #[cfg(target_os = "linux")]
        {
            use std::os::fd::AsRawFd as _;
            Path::new("/proc/self/fd").join(self.folder.as_raw_fd().to_string()).join(name)
        }
        #[cfg(not(target_os = "linux"))]
        {
            let _ = &self.folder;
            self.real.with_file_name(name)
        }
    }

    /// Whether the file may be written: none exists, or an existing one is empty or of the same kind.
    fn check(&self, kind: ContentKind) -> Result<(), &'static str> {
        let other = "something else has that name, which is not replaced; choose another";
        let file = match open_no_link(&self.way_to(self.name())) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(_) => return Err(other),
            Ok(file) => file,
        };
        let Some(metadata) = file.metadata().ok().filter(Metadata::is_file) else { return Err(other) };
        if kind == ContentKind::Text {
            let ours = WRITTEN.lock().contains(&identity(&metadata));
            return if ours || metadata.len() == 0 { Ok(()) } else { Err(other) };
        }
        let mut known = Vec::new();
        let read = file.take(kind.needed()).read_to_end(&mut known);
        if read.is_ok() && (known.is_empty() || kind.is_of(&known)) { Ok(()) } else { Err(other) }
    }
}

impl ContentKind {
    /// The number of bytes at the start of a file that identify its kind.
    fn needed(self) -> u64 {
        match self {
            Self::Picture | Self::Pdf | Self::Video => 16,
            Self::StorageState => LARGEST_KNOWN,
            Self::Text => 0,
        }
    }

    fn is_of(self, known: &[u8]) -> bool {
        match self {
            Self::Text => false,
            Self::Pdf => known.starts_with(b"%PDF-"),
            Self::Video => known.starts_with(b"\x1a\x45\xdf\xa3"),
            Self::Picture => {
                known.starts_with(b"\x89PNG\r\n\x1a\n")
                    || known.starts_with(b"\xff\xd8\xff")
                    || (known.starts_with(b"RIFF") && known.get(8..12) == Some(b"WEBP"))
            }
            // Without either key, any JSON object would pass as a storage state.
            Self::StorageState => std::str::from_utf8(known).is_ok_and(|text| {
                (text.contains("\"cookies\"") || text.contains("\"origins\""))
                    && StorageState::parse(text).is_ok()
            }),
        }
    }
}

/// Opens a real path for reading. Fails if a symbolic link has appeared in the path since the check.
pub(super) fn open_strictly(real: &Path, is_folder: bool) -> io::Result<File> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat2};
        use rustix::io::Errno;

        let kind = if is_folder { OFlags::DIRECTORY } else { OFlags::NONBLOCK };
        let strict = ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
        match openat2(CWD, real, OFlags::RDONLY | OFlags::CLOEXEC | kind, Mode::empty(), strict) {
            // An old kernel without `openat2`, or a sandbox that denies it: falls back to the checks below.
            Err(Errno::NOSYS | Errno::PERM) => {}
            opened => return Ok(opened?.into()),
        }
    }
    let _ = is_folder;
    let opened = open_no_link(real)?;
    let link = || io::Error::other("a link is in the way");
    if is_named(&opened, real) { Ok(opened) } else { Err(link()) }
}

#[cfg(unix)]
fn open_no_link(path: &Path) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags, open};

    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOFOLLOW;
    Ok(open(path, flags, Mode::empty())?.into())
}

#[cfg(not(unix))]
fn open_no_link(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// Whether the path, without following symbolic links, still names the opened file.
#[cfg(unix)]
fn is_named(opened: &File, real: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;

    let same = || {
        let (ours, named) = (opened.metadata()?, std::fs::symlink_metadata(real)?);
        Ok::<_, io::Error>((ours.dev(), ours.ino()) == (named.dev(), named.ino()))
    };
    std::fs::canonicalize(real).is_ok_and(|now| now == real) && same().unwrap_or(false)
}

#[cfg(not(unix))]
fn is_named(_opened: &File, real: &Path) -> bool {
    std::fs::canonicalize(real).is_ok_and(|now| now == real)
}
