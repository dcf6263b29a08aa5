//! Python programs, and the interpreter for them: that of the Python process in which the server runs.
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

static INTERPRETER: OnceLock<&'static dyn PythonInterpreter> = OnceLock::new();

/// A Python interpreter for programs of clients.
pub trait PythonInterpreter: Debug + Sync {
    /// Creates a notebook. Its programs may open only the URLs that `gate` admits.
    fn notebook(&self, gate: UrlGate) -> Result<Arc<dyn PythonNotebook>>;
}

/// A context in which programs run one after the other and share variables, as in a Jupyter notebook.
pub trait PythonNotebook: Debug + Send + Sync {
    fn begin(&self, program: PythonProgram) -> Result<Box<dyn ProgramRun>>;
}

/// A running program.
pub trait ProgramRun: Debug + Send {
    /// Waits until the program ends, and returns its output.
    fn ended(&mut self) -> BoxFuture<'_, ProgramOutput>;
    /// Returns the output so far.
    fn printed(&self) -> ProgramOutput;
    /// Stops the program at its next `await`, or immediately if `wherever` is true.
    fn stop(&self, wherever: bool);
}

/// A program, and the page on which it begins.
#[derive(Debug)]
pub struct PythonProgram {
    pub text: String,
    /// The page that the program sees as the variable `page`.
    pub page: Page,
    /// The maximum number of characters of output to keep.
    pub room: usize,
}

/// The output of a program.
#[derive(Debug, Default)]
pub struct ProgramOutput {
    pub text: String,
    /// The length of the complete output in characters, of which `text` may be only a part.
    pub all: usize,
    /// The exception that ended the program, if any.
    pub failure: Option<String>,
}

/// Checks that programs open only URLs that tools may open, and delays them as the pacing requires.
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

    /// Sets whether the program's route handlers decide about requests that match no rule of `browser_route`.
    pub fn let_program_route_unmatched(&self, context: &BrowserContext, decides: bool) {
        self.workspace.rules(context).set_delegates_unmatched(decides);
    }

    /// Checks that a program may open the URL, and waits until the pacing allows the navigation.
    pub async fn admit(&self, address: &str) -> Result<Url> {
        let url = address::read_under(&self.settings, address)?;
        self.pacing.wait_to_navigate(&self.workspace.get_or_create_active_context().await?, &url).await?;
        Ok(url)
    }

    /// Returns the default time limits: of actions, and of navigations.
    pub fn limits(&self) -> (Duration, Duration) {
        (self.settings.timeouts.action, self.settings.timeouts.navigation)
    }
}

/// Sets the interpreter of this process. Later calls have no effect.
pub fn set_interpreter(interpreter: &'static dyn PythonInterpreter) {
    let _ = INTERPRETER.set(interpreter);
}

/// Creates a notebook in the interpreter of this process.
///
/// # Errors `unsupported` if the server does not run in Python.
pub fn notebook(gate: UrlGate) -> Result<Arc<dyn PythonNotebook>> {
    let interpreter = INTERPRETER.get().ok_or_else(|| Error::Unsupported {
        what: "a Python program",
        reason: "this is the program without Python; start the server as python -m patchright_mcp".to_owned(),
    })?;
    interpreter.notebook(gate)
}
