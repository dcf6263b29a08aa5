//! Secrets: values that a model can type by name and never sees. Each secret is bound to origins, and is
//! removed from everything that the model reads.
//!
//! In the model's text, `<secret>NAME</secret>` stands for a secret.
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::RwLock;
use serde_json::{Map, Value};

use crate::browser::policy::OriginPattern;
use crate::browser::{ElementHandle, MaskedTexts};
use crate::error::{Error, Result};
use crate::sync::unix_time;

use redact::Redactor;
use totp::Totp;

mod forms;
mod read;
mod redact;
mod totp;

/// How long a generated one-time code is redacted. Servers do not accept a code for longer.
const CODE_LIFE: Duration = Duration::from_secs(300);
const BEGIN: &str = "<secret>";
const END: &str = "</secret>";

/// The secrets of a server; empty if no source was given. Cheap to clone.
#[derive(Clone, Default)]
pub struct Secrets {
    inner: Option<Arc<Inner>>,
}

struct Inner {
    secrets: Vec<Secret>,
    redactor: RwLock<Arc<Redactor>>,
    codes: RwLock<Vec<Code>>,
    hidden_texts: MaskedTexts,
}

struct Secret {
    name: String,
    kind: Kind,
    /// The origins as written in the source, and the parsed patterns.
    origins: Vec<(String, OriginPattern)>,
}

enum Kind {
    Value(String),
    Code(Box<Totp>),
}

/// Returns the one-time code of a seed at a Unix time, and for how many seconds it stays valid. The seed is
/// Base32 or an `otpauth://totp/…` URL.
pub fn totp_code(seed: &str, seconds: u64) -> Option<(String, u64)> {
    let totp = Totp::read(seed)?;
    Some((totp.at(seconds), totp.left(seconds)))
}

/// A one-time code that was generated, and is redacted for a while.
struct Code {
    name: String,
    text: String,
    made: Instant,
}

impl fmt::Debug for Secrets {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Secrets").field("names", &self.names()).finish_non_exhaustive()
    }
}

impl Secrets {
    fn new(secrets: Vec<Secret>) -> Self {
        let inner = Inner {
            secrets,
            redactor: RwLock::default(),
            codes: RwLock::default(),
            hidden_texts: MaskedTexts::default(),
        };
        inner.prepare();
        Self { inner: Some(Arc::new(inner)) }
    }

    pub fn is_empty(&self) -> bool {
        self.inner.is_none()
    }

    /// Returns the texts to hide in screenshots, shared with this object.
    pub fn hidden_texts(&self) -> MaskedTexts {
        self.inner.as_ref().map(|inner| inner.hidden_texts.clone()).unwrap_or_default()
    }

    fn all(&self) -> &[Secret] {
        self.inner.as_ref().map_or(&[], |inner| &inner.secrets)
    }

    fn names(&self) -> Vec<&str> {
        self.all().iter().map(|secret| secret.name.as_str()).collect()
    }

    /// Returns the names of the secrets with their origins, to be shown to the model.
    pub fn describe_names(&self) -> String {
        let line = |secret: &Secret| {
            let origins: Vec<_> = secret.origins.iter().map(|(text, _)| text.as_str()).collect();
            let what = if matches!(secret.kind, Kind::Code(_)) { "one-time code, " } else { "" };
            format!("{} ({what}{})", secret.name, origins.join(" "))
        };
        self.all().iter().map(line).collect::<Vec<_>>().join(", ")
    }

