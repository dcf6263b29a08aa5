//! An intercepted request that waits for a handler's decision.
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

use super::request::Request;
use crate::browser::egress::policy::is_loopback_host_name;
use crate::cdp::CdpSession;
use crate::cdp::types::network::{ContinueRequest, FailRequest, FulfillRequest, HeaderEntry, HeaderList};
use crate::error::{Error, Result};

/// Request headers that the browser does not allow to override.
const WRITTEN_BY_THE_BROWSER: [&str; 8] =
    ["content-length", "host", "transfer-encoding", "trailer", "te", "upgrade", "keep-alive", "cookie2"];

/// An intercepted request. Dropping it leaves the request waiting. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Route {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    request: Request,
    session: CdpSession,
    /// The interception id of CDP's `Fetch` domain.
    id: String,
    decided: AtomicBool,
    /// Whether a handler with precedence has reserved the decision.
    claimed: AtomicBool,
}

/// Changes to a request. `None` leaves the value unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RequestOverrides {
    pub url: Option<String>,
    pub method: Option<String>,
    pub headers: Option<Vec<(String, String)>>,
    pub body: Option<Vec<u8>>,
}

/// A response that a handler gives in place of the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fulfillment {
    pub status: u32,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Route {
    pub(in crate::browser) fn new(request: Request, session: CdpSession, id: String) -> Self {
        Self {
            inner: Arc::new(Inner {
                request,
                session,
                id,
                decided: AtomicBool::new(false),
                claimed: AtomicBool::new(false),
            }),
        }
    }

    pub fn request(&self) -> &Request {
        &self.inner.request
    }

    /// Reserves the decision for the caller, which may make it later. Other handlers must then do nothing.
    pub fn reserve_decision(&self) {
        self.inner.claimed.store(true, Ordering::Release);
    }

    /// Whether a handler with precedence has reserved the decision.
    pub fn is_decision_reserved(&self) -> bool {
        self.inner.claimed.load(Ordering::Acquire)
    }

    /// Continues the request with these changes. Fails if the new URL has another scheme.
    pub async fn continue_with(&self, overrides: &RequestOverrides) -> Result<()> {
        if let Some(url) = &overrides.url
            && scheme(url) != scheme(self.request().url())
        {
            let problem = "New URL must have same protocol as overridden URL".to_owned();
            return Err(Error::InvalidArguments { problems: vec![problem] });
        }
        self.decide()?;
        let headers = overrides.headers.as_ref().map(|headers| self.sendable(headers));
        if let Some(headers) = &headers {
            self.request().carry(headers.clone());
        }
        let resume = ContinueRequest {
            request_id: self.inner.id.clone(),
            url: overrides.url.clone(),
            method: overrides.method.clone(),
            post_data: overrides.body.as_ref().map(|body| BASE64_STANDARD.encode(body)),
            headers: headers.map(|headers| entries(headers.into_iter())),
            intercept_response: None,
        };
        self.report(self.inner.session.call(resume).await)
    }

    /// Answers the request in place of the server.
    pub async fn fulfill(&self, answer: &Fulfillment) -> Result<()> {
        self.decide()?;
        let fulfill = self.fulfillment(answer);
        self.report(self.inner.session.call(fulfill).await)
    }

    /// Answers the request without waiting for the browser's confirmation.
    pub(in crate::browser) fn fulfill_at_once(&self, answer: &Fulfillment) {
        if self.decide().is_ok() {
            self.inner.session.send(self.fulfillment(answer)).ignore();
        }
    }

    fn fulfillment(&self, answer: &Fulfillment) -> FulfillRequest {
        self.request().fulfilled();
        let mut headers = answer.headers.clone();
        if headers.iter().all(|(name, _)| !name.eq_ignore_ascii_case("content-length")) {
            headers.push(("content-length".to_owned(), answer.body.len().to_string()));
        }
        if is_plain_http(self.request().url()) {
            for (name, value) in &mut headers {
                if name.eq_ignore_ascii_case("set-cookie") {
                    let lines: Vec<_> = value.split('\n').filter(|line| !is_secure(line)).collect();
                    *value = lines.join("\n");
                }
            }
            headers.retain(|(name, value)| !name.eq_ignore_ascii_case("set-cookie") || !value.is_empty());
        }
        FulfillRequest {
            request_id: self.inner.id.clone(),
            response_code: answer.status,
            response_headers: Some(entries(headers.into_iter())),
            body: Some(BASE64_STANDARD.encode(&answer.body)),
            response_phrase: Some(reason_phrase(answer.status).to_owned()),
        }
    }

    /// Aborts the request. `reason` is one of [`ABORT_REASONS`].
    pub async fn abort(&self, reason: &str) -> Result<()> {
        let known = ABORT_REASONS.iter().find(|(name, _)| *name == reason);
        let (_, error_reason) = known.ok_or_else(|| Error::InvalidArguments {
            problems: vec![format!("Unknown error code: {reason}")],
        })?;
        self.decide()?;
        let fail =
            FailRequest { request_id: self.inner.id.clone(), error_reason: (*error_reason).to_owned() };
        self.report(self.inner.session.call(fail).await)
    }

    /// Continues the request unchanged, without waiting for the browser's confirmation.
    pub fn continue_unchanged(&self) {
        if self.decide().is_ok() {
            let resume = ContinueRequest { request_id: self.inner.id.clone(), ..ContinueRequest::default() };
            self.inner.session.send(resume).ignore();
        }
    }

    /// Aborts the request as `BlockedByClient`, without waiting for the browser's confirmation.
    pub(in crate::browser) fn refuse_at_once(&self) {
        if self.decide().is_ok() {
            let fail =
                FailRequest { request_id: self.inner.id.clone(), error_reason: "BlockedByClient".to_owned() };
            self.inner.session.send(fail).ignore();
        }
    }

    fn decide(&self) -> Result<()> {
        match self.inner.decided.swap(true, Ordering::AcqRel) {
            true => Err(Error::InvalidArguments { problems: vec!["Route is already handled!".to_owned()] }),
            false => {
                self.request().set_held(false);
                Ok(())
            }
        }
    }

    fn undecide(&self) {
        self.inner.decided.store(false, Ordering::Release);
        self.request().set_held(true);
    }

    /// Returns the headers that may be overridden. An unchanged `Cookie` header is left out, because it would
    /// override cookies that the browser received in the meantime.
    fn sendable(&self, headers: &[(String, String)]) -> Vec<(String, String)> {
        let cookie = self.request().headers().get("cookie");
        let is_changed = |(name, value): &&(String, String)| {
            !name.eq_ignore_ascii_case("cookie") || cookie != Some(value.as_str())
        };
        let is_free = |(name, _): &&(String, String)| {
            !WRITTEN_BY_THE_BROWSER.iter().any(|own| name.eq_ignore_ascii_case(own))
        };
        headers.iter().filter(is_free).filter(is_changed).cloned().collect()
    }

    /// Ignores the error if the page has cancelled the request. Returns any other error, and lets the handler decide
    /// again.
    fn report<T>(&self, decided: Result<T>) -> Result<()> {
        match decided {
            Err(Error::Protocol { ref message, .. })
                if message.contains("Invalid InterceptionId")
                    || message.contains("domain is not enabled") =>
            {
                Ok(())
            }
            Err(Error::PageClosed | Error::FrameDetached) => Ok(()),
            other => other.map(drop).inspect_err(|_| self.undecide()),
        }
    }
}

