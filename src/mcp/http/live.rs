//! The HTTP routes of the live view, below `/live/`. Without a valid cookie, they do not reveal links.
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::header::{self, HeaderValue};
use axum::http::request::Parts;
use axum::http::{Method, Request, Response, StatusCode};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http_body_util::{BodyExt, Limited};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use serde::Deserialize;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};
use tokio_util::sync::CancellationToken;

use super::guard::RequestGuard;
use super::keys::{ApiKeys, KeyCheck};
use crate::live::{Handover, LIVE_VIEW_HTML, LiveView, VisitorAuth, viewer};

/// The maximum size of a WebSocket message from a viewer, in bytes.
const LARGEST_MESSAGE: usize = 256 << 10;
/// The maximum size of a request body with a visitor's credentials, in bytes.
const LARGEST_ENTRY: usize = 4 << 10;
/// The maximum size of an uploaded file, in bytes.
const LARGEST_FILE: usize = 64 << 20;
const MOST_FILES: usize = 50;
pub(super) const ARRIVAL: Duration = Duration::from_secs(60);
const MOST_CONNECTIONS: usize = 32;
/// The path prefix of the live view.
pub(super) const PATH: &str = "/live/";
const COOKIE: &str = "live";
const REFUSED: &str = "This link is not valid.\n";

/// The credentials that a visitor sends to open a live view.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct VisitorCredentials {
    code: String,
    key: String,
}

/// Answers a request below `/live/`, whose `Host` and `Origin` headers are checked already.
pub(super) async fn answer(live: &LiveView, keys: &ApiKeys, request: Request<Incoming>) -> Response<Body> {
    let path = request.uri().path().to_owned();
    let mut parts = path.trim_start_matches(PATH).split('/');
    let (id, action, rest) = (parts.next().unwrap_or_default(), parts.next(), parts.next());
    let method = request.method().clone();
    match (method, action, rest) {
        (Method::GET, None, None) if !id.is_empty() => page(),
        (Method::POST, Some("enter"), None) => enter(live, keys, id, request).await,
        (Method::GET, Some("ws"), None) => match known(live, id, request.headers()) {
            Some(handover) => connect(handover, request),
            None => refused(),
        },
        (Method::POST, Some("file"), None) => match known(live, id, request.headers()) {
            Some(handover) if handover.person_has_control() => take_file(&handover, request).await,
            _ => refused(),
        },
        _ => plain(StatusCode::NOT_FOUND, "Not found\n"),
    }
}

/// Returns the HTML page of the live view, which is the same for all links.
fn page() -> Response<Body> {
    scripted(LIVE_VIEW_HTML, "img-src blob:")
}

