//! Finds the browser program: at a given path, installed, or downloaded.
use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// A browser brand.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, strum::Display, strum::EnumIter)]
pub enum Channel {
    /// Chromium if installed, else Chrome, else Edge.
    #[default]
    Chromium,
    Chrome,
    Edge,
    Firefox,
}

impl Channel {
    /// Parses `chromium`, `chrome`, `msedge` or `firefox`; `Error::UnsupportedBrowser` for other names.
    pub fn from_name(name: &str) -> Result<Self> {
        match name.to_ascii_lowercase().as_str() {
            "chromium" => Ok(Self::Chromium),
            "chrome" | "google-chrome" => Ok(Self::Chrome),
            "msedge" | "edge" | "microsoft-edge" => Ok(Self::Edge),
            "firefox" | "firefox-esr" => Ok(Self::Firefox),
            _ => Err(Error::UnsupportedBrowser { browser: name.to_owned() }),
        }
    }

    fn candidates(self) -> &'static [Self] {
        match self {
            Self::Chromium => &[Self::Chromium, Self::Chrome, Self::Edge],
            Self::Chrome => &[Self::Chrome],
            Self::Edge => &[Self::Edge],
            Self::Firefox => &[Self::Firefox],
        }
    }

    /// Whether this browser is controlled through WebDriver BiDi instead of CDP.
    pub fn speaks_bidi(self) -> bool {
        self == Self::Firefox
    }
}

/// The criteria for finding a browser.
#[derive(Debug, Clone, Default)]
pub struct BrowserQuery {
    /// The path of the program. If given, no search takes place.
    pub executable: Option<PathBuf>,
    pub channel: Channel,
    /// The folder of downloaded browsers. If given, no other folder is searched.
    pub browsers_dir: Option<PathBuf>,
}

/// A browser program that was found on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundBrowser {
    /// The browser program itself, even if a known wrapper script of a Linux distribution was found.
    pub executable: PathBuf,
    pub channel: Channel,
    /// The wrapper script that runs `executable`, if one was found.
    pub wrapper: Option<PathBuf>,
}

impl FoundBrowser {
    /// Whether the browser is a snap, which has its own `/tmp`.
    pub fn is_snap(&self) -> bool {
        self.executable.starts_with("/snap")
    }
}

/// Finds a browser on this machine.
pub fn find(wanted: &BrowserQuery) -> Result<FoundBrowser> {
    SearchEnvironment::current().find(wanted)
}

/// This project's cache folder, such as `~/.cache/patchright-mcp`; `None` if the home folder is unknown.
pub fn cache_folder() -> Option<PathBuf> {
    SearchEnvironment::current().cache_folder()
}

/// This project's folder for downloaded browsers, in the cache folder.
pub fn browsers_folder() -> Option<PathBuf> {
    SearchEnvironment::current().browsers_folder()
}

/// An operating system. It determines where browsers are installed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::EnumIter)]
pub enum Platform {
    Linux,
    Mac,
    Windows,
}

impl Platform {
    pub const HERE: Self = if cfg!(windows) {
        Self::Windows
    } else if cfg!(target_os = "macos") {
        Self::Mac
    } else {
        Self::Linux
    };
}

/// The names of browser programs on `PATH`, in order of preference.
const NAMES: &[(Platform, Channel, &[&str])] = &[
    (Platform::Linux, Channel::Chromium, &["chromium", "chromium-browser", "ungoogled-chromium"]),
    (
        Platform::Linux,
        Channel::Chrome,
        &["google-chrome-stable", "google-chrome", "google-chrome-beta", "google-chrome-unstable"],
    ),
    (
        Platform::Linux,
        Channel::Edge,
        &["microsoft-edge-stable", "microsoft-edge", "microsoft-edge-beta", "microsoft-edge-dev"],
    ),
    (Platform::Linux, Channel::Firefox, &["firefox-esr", "firefox"]),
    (Platform::Mac, Channel::Chromium, &["chromium"]),
    (Platform::Mac, Channel::Chrome, &["google-chrome"]),
    (Platform::Windows, Channel::Chromium, &["chromium.exe"]),
    (Platform::Windows, Channel::Chrome, &["chrome.exe"]),
    (Platform::Windows, Channel::Edge, &["msedge.exe"]),
    (Platform::Windows, Channel::Firefox, &["firefox.exe"]),
];

