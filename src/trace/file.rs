//! A trace file and the pieces of content that the viewer requests.
use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};

use aws_lc_rs::digest::{SHA1_FOR_LEGACY_USE_ONLY, digest};
use parking_lot::Mutex;
use serde_json::{Value, json};
use thiserror::Error;
use url::Url;
use zip::ZipArchive;

use super::document::{self, SnapshotQuery};
use super::events::{Call, Recorded, SnapshotPhase, file_of};
use crate::hex::hex;

/// The maximum size of an event file in bytes.
const MOST_EVENTS: u64 = 2 << 30;
/// The maximum size of any other file in bytes.
const LARGEST_FILE: u64 = 256 << 20;
/// The maximum number of bytes of a body that the viewer displays as text.
const LONGEST_TEXT: usize = 512 << 10;
/// The oldest supported format version: the first with `before` and `after` events for each call.
const OLDEST: u64 = 4;

/// Why a trace cannot be opened.
#[derive(Debug, Error)]
pub enum TraceError {
    #[error("{} cannot be read: {reason}", path.display())]
    Unreadable { path: PathBuf, reason: String },
    #[error(
        "{} is not a trace: no file in it ends in .trace. Pass the ZIP file that tracing.stop or --tracing wrote",
        path.display()
    )]
    NoTrace { path: PathBuf },
    #[error(
        "{} has version {version} of the format; versions 4 and later can be shown. Open it with the Playwright that wrote it",
        path.display()
    )]
    TooOld { path: PathBuf, version: u64 },
}

/// An opened trace file.
#[derive(Debug)]
pub struct Trace {
    archive: Mutex<ZipArchive<BufReader<File>>>,
    recorded: Recorded,
}

/// An image or style sheet of a trace.
#[derive(Debug)]
pub struct Resource {
    pub mime: String,
    pub content: Vec<u8>,
}

impl Trace {
    /// Opens a trace file and reads all its events.
    pub fn open(path: &Path) -> Result<Self, TraceError> {
        let unreadable = |reason: String| TraceError::Unreadable { path: path.to_owned(), reason };
        let file = File::open(path).map_err(|error| unreadable(error.to_string()))?;
        let mut archive =
            ZipArchive::new(BufReader::new(file)).map_err(|error| unreadable(error.to_string()))?;
        let mut names: Vec<_> = archive.file_names().map(str::to_owned).collect();
        names.sort_unstable();
        let mut recorded = Recorded::default();
        let parts: Vec<_> = names.iter().filter_map(|name| name.strip_suffix(".trace")).collect();
        if parts.is_empty() {
            return Err(TraceError::NoTrace { path: path.to_owned() });
        }
        for part in parts {
            for file in [format!("{part}.trace"), format!("{part}.network")] {
                read_lines(&mut archive, &file, |line| recorded.take(part, line)).map_err(unreadable)?;
            }
            if let Some(stacks) = read(&mut archive, &format!("{part}.stacks")) {
                recorded.take_stacks(part, &String::from_utf8_lossy(&stacks));
            }
        }
        match recorded.header.get("version").and_then(Value::as_u64) {
            Some(version) if version < OLDEST => Err(TraceError::TooOld { path: path.to_owned(), version }),
            _ => Ok(Self { archive: Mutex::new(archive), recorded }),
        }
    }

    /// Returns everything that the viewer lists. Omits arguments, documents and bodies.
    pub fn overview(&self) -> Value {
        let recorded = &self.recorded;
        let pictures = recorded.pictures.iter().map(|picture| {
            json!({ "time": picture["timestamp"], "width": picture["width"], "height": picture["height"], "page": picture["pageId"] })
        });
        json!({
            "header": recorded.header,
            "calls": recorded.calls.iter().map(|call| self.listed(call)).collect::<Vec<_>>(),
            "pictures": pictures.collect::<Vec<_>>(),
            "console": recorded.console,
            "requests": recorded.requests.iter().map(listed_request).collect::<Vec<_>>(),
        })
    }

