//! The definitions of all settings, as command-line flags.
#![allow(clippy::doc_markdown, reason = "these comments are the text of --help")]
use std::path::PathBuf;
use std::str::FromStr;

use clap::builder::{RangedU64ValueParser, TypedValueParser, ValueParser};
use clap::{Args, Parser};

use crate::browser::UserBrowser;
use crate::browser::policy::OriginPattern;
use crate::live::LiveViewMode;
use crate::mcp::consent::ConsentRules;
use crate::mcp::settings::{ConsoleThreshold, ImageResponses};
use crate::mcp::tool::{Capability, Toolset};
use crate::messages::Language;
use crate::session::cooldown::CooldownScope;

const AFTER_HELP: &str = "\
Each setting is also an environment variable (PATCHRIGHT_MCP_ and its name, such as PATCHRIGHT_MCP_LOG_LEVEL) and a key \
of the --config file (logLevel or log-level). A flag wins over the environment, the environment over the file.

`patchright-mcp help` lists commands, such as open and click, which drive a browser from a shell.";

/// An MCP server that drives a real Chromium without leaving traces.
#[derive(Debug, Clone, Default, PartialEq, Parser)]
#[command(name = "patchright-mcp", version, after_help = AFTER_HELP, max_term_width = 100)]
pub struct Flags {
    /// Settings from a JSON or TOML file
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,

    // Flattened before any help heading is set, so that these flags appear without a heading.
    #[command(flatten)]
    pub log: LogFlags,

    #[command(flatten)]
    pub browser: BrowserFlags,

    #[command(flatten)]
    pub engine: BrowserNetworkFlags,

    #[command(flatten)]
    pub pages: PageFlags,

    #[command(flatten)]
    pub tools: ToolFlags,

    #[command(flatten)]
    pub sessions: SessionFlags,

    #[command(flatten)]
    pub limits: LimitFlags,

    #[command(flatten)]
    pub user: HandoffFlags,

    /// Values that a model types by name and never sees: a TOML or JSON file, or ! and a command that prints one
    #[arg(long, value_name = "FILE|!COMMAND", value_parser = not_empty(), help_heading = "Secrets")]
    pub secrets: Option<String>,

    #[command(flatten)]
    pub politeness: PolitenessFlags,

    #[command(flatten)]
    pub http: HttpFlags,

    #[command(flatten)]
    pub replica: ReplicaFlags,
}

// How to start a browser or attach to one.
#[derive(Debug, Clone, Default, PartialEq, Args)]
#[command(next_help_heading = "Browser")]
pub struct BrowserFlags {
    /// Browser to drive [default: chromium]
    #[arg(long, value_name = "NAME", ignore_case = true)]
    pub browser: Option<BrowserName>,

    /// Browser program to start [default: the first one found]
    #[arg(long, value_name = "PATH")]
    pub executable_path: Option<PathBuf>,

    /// Run without a window [default: only if there is no display]
    #[arg(long, value_name = "true|false", num_args = 0..=1, default_missing_value = "true")]
    pub headless: Option<bool>,

    /// Keep `navigator.webdriver` false in Firefox; its remote agent then has the browser's own privileges
    #[arg(long, value_name = "true|false", num_args = 0..=1, default_missing_value = "true")]
    pub hide_webdriver: Option<bool>,

    /// Disable the browser's sandbox
    #[arg(long, value_name = "true|false", num_args = 0..=1, default_missing_value = "true")]
    pub no_sandbox: Option<bool>,

    /// Profile folder to use and keep, with its logins [default: a temporary one]
    #[arg(long, value_name = "DIR")]
    pub user_data_dir: Option<PathBuf>,

    /// Use fresh contexts, even with --user-data-dir or --cdp-endpoint
    #[arg(long, value_name = "true|false", num_args = 0..=1, default_missing_value = "true")]
    pub isolated: Option<bool>,

    /// Attach to a running browser at an http(s):// or ws(s):// address; it is never closed
    #[arg(long, value_name = "URL")]
    pub cdp_endpoint: Option<String>,

