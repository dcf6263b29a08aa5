//! A browser of a pool, and how it is configured.
use std::collections::BTreeSet;
use std::fmt;
use std::num::NonZeroUsize;

use serde::Deserialize;
use url::Url;

/// A browser of the pool, started and managed by others.
#[derive(Clone, PartialEq, Eq)]
pub struct PoolNode {
    /// The name in the shared state: the URL without credentials and query.
    pub name: String,
    pub endpoint: String,
    pub headers: Vec<(String, String)>,
    pub service: NodeProtocol,
    /// The maximum number of sessions.
    pub capacity: NonZeroUsize,
    pub labels: BTreeSet<String>,
    /// Whether the browser accepts no new sessions while it keeps existing ones.
    pub draining: bool,
}

/// How to connect to a browser of a pool.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NodeProtocol {
    /// Directly, with the `DevTools` protocol.
    #[default]
    Cdp,
    /// Through a Selenium Grid, which starts a browser for each session.
    Selenium,
}

impl fmt::Debug for PoolNode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("PoolNode").field("name", &self.name).finish_non_exhaustive()
    }
}

/// An entry of a pool file, before validation.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct PoolEntry {
    url: String,
    #[serde(default)]
    headers: std::collections::BTreeMap<String, String>,
    capacity: Option<NonZeroUsize>,
    #[serde(default)]
    labels: BTreeSet<String>,
    #[serde(default)]
    draining: bool,
    #[serde(default)]
    service: NodeProtocol,
}

const CAPACITY: NonZeroUsize = NonZeroUsize::new(50).unwrap();

impl PoolEntry {
    pub(super) fn of(url: &str) -> Self {
        let (headers, labels) = Default::default();
        Self {
            url: url.to_owned(),
            headers,
            capacity: None,
            labels,
            draining: false,
            service: NodeProtocol::Cdp,
        }
    }

    /// Validates the entry. For `dns+` URLs, also returns the host and port whose addresses are the browsers.
    pub(super) fn read(self) -> Result<(PoolNode, Option<(String, u16)>), String> {
        let problem = || "expected http://, https://, ws://, wss:// or dns+http:// addresses".to_owned();
        let (looked_up, address) = match self.url.strip_prefix("dns+") {
            Some(rest) => (true, rest),
            None => (false, self.url.as_str()),
        };
        let url = Url::parse(address).map_err(|_| problem())?;
        let is_http = matches!(url.scheme(), "http" | "https");
        if url.host().is_none() || !(is_http || (matches!(url.scheme(), "ws" | "wss") && !looked_up)) {
            return Err(problem());
        }
        let lookup = looked_up.then(|| {
            (url.host_str().unwrap_or_default().to_owned(), url.port_or_known_default().unwrap_or(9222))
        });
        let node = PoolNode {
            name: name_of(&url),
            endpoint: address.to_owned(),
            headers: self.headers.into_iter().collect(),
            service: self.service,
            capacity: self.capacity.unwrap_or(CAPACITY),
            labels: self.labels,
            draining: self.draining,
        };
        Ok((node, lookup))
    }
}

/// Returns scheme, host, port and path of a URL, without credentials and query, which can contain a key.
fn name_of(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    let port = url.port_or_known_default().map(|port| format!(":{port}")).unwrap_or_default();
    format!("{}://{host}{port}{}", url.scheme(), url.path().trim_end_matches('/'))
}

impl PoolNode {
    /// Returns a copy of this node for one of the addresses of its host name.
    pub(super) fn at(&self, address: std::net::SocketAddr) -> Option<Self> {
        let mut url = Url::parse(&self.endpoint).ok()?;
        url.set_ip_host(address.ip()).ok()?;
        let endpoint = url.to_string().trim_end_matches('/').to_owned();
        Some(Self { name: name_of(&url), endpoint, ..self.clone() })
    }
}