    fn listed(&self, call: &Call) -> Value {
        let (before, after) = (&call.before, &call.after);
        let part = call.id.split('/').next().unwrap_or_default();
        let parent = before.get("parentId").and_then(Value::as_str).map(|parent| format!("{part}/{parent}"));
        let selector =
            before.get("params").and_then(|params| params.get("selector").or_else(|| params.get("url")));
        let phases = [SnapshotPhase::Before, SnapshotPhase::Action, SnapshotPhase::After];
        let phases = phases.into_iter().filter(|phase| document::is_there(&self.recorded, &call.id, *phase));
        let phases: Vec<&str> = phases.map(Into::into).collect();
        json!({
            "id": call.id, "parent": parent, "title": before.get("title"), "name": before.get("apiName"),
            "class": before.get("class"), "method": before.get("method"), "about": selector,
            "start": before.get("startTime"), "end": after.get("endTime"), "page": before.get("pageId"),
            "error": after.get("error").is_some(), "phases": phases,
        })
    }

    /// Returns a call's arguments, result, error, log, and call stack in the script.
    pub fn call(&self, id: &str) -> Option<Value> {
        let call = self.recorded.find(id)?;
        let viewport =
            self.recorded.mains.get(id).and_then(|mains| self.recorded.snapshots.get(*mains.first()?));
        Some(json!({
            "params": call.before.get("params"), "stack": call.before.get("stack"), "log": call.log,
            "result": call.after.get("result"), "error": call.after.get("error"), "point": call.after.get("point"),
            "viewport": viewport.map(|snapshot| &snapshot.viewport),
        }))
    }

    /// Returns a request and its response as a HAR entry, and both bodies as text.
    pub fn request(&self, index: usize) -> Option<Value> {
        let entry = self.recorded.requests.get(index)?;
        let posted = &entry["request"]["postData"];
        let posted = match posted["text"].as_str().filter(|text| !text.is_empty()) {
            Some(text) => Some(json!({ "text": text })),
            None => self.body(posted),
        };
        Some(
            json!({ "entry": entry, "posted": posted, "received": self.body(&entry["response"]["content"]) }),
        )
    }

    fn body(&self, part: &Value) -> Option<Value> {
        let content = self.file(&file_of(part, "_file", "_sha1")?)?;
        let bytes = content.len();
        Some(match String::from_utf8(content) {
            Ok(text) => {
                let shown = text.get(..text.floor_char_boundary(LONGEST_TEXT)).unwrap_or_default();
                json!({ "text": shown, "bytes": bytes, "isCut": shown.len() < text.len() })
            }
            Err(_) => json!({ "bytes": bytes }),
        })
    }

    /// Returns a source file of the test script, stored under a digest of its path, if the trace has it.
    pub fn source_file(&self, path: &str) -> Option<String> {
        let digest = hex(digest(&SHA1_FOR_LEGACY_USE_ONLY, path.as_bytes()).as_ref());
        let extension = Path::new(path).extension().and_then(|end| end.to_str()).unwrap_or_default();
        let names = [format!("resources/src@{digest}.txt"), format!("src/{digest}.{extension}")];
        let content = names.iter().find_map(|name| self.file(name))?;
        Some(String::from_utf8_lossy(&content).into_owned())
    }

    /// Returns a screencast frame, by its index in the overview.
    pub fn screencast_frame(&self, index: usize) -> Option<Resource> {
        let content = self.file(&file_of(self.recorded.pictures.get(index)?, "file", "sha1")?)?;
        let mime = if content.starts_with(b"\x89PNG") { "image/png" } else { "image/jpeg" };
        Some(Resource { mime: mime.to_owned(), content })
    }

    /// Returns a document as HTML without scripts.
    pub fn document(&self, query: &SnapshotQuery<'_>) -> Option<String> {
        document::write(&self.recorded, query)
    }

