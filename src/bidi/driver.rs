//! The connection to Firefox. One task receives the messages of both sides and executes all commands.
//!
//! Commands start in the order in which they arrive. Each sends its first message at once, which keeps that
//! order. A command that waits for a reply from Firefox continues before the next event is reported.
use std::collections::HashMap;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use parking_lot::{Mutex, MutexGuard};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

use super::errors::Refusal;
use super::state::State;
use super::{answers, events};
use crate::cdp::transport::{Transport, TransportReader, TransportWriter, WebSocket};
use crate::error::{Error, Result, human};
use crate::json::decode;

/// Options for a WebDriver BiDi session with Firefox.
#[derive(Debug, Clone, Default)]
pub struct FirefoxOptions {
    /// The proxy of the whole browser, such as `http://127.0.0.1:8080`.
    pub proxy: Option<String>,
    /// Hosts that bypass the proxy.
    pub direct_hosts: Vec<String>,
    pub accept_insecure_certs: bool,
    /// Hides `navigator.webdriver`. Firefox must have been started with `--remote-allow-system-access`.
    pub hides_webdriver: bool,
}

/// A connected Firefox with an open session, before it is used as a transport.
pub struct Firefox {
    driver: Arc<Driver>,
    transport: WebSocket,
    bidi: mpsc::UnboundedReceiver<Vec<u8>>,
    cdp: mpsc::UnboundedReceiver<Vec<u8>>,
    tasks: mpsc::UnboundedReceiver<Task>,
    /// Messages that arrived while the session was set up; they are processed first.
    early: Vec<Vec<u8>>,
}

/// The state shared by all running commands.
pub(super) struct Driver {
    next: AtomicU64,
    pending: Mutex<HashMap<u64, oneshot::Sender<Value>>>,
    bidi: mpsc::UnboundedSender<Vec<u8>>,
    cdp: mpsc::UnboundedSender<Vec<u8>>,
    state: Mutex<State>,
    /// Lets one command at a time start or stop the console of a tab.
    pub(super) console_turn: tokio::sync::Mutex<()>,
    tasks: mpsc::UnboundedSender<Task>,
    /// The capabilities from Firefox's reply to `session.new`.
    pub(super) capabilities: Value,
}

type Task = Pin<Box<dyn Future<Output = ()> + Send>>;

/// The oldest supported version of Firefox. Earlier versions silently ignore a context's proxy.
const OLDEST: u32 = 153;

/// What the whole session subscribes to. The console has separate subscriptions, since pages can notice them.
const EVENTS: [&str; 6] = [
    "browsingContext",
    "network",
    "script.realmCreated",
    "script.realmDestroyed",
    "script.message",
    "input.fileDialogOpened",
];

impl Firefox {
    /// Connects to the Firefox that listens at this address and opens a session, within `limit`.
    pub async fn connect(address: &str, begin: &FirefoxOptions, limit: Duration) -> Result<Self> {
        let slow = || Error::BrowserLaunch {
            reason: format!("Firefox did not start a session within {}", human(limit)),
        };
        timeout(limit, Self::begin(address, begin)).await.unwrap_or_else(|_| Err(slow()))
    }

    async fn begin(address: &str, begin: &FirefoxOptions) -> Result<Self> {
        let transport = WebSocket::connect(&format!("{address}/session"), &[]).await?;
        let (bidi_sender, bidi) = mpsc::unbounded_channel();
        let (cdp_sender, cdp) = mpsc::unbounded_channel();
        let (task_sender, tasks) = mpsc::unbounded_channel();
        let mut driver = Driver {
            next: AtomicU64::new(1),
            pending: Mutex::default(),
            bidi: bidi_sender,
            cdp: cdp_sender,
            state: Mutex::default(),
            console_turn: tokio::sync::Mutex::default(),
            tasks: task_sender,
            capabilities: Value::Null,
        };
        let mut opening = SessionSetup { transport, early: Vec::new() };
        let answer =
            opening.ask("session.new", json!({"capabilities": {"alwaysMatch": capabilities(begin)}})).await?;
        driver.capabilities = answer["capabilities"].clone();
        let version = driver.capabilities["browserVersion"].as_str().unwrap_or_default().to_owned();
        if version
            .split('.')
            .next()
            .and_then(|major| major.parse::<u32>().ok())
            .is_none_or(|major| major < OLDEST)
        {
            let reason = format!(
                "Firefox {version} is too old: it ignores the proxies of contexts and does not say so; {OLDEST} or newer is needed"
            );
            return Err(Error::BrowserLaunch { reason });
        }
        opening.ask("session.subscribe", json!({"events": EVENTS})).await?;
        // Firefox keeps request and response bodies only if a data collector exists.
        let collect = json!({"dataTypes": ["request", "response"], "maxEncodedDataSize": 20_000_000});
        opening.ask("network.addDataCollector", collect).await?;
        if begin.hides_webdriver {
            opening.hide_webdriver().await?;
        }
        let tree = opening.ask("browsingContext.getTree", json!({})).await?;
        let open = tree["contexts"].as_array().into_iter().flatten();
        driver.state.lock().hidden =
            open.filter_map(|tab| Some(tab["context"].as_str()?.to_owned())).collect();
        Ok(Self {
            driver: Arc::new(driver),
            transport: opening.transport,
            bidi,
            cdp,
            tasks,
            early: opening.early,
        })
    }
}

