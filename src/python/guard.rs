//! Restricts the engine to one interpreter of one process, and raises an error elsewhere.
//!
//! The engine's threads do not survive a fork, and its classes belong to the interpreter that created them.
//! In a forked process or another interpreter, the engine would hang or crash.
use std::process;
use std::sync::OnceLock;

use pyo3::exceptions::{PyImportError, PyRuntimeError};
use pyo3::ffi;
use pyo3::prelude::*;

static INTERPRETER: OnceLock<i64> = OnceLock::new();
static PROCESS: OnceLock<u32> = OnceLock::new();

/// Binds the module to the first interpreter that imports it. Raises an `ImportError` in any other.
pub(super) fn check_interpreter(py: Python<'_>) -> PyResult<()> {
    let here = current_interpreter(py);
    if *INTERPRETER.get_or_init(|| here) == here {
        return Ok(());
    }
    Err(PyImportError::new_err(
        "patchright_mcp was first imported in another interpreter of this process; use it there, or start a process",
    ))
}

/// Binds the engine to the first process that uses it. Raises a `RuntimeError` in a fork. An import alone
/// does not bind the engine, since it starts no threads.
pub(super) fn check_process() -> PyResult<()> {
    let here = process::id();
    let home = *PROCESS.get_or_init(|| here);
    if here == home {
        return Ok(());
    }
    Err(PyRuntimeError::new_err(format!(
        "patchright_mcp was first used in process {home} and cannot go on in its fork {here}; \
         start workers with multiprocessing.get_context(\"spawn\")"
    )))
}

#[expect(unsafe_code, reason = "PyO3 has no safe way to ask")]
fn current_interpreter(_py: Python<'_>) -> i64 {
    // SAFETY: the token proves that this thread holds a running interpreter; both functions only read.
    unsafe { ffi::PyInterpreterState_GetID(ffi::PyInterpreterState_Get()) }
}
