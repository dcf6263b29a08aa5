//! Checks the arguments of a call against the tool's schema, and reports all problems at once.
use serde_json::{Map, Value};

use super::strict_json;

/// Other names by which models call arguments: (alias, argument).
const ALIASES: [(&str, &str); 3] = [("target", "ref"), ("startTarget", "startRef"), ("endTarget", "endRef")];

/// Optional arguments for which an empty string counts as omitted, although their schema allows one.
const NEVER_EMPTY: [&str; 12] = [
    "ref",
    "startRef",
    "endRef",
    "element",
    "startElement",
    "endElement",
    "filename",
    "position",
    "sessionId",
    "tab",
    "tabId",
    "wait_for",
];
/// Optional strings that narrow an action. If an empty one were dropped, the action would affect too much.
const NARROWING: [&str; 4] = ["name", "key", "domain", "origin"];

/// Strings that can be JSON text. Models often pass the JSON itself.
const JSON_TEXTS: [&str; 1] = ["cookies"];

/// Corrects alternative spellings in `arguments` (`target`, `null`, `5.0`, `"5"`, `"[]"`, `""`). Returns all problems.
pub fn check_arguments(schema: &Map<String, Value>, arguments: &mut Map<String, Value>) -> Vec<String> {
    let mut problems = Vec::new();
    check_object(schema, arguments, "", &mut problems);
    problems
}

/// Returns the known name that is most similar to a misspelt one; `None` if none is similar enough.
pub fn closest_name<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    similar_names(name, known).first().copied()
}

/// Returns the known name that is meant by a misspelt one, or up to three that may be meant, most similar first.
pub fn similar_names<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    const MISSPELT: f64 = 0.85;
    let score =
        |other: &str| strsim::normalized_damerau_levenshtein(&name.to_lowercase(), &other.to_lowercase());
    let scored = known.into_iter().map(|other| (score(other), other));
    let mut similar: Vec<_> = scored.filter(|(score, _)| *score >= 0.6).collect();
    similar.sort_by(|a, b| b.0.total_cmp(&a.0));
    let most = if similar.first().is_some_and(|(score, _)| *score >= MISSPELT) { 1 } else { 3 };
    similar.into_iter().take(most).map(|(_, other)| other).collect()
}

fn check_object(
    schema: &Map<String, Value>,
    object: &mut Map<String, Value>,
    path: &str,
    problems: &mut Vec<String>,
) {
    let empty = Map::new();
    let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&empty);
    let required: Vec<&str> = schema.get("required").map(strings).unwrap_or_default();
    let aliased = take_aliases(properties, object, path, problems);
    object.retain(|name, value| {
        required.contains(&name.as_str())
            || !(value.is_null() || says_nothing(name, value, properties.get(name)))
    });

    for name in &required {
        if !object.contains_key(*name) {
            let kind = properties.get(*name).map(expected).unwrap_or_default();
            let alias = alias_of(name).map(|alias| format!(" (or `{path}{alias}`)")).unwrap_or_default();
            problems.push(format!("`{path}{name}`{alias} is missing; it is {kind}"));
        }
    }
    for (name, value) in object {
        // An argument that the model passed under an alias is reported under both names.
        let alias = alias_of(name).filter(|alias| aliased.contains(alias));
        let text = alias.map_or_else(|| name.clone(), |alias| format!("{name} (given as {alias})"));
        match properties.get(name) {
            Some(schema) => check(schema, value, &format!("{path}{text}"), problems),
            None => problems.push(unknown(name, path, properties)),
        }
    }
}

/// Whether an optional argument is an empty string that means "omitted": models often pass all arguments.
fn says_nothing(name: &str, value: &Value, schema: Option<&Value>) -> bool {
    let Some(schema) = schema.filter(|_| *value == "") else { return false };
    let kind = schema.get("type").and_then(Value::as_str).unwrap_or_default();
    match kind {
        "" => false,
        "string" if NARROWING.contains(&name) => false,
        "string" => {
            let has_choices = schema.get("enum").is_some_and(|choices| !strings(choices).contains(&""));
            has_choices || schema.get("minLength").is_some() || NEVER_EMPTY.contains(&name)
        }
        _ => true,
    }
}

