//! Requests and responses. Browser events update their state, and callers can wait for it.
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use parking_lot::Mutex;
use serde_json::Value;
use tokio::sync::watch;
use tokio::time::timeout;

use crate::browser::objects::frame::Frame;
use crate::browser::objects::page::Page;
use crate::browser::objects::worker::Worker;
use crate::cdp::CdpSession;
use crate::cdp::types::network::{self as wire, GetResponseBody, HeaderList};
use crate::error::{Error, Result};

/// A request of a page or worker. Each redirect creates a new one. Cheap to clone; compares by identity.
#[derive(Debug, Clone)]
pub struct Request {
    inner: Arc<RequestInner>,
}

#[derive(Debug)]
struct RequestInner {
    number: u64,
    id: String,
    sent: SentRequest,
    origin: RequestOrigin,
    redirected_from: Option<Request>,
    state: Mutex<RequestState>,
    changes: watch::Sender<u64>,
}

/// The request data that the renderer process reported.
#[derive(Debug, Default)]
pub(in crate::browser) struct SentRequest {
    pub(in crate::browser) url: String,
    pub(in crate::browser) method: String,
    pub(in crate::browser) headers: HeaderList,
    pub(in crate::browser) body: Option<Vec<u8>>,
    /// The browser's resource type, such as `Document`.
    pub(in crate::browser) kind: String,
    pub(in crate::browser) is_navigation: bool,
    /// The start in the browser's monotonic clock, in seconds.
    pub(in crate::browser) started: f64,
    /// The start as Unix time, in seconds.
    pub(in crate::browser) wall_time: f64,
}

/// The page, frame or service worker that sent a request.
#[derive(Debug, Clone, Default)]
pub(in crate::browser) struct RequestOrigin {
    pub(in crate::browser) page: Option<Page>,
    pub(in crate::browser) frame: Option<Frame>,
    pub(in crate::browser) service_worker: Option<Worker>,
}

#[derive(Debug)]
struct RequestState {
    /// The CDP session from which the body can be fetched.
    session: CdpSession,
    /// Whether a route handler answered the request, and not a server.
    fulfilled: bool,
    /// Whether the request waits for a route handler. Until then, the browser reports no headers.
    held: bool,
    /// Headers that a handler set and that redirects must keep.
    carried: Option<Vec<(String, String)>>,
    response: Option<Arc<wire::Response>>,
    /// The headers as sent over the network, which the renderer process does not know.
    sent_headers: Option<HeaderList>,
    received_headers: Option<HeaderList>,
    /// Whether all headers that the browser will report have arrived.
    headers_settled: bool,
    failure: Option<String>,
    finished: bool,
    /// Whether the page was closed before the request ended.
    abandoned: bool,
    ended: Option<f64>,
    encoded_bytes: f64,
    redirected_to: Weak<RequestInner>,
}

impl PartialEq for Request {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }
}

impl Eq for Request {}

/// When the phases of a request began and ended. `start_time` is in milliseconds since 1970, all other values
/// are in milliseconds after `start_time`; -1 for a phase that did not occur.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RequestTiming {
    pub start_time: f64,
    pub domain_lookup_start: f64,
    pub domain_lookup_end: f64,
    pub connect_start: f64,
    pub secure_connection_start: f64,
    pub connect_end: f64,
    pub request_start: f64,
    pub response_start: f64,
    pub response_end: f64,
}

/// The numbers of bytes sent and received over the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RequestSizes {
    pub request_body: usize,
    pub request_headers: usize,
    pub response_body: usize,
    pub response_headers: usize,
}

/// The time limit for headers that the browser has announced.
const HEADERS_LIMIT: Duration = Duration::from_secs(5);

