//! The network route of API requests: direct, through a browser context's relay, or through a proxy.
use std::time::Instant;

use tokio::sync::OnceCell;

use super::failed;
use crate::browser::egress::policy::Policy;
use crate::browser::egress::proxy::Proxy;
use crate::browser::egress::relay::{Relay, RelaySettings};
use crate::browser::objects::context::BrowserContext;
use crate::error::{Error, Result};

#[derive(Debug)]
pub(super) enum NetworkRoute {
    /// Through a browser context's relay, which applies its network policy; direct if it has no relay.
    Context(BrowserContext),
    /// Through this proxy. As for pages, a separate relay connects to the proxy if necessary.
    Proxy(Box<(Proxy, OnceCell<Option<Relay>>)>),
    Direct,
}

impl NetworkRoute {
    pub(super) fn new(context: Option<&BrowserContext>, proxy: Option<Proxy>) -> Self {
        match (proxy, context) {
            (Some(proxy), _) => Self::Proxy(Box::new((proxy, OnceCell::new()))),
            (None, Some(context)) => Self::Context(context.clone()),
            (None, None) => Self::Direct,
        }
    }

    /// Returns the proxy settings for an HTTP client; `None` for a direct connection.
    pub(super) async fn proxy(&self) -> Result<Option<reqwest::Proxy>> {
        let (server, bypass) = match self {
            Self::Direct => return Ok(None),
            Self::Context(context) => (context.relay_server(), None),
            Self::Proxy(way) => {
                let (proxy, relay) = &**way;
                let relay = relay.get_or_try_init(|| open(proxy)).await?;
                (relay.as_ref().map(Relay::plain_server), proxy.bypass())
            }
        };
        let Some(server) = server else { return Ok(None) };
        let read = reqwest::Proxy::all(server).map_err(|error| failed(&error.to_string()))?;
        Ok(Some(read.no_proxy(bypass.and_then(bypassing))))
    }

    /// Returns the reason that the relay recorded for a failure since `begun`, if there is one.
    pub(super) fn explain(&self, begun: Instant) -> Option<Error> {
        match self {
            Self::Direct => None,
            Self::Context(context) => context.explain_failure(begun).map(|error| with_proxy(error, None)),
            Self::Proxy(way) => {
                let (proxy, relay) = &**way;
                relay.get()?.as_ref()?.explain(begun).map(|error| with_proxy(error, Some(proxy)))
            }
        }
    }
}

async fn open(proxy: &Proxy) -> Result<Option<Relay>> {
    let policy = std::sync::Arc::new(Policy::default());
    let wanted =
        RelaySettings { upstream: Some(proxy), policy: &policy, certificates: &[], ignores_errors: false };
    Relay::start(wanted).await
}

/// Parses the hosts that bypass the proxy, in the browsers' format: a name includes its subdomains.
fn bypassing(hosts: &str) -> Option<reqwest::NoProxy> {
    let hosts: Vec<_> = hosts.split([',', ';']).map(|host| host.trim().trim_start_matches("*.")).collect();
    reqwest::NoProxy::from_string(&hosts.join(","))
}

/// Converts the error of a relay to that of a request, with the name of the proxy that caused it.
fn with_proxy(error: Error, proxy: Option<&Proxy>) -> Error {
    match (error, proxy) {
        (Error::NavigationFailed { reason }, Some(proxy)) => {
            failed(&format!("{reason} ({})", proxy.server()))
        }
        (Error::NavigationFailed { reason }, None) => failed(&reason),
        (other, _) => other,
    }
}
