//! The log of a page's requests, oldest first, limited in size.
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

use crate::cdp::types::network::{
    HeaderList, LoadingFailed, LoadingFinished, RequestWillBeSent, RequestWillBeSentExtraInfo, Response,
    ResponseReceived, ResponseReceivedExtraInfo, WebSocketCreated,
};
use crate::sync::unix_time;

/// The maximum number of requests in the log. The oldest are removed first.
const KEPT: usize = 1_000;
/// The maximum number of document responses, and of network headers, that are kept without a request.
const MOST_PENDING: usize = 100;
/// The maximum size of a request body that is kept, in bytes. Longer ones are fetched on demand.
const LONGEST_SENT: usize = 4_096;

/// A request and its result. Times are seconds of the browser's monotonic clock.
#[derive(Debug, Clone, Default)]
pub struct RequestEntry {
    pub id: String,
    pub session: Arc<str>,
    pub frame: Option<String>,
    pub loader: String,
    pub url: String,
    pub method: String,
    /// The resource type: `Document`, `Script`, `XHR` and so on.
    pub kind: String,
    pub started: f64,
    /// The start time as a Unix time in seconds.
    pub wall_time: f64,
    pub ended: Option<f64>,
    pub response: Option<Response>,
    pub failure: Option<String>,
    pub from_cache: bool,
    pub encoded_bytes: f64,
    /// The number of redirects that led to this request.
    pub redirects: u32,
    /// The number of the request in its page. Never reused.
    pub number: u64,
    pub sent_headers: HeaderList,
    /// The headers as sent over the network, with cookies; `None` until the browser reports them.
    pub network_headers: Option<HeaderList>,
    /// The headers as received over the network, with `Set-Cookie`; `None` until the browser reports them.
    pub received_headers: Option<HeaderList>,
    /// The request body; `None` if there is none, or if `sends_more`.
    pub sent_body: Option<Vec<u8>>,
    /// Whether the request has a body that was not reported, or was too long to keep.
    pub sends_more: bool,
}

/// The requests of a page since its last navigation.
#[derive(Debug, Default)]
pub struct NetworkLog {
    entries: VecDeque<RequestEntry>,
    first: usize,
    next_number: u64,
    positions: HashMap<String, usize>,
    /// Responses of documents whose requests were not reported, with their loader ids.
    pending: VecDeque<(String, Response)>,
    /// Network headers that were reported before their requests, with the request ids.
    early_headers: VecDeque<(String, HeaderList)>,
}

impl NetworkLog {
    /// All requests that are kept, oldest first.
    pub fn entries(&self) -> impl Iterator<Item = &RequestEntry> {
        self.entries.iter()
    }

    /// Returns the response of the document with this loader id.
    pub fn document_response(&self, loader: &str) -> Option<&Response> {
        let pending = || self.pending.iter().find(|(id, _)| id == loader).map(|(_, response)| response);
        self.get(loader).and_then(|entry| entry.response.as_ref()).or_else(pending)
    }

    /// Whether any request that may affect the page's content has not been answered.
    pub(in crate::browser) fn is_waiting(&self) -> bool {
        self.entries.iter().any(|entry| {
            let counts = matches!(&*entry.kind, "Document" | "Script" | "Stylesheet" | "XHR" | "Fetch");
            counts && entry.ended.is_none() && entry.response.is_none() && entry.failure.is_none()
        })
    }

    /// Returns the first request with this id, before any redirects.
    pub fn original_request(&self, id: &str) -> Option<&RequestEntry> {
        self.entries.iter().find(|entry| entry.id == id)
    }

    /// The latest request with this id. A request and its redirects share one id.
    pub fn get(&self, id: &str) -> Option<&RequestEntry> {
        let position = self.positions.get(id)?;
        self.entries.get(position.checked_sub(self.first)?)
    }

    fn get_mut(&mut self, id: &str) -> Option<&mut RequestEntry> {
        let position = self.positions.get(id)?;
        self.entries.get_mut(position.checked_sub(self.first)?)
    }

    /// Handles a new document: removes the requests of the old document, and keeps those of the new one.
    pub(in crate::browser) fn document_changed(&mut self, loader: &str) {
        let kept: Vec<_> =
            self.entries.drain(..).filter(|entry| entry.loader == loader || entry.id == loader).collect();
        self.pending.retain(|(id, _)| id == loader);
        self.positions.clear();
        self.first = 0;
        for entry in kept {
            self.push(entry);
        }
    }

