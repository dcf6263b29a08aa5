//! JavaScript values in Rust: parsed from the browser's results, and written as expressions that recreate them.
use std::collections::HashSet;
use std::fmt::Write as _;

use serde_json::Value as Json;

use super::handle::JsHandle;
use crate::browser::options::number::json_number;
use crate::cdp::types::runtime::RemoteObject;

/// A JavaScript value as a tree. A repeated or circular reference is a [`Reference`](Self::Reference).
#[derive(Debug, Clone)]
pub enum JsValue {
    Undefined,
    Null,
    Bool(bool),
    Number(f64),
    /// The decimal digits of a `BigInt`.
    BigInt(String),
    Text(String),
    /// A date in ISO 8601 format.
    Date(String),
    Url(String),
    /// A `Uint8Array`.
    Bytes(Vec<u8>),
    Regex {
        source: String,
        flags: String,
    },
    Error {
        name: String,
        message: String,
        stack: String,
    },
    Array {
        number: u64,
        items: Vec<JsValue>,
    },
    Object {
        number: u64,
        entries: Vec<(String, JsValue)>,
    },
    Map {
        number: u64,
    },
    Set {
        number: u64,
    },
    /// A reference to the array or object with this id.
    Reference(u64),
    Handle(JsHandle),
}

const DOCUMENT_NODE: u64 = 9;

/// The number of levels that the browser serializes. Each takes three JSON levels, and `serde_json` reads 127.
pub(in crate::browser) const DEEPEST: u32 = 38;
/// The maximum nesting of JSON arguments: the browser does not answer a message with more than 200 levels.
const DEEPEST_JSON: usize = 100;

/// A function that serializes what the browser does not: errors, URLs, typed arrays, `toJSON`, deep nesting.
pub(in crate::browser) const SERIALIZE_SCRIPT: &str = include_str!("../injected/tell.js");

impl JsValue {
    /// Parses a result with deep serialization. `None` if it contains something that the browser did not serialize.
    pub(in crate::browser) fn read(object: &RemoteObject) -> Option<Self> {
        match (&object.deep_serialized_value, &object.unserializable_value, &object.value) {
            (Some(deep), ..) => read_deep(deep, &mut (1 << 32), DEEPEST),
            (None, Some(special), _) => Some(read_special(special)),
            (None, None, Some(value)) => Some(Self::from_json(value)),
            (None, None, None) => Some(Self::Undefined),
        }
    }

    /// Parses the result of [`SERIALIZE_SCRIPT`]: a `list` of arrays and objects, each after those nested in it, and the `value`.
    pub(in crate::browser) fn decode_remote(encoded: &Json) -> Self {
        let mut list = Vec::new();
        for item in encoded["list"].as_array().into_iter().flatten() {
            let decoded = Self::decode(item, &mut list);
            list.push(Some(decoded));
        }
        Self::decode(&encoded["value"], &mut list)
    }

    /// Decodes one value. Moves the arrays and objects that are nested in it out of `list`.
    fn decode(encoded: &Json, list: &mut [Option<Self>]) -> Self {
        let text = |name: &str| encoded[name].as_str().unwrap_or_default().to_owned();
        let Some((kind, value)) =
            encoded.as_object().and_then(|encoded| encoded.iter().find(|(key, _)| *key != "n"))
        else {
            return Self::from_json(encoded);
        };
        let number = encoded["n"].as_u64().unwrap_or_default();
        match kind.as_str() {
            "a" => {
                let items = value.as_array().into_iter().flatten();
                Self::Array { number, items: items.map(|item| Self::decode(item, list)).collect() }
            }
            "o" => {
                let pairs = value.as_array().into_iter().flatten();
                let entry = |pair: &Json| {
                    (pair[0].as_str().unwrap_or_default().to_owned(), Self::decode(&pair[1], list))
                };
                Self::Object { number, entries: pairs.map(entry).collect() }
            }
            "at" => {
                let index = value.as_u64().and_then(|index| usize::try_from(index).ok());
                let listed = index.and_then(|index| list.get_mut(index)?.take());
                listed.unwrap_or(Self::Undefined)
            }
            "again" => Self::Reference(value.as_u64().unwrap_or_default()),
            "special" => read_special(value.as_str().unwrap_or_default()),
            "date" => Self::Date(text("date")),
            "url" => Self::Url(text("url")),
            "regex" => Self::Regex { source: text("regex"), flags: text("zflags") },
            "error" => Self::Error { name: text("zname"), message: text("error"), stack: text("zstack") },
            "map" => Self::Map { number },
            "set" => Self::Set { number },
            _ => Self::Undefined,
        }
    }

