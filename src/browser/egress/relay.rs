//! A local proxy between the browser and the user's proxy.
//!
//! The browser accepts no proxy password on its command line, asks for one in a native window, and supports
//! none for SOCKS. The relay adds the credentials, enforces the network policy, and records why it refused a
//! connection, which the browser does not report.
mod socks;

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::timeout;
use url::{Host, Url};

use super::client_certificate::{ClientCertificate, RelayCertificates};
use super::policy::Policy;
use super::proxy::{Kind, Proxy, authorization};
use crate::cdp::transport::tls::{Stream, encrypt};
use crate::error::{Error, Result};

/// The time limit for connecting to a proxy or server.
const CONNECT_LIMIT: Duration = Duration::from_secs(20);
/// How long a connection from the browser may be idle.
const IDLE_LIMIT: Duration = Duration::from_secs(300);
const LARGEST_HEAD: usize = 256 << 10;

/// The reason why a connection failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The network policy blocks the server.
    Forbidden,
    /// The proxy rejects the credentials.
    Credentials,
    /// The proxy refuses the connection.
    Refused(String),
    /// The proxy cannot be reached.
    Unreachable(String),
    /// The server cannot be reached directly, without a proxy.
    Server(io::ErrorKind),
    /// The server refuses the client certificate, or the server's own certificate is not trusted.
    ClientCertificate(String),
    /// The browser's request was cancelled because the server's certificate is invalid.
    ServerCertificate(String),
}

impl Refusal {
    fn into_error(self) -> Option<Error> {
        let reason = match self {
            Self::Forbidden => {
                let reason = "its origin, or that of a redirect, is not allowed".to_owned();
                return Some(Error::UrlRefused { reason });
            }
            Self::Credentials => "the proxy refused the user name and password".to_owned(),
            Self::Refused(how) => format!("the proxy refused the connection: {how}"),
            Self::Unreachable(why) => format!("the proxy could not be reached: {why}"),
            Self::ClientCertificate(why) | Self::ServerCertificate(why) => why,
            Self::Server(_) => return None,
        };
        Some(Error::NavigationFailed { reason })
    }
}

/// A running relay. It stops when dropped.
#[derive(Debug)]
pub(crate) struct Relay {
    /// The address that the browser uses.
    address: SocketAddr,
    /// The address for API requests, which present client certificates themselves.
    plain: SocketAddr,
    shared: Arc<Shared>,
    listening: Vec<JoinHandle<()>>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct RelaySettings<'a> {
    pub(crate) upstream: Option<&'a Proxy>,
    pub(crate) policy: &'a Arc<Policy>,
    pub(crate) certificates: &'a [ClientCertificate],
    /// Whether to ignore certificate errors of servers that request a client certificate.
    pub(crate) ignores_errors: bool,
}

#[derive(Debug)]
struct Shared {
    upstream: Option<Proxy>,
    policy: Arc<Policy>,
    refused: Mutex<Option<(Instant, Refusal)>>,
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.listening.iter().for_each(JoinHandle::abort);
    }
}

impl Relay {
    /// Starts a relay; `None` if these settings need none.
    pub(crate) async fn start(wanted: RelaySettings<'_>) -> Result<Option<Self>> {
        let RelaySettings { upstream, policy, certificates, ignores_errors } = wanted;
        if upstream.is_none() && policy.allows_all() && certificates.is_empty() {
            return Ok(None);
        }
        if upstream.is_some_and(|proxy| !proxy.is_permitted(policy)) {
            return Err(Error::UrlRefused { reason: "this proxy is not allowed here".to_owned() });
        }
        let failed = |error: io::Error| Error::BrowserLaunch {
            reason: format!("the way to the proxy could not be made ({error})"),
        };
        let shared = Arc::new(Shared {
            upstream: upstream.cloned(),
            policy: Arc::clone(policy),
            refused: Mutex::default(),
        });
        let mut listening = Vec::new();
        let mut open = async |certificates: Option<Arc<RelayCertificates>>| {
            let listener = TcpListener::bind(("127.0.0.1", 0)).await.map_err(failed)?;
            let address = listener.local_addr().map_err(failed)?;
            listening.push(tokio::spawn(listen(listener, Arc::clone(&shared), certificates)));
            Ok::<_, Error>(address)
        };
        let plain = open(None).await?;
        let address = match certificates {
            [] => plain,
            _ => open(Some(Arc::new(RelayCertificates::new(certificates, ignores_errors)))).await?,
        };
        Ok(Some(Self { address, plain, shared, listening }))
    }

