//! Starts WebKit's driver in a temporary home directory, and on a virtual display if there is no real one.
use std::ffi::OsString;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::time::{Instant, sleep, timeout_at};

use super::client::{Client, Command};
use super::downloads::Downloads;
use super::group::{EndMode, Group};
use super::options::{DISPLAY, DRIVER, Options, find_driver, find_virtual_display_server};
use crate::browser::launch::{Folder, sweep};
use crate::browser::{Relay, RelaySettings};
use crate::error::{Error, Result};

/// The number of attempts to start the driver, since another program may bind the free port first.
const ATTEMPTS: usize = 3;
const PAUSE: Duration = Duration::from_millis(10);
/// How many characters of the driver's output are quoted in an error.
const LAST_WORDS: usize = 400;

/// The processes of a driver, its WebKit and its display. They end when this is dropped or this process ends.
#[derive(Debug)]
pub(super) struct Processes {
    running: Mutex<Option<Running>>,
    /// The local proxy relay, if there is a proxy or an origin policy.
    relay: Option<Relay>,
    downloads: Downloads,
    /// The version of WebKit that the driver reports, such as `2.50.4`.
    version: String,
}

#[derive(Debug)]
struct Running {
    // Fields are in the order in which they are ended.
    driver: Group,
    display: Option<Group>,
    folder: Folder,
}

/// Starts a driver and a session. Returns the processes and a client for the session.
pub(super) async fn start(options: &Options) -> Result<(Processes, Client)> {
    options.check()?;
    let relay = Relay::start(RelaySettings {
        upstream: options.proxy.as_ref(),
        policy: &options.policy,
        certificates: &[],
        ignores_errors: false,
    })
    .await?;
    let deadline = Instant::now() + options.launch.launch_limit;
    let program = find_driver(options)?;
    let parent = options.launch.temporary_folder.clone().unwrap_or_else(std::env::temp_dir);
    let unwritable =
        |error: std::io::Error| Error::File { path: parent.display().to_string(), reason: error.to_string() };
    let folder = Folder::make(&parent).map_err(unwritable)?;
    let swept = parent.clone();
    tokio::task::spawn_blocking(move || sweep(&swept));
    let home = folder.scratch().join("home");
    let mut environment = environment(options, &folder.scratch()).map_err(unwritable)?;
    Downloads::prepare(&home).map_err(unwritable)?;
    let display = match find_virtual_display_server(options)? {
        None => None,
        Some(program) => {
            let (display, name) = start_display(&program, &folder.scratch(), deadline).await?;
            environment.push(("DISPLAY".into(), name.into()));
            Some(display)
        }
    };
    let log = folder.scratch().join("driver.log");
    let mut attempt = 1;
    let (driver, client) = loop {
        match start_driver(&program, &environment, (&folder, &log), deadline).await {
            Err(_) if attempt < ATTEMPTS && Instant::now() < deadline => attempt += 1,
            started => break started?,
        }
    };
    let running = Running { driver, display, folder };
    let mut browser = json!({ "args": arguments(options, relay.as_ref()) });
    let downloads = Downloads::of(&home);
    let mut processes =
        Processes { running: Mutex::new(Some(running)), relay, downloads, version: String::new() };
    if let Some(binary) = binary(&program) {
        browser["binary"] = json!(binary);
    }
    let wanted = json!({ "capabilities": { "alwaysMatch": {
        "acceptInsecureCerts": options.ignore_https_errors,
        "unhandledPromptBehavior": "ignore",
        "webkitgtk:browserOptions": browser,
    } } });
    let limit = deadline.saturating_duration_since(Instant::now());
    // A driver that cannot start its browser never replies to this command.
    let begun = client.post(Command { limit, ..Command::new("New Session", "/session") }, wanted).await;
    let begun = begun.unwrap_or_default();
    let Some(id) = begun["sessionId"].as_str() else {
        let reason = match last_words(&log) {
            words if words.is_empty() => "WebKit's driver could not start a browser".to_owned(),
            words => format!("WebKit's driver could not start a browser: {words}"),
        };
        processes.end().await;
        return Err(Error::BrowserLaunch { reason });
    };
    begun["capabilities"]["browserVersion"].as_str().unwrap_or_default().clone_into(&mut processes.version);
    Ok((processes, client.within(id)))
}

impl Processes {
    /// Ends all processes and removes their temporary files.
    pub(super) async fn end(&self) {
        let Some(Running { mut driver, display, folder }) = self.running.lock().take() else { return };
        driver.end().await;
        if let Some(mut display) = display {
            display.end().await;
        }
        folder.release();
        let _ = tokio::task::spawn_blocking(move || drop(folder)).await;
    }

    /// Returns the relay's more precise error for a failure since `begun`, if there is one.
    pub(super) fn explain(&self, begun: std::time::Instant) -> Option<Error> {
        self.relay.as_ref()?.explain(begun)
    }

    /// Returns the downloads of this WebKit.
    pub(super) fn downloads(&self) -> &Downloads {
        &self.downloads
    }

