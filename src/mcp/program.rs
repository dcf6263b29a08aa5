//! Python programs, and the interpreter that runs them: the one that this server runs in, if any.
use std::fmt::Debug;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures_util::future::BoxFuture;
use url::Url;

use crate::Result;
use crate::browser::{BrowserContext, Page};
use crate::error::Error;
use crate::mcp::address;
use crate::mcp::settings::Settings;
use crate::session::Workspace;
use crate::session::pacing::Pacing;

static INTERPRETER: OnceLock<&'static dyn Interpreter> = OnceLock::new();

/// An interpreter for programs.
pub trait Interpreter: Debug + Sync {
    /// Creates a notebook. Its programs open URLs through `gate`.
    fn notebook(&self, gate: UrlGate) -> Result<Arc<dyn Notebook>>;
}

/// Runs programs one after the other, with shared variables.
pub trait Notebook: Debug + Send + Sync {
    fn begin(&self, program: Program) -> Result<Box<dyn ProgramTask>>;
}

/// A running program.
pub trait ProgramTask: Debug + Send {
    /// Waits until the program ends.
    fn ended(&mut self) -> BoxFuture<'_, ProgramOutput>;
    /// Returns the output so far.
    fn printed(&self) -> ProgramOutput;
    /// Stops the program: at its next wait, or anywhere with `wherever`.
    fn stop(&self, wherever: bool);
}

/// A program with its page.
#[derive(Debug)]
pub struct Program {
    pub text: String,
    /// The page that the program has as its variable `page`.
    pub page: Page,
    /// The number of characters of its output that are kept.
    pub room: usize,
}

/// The output of a program.
#[derive(Debug, Default)]
pub struct ProgramOutput {
    pub text: String,
    /// The number of characters of the full output.
    pub all: usize,
    /// The exception that ended the program, if any.
    pub failure: Option<String>,
}

/// Checks which URLs programs may open and when, as for tools.
#[derive(Debug, Clone)]
pub struct UrlGate {
    settings: Settings,
    pacing: Pacing,
    workspace: Workspace,
}

impl UrlGate {
    pub(super) fn new(settings: Settings, pacing: Pacing, workspace: Workspace) -> Self {
        Self { settings, pacing, workspace }
    }

    /// Sets whether programs handle requests of a context that no tool rule matches.
    pub fn delegate_unmatched_requests(&self, context: &BrowserContext, decides: bool) {
        self.workspace.rules(context).delegate_unmatched(decides);
    }

    /// Checks that a program may open the URL, and waits until the pacing allows it.
    pub async fn admit(&self, address: &str) -> Result<Url> {
        let url = address::read_under(&self.settings, address)?;
        self.pacing.wait_to_navigate(&self.workspace.context().await?, &url).await?;
        Ok(url)
    }

    /// The default time limits for elements and pages.
    pub fn limits(&self) -> (Duration, Duration) {
        (self.settings.timeouts.action, self.settings.timeouts.navigation)
    }
}

/// Sets the interpreter of this process. Only the first call counts.
pub fn set_interpreter(interpreter: &'static dyn Interpreter) {
    let _ = INTERPRETER.set(interpreter);
}

/// Creates a notebook.
///
/// # Errors `unsupported` without Python.
pub fn notebook(gate: UrlGate) -> Result<Arc<dyn Notebook>> {
    let interpreter = INTERPRETER.get().ok_or_else(|| Error::Unsupported {
        what: "a Python program",
        reason: "this is the program without Python; start the server as python -m patchright_mcp".to_owned(),
    })?;
    interpreter.notebook(gate)
}
