//! Private folders, and a fallback folder if the working directory is not writable.
use std::io;
use std::path::{Path, PathBuf};

/// Creates a folder and its missing parents, readable only by this user. Existing folders keep their permissions.
pub(crate) fn make_private(folder: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(folder)
}

/// Returns whether files can be written to a folder, which need not exist yet.
pub(crate) fn is_writable(folder: &Path) -> bool {
    let is_there = |folder: &&Path| folder.is_dir();
    let nearest = folder.ancestors().find(is_there).filter(|found| !found.as_os_str().is_empty());
    tempfile::tempfile_in(nearest.unwrap_or(Path::new("."))).is_ok()
}

/// Returns a folder for output if the working directory is not writable: `patchright-mcp` in the XDG state
/// folder, or else a new temporary folder.
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
