//! Builds selectors for `get_by_…` and `filter`.
use pyo3::prelude::*;

use super::convert::options;
use crate::browser::Way;
use crate::browser::selector::{By, Filter, RoleOptions, TextMatch};

/// A selector by `text`, `label`, `testId` or an attribute. `words`: `text` and `exact`, or `source` and
/// `flags`.
#[pyfunction]
pub(super) fn selector_by(what: &str, words: &Bound<'_, PyAny>) -> PyResult<String> {
    let words: TextMatch = options(words)?;
    let by = match what {
        "text" => By::text(words),
        "label" => By::label(words),
        "testId" => By::test_id(words),
        attribute => By::attribute(attribute, words),
    };
    Ok(by.to_string())
}

/// A selector by role, `states`, `name` and `description`, as given.
#[pyfunction]
pub(super) fn selector_by_role(role: &str, chosen: &Bound<'_, PyAny>) -> PyResult<String> {
    Ok(By::role(role, &options::<RoleOptions>(chosen)?).to_string())
}

/// A filter to append to a selector: see `Filter`.
#[pyfunction]
pub(super) fn selector_filter(chosen: &Bound<'_, PyAny>) -> PyResult<String> {
    Ok(By::selector("").filter(&options::<Filter>(chosen)?).to_string())
}

/// A selector of the engine for an element.
#[pyfunction]
pub(super) fn selector_of_way(way: &Bound<'_, PyAny>) -> PyResult<String> {
    Ok(options::<Way>(way)?.selector())
}
