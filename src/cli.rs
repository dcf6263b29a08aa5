//! The command line: merges flags, environment and file into a [`Config`], and runs the server.
//!
//! A setting has one name in all sources: `--timeout-action`, `PATCHRIGHT_MCP_TIMEOUT_ACTION`, and `timeoutAction`
//! in the configuration file. [`flags`] defines the settings; [`layers`] reads the sources: flags override the
//! environment, and the environment overrides the file.
//! A [verb](verbs) as the first argument runs a tool call in a background server for the working directory.
pub mod flags;
pub mod layers;
mod browser_options;
mod program;
pub mod verbs;
#[cfg_attr(not(unix), allow(dead_code, reason = "verbs need Unix sockets"))]
mod wire;
#[cfg(unix)]
mod project;
#[cfg(unix)]
mod remote;
#[cfg(unix)]
mod brief;
#[cfg(unix)]
mod background;
#[cfg(unix)]
mod init_process;
mod log;
mod run;
mod setup;
mod doctor;
mod health;
mod audit;
mod keys;
mod generate;
mod show_trace;
pub mod command;

pub use program::Program;
pub use run::dispatcher;

use std::collections::{BTreeSet, HashMap};
use std::ffi::OsString;
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use http::HeaderName;
#[cfg(feature = "otlp")]
use http::{HeaderMap, HeaderValue};

use self::browser_options::{context_options, launch_options};
#[cfg(feature = "otlp")]
use self::flags::Header;
use self::flags::{BrowserName, Flags, HttpFlags, LogFormat, LogLevel};
use self::log::log_line;
use crate::browser::ContextOptions;
use crate::browser::find::Channel;
use crate::browser::launch::LaunchOptions;
use crate::fleet::{BrowserPool, DEFAULT_LEASE, ReplicaOptions, SharedStore};
use crate::folders;
use crate::live::{LiveViewOptions, VisitorAuth};
use crate::mcp::http::{ApiKeys, ClientLimits, HttpOptions, KeyFile, OAuth, RequestGuard};
use crate::mcp::settings::Settings;
use crate::mcp::tool::{Capability, Toolset};
use crate::mcp::tools;
#[cfg(feature = "otlp")]
use crate::mcp::traces::SpanExporterOptions;
use crate::secrets::Secrets;
use crate::session::cooldown::DEFAULT_PERIOD;
use crate::session::pacing::PacingOptions;
use crate::session::registry::SessionOptions;
use crate::session::{BrowserSource, EngineOptions, OwnerLimits, Roots};
use crate::webdriver;

/// How long an unused headless browser stays open by default.
const AN_HOUR: Duration = Duration::from_secs(3600);
/// Chromium arguments that let pages detect automation.
const DETECTABLE_ARGUMENTS: [&str; 8] = [
    "--enable-automation",
    "--remote-debugging-port",
    "--disable-web-security",
    "--disable-gpu",
    "--use-gl",
    "--disable-blink-features",
    "--user-agent",
    "--load-extension",
];
/// The minimum length of an API key that the user chooses, in bytes.
const SHORTEST_KEY: usize = 16;
/// The Chromium argument that enables `WebMCP`, an API through which pages offer tools to agents. Detectable.
const WEB_MCP_ARGUMENT: &str = "--enable-features=WebMCPTesting";
const WEB_MCP_WARNING: &str = "--caps webmcp: pages find document.modelContext, which few browsers have, and see each call of their tools";
/// The maximum length of a snapshot that a verb prints, in characters; the full snapshot is in a file.
#[cfg(unix)]
const BRIEF_CHARS: u64 = 1900;

