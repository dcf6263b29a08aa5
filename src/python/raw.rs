//! Raw CDP sessions.
use std::sync::Arc;

use pyo3::prelude::*;

use super::bridge::{Operation, Queue, operation};
use super::convert::{Plain, to_json};
use crate::browser::{RawSession, locator};

/// A raw CDP session, for commands by name.
#[pyclass(frozen, module = "patchright_mcp._core")]
pub(super) struct CdpSession(RawSession);

impl CdpSession {
    /// Wraps the session and starts sending its events to `queue`.
    pub(super) fn new(session: RawSession, queue: Arc<Queue>) -> Self {
        let key = session.instance_id();
        session.forward_events(Arc::new(move |method, parameters| {
            let parameters = serde_json::from_slice(parameters).unwrap_or_default();
            queue.emit_with("event", key, (method.to_owned(), Plain(parameters)));
        }));
        Self(session)
    }
}

#[pymethods]
impl CdpSession {
    /// The unique id of this session.
    #[getter]
    fn key(&self) -> usize {
        self.0.instance_id()
    }

    /// Sends a CDP command and returns its reply. `timeout_ms`: 0 means no limit.
    fn send(&self, method: String, parameters: &Bound<'_, PyAny>, timeout_ms: f64) -> PyResult<Operation> {
        let (session, parameters, limit) =
            (self.0.clone(), to_json(parameters)?, locator::timeout_from_ms(timeout_ms));
        Ok(operation(async move { session.send(&method, &parameters, limit).await.map(Plain) }))
    }

    fn detach(&self) -> Operation {
        let session = self.0.clone();
        operation(async move { session.detach().await })
    }
}
