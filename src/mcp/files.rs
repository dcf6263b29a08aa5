//! Writes the files of tools: with safe names, and only in allowed folders.
use std::path::{Component, Path, PathBuf};

use crate::Result;
use crate::browser::iso_timestamp;
use crate::error::Error;
use crate::folders::make_private;
use crate::secrets::Secrets;
use crate::session::{ContentKind, Roots, WriteTarget};
use crate::sync::unix_time;

/// A file that a tool has written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenFile {
    /// The path for display, relative to the server's working directory.
    pub shown: String,
    /// The absolute path of the file.
    pub path: PathBuf,
}

/// Returns a file name with a time stamp, such as `page-2026-11-22T08-15-30-123Z`.
pub fn timestamped_name(what: &str) -> String {
    format!("{what}-{}", iso_timestamp(unix_time()).replace([':', '.'], "-"))
}

/// Checks a file name that a model chose: it must name a visible file directly in the folder.
pub fn check_file_name(name: &str) -> Result<String> {
    let refused = |reason: &str| Error::File { path: "the name".to_owned(), reason: reason.to_owned() };
    let mut parts = Path::new(name).components();
    let (Some(Component::Normal(_)), None) = (parts.next(), parts.next()) else {
        return Err(refused("it names no file"));
    };
    if name.contains(['/', '\\', ':']) || name.chars().any(char::is_control) || name.starts_with('.') {
        return Err(refused("it has characters that a file name should not have"));
    }
    if name.len() > 200 {
        return Err(refused("it is too long"));
    }
    Ok(name.to_owned())
}

/// The destination of a file: a name in the tool's own folder, or a path below an allowed folder.
#[derive(Debug, Clone)]
pub struct Destination {
    /// The tool's own folder, which is created on demand.
    folder: PathBuf,
    name: String,
    /// The path that the model chose and the allowed folders; `None` if it chose only a name.
    path: Option<(String, Roots)>,
}

impl Destination {
    /// Whether the model chose a path rather than a file name.
    pub fn is_path(chosen: Option<&str>) -> bool {
        chosen.is_some_and(|chosen| chosen.contains('/'))
    }

    /// Parses the name or path from a model. Default: a name with a time stamp. A path must be below `roots`.
    pub fn parse(chosen: Option<&str>, folder: &Path, roots: Option<Roots>) -> Result<Self> {
        let folder = folder.to_owned();
        Ok(match chosen {
            None => Self { folder, name: timestamped_name("page"), path: None },
            Some(path) => {
                let name = check_file_name(path.rsplit('/').next().unwrap_or_default())?;
                Self { folder, name, path: roots.map(|roots| (path.to_owned(), roots)) }
            }
        })
    }

    /// The file name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Appends an extension, such as `.png`, to the file name.
    pub fn append_extension(&mut self, ending: &str) {
        self.name.push_str(ending);
        if let Some((path, _)) = &mut self.path {
            path.push_str(ending);
        }
    }

    /// Checks that the file may be written, before the work that produces its content.
    ///
    /// # Errors `file` if the destination is outside the allowed folders.
    pub async fn resolve(&self) -> Result<WriteTarget> {
        let destination = self.clone();
        let finding = tokio::task::spawn_blocking(move || destination.place_now());
        finding.await.unwrap_or(Err(Error::Broken))
    }

    fn place_now(&self) -> Result<WriteTarget> {
        if let Some((path, roots)) = &self.path {
            return roots.write_target(path);
        }
        let shown = display_path(&self.folder);
        let failed = |error: std::io::Error| Error::File { path: shown.clone(), reason: error.to_string() };
        make_private(&self.folder).map_err(failed)?;
        Roots::with_base(self.folder.clone(), []).write_target(&self.name)
    }
}

/// Creates the folder that a model chose for the files of a tool: a name in the folder `output`, or a path in the
/// folders `allowed`.
///
/// # Errors `file` if it is outside the allowed folders.
pub async fn create_output_folder(chosen: &str, output: PathBuf, allowed: Option<Roots>) -> Result<PathBuf> {
    let chosen = chosen.trim_end_matches('/').to_owned();
    let placing = tokio::task::spawn_blocking(move || {
        let failed = |error: std::io::Error| Error::File { path: chosen.clone(), reason: error.to_string() };
        let roots = match allowed {
            Some(roots) => roots,
            None => {
                check_file_name(&chosen)?;
                make_private(&output).map_err(failed)?;
                Roots::with_base(output, [])
            }
        };
        make_private(roots.write_target(&chosen)?.path()).map_err(failed)?;
        // The folder may be a link to another: what is written in it must be allowed, too.
        let inside = roots.write_target(&format!("{chosen}/index.jsonl"))?;
        Ok(inside.path().parent().unwrap_or(inside.path()).to_owned())
    });
    placing.await.unwrap_or(Err(Error::Broken))
}

/// Writes bytes to a file of this kind, with secrets redacted from text.
pub async fn write(
    place: WriteTarget,
    bytes: Vec<u8>,
    kind: ContentKind,
    secrets: &Secrets,
) -> Result<WrittenFile> {
    let secrets = secrets.clone();
    let writing = tokio::task::spawn_blocking(move || {
        place.write(bytes, kind, &secrets)?;
        Ok(WrittenFile { shown: display_path(place.path()), path: place.path().to_owned() })
    });
    writing.await.unwrap_or(Err(Error::Broken))
}

/// Returns a path for display: relative to the working directory if the file is below it.
pub fn display_path(path: &Path) -> String {
    // If the working directory is the root, paths stay absolute: without a leading slash they look wrong.
    let here = std::env::current_dir().ok().filter(|here| here.parent().is_some());
    let below = here.and_then(|here| path.strip_prefix(here).ok());
    below.unwrap_or(path).display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_lead_elsewhere_are_refused() {
        for name in ["a.png", "a b.png", "ä.png", "..png.x"] {
            assert_eq!(check_file_name(name).is_ok(), !name.starts_with('.'), "{name}");
        }
        for name in
            ["", ".", "..", "../a.png", "/a.png", "a/b.png", "a\\b.png", "C:a.png", "a\nb", "\0", ".bashrc"]
        {
            assert_eq!(check_file_name(name).unwrap_err().code(), "file", "{name:?}");
        }
        assert!(check_file_name(&"x".repeat(201)).is_err());
    }
}