impl Request {
    pub(in crate::browser) fn new(
        session: CdpSession,
        id: String,
        sent: SentRequest,
        origin: RequestOrigin,
        redirected_from: Option<Request>,
    ) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let request = Self {
            inner: Arc::new(RequestInner {
                number: NEXT.fetch_add(1, Ordering::Relaxed),
                id,
                sent,
                origin,
                redirected_from,
                state: Mutex::new(RequestState::new(session)),
                changes: watch::Sender::new(0),
            }),
        };
        if let Some(before) = &request.inner.redirected_from {
            before.update(|state| state.redirected_to = Arc::downgrade(&request.inner));
        }
        request
    }

    /// Returns the number of the request, which is unique in this process.
    pub fn number(&self) -> u64 {
        self.inner.number
    }

    /// Returns the CDP request id. All requests of a redirect chain share it.
    pub fn id(&self) -> &str {
        &self.inner.id
    }

    pub fn url(&self) -> &str {
        &self.inner.sent.url
    }

    pub fn method(&self) -> &str {
        &self.inner.sent.method
    }

    /// Returns the headers that the renderer set. For all, see [`all_headers`](Self::all_headers).
    pub fn headers(&self) -> &HeaderList {
        &self.inner.sent.headers
    }

    /// Returns the request body; `None` if there is none or the browser did not report it.
    pub fn body(&self) -> Option<&[u8]> {
        self.inner.sent.body.as_deref()
    }

    /// The resource type in lower case: `document`, `script`, `xhr`, `fetch`, `image` and so on.
    pub fn resource_type(&self) -> String {
        self.inner.sent.kind.to_ascii_lowercase()
    }

    /// Whether the request loads a document into a frame.
    pub fn is_navigation(&self) -> bool {
        self.inner.sent.is_navigation
    }

    /// Whether the request loads a document into the main frame of a tab.
    pub fn is_main_frame_navigation(&self) -> bool {
        self.is_navigation() && self.frame().is_some_and(|frame| frame.parent().is_none())
    }

    pub fn page(&self) -> Option<&Page> {
        self.inner.origin.page.as_ref()
    }

    /// Returns the frame that sent the request, or that owns the worker. `None` for a service worker.
    pub fn frame(&self) -> Option<&Frame> {
        self.inner.origin.frame.as_ref()
    }

    pub fn service_worker(&self) -> Option<&Worker> {
        self.inner.origin.service_worker.as_ref()
    }

    pub(in crate::browser) fn origin(&self) -> &RequestOrigin {
        &self.inner.origin
    }

    pub fn redirected_from(&self) -> Option<&Request> {
        self.inner.redirected_from.as_ref()
    }

    pub fn redirected_to(&self) -> Option<Request> {
        self.inner.state.lock().redirected_to.upgrade().map(|inner| Self { inner })
    }

    /// Returns the browser's error text; `None` unless the request failed.
    pub fn failure(&self) -> Option<String> {
        self.inner.state.lock().failure.clone()
    }

    /// Returns the response if it has arrived, without waiting.
    pub fn response_so_far(&self) -> Option<Response> {
        let received = self.inner.state.lock().response.clone()?;
        Some(Response { request: self.clone(), received })
    }

    /// Waits for the response. `None` if the request failed.
    pub async fn response(&self) -> Result<Option<Response>> {
        self.until(|state| state.response.is_some() || state.failure.is_some()).await?;
        Ok(self.response_so_far())
    }

    /// Returns the headers sent over the network, with cookies; the intercepted ones while a handler decides.
    pub async fn all_headers(&self) -> Result<HeaderList> {
        self.wait_for_headers(|state| state.sent_headers.is_some() || state.held).await?;
        let headers = self.inner.state.lock().sent_headers.clone();
        Ok(headers.unwrap_or_else(|| self.headers().clone()))
    }

    pub fn timing(&self) -> RequestTiming {
        let state = self.inner.state.lock();
        let timing = state.response.as_ref().and_then(|response| response.timing.clone());
        let never = RequestTiming {
            start_time: self.inner.sent.wall_time * 1000.0,
            domain_lookup_start: -1.0,
            domain_lookup_end: -1.0,
            connect_start: -1.0,
            secure_connection_start: -1.0,
            connect_end: -1.0,
            request_start: -1.0,
            response_start: -1.0,
            response_end: -1.0,
        };
        let Some(timing) = timing else { return never };
        let started = self.inner.sent.wall_time + timing.request_time - self.inner.sent.started;
        RequestTiming {
            start_time: started * 1000.0,
            domain_lookup_start: timing.dns_start,
            domain_lookup_end: timing.dns_end,
            connect_start: timing.connect_start,
            secure_connection_start: timing.ssl_start,
            connect_end: timing.connect_end,
            request_start: timing.send_start,
            response_start: timing.receive_headers_end,
            response_end: state.ended.map_or(-1.0, |ended| (ended - timing.request_time) * 1000.0),
        }
    }

    /// Waits for the end of the request, and returns the numbers of bytes sent and received.
    pub async fn sizes(&self) -> Result<RequestSizes> {
        self.finished().await?;
        let sent = self.all_headers().await?;
        let response = self.response_so_far();
        let received = match &response {
            Some(response) => response.all_headers().await?,
            None => HeaderList::default(),
        };
        let status_line =
            response.as_ref().map_or(0, |response| "HTTP/1.1 200 \r\n".len() + response.status_text().len());
        let response_headers = status_line + length(&received);
        let state = self.inner.state.lock();
        // The browser reports only the sum of header and body bytes.
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count of bytes")]
        let transferred = state.encoded_bytes.max(0.0) as usize;
        Ok(RequestSizes {
            request_body: self.inner.sent.body.as_ref().map_or(0, Vec::len),
            request_headers: self.method().len() + self.url().len() + " HTTP/1.1\r\n ".len() + length(&sent),
            response_body: transferred.saturating_sub(response_headers),
            response_headers,
        })
    }

    /// Waits until the request has ended. Returns the error text if it failed, otherwise `None`.
    pub async fn finished(&self) -> Result<Option<String>> {
        self.until(|state| state.finished || state.failure.is_some()).await?;
        Ok(self.failure())
    }

    async fn wait_for_headers(&self, known: impl Fn(&RequestState) -> bool) -> Result<()> {
        let known = self.until(|state| known(state) || state.headers_settled || state.failure.is_some());
        match timeout(HEADERS_LIMIT, known).await {
            Ok(known) => known,
            // The caller falls back to the headers that the renderer process reported.
            Err(_) => Ok(()),
        }
    }

    async fn until(&self, reached: impl Fn(&RequestState) -> bool) -> Result<()> {
        let mut changes = self.inner.changes.subscribe();
        loop {
            {
                let state = self.inner.state.lock();
                if reached(&state) {
                    return Ok(());
                }
                if state.abandoned {
                    return Err(Error::PageClosed);
                }
            }
            if changes.changed().await.is_err() {
                return Err(Error::PageClosed);
            }
        }
    }

    fn update(&self, change: impl FnOnce(&mut RequestState)) {
        change(&mut self.inner.state.lock());
        self.inner.changes.send_modify(|version| *version += 1);
    }

    // Updates by browser events:

    pub(in crate::browser) fn answered(&self, response: wire::Response, has_more_headers: bool) {
        // The browser also announces more headers for cached responses, but never reports them.
        let is_cached = response.from_disk_cache == Some(true);
        self.update(|state| {
            state.response = Some(Arc::new(response));
            state.headers_settled |= !has_more_headers || is_cached;
        });
    }

    /// Records that the browser will report no more headers.
    pub(in crate::browser) fn headers_are_settled(&self) {
        self.update(|state| state.headers_settled = true);
    }

    pub(in crate::browser) fn ended(&self, at: f64, encoded_bytes: f64) {
        self.update(|state| {
            state.finished = true;
            state.ended = Some(at);
            state.encoded_bytes = encoded_bytes;
        });
    }

    pub(in crate::browser) fn failed(&self, at: f64, reason: String) {
        self.update(|state| {
            state.failure = Some(reason);
            state.ended = Some(at);
        });
    }

    pub(in crate::browser) fn abandoned(&self) {
        self.update(|state| state.abandoned = true);
    }

    pub(in crate::browser) fn needs_sent_headers(&self) -> bool {
        let state = self.inner.state.lock();
        state.sent_headers.is_none() && !state.headers_settled
    }

    pub(in crate::browser) fn needs_received_headers(&self) -> bool {
        let state = self.inner.state.lock();
        state.received_headers.is_none() && !state.headers_settled
    }

    pub(in crate::browser) fn sent_headers(&self, headers: HeaderList) {
        self.update(|state| state.sent_headers = Some(headers));
    }

    pub(in crate::browser) fn received_headers(&self, headers: HeaderList) {
        self.update(|state| state.received_headers = Some(headers));
    }

    pub(in crate::browser) fn session(&self) -> CdpSession {
        self.inner.state.lock().session.clone()
    }

    /// Changes the CDP session to the one whose process receives the response.
    pub(in crate::browser) fn set_session(&self, session: CdpSession) {
        self.update(|state| state.session = session);
    }

    /// Records whether the request waits for a route handler.
    pub(in crate::browser) fn set_held(&self, held: bool) {
        self.update(|state| state.held = held);
    }

    pub(in crate::browser) fn fulfilled(&self) {
        self.update(|state| state.fulfilled = true);
    }

    pub(in crate::browser) fn is_fulfilled(&self) -> bool {
        self.inner.state.lock().fulfilled
    }

    pub(in crate::browser) fn carry(&self, headers: Vec<(String, String)>) {
        self.update(|state| state.carried = Some(headers));
    }

    pub(in crate::browser) fn carried(&self) -> Option<Vec<(String, String)>> {
        self.inner.state.lock().carried.clone()
    }

    pub(in crate::browser) fn is_done(&self) -> bool {
        let state = self.inner.state.lock();
        state.finished || state.failure.is_some()
    }

    pub(in crate::browser) fn has_response(&self) -> bool {
        self.inner.state.lock().response.is_some()
    }
}

