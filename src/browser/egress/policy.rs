//! The network policy: which servers pages may connect to. The relay enforces it for all connections,
//! including redirects, frames, workers and `WebSockets`.
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

use url::{Host, Url};

/// The allowed and blocked servers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Policy {
    /// Only these servers are allowed; all if empty.
    pub allowed: Vec<OriginPattern>,
    /// If not empty, allowed servers must also be in this list.
    pub narrowed: Vec<OriginPattern>,
    /// These servers are always blocked.
    pub blocked: Vec<OriginPattern>,
    /// Whether private networks are blocked, even if a public host name resolves to one of their addresses.
    pub block_private: bool,
}

/// A pattern for origins: `https://good.example`, `http://localhost:8080`, `good.example` (both schemes),
/// `https://*.good.example`, `http://localhost:*`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct OriginPattern {
    /// The scheme; `None` for both http and https.
    scheme: Option<String>,
    /// Whether the pattern matches the subdomains of the host, and not the host itself.
    below: bool,
    host: Option<Host<String>>,
    port: Port,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Port {
    Any,
    /// The default port of the scheme.
    Own,
    Is(u16),
}

impl FromStr for OriginPattern {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong =
            || format!("{text:?} is not an origin; write https://host, http://host:port, *.host or host");
        let text = text.trim();
        let (scheme, rest) = match text.split_once("://") {
            Some((scheme, rest)) => (Some(web_scheme(&scheme.to_lowercase()).ok_or_else(wrong)?), rest),
            None => (None, text),
        };
        let rest = rest.strip_suffix('/').unwrap_or(rest);
        if rest == "*" {
            return Ok(Self { scheme: scheme.map(str::to_owned), below: false, host: None, port: Port::Any });
        }
        let (rest, any_port) = match rest.strip_suffix(":*") {
            Some(rest) => (rest, true),
            None => (rest, false),
        };
        let (below, rest) = match rest.strip_prefix("*.") {
            Some(rest) => (true, rest),
            None => (false, rest),
        };
        // Use an unknown scheme, because the parser removes the default port of a known scheme.
        let url = Url::parse(&format!("x://{rest}")).map_err(|_| wrong())?;
        let host = Url::parse(&format!("http://{rest}")).map_err(|_| wrong())?;
        let bare = host.path() == "/" && host.query().is_none() && host.fragment().is_none();
        if !bare || !host.username().is_empty() || host.password().is_some() || rest.contains(['*', '\\']) {
            return Err(wrong());
        }
        let port = match (any_port, url.port()) {
            (true, _) => Port::Any,
            (false, Some(port)) => Port::Is(port),
            (false, None) => Port::Own,
        };
        let host = host.host().map(|host| canonical(&host.to_owned()));
        Ok(Self { scheme: scheme.map(str::to_owned), below, host, port })
    }
}

impl OriginPattern {
    /// Whether the pattern matches an origin, such as `https://a.example`.
    pub fn covers(&self, origin: &str) -> bool {
        let url = Url::parse(origin).ok();
        url.as_ref().and_then(|url| Some((web_scheme(url.scheme())?, url.host()?, url))).is_some_and(
            |(scheme, host, url)| {
                let port = url.port_or_known_default().unwrap_or_default();
                self.matches(scheme, &canonical(&host.to_owned()), port)
            },
        )
    }

    fn matches(&self, scheme: &str, host: &Host<String>, port: u16) -> bool {
        let scheme_fits = self.scheme.as_deref().is_none_or(|own| own == scheme);
        let host_fits = match (&self.host, host) {
            (None, _) => true,
            (Some(Host::Domain(own)), Host::Domain(host)) if self.below => {
                host.strip_suffix(own.as_str()).is_some_and(|rest| rest.ends_with('.') && rest.len() > 1)
            }
            (Some(own), host) => !self.below && own == host,
        };
        let port_fits = match self.port {
            Port::Any => true,
            Port::Own => port == own_port(scheme),
            Port::Is(own) => own == port,
        };
        scheme_fits && host_fits && port_fits
    }
}

