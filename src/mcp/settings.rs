//! Settings of tools from the command line.
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::mcp::consent::Consent;
use crate::messages::Language;
use crate::session::Roots;
use crate::session::cooldown::CooldownScope;
use crate::session::pacing::Politeness;
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
    /// How long an element may take to become actionable.
    pub action: Duration,
    /// How long a page may take to load.
    pub navigation: Duration,
    /// How long a page must be quiet until an action counts as done.
    pub settle: Duration,
    /// How long a person may take to log in or to pass a check.
    pub login: Duration,
}

/// The folders for files, and which files a caller may use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileSettings {
    pub screenshot_dir: PathBuf,
    /// The folder for PDFs and downloads.
    pub output_dir: PathBuf,
    /// The folders whose files a caller may use.
    pub roots: Roots,
    /// Whether files in these folders can be opened as pages.
    pub allow_urls: bool,
    /// Whether clients can add their workspace folders.
    pub client_roots: bool,
}

/// Settings of tools from the command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    pub timeouts: Timeouts,
    pub files: FileSettings,
    /// The limits of a snapshot in an answer.
    pub snapshot: snapshot::Options,
    pub image_responses: ImageResponses,
    pub console_level: ConsoleThreshold,
    /// The server for browser downloads. Default: the official one.
    pub download_host: Option<String>,
    /// The language of the texts about waiting for a person.
    pub language: Language,
    /// Which tools pause during a cooldown.
    pub cooldown_scope: CooldownScope,
    /// The actions that need a person's consent.
    pub consent: Consent,
    pub sessions: SessionOptions,
    pub politeness: Politeness,
    /// The source of axe-core, whose rules accessibility audits use in addition.
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
            files: FileSettings {
                screenshot_dir: PathBuf::from(".viewpoint-mcp-screenshots"),
                output_dir: PathBuf::from(".patchright-mcp"),
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
            consent: Consent::default(),
            sessions: SessionOptions::default(),
            politeness: Politeness::default(),
            axe: None,
        }
    }
}
