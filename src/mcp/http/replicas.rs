//! Requests to and from the other servers of a group.
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use async_trait::async_trait;
use axum::body::{Body, Bytes};
use axum::http::header::{self, HeaderMap, HeaderValue};
use axum::http::request::Parts;
use axum::http::{Response, StatusCode};
use http_body_util::{BodyExt as _, Limited};
use hyper::body::Incoming;
use parking_lot::Mutex;
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, JsonRpcMessage};
use rmcp::transport::streamable_http_server::session::{SessionState, SessionStore, SessionStoreError};
use serde_json::json;
use tokio::time::timeout;

use super::clients::Name;
use super::owner::Owner;
use super::serve::{App, LARGEST_BODY, Refused, json_response, plain};
use crate::error::Result;
use crate::fleet::{PEER_SECRET_HEADER, Peer, PeerCall, PeerClient, Replica};
use crate::mcp::client::Client;
use crate::mcp::dispatch::Dispatcher;
use crate::mcp::tool::SESSION_ARGUMENT;

/// The clients for which this server runs calls of other servers, by owner.
#[derive(Debug, Default)]
pub(super) struct PeerClients {
    known: Mutex<HashMap<Option<String>, Arc<Client>>>,
}

/// Whether a request comes from another server of the group: it contains their shared secret.
pub(super) fn is_from_peer(replica: &Replica, headers: &HeaderMap) -> bool {
    headers.get(PEER_SECRET_HEADER).is_some_and(|given| replica.secret_matches(given.as_bytes()))
}

impl PeerClients {
    /// Runs a call that another server has forwarded.
    pub(super) async fn answer(&self, dispatcher: &Dispatcher, body: Incoming) -> Response<Body> {
        let status = |status: StatusCode| {
            let mut response = Response::new(Body::empty());
            *response.status_mut() = status;
            response
        };
        let Ok(collected) = Limited::new(body, LARGEST_BODY).collect().await else {
            return status(StatusCode::BAD_REQUEST);
        };
        let Ok(asked) = serde_json::from_slice::<PeerCall>(&collected.to_bytes()) else {
            return status(StatusCode::BAD_REQUEST);
        };
        let client = self.client(dispatcher, asked.owner.clone());
        match dispatcher.run_for_peer(&client, asked).await {
            Some(result) => Response::new(Body::from(serde_json::json!(result).to_string())),
            // The other server then looks up again which server holds the session.
            None => status(StatusCode::CONFLICT),
        }
    }

    fn client(&self, dispatcher: &Dispatcher, owner: Option<String>) -> Arc<Client> {
        let mut known = self.known.lock();
        let make = |owner: &Option<String>| {
            Arc::new(match owner {
                Some(owner) => dispatcher.new_client_for_owner(owner, &Arc::default()),
                None => dispatcher.new_client(),
            })
        };
        Arc::clone(known.entry(owner).or_insert_with_key(make))
    }
}

/// Returns the name under which the shared state stores a client's connection.
pub(super) fn connection_name(name: &Name) -> String {
    format!("{} {}", name.owner.folder.as_deref().unwrap_or_default(), name.connection)
}

/// Whether a message calls a tool in the client's own tabs, and not in a session, which any server can find.
pub(super) fn uses_own_tabs(message: &ClientJsonRpcMessage) -> bool {
    let JsonRpcMessage::Request(request) = message else { return false };
    let ClientRequest::CallToolRequest(call) = &request.request else { return false };
    let arguments = call.params.arguments.as_ref();
    let names_session = arguments.is_some_and(|arguments| arguments.contains_key(SESSION_ARGUMENT));
    !names_session && !matches!(&*call.params.name, "create_session" | "list_sessions")
}

/// Forwards a request to another server, and returns the response.
pub(super) async fn forward(
    peers: &PeerClient,
    peer: &Peer,
    parts: &Parts,
    body: Bytes,
) -> Result<Response<Body>, reqwest::Error> {
    Ok(forwarded_response(request_to(peers, peer, parts).body(body).send().await?))
}

/// Creates the forwarded request: the client's headers, and the secret of the group. It has no body yet.
pub(super) fn request_to(peers: &PeerClient, peer: &Peer, parts: &Parts) -> reqwest::RequestBuilder {
    let path = parts.uri.path_and_query().map_or("/mcp", |path| path.as_str());
    let mut headers = parts.headers.clone();
    keep_what_is_passed_on(&mut headers);
    let request = peers.http_client().request(parts.method.clone(), format!("{}{path}", peer.url));
    request.headers(headers).header(PEER_SECRET_HEADER, &peer.secret)
}

/// Converts the response of another server to the response for the client.
pub(super) fn forwarded_response(response: reqwest::Response) -> Response<Body> {
    let response: axum::http::Response<reqwest::Body> = response.into();
    let mut response = response.map(Body::new);
    keep_what_is_passed_on(response.headers_mut());
    response
}

/// Removes hop-by-hop headers, and the secret of the group.
fn keep_what_is_passed_on(headers: &mut HeaderMap) {
    for name in
        [header::HOST, header::CONNECTION, header::UPGRADE, header::CONTENT_LENGTH, header::TRANSFER_ENCODING]
    {
        headers.remove(name);
    }
    headers.remove(PEER_SECRET_HEADER);
}

