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

use strum::VariantArray;

use crate::cli::flags::{Flags, LogLevel};
use crate::mcp::tool::{Capability, Toolset};

/// All that can be set, resolved.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// Optional tools that are listed.
    pub capabilities: BTreeSet<Capability>,
    /// Families of tools that are listed.
    pub toolsets: BTreeSet<Toolset>,
    pub log_level: LogLevel,
    /// What the user should hear before the server starts.
    pub warnings: Vec<String>,
}

impl Config {
    fn new(flags: Flags, warnings: Vec<String>) -> Self {
        Self {
            capabilities: flags.caps.unwrap_or_default().into_iter().collect(),
            toolsets: flags.toolsets.unwrap_or_else(|| Toolset::VARIANTS.to_vec()).into_iter().collect(),
            log_level: flags.log_level.unwrap_or(LogLevel::Warn),
            warnings,
        }
    }
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
    Ok(Config::new(flags, warnings))
}

/// Runs the command line and returns the exit status. `arguments` come without the program's name.
pub fn main(arguments: Vec<OsString>) -> i32 {
    match configure(arguments, std::env::vars_os()) {
        Ok(config) => run::run(config),
        Err(ending) => ending.report(),
    }
}