    /// Work in your own running browser, in separate windows; --user-data-dir names its profile folder if it is not the
    /// default
    #[arg(long, value_name = "NAME", ignore_case = true, conflicts_with = "cdp_endpoint")]
    pub attach: Option<UserBrowser>,

    /// Argument for the browser, for example --load-extension=DIR; repeatable. Pages may notice it
    #[arg(long, value_name = "ARGUMENT", allow_hyphen_values = true)]
    pub arg: Option<Vec<String>>,

    /// Header for that connection, for example 'X-Key: value'; repeatable
    #[arg(long, value_name = "HEADER")]
    pub cdp_header: Option<Vec<Header>>,

    /// Timeout of that connection [default: 30000; 120000 with --attach, 10000 with --pool]
    #[arg(long, value_name = "MS", value_parser = milliseconds())]
    pub cdp_timeout: Option<u64>,

    /// Running browsers to distribute sessions over: addresses separated by commas, or a file
    #[arg(long, value_name = "URLS|FILE", value_parser = not_empty())]
    pub pool: Option<String>,
}

// The proxy, and how long browsers live.
#[derive(Debug, Clone, Default, PartialEq, Args)]
#[command(next_help_heading = "Browser")]
pub struct BrowserNetworkFlags {
    /// Proxy for all traffic: http://, https:// or socks5://, optionally with user:password@
    #[arg(long, value_name = "URL")]
    pub proxy_server: Option<String>,

    /// Hosts to reach directly, separated by commas
    #[arg(long, value_name = "HOSTS")]
    pub proxy_bypass: Option<String>,

    /// Close a browser unused for this long; 0 disables this [default: 3600000 without a window, never with one]
    #[arg(long, value_name = "MS", value_parser = RangedU64ValueParser::<u64>::new().range(0..=86_400_000))]
    pub idle_timeout: Option<u64>,

    /// Restore the cookies of a browser that has ended in the next one
    #[arg(long, value_name = "true|false", num_args = 0..=1, default_missing_value = "true")]
    pub restore: Option<bool>,
}

// What pages see, and which origins they may reach.
#[derive(Debug, Clone, Default, PartialEq, Args)]
#[command(next_help_heading = "Pages")]
pub struct PageFlags {
    /// Viewport size in CSS pixels, for example 1280x720 [default: the window's size]
    #[arg(long, value_name = "WIDTHxHEIGHT")]
    pub viewport_size: Option<Size>,

    /// User agent [default: the browser's own]
    #[arg(long, value_name = "TEXT", value_parser = not_empty())]
    pub user_agent: Option<String>,

    /// Locale of pages, for example de-DE
    #[arg(long, value_name = "TAG", value_parser = language())]
    pub locale: Option<String>,

    /// Time zone of pages, for example Europe/Berlin
    #[arg(long, value_name = "ZONE", value_parser = not_empty())]
    pub timezone: Option<String>,

    /// Script file to run in every new document before its own scripts; repeatable
    #[arg(long, value_name = "FILE", value_delimiter = ',')]
    pub init_script: Option<Vec<PathBuf>>,

    /// Device to emulate, for example 'Pixel 7' or 'iPhone 15': size, touch and user agent
    #[arg(long, value_name = "NAME")]
    pub device: Option<String>,

    /// Accept invalid certificates
    #[arg(long, value_name = "true|false", num_args = 0..=1, default_missing_value = "true")]
    pub ignore_https_errors: Option<bool>,

    /// Initial storage state file, in Playwright's format
    #[arg(long, value_name = "FILE")]
    pub storage_state: Option<PathBuf>,

    /// Permissions to grant to pages, separated by commas: geolocation, clipboard-read, camera, …
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub grant_permissions: Option<Vec<String>>,

    /// Origins that pages may reach, no others, separated by semicolons or commas: https://host, *.host, http://host:*
    #[arg(long, value_name = "ORIGINS")]
    pub allowed_origins: Option<OriginList>,

