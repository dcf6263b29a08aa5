//! HAR files. A file is read and validated completely before it answers the first request.
use std::collections::HashMap;
use std::fmt::Display;
use std::fs;
use std::io::{Cursor, Read as _};
use std::path::{Path, PathBuf, absolute};

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use serde::{Deserialize, Deserializer};
use url::Url;
use zip::ZipArchive;

use crate::error::{Error, Result};

/// The maximum size of an unpacked archive, in bytes.
const MOST_UNPACKED: u64 = 1 << 30;
const MOST_REDIRECTS: usize = 20;
/// Response headers to drop, because the archive stores bodies uncompressed.
const PACKED: [&str; 3] = ["content-encoding", "content-length", "transfer-encoding"];
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// The requests and responses of a HAR file.
#[derive(Debug)]
pub struct HarArchive {
    path: PathBuf,
    entries: Vec<Entry>,
    /// The body files in a ZIP archive, by name; `None` if bodies are in separate files on disk.
    files: Option<HashMap<String, Vec<u8>>>,
}

/// The request to find in an archive.
#[derive(Debug, Clone, Copy)]
pub struct HarQuery<'a> {
    pub url: &'a str,
    pub method: &'a str,
    /// The request headers, with lower-case names.
    pub headers: &'a HashMap<String, String>,
    pub body: Option<&'a [u8]>,
    /// Whether to follow redirects within the archive.
    pub follows: bool,
}

/// The recorded outcome of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HarMatch {
    Answer {
        status: u16,
        headers: Vec<(String, String)>,
        body: Vec<u8>,
    },
    /// The recorded request failed, without a response.
    Failure,
}

#[derive(Debug)]
struct Entry {
    url: String,
    method: String,
    asked: HashMap<String, String>,
    sent: Option<Stored>,
    /// The response status; `None` without a response.
    status: Option<u16>,
    headers: Vec<(String, String)>,
    /// The target URL of a redirect; empty for any other response.
    target: String,
    content: Stored,
}

/// The location of a stored body.
#[derive(Debug)]
enum Stored {
    Here(Vec<u8>),
    /// In a file with this name, next to the archive or inside the ZIP file.
    Beside(String),
}

impl HarArchive {
    /// Reads a HAR file, or a ZIP file with a HAR file and bodies. `Error::File` if unreadable or invalid.
    pub fn open(path: &Path) -> Result<Self> {
        let bytes = fs::read(path).map_err(|error| unusable(path, error))?;
        Self::read(path, bytes)
    }

    fn read(path: &Path, bytes: Vec<u8>) -> Result<Self> {
        let no_archive =
            |reason: String| unusable(path, format!("this is not an HTTP archive (HAR): {reason}"));
        let (text, files) = match bytes.starts_with(b"PK") {
            true => {
                unpacked(bytes, MOST_UNPACKED).map(|(text, files)| (text, Some(files))).map_err(no_archive)?
            }
            false => (bytes, None),
        };
        let parsed: RawArchive =
            serde_json::from_slice(&text).map_err(|error| no_archive(error.to_string()))?;
        let entries: Result<Vec<_>, _> = parsed.log.entries.into_iter().map(Entry::new).collect();
        Ok(Self { path: path.to_owned(), entries: entries.map_err(no_archive)?, files })
    }

    /// Returns the recorded outcome of a request; `None` if the archive does not contain the request. Returns
    /// `Error::File` if the file of a body cannot be read.
    pub fn look_up(&self, asked: &HarQuery) -> Result<Option<HarMatch>> {
        let found = match self.find(asked)? {
            Some(entry) if asked.follows => self.followed(entry, asked)?,
            found => found,
        };
        found.map(|entry| self.archived(entry)).transpose()
    }