/// The configuration, merged from all sources and validated.
#[derive(Debug, Clone)]
pub struct Config {
    pub engine: EngineOptions,
    /// The HTTP server; `None` to serve one client over standard input and output.
    pub http: Option<HttpOptions>,
    /// Options of the live view.
    pub live: LiveViewOptions,
    pub settings: Settings,
    /// The enabled optional groups of tools (`--caps`).
    pub capabilities: BTreeSet<Capability>,
    /// The enabled toolsets (`--toolsets`).
    pub toolsets: BTreeSet<Toolset>,
    /// How long tools pause after nobody responded to a login or captcha.
    pub cooldown: Duration,
    /// The folder in which the cooldown's start time is stored; `None` to keep it in memory.
    pub state_dir: Option<PathBuf>,
    /// The file to which every tool call is logged; `None` for no log.
    pub audit: Option<PathBuf>,
    pub log_level: LogLevel,
    pub log_format: LogFormat,
    /// Options for one of several servers that share sessions; `None` for a single server.
    pub replica: Option<ReplicaOptions>,
    /// Where spans of tool calls are exported to; `None` for nowhere.
    #[cfg(feature = "otlp")]
    pub traces: Option<SpanExporterOptions>,
    /// Warnings for the user, shown before the server starts.
    pub warnings: Vec<String>,
}

impl Config {
    fn new(mut flags: Flags, mut warnings: Vec<String>) -> Result<Self, EarlyExit> {
        warnings.extend(fall_back(&mut flags, &Settings::default()));
        let mut settings = settings(&flags)?;
        let (mut engine, http) = (engine_options(&flags)?, http_options(&flags)?);
        warnings.extend(http.as_ref().and_then(|http| hosts_to_allow(&http.host, &flags)));
        let replica = replica_options(&flags, http.as_ref())?;
        #[cfg(feature = "otlp")]
        let traces = trace_options(&flags)?;
        if http.as_ref().is_some_and(|http| http.keys.has_several_owners()) {
            hold_apart(&mut engine)?;
        }
        if engine.use_profile && http.as_ref().is_some_and(|http| http.keys.has_several_owners()) {
            let given = if flags.browser.cdp_endpoint.is_some() { "cdp-endpoint" } else { "user-data-dir" };
            const WAY_OUT: &str = "several keys cannot share one profile; add --isolated, which gives each fresh contexts, \
                or start a server for each key";
            return Err(mistake(given, WAY_OUT));
        }
        let arguments = flags.browser.arg.iter().flatten();
        if let Some(argument) = arguments.clone().find(|argument| !argument.starts_with("--")) {
            return Err(mistake(
                "arg",
                &format!("{argument:?} is not a browser argument; those begin with --"),
            ));
        }
        let loud = |argument: &&String| {
            DETECTABLE_ARGUMENTS.iter().any(|name| argument.split('=').next() == Some(name))
        };
        let warning =
            |argument: &String| format!("--arg {argument}: pages can tell by it that the browser is driven");
        let offers = flags.tools.caps.iter().flatten().any(|cap| *cap == Capability::Webmcp);
        let seen = offers.then(|| WEB_MCP_WARNING.to_owned());
        let warnings = warnings.into_iter().chain(arguments.filter(loud).map(warning)).chain(seen).collect();
        engine.context.collects_page_tools = offers;
        if let (BrowserSource::Launch(launch), true) = (&mut engine.source, offers) {
            launch.arguments.push(WEB_MCP_ARGUMENT.to_owned());
        }
        let runs_programs = runs_programs(&flags);
        if http.is_some() && runs_programs && flags.tools.allow_remote_code != Some(true) {
            const WAY_OUT: &str = "with code, whoever has a key can do on this machine what you can; \
                if that is meant, add --allow-remote-code";
            return Err(mistake("caps", WAY_OUT));
        }
        engine.secrets = secrets(&flags, http.as_ref())?;
        engine.context.hidden_texts = engine.secrets.hidden_texts();
        engine.context.local_files = settings.files.allow_urls.then(|| settings.files.roots.to_local_files());
        // A remote client reports MCP roots of its own machine, so they are ignored by default.
        let is_near =
            http.as_ref().is_none_or(|http| is_loopback(&http.host) && !http.keys.has_several_owners());
        settings.files.client_roots = flags.tools.client_roots.unwrap_or(is_near);
        Ok(Self {
            cooldown: flags.user.login_cooldown.map_or(DEFAULT_PERIOD, Duration::from_secs),
            state_dir: flags.user.state_dir.clone(),
            audit: flags.log.audit.clone(),
            engine,
            live: live_options(&flags, http.as_ref())?,
            http,
            settings,
            capabilities: Capability::expand(flags.tools.caps.unwrap_or_default()),
            toolsets: toolsets(flags.tools.toolsets)?,
            log_level: flags.log.log_level.unwrap_or(LogLevel::Warn),
            log_format: flags.log.log_format.unwrap_or_default(),
            replica,
            #[cfg(feature = "otlp")]
            traces,
            warnings,
        })
    }
}