    /// Origins that pages may not reach
    #[arg(long, value_name = "ORIGINS")]
    pub blocked_origins: Option<OriginList>,

    /// Block this machine and its private networks, under any name
    #[arg(long, value_name = "true|false", num_args = 0..=1, default_missing_value = "true")]
    pub block_private_network: Option<bool>,

    /// Allow file: URLs in the working and output directories
    #[arg(long, value_name = "true|false", num_args = 0..=1, default_missing_value = "true")]
    pub allow_files: Option<bool>,

    /// Pace of pointer and keys [default: natural]
    #[arg(long, value_name = "HOW", ignore_case = true)]
    pub input: Option<InputPace>,
}

// Which tools are offered; time limits, answers and files.
#[derive(Debug, Clone, Default, PartialEq, Args)]
#[command(next_help_heading = "Tools")]
pub struct ToolFlags {
    /// Additional tools to offer, separated by commas
    #[arg(long, value_name = "CAPS", value_delimiter = ',', ignore_case = true)]
    pub caps: Option<Vec<Capability>>,

    /// Allow --caps code over HTTP: its programs can do what the server's user can
    #[arg(long, value_name = "true|false", num_args = 0..=1, default_missing_value = "true")]
    pub allow_remote_code: Option<bool>,

    /// Path of axe-core's axe.min.js, for additional accessibility rules
    #[arg(long, value_name = "FILE")]
    pub axe: Option<PathBuf>,

    /// Families of tools to offer, separated by commas [default: browser,patchright,sessions]
    #[arg(long, value_name = "SETS", value_delimiter = ',', ignore_case = true)]
    pub toolsets: Option<Vec<Toolset>>,

    /// Timeout of actions: until the element is actionable [default: 5000]
    #[arg(long, value_name = "MS", value_parser = milliseconds())]
    pub timeout_action: Option<u64>,

    /// Quiet time after which an action counts as done [default: 120]
    #[arg(long, value_name = "MS", value_parser = RangedU64ValueParser::<u64>::new().range(0..=10_000))]
    pub timeout_settle: Option<u64>,

    /// Timeout of navigations [default: 30000]
    #[arg(long, value_name = "MS", value_parser = milliseconds())]
    pub timeout_navigation: Option<u64>,

    /// Maximum characters of a page in an answer [default: 6000, up to 10000 for the headings of an article, 2500 after an action]
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<u64>::new().range(500..=10_000_000))]
    pub snapshot_max_chars: Option<u64>,

    /// Default minimum level of console messages [default: info]
    #[arg(long, value_name = "LEVEL", ignore_case = true)]
    pub console_level: Option<ConsoleThreshold>,

    /// How screenshots are returned [default: file]
    #[arg(long, value_name = "HOW", ignore_case = true)]
    pub image_responses: Option<ImageResponses>,

    /// Where screenshots are saved [default: .viewpoint-mcp-screenshots]
    #[arg(long, value_name = "DIR")]
    pub screenshot_dir: Option<PathBuf>,

    /// Folder for PDFs and downloads [default: .patchright-mcp]
    #[arg(long, value_name = "DIR")]
    pub output_dir: Option<PathBuf>,

    /// Accept the client's folders for files (MCP roots) [default: on this machine, with one key at most]
    #[arg(long, value_name = "true|false", num_args = 0..=1, default_missing_value = "true")]
    pub client_roots: Option<bool>,

    /// Mirror to download browsers from
    #[arg(long, value_name = "URL", value_parser = not_empty())]
    pub download_host: Option<String>,

    /// Folder for downloaded browsers; if set, Chromium is searched only there
    #[arg(long, value_name = "DIR")]
    pub browsers_dir: Option<PathBuf>,
}

// Lifetime and number of sessions.
#[derive(Debug, Clone, Default, PartialEq, Args)]
#[command(next_help_heading = "Sessions")]
pub struct SessionFlags {
    /// Lifetime of a session from its creation, used or not [default: 300000]
    #[arg(long, value_name = "MS", value_parser = milliseconds())]
    pub session_timeout: Option<u64>,