    pub fn from_json(value: &Json) -> Self {
        match value {
            Json::Null => Self::Null,
            Json::Bool(value) => Self::Bool(*value),
            Json::Number(number) => Self::Number(number.as_f64().unwrap_or(f64::NAN)),
            Json::String(text) => Self::Text(text.clone()),
            Json::Array(items) => {
                Self::Array { number: 0, items: items.iter().map(Self::from_json).collect() }
            }
            Json::Object(entries) => {
                let entries = entries.iter().map(|(key, value)| (key.clone(), Self::from_json(value)));
                Self::Object { number: 0, entries: entries.collect() }
            }
        }
    }

    /// Converts the value to JSON; `None` if JSON cannot express all of it.
    pub(in crate::browser) fn plain(&self) -> Option<Json> {
        self.plain_within(DEEPEST_JSON)
    }

    fn plain_within(&self, levels: usize) -> Option<Json> {
        let inner = levels.checked_sub(1)?;
        Some(match self {
            Self::Null => Json::Null,
            Self::Bool(value) => Json::Bool(*value),
            Self::Number(number) if number.is_finite() && !is_negative_zero(*number) => json_number(*number),
            Self::Text(text) => Json::String(text.clone()),
            Self::Array { items, .. } => {
                Json::Array(items.iter().map(|item| item.plain_within(inner)).collect::<Option<Vec<_>>>()?)
            }
            // JSON may not preserve the order of several keys.
            Self::Object { entries, .. } if entries.len() < 2 => {
                let pair = |(key, value): &(String, Self)| {
                    (key != "__proto__").then(|| Some((key.clone(), value.plain_within(inner)?))).flatten()
                };
                Json::Object(entries.iter().map(pair).collect::<Option<_>>()?)
            }
            _ => return None,
        })
    }

    /// Collects the handles in the value, in the order in which [`write`](Self::write) numbers them.
    pub(in crate::browser) fn handles<'a>(&'a self, found: &mut Vec<&'a JsHandle>) {
        match self {
            Self::Handle(handle) => found.push(handle),
            Self::Array { items, .. } => items.iter().for_each(|item| item.handles(found)),
            Self::Object { entries, .. } => entries.iter().for_each(|(_, value)| value.handles(found)),
            _ => {}
        }
    }

    /// Collects the ids of repeated references.
    fn repeats(&self, found: &mut HashSet<u64>) {
        match self {
            Self::Reference(number) => {
                found.insert(*number);
            }
            Self::Array { items, .. } => items.iter().for_each(|item| item.repeats(found)),
            Self::Object { entries, .. } => entries.iter().for_each(|(_, value)| value.repeats(found)),
            _ => {}
        }
    }

    /// Returns an expression that recreates the value; its handles are `h[0]`, `h[1]` and so on.
    pub(in crate::browser) fn write(&self) -> String {
        let mut writer = Writer::default();
        self.repeats(&mut writer.repeated);
        let expression = writer.expression(self);
        if writer.statements.is_empty() {
            return expression;
        }
        format!("(() => {{ const m = {{}}; {} return {expression}; }})()", writer.statements)
    }
}

fn is_negative_zero(number: f64) -> bool {
    number == 0.0 && number.is_sign_negative()
}

fn read_special(text: &str) -> JsValue {
    match text {
        "undefined" => JsValue::Undefined,
        "NaN" => JsValue::Number(f64::NAN),
        "Infinity" => JsValue::Number(f64::INFINITY),
        "-Infinity" => JsValue::Number(f64::NEG_INFINITY),
        "-0" => JsValue::Number(-0.0),
        digits => JsValue::BigInt(digits.trim_end_matches('n').to_owned()),
    }
}