fn settings(flags: &Flags) -> Result<Settings, EarlyExit> {
    let mut settings = Settings::default();
    if let Some(seconds) = flags.user.login_timeout {
        settings.timeouts.login = Duration::from_secs(seconds);
    }
    if let Some(ms) = flags.sessions.session_timeout {
        settings.sessions.lifetime = Duration::from_millis(ms);
    }
    if let Some(limit) =
        flags.sessions.max_sessions.and_then(|limit| NonZeroUsize::new(limit.try_into().ok()?))
    {
        settings.sessions.limit = limit;
    }
    settings.language = flags.user.lang.unwrap_or_default();
    settings.consent = flags.user.confirm.clone().unwrap_or_default();
    settings.cooldown_scope = flags.user.cooldown_scope.unwrap_or_default();
    settings.politeness = PacingOptions {
        min_interval: Duration::from_millis(flags.politeness.min_interval.unwrap_or_default()),
        respect_robots: flags.politeness.respect_robots.unwrap_or_default(),
    };
    let most_chars = flags.tools.snapshot_max_chars.map(|most| usize::try_from(most).unwrap_or(usize::MAX));
    settings.snapshot.usual_chars = most_chars.unwrap_or(settings.snapshot.usual_chars);
    settings.snapshot.max_chars = most_chars.unwrap_or(settings.snapshot.max_chars);
    settings.snapshot.change_chars = most_chars.unwrap_or(settings.snapshot.change_chars);
    let limit = |given: Option<u64>, usual: &mut Duration| {
        *usual = given.map_or(*usual, Duration::from_millis);
    };
    limit(flags.tools.timeout_action, &mut settings.timeouts.action);
    limit(flags.tools.timeout_navigation, &mut settings.timeouts.navigation);
    limit(flags.tools.timeout_settle, &mut settings.timeouts.settle);
    settings.download_host.clone_from(&flags.tools.download_host);
    settings.console_level = flags.tools.console_level.unwrap_or_default();
    settings.image_responses = flags.tools.image_responses.unwrap_or_default();
    settings.axe = flags.tools.axe.as_ref().map(|path| axe(path)).transpose()?;
    let files = &mut settings.files;
    files.screenshot_dir = flags.tools.screenshot_dir.clone().unwrap_or_else(|| files.screenshot_dir.clone());
    files.output_dir = flags.tools.output_dir.clone().unwrap_or_else(|| files.output_dir.clone());
    files.roots = Roots::new([files.output_dir.clone()]);
    files.allow_urls = flags.pages.allow_files == Some(true);
    Ok(settings)
}

/// Reads the axe-core script from a file. Returns an error if the text is not axe-core.
fn axe(path: &Path) -> Result<Arc<str>, EarlyExit> {
    let text = std::fs::read_to_string(path);
    let text = text.map_err(|error| mistake("axe", &format!("{}: {error}", path.display())))?;
    if !text.contains("axe") {
        return Err(mistake("axe", &format!("{} is not the script of axe-core", path.display())));
    }
    Ok(text.into())
}