impl Policy {
    /// Whether the policy allows all connections.
    pub fn allows_all(&self) -> bool {
        self.allowed.is_empty() && self.narrowed.is_empty() && self.blocked.is_empty() && !self.block_private
    }

    /// Whether an `http` or `https` URL may be opened. Returns true for URLs with other schemes.
    pub fn permits(&self, url: &Url) -> bool {
        let Some(scheme) = web_scheme(url.scheme()) else { return true };
        let Some(host) = url.host() else { return false };
        let port = url.port_or_known_default().unwrap_or(0);
        self.permits_server(scheme, &host.to_owned(), port)
    }

    /// Whether a tunnel to a server may be opened. The scheme inside it is unknown: either `https` or `http`
    /// must be allowed, and neither may be blocked.
    pub(in crate::browser) fn permits_tunnel(&self, host: &Host<String>, port: u16) -> bool {
        let host = canonical(host);
        let either = |fits: &dyn Fn(&str) -> bool| ["https", "http"].into_iter().any(fits);
        !self.is_hidden(&host)
            && either(&|scheme| self.allows(scheme, &host, port))
            && !either(&|scheme| listed(&self.blocked, scheme, &host, port))
    }

    pub(in crate::browser) fn permits_server(&self, scheme: &str, host: &Host<String>, port: u16) -> bool {
        let host = canonical(host);
        !self.is_hidden(&host)
            && self.allows(scheme, &host, port)
            && !listed(&self.blocked, scheme, &host, port)
    }

    fn allows(&self, scheme: &str, host: &Host<String>, port: u16) -> bool {
        let lists = [&self.allowed, &self.narrowed];
        lists.into_iter().all(|list| list.is_empty() || listed(list, scheme, host, port))
    }

    fn is_hidden(&self, host: &Host<String>) -> bool {
        self.block_private
            && match host {
                Host::Ipv4(address) => is_private(IpAddr::V4(*address)),
                Host::Ipv6(address) => is_private(IpAddr::V6(*address)),
                Host::Domain(name) => is_loopback_host_name(name),
            }
    }

    /// Whether connections to this IP address, to which a host name resolves, are allowed.
    pub(in crate::browser) fn permits_address(&self, address: IpAddr) -> bool {
        !(self.block_private && is_private(address))
    }
}

/// Returns a host in canonical form for comparisons: no trailing dot, IPv4-mapped IPv6 addresses as IPv4.
fn canonical(host: &Host<String>) -> Host<String> {
    match host {
        Host::Domain(name) => Host::Domain(name.trim_end_matches('.').to_owned()),
        Host::Ipv4(address) => Host::Ipv4(*address),
        Host::Ipv6(address) => address.to_ipv4_mapped().map_or(Host::Ipv6(*address), Host::Ipv4),
    }
}

/// Whether a host name always means this machine: `localhost` and its subdomains. See RFC 6761, section 6.3.
pub fn is_loopback_host_name(name: &str) -> bool {
    name == "localhost" || name.ends_with(".localhost")
}

fn listed(list: &[OriginPattern], scheme: &str, host: &Host<String>, port: u16) -> bool {
    list.iter().any(|pattern| pattern.matches(scheme, host, port))
}

fn web_scheme(scheme: &str) -> Option<&'static str> {
    match scheme {
        "http" | "ws" => Some("http"),
        "https" | "wss" => Some("https"),
        _ => None,
    }
}

fn own_port(scheme: &str) -> u16 {
    if scheme == "https" { 443 } else { 80 }
}

/// Whether an address is not on the public internet: loopback, private, link-local, shared or reserved.
fn is_private(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(v4) => {
            let [first, second, third, _] = v4.octets();
            v4.is_loopback()
                || v4.is_private()
                || v4.is_link_local()
                || v4.is_unspecified()
                || v4.is_broadcast()
                || v4.is_multicast()
                || first == 0
                || first >= 240
                || (first == 100 && (64..128).contains(&second))
                || (first == 198 && (18..20).contains(&second))
                || (first == 192 && second == 0 && third == 0)
        }
        IpAddr::V6(v6) => {
            let segments = v6.segments();
            v6.is_loopback()
                || v6.is_unspecified()
                || v6.is_multicast()
                || v6.is_unique_local()
                || v6.is_unicast_link_local()
                || segments[0] & 0xffc0 == 0xfec0 // Site-local, deprecated by RFC 3879
                || segments[..3] == [0x64, 0xff9b, 1] // Local IPv4/IPv6 translation, RFC 8215
                || segments[..4] == [0x100, 0, 0, 0] // Discard-only, RFC 6666
                || embedded(v6).into_iter().any(|v4| is_private(IpAddr::V4(v4)))
        }
    }
}

