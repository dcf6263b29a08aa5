//! What pages ask for.
use std::time::Duration;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use futures_util::future::join_all;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::Result;
use crate::browser::{Page, RequestEntry};
use crate::cdp::types::network::HeaderList;
use crate::mcp::budget;
use crate::mcp::call::Call;
use crate::mcp::files;
use crate::mcp::page_text;
use crate::mcp::reply::Reply;
use crate::mcp::tool::{Effect, Tool};

/// How long the browser may take to hand over a body, the largest that goes into an archive, and the most of all of them.
const BODY_LIMIT: Duration = Duration::from_secs(5);
const LARGEST_BODY: usize = 2_000_000;
const MOST_BYTES: usize = 50_000_000;

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
            call.progress.say("collecting the answers");
            let mut known: Vec<RequestEntry> =
                page.with_network(|network| network.entries().cloned().collect());
            let sent = join_all(known.iter().map(|entry| sent(&page, entry))).await;
            for (entry, sent) in known.iter_mut().zip(sent) {
                entry.sent_body = sent;
            }
            let bodies = join_all(known.iter().map(|entry| body(call, &page, entry))).await;
            let mut bytes = 0;
            let entries = known.iter().zip(bodies).map(|(entry, body)| {
                bytes += [&body, &entry.sent_body].into_iter().flatten().map(Vec::len).sum::<usize>();
                archived(entry, body.filter(|_| bytes <= MOST_BYTES))
            });
            let entries: Vec<_> = entries.collect();
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
        let total = lines.len();
        let (lines, cut) = if call.is_whole() { (lines, None) } else { budget::newest(lines) };
        let list = page_text::json(&lines);
        reply.say(format!("Network requests ({total} total{excluding}):\n\n{list}"));
        cut.into_iter().for_each(|note| reply.say(note));
        Ok(())
    }
}

/// What a request sent, if the browser has it still.
async fn sent(page: &Page, entry: &RequestEntry) -> Option<Vec<u8>> {
    let sent = timeout(BODY_LIMIT, page.sent_body(entry)).await.ok().and_then(Result::ok).flatten()?;
    (sent.len() <= LARGEST_BODY).then_some(sent)
}

/// What was answered, if the browser has it still, or we do.
async fn body(call: &Call<'_>, page: &Page, entry: &RequestEntry) -> Option<Vec<u8>> {
    let body = timeout(BODY_LIMIT, page.response_body(entry)).await.ok().and_then(Result::ok);
    let body = body.or_else(|| call.kept_body(page, entry.number))?;
    (body.len() <= LARGEST_BODY).then_some(body)
}

/// A request as HAR 1.2 has it.
fn archived(entry: &RequestEntry, body: Option<Vec<u8>>) -> Value {
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
    let mut content = json!({
        "size": body.as_ref().map(Vec::len),
        "mimeType": response.map_or("x-unknown", |response| response.mime_type.as_str()),
    });
    match body.map(String::from_utf8) {
        None => content["size"] = (-1).into(),
        Some(Ok(text)) => content["text"] = text.into(),
        Some(Err(bytes)) => {
            content["text"] = BASE64_STANDARD.encode(bytes.as_bytes()).into();
            content["encoding"] = "base64".into();
        }
    }
    let wait_ms = first_byte_ms.filter(|ms| *ms >= 0.0).unwrap_or(whole_ms.max(0.0)).min(whole_ms.max(0.0));
    json!({
        "startedDateTime": files::iso(Duration::from_secs_f64(entry.wall_time.max(0.0))),
        "time": whole_ms,
        "request": request,
        "response": {
            "status": response.map_or(-1, |response| response.status),
            "statusText": response.map_or("", |response| response.status_text.as_str()),
            "httpVersion": protocol, "cookies": [], "headers": headers(answered),
            "content": content,
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
        object.insert("size".to_owned(), whole(entry.encoded_bytes));
    }
    match entry.ended {
        Some(ended) => {
            object.insert("duration".to_owned(), whole((ended - entry.started) * 1000.0));
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

/// A number above zero without what stands behind its point.
fn whole(number: f64) -> Value {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "what is too large is cut")]
    let number = number.round().max(0.0) as u64;
    number.into()
}
