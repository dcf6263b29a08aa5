//! JSON numbers as JavaScript writes them: whole numbers without a decimal point.
use serde_json::Value as Json;

/// Converts a number to JSON as `JSON.stringify` does, except for whole numbers of 2^53 and above.
#[expect(clippy::cast_possible_truncation, reason = "whole and small enough to be exact")]
pub(in crate::browser) fn json_number(number: f64) -> Json {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if number.fract() == 0.0 && number.abs() < EXACT { Json::from(number as i64) } else { Json::from(number) }
}
