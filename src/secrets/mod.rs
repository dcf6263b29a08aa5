//! Values that a model may have typed and never sees: known to it by name, bound to origins, struck from all that it reads.
//!
//! What a model writes for one and what it reads in place of one is the same: `<secret>NAME</secret>`.
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::RwLock;
use serde_json::{Map, Value};

use crate::browser::policy::OriginPattern;
use crate::browser::{ElementHandle, Unseen};
use crate::error::{Error, Result};
use crate::sync::unix_time;

use strike::Striker;
use totp::Totp;

mod forms;
mod read;
mod strike;
mod totp;

/// How long a code is struck after it was made: servers take it no longer.
const CODE_LIFE: Duration = Duration::from_secs(300);
const BEGIN: &str = "<secret>";
const END: &str = "</secret>";

/// The secrets of a server. Cheap to clone; none unless read from somewhere.
#[derive(Clone, Default)]
pub struct Secrets {
    inner: Option<Arc<Inner>>,
}

struct Inner {
    secrets: Vec<Secret>,
    striker: RwLock<Arc<Striker>>,
    codes: RwLock<Vec<Code>>,
    unseen: Unseen,
}

struct Secret {
    name: String,
    kind: Kind,
    /// As they were written, and as they are compared.
    origins: Vec<(String, OriginPattern)>,
}

enum Kind {
    Value(String),
    Code(Box<Totp>),
}

/// The one-time code of a seed at a time in seconds since 1970, and for how many seconds it is good. The seed is in base 32,
/// or an `otpauth://totp/…` address.
pub fn one_time_code(seed: &str, seconds: u64) -> Option<(String, u64)> {
    let totp = Totp::read(seed)?;
    Some((totp.at(seconds), totp.left(seconds)))
}

/// A code that was made.
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
            striker: RwLock::default(),
            codes: RwLock::default(),
            unseen: Unseen::default(),
        };
        inner.prepare();
        Self { inner: Some(Arc::new(inner)) }
    }

    pub fn is_empty(&self) -> bool {
        self.inner.is_none()
    }

    /// What no picture shows.
    pub fn unseen(&self) -> Unseen {
        self.inner.as_ref().map(|inner| inner.unseen.clone()).unwrap_or_default()
    }

    fn all(&self) -> &[Secret] {
        self.inner.as_ref().map_or(&[], |inner| &inner.secrets)
    }

    fn names(&self) -> Vec<&str> {
        self.all().iter().map(|secret| secret.name.as_str()).collect()
    }

    /// The names, with what they are for, for a model to read.
    pub fn listed(&self) -> String {
        let line = |secret: &Secret| {
            let origins: Vec<_> = secret.origins.iter().map(|(text, _)| text.as_str()).collect();
            let what = if matches!(secret.kind, Kind::Code(_)) { "one-time code, " } else { "" };
            format!("{} ({what}{})", secret.name, origins.join(" "))
        };
        self.all().iter().map(line).collect::<Vec<_>>().join(", ")
    }

    /// The text to type into an element, with the values of the secrets that it names.
    ///
    /// # Errors
    /// `unknown_secret`; `secret_refused` where the element's document, or one around it, is of another origin.
    pub async fn typed_into<'a>(&self, text: &'a str, element: &ElementHandle) -> Result<Cow<'a, str>> {
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

    /// The text without the secrets that it shows, in whichever of the ways that are known.
    pub fn strike<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let Some(inner) = &self.inner else { return Cow::Borrowed(text) };
        let striker = Arc::clone(&inner.striker.read());
        striker.strike(text)
    }

    /// [`Self::strike`] in place.
    pub fn strike_from(&self, text: &mut String) {
        if let Cow::Owned(struck) = self.strike(text) {
            *text = struck;
        }
    }

    /// [`Self::strike`] in all texts of a JSON value. What is spread over several of them leaves nothing behind.
    pub fn strike_from_json(&self, value: &mut Value) {
        if self.is_empty() {
            return;
        }
        self.strike_texts(value);
        let text = value.to_string();
        if let Cow::Owned(struck) = self.strike(&text) {
            *value = serde_json::from_str(&struck).unwrap_or(Value::String(struck));
        }
    }

    fn strike_texts(&self, value: &mut Value) {
        match value {
            Value::String(text) => self.strike_from(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.strike_texts(item)),
            Value::Object(object) => {
                let entries = std::mem::take(object).into_iter().map(|(mut name, mut value)| {
                    self.strike_from(&mut name);
                    self.strike_texts(&mut value);
                    (name, value)
                });
                *object = entries.collect::<Map<_, _>>();
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// [`Self::strike`] in what is to be a file. What is no text stays as it is.
    pub fn strike_from_file(&self, bytes: &mut Vec<u8>) {
        if self.is_empty() {
            return;
        }
        if let Ok(Cow::Owned(struck)) = std::str::from_utf8(bytes).map(|text| self.strike(text)) {
            *bytes = struck.into_bytes();
        }
    }
}

impl Inner {
    /// Makes ready what finds the values.
    fn prepare(&self) {
        let values = self.secrets.iter().map(|secret| match &secret.kind {
            Kind::Value(value) => (secret.name.as_str(), value.as_str()),
            // A seed is never typed, but a page may have shown it.
            Kind::Code(totp) => (secret.name.as_str(), totp.seed()),
        });
        let codes = self.codes.read();
        let made = codes.iter().map(|code| (code.name.as_str(), code.text.as_str()));
        let striker = Striker::new(values.chain(made));
        self.unseen.set(striker.patterns(), striker.literals());
        *self.striker.write() = Arc::new(striker);
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
    /// Whether it may be typed where these documents are, from the inside out.
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