    /// Maximum sessions per key [default: 10]
    #[arg(long, value_name = "COUNT", value_parser = at_least_one())]
    pub max_sessions: Option<u64>,
}

// Limits on tabs, contexts and memory.
#[derive(Debug, Clone, Default, PartialEq, Args)]
#[command(next_help_heading = "Limits")]
pub struct LimitFlags {
    /// Maximum open tabs per key, including those that pages open [default: 100, or 20 more than sessions]
    #[arg(long, value_name = "COUNT", value_parser = at_least_one())]
    pub max_tabs: Option<u64>,

    /// Maximum contexts per key [default: 100, or 20 more than sessions]
    #[arg(long, value_name = "COUNT", value_parser = at_least_one())]
    pub max_contexts: Option<u64>,

    /// Memory of all open pages above which no tab opens [default: half of the machine's]
    #[arg(long, value_name = "MB", value_parser = RangedU64ValueParser::<u64>::new().range(1..=10_000_000))]
    pub max_memory: Option<u64>,

    /// Maximum loaded pages: above this, the least recently used are unloaded if nothing is lost, and reloaded when used
    /// [default: no limit]
    #[arg(long, value_name = "COUNT", value_parser = at_least_one())]
    pub max_live_pages: Option<u64>,
}

// Waiting for a person: login, cooldown, live view, consent.
#[derive(Debug, Clone, Default, PartialEq, Args)]
#[command(next_help_heading = "Waiting for the user")]
pub struct HandoffFlags {
    /// Time for a person to log in or pass a check in the window; 0 disables waiting [default: 120]
    #[arg(long, value_name = "SECONDS", value_parser = seconds())]
    pub login_timeout: Option<u64>,

    /// Cooldown after nobody came [default: 300]
    #[arg(long, value_name = "SECONDS", value_parser = seconds())]
    pub login_cooldown: Option<u64>,

    /// Tools that the cooldown applies to [default: all]
    #[arg(long, value_name = "SCOPE", ignore_case = true)]
    pub cooldown_scope: Option<CooldownScope>,

    /// Folder for the state of the login cooldown, which survives restarts and is shared by all servers of this machine
    #[arg(long, value_name = "DIR")]
    pub state_dir: Option<PathBuf>,

    /// Live view: what a person at the link may do [default: control without windows, off with them]
    #[arg(long, value_name = "MODE", ignore_case = true)]
    pub live: Option<LiveViewMode>,

    /// Public address of the live view behind a proxy, for example `https://browser.example.com`
    #[arg(long, value_name = "URL", value_parser = not_empty())]
    pub live_url: Option<String>,

    /// How a visitor is authenticated: code, key, or header:NAME set by a proxy [default: code; key with several keys]
    #[arg(long, value_name = "HOW", value_parser = not_empty())]
    pub live_auth: Option<String>,

    /// Time to open a link, and time for a visitor to finish [default: 600]
    #[arg(long, value_name = "SECONDS", value_parser = seconds())]
    pub live_timeout: Option<u64>,

    /// Language of the patchright tools and of messages about waiting [default: zh]
    #[arg(long, value_name = "LANG", ignore_case = true)]
    pub lang: Option<Language>,

    /// Actions that the user must confirm: submit, purchase, download, upload, an origin, or submit@https://host; separated by commas
    #[arg(long, value_name = "WHAT")]
    pub confirm: Option<ConsentRules>,
}

// robots.txt and the pause between navigations.
#[derive(Debug, Clone, Default, PartialEq, Args)]
#[command(next_help_heading = "Politeness")]
pub struct PolitenessFlags {
    /// Obey each site's robots.txt
    #[arg(long, value_name = "true|false", num_args = 0..=1, default_missing_value = "true")]
    pub respect_robots: Option<bool>,

    /// Minimum time between two navigations to one site
    #[arg(long, value_name = "MS", value_parser = milliseconds())]
    pub min_interval: Option<u64>,
}

