//! A proxy that the user configured, with its credentials.
use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use url::{Host, Url};

use super::policy::Policy;
use crate::error::{Error, Result};

/// A proxy server with its credentials and bypass list.
#[derive(Clone, PartialEq, Eq)]
pub struct Proxy {
    pub(super) kind: Kind,
    pub(super) host: Host<String>,
    pub(super) port: u16,
    pub(super) credentials: Option<(String, String)>,
    pub(super) bypass: Option<String>,
    /// Whether an MCP client chose the proxy. The network policy then applies to the proxy itself too.
    pub(super) from_client: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Http,
    Https,
    Socks4,
    Socks5,
}

impl Proxy {
    /// Parses `http://host:port`, `https://…`, `socks5://…`, `socks4://…` or `host:port`. The URL may contain
    /// credentials.
    ///
    /// # Errors `invalid_arguments`. The error does not quote the URL, which may contain a password.
    pub fn new(
        server: &str,
        username: Option<String>,
        password: Option<String>,
        bypass: Option<String>,
    ) -> Result<Self> {
        let wrong = |problem: &str| Error::InvalidArguments { problems: vec![format!("proxy: {problem}")] };
        const SHAPE: &str = "the server must be http://host:port, https://host:port, socks5://host:port or socks4://host:port";
        if server.chars().any(|c| c.is_control() || c.is_whitespace()) {
            return Err(wrong(SHAPE));
        }
        let full = if server.contains("://") { server.to_owned() } else { format!("http://{server}") };
        let url = Url::parse(&full).map_err(|_| wrong(SHAPE))?;
        let (kind, own_port) = match url.scheme() {
            "http" => (Kind::Http, 80),
            "https" => (Kind::Https, 443),
            "socks5" | "socks5h" => (Kind::Socks5, 1080),
            "socks4" | "socks4a" => (Kind::Socks4, 1080),
            _ => return Err(wrong(SHAPE)),
        };
        // The URL parser does not normalize the host of a SOCKS URL.
        let host = url.host_str().filter(|host| !host.is_empty()).ok_or_else(|| wrong(SHAPE))?;
        let host = Host::parse(host).map_err(|_| wrong(SHAPE))?;
        if !matches!(url.path(), "" | "/") || url.query().is_some() || url.fragment().is_some() {
            return Err(wrong(SHAPE));
        }
        let own = |text: &str| percent_decoded(text);
        let username = username.or_else(|| Some(own(url.username())).filter(|name| !name.is_empty()));
        let password = password.or_else(|| url.password().map(own));
        if kind == Kind::Socks4 && password.is_some() {
            return Err(wrong("SOCKS 4 knows no passwords"));
        }
        if kind == Kind::Socks5
            && [&username, &password].iter().any(|part| part.as_ref().is_some_and(|part| part.len() > 255))
        {
            return Err(wrong("SOCKS allows 255 bytes for a user name or password"));
        }
        if username
            .as_deref()
            .is_some_and(|name| matches!(kind, Kind::Http | Kind::Https) && name.contains(':'))
        {
            return Err(wrong("a user name cannot contain a colon"));
        }
        if bypass.as_deref().is_some_and(|bypass| bypass.chars().any(char::is_control)) {
            return Err(wrong("the bypass list cannot be read"));
        }
        let credentials = match (username, password) {
            (None, None) => None,
            (username, password) => Some((username.unwrap_or_default(), password.unwrap_or_default())),
        };
        Ok(Self { kind, host, port: url.port().unwrap_or(own_port), credentials, bypass, from_client: false })
    }

    /// Returns the URL of the proxy, without credentials.
    pub fn server(&self) -> String {
        let scheme = match self.kind {
            Kind::Http => "http",
            Kind::Https => "https",
            Kind::Socks4 => "socks4",
            Kind::Socks5 => "socks5",
        };
        format!("{scheme}://{}:{}", self.host, self.port)
    }

    /// Marks the proxy as chosen by a client, so that the network policy applies to the proxy itself too.
    #[must_use]
    pub fn from_client(self) -> Self {
        Self { from_client: true, ..self }
    }

    pub(super) fn is_permitted(&self, policy: &Policy) -> bool {
        match self.kind {
            _ if !self.from_client => true,
            Kind::Http => policy.permits_server("http", &self.host, self.port),
            Kind::Https => policy.permits_server("https", &self.host, self.port),
            Kind::Socks4 | Kind::Socks5 => policy.permits_tunnel(&self.host, self.port),
        }
    }

    /// Returns the hosts that bypass the proxy, separated by commas.
    pub fn bypass(&self) -> Option<&str> {
        self.bypass.as_deref()
    }

    pub fn has_credentials(&self) -> bool {
        self.credentials.is_some()
    }
}

impl FromStr for Proxy {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Self::new(text, None, None, None)
    }
}

impl fmt::Debug for Proxy {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Proxy").field(&self.server()).finish()
    }
}

fn percent_decoded(text: &str) -> String {
    // Form decoding must leave `+`, `&` and `=` unchanged here.
    let form = text.replace('+', "%2B").replace('&', "%26").replace('=', "%3D");
    url::form_urlencoded::parse(form.as_bytes()).map(|(name, _)| name.into_owned()).collect()
}

pub(super) fn authorization(proxy: &Proxy) -> Option<String> {
    let (username, password) = proxy.credentials.as_ref()?;
    Some(format!("Basic {}", STANDARD.encode(format!("{username}:{password}"))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proxies_are_read_and_never_show_their_password() {
        let proxy: Proxy = "socks5://me:sw%40rd%2Bfish@proxy.example:1080".parse().unwrap();
        assert_eq!(proxy.credentials, Some(("me".to_owned(), "sw@rd+fish".to_owned())));
        assert_eq!(proxy.server(), "socks5://proxy.example:1080");
        assert_eq!(format!("{proxy:?}"), r#"Proxy("socks5://proxy.example:1080")"#);
        assert_eq!("[::1]:3128".parse::<Proxy>().unwrap().server(), "http://[::1]:3128");
        assert_eq!("https://p".parse::<Proxy>().unwrap().server(), "https://p:443");
    }

    #[test]
    fn what_is_no_proxy_is_refused_without_being_repeated() {
        for text in [
            "",
            "http://",
            "ftp://a:1",
            "http://a:1/path",
            "http://a;rm -rf:1",
            "http://me:swordfish@a\n:1",
            "http://me:swordfish@a:99999",
            "http://me:swordfish@",
            "direct://",
            "socks4://me:swordfish@a:1",
            "http://a --no-sandbox",
            "http://a:1?swordfish",
        ] {
            let error = text.parse::<Proxy>().unwrap_err().to_string();
            assert!(!error.contains("swordfish"), "{text:?} → {error}");
        }
    }
}