/// The paths at which browsers are installed. `{NAME}` stands for an environment variable.
const PLACES: &[(Platform, Channel, &[&str])] = &[
    (
        Platform::Linux,
        Channel::Chromium,
        &[
            "/usr/lib/chromium/chromium",
            "/usr/lib64/chromium/chromium",
            "/usr/lib/chromium-browser/chromium-browser",
            "/usr/lib64/chromium-browser/chromium-browser",
            "/usr/bin/chromium",
            "/usr/bin/chromium-browser",
            "/usr/local/bin/chromium",
            "/snap/bin/chromium",
        ],
    ),
    (
        Platform::Linux,
        Channel::Chrome,
        &[
            "/opt/google/chrome/chrome",
            "/opt/google/chrome-beta/chrome",
            "/opt/google/chrome-unstable/chrome",
        ],
    ),
    (
        Platform::Linux,
        Channel::Edge,
        &[
            "/opt/microsoft/msedge/msedge",
            "/opt/microsoft/msedge-beta/msedge",
            "/opt/microsoft/msedge-dev/msedge",
        ],
    ),
    (
        Platform::Linux,
        Channel::Firefox,
        &[
            "/usr/lib/firefox-esr/firefox-esr",
            "/usr/lib/firefox/firefox",
            "/usr/lib64/firefox/firefox",
            "/opt/firefox/firefox",
            "/snap/bin/firefox",
        ],
    ),
    (
        Platform::Mac,
        Channel::Firefox,
        &[
            "/Applications/Firefox.app/Contents/MacOS/firefox",
            "{HOME}/Applications/Firefox.app/Contents/MacOS/firefox",
        ],
    ),
    (
        Platform::Windows,
        Channel::Firefox,
        &["{PROGRAMFILES}/Mozilla Firefox/firefox.exe", "{LOCALAPPDATA}/Mozilla Firefox/firefox.exe"],
    ),
    (
        Platform::Mac,
        Channel::Chromium,
        &[
            "/Applications/Chromium.app/Contents/MacOS/Chromium",
            "{HOME}/Applications/Chromium.app/Contents/MacOS/Chromium",
        ],
    ),
    (
        Platform::Mac,
        Channel::Chrome,
        &[
            "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
            "{HOME}/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
            "/Applications/Google Chrome Beta.app/Contents/MacOS/Google Chrome Beta",
            "/Applications/Google Chrome Canary.app/Contents/MacOS/Google Chrome Canary",
        ],
    ),
    (
        Platform::Mac,
        Channel::Edge,
        &[
            "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
            "{HOME}/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
        ],
    ),
    (
        Platform::Windows,
        Channel::Chromium,
        &[
            "{LOCALAPPDATA}/Chromium/Application/chrome.exe",
            "{PROGRAMFILES}/Chromium/Application/chrome.exe",
            "{PROGRAMFILES(X86)}/Chromium/Application/chrome.exe",
        ],
    ),
    (
        Platform::Windows,
        Channel::Chrome,
        &[
            "{PROGRAMFILES}/Google/Chrome/Application/chrome.exe",
            "{PROGRAMFILES(X86)}/Google/Chrome/Application/chrome.exe",
            "{LOCALAPPDATA}/Google/Chrome/Application/chrome.exe",
            "{PROGRAMFILES}/Google/Chrome Beta/Application/chrome.exe",
        ],
    ),
    (
        Platform::Windows,
        Channel::Edge,
        &[
            "{PROGRAMFILES(X86)}/Microsoft/Edge/Application/msedge.exe",
            "{PROGRAMFILES}/Microsoft/Edge/Application/msedge.exe",
            "{LOCALAPPDATA}/Microsoft/Edge/Application/msedge.exe",
        ],
    ),
];

/// The program's path inside a downloaded archive.
const UNPACKED: &[(Platform, &[&str])] = &[
    (Platform::Linux, &["chrome-linux64/chrome", "chrome-linux/chrome", "chrome-linux-arm64/chrome"]),
    (
        Platform::Mac,
        &[
            "chrome-mac-arm64/Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing",
            "chrome-mac-x64/Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing",
            "chrome-mac/Chromium.app/Contents/MacOS/Chromium",
            "chrome-mac-arm64/Chromium.app/Contents/MacOS/Chromium",
        ],
    ),
    (Platform::Windows, &["chrome-win64/chrome.exe", "chrome-win/chrome.exe", "chrome-win32/chrome.exe"]),
];

