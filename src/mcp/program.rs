//! Programs in Python, and what runs them: the interpreter that this server lives in, if it lives in one.
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

/// What can run programs.
pub trait Interpreter: Debug + Sync {
    /// A place whose names last. Its programs open addresses through `gate`.
    fn notebook(&self, gate: Gate) -> Result<Arc<dyn Notebook>>;
}

/// A place for programs, one after the other: what one names, the next finds.
pub trait Notebook: Debug + Send + Sync {
    fn begin(&self, program: Program) -> Result<Box<dyn Running>>;
}

/// A program under way.
pub trait Running: Debug + Send {
    /// Waits for its end.
    fn ended(&mut self) -> BoxFuture<'_, Printed>;
    /// What it has printed so far.
    fn printed(&self) -> Printed;
    /// Ends it: where it waits, or wherever it is.
    fn stop(&self, wherever: bool);
}

/// A program, and what it works on.
#[derive(Debug)]
pub struct Program {
    pub text: String,
    /// What it calls `page`.
    pub page: Page,
    /// How many characters of what it prints are kept.
    pub room: usize,
}

/// What a program printed.
#[derive(Debug, Default)]
pub struct Printed {
    pub text: String,
    /// How many characters it printed, whether or not there was room.
    pub all: usize,
    /// What ended it before its end.
    pub failure: Option<String>,
}

/// Which addresses programs open, and when: those that tools may, as politely.
#[derive(Debug, Clone)]
pub struct Gate {
    settings: Settings,
    pacing: Pacing,
    workspace: Workspace,
}

impl Gate {
    pub(super) fn new(settings: Settings, pacing: Pacing, workspace: Workspace) -> Self {
        Self { settings, pacing, workspace }
    }

    /// Whether programs decide what becomes of requests of a context that no rule of the tools means.
    pub fn let_decide(&self, context: &BrowserContext, decides: bool) {
        self.workspace.rules(context).leave_rest(decides);
    }

    /// The address, as soon as it may be opened.
    pub async fn pass(&self, address: &str) -> Result<Url> {
        let url = address::read_under(&self.settings, address)?;
        self.pacing.before(&self.workspace.context().await?, &url).await?;
        Ok(url)
    }

    /// How long elements and pages are waited for unless a program says.
    pub fn limits(&self) -> (Duration, Duration) {
        (self.settings.action_limit, self.settings.navigation_limit)
    }
}

/// Has programs of this process run by `interpreter`. Only the first counts.
pub fn set_interpreter(interpreter: &'static dyn Interpreter) {
    let _ = INTERPRETER.set(interpreter);
}

/// A place for programs.
///
/// # Errors
/// `unsupported` where there is no Python.
pub fn notebook(gate: Gate) -> Result<Arc<dyn Notebook>> {
    let interpreter = INTERPRETER.get().ok_or_else(|| Error::Unsupported {
        what: "a Python program",
        reason: "this is the program without Python; start the server as python -m patchright_mcp".to_owned(),
    })?;
    interpreter.notebook(gate)
}