// The HTTP server and its clients.
#[derive(Debug, Clone, Default, PartialEq, Args)]
#[command(next_help_heading = "HTTP")]
pub struct HttpFlags {
    /// Serve over HTTP on this port instead of standard input; 0 for any free port
    #[arg(long, value_name = "PORT")]
    pub port: Option<u16>,

    /// Address to listen on [default: 127.0.0.1]
    #[arg(long, value_name = "HOST", value_parser = not_empty())]
    pub host: Option<String>,

    /// TOML file with named keys and their limits, written by `patchright-mcp keys`; changes apply at once
    #[arg(long, value_name = "FILE")]
    pub keys: Option<PathBuf>,

    /// Authorization server (OAuth 2.1) whose access tokens are accepted, for example `https://login.example.com`
    #[arg(long, value_name = "URL", value_parser = not_empty(), requires = "oauth_audience")]
    pub oauth_issuer: Option<String>,

    /// Address of this server for clients, for which tokens must be meant, for example `https://browser.example.com/mcp`
    #[arg(long, value_name = "URL", value_parser = not_empty(), requires = "oauth_issuer")]
    pub oauth_audience: Option<String>,

    /// TOML file that says which tools the scopes of tokens permit [default: browser for all, browser:read for reading]
    #[arg(long, value_name = "FILE", requires = "oauth_issuer")]
    pub oauth_scopes: Option<PathBuf>,

    /// File with API keys, one per line; each key has its own pages and files [default: a random key]
    #[arg(long, value_name = "FILE")]
    pub api_key_file: Option<PathBuf>,

    /// API keys, separated by commas; prefer PATCHRIGHT_MCP_API_KEY, since others can read a command line
    #[arg(long, value_name = "KEYS", value_delimiter = ',', hide_env_values = true)]
    pub api_key: Option<Vec<String>>,

    /// Require no key; for tests, on loopback only
    #[arg(long, value_name = "true|false", num_args = 0..=1, default_missing_value = "true")]
    pub allow_unauthenticated: Option<bool>,

    /// Host names under which clients may connect, besides loopback, separated by commas; * for all
    #[arg(long, value_name = "HOSTS", value_delimiter = ',')]
    pub allowed_hosts: Option<Vec<String>>,

    /// Origins of web pages that may connect, separated by commas [default: none]
    #[arg(long, value_name = "ORIGINS", value_delimiter = ',')]
    pub allowed_client_origins: Option<Vec<String>>,

    /// Maximum clients per key [default: 64]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub max_clients: Option<u32>,

    /// How long the pages of a disconnected client are kept [default: 300000]
    #[arg(long, value_name = "MS", value_parser = milliseconds())]
    pub client_grace: Option<u64>,

    /// Serve metrics at /metrics, without a key
    #[arg(long, value_name = "true|false", num_args = 0..=1, default_missing_value = "true")]
    pub metrics: Option<bool>,
}

// Sharing sessions among servers.
#[derive(Debug, Clone, Default, PartialEq, Args)]
#[command(next_help_heading = "Several servers")]
pub struct ReplicaFlags {
    /// Redis or Valkey for sharing sessions among servers, for example redis://host:6379
    #[arg(long, value_name = "URL")]
    pub state: Option<String>,

    /// Lease: how long a server may be silent before others take over its sessions [default: 3000]
    #[arg(long, value_name = "MS", value_parser = RangedU64ValueParser::<u64>::new().range(300..=600_000))]
    pub state_lease: Option<u64>,

    /// Address for the other servers [default: the listening address]
    #[arg(long, value_name = "URL")]
    pub advertise: Option<String>,
}

// Traces and logs.
#[derive(Debug, Clone, Default, PartialEq, Args)]
pub struct LogFlags {
    /// Append each call to this file, for `patchright-mcp audit verify`: key, client, tool, origin, outcome; no contents
    #[arg(long, value_name = "FILE")]
    pub audit: Option<PathBuf>,

