//! Explains why a browser did not start, and how to fix it.
use std::io;
use std::path::Path;
use std::time::Duration;

use super::process::Exit;
use super::{LaunchOptions, Plan, profile};
use crate::browser::program::find;
use crate::error::{Error, Result, human};

/// Parts of browsers' error messages, each with an explanation for the user.
const KNOWN: &[(&str, &str)] = &[
    (
        "No usable sandbox",
        "this system does not let it build its sandbox (often so in containers); allow user namespaces, or use --no-sandbox",
    ),
    (
        "Failed to move to new namespace",
        "this system does not let it build its sandbox (often so in containers); allow user namespaces, or use --no-sandbox",
    ),
    ("Running as root without --no-sandbox", "as root it runs only with --no-sandbox, or as another user"),
    (
        "Missing X server",
        "the display that DISPLAY names does not answer; correct DISPLAY, run under xvfb-run, or use --headless",
    ),
    (
        "Failed to connect to Wayland display",
        "the display that WAYLAND_DISPLAY names does not answer; correct it, or use --headless",
    ),
    (
        "requires a non-default data directory",
        "it refuses remote control with its default profile; use another --user-data-dir",
    ),
    ("No space left on device", "the disk with its profile is full; make room, or set TMPDIR"),
];

/// Keywords that `session::cooldown` takes for a login timeout. Errors do not quote log lines with them.
const LOGIN_KEYWORDS: &[&str] =
    &["timeout", "captcha", "authentication", "login required", "验证码", "验证超时", "登录超时"];

/// Rejects a file that is no executable binary and does not start with `#!`, because the system would run it with a
/// shell.
pub(super) fn check_program(executable: &Path) -> Result<()> {
    if let Err(error) = std::fs::File::open(executable) {
        let reason = format!("{} cannot be read: {error}", executable.display());
        return Err(Error::BrowserLaunch { reason });
    }
    let beginning = find::beginning(executable, 4);
    let known = beginning.starts_with(b"#!")
        || beginning == b"\x7fELF"
        || matches!(beginning.as_slice(), [0xCF | 0xCE, 0xFA, 0xED, 0xFE] | [0xCA, 0xFE, 0xBA, 0xBE]);
    if known {
        return Ok(());
    }
    Err(Error::BrowserLaunch { reason: format!("{} is not a program", executable.display()) })
}

/// Returns the error for a profile folder that is not writable.
pub(super) fn unwritable(folder: &Path, error: &io::Error) -> Error {
    Error::BrowserLaunch { reason: format!("its profile cannot be made in {}: {error}", folder.display()) }
}

/// Returns the error for a program that the operating system could not start.
pub(super) fn not_started(executable: &Path, error: &io::Error) -> Error {
    let reason = match error.kind() {
        // `check_program` could open the file, so its interpreter or loader is missing.
        io::ErrorKind::NotFound => {
            format!("{} needs an interpreter or a loader that is not installed", executable.display())
        }
        io::ErrorKind::PermissionDenied => format!("{} may not be executed", executable.display()),
        _ => format!("{} could not be started: {error}", executable.display()),
    };
    Error::BrowserLaunch { reason }
}

/// Returns the error for a browser that exited before it answered.
pub(super) fn explain(
    exit: Option<Exit>,
    tail: &str,
    options: &LaunchOptions,
    plan: &Plan,
    profile: &Path,
) -> Error {
    let in_use = ["existing browser session", "appears to be in use", "Failed to create a ProcessSingleton"];
    if options.user_data_dir.is_some() && in_use.iter().any(|said| tail.contains(said)) {
        // The other browser has started since we checked the profile.
        let holder = profile::profile_holder(profile).unwrap_or_else(|| "another browser".to_owned());
        return Error::ProfileInUse { holder };
    }
    let reason = known(tail, plan).unwrap_or_else(|| {
        let end = exit.map_or_else(|| "it closed the pipe to us".to_owned(), |exit| exit.to_string());
        format!("{end}{}", last_words(tail))
    });
    Error::BrowserLaunch { reason }
}

/// Returns the error for a browser that runs but does not answer.
pub(super) fn silent(waited: Duration, tail: &str, plan: &Plan) -> Error {
    let reason = known(tail, plan).unwrap_or_else(|| {
        format!(
            "{} gave no answer within {}{}",
            plan.found.executable.display(),
            human(waited),
            last_words(tail)
        )
    });
    Error::BrowserLaunch { reason }
}

fn known(tail: &str, plan: &Plan) -> Option<String> {
    if let Some((_, rest)) = tail.split_once("error while loading shared libraries: ") {
        let library = rest.split(':').next().unwrap_or_default();
        return Some(format!(
            "the library {library} is not installed; install the packages that {} needs",
            plan.found.executable.display()
        ));
    }
    KNOWN.iter().find(|(said, _)| tail.contains(said)).map(|(_, reason)| (*reason).to_owned())
}

fn last_words(tail: &str) -> String {
    let fit = |line: &&str| {
        let lower = line.to_lowercase();
        // Without a D-Bus message bus, Chromium logs many errors but works.
        let noise = lower.trim().is_empty() || lower.contains(":error:dbus/");
        !noise && !lower.contains("://") && !LOGIN_KEYWORDS.iter().any(|word| lower.contains(word))
    };
    let lines: Vec<_> = tail.lines().filter(fit).map(message_of).collect();
    let last = &lines[lines.len().saturating_sub(3)..];
    if last.is_empty() { String::new() } else { format!("; its last words: {}", last.join(" / ")) }
}

/// Returns the message of a log line `[process:thread:time:ERROR:file.cc:12] message`.
fn message_of(line: &str) -> &str {
    line.strip_prefix('[').and_then(|rest| rest.split_once("] ")).map_or(line, |(_, message)| message)
}