/// Returns the toolsets to offer; an error if two of them have tools of the same name.
fn toolsets(given: Option<Vec<Toolset>>) -> Result<BTreeSet<Toolset>, EarlyExit> {
    let chosen: BTreeSet<_> = given.unwrap_or_else(|| Toolset::USUAL.to_vec()).into_iter().collect();
    let mut known = HashMap::new();
    for tool in tools::ALL_TOOLS.iter().chain(&tools::claude::CLAUDE_TOOLS) {
        let toolset = tool.family.toolset;
        if chosen.contains(&toolset)
            && let Some(other) = known.insert(tool.name, toolset)
        {
            let problem =
                format!("{toolset} and {other} have tools of the same names; leave one of them out");
            return Err(mistake("toolsets", &problem));
        }
    }
    Ok(chosen)
}

/// Keeps API keys from sharing a clipboard: makes browsers headless, and rejects shared browsers.
fn hold_apart(engine: &mut EngineOptions) -> Result<(), EarlyExit> {
    match &mut engine.source {
        BrowserSource::Join { .. } => {
            Err(mistake("attach", "several keys cannot share one browser; start a server for each key"))
        }
        BrowserSource::Attach { .. } => Err(mistake(
            "cdp-endpoint",
            "several keys cannot share one browser, which has one clipboard; start a server for each key",
        )),
        BrowserSource::Launch(launch) => hide(launch),
        BrowserSource::Webkit(options) => hide(&mut Arc::make_mut(options).launch),
        BrowserSource::Pool(_) => Err(mistake(
            "pool",
            "several keys cannot share browsers, which have one clipboard each; start a server for each key",
        )),
        BrowserSource::Shared { .. } | BrowserSource::Unsupported { .. } => Ok(()),
    }
}

fn hide(launch: &mut LaunchOptions) -> Result<(), EarlyExit> {
    if launch.headless == Some(false) {
        return Err(mistake(
            "headless",
            "several keys cannot share one screen, which has one clipboard; leave out the windows, or start a server \
             for each key",
        ));
    }
    launch.headless = Some(true);
    Ok(())
}

fn replica_options(flags: &Flags, http: Option<&HttpOptions>) -> Result<Option<ReplicaOptions>, EarlyExit> {
    let Some(state) = flags.replica.state.clone() else { return Ok(None) };
    if http.is_none() {
        return Err(mistake("state", "servers share sessions over HTTP; add --port"));
    }
    let lease = flags.replica.state_lease.map_or(DEFAULT_LEASE, Duration::from_millis);
    SharedStore::new(&state, lease).map_err(|error| mistake("state", &error.to_string()))?;
    if let Some(address) = &flags.replica.advertise {
        let url = url::Url::parse(address).ok();
        if !url.is_some_and(|url| matches!(url.scheme(), "http" | "https") && url.path() == "/") {
            return Err(mistake("advertise", "expected an http:// or https:// address without a path"));
        }
    }
    let advertise = flags.replica.advertise.as_ref().map(|address| address.trim_end_matches('/').to_owned());
    Ok(Some(ReplicaOptions { state, lease, advertise }))
}

#[cfg(feature = "otlp")]
fn trace_options(flags: &Flags) -> Result<Option<SpanExporterOptions>, EarlyExit> {
    let Some(collector) = &flags.log.otlp else { return Ok(None) };
    let mut headers = HeaderMap::new();
    for Header(name, value) in flags.log.otlp_header.iter().flatten() {
        let pair = HeaderName::try_from(name).ok().zip(HeaderValue::try_from(value).ok());
        let (name, value) = pair.ok_or_else(|| mistake("otlp-header", "a header cannot hold this"))?;
        headers.insert(name, value);
    }
    let options = SpanExporterOptions::new(collector, headers);
    options.map(Some).ok_or_else(|| mistake("otlp", "expected an http:// or https:// address"))
}

