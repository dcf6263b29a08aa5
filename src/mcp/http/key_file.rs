//! Named API keys in a TOML file, which is read again when it changes.
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs::{self, Metadata};
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use clap::ValueEnum as _;
use parking_lot::Mutex;
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer};
use toml::value::Datetime;

use super::owner::{Fingerprint, Owner, fingerprint, folder_of, is_same};
use crate::browser::iso_timestamp;
use crate::browser::policy::OriginPattern;
use crate::hex::hex;
use crate::mcp::arguments::closest_name;
use crate::mcp::grant::OwnerPermissions;
use crate::mcp::tool::{AnyTool, Capability, Registry, Toolset};
use crate::mcp::tools;
use crate::sync::unix_time;

/// The API keys of a file.
#[derive(Debug)]
pub struct KeyFile {
    path: PathBuf,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    keys: Vec<NamedKey>,
    /// The version of the file that was read last, whether it was valid or not.
    version: Option<Version>,
    /// The grants of keys that were valid at the last check, by the folder of the key's owner.
    served: HashMap<Arc<str>, Arc<OwnerPermissions>>,
}

/// Identifies a version of the file: modification time, length and inode.
type Version = (SystemTime, u64, u64);

/// A key of the file, stored as a digest.
#[derive(Debug, Clone)]
pub struct NamedKey {
    owner: Owner,
    digest: Fingerprint,
    expires: Option<Expiry>,
}

impl NamedKey {
    /// Returns the name of the key.
    pub fn name(&self) -> &str {
        &self.owner.name
    }

    /// Describes until when the key is valid, such as `expires 2027-01-31`.
    pub fn validity(&self) -> String {
        match &self.expires {
            None => "does not expire".to_owned(),
            Some(expiry) if expiry.is_over() => format!("expired {}", expiry.0),
            Some(expiry) => format!("expires {}", expiry.0),
        }
    }

    fn is_valid(&self) -> bool {
        !self.expires.as_ref().is_some_and(Expiry::is_over)
    }
}

impl KeyFile {
    /// Reads a key file.
    ///
    /// # Errors Returns a message, with the line, if the file is invalid.
    pub fn open(path: &Path) -> Result<Self, String> {
        let file = Self { path: path.to_owned(), state: Mutex::default() };
        file.state.lock().read(path)?;
        file.take_revoked_folders();
        Ok(file)
    }

    /// Returns the owner of a key. Compares with every key in constant time, so the duration reveals nothing.
    pub(super) fn owner_of(&self, key: &[u8]) -> Option<Owner> {
        let mut state = self.state.lock();
        state.refresh(&self.path);
        let (given, valid) = (fingerprint(key), state.keys.iter().filter(|key| key.is_valid()));
        let found = valid.filter(|known| is_same(&known.digest, &given)).collect::<Vec<_>>();
        found.first().map(|key| key.owner.clone())
    }

    pub(super) fn count(&self) -> usize {
        self.state.lock().keys.len()
    }

    /// Returns the folders of owners whose key became invalid or got other permissions since the last call.
    pub(super) fn take_revoked_folders(&self) -> Vec<Arc<str>> {
        let mut state = self.state.lock();
        state.refresh(&self.path);
        let valid = state.keys.iter().filter(|key| key.is_valid());
        let serves = |key: &NamedKey| Some((key.owner.folder.clone()?, Arc::clone(&key.owner.grant)));
        let serving = valid.filter_map(serves).collect();
        let before = std::mem::replace(&mut state.served, serving);
        let ended = before.into_iter().filter(|(folder, grant)| state.served.get(folder) != Some(grant));
        ended.map(|(folder, _)| folder).collect()
    }
}

impl State {
    /// Reads the file again if it has changed. If the new version is invalid, keeps the keys of the last one.
    fn refresh(&mut self, path: &Path) {
        let version = fs::metadata(path).ok().map(|metadata| version(&metadata));
        if version == self.version {
            return;
        }
        match self.read(path) {
            Ok(()) => tracing::info!(keys = self.keys.len(), "the file of keys was read again"),
            Err(reason) => {
                tracing::error!("--keys: {reason}; the keys stay as they were before the file changed");
                self.version = version;
            }
        }
    }

