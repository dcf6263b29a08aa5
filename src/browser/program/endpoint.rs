//! Resolves the endpoint of a remote browser to its WebSocket URL.
use std::time::Duration;

use reqwest::redirect;
use serde::Deserialize;
use tokio::time::timeout;
use url::Url;

use crate::error::{Error, Result, human};

/// The maximum size of an endpoint's response, in bytes.
const LONGEST_ANSWER: usize = 1 << 20;
const MOST_REDIRECTS: usize = 5;

/// Returns the WebSocket URL of a browser: `endpoint` if it is a `ws://` or `wss://` URL, otherwise the URL
/// that its `/json/version` reports.
pub(in crate::browser) async fn resolve(
    endpoint: &str,
    headers: &[(String, String)],
    limit: Duration,
) -> Result<String> {
    let gone = |reason: String| Error::BrowserGone { reason };
    let url = Url::parse(endpoint).map_err(|_| gone("its address cannot be read".to_owned()))?;
    match url.scheme() {
        "ws" | "wss" => return Ok(endpoint.to_owned()),
        "http" | "https" => {}
        _ => return Err(gone("only http(s):// and ws(s):// addresses can be attached to".to_owned())),
    }
    let answer = timeout(limit, ask(&url, headers)).await;
    let answer =
        answer.unwrap_or_else(|_| Err(gone(format!("it gave no answer within {}", human(limit)))))?;
    let mut socket = Url::parse(&answer).map_err(|_| gone("its answer names no address".to_owned()))?;
    // The reported host may be unreachable from here, such as behind a forwarded port: use the endpoint's.
    let scheme = if url.scheme() == "https" { "wss" } else { "ws" };
    let same = socket.set_scheme(scheme).is_ok()
        && socket.set_host(url.host_str()).is_ok()
        && socket.set_port(url.port_or_known_default()).is_ok();
    if same { Ok(socket.into()) } else { Err(gone("its answer names no address".to_owned())) }
}

async fn ask(endpoint: &Url, headers: &[(String, String)]) -> Result<String> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Version {
        web_socket_debugger_url: String,
    }
    let gone = |reason: &str| Error::BrowserGone { reason: reason.to_owned() };
    let mut url = endpoint.clone();
    url.set_path(&format!("{}/json/version", endpoint.path().trim_end_matches('/')));
    // The headers may contain a secret, so only redirects within the origin are followed.
    let stay = redirect::Policy::custom(|attempt| {
        let stays = attempt.previous().first().is_some_and(|first| first.origin() == attempt.url().origin());
        if stays && attempt.previous().len() <= MOST_REDIRECTS { attempt.follow() } else { attempt.stop() }
    });
    let client = reqwest::Client::builder().no_proxy().redirect(stay).build();
    let client = client.map_err(|_| gone("no connection can be made"))?;
    let mut request = client.get(url);
    for (name, value) in headers {
        request = request.header(name, value);
    }
    let mut response = request.send().await.map_err(|error| {
        if error.is_connect() {
            Error::BrowserNotListening
        } else {
            gone("it could not be asked for its address")
        }
    })?;
    if !response.status().is_success() {
        let reason = format!("it answered with HTTP {}", response.status().as_u16());
        return Err(Error::BrowserGone { reason });
    }
    let mut lines = Vec::new();
    while let Some(more) = response.chunk().await.map_err(|_| gone("its answer broke off"))? {
        lines.extend_from_slice(&more);
        if lines.len() > LONGEST_ANSWER {
            return Err(gone("the server at that address is not a browser"));
        }
    }
    let version: Version =
        serde_json::from_slice(&lines).map_err(|_| gone("the server at that address is not a browser"))?;
    Ok(version.web_socket_debugger_url)
}
