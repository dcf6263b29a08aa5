//! Starts a browser, controls its process until it exits, and removes its temporary files.
#[cfg(unix)]
mod diagnosis;
#[cfg(unix)]
mod firefox;
mod flags;
#[cfg(unix)]
mod lasting;
#[cfg_attr(not(unix), allow(dead_code, reason = "no browser is started there, so there is no log"))]
mod log;
#[cfg(unix)]
mod memory;
#[cfg(unix)]
mod native;
#[cfg_attr(not(unix), path = "launch/unsupported.rs")]
mod process;
#[cfg(unix)]
mod profile;
mod version;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::time::Instant;

use crate::browser::program::find::{BrowserQuery, Channel, FoundBrowser, find};
use crate::error::{Error, Result};

pub use flags::{FLAGS, Flag, FlagCondition};
pub(in crate::browser) use flags::{HEADLESS_SCREEN, languages};
pub use log::UncaughtErrors;
pub use process::{BrowserProcess, Exit, PipeReceiver, PipeSender};
#[cfg(unix)]
pub(crate) use profile::{Folder, sweep};
pub use version::Version;

/// How long a page's script may run before Firefox stops it. By default Firefox asks the user whether to
/// continue, and BiDi has no command that stops a script.
pub(in crate::browser) const FIREFOX_SCRIPT_LIMIT: Duration = Duration::from_secs(15);

/// Kills all browsers that this process started and removes their temporary files. Call it right before exit.
pub fn kill_all() {
    #[cfg(unix)]
    profile::remove_all();
}

/// Options for starting a browser. Default: a headed Chromium with a temporary profile.
#[derive(Debug, Clone)]
pub struct LaunchOptions {
    /// The program to run. Default: the installed browser.
    pub executable: Option<PathBuf>,
    /// The browser brand to search for.
    pub channel: Channel,
    /// The folder of downloaded browsers. If given, no other folder is searched.
    pub browsers_dir: Option<PathBuf>,
    /// Whether to run without a window. Default: headless only if there is no display.
    pub headless: Option<bool>,
    /// A permanent profile folder. Default: a temporary profile.
    pub user_data_dir: Option<PathBuf>,
    /// Additional arguments. Lists such as `--disable-features` are merged with ours, others override ours.
    pub arguments: Vec<String>,
    /// Which of the default arguments to omit.
    pub ignore_default_arguments: IgnoreDefaultArguments,
    /// Whether to use the browser's sandbox. Default: on, except as root, where Chromium would not start with it.
    pub sandbox: Option<bool>,
    /// The width and height of the window, in pixels.
    pub window_size: Option<(u32, u32)>,
    /// The user agent. Default: the browser's own.
    pub user_agent: Option<String>,
    pub proxy: Option<Proxy>,
    /// The language of the browser and of its requests, such as `de-DE`.
    pub locale: Option<String>,
    /// Environment variables for the browser, in addition to those of this process.
    pub environment: Vec<(String, String)>,
    /// The folder for temporary profiles. Default: the system's temporary folder.
    pub temporary_folder: Option<PathBuf>,
    /// Whether Firefox reports `navigator.webdriver` as false. The BiDi session then has system privileges.
    pub hides_webdriver: bool,
    /// Firefox preferences, named as in `about:config`; they override ours.
    pub firefox_settings: BTreeMap<String, serde_json::Value>,
    /// The time limit for the start, until the browser answers its first command. Default: 30 s.
    pub launch_limit: Duration,
}

impl Default for LaunchOptions {
    fn default() -> Self {
        Self {
            executable: None,
            channel: Channel::default(),
            browsers_dir: None,
            headless: None,
            user_data_dir: None,
            arguments: Vec::new(),
            ignore_default_arguments: IgnoreDefaultArguments::default(),
            sandbox: None,
            window_size: None,
            user_agent: None,
            proxy: None,
            locale: None,
            environment: Vec::new(),
            temporary_folder: None,
            hides_webdriver: false,
            firefox_settings: BTreeMap::new(),
            launch_limit: Duration::from_secs(30),
        }
    }
}

