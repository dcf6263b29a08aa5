//! Checks what a browser needs: sandbox, display, fonts, shared memory, disk space, proxies.
use std::path::Path;

use super::{Finding, Severity};

/// Runs all checks of the machine. WebKit needs neither sandbox, display nor `/dev/shm`.
pub(super) fn examined(is_webkit: bool) -> Vec<Finding> {
    let mut findings = Vec::new();
    #[cfg(target_os = "linux")]
    match is_webkit {
        true => findings.push(fonts()),
        false => findings.extend([sandbox(), display(), fonts(), shared_memory()]),
    }
    #[cfg(not(target_os = "linux"))]
    let _ = is_webkit;
    findings.extend(room());
    findings.push(proxies());
    findings
}

/// Checks whether the system permits the browser's sandbox.
#[cfg(target_os = "linux")]
fn sandbox() -> Finding {
    let warning = |found: &str, fix: &str| Finding::bad("sandbox", Severity::Warning, found, fix);
    if rustix::process::geteuid().is_root() {
        return warning(
            "running as root, so it is off",
            "Run as another user, to have it; in a container, with docker/seccomp.json.",
        );
    }
    let is = |path: &str, value: &str| std::fs::read_to_string(path).is_ok_and(|text| text.trim() == value);
    if is("/proc/sys/kernel/unprivileged_userns_clone", "0") || is("/proc/sys/user/max_user_namespaces", "0")
    {
        return warning(
            "user namespaces are switched off, which it is made of",
            "sysctl kernel.unprivileged_userns_clone=1, or user.max_user_namespaces=10000; or --no-sandbox, which is less safe.",
        );
    }
    if is("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1") {
        return warning(
            "AppArmor keeps user namespaces from programs that it has no profile for",
            "Use the system's own Chrome or Chromium, which has one, or sysctl kernel.apparmor_restrict_unprivileged_userns=0.",
        );
    }
    // Docker's default seccomp filter rejects the creation of user namespaces.
    if Path::new("/.dockerenv").exists() && is_filtered() {
        return warning(
            "a container's filter may keep user namespaces from it",
            "docker run --security-opt seccomp=docker/seccomp.json",
        );
    }
    Finding::good("sandbox", "user namespaces can be used")
}

/// Returns whether a seccomp filter applies to this process.
#[cfg(target_os = "linux")]
fn is_filtered() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    status.lines().any(|line| line.strip_prefix("Seccomp:").is_some_and(|mode| mode.trim() == "2"))
}

#[cfg(target_os = "linux")]
fn display() -> Finding {
    let variable = ["WAYLAND_DISPLAY", "DISPLAY"].into_iter().find_map(|name| {
        let value = std::env::var(name).ok().filter(|value| !value.is_empty())?;
        Some(format!("{name}={value}"))
    });
    match variable {
        Some(variable) => Finding::good("display", variable),
        None => Finding::bad(
            "display",
            Severity::Warning,
            "there is none, so the browser has no window and nobody can log in by hand",
            "Set DISPLAY, or start the client under xvfb-run.",
        ),
    }
}

/// Checks for fonts: without them, pages show empty rectangles, and the machine is easy to fingerprint.
#[cfg(target_os = "linux")]
fn fonts() -> Finding {
    let home = std::env::home_dir().unwrap_or_default();
    let folders = [
        Path::new("/usr/share/fonts").to_owned(),
        Path::new("/usr/local/share/fonts").to_owned(),
        home.join(".fonts"),
        home.join(".local/share/fonts"),
    ];
    let names: Vec<String> = folders.iter().flat_map(|folder| font_files(folder, 4)).collect();
    let has_cjk = names.iter().any(|name| {
        let name = name.to_ascii_lowercase();
        ["cjk", "wqy", "droidsansfallback", "ipa", "takao", "nanum", "uming"]
            .iter()
            .any(|part| name.contains(part))
    });
    match (names.len(), has_cjk) {
        (0, _) => Finding::bad(
            "fonts",
            Severity::Problem,
            "there are none, so pictures show rectangles for letters",
            "apt-get install fonts-liberation fonts-noto-cjk",
        ),
        (count, false) => Finding::bad(
            "fonts",
            Severity::Warning,
            format!("{count}, none of them for Chinese, Japanese or Korean"),
            "apt-get install fonts-noto-cjk",
        ),
        (count, true) => Finding::good("fonts", count.to_string()),
    }
}

#[cfg(target_os = "linux")]
fn font_files(folder: &Path, depth: usize) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let inside = entries.flat_map(|entry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_font = [".ttf", ".otf", ".ttc", ".pfb", ".woff2"]
            .iter()
            .any(|end| name.to_ascii_lowercase().ends_with(end));
        match (is_font, depth) {
            (true, _) => vec![name],
            (false, 0) => Vec::new(),
            (false, depth) => font_files(&entry.path(), depth - 1),
        }
    });
    inside.collect()
}

#[cfg(target_os = "linux")]
fn shared_memory() -> Finding {
    let Some(free) = free_mb(Path::new("/dev/shm")) else {
        return Finding::bad(
            "/dev/shm",
            Severity::Warning,
            "there is none; the browser uses temporary files instead, which is slower",
            "mount -t tmpfs tmpfs /dev/shm",
        );
    };
    match free {
        256.. => Finding::good("/dev/shm", format!("{free} MB free")),
        free => Finding::bad(
            "/dev/shm",
            Severity::Warning,
            format!("{free} MB free; the browser uses temporary files instead, which is slower"),
            "In a container: --shm-size=1g or --ipc=host.",
        ),
    }
}

/// Checks that the temporary folder has enough free space: a profile takes about 50 MB.
fn room() -> Option<Finding> {
    let folder = std::env::temp_dir();
    if let Err(error) = tempfile::tempfile_in(&folder) {
        let found = format!("{} cannot be written to: {error}", folder.display());
        return Some(Finding::bad("room", Severity::Problem, found, "Set TMPDIR to a folder that can."));
    }
    let free = free_mb(&folder)?;
    Some(match free {
        200.. => Finding::good("room", format!("{free} MB free in {}", folder.display())),
        free => Finding::bad(
            "room",
            Severity::Problem,
            format!("{free} MB free in {}", folder.display()),
            "Make room there, or set TMPDIR to another folder.",
        ),
    })
}

#[cfg(unix)]
fn free_mb(folder: &Path) -> Option<u64> {
    let disk = rustix::fs::statvfs(folder).ok()?;
    Some(disk.f_bavail.saturating_mul(disk.f_frsize) >> 20)
}

#[cfg(not(unix))]
fn free_mb(_folder: &Path) -> Option<u64> {
    None
}

/// Lists the proxy environment variables, which the browser uses too. Omits their values, which may contain
/// passwords.
fn proxies() -> Finding {
    let names = ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"];
    let lines: Vec<_> = names.into_iter().filter(|name| std::env::var_os(name).is_some()).collect();
    if lines.is_empty() {
        return Finding::good("proxies", "none in the environment");
    }
    let loopback = ["NO_PROXY", "no_proxy"]
        .iter()
        .any(|name| std::env::var(name).is_ok_and(|hosts| hosts.contains("127.0.0.1")));
    let found = format!("{} in the environment", lines.join(", "));
    match loopback {
        true => Finding::good("proxies", found),
        false => Finding::bad(
            "proxies",
            Severity::Warning,
            found,
            "If pages do not open, give --proxy-server, which also takes user:password@; if local ones do not, set NO_PROXY=localhost,127.0.0.1.",
        ),
    }
}
