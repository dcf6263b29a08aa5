//! Private folders, and a fallback folder if the working directory is not writable.
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// The default folders for output, in the working directory.
pub(crate) const OUTPUT: &str = ".patchright-mcp";
pub(crate) const SCREENSHOTS: &str = ".viewpoint-mcp-screenshots";

/// Creates a folder and its missing parents, readable only by this user. Existing folders keep their permissions.
/// A default folder for output gets a `.gitignore`.
pub(crate) fn make_private(folder: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(folder)?;
    hide_from_git(folder);
    Ok(())
}

/// Keeps the files of a default folder for output, or of a folder in it, out of the user's repository.
pub(crate) fn hide_from_git(folder: &Path) {
    let is_default = |part: &&Path| [OUTPUT, SCREENSHOTS].iter().any(|name| part.ends_with(name));
    if let Some(folder) = folder.ancestors().find(is_default) {
        let mut create = std::fs::OpenOptions::new();
        create.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut create, 0o600);
        // It is not worth an error if there is a file already, or none can be written.
        let _ = create.open(folder.join(".gitignore")).and_then(|mut file| file.write_all(b"*\n"));
    }
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
