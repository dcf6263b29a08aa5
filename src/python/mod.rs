//! The Python bindings: thin wrappers that convert values and call the engine. Only this module uses `pyo3`.
mod api_request;
mod archive;
mod bridge;
mod browser;
mod cast;
mod convert;
mod devices;
mod events;
mod frame;
mod given;
mod guard;
mod handle;
mod network;
mod offers;
mod original;
mod pacing;
mod page;
mod program;
mod raw;
mod readers;
mod recording;
mod selectors;

use std::ffi::OsString;
use std::path::PathBuf;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::Error;
use crate::cli;
use crate::mcp::program::set_interpreter;

pyo3::import_exception!(patchright_mcp.errors, BrowserError); // This class is written in Python.

impl From<Error> for PyErr {
    fn from(error: Error) -> Self {
        if let Error::HandlerFailed { cause } = &error
            && let Some(raised) = cause.downcast_ref::<Self>()
        {
            return Python::attach(|py| raised.clone_ref(py));
        }
        let facts = convert::Plain(error.details());
        BrowserError::new_err((error.code(), error.to_string(), error.suggestion(), facts))
    }
}

/// Runs the command line with the GIL released. Returns the exit status.
#[pyfunction]
fn main(py: Python<'_>, arguments: Vec<OsString>) -> PyResult<i32> {
    guard::check_process()?;
    leave_interrupts_to_rust(py)?;
    let executable: PathBuf = py.import("sys")?.getattr("executable")?.extract()?;
    let program = cli::Program::python_package(executable);
    Ok(py.detach(|| cli::main(&program, arguments)))
}

/// Removes Python's SIGINT handler, so that Rust handles the signal. Python's handler would only set a flag,
/// and raise `KeyboardInterrupt` after the server has exited.
fn leave_interrupts_to_rust(py: Python<'_>) -> PyResult<()> {
    let signal = py.import("_signal")?; // Not `signal`: its enums take longer to import than we take to start.
    let left = signal.call_method1("signal", (signal.getattr("SIGINT")?, signal.getattr("SIG_DFL")?));
    match left {
        Err(error) if error.is_instance_of::<PyValueError>(py) => Ok(()), // Not on the main thread.
        left => left.map(drop),
    }
}

#[pymodule(gil_used = false)]
mod _core {
    use super::{Bound, PyModule, PyModuleMethods, PyResult, guard, set_interpreter};

    #[pymodule_export]
    use super::api_request::{ApiRequestContext, ApiResponse};
    #[pymodule_export]
    use super::archive::{Archive, har_entry};
    #[pymodule_export]
    use super::bridge::{Dispatcher, Operation, Promise};
    #[pymodule_export]
    use super::browser::{
        BoundBrowser, Browser, BrowserContext, InitScript, connect, find_browser, launch, register_selector,
        set_test_id_attribute, test_id_attribute,
    };
    #[pymodule_export]
    use super::cast::{Captions, CastFrame, Screencast, Video};
    #[pymodule_export]
    use super::devices::{devices, paper_size};
    #[pymodule_export]
    use super::frame::Frame;
    #[pymodule_export]
    use super::handle::JsHandle;
    #[pymodule_export]
    use super::main;
    #[pymodule_export]
    use super::network::{
        Download, Request, Response, Route, WebSocket, Worker, document_request, glob_matches,
    };
    #[pymodule_export]
    use super::offers::{call_offered, offered_tools};
    #[pymodule_export]
    use super::original::{
        CooldownState, ToolBrowser, call_tool, close_tools, is_login_timeout, list_patchright_tools,
    };
    #[pymodule_export]
    use super::pacing::Pacing;
    #[pymodule_export]
    use super::page::{Call, Dialog, FileChooser, HandlerCall, Page};
    #[pymodule_export]
    use super::program::{Ended, ProgramGate};
    #[pymodule_export]
    use super::raw::CdpSession;
    #[pymodule_export]
    use super::readers::{
        Block, KeptAnswers, block, crawl, keep_answers, match_proxy_location, one_time_code, scroll_through,
    };
    #[pymodule_export]
    use super::recording::ScriptRecording;
    #[pymodule_export]
    use super::selectors::{selector_by, selector_by_role, selector_filter, selector_of_way};

    #[pymodule_init]
    fn fill(module: &Bound<'_, PyModule>) -> PyResult<()> {
        guard::check_interpreter(module.py())?;
        set_interpreter(&super::program::ThisPython);
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
