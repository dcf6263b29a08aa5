//! A browser made of nothing: it reads commands and says what the test tells it to.
use patchright_mcp::cdp::transport::Pipe;
use patchright_mcp::cdp::{CdpSession, Command, Connection};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex, split};

pub(super) struct Peer {
    stream: DuplexStream,
    received: Vec<u8>,
}

/// A connection and the peer at its other end.
pub(super) fn connected() -> (Connection, Peer) {
    bounded(1 << 20)
}

/// The same, where no message from the peer may be larger than `largest`.
pub(super) fn bounded(largest: usize) -> (Connection, Peer) {
    let (ours, theirs) = duplex(64 * 1024);
    let (reader, writer) = split(ours);
    let connection = Connection::start(Pipe::new(reader, writer).with_max_message_bytes(largest));
    (connection, Peer { stream: theirs, received: Vec::new() })
}

impl Peer {
    /// The next command; `None` when the connection was closed.
    pub(super) async fn hear(&mut self) -> Option<Value> {
        loop {
            if let Some(end) = self.received.iter().position(|byte| *byte == 0) {
                let message: Vec<u8> = self.received.drain(..=end).collect();
                return Some(serde_json::from_slice(&message[..end]).expect("we write JSON"));
            }
            if self.stream.read_buf(&mut self.received).await.expect("the peer can read") == 0 {
                assert!(self.received.is_empty(), "the last command was cut off");
                return None;
            }
        }
    }

    /// The id of the next command, which must be `method`.
    pub(super) async fn hear_id(&mut self, method: &str) -> u64 {
        let command = self.hear().await.expect("a command");
        assert_eq!(command["method"], method);
        command["id"].as_u64().expect("an id")
    }

    pub(super) async fn say(&mut self, message: Value) {
        self.say_bytes(message.to_string().as_bytes()).await;
        self.say_bytes(&[0]).await;
    }

    pub(super) async fn say_bytes(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).await.expect("the peer can write");
    }

    /// Writes until nobody reads; how many bytes were taken.
    pub(super) async fn flood(&mut self) -> usize {
        let mut written = 0;
        while let Ok(taken) = self.stream.write(&[b'x'; 4096]).await {
            written += taken;
        }
        written
    }

    /// Reads whatever comes until the connection is closed; how many bytes that was.
    pub(super) async fn hear_out(&mut self) -> usize {
        self.stream.read_to_end(&mut self.received).await.expect("the peer can read")
    }

    pub(super) async fn answer(&mut self, id: u64, result: Value) {
        self.say(json!({ "id": id, "result": result })).await;
    }

    /// Tells of a new session, and waits until the connection knows it.
    pub(super) async fn attach(&mut self, connection: &Connection, parent: &str, id: &str) -> CdpSession {
        let mut events = connection.session(parent).events(&["Target.attachedToTarget"]);
        self.tell(parent, "Target.attachedToTarget", json!({ "sessionId": id })).await;
        events.next().await.expect("the attachment is told");
        connection.session(id)
    }

    pub(super) async fn tell(&mut self, session: &str, method: &str, params: Value) {
        let mut event = json!({ "method": method, "params": params });
        if !session.is_empty() {
            event["sessionId"] = session.into();
        }
        self.say(event).await;
    }
}

/// A command that the peer echoes.
#[derive(Debug, Serialize)]
pub(super) struct Ask {
    pub(super) number: u64,
}

impl Command for Ask {
    const METHOD: &'static str = "Test.ask";
    type Reply = Numbered;
}

#[derive(Debug, PartialEq, Eq, Deserialize)]
pub(super) struct Numbered {
    pub(super) number: u64,
}
