//! Numbers as JSON has them from a page: whole ones without a point.
use serde_json::Value as Json;

/// A number as a page's own `JSON.stringify` writes it, but for those beyond what is exact.
#[expect(clippy::cast_possible_truncation, reason = "whole and small enough to be exact")]
pub(in crate::browser) fn json_number(number: f64) -> Json {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if number.fract() == 0.0 && number.abs() < EXACT { Json::from(number as i64) } else { Json::from(number) }
}