fn capabilities(begin: &FirefoxOptions) -> Value {
    let mut capabilities = json!({
        // Dialogs stay open until they are answered; file choosers are reported but not shown.
        "unhandledPromptBehavior": {"default": "ignore", "file": "dismiss"},
        "acceptInsecureCerts": begin.accept_insecure_certs,
    });
    if let Some(proxy) = &begin.proxy {
        capabilities["proxy"] = proxy_settings(proxy, &begin.direct_hosts);
    }
    capabilities
}

/// Returns the proxy settings in BiDi's format. `direct_hosts` bypass the proxy.
pub(super) fn proxy_settings(server: &str, direct_hosts: &[String]) -> Value {
    let (scheme, host) = server.split_once("://").unwrap_or(("http", server));
    let mut settings = match scheme {
        "socks4" => json!({"proxyType": "manual", "socksProxy": host, "socksVersion": 4}),
        "socks5" | "socks5h" | "socks" => {
            json!({"proxyType": "manual", "socksProxy": host, "socksVersion": 5})
        }
        _ => json!({"proxyType": "manual", "httpProxy": host, "sslProxy": host}),
    };
    if !direct_hosts.is_empty() {
        // Firefox's `noProxy` marks all subdomains by a leading dot instead of `*.`.
        let named = direct_hosts.iter().map(|host| host.strip_prefix('*').unwrap_or(host));
        settings["noProxy"] = named.collect();
    }
    settings
}

/// The connection while the session is set up.
struct SessionSetup {
    transport: WebSocket,
    early: Vec<Vec<u8>>,
}

impl SessionSetup {
    async fn ask(&mut self, method: &str, params: Value) -> Result<Value> {
        let gone =
            |error: io::Error| Error::BrowserGone { reason: format!("the connection to it broke ({error})") };
        let command = json!({"id": 0, "method": method, "params": params});
        self.transport.write(command.to_string().as_bytes()).await.map_err(gone)?;
        loop {
            let Some(bytes) = self.transport.read().await.map_err(gone)? else {
                return Err(Error::BrowserGone { reason: "it closed the connection".to_owned() });
            };
            let message: Value = decode(&bytes).unwrap_or_default();
            if message["id"] != 0 {
                self.early.push(bytes);
            } else if message["type"] == "error" {
                let refused = Refusal::read(&message).to_json();
                let why = refused["message"].as_str().unwrap_or_default();
                let reason = format!("Firefox refused {method}: {why}");
                return Err(Error::BrowserLaunch { reason });
            } else {
                return Ok(message["result"].clone());
            }
        }
    }

    /// Resets the value by which all processes of Firefox know that it is under remote control.
    async fn hide_webdriver(&mut self) -> Result<()> {
        let tree = self.ask("browsingContext.getTree", json!({"moz:scope": "chrome"})).await?;
        let window = tree["contexts"][0]["context"].clone();
        let clear = json!({
            "expression": "Services.ppmm.sharedData.set('RemoteAgent:Active', false); Services.ppmm.sharedData.flush()",
            "target": {"context": window},
            "awaitPromise": false,
        });
        self.ask("script.evaluate", clear).await.map(drop)
    }
}

impl Transport for Firefox {
    type TransportReader = FirefoxReader;
    type TransportWriter = FirefoxWriter;

    fn split(self) -> (Self::TransportReader, Self::TransportWriter) {
        let (commands, inbox) = mpsc::unbounded_channel();
        let (reader, writer) = self.transport.split();
        tokio::spawn(write(writer, self.bidi));
        tokio::spawn(drive(self.driver, reader, inbox, self.tasks, self.early));
        (FirefoxReader(self.cdp), FirefoxWriter(commands))
    }
}

/// The reading half: messages from Firefox, translated to CDP.
pub struct FirefoxReader(mpsc::UnboundedReceiver<Vec<u8>>);

impl TransportReader for FirefoxReader {
    async fn next(&mut self) -> io::Result<Option<Vec<u8>>> {
        Ok(self.0.recv().await)
    }
}

/// The writing half: messages to Firefox, translated from CDP.
pub struct FirefoxWriter(mpsc::UnboundedSender<Vec<u8>>);

impl TransportWriter for FirefoxWriter {
    async fn send(&mut self, messages: &[Vec<u8>]) -> io::Result<()> {
        for message in messages {
            self.0.send(message.clone()).map_err(|_| io::Error::from(io::ErrorKind::BrokenPipe))?;
        }
        Ok(())
    }
}

