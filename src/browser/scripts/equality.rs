//! Deep equality of JavaScript values.
use std::collections::HashMap;

use super::value::JsValue;

impl JsValue {
    /// Whether both values have the same content. `null` equals `undefined`. The entries of Maps and Sets are
    /// not compared: a Map or Set equals every other Map or Set, and an empty object.
    pub fn equals(&self, other: &Self) -> bool {
        let mut met = (HashMap::new(), HashMap::new());
        note(self, &mut met.0);
        note(other, &mut met.1);
        Comparison { met, depth: 0 }.same(self, other)
    }
}

/// Arrays and objects by id, to resolve [`JsValue::Reference`].
type ById<'a> = HashMap<u64, &'a JsValue>;

/// The nesting depth to which values are compared; values may be cyclic. Deeper parts count as equal.
const DEEPEST: usize = 200;

struct Comparison<'a> {
    met: (ById<'a>, ById<'a>),
    depth: usize,
}

fn note<'a>(value: &'a JsValue, met: &mut ById<'a>) {
    match value {
        JsValue::Array { number, items } => {
            met.insert(*number, value);
            for item in items {
                note(item, met);
            }
        }
        JsValue::Object { number, entries } => {
            met.insert(*number, value);
            for (_, item) in entries {
                note(item, met);
            }
        }
        _ => {}
    }
}

impl<'a> Comparison<'a> {
    fn same(&mut self, one: &'a JsValue, other: &'a JsValue) -> bool {
        if self.depth > DEEPEST {
            return true;
        }
        self.depth += 1;
        let same = self.holds_same(one, other);
        self.depth -= 1;
        same
    }

    fn holds_same(&mut self, one: &'a JsValue, other: &'a JsValue) -> bool {
        use JsValue::{
            Array, BigInt, Bool, Date, Map, Null, Number, Object, Reference, Regex, Set, Text, Undefined, Url,
        };
        match (one, other) {
            (Reference(number), _) => {
                self.met.0.get(number).copied().is_some_and(|one| self.same(one, other))
            }
            (_, Reference(number)) => {
                self.met.1.get(number).copied().is_some_and(|other| self.same(one, other))
            }
            (Undefined | Null, Undefined | Null) | (Map { .. } | Set { .. }, Map { .. } | Set { .. }) => true,
            (Bool(one), Bool(other)) => one == other,
            #[expect(clippy::float_cmp, reason = "JavaScript compares them so")]
            (Number(one), Number(other)) => one == other,
            #[expect(clippy::float_cmp, reason = "JavaScript compares them so")]
            (BigInt(digits), Number(number)) | (Number(number), BigInt(digits)) => {
                digits.parse::<f64>().is_ok_and(|whole| whole == *number)
            }
            (BigInt(one), BigInt(other)) | (Text(one), Text(other)) | (Url(one), Url(other)) => one == other,
            (Date(one), Date(other)) => instant(one) == instant(other),
            (Regex { source: one, flags: one_flags }, Regex { source: other, flags: other_flags }) => {
                one == other && one_flags == other_flags
            }
            (Array { items: one, .. }, Array { items: other, .. }) => {
                one.len() == other.len() && one.iter().zip(other).all(|(one, other)| self.same(one, other))
            }
            (Object { entries: one, .. }, Object { entries: other, .. }) => {
                one.len() == other.len()
                    && one.iter().all(|(name, value)| {
                        let counterpart = other.iter().find(|(other, _)| other == name);
                        counterpart.is_some_and(|(_, other)| self.same(value, other))
                    })
            }
            (Map { .. } | Set { .. }, Object { entries, .. })
            | (Object { entries, .. }, Map { .. } | Set { .. }) => entries.is_empty(),
            _ => false,
        }
    }
}

/// Removes `Z` and trailing zeros from an ISO date: dates may have different numbers of decimals.
fn instant(date: &str) -> &str {
    date.trim_end_matches('Z').trim_end_matches('0')
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::JsValue::{
        self, Array, BigInt, Bool, Date, Map, Null, Number, Object, Reference, Text, Undefined,
    };

    fn array(number: u64, items: Vec<JsValue>) -> JsValue {
        Array { number, items }
    }

    #[test]
    fn values_that_hold_the_same_are_equal() {
        let shared = array(2, vec![Number(1.0)]);
        let twice = array(1, vec![shared.clone(), Reference(2)]);
        let written = array(7, vec![shared, array(9, vec![Number(1.0)])]);
        let object = JsValue::from_json(&json!({ "a": 1, "b": [true, "x", null] }));
        let reordered = JsValue::from_json(&json!({ "b": [true, "x", null], "a": 1 }));
        let empty = Object { number: 3, entries: Vec::new() };
        for (one, other) in [
            (&Undefined, &Null),
            (&Number(5.0), &BigInt("5".to_owned())),
            (&twice, &written),
            (&written, &twice),
            (&object, &reordered),
            (&Map { number: 1 }, &empty),
            (&Date("2020-01-01T10:00:00.100Z".to_owned()), &Date("2020-01-01T10:00:00.100000Z".to_owned())),
        ] {
            assert!(one.equals(other) && other.equals(one), "{one:?} and {other:?}");
        }
    }

    #[test]
    fn values_that_hold_something_else_are_not() {
        let object = |value: serde_json::Value| JsValue::from_json(&value);
        for (one, other) in [
            (Bool(true), Number(1.0)),
            (Text("1".to_owned()), Number(1.0)),
            (Number(f64::NAN), Number(f64::NAN)),
            (Null, Bool(false)),
            (Date("2020-01-01T00:00:00.000Z".to_owned()), Text("2020-01-01T00:00:00.000Z".to_owned())),
            (object(json!({ "a": 1 })), object(json!({ "b": 1 }))),
            (object(json!({ "a": 1 })), object(json!({ "a": 1, "b": 2 }))),
            (object(json!([1, 2])), object(json!([2, 1]))),
            (object(json!([1])), object(json!([1, 1]))),
        ] {
            assert!(!one.equals(&other) && !other.equals(&one), "{one:?} and {other:?}");
        }
    }

    #[test]
    fn what_contains_itself_can_be_compared() {
        let ring = |inside: u64| array(inside, vec![Number(1.0), Reference(inside)]);
        assert!(ring(1).equals(&ring(4)));
        assert!(!ring(1).equals(&array(4, vec![Number(2.0), Reference(4)])));
    }
}
