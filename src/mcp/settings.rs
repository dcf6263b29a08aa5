//! Settings of tools, from the command line.
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::folders;
use crate::mcp::consent::ConsentRules;
use crate::messages::Language;
use crate::session::Roots;
use crate::session::cooldown::CooldownScope;
use crate::session::pacing::PacingOptions;
use crate::session::registry::SessionOptions;
use crate::snapshot;

/// How screenshots are returned.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum ImageResponses {
    /// The path of the file.
    #[default]
    File,
    /// The path, and the picture itself, scaled for models.
    Inline,
    /// Only a confirmation.
    Omit,
}

/// The least severity of console messages to show.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum ConsoleThreshold {
    Error,
    Warning,
    #[default]
    Info,
    Debug,
}

/// Time limits of tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// How long an action waits for an element to become actionable.
    pub action: Duration,
    /// How long a navigation may take.
    pub navigation: Duration,
    /// How long a page must be quiet before an action counts as done.
    pub settle: Duration,
    /// How long to wait for a person to log in or pass a check.
    pub login: Duration,
}

/// The folders for files, and the files that callers may use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileAccessSettings {
    pub screenshot_dir: PathBuf,
    /// The folder for PDFs, downloads and other output.
    pub output_dir: PathBuf,
    /// The folders whose files callers may use.
    pub roots: Roots,
    /// Whether pages may open files in `roots`, as `file:` URLs (`--allow-files`).
    pub allow_urls: bool,
    /// Whether clients can add their workspace folders (MCP roots) to `roots`.
    pub client_roots: bool,
}

/// Settings of tools, from the command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    pub timeouts: Timeouts,
    pub files: FileAccessSettings,
    /// The size limits of a snapshot in an answer.
    pub snapshot: snapshot::Options,
    pub image_responses: ImageResponses,
    pub console_level: ConsoleThreshold,
    /// The server from which browsers are downloaded. Default: the official one.
    pub download_host: Option<String>,
    /// The language of texts for people, such as requests to log in.
    pub language: Language,
    /// The tools that pause during a cooldown.
    pub cooldown_scope: CooldownScope,
    /// The rules for actions that need a person's consent (`--confirm`).
    pub consent: ConsentRules,
    pub sessions: SessionOptions,
    pub politeness: PacingOptions,
    /// The source code of axe-core, whose rules extend accessibility audits; `None` if not configured.
    pub axe: Option<Arc<str>>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            timeouts: Timeouts {
                action: Duration::from_secs(5),
                navigation: Duration::from_secs(30),
                settle: Duration::from_millis(120),
                login: Duration::from_secs(120),
            },
            files: FileAccessSettings {
                screenshot_dir: PathBuf::from(folders::SCREENSHOTS),
                output_dir: PathBuf::from(folders::OUTPUT),
                roots: Roots::default(),
                allow_urls: false,
                client_roots: true,
            },
            snapshot: snapshot::Options {
                usual_chars: 6_000,
                max_chars: 10_000,
                change_chars: 2_500,
                brief: true,
                ..snapshot::Options::default()
            },
            image_responses: ImageResponses::default(),
            console_level: ConsoleThreshold::default(),
            download_host: None,
            language: Language::default(),
            cooldown_scope: CooldownScope::default(),
            consent: ConsentRules::default(),
            sessions: SessionOptions::default(),
            politeness: PacingOptions::default(),
            axe: None,
        }
    }
}