    fn read(&mut self, path: &Path) -> Result<(), String> {
        let shown = path.display();
        let failed = |error: std::io::Error| format!("{shown}: {error}");
        // Taken before the file is read: a change during the read leads to another read.
        let version = version(&fs::metadata(path).map_err(failed)?);
        let text = fs::read_to_string(path).map_err(failed)?;
        self.keys = parse(&text).map_err(|reason| format!("{shown}: {reason}"))?;
        self.version = Some(version);
        Ok(())
    }
}

fn version(metadata: &Metadata) -> Version {
    #[cfg(unix)]
    let number = std::os::unix::fs::MetadataExt::ino(metadata);
    #[cfg(not(unix))]
    let number = 0;
    (metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH), metadata.len(), number)
}

/// Parses the text of a key file.
///
/// # Errors Returns a message, with the line, if the text is invalid.
pub fn parse(text: &str) -> Result<Vec<NamedKey>, String> {
    let entries: BTreeMap<Word<Name>, Entry> = read_toml(text)?;
    let mut keys = Vec::<NamedKey>::new();
    for (Word(name), entry) in entries {
        let digest = entry.sha256.0;
        if let Some(known) = keys.iter().find(|known| known.digest == digest) {
            let at = text.to_ascii_lowercase().rfind(&hex(&digest)).unwrap_or_default();
            return Err(at_line(text, at, &format!("{} and {} are the same key", known.name(), name.0)));
        }
        let expires = entry.expires.as_ref().map(|expires| expires.0.clone());
        let folder = Some(folder_of(&digest).into());
        let owner = Owner { name: name.0.into(), folder, grant: Arc::new(entry.grant()) };
        keys.push(NamedKey { owner, digest, expires });
    }
    Ok(keys)
}

/// Parses TOML. Error messages contain the line.
pub(super) fn read_toml<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    toml::from_str(text)
        .map_err(|error| at_line(text, error.span().map_or(0, |span| span.start), error.message()))
}

fn at_line(text: &str, at: usize, reason: &str) -> String {
    format!("{} at line {}", reason.replace('\n', " "), text[..at].matches('\n').count() + 1)
}

/// Returns the SHA-256 digest of a key in hexadecimal, as in the file.
pub fn digest_of(key: &str) -> String {
    hex(&fingerprint(key.as_bytes()))
}

/// The TOML table of one key.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Entry {
    sha256: Word<Fingerprint>,
    expires: Option<Moment>,
    toolsets: Option<BTreeSet<Word<Toolset>>>,
    caps: Option<BTreeSet<Word<Capability>>>,
    tools: Option<Vec<Word<&'static AnyTool>>>,
    #[serde(default)]
    allowed_origins: Vec<Word<OriginPattern>>,
    calls_per_minute: Option<NonZeroU32>,
    max_sessions: Option<NonZeroUsize>,
}

impl Entry {
    fn grant(self) -> OwnerPermissions {
        let tools = ToolLists { toolsets: self.toolsets, caps: self.caps, tools: self.tools };
        OwnerPermissions {
            tools: tools.names(),
            origins: self.allowed_origins.into_iter().map(|Word(origin)| origin).collect(),
            calls_per_minute: self.calls_per_minute,
            max_sessions: self.max_sessions,
        }
    }
}

/// Lists that restrict which tools may be used, in the table of a key or scope.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ToolLists {
    toolsets: Option<BTreeSet<Word<Toolset>>>,
    caps: Option<BTreeSet<Word<Capability>>>,
    tools: Option<Vec<Word<&'static AnyTool>>>,
}

