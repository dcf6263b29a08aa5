//! Compares the value that a field shows with the value that was set.
use crate::browser::{ControlKind, ControlValue, TypingOutcome, parse_checked};
use crate::error::{quoted_with_end, squeezed};

const LONGEST: usize = 60;

/// The result of setting a field's values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Readback {
    /// The field accepted the value. Contains a description of what it shows, or an empty text.
    Taken(String),
    Refused(String),
}

impl Readback {
    pub(super) fn of(given: &[String], shown: &ControlValue) -> Self {
        match shown.kind {
            ControlKind::Text if shown.outcome.is_some() => Self::of_text(given, shown),
            ControlKind::Gone if shown.is_typed_text_lost() => Self::Refused(describe_values(shown)),
            ControlKind::Gone => {
                Self::Taken("given, and the page put something else in its place".to_owned())
            }
            ControlKind::None => Self::Taken(String::new()),
            ControlKind::Check => {
                let wanted = given.first().and_then(|value| parse_checked(value));
                match wanted.is_some_and(|wanted| shown.checked == wanted) {
                    true => Self::Taken(describe_values(shown)),
                    false => Self::Refused(describe_values(shown)),
                }
            }
            _ => Self::of_values(given, shown),
        }
    }

    /// Compares typed text, given what was observed about it in the field.
    fn of_text(given: &[String], shown: &ControlValue) -> Self {
        match shown.outcome {
            Some(_) if shown.is_typed_text_lost() => Self::Refused(describe_values(shown)),
            Some(TypingOutcome::Consumed) => Self::Taken("taken, not shown".to_owned()),
            Some(TypingOutcome::Same) if !shown.secret && !shown.is_empty() => {
                Self::Taken(describe_values(shown))
            }
            Some(TypingOutcome::Reformatted)
                if !shown.secret && given.iter().any(|value| !value.is_empty()) =>
            {
                Self::made(given, shown)
            }
            _ => Self::of_values(given, shown),
        }
    }

    fn of_values(given: &[String], shown: &ControlValue) -> Self {
        let is_given = given.iter().any(|value| !value.trim().is_empty());
        match (is_given, shown.is_empty()) {
            (true, true) => Self::Refused("nothing".to_owned()),
            (false, false) => Self::Refused(describe_values(shown)),
            (true, false) if shown.secret && shown.unchanged && !is_same(given, shown) => {
                Self::Refused("what it showed before".to_owned())
            }
            _ if shown.secret => Self::Taken("taken, not shown".to_owned()),
            (false, true) => Self::Taken("empty".to_owned()),
            (true, false) if is_same(given, shown) => Self::Taken(describe_values(shown)),
            (true, false) if shown.unchanged => Self::Refused(describe_values(shown)),
            (true, false) => Self::made(given, shown),
        }
    }

    /// Returns the result for a field that shows a different value than was set.
    fn made(given: &[String], shown: &ControlValue) -> Self {
        let given: Vec<_> = given.iter().map(|value| quoted_with_end(value, LONGEST)).collect();
        Self::Taken(format!("shows {} (given {})", describe_values(shown), given.join(", ")))
    }
}

/// Whether a text field shows the typed text mixed with other text.
pub(super) fn is_mixed(given: &[String], shown: &ControlValue) -> bool {
    let ([given], [value]) = (given, &shown.values[..]) else { return false };
    let is_typed = shown.kind == ControlKind::Text && shown.outcome.is_some();
    is_typed
        && !shown.secret
        && !shown.proxy
        && !given.is_empty()
        && value.len() > given.len()
        && value.contains(given.as_str())
}

fn is_same(given: &[String], shown: &ControlValue) -> bool {
    let plain = |texts: &[String]| texts.iter().map(|text| squeezed(text)).collect::<Vec<_>>();
    let (given, values) = (plain(given), plain(&shown.values));
    match shown.kind {
        // Files are given as paths and shown as names, so that only their number is compared.
        ControlKind::File => given.len() == values.len(),
        ControlKind::Slider => {
            number(&given) == number(&values) && number(&given).is_some() || given == values
        }
        _ if shown.proxy => values.iter().any(|value| value.contains(given[0].as_str())),
        _ => given == values,
    }
}

fn number(values: &[String]) -> Option<f64> {
    values.first().and_then(|value| value.parse().ok())
}

/// Describes the value that a control shows, such as `checked`.
pub(super) fn describe_values(shown: &ControlValue) -> String {
    if shown.kind == ControlKind::Check {
        return match shown.checked.as_bool() {
            Some(true) => "checked".to_owned(),
            Some(false) => "not checked".to_owned(),
            None => "partly checked".to_owned(),
        };
    }
    if shown.secret {
        return if shown.is_empty() { "nothing" } else { "something" }.to_owned();
    }
    let values: Vec<_> = shown.values.iter().map(|value| quoted_with_end(value, LONGEST)).collect();
    if values.is_empty() { "nothing".to_owned() } else { values.join(", ") }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn shown(kind: &str, values: &[&str]) -> ControlValue {
        serde_json::from_value(json!({ "kind": kind, "values": values })).unwrap()
    }

    fn readback(given: &[&str], shown: &ControlValue) -> Readback {
        Readback::of(&given.iter().map(|value| (*value).to_owned()).collect::<Vec<_>>(), shown)
    }

    #[test]
    fn what_the_page_made_of_a_value_is_reported() {
        let taken = |text: &str| Readback::Taken(text.to_owned());
        assert_eq!(readback(&["Ada"], &shown("text", &["Ada"])), taken("\"Ada\""));
        assert_eq!(
            readback(&["1234"], &shown("text", &["1,234"])),
            taken("shows \"1,234\" (given \"1234\")")
        );
        assert_eq!(readback(&["Ada"], &shown("text", &[])), Readback::Refused("nothing".to_owned()));
        assert_eq!(readback(&[""], &shown("text", &["left"])), Readback::Refused("\"left\"".to_owned()));
        assert_eq!(readback(&["/tmp/a.txt"], &shown("file", &["a.txt"])), taken("\"a.txt\""));
    }

    #[test]
    fn of_a_long_value_the_end_is_shown_which_an_editor_may_have_added_to() {
        let long = format!("{}\"}}", "a".repeat(100));
        let expected = format!("\"{}…{}\\\"}}\"", "a".repeat(40), "a".repeat(18));
        assert_eq!(describe_values(&shown("text", &[&long])), expected);
    }

    #[test]
    fn a_secret_is_not_reported() {
        let mut secret = shown("text", &["open sesame"]);
        secret.secret = true;
        let taken = Readback::Taken("taken, not shown".to_owned());
        assert_eq!(readback(&["open sesame"], &secret), taken);
        assert_eq!(describe_values(&secret), "something");
    }
}