    /// Returns the text to type into an element, with the names of secrets replaced by their values.
    ///
    /// # Errors
    /// `unknown_secret`; `secret_refused` if it is not bound to the origin of a document around the element.
    pub async fn expand_secrets<'a>(&self, text: &'a str, element: &ElementHandle) -> Result<Cow<'a, str>> {
        if self.is_empty() || !text.contains(BEGIN) {
            return Ok(Cow::Borrowed(text));
        }
        let mut origins = None;
        let (mut typed, mut rest) = (String::new(), text);
        while let Some((before, named)) = rest.split_once(BEGIN) {
            let Some((name, after)) = named.split_once(END) else { break };
            let secret = self.named(name)?;
            let around = match &origins {
                Some(known) => known,
                None => origins.insert(element.origins().await?),
            };
            secret.check(around)?;
            typed.push_str(before);
            typed.push_str(&self.value(secret));
            rest = after;
        }
        typed.push_str(rest);
        Ok(Cow::Owned(typed))
    }

    fn named(&self, name: &str) -> Result<&Secret> {
        let known = || self.names().iter().map(|name| (*name).to_owned()).collect();
        let found = self.all().iter().find(|secret| secret.name == name.trim());
        found.ok_or_else(|| Error::UnknownSecret { name: name.trim().to_owned(), known: known() })
    }

    fn value(&self, secret: &Secret) -> String {
        match &secret.kind {
            Kind::Value(value) => value.clone(),
            Kind::Code(totp) => {
                let text = totp.at(unix_time().as_secs());
                if let Some(inner) = &self.inner {
                    inner.remember(&secret.name, &text);
                }
                text
            }
        }
    }

    /// Replaces every known spelling of the secrets in a text by `<secret>NAME</secret>`.
    pub fn redact<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let Some(inner) = &self.inner else { return Cow::Borrowed(text) };
        let redactor = Arc::clone(&inner.redactor.read());
        redactor.redact(text)
    }

    /// Redacts a text in place, as [`Self::redact`] does.
    pub fn redact_text(&self, text: &mut String) {
        if let Cow::Owned(redacted) = self.redact(text) {
            *text = redacted;
        }
    }

    /// Redacts all strings of a JSON value in place, and secrets that are spread over several strings.
    pub fn redact_json(&self, value: &mut Value) {
        if self.is_empty() {
            return;
        }
        self.strike_texts(value);
        let text = value.to_string();
        if let Cow::Owned(redacted) = self.redact(&text) {
            *value = serde_json::from_str(&redacted).unwrap_or(Value::String(redacted));
        }
    }

    fn strike_texts(&self, value: &mut Value) {
        match value {
            Value::String(text) => self.redact_text(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.strike_texts(item)),
            Value::Object(object) => {
                let entries = std::mem::take(object).into_iter().map(|(mut name, mut value)| {
                    self.redact_text(&mut name);
                    self.strike_texts(&mut value);
                    (name, value)
                });
                *object = entries.collect::<Map<_, _>>();
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// Redacts the content of a text file in place. Binary content stays unchanged.
    pub fn redact_file_content(&self, bytes: &mut Vec<u8>) {
        if self.is_empty() {
            return;
        }
        if let Ok(Cow::Owned(redacted)) = std::str::from_utf8(bytes).map(|text| self.redact(text)) {
            *bytes = redacted.into_bytes();
        }
    }
}

impl Inner {
    /// Builds the search index of all values.
    fn prepare(&self) {
        let values = self.secrets.iter().map(|secret| match &secret.kind {
            Kind::Value(value) => (secret.name.as_str(), value.as_str()),
            // The seed of one-time codes is never typed, but a page may display it.
            Kind::Code(totp) => (secret.name.as_str(), totp.seed()),
        });
        let codes = self.codes.read();
        let made = codes.iter().map(|code| (code.name.as_str(), code.text.as_str()));
        let redactor = Redactor::new(values.chain(made));
        self.hidden_texts.set(redactor.patterns(), redactor.literals());
        *self.redactor.write() = Arc::new(redactor);
    }

    fn remember(&self, name: &str, text: &str) {
        let mut codes = self.codes.write();
        let count = codes.len();
        codes.retain(|code| code.made.elapsed() < CODE_LIFE);
        let known = codes.iter_mut().find(|code| code.text == text);
        let changed = known.is_none() || codes.len() < count;
        match codes.iter_mut().find(|code| code.text == text) {
            Some(code) => code.made = Instant::now(),
            None => codes.push(Code { name: name.to_owned(), text: text.to_owned(), made: Instant::now() }),
        }
        drop(codes);
        if changed {
            self.prepare();
        }
    }
}

impl Secret {
    /// Returns an error unless the secret may be typed. `around`: the origins of the field's document and of
    /// the documents that embed it, innermost first.
    fn check(&self, around: &[String]) -> Result<()> {
        let is_bound = |origin: &String| self.origins.iter().any(|(_, pattern)| pattern.covers(origin));
        let Some(other) = around.iter().find(|origin| !is_bound(origin)) else { return Ok(()) };
        let whose = match around.first() == Some(other) {
            true => "this field belongs to",
            false => "the frame of this field stands in a page of",
        };
        let other = if other == "null" { "no origin at all" } else { other };
        Err(Error::SecretRefused { name: self.name.clone(), reason: format!("{whose} {other}") })
    }
}