    /// Returns the proxy URL for API requests, which present client certificates themselves.
    pub(crate) fn plain_server(&self) -> String {
        format!("http://{}", self.plain)
    }

    /// Whether the relay forwards to a proxy of the user.
    pub(crate) fn has_upstream(&self) -> bool {
        self.shared.upstream.is_some()
    }

    /// Returns the proxy URL for the browser.
    pub(crate) fn server(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns the browser's proxy bypass list. By default, loopback addresses use the relay too.
    pub(crate) fn bypass(&self) -> String {
        let mut hosts = vec!["<-loopback>"];
        hosts.extend(self.direct_hosts());
        hosts.join(";")
    }

    /// Returns the hosts that bypass the relay and the user's proxy; none if there is a network policy.
    pub(crate) fn direct_hosts(&self) -> impl Iterator<Item = &str> {
        let theirs = self.shared.upstream.as_ref().and_then(|proxy| proxy.bypass.as_deref());
        let theirs = theirs.filter(|_| self.shared.policy.allows_all()).unwrap_or_default();
        theirs.split([',', ';']).map(str::trim).filter(|host| !host.is_empty())
    }

    /// Records that the browser cancelled a request because of the server's certificate.
    pub(crate) fn note_failure(&self, reason: String) {
        self.shared.note(Refusal::ServerCertificate(reason));
    }

    /// Returns the reason that the relay recorded for a failure since `begun`; `None` if there is none.
    pub(crate) fn explain(&self, begun: Instant) -> Option<Error> {
        let refused = self.shared.refused.lock().clone();
        refused.filter(|(when, _)| *when >= begun).and_then(|(_, refusal)| refusal.into_error())
    }
}

async fn listen(listener: TcpListener, shared: Arc<Shared>, certificates: Option<Arc<RelayCertificates>>) {
    // Dropping the set at the end of this task closes all connections.
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, from)) => {
                    let (shared, certificates) = (Arc::clone(&shared), certificates.clone());
                    connections.spawn(async move {
                        if is_ours(from, stream.local_addr().ok()) {
                            let _ = stream.set_nodelay(true);
                            let _ = serve(stream, &shared, certificates.as_deref()).await;
                        }
                    });
                }
                Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
            },
            Some(_) = connections.join_next() => {}
        }
    }
}

/// Whether a client runs as the same user: others must not use the proxy password. Checked on Linux only.
#[cfg(target_os = "linux")]
fn is_ours(from: SocketAddr, here: Option<SocketAddr>) -> bool {
    let (SocketAddr::V4(from), Some(SocketAddr::V4(here))) = (from, here) else { return false };
    let Ok(table) = std::fs::read_to_string("/proc/net/tcp") else { return true };
    let hex = |address: std::net::SocketAddrV4| {
        format!("{:08X}:{:04X}", u32::from_ne_bytes(address.ip().octets()), address.port())
    };
    let (local, remote) = (hex(from), hex(here));
    let owner = table.lines().find_map(|line| {
        let mut fields = line.split_whitespace().skip(1);
        let matches = fields.next() == Some(&local) && fields.next() == Some(&remote);
        fields.nth(4).filter(|_| matches)?.parse::<u32>().ok()
    });
    owner.is_none_or(|owner| owner == rustix::process::geteuid().as_raw())
}

#[cfg(not(target_os = "linux"))]
fn is_ours(_from: SocketAddr, _here: Option<SocketAddr>) -> bool {
    true
}

