use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt, Stream, StreamExt};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::handshake;
use tokio_tungstenite::tungstenite::http::{HeaderName, HeaderValue, Request, StatusCode};
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{Bytes, Message, Utf8Bytes};

use super::tls::{self, encrypt};
use super::{MAX_MESSAGE_BYTES, Transport, TransportReader, TransportWriter};
use crate::error::{Error, Result, human};

/// A WebSocket connection to a browser.
#[derive(Debug)]
pub struct WebSocket {
    stream: WebSocketStream<Box<dyn tls::Stream>>,
}

/// The time limit for connecting, including the WebSocket handshake.
const CONNECT_LIMIT: Duration = Duration::from_secs(30);

impl WebSocket {
    /// Connects to a `ws://` or `wss://` URL with extra headers, within 30 s.
    pub async fn connect(address: &str, headers: &[(String, String)]) -> Result<Self> {
        let mut request = address.into_client_request().map_err(|error| unreachable(describe(&error)))?;
        if !matches!(request.uri().scheme_str(), Some("ws" | "wss")) {
            return Err(unreachable("only ws:// and wss:// addresses can be attached to".to_owned()));
        }
        for (name, value) in headers {
            let name: HeaderName =
                name.parse().map_err(|_| unreachable("a header name is not valid".to_owned()))?;
            let value: HeaderValue =
                value.parse().map_err(|_| unreachable("a header value is not valid".to_owned()))?;
            request.headers_mut().insert(name, value);
        }
        let stream = timeout(CONNECT_LIMIT, open(request)).await.unwrap_or_else(|_| {
            Err(unreachable(format!("it did not speak the protocol within {}", human(CONNECT_LIMIT))))
        })?;
        Ok(Self { stream })
    }

    /// Accepts a WebSocket connection for this path. Rejects web pages, whose requests have an `Origin` header.
    pub async fn accept(stream: TcpStream, path: &str) -> io::Result<Self> {
        #[allow(clippy::result_large_err)] // The WebSocket library requires this signature.
        let check = |request: &handshake::server::Request, response| {
            if request.uri().path() == path && !request.headers().contains_key("origin") {
                return Ok(response);
            }
            let mut refusal = handshake::server::ErrorResponse::new(None);
            *refusal.status_mut() = StatusCode::FORBIDDEN;
            Err(refusal)
        };
        let stream: Box<dyn tls::Stream> = Box::new(stream);
        let accepting = tokio_tungstenite::accept_hdr_async_with_config(stream, check, Some(sizes()));
        let accepted = timeout(CONNECT_LIMIT, accepting).await.map_err(io::Error::other)?;
        Ok(Self { stream: accepted.map_err(io::Error::other)? })
    }

    /// Waits for the next message; `None` after a clean close. For a connection that is not split.
    pub async fn read(&mut self) -> io::Result<Option<Vec<u8>>> {
        read(&mut self.stream).await
    }

    /// Sends a message. For a connection that is not split.
    pub async fn write(&mut self, message: &[u8]) -> io::Result<()> {
        let text = Utf8Bytes::try_from(Bytes::copy_from_slice(message)).map_err(io::Error::other)?;
        self.stream.send(Message::Text(text)).await.map_err(io::Error::other)
    }
}

async fn read(
    stream: &mut (impl Stream<Item = tungstenite::Result<Message>> + Unpin),
) -> io::Result<Option<Vec<u8>>> {
    loop {
        return match stream.next().await {
            Some(Ok(Message::Text(text))) => Ok(Some(Bytes::from(text).into())),
            Some(Ok(Message::Binary(bytes))) => Ok(Some(bytes.into())),
            Some(Ok(Message::Close(_))) | None => Ok(None),
            Some(Ok(_)) => continue,
            Some(Err(error)) => Err(io::Error::other(error)),
        };
    }
}

/// A TCP connection that acknowledges received data at once: Firefox waits for the acknowledgement before it sends
/// more, and the system would delay it by 40 ms.
#[derive(Debug)]
struct QuickAckStream(TcpStream);

impl AsyncRead for QuickAckStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let read = Pin::new(&mut self.0).poll_read(context, buffer);
        #[cfg(target_os = "linux")]
        if read.is_ready() {
            // Set after every read, since the system resets the option. If it fails, replies are only slower.
            let _ = self.0.set_quickack(true);
        }
        read
    }
}

impl AsyncWrite for QuickAckStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}

async fn open(request: Request<()>) -> Result<WebSocketStream<Box<dyn tls::Stream>>> {
    let failed = |error: io::Error| unreachable(error.to_string());
    let is_encrypted = request.uri().scheme_str() == Some("wss");
    let host = request.uri().host().unwrap_or_default().trim_matches(['[', ']']).to_owned();
    let port = request.uri().port_u16().unwrap_or(if is_encrypted { 443 } else { 80 });
    let stream = TcpStream::connect((host.as_str(), port)).await.map_err(|error| match error.kind() {
        io::ErrorKind::ConnectionRefused => Error::BrowserNotListening,
        _ => failed(error),
    })?;
    let _ = stream.set_nodelay(true);
    let stream: Box<dyn tls::Stream> = match is_encrypted {
        true => Box::new(encrypt(stream, &host).await.map_err(failed)?),
        false => Box::new(QuickAckStream(stream)),
    };
    let (stream, _) = tokio_tungstenite::client_async_with_config(request, stream, Some(sizes()))
        .await
        .map_err(|error| unreachable(describe(&error)))?;
    Ok(stream)
}

fn sizes() -> WebSocketConfig {
    WebSocketConfig::default()
        .max_message_size(Some(MAX_MESSAGE_BYTES))
        .max_frame_size(Some(MAX_MESSAGE_BYTES))
}

fn unreachable(reason: String) -> Error {
    Error::BrowserGone { reason }
}

/// Describes an error without the URL, and an HTTP status only by its number.
fn describe(error: &tungstenite::Error) -> String {
    match error {
        tungstenite::Error::Http(response) => format!("it answered with HTTP {}", response.status().as_u16()),
        tungstenite::Error::Url(_) | tungstenite::Error::HttpFormat(_) => {
            "its address is not valid".to_owned()
        }
        other => other.to_string(),
    }
}

impl Transport for WebSocket {
    type TransportReader = WebSocketReader;
    type TransportWriter = WebSocketWriter;

    fn split(self) -> (Self::TransportReader, Self::TransportWriter) {
        let (writer, reader) = self.stream.split();
        (WebSocketReader(reader), WebSocketWriter(writer))
    }
}

#[derive(Debug)]
/// The reading half of a [`WebSocket`].
pub struct WebSocketReader(SplitStream<WebSocketStream<Box<dyn tls::Stream>>>);

impl TransportReader for WebSocketReader {
    async fn next(&mut self) -> io::Result<Option<Vec<u8>>> {
        read(&mut self.0).await
    }
}

#[derive(Debug)]
/// The writing half of a [`WebSocket`].
pub struct WebSocketWriter(SplitSink<WebSocketStream<Box<dyn tls::Stream>>, Message>);

impl TransportWriter for WebSocketWriter {
    async fn send(&mut self, messages: &[Vec<u8>]) -> io::Result<()> {
        for message in messages {
            let text = Utf8Bytes::try_from(Bytes::copy_from_slice(message)).map_err(io::Error::other)?;
            self.0.feed(Message::Text(text)).await.map_err(io::Error::other)?;
        }
        self.0.flush().await.map_err(io::Error::other)
    }
}
