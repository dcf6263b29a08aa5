//! The server over HTTP, where it is quicker to ask from here than from outside.
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use patchright_mcp::mcp::dispatch::Dispatcher;
use patchright_mcp::mcp::http::{ClientLimits, Guard, HttpOptions, HttpServer, Keys};
use patchright_mcp::mcp::settings::Settings;
use patchright_mcp::mcp::shutdown::{Reason, Shutdown};
use patchright_mcp::mcp::tool::Registry;
use patchright_mcp::session::{Engine, EngineOptions, Source};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// A connection on which these bytes were sent, and no more follow.
async fn sent(server: &HttpServer, bytes: &str) -> TcpStream {
    let mut stream = TcpStream::connect(server.address()).await.unwrap();
    stream.write_all(bytes.as_bytes()).await.unwrap();
    stream
}

#[tokio::test]
async fn a_request_that_never_arrives_is_given_up() {
    let limits = ClientLimits { arrival: Duration::from_millis(200), ..ClientLimits::default() };
    let guard = Guard::new("127.0.0.1", &[], &[]).unwrap();
    let options = HttpOptions { host: "127.0.0.1".to_owned(), port: 0, keys: Keys::none(), guard, limits };
    let server = HttpServer::bind(options).await.unwrap();
    let head = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n";
    let mut half_a_head = sent(&server, "POST /mcp HTTP/1.1\r\nHost: loc").await;
    let mut half_a_body = sent(&server, &format!("{head}{{\"jsonrpc\"")).await;
    let source = Source::Unsupported { browser: "none".to_owned() };
    let engine = Engine::new(EngineOptions::new(source));
    let registry = Registry::new([], &BTreeSet::new(), &BTreeSet::new());
    let dispatcher = Arc::new(Dispatcher::new(registry, engine, Settings::default()));
    let shutdown = Shutdown::default();
    let serving = server.serve(dispatcher, &shutdown);
    let asking = async {
        let mut told = [String::new(), String::new()];
        half_a_head.read_to_string(&mut told[0]).await.unwrap();
        half_a_body.read_to_string(&mut told[1]).await.unwrap();
        shutdown.begin(Reason::Terminated);
        told
    };
    let both = async { tokio::join!(serving, asking).1 };
    // Far more than the limit, and less than what holds unless told otherwise.
    let [for_the_head, for_the_body] = timeout(Duration::from_secs(20), both).await.expect("it was given up");
    assert_eq!(for_the_head, "");
    assert!(for_the_body.starts_with("HTTP/1.1 408 "), "{for_the_body}");
}