/// The user's cache folders. Playwright uses the subfolder `ms-playwright`, this project `patchright-mcp`.
const CACHES: &[(Platform, &[&str])] = &[
    (Platform::Linux, &["{XDG_CACHE_HOME}", "{HOME}/.cache"]),
    (Platform::Mac, &["{HOME}/Library/Caches"]),
    (Platform::Windows, &["{LOCALAPPDATA}"]),
];

/// Wrapper scripts of distributions, and the programs that they run. Running a program directly avoids the shell and
/// additional flags.
const WRAPPERS: &[(&str, &str)] = &[
    ("/usr/bin/chromium", "/usr/lib/chromium/chromium"),
    ("/usr/bin/chromium", "/usr/lib64/chromium/chromium"),
    ("/usr/bin/chromium-browser", "/usr/lib/chromium-browser/chromium-browser"),
    ("/usr/bin/chromium-browser", "/usr/lib64/chromium-browser/chromium-browser"),
    ("/usr/lib64/chromium-browser/chromium-browser.sh", "/usr/lib64/chromium-browser/chromium-browser"),
    ("/usr/lib/chromium/chromium-launcher.sh", "/usr/lib/chromium/chromium"),
    ("/opt/google/chrome/google-chrome", "/opt/google/chrome/chrome"),
    ("/opt/google/chrome-beta/google-chrome-beta", "/opt/google/chrome-beta/chrome"),
    ("/opt/google/chrome-unstable/google-chrome-unstable", "/opt/google/chrome-unstable/chrome"),
    ("/opt/microsoft/msedge/microsoft-edge", "/opt/microsoft/msedge/msedge"),
    ("/opt/microsoft/msedge-beta/microsoft-edge-beta", "/opt/microsoft/msedge-beta/msedge"),
    ("/opt/microsoft/msedge-dev/microsoft-edge-dev", "/opt/microsoft/msedge-dev/msedge"),
    // Ubuntu's package of this name contains only a script that runs the snap, or tells the user to install it.
    ("/usr/bin/chromium-browser", "/snap/bin/chromium"),
];

/// The environment variable with the path of the browser. It has precedence over the search.
const OWN_VARIABLE: &str = "PATCHRIGHT_MCP_EXECUTABLE_PATH";
/// Environment variables of other tools with the path of a browser.
const VARIABLES: &[&str] = &["CHROME_PATH", "CHROMIUM_PATH"];

/// The environment in which to search for a browser. Tests use their own.
#[derive(Debug, Clone)]
pub struct SearchEnvironment {
    pub platform: Platform,
    /// The folder in place of `/`, to which the paths in the tables are relative.
    pub root: PathBuf,
    pub variables: HashMap<OsString, OsString>,
}

impl SearchEnvironment {
    /// Returns the environment of this machine.
    pub fn current() -> Self {
        let variables = std::env::vars_os().map(|(name, value)| {
            // Windows ignores the case of variable names.
            (if cfg!(windows) { name.to_ascii_uppercase() } else { name }, value)
        });
        Self { platform: Platform::HERE, root: PathBuf::from("/"), variables: variables.collect() }
    }

    /// Finds a browser in this environment.
    pub fn find(&self, wanted: &BrowserQuery) -> Result<FoundBrowser> {
        if let Some(executable) = &wanted.executable {
            return self.identified(executable, executable.display().to_string());
        }
        // The variable counts for Firefox only if it names a Firefox, and for other brands only if not.
        let own = self.variable(OWN_VARIABLE).filter(|executable| {
            (channel_of(Path::new(executable)) == Channel::Firefox) == (wanted.channel == Channel::Firefox)
        });
        if let Some(executable) = own {
            let executable = PathBuf::from(executable);
            return self.identified(&executable, format!("{OWN_VARIABLE}={}", executable.display()));
        }
        let mut looked = Vec::new();
        if let Some(folder) = &wanted.browsers_dir {
            let found = self.newest_in(folder, |_| true).filter(|_| wanted.channel == Channel::Chromium);
            return found
                .ok_or_else(|| Error::BrowserNotFound { looked: vec![folder.display().to_string()] });
        }
        for name in VARIABLES {
            let Some(executable) = self.variable(name).map(PathBuf::from) else { continue };
            let found = self.unwrapped(&executable, channel_of(&executable));
            match found {
                Some(found) if wanted.channel.candidates().contains(&found.channel) => return Ok(found),
                _ => looked.push(format!("{name}={}", executable.display())),
            }
        }
        for &channel in wanted.channel.candidates() {
            if let Some(found) = self.installed(channel, &mut looked) {
                return Ok(found);
            }
            if channel == Channel::Chromium
                && let Some(found) = self.downloaded(&mut looked)
            {
                return Ok(found);
            }
        }
        Err(Error::BrowserNotFound { looked })
    }

