//! Parses a message's envelope: id, method and session. Payloads are located, and decoded on demand.
use std::borrow::Cow;
use std::ops::Range;

use serde::Deserialize;
use serde::de::IgnoredAny;

#[derive(Debug, Default)]
pub(super) struct Envelope<'a> {
    pub(super) id: Option<u64>,
    pub(super) session_id: Option<Cow<'a, str>>,
    pub(super) method: Option<Cow<'a, str>>,
    /// The byte range of the parameters in the message. `result` and `error` are byte ranges too.
    pub(super) params: Option<Range<usize>>,
    pub(super) result: Option<Range<usize>>,
    pub(super) error: Option<Range<usize>>,
}

impl<'a> Envelope<'a> {
    /// Parses an envelope; `None` if the text is not a JSON object with valid fields.
    ///
    /// Does not use serde's `RawValue`: it gives one object key a special meaning in the whole program, and pages could
    /// send objects with that key.
    pub(super) fn read(text: &'a [u8]) -> Option<Self> {
        let mut envelope = Self::default();
        let mut reader = Reader { text, at: 0 };
        let unless_null = |range: Range<usize>| (text[range.clone()] != *b"null").then_some(range);
        reader.take(b'{')?;
        if reader.take(b'}').is_none() {
            loop {
                let Text(key) = reader.value()?;
                reader.take(b':')?;
                match &*key {
                    "id" => envelope.id = reader.value()?,
                    "sessionId" => envelope.session_id = reader.value::<Option<Text>>()?.map(|text| text.0),
                    "method" => envelope.method = reader.value::<Option<Text>>()?.map(|text| text.0),
                    "params" => envelope.params = unless_null(reader.skip()?),
                    "result" => envelope.result = unless_null(reader.skip()?),
                    "error" => envelope.error = unless_null(reader.skip()?),
                    _ => {
                        reader.skip()?;
                    }
                }
                if reader.take(b',').is_none() {
                    reader.take(b'}')?;
                    break;
                }
            }
        }
        reader.peek().is_none().then_some(envelope)
    }
}

/// A JSON string, borrowed from the message unless it contains escapes.
#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

struct Reader<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn peek(&mut self) -> Option<u8> {
        while self.text.get(self.at)?.is_ascii_whitespace() {
            self.at += 1;
        }
        self.text.get(self.at).copied()
    }

    fn take(&mut self, byte: u8) -> Option<()> {
        let is_next = self.peek()? == byte;
        self.at += usize::from(is_next);
        is_next.then_some(())
    }

    fn value<T: Deserialize<'a>>(&mut self) -> Option<T> {
        let mut values = serde_json::Deserializer::from_slice(self.text.get(self.at..)?).into_iter();
        let value = values.next()?.ok()?;
        self.at += values.byte_offset();
        Some(value)
    }

    fn skip(&mut self) -> Option<Range<usize>> {
        self.peek()?;
        let start = self.at;
        self.value::<IgnoredAny>()?;
        Some(start..self.at)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn what_is_no_message_is_none() {
        for text in [
            "",
            "[]",
            "1",
            "{",
            r#"{"id":1"#,
            r#"{"id":1}}"#,
            r#"{"id":1,}"#,
            r#"{"id":"1"}"#,
            r#"{"a":tru}"#,
        ] {
            assert!(Envelope::read(text.as_bytes()).is_none(), "{text}");
        }
        assert!(Envelope::read(b" { } ").is_some());
    }

    proptest! {
        /// Feature: cdp, the payload of a message stays as it is written
        #[test]
        fn what_a_message_says_is_left_as_it_is_written(
            id in proptest::option::of(any::<u64>()),
            method in proptest::option::of(".*"),
            said in prop_oneof![
                Just(Value::Null), ".*".prop_map(Value::from), any::<f64>().prop_map(Value::from), any::<bool>().prop_map(Value::from),
                (".*", ".*").prop_map(|(key, value)| json!({ key: [value, {}, []] })),
            ],
            spaced: bool,
        ) {
            let message = json!({ "id": id, "other": said, "method": method, "params": said, "sessionId": method });
            let text = if spaced { format!("\n{message:#} ") } else { message.to_string() };
            let read = Envelope::read(text.as_bytes()).unwrap();
            prop_assert_eq!(read.id, id);
            prop_assert_eq!(read.method, method.as_deref().map(Cow::from));
            prop_assert_eq!(read.session_id, method.as_deref().map(Cow::from));
            let params = read.params.map_or(Value::Null, |part| serde_json::from_str(&text[part]).unwrap());
            prop_assert_eq!(params, said);
        }
    }
}
