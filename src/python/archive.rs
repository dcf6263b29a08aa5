//! HAR archives: serving responses from an archive, and writing an archive.
use std::collections::HashMap;
use std::path::PathBuf;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::network::Pairs;
use crate::browser::{
    self, HarContentMode, HarMatch, HarQuery, HarRequest, HarResponse, HarTimings, RequestTiming,
};

/// Status, headers and body of a recorded response. The status is `None` if the request failed when recorded.
type ArchivedAnswer<'py> = (Option<u16>, Pairs, Bound<'py, PyBytes>);

/// A HAR archive from which requests are answered.
#[pyclass(frozen, module = "patchright_mcp._core")]
pub(super) struct Archive(browser::HarArchive);

#[pymethods]
impl Archive {
    #[new]
    fn new(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        Ok(Self(py.detach(|| browser::HarArchive::open(&path))?))
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
    ) -> PyResult<Option<ArchivedAnswer<'py>>> {
        let asked = HarQuery { url, method, headers: &headers, body, follows };
        let archived = py.detach(|| self.0.look_up(&asked))?;
        Ok(archived.map(|archived| match archived {
            HarMatch::Answer { status, headers, body } => (Some(status), headers, PyBytes::new(py, &body)),
            HarMatch::Failure => (None, Vec::new(), PyBytes::new(py, b"")),
        }))
    }
}

/// A request to write into an archive, as a Python dictionary.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(super) struct Recorded {
    method: String,
    url: String,
    http_version: String,
    headers: Pairs,
    body: Option<Vec<u8>>,
    failure: Option<String>,
    timing: Timing,
    response: Option<RecordedResponse>,
}

#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct RecordedResponse {
    status: i64,
    status_text: String,
    headers: Pairs,
    mime_type: String,
    body: Option<Vec<u8>>,
}

/// The value of `Request.timing` in Python: times in milliseconds.
#[derive(FromPyObject)]
#[pyo3(from_item_all, rename_all = "camelCase")]
struct Timing {
    start_time: f64,
    domain_lookup_start: f64,
    domain_lookup_end: f64,
    connect_start: f64,
    secure_connection_start: f64,
    connect_end: f64,
    request_start: f64,
    response_start: f64,
    response_end: f64,
}

impl From<Timing> for RequestTiming {
    fn from(timing: Timing) -> Self {
        Self {
            start_time: timing.start_time,
            domain_lookup_start: timing.domain_lookup_start,
            domain_lookup_end: timing.domain_lookup_end,
            connect_start: timing.connect_start,
            secure_connection_start: timing.secure_connection_start,
            connect_end: timing.connect_end,
            request_start: timing.request_start,
            response_start: timing.response_start,
            response_end: timing.response_end,
        }
    }
}

/// Names and contents of the files with response bodies, for `content="attach"`.
type Files<'py> = Vec<(String, Bound<'py, PyBytes>)>;

/// Returns the HAR entry of a request as JSON, and the files that it refers to.
#[pyfunction]
pub(super) fn har_entry<'py>(
    py: Python<'py>,
    request: Recorded,
    content: &str,
) -> PyResult<(String, Files<'py>)> {
    let bodies = match content {
        "embed" => HarContentMode::Embed,
        "attach" => HarContentMode::Attach,
        "omit" => HarContentMode::Omit,
        _ => return Err(PyValueError::new_err("content: expected one of attach, embed, omit")),
    };
    let timing = RequestTiming::from(request.timing);
    let har = HarRequest {
        started: timing.start_time,
        duration: timing.response_end,
        timings: HarTimings::of(&timing),
        method: &request.method,
        url: &request.url,
        http_version: &request.http_version,
        headers: &request.headers,
        body: request.body.as_deref(),
        response: request.response.as_ref().map(|response| HarResponse {
            status: response.status,
            status_text: &response.status_text,
            headers: &response.headers,
            mime_type: &response.mime_type,
            body: response.body.as_deref(),
        }),
        failure: request.failure.as_deref(),
    };
    let written = py.detach(|| har.entry(bodies));
    let files = written.files.into_iter().map(|(name, bytes)| (name, PyBytes::new(py, &bytes))).collect();
    Ok((written.entry.to_string(), files))
}
