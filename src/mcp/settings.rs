//! Settings of tools from the command line.
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::mcp::consent::Consent;
use crate::messages::Language;
use crate::session::Roots;
use crate::session::cooldown::Scope;
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

/// Settings of tools from the command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// The time limit for an element to become actionable.
    pub action_limit: Duration,
    /// The time limit for a page to load.
    pub navigation_limit: Duration,
    /// How long a page must be quiet until an action counts as done.
    pub settle: Duration,
    /// The size of a snapshot, its limit if the headings of an article need more, and the size of changes.
    pub snapshot_usual_chars: usize,
    pub snapshot_max_chars: usize,
    pub change_chars: usize,
    pub image_responses: ImageResponses,
    pub console_level: ConsoleThreshold,
    pub screenshot_dir: PathBuf,
    /// The folder for PDFs and downloads.
    pub output_dir: PathBuf,
    /// The server for browser downloads. Default: the official one.
    pub download_host: Option<String>,
    /// The folders whose files a caller may use.
    pub roots: Roots,
    /// Whether files in these folders can be opened as pages.
    pub allow_files: bool,
    /// Whether clients can add their workspace folders.
    pub client_roots: bool,
    /// How long a person may take to log in or to pass a check.
    pub login_limit: Duration,
    /// The language of the texts about that.
    pub language: Language,
    /// Which tools pause during a cooldown.
    pub cooldown_scope: Scope,
    /// The actions that need a person's consent.
    pub consent: Consent,
    pub sessions: SessionOptions,
    pub politeness: Politeness,
    /// The axe script, whose rules audits use in addition.
    pub axe: Option<Arc<str>>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            action_limit: Duration::from_secs(5),
            navigation_limit: Duration::from_secs(30),
            settle: Duration::from_millis(120),
            snapshot_usual_chars: 6_000,
            snapshot_max_chars: 10_000,
            change_chars: 2_500,
            image_responses: ImageResponses::default(),
            console_level: ConsoleThreshold::default(),
            screenshot_dir: PathBuf::from(".viewpoint-mcp-screenshots"),
            output_dir: PathBuf::from(".patchright-mcp"),
            download_host: None,
            roots: Roots::default(),
            allow_files: false,
            client_roots: true,
            login_limit: Duration::from_secs(120),
            language: Language::default(),
            cooldown_scope: Scope::default(),
            consent: Consent::default(),
            sessions: SessionOptions::default(),
            politeness: Politeness::default(),
            axe: None,
        }
    }
}

impl Settings {
    /// The limits of a snapshot in an answer.
    pub fn snapshot_options(&self) -> snapshot::Options {
        snapshot::Options {
            usual_chars: self.snapshot_usual_chars,
            max_chars: self.snapshot_max_chars,
            change_chars: self.change_chars,
            brief: true,
            ..snapshot::Options::default()
        }
    }
}
