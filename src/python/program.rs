//! Runs the programs of the tool `browser_run_python` in the server's own Python interpreter.
use std::fmt;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use parking_lot::Mutex;
use pyo3::prelude::*;
use tokio::sync::watch;

use super::bridge::{Operation, operation};
use super::browser::BrowserContext;
use super::page::Page;
use crate::error::{Error, Result};
use crate::mcp::program::{self, ProgramOutput, ProgramRun, PythonInterpreter, PythonProgram, UrlGate};

/// The server's own Python interpreter, as an [`PythonInterpreter`] for programs.
#[derive(Debug)]
pub(super) struct ThisPython;

impl PythonInterpreter for ThisPython {
    fn notebook(&self, gate: UrlGate) -> Result<Arc<dyn program::PythonNotebook>> {
        Ok(Arc::new(PythonNotebook::open(gate)?))
    }
}

/// The server's rules that apply to a program: permitted URLs and time limits.
#[pyclass(frozen, module = "patchright_mcp._core")]
pub(super) struct ProgramGate(UrlGate);

#[pymethods]
impl ProgramGate {
    /// Checks a URL against the server's rules, and waits for pacing if required. Returns the permitted URL.
    fn permit(&self, url: String) -> Operation {
        let gate = self.0.clone();
        operation(async move { Ok(gate.admit(&url).await?.to_string()) })
    }

    /// Sets whether the program decides about requests of a context to which no rule of the server applies.
    fn delegate_unmatched_requests(&self, context: &BrowserContext, decides: bool) {
        self.0.let_program_route_unmatched(&context.0, decides);
    }

    /// The time limits for actions and navigations, in milliseconds.
    #[getter]
    fn limits(&self) -> (f64, f64) {
        let (action, navigation) = self.0.limits();
        (action.as_secs_f64() * 1000.0, navigation.as_secs_f64() * 1000.0)
    }
}

/// Signals that a program has ended.
#[pyclass(frozen, module = "patchright_mcp._core")]
pub(super) struct Ended(watch::Sender<bool>);

#[pymethods]
impl Ended {
    fn set(&self) {
        self.0.send_replace(true);
    }
}

/// The Python object `patchright_mcp._programs.PythonNotebook`, wrapped for the engine.
struct PythonNotebook(Arc<Py<PyAny>>);

impl fmt::Debug for PythonNotebook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Notebook")
    }
}

impl PythonNotebook {
    fn open(gate: UrlGate) -> Result<Self> {
        let opened = Python::attach(|py| {
            let notes =
                py.import("patchright_mcp._programs")?.getattr("Notebook")?.call1((ProgramGate(gate),))?;
            PyResult::Ok(Self(Arc::new(notes.unbind())))
        });
        opened.map_err(|error| broken(&error))
    }
}

impl program::PythonNotebook for PythonNotebook {
    fn begin(&self, program: PythonProgram) -> Result<Box<dyn ProgramRun>> {
        let (ending, ended) = watch::channel(false);
        let PythonProgram { text, page, room } = program;
        let begun = Python::attach(|py| {
            let work = self.0.call_method1(py, "begin", (text, Page(page), room, Ended(ending)))?;
            PyResult::Ok(Box::new(Work { work, ended: Mutex::new(ended) }))
        });
        begun.map(|work| work as Box<dyn ProgramRun>).map_err(|error| broken(&error))
    }
}

impl Drop for PythonNotebook {
    fn drop(&mut self) {
        let _ = Python::try_attach(|py| self.0.call_method0(py, "close").map(drop));
    }
}

/// The Python object `patchright_mcp._programs.Work`: a running program.
struct Work {
    work: Py<PyAny>,
    ended: Mutex<watch::Receiver<bool>>,
}

impl fmt::Debug for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Work")
    }
}

impl ProgramRun for Work {
    fn ended(&mut self) -> BoxFuture<'_, ProgramOutput> {
        let mut ended = self.ended.lock().clone();
        Box::pin(async move {
            // The sender is dropped without a signal only with the Python object, which also ends the wait.
            let _ = ended.wait_for(|ended| *ended).await;
            self.printed()
        })
    }

    fn printed(&self) -> ProgramOutput {
        let printed = Python::try_attach(|py| self.work.call_method0(py, "printed")?.extract(py));
        let (text, all, failure) = printed.and_then(PyResult::ok).unwrap_or_default();
        ProgramOutput { text, all, failure }
    }

    fn stop(&self, wherever: bool) {
        let _ = Python::try_attach(|py| self.work.call_method1(py, "stop", (wherever,)).map(drop));
    }
}

fn broken(error: &PyErr) -> Error {
    Error::Program { message: error.to_string() }
}