impl ToolLists {
    /// Returns the tools that are in every given list; `None` (all tools) if no list is given.
    pub(super) fn names(&self) -> Option<BTreeSet<&'static str>> {
        if self.toolsets.is_none() && self.caps.is_none() && self.tools.is_none() {
            return None;
        }
        let toolsets = match &self.toolsets {
            Some(toolsets) => toolsets.iter().map(|Word(toolset)| *toolset).collect(),
            None => Toolset::value_variants().iter().copied().collect(),
        };
        let caps = match &self.caps {
            Some(caps) => Capability::expand(caps.iter().map(|Word(cap)| *cap)),
            None => Capability::value_variants().iter().copied().collect(),
        };
        let registry = Registry::new(every_tool(), &caps, &toolsets);
        let listed = |name: &str| {
            self.tools.as_ref().is_none_or(|tools| tools.iter().any(|Word(tool)| tool.name == name))
        };
        Some(registry.tools().iter().map(|tool| tool.name).filter(|name| listed(name)).collect())
    }
}

pub(super) fn every_tool() -> impl Iterator<Item = &'static AnyTool> {
    tools::ALL_TOOLS.iter().chain(&tools::claude::CLAUDE_TOOLS)
}

/// A value that is parsed from a string in the file.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Word<T>(T);

trait FromWord: Sized {
    fn from_word(text: &str) -> Result<Self, String>;
}

impl<'de, T: FromWord> Deserialize<'de> for Word<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        T::from_word(&text).map(Self).map_err(D::Error::custom)
    }
}

/// The name of a key.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Name(String);

impl FromWord for Name {
    fn from_word(text: &str) -> Result<Self, String> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.@".contains(c);
        match (1..=64).contains(&text.len()) && text.chars().all(is_plain) {
            true => Ok(Self(text.to_owned())),
            false => Err("a name has 1 to 64 letters, digits and - _ . @".to_owned()),
        }
    }
}

impl FromWord for Fingerprint {
    fn from_word(text: &str) -> Result<Self, String> {
        // A wrong value may be the key itself, so the message must not repeat it.
        let wrong = || "sha256 has 64 hexadecimal digits; add keys with patchright-mcp keys add".to_owned();
        if text.len() != 64 || !text.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return Err(wrong());
        }
        let mut digest = [0; 32];
        for (byte, at) in digest.iter_mut().zip((0..).step_by(2)) {
            *byte = u8::from_str_radix(&text[at..at + 2], 16).map_err(|_| wrong())?;
        }
        Ok(digest)
    }
}

impl FromWord for OriginPattern {
    fn from_word(text: &str) -> Result<Self, String> {
        text.parse()
    }
}

impl FromWord for Toolset {
    fn from_word(text: &str) -> Result<Self, String> {
        Self::from_str(text, true).map_err(|_| unknown("toolset", text, names::<Self>()))
    }
}

impl FromWord for Capability {
    fn from_word(text: &str) -> Result<Self, String> {
        Self::from_str(text, true).map_err(|_| unknown("capability", text, names::<Self>()))
    }
}

impl FromWord for &'static AnyTool {
    fn from_word(text: &str) -> Result<Self, String> {
        let names = || every_tool().map(|tool| tool.name.to_owned()).collect();
        every_tool().find(|tool| tool.name == text).ok_or_else(|| unknown("tool", text, names()))
    }
}

fn names<T: clap::ValueEnum>() -> Vec<String> {
    let values = T::value_variants().iter().filter_map(T::to_possible_value);
    values.map(|value| value.get_name().to_owned()).collect()
}

fn unknown(what: &str, text: &str, known: Vec<String>) -> String {
    let near = closest_name(text, known.iter().map(String::as_str));
    let advice = near.map(|near| format!("; did you mean {near}?")).unwrap_or_default();
    format!("there is no {what} {text:?}{advice}")
}

/// A date or time in UTC, as written in TOML.
#[derive(Debug)]
struct Moment(Expiry);

impl<'de> Deserialize<'de> for Moment {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let at = Datetime::deserialize(deserializer)?;
        let is_utc = at.offset.is_none_or(|offset| offset == toml::value::Offset::Z);
        if at.date.is_none() || !is_utc {
            return Err(D::Error::custom("write a date, or a time in UTC such as 2027-06-30T12:00:00Z"));
        }
        Ok(Self(Expiry(at.to_string())))
    }
}