fn pool(listed: &str, flags: &Flags, context: &ContextOptions) -> Result<BrowserSource, EarlyExit> {
    if flags.browser.cdp_endpoint.is_some() || flags.browser.user_data_dir.is_some() {
        return Err(mistake("pool", "the browsers of a pool go without --cdp-endpoint and --user-data-dir"));
    }
    if !context.policy.allows_all() || context.proxy.is_some() {
        return Err(mistake("pool", "origins and proxies cannot be enforced in browsers that run already"));
    }
    let limit = Duration::from_millis(flags.browser.cdp_timeout.unwrap_or(10_000));
    BrowserPool::new(listed, limit)
        .map(BrowserSource::Pool)
        .map_err(|error| mistake("pool", &error.to_string()))
}

fn engine_options(flags: &Flags) -> Result<EngineOptions, EarlyExit> {
    let launch = launch_options(flags);
    let context = context_options(flags)?;
    let has_own_context = launch.user_data_dir.is_some()
        || flags.browser.cdp_endpoint.is_some()
        || flags.browser.attach.is_some();
    let use_profile = has_own_context && flags.browser.isolated != Some(true);
    let source = match (&flags.browser.cdp_endpoint, flags.browser.attach) {
        _ if flags.browser.pool.is_some() => {
            pool(flags.browser.pool.as_deref().unwrap_or_default(), flags, &context)?
        }
        (Some(endpoint), _) => {
            let url = url::Url::parse(endpoint).ok();
            let schemes = ["http", "https", "ws", "wss"];
            if url.is_none_or(|url| !schemes.contains(&url.scheme()) || url.host().is_none()) {
                return Err(mistake(
                    "cdp-endpoint",
                    "expected an http://, https://, ws:// or wss:// address",
                ));
            }
            if launch.user_data_dir.is_some() {
                return Err(mistake(
                    "cdp-endpoint",
                    "a browser that runs already has its own --user-data-dir",
                ));
            }
            if !context.policy.allows_all() || context.proxy.is_some() {
                return Err(mistake(
                    "cdp-endpoint",
                    "origins and proxies cannot be enforced in a browser that runs already",
                ));
            }
            let headers = flags.browser.cdp_header.iter().flatten();
            BrowserSource::Attach {
                endpoint: endpoint.clone(),
                headers: headers.map(|header| (header.0.clone(), header.1.clone())).collect(),
                limit: Duration::from_millis(flags.browser.cdp_timeout.unwrap_or(30_000)),
            }
        }
        (None, Some(browser)) => {
            if !context.policy.allows_all() || context.proxy.is_some() {
                return Err(mistake(
                    "attach",
                    "origins and proxies cannot be enforced in a browser that runs already",
                ));
            }
            let folder = flags.browser.user_data_dir.clone().unwrap_or_else(|| browser.folder());
            BrowserSource::Join {
                folder,
                limit: Duration::from_millis(flags.browser.cdp_timeout.unwrap_or(120_000)),
            }
        }
        (None, None) if flags.browser.browser == Some(BrowserName::Webkit) => {
            BrowserSource::Webkit(Arc::new(webdriver::Options::new(launch, &context, Arc::new(log_line))))
        }
        (None, None) => BrowserSource::Launch(Box::new(launch)),
    };
    let limits = OwnerLimits::default();
    let at_most =
        |given: Option<u64>, usual: usize| given.map_or(usual, |most| usize::try_from(most).unwrap_or(usual));
    // Allows one context and one tab per session: exceeding `--max-sessions` has a separate error.
    let sessions = at_most(flags.sessions.max_sessions, SessionOptions::default().limit.get());
    let usual = limits.tabs.max(sessions + 20);
    let limits = OwnerLimits {
        tabs: at_most(flags.limits.max_tabs, usual),
        contexts: at_most(flags.limits.max_contexts, usual),
        memory: flags.limits.max_memory.map_or(limits.memory, |mb| mb << 20),
        live_pages: flags
            .limits
            .max_live_pages
            .and_then(|most| NonZeroUsize::new(usize::try_from(most).unwrap_or(usize::MAX))),
    };
    let is_our_chromium =
        matches!(&source, BrowserSource::Launch(launch) if launch.channel != Channel::Firefox);
    if limits.live_pages.is_some() && !is_our_chromium {
        return Err(mistake("max-live-pages", "only in a Chromium that the server starts"));
    }
    Ok(EngineOptions {
        limits,
        context,
        use_profile,
        idle_limit: flags.engine.idle_timeout.filter(|ms| *ms > 0).map(Duration::from_millis),
        unseen_idle_limit: flags.engine.idle_timeout.is_none().then_some(AN_HOUR),
        restore: flags.engine.restore == Some(true),
        warn: Arc::new(log_line),
        ..EngineOptions::new(source)
    })
}

