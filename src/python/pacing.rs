//! Limits how often the pages of a pool navigate.
use std::time::Duration;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use url::Url;

use super::bridge::{Operation, operation};
use super::browser::BrowserContext;
use crate::session::pacing::{self, PacingOptions};

/// Delays navigations to keep a minimum interval per origin, and enforces robots.txt.
#[pyclass(frozen, module = "patchright_mcp._core")]
pub(super) struct Pacing(pub(super) pacing::Pacing);

#[pymethods]
impl Pacing {
    #[new]
    fn new(min_interval_s: f64, respect_robots: bool) -> PyResult<Self> {
        let min_interval = Duration::try_from_secs_f64(min_interval_s)
            .map_err(|_| PyValueError::new_err("min_interval_s: expected seconds, 0 or more"))?;
        Ok(Self(pacing::Pacing::new(PacingOptions { min_interval, respect_robots })))
    }

    /// Waits until a page of this context may navigate to `url`. Returns an error if robots.txt disallows it.
    fn before(&self, context: &BrowserContext, url: String) -> Operation {
        let (pacing, context) = (self.0.clone(), context.0.clone());
        operation(async move {
            // Accepts an invalid URL: the navigation then fails with a better error message.
            match Url::parse(&url) {
                Ok(url) => pacing.wait_to_navigate(&context, &url).await,
                Err(_) => Ok(()),
            }
        })
    }
}
