//! Finds the project folder that a command belongs to, and the socket of its background server.
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::folders::{self, make_private};

/// The folder in a project that contains this program's files.
pub(super) const FOLDER: &str = folders::OUTPUT;

/// A project folder, and the socket of its background server.
#[derive(Debug, Clone)]
pub(super) struct Project {
    pub root: PathBuf,
    /// The path of the server's socket, whether or not a server runs.
    pub socket: PathBuf,
}

impl Project {
    /// Returns the project that contains the working directory.
    pub(super) fn here() -> io::Result<Self> {
        let here = fs::canonicalize(std::env::current_dir()?)?;
        let root = root_of(&here, home().as_deref());
        let place = socket_folder()?;
        // The name depends on the version, since each version has its own protocol.
        let name = Sha256::new().chain_update(env!("CARGO_PKG_VERSION"));
        let name = name.chain_update(root.as_os_str().as_encoded_bytes()).finalize();
        let [a, b, c, d, ..] = name.0;
        let name = u32::from_be_bytes([a, b, c, d]);
        Ok(Self { root, socket: place.join(format!("{name:08x}.sock")) })
    }

    /// Locks the socket folder while a server starts, so that two commands do not both start a server.
    pub(super) fn lock(&self) -> io::Result<File> {
        let place = place_of(&self.socket);
        loop {
            make_private(place)?;
            let lock = match check(place).and_then(|()| File::open(place)) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                opened => opened?,
            };
            lock.lock()?;
            // A server that exited meanwhile may have removed the folder, which makes this lock useless.
            if fs::metadata(place).is_ok_and(|now| lock.metadata().is_ok_and(|ours| ours.ino() == now.ino()))
            {
                return Ok(lock);
            }
        }
    }

    /// Creates this program's folder in the project. Returns its path.
    pub(super) fn folder(&self) -> io::Result<PathBuf> {
        let folder = self.root.join(FOLDER);
        make_private(&folder).map_err(|error| {
            let shown = folder.display();
            io::Error::other(format!(
                "{shown} cannot be made ({error}); work in a folder that you can write to"
            ))
        })?;
        Ok(folder)
    }
}

/// Removes the socket of an exiting server, and the socket folder if it is empty.
pub(super) fn leave(socket: &Path) {
    let _ = fs::remove_file(socket);
    let place = place_of(socket);
    // If another command holds the lock to start a server, the folder is kept.
    if let Ok(lock) = File::open(place)
        && lock.try_lock().is_ok()
    {
        let _ = fs::remove_dir(place);
    }
}

fn place_of(socket: &Path) -> &Path {
    socket.parent().unwrap_or(Path::new("/"))
}

/// Returns the nearest folder with a `.git` or [`FOLDER`], from `here` up to below `home`; by default `here`.
fn root_of(here: &Path, home: Option<&Path>) -> PathBuf {
    let marked = |folder: &&Path| [".git", FOLDER].iter().any(|mark| folder.join(mark).exists());
    let inside = here.ancestors().take_while(|folder| Some(*folder) != home && folder.parent().is_some());
    inside.into_iter().find(marked).unwrap_or(here).to_owned()
}

/// Returns the user's home directory.
pub(super) fn home() -> Option<PathBuf> {
    std::env::home_dir().filter(|home| home.is_absolute())
}

/// Returns the path of the user's private socket folder. The folder exists only while servers run.
fn socket_folder() -> io::Result<PathBuf> {
    // Not XDG_RUNTIME_DIR: under cron, sudo or an agent's sandbox, it differs from the shell's or is unset.
    let place = temporary().join(format!("patchright-mcp-{}", user()));
    if fs::symlink_metadata(&place).is_ok() {
        check(&place)?;
    }
    Ok(place)
}

/// Returns the system's temporary folder, or `/tmp` if that path is long: socket paths are limited to about 100 bytes.
fn temporary() -> PathBuf {
    const MOST: usize = 60;
    let folder = std::env::temp_dir();
    if folder.as_os_str().len() > MOST { PathBuf::from("/tmp") } else { folder }
}

fn user() -> u32 {
    rustix::process::getuid().as_raw()
}

/// Returns an error unless only this user can access the folder: another user could have created it first.
fn check(place: &Path) -> io::Result<()> {
    let found = fs::symlink_metadata(place)?;
    if found.is_dir() && found.uid() == user() && found.mode().trailing_zeros() >= 6 {
        return Ok(());
    }
    let shown = place.display();
    Err(io::Error::other(format!("{shown} is not a folder of yours alone; remove it, or set TMPDIR")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_project_is_the_nearest_folder_that_is_marked_as_one() {
        let all = tempfile::tempdir().unwrap();
        let home = all.path();
        let inner = home.join("work/project/src/deep");
        fs::create_dir_all(&inner).unwrap();
        assert_eq!(root_of(&inner, Some(home)), inner);
        fs::create_dir(home.join(".git")).unwrap();
        assert_eq!(root_of(&inner, Some(home)), inner, "a home under version control is no project");
        fs::create_dir(home.join("work/project/.git")).unwrap();
        assert_eq!(root_of(&inner, Some(home)), home.join("work/project"));
    }
}
