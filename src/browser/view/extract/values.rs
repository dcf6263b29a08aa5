//! Converts the values that the injected script read to the types in the schema.
use serde_json::{Number, Value};

use super::Row;
use super::moments::{date_in, moment_in};
use super::numbers::{Decimal, number_in};
use super::schema::{Field, Kind, Schema, Type};
use crate::error::{Error, Result, in_quotes, quoted};

/// The maximum number of characters of page text in an error message.
const LONGEST_QUOTE: usize = 60;

const TRUE: [&str; 4] = ["true", "yes", "on", "1"];
const FALSE: [&str; 4] = ["false", "no", "off", "0"];

impl Schema {
    /// Converts a row to typed values. `item` is its number, counted from 1, for error messages.
    pub(super) fn row(&self, found: Vec<Value>, item: usize) -> Result<Row> {
        self.row_in("", found, item)
    }

    fn row_in(&self, around: &str, found: Vec<Value>, item: usize) -> Result<Row> {
        let typed = self.fields.iter().zip(found).map(|(field, found)| {
            let path = format!("{around}{}", field.name);
            Ok((field.name.clone(), field.value(&path, found, item)?))
        });
        typed.collect()
    }
}

impl Field {
    fn value(&self, path: &str, found: Value, item: usize) -> Result<Value> {
        match found {
            Value::Null if self.optional => Ok(Value::Null),
            Value::Array(found) if self.list => {
                found.into_iter().map(|one| self.one(path, one, item)).collect()
            }
            found => self.one(path, found, item),
        }
    }

    fn one(&self, path: &str, found: Value, item: usize) -> Result<Value> {
        let refused = |reason| Error::NotExtracted { field: path.to_owned(), item, reason };
        match (&self.kind, found) {
            (_, Value::Null) => Err(refused(self.missing())),
            (Kind::Fields(schema), Value::Array(found)) => {
                schema.row_in(&format!("{path}."), found, item).map(Value::from)
            }
            (Kind::Plain(kind), Value::Array(number)) => {
                let part = |at: usize| number.get(at).and_then(Value::as_str).unwrap_or_default();
                kind.number(part(0), part(1)).map_err(refused)
            }
            (Kind::Plain(kind), Value::String(text)) => kind.plain(text).map_err(refused),
            (_, found) => Ok(found),
        }
    }

    fn missing(&self) -> String {
        let selector = in_quotes(&self.selector);
        match (&self.attribute, self.kind.default_attribute()) {
            (Some(attribute), _) => {
                format!("no element that matches {selector} has an attribute {}", in_quotes(attribute))
            }
            (None, Some(attribute)) => {
                format!("no element that matches {selector} has an attribute {attribute}")
            }
            (None, None) => {
                format!("no element matches {selector}; make the field optional if it can be missing")
            }
        }
    }
}

impl Kind {
    fn default_attribute(&self) -> Option<&'static str> {
        matches!(self, Self::Plain(Type::Url)).then_some("\"href\" or \"src\"")
    }
}

impl Type {
    fn number(self, text: &str, marks: &str) -> Result<Value, String> {
        let shown = || quoted(text, LONGEST_QUOTE);
        let number = number_in(text, marks).map_err(|reason| format!("{reason} in {}", shown()))?;
        match self {
            Self::Decimal => Ok(number.text().into()),
            Self::Integer => {
                let whole = number
                    .whole()
                    .ok_or_else(|| format!("{} is not a whole number, in {}", number.text(), shown()))?;
                whole
                    .parse::<i64>()
                    .map(Value::from)
                    .map_err(|_| format!("{whole} does not fit into 64 bits"))
            }
            _ => float(&number).ok_or_else(|| format!("{} is too large", shown())),
        }
    }

    fn plain(self, text: String) -> Result<Value, String> {
        let shown = quoted(&text, LONGEST_QUOTE);
        match self {
            Self::Boolean => truth(&text)
                .map(Value::from)
                .ok_or_else(|| format!("{shown} is not a boolean (true/false, yes/no, on/off, 1/0)")),
            Self::Date => date_in(&text)
                .map(Value::from)
                .ok_or_else(|| format!("{shown} is not an ISO 8601 date, such as 2026-01-31")),
            Self::Datetime => moment_in(&text).map(Value::from).ok_or_else(|| {
                format!("{shown} is not an ISO 8601 date and time, such as 2026-01-31T10:00:00")
            }),
            _ => Ok(text.into()),
        }
    }
}

/// Converts to a JSON number, without a decimal point if it is whole; `None` if it is too large.
fn float(number: &Decimal) -> Option<Value> {
    let whole = number.whole().and_then(|whole| whole.parse::<i64>().ok());
    whole.map(Value::from).or_else(|| Number::from_f64(number.text().parse().ok()?).map(Value::from))
}

fn truth(text: &str) -> Option<bool> {
    let text = text.trim().to_lowercase();
    match text.as_str() {
        text if TRUE.contains(&text) => Some(true),
        text if FALSE.contains(&text) => Some(false),
        _ => None,
    }
}
