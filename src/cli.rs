//! The command line: flags, environment and file to a [`Config`], and the server that it describes.
//!
//! A setting has one name everywhere: `--timeout-action`, `PATCHRIGHT_MCP_TIMEOUT_ACTION`, `timeoutAction` in the file.
//! [`flags`] lists them; [`layers`] lets a flag win over the environment, and that over the file.
pub mod flags;
pub mod layers;
mod run;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use strum::VariantArray;

use self::flags::{Flags, InputName, LogLevel, Size};
use crate::browser::ContextOptions;
use crate::browser::find::Channel;
use crate::browser::input::InputStyle;
use crate::browser::launch::LaunchOptions;
use crate::mcp::settings::Settings;
use crate::mcp::tool::{Capability, Toolset};
use crate::session::Roots;

/// All that can be set, resolved.
#[derive(Debug, Clone)]
pub struct Config {
    pub launch: LaunchOptions,
    pub context: ContextOptions,
    pub settings: Settings,
    /// Optional tools that are listed.
    pub capabilities: BTreeSet<Capability>,
    /// Families of tools that are listed.
    pub toolsets: BTreeSet<Toolset>,
    pub log_level: LogLevel,
    /// What the user should hear before the server starts.
    pub warnings: Vec<String>,
}

impl Config {
    fn new(flags: Flags, warnings: Vec<String>) -> Result<Self, Ending> {
        let settings = Settings::default();
        let output_dir = flags.output_dir.clone().unwrap_or_else(|| settings.output_dir.clone());
        let limit = |given: Option<u64>, usual: Duration| given.map_or(usual, Duration::from_millis);
        Ok(Self {
            launch: launch_options(&flags)?,
            context: context_options(&flags)?,
            settings: Settings {
                action_limit: limit(flags.timeout_action, settings.action_limit),
                navigation_limit: limit(flags.timeout_navigation, settings.navigation_limit),
                settle: limit(flags.timeout_settle, settings.settle),
                snapshot_max_chars: flags
                    .snapshot_max_chars
                    .map_or(settings.snapshot_max_chars, |most| usize::try_from(most).unwrap_or(usize::MAX)),
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

fn launch_options(flags: &Flags) -> Result<LaunchOptions, Ending> {
    let channel = match flags.browser {
        Some(browser) => {
            Channel::named(browser.into()).map_err(|error| Ending::Mistake(format!("--browser: {error}")))?
        }
        None => Channel::default(),
    };
    Ok(LaunchOptions {
        channel,
        executable: flags.executable_path.clone(),
        headless: flags.headless,
        sandbox: flags.no_sandbox.map(|without| !without),
        user_data_dir: flags.user_data_dir.clone(),
        ..LaunchOptions::default()
    })
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
        downloads: Some(absolute(flags.output_dir.as_deref().unwrap_or(&Settings::default().output_dir))),
        catch_file_choosers: true,
        input: match flags.input {
            Some(InputName::Instant) => InputStyle::Instant,
            Some(InputName::Natural) | None => InputStyle::Natural,
        },
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
