//! The events of a trace.
use std::collections::HashMap;

use serde::Deserialize;
use serde_json::{Map, Value, json};

/// A moment of a call at which a snapshot is recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::EnumString, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Phase {
    Before,
    Action,
    After,
}

impl Phase {
    /// The phase with this name. Older traces contain `input` for `action`.
    pub fn from_name(name: &str) -> Option<Self> {
        if name == "input" { Some(Self::Action) } else { name.parse().ok() }
    }
}

/// The recorded events of a trace.
#[derive(Debug, Default)]
pub(super) struct Recorded {
    /// The `context-options` event: browser, versions, and the start by the wall clock and the monotonic clock.
    pub header: Map<String, Value>,
    pub calls: Vec<Call>,
    indices: HashMap<String, usize>,
    pub pictures: Vec<Value>,
    pub console: Vec<Value>,
    /// HAR entries.
    pub requests: Vec<Value>,
    pub snapshots: Vec<Snapshot>,
    /// The indices of each frame's snapshots, by frame id, in recorded order.
    pub frames: HashMap<String, Vec<usize>>,
    /// The indices of the main frame's snapshots, by call id.
    pub mains: HashMap<String, Vec<usize>>,
}

/// A call of the library.
#[derive(Debug, Default)]
pub(super) struct Call {
    /// Unique in the trace.
    pub id: String,
    pub before: Map<String, Value>,
    pub after: Map<String, Value>,
    pub log: Vec<Value>,
}

/// A document at a moment of a call.
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
    /// The nodes as JSON, which is parsed only when the document is shown.
    #[serde(skip)]
    pub html: Box<str>,
}

/// Content of a resource that replaces its recorded response.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Override {
    pub url: String,
    pub sha1: Option<String>,
    pub file: Option<String>,
    /// How many snapshots of the frame to go back for the content.
    #[serde(rename = "ref")]
    pub back: Option<usize>,
}

/// The archive's file that an event names: by its path in the field `path`, or by its name in `resources/` in `digest`.
pub(super) fn file_of(event: &Value, path: &str, digest: &str) -> Option<String> {
    let text = |name: &str| event.get(name).and_then(Value::as_str);
    text(path).map(str::to_owned).or_else(|| text(digest).map(|digest| format!("resources/{digest}")))
}

impl Snapshot {
    pub(super) fn phase(&self) -> Option<Phase> {
        let named = self.name.split_once('@').map(|(phase, _)| phase);
        Phase::from_name(self.phase.as_deref().or(named)?)
    }
}

impl Recorded {
    /// Adds the event in one line of `part`, a file of the trace.
    pub(super) fn take(&mut self, part: &str, line: &str) {
        #[derive(Deserialize)]
        struct Kind {
            #[serde(rename = "type")]
            name: String,
        }
        // Only the type is parsed first, since snapshots are nested too deeply for a `Value`.
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
        // KEY cannot match inside a string, where its quotes would be escaped.
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

    /// Adds call stacks, which Playwright for Python writes to a file of their own:
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

/// A line of the console: a message, an error of the page, or the output of the test.
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
