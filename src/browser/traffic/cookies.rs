//! Cookie rules for requests that this process sends itself, instead of the browser.
use std::time::{Duration, UNIX_EPOCH};

use url::{Host, Url};

use crate::browser::egress::policy::is_loopback_host_name;
use crate::browser::objects::context::BrowserContext;
use crate::browser::options::storage_state::{SameSite, StoredCookie};
use crate::error::{Error, Result};
use crate::sync::unix_time;

impl BrowserContext {
    /// Returns the context's cookies that are sent to at least one of these URLs.
    pub async fn cookies_for(&self, urls: &[String]) -> Result<Vec<StoredCookie>> {
        cookies_for_urls(self.cookies().await?, urls)
    }
}

/// Returns the cookies that are sent to at least one of these URLs.
pub(in crate::browser) fn cookies_for_urls(
    mut cookies: Vec<StoredCookie>,
    urls: &[String],
) -> Result<Vec<StoredCookie>> {
    let urls = urls.iter().map(|url| address(url)).collect::<Result<Vec<_>>>()?;
    cookies.retain(|cookie| urls.iter().any(|url| fits(cookie, url)));
    Ok(cookies)
}

/// Replaces the `url` of a cookie by the URL's domain and path.
pub(in crate::browser) fn placed(cookie: &StoredCookie) -> Result<StoredCookie> {
    let Some(url) = &cookie.url else { return Ok(cookie.clone()) };
    let url = address(url)?;
    Ok(StoredCookie {
        domain: url.host_str().unwrap_or_default().to_owned(),
        path: default_path(&url),
        secure: cookie.secure || url.scheme() == "https",
        url: None,
        ..cookie.clone()
    })
}

fn address(url: &str) -> Result<Url> {
    Url::parse(url).map_err(|_| Error::InvalidArguments { problems: vec![format!("{url:?} is not a URL")] })
}

/// Parses a `Set-Cookie` header of a response from `url`; `None` if the server may not set this cookie.
pub fn parse(header: &str, url: &Url) -> Option<StoredCookie> {
    let mut parts = header.split(';');
    let (name, value) = parts.next()?.split_once('=')?;
    let host = url.host_str()?;
    let mut cookie = StoredCookie {
        name: name.trim().to_owned(),
        value: value.trim().to_owned(),
        domain: host.to_owned(),
        path: default_path(url),
        expires: -1.0,
        same_site: Some(SameSite::Lax),
        ..StoredCookie::default()
    };
    let mut max_age = None;
    for part in parts {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        let value = value.trim();
        match name.trim().to_ascii_lowercase().as_str() {
            "domain" if !value.is_empty() => cookie.domain = wide_domain(value, url)?,
            "path" if value.starts_with('/') => value.clone_into(&mut cookie.path),
            "secure" => cookie.secure = true,
            "httponly" => cookie.http_only = true,
            "max-age" => max_age = value.parse::<i64>().ok().or(max_age),
            "expires" => cookie.expires = parse_date(value).unwrap_or(cookie.expires),
            "samesite" => {
                cookie.same_site = Some(match value.to_ascii_lowercase().as_str() {
                    "strict" => SameSite::Strict,
                    "none" => SameSite::None,
                    _ => SameSite::Lax,
                });
            }
            _ => {}
        }
    }
    if let Some(seconds) = max_age {
        #[expect(clippy::cast_precision_loss, reason = "seconds")]
        let expires = if seconds <= 0 { 0.0 } else { unix_time().as_secs_f64() + seconds as f64 };
        cookie.expires = expires;
    }
    Some(cookie)
}

/// Returns a cookie's `Domain` attribute with a leading dot. `None` if the server may not set it.
fn wide_domain(named: &str, url: &Url) -> Option<String> {
    let named = named.trim_start_matches('.').to_ascii_lowercase();
    match url.host()? {
        Host::Domain(host) if is_within(host, &named) => Some(format!(".{named}")),
        Host::Domain(_) => None,
        address => (address.to_string() == named).then_some(named),
    }
}

fn default_path(url: &Url) -> String {
    match url.path().rfind('/') {
        Some(0) | None => "/".to_owned(),
        Some(end) => url.path()[..end].to_owned(),
    }
}

/// Parses a cookie's `Expires` attribute to a Unix time in seconds.
pub(super) fn parse_date(text: &str) -> Option<f64> {
    // Some servers write dates with dashes.
    let plain = text.replace('-', " ");
    let date = httpdate::parse_http_date(text).or_else(|_| httpdate::parse_http_date(&plain)).ok()?;
    Some(date.duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO).as_secs_f64())
}

fn is_within(host: &str, domain: &str) -> bool {
    host == domain || host.strip_suffix(domain).is_some_and(|rest| rest.ends_with('.'))
}

