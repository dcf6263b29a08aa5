//! Folders that nobody else on the machine may look into.
use std::io;
use std::path::Path;

/// Makes a folder that only we can look into, with those above it. One that is there stays as it is.
pub(crate) fn make_private(folder: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(folder)
}
