//! Suppresses native windows of the browser that would cover a page and block its input.
use std::ffi::OsString;
use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::Path;

use tokio::process::Command;

use super::LaunchOptions;
use super::profile::Folder;

/// The program that Chromium asks whether it is the default application for a URL scheme.
const DESKTOP: &str = "xdg-settings";
const ANSWER: &str = "#!/bin/sh\n[ \"$1 $2\" = 'check default-url-scheme-handler' ] && echo yes\n";
const USUAL_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// Preferences that disable screen sharing (the page sees a cancelled picker) and the print preview, which
/// would block the page until it is closed.
const PREFERENCES: &str = r#"{"hardware":{"screen_capture_enabled":false},"printing":{"enabled":false}}"#;

/// Disables the screen-sharing picker and the print preview in a temporary profile, and the prompt for external
/// programs in every profile. Returns whether links to external programs are blocked without a prompt.
pub(super) fn suppress_native_windows(
    command: &mut Command,
    options: &LaunchOptions,
    folder: &Folder,
) -> bool {
    if options.user_data_dir.is_none()
        && let Err(error) = write_preferences(&folder.profile().join("Default"))
    {
        tracing::debug!(%error, "the browser will ask what to share or to print");
    }
    refuse_programs(command, &options.environment, &folder.scratch())
}

fn write_preferences(profile: &Path) -> io::Result<()> {
    DirBuilder::new().mode(0o700).create(profile)?;
    fs::write(profile.join("Preferences"), PREFERENCES)
}

/// Makes Chromium believe that it is the default program for every URL scheme, so that it blocks links to external
/// programs without a prompt. Returns false if that is not possible.
fn refuse_programs(command: &mut Command, environment: &[(String, String)], scratch: &Path) -> bool {
    if !cfg!(target_os = "linux") {
        return false;
    }
    let given = environment.iter().rev().find(|(name, _)| name == "PATH").map(|(_, value)| value.into());
    let path: OsString =
        given.or_else(|| std::env::var_os("PATH")).unwrap_or_else(|| OsString::from(USUAL_PATH));
    let folder = scratch.join("bin");
    let folders = std::iter::once(folder.clone()).chain(std::env::split_paths(&path));
    let Ok(path) = std::env::join_paths(folders) else { return false };
    if let Err(error) = write(&folder) {
        tracing::debug!(%error, "the browser will ask about other programs");
        return false;
    }
    command.env("PATH", path);
    true
}

fn write(folder: &Path) -> io::Result<()> {
    fs::create_dir(folder)?;
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o700).open(folder.join(DESKTOP))?;
    file.write_all(ANSWER.as_bytes())
}
