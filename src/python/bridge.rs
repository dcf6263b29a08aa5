//! Where asynchronous Rust meets Python: one runtime for the process.
use pyo3::prelude::*;
use pyo3_async_runtimes::tokio::{future_into_py, get_runtime};

use super::guard;

/// Runs a future to its end, without holding the interpreter.
pub(super) fn block_on<F>(py: Python<'_>, future: F) -> PyResult<F::Output>
where
    F: Future + Send,
    F::Output: Send,
{
    guard::check_process()?;
    Ok(py.detach(|| get_runtime().block_on(future)))
}

/// A future as something to await in Python.
pub(super) fn awaitable<'py, T>(
    py: Python<'py>,
    future: impl Future<Output = PyResult<T>> + Send + 'static,
) -> PyResult<Bound<'py, PyAny>>
where
    T: for<'a> IntoPyObject<'a> + Send + 'static,
{
    guard::check_process()?;
    future_into_py(py, future)
}