/// Redirects output to a user folder if the default folders are not writable. Returns a warning then.
fn fall_back(flags: &mut Flags, usual: &Settings) -> Option<String> {
    let outputs = [
        (&mut flags.tools.output_dir, &usual.files.output_dir),
        (&mut flags.tools.screenshot_dir, &usual.files.screenshot_dir),
    ];
    let lost =
        |(given, usual): &(&mut Option<PathBuf>, &PathBuf)| given.is_none() && !folders::is_writable(usual);
    let lost: Vec<_> = outputs.into_iter().filter(lost).collect();
    if lost.is_empty() {
        return None;
    }
    let folder = folders::of_user().ok()?;
    for (given, _) in lost {
        *given = Some(folder.clone());
    }
    let shown = folder.display();
    Some(format!(
        "the working directory cannot be written to; files go to {shown} (see --output-dir, --screenshot-dir)"
    ))
}

fn runs_programs(flags: &Flags) -> bool {
    flags.tools.caps.iter().flatten().any(|name| *name == Capability::Code)
}

fn secrets(flags: &Flags, http: Option<&HttpOptions>) -> Result<Secrets, EarlyExit> {
    let Some(source) = &flags.secrets else { return Ok(Secrets::default()) };
    if http.is_some_and(|http| http.keys.has_several_owners()) {
        return Err(mistake(
            "secrets",
            "secrets would be shared by several API keys; start a server for each key",
        ));
    }
    if runs_programs(flags) {
        return Err(mistake("secrets", "a program could read them; leave --caps code out"));
    }
    Secrets::read(source).map_err(|reason| mistake("secrets", &reason))
}

fn http_options(flags: &Flags) -> Result<Option<HttpOptions>, EarlyExit> {
    let Some(port) = flags.http.port else { return Ok(None) };
    let host = flags.http.host.clone().unwrap_or_else(|| "127.0.0.1".to_owned());
    let unauthenticated = flags.http.allow_unauthenticated == Some(true);
    let keys = keys(flags, &host)?;
    let hosts = flags.http.allowed_hosts.clone().unwrap_or_default();
    if unauthenticated && hosts.iter().any(|host| host.trim() == "*") {
        // Without keys, `*` would let any web page reach this server by DNS rebinding.
        return Err(mistake("allowed-hosts", "with --allow-unauthenticated, name the hosts instead of *"));
    }
    let origins = flags.http.allowed_client_origins.clone().unwrap_or_default();
    let mut guard = RequestGuard::new(&host, &hosts, &origins)
        .map_err(|error| mistake("allowed-hosts", &error.to_string()))?;
    if let Some(url) = flags.user.live_url.as_deref().and_then(|url| url::Url::parse(url).ok()) {
        guard = guard.with_live_view_url(&url);
    }
    let limits = ClientLimits::default();
    let limits = ClientLimits {
        most: flags.http.max_clients.map_or(limits.most, |most| most as usize),
        grace: flags.http.client_grace.map_or(limits.grace, Duration::from_millis),
        ..limits
    };
    Ok(Some(HttpOptions { host, port, keys, guard, limits, metrics: flags.http.metrics == Some(true) }))
}

