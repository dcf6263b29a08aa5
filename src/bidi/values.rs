//! Converts JavaScript values between the formats of BiDi and CDP.
use std::collections::HashMap;

use serde_json::{Map, Value, json};

/// Converts a BiDi value to a CDP `RemoteObject` without an object id.
pub(super) fn remote_object(remote: &Value) -> Map<String, Value> {
    let kind = remote["type"].as_str().unwrap_or("undefined");
    let value = &remote["value"];
    let mut object = Map::new();
    let mut put = |name: &str, value: Value| drop(object.insert(name.to_owned(), value));
    match kind {
        "undefined" | "function" | "symbol" => put("type", kind.into()),
        "string" | "boolean" => {
            put("type", kind.into());
            put("value", value.clone());
        }
        "null" => {
            put("type", "object".into());
            put("subtype", "null".into());
            put("value", Value::Null);
        }
        "number" => {
            put("type", kind.into());
            put(if value.is_string() { "unserializableValue" } else { "value" }, value.clone());
        }
        "bigint" => {
            put("type", kind.into());
            put("unserializableValue", format!("{}n", value.as_str().unwrap_or_default()).into());
        }
        _ => {
            put("type", "object".into());
            put("className", class_name(kind).into());
            if let Some(subtype) = subtype(kind) {
                put("subtype", subtype.into());
            }
        }
    }
    if let Some(description) = description(kind, value) {
        object.insert("description".to_owned(), description.into());
    }
    object
}

fn subtype(kind: &str) -> Option<&str> {
    match kind {
        "array" | "nodelist" | "htmlcollection" => Some("array"),
        "object" | "window" => None,
        other => Some(other),
    }
}

fn class_name(kind: &str) -> &str {
    match kind {
        "array" => "Array",
        "object" => "Object",
        "window" => "Window",
        "date" => "Date",
        "regexp" => "RegExp",
        "map" => "Map",
        "set" => "Set",
        "error" => "Error",
        "promise" => "Promise",
        "nodelist" => "NodeList",
        "htmlcollection" => "HTMLCollection",
        other => other,
    }
}

fn description(kind: &str, value: &Value) -> Option<String> {
    let count = value.as_array().map_or(0, Vec::len);
    Some(match kind {
        "number" => value.as_str().map_or_else(|| value.to_string(), str::to_owned),
        "bigint" => format!("{}n", value.as_str().unwrap_or_default()),
        "date" => value.as_str()?.to_owned(),
        "regexp" => format!(
            "/{}/{}",
            value["pattern"].as_str().unwrap_or_default(),
            value["flags"].as_str().unwrap_or_default()
        ),
        "array" => format!("Array({count})"),
        "map" => format!("Map({count})"),
        "set" => format!("Set({count})"),
        "node" => node_description(value),
        "undefined" | "null" | "string" | "boolean" => return None,
        "function" => "function".to_owned(),
        other => class_name(other).to_owned(),
    })
}

fn node_description(node: &Value) -> String {
    let attribute = |name: &str| node["attributes"][name].as_str().unwrap_or_default();
    match node["nodeType"].as_u64() {
        Some(9) => "#document".to_owned(),
        Some(3) => "#text".to_owned(),
        _ => {
            let mut text = node["localName"].as_str().unwrap_or("node").to_owned();
            if !attribute("id").is_empty() {
                text = text + "#" + attribute("id");
            }
            attribute("class").split_whitespace().fold(text, |text, class| text + "." + class)
        }
    }
}

/// Converts a BiDi value to plain JSON; `None` for `undefined`, functions and symbols.
pub(super) fn plain(remote: &Value) -> Option<Value> {
    let value = &remote["value"];
    let inner = |value: &Value| plain(value).unwrap_or(Value::Null);
    Some(match remote["type"].as_str().unwrap_or_default() {
        "undefined" | "function" | "symbol" => return None,
        "string" | "boolean" => value.clone(),
        "number" if !value.is_string() => value.clone(),
        "number" => {
            if value == "-0" {
                json!(0)
            } else {
                Value::Null
            }
        }
        "array" => value.as_array().into_iter().flatten().map(inner).collect(),
        "object" => value
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|pair| Some((pair[0].as_str()?.to_owned(), plain(&pair[1])?)))
            .collect::<Map<_, _>>()
            .into(),
        "null" => Value::Null,
        _ => Value::Object(Map::new()),
    })
}

