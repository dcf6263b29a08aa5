//! Checks `Host` and `Origin` headers, so that web pages cannot reach the server through DNS rebinding.
use axum::http::{HeaderMap, Uri, header};
use url::{Host, Url};

use super::live;
use crate::error::{Error, Result};

/// The hosts and origins from which requests are allowed.
#[derive(Debug, Clone)]
pub struct RequestGuard {
    hosts: Hosts,
    origins: Vec<url::Origin>,
    /// The host and origin of the live view's public URL, if there is one.
    visited_at: Option<(Host<String>, url::Origin)>,
    /// Whether requests of sandboxed documents, whose origin is `null`, are allowed.
    admits_sandboxed: bool,
}

#[derive(Debug, Clone)]
enum Hosts {
    Any,
    These(Vec<(Host<String>, Option<u16>)>),
}

impl RequestGuard {
    /// Creates a guard. `hosts` (`name`, `name:port`, or `*` for all) are allowed in addition to loopback and
    /// the server's address, `listening`. `origins` are those of allowed web pages.
    pub fn new(listening: &str, hosts: &[String], origins: &[String]) -> Result<Self> {
        let wrong = |what: &str, text: &str| Error::InvalidArguments {
            problems: vec![format!("{text:?} is no {what}")],
        };
        let mut known: Vec<(Host<String>, Option<u16>)> = Vec::new();
        for loopback in ["localhost", "127.0.0.1", "[::1]"] {
            known.extend(parse_authority(loopback));
        }
        known.extend(parse_authority(listening));
        for host in hosts.iter().filter(|host| *host != "*") {
            known.push(parse_authority(host).ok_or_else(|| wrong("host", host))?);
        }
        let origins = origins.iter().map(|text| parse_origin(text).ok_or_else(|| wrong("origin", text)));
        Ok(Self {
            hosts: if hosts.iter().any(|host| host == "*") { Hosts::Any } else { Hosts::These(known) },
            origins: origins.collect::<Result<_>>()?,
            visited_at: None,
            admits_sandboxed: false,
        })
    }

    /// Also allows the host and origin of this URL, but only for requests to the live view.
    #[must_use]
    pub fn with_live_view_url(self, url: &Url) -> Self {
        let host = url.host_str().and_then(parse_authority).map(|(host, _)| host);
        Self { visited_at: host.map(|host| (host, url.origin())), ..self }
    }

    /// Also allows requests of sandboxed documents (origin `null`). Only for a server with a secret path.
    #[must_use]
    pub fn with_null_origin(self) -> Self {
        Self { admits_sandboxed: true, ..self }
    }

    /// Returns the reason to refuse a request; `None` if the request is allowed.
    pub(super) fn refusal(&self, uri: &Uri, headers: &HeaderMap) -> Option<&'static str> {
        let mut hosts = headers.get_all(header::HOST).iter();
        let host = hosts.next().and_then(|host| host.to_str().ok()).and_then(parse_authority);
        let named = uri.authority().map(|authority| parse_authority(authority.as_str()));
        let Some(host) = host.filter(|_| hosts.next().is_none()) else {
            return Some("Host header is missing or wrong");
        };
        if named.is_some_and(|named| named.as_ref() != Some(&host)) {
            return Some("Host header and address differ");
        }
        let visited_at = self.visited_at.as_ref().filter(|_| uri.path().starts_with(live::PATH));
        let allowed = match &self.hosts {
            _ if visited_at.is_some_and(|(name, _)| *name == host.0) => true,
            Hosts::Any => true,
            Hosts::These(known) => known
                .iter()
                .any(|(name, port)| *name == host.0 && port.is_none_or(|port| host.1.unwrap_or(80) == port)),
        };
        if !allowed {
            return Some("Host is not allowed; allow its name with --allowed-hosts");
        }
        let mut origins = headers.get_all(header::ORIGIN).iter();
        let origin = origins.next()?;
        if self.admits_sandboxed && origin == "null" && headers.get_all(header::ORIGIN).iter().count() == 1 {
            return None;
        }
        let origin = origin.to_str().ok().and_then(parse_origin).filter(|_| origins.next().is_none());
        // Pages that this server itself delivers may send requests to it.
        let own = url::Origin::Tuple("http".to_owned(), host.0, host.1.unwrap_or(80));
        let visits = |origin: &url::Origin| visited_at.is_some_and(|(_, known)| known == origin);
        let allowed =
            origin.is_some_and(|origin| origin == own || self.origins.contains(&origin) || visits(&origin));
        (!allowed).then_some("Origin is not allowed")
    }
}

/// For fuzzing: asserts that only the configured hosts and origins pass, whatever the request contains.
#[cfg(any(test, fuzzing))]
pub(crate) fn fuzz(uri: &str, host: &[u8], origin: Option<&[u8]>) {
    use axum::http::HeaderValue;

    let guard =
        RequestGuard::new("127.0.0.1", &["mine.example:7".to_owned()], &["https://app.example".to_owned()]);
    let (Ok(guard), Ok(uri), Ok(host)) = (guard, uri.parse::<Uri>(), HeaderValue::from_bytes(host)) else {
        return;
    };
    let origin = origin.and_then(|origin| HeaderValue::from_bytes(origin).ok());
    let mut headers = HeaderMap::from_iter([(header::HOST, host.clone())]);
    if let Some(origin) = &origin {
        headers.insert(header::ORIGIN, origin.clone());
    }
    if guard.refusal(&uri, &headers).is_some() {
        return;
    }
    // Compares with the host that another URL parser, such as a browser's, would use.
    let named = |text: &str| Url::parse(text).ok().and_then(|url| url.host_str().map(str::to_owned));
    let host = named(&format!("http://{}/", host.to_str().unwrap_or_default())).unwrap_or_default();
    let host = host.trim_end_matches('.');
    assert!(["localhost", "127.0.0.1", "[::1]", "mine.example"].contains(&host), "{host}");
    let web_page = origin.as_ref().map(|origin| named(origin.to_str().unwrap_or_default()));
    assert!(
        web_page.is_none_or(
            |page| page.is_some_and(|page| page.trim_end_matches('.') == host || page == "app.example")
        ),
        "{origin:?} of {host}"
    );
}

