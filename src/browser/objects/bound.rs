//! Offers the browser to other CDP clients on a local port. Each client has its own browser session and
//! receives only the events of that session. The browser itself needs no debugging port.
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::task::{JoinHandle, JoinSet};

use crate::browser::objects::browser::Browser;
use crate::browser::objects::raw::RawSession;
use crate::cdp::transport::websocket::WebSocket;
use crate::cdp::{CdpSession, Connection, DetectableCommandReason};
use crate::error::{Error, Result};

/// The time limit for a client's command: effectively none, since clients have limits of their own.
const COMMAND_LIMIT: Duration = Duration::from_secs(24 * 60 * 60);

/// A local port for other CDP clients of the browser. Dropping it closes the port and all connections.
#[derive(Debug)]
pub struct BrowserServer {
    address: SocketAddr,
    secret: String,
    listening: JoinHandle<()>,
}

impl Drop for BrowserServer {
    fn drop(&mut self) {
        self.listening.abort();
    }
}

impl BrowserServer {
    /// Returns the WebSocket URL for clients. Anyone who knows it has full control of the browser.
    pub fn endpoint(&self) -> String {
        format!("ws://{}{}", self.address, self.secret)
    }
}

impl Browser {
    /// Opens a port on `127.0.0.1` for other clients; `None` chooses a free port.
    ///
    /// # Errors `unsupported` if the browser does not use CDP; `invalid_arguments` if the port is taken.
    pub async fn bind(&self, port: Option<u16>) -> Result<BrowserServer> {
        // Fails here, instead of for the first client, if the browser does not support raw sessions.
        self.attach_raw().await?.let_go();
        let taken =
            |error: std::io::Error| Error::InvalidArguments { problems: vec![format!("port: {error}")] };
        let listener = TcpListener::bind(("127.0.0.1", port.unwrap_or(0))).await.map_err(taken)?;
        let address = listener.local_addr().map_err(taken)?;
        let secret = format!("/{}", uuid::Uuid::new_v4());
        let listening = tokio::spawn(listen(listener, self.clone(), secret.clone()));
        Ok(BrowserServer { address, secret, listening })
    }
}

async fn listen(listener: TcpListener, browser: Browser, secret: String) {
    // Dropping the set when this task ends disconnects all clients.
    let mut clients = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    let (browser, secret) = (browser.clone(), secret.clone());
                    clients.spawn(async move {
                        // An error ends only the connection of this client.
                        let _ = serve(stream, &browser, &secret).await;
                    });
                }
                Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
            },
            Some(_) = clients.join_next() => {}
        }
    }
}

/// The size in bytes of unsent messages above which a client is disconnected.
const MOST_WAITING: usize = 64 << 20;

/// The queue of messages to a client.
#[derive(Clone)]
struct Outbox {
    messages: UnboundedSender<Vec<u8>>,
    /// The number of bytes in the queue.
    waiting: Arc<AtomicUsize>,
    is_full: Arc<Notify>,
}

impl Outbox {
    fn put(&self, message: Vec<u8>) {
        let waited = self.waiting.fetch_add(message.len(), Ordering::Relaxed);
        if waited + message.len() > MOST_WAITING {
            self.is_full.notify_one();
        } else {
            let _ = self.messages.send(message);
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ClientCommand {
    id: i64,
    method: String,
    #[serde(default)]
    params: Option<Value>,
    #[serde(default)]
    session_id: Option<String>,
}

/// A client's browser session. Dropping it ends the session.
struct ClientSession(RawSession);

impl Drop for ClientSession {
    fn drop(&mut self) {
        self.0.let_go();
    }
}

async fn serve(stream: TcpStream, browser: &Browser, secret: &str) -> Result<()> {
    let gone = |_: std::io::Error| Error::BrowserGone { reason: "the guest has gone".to_owned() };
    let _ = stream.set_nodelay(true);
    let mut socket = WebSocket::accept(stream, secret).await.map_err(gone)?;
    let visit = ClientSession(browser.attach_raw().await?);
    let (messages, mut to_client) = unbounded_channel();
    let outbox = Outbox { messages, waiting: Arc::default(), is_full: Arc::default() };
    forward_events(visit.0.session(), None, browser.connection(), &outbox);
    let mut commands = JoinSet::new();
    loop {
        tokio::select! {
            message = socket.read() => {
                let Some(message) = message.map_err(gone)? else { return Ok(()) };
                let Ok(asked) = serde_json::from_slice::<ClientCommand>(&message) else { return Ok(()) };
                let session = match &asked.session_id {
                    Some(id) => browser.connection().session(id),
                    None => visit.0.session().clone(),
                };
                let outbox = outbox.clone();
                commands.spawn(async move { outbox.put(answer(&session, asked).await.into_bytes()) });
            }
            Some(message) = to_client.recv() => {
                tokio::select! {
                    written = socket.write(&message) => written.map_err(gone)?,
                    () = outbox.is_full.notified() => return Ok(()),
                }
                outbox.waiting.fetch_sub(message.len(), Ordering::Relaxed);
            }
            () = outbox.is_full.notified() => return Ok(()),
            Some(_) = commands.join_next() => {}
        }
    }
}

async fn answer(session: &CdpSession, asked: ClientCommand) -> String {
    let parameters = asked.params.unwrap_or_else(|| json!({}));
    let permit = Some(DetectableCommandReason::UserAsked);
    let answered = session.call_raw_within(&asked.method, &parameters, permit, COMMAND_LIMIT).await;
    let mut reply = match answered {
        Ok(result) => json!({ "id": asked.id, "result": result }),
        Err(error) => {
            let message = match error {
                Error::Protocol { message, .. } => message,
                other => other.to_string(),
            };
            json!({ "id": asked.id, "error": { "code": -32000, "message": message } })
        }
    };
    if let Some(id) = asked.session_id {
        reply["sessionId"] = id.into();
    }
    reply.to_string()
}

/// Forwards the events of a session, and of the sessions attached through it, to a client.
fn forward_events(session: &CdpSession, id: Option<String>, connection: &Connection, outbox: &Outbox) {
    let (connection, outbox) = (connection.downgrade(), outbox.clone());
    session.forward_events(Arc::new(move |method, parameters| {
        if method == "Target.attachedToTarget"
            && let Some(connection) = connection.upgrade()
            && let Ok(Value::Object(attached)) = serde_json::from_slice(parameters)
            && let Some(new) = attached.get("sessionId").and_then(Value::as_str)
        {
            forward_events(&connection.session(new), Some(new.to_owned()), &connection, &outbox);
        }
        let Ok(parameters) = std::str::from_utf8(parameters) else { return };
        let name = Value::from(method);
        let session =
            id.as_ref().map_or(String::new(), |id| format!(r#","sessionId":{}"#, Value::from(id.as_str())));
        let message = format!(r#"{{"method":{name},"params":{parameters}{session}}}"#);
        outbox.put(message.into_bytes());
    }));
}
