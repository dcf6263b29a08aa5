//! Serves the trace viewer on loopback, at a secret path.
use std::collections::HashMap;
use std::net::Ipv4Addr;
use std::sync::Arc;

use axum::body::Body;
use axum::http::header::{self, HeaderValue};
use axum::http::{Method, Request, Response, StatusCode};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hyper::body::Incoming;
use serde_json::Value;
use subtle::ConstantTimeEq as _;
use tokio::net::TcpListener;

use super::guard::RequestGuard;
use super::live::{plain, refused, scripted, serve_loopback};
use crate::trace::{Resource, SnapshotPhase, SnapshotQuery, Trace, VIEWER_HTML};

/// CSP directives for the viewer page: images and frames only from this server.
const LOADS: &str = "img-src 'self'; frame-src 'self'";
/// The CSP for recorded documents: no scripts, and only resources of the trace.
const DOCUMENT_POLICY: &str = "default-src 'none'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src data:; \
     frame-src 'self'; base-uri 'none'; form-action 'none'; sandbox";
const NOTHING: &str = "default-src 'none'; sandbox";

/// A web server that shows one trace.
#[derive(Debug)]
pub struct TraceServer {
    listener: TcpListener,
    token: String,
    trace: Arc<Trace>,
}

impl TraceServer {
    /// Opens a port on loopback. Port 0 means any free port.
    pub async fn bind(trace: Trace, port: u16) -> std::io::Result<Self> {
        let mut bits = [0; 16];
        getrandom::fill(&mut bits).map_err(|error| std::io::Error::other(error.to_string()))?;
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
        Ok(Self { listener, token: URL_SAFE_NO_PAD.encode(bits), trace: Arc::new(trace) })
    }

    /// Returns the URL of the viewer, with its secret path.
    pub fn url(&self) -> std::io::Result<String> {
        Ok(format!("http://{}/{}/", self.listener.local_addr()?, self.token))
    }

    /// Serves requests until this future is dropped.
    pub async fn serve(self) {
        let (token, trace) = (Arc::<str>::from(self.token), self.trace);
        let Ok(guard) = RequestGuard::new("127.0.0.1", &[], &[]).map(RequestGuard::with_null_origin) else {
            return;
        };
        serve_loopback(self.listener, guard, move |request| {
            let (token, trace) = (Arc::clone(&token), Arc::clone(&trace));
            async move { answer(&token, trace, request).await }
        })
        .await;
    }
}

async fn answer(token: &str, trace: Arc<Trace>, request: Request<Incoming>) -> Response<Body> {
    let (request, _) = request.into_parts();
    let mut parts = request.uri.path().trim_start_matches('/').splitn(2, '/');
    let known = parts.next().is_some_and(|given| given.as_bytes().ct_eq(token.as_bytes()).into());
    let Some(piece) = parts.next().filter(|_| known && request.method == Method::GET) else {
        return refused();
    };
    if piece.is_empty() {
        return scripted(VIEWER_HTML, LOADS);
    }
    let piece = piece.to_owned();
    let query = url::form_urlencoded::parse(request.uri.query().unwrap_or_default().as_bytes());
    let query: HashMap<String, String> = query.into_owned().collect();
    let answered = tokio::task::spawn_blocking(move || self::piece(&trace, &piece, &query)).await;
    answered.ok().flatten().unwrap_or_else(|| plain(StatusCode::NOT_FOUND, "Not found\n"))
}

/// Returns the response for one part of the trace, such as `overview`; `None` if it does not exist.
fn piece(trace: &Trace, piece: &str, query: &HashMap<String, String>) -> Option<Response<Body>> {
    let get = |name: &str| query.get(name).map(String::as_str);
    let index = |name: &str| get(name)?.parse().ok();
    match piece {
        "overview" => Some(json(&trace.overview())),
        "call" => trace.call(get("id")?).as_ref().map(json),
        "request" => trace.request(index("index")?).as_ref().map(json),
        "source" => trace.source_file(get("file")?).map(|text| json(&Value::from(text))),
        "picture" => trace.screencast_frame(index("index")?).map(resource),
        "resource" => trace.resource(index("at")?, get("url")?).map(resource),
        "document" => {
            let query = SnapshotQuery {
                call: get("call")?,
                phase: SnapshotPhase::from_name(get("phase")?)?,
                frame: get("frame"),
            };
            trace
                .document(&query)
                .map(|html| written("text/html; charset=utf-8", html.into_bytes(), DOCUMENT_POLICY))
        }
        _ => None,
    }
}

fn json(value: &Value) -> Response<Body> {
    written("application/json", value.to_string().into_bytes(), NOTHING)
}

fn resource(resource: Resource) -> Response<Body> {
    written(&resource.mime, resource.content, NOTHING)
}

fn written(mime: &str, content: Vec<u8>, policy: &'static str) -> Response<Body> {
    let mut response = Response::new(Body::from(content));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(policy));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    if let Ok(mime) = HeaderValue::try_from(mime) {
        headers.insert(header::CONTENT_TYPE, mime);
    }
    response
}