/// Returns an HTML page whose CSP allows its own script and style (`{nonce}`), and the directives in `more`.
pub(super) fn scripted(page: &str, more: &str) -> Response<Body> {
    let mut bits = [0; 16];
    if getrandom::fill(&mut bits).is_err() {
        return plain(StatusCode::INTERNAL_SERVER_ERROR, "No random numbers\n");
    }
    let nonce = URL_SAFE_NO_PAD.encode(bits);
    let policy = format!(
        "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; connect-src 'self'; {more}; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    );
    let mut response = Response::new(Body::from(page.replace("{nonce}", &nonce)));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert("cross-origin-opener-policy", HeaderValue::from_static("same-origin"));
    if let Ok(policy) = HeaderValue::try_from(policy) {
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    response
}

/// Gives a visitor a cookie for a live view, in exchange for a valid code, key or header.
async fn enter(live: &LiveView, keys: &ApiKeys, id: &str, request: Request<Incoming>) -> Response<Body> {
    let (parts, body) = request.into_parts();
    let body = timeout(ARRIVAL, Limited::new(body, LARGEST_ENTRY).collect()).await;
    let Ok(Ok(body)) = body else { return refused() };
    let shown: VisitorCredentials = serde_json::from_slice(&body.to_bytes()).unwrap_or_default();
    let Some(handover) = live.find_handover(id) else { return refused() };
    let pass = match &live.options().entry {
        VisitorAuth::Code => handover.admission.redeem_code(shown.code.trim()),
        VisitorAuth::Key if holds(keys, &shown.key, handover.owner()) => {
            handover.admission.admit_without_code()
        }
        VisitorAuth::Key => handover.admission.redeem_code(""),
        VisitorAuth::Header(name) if names_somebody(&parts, name) => handover.admission.admit_without_code(),
        VisitorAuth::Header(_) => None,
    };
    let Some(pass) = pass else { return refused() };
    let base = live.options().url.as_deref().and_then(|url| url::Url::parse(url).ok());
    let secure = base.as_ref().is_some_and(|base| base.scheme() == "https");
    let folder = base.map(|base| base.path().trim_end_matches('/').to_owned()).unwrap_or_default();
    let secure = if secure { "; Secure" } else { "" };
    let cookie = format!("{COOKIE}={pass}; Path={folder}/live/{id}; HttpOnly; SameSite=Strict{secure}");
    let mut response = plain(StatusCode::NO_CONTENT, "");
    if let Ok(cookie) = HeaderValue::try_from(cookie) {
        response.headers_mut().insert(header::SET_COOKIE, cookie);
    }
    response
}

/// Whether `key` is an API key of the page's owner.
fn holds(keys: &ApiKeys, key: &str, owner: Option<&str>) -> bool {
    let bearer = format!("Bearer {}", key.trim());
    match keys.judge(std::iter::once(bearer.as_bytes())) {
        KeyCheck::Known(known) => known.folder.as_deref() == owner,
        KeyCheck::Missing(_) | KeyCheck::Wrong => false,
    }
}

fn names_somebody(parts: &Parts, name: &str) -> bool {
    parts.headers.get(name).is_some_and(|value| !value.as_bytes().trim_ascii().is_empty())
}

/// Returns the hand-over with this id, if the request has a valid cookie for it.
fn known(live: &LiveView, id: &str, headers: &axum::http::HeaderMap) -> Option<Arc<Handover>> {
    let handover = live.find_handover(id)?;
    let values = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut passes = values
        .flat_map(|value| value.split(';'))
        .filter_map(|pair| pair.trim().strip_prefix(COOKIE)?.strip_prefix('='));
    passes.any(|pass| handover.admission.is_admitted(pass)).then_some(handover)
}

/// Upgrades the request to a WebSocket connection.
fn connect(handover: Arc<Handover>, mut request: Request<Incoming>) -> Response<Body> {
    let headers = request.headers();
    let is = |name: header::HeaderName, value: &str| {
        headers.get(name).is_some_and(|given| given.as_bytes().eq_ignore_ascii_case(value.as_bytes()))
    };
    let key = headers.get(header::SEC_WEBSOCKET_KEY).map(|key| derive_accept_key(key.as_bytes()));
    // Only browsers connect here, and they always send an `Origin` header.
    let good = is(header::UPGRADE, "websocket")
        && is(header::SEC_WEBSOCKET_VERSION, "13")
        && headers.contains_key(header::ORIGIN);
    let Some(accept) = key.filter(|_| good).and_then(|key| HeaderValue::try_from(key).ok()) else {
        return refused();
    };
    let upgrade = hyper::upgrade::on(&mut request);
    tokio::spawn(async move {
        let Ok(upgraded) = upgrade.await else { return };
        let config = WebSocketConfig::default()
            .max_message_size(Some(LARGEST_MESSAGE))
            .max_frame_size(Some(LARGEST_MESSAGE));
        let socket =
            WebSocketStream::from_raw_socket(TokioIo::new(upgraded), Role::Server, Some(config)).await;
        Box::pin(viewer::serve(handover, socket)).await;
    });
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
    let headers = response.headers_mut();
    headers.insert(header::CONNECTION, HeaderValue::from_static("upgrade"));
    headers.insert(header::UPGRADE, HeaderValue::from_static("websocket"));
    headers.insert(header::SEC_WEBSOCKET_ACCEPT, accept);
    response
}

/// Stores an uploaded file for the open file chooser, under the name in the query.
async fn take_file(handover: &Handover, request: Request<Incoming>) -> Response<Body> {
    let (parts, body) = request.into_parts();
    let query = parts.uri.query().unwrap_or_default().to_owned();
    let name = url::form_urlencoded::parse(query.as_bytes()).find(|(name, _)| name == "name");
    let name = name.map(|(_, name)| name.into_owned()).unwrap_or_default();
    let good = !name.is_empty()
        && name.len() <= 200
        && !name.starts_with('.')
        && !name.contains(['/', '\\'])
        && !name.chars().any(char::is_control);
    let Ok(folder) = handover.upload_folder() else { return refused() };
    let many = std::fs::read_dir(&folder).is_ok_and(|files| files.count() >= MOST_FILES);
    if !good || many {
        return plain(StatusCode::BAD_REQUEST, "This file cannot be taken.\n");
    }
    let Ok(Ok(body)) = timeout(ARRIVAL, Limited::new(body, LARGEST_FILE).collect()).await else {
        return plain(StatusCode::PAYLOAD_TOO_LARGE, "This file is too large.\n");
    };
    match tokio::fs::write(folder.join(&name), body.to_bytes()).await {
        Ok(()) => plain(StatusCode::NO_CONTENT, ""),
        Err(_) => plain(StatusCode::INTERNAL_SERVER_ERROR, "This file cannot be kept.\n"),
    }
}

/// Serves the live view on loopback while a hand-over is open, for a server that uses stdio.
pub async fn serve_open_handovers(live: LiveView, ended: CancellationToken) {
    let mut wanted = live.watch_open_handovers();
    loop {
        tokio::select! {
            () = ended.cancelled() => return,
            changed = wanted.wait_for(|wanted| *wanted > 0) => if changed.is_err() { return },
        }
        let listener = match TcpListener::bind(("127.0.0.1", 0)).await {
            Ok(listener) => listener,
            Err(error) => {
                tracing::warn!(%error, "the live view has no port");
                return;
            }
        };
        let Ok(address) = listener.local_addr() else { return };
        live.set_base_url(Some(format!("http://{address}")));
        tokio::select! {
            () = ended.cancelled() => {}
            _ = wanted.wait_for(|wanted| *wanted == 0) => {}
            () = listen(&live, listener) => {}
        }
        live.set_base_url(None);
    }
}

async fn listen(live: &LiveView, listener: TcpListener) {
    let live = live.clone();
    let Ok(guard) = RequestGuard::new("127.0.0.1", &[], &[]) else { return };
    serve_loopback(listener, guard, move |request| {
        let live = live.clone();
        async move {
            if request.uri().path().starts_with(PATH) {
                answer(&live, &ApiKeys::allow_anyone(), request).await
            } else {
                plain(StatusCode::NOT_FOUND, "Not found\n")
            }
        }
    })
    .await;
}

/// Answers the requests that the guard allows, and refuses the others.
pub(super) async fn serve_loopback<A, F>(listener: TcpListener, guard: RequestGuard, answer: A)
where
    A: Fn(Request<Incoming>) -> F + Clone + Send + 'static,
    F: Future<Output = Response<Body>> + Send + 'static,
{
    let guard = Arc::new(guard);
    let mut serving = JoinSet::new();
    loop {
        tokio::select! {
            Some(_) = serving.join_next() => {}
            accepted = listener.accept(), if serving.len() < MOST_CONNECTIONS => match accepted {
                Ok((stream, _)) => drop(serving.spawn(serve(answer.clone(), Arc::clone(&guard), stream))),
                Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
            },
        }
    }
}

async fn serve<A, F>(answer: A, guard: Arc<RequestGuard>, stream: TcpStream)
where
    A: Fn(Request<Incoming>) -> F + Clone + Send + 'static,
    F: Future<Output = Response<Body>> + Send + 'static,
{
    let _ = stream.set_nodelay(true);
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(ARRIVAL);
    let answer = service_fn(move |request: Request<Incoming>| {
        let (answer, guard) = (answer.clone(), Arc::clone(&guard));
        async move {
            let refusal = guard.refusal(request.uri(), request.headers());
            let response = match refusal {
                Some(_) => refused(),
                None => answer(request).await,
            };
            Ok::<_, Infallible>(hardened(response))
        }
    });
    let _ = builder.serve_connection(TokioIo::new(stream), answer).with_upgrades().await;
}

fn hardened(mut response: Response<Body>) -> Response<Body> {
    let headers = response.headers_mut();
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// Returns the response to every refused request. It is always the same, so that it reveals nothing.
pub(super) fn refused() -> Response<Body> {
    plain(StatusCode::FORBIDDEN, REFUSED)
}

pub(super) fn plain(status: StatusCode, text: &'static str) -> Response<Body> {
    let mut response = Response::new(Body::from(Bytes::from_static(text.as_bytes())));
    *response.status_mut() = status;
    if !text.is_empty() {
        let kind = HeaderValue::from_static("text/plain; charset=utf-8");
        response.headers_mut().insert(header::CONTENT_TYPE, kind);
    }
    response
}