/// Returns the `Cookie` header for a request to `url`; `None` if no cookie matches.
pub(in crate::browser) fn header_for(cookies: &[StoredCookie], url: &Url) -> Option<String> {
    let mut fitting: Vec<_> = cookies.iter().filter(|cookie| fits(cookie, url)).collect();
    fitting.sort_by_key(|cookie| std::cmp::Reverse(cookie.path.len()));
    let pairs: Vec<_> = fitting.iter().map(|cookie| format!("{}={}", cookie.name, cookie.value)).collect();
    (!pairs.is_empty()).then(|| pairs.join("; "))
}

/// Whether a cookie is sent to `url`.
pub(in crate::browser) fn fits(cookie: &StoredCookie, url: &Url) -> bool {
    let Some(host) = url.host_str() else { return false };
    let host_fits = match cookie.domain.strip_prefix('.') {
        Some(domain) => is_within(host, domain),
        None => host == cookie.domain,
    };
    let path = url.path();
    let path_fits = path
        .strip_prefix(cookie.path.as_str())
        .is_some_and(|rest| rest.is_empty() || cookie.path.ends_with('/') || rest.starts_with('/'));
    let safe = matches!(url.scheme(), "https" | "wss") || is_loopback(url);
    let alive = cookie.expires < 0.0 || cookie.expires > unix_time().as_secs_f64();
    host_fits && path_fits && alive && (safe || !cookie.secure)
}

/// Whether the URL's host is this machine, to which secure cookies are sent even without TLS.
fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(host)) => is_loopback_host_name(host),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

/// Adds cookies. A new cookie replaces one with the same name, domain and path; an expired one deletes it.
pub(in crate::browser) fn merge(held: &mut Vec<StoredCookie>, new: Vec<StoredCookie>) {
    for cookie in new {
        held.retain(|known| {
            (&known.name, &known.domain, &known.path) != (&cookie.name, &cookie.domain, &cookie.path)
        });
        held.push(cookie);
    }
    drop_expired(held);
}

pub(in crate::browser) fn drop_expired(held: &mut Vec<StoredCookie>) {
    let now = unix_time().as_secs_f64();
    held.retain(|cookie| cookie.expires < 0.0 || cookie.expires > now);
}

/// For fuzzing: parses a `Set-Cookie` header, and checks that the cookie is sent only to hosts of its server.
#[cfg(any(test, fuzzing))]
pub(crate) fn fuzz(header: &str) {
    let [from, other, above] = ["https://a.shop.example/x/y", "https://b.example/", "https://example/"]
        .map(|url| Url::parse(url).expect("an address"));
    let Some(cookie) = parse(header, &from) else { return };
    assert!(!fits(&cookie, &other) || cookie.domain == ".example", "{cookie:?}");
    assert!(!fits(&cookie, &above) || cookie.domain == ".example", "{cookie:?}");
    let mut held = vec![cookie.clone()];
    merge(&mut held, vec![cookie]);
    assert!(held.len() <= 1);
    let _ = header_for(&held, &from);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    #[test]
    fn cookies_go_where_they_may() {
        for (header, from, to, goes) in [
            ("a=b", "http://a.com/x/y", "http://a.com/x/z", true),
            ("a=b", "http://a.com/x/y", "http://a.com/xz", false),
            ("a=b; Path=/", "http://a.com/x/y", "http://a.com/", true),
            ("a=b; Path=/x", "http://a.com/", "http://a.com/x", true),
            ("a=b", "http://a.com/", "http://b.a.com/", false),
            ("a=b; Domain=a.com", "http://c.a.com/", "http://b.a.com/", true),
            ("a=b; domain=.a.com", "http://a.com/", "http://xa.com/", false),
            ("a=b; Secure", "https://a.com/", "http://a.com/", false),
            ("a=b; Secure", "https://a.com/", "https://a.com/", true),
            ("a=b; Secure", "https://a.com/", "wss://a.com/", true),
            ("a=b; Secure", "http://127.0.0.1:8/", "http://127.0.0.1:9/", true),
            ("a=b; Secure", "http://[::1]/", "http://[::1]/", true),
            ("a=b; Max-Age=0", "http://a.com/", "http://a.com/", false),
            ("a=b; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "http://a.com/", "http://a.com/", false),
            ("a=b; Expires=Fri, 01 Jan 2100 00:00:00 GMT", "http://a.com/", "http://a.com/", true),
        ] {
            let cookie = parse(header, &url(from)).unwrap();
            assert_eq!(fits(&cookie, &url(to)), goes, "{header} from {from} to {to}");
        }
        for (header, from) in [("no pair", "http://a.com/"), ("a=b; Domain=b.com", "http://a.com/")] {
            assert_eq!(parse(header, &url(from)), None, "{header}");
        }
    }

    #[test]
    fn a_namesake_takes_the_place_and_the_past_takes_it_away() {
        let from = url("http://a.com/");
        let mut held = vec![];
        merge(&mut held, vec![parse("a=1", &from).unwrap(), parse("b=2", &from).unwrap()]);
        merge(&mut held, vec![parse("a=3", &from).unwrap(), parse("b=; Max-Age=0", &from).unwrap()]);
        assert_eq!(header_for(&held, &from).as_deref(), Some("a=3"));
    }
}