impl RequestState {
    fn new(session: CdpSession) -> Self {
        Self {
            session,
            fulfilled: false,
            held: false,
            carried: None,
            response: None,
            sent_headers: None,
            received_headers: None,
            headers_settled: false,
            failure: None,
            finished: false,
            abandoned: false,
            ended: None,
            encoded_bytes: 0.0,
            redirected_to: Weak::new(),
        }
    }
}

fn length(headers: &HeaderList) -> usize {
    let lines = headers.iter().map(|(name, value)| name.len() + value.len() + ": \r\n".len());
    lines.sum::<usize>() + "\r\n".len()
}

/// A response. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Response {
    request: Request,
    received: Arc<wire::Response>,
}

impl Response {
    pub fn request(&self) -> &Request {
        &self.request
    }

    pub fn url(&self) -> &str {
        &self.received.url
    }

    pub fn status(&self) -> i64 {
        self.received.status
    }

    pub fn status_text(&self) -> &str {
        &self.received.status_text
    }

    /// Returns the headers that the renderer received. For all, see [`all_headers`](Self::all_headers).
    pub fn headers(&self) -> &HeaderList {
        &self.received.headers
    }

    pub fn from_service_worker(&self) -> bool {
        self.received.from_service_worker == Some(true)
    }

    /// Returns the IP address and port of the server; `None` if unknown.
    pub fn server_address(&self) -> Option<(&str, i64)> {
        let address = self.received.remote_ip_address.as_deref().filter(|address| !address.is_empty())?;
        Some((address, self.received.remote_port?))
    }

