//! The engine lives in one interpreter of one process.
//!
//! Its threads do not survive a fork, and its classes belong to the interpreter that made them: used elsewhere it
//! would hang or crash. Here it says so instead.
use std::process;
use std::sync::OnceLock;

use pyo3::exceptions::{PyImportError, PyRuntimeError};
use pyo3::ffi;
use pyo3::prelude::*;

static INTERPRETER: OnceLock<i64> = OnceLock::new();
static PROCESS: OnceLock<u32> = OnceLock::new();

/// Makes this interpreter the module's own if it has none, and refuses any other.
pub(super) fn check_interpreter(py: Python<'_>) -> PyResult<()> {
    let here = current_interpreter(py);
    if *INTERPRETER.get_or_init(|| here) == here {
        return Ok(());
    }
    Err(PyImportError::new_err(
        "patchright_mcp was first imported in another interpreter of this process; use it there, or start a process",
    ))
}

/// Makes this process the engine's home if it has none, and refuses any other. Importing alone makes no home: there
/// is nothing yet that a fork could lose.
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
