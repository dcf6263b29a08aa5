//! Listens for HTTP requests and answers them.
use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::header::{self, HeaderValue};
use axum::http::request::Parts;
use axum::http::{Method, Request, Response, StatusCode};
use futures_util::future::join_all;
use http_body_util::{BodyExt, Collected, Empty, Full, LengthLimitError, Limited};
use hyper::body::{Frame, Incoming, SizeHint};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, ErrorCode, ErrorData, JsonRpcMessage};
use rmcp::transport::streamable_http_server::session::SessionManager;
use rmcp::transport::streamable_http_server::session::local::{LocalSessionManager, SessionConfig};
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval, timeout};
use tokio_util::sync::CancellationToken;

use super::clients::{ClientLimits, Clients, Name, Presence};
use super::entrance::{AcceptedConnection, UnauthenticatedConnections};
use super::guard::RequestGuard;
use super::keys::{ApiKeys, KeyCheck};
use super::oauth::{Denied, OAuth};
use super::owner::Owner;
use super::replicas::{
    ClientLocation, PeerClients, SharedSessions, connection_name, is_from_peer, state_unavailable,
    uses_own_tabs,
};
use crate::error::{Error, Result};
use crate::fleet::{PEER_CALL_PATH, Replica};
use crate::json::without_half_pairs;
use crate::live::LiveView;
use crate::mcp::dispatch::Dispatcher;
use crate::mcp::metrics;
use crate::mcp::server::{NoQuestions, Server, SharedIdentity};
use crate::mcp::shutdown::{self, Shutdown};
use crate::mcp::stdio;
use crate::mcp::strict_json;

/// The maximum size of a request body, in bytes.
pub(super) const LARGEST_BODY: usize = 4 << 20;
const LARGEST_HEAD: usize = 64 << 10;
const MOST_HEADERS: usize = 100;
const SESSION: &str = "mcp-session-id";
const VERSION: &str = "mcp-protocol-version";
/// The protocol revision without sessions and handshake.
const WITHOUT_SESSIONS: &[u8] = b"2026-07-28";
/// The protocol revision with batches. It is assumed for requests without a version header.
const WITH_BATCHES: &[u8] = b"2025-03-26";
const COOKIE: &str = "patchright-mcp-client";
const EVENT_STREAM: &str = "text/event-stream";
/// The value of `Retry-After`, in seconds, when the limit of clients is reached.
const COME_BACK_S: &str = "30";
/// The interval between checks of the key file when no requests arrive.
const KEY_RHYTHM: Duration = Duration::from_secs(1);
/// The number of users for which the connection limit is sized, if an authorization server identifies them.
const EXPECTED_USERS: usize = 16;

/// The options of the HTTP server: address, keys and limits.
#[derive(Debug, Clone)]
pub struct HttpOptions {
    pub host: String,
    /// The port; 0 for any free port.
    pub port: u16,
    pub keys: ApiKeys,
    pub guard: RequestGuard,
    pub limits: ClientLimits,
    /// Whether `/metrics` is served.
    pub metrics: bool,
}

/// A server whose port is open, but which does not answer requests yet.
#[derive(Debug)]
pub struct HttpServer {
    listener: TcpListener,
    address: SocketAddr,
    options: HttpOptions,
}

