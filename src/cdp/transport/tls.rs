//! TLS to those whom this machine trusts.
use std::fmt::Debug;
use std::io;
use std::sync::{Arc, LazyLock};

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::crypto::aws_lc_rs::default_provider;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

/// A connection, encrypted or not.
pub trait Stream: AsyncRead + AsyncWrite + Debug + Unpin + Send {}
impl<T: AsyncRead + AsyncWrite + Debug + Unpin + Send> Stream for T {}

/// Encrypts a connection to `host`: a name, or an address without brackets.
pub async fn encrypt(stream: TcpStream, host: &str) -> io::Result<TlsStream<TcpStream>> {
    static TRUST: LazyLock<Arc<ClientConfig>> = LazyLock::new(|| {
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        let config = ClientConfig::builder_with_provider(Arc::new(default_provider()));
        let config = config.with_safe_default_protocol_versions();
        let config = config.expect("the provider knows the versions of TLS that are safe");
        Arc::new(config.with_root_certificates(roots).with_no_client_auth())
    });
    let name = ServerName::try_from(host.to_owned()).map_err(io::Error::other)?;
    TlsConnector::from(Arc::clone(&TRUST)).connect(name, stream).await
}