    /// Returns the browser at the path that the user gave, without fallback: the error says what is wrong.
    fn identified(&self, executable: &Path, named: String) -> Result<FoundBrowser> {
        if let Some(found) = self.unwrapped(executable, channel_of(executable)) {
            return Ok(found);
        }
        let reason = match fs::metadata(executable) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(Error::BrowserNotFound { looked: vec![named] });
            }
            Err(error) => format!("{named} cannot be read: {error}"),
            Ok(metadata) if metadata.is_dir() => format!("{named} is a folder; name the program in it"),
            Ok(_) => format!("{named} may not be executed; chmod +x it, or name another program"),
        };
        Err(Error::BrowserLaunch { reason })
    }

    /// Returns the paths at which a brand is usually installed.
    pub fn install_paths(&self, channel: Channel) -> Vec<PathBuf> {
        row(PLACES, self.platform, channel).iter().filter_map(|place| self.path(place)).collect()
    }

    fn installed(&self, channel: Channel, looked: &mut Vec<String>) -> Option<FoundBrowser> {
        let names = row(NAMES, self.platform, channel);
        for name in names {
            for folder in self.variable("PATH").iter().flat_map(std::env::split_paths) {
                if let Some(found) = self.unwrapped(&folder.join(name), channel) {
                    return Some(found);
                }
            }
        }
        looked.push(format!("{} on PATH", names.join(", ")));
        for path in self.install_paths(channel) {
            if let Some(found) = self.unwrapped(&path, channel) {
                return Some(found);
            }
            looked.push(path.display().to_string());
        }
        None
    }

    /// Returns the newest browser in Playwright's downloads, otherwise in this project's downloads.
    fn downloaded(&self, looked: &mut Vec<String>) -> Option<FoundBrowser> {
        let playwright = match self.variable("PLAYWRIGHT_BROWSERS_PATH") {
            Some(setting) if setting != "0" => Some(PathBuf::from(setting)),
            _ => self.caches().map(|caches| caches.join("ms-playwright")),
        };
        let ours = self.browsers_folder();
        // Playwright's folder also contains other browsers and a headless-only Chromium that pages detect.
        for (folder, fits) in [(playwright, is_playwrights_chromium as fn(&str) -> bool), (ours, |_| true)] {
            let Some(folder) = folder else { continue };
            let found = self.newest_in(&folder, fits);
            if found.is_some() {
                return found;
            }
            looked.push(folder.display().to_string());
        }
        None
    }

    /// Returns the browser with the highest version among the subfolders of `folder` whose names pass `fits`.
    fn newest_in(&self, folder: &Path, fits: fn(&str) -> bool) -> Option<FoundBrowser> {
        let (_, inside) = UNPACKED.iter().find(|(platform, _)| *platform == self.platform)?;
        newest_first(folder, fits).into_iter().find_map(|revision| {
            inside.iter().find_map(|path| self.unwrapped(&revision.join(path), Channel::Chromium))
        })
    }

    fn browsers_folder(&self) -> Option<PathBuf> {
        self.cache_folder().map(|folder| folder.join("browsers"))
    }

    fn cache_folder(&self) -> Option<PathBuf> {
        self.caches().map(|caches| caches.join("patchright-mcp"))
    }

    fn caches(&self) -> Option<PathBuf> {
        let (_, places) = CACHES.iter().find(|(platform, _)| *platform == self.platform)?;
        places.iter().find_map(|place| self.path(place))
    }

    /// Returns the browser at `path`, or the program of a known wrapper script. `None` if not executable.
    fn unwrapped(&self, path: &Path, channel: Channel) -> Option<FoundBrowser> {
        if !is_executable(path) {
            return None;
        }
        let plain = FoundBrowser { executable: path.to_owned(), channel, wrapper: None };
        if self.platform != Platform::Linux {
            return Some(plain);
        }
        // A snap's command is a link to the program `snap`, which chooses the snap by the link's name: keep the link.
        let real = fs::canonicalize(path).ok()?;
        if real.file_name() == Some(OsStr::new("snap")) || !is_script(&real) {
            return Some(plain);
        }
        for (script, program) in WRAPPERS {
            if real == self.rooted(script) {
                let program = self.rooted(program);
                if is_executable(&program) && !is_script(&program) {
                    return Some(FoundBrowser {
                        executable: program,
                        channel,
                        wrapper: Some(path.to_owned()),
                    });
                }
            }
        }
        // If the snap is not installed, Ubuntu's script only prints how to install it.
        (!mentions_snap(&real)).then_some(plain)
    }

    fn variable(&self, name: &str) -> Option<&OsStr> {
        self.variables.get(OsStr::new(name)).map(OsString::as_os_str).filter(|value| !value.is_empty())
    }

    /// Expands a path of the tables above; `None` if its environment variable is not set.
    fn path(&self, place: &str) -> Option<PathBuf> {
        match place.strip_prefix('{').and_then(|rest| rest.split_once('}')) {
            Some((name, rest)) => Some(Path::new(self.variable(name)?).join(rest.trim_start_matches('/'))),
            None => Some(self.rooted(place)),
        }
    }

    fn rooted(&self, place: &str) -> PathBuf {
        self.root.join(place.trim_start_matches('/'))
    }
}

