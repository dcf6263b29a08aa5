//! Connections through SOCKS proxies.
use std::io;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use url::Host;

use super::super::proxy::Proxy;
use super::{Refusal, Request, plain};
use crate::cdp::transport::tls::Stream;

/// Requests a connection from a SOCKS 4 proxy. The proxy resolves host names (SOCKS 4a).
pub(super) async fn version_4(
    stream: &mut Box<dyn Stream>,
    proxy: &Proxy,
    request: &Request,
) -> Result<(), Refusal> {
    const GRANTED: u8 = 90;
    const NAME_FOLLOWS: [u8; 4] = [0, 0, 0, 1];
    let broke = |error: io::Error| Refusal::Unreachable(plain(&error));
    let (address, name) = match &request.host {
        Host::Ipv4(address) => (address.octets(), None),
        Host::Domain(name) => (NAME_FOLLOWS, Some(name)),
        Host::Ipv6(_) => return Err(Refusal::Refused("SOCKS 4 knows no IPv6 addresses".to_owned())),
    };
    let mut ask = vec![4, 1];
    ask.extend(request.port.to_be_bytes());
    ask.extend(address);
    let user = proxy.credentials.as_ref().map_or("", |(name, _)| name.as_str());
    for text in [Some(user), name.map(String::as_str)].into_iter().flatten() {
        ask.extend_from_slice(text.as_bytes());
        ask.push(0);
    }
    stream.write_all(&ask).await.map_err(broke)?;
    let mut answer = [0; 8];
    stream.read_exact(&mut answer).await.map_err(broke)?;
    match answer[..2] {
        [0, GRANTED] => Ok(()),
        [0, 92 | 93] => Err(Refusal::Credentials),
        [0, _] => Err(Refusal::Refused("it would not say why".to_owned())),
        _ => Err(Refusal::Refused("it does not speak SOCKS 4".to_owned())),
    }
}

/// Requests a connection from a SOCKS 5 proxy. The proxy resolves host names.
pub(super) async fn version_5(
    stream: &mut Box<dyn Stream>,
    proxy: &Proxy,
    request: &Request,
) -> Result<(), Refusal> {
    const BY_PASSWORD: u8 = 2;
    let broke = |error: io::Error| Refusal::Unreachable(plain(&error));
    let methods: &[u8] = if proxy.credentials.is_some() { &[5, 2, 0, BY_PASSWORD] } else { &[5, 1, 0] };
    stream.write_all(methods).await.map_err(broke)?;
    let mut chosen = [0; 2];
    stream.read_exact(&mut chosen).await.map_err(broke)?;
    match (chosen, &proxy.credentials) {
        ([5, 0], _) => {}
        ([5, BY_PASSWORD], Some((username, password))) => {
            let mut ask = vec![1];
            for part in [username, password] {
                ask.push(u8::try_from(part.len()).unwrap_or(u8::MAX));
                ask.extend_from_slice(part.as_bytes());
            }
            stream.write_all(&ask).await.map_err(broke)?;
            let mut answer = [0; 2];
            let answered = stream.read_exact(&mut answer).await;
            if answered.is_err() || answer[1] != 0 {
                return Err(Refusal::Credentials);
            }
        }
        ([5, _], _) => return Err(Refusal::Credentials),
        _ => return Err(Refusal::Refused("it does not speak SOCKS 5".to_owned())),
    }
    let mut ask = vec![5, 1, 0];
    match &request.host {
        Host::Domain(name) => {
            ask.extend([
                3,
                u8::try_from(name.len()).map_err(|_| Refusal::Server(io::ErrorKind::InvalidInput))?,
            ]);
            ask.extend_from_slice(name.as_bytes());
        }
        Host::Ipv4(address) => {
            ask.push(1);
            ask.extend(address.octets());
        }
        Host::Ipv6(address) => {
            ask.push(4);
            ask.extend(address.octets());
        }
    }
    ask.extend(request.port.to_be_bytes());
    stream.write_all(&ask).await.map_err(broke)?;
    let mut answer = [0; 4];
    stream.read_exact(&mut answer).await.map_err(broke)?;
    let reason = match answer[1] {
        0 => None,
        2 => Some("its rules do not allow it"),
        3 => Some("it cannot reach that network"),
        4 => Some("it cannot reach that server"),
        5 => Some("that server accepts no connection"),
        _ => Some("it would not say why"),
    };
    if let Some(reason) = reason {
        return Err(Refusal::Refused(reason.to_owned()));
    }
    let length = match answer[3] {
        1 => 4,
        4 => 16,
        _ => usize::from(stream.read_u8().await.map_err(broke)?),
    };
    let mut bound = vec![0; length + 2];
    stream.read_exact(&mut bound).await.map_err(broke).map(drop)
}