async fn serve(
    mut client: TcpStream,
    shared: &Shared,
    certificates: Option<&RelayCertificates>,
) -> io::Result<()> {
    let read = timeout(IDLE_LIMIT, read_head(&mut client, Vec::new())).await;
    let Ok(Ok((head, rest))) = read else { return Ok(()) };
    let Some(request) = Request::parse(&head) else {
        return client
            .write_all(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
            .await;
    };
    let connected = match shared.permit(&request) {
        Ok(()) => timeout(CONNECT_LIMIT, shared.connect(&request)).await.unwrap_or_else(|_| {
            Err(match shared.upstream {
                Some(_) => Refusal::Unreachable("it did not answer".to_owned()),
                None => Refusal::Server(io::ErrorKind::TimedOut),
            })
        }),
        Err(refusal) => Err(refusal),
    };
    let (mut server, early) = match connected {
        Ok(connected) => connected,
        Err(refusal) => {
            shared.note(refusal);
            // For a tunnel, the browser reports a 502 as an error. For a plain request, it would show a page.
            if request.is_tunnel {
                client
                    .write_all(b"HTTP/1.1 502 Bad Gateway\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
                    .await?;
            }
            return Ok(());
        }
    };
    if request.is_tunnel {
        client.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await?;
        let known =
            certificates.and_then(|known| Some((known, known.for_server(&request.host, request.port)?)));
        if let Some((certificates, certificate)) = known
            && early.is_empty()
            && rest.is_empty()
            && is_encrypted(&client).await?
        {
            let note = |why| shared.note(Refusal::ClientCertificate(why));
            return certificates.relay_tls(client, server, certificate, note).await;
        }
        client.write_all(&early).await?;
        server.write_all(&rest).await?;
        copy_bidirectional(&mut client, &mut server).await?;
        return Ok(());
    }
    if request.is_socket {
        server.write_all(&upgrading(&request, &head)).await?;
        server.write_all(&rest).await?;
        copy_bidirectional(&mut client, &mut server).await?;
        return Ok(());
    }
    server.write_all(&shared.rewritten(&request, &head)).await?;
    server.write_all(&rest).await?;
    let (mut from_client, mut to_client) = client.split();
    let (mut from_server, mut to_server) = tokio::io::split(server);
    let upload = async {
        let _ = tokio::io::copy(&mut from_client, &mut to_server).await;
        std::future::pending::<()>().await;
    };
    let answer = async {
        let mut early = Vec::new();
        loop {
            let (head, rest) = read_head(&mut from_server, early).await?;
            let status = status_of(&head);
            if status == Some(407) {
                shared.note(Refusal::Credentials);
                return Ok(());
            }
            if status.is_some_and(|status| (100..200).contains(&status)) {
                // The bytes after an interim response may be the beginning of the final response.
                to_client.write_all(&head).await?;
                early = rest;
                continue;
            }
            to_client.write_all(&closing(&head)).await?;
            to_client.write_all(&rest).await?;
            tokio::io::copy(&mut from_server, &mut to_client).await?;
            return to_client.shutdown().await;
        }
    };
    tokio::select! {
        () = upload => Ok(()),
        answered = answer => answered,
    }
}

/// Whether the browser begins a TLS handshake in a tunnel. Unencrypted `WebSockets` use tunnels too.
async fn is_encrypted(client: &TcpStream) -> io::Result<bool> {
    const HANDSHAKE: u8 = 22;
    let mut first = [0];
    Ok(client.peek(&mut first).await? == 1 && first[0] == HANDSHAKE)
}

/// A request of the browser to the relay.
struct Request {
    is_tunnel: bool,
    /// Whether the request opens an unencrypted WebSocket, for which WebKit uses no tunnel.
    is_socket: bool,
    host: Host<String>,
    port: u16,
    method: String,
    /// The path and query, in the form for a request directly to the server.
    path: String,
}

impl Request {
    fn parse(head: &[u8]) -> Option<Self> {
        let line = head.split(|byte| *byte == b'\r').next()?;
        let mut words = std::str::from_utf8(line).ok()?.split(' ');
        let (method, target) = (words.next()?.to_owned(), words.next()?);
        words.next().filter(|version| version.starts_with("HTTP/1."))?;
        if method == "CONNECT" {
            let url = Url::parse(&format!("x://{target}")).ok()?;
            let host = Host::parse(url.host_str()?).ok()?;
            let (port, path) = (url.port()?, String::new());
            return Some(Self { is_tunnel: true, is_socket: false, host, port, method, path });
        }
        let url = Url::parse(target).ok().filter(|url| matches!(url.scheme(), "http" | "ws"))?;
        let is_socket = url.scheme() == "ws";
        let path = url[url::Position::BeforePath..url::Position::AfterQuery].to_owned();
        let port = url.port_or_known_default()?;
        Some(Self { is_tunnel: false, is_socket, host: url.host()?.to_owned(), port, method, path })
    }

    fn authority(&self) -> String {
        format!("{}:{}", self.host, self.port)
    }
}

impl Shared {
    fn note(&self, refusal: Refusal) {
        *self.refused.lock() = Some((Instant::now(), refusal));
    }

    fn permit(&self, request: &Request) -> Result<(), Refusal> {
        let (host, port) = (&request.host, request.port);
        let permitted = match request.is_tunnel {
            true => self.policy.permits_tunnel(host, port),
            false => self.policy.permits_server("http", host, port),
        };
        if permitted { Ok(()) } else { Err(Refusal::Forbidden) }
    }

    /// Opens a connection for the request. Returns it with the bytes that the server has already sent.
    async fn connect(&self, request: &Request) -> Result<(Box<dyn Stream>, Vec<u8>), Refusal> {
        let Some(proxy) = &self.upstream else {
            return Ok((Box::new(self.connect_directly(&request.host, request.port).await?), Vec::new()));
        };
        let unreachable = |error: io::Error| Refusal::Unreachable(plain(&error));
        let name = proxy.host.to_string();
        let name = name.trim_matches(['[', ']']);
        let stream = match proxy.from_client {
            true => TcpStream::connect(&*self.permitted(&proxy.host, proxy.port, unreachable).await?).await,
            false => TcpStream::connect((name, proxy.port)).await,
        };
        let stream = stream.map_err(unreachable)?;
        let _ = stream.set_nodelay(true);
        let mut stream: Box<dyn Stream> = match proxy.kind {
            Kind::Https => Box::new(encrypt(stream, name).await.map_err(unreachable)?),
            Kind::Http | Kind::Socks4 | Kind::Socks5 => Box::new(stream),
        };
        let early = match proxy.kind {
            Kind::Socks5 => socks::version_5(&mut stream, proxy, request).await.map(|()| Vec::new())?,
            Kind::Socks4 => socks::version_4(&mut stream, proxy, request).await.map(|()| Vec::new())?,
            Kind::Http | Kind::Https if request.is_tunnel || request.is_socket => {
                tunnel(&mut stream, proxy, request).await?
            }
            Kind::Http | Kind::Https => Vec::new(),
        };
        Ok((stream, early))
    }

    /// Resolves the host once and connects to a checked address, so that DNS rebinding is impossible.
    async fn connect_directly(&self, host: &Host<String>, port: u16) -> Result<TcpStream, Refusal> {
        let failed = |error: io::Error| Refusal::Server(error.kind());
        let addresses = self.permitted(host, port, failed).await?;
        TcpStream::connect(&*addresses).await.map_err(failed)
    }

    /// Resolves a host, and returns those of its IP addresses that the policy allows.
    async fn permitted(
        &self,
        host: &Host<String>,
        port: u16,
        failed: impl FnOnce(io::Error) -> Refusal,
    ) -> Result<Vec<SocketAddr>, Refusal> {
        let addresses: Vec<SocketAddr> = match host {
            Host::Domain(name) => {
                tokio::net::lookup_host((name.as_str(), port)).await.map_err(failed)?.collect()
            }
            Host::Ipv4(address) => vec![SocketAddr::new(IpAddr::V4(*address), port)],
            Host::Ipv6(address) => vec![SocketAddr::new(IpAddr::V6(*address), port)],
        };
        let permitted: Vec<_> =
            addresses.into_iter().filter(|address| self.policy.permits_address(address.ip())).collect();
        if permitted.is_empty() { Err(Refusal::Forbidden) } else { Ok(permitted) }
    }

    /// Returns the request head for the next hop, with `Connection: close`: only one request is rewritten.
    fn rewritten(&self, request: &Request, head: &[u8]) -> Vec<u8> {
        let to_proxy = self.upstream.as_ref().filter(|proxy| matches!(proxy.kind, Kind::Http | Kind::Https));
        let mut lines = head.split_inclusive(|byte| *byte == b'\n');
        let first = lines.next().unwrap_or_default();
        let mut written = match to_proxy {
            Some(_) => first.to_vec(),
            None => format!("{} {} HTTP/1.1\r\n", request.method, request.path).into_bytes(),
        };
        for line in lines {
            let name = line.split(|byte| *byte == b':').next().unwrap_or_default().to_ascii_lowercase();
            let ours = matches!(
                &*name,
                b"proxy-authorization" | b"proxy-connection" | b"connection" | b"keep-alive"
            );
            if line != b"\r\n" && !ours {
                written.extend_from_slice(line);
            }
        }
        if let Some(authorization) = to_proxy.and_then(authorization) {
            written.extend_from_slice(format!("Proxy-Authorization: {authorization}\r\n").as_bytes());
        }
        written.extend_from_slice(b"Connection: close\r\n\r\n");
        written
    }
}

/// Returns the request head that opens a WebSocket on its server. Keeps the upgrade headers.
fn upgrading(request: &Request, head: &[u8]) -> Vec<u8> {
    let mut written = format!("{} {} HTTP/1.1\r\n", request.method, request.path).into_bytes();
    for line in head.split_inclusive(|byte| *byte == b'\n').skip(1) {
        if !line.to_ascii_lowercase().starts_with(b"proxy-") {
            written.extend_from_slice(line);
        }
    }
    written
}

/// Requests a tunnel to the server from an HTTP proxy. Returns the bytes received after the response head.
async fn tunnel(stream: &mut Box<dyn Stream>, proxy: &Proxy, request: &Request) -> Result<Vec<u8>, Refusal> {
    let broke = |error: io::Error| Refusal::Unreachable(plain(&error));
    let authority = request.authority();
    let authorization = authorization(proxy).map(|value| format!("Proxy-Authorization: {value}\r\n"));
    let ask = format!(
        "CONNECT {authority} HTTP/1.1\r\nHost: {authority}\r\n{}\r\n",
        authorization.unwrap_or_default()
    );
    stream.write_all(ask.as_bytes()).await.map_err(broke)?;
    let (head, rest) = read_head(stream, Vec::new()).await.map_err(broke)?;
    match status_of(&head) {
        Some(200..300) => Ok(rest),
        Some(407) => Err(Refusal::Credentials),
        Some(status) => Err(Refusal::Refused(format!("HTTP {status}"))),
        None => Err(Refusal::Refused("it does not speak HTTP".to_owned())),
    }
}

/// Reads up to the empty line; `already` holds bytes read before. Returns the head and the bytes after it.
async fn read_head(
    stream: &mut (impl AsyncRead + Unpin),
    already: Vec<u8>,
) -> io::Result<(Vec<u8>, Vec<u8>)> {
    let mut head = already;
    loop {
        if let Some(end) = memchr::memmem::find(&head, b"\r\n\r\n") {
            let rest = head.split_off(end + 4);
            return Ok((head, rest));
        }
        if head.len() > LARGEST_HEAD {
            return Err(io::ErrorKind::InvalidData.into());
        }
        if stream.read_buf(&mut head).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
}

fn status_of(head: &[u8]) -> Option<u16> {
    let line = std::str::from_utf8(head.split(|byte| *byte == b'\r').next()?).ok()?;
    line.strip_prefix("HTTP/1.")?.split(' ').nth(1)?.parse().ok()
}

/// Returns the head with `Connection: close`.
fn closing(head: &[u8]) -> Vec<u8> {
    let mut written = Vec::with_capacity(head.len() + 20);
    for line in head.split_inclusive(|byte| *byte == b'\n').filter(|line| *line != b"\r\n") {
        let name = line.split(|byte| *byte == b':').next().unwrap_or_default();
        let ours = [&b"connection"[..], b"keep-alive", b"proxy-connection"];
        if !ours.iter().any(|ours| name.eq_ignore_ascii_case(ours)) {
            written.extend_from_slice(line);
        }
    }
    written.extend_from_slice(b"Connection: close\r\n\r\n");
    written
}

/// Returns a short error text without keywords that `session::cooldown` would take for a login failure.
fn plain(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::ConnectionRefused => "nothing listens there".to_owned(),
        io::ErrorKind::ConnectionReset | io::ErrorKind::UnexpectedEof | io::ErrorKind::BrokenPipe => {
            "it closed the connection".to_owned()
        }
        io::ErrorKind::TimedOut => "it did not answer".to_owned(),
        io::ErrorKind::InvalidData => {
            "its answer could not be understood, or its certificate is not trusted".to_owned()
        }
        _ => "it is unreachable".to_owned(),
    }
}