/// Returns the IPv4 addresses that are embedded in an IPv6 address for translation or tunnels.
fn embedded(address: Ipv6Addr) -> Vec<Ipv4Addr> {
    let segments = address.segments();
    let at = |index: usize| {
        let [[a, b], [c, d]] = [segments[index], segments[index + 1]].map(u16::to_be_bytes);
        Ipv4Addr::new(a, b, c, d)
    };
    match segments {
        // NAT64 (RFC 6052); IPv4-compatible (RFC 4291) and -translated (RFC 2765); ISATAP (RFC 5214).
        [0x64, 0xff9b, 0, 0, 0, 0, ..]
        | [0, 0, 0, 0, 0 | 0xffff, 0, ..]
        | [_, _, _, _, 0 | 0x200, 0x5efe, ..] => vec![at(6)],
        [0x2002, ..] => vec![at(1)], // 6to4, RFC 3056
        // Teredo (RFC 4380): the server's address, and the client's with inverted bits.
        [0x2001, 0, ..] => vec![at(2), Ipv4Addr::from_bits(!at(6).to_bits())],
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy(allowed: &[&str], blocked: &[&str]) -> Policy {
        let read = |list: &[&str]| list.iter().map(|text| text.parse().unwrap()).collect();
        Policy { allowed: read(allowed), blocked: read(blocked), ..Policy::default() }
    }

    fn permits(policy: &Policy, url: &str) -> bool {
        Url::parse(url).is_ok_and(|url| policy.permits(&url))
    }

    #[test]
    fn only_the_origin_that_is_named_is_allowed() {
        let policy = policy(&["https://good.com"], &[]);
        for good in
            ["https://good.com/x", "https://GOOD.com:443", "wss://good.com/s", "https://user@good.com/"]
        {
            assert!(permits(&policy, good), "{good}");
        }
        for evil in [
            "https://good.com@evil.com/",
            "https://good.com:x@evil.com/",
            "https://good.com.evil.com/",
            "https://evilgood.com/",
            "https://good.com:8443/",
            "http://good.com/",
            "ws://good.com/",
            "https://evil.com\\@good.com/",
            "https://evil.com/\t@good.com",
            "https://sub.good.com/",
            "https://gооd.com/", // Cyrillic о.
            "https://xn--gd-emca.com/",
            "http://127.1/",
        ] {
            assert!(!permits(&policy, evil), "{evil}");
        }
        // Browsers normalize full-width characters.
        assert!(permits(&policy, "https://ｇｏｏｄ.com/"));
        assert!(permits(&policy, "https://good.com./"), "the whole name");
        assert!(permits(&policy, "https://good.com\\@evil.com/"), "a backslash ends the host");
    }

    #[test]
    fn a_narrower_list_allows_nothing_that_the_other_does_not() {
        let narrowed = policy(&["*.good.com"], &[]).allowed;
        for (allowed, url, expected) in [
            (&[][..], "https://a.good.com/", true),
            (&[][..], "https://other.com/", false),
            (&["https://a.good.com", "https://other.com"][..], "https://a.good.com/", true),
            (&["https://a.good.com", "https://other.com"][..], "http://a.good.com/", false),
            (&["https://a.good.com", "https://other.com"][..], "https://b.good.com/", false),
            (&["https://a.good.com", "https://other.com"][..], "https://other.com/", false),
        ] {
            let policy = Policy { narrowed: narrowed.clone(), ..policy(allowed, &[]) };
            assert_eq!(permits(&policy, url), expected, "{allowed:?} {url}");
            assert!(!policy.allows_all());
        }
    }

    #[test]
    fn what_is_blocked_is_blocked_however_it_is_written() {
        let policy =
            policy(&[], &["evil.com", "http://*.worse.com:*", "whole.com.", "http://10.0.0.1", "[::1]"]);
        for evil in [
            "http://evil.com./",
            "https://EVIL.com.:443/",
            "ws://evil.com./",
            "http://a.worse.com.:81/",
            "http://whole.com/",
            "http://[::ffff:10.0.0.1]/",
            "http://0xa000001/",
            "https://[0::1]/",
        ] {
            assert!(!permits(&policy, evil), "{evil}");
            let url = Url::parse(evil).unwrap();
            let port = url.port_or_known_default().unwrap();
            assert!(!policy.permits_tunnel(&url.host().unwrap().to_owned(), port), "{evil} as a tunnel");
        }
        assert!(permits(&policy, "http://worse.com./"));
    }

    #[test]
    fn patterns_widen_only_what_they_say() {
        let rows: &[(&str, &str, bool)] = &[
            ("good.com", "http://good.com/", true),
            ("good.com", "https://good.com/", true),
            ("good.com", "https://good.com:444/", false),
            ("*.good.com", "https://a.b.good.com/", true),
            ("*.good.com", "https://good.com/", false),
            ("*.good.com", "https://evilgood.com/", false),
            ("http://localhost:*", "http://localhost:81/", true),
            ("http://localhost:*", "https://localhost:81/", false),
            ("http://localhost:8080", "http://localhost:8080/", true),
            ("https://a:80", "https://a:80/", true),
            ("https://a:80", "https://a/", false),
            ("http://[::1]:9", "http://[0:0:0::1]:9/", true),
            ("http://127.0.0.1", "http://2130706433/", true),
            ("bücher.example", "https://xn--bcher-kva.example/", true),
            ("*", "http://anything.example:7/", true),
        ];
        for (pattern, url, expected) in rows {
            assert_eq!(permits(&policy(&[pattern], &[]), url), *expected, "{pattern} {url}");
        }
        assert!(!permits(&policy(&[], &["https://evil.com"]), "https://evil.com/"));
        assert!(permits(&policy(&[], &["https://evil.com"]), "https://good.com/"));
        assert!(!permits(&policy(&["*"], &["evil.com"]), "http://evil.com/"));
    }

    #[test]
    fn what_is_no_origin_is_refused() {
        for text in [
            "",
            "https://",
            "https://a/b",
            "ftp://a",
            "a b",
            "https://u@a",
            "https://a?b",
            "a*b",
            "https://a:x",
        ] {
            assert!(text.parse::<OriginPattern>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_private_network_is_one_in_every_spelling() {
        let policy = Policy { block_private: true, ..Policy::default() };
        for url in [
            "http://169.254.169.254/",
            "http://127.1/",
            "http://0x7f000001/",
            "http://2130706433/",
            "http://0/",
            "http://[::ffff:127.0.0.1]/",
            "http://[::1]/",
            "http://10.1.2.3/",
            "http://100.64.0.1/",
            "http://[fd00::1]/",
            "http://[64:ff9b::7f00:1]/",
            "http://[64:ff9b:1::808:808]/",
            "http://[2002:7f00:1::]/",
            "http://[2002:a00:1::1]/",
            "http://[2001:0:7f00:1::]/",
            "http://[2001:0:808:808::80ff:fffe]/",
            "http://[::7f00:1]/",
            "http://[::ffff:0:7f00:1]/",
            "http://[2001:db8::5efe:10.0.0.1]/",
            "http://[2001:db8::200:5efe:127.0.0.1]/",
            "http://[fec0::1]/",
            "http://192.0.0.170/",
            "http://localhost/",
            "http://a.localhost/",
            "http://localhost./",
        ] {
            assert!(!permits(&policy, url), "{url}");
        }
        for url in [
            "http://93.184.216.34/",
            "http://[2606:2800:220:1:248:1893:25c8:1946]/",
            "http://[2002:5db8:d822::1]/",
            "http://[64:ff9b::5db8:d822]/",
            "http://[2001:0:808:808::a247:27dd]/",
        ] {
            assert!(permits(&policy, url), "{url}");
        }
    }
}
