//! The `doctor` command: checks what could keep the browser from working, and shows how to fix each problem.
mod machine;

use std::net::TcpListener;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::{Arg, ArgAction, ArgMatches, Command, CommandFactory as _};
use serde_json::{Value, json};

use super::flags::Flags;
use super::setup::clients::{Agent, ClientFolders};
use super::setup::{self, SetupState};
use super::{Config, EarlyExit, command, show};
use crate::browser::find::find;
use crate::browser::launch::LaunchOptions;
use crate::browser::websocket_debugger_url;
use crate::browser::{Browser, ContextOptions};
use crate::error::Error;
use crate::session::BrowserSource;
use crate::webdriver::{self, WebkitSession};

/// The severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub(super) enum Severity {
    Good,
    /// The browser works with limitations.
    Warning,
    /// The browser does not work.
    Problem,
}

/// The result of a check.
#[derive(Debug, Clone)]
pub(super) struct Finding {
    pub subject: &'static str,
    pub grade: Severity,
    pub found: String,
    /// How to fix the problem; `None` if nothing is wrong.
    pub fix: Option<String>,
}

impl Finding {
    fn good(subject: &'static str, found: impl Into<String>) -> Self {
        Self { subject, grade: Severity::Good, found: found.into(), fix: None }
    }

    fn bad(subject: &'static str, grade: Severity, found: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { subject, grade, found: found.into(), fix: Some(fix.into()) }
    }
}

/// Returns the definition of `doctor`. It includes the server's options, which determine what is checked.
pub(super) fn command() -> Command {
    let command = Command::new("doctor")
        .about("Check what the browser needs on this machine, and how to fix what is missing")
        .bin_name("patchright-mcp doctor")
        .after_help("Options of the server (patchright-mcp --help) are accepted and checked too.")
        .arg(Arg::new("json").long("json").action(ArgAction::SetTrue).help("Print one JSON object"));
    let flags = Flags::command();
    let flags = flags.get_arguments().filter(|flag| flag.get_long().is_some());
    flags.fold(command, |command, flag| command.arg(flag.clone().hide(true).help_heading(None::<&str>)))
}

/// Runs the checks and prints the findings. Returns exit status 1 if at least one is a problem.
pub(super) fn run(matches: &ArgMatches) -> Result<i32, EarlyExit> {
    let options = command::options(matches);
    let config = super::configure(options.iter().map(std::ffi::OsString::from), std::env::vars_os())?;
    let findings = examined(&config);
    let worst = findings.iter().map(|finding| finding.grade).max().unwrap_or(Severity::Good);
    let is_well = worst < Severity::Problem;
    match matches.get_flag("json") {
        true => {
            let list = findings.iter().map(object).collect::<Vec<_>>();
            show(&json!({ "ok": is_well, "findings": list }).to_string());
        }
        false => show(&findings.iter().map(line).collect::<Vec<_>>().join("\n")),
    }
    Ok(i32::from(!is_well))
}

fn object(finding: &Finding) -> Value {
    let grade: &str = finding.grade.into();
    json!({ "subject": finding.subject, "grade": grade, "found": finding.found, "fix": finding.fix })
}

fn line(finding: &Finding) -> String {
    let mark = match finding.grade {
        Severity::Good => "ok     ",
        Severity::Warning => "warning",
        Severity::Problem => "PROBLEM",
    };
    let fix = finding.fix.iter().map(|fix| format!("\n        {:<12} → {fix}", ""));
    format!("{mark} {:<12} {}{}", finding.subject, finding.found, fix.collect::<String>())
}

fn examined(config: &Config) -> Vec<Finding> {
    let mut findings =
        vec![Finding::good("program", format!("patchright-mcp {}", env!("CARGO_PKG_VERSION")))];
    findings.extend(config.warnings.iter().map(|warning| {
        Finding::bad(
            "settings",
            Severity::Warning,
            warning.as_str(),
            "Look for the setting's name in patchright-mcp --help.",
        )
    }));
    match &config.engine.source {
        BrowserSource::Launch(options) => findings.extend(browser(options)),
        BrowserSource::Attach { endpoint, .. } => findings.push(attached(endpoint)),
        BrowserSource::Join { folder, .. } => findings.push(match websocket_debugger_url(folder) {
            Ok(_) => Finding::good("browser", "yours runs, and listens".to_owned()),
            Err(error) => finding("browser", &error),
        }),
        BrowserSource::Pool(pool) => {
            let found = format!("{} of a pool", pool.node_counts().0);
            findings.push(Finding::good("browsers", found));
        }
        BrowserSource::Shared { .. } => {}
        BrowserSource::Webkit(options) => findings.extend(webkit(options)),
        BrowserSource::Unsupported { browser } => {
            let error = Error::UnsupportedBrowser { browser: browser.clone() };
            findings.push(finding("browser", &error));
        }
    }
    findings.extend(machine::examined(matches!(config.engine.source, BrowserSource::Webkit(_))));
    findings.extend(http(config));
    findings.extend(clients());
    findings
}

/// Finds the browser and starts it once, headless and with a temporary profile.
fn browser(options: &LaunchOptions) -> Vec<Finding> {
    let found = match find(&options.browser_query()) {
        Ok(found) => found,
        Err(error) => return vec![finding("browser", &error)],
    };
    let mut findings = vec![Finding::good("browser", found.executable.display().to_string())];
    let options = LaunchOptions { headless: Some(true), user_data_dir: None, ..options.clone() };
    findings.push(started(async {
        let browser = Browser::launch(&options, ContextOptions::default(), &|_| ()).await?;
        let version = browser.version().product.rsplit('/').next().unwrap_or_default().to_owned();
        let close = async move {
            let _ = browser.close().await;
        };
        Ok((version, close))
    }));
    findings
}

