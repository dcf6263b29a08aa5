//! Parses options passed by scripts into structs, with error messages for script authors.
use std::fmt;

use serde::de::value::{MapAccessDeserializer, MapDeserializer, SeqDeserializer};
use serde::de::{
    DeserializeOwned, Deserializer, Error as _, Expected, IntoDeserializer, Unexpected, Visitor,
};
use serde::forward_to_deserialize_any;
use serde_json::{Map, Value};

/// Parses options. Error messages begin with the path of the invalid option.
pub(super) fn read<T: DeserializeOwned>(value: Value) -> Result<T, String> {
    serde_path_to_error::deserialize(Given(value)).map_err(|error| {
        let path = error.path().to_string();
        let InvalidOption { field, problem } = error.into_inner();
        let place = [path.as_str(), field].into_iter().filter(|part| !matches!(*part, "" | "." | "?"));
        let place = place.collect::<Vec<_>>().join(".");
        if place.is_empty() { problem } else { format!("{place}: {problem}") }
    })
}

struct Given(Value);

/// The error for an invalid option.
#[derive(Debug)]
struct InvalidOption {
    /// The missing field; empty if the value itself is invalid.
    field: &'static str,
    problem: String,
}

impl fmt::Display for InvalidOption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.problem)
    }
}

impl std::error::Error for InvalidOption {}

impl serde::de::Error for InvalidOption {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self { field: "", problem: message.to_string() }
    }

    fn invalid_type(found: Unexpected<'_>, wanted: &dyn Expected) -> Self {
        let wanted = wanted.to_string();
        let wanted = match wanted.as_str() {
            "u8" | "u16" | "u32" | "u64" | "usize" | "i32" | "i64" => "integer",
            "f64" => "float",
            other => other.trim_start_matches("a "),
        };
        Self::custom(format!("expected {wanted}, got {}", called(found)))
    }

    fn invalid_value(found: Unexpected<'_>, wanted: &dyn Expected) -> Self {
        let largest = match wanted.to_string().as_str() {
            "u8" => u64::from(u8::MAX),
            "u16" => u64::from(u16::MAX),
            "u32" => u64::from(u32::MAX),
            "u64" | "usize" => u64::MAX,
            _ => return Self::custom(format!("expected {wanted}, got {found}")),
        };
        let given = match found {
            Unexpected::Signed(number) => number.to_string(),
            Unexpected::Unsigned(number) => number.to_string(),
            Unexpected::Float(number) => number.to_string(),
            other => other.to_string(),
        };
        Self::custom(format!("expected a number from 0 to {largest}, got {given}"))
    }

    fn missing_field(name: &'static str) -> Self {
        Self { field: name, problem: "expected a value, got undefined".to_owned() }
    }
}

/// Returns the JavaScript name of a value's type.
fn called(found: Unexpected<'_>) -> &'static str {
    match found {
        Unexpected::Bool(_) => "boolean",
        Unexpected::Unsigned(_) | Unexpected::Signed(_) | Unexpected::Float(_) => "number",
        Unexpected::Str(_) | Unexpected::Char(_) => "string",
        Unexpected::Seq => "array",
        Unexpected::Unit | Unexpected::Option => "null",
        _ => "object",
    }
}

type Entries = MapDeserializer<
    'static,
    std::iter::Map<serde_json::map::IntoIter, fn((String, Value)) -> (String, Given)>,
    InvalidOption,
>;

fn entries(object: Map<String, Value>) -> Entries {
    let given: fn((String, Value)) -> (String, Given) = |(name, value)| (name, Given(value));
    MapDeserializer::new(object.into_iter().map(given))
}

impl IntoDeserializer<'_, InvalidOption> for Given {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for Given {
    type Error = InvalidOption;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, InvalidOption> {
        match self.0 {
            Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(value),
            Value::Number(number) => match (number.as_u64(), number.as_i64()) {
                (Some(value), _) => visitor.visit_u64(value),
                (None, Some(value)) => visitor.visit_i64(value),
                (None, None) => visitor.visit_f64(number.as_f64().unwrap_or(f64::NAN)),
            },
            Value::String(value) => visitor.visit_string(value),
            Value::Array(items) => visitor.visit_seq(SeqDeserializer::new(items.into_iter().map(Given))),
            Value::Object(object) => visitor.visit_map(entries(object)),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, InvalidOption> {
        if self.0.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, InvalidOption> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, InvalidOption> {
        match self.0 {
            Value::String(name) => visitor.visit_enum(name.into_deserializer()),
            Value::Object(object) => visitor.visit_enum(MapAccessDeserializer::new(entries(object))),
            Value::Null => Err(InvalidOption::invalid_type(Unexpected::Unit, &"string")),
            Value::Bool(value) => Err(InvalidOption::invalid_type(Unexpected::Bool(value), &"string")),
            Value::Number(_) => Err(InvalidOption::invalid_type(Unexpected::Float(0.0), &"string")),
            Value::Array(_) => Err(InvalidOption::invalid_type(Unexpected::Seq, &"string")),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map struct identifier ignored_any
    }
}
