//! Reads the events of a trace.
use std::collections::HashMap;

use serde::Deserialize;
use serde_json::{Map, Value, json};

/// The moment of a call at which a snapshot was recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::EnumString, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum SnapshotPhase {
    Before,
    Action,
    After,
}

impl SnapshotPhase {
    /// Returns the phase with this name. Older traces use the name `input` for `action`.
    pub fn from_name(name: &str) -> Option<Self> {
        if name == "input" { Some(Self::Action) } else { name.parse().ok() }
    }
}

/// All events of a trace.
#[derive(Debug, Default)]
pub(super) struct Recorded {
    /// The `context-options` event: browser, versions, and the start time by wall clock and monotonic clock.
    pub header: Map<String, Value>,
    pub calls: Vec<Call>,
    indices: HashMap<String, usize>,
    pub pictures: Vec<Value>,
    pub console: Vec<Value>,
    /// Requests and responses, as HAR entries.
    pub requests: Vec<Value>,
    pub snapshots: Vec<Snapshot>,
    /// Indices into `snapshots` of each frame's snapshots, by frame id, in recorded order.
    pub frames: HashMap<String, Vec<usize>>,
    /// Indices into `snapshots` of the main frame's snapshots, by call id.
    pub mains: HashMap<String, Vec<usize>>,
}

/// A recorded call of the automation library, such as a click.
#[derive(Debug, Default)]
pub(super) struct Call {
    /// The call id with the trace file as a prefix: unique in the archive.
    pub id: String,
    pub before: Map<String, Value>,
    pub after: Map<String, Value>,
    pub log: Vec<Value>,
}

/// A DOM snapshot of a frame at a moment of a call.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Snapshot {
    pub call_id: String,
    phase: Option<String>,
    #[serde(rename = "snapshotName")]
    name: String,
    pub frame_id: String,
    pub frame_url: String,
    pub timestamp: f64,
    pub is_main_frame: bool,
    pub viewport: Value,
    pub resource_overrides: Vec<Override>,
    /// The nodes as JSON, parsed only when the document is displayed.
    #[serde(skip)]
    pub html: Box<str>,
}

/// The content of a resource that replaces its recorded response, such as a changed style sheet.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Override {
    pub url: String,
    pub sha1: Option<String>,
    pub file: Option<String>,
    /// If set, the content is that of the snapshot this many snapshots earlier in the frame.
    #[serde(rename = "ref")]
    pub back: Option<usize>,
}

/// Returns the archive path of an event's file: its field `path`, or else `digest` in `resources/`.
pub(super) fn file_of(event: &Value, path: &str, digest: &str) -> Option<String> {
    let text = |name: &str| event.get(name).and_then(Value::as_str);
    text(path).map(str::to_owned).or_else(|| text(digest).map(|digest| format!("resources/{digest}")))
}

impl Snapshot {
    pub(super) fn phase(&self) -> Option<SnapshotPhase> {
        let named = self.name.split_once('@').map(|(phase, _)| phase);
        SnapshotPhase::from_name(self.phase.as_deref().or(named)?)
    }
}

impl Recorded {
    /// Adds an event. `part`: the trace file, without its extension; `line`: the event as JSON.
    pub(super) fn take(&mut self, part: &str, line: &str) {
        #[derive(Deserialize)]
        struct Kind {
            #[serde(rename = "type")]
            name: String,
        }
        // Parses only the type first, since snapshots are nested too deeply for a `Value`.
        let Ok(kind) = crate::json::decode::<Kind>(line.as_bytes()) else { return };
        if kind.name == "frame-snapshot" {
            self.take_snapshot(part, line);
            return;
        }
        if let Ok(Value::Object(event)) = crate::json::decode(line.as_bytes()) {
            self.take_event(part, &kind.name, event);
        }
    }

