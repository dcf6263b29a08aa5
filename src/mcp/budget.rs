//! Size limits for the answers of tools.
use serde_json::{Map, Value};

/// The default size limit of an answer, in characters.
pub const MAX_REPLY_CHARS: usize = 25_000;
/// The size limit of a list or a JSON value in an answer, in characters.
pub const MAX_LIST_CHARS: usize = 20_000;
/// The size limit of each entry in a list that must be shortened, in characters.
const LONGEST_ENTRY: usize = 1_000;
/// The size limit of an error message, in characters.
pub const MAX_ERROR_CHARS: usize = 4_000;
/// The size limit of an event in an answer, in characters.
pub const MAX_EVENT_CHARS: usize = 1_000;
/// The length below which strings in a JSON value are not cut.
const SHORTEST: usize = 20;

/// Returns the first `most` characters of a text.
pub fn first_chars(text: &str, most: usize) -> &str {
    text.char_indices().nth(most).map_or(text, |(end, _)| &text[..end])
}

/// Truncates a text to `most` characters. Returns its original length in characters if it was longer.
pub fn truncate_chars(text: &mut String, most: usize) -> Option<usize> {
    let end = first_chars(text, most).len();
    if end == text.len() {
        return None;
    }
    let all = text.chars().count();
    text.truncate(end);
    Some(all)
}

/// Returns the newest entries that fit, with long texts cut, and a note about the rest if any are cut.
pub fn keep_newest(entries: Vec<Value>) -> (Vec<Value>, Option<String>) {
    if size(&entries) <= MAX_LIST_CHARS {
        return (entries, None);
    }
    let all = entries.len();
    let mut room = MAX_LIST_CHARS;
    let cut = entries.into_iter().rev().map(|entry| within(&entry, LONGEST_ENTRY, usize::MAX));
    let mut kept: Vec<Value> = cut
        .map_while(|entry| {
            room = room.checked_sub(size(&entry))?;
            Some(entry)
        })
        .collect();
    kept.reverse();
    let note = format!(
        "[cut: the newest {} of {all} entries, each text to {LONGEST_ENTRY} characters; give filename to have all in \
         a file]",
        kept.len()
    );
    (kept, Some(note))
}

/// Returns a copy of the value that fits into `most` characters of JSON, with shortened strings and, if
/// necessary, lists and objects. `None` if the value fits already.
pub fn shortened_to_fit(value: &Value, most: usize) -> Option<Value> {
    if size(value) <= most {
        return None;
    }
    let (mut longest, mut entries) = (most / 2, usize::MAX);
    loop {
        let smaller = within(value, longest, entries);
        if size(&smaller) <= most {
            return Some(smaller);
        }
        if longest <= SHORTEST && entries <= 1 {
            return Some(format!("… {} characters", size(value)).into());
        }
        entries = if entries == usize::MAX { most / 8 } else { (entries / 2).max(1) };
        longest = (longest / 2).max(SHORTEST);
    }
}

/// Returns the length of a value in characters when written as indented JSON.
fn size(value: &impl serde::Serialize) -> usize {
    serde_json::to_string_pretty(value).map_or(0, |text| text.chars().count())
}

fn within(value: &Value, longest: usize, entries: usize) -> Value {
    match value {
        Value::String(text) => {
            let head = first_chars(text, longest);
            match text.len() - head.len() {
                0 => value.clone(),
                _ => format!("{head}… ({} characters)", text.chars().count()).into(),
            }
        }
        Value::Array(list) => {
            let mut kept: Vec<Value> =
                list.iter().take(entries).map(|entry| within(entry, longest, entries)).collect();
            if list.len() > kept.len() {
                kept.push(format!("… {} more", list.len() - kept.len()).into());
            }
            kept.into()
        }
        Value::Object(object) => {
            let fields = object.iter().take(entries);
            let mut kept: Map<String, Value> = fields
                .map(|(name, value)| (first_chars(name, longest).to_owned(), within(value, longest, entries)))
                .collect();
            if object.len() > entries {
                kept.insert("…".to_owned(), format!("{} more", object.len() - entries).into());
            }
            kept.into()
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    fn any_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            any::<i64>().prop_map(Value::from),
            (any::<char>(), 0..3_000_usize).prop_map(|(c, times)| c.to_string().repeat(times).into()),
        ];
        leaf.prop_recursive(6, 200, 40, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..40).prop_map(Value::from),
                prop::collection::hash_map(".{0,40}", inner, 0..20)
                    .prop_map(|fields| fields.into_iter().collect::<Map<_, _>>().into()),
            ]
        })
    }

    proptest! {
        #[test]
        fn whatever_a_value_holds_it_fits(value in any_value(), most in 200_usize..5_000) {
            let shortened = shortened_to_fit(&value, most).unwrap_or(value);
            prop_assert!(size(&shortened) <= most);
        }
    }

    #[test]
    fn of_a_long_list_the_newest_are_reported_and_how_many_are_not() {
        let entries: Vec<_> =
            (0..300).map(|number| json!({ "n": number, "text": "x".repeat(2_000) })).collect();
        let (kept, note) = keep_newest(entries);
        assert!(size(&kept) <= MAX_LIST_CHARS + 2 * kept.len() * 10);
        assert_eq!(kept.last().unwrap()["n"], 299);
        assert!(note.unwrap().contains(&format!("the newest {} of 300", kept.len())));
    }
}
