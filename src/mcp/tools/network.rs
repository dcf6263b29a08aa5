//! What pages ask for.
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::Result;
use crate::browser::RequestEntry;
use crate::cdp::types::network::HeaderList;
use crate::mcp::call::Call;
use crate::mcp::files;
use crate::mcp::page_text;
use crate::mcp::reply::Reply;
use crate::mcp::tool::{Effect, Tool};

/// Kinds of request that only make a page look as it does.
const STATIC: [&str; 4] = ["Image", "Font", "Stylesheet", "Media"];

/// List the page's network requests since it was opened; with a filename that ends in .har, as an archive.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NetworkRequests {
    /// Also images, fonts, styles and media.
    #[serde(default)]
    pub include_static: bool,
}

impl Tool for NetworkRequests {
    const NAME: &'static str = "browser_network_requests";
    const TITLE: &'static str = "List network requests";
    const EFFECT: Effect = Effect::Reads;
    const FILE: Option<&'static str> = Some("json");

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let page = call.current_page()?;
        if call.file_ends_with(".har") {
            let entries = page.with_network(|network| network.entries().map(archived).collect::<Vec<_>>());
            let creator = json!({ "name": "patchright-mcp", "version": env!("CARGO_PKG_VERSION") });
            let log = json!({ "version": "1.2", "creator": creator, "pages": [], "entries": entries });
            reply.say(json!({ "log": log }).to_string());
            return Ok(());
        }
        let lines: Vec<Value> = page.with_network(|network| {
            let entries = network.entries();
            entries
                .filter(|entry| self.include_static || !STATIC.contains(&entry.kind.as_str()))
                .map(line)
                .collect()
        });
        if lines.is_empty() {
            reply.say("No network requests recorded.");
            return Ok(());
        }
        let excluding = if self.include_static { "" } else { ", excluding static resources" };
        let list = page_text::json(&lines);
        reply.say(format!("Network requests ({} total{excluding}):\n\n{list}", lines.len()));
        Ok(())
    }
}

/// A request as HAR 1.2 has it. What was sent and answered is not in it: bodies are told one by one.
fn archived(entry: &RequestEntry) -> Value {
    let headers = |list: &HeaderList| -> Vec<Value> {
        list.iter().map(|(name, value)| json!({ "name": name, "value": value })).collect()
    };
    let whole_ms = entry.ended.map_or(-1.0, |ended| ((ended - entry.started) * 1000.0).max(0.0));
    let query = url::Url::parse(&entry.url).map(|url| {
        url.query_pairs().map(|(name, value)| json!({ "name": name, "value": value })).collect::<Vec<_>>()
    });
    let protocol = entry.response.as_ref().and_then(|response| response.protocol.clone());
    let protocol = protocol.unwrap_or_else(|| "unknown".to_owned());
    let mut request = json!({
        "method": entry.method, "url": entry.url, "httpVersion": protocol, "cookies": [],
        "headers": headers(&entry.sent_headers), "queryString": query.unwrap_or_default(),
        "headersSize": -1, "bodySize": entry.sent_body.as_ref().map_or(0, Vec::len),
    });
    if let Some(body) = entry.sent_body.as_ref().filter(|body| !body.is_empty()) {
        let kind = entry.sent_headers.get("content-type").unwrap_or("application/octet-stream");
        request["postData"] = json!({ "mimeType": kind, "text": String::from_utf8_lossy(body) });
    }
    let none = HeaderList::default();
    let response = entry.response.as_ref();
    let answered = response.map_or(&none, |response| &response.headers);
    let first_byte_ms =
        response.and_then(|response| response.timing.as_ref()).map(|timing| timing.receive_headers_end);
    let wait_ms = first_byte_ms.filter(|ms| *ms >= 0.0).unwrap_or(whole_ms.max(0.0)).min(whole_ms.max(0.0));
    json!({
        "startedDateTime": files::iso(Duration::from_secs_f64(entry.wall_time.max(0.0))),
        "time": whole_ms,
        "request": request,
        "response": {
            "status": response.map_or(-1, |response| response.status),
            "statusText": response.map_or("", |response| response.status_text.as_str()),
            "httpVersion": protocol, "cookies": [], "headers": headers(answered),
            "content": {
                "size": -1,
                "mimeType": response.map_or("x-unknown", |response| response.mime_type.as_str()),
            },
            "redirectURL": answered.get("location").unwrap_or_default(),
            "headersSize": -1, "bodySize": entry.encoded_bytes, "_failureText": entry.failure,
        },
        "cache": {},
        "timings": { "send": 0, "wait": wait_ms, "receive": (whole_ms.max(0.0) - wait_ms).max(0.0) },
    })
}

pub(super) fn line(entry: &RequestEntry) -> Value {
    let mut line = json!({
        "id": entry.number,
        "method": entry.method,
        "url": entry.url,
        "type": entry.kind.to_ascii_lowercase(),
    });
    let object = line.as_object_mut();
    let Some(object) = object else { return line };
    if let Some(response) = &entry.response {
        object.insert("status".to_owned(), response.status.into());
        object.insert("size".to_owned(), entry.encoded_bytes.into());
    }
    match entry.ended {
        Some(ended) => {
            let duration_ms = ((ended - entry.started) * 1000.0).round().max(0.0);
            object.insert("duration".to_owned(), duration_ms.into());
        }
        None => {
            object.insert("pending".to_owned(), true.into());
        }
    }
    if entry.from_cache {
        object.insert("fromCache".to_owned(), true.into());
    }
    if let Some(failure) = &entry.failure {
        object.insert("failure".to_owned(), failure.clone().into());
    }
    line
}