/// Parses the host and port in `name` or `name:port`. Rejects other parts of a URL.
fn parse_authority(text: &str) -> Option<(Host<String>, Option<u16>)> {
    if text.is_empty()
        || text.contains(['@', '/', '\\', '?', '#', '%', '*'])
        || text.chars().any(|c| c.is_control() || c.is_whitespace())
    {
        return None;
    }
    // `http` URLs hide port 80, so the port is parsed with an unknown scheme.
    let port = Url::parse(&format!("x://{text}")).ok()?.port();
    let url = Url::parse(&format!("http://{text}")).ok()?;
    let host = match url.host()?.to_owned() {
        // A trailing dot only marks the name as fully qualified.
        Host::Domain(name) => Host::Domain(name.trim_end_matches('.').to_owned()),
        address => address,
    };
    Some((host, port))
}

fn parse_origin(text: &str) -> Option<url::Origin> {
    let url = Url::parse(text).ok()?;
    let origin = url.origin();
    // Accepts only an origin as browsers write it, with nothing after it; rejects `null`.
    let plain = origin.is_tuple()
        && matches!(url.path(), "" | "/")
        && url.query().is_none()
        && url.username().is_empty();
    plain.then_some(origin)
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn refused(guard: &RequestGuard, host: &[&str], origin: &[&str]) -> bool {
        let mut headers = HeaderMap::new();
        for value in host {
            headers.append(header::HOST, HeaderValue::from_str(value).unwrap());
        }
        for value in origin {
            headers.append(header::ORIGIN, HeaderValue::from_str(value).unwrap());
        }
        guard.refusal(&Uri::from_static("/mcp"), &headers).is_some()
    }

    #[test]
    fn visitors_come_by_the_address_of_their_own() {
        let url = Url::parse("https://view.example/below").unwrap();
        let guard = RequestGuard::new("127.0.0.1", &[], &[]).unwrap().with_live_view_url(&url);
        let refused = |path: &'static str, host: &str, origin: &str| {
            let (host, origin) = (HeaderValue::from_str(host), HeaderValue::from_str(origin));
            let headers = [(header::HOST, host.unwrap()), (header::ORIGIN, origin.unwrap())];
            guard.refusal(&Uri::from_static(path), &headers.into_iter().collect()).is_some()
        };
        assert!(!refused("/live/x/enter", "view.example", "https://view.example"));
        assert!(!refused("/live/x/enter", "localhost:8931", "https://view.example"));
        assert!(refused("/live/x/enter", "view.example", "https://evil.example"));
        assert!(refused("/live/x/enter", "view.example", "https://view.example:8443"));
        assert!(refused("/mcp", "view.example", "https://view.example"));
        assert!(refused("/mcp", "localhost", "https://view.example"));
    }

    #[test]
    fn only_our_own_names_are_answered_to() {
        let guard = RequestGuard::new("127.0.0.1", &["mine.example".to_owned()], &[]).unwrap();
        for good in
            ["localhost:8931", "LOCALHOST", "127.0.0.1:1", "[::1]:8931", "localhost.", "mine.example:7"]
        {
            assert!(!refused(&guard, &[good], &[]), "{good}");
        }
        for evil in [
            "evil.com",
            "localhost.evil.com",
            "127.0.0.1:8931@evil",
            "evil.com:8931",
            "",
            "localhost:99999",
            "localhost/x",
            "mine.example.evil.com",
            "notmine.example",
            "127.0.0.2",
            "localhost evil",
            "*",
        ] {
            assert!(refused(&guard, &[evil], &[]), "{evil}");
        }
        assert!(refused(&guard, &[], &[]));
        assert!(refused(&guard, &["localhost", "localhost"], &[]));
        let one_port = RequestGuard::new("127.0.0.1", &["mine.example:7".to_owned()], &[]).unwrap();
        assert!(!refused(&one_port, &["mine.example:7"], &[]));
        assert!(refused(&one_port, &["mine.example:8"], &[]));
        assert!(!refused(
            &RequestGuard::new("0.0.0.0", &["*".to_owned()], &[]).unwrap(),
            &["any.example"],
            &[]
        ));
    }

    #[test]
    fn web_pages_are_refused_unless_named() {
        let guard = RequestGuard::new("127.0.0.1", &[], &["https://app.example".to_owned()]).unwrap();
        assert!(!refused(&guard, &["localhost"], &["https://app.example"]));
        for evil in [
            "https://evil.com",
            "null",
            "http://localhost.evil.com",
            "http://localhost:8931.evil.com",
            "http://localhost:8931",
            "https://app.example:8443",
            "http://app.example",
            "https://app.example@evil.com",
            "https://app.example.evil.com",
            "",
            "https://app.example/path",
        ] {
            assert!(refused(&guard, &["localhost"], &[evil]), "{evil}");
        }
        assert!(refused(&guard, &["localhost"], &["https://app.example", "https://app.example"]));
        assert!(!refused(&guard, &["localhost:8931"], &["http://localhost:8931"]));
        assert!(refused(&guard, &["localhost:8931"], &["http://localhost:8932"]));
    }
}