/// Converts a BiDi value with its nested values to CDP's `deepSerializedValue`.
pub(super) fn deep(value: &Value) -> Value {
    deep_with(value, &mut HashMap::new())
}

fn deep_with(remote: &Value, numbers: &mut HashMap<String, usize>) -> Value {
    let mut deep_value = Map::new();
    let kind = remote["type"].as_str().unwrap_or("undefined");
    deep_value.insert("type".to_owned(), kind.into());
    if let Some(id) = remote["internalId"].as_str() {
        let next = numbers.len() + 1;
        let number = *numbers.entry(id.to_owned()).or_insert(next);
        deep_value.insert("weakLocalObjectReference".to_owned(), number.into());
    }
    let value = match (kind, &remote["value"]) {
        (_, Value::Null) => return Value::Object(deep_value),
        ("array" | "set" | "nodelist" | "htmlcollection", Value::Array(items)) => {
            items.iter().map(|item| deep_with(item, numbers)).collect()
        }
        ("object" | "map", Value::Array(pairs)) => {
            let key = |key: &Value, numbers: &mut _| {
                if key.is_string() { key.clone() } else { deep_with(key, numbers) }
            };
            pairs.iter().map(|pair| json!([key(&pair[0], numbers), deep_with(&pair[1], numbers)])).collect()
        }
        (_, value) => value.clone(),
    };
    deep_value.insert("value".to_owned(), value);
    Value::Object(deep_value)
}

/// Converts a JSON value to a BiDi argument.
pub(super) fn local(value: &Value) -> Value {
    match value {
        Value::Null => json!({"type": "null"}),
        Value::Bool(value) => json!({"type": "boolean", "value": value}),
        Value::Number(value) => json!({"type": "number", "value": value}),
        Value::String(value) => json!({"type": "string", "value": value}),
        Value::Array(items) => {
            json!({"type": "array", "value": items.iter().map(local).collect::<Vec<_>>()})
        }
        Value::Object(entries) => {
            let pairs: Vec<_> = entries.iter().map(|(key, value)| json!([key, local(value)])).collect();
            json!({"type": "object", "value": pairs})
        }
    }
}

/// Converts a CDP `unserializableValue`, such as `NaN` or `12n`, to a BiDi argument.
pub(super) fn special_argument(special: &str) -> Value {
    match special.strip_suffix('n') {
        Some(digits) => json!({"type": "bigint", "value": digits}),
        None => json!({"type": "number", "value": special}),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_in_comes_out_the_same() {
        let value = json!({"a": [1, 2.5, "x", null, true], "b": {"c": []}});
        assert_eq!(plain(&local(&value)), Some(value));
        assert_eq!(plain(&json!({"type": "undefined"})), None);
    }

    #[test]
    fn repeats_have_one_number() {
        let remote = json!({"type": "array", "internalId": "x", "value": [
            {"type": "object", "internalId": "y", "value": [["n", {"type": "number", "value": "NaN"}]]},
            {"type": "object", "internalId": "y"},
        ]});
        assert_eq!(
            deep(&remote),
            json!({"type": "array", "weakLocalObjectReference": 1, "value": [
                {"type": "object", "weakLocalObjectReference": 2, "value": [["n", {"type": "number", "value": "NaN"}]]},
                {"type": "object", "weakLocalObjectReference": 2},
            ]})
        );
    }

    #[test]
    fn special_numbers_are_not_json() {
        let object = |remote: Value| Value::Object(remote_object(&remote));
        assert_eq!(object(json!({"type": "number", "value": "NaN"}))["unserializableValue"], "NaN");
        assert_eq!(object(json!({"type": "bigint", "value": "12"}))["unserializableValue"], "12n");
        assert_eq!(object(json!({"type": "null"}))["subtype"], "null");
        assert_eq!(special_argument("12n"), json!({"type": "bigint", "value": "12"}));
    }
}