    /// Send a span of each call to an OpenTelemetry collector: tool, duration, error code
    #[cfg(feature = "otlp")]
    #[arg(long, value_name = "URL")]
    pub otlp: Option<String>,

    /// Header for the collector, for example 'Authorization: Bearer …'; repeatable
    #[cfg(feature = "otlp")]
    #[arg(long, value_name = "HEADER", hide_env_values = true)]
    pub otlp_header: Option<Vec<Header>>,

    /// Log format [default: text]
    #[arg(long, value_name = "FORMAT", ignore_case = true)]
    pub log_format: Option<LogFormat>,

    /// Log level on standard error [default: warn]
    #[arg(long, value_name = "LEVEL", ignore_case = true)]
    pub log_level: Option<LogLevel>,
}

/// The log level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum LogLevel {
    Off,
    Error,
    Warn,
    Info,
    Debug,
    Trace,
}

/// The log format.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum LogFormat {
    #[default]
    Text,
    /// One JSON object per line.
    Json,
}

/// The browsers that can be named.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum BrowserName {
    Chromium,
    Chrome,
    Msedge,
    /// 153 or newer.
    Firefox,
    /// WebKitGTK, with few of the tools.
    Webkit,
}

/// The pace of pointer and keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum InputPace {
    /// At a person's pace.
    Natural,
    /// As fast as possible.
    Instant,
}

/// A size in CSS pixels.
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

/// Returns a parser for milliseconds, from 1 to a day (86,400,000).
fn milliseconds() -> RangedU64ValueParser {
    RangedU64ValueParser::new().range(1..=86_400_000)
}

fn seconds() -> RangedU64ValueParser {
    RangedU64ValueParser::new().range(0..=86_400)
}

fn at_least_one() -> RangedU64ValueParser {
    RangedU64ValueParser::new().range(1..=10_000)
}

fn not_empty() -> ValueParser {
    let plain = |text: String| match text.chars().any(char::is_control) {
        true => Err("expected one line of plain text"),
        false => Ok(text.trim().to_owned()),
    };
    clap::builder::NonEmptyStringValueParser::new().try_map(plain).into()
}

/// Returns a parser for language tags such as `de`, `de-DE` or `zh-Hans-CN`.
fn language() -> ValueParser {
    let tag = |text: String| {
        let mut parts = text.split('-');
        let language = parts.next().unwrap_or_default();
        let is_language =
            (2..=8).contains(&language.len()) && language.chars().all(|c| c.is_ascii_alphabetic());
        let is_part =
            |part: &str| (1..=8).contains(&part.len()) && part.chars().all(|c| c.is_ascii_alphanumeric());
        if is_language && parts.all(is_part) {
            Ok(text)
        } else {
            Err("expected a language, such as de or de-DE")
        }
    };
    clap::builder::NonEmptyStringValueParser::new().try_map(tag).into()
}

/// An HTTP header: name and value. On the command line: `Name: value`.
#[derive(Clone, PartialEq, Eq)]
pub struct Header(pub String, pub String);

impl std::fmt::Debug for Header {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_tuple("Header").field(&self.0).finish_non_exhaustive()
    }
}

impl FromStr for Header {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (name, value) = text.split_once(':').ok_or("expected a name, a colon and a value")?;
        let (name, value) = (name.trim(), value.trim());
        let good = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        let good = good && value.chars().all(|c| c.is_ascii_graphic() || c == ' ');
        if good { Ok(Self(name.to_owned(), value.to_owned())) } else { Err("a header cannot hold this") }
    }
}

/// A list of origin patterns, separated by commas or semicolons.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OriginList(pub Vec<OriginPattern>);

impl FromStr for OriginList {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parts = text.split([';', ',']).map(str::trim).filter(|part| !part.is_empty());
        let list = parts.map(str::parse).collect::<Result<Vec<_>, _>>()?;
        if list.is_empty() { Err("expected at least one origin".to_owned()) } else { Ok(Self(list)) }
    }
}
