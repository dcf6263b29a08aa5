//! Every setting. A setting is listed here when it does something, and not before.
#![allow(clippy::doc_markdown, reason = "these comments are the text of --help")]
use std::path::PathBuf;
use std::str::FromStr;

use clap::Parser;
use clap::builder::{RangedU64ValueParser, TypedValueParser, ValueParser};

use crate::browser::PersonsBrowser;
use crate::browser::policy::OriginPattern;
use crate::live::Mode;
use crate::mcp::consent::Consent;
use crate::mcp::settings::{ConsoleThreshold, ImageResponses};
use crate::mcp::tool::{Capability, Toolset};
use crate::messages::Language;
use crate::session::cooldown::Scope;

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

    /// Browser to drive [default: chromium]
    #[arg(long, value_name = "NAME", ignore_case = true, help_heading = "Browser")]
    pub browser: Option<BrowserName>,

    /// Program to start, instead of what is found on this machine
    #[arg(long, value_name = "PATH", help_heading = "Browser")]
    pub executable_path: Option<PathBuf>,

    /// Whether to do without a window [default: only where there is no display]
    #[arg(long, value_name = "true|false", num_args = 0..=1, default_missing_value = "true", help_heading = "Browser")]
    pub headless: Option<bool>,

    /// Keep `navigator.webdriver` false in Firefox; whoever drives it then has the rights of the browser itself
    #[arg(long, value_name = "true|false", num_args = 0..=1, default_missing_value = "true", help_heading = "Browser")]
    pub hide_webdriver: Option<bool>,

    /// Switch off the browser's own sandbox
    #[arg(long, value_name = "true|false", num_args = 0..=1, default_missing_value = "true", help_heading = "Browser")]
    pub no_sandbox: Option<bool>,

    /// Profile to work in and to keep [default: a fresh one that is removed afterwards]
    #[arg(long, value_name = "DIR", help_heading = "Browser")]
    pub user_data_dir: Option<PathBuf>,

    /// Keep nothing: work in fresh contexts also with --user-data-dir or --cdp-endpoint
    #[arg(long, value_name = "true|false", num_args = 0..=1, default_missing_value = "true", help_heading = "Browser")]
    pub isolated: Option<bool>,

    /// Attach to a browser that runs already, at an http(s):// or ws(s):// address; it is never closed
    #[arg(long, value_name = "URL", help_heading = "Browser")]
    pub cdp_endpoint: Option<String>,

    /// Work in your own browser, which runs already, in windows of its own; --user-data-dir says where its profiles are, if
    /// not in the usual place
    #[arg(
        long,
        value_name = "NAME",
        ignore_case = true,
        conflicts_with = "cdp_endpoint",
        help_heading = "Browser"
    )]
    pub attach: Option<PersonsBrowser>,

    /// Argument for the browser, such as --load-extension=DIR; can be given several times. What pages notice of it is yours
    #[arg(long, value_name = "ARGUMENT", allow_hyphen_values = true, help_heading = "Browser")]
    pub arg: Option<Vec<String>>,

    /// Header to send to that browser, such as 'X-Key: value'; can be given several times
    #[arg(long, value_name = "HEADER", help_heading = "Browser")]
    pub cdp_header: Option<Vec<Header>>,

    /// Longest time until that browser answers [default: 30000]
    #[arg(long, value_name = "MS", value_parser = milliseconds(), help_heading = "Browser")]
    pub cdp_timeout: Option<u64>,

    /// Browsers that run already, for sessions to spread over: addresses, separated by commas, or a file
    #[arg(long, value_name = "URLS|FILE", value_parser = not_empty(), help_heading = "Browser")]
    pub pool: Option<String>,

    /// Proxy for all traffic: http://, https:// or socks5://, with user:password@ if need be
    #[arg(long, value_name = "URL", help_heading = "Browser")]
    pub proxy_server: Option<String>,

    /// Hosts to reach without the proxy, separated by commas
    #[arg(long, value_name = "HOSTS", help_heading = "Browser")]
    pub proxy_bypass: Option<String>,

    /// Close a browser that nobody has used for so long; 0 for never [default: 3600000 without a window, never with one]
    #[arg(long, value_name = "MS", value_parser = RangedU64ValueParser::<u64>::new().range(0..=86_400_000), help_heading = "Browser")]
    pub idle_timeout: Option<u64>,

    /// Give the cookies of a browser that has ended to the next one
    #[arg(long, value_name = "true|false", num_args = 0..=1, default_missing_value = "true", help_heading = "Browser")]
    pub restore: Option<bool>,

    /// Size of pages in CSS pixels, such as 1280x720 [default: as large as the window]
    #[arg(long, value_name = "WIDTHxHEIGHT", help_heading = "Pages")]
    pub viewport_size: Option<Size>,

    /// User agent to claim, instead of the browser's own
    #[arg(long, value_name = "TEXT", value_parser = not_empty(), help_heading = "Pages")]
    pub user_agent: Option<String>,

    /// Language of pages, such as de-DE
    #[arg(long, value_name = "TAG", value_parser = language(), help_heading = "Pages")]
    pub locale: Option<String>,

    /// Time zone of pages, such as Europe/Berlin
    #[arg(long, value_name = "ZONE", value_parser = not_empty(), help_heading = "Pages")]
    pub timezone: Option<String>,

    /// Script file to run in every document before its own; can be given several times
    #[arg(long, value_name = "FILE", value_delimiter = ',', help_heading = "Pages")]
    pub init_script: Option<Vec<PathBuf>>,

    /// Device to look like, such as 'Pixel 7' or 'iPhone 15': its size, touch and user agent
    #[arg(long, value_name = "NAME", help_heading = "Pages")]
    pub device: Option<String>,

    /// Open pages whose certificates are not good
    #[arg(long, value_name = "true|false", num_args = 0..=1, default_missing_value = "true", help_heading = "Pages")]
    pub ignore_https_errors: Option<bool>,

    /// File with cookies and storage to begin with, in Playwright's format
    #[arg(long, value_name = "FILE", help_heading = "Pages")]
    pub storage_state: Option<PathBuf>,

    /// What pages may do without asking, separated by commas: geolocation, clipboard-read, camera, …
    #[arg(long, value_name = "NAMES", value_delimiter = ',', help_heading = "Pages")]
    pub grant_permissions: Option<Vec<String>>,

    /// The only origins that pages may reach, separated by semicolons or commas: https://host, *.host, http://host:*
    #[arg(long, value_name = "ORIGINS", help_heading = "Pages")]
    pub allowed_origins: Option<Origins>,

    /// Origins that pages never reach
    #[arg(long, value_name = "ORIGINS", help_heading = "Pages")]
    pub blocked_origins: Option<Origins>,

    /// Keep pages away from this machine and its networks, under whatever name
    #[arg(long, value_name = "true|false", num_args = 0..=1, default_missing_value = "true", help_heading = "Pages")]
    pub block_private_network: Option<bool>,

    /// Open files of the working directory and the output directory as pages, too
    #[arg(long, value_name = "true|false", num_args = 0..=1, default_missing_value = "true", help_heading = "Pages")]
    pub allow_files: Option<bool>,

    /// Optional tools to offer, separated by commas
    #[arg(long, value_name = "CAPS", value_delimiter = ',', ignore_case = true, help_heading = "Tools")]
    pub caps: Option<Vec<Capability>>,

    /// Let those who come over HTTP run programs with --caps code: each can do what the server's user can
    #[arg(long, value_name = "true|false", num_args = 0..=1, default_missing_value = "true", help_heading = "Tools")]
    pub allow_remote_code: Option<bool>,

    /// The file axe.min.js of the package axe-core, whose rules accessibility audits use beside ours
    #[arg(long, value_name = "FILE", help_heading = "Tools")]
    pub axe: Option<PathBuf>,

    /// Families of tools to offer, separated by commas [default: browser,patchright,sessions]
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

    /// Most characters of a page that an answer shows [default: 20000, and 50000 where all controls take as many]
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<u64>::new().range(500..=10_000_000), help_heading = "Tools")]
    pub snapshot_max_chars: Option<u64>,

    /// How grave a console message must be to be told, where a call does not say [default: info]
    #[arg(long, value_name = "LEVEL", ignore_case = true, help_heading = "Tools")]
    pub console_level: Option<ConsoleThreshold>,

    /// What screenshots are answered with [default: file]
    #[arg(long, value_name = "HOW", ignore_case = true, help_heading = "Tools")]
    pub image_responses: Option<ImageResponses>,

    /// Where screenshots are saved [default: .viewpoint-mcp-screenshots]
    #[arg(long, value_name = "DIR", help_heading = "Tools")]
    pub screenshot_dir: Option<PathBuf>,

    /// Where PDFs and downloads are saved [default: .patchright-mcp]
    #[arg(long, value_name = "DIR", help_heading = "Tools")]
    pub output_dir: Option<PathBuf>,

    /// Let clients name more folders for files: the roots of MCP [default: on this machine, with one key at most]
    #[arg(long, value_name = "true|false", num_args = 0..=1, default_missing_value = "true", help_heading = "Tools")]
    pub client_roots: Option<bool>,

    /// Server to download a browser from, laid out as the usual one
    #[arg(long, value_name = "URL", value_parser = not_empty(), help_heading = "Tools")]
    pub download_host: Option<String>,

    /// Where browsers are downloaded to; once named, Chromium is looked for nowhere else
    #[arg(long, value_name = "DIR", help_heading = "Tools")]
    pub browsers_dir: Option<PathBuf>,

    /// How long a session lives from when it is made, used or not [default: 300000]
    #[arg(long, value_name = "MS", value_parser = milliseconds(), help_heading = "Sessions")]
    pub session_timeout: Option<u64>,

    /// How many tabs there may be at once, of each key; those that pages open count too [default: 100, or 20 more than sessions]
    #[arg(long, value_name = "COUNT", value_parser = at_least_one(), help_heading = "Limits")]
    pub max_tabs: Option<u64>,

    /// How many contexts there may be at once, of each key [default: 100, or 20 more than sessions]
    #[arg(long, value_name = "COUNT", value_parser = at_least_one(), help_heading = "Limits")]
    pub max_contexts: Option<u64>,

    /// Memory of all open pages together above which no tab is opened [default: half of the machine's]
    #[arg(long, value_name = "MB", value_parser = RangedU64ValueParser::<u64>::new().range(1..=10_000_000), help_heading = "Limits")]
    pub max_memory: Option<u64>,

    /// How many pages are in memory at once: of more, those go that were not used for longest, if nothing is lost by that, and
    /// are loaded anew when they are used [default: all]
    #[arg(long, value_name = "COUNT", value_parser = at_least_one(), help_heading = "Limits")]
    pub max_live_pages: Option<u64>,

    /// How many sessions there may be at once, of each key [default: 10]
    #[arg(long, value_name = "COUNT", value_parser = at_least_one(), help_heading = "Sessions")]
    pub max_sessions: Option<u64>,

    /// How long a person may take to log in or to pass a check in the window; 0 for not to wait [default: 120]
    #[arg(long, value_name = "SECONDS", value_parser = seconds(), help_heading = "Waiting for the user")]
    pub login_timeout: Option<u64>,

    /// How long the tools pause after nobody came [default: 300]
    #[arg(long, value_name = "SECONDS", value_parser = seconds(), help_heading = "Waiting for the user")]
    pub login_cooldown: Option<u64>,

    /// Which tools pause [default: all]
    #[arg(long, value_name = "SCOPE", ignore_case = true, help_heading = "Waiting for the user")]
    pub cooldown_scope: Option<Scope>,

    /// Folder in which the pause is kept, for other servers of this machine and the next start
    #[arg(long, value_name = "DIR", help_heading = "Waiting for the user")]
    pub state_dir: Option<PathBuf>,

    /// What a person may do with a page that is needed, at a link [default: control without windows, off with them]
    #[arg(long, value_name = "MODE", ignore_case = true, help_heading = "Waiting for the user")]
    pub live: Option<Mode>,

    /// Address of the live view, where a proxy stands before it, such as `https://browser.example.com`
    #[arg(long, value_name = "URL", value_parser = not_empty(), help_heading = "Waiting for the user")]
    pub live_url: Option<String>,

    /// By what the person is known: code, key, or header:NAME that a proxy sets [default: code; key with several keys]
    #[arg(long, value_name = "HOW", value_parser = not_empty(), help_heading = "Waiting for the user")]
    pub live_auth: Option<String>,

    /// How long a link can be opened, and how long whoever came may take [default: 600]
    #[arg(long, value_name = "SECONDS", value_parser = seconds(), help_heading = "Waiting for the user")]
    pub live_timeout: Option<u64>,

    /// Language of the patchright tools and of what is said about waiting [default: zh]
    #[arg(long, value_name = "LANG", ignore_case = true, help_heading = "Waiting for the user")]
    pub lang: Option<Language>,

    /// Values that a model has typed by name and never sees: a TOML or JSON file, or after ! a command that writes one
    #[arg(long, value_name = "FILE|!COMMAND", value_parser = not_empty(), help_heading = "Secrets")]
    pub secrets: Option<String>,

    /// What the user must allow first: submit, purchase, download, upload, an origin, or such as submit@https://host; with commas between
    #[arg(long, value_name = "WHAT", help_heading = "Waiting for the user")]
    pub confirm: Option<Consent>,

    /// Go only where a site's robots.txt allows
    #[arg(long, value_name = "true|false", num_args = 0..=1, default_missing_value = "true", help_heading = "Politeness")]
    pub respect_robots: Option<bool>,

    /// Least time between two navigations to one site
    #[arg(long, value_name = "MS", value_parser = milliseconds(), help_heading = "Politeness")]
    pub min_interval: Option<u64>,

    /// Serve over HTTP on this port instead of standard input; 0 for any that is free
    #[arg(long, value_name = "PORT", help_heading = "HTTP")]
    pub port: Option<u16>,

    /// Address to listen on [default: 127.0.0.1]
    #[arg(long, value_name = "HOST", value_parser = not_empty(), help_heading = "HTTP")]
    pub host: Option<String>,

    /// File with the keys that clients may use, one a line; each sees only its own pages and files [default: a random one]
    #[arg(long, value_name = "FILE", help_heading = "HTTP")]
    pub api_key_file: Option<PathBuf>,

    /// Keys, separated by commas; better in PATCHRIGHT_MCP_API_KEY, because others can read a command line
    #[arg(long, value_name = "KEYS", value_delimiter = ',', hide_env_values = true, help_heading = "HTTP")]
    pub api_key: Option<Vec<String>>,

    /// Ask for no key; for tests, on loopback only
    #[arg(long, value_name = "true|false", num_args = 0..=1, default_missing_value = "true", help_heading = "HTTP")]
    pub allow_unauthenticated: Option<bool>,

    /// Names under which the server may be asked for beside loopback's, separated by commas; * for all
    #[arg(long, value_name = "HOSTS", value_delimiter = ',', help_heading = "HTTP")]
    pub allowed_hosts: Option<Vec<String>>,

    /// Origins of web pages that may ask, separated by commas [default: none]
    #[arg(long, value_name = "ORIGINS", value_delimiter = ',', help_heading = "HTTP")]
    pub allowed_client_origins: Option<Vec<String>>,

    /// Most clients at once, of each key [default: 64]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=10_000), help_heading = "HTTP")]
    pub max_clients: Option<u32>,

    /// How long the pages of a client stay that has gone away [default: 300000]
    #[arg(long, value_name = "MS", value_parser = milliseconds(), help_heading = "HTTP")]
    pub client_grace: Option<u64>,

    /// Redis or Valkey in which several servers share their sessions, such as redis://host:6379
    #[arg(long, value_name = "URL", help_heading = "Several servers")]
    pub state: Option<String>,

    /// How long the others wait for a server that says nothing, before they take over its sessions [default: 3000]
    #[arg(long, value_name = "MS", value_parser = RangedU64ValueParser::<u64>::new().range(300..=600_000), help_heading = "Several servers")]
    pub state_lease: Option<u64>,

    /// Where the others reach this server [default: where it listens]
    #[arg(long, value_name = "URL", help_heading = "Several servers")]
    pub advertise: Option<String>,

    /// Tell what the server has done at /metrics, to whoever asks
    #[arg(long, value_name = "true|false", num_args = 0..=1, default_missing_value = "true", help_heading = "HTTP")]
    pub metrics: Option<bool>,

    /// Send a span of each call to an OpenTelemetry collector: tool, duration, code of failure
    #[cfg(feature = "otlp")]
    #[arg(long, value_name = "URL")]
    pub otlp: Option<String>,

    /// Header for the collector, such as 'Authorization: Bearer …'; can be given several times
    #[cfg(feature = "otlp")]
    #[arg(long, value_name = "HEADER", hide_env_values = true)]
    pub otlp_header: Option<Vec<Header>>,

    /// How to write it [default: text]
    #[arg(long, value_name = "FORMAT", ignore_case = true)]
    pub log_format: Option<LogFormat>,

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

/// How logs look.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum LogFormat {
    #[default]
    Text,
    /// An object on each line.
    Json,
}

/// The makes of browser that can be named.
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

/// `de`, `de-DE`, `zh-Hans-CN`.
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

/// A header, as it is written: a name, a colon, a value.
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

/// A list of origins. They hold no commas and no semicolons, so that either can stand between.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origins(pub Vec<OriginPattern>);

impl FromStr for Origins {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parts = text.split([';', ',']).map(str::trim).filter(|part| !part.is_empty());
        let list = parts.map(str::parse).collect::<Result<Vec<_>, _>>()?;
        if list.is_empty() { Err("expected at least one origin".to_owned()) } else { Ok(Self(list)) }
    }
}