    /// Returns the WebKit version that the driver reports.
    pub(super) fn version(&self) -> &str {
        &self.version
    }

    /// Returns whether the driver has exited or was ended.
    pub(super) fn have_ended(&self) -> bool {
        self.running.lock().as_mut().is_none_or(|running| running.driver.has_ended())
    }
}

/// Returns the environment variables for the driver, with a temporary home directory.
fn environment(options: &Options, scratch: &Path) -> std::io::Result<Vec<(OsString, OsString)>> {
    let home = scratch.join("home");
    let below = |part: &str| home.join(part).into_os_string();
    std::fs::create_dir_all(home.join("run"))?;
    let mut variables = vec![
        ("HOME".into(), home.clone().into_os_string()),
        ("TMPDIR".into(), scratch.as_os_str().to_owned()),
        ("XDG_CACHE_HOME".into(), below(".cache")),
        ("XDG_CONFIG_HOME".into(), below(".config")),
        ("XDG_DATA_HOME".into(), below(".local/share")),
        ("XDG_RUNTIME_DIR".into(), below("run")),
        ("GDK_BACKEND".into(), "x11".into()),
        // Without these variables, WebKit starts a D-Bus daemon that never ends.
        ("DBUS_SESSION_BUS_ADDRESS".into(), "disabled:".into()),
        ("NO_AT_BRIDGE".into(), "1".into()),
    ];
    if let Some(timezone) = &options.timezone {
        variables.push(("TZ".into(), timezone.into()));
    }
    Ok(variables)
}

/// Starts a virtual display. Returns its process and its name, such as `:1`.
async fn start_display(program: &Path, scratch: &Path, deadline: Instant) -> Result<(Group, String)> {
    let arguments =
        ["-displayfd", "1", "-screen", "0", "1920x1080x24", "-nolisten", "tcp"].map(OsString::from);
    let log = scratch.join("display.log");
    let failed =
        |reason: String| Error::BrowserLaunch { reason: format!("{DISPLAY} did not start: {reason}") };
    let mut display = Group::start(program, &arguments, &[], &log, EndMode::Orderly)
        .map_err(|error| failed(error.to_string()))?;
    let said = display.said.take().ok_or_else(|| failed("it says nothing".to_owned()))?;
    let (mut said, mut number) = (BufReader::new(said), String::new());
    // Xvfb writes the number and the newline separately, and exits if nobody reads the newline.
    let read = timeout_at(deadline, said.read_line(&mut number)).await;
    match read {
        Ok(Ok(1..)) => Ok((display, format!(":{}", number.trim()))),
        _ => Err(failed(last_words(&log))),
    }
}

async fn start_driver(
    program: &Path,
    environment: &[(OsString, OsString)],
    (folder, log): (&Folder, &Path),
    deadline: Instant,
) -> Result<(Group, Client)> {
    let failed =
        |reason: String| Error::BrowserLaunch { reason: format!("{DRIVER} did not start: {reason}") };
    let port = free_port().map_err(|error| failed(error.to_string()))?;
    let arguments = [OsString::from(format!("--port={port}"))];
    let start = || Group::start(program, &arguments, environment, log, EndMode::Together);
    let mut driver =
        folder.start(start, |driver| Some(driver.pid())).map_err(|error| failed(error.to_string()))?;
    let client = Client::new(&format!("http://127.0.0.1:{port}"))?;
    loop {
        if let Ok(status) = client.get(Command::new("Status", "/status")).await
            && status["ready"] == Value::Bool(true)
            && !driver.has_ended()
        {
            return Ok((driver, client));
        }
        if driver.has_ended() || Instant::now() >= deadline {
            return Err(failed(last_words(log)));
        }
        sleep(PAUSE).await;
    }
}

fn free_port() -> std::io::Result<u16> {
    Ok(TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port())
}

/// Returns the browser in the driver's folder, if any. By default, the driver starts an installed one.
fn binary(program: &Path) -> Option<PathBuf> {
    let beside = program.parent()?.join("MiniBrowser");
    beside.is_file().then_some(beside)
}

fn arguments(options: &Options, relay: Option<&Relay>) -> Vec<String> {
    let mut arguments = vec!["--automation".to_owned()];
    // With the driver's `proxy` capability, WebKit would use TLS to the proxy itself for `https:` pages.
    if let Some(relay) = relay {
        arguments.push(format!("--proxy={}", relay.server()));
        arguments.extend(relay.direct_hosts().map(|host| format!("--ignore-host={host}")));
    }
    if let Some(user_agent) = &options.user_agent {
        arguments.push(format!("--user-agent={user_agent}"));
    }
    arguments.extend(options.launch.arguments.iter().cloned());
    arguments
}

fn last_words(log: &Path) -> String {
    let said = std::fs::read(log).unwrap_or_default();
    let said = String::from_utf8_lossy(&said);
    let words = said.split_whitespace().collect::<Vec<_>>().join(" ");
    let begin = words.char_indices().rev().nth(LAST_WORDS).map_or(0, |(at, _)| at);
    words[begin..].to_owned()
}