/// Parses deep serialization. `next` is the last id given to an object without one, `levels` the depth left.
fn read_deep(deep: &Json, next: &mut u64, levels: u32) -> Option<JsValue> {
    let value = &deep["value"];
    let reference = deep["weakLocalObjectReference"].as_u64();
    let kind = deep["type"].as_str().unwrap_or_default();
    let inner = levels.saturating_sub(1);
    if let (Some(reference), true, 1..) = (reference, value.is_null(), levels) {
        return Some(JsValue::Reference(reference));
    }
    let mut number = || {
        reference.unwrap_or_else(|| {
            *next += 1;
            *next
        })
    };
    Some(match kind {
        "null" => JsValue::Null,
        "undefined" | "symbol" | "function" => JsValue::Undefined,
        "boolean" => JsValue::Bool(value.as_bool().unwrap_or_default()),
        "number" => match value {
            Json::String(special) => read_special(special),
            number => JsValue::Number(number.as_f64().unwrap_or(f64::NAN)),
        },
        "bigint" => JsValue::BigInt(value.as_str().unwrap_or_default().to_owned()),
        "string" => JsValue::Text(value.as_str().unwrap_or_default().to_owned()),
        "date" if value != "Invalid Date" => JsValue::Date(value.as_str().unwrap_or_default().to_owned()),
        "regexp" => JsValue::Regex {
            source: value["pattern"].as_str().unwrap_or_default().to_owned(),
            flags: value["flags"].as_str().unwrap_or_default().to_owned(),
        },
        "array" if value.is_array() => {
            let number = number();
            let items =
                value.as_array()?.iter().map(|item| read_deep(item, next, inner)).collect::<Option<_>>()?;
            JsValue::Array { number, items }
        }
        "object" if value.is_array() => {
            let number = number();
            let mut entries = Vec::new();
            for pair in value.as_array()? {
                let key = pair[0].as_str()?.to_owned();
                if key == "toJSON" && pair[1]["type"] == "function" {
                    return None;
                }
                entries.push((key, read_deep(&pair[1], next, inner)?));
            }
            JsValue::Object { number, entries }
        }
        "map" => JsValue::Map { number: number() },
        "set" => JsValue::Set { number: number() },
        "node" if value["nodeType"] == DOCUMENT_NODE => JsValue::Text("ref: <Document>".to_owned()),
        "node" => JsValue::Text("ref: <Node>".to_owned()),
        "window" => JsValue::Text("ref: <Window>".to_owned()),
        "weakmap" | "weakset" | "promise" | "generator" | "weakref" => {
            JsValue::Object { number: number(), entries: Vec::new() }
        }
        _ => return None,
    })
}

/// Writes values as JavaScript expressions. Objects that are referenced more than once are created by statements
/// before the expression.
#[derive(Default)]
struct Writer {
    statements: String,
    handles: usize,
    repeated: HashSet<u64>,
}

impl Writer {
    fn expression(&mut self, value: &JsValue) -> String {
        match value {
            JsValue::Undefined => "void 0".to_owned(),
            JsValue::Null => "null".to_owned(),
            JsValue::Bool(value) => value.to_string(),
            JsValue::Number(number) => written_number(*number),
            JsValue::BigInt(digits) => format!("({digits}n)"),
            JsValue::Text(text) => quoted(text),
            JsValue::Date(text) => format!("new Date({})", quoted(text)),
            JsValue::Url(text) => format!("new URL({})", quoted(text)),
            JsValue::Bytes(bytes) => format!("new Uint8Array({bytes:?})"),
            JsValue::Regex { source, flags } => format!("new RegExp({}, {})", quoted(source), quoted(flags)),
            JsValue::Error { name, message, stack } => format!(
                "((e) => {{ e.name = {}; e.stack = {}; return e; }})(new Error({}))",
                quoted(name),
                quoted(stack),
                quoted(message)
            ),
            JsValue::Array { number, items } => self.container(
                *number,
                |writer| {
                    let items: Vec<_> = items.iter().map(|item| writer.expression(item)).collect();
                    items.into_iter().map(|item| ("push".to_owned(), item)).collect()
                },
                true,
            ),
            JsValue::Object { number, entries } => self.container(
                *number,
                |writer| entries.iter().map(|(key, value)| (quoted(key), writer.expression(value))).collect(),
                false,
            ),
            JsValue::Map { .. } => "new Map()".to_owned(),
            JsValue::Set { .. } => "new Set()".to_owned(),
            JsValue::Reference(number) => format!("m[{number}]"),
            JsValue::Handle(_) => {
                self.handles += 1;
                format!("h[{}]", self.handles - 1)
            }
        }
    }

    /// Writes an array or object. If it is referenced again, a statement creates it before its content.
    fn container(
        &mut self,
        number: u64,
        parts: impl FnOnce(&mut Self) -> Vec<(String, String)>,
        is_array: bool,
    ) -> String {
        let empty = if is_array { "[]" } else { "{}" };
        if !self.repeated.contains(&number) {
            let parts = parts(self).into_iter();
            return if is_array {
                format!("[{}]", parts.map(|(_, item)| item).collect::<Vec<_>>().join(", "))
            } else {
                let parts = parts.map(|(key, value)| format!("[{key}]: {value}"));
                format!("{{{}}}", parts.collect::<Vec<_>>().join(", "))
            };
        }
        let _ = write!(self.statements, "m[{number}] = {empty}; ");
        for (at, (key, value)) in parts(self).into_iter().enumerate() {
            let key = if is_array { at.to_string() } else { key };
            let _ = write!(self.statements, "m[{number}][{key}] = {value}; ");
        }
        format!("m[{number}]")
    }
}