fn alias_of(name: &str) -> Option<&'static str> {
    ALIASES.iter().find(|(_, original)| *original == name).map(|(alias, _)| *alias)
}

fn take_aliases(
    properties: &Map<String, Value>,
    object: &mut Map<String, Value>,
    path: &str,
    problems: &mut Vec<String>,
) -> Vec<&'static str> {
    let mut taken = Vec::new();
    for (alias, name) in ALIASES {
        if properties.contains_key(name) && !properties.contains_key(alias) {
            let Some(value) = object.remove(alias).filter(|value| !value.is_null()) else { continue };
            match object.get(name) {
                Some(other) if !other.is_null() && *other != "" && *other != value => {
                    problems
                        .push(format!("`{path}{alias}` and `{path}{name}` are the same argument; give one"));
                }
                _ => {
                    object.insert(name.to_owned(), value);
                    taken.push(alias);
                }
            }
        }
    }
    taken
}

fn unknown(name: &str, path: &str, properties: &Map<String, Value>) -> String {
    let shown: String = name.chars().filter(|c| !c.is_control()).take(60).collect();
    let known = || properties.keys().map(String::as_str);
    let advice = match closest_name(name, known()) {
        Some(near) => format!("did you mean `{path}{near}`?"),
        None if properties.is_empty() => "there are none".to_owned(),
        None => format!("the arguments are {}", known().collect::<Vec<_>>().join(", ")),
    };
    format!("`{path}{shown}` is not an argument; {advice}")
}

fn check(schema: &Value, value: &mut Value, path: &str, problems: &mut Vec<String>) {
    let Some(schema) = schema.as_object() else { return };
    let kind = schema.get("type").and_then(Value::as_str).unwrap_or_default();
    unquote(kind, value);
    whole_number(kind, value);
    if kind == "string" && JSON_TEXTS.contains(&path) && (value.is_array() || value.is_object()) {
        *value = Value::String(value.to_string());
    }
    match (kind, &mut *value) {
        ("object", Value::Object(object)) if schema.contains_key("properties") => {
            return check_object(schema, object, &format!("{path}."), problems);
        }
        ("object", Value::Object(entries)) if schema.contains_key("additionalProperties") => {
            if let Some(schema) = schema.get("additionalProperties") {
                for (name, value) in entries {
                    check(schema, value, &format!("{path}.{name}"), problems);
                }
            }
        }
        ("array", Value::Array(items)) => {
            if let Some(schema) = schema.get("items") {
                for (index, item) in items.iter_mut().enumerate() {
                    check(schema, item, &format!("{path}[{index}]"), problems);
                }
            }
        }
        ("string", Value::String(_))
        | ("boolean", Value::Bool(_))
        | ("number", Value::Number(_))
        | ("", _) => {}
        ("integer", Value::Number(number)) if number.is_i64() || number.is_u64() => {}
        _ => {
            let found = described(value);
            let meaning = schema.get("description").and_then(Value::as_str).unwrap_or_default();
            let meaning = meaning.trim_end_matches('.');
            let separator = if meaning.is_empty() { "" } else { ": " };
            let expected = expected_of(schema);
            return problems.push(format!("`{path}` must be {expected}, not {found}{separator}{meaning}"));
        }
    }
    check_choice(schema, value, path, problems);
    check_bounds(schema, value, path, problems);
}

/// Parses a number, boolean, list or object that was passed as a string, as many models do.
fn unquote(kind: &str, value: &mut Value) {
    let Value::String(text) = value else { return };
    let text = match kind {
        "boolean" => text.to_ascii_lowercase(),
        _ => text.clone(),
    };
    let Ok(read) = strict_json::read(text.as_bytes()) else { return };
    let fits = match kind {
        "integer" | "number" => read.is_number(),
        "boolean" => read.is_boolean(),
        "array" => read.is_array(),
        "object" => read.is_object(),
        _ => false,
    };
    if fits {
        *value = read;
    }
}

