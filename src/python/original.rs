//! The Rust part of the Python modules `server` and `browser`: the API of the first patchright-mcp.
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use super::bridge;
use crate::browser::ContentFormat;
use crate::browser::launch::LaunchOptions;
use crate::cli;
use crate::error::Error;
use crate::mcp::client::Client;
use crate::mcp::dispatch::Dispatcher;
use crate::mcp::failure::cooldown_keyword;
use crate::mcp::progress::Progress;
use crate::mcp::tool::Toolset;
use crate::mcp::tools::patchright::{FAMILY, read_url};
use crate::messages::patchright::PatchrightTool;
use crate::messages::{Language, cooldown as texts, login, patchright as words};
use crate::secrets::Secrets;
use crate::session::cooldown::Cooldown;
use crate::session::handoff::NoPersonContact;
use crate::session::pacing::Pacing;
use crate::session::visit::{self, VisitOptions, VisitTask};
use crate::session::{BrowserSource, Engine, EngineOptions, Workspace};
use crate::sync::unix_time;

/// Returns whether an error text means that nobody logged in within the time limit.
#[pyfunction]
pub(super) fn is_login_timeout(error: &str) -> bool {
    login::is_login_timeout(error)
}

/// The process-wide cooldown: after a login timeout, calls are rejected for a while.
#[pyclass(frozen, module = "patchright_mcp._core")]
pub(super) struct CooldownState(&'static Cooldown);

#[pymethods]
impl CooldownState {
    #[new]
    fn new() -> Self {
        Self(Cooldown::process_wide())
    }

    /// When the cooldown started, in seconds since 1970; `None` if none is active.
    #[getter]
    fn since(&self) -> Option<f64> {
        self.0.started_at()
    }

    #[setter]
    fn set_since(&self, since: Option<f64>) {
        self.0.set_started_at(since);
    }

    /// The duration of a cooldown in seconds.
    #[getter]
    fn period(&self) -> f64 {
        self.0.period()
    }

    #[setter]
    fn set_period(&self, seconds: f64) {
        self.0.set_period(seconds);
    }

    /// Sets the function that returns the current time, in seconds since 1970.
    fn use_clock(&self, clock: Py<PyAny>) {
        let now = move || {
            // While the interpreter shuts down, Python code cannot run, so the system clock is used.
            let time = Python::try_attach(|py| clock.call0(py)?.extract::<f64>(py));
            time.and_then(Result::ok).unwrap_or_else(|| unix_time().as_secs_f64())
        };
        self.0.set_clock(Arc::new(now));
    }

    /// Returns the response to calls during a cooldown; `None` if no cooldown is active.
    fn check(&self) -> Option<String> {
        let cooling = self.0.check()?;
        Some(texts::cooldown_active(Language::default(), cooling.remaining_seconds))
    }

    /// Starts a cooldown. Returns the message for the user.
    fn record(&self) -> String {
        texts::cooldown_started(Language::default(), self.0.restart())
    }
}

/// The dispatcher of [`call_tool`] and its only client. Created on first use, from environment variables.
struct ToolServer {
    dispatcher: Dispatcher,
    client: Client,
}

static TOOL_SERVER: OnceLock<Arc<ToolServer>> = OnceLock::new();

fn tool_server() -> PyResult<Arc<ToolServer>> {
    if let Some(server) = TOOL_SERVER.get() {
        return Ok(Arc::clone(server));
    }
    let config = cli::configure([], std::env::vars_os());
    let mut config = config.map_err(|ending| PyRuntimeError::new_err(format!("{ending:?}")))?;
    if let BrowserSource::Launch(launch) = &mut config.engine.source {
        launch.headless.get_or_insert(true);
    }
    let dispatcher = cli::dispatcher(config);
    let client = dispatcher.new_client();
    Ok(Arc::clone(TOOL_SERVER.get_or_init(|| Arc::new(ToolServer { dispatcher, client }))))
}

/// Returns the definitions of the `patchright_*` tools as a JSON array.
#[pyfunction]
pub(super) fn list_patchright_tools() -> PyResult<String> {
    let server = tool_server()?;
    let tools = server
        .dispatcher
        .services
        .registry
        .tools()
        .iter()
        .filter(|tool| tool.family.toolset == Toolset::Patchright);
    let language = server.dispatcher.settings.language;
    let tools = tools.map(|tool| tool.to_mcp_tool(language)).collect::<Vec<_>>();
    serde_json::to_string(&tools).map_err(|error| PyRuntimeError::new_err(error.to_string()))
}

/// Calls a tool as an MCP client would. Returns an awaitable of the result as JSON text.
#[pyfunction]
pub(super) fn call_tool<'py>(py: Python<'py>, name: String, arguments: &str) -> PyResult<Bound<'py, PyAny>> {
    let arguments: Map<String, Value> =
        serde_json::from_str(arguments).map_err(|error| PyValueError::new_err(error.to_string()))?;
    let server = tool_server()?;
    bridge::awaitable(py, async move {
        let (progress, never) = (Progress::default(), CancellationToken::new());
        let reply = server.dispatcher.call(&server.client, &name, arguments, &progress, &never).await;
        let reply = reply.map_err(|_| PyValueError::new_err(format!("未知工具: {name}")))?;
        serde_json::to_string(&reply.into_result())
            .map_err(|error| PyRuntimeError::new_err(error.to_string()))
    })
}