    fn archived(&self, entry: &Entry) -> Result<HarMatch> {
        let Some(status) = entry.status else { return Ok(HarMatch::Failure) };
        let is_kept = |(name, _): &&(String, String)| !PACKED.contains(&&*name.to_ascii_lowercase());
        let headers = entry.headers.iter().filter(is_kept).cloned().collect();
        Ok(HarMatch::Answer { status, headers, body: self.body(&entry.content)? })
    }

    /// Finds the entry for a request. Of several, takes the first with the most equal request headers.
    fn find(&self, asked: &HarQuery) -> Result<Option<&Entry>> {
        let mut best: Option<(usize, &Entry)> = None;
        for entry in &self.entries {
            let likeness =
                || asked.headers.iter().filter(|(name, value)| entry.asked.get(*name) == Some(value));
            if (&*entry.url, &*entry.method) == (asked.url, asked.method)
                && self.sent_the_same(entry, asked)?
            {
                let likeness = likeness().count();
                if best.is_none_or(|(most, _)| likeness > most) {
                    best = Some((likeness, entry));
                }
            }
        }
        Ok(best.map(|(_, entry)| entry))
    }

    fn sent_the_same(&self, entry: &Entry, asked: &HarQuery) -> Result<bool> {
        match (asked.method, asked.body, &entry.sent) {
            ("POST", Some(body), Some(sent)) => Ok(self.body(sent)? == body),
            _ => Ok(true),
        }
    }

    /// Returns the entry at the end of a redirect chain; `None` if the chain leaves the archive.
    fn followed<'a>(&'a self, first: &'a Entry, asked: &HarQuery) -> Result<Option<&'a Entry>> {
        let (mut entry, mut method) = (first, asked.method);
        for _ in 0..MOST_REDIRECTS {
            match entry.status {
                _ if entry.target.is_empty() => return Ok(Some(entry)),
                Some(303) => method = "GET",
                Some(301 | 302) if method == "POST" => method = "GET",
                Some(301 | 302 | 307 | 308) => {}
                _ => return Ok(Some(entry)),
            }
            let target = Url::parse(&entry.url).and_then(|url| url.join(&entry.target));
            let Ok(target) = target else { return Ok(None) };
            let next = HarQuery { url: target.as_str(), method, body: None, ..*asked };
            match self.find(&next)? {
                Some(next) => entry = next,
                None => return Ok(None),
            }
        }
        Ok(Some(entry))
    }

    fn body(&self, stored: &Stored) -> Result<Vec<u8>> {
        match (stored, &self.files) {
            (Stored::Here(bytes), _) => Ok(bytes.clone()),
            (Stored::Beside(name), Some(files)) => Ok(files.get(name).cloned().unwrap_or_default()),
            (Stored::Beside(name), None) => self.beside(name),
        }
    }

    fn beside(&self, name: &str) -> Result<Vec<u8>> {
        let read = || {
            let folder = absolute(&self.path)?.parent().unwrap_or(Path::new("/")).canonicalize()?;
            let path = folder.join(name).canonicalize()?;
            path.starts_with(&folder).then(|| fs::read(path)).transpose()
        };
        let said = match read() {
            Ok(Some(bytes)) => return Ok(bytes),
            Ok(None) => "an archive names only files beside it".to_owned(),
            Err(error) => format!("it cannot be read: {error}"),
        };
        Err(unusable(&self.path, format!("it names {name:?}: {said}")))
    }
}

fn unusable(path: &Path, reason: impl Display) -> Error {
    Error::File { path: path.display().to_string(), reason: reason.to_string() }
}

/// The content of body files, by file name.
type Files = HashMap<String, Vec<u8>>;

