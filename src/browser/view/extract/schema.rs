//! The schema of a row: its fields, parsed from the caller's JSON.
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::browser::elements::selector::Selector;
use crate::error::{Error, Result};

/// The fields of a row.
#[derive(Debug, Clone)]
pub struct Schema {
    pub(super) fields: Vec<Field>,
}

/// A field: the element or attribute that contains its value, and its type.
#[derive(Debug, Clone)]
pub(super) struct Field {
    pub(super) name: String,
    /// The selector as the caller wrote it, relative to the item; empty for the item itself.
    pub(super) selector: String,
    chain: Value,
    pub(super) attribute: Option<String>,
    pub(super) kind: Kind,
    pub(super) list: bool,
    pub(super) optional: bool,
}

/// The type of a field.
#[derive(Debug, Clone)]
pub(super) enum Kind {
    Plain(Type),
    Fields(Schema),
}

/// The type of a field's value.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Type {
    #[default]
    String,
    Integer,
    Number,
    /// A number as text, so that no digit is lost.
    Decimal,
    Boolean,
    Date,
    Datetime,
    Url,
}

/// The long form of a field: an object.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct FieldObject {
    #[serde(default)]
    selector: String,
    attribute: Option<String>,
    #[serde(rename = "type")]
    kind: Option<Type>,
    #[serde(default)]
    list: bool,
    #[serde(default)]
    optional: bool,
    fields: Option<Map<String, Value>>,
}

impl Schema {
    /// Parses fields. Each value is a selector, a selector with `@attribute`, or an object with `selector`,
    /// `attribute`, `type`, `list`, `optional` and `fields`.
    ///
    /// # Errors `invalid_arguments` with the name of each invalid field.
    pub fn read(fields: &Map<String, Value>) -> Result<Self> {
        let mut problems = Vec::new();
        let schema = read(fields, "", &mut problems);
        match problems.is_empty() {
            true => Ok(schema),
            false => Err(Error::InvalidArguments { problems }),
        }
    }

    /// Returns the fields in the format of the injected script.
    pub(super) fn question(&self) -> Value {
        self.fields
            .iter()
            .map(|field| json!([field.chain, field.attribute, field.list, field.asked()]))
            .collect()
    }

    /// Returns the indexes of the required fields: those that are neither optional nor lists.
    pub(super) fn needed(&self) -> Vec<usize> {
        let needed = |(at, field): (usize, &Field)| (!field.optional && !field.list).then_some(at);
        self.fields.iter().enumerate().filter_map(needed).collect()
    }
}

impl Field {
    fn asked(&self) -> Value {
        match &self.kind {
            Kind::Fields(schema) => schema.question(),
            Kind::Plain(Type::Integer | Type::Number | Type::Decimal) => "number".into(),
            Kind::Plain(Type::Boolean) => "state".into(),
            Kind::Plain(Type::Url) => "url".into(),
            Kind::Plain(Type::String | Type::Date | Type::Datetime) => "text".into(),
        }
    }
}

fn read(fields: &Map<String, Value>, around: &str, problems: &mut Vec<String>) -> Schema {
    if fields.is_empty() {
        problems.push(format!(
            "`fields`{around} is empty; give a name and a selector, such as {{\"title\": \"h1\"}}"
        ));
    }
    let mut found = Vec::new();
    for (name, value) in fields {
        let title = format!("`fields.{name}`{around}");
        match written(value) {
            Ok(written) => found.extend(field(name, written, &title, problems)),
            Err(problem) => problems.push(format!("{title}: {problem}")),
        }
    }
    Schema { fields: found }
}

fn written(value: &Value) -> Result<FieldObject, String> {
    match value {
        Value::String(text) => Ok(short(text)),
        Value::Object(_) => serde_json::from_value(value.clone()).map_err(|error| error.to_string()),
        _ => Err("give a selector, or an object with `selector` and `type`".to_owned()),
    }
}

/// Parses the short form of a field: a selector, optionally with an attribute after the last `@`.
fn short(text: &str) -> FieldObject {
    let is_name = |name: &str| {
        let plain = |character: char| character.is_ascii_alphanumeric() || "-_:".contains(character);
        name.starts_with(|first: char| first.is_ascii_alphabetic()) && name.chars().all(plain)
    };
    match text.rsplit_once('@').filter(|(_, attribute)| is_name(attribute)) {
        Some((selector, attribute)) => {
            let (selector, attribute) = (selector.trim().to_owned(), Some(attribute.to_owned()));
            FieldObject { selector, attribute, ..FieldObject::default() }
        }
        None => FieldObject { selector: text.to_owned(), ..FieldObject::default() },
    }
}

fn field(name: &str, written: FieldObject, title: &str, problems: &mut Vec<String>) -> Option<Field> {
    let chain = match chain(&written.selector) {
        Ok(chain) => chain,
        Err(problem) => {
            problems.push(format!("{title}: {problem}"));
            return None;
        }
    };
    let kind = match (&written.fields, written.kind) {
        (Some(_), Some(_)) => {
            problems.push(format!("{title}: give one of `type` and `fields`"));
            return None;
        }
        (Some(_), None) if written.attribute.is_some() => {
            problems.push(format!("{title}: `fields` need an element; remove `attribute`"));
            return None;
        }
        (Some(fields), None) => Kind::Fields(read(fields, &format!(" in {title}"), problems)),
        (None, kind) => Kind::Plain(kind.unwrap_or_default()),
    };
    let FieldObject { selector, attribute, list, optional, .. } = written;
    Some(Field { name: name.to_owned(), selector, chain, attribute, kind, list, optional })
}

/// Converts a selector for the injected script. An empty selector, which means the item itself, becomes null.
fn chain(selector: &str) -> Result<Value, String> {
    if selector.trim().is_empty() {
        return Ok(Value::Null);
    }
    match Selector::parse(selector).as_ref().map(|parsed| (parsed.chains(), parsed.searches_all_frames())) {
        Ok(([only], false)) => Ok(json!(only)),
        Ok(_) => Err("the selector enters a frame; only `each` can".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}