fn written_number(number: f64) -> String {
    match number {
        number if number.is_nan() => "(0 / 0)".to_owned(),
        f64::INFINITY => "(1 / 0)".to_owned(),
        f64::NEG_INFINITY => "(-1 / 0)".to_owned(),
        number if is_negative_zero(number) => "(-0)".to_owned(),
        number => format!("({number})"),
    }
}

fn quoted(text: &str) -> String {
    Json::from(text).to_string()
}

/// Returns a short preview of an object, as in the DevTools console.
pub(in crate::browser) fn preview(object: &RemoteObject) -> String {
    if let Some(special) = &object.unserializable_value {
        return special.clone();
    }
    match (object.kind.as_str(), object.subtype.as_deref(), &object.value) {
        ("undefined", ..) => return "undefined".to_owned(),
        (_, Some("null"), _) => return "null".to_owned(),
        (_, Some("node"), _) => return "JSHandle@node".to_owned(),
        (_, _, Some(serde_json::Value::String(text))) => return text.clone(),
        (_, _, Some(value)) => return value.to_string(),
        _ => {}
    }
    let description = object.description.clone().unwrap_or_default();
    let Some(preview) = &object.preview else { return description };
    let value = |value: &Option<String>| value.clone().unwrap_or_default();
    if object.subtype.as_deref() == Some("array") {
        let mut items = Vec::new();
        let mut next = 0;
        for item in &preview.properties {
            let Ok(place) = item.name.parse::<usize>() else { continue };
            match place.saturating_sub(next) {
                0 => {}
                1 => items.push("empty".to_owned()),
                gap => items.push(format!("empty x {gap}")),
            }
            items.push(value(&item.value));
            next = place + 1;
        }
        return format!("[{}]", items.join(", "));
    }
    if description != "Object" {
        return description;
    }
    let entries = preview.properties.iter().map(|entry| format!("{}: {}", entry.name, value(&entry.value)));
    format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_json_lacks_is_written_as_an_expression() {
        let entries = vec![
            ("nan".to_owned(), JsValue::Number(f64::NAN)),
            ("zero".to_owned(), JsValue::Number(-0.0)),
            ("big".to_owned(), JsValue::BigInt("12".to_owned())),
        ];
        let value = JsValue::Object { number: 0, entries };
        assert!(value.plain().is_none());
        assert_eq!(value.write(), r#"{["nan"]: (0 / 0), ["zero"]: (-0), ["big"]: (12n)}"#);
    }

    #[test]
    fn deep_values_and_bytes_are_written_and_read_from_a_list() {
        let nest = |value, _| JsValue::Array { number: 0, items: vec![value] };
        let deep = |levels| (0..levels).fold(JsValue::Null, nest);
        assert!(deep(DEEPEST_JSON - 1).plain().is_some() && deep(DEEPEST_JSON).plain().is_none());
        assert_eq!(deep(300).write().matches('[').count(), 300);
        assert_eq!(JsValue::Bytes(vec![0, 255]).write(), "new Uint8Array([0, 255])");
        let encoded = json!({"list": [{"a": [1, {"special": "NaN"}], "n": 2}, {"o": [["in", {"at": 0}]], "n": 1}], "value": {"at": 1}});
        let JsValue::Object { number: 1, entries } = JsValue::decode_remote(&encoded) else { panic!() };
        let JsValue::Array { number: 2, items } = &entries[0].1 else { panic!() };
        assert!(matches!(items[..], [JsValue::Number(1.0), JsValue::Number(nan)] if nan.is_nan()));
    }

    #[test]
    fn a_result_that_holds_an_error_is_asked_for_once_more() {
        let object = |deep| RemoteObject { deep_serialized_value: Some(deep), ..RemoteObject::default() };
        assert!(JsValue::read(&object(json!({"type": "error"}))).is_none());
        let cycle = json!({"type": "object", "weakLocalObjectReference": 1,
            "value": [["self", {"type": "object", "weakLocalObjectReference": 1}]]});
        let Some(JsValue::Object { number: 1, entries }) = JsValue::read(&object(cycle)) else { panic!() };
        assert!(matches!(entries[0].1, JsValue::Reference(1)));
    }
}
