//! Parses `name[attribute="value"i][other]`, as in `role=` and `internal:attr=`.
use serde::Serialize;

use super::invalid;
use super::reader::Reader;
use crate::error::Result;

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Attribute {
    pub(super) name: String,
    /// `None` for an attribute without a value.
    pub(super) compare: Option<Compare>,
    pub(super) value: Value,
    /// False after `i`: the comparison ignores case.
    pub(super) exact: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    Text(String),
    Is(bool),
    Regex { source: String, flags: String },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Compare {
    Is,
    IsNot,
    Containing,
    Starting,
    Ending,
    /// The whole value, or the part before its first hyphen, as `|=` in CSS.
    Dashed,
    /// One of the words in the value.
    Word,
}

const COMPARISONS: [(&str, Compare); 7] = [
    ("=", Compare::Is),
    ("!=", Compare::IsNot),
    ("*=", Compare::Containing),
    ("^=", Compare::Starting),
    ("$=", Compare::Ending),
    ("|=", Compare::Dashed),
    ("~=", Compare::Word),
];

/// Parses a selector into the name before the brackets, which may be empty, and the attributes in brackets.
pub(super) fn read(text: &str) -> Result<(String, Vec<Attribute>)> {
    let mut reader = Reader::new(text);
    reader.skip_space();
    let name = reader.take_while(is_name).to_owned();
    let mut attributes = Vec::new();
    loop {
        reader.skip_space();
        if reader.peek().is_none() {
            return Ok((name, attributes));
        }
        attributes.push(attribute(&mut reader)?);
    }
}

fn is_name(character: char) -> bool {
    character.is_alphanumeric() || character == '-' || character == '_'
}

fn attribute(reader: &mut Reader) -> Result<Attribute> {
    reader.expect("[")?;
    reader.skip_space();
    let name = reader.take_while(|character| is_name(character) || character == ':').to_owned();
    if name.is_empty() {
        return Err(reader.unexpected());
    }
    reader.skip_space();
    if reader.take("]") {
        return Ok(Attribute { name, compare: None, value: Value::Is(true), exact: true });
    }
    let compare = COMPARISONS.into_iter().find(|(sign, _)| reader.take(sign));
    let Some((_, compare)) = compare else { return Err(reader.unexpected()) };
    reader.skip_space();
    let mut exact = true;
    let value = match reader.peek() {
        Some(quote @ ('"' | '\'')) => {
            let text = quoted(reader, quote)?;
            reader.skip_space();
            if reader.take("i") {
                exact = false;
            } else {
                reader.take("s");
            }
            Value::Text(text)
        }
        Some('/') => regex(reader)?,
        _ => match reader.take_while(|character| is_name(character) || ".+".contains(character)) {
            "" => return Err(reader.unexpected()),
            "true" => Value::Is(true),
            "false" => Value::Is(false),
            word => Value::Text(word.to_owned()),
        },
    };
    if compare != Compare::Is && matches!(value, Value::Regex { .. }) {
        return Err(invalid("a regular expression is compared with = only"));
    }
    reader.skip_space();
    reader.expect("]")?;
    Ok(Attribute { name, compare: Some(compare), value, exact })
}

fn quoted(reader: &mut Reader, quote: char) -> Result<String> {
    reader.next();
    let mut text = String::new();
    loop {
        match reader.next() {
            Some('\\') => text.extend(reader.next()),
            Some(character) if character == quote => return Ok(text),
            Some(character) => text.push(character),
            None => return Err(reader.unexpected()),
        }
    }
}

fn regex(reader: &mut Reader) -> Result<Value> {
    reader.next();
    let (start, mut in_class) = (reader.at(), false);
    loop {
        match reader.peek() {
            Some('/') if !in_class => break,
            Some('\\') => drop(reader.next()),
            Some('[') => in_class = true,
            Some(']') => in_class = false,
            Some(_) => {}
            None => return Err(reader.unexpected()),
        }
        reader.next();
    }
    let source = reader.since(start).to_owned();
    reader.next();
    let flags = reader.take_while(|character| character.is_ascii_lowercase()).to_owned();
    Ok(Value::Regex { source, flags })
}
