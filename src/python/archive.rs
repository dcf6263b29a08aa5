//! Archives that requests are answered from.
use std::collections::HashMap;
use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::network::Pairs;
use crate::browser::{self, Archived, Asked};

/// Status, headers and body; without a status: it failed.
type Told<'py> = (Option<u16>, Pairs, Bound<'py, PyBytes>);

/// An HTTP archive.
#[pyclass(frozen, module = "patchright_mcp._core")]
pub(super) struct Archive(browser::Archive);

#[pymethods]
impl Archive {
    #[new]
    fn new(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        Ok(Self(py.detach(|| browser::Archive::open(&path))?))
    }

    #[pyo3(signature = (url, method, headers, body, *, follows))]
    fn answer<'py>(
        &self,
        py: Python<'py>,
        url: &str,
        method: &str,
        headers: HashMap<String, String>,
        body: Option<&[u8]>,
        follows: bool,
    ) -> PyResult<Option<Told<'py>>> {
        let asked = Asked { url, method, headers: &headers, body, follows };
        let told = py.detach(|| self.0.answer(&asked))?;
        Ok(told.map(|told| match told {
            Archived::Answer { status, headers, body } => (Some(status), headers, PyBytes::new(py, &body)),
            Archived::Failure => (None, Vec::new(), PyBytes::new(py, b"")),
        }))
    }
}