/// Unpacks a ZIP file into its HAR file and the body files. Fails above `most` bytes.
fn unpacked(bytes: Vec<u8>, most: u64) -> Result<(Vec<u8>, Files), String> {
    let mut packed = ZipArchive::new(Cursor::new(bytes)).map_err(|error| error.to_string())?;
    let (mut files, mut archive, mut room) = (HashMap::new(), None, most);
    for index in 0..packed.len() {
        let file = packed.by_index(index).map_err(|error| error.to_string())?;
        let (name, mut content) = (file.name().to_owned(), Vec::new());
        let length =
            file.take(room + 1).read_to_end(&mut content).map_err(|error| format!("{name:?}: {error}"))?;
        room = room.checked_sub(length as u64).ok_or("it unpacks to more than may be")?;
        if archive.is_none() && Path::new(&name).extension().is_some_and(|kind| kind == "har") {
            archive = Some(name.clone());
        }
        files.insert(name, content);
    }
    let text = archive.and_then(|name| files.remove(&name));
    Ok((text.ok_or("Specified archive does not have a .har file")?, files))
}

impl Entry {
    fn new(raw: RawEntry) -> Result<Self, String> {
        let (request, response) = (raw.request, raw.response);
        let headers: Vec<_> = response.headers.into_iter().map(RawHeader::pair).collect();
        let location = headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("location"));
        let location = location.map(|(_, value)| value.clone()).unwrap_or_default();
        let status = match response.status {
            Some(status) if status > 0 => Some(
                u16::try_from(status)
                    .ok()
                    .filter(|status| (100..600).contains(status))
                    .ok_or(format!("{status} is not an HTTP status"))?,
            ),
            _ => None,
        };
        let small = |(name, value): (String, String)| (name.to_lowercase(), value);
        Ok(Self {
            url: request.url,
            method: request.method,
            asked: request.headers.into_iter().map(RawHeader::pair).map(small).collect(),
            sent: request.post_data.map(Stored::new).transpose()?,
            status,
            headers,
            target: if response.redirect_url.is_empty() { location } else { response.redirect_url },
            content: Stored::new(response.content)?,
        })
    }
}

impl Stored {
    fn new(raw: RawBody) -> Result<Self, String> {
        Ok(match raw {
            RawBody { file: Some(file), .. } => Self::Beside(file),
            RawBody { text, encoding: Some(encoding), .. } if encoding == "base64" => {
                let text: String = text.split_ascii_whitespace().collect();
                Self::Here(BASE64.decode(text).map_err(|error| format!("a body is not Base64: {error}"))?)
            }
            RawBody { text, .. } => Self::Here(text.into_bytes()),
        })
    }
}

#[derive(Deserialize)]
struct RawArchive {
    log: RawLog,
}

#[derive(Deserialize)]
struct RawLog {
    entries: Vec<RawEntry>,
}

#[derive(Deserialize)]
struct RawEntry {
    request: RawRequest,
    response: RawResponse,
}

#[derive(Deserialize)]
struct RawRequest {
    url: String,
    method: String,
    #[serde(default, deserialize_with = "or_none")]
    headers: Vec<RawHeader>,
    #[serde(rename = "postData")]
    post_data: Option<RawBody>,
}

#[derive(Deserialize)]
struct RawResponse {
    status: Option<i64>,
    #[serde(default, deserialize_with = "or_none")]
    headers: Vec<RawHeader>,
    #[serde(rename = "redirectURL", default, deserialize_with = "or_none")]
    redirect_url: String,
    #[serde(default, deserialize_with = "or_none")]
    content: RawBody,
}

#[derive(Deserialize)]
struct RawHeader {
    name: String,
    value: String,
}

impl RawHeader {
    fn pair(self) -> (String, String) {
        (self.name, self.value)
    }
}

#[derive(Deserialize, Default)]
struct RawBody {
    #[serde(default, deserialize_with = "or_none")]
    text: String,
    encoding: Option<String>,
    #[serde(rename = "_file")]
    file: Option<String>,
}

/// Deserializes null as the default value.
fn or_none<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(deserializer: D) -> Result<T, D::Error> {
    Option::deserialize(deserializer).map(Option::unwrap_or_default)
}