impl HttpServer {
    /// Opens the port of the server.
    ///
    /// # Errors `unsupported` if the port cannot be opened, or is open to other machines without a key.
    pub async fn bind(options: HttpOptions) -> Result<Self> {
        let failed = |reason: String| Error::Unsupported { what: "listening", reason };
        let name = options.host.trim_matches(['[', ']']).to_owned();
        let addresses: Vec<_> = tokio::net::lookup_host((name.as_str(), options.port))
            .await
            .map_err(|error| failed(format!("{name}: {error}")))?
            .collect();
        if options.keys.allows_anyone() && !addresses.iter().all(|address| address.ip().is_loopback()) {
            return Err(failed("without a key only loopback is served".to_owned()));
        }
        let listener = TcpListener::bind(&*addresses).await;
        let listener = listener.map_err(|error| failed(format!("port {}: {error}", options.port)))?;
        let address = listener.local_addr().map_err(|error| failed(error.to_string()))?;
        Ok(Self { listener, address, options })
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the URL of the MCP endpoint, for clients.
    pub fn url(&self) -> String {
        let host = match self.address.ip() {
            IpAddr::V6(address) => format!("[{address}]"),
            IpAddr::V4(address) => address.to_string(),
        };
        format!("http://{host}:{}/mcp", self.address.port())
    }

    /// Serves requests until `shutdown` begins. Then closes the browser.
    pub async fn serve(self, dispatcher: Arc<Dispatcher>, shutdown: &Shutdown) {
        let base = self.url().trim_end_matches("/mcp").to_owned();
        let clients = Clients::new(Arc::clone(&dispatcher), self.options.limits);
        let mut sessions = LocalSessionManager::default();
        let mut config = SessionConfig::default();
        config.keep_alive = None; // The sweep below removes absent clients and their pages.
        sessions.session_config = config;
        let sessions = Arc::new(sessions);
        // Ends running requests at shutdown, after `App::leave`: calls may finish if other servers continue.
        let ending = CancellationToken::new();
        let mut config = StreamableHttpServerConfig::default()
            .disable_allowed_hosts() // `RequestGuard` checks them, before the body is read.
            .with_max_request_body_bytes(LARGEST_BODY)
            .with_cancellation_token(ending.clone());
        let replica = dispatcher.replica().cloned();
        if let Some(replica) = &replica {
            replica.set_listening_url(&base);
            replica.start_heartbeat();
            config.session_store = Some(Arc::new(SharedSessions(Arc::clone(replica))));
        }
        let nobody = Server::new(Arc::clone(&dispatcher));
        let service = StreamableHttpService::new(move || Ok(nobody.clone()), Arc::clone(&sessions), config);
        let strangers = Arc::new(UnauthenticatedConnections::default());
        let live = dispatcher.live().cloned();
        if let Some(live) = &live {
            live.set_base_url(Some(base));
        }
        let app = Arc::new(App {
            options: self.options,
            dispatcher: Arc::clone(&dispatcher),
            clients,
            sessions,
            service,
            live,
            replica,
            peer_clients: PeerClients::default(),
            ending: ending.clone(),
            leaving: AtomicBool::new(false),
        });
        let most_connections = || {
            let keys = &app.options.keys;
            let owners = keys.count() + keys.oauth().map_or(0, |_| EXPECTED_USERS);
            4 * app.options.limits.most * owners.max(1) + 64
        };
        let mut serving = JoinSet::new();
        let mut looking = interval(KEY_RHYTHM);
        looking.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut sweeping = interval(app.clients.rhythm());
        sweeping.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                () = shutdown.token().cancelled() => break,
                _ = sweeping.tick() => {
                    let app = Arc::clone(&app);
                    serving.spawn(async move { app.sweep().await });
                }
                _ = looking.tick(), if app.options.keys.file().is_some() => {
                    let app = Arc::clone(&app);
                    serving.spawn(async move { app.end_revoked().await });
                }
                Some(_) = serving.join_next() => {}
                stream = accept(&self.listener), if serving.len() < most_connections() || strangers.has_any() => {
                    if serving.len() >= most_connections() {
                        strangers.close_oldest();
                    }
                    let app = Arc::clone(&app);
                    strangers.accept(|entrance| serving.spawn(connection(app, stream, entrance)));
                }
            }
        }
        drop(self.listener);
        app.leave().await;
        ending.cancel();
        // Requests in progress get a moment to end on their own.
        let _ =
            timeout(Duration::from_millis(300), async { while serving.join_next().await.is_some() {} }).await;
        serving.abort_all();
        if timeout(shutdown::BROWSER_CLOSE_TIMEOUT, dispatcher.services.engine.close()).await.is_err() {
            tracing::warn!("the browser did not close in time");
        }
    }
}

