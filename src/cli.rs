//! The command line: flags, environment and file to a [`Config`], and the server that it describes.
//!
//! A setting has one name everywhere: `--timeout-action`, `PATCHRIGHT_MCP_TIMEOUT_ACTION`, `timeoutAction` in the file.
//! [`flags`] lists them; [`layers`] lets a flag win over the environment, and that over the file.
pub mod flags;
pub mod layers;
mod run;

pub use run::dispatcher;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

use strum::VariantArray;

use self::flags::{Flags, LogLevel, Size};
use crate::browser::ContextOptions;
use crate::browser::find::Channel;
use crate::browser::launch::LaunchOptions;
use crate::mcp::settings::Settings;
use crate::mcp::tool::{Capability, Toolset};
use crate::session::Roots;
use crate::session::cooldown::DEFAULT_PERIOD;
use crate::session::pacing::Politeness;

/// All that can be set, resolved.
#[derive(Debug, Clone)]
pub struct Config {
    pub launch: LaunchOptions,
    /// The browser that was asked for, if this build does not drive it.
    pub unsupported_browser: Option<String>,
    pub context: ContextOptions,
    pub settings: Settings,
    /// Optional tools that are listed.
    pub capabilities: BTreeSet<Capability>,
    /// Families of tools that are listed.
    pub toolsets: BTreeSet<Toolset>,
    /// How long the tools pause after nobody came.
    pub cooldown: Duration,
    /// Where the pause is kept.
    pub state_dir: Option<PathBuf>,
    pub log_level: LogLevel,
    /// What the user should hear before the server starts.
    pub warnings: Vec<String>,
}

impl Config {
    fn new(flags: Flags, warnings: Vec<String>) -> Result<Self, Ending> {
        let mut settings = Settings::default();
        if let Some(seconds) = flags.login_timeout {
            settings.login_limit = Duration::from_secs(seconds);
        }
        if let Some(ms) = flags.session_timeout {
            settings.sessions.lifetime = Duration::from_millis(ms);
        }
        if let Some(limit) = flags.max_sessions.and_then(|limit| NonZeroUsize::new(limit.try_into().ok()?)) {
            settings.sessions.limit = limit;
        }
        settings.language = flags.lang.unwrap_or_default();
        settings.cooldown_scope = flags.cooldown_scope.unwrap_or_default();
        settings.politeness = Politeness {
            min_interval: Duration::from_millis(flags.min_interval.unwrap_or_default()),
            respect_robots: flags.respect_robots.unwrap_or_default(),
        };
        let output_dir = flags.output_dir.clone().unwrap_or_else(|| settings.output_dir.clone());
        Ok(Self {
            cooldown: flags.login_cooldown.map_or(DEFAULT_PERIOD, Duration::from_secs),
            state_dir: flags.state_dir.clone(),
            launch: launch_options(&flags),
            unsupported_browser: flags
                .browser
                .map(<&str>::from)
                .filter(|name| Channel::named(name).is_err())
                .map(str::to_owned),
            context: context_options(&flags)?,
            settings: Settings {
                navigation_limit: flags
                    .timeout_navigation
                    .map_or(settings.navigation_limit, Duration::from_millis),
                action_limit: flags.timeout_action.map_or(settings.action_limit, Duration::from_millis),
                settle: flags.timeout_settle.map_or(settings.settle, Duration::from_millis),
                snapshot_max_chars: flags.snapshot_max_chars.unwrap_or(settings.snapshot_max_chars),
                download_host: flags.download_host.clone(),
                roots: Roots::new([output_dir.clone()]),
                output_dir,
                image_responses: flags.image_responses.unwrap_or(settings.image_responses),
                screenshot_dir: flags.screenshot_dir.unwrap_or(settings.screenshot_dir),
                ..settings
            },
            capabilities: flags.caps.unwrap_or_default().into_iter().collect(),
            toolsets: flags.toolsets.unwrap_or_else(|| Toolset::VARIANTS.to_vec()).into_iter().collect(),
            log_level: flags.log_level.unwrap_or(LogLevel::Warn),
            warnings,
        })
    }
}

fn launch_options(flags: &Flags) -> LaunchOptions {
    let channel = flags.browser.and_then(|browser| Channel::named(browser.into()).ok()).unwrap_or_default();
    LaunchOptions {
        channel,
        executable: flags.executable_path.clone(),
        headless: flags.headless,
        sandbox: flags.no_sandbox.map(|without| !without),
        user_data_dir: flags.user_data_dir.clone(),
        ..LaunchOptions::default()
    }
}

fn context_options(flags: &Flags) -> Result<ContextOptions, Ending> {
    let read = |path: &PathBuf| {
        let text = std::fs::read_to_string(path);
        text.map_err(|error| Ending::Mistake(format!("--init-script: {}: {error}", path.display())))
    };
    Ok(ContextOptions {
        viewport: flags.viewport_size.map(|Size { width, height }| (width, height)),
        user_agent: flags.user_agent.clone(),
        locale: flags.locale.clone(),
        timezone: flags.timezone.clone(),
        input: flags.input.map(Into::into).unwrap_or_default(),
        downloads: Some(absolute(flags.output_dir.as_deref().unwrap_or(&Settings::default().output_dir))),
        catch_file_choosers: true,
        init_scripts: flags.init_script.iter().flatten().map(read).collect::<Result<_, _>>()?,
        ..ContextOptions::default()
    })
}

/// The browser has a working directory of its own.
fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// Why the program ends without serving: it was asked a question, or told something that cannot be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ending {
    /// `--help` or `--version`.
    Answer(String),
    /// One line on what is wrong.
    Mistake(String),
}

impl Ending {
    fn report(&self) -> i32 {
        // Whoever started us may have closed either stream; that is no reason to panic.
        match self {
            Self::Answer(text) => {
                let _ = std::io::stdout().write_all(text.as_bytes());
                0
            }
            Self::Mistake(line) => {
                tell(line);
                2
            }
        }
    }
}

/// Writes one line to standard error.
fn tell(line: &str) {
    let _ = writeln!(std::io::stderr(), "patchright-mcp: {line}");
}

/// Reads what was set, wherever it was set. `arguments` come without the program's name.
pub fn configure(
    arguments: impl IntoIterator<Item = OsString>,
    environment: impl IntoIterator<Item = (OsString, OsString)>,
) -> Result<Config, Ending> {
    let (flags, warnings) = layers::read(arguments.into_iter().collect(), environment)?;
    Config::new(flags, warnings)
}

/// Runs the command line and returns the exit status. `arguments` come without the program's name.
pub fn main(arguments: Vec<OsString>) -> i32 {
    match configure(arguments, std::env::vars_os()) {
        Ok(config) => run::run(config),
        Err(ending) => ending.report(),
    }
}
