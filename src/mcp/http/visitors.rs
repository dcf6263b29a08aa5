//! Forwards visitors of the live view to the server to which their link belongs.
use std::time::Duration;

use axum::body::Body;
use axum::http::header::{self, HeaderValue};
use axum::http::{Request, Response, StatusCode};
use hyper::body::Incoming;
use hyper_util::rt::TokioIo;
use tokio::io::copy_bidirectional;
use tokio::time::timeout;
use uuid::Uuid;

use super::live;
use super::replicas::{forwarded_response, request_to, state_unavailable};
use super::serve::{App, Refused};
use crate::fleet::Peer;
use crate::live::LiveView;

/// The time limit for another server's response: a little longer than its own limit for receiving a request.
const LONGEST_ANSWER: Duration = live::ARRIVAL.saturating_add(Duration::from_secs(10));

impl App {
    /// Answers a visitor, or forwards to the server of the link. `Host` and `Origin` are checked already.
    pub(super) async fn receive(
        &self,
        live: &LiveView,
        request: Request<Incoming>,
        from_peer: bool,
    ) -> Result<Response<Body>, Refused> {
        let server = server_of(live, request.uri().path()).filter(|_| !from_peer);
        let (Some(server), Some(replica)) = (server, &self.replica) else {
            return Ok(live::answer(live, &self.options.keys, request).await);
        };
        match replica.peer(&server).await {
            Ok(Some(peer)) => self.pass_on(&peer, request).await,
            Ok(None) => Ok(live::refused()),
            Err(_) => Err(state_unavailable()),
        }
    }

    async fn pass_on(&self, peer: &Peer, mut request: Request<Incoming>) -> Result<Response<Body>, Refused> {
        let upgrade = request.headers().get(header::UPGRADE).cloned();
        let visitor = upgrade.is_some().then(|| hyper::upgrade::on(&mut request));
        let (parts, body) = request.into_parts();
        let mut asking =
            request_to(self.dispatcher.peer_client(), peer, &parts).body(reqwest::Body::wrap(body));
        if let Some(protocol) = upgrade {
            asking = asking.header(header::CONNECTION, "upgrade").header(header::UPGRADE, protocol);
        }
        let answer = timeout(LONGEST_ANSWER, asking.send()).await;
        let answer = answer.map_err(|_| state_unavailable())?.map_err(|_| state_unavailable())?;
        let Some(visitor) = visitor.filter(|_| answer.status() == StatusCode::SWITCHING_PROTOCOLS) else {
            return Ok(forwarded_response(answer));
        };
        let mut response = Response::new(Body::empty());
        *response.status_mut() = answer.status();
        *response.headers_mut() = answer.headers().clone();
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("upgrade"));
        let ending = self.ending.clone();
        tokio::spawn(ending.run_until_cancelled_owned(async move {
            let (Ok(near), Ok(mut far)) = tokio::join!(visitor, answer.upgrade()) else { return };
            let _ = copy_bidirectional(&mut TokioIo::new(near), &mut far).await;
        }));
        Ok(response)
    }
}

/// Returns the server to which a link belongs. `None` for the HTML page, which is the same on all servers.
fn server_of(live: &LiveView, path: &str) -> Option<String> {
    let (id, _) = path.strip_prefix(live::PATH)?.split_once('/')?;
    // Looks up only valid server names, which are UUIDs.
    Some(Uuid::parse_str(live.other_server_of_link(id)?).ok()?.to_string())
}