async fn write(mut writer: impl TransportWriter, mut messages: mpsc::UnboundedReceiver<Vec<u8>>) {
    const AT_ONCE: usize = 64;
    let mut batch = Vec::new();
    while messages.recv_many(&mut batch, AT_ONCE).await > 0 {
        if writer.send(&batch).await.is_err() {
            return;
        }
        batch.clear();
    }
}

async fn drive(
    driver: Arc<Driver>,
    mut reader: impl TransportReader,
    mut inbox: mpsc::UnboundedReceiver<Vec<u8>>,
    mut tasks: mpsc::UnboundedReceiver<Task>,
    early: Vec<Vec<u8>>,
) {
    let mut running = FuturesUnordered::<Task>::new();
    for message in early {
        driver.hear(&message);
    }
    loop {
        tokio::select! {
            biased;
            Some(()) = running.next() => {}
            Some(mut task) = tasks.recv() => {
                if futures_util::poll!(&mut task).is_pending() {
                    running.push(task);
                }
            }
            message = reader.next() => match message {
                Ok(Some(message)) => driver.hear(&message),
                _ => break,
            },
            command = inbox.recv() => match command {
                Some(command) => driver.begin(&command),
                None => break,
            },
        }
    }
    // Drops the running commands, and with them the last senders: then the receivers end.
    running.clear();
}

/// A BiDi message without nested values and DOM nodes, for JSON too deeply nested to be parsed in full.
#[derive(Deserialize)]
struct ShallowMessage {
    id: Option<u64>,
    method: Option<String>,
    #[serde(default)]
    params: ShallowParams,
}

/// The parameters of a console event, without the logged values.
#[derive(Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct ShallowParams {
    #[serde(rename = "type")]
    kind: Value,
    level: Value,
    text: Value,
    timestamp: Value,
    source: Value,
    stack_trace: Value,
    method: Value,
}

/// The error type of a reply that is nested too deeply to be parsed.
const UNREADABLE: &str = "unreadable";

impl ShallowMessage {
    fn message(self) -> Value {
        match self.id {
            Some(id) => json!({"id": id, "type": UNREADABLE}),
            None => json!({"method": self.method, "params": self.params}),
        }
    }
}

impl Driver {
    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    /// Runs a task concurrently. Its first message is sent after the first messages of earlier tasks.
    pub(super) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        let _ = self.tasks.send(Box::pin(task));
    }

    /// Sends a BiDi command now. The returned future yields its reply.
    pub(super) fn ask(
        &self,
        method: &str,
        params: Value,
    ) -> impl Future<Output = Result<Value, Refusal>> + Send + use<> {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let (sender, receiver) = oneshot::channel();
        self.pending.lock().insert(id, sender);
        let message = json!({"id": id, "method": method, "params": params});
        let _ = self.bidi.send(message.to_string().into_bytes());
        async move {
            let message = receiver.await.map_err(|_| Refusal::new("Firefox is gone"))?;
            if message["type"] == "error" {
                Err(Refusal::read(&message))
            } else if message["type"] == UNREADABLE {
                Err(Refusal::unreadable())
            } else {
                Ok(message["result"].clone())
            }
        }
    }

    /// Sends a BiDi command to Firefox and ignores its reply.
    pub(super) fn tell(&self, method: &str, params: Value) {
        drop(self.ask(method, params));
    }

    /// Emits a CDP event in a session; empty: the browser's own session.
    pub(super) fn emit(&self, session: &str, method: &str, params: Value) {
        let mut message = json!({"method": method, "params": params});
        if !session.is_empty() {
            message["sessionId"] = session.into();
        }
        let _ = self.cdp.send(message.to_string().into_bytes());
    }

    fn hear(self: &Arc<Self>, bytes: &[u8]) {
        let mut message = match decode::<Value>(bytes) {
            Ok(message) => message,
            Err(error) => {
                tracing::debug!(bytes = bytes.len(), %error, "a message from Firefox cannot be read");
                match decode::<ShallowMessage>(bytes) {
                    Ok(shallow) => shallow.message(),
                    Err(_) => return,
                }
            }
        };
        if let Some(id) = message["id"].as_u64() {
            if let Some(waiting) = self.pending.lock().remove(&id) {
                let _ = waiting.send(message);
            }
            return;
        }
        let params = message["params"].take();
        events::hear(self, message["method"].as_str().unwrap_or_default(), &params);
    }

    fn begin(self: &Arc<Self>, bytes: &[u8]) {
        let Ok(mut command) = decode::<Value>(bytes) else { return };
        let driver = self.clone();
        self.spawn(async move {
            let (id, params) = (command["id"].take(), command["params"].take());
            let session = command["sessionId"].as_str().unwrap_or_default().to_owned();
            let method = command["method"].as_str().unwrap_or_default();
            let mut answer = match answers::answer(&driver, &session, method, &params).await {
                Ok(result) => json!({"id": id, "result": result}),
                Err(refusal) => json!({"id": id, "error": refusal.to_json()}),
            };
            if !session.is_empty() {
                answer["sessionId"] = session.into();
            }
            let _ = driver.cdp.send(answer.to_string().into_bytes());
        });
    }
}