    fn take_event(&mut self, part: &str, kind: &str, event: Map<String, Value>) {
        let id = event.get("callId").and_then(Value::as_str).map(|id| format!("{part}/{id}"));
        match (kind, id) {
            ("context-options", _) if self.header.get("browserName").is_none_or(|name| name == "") => {
                self.header = event;
            }
            ("before", Some(id)) => self.call(id).before = event,
            ("after", Some(id)) => self.call(id).after.extend(event),
            ("input", Some(id)) => {
                self.call(id).after.extend(event.into_iter().filter(|(key, _)| key == "point"))
            }
            ("log", Some(id)) => {
                let message = event.get("message").cloned().unwrap_or_default();
                self.call(id).log.push(message);
            }
            ("screencast-frame", _) => self.pictures.push(Value::Object(event)),
            ("resource-snapshot", _) => self.requests.extend(event.get("snapshot").cloned()),
            _ => self.console.extend(logged(kind, &event)),
        }
    }

    fn take_snapshot(&mut self, part: &str, line: &str) {
        #[derive(Deserialize)]
        struct Event {
            snapshot: Snapshot,
        }
        const KEY: &str = "\"html\":";
        let Ok(Event { mut snapshot }) = crate::json::decode::<Event>(line.as_bytes()) else { return };
        // KEY cannot match inside a string, in which quotes are escaped.
        snapshot.html =
            line.find(KEY).map(|at| &line[at + KEY.len()..]).unwrap_or_default().trim_start().into();
        snapshot.call_id = format!("{part}/{}", snapshot.call_id);
        snapshot.frame_id = format!("{part}/{}", snapshot.frame_id);
        let index = self.snapshots.len();
        self.frames.entry(snapshot.frame_id.clone()).or_default().push(index);
        if snapshot.is_main_frame {
            self.mains.entry(snapshot.call_id.clone()).or_default().push(index);
        }
        self.snapshots.push(snapshot);
    }

    /// Adds call stacks, which Playwright for Python writes to a separate file. Format:
    /// `{files, stacks: [[call, [[file, line, column, function]]]]}`.
    pub(super) fn take_stacks(&mut self, part: &str, text: &str) {
        let read: Value = serde_json::from_str(text).unwrap_or_default();
        for stack in read["stacks"].as_array().into_iter().flatten() {
            let place = |place: &Value| {
                let file = place[0].as_u64().and_then(|index| usize::try_from(index).ok());
                let file = file.map(|index| &read["files"][index]);
                json!({ "file": file, "line": place[1], "column": place[2], "function": place[3] })
            };
            let places: Vec<_> = stack[1].as_array().into_iter().flatten().map(place).collect();
            // Older versions write the number of the call, without `call@`.
            let call = stack[0].as_str().map_or_else(|| format!("call@{}", stack[0]), str::to_owned);
            if let Some(index) = self.indices.get(&format!("{part}/{call}")) {
                self.calls[*index].before.entry("stack").or_insert_with(|| places.into());
            }
        }
    }

    fn call(&mut self, id: String) -> &mut Call {
        let next = self.calls.len();
        let index = *self.indices.entry(id.clone()).or_insert(next);
        if index == next {
            self.calls.push(Call { id, ..Call::default() });
        }
        &mut self.calls[index]
    }

    pub(super) fn find(&self, id: &str) -> Option<&Call> {
        self.calls.get(*self.indices.get(id)?)
    }
}

/// Returns a console line: a message, an uncaught error, or output of the test. `None` for other events.
fn logged(kind: &str, event: &Map<String, Value>) -> Option<Value> {
    let get = |name: &str| event.get(name).cloned().unwrap_or_default();
    match kind {
        "console" => Some(json!({
            "time": get("time"), "level": get("messageType"), "text": get("text"), "place": get("location"),
        })),
        "event" if event.get("method").is_some_and(|method| method == "pageError") => {
            let params = get("params");
            let error = &params["error"];
            let thrown = error.get("error").unwrap_or(error);
            let text =
                thrown.get("stack").or_else(|| thrown.get("message")).or_else(|| error.get("value")).cloned();
            Some(json!({ "time": get("time"), "level": "error", "text": text }))
        }
        "stdout" | "stderr" => Some(json!({ "time": get("timestamp"), "level": kind, "text": get("text") })),
        "error" => Some(json!({ "time": Value::Null, "level": "error", "text": get("message") })),
        _ => None,
    }
}
