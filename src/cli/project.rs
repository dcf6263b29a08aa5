//! The project folder of a command, and the socket of its server.
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::folders::make_private;

/// The folder for our files in a project.
pub(super) const FOLDER: &str = ".patchright-mcp";

/// A project with the socket of its server.
#[derive(Debug, Clone)]
pub(super) struct Project {
    pub root: PathBuf,
    /// The server's socket.
    pub socket: PathBuf,
}

impl Project {
    /// The project of the working directory.
    pub(super) fn here() -> io::Result<Self> {
        let here = fs::canonicalize(std::env::current_dir()?)?;
        let root = root_of(&here, home().as_deref());
        let place = meeting_place()?;
        // Servers of another version speak another language.
        let name = Sha256::new().chain_update(env!("CARGO_PKG_VERSION"));
        let name = name.chain_update(root.as_os_str().as_encoded_bytes()).finalize();
        let [a, b, c, d, ..] = name.0;
        let name = u32::from_be_bytes([a, b, c, d]);
        Ok(Self { root, socket: place.join(format!("{name:08x}.sock")) })
    }

    /// Locks the start of a server, so that two commands start only one.
    pub(super) fn lock(&self) -> io::Result<File> {
        let place = place_of(&self.socket);
        loop {
            make_private(place)?;
            let lock = match check(place).and_then(|()| File::open(place)) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                opened => opened?,
            };
            lock.lock()?;
            // A server that ended meanwhile may have taken the folder along.
            if fs::metadata(place).is_ok_and(|now| lock.metadata().is_ok_and(|ours| ours.ino() == now.ino()))
            {
                return Ok(lock);
            }
        }
    }

    /// Our folder in the project, with a `.gitignore` of its own.
    pub(super) fn folder(&self) -> io::Result<PathBuf> {
        let folder = self.root.join(FOLDER);
        make_private(&folder).map_err(|error| {
            let shown = folder.display();
            io::Error::other(format!(
                "{shown} cannot be made ({error}); work in a folder that you can write to"
            ))
        })?;
        let ignore = folder.join(".gitignore");
        if !ignore.exists() {
            fs::write(ignore, "*\n")?;
        }
        Ok(folder)
    }
}

/// Removes the socket of a server that exits, and its folder if it is empty.
pub(super) fn leave(socket: &Path) {
    let _ = fs::remove_file(socket);
    let place = place_of(socket);
    // Whoever is about to start a server holds it.
    if let Ok(lock) = File::open(place)
        && lock.try_lock().is_ok()
    {
        let _ = fs::remove_dir(place);
    }
}

fn place_of(socket: &Path) -> &Path {
    socket.parent().unwrap_or(Path::new("/"))
}

/// The nearest parent folder that is a project root, or else the folder itself.
fn root_of(here: &Path, home: Option<&Path>) -> PathBuf {
    let marked = |folder: &&Path| [".git", FOLDER].iter().any(|mark| folder.join(mark).exists());
    let inside = here.ancestors().take_while(|folder| Some(*folder) != home && folder.parent().is_some());
    inside.into_iter().find(marked).unwrap_or(here).to_owned()
}

/// The user's home directory.
pub(super) fn home() -> Option<PathBuf> {
    std::env::home_dir().filter(|home| home.is_absolute())
}

/// A private folder for sockets, with a path short enough for them. It exists while a server runs.
fn meeting_place() -> io::Result<PathBuf> {
    // Not XDG_RUNTIME_DIR: programs started by cron, sudo or an agent's sandbox have another than a shell, or none.
    let place = temporary().join(format!("patchright-mcp-{}", user()));
    if fs::symlink_metadata(&place).is_ok() {
        check(&place)?;
    }
    Ok(place)
}

/// The temporary folder, which is short: socket paths are limited to some hundred characters.
fn temporary() -> PathBuf {
    const MOST: usize = 60;
    let folder = std::env::temp_dir();
    if folder.as_os_str().len() > MOST { PathBuf::from("/tmp") } else { folder }
}

fn user() -> u32 {
    rustix::process::getuid().as_raw()
}

/// Checks the owner of a folder that somebody else could have created before us.
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
