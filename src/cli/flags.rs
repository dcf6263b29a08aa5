//! Every setting. A setting is listed here when it does something, and not before.
use std::path::PathBuf;
use std::str::FromStr;

use clap::Parser;
use clap::builder::{RangedU64ValueParser, TypedValueParser, ValueParser};

use crate::mcp::settings::ImageResponses;
use crate::mcp::tool::{Capability, Toolset};

const AFTER_HELP: &str = "\
Each setting is also an environment variable (PATCHRIGHT_MCP_ and its name, such as PATCHRIGHT_MCP_LOG_LEVEL) and a key \
of the --config file (logLevel or log-level). A flag wins over the environment, the environment over the file.";

/// An MCP server that drives a real Chromium without leaving traces.
#[derive(Debug, Clone, Default, PartialEq, Parser)]
#[command(name = "patchright-mcp", version, after_help = AFTER_HELP, max_term_width = 100)]
pub struct Flags {
    /// Settings from a JSON or TOML file
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,

    /// Browser to drive [default: chromium]
    #[arg(long, value_name = "NAME", ignore_case = true, help_heading = "Browser")]
    pub browser: Option<BrowserName>,

    /// Program to start, instead of what is found on this machine
    #[arg(long, value_name = "PATH", help_heading = "Browser")]
    pub executable_path: Option<PathBuf>,

    /// Whether to do without a window [default: only where there is no display]
    #[arg(long, value_name = "true|false", num_args = 0..=1, default_missing_value = "true", help_heading = "Browser")]
    pub headless: Option<bool>,

    /// Switch off the browser's own sandbox
    #[arg(long, value_name = "true|false", num_args = 0..=1, default_missing_value = "true", help_heading = "Browser")]
    pub no_sandbox: Option<bool>,

    /// Profile to work in and to keep [default: a fresh one that is removed afterwards]
    #[arg(long, value_name = "DIR", help_heading = "Browser")]
    pub user_data_dir: Option<PathBuf>,

    /// Size of pages in CSS pixels, such as 1280x720 [default: as large as the window]
    #[arg(long, value_name = "WIDTHxHEIGHT", help_heading = "Pages")]
    pub viewport_size: Option<Size>,

    /// User agent to claim, instead of the browser's own
    #[arg(long, value_name = "TEXT", value_parser = not_empty(), help_heading = "Pages")]
    pub user_agent: Option<String>,

    /// Language of pages, such as de-DE
    #[arg(long, value_name = "TAG", value_parser = not_empty(), help_heading = "Pages")]
    pub locale: Option<String>,

    /// Time zone of pages, such as Europe/Berlin
    #[arg(long, value_name = "ZONE", value_parser = not_empty(), help_heading = "Pages")]
    pub timezone: Option<String>,

    /// Script file to run in every document before its own; can be given several times
    #[arg(long, value_name = "FILE", value_delimiter = ',', help_heading = "Pages")]
    pub init_script: Option<Vec<PathBuf>>,

    /// Optional tools to offer, separated by commas
    #[arg(long, value_name = "CAPS", value_delimiter = ',', ignore_case = true, help_heading = "Tools")]
    pub caps: Option<Vec<Capability>>,

    /// Families of tools to offer, separated by commas [default: all]
    #[arg(long, value_name = "SETS", value_delimiter = ',', ignore_case = true, help_heading = "Tools")]
    pub toolsets: Option<Vec<Toolset>>,

    /// How the pointer and the keys move [default: natural]
    #[arg(long, value_name = "HOW", ignore_case = true, help_heading = "Pages")]
    pub input: Option<InputName>,

    /// Longest time until an element can be acted on [default: 5000]
    #[arg(long, value_name = "MS", value_parser = milliseconds(), help_heading = "Tools")]
    pub timeout_action: Option<u64>,

    /// How long nothing must happen until an action counts as over [default: 120]
    #[arg(long, value_name = "MS", value_parser = RangedU64ValueParser::<u64>::new().range(0..=10_000), help_heading = "Tools")]
    pub timeout_settle: Option<u64>,

    /// Longest time until a page has loaded [default: 30000]
    #[arg(long, value_name = "MS", value_parser = milliseconds(), help_heading = "Tools")]
    pub timeout_navigation: Option<u64>,

    /// Most characters of a page that an answer shows [default: 50000]
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<u64>::new().range(500..=10_000_000), help_heading = "Tools")]
    pub snapshot_max_chars: Option<u64>,

    /// What screenshots are answered with [default: file]
    #[arg(long, value_name = "HOW", ignore_case = true, help_heading = "Tools")]
    pub image_responses: Option<ImageResponses>,

    /// Where screenshots are saved [default: .viewpoint-mcp-screenshots]
    #[arg(long, value_name = "DIR", help_heading = "Tools")]
    pub screenshot_dir: Option<PathBuf>,

    /// Where PDFs and downloads are saved [default: .patchright-mcp]
    #[arg(long, value_name = "DIR", help_heading = "Tools")]
    pub output_dir: Option<PathBuf>,

    /// Server to download a browser from, laid out as the usual one
    #[arg(long, value_name = "URL", value_parser = not_empty(), help_heading = "Tools")]
    pub download_host: Option<String>,

    /// What to write to standard error [default: warn]
    #[arg(long, value_name = "LEVEL", ignore_case = true)]
    pub log_level: Option<LogLevel>,
}

/// How much is logged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum LogLevel {
    Off,
    Error,
    Warn,
    Info,
    Debug,
    Trace,
}

/// The makes of browser that can be named.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum BrowserName {
    Chromium,
    Chrome,
    Msedge,
}

/// How the pointer and the keys move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum InputName {
    /// As a hand does.
    Natural,
    /// As fast as the browser takes it.
    Instant,
}

/// Width and height in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    pub width: u32,
    pub height: u32,
}

impl FromStr for Size {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const EXPECTED: &str = "expected a width and a height between 1 and 16384, such as 1280x720";
        let (width, height) = text.split_once(['x', 'X', ',']).ok_or(EXPECTED)?;
        let side =
            |text: &str| text.trim().parse().ok().filter(|side| (1..=16384).contains(side)).ok_or(EXPECTED);
        Ok(Self { width: side(width)?, height: side(height)? })
    }
}

/// A length of time that ends.
fn milliseconds() -> RangedU64ValueParser {
    RangedU64ValueParser::new().range(1..=86_400_000)
}

fn not_empty() -> ValueParser {
    clap::builder::NonEmptyStringValueParser::new().map(|text: String| text.trim().to_owned()).into()
}
