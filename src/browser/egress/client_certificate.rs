//! TLS client certificates.
//!
//! Chromium takes client certificates only from the system's store. Therefore the relay terminates TLS for
//! origins with a client certificate. Its own server certificate is accepted only by the contexts concerned.
//! It opens a second TLS connection to the server, with the client certificate.
use std::collections::HashMap;
use std::fmt;
use std::io;
use std::net::IpAddr;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::io::copy_bidirectional;
use tokio::net::TcpStream;
use tokio_rustls::rustls::crypto::aws_lc_rs::default_provider;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer, ServerName};
use tokio_rustls::rustls::server::Acceptor;
use tokio_rustls::rustls::{AlertDescription, ClientConfig, Error as Tls, ServerConfig};
use tokio_rustls::{LazyConfigAcceptor, TlsConnector};
use url::{Host, Url};

use crate::cdp::transport::tls::{Stream, tls_config};
use crate::error::{Error, Result};

/// A client certificate with its private key, and the origin that may request it.
#[derive(Clone)]
pub struct ClientCertificate {
    host: Host<String>,
    port: u16,
    /// The certificate with its chain, and the private key, as PEM text.
    pem: Arc<[u8]>,
    chain: Vec<CertificateDer<'static>>,
    key: Arc<PrivateKeyDer<'static>>,
}

impl fmt::Debug for ClientCertificate {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("ClientCertificate").field(&self.host.to_string()).field(&self.port).finish()
    }
}

impl ClientCertificate {
    /// Parses a certificate and its key in PEM format; the key must not be encrypted.
    ///
    /// # Errors `invalid_arguments` if one of them is invalid. The error does not quote the input.
    pub fn new(origin: &str, certificate: &[u8], key: &[u8]) -> Result<Self> {
        let wrong = |problem: &str| Error::InvalidArguments {
            problems: vec![format!("client_certificates: {problem}")],
        };
        let url = Url::parse(origin).ok().filter(|url| url.scheme() == "https");
        let url = url.ok_or_else(|| wrong("the origin must be one of https, such as https://example.com"))?;
        let host = url.host().ok_or_else(|| wrong("the origin has no host"))?.to_owned();
        let chain: Vec<_> = CertificateDer::pem_slice_iter(certificate)
            .collect::<std::result::Result<_, _>>()
            .map_err(|_| wrong("the certificate is not PEM"))?;
        let key_der = PrivateKeyDer::from_pem_slice(key)
            .map_err(|_| wrong("the key is not PEM, or needs a passphrase"))?;
        let pem = [certificate, b"\n", key].concat().into();
        let read = Self {
            host,
            port: url.port_or_known_default().unwrap_or(443),
            pem,
            chain,
            key: Arc::new(key_der),
        };
        // Check the key now, and not only when a server requests the certificate.
        read.tls_client_config(true).map_err(|_| wrong("the key does not belong to the certificate"))?;
        Ok(read)
    }

    /// Returns the certificate and its key in PEM format.
    pub(in crate::browser) fn pem(&self) -> &[u8] {
        &self.pem
    }

    pub(in crate::browser) fn is_for(&self, url: &Url) -> bool {
        url.scheme() == "https"
            && url.host().is_some_and(|host| host.to_owned() == self.host)
            && url.port_or_known_default() == Some(self.port)
    }

    fn tls_client_config(&self, ignores_errors: bool) -> io::Result<ClientConfig> {
        tls_config(!ignores_errors)?
            .with_client_auth_cert(self.chain.clone(), self.key.clone_key())
            .map_err(io::Error::other)
    }
}

/// Whether a client certificate is for this URL. The browser then sees the relay's server certificate.
pub(in crate::browser) fn is_covered(certificates: &[ClientCertificate], url: &str) -> bool {
    Url::parse(url).is_ok_and(|mut url| {
        if url.scheme() == "wss" {
            let _ = url.set_scheme("https");
        }
        certificates.iter().any(|certificate| certificate.is_for(&url))
    })
}

