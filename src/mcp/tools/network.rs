//! Tools for network requests.
use std::time::Duration;

use futures_util::future::join_all;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::Result;
use crate::browser::{HarContentMode, HarRequest, HarResponse, HarTimings, Page, RequestEntry};
use crate::mcp::budget;
use crate::mcp::call::Call;
use crate::mcp::page_text;
use crate::mcp::reply::Reply;
use crate::mcp::tool::{Tool, ToolEffect};

/// How long the browser may take to return a body.
const BODY_LIMIT: Duration = Duration::from_secs(5);
/// The maximum size of a body in a HAR archive, in bytes.
const LARGEST_BODY: usize = 2_000_000;
/// The total size of bodies in a HAR archive, in bytes, above which response bodies are omitted.
const MOST_BYTES: usize = 50_000_000;

/// Resource types that only affect the appearance.
const STATIC: [&str; 4] = ["Image", "Font", "Stylesheet", "Media"];

/// List the page's network requests; a filename ending in .har saves a HAR archive.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NetworkRequests {
    /// Include images, fonts, styles and media.
    #[serde(default)]
    pub include_static: bool,
}

impl Tool for NetworkRequests {
    const NAME: &'static str = "browser_network_requests";
    const TITLE: &'static str = "List network requests";
    const EFFECT: ToolEffect = ToolEffect::Reads;
    const FILE: Option<&'static str> = Some("json");

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let page = call.current_page()?;
        if call.file_ends_with(".har") {
            call.progress.set_message("collecting the answers");
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
            let browser = page.context().browser()?;
            let browser = json!({ "name": browser.name(), "version": browser.version_number() });
            let log = json!({
                "version": "1.2", "creator": creator, "browser": browser, "pages": [], "entries": entries,
            });
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
        let (lines, cut) = if call.has_output_file() { (lines, None) } else { budget::keep_newest(lines) };
        let list = page_text::json(&lines);
        reply.say(format!("Network requests ({total} total{excluding}):\n\n{list}"));
        if let Some(note) = cut {
            reply.say(note);
        }
        Ok(())
    }
}

/// Returns the body of a request; `None` if the browser has dropped it, or it is too large.
async fn sent(page: &Page, entry: &RequestEntry) -> Option<Vec<u8>> {
    let sent = timeout(BODY_LIMIT, page.sent_body(entry)).await.ok().and_then(Result::ok).flatten()?;
    (sent.len() <= LARGEST_BODY).then_some(sent)
}

/// Returns the body of a response from the browser or the archive; `None` if it is gone, or too large.
async fn body(call: &Call<'_>, page: &Page, entry: &RequestEntry) -> Option<Vec<u8>> {
    let body = timeout(BODY_LIMIT, page.response_body(entry)).await.ok().and_then(Result::ok);
    let body = body.or_else(|| call.archived_response_body(page, entry.number))?;
    (body.len() <= LARGEST_BODY).then_some(body)
}

/// Formats a request as an entry of a HAR archive.
fn archived(entry: &RequestEntry, body: Option<Vec<u8>>) -> Value {
    let duration = entry.ended.map_or(-1.0, |ended| ((ended - entry.started) * 1000.0).max(0.0));
    let response = entry.response.as_ref();
    let first_byte =
        response.and_then(|response| response.timing.as_ref()).map(|timing| timing.receive_headers_end);
    let wait = first_byte.filter(|ms| *ms >= 0.0).unwrap_or(duration.max(0.0)).min(duration.max(0.0));
    let request = HarRequest {
        started: entry.wall_time * 1000.0,
        duration,
        timings: HarTimings { dns: -1.0, connect: -1.0, ssl: -1.0, wait, receive: duration.max(0.0) - wait },
        method: &entry.method,
        url: &entry.url,
        http_version: response.and_then(|response| response.protocol.as_deref()).unwrap_or("unknown"),
        headers: entry.network_headers.as_ref().unwrap_or(&entry.sent_headers),
        body: entry.sent_body.as_deref().filter(|body| !body.is_empty()),
        response: response.map(|response| HarResponse {
            status: response.status,
            status_text: &response.status_text,
            headers: entry.received_headers.as_ref().unwrap_or(&response.headers),
            mime_type: &response.mime_type,
            body: body.as_deref(),
        }),
        failure: entry.failure.as_deref(),
    };
    request.entry(HarContentMode::Embed).entry
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

/// Rounds to a whole number; negative numbers become 0.
fn whole(number: f64) -> Value {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "what is too large is cut")]
    let number = number.round().max(0.0) as u64;
    number.into()
}
