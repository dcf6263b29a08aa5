//! Checks that the engine is used in only one interpreter of only one process, and raises an error elsewhere.
//!
//! The engine's threads do not survive a fork, and its classes belong to the interpreter that created them: in a
//! forked process or another interpreter, it would hang or crash.
use std::process;
use std::sync::OnceLock;

use pyo3::exceptions::{PyImportError, PyRuntimeError};
use pyo3::ffi;
use pyo3::prelude::*;

static INTERPRETER: OnceLock<i64> = OnceLock::new();
static PROCESS: OnceLock<u32> = OnceLock::new();

/// Binds the module to this interpreter on first use, and refuses any other.
pub(super) fn check_interpreter(py: Python<'_>) -> PyResult<()> {
    let here = current_interpreter(py);
    if *INTERPRETER.get_or_init(|| here) == here {
        return Ok(());
    }
    Err(PyImportError::new_err(
        "patchright_mcp was first imported in another interpreter of this process; use it there, or start a process",
    ))
}

/// Binds the engine to this process on first use, and refuses any other. An import alone does not bind it, since no
/// threads run yet that a fork would lose.
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
    // SAFETY: the token proves that an interpreter runs and that this thread holds it; both functions only read.
    unsafe { ffi::PyInterpreterState_GetID(ffi::PyInterpreterState_Get()) }
}
