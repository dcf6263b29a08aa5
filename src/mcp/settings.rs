//! What the command line decides for tools.
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

/// How pictures are answered with.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum ImageResponses {
    /// The path of the file.
    #[default]
    File,
    /// The path, and the picture itself, scaled for models.
    Inline,
    /// Only that it was taken.
    Omit,
}

/// How grave a console message must be to be shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum ConsoleThreshold {
    Error,
    Warning,
    #[default]
    Info,
    Debug,
}

/// What the command line decides for tools.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// How long an element may take until it can be acted on.
    pub action_limit: Duration,
    /// How long a page may take to load.
    pub navigation_limit: Duration,
    /// How long nothing must happen until an action counts as over.
    pub settle: Duration,
    /// How long a snapshot becomes, and how long where all controls take more.
    pub snapshot_usual_chars: usize,
    pub snapshot_max_chars: usize,
    /// Whether a snapshot is so short that not every control has room, since the page is in a file, too.
    pub brief: bool,
    pub image_responses: ImageResponses,
    pub console_level: ConsoleThreshold,
    pub screenshot_dir: PathBuf,
    /// Where PDFs and downloads go.
    pub output_dir: PathBuf,
    /// Where a browser is downloaded from, instead of the usual server.
    pub download_host: Option<String>,
    /// The folders whose files a caller may name.
    pub roots: Roots,
    /// Whether pages may be files of those folders.
    pub allow_files: bool,
    /// Whether a client can add folders to them, in which it works.
    pub client_roots: bool,
    /// How long a person may take to log in or to pass a check.
    pub login_limit: Duration,
    /// Of the texts about that.
    pub language: Language,
    /// Which tools pause after nobody came.
    pub cooldown_scope: Scope,
    /// What a person must allow first.
    pub consent: Consent,
    pub sessions: SessionOptions,
    pub politeness: Politeness,
    /// The script of axe, whose rules audits use beside our own.
    pub axe: Option<Arc<str>>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            action_limit: Duration::from_secs(5),
            navigation_limit: Duration::from_secs(30),
            settle: Duration::from_millis(120),
            snapshot_usual_chars: snapshot::Options::default().usual_chars,
            snapshot_max_chars: snapshot::Options::default().max_chars,
            brief: false,
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
    /// How much of a page an answer shows.
    pub fn snapshot_options(&self) -> snapshot::Options {
        snapshot::Options {
            usual_chars: self.snapshot_usual_chars,
            max_chars: self.snapshot_max_chars,
            brief: self.brief,
            ..snapshot::Options::default()
        }
    }
}