/// For fuzzing: parses an archive and looks up all its entries.
#[cfg(any(test, fuzzing))]
pub(crate) fn fuzz(bytes: &[u8]) {
    let nowhere = Path::new("/nowhere/an.har");
    let Ok(archive) = HarArchive::read(nowhere, bytes.to_vec()) else { return };
    for entry in &archive.entries {
        for follows in [false, true] {
            let body = Some(&b"a=1"[..]);
            let asked =
                HarQuery { url: &entry.url, method: &entry.method, headers: &entry.asked, body, follows };
            if let Ok(Some(HarMatch::Answer { status, headers, .. })) = archive.look_up(&asked) {
                assert!((100..600).contains(&status));
                assert!(headers.iter().all(|(name, _)| !name.eq_ignore_ascii_case("content-length")));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(parsed: serde_json::Value) -> Result<HarArchive> {
        HarArchive::read(Path::new("/nowhere/an.har"), parsed.to_string().into_bytes())
    }

    fn asked<'a>(url: &'a str, headers: &'a HashMap<String, String>) -> HarQuery<'a> {
        HarQuery { url, method: "GET", headers, body: None, follows: true }
    }

    fn entry(url: &str, status: i64, text: &str) -> serde_json::Value {
        let response = json!({ "status": status, "headers": [], "content": { "text": text } });
        json!({ "request": { "url": url, "method": "GET", "headers": [] }, "response": response })
    }

    fn body(archive: &HarArchive, asked: &HarQuery) -> Option<Vec<u8>> {
        match archive.look_up(asked).unwrap() {
            Some(HarMatch::Answer { body, .. }) => Some(body),
            _ => None,
        }
    }

    #[test]
    fn of_several_answers_the_first_to_the_most_like_request_is_given() {
        let mut entries = ["one", "two", "three"].map(|text| entry("https://a.example/", 200, text));
        for entry in &mut entries[1..] {
            entry["request"]["headers"] = json!([{ "name": "Accept", "value": "text/html" }]);
        }
        let archive = read(json!({ "log": { "entries": entries } })).unwrap();
        let (none, html) = (HashMap::new(), HashMap::from([("accept".to_owned(), "text/html".to_owned())]));
        assert_eq!(body(&archive, &asked("https://a.example/", &none)), Some(b"one".to_vec()));
        assert_eq!(body(&archive, &asked("https://a.example/", &html)), Some(b"two".to_vec()));
        assert_eq!(body(&archive, &asked("https://b.example/", &html)), None);
    }

    #[test]
    fn redirects_in_a_circle_end() {
        let mut circle = entry("https://a.example/", 302, "around");
        circle["response"]["redirectURL"] = json!("/");
        let archive = read(json!({ "log": { "entries": [circle] } })).unwrap();
        assert_eq!(body(&archive, &asked("https://a.example/", &HashMap::new())), Some(b"around".to_vec()));
    }

    #[test]
    fn half_a_letter_matters_only_where_it_would_be_used() {
        let describe = |place: &str, half: &str| {
            let good = entry("https://a.example/", 200, "text").to_string();
            let text = format!(r#"{{"log":{{"entries":[{}]}}}}"#, good.replacen(place, half, 1));
            HarArchive::read(Path::new("an.har"), text.into_bytes())
        };
        assert!(describe("{", r#"{"comment":"\ud83d","#).is_ok());
        assert!(describe("\"text\":\"text\"", r#""text":"\ud83d""#).is_err());
    }

    #[test]
    fn a_packed_archive_that_unpacks_to_too_much_is_refused() {
        let packed = include_bytes!("../../../fuzz/seeds/archive/packed").to_vec();
        let (text, files) = unpacked(packed.clone(), 10_000).unwrap();
        let length = text.len() as u64;
        assert_eq!(files["beside.txt"], b"beside");
        assert!(unpacked(packed.clone(), length + 6).is_ok());
        assert_eq!(unpacked(packed, length + 5), Err("it unpacks to more than may be".to_owned()));
    }
}