impl LaunchOptions {
    /// Returns the criteria for finding the browser.
    pub fn browser_query(&self) -> BrowserQuery {
        BrowserQuery {
            executable: self.executable.clone(),
            channel: self.channel,
            browsers_dir: self.browsers_dir.clone(),
        }
    }
}

/// Which default arguments to omit. `--remote-debugging-pipe` and `--user-data-dir` are always passed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum IgnoreDefaultArguments {
    #[default]
    Nothing,
    /// The listed arguments, with or without a value, such as `--no-first-run`.
    These(Vec<String>),
    /// All of [`FLAGS`], except `--headless=new` if headless mode is used.
    Everything,
}

/// A proxy for the whole browser. Its credentials are never put on the command line, where other users could read them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Proxy {
    /// The URL of the proxy, such as `http://proxy.example:3128` or `socks5://127.0.0.1:1080`.
    pub server: String,
    /// Hosts that bypass the proxy, separated by commas.
    pub bypass: Option<String>,
}

/// The resolved settings of a launch, without defaults left open.
#[derive(Debug, Clone)]
struct Plan {
    found: FoundBrowser,
    headless: bool,
    sandbox: bool,
    user_agent: Option<String>,
}

/// Starts a browser and waits until it answers its first command.
///
/// `warn` receives one line for each unexpected condition, such as a missing display.
pub async fn launch(options: &LaunchOptions, warn: &(dyn Fn(&str) + Send + Sync)) -> Result<BrowserProcess> {
    let deadline = Instant::now() + options.launch_limit;
    let headless = headless(options, warn)?;
    let found = find(&options.browser_query())?;
    let speaks_bidi = found.channel.speaks_bidi();
    // Firefox's sandbox also works as root.
    let sandbox = if speaks_bidi { options.sandbox != Some(false) } else { sandbox(options, warn) };
    flags::check(options)?;
    if speaks_bidi {
        let plan = Plan { found, headless, sandbox, user_agent: options.user_agent.clone() };
        return process::start(options, &plan, deadline).await;
    }

    // A headless browser's user agent contains "Headless", and only a flag changes it for every worker and request.
    // The flag needs the browser's version.
    let needs_user_agent = headless && options.user_agent.is_none();
    let version = if needs_user_agent { version::of(&found, deadline).await } else { None };
    let mut plan = Plan {
        user_agent: options
            .user_agent
            .clone()
            .or_else(|| version.map(|release| version::user_agent(&found, release.number()))),
        found,
        headless,
        sandbox,
    };
    let process = process::start(options, &plan, deadline).await?;
    if !needs_user_agent {
        return Ok(process);
    }
    let truth = version::user_agent(&plan.found, process.version().number());
    if plan.user_agent.as_ref() == Some(&truth) {
        return Ok(process);
    }
    // The version was unknown or outdated, such as behind a wrapper script. Restart with the reported one.
    process.terminate(Duration::ZERO).await;
    version::remember(&plan.found, process.version().number());
    plan.user_agent = Some(truth);
    process::start(options, &plan, deadline).await
}

fn headless(options: &LaunchOptions, warn: &(dyn Fn(&str) + Send + Sync)) -> Result<bool> {
    if options.headless == Some(true) || has_display(options) {
        return Ok(options.headless == Some(true));
    }
    if options.headless == Some(false) {
        return Err(Error::NoDisplay);
    }
    warn("there is no display, so the browser starts without a window (set DISPLAY or use xvfb-run for one)");
    Ok(true)
}

/// Whether a window can be shown.
fn has_display(options: &LaunchOptions) -> bool {
    if !cfg!(target_os = "linux") {
        return true;
    }
    ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| {
        match options.environment.iter().rev().find(|(variable, _)| variable == name) {
            Some((_, value)) => !value.is_empty(),
            None => std::env::var_os(name).is_some_and(|value| !value.is_empty()),
        }
    })
}

fn sandbox(options: &LaunchOptions, warn: &(dyn Fn(&str) + Send + Sync)) -> bool {
    options.sandbox.unwrap_or_else(|| {
        let root = is_root();
        if root {
            warn("running as root, so the browser's sandbox is off (run as another user to have it)");
        }
        !root
    })
}

#[cfg(unix)]
fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

#[cfg(not(unix))]
fn is_root() -> bool {
    false
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}