    /// Returns an image or style sheet that a document loads, as of snapshot `at`. `None` for other types.
    pub fn resource(&self, at: usize, url: &str) -> Option<Resource> {
        let snapshot = self.recorded.snapshots.get(at)?;
        let entry = self.answered(url, snapshot.timestamp);
        let mime = entry.and_then(|entry| entry["response"]["content"]["mimeType"].as_str());
        let mime = mime.map(|mime| mime.split(';').next().unwrap_or_default().trim().to_ascii_lowercase());
        let replaced = self.replaced(at, url);
        let mime = mime.or_else(|| replaced.is_some().then(|| "text/css".to_owned()))?;
        let file = replaced.or_else(|| file_of(&entry?["response"]["content"], "_file", "_sha1"))?;
        let content = self.file(&file)?;
        if mime == "text/css" {
            let base = Url::parse(url).ok();
            let css = String::from_utf8_lossy(&content);
            let css = document::rewrite_css(&css, |address| document::resource(at, base.as_ref(), address));
            return Some(Resource { mime, content: css.into_bytes() });
        }
        mime.starts_with("image/").then_some(Resource { mime, content })
    }

    /// Returns the last response from a URL before a moment, or else the first one after it.
    fn answered(&self, url: &str, moment: f64) -> Option<&Value> {
        let is_about = |entry: &&Value| {
            let asked = entry["request"]["url"].as_str().unwrap_or_default();
            asked.split('#').next() == Some(url) && entry["response"]["content"]["mimeType"].is_string()
        };
        let before = |entry: &&Value| entry["_monotonicTime"].as_f64().is_none_or(|time| time <= moment);
        let all = || self.recorded.requests.iter().filter(is_about);
        all().rfind(|entry| before(entry)).or_else(|| all().next())
    }

    /// Returns the archive path of a style sheet's content as changed by scripts; `None` if unchanged.
    fn replaced(&self, at: usize, url: &str) -> Option<String> {
        let frame = self.recorded.frames.get(&self.recorded.snapshots[at].frame_id)?;
        let mut at = frame.iter().position(|index| *index == at)?;
        loop {
            let overrides = &self.recorded.snapshots[frame[at]].resource_overrides;
            let found = overrides.iter().find(|one| one.url == url)?;
            match found.back {
                Some(back) if back > 0 => at = at.checked_sub(back)?,
                _ => {
                    return found
                        .file
                        .clone()
                        .or_else(|| found.sha1.as_ref().map(|sha1| format!("resources/{sha1}")));
                }
            }
        }
    }

    fn file(&self, name: &str) -> Option<Vec<u8>> {
        read(&mut self.archive.lock(), name)
    }
}

fn listed_request(entry: &Value) -> Value {
    let (request, response) = (&entry["request"], &entry["response"]);
    json!({
        "method": request["method"], "url": request["url"], "status": response["status"],
        "mime": response["content"]["mimeType"], "size": response["content"]["size"], "kind": entry["_resourceType"],
        "started": entry["startedDateTime"], "monotonic": entry["_monotonicTime"], "took": entry["time"],
        "failure": response["_failureText"],
    })
}

fn read(archive: &mut ZipArchive<BufReader<File>>, name: &str) -> Option<Vec<u8>> {
    let mut content = Vec::new();
    archive.by_name(name).ok()?.take(LARGEST_FILE).read_to_end(&mut content).ok()?;
    Some(content)
}

/// Calls `take` with each line of a file. A missing file has no lines.
fn read_lines(
    archive: &mut ZipArchive<BufReader<File>>,
    name: &str,
    mut take: impl FnMut(&str),
) -> Result<(), String> {
    let Ok(file) = archive.by_name(name) else { return Ok(()) };
    if file.size() > MOST_EVENTS {
        return Err(format!("{name} has {} bytes", file.size()));
    }
    for line in BufReader::new(file.take(MOST_EVENTS)).split(b'\n') {
        let line = line.map_err(|error| error.to_string())?;
        take(&String::from_utf8_lossy(&line));
    }
    Ok(())
}