/// Returns the API keys and OAuth tokens that the HTTP server accepts.
fn keys(flags: &Flags, host: &str) -> Result<ApiKeys, EarlyExit> {
    let too_short = |key: &String| key.trim().len() < SHORTEST_KEY;
    if flags.http.api_key.iter().flatten().any(too_short) {
        let reason = format!(
            "a key needs at least {SHORTEST_KEY} characters, or it can be guessed; without --api-key one is made for you"
        );
        return Err(mistake("api-key", &reason));
    }
    let mut given = flags.http.api_key.clone().unwrap_or_default();
    if let Some(path) = &flags.http.api_key_file {
        let keys =
            ApiKeys::read_key_list(path).map_err(|error| mistake("api-key-file", &error.to_string()))?;
        if keys.is_empty() {
            return Err(mistake("api-key-file", "the file contains no key"));
        }
        given.extend(keys);
    }
    let file = flags.http.keys.as_ref().map(|path| KeyFile::open(path)).transpose();
    let file = file.map_err(|reason| mistake("keys", &reason))?;
    let oauth = oauth(flags)?;
    if (file.is_some() || oauth.is_some()) && flags.replica.state.is_some() {
        let given = if file.is_some() { "keys" } else { "oauth-issuer" };
        return Err(mistake(given, "what an owner may do is known on one server only; leave --state out"));
    }
    if flags.http.allow_unauthenticated == Some(true) {
        if file.is_some() || oauth.is_some() {
            let reason = "it would admit everybody; leave --keys and --oauth-issuer out";
            return Err(mistake("allow-unauthenticated", reason));
        }
        if !is_loopback(host) {
            return Err(mistake("allow-unauthenticated", "without a key only loopback is served"));
        }
        Ok(ApiKeys::allow_anyone())
    } else if given.is_empty() && file.is_none() && oauth.is_none() {
        ApiKeys::generate().map_err(|error| mistake("api-key", &error.to_string()))
    } else {
        let keys = ApiKeys::new(given).map_err(|error| mistake("api-key", &error.to_string()))?;
        Ok(keys.with_file(file).with_oauth(oauth))
    }
}

/// Returns the OAuth server whose tokens are accepted; `None` unless both issuer and audience are set.
fn oauth(flags: &Flags) -> Result<Option<OAuth>, EarlyExit> {
    let HttpFlags { oauth_issuer, oauth_audience, oauth_scopes, .. } = &flags.http;
    let (Some(issuer), Some(audience)) = (oauth_issuer, oauth_audience) else { return Ok(None) };
    let oauth = OAuth::new(issuer, audience, oauth_scopes.as_deref());
    oauth.map(Some).map_err(|reason| mistake("oauth-issuer", &reason))
}

/// Returns a warning if the server would reject clients that use a host name other than `host`.
fn hosts_to_allow(host: &str, flags: &Flags) -> Option<String> {
    let is_missing = !is_loopback(host) && flags.http.allowed_hosts.is_none();
    is_missing.then(|| {
        format!(
            "--host {host}: only requests to {host} and to names of loopback are answered; name the others under which \
             clients find this server with --allowed-hosts, such as --allowed-hosts browser.example.com"
        )
    })
}

