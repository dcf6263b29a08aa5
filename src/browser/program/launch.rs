//! Starts a browser and stays responsible for it until nothing of it is left.
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

use crate::browser::program::find::{Channel, Found, Wanted, find};
use crate::error::{Error, Result};

pub use flags::{FLAGS, Flag, When};
pub(in crate::browser) use flags::{HEADLESS_SCREEN, languages};
pub use log::Uncaught;
pub use process::{BrowserProcess, Exit, PipeReceiver, PipeSender};
#[cfg(unix)]
pub(crate) use profile::{Folder, sweep};
pub use version::Version;

/// How long a script of a page may run in Firefox. It asks a person then whether the script is to go on: here nobody would
/// answer, and its protocol ends none.
pub(in crate::browser) const FIREFOX_SCRIPT_LIMIT: Duration = Duration::from_secs(15);

/// Ends the browsers that still run and removes what is temporary of them: for an end that waits for nobody.
pub fn end_all() {
    #[cfg(unix)]
    profile::remove_all();
}

/// How to start a browser. The default is a headed Chromium with a profile of its own that is removed afterwards.
#[derive(Debug, Clone)]
pub struct LaunchOptions {
    /// The program to run, instead of what is found on this machine.
    pub executable: Option<PathBuf>,
    /// The make of browser to look for.
    pub channel: Channel,
    /// Where downloaded browsers are; when it is named, no other place is looked in.
    pub browsers_dir: Option<PathBuf>,
    /// Whether to do without a window. Default: headless only without a display.
    pub headless: Option<bool>,
    /// A profile to use and keep. Without one, each browser has a fresh profile that is removed afterwards.
    pub user_data_dir: Option<PathBuf>,
    /// More arguments. Lists such as `--disable-features` are merged with ours, other arguments win over ours.
    pub arguments: Vec<String>,
    /// Arguments of ours to leave out.
    pub ignore_default_arguments: IgnoreDefaults,
    /// The browser's own sandbox. Default: on, except for root, as whom the browser would refuse to start.
    pub sandbox: Option<bool>,
    /// Width and height of the window, in pixels.
    pub window_size: Option<(u32, u32)>,
    /// The user agent to claim, instead of the browser's own.
    pub user_agent: Option<String>,
    pub proxy: Option<Proxy>,
    /// The language of the browser and of what it asks pages for, such as `de-DE`.
    pub locale: Option<String>,
    /// Environment variables for the browser, beside our own.
    pub environment: Vec<(String, String)>,
    /// Where temporary profiles are made, instead of the system's folder for such things.
    pub temporary_folder: Option<PathBuf>,
    /// Whether a Firefox keeps `navigator.webdriver` false. It then gives whoever drives it the rights of the browser itself.
    pub hides_webdriver: bool,
    /// Settings of Firefox's own, by their names in `about:config`; they win over ours.
    pub firefox_settings: BTreeMap<String, serde_json::Value>,
    /// How long the browser may take until it answers for the first time.
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
            ignore_default_arguments: IgnoreDefaults::default(),
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
    /// The browser to look for.
    pub fn wanted(&self) -> Wanted {
        Wanted {
            executable: self.executable.clone(),
            channel: self.channel,
            browsers_dir: self.browsers_dir.clone(),
        }
    }
}

/// Which of our arguments to leave out. The pipe and the profile stay, without them there is nothing to drive.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum IgnoreDefaults {
    #[default]
    Nothing,
    /// Those that are named, with or without a value: `--no-first-run`.
    These(Vec<String>),
    /// All of [`FLAGS`], but for `--headless=new` where that was asked for.
    Everything,
}

/// A proxy for the whole browser. Its credentials are never given on the command line, where others could read them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Proxy {
    /// Such as `http://proxy.example:3128` or `socks5://127.0.0.1:1080`.
    pub server: String,
    /// Hosts to reach without it, separated by commas.
    pub bypass: Option<String>,
}

/// What was decided about a launch before anything is started.
#[derive(Debug, Clone)]
struct Plan {
    found: Found,
    headless: bool,
    sandbox: bool,
    user_agent: Option<String>,
}

/// Starts a browser and waits until it answers.
///
/// `warn` gets a line for each thing that is not as somebody might expect.
pub async fn launch(options: &LaunchOptions, warn: &(dyn Fn(&str) + Send + Sync)) -> Result<BrowserProcess> {
    let deadline = Instant::now() + options.launch_limit;
    let headless = headless(options, warn)?;
    let found = find(&options.wanted())?;
    let speaks_bidi = found.channel.speaks_bidi();
    // Firefox has its sandbox as root too.
    let sandbox = if speaks_bidi { options.sandbox != Some(false) } else { sandbox(options, warn) };
    flags::check(options)?;
    if speaks_bidi {
        let plan = Plan { found, headless, sandbox, user_agent: options.user_agent.clone() };
        return process::start(options, &plan, deadline).await;
    }

    // A headless browser says so in its user agent, and only a flag reaches every worker and request. What the flag
    // must say depends on the version.
    let disguised = headless && options.user_agent.is_none();
    let version = if disguised { version::of(&found, deadline).await } else { None };
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
    if !disguised {
        return Ok(process);
    }
    let truth = version::user_agent(&plan.found, process.version().number());
    if plan.user_agent.as_ref() == Some(&truth) {
        return Ok(process);
    }
    // The browser was updated behind a script, or would not tell its version: now it has.
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

/// Whether a window could be shown.
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
