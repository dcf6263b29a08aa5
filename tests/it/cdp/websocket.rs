//! The same protocol over a real socket on the loopback.
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use patchright_mcp::cdp::Connection;
use patchright_mcp::cdp::transport::{MAX_MESSAGE_BYTES, WebSocket};
use patchright_mcp::{Error, Result};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::Instant;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{Data, OpCode};
use tokio_tungstenite::tungstenite::protocol::frame::{Frame, FrameHeader};

use super::peer::{Ask, Numbered};

async fn listening() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = format!("ws://{}/devtools", listener.local_addr().expect("it is bound"));
    (listener, address)
}

/// A connection and the peer at its other end.
async fn connected() -> (Connection, WebSocketStream<TcpStream>) {
    let (listener, address) = listening().await;
    let accept = async {
        let (stream, _) = listener.accept().await.expect("somebody calls");
        tokio_tungstenite::accept_async(stream).await.expect("a handshake")
    };
    let (socket, peer) = tokio::join!(WebSocket::connect(&address, &[]), accept);
    (Connection::start(socket.expect("it connects")), peer)
}

async fn hear(peer: &mut WebSocketStream<TcpStream>) -> Value {
    loop {
        match peer.next().await.expect("the socket is open").expect("it can be read") {
            Message::Text(text) => return serde_json::from_str(&text).expect("we write JSON"),
            Message::Pong(_) => {}
            other => panic!("{other:?}"),
        }
    }
}

fn reply(id: &Value) -> String {
    json!({ "id": id, "result": { "number": 1 } }).to_string()
}

#[tokio::test]
async fn commands_and_replies_cross_it() {
    let (connection, mut peer) = connected().await;
    let asked: Vec<_> = (0..100).map(|number| connection.root().send(Ask { number })).collect();
    for _ in 0..100 {
        let command = hear(&mut peer).await;
        let answer = json!({ "id": command["id"], "result": command["params"] });
        peer.send(Message::text(answer.to_string())).await.expect("it can be written");
    }
    for (number, reply) in (0..).zip(asked) {
        assert_eq!(reply.await.expect("a reply"), Numbered { number });
    }
}

#[tokio::test]
async fn pieces_pings_binary_and_garbage_are_taken() {
    let (connection, mut peer) = connected().await;
    let asked = connection.root().send(Ask { number: 1 });
    let second = connection.root().send(Ask { number: 2 });
    let id = hear(&mut peer).await["id"].clone();
    let second_id = hear(&mut peer).await["id"].clone();
    peer.send(Message::Ping("are you there".into())).await.expect("it can be written");
    peer.send(Message::text("garbage")).await.expect("it can be written");
    peer.send(Message::binary(vec![0xff, 0xfe])).await.expect("it can be written");
    let text = reply(&id);
    let (first, rest) = text.split_at(text.len() / 2);
    let piece = |text: &str, opcode, last| {
        Message::Frame(Frame::message(text.to_owned(), OpCode::Data(opcode), last))
    };
    peer.send(piece(first, Data::Text, false)).await.expect("it can be written");
    peer.send(piece(rest, Data::Continue, true)).await.expect("it can be written");
    assert_eq!(asked.await.expect("a reply"), Numbered { number: 1 });
    peer.send(Message::binary(reply(&second_id))).await.expect("it can be written");
    assert_eq!(second.await.expect("a reply"), Numbered { number: 1 });
}

#[tokio::test]
async fn every_way_to_hang_up_fails_what_is_pending_at_once() {
    for way in
        ["close frame", "end of stream", "reset", "half a frame", "not text", "a frame beyond the bound"]
    {
        let (connection, mut peer) = connected().await;
        let asked = connection.root().send(Ask { number: 1 });
        hear(&mut peer).await;
        match way {
            "close frame" => peer.close(None).await.expect("it can be written"),
            "end of stream" => peer.get_mut().shutdown().await.expect("it can be closed"),
            "reset" => {
                peer.get_ref().set_zero_linger().expect("the option is known");
                drop(peer);
            }
            "half a frame" => {
                peer.get_mut().write_all(&[0x81, 0x20, b'{']).await.expect("it can be written");
                drop(peer);
            }
            "not text" => {
                peer.get_mut().write_all(&[0x81, 0x02, 0xff, 0xfe]).await.expect("it can be written");
            }
            _ => {
                let mut header = Vec::new();
                let frame = FrameHeader { opcode: OpCode::Data(Data::Text), ..FrameHeader::default() };
                frame.format(MAX_MESSAGE_BYTES as u64 + 1, &mut header).expect("a vector takes all");
                peer.get_mut().write_all(&header).await.expect("it can be written");
            }
        }
        let error = asked.await.expect_err(way);
        assert!(matches!(error, Error::BrowserGone { .. }), "{way}: {error:?}");
        assert!(connection.close_reason().is_some());
    }
}

#[tokio::test]
async fn the_last_handle_closes_the_socket() {
    let (connection, mut peer) = connected().await;
    drop(connection);
    let mut rest = Vec::new();
    peer.get_mut().read_to_end(&mut rest).await.expect("it ends");
}

/// What connecting says when the other side answers the handshake with this.
async fn answered_with(answer: &'static str, headers: &[(String, String)]) -> (Result<WebSocket>, String) {
    let (listener, address) = listening().await;
    let serve = async {
        let (mut stream, _) = listener.accept().await.expect("somebody calls");
        let mut request = Vec::new();
        while !request.ends_with(b"\r\n\r\n")
            && stream.read_buf(&mut request).await.expect("it can be read") > 0
        {}
        stream.write_all(answer.as_bytes()).await.expect("it can be written");
        String::from_utf8(request).expect("it is text")
    };
    tokio::join!(WebSocket::connect(&address, headers), serve)
}

#[tokio::test]
async fn a_refusal_is_reported_without_the_address_or_the_words_of_a_login() {
    let (result, _) = answered_with("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n", &[]).await;
    let text = result.expect_err("refused").to_string();
    assert_eq!(text, "the browser is gone: it answered with HTTP 407");

    let (result, request) =
        answered_with("garbage\r\n\r\n", &[("X-Key".to_owned(), "secret".to_owned())]).await;
    let text = result.expect_err("not HTTP").to_string();
    assert!(!text.contains("127.0.0.1") && !text.contains("secret"), "{text}");
    assert!(request.to_lowercase().contains("x-key: secret\r\n"), "{request}");
}

#[tokio::test]
async fn what_cannot_be_connected_to_is_reported() {
    let bad = [("Bad name".to_owned(), String::new())];
    let (_listener, address) = listening().await;
    for (address, headers) in
        [("ws://", &[][..]), ("", &[]), ("ws://127.0.0.1:1/devtools", &[]), (&address, &bad)]
    {
        let error = WebSocket::connect(address, headers).await.expect_err(address);
        assert_eq!(error.code(), "browser_gone", "{error:?}");
        assert!(!error.to_string().contains("devtools"), "{error}");
    }
}

#[tokio::test]
async fn only_sockets_are_spoken_to() {
    let (_listener, address) = listening().await;
    for address in [address.replace("ws:", "https:"), address.replace("ws:", "http:")] {
        let error = WebSocket::connect(&address, &[]).await.expect_err("it is not a websocket");
        assert!(error.to_string().contains("only ws:// and wss:// addresses"), "{error}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_handshake_that_never_comes_is_given_up() {
    let (_listener, address) = listening().await;
    let start = Instant::now();
    WebSocket::connect(&address, &[]).await.expect_err("nobody answers");
    assert_eq!(start.elapsed(), Duration::from_secs(30));
}