fn live_options(flags: &Flags, http: Option<&HttpOptions>) -> Result<LiveViewOptions, EarlyExit> {
    let usual = LiveViewOptions::default();
    // OAuth users have no API key, so visitors of the live view enter its code instead.
    let several = http.is_some_and(|http| http.keys.has_several_owners() && http.keys.oauth().is_none());
    let entry = match flags.user.live_auth.as_deref() {
        None if several => VisitorAuth::Key,
        None | Some("code") => VisitorAuth::Code,
        Some("key") if http.is_some_and(|http| !http.keys.allows_anyone()) => VisitorAuth::Key,
        Some("key") => return Err(mistake("live-auth", "there are no keys; they belong to --port")),
        Some(other) => match other.strip_prefix("header:").map(str::trim) {
            Some(name) if HeaderName::try_from(name).is_ok() && http.is_some() => {
                VisitorAuth::Header(name.to_owned())
            }
            _ => return Err(mistake("live-auth", "expected code, key or, with --port, header:NAME")),
        },
    };
    if let Some(url) = &flags.user.live_url {
        let url = url::Url::parse(url).ok();
        if !url.is_some_and(|url| matches!(url.scheme(), "http" | "https") && url.query().is_none()) {
            return Err(mistake("live-url", "expected an http:// or https:// address"));
        }
    }
    Ok(LiveViewOptions {
        mode: flags.user.live,
        url: flags.user.live_url.clone(),
        limit: flags.user.live_timeout.map_or(usual.limit, Duration::from_secs),
        entry,
    })
}

fn is_loopback(host: &str) -> bool {
    let address = host.trim_matches(['[', ']']).parse::<std::net::IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

fn mistake(setting: &str, reason: &str) -> EarlyExit {
    EarlyExit::Mistake(format!("--{setting}: {reason}"))
}

/// Why the program exits without starting the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EarlyExit {
    /// The output of `--help` or `--version`; exit status 0.
    Answer(String),
    /// An error message of one line; exit status 2.
    Mistake(String),
}

impl EarlyExit {
    fn report(&self) -> i32 {
        // Ignores write errors: the parent process may have closed either stream.
        match self {
            Self::Answer(text) => {
                let _ = std::io::stdout().write_all(text.as_bytes());
                0
            }
            Self::Mistake(line) => {
                log_line(line);
                2
            }
        }
    }
}

/// Prints a line to standard output, unless it is empty.
fn show(text: &str) {
    if text.is_empty() {
        return;
    }
    // Ignores write errors: the reader may have closed the pipe.
    let _ = writeln!(std::io::stdout(), "{text}");
}

/// Reads the configuration from all sources. `arguments` exclude the program name.
pub fn configure(
    arguments: impl IntoIterator<Item = OsString>,
    environment: impl IntoIterator<Item = (OsString, OsString)>,
) -> Result<Config, EarlyExit> {
    let (flags, warnings) = layers::read_settings(arguments.into_iter().collect(), environment)?;
    Config::new(flags, warnings)
}

/// Reads the configuration of the background server. Defaults: headless, `--caps all`.
#[cfg(unix)]
fn configure_background(
    arguments: Vec<OsString>,
    environment: impl IntoIterator<Item = (OsString, OsString)>,
) -> Result<Config, EarlyExit> {
    let (mut flags, warnings) = layers::read_settings(arguments, environment)?;
    flags.browser.headless.get_or_insert(true);
    flags.tools.caps.get_or_insert_with(|| vec![Capability::All]);
    flags.tools.snapshot_max_chars.get_or_insert(BRIEF_CHARS);
    flags.tools.screenshot_dir.get_or_insert_with(|| project::FOLDER.into());
    flags.http.port = None;
    Config::new(flags, warnings)
}

/// Runs the command line and returns the exit status. `arguments` exclude the program name.
pub fn main(program: &Program, arguments: Vec<OsString>) -> i32 {
    #[cfg(unix)]
    if let Some(status) = init_process::run(program, &arguments) {
        return status;
    }
    command::run(program, &arguments).unwrap_or_else(|| serve(arguments))
}

/// Runs the MCP server and returns the exit status.
fn serve(arguments: Vec<OsString>) -> i32 {
    match configure(arguments, std::env::vars_os()) {
        Ok(config) => run::run(config),
        Err(ending) => ending.report(),
    }
}