/// When a key expires: a date or a time in UTC, as in RFC 3339. A date means its first moment.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Expiry(String);

impl Expiry {
    /// Whether the key has expired. Compares texts: ISO 8601 times in UTC sort chronologically.
    fn is_over(&self) -> bool {
        *iso_timestamp(unix_time()) >= *self.0.trim_end_matches('Z').replace(' ', "T")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIGEST: &str = "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed";

    fn problem(text: &str) -> String {
        parse(&text.replace("DIGEST", DIGEST)).unwrap_err()
    }

    #[test]
    fn a_mistake_is_reported_with_its_line() {
        for (text, expected) in [
            (
                "\n\n[alice]\nsha256 = 'secret'",
                "64 hexadecimal digits; add keys with patchright-mcp keys add at line 4",
            ),
            ("[alice]\n\n[bob]\nsha256 = 'DIGEST'", "sha256"),
            (
                "[alice]\nsha256 = 'DIGEST'\ntoolsets = [\n'browsr']",
                "no toolset \"browsr\"; did you mean browser? at line 3",
            ),
            (
                "[alice]\nsha256 = 'DIGEST'\ncaps = ['pfd']",
                "no capability \"pfd\"; did you mean pdf? at line 3",
            ),
            ("[alice]\nsha256 = 'DIGEST'\ntools = ['browser_clik']", "did you mean browser_click? at line 3"),
            ("[alice]\nsha256 = 'DIGEST'\nallowed-origins = ['ftp://x']", "is not an origin"),
            ("[alice]\nsha256 = 'DIGEST'\nexpires = 12:00:00", "write a date"),
            ("[alice]\nsha256 = 'DIGEST'\nexpires = 2027-01-01T00:00:00+02:00", "write a date"),
            ("[alice]\nsha256 = 'DIGEST'\ncalls-per-minute = 0", "at line 3"),
            ("[alice]\nsha256 = 'DIGEST'\nrate = 5", "unknown field `rate`"),
            ("['a b']\nsha256 = 'DIGEST'", "a name has 1 to 64"),
            (
                "[alice]\nsha256 = 'DIGEST'\n[bob]\nsha256 = 'DIGEST'",
                "alice and bob are the same key at line 4",
            ),
            ("[alice]\nsha256 = 'DIGEST'\n[alice]", "duplicate key at line 3"),
        ] {
            let problem = problem(text);
            assert!(problem.contains(expected), "{problem}");
            assert!(!problem.contains("secret"), "{problem}");
        }
    }

    #[test]
    fn a_key_may_use_what_every_list_of_its_own_names() {
        let granted = |text: &str| {
            let keys = parse(&format!("[alice]\nsha256 = '{DIGEST}'\n{text}")).unwrap();
            OwnerPermissions::clone(&keys[0].owner.grant)
        };
        assert_eq!(granted(""), OwnerPermissions::default());
        let pdf = granted("toolsets = ['browser']\ncaps = ['pdf']");
        assert!(pdf.permits("browser_pdf_save") && pdf.permits("browser_click"));
        assert!(!pdf.permits("browser_cookies") && !pdf.permits("patchright_fetch"));
        let one = granted("caps = []\ntools = ['browser_click', 'browser_pdf_save']");
        assert!(one.permits("browser_click") && !one.permits("browser_pdf_save"));
        assert!(!granted("tools = []").permits("browser_click"));
        let code = granted("caps = ['all']");
        assert!(code.permits("browser_cookies") && !code.permits("browser_run_python"));
    }

    #[test]
    fn a_key_expires_at_the_time_that_it_names() {
        for (expires, is_over) in [
            ("2026-01-01", true),
            ("2026-01-01T00:00:00Z", true),
            ("2026-01-01 00:00:00", true),
            ("9000-01-01", false),
            ("9000-01-01T00:00:00.5Z", false),
        ] {
            let keys = parse(&format!("[alice]\nsha256 = '{DIGEST}'\nexpires = {expires}")).unwrap();
            assert_eq!(keys[0].is_valid(), !is_over, "{expires}");
        }
    }
}