    pub(in crate::browser) fn begun(&mut self, event: RequestWillBeSent, session: &str) {
        let mut redirects = 0;
        if let Some(response) = event.redirect_response
            && let Some(before) = self.get_mut(&event.request_id)
        {
            before.response = Some(response);
            before.ended = Some(event.timestamp);
            redirects = before.redirects + 1;
        }
        let (body, pending) = body_of(&event.request);
        let sends_more = pending || body.as_ref().is_some_and(|body| body.len() > LONGEST_SENT);
        let early = self.early_headers.iter().position(|(id, _)| *id == event.request_id);
        let early = early.and_then(|at| self.early_headers.remove(at));
        self.push(RequestEntry {
            network_headers: early.map(|(_, headers)| headers),
            id: event.request_id,
            sent_headers: event.request.headers,
            sent_body: body.filter(|_| !sends_more),
            sends_more,
            session: Arc::from(session),
            frame: event.frame_id,
            loader: event.loader_id,
            url: event.request.url,
            method: event.request.method,
            kind: event.kind.unwrap_or_default(),
            started: event.timestamp,
            wall_time: event.wall_time,
            redirects,
            ..RequestEntry::default()
        });
    }

    pub(in crate::browser) fn sent(&mut self, report: RequestWillBeSentExtraInfo) {
        match self.get_mut(&report.request_id) {
            Some(entry) if entry.network_headers.is_none() => entry.network_headers = Some(report.headers),
            // The headers belong to a request, or to a redirect, that is reported next.
            _ => {
                self.early_headers.truncate(MOST_PENDING - 1);
                self.early_headers.push_front((report.request_id, report.headers));
            }
        }
    }

    pub(in crate::browser) fn received(&mut self, report: ResponseReceivedExtraInfo) {
        if let Some(entry) = self.get_mut(&report.request_id) {
            entry.received_headers = Some(report.headers);
        }
    }

    pub(in crate::browser) fn answered(&mut self, event: ResponseReceived) {
        if let Some(entry) = self.get_mut(&event.request_id) {
            entry.kind = event.kind;
            entry.response = Some(event.response);
        } else if event.kind == "Document" {
            self.pending.truncate(MOST_PENDING - 1);
            self.pending.push_front((event.request_id, event.response));
        }
    }

    pub(in crate::browser) fn finished(&mut self, event: &LoadingFinished) {
        if let Some(entry) = self.get_mut(&event.request_id) {
            entry.ended = Some(event.timestamp);
            entry.encoded_bytes = event.encoded_data_length;
        }
    }

    /// Marks a request as ended now. For requests whose end the browser does not report.
    pub(in crate::browser) fn arrived(&mut self, id: &str) {
        if let Some(entry) = self.get_mut(id)
            && entry.ended.is_none()
        {
            let now = unix_time().as_secs_f64();
            entry.ended = Some(entry.started + (now - entry.wall_time).max(0.0));
        }
    }

    pub(in crate::browser) fn failed(&mut self, event: &LoadingFailed) {
        if let Some(entry) = self.get_mut(&event.request_id) {
            entry.ended = Some(event.timestamp);
            entry.failure = Some(match &event.blocked_reason {
                Some(reason) => format!("{} ({reason})", event.error_text),
                None => event.error_text.clone(),
            });
        }
    }

    pub(in crate::browser) fn served_from_cache(&mut self, id: &str) {
        if let Some(entry) = self.get_mut(id) {
            entry.from_cache = true;
        }
    }

    pub(in crate::browser) fn socket_opened(&mut self, event: &WebSocketCreated) {
        self.push(RequestEntry {
            id: event.request_id.clone(),
            url: event.url.clone(),
            method: "GET".to_owned(),
            kind: "WebSocket".to_owned(),
            ..RequestEntry::default()
        });
    }

    pub(in crate::browser) fn socket_closed(&mut self, id: &str) {
        if let Some(entry) = self.get_mut(id) {
            entry.ended = Some(entry.started);
        }
    }

    fn push(&mut self, mut entry: RequestEntry) {
        if entry.number == 0 {
            self.next_number += 1;
            entry.number = self.next_number;
        }
        if self.entries.len() == KEPT
            && let Some(oldest) = self.entries.pop_front()
        {
            if self.positions.get(&oldest.id) == Some(&self.first) {
                self.positions.remove(&oldest.id);
            }
            self.first += 1;
        }
        self.positions.insert(entry.id.clone(), self.first + self.entries.len());
        self.entries.push_back(entry);
    }
}

/// Returns the request body, if reported, and whether the request has a body that was not reported.
pub(in crate::browser) fn body_of(request: &crate::cdp::types::network::Request) -> (Option<Vec<u8>>, bool) {
    if let Some(entries) = &request.post_data_entries
        && entries.iter().all(|entry| entry.bytes.is_some())
        && !entries.is_empty()
    {
        let parts = entries.iter().filter_map(|entry| BASE64_STANDARD.decode(entry.bytes.as_deref()?).ok());
        return (Some(parts.flatten().collect()), false);
    }
    match (&request.post_data, request.has_post_data) {
        (Some(text), _) => (Some(text.clone().into_bytes()), false),
        (None, Some(true)) => (None, true),
        (None, _) => (None, false),
    }
}