/// Stores `initialize` messages in the shared state, so that another server can continue an MCP session.
#[derive(Debug)]
pub(super) struct SharedSessions(pub(super) Arc<Replica>);

#[async_trait]
impl SessionStore for SharedSessions {
    async fn load(&self, session_id: &str) -> Result<Option<SessionState>, SessionStoreError> {
        let known = self.0.look_up_or_take_over_connection(session_id, None).await?;
        let began = known.and_then(|known| known.began);
        Ok(began.and_then(|began| serde_json::from_str(&began).ok()))
    }

    async fn store(&self, session_id: &str, state: &SessionState) -> Result<(), SessionStoreError> {
        // If this fails, the session still works, but only on this server.
        if let Err(error) =
            self.0.look_up_or_take_over_connection(session_id, Some(&serde_json::to_string(state)?)).await
        {
            tracing::warn!(%error, "no other server can go on with a client's session");
        }
        Ok(())
    }

    async fn delete(&self, session_id: &str) -> Result<(), SessionStoreError> {
        self.0.remove_connection_record(session_id).await;
        Ok(())
    }
}

/// How long running calls may delay the shutdown, if other servers can continue the sessions.
const LONGEST_LEAVE: Duration = Duration::from_secs(10);

impl App {
    /// Finds the server that has a client's MCP session, or takes the session over from a dead server.
    pub(super) async fn session_elsewhere(
        &self,
        owner: &Owner,
        id: &HeaderValue,
        from_peer: bool,
    ) -> Result<ClientLocation, Refused> {
        // A session of another owner gets the same answer as one that never existed.
        let unknown = || {
            plain(StatusCode::NOT_FOUND, "Session not found: it has ended, or never was; initialize again")
        };
        let (Some(replica), Ok(connection)) = (&self.replica, id.to_str()) else { return Err(unknown()) };
        let name = Name { owner: owner.clone(), connection: connection.to_owned() };
        let known = replica
            .look_up_or_take_over_connection(&connection_name(&name), None)
            .await
            .map_err(|_| state_unavailable())?;
        if known.is_none() || from_peer {
            return Err(unknown());
        }
        self.locate_client(&name).await
    }

    /// Returns the server that has this client. Takes the client over if no other live server has it.
    pub(super) async fn locate_client(&self, name: &Name) -> Result<ClientLocation, Refused> {
        let here = ClientLocation::Here(name.clone());
        let Some(replica) = &self.replica else { return Ok(here) };
        if self.clients.knows(name) {
            return Ok(here);
        }
        let place = replica
            .look_up_or_take_over_connection(&connection_name(name), Some(""))
            .await
            .map_err(|_| state_unavailable())?;
        Ok(place.and_then(|place| place.elsewhere).map_or(here, ClientLocation::Elsewhere))
    }

    pub(super) async fn forward(
        &self,
        peer: &Peer,
        parts: &Parts,
        body: Bytes,
    ) -> Result<Response<Body>, Refused> {
        self.dispatcher.metrics.forwards();
        forward(self.dispatcher.peer_client(), peer, parts, body).await.map_err(|_| state_unavailable())
    }

    pub(super) fn refuse_if_leaving(&self) -> Result<(), Refused> {
        if self.leaving.load(Ordering::Relaxed) { Err(state_unavailable()) } else { Ok(()) }
    }

    /// Reports readiness for calls: the server is not ending, its group sees it alive, and it has a browser.
    pub(super) fn ready(&self) -> Response<Body> {
        let not = if self.leaving.load(Ordering::Relaxed) {
            Some("leaving")
        } else if self.replica.as_ref().is_some_and(|replica| !replica.is_alive()) {
            Some("state")
        } else if self.dispatcher.services.engine.pool().is_some_and(|pool| pool.node_counts().1 == 0) {
            Some("browsers")
        } else {
            None
        };
        match not {
            None => json_response(StatusCode::OK, &json!({"status": "ready"})),
            Some(lacks) => {
                let body = json!({"status": "not ready", "lacks": lacks});
                json_response(StatusCode::SERVICE_UNAVAILABLE, &body)
            }
        }
    }

    /// Stops accepting calls, waits for running ones, and releases the sessions to other servers.
    pub(super) async fn leave(&self) {
        let Some(replica) = &self.replica else { return };
        self.leaving.store(true, Ordering::Relaxed);
        let idle = async {
            while self.dispatcher.metrics.running_calls() > 0 {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        let _ = timeout(LONGEST_LEAVE, idle).await;
        let _ = timeout(Duration::from_secs(2), self.dispatcher.sessions.release_all()).await;
        replica.leave().await;
    }
}

/// Returns the response while the shared state is unavailable. The client may retry.
pub(super) fn state_unavailable() -> Refused {
    let text = "This server cannot answer now; ask again";
    let mut response = plain(StatusCode::SERVICE_UNAVAILABLE, text);
    response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
    response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    response
}

/// Where a client's state is: on this server, or on another one.
pub(super) enum ClientLocation {
    Here(Name),
    Elsewhere(Peer),
}
