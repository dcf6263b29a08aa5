//! Every setting. A setting is listed here when it does something, and not before.
use std::path::PathBuf;

use clap::Parser;

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

    /// Optional tools to offer, separated by commas
    #[arg(long, value_name = "CAPS", value_delimiter = ',', ignore_case = true)]
    pub caps: Option<Vec<Capability>>,

    /// Families of tools to offer, separated by commas [default: all]
    #[arg(long, value_name = "SETS", value_delimiter = ',', ignore_case = true)]
    pub toolsets: Option<Vec<Toolset>>,

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