fn row(
    table: &'static [(Platform, Channel, &[&str])],
    platform: Platform,
    channel: Channel,
) -> &'static [&'static str] {
    table.iter().find(|row| row.0 == platform && row.1 == channel).map_or(&[], |row| row.2)
}

/// Guesses the brand of a program from its path.
fn channel_of(path: &Path) -> Channel {
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let names: Vec<_> = path.iter().map(|name| name.to_string_lossy().to_ascii_lowercase()).collect();
    let starts =
        |prefixes: &[&str]| names.iter().any(|name| prefixes.iter().any(|prefix| name.starts_with(prefix)));
    if starts(&["firefox"]) {
        Channel::Firefox
    } else if starts(&["msedge", "microsoft-edge", "microsoft edge"]) {
        Channel::Edge
    } else if starts(&["google-chrome", "google chrome"]) || names.iter().any(|name| name == "google") {
        Channel::Chrome
    } else {
        Channel::Chromium
    }
}

fn is_playwrights_chromium(folder: &str) -> bool {
    folder.strip_prefix("chromium-").is_some_and(|revision| revision.parse::<u64>().is_ok())
}

/// Returns the subfolders of `folder` whose names pass `fits`, highest version first.
fn newest_first(folder: &Path, fits: fn(&str) -> bool) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut folders: Vec<_> = entries
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            fits(&name).then(|| (numbers(&name), entry.path()))
        })
        .collect();
    folders.sort_by(|left, right| right.cmp(left));
    folders.into_iter().map(|(_, path)| path).collect()
}

fn numbers(name: &str) -> Vec<u64> {
    name.split(|character: char| !character.is_ascii_digit())
        .filter_map(|digits| digits.parse().ok())
        .collect()
}

pub(crate) fn is_script(path: &Path) -> bool {
    beginning(path, 2) == b"#!"
}

fn mentions_snap(script: &Path) -> bool {
    memchr::memmem::find(&beginning(script, 4096), b"/snap/bin/chromium").is_some()
}

pub(crate) fn beginning(path: &Path, length: u64) -> Vec<u8> {
    use std::io::Read as _;
    let mut bytes = Vec::new();
    if let Ok(file) = fs::File::open(path) {
        // A file that cannot be read counts as empty.
        let _ = file.take(length).read_to_end(&mut bytes);
    }
    bytes
}

#[cfg(unix)]
fn is_executable(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| metadata.is_file())
        && rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok()
}

#[cfg(not(unix))]
fn is_executable(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| metadata.is_file())
}
