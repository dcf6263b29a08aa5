//! Builds selectors for `get_by_…` methods and `filter`.
use pyo3::prelude::*;

use super::convert::options;
use crate::browser::LocatorSpec;
use crate::browser::selector::{By, Filter, RoleOptions, TextMatch};

/// Builds a selector by text. `what`: `text`, `label`, `testId` or an attribute's name. `words`: `text` and
/// `exact`, or `source` and `flags` of a regular expression.
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

/// Builds a selector by ARIA role. `chosen` may add `states`, `name` and `description`.
#[pyfunction]
pub(super) fn selector_by_role(role: &str, chosen: &Bound<'_, PyAny>) -> PyResult<String> {
    Ok(By::role(role, &options::<RoleOptions>(chosen)?).to_string())
}

/// Builds the filter part that is appended to a selector. `chosen`: see `Filter`.
#[pyfunction]
pub(super) fn selector_filter(chosen: &Bound<'_, PyAny>) -> PyResult<String> {
    Ok(By::selector("").filter(&options::<Filter>(chosen)?).to_string())
}

/// Returns the selector for a locator description (`LocatorSpec`) from the engine.
#[pyfunction]
pub(super) fn selector_of_way(way: &Bound<'_, PyAny>) -> PyResult<String> {
    Ok(options::<LocatorSpec>(way)?.selector())
}