    /// Returns CDP's `securityDetails`: certificate and TLS protocol. `None` without TLS.
    pub fn security_details(&self) -> Option<&Value> {
        self.received.security_details.as_ref()
    }

    /// Returns the HTTP version, such as `HTTP/1.1` or `HTTP/2.0`.
    pub fn http_version(&self) -> String {
        match self.received.protocol.as_deref().unwrap_or_default() {
            "h2" => "HTTP/2.0".to_owned(),
            "h3" => "HTTP/3.0".to_owned(),
            "" => "HTTP/1.1".to_owned(),
            other => other.to_ascii_uppercase(),
        }
    }

    /// Returns the headers received over the network, with cookies.
    pub async fn all_headers(&self) -> Result<HeaderList> {
        self.request.wait_for_headers(|state| state.received_headers.is_some()).await?;
        let headers = self.request.inner.state.lock().received_headers.clone();
        Ok(headers.unwrap_or_else(|| self.headers().clone()))
    }

    /// Waits for the end of the body. Returns the error text if it is incomplete, otherwise `None`.
    pub async fn finished(&self) -> Result<Option<String>> {
        self.request.finished().await
    }

    /// Waits for the end of the body and returns it decoded. Fails for redirects and incomplete bodies.
    pub async fn body(&self) -> Result<Vec<u8>> {
        if (300..400).contains(&self.status()) && self.status() != 304 {
            let reason = "Response body is unavailable for redirect responses".to_owned();
            return Err(Error::Unsupported { what: "reading the body", reason });
        }
        if let Some(reason) = self.finished().await? {
            return Err(Error::NavigationFailed { reason });
        }
        let get = GetResponseBody { request_id: self.request.inner.id.clone() };
        let body = self.request.session().call(get).await?;
        Ok(match body.base64_encoded {
            true => BASE64_STANDARD.decode(&body.body).unwrap_or_default(),
            false => body.body.into_bytes(),
        })
    }
}