/// Converts a number such as `5.0` to an integer if the schema requires one.
fn whole_number(kind: &str, value: &mut Value) {
    const LARGEST_EXACT: f64 = 9_007_199_254_740_992.0;
    if let ("integer", Some(number)) = (kind, value.as_f64())
        && value.is_f64()
        && number.fract() == 0.0
        && number.abs() <= LARGEST_EXACT
    {
        #[expect(clippy::cast_possible_truncation, reason = "checked to be whole and small enough")]
        let whole = number as i64;
        *value = whole.into();
    }
}

fn check_choice(schema: &Map<String, Value>, value: &Value, path: &str, problems: &mut Vec<String>) {
    let Some(Value::Array(choices)) = schema.get("enum") else { return };
    if !choices.contains(value) {
        problems.push(format!("`{path}` must be {}", expected_of(schema)));
    }
}

fn check_bounds(schema: &Map<String, Value>, value: &Value, path: &str, problems: &mut Vec<String>) {
    let (size, lowest, highest, unit) = match value {
        Value::Number(number) => (number.as_f64().unwrap_or(f64::NAN), "minimum", "maximum", unit_of(schema)),
        Value::Array(items) => (count(items.len()), "minItems", "maxItems", " items"),
        Value::String(text) => (count(text.chars().count()), "minLength", "maxLength", " characters"),
        _ => return,
    };
    let bound = |key: &str| schema.get(key).and_then(Value::as_f64);
    if let Some(lowest) = bound(lowest)
        && size < lowest
    {
        problems.push(if size < 1.0 && !value.is_number() {
            format!("`{path}` must not be empty")
        } else {
            format!("`{path}` must be at least {lowest}{unit}")
        });
    }
    if let Some(highest) = bound(highest)
        && size > highest
    {
        problems.push(format!("`{path}` must be at most {highest}{unit}"));
    }
    if let Some(above) = bound("exclusiveMinimum")
        && size <= above
    {
        problems.push(format!("`{path}` must be more than {above}"));
    }
}

#[expect(clippy::cast_precision_loss, reason = "no text or list is that long")]
fn count(length: usize) -> f64 {
    length as f64
}

/// Returns the unit of a number, such as ` ms`, found in its description; empty if there is none.
fn unit_of(schema: &Map<String, Value>) -> &'static str {
    let description = schema.get("description").and_then(Value::as_str).unwrap_or_default();
    let says =
        |unit: &str| description.split(|letter: char| !letter.is_alphanumeric()).any(|word| word == unit);
    match description {
        text if says("ms") || text.contains("illiseconds") || text.contains("毫秒") => " ms",
        text if says("s") || says("Seconds") || says("seconds") || text.contains("秒") => " s",
        _ => "",
    }
}

fn expected(schema: &Value) -> String {
    schema.as_object().map(expected_of).unwrap_or_default()
}

fn expected_of(schema: &Map<String, Value>) -> String {
    if let Some(choices) = schema.get("enum") {
        return format!("one of {}", strings(choices).join(", "));
    }
    match schema.get("type").and_then(Value::as_str).unwrap_or_default() {
        "string" => "a string",
        "integer" => "a whole number",
        "number" => "a number",
        "boolean" => "true or false",
        "array" => "a list",
        "object" => {
            let members = schema.get("properties").and_then(Value::as_object);
            let members: Vec<_> =
                members.into_iter().flat_map(Map::keys).map(|key| format!("`{key}`")).collect();
            return match members.is_empty() {
                true => "an object".to_owned(),
                false => format!("an object of {}", members.join(", ")),
            };
        }
        _ => "a value",
    }
    .to_owned()
}

fn described(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(number) if number.is_f64() => "a fraction",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

fn strings(list: &Value) -> Vec<&str> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}
