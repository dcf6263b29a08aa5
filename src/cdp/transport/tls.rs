//! TLS connections with the trusted certificates of this machine.
use std::fmt::Debug;
use std::io;
use std::sync::{Arc, LazyLock};

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::client::WantsClientCert;
use tokio_rustls::rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use tokio_rustls::rustls::crypto::aws_lc_rs::default_provider;
use tokio_rustls::rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use tokio_rustls::rustls::{
    ClientConfig, ConfigBuilder, DigitallySignedStruct, Error, RootCertStore, SignatureScheme,
};

/// A byte stream to a peer, encrypted or not.
pub trait Stream: AsyncRead + AsyncWrite + Debug + Unpin + Send {}
impl<T: AsyncRead + AsyncWrite + Debug + Unpin + Send> Stream for T {}

/// Opens a TLS connection to `host`: a name, or an IP address without brackets.
pub async fn encrypt(stream: TcpStream, host: &str) -> io::Result<TlsStream<TcpStream>> {
    static TRUST: LazyLock<Arc<ClientConfig>> = LazyLock::new(|| {
        let config = tls_config(true).expect("the provider knows the versions of TLS that are safe");
        Arc::new(config.with_no_client_auth())
    });
    let name = ServerName::try_from(host.to_owned()).map_err(io::Error::other)?;
    TlsConnector::from(Arc::clone(&TRUST)).connect(name, stream).await
}

/// Returns a TLS configuration that trusts this machine's root certificates, or if false, everything.
pub fn tls_config(only_the_trusted: bool) -> io::Result<ConfigBuilder<ClientConfig, WantsClientCert>> {
    static ROOTS: LazyLock<Arc<RootCertStore>> = LazyLock::new(|| {
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        Arc::new(roots)
    });
    let provider = Arc::new(default_provider());
    let config = ClientConfig::builder_with_provider(Arc::clone(&provider));
    let config = config.with_safe_default_protocol_versions().map_err(io::Error::other)?;
    Ok(match only_the_trusted {
        true => config.with_root_certificates(Arc::clone(&ROOTS)),
        false => {
            config.dangerous().with_custom_certificate_verifier(Arc::new(AcceptAllCertificates(provider)))
        }
    })
}

/// A verifier that accepts every certificate; used only if the user turned certificate checks off.
#[derive(Debug)]
struct AcceptAllCertificates(Arc<CryptoProvider>);

impl ServerCertVerifier for AcceptAllCertificates {
    fn verify_server_cert(
        &self,
        _end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, certificate, signed, &self.0.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, certificate, signed, &self.0.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
