//! The server over HTTP, where it is quicker to ask from here than from outside.
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use patchright_mcp::mcp::dispatch::Dispatcher;
use patchright_mcp::mcp::http::{ApiKeys, ClientLimits, HttpOptions, HttpServer, RequestGuard};
use patchright_mcp::mcp::settings::Settings;
use patchright_mcp::mcp::shutdown::{Shutdown, ShutdownReason};
use patchright_mcp::mcp::tool::Registry;
use patchright_mcp::session::{BrowserSource, Engine, EngineOptions};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// A connection on which these bytes were sent, and no more follow.
async fn sent(server: &HttpServer, bytes: &str) -> TcpStream {
    let mut stream = TcpStream::connect(server.address()).await.unwrap();
    stream.write_all(bytes.as_bytes()).await.unwrap();
    stream
}

/// A server that listens, and what its tools would work on.
async fn bind(keys: ApiKeys, limits: ClientLimits) -> (HttpServer, Arc<Dispatcher>) {
    let guard = RequestGuard::new("127.0.0.1", &[], &[]).unwrap();
    let options = HttpOptions { host: "127.0.0.1".to_owned(), port: 0, keys, guard, limits, metrics: false };
    let source = BrowserSource::Unsupported { browser: "none".to_owned() };
    let engine = Engine::new(EngineOptions::new(source));
    let registry = Registry::new([], &BTreeSet::new(), &BTreeSet::new());
    let dispatcher = Arc::new(Dispatcher::new(registry, engine, Settings::default()));
    (HttpServer::bind(options).await.unwrap(), dispatcher)
}

#[tokio::test]
async fn a_request_that_never_arrives_is_given_up() {
    let limits = ClientLimits { arrival: Duration::from_millis(200), ..ClientLimits::default() };
    let (server, dispatcher) = bind(ApiKeys::allow_anyone(), limits).await;
    let head = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n";
    let mut half_a_head = sent(&server, "POST /mcp HTTP/1.1\r\nHost: loc").await;
    let mut half_a_body = sent(&server, &format!("{head}{{\"jsonrpc\"")).await;
    let shutdown = Shutdown::default();
    let serving = server.serve(dispatcher, &shutdown);
    let asking = async {
        let mut text = [String::new(), String::new()];
        half_a_head.read_to_string(&mut text[0]).await.unwrap();
        half_a_body.read_to_string(&mut text[1]).await.unwrap();
        shutdown.begin(ShutdownReason::Terminated);
        text
    };
    let both = async { tokio::join!(serving, asking).1 };
    // Far more than the limit, and less than the default.
    let [for_the_head, for_the_body] = timeout(Duration::from_secs(20), both).await.expect("it was given up");
    assert_eq!(for_the_head, "");
    assert!(for_the_body.starts_with("HTTP/1.1 408 "), "{for_the_body}");
}

#[tokio::test]
async fn those_without_a_key_cannot_take_all_the_room() {
    const ASK: &str = "GET /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer good\r\n\r\n";
    let limits = ClientLimits { most: 1, arrival: Duration::from_secs(3600), ..ClientLimits::default() };
    let (server, dispatcher) = bind(ApiKeys::new(["good".to_owned()]).unwrap(), limits).await;
    let address = server.address();
    let shutdown = Shutdown::default();
    let serving = server.serve(dispatcher, &shutdown);
    let asking = async {
        let mut known = TcpStream::connect(address).await.unwrap();
        let mut answer = [0; 12];
        known.write_all(ASK.as_bytes()).await.unwrap();
        known.read_exact(&mut answer).await.unwrap();
        let mut strangers = Vec::new();
        for bytes in ["", "GET /hea", "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"].repeat(60) {
            let mut stranger = TcpStream::connect(address).await.unwrap();
            stranger.write_all(bytes.as_bytes()).await.unwrap();
            strangers.push(stranger);
        }
        // The first is gone, and one who came before them all is not.
        assert_eq!(strangers[0].read(&mut answer).await.unwrap_or(0), 0);
        let mut another = TcpStream::connect(address).await.unwrap();
        another.write_all(ASK.as_bytes()).await.unwrap();
        another.read_exact(&mut answer).await.unwrap();
        assert!(answer.starts_with(b"HTTP/1.1 "), "{answer:?}");
        known.write_all(ASK.replace("Host:", "Connection: close\r\nHost:").as_bytes()).await.unwrap();
        let mut rest = String::new();
        known.read_to_string(&mut rest).await.unwrap();
        assert!(rest.contains("HTTP/1.1 "), "only the rest of the first answer: {rest}");
        shutdown.begin(ShutdownReason::Terminated);
    };
    let both = async { tokio::join!(serving, asking) };
    timeout(Duration::from_secs(60), both).await.expect("there is room");
}
