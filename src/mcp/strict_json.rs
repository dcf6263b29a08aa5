//! Parses JSON strictly, so that no two parsers can read different values from the same text.
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

/// Parses a JSON value. Rejects objects with duplicate keys: parsers differ in which one they use, so that a
/// check could see another value than the code that uses it.
pub(crate) fn read(text: &[u8]) -> serde_json::Result<Value> {
    let mut reader = serde_json::Deserializer::from_slice(text);
    let value = Unambiguous.deserialize(&mut reader)?;
    reader.end()?;
    Ok(value)
}

struct Unambiguous;

impl<'de> DeserializeSeed<'de> for Unambiguous {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Value, D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Unambiguous {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut read = Vec::new();
        while let Some(item) = items.next_element_seed(Self)? {
            read.push(item);
        }
        Ok(Value::Array(read))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut read = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            if read.insert(key, entries.next_value_seed(Self)?).is_some() {
                return Err(A::Error::custom("a key stands twice in one object"));
            }
        }
        Ok(Value::Object(read))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            any::<String>().prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::hash_map(".{0,3}", inner, 0..4)
                    .prop_map(|entries| Value::Object(entries.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn what_can_be_read_in_one_way_is_read_as_ever(value in any_json()) {
            let text = value.to_string();
            prop_assert_eq!(read(text.as_bytes()).unwrap(), serde_json::from_str::<Value>(&text).unwrap());
        }
    }

    #[test]
    fn a_key_that_stands_twice_is_refused_at_any_depth() {
        for text in [r#"{"a":1,"a":1}"#, r#"{"a":1,"\u0061":2}"#, r#"[{"b":{"a":1,"c":2,"a":3}}]"#] {
            assert!(read(text.as_bytes()).unwrap_err().to_string().contains("twice"), "{text}");
        }
        assert!(read(br#"{"a":{"a":1},"b":[{"a":1},{"a":2}]}"#).is_ok());
        for text in ["", "{", "1 2", "[1,]", "nan"] {
            assert!(read(text.as_bytes()).is_err(), "{text}");
        }
        assert!(read("[".repeat(100_000).as_bytes()).is_err());
    }

    /// Holds as long as no dependency enables `serde_json`'s features `raw_value` or `arbitrary_precision`,
    /// which reserve special keys.
    #[test]
    fn no_key_stands_for_another_value() {
        for key in ["$serde_json::private::RawValue", "$serde_json::private::Number"] {
            let text = json!({ key: "[1]" }).to_string();
            assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), read(text.as_bytes()).unwrap());
        }
    }
}