/// The client certificates that a relay presents to servers, and its own server certificates.
pub(super) struct RelayCertificates {
    certificates: Vec<ClientCertificate>,
    ignores_errors: bool,
    /// The server certificates that the relay shows the browser, by host.
    faces: Mutex<HashMap<String, Arc<rcgen::CertifiedKey<rcgen::KeyPair>>>>,
}

impl fmt::Debug for RelayCertificates {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("RelayCertificates").field(&self.certificates).finish()
    }
}

impl RelayCertificates {
    pub(super) fn new(certificates: &[ClientCertificate], ignores_errors: bool) -> Self {
        Self { certificates: certificates.to_vec(), ignores_errors, faces: Mutex::default() }
    }

    pub(super) fn for_server(&self, host: &Host<String>, port: u16) -> Option<&ClientCertificate> {
        self.certificates.iter().find(|known| known.host == *host && known.port == port)
    }

    /// Forwards data between the browser and a server over two TLS connections. If the server refuses, calls
    /// `emit` with the reason (a TLS alert in OpenSSL's wording) before the browser is disconnected.
    pub(super) async fn relay_tls(
        &self,
        client: TcpStream,
        server: Box<dyn Stream>,
        certificate: &ClientCertificate,
        emit: impl Fn(String),
    ) -> io::Result<()> {
        let hello = LazyConfigAcceptor::new(Acceptor::default(), client).await?;
        let mut tls_client_config = certificate.tls_client_config(self.ignores_errors)?;
        let spoken = hello.client_hello().alpn();
        tls_client_config.alpn_protocols = spoken.into_iter().flatten().map(<[u8]>::to_vec).collect();
        let name = match &certificate.host {
            Host::Domain(name) => ServerName::try_from(name.clone()).map_err(io::Error::other)?,
            Host::Ipv4(address) => ServerName::from(IpAddr::V4(*address)),
            Host::Ipv6(address) => ServerName::from(IpAddr::V6(*address)),
        };
        let mut server = match TlsConnector::from(Arc::new(tls_client_config)).connect(name, server).await {
            Ok(server) => server,
            Err(error) => {
                emit(reason_of(&error));
                return Err(error);
            }
        };
        let chosen = server.get_ref().1.alpn_protocol().map(<[u8]>::to_vec);
        let face = self.face(&certificate.host)?;
        let key = PrivatePkcs8KeyDer::from(face.signing_key.serialize_der());
        let config = ServerConfig::builder_with_provider(Arc::new(default_provider()));
        let config = config.with_safe_default_protocol_versions().map_err(io::Error::other)?;
        let config = config.with_no_client_auth().with_single_cert(vec![face.cert.der().clone()], key.into());
        let mut config = config.map_err(io::Error::other)?;
        config.alpn_protocols = chosen.into_iter().collect();
        // A browser that does not trust this certificate yet disconnects and connects again.
        let mut client = hello.into_stream(Arc::new(config)).await?;
        // With TLS 1.3, a server can refuse a certificate only after the handshake.
        let carried = copy_bidirectional(&mut client, &mut server).await;
        if let Some(alert) = carried.as_ref().err().and_then(|error| alert_of(error)) {
            emit(refused(&alert));
        }
        carried.map(drop)
    }

    /// Returns the self-signed certificate that the proxy shows for this host. Only contexts with client certificates accept it.
    fn face(&self, host: &Host<String>) -> io::Result<Arc<rcgen::CertifiedKey<rcgen::KeyPair>>> {
        let name = host.to_string();
        let name = name.trim_matches(['[', ']']).to_owned();
        let mut faces = self.faces.lock();
        if let Some(face) = faces.get(&name) {
            return Ok(Arc::clone(face));
        }
        let face = rcgen::generate_simple_self_signed(vec![name.clone()]).map_err(io::Error::other)?;
        let face = Arc::new(face);
        faces.insert(name, Arc::clone(&face));
        Ok(face)
    }
}