/// Finds the WebDriver program and a display; if both exist, starts a WebKit session once.
fn webkit(options: &webdriver::Options) -> Vec<Finding> {
    let browser = match webdriver::find_driver(options) {
        Ok(driver) => Finding::good("browser", driver.display().to_string()),
        Err(error) => finding("browser", &error),
    };
    let screen = match webdriver::find_virtual_display_server(options) {
        Ok(Some(program)) => Finding::good("screen", format!("in memory, of {}", program.display())),
        Ok(None) => Finding::good("screen", "the one of DISPLAY"),
        Err(error) => finding("screen", &error),
    };
    let mut findings = vec![browser, screen];
    if findings.iter().all(|finding| finding.grade == Severity::Good) {
        let webkit_session = WebkitSession::new(Arc::new(options.for_trial_launch()));
        findings.push(started(async move {
            let version = webkit_session.acquire_page().await?.version().to_owned();
            Ok((version, async move { webkit_session.close().await }))
        }));
    }
    findings
}

/// Starts a browser and times the start. `start` returns the version and a future that closes the browser.
fn started<C: Future<Output = ()>>(start: impl Future<Output = crate::Result<(String, C)>>) -> Finding {
    let begun = Instant::now();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let launched = runtime.map_err(|error| error.to_string()).map(|runtime| {
        runtime.block_on(async {
            let (version, close) = start.await?;
            let took = begun.elapsed();
            close.await;
            Ok((version, took))
        })
    });
    match launched {
        Ok(Ok((version, took))) => {
            Finding::good("start", format!("version {version}, answers after {} ms", took.as_millis()))
        }
        Ok(Err(error)) => finding("start", &error),
        Err(error) => {
            Finding::bad("start", Severity::Problem, error, "Free some memory, or stop some processes.")
        }
    }
}

fn finding(subject: &'static str, error: &Error) -> Finding {
    let fix = error.suggestion().unwrap_or("Run patchright-mcp --log-level=debug and read its log.");
    Finding::bad(subject, Severity::Problem, error.to_string(), fix)
}

/// Checks whether the address of `--cdp-endpoint` accepts connections.
fn attached(endpoint: &str) -> Finding {
    let listens = url::Url::parse(endpoint).ok().and_then(|url| {
        let addresses = url.socket_addrs(|| None).ok()?;
        let reached = addresses
            .iter()
            .any(|address| std::net::TcpStream::connect_timeout(address, Duration::from_secs(3)).is_ok());
        Some(reached)
    });
    match listens {
        Some(true) => Finding::good("browser", "the one of --cdp-endpoint listens"),
        _ => Finding::bad(
            "browser",
            Severity::Problem,
            "nothing listens at --cdp-endpoint",
            "Start that browser with --remote-debugging-port and its own --user-data-dir.",
        ),
    }
}

/// Checks port and API keys; no findings if the server does not use HTTP.
fn http(config: &Config) -> Vec<Finding> {
    let Some(http) = &config.http else { return Vec::new() };
    let address = (http.host.trim_matches(['[', ']']), http.port);
    let port = match TcpListener::bind(address) {
        Ok(_) => Finding::good("port", format!("{} is free on {}", http.port, http.host)),
        Err(error) => Finding::bad(
            "port",
            Severity::Problem,
            format!("{} on {}: {error}", http.port, http.host),
            "Stop what uses it, or choose another --port; 0 takes any free port.",
        ),
    };
    let count = http.keys.count();
    let keys = match (http.keys.generated_key(), http.keys.allows_anyone()) {
        (Some(_), _) => Finding::bad(
            "keys",
            Severity::Warning,
            "a new key is made at each start",
            "Set --api-key-file, so that the key stays the same.",
        ),
        (None, true) => Finding::good("keys", "none is asked for, on loopback only"),
        (None, false) => Finding::good("keys", format!("{count} given")),
    };
    vec![port, keys]
}

/// Checks whether each MCP client installed on this machine has this server in its configuration.
fn clients() -> Vec<Finding> {
    let Some(places) = ClientFolders::here() else { return Vec::new() };
    let found = Agent::all().iter().filter_map(|agent| {
        let path = agent.file(&places);
        let name = agent.name();
        let finding = match setup::state(*agent, &path) {
            SetupState::Missing => return None,
            SetupState::Others => {
                Finding::good("client", format!("{name} does not know us (patchright-mcp setup {name})"))
            }
            SetupState::Unreadable => Finding::bad(
                "client",
                Severity::Warning,
                format!("{name}: {} cannot be understood", path.display()),
                "Fix the file; its client may not be able to read it either.",
            ),
            SetupState::Ours => knows(*agent, name, setup::program_of(*agent, &path)),
        };
        Some(finding)
    });
    found.collect()
}

/// Checks that the program exists that a client's configuration starts.
fn knows(agent: Agent, name: &str, program: Option<String>) -> Finding {
    let is_gone = program.as_deref().is_some_and(|program| {
        let path = std::path::Path::new(program);
        path.is_absolute() && !path.exists()
    });
    match (is_gone, program) {
        (true, Some(program)) => Finding::bad(
            "client",
            Severity::Problem,
            format!("{name} would start {program}, which is gone"),
            format!("patchright-mcp setup {}", agent.name()),
        ),
        _ => Finding::good("client", format!("{name} knows us")),
    }
}