async fn accept(listener: &TcpListener) -> TcpStream {
    loop {
        if let Ok((stream, _)) = listener.accept().await {
            let _ = stream.set_nodelay(true);
            return stream;
        }
        // Probably all file descriptors are in use; one may soon be free.
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Serves the requests of one connection until it ends.
async fn connection(app: Arc<App>, stream: TcpStream, entrance: AcceptedConnection) {
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(app.options.limits.arrival);
    builder.max_buf_size(LARGEST_HEAD).max_headers(MOST_HEADERS);
    let entrance = Arc::new(entrance);
    let answer = service_fn(move |request| {
        let (app, entrance) = (Arc::clone(&app), Arc::clone(&entrance));
        async move { Ok::<_, Infallible>(app.answer(request, &entrance).await) }
    });
    let _ = builder.serve_connection(TokioIo::new(stream), answer).with_upgrades().await;
}

pub(super) struct App {
    pub(super) options: HttpOptions,
    pub(super) clients: Arc<Clients>,
    pub(super) sessions: Arc<LocalSessionManager>,
    pub(super) service: StreamableHttpService<Server, LocalSessionManager>,
    pub(super) live: Option<LiveView>,
    pub(super) dispatcher: Arc<Dispatcher>,
    /// The group of servers that share state; `None` for a single server.
    pub(super) replica: Option<Arc<Replica>>,
    pub(super) peer_clients: PeerClients,
    /// Cancelled when the server shuts down.
    pub(super) ending: CancellationToken,
    /// Whether this server rejects new calls, because it shuts down while other servers continue.
    pub(super) leaving: AtomicBool,
}

/// The sender of a request, as authenticated.
#[derive(Debug, Clone)]
struct Requester {
    owner: Owner,
    session: Option<Name>,
    from_peer: bool,
}

pub(super) type Refused = Box<Response<Body>>;

impl App {
    async fn sweep(&self) {
        for name in self.clients.sweep().await {
            let _ = self.sessions.close_session(&name.connection.as_str().into()).await;
        }
    }

    /// Closes everything of owners whose key is no longer valid, or has other permissions now.
    async fn end_revoked(&self) {
        let Some(file) = self.options.keys.file() else { return };
        for folder in file.take_revoked_folders() {
            // The order matters: a client that connects meanwhile must not get a browser that is closing.
            let ((), names) = tokio::join!(self.dispatcher.end_owner(&folder), self.clients.revoke(&folder));
            for name in names {
                let _ = self.sessions.close_session(&name.connection.as_str().into()).await;
            }
        }
    }

    async fn answer(&self, request: Request<Incoming>, entrance: &AcceptedConnection) -> Response<Body> {
        let mut response = self.try_answer(request, entrance).await.unwrap_or_else(|refused| *refused);
        let headers = response.headers_mut();
        headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
        response
    }

    async fn try_answer(
        &self,
        request: Request<Incoming>,
        entrance: &AcceptedConnection,
    ) -> Result<Response<Body>, Refused> {
        let (parts, body) = request.into_parts();
        let from_peer = self.replica.as_ref().is_some_and(|replica| is_from_peer(replica, &parts.headers));
        if from_peer && parts.uri.path() == PEER_CALL_PATH {
            entrance.mark_authenticated();
            self.refuse_if_leaving()?;
            return Ok(self.peer_clients.answer(&self.dispatcher, body).await);
        }
        if let Some(reason) = self.options.guard.refusal(&parts.uri, &parts.headers).filter(|_| !from_peer) {
            tracing::debug!(reason, "refused a request");
            return Err(plain(StatusCode::FORBIDDEN, reason));
        }
        if let Some(status_response) = self.status(&parts) {
            return Ok(status_response);
        }
        match parts.uri.path() {
            // Many users write the URL with a trailing slash.
            "/mcp" | "/mcp/" => {}
            path if path.starts_with("/live/") && self.live.is_some() => {
                entrance.mark_authenticated();
                let Some(live) = &self.live else { return Err(not_allowed()) };
                return self.receive(live, Request::from_parts(parts, body), from_peer).await;
            }
            _ => return Err(plain(StatusCode::NOT_FOUND, "Not found; the server is at /mcp")),
        }
        let owner = self.admit(&parts).await?;
        entrance.mark_authenticated();
        self.refuse_if_leaving()?;
        let session = match parts.headers.get(SESSION) {
            None => None,
            Some(id) => match self.session_of(&owner, id) {
                Some(name) => Some(name),
                None => match self.session_elsewhere(&owner, id, from_peer).await? {
                    ClientLocation::Here(name) => Some(name),
                    ClientLocation::Elsewhere(peer) => {
                        let body = collect(body, &parts, self.options.limits.arrival).await?;
                        return self.forward(&peer, &parts, body).await;
                    }
                },
            },
        };
        match parts.method {
            Method::POST => {}
            Method::GET => return self.stream(parts, session).await,
            Method::DELETE => return Ok(self.end_session(parts, session).await),
            _ => return Err(not_allowed()),
        }
        let asker = Requester { owner, session, from_peer };
        self.answer_body(parts, body, asker).await
    }

    async fn answer_body(
        &self,
        parts: Parts,
        body: Incoming,
        asker: Requester,
    ) -> Result<Response<Body>, Refused> {
        let bytes = read(&parts, body, self.options.limits.arrival).await?;
        if let Some(oauth) = self.options.keys.oauth()
            && let Some(scope) = oauth.scope_for(&asker.owner, &bytes)
        {
            return Err(beyond_scope(oauth, scope));
        }
        match batch_of(&parts, &bytes) {
            Some(batch) => self.answer_batch(parts, &asker, batch).await,
            None => self.answer_message(parts, asker, bytes).await,
        }
    }

    /// Answers a batch of messages, which only protocol revision 2025-03-26 has.
    async fn answer_batch(
        &self,
        mut parts: Parts,
        asker: &Requester,
        batch: Vec<Value>,
    ) -> Result<Response<Body>, Refused> {
        parts.headers.insert(header::ACCEPT, HeaderValue::from_static("application/json"));
        if batch.iter().any(|message| message.get("method").is_some_and(|method| method == "initialize")) {
            return Err(plain(StatusCode::BAD_REQUEST, "initialize cannot be one of several messages"));
        }
        let asks = batch.iter().any(|message| message.get("id").is_some());
        let answers = batch.into_iter().map(async |message| {
            let answer = self.answer_message(parts.clone(), asker.clone(), message.to_string().into());
            let answer = answer.await.unwrap_or_else(|refused| *refused);
            let body = answer.into_body().collect().await.map(Collected::to_bytes);
            serde_json::from_slice::<Value>(&body.unwrap_or_default()).ok()
        });
        let answers: Vec<_> = join_all(answers).await.into_iter().flatten().collect();
        Ok(match answers.is_empty() {
            true if asks => {
                let error =
                    ErrorData::invalid_request("These messages need a session: initialize first", None);
                let refused = json!({ "jsonrpc": "2.0", "id": null, "error": error });
                json_response(StatusCode::BAD_REQUEST, &refused)
            }
            true => {
                let mut accepted = Response::new(Body::empty());
                *accepted.status_mut() = StatusCode::ACCEPTED;
                accepted
            }
            false => json_response(StatusCode::OK, &Value::Array(answers)),
        })
    }

    async fn answer_message(
        &self,
        mut parts: Parts,
        asker: Requester,
        bytes: Bytes,
    ) -> Result<Response<Body>, Refused> {
        let Requester { owner, session, from_peer } = asker;
        let wants_events = accepts_events(&parts);
        // A copy of the request, in case another server must answer it.
        let asked = self.replica.is_some().then(|| parts.clone());
        let (bytes, message) = understand(&parts, bytes)?;
        // The SDK requires that clients accept both formats. The response's format is chosen below.
        parts.headers.insert(header::ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
        let begins = matches!(&message, JsonRpcMessage::Request(request) if matches!(request.request, ClientRequest::InitializeRequest(_)));
        let discovers = matches!(&message, JsonRpcMessage::Request(request) if matches!(request.request, ClientRequest::DiscoverRequest(_)));
        let cookie = cookie_of(&parts);
        let name = match (&session, begins) {
            (Some(name), _) => name.clone(),
            (None, true) => {
                Name { owner: owner.clone(), connection: format!("new {}", uuid::Uuid::new_v4()) }
            }
            (None, false) => {
                let connection = cookie.clone().unwrap_or_else(|| client_named_in(&bytes));
                Name { owner: owner.clone(), connection }
            }
        };
        if session.is_none()
            && !from_peer
            && uses_own_tabs(&message)
            && let ClientLocation::Elsewhere(peer) = self.locate_client(&name).await?
        {
            return self.forward(&peer, asked.as_ref().unwrap_or(&parts), bytes).await;
        }
        if !wants_events {
            parts.extensions.insert(NoQuestions);
        }
        if session.is_none() && cookie.is_none() {
            parts.extensions.insert(SharedIdentity);
        }
        let mut presence = None;
        if !discovers {
            let (client, present) = self.clients.enter(name.clone(), false).ok_or_else(no_room)?;
            parts.extensions.insert(client);
            presence = Some(present);
        }
        let id = id_of(&message);
        let response = self.service.handle(Request::from_parts(parts, Full::new(bytes))).await;
        // A client that sends `initialize` again keeps its session.
        if begins
            && session.is_none()
            && let Some(mut present) = presence.take()
        {
            self.begin_session(&response, &name, &mut present).await;
            presence = Some(present);
        }
        let mut response = if wants_events || !is_event_stream(&response) {
            response.map(|body| Body::new(ConnectedBody { body: Body::new(body), _presence: presence }))
        } else {
            as_json(response.map(Body::new), id.as_ref()).await
        };
        if discovers && cookie.is_none() {
            // The revision without sessions does not identify clients, so clients with cookies get an id.
            let value = format!("{COOKIE}={}; Path=/mcp; HttpOnly; SameSite=Strict", uuid::Uuid::new_v4());
            if let Ok(value) = HeaderValue::try_from(value) {
                response.headers_mut().append(header::SET_COOKIE, value);
            }
        }
        Ok(response)
    }

    /// Answers status requests, such as `/health`, which need no key. `None` for other requests.
    fn status(&self, parts: &Parts) -> Option<Response<Body>> {
        let reads = parts.method == Method::GET || parts.method == Method::HEAD;
        match parts.uri.path() {
            "/health" if reads => Some(json_response(StatusCode::OK, &json!({"status": "ok"}))),
            "/ready" if reads => Some(self.ready()),
            path if reads && path.starts_with("/.well-known/") => {
                let metadata = self.options.keys.oauth()?.metadata(path)?;
                Some(json_response(StatusCode::OK, &metadata))
            }
            "/metrics" if parts.method == Method::GET && self.options.metrics => {
                let exposition = self.dispatcher.written_metrics(self.clients.count());
                let mut response = Response::new(Body::from(exposition));
                let kind = HeaderValue::from_static(metrics::CONTENT_TYPE);
                response.headers_mut().insert(header::CONTENT_TYPE, kind);
                Some(response)
            }
            _ => None,
        }
    }

    /// Ends a client's MCP session, in protocol revisions that have sessions.
    async fn end_session(&self, parts: Parts, session: Option<Name>) -> Response<Body> {
        let response = self.service.handle(Request::from_parts(parts, Empty::<Bytes>::new())).await;
        if let Some(name) = session.filter(|_| response.status().is_success()) {
            self.clients.leave(&name).await;
            if let Some(replica) = &self.replica {
                replica.remove_connection_record(&connection_name(&name)).await;
            }
        }
        let mut response = response.map(Body::new);
        if response.status() == StatusCode::ACCEPTED {
            // The session has ended already, which the official client recognises by this status.
            *response.status_mut() = StatusCode::NO_CONTENT;
        }
        response
    }

    /// Renames a client to the id of the session that the SDK has created in this response.
    async fn begin_session<B>(&self, response: &Response<B>, name: &Name, present: &mut Presence) {
        let started = response.headers().get(SESSION).and_then(|id| id.to_str().ok()).map(str::to_owned);
        match started {
            Some(connection) => {
                let name = Name { owner: name.owner.clone(), connection };
                if let Some(replica) = &self.replica {
                    let _ = replica.look_up_or_take_over_connection(&connection_name(&name), Some("")).await;
                }
                present.rename(name);
            }
            None => self.clients.leave(name).await,
        }
    }

    /// Opens an event stream for server messages. The client counts as connected while the stream is open.
    async fn stream(&self, parts: Parts, session: Option<Name>) -> Result<Response<Body>, Refused> {
        let response = self.service.handle(Request::from_parts(parts, Empty::<Bytes>::new())).await;
        let is_stream = response.status().is_success();
        let presence = session.filter(|_| is_stream).and_then(|name| self.clients.enter(name, true));
        let presence = presence.map(|(_, presence)| presence);
        Ok(response.map(|body| Body::new(ConnectedBody { body: Body::new(body), _presence: presence })))
    }

    async fn admit(&self, parts: &Parts) -> Result<Owner, Refused> {
        let values = parts.headers.get_all(header::AUTHORIZATION).iter().map(HeaderValue::as_bytes);
        let oauth = self.options.keys.oauth();
        match self.options.keys.judge(values) {
            KeyCheck::Known(owner) => Ok(owner),
            KeyCheck::Missing(reason) => {
                Err(unauthorized(reason, oauth.map(|oauth| oauth.challenge(None, None))))
            }
            KeyCheck::Wrong => match oauth {
                Some(oauth) => self.admit_by_token(oauth, parts).await,
                // The key may have been valid once. With this status, a client asks its user for another key.
                None if self.options.keys.file().is_some() => Err(unauthorized("Invalid API key", None)),
                None => Err(plain(StatusCode::FORBIDDEN, "Invalid API key")),
            },
        }
    }

    /// Returns the owner of an access token, which is in the request's only `Authorization` header.
    async fn admit_by_token(&self, oauth: &OAuth, parts: &Parts) -> Result<Owner, Refused> {
        let value = parts.headers.get(header::AUTHORIZATION).map(HeaderValue::as_bytes).unwrap_or_default();
        let token = value.get("Bearer ".len()..).unwrap_or_default();
        oauth.owner_of(token).await.map_err(|denied| match denied {
            Denied::Invalid(reason) => {
                let challenge = oauth.challenge(Some(("invalid_token", reason)), None);
                unauthorized(&format!("Invalid token: {reason}"), Some(challenge))
            }
            Denied::Scope => beyond_scope(oauth, &oauth.all_scopes()),
            Denied::Unavailable => state_unavailable(),
        })
    }

    fn session_of(&self, owner: &Owner, id: &HeaderValue) -> Option<Name> {
        let name = Name { owner: owner.clone(), connection: id.to_str().ok()?.to_owned() };
        // An empty connection name is not a session: clients without session, cookie and name share it.
        self.clients.knows(&name).then_some(name).filter(|name| !name.connection.is_empty())
    }
}

/// Returns the client's own name and version, which distinguish programs without a session or cookie.
fn client_named_in(bytes: &Bytes) -> String {
    let message = serde_json::from_slice::<Value>(bytes).unwrap_or_default();
    let client = &message["params"]["_meta"]["io.modelcontextprotocol/clientInfo"];
    let word = |name: &str| client[name].as_str().unwrap_or_default().chars().take(100).collect::<String>();
    match client.is_object() {
        true => format!("client {} {}", word("name"), word("version")),
        false => String::new(),
    }
}

/// Reads the body of a request, which must be JSON.
async fn read(parts: &Parts, body: Incoming, limit: Duration) -> Result<Bytes, Refused> {
    let kind =
        parts.headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    if !kind.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/json") {
        return Err(plain(StatusCode::UNSUPPORTED_MEDIA_TYPE, "Content-Type must be application/json"));
    }
    let bytes = collect(body, parts, limit).await?;
    Ok(without_half_pairs(&bytes).map_or(bytes, Bytes::from))
}

/// Returns the messages of a batch; `None` if the body is no batch, or the revision has none.
fn batch_of(parts: &Parts, bytes: &Bytes) -> Option<Vec<Value>> {
    let has_batches = parts.headers.get(VERSION).is_none_or(|version| version.as_bytes() == WITH_BATCHES);
    if !has_batches || !bytes.trim_ascii_start().starts_with(b"[") {
        return None;
    }
    match strict_json::read(bytes) {
        Ok(Value::Array(batch)) if !batch.is_empty() => Some(batch),
        _ => None,
    }
}

/// Parses a JSON-RPC message. The error is the response to an invalid one.
fn understand(parts: &Parts, bytes: Bytes) -> Result<(Bytes, ClientJsonRpcMessage), Refused> {
    let refused = |error: ErrorData, id: Option<Value>| {
        Box::new(json_response(StatusCode::BAD_REQUEST, &json!({"jsonrpc": "2.0", "id": id, "error": error})))
    };
    let value = strict_json::read(&bytes)
        .map_err(|error| refused(ErrorData::parse_error(format!("Parse error: {error}"), None), None))?;
    let id = stdio::id_of(&value);
    let modern = parts.headers.get(VERSION).is_some_and(|version| version.as_bytes() == WITHOUT_SESSIONS);
    if modern && value.get("method").is_some_and(|method| method == "initialize") {
        let error = ErrorData::new(ErrorCode::METHOD_NOT_FOUND, "Method not found: initialize", None);
        let body = json!({"jsonrpc": "2.0", "id": id, "error": error});
        return Err(Box::new(json_response(StatusCode::NOT_FOUND, &body)));
    }
    let id_json = id.as_ref().and_then(|id| serde_json::to_value(id).ok());
    let message = stdio::read_message(value, id.as_ref()).map_err(|error| refused(error, id_json))?;
    Ok((bytes, message))
}

async fn collect(body: Incoming, parts: &Parts, limit: Duration) -> Result<Bytes, Refused> {
    let too_large = || plain(StatusCode::PAYLOAD_TOO_LARGE, "The request is too large");
    let content_length = parts
        .headers
        .get(header::CONTENT_LENGTH)
        .and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    if content_length.is_some_and(|content_length| content_length > LARGEST_BODY as u64) {
        return Err(too_large());
    }
    let collected = timeout(limit, Limited::new(body, LARGEST_BODY).collect()).await;
    match collected {
        Ok(Ok(collected)) => Ok(collected.to_bytes()),
        Ok(Err(error)) if error.downcast_ref::<LengthLimitError>().is_some() => Err(too_large()),
        Ok(Err(_)) => Err(plain(StatusCode::BAD_REQUEST, "The request broke off")),
        Err(_) => Err(plain(StatusCode::REQUEST_TIMEOUT, "The request took too long to arrive")),
    }
}

/// Converts an event stream to its only response as JSON, for a client that does not accept streams.
async fn as_json(response: Response<Body>, id: Option<&Value>) -> Response<Body> {
    let (mut parts, body) = response.into_parts();
    let Ok(collected) = body.collect().await else {
        return *plain(StatusCode::INTERNAL_SERVER_ERROR, "The answer broke off");
    };
    let bytes = collected.to_bytes();
    let text = String::from_utf8_lossy(&bytes);
    let messages = text.split("\n\n").filter_map(|event| {
        let data: String =
            event.lines().filter_map(|line| line.strip_prefix("data:")).map(str::trim_start).collect();
        serde_json::from_str::<Value>(&data).ok()
    });
    let answer =
        messages.into_iter().find(|message| message.get("method").is_none() && message.get("id") == id);
    let Some(answer) = answer else {
        return *plain(StatusCode::INTERNAL_SERVER_ERROR, "There was no answer");
    };
    parts.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    parts.headers.remove("x-accel-buffering");
    Response::from_parts(parts, Body::from(answer.to_string()))
}

fn accepts_events(parts: &Parts) -> bool {
    let values = parts.headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).any(|entry| {
        let mut fields = entry.split(';').map(str::trim);
        let named = fields.next().is_some_and(|kind| kind.eq_ignore_ascii_case(EVENT_STREAM));
        named && !fields.any(|field| field.strip_prefix("q=").is_some_and(|q| q.parse() == Ok(0.0_f32)))
    })
}

fn is_event_stream<B>(response: &Response<B>) -> bool {
    response
        .headers()
        .get(header::CONTENT_TYPE)
        .is_some_and(|kind| kind.as_bytes().starts_with(EVENT_STREAM.as_bytes()))
}

/// Returns the client id in this server's cookie.
fn cookie_of(parts: &Parts) -> Option<String> {
    let values = parts.headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let ours = values
        .flat_map(|value| value.split(';'))
        .find_map(|pair| pair.trim().strip_prefix(COOKIE)?.strip_prefix('='))?;
    uuid::Uuid::parse_str(ours).ok().map(|id| format!("cookie {id}"))
}

pub(super) fn plain(status: StatusCode, text: &str) -> Refused {
    let mut response = Response::new(Body::from(format!("{text}\n")));
    *response.status_mut() = status;
    response
        .headers_mut()
        .insert(header::CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    if status.is_client_error() {
        // The rest of the request is not read, so the connection cannot be reused.
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    Box::new(response)
}

/// Refuses a token whose scopes do not permit the request, and names the scope that does.
fn beyond_scope(oauth: &OAuth, scope: &str) -> Refused {
    let reason = "the token has no scope for this";
    let mut response = plain(StatusCode::FORBIDDEN, &format!("Insufficient scope: {scope} is needed"));
    let challenge = oauth.challenge(Some(("insufficient_scope", reason)), Some(scope));
    response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
    response
}

fn unauthorized(reason: &str, challenge: Option<HeaderValue>) -> Refused {
    let mut response = plain(StatusCode::UNAUTHORIZED, reason);
    let challenge = challenge.unwrap_or_else(|| HeaderValue::from_static("Bearer realm=\"patchright-mcp\""));
    response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
    response
}

fn not_allowed() -> Refused {
    let mut response = plain(StatusCode::METHOD_NOT_ALLOWED, "Method not allowed");
    response.headers_mut().insert(header::ALLOW, HeaderValue::from_static("GET, POST, DELETE"));
    response
}

fn no_room() -> Refused {
    let text = "There are as many clients of this key as there may be; come back later";
    let body = json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32000, "message": text}});
    let mut response = json_response(StatusCode::SERVICE_UNAVAILABLE, &body);
    response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static(COME_BACK_S));
    Box::new(response)
}

pub(super) fn json_response(status: StatusCode, value: &Value) -> Response<Body> {
    let mut response = Response::new(Body::from(value.to_string()));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// A response body whose client counts as connected until the body is dropped.
struct ConnectedBody {
    body: Body,
    _presence: Option<Presence>,
}

impl hyper::body::Body for ConnectedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

fn id_of(message: &ClientJsonRpcMessage) -> Option<Value> {
    match message {
        JsonRpcMessage::Request(request) => serde_json::to_value(&request.id).ok(),
        _ => None,
    }
}
