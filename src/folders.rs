//! Folders that nobody else on the machine may look into.
use std::io;
use std::path::{Path, PathBuf};

/// Makes a folder that only we can look into, with those above it. One that is there stays as it is.
pub(crate) fn make_private(folder: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(folder)
}

/// Whether files can be written to a folder, which need not be there yet.
pub(crate) fn is_writable(folder: &Path) -> bool {
    let is_there = |folder: &&Path| folder.is_dir();
    let nearest = folder.ancestors().find(is_there).filter(|found| !found.as_os_str().is_empty());
    tempfile::tempfile_in(nearest.unwrap_or(Path::new("."))).is_ok()
}

/// A folder of the user's own for files that have no place where we were started: as XDG says, or else a new temporary one.
pub(crate) fn of_user() -> io::Result<PathBuf> {
    let absolute = |folder: &PathBuf| folder.is_absolute();
    let state_home = std::env::var_os("XDG_STATE_HOME").map(PathBuf::from).filter(absolute);
    let usual = || Some(std::env::home_dir().filter(absolute)?.join(".local/state"));
    let folder = state_home.or_else(usual).map(|state| state.join("patchright-mcp"));
    if let Some(folder) = folder
        && make_private(&folder).is_ok()
        && is_writable(&folder)
    {
        return Ok(folder);
    }
    Ok(tempfile::Builder::new().prefix("patchright-mcp-").tempdir()?.keep())
}