/// Closes the browser that `call_tool` uses, if it is running.
#[pyfunction]
pub(super) fn close_tools(py: Python<'_>) -> PyResult<()> {
    match TOOL_SERVER.get() {
        Some(server) => bridge::block_on(py, server.dispatcher.services.engine.close()),
        None => Ok(()),
    }
}

/// A browser for one-shot calls: each call opens a page, performs one task in it, and closes it.
#[pyclass(frozen, module = "patchright_mcp._core")]
pub(super) struct ToolBrowser {
    workspace: Workspace,
    pacing: Pacing,
    limit: Duration,
}

/// The outcome of a call: URL, title, text, HTML, screenshot, the script's result as JSON, and the error.
type Outcome<'py> = (String, String, String, String, Bound<'py, PyBytes>, Option<String>, Option<String>);

#[pymethods]
impl ToolBrowser {
    #[new]
    #[pyo3(signature = (headless, timeout, user_data_dir))]
    fn new(headless: bool, timeout: f64, user_data_dir: Option<PathBuf>) -> PyResult<Self> {
        let launch = LaunchOptions { headless: Some(headless), user_data_dir, ..LaunchOptions::default() };
        let engine = Engine::new(EngineOptions {
            use_profile: launch.user_data_dir.is_some(),
            warn: Arc::new(|line| tracing::warn!("{line}")),
            ..EngineOptions::new(BrowserSource::Launch(Box::new(launch)))
        });
        let limit = Duration::try_from_secs_f64(timeout);
        let limit = limit.map_err(|error| PyValueError::new_err(format!("timeout: {error}")))?;
        Ok(Self { workspace: engine.new_workspace(), pacing: Pacing::default(), limit })
    }

    #[pyo3(signature = (url, wait_for))]
    fn fetch<'py>(&self, py: Python<'py>, url: &str, wait_for: Option<String>) -> PyResult<Outcome<'py>> {
        self.run(py, PatchrightTool::Fetch, url, &VisitTask::Read { wait_for })
    }

    fn screenshot<'py>(&self, py: Python<'py>, url: &str, full_page: bool) -> PyResult<Outcome<'py>> {
        self.run(py, PatchrightTool::Screenshot, url, &VisitTask::Picture { full_page })
    }

    fn click<'py>(&self, py: Python<'py>, url: &str, selector: String) -> PyResult<Outcome<'py>> {
        self.run(py, PatchrightTool::Click, url, &VisitTask::Click { selector })
    }

    #[pyo3(signature = (url, fields, submit))]
    fn fill_form<'py>(
        &self,
        py: Python<'py>,
        url: &str,
        fields: Vec<(String, String)>,
        submit: Option<String>,
    ) -> PyResult<Outcome<'py>> {
        self.run(py, PatchrightTool::FillForm, url, &VisitTask::Fill { fields, submit })
    }

    fn execute_js<'py>(&self, py: Python<'py>, url: &str, script: String) -> PyResult<Outcome<'py>> {
        self.run(py, PatchrightTool::ExecuteJs, url, &VisitTask::Run { script })
    }

    /// Closes the browser, if it is running.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        bridge::block_on(py, self.workspace.engine().close())
    }
}

impl ToolBrowser {
    fn run<'py>(
        &self,
        py: Python<'py>,
        kind: PatchrightTool,
        url: &str,
        task: &VisitTask,
    ) -> PyResult<Outcome<'py>> {
        let failed = |reason: String| {
            let nothing = String::new;
            (nothing(), nothing(), nothing(), nothing(), PyBytes::new(py, &[]), None, Some(reason))
        };
        let Some(address) = read_url(url) else {
            return Ok(failed(
                words::invalid_argument(PatchrightTool::Fetch, Language::default()).to_owned(),
            ));
        };
        if lacks(task) {
            return Ok(failed(words::invalid_argument(kind, Language::default()).to_owned()));
        }
        let visit = async {
            let page = self.workspace.new_tab().await?;
            let options = VisitOptions {
                limit: self.limit,
                settle: Duration::from_millis(120),
                patience: Duration::from_secs(120),
                formats: &[ContentFormat::Text, ContentFormat::Html],
                pacing: &self.pacing,
                secrets: &Secrets::default(),
            };
            let visit = visit::run(&page, &address, task, options, &NoPersonContact).await;
            let _ = page.close().await;
            visit
        };
        let visit = match bridge::block_on(py, visit)? {
            Ok(visit) => visit,
            Err(error) => return Ok(failed(reason(&error))),
        };
        let mut contents = visit.contents.into_iter();
        let mut content = || contents.next().unwrap_or_default();
        let value = visit.value.map(|value| value.to_string());
        Ok((visit.url, visit.title, content(), content(), PyBytes::new(py, &visit.picture), value, None))
    }
}

fn lacks(task: &VisitTask) -> bool {
    let blank = |text: &str| text.trim().is_empty();
    match task {
        VisitTask::Click { selector } => blank(selector),
        VisitTask::Fill { fields, .. } => {
            fields.is_empty() || fields.iter().any(|(selector, _)| blank(selector))
        }
        VisitTask::Run { script } => blank(script),
        VisitTask::Read { .. } | VisitTask::Picture { .. } => false,
    }
}

/// Returns the error text of a call. Contains a login-timeout keyword only if the cooldown must start.
fn reason(error: &Error) -> String {
    let keyword = cooldown_keyword(error, FAMILY);
    if login::is_login_timeout(keyword) {
        return keyword.to_owned();
    }
    let words = words::error_description(Language::default(), error);
    // Text from the page could contain a keyword by chance, which must not start the cooldown.
    if login::is_login_timeout(&words) { error.code().to_owned() } else { words }
}