/// Returns the reason why a TLS connection to a server failed.
fn reason_of(error: &io::Error) -> String {
    match (alert_of(error), tls_of(error)) {
        (Some(alert), _) => refused(&alert),
        (None, Some(Tls::InvalidCertificate(why))) => format!(
            "the server's own certificate is not trusted ({why:?}): have SSL_CERT_FILE name the file of its authority, or \
             ignore HTTPS errors"
        ),
        _ => refused(&error.to_string()),
    }
}

fn refused(why: &str) -> String {
    format!("the TLS connection with the client certificate failed: {why}")
}

/// Returns the peer's TLS alert in OpenSSL's wording, such as `alert unknown ca`, for which scripts search.
pub(in crate::browser) fn alert_of(error: &(dyn std::error::Error + 'static)) -> Option<String> {
    match tls_of(error) {
        Some(Tls::AlertReceived(alert)) => Some(format!("alert {}", words_of(*alert))),
        _ => None,
    }
}

fn tls_of<'a>(error: &'a (dyn std::error::Error + 'static)) -> Option<&'a Tls> {
    error.downcast_ref::<Tls>().or_else(|| {
        let io = error.downcast_ref::<io::Error>()?;
        io.get_ref()?.downcast_ref::<Tls>()
    })
}

fn words_of(alert: AlertDescription) -> String {
    let mut words = String::new();
    let name = format!("{alert:?}");
    let mut before = '_';
    for letter in name.chars() {
        if letter.is_uppercase() && before.is_lowercase() {
            words.push(' ');
        }
        words.extend(letter.to_lowercase());
        before = letter;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alerts_are_reported_as_openssl_tells_them() {
        let tls = |alert| tokio_rustls::rustls::Error::AlertReceived(alert);
        assert_eq!(alert_of(&tls(AlertDescription::UnknownCA)).as_deref(), Some("alert unknown ca"));
        let wrapped = io::Error::other(tls(AlertDescription::CertificateRequired));
        assert_eq!(alert_of(&wrapped).as_deref(), Some("alert certificate required"));
        assert_eq!(alert_of(&io::Error::other("else")), None);
    }

    #[test]
    fn what_is_no_certificate_is_refused_without_being_repeated() {
        for (origin, certificate) in
            [("http://a.example", "x"), ("https://a.example", "swordfish"), ("no", "x")]
        {
            let error = ClientCertificate::new(origin, certificate.as_bytes(), b"swordfish").unwrap_err();
            assert!(!error.to_string().contains("swordfish"), "{error}");
        }
    }

    #[test]
    fn a_certificate_is_for_its_own_origin() {
        let own = rcgen::generate_simple_self_signed(vec!["me".to_owned()]).unwrap();
        let (certificate, key) =
            (pem("CERTIFICATE", own.cert.der()), pem("PRIVATE KEY", &own.signing_key.serialize_der()));
        let read = ClientCertificate::new("https://a.example:444/x", certificate.as_bytes(), key.as_bytes())
            .unwrap();
        let list = [read];
        assert!(is_covered(&list, "https://a.example:444/y") && is_covered(&list, "wss://a.example:444/"));
        for other in ["https://a.example/", "http://a.example:444/", "https://b.a.example:444/", "nothing"] {
            assert!(!is_covered(&list, other), "{other}");
        }
        let other = rcgen::generate_simple_self_signed(vec!["other".to_owned()]).unwrap();
        let other = pem("PRIVATE KEY", &other.signing_key.serialize_der());
        assert!(
            ClientCertificate::new("https://a.example", certificate.as_bytes(), other.as_bytes()).is_err()
        );
    }

    fn pem(label: &str, der: &[u8]) -> String {
        use base64::Engine as _;
        let body = base64::prelude::BASE64_STANDARD.encode(der);
        format!("-----BEGIN {label}-----\n{body}\n-----END {label}-----\n")
    }
}