/// Whether responses from this URL must not set secure cookies, which the browser accepts from handlers.
fn is_plain_http(url: &str) -> bool {
    let Ok(url) = url::Url::parse(url) else { return false };
    let host = url.host_str().unwrap_or_default();
    let is_here = is_loopback_host_name(host) || host == "[::1]" || host.starts_with("127.");
    url.scheme() == "http" && !is_here
}

fn is_secure(cookie: &str) -> bool {
    cookie.split(';').skip(1).any(|part| part.trim().eq_ignore_ascii_case("secure"))
}

fn scheme(url: &str) -> Option<&str> {
    url.split_once(':').map(|(scheme, _)| scheme)
}

pub(in crate::browser) fn entries(headers: impl Iterator<Item = (String, String)>) -> Vec<HeaderEntry> {
    // The browser expects an entry for each repeated header. Here, their values are joined by newlines.
    let split = |(name, value): (String, String)| {
        let values: Vec<_> = value.split('\n').map(str::to_owned).collect();
        values.into_iter().map(move |value| HeaderEntry { name: name.clone(), value })
    };
    headers.flat_map(split).collect()
}

/// Returns the response to a CORS preflight that permits the actual request.
pub(in crate::browser) fn preflight_answer(asked: &HeaderList) -> Fulfillment {
    let requested = |name: &str, otherwise: &str| asked.get(name).unwrap_or(otherwise).to_owned();
    let header = |name: &str, value: String| (name.to_owned(), value);
    Fulfillment {
        status: 204,
        headers: vec![
            header("Access-Control-Allow-Origin", requested("origin", "*")),
            header(
                "Access-Control-Allow-Methods",
                requested("access-control-request-method", "GET, POST, OPTIONS, DELETE"),
            ),
            header("Access-Control-Allow-Headers", requested("access-control-request-headers", "")),
            header("Access-Control-Allow-Credentials", "true".to_owned()),
        ],
        body: Vec::new(),
    }
}

/// Playwright's abort reasons, each with CDP's name.
pub const ABORT_REASONS: [(&str, &str); 14] = [
    ("aborted", "Aborted"),
    ("accessdenied", "AccessDenied"),
    ("addressunreachable", "AddressUnreachable"),
    ("blockedbyclient", "BlockedByClient"),
    ("blockedbyresponse", "BlockedByResponse"),
    ("connectionaborted", "ConnectionAborted"),
    ("connectionclosed", "ConnectionClosed"),
    ("connectionfailed", "ConnectionFailed"),
    ("connectionrefused", "ConnectionRefused"),
    ("connectionreset", "ConnectionReset"),
    ("internetdisconnected", "InternetDisconnected"),
    ("namenotresolved", "NameNotResolved"),
    ("timedout", "TimedOut"),
    ("failed", "Failed"),
];

/// Returns the standard reason phrase of an HTTP status; `Unknown` if there is none.
pub fn reason_phrase(status: u32) -> &'static str {
    let known = u16::try_from(status).ok().and_then(|status| reqwest::StatusCode::from_u16(status).ok());
    known.and_then(|status| status.canonical_reason()).unwrap_or("Unknown")
}
