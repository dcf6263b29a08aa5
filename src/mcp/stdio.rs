//! The stdio transport: JSON-RPC over standard input and output, one message per line.
//!
//! The SDK's own transport drops invalid messages. This one answers them with an error, as JSON-RPC requires,
//! and continues.
use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use rmcp::RoleServer;
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, ErrorData, JsonRpcMessage, RequestId, ServerJsonRpcMessage,
};
use rmcp::transport::Transport;
use serde::Serialize;
use serde_json::{Map, Value};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::{Notify, mpsc};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::json::without_half_pairs;
use crate::mcp::server::malformed_request;
use crate::mcp::strict_json;

/// The maximum length of a line in bytes: longer than any useful argument.
const LONGEST_LINE: usize = 16 << 20;
/// The number of bytes of unread output above which no more input is read.
const LARGEST_BACKLOG: usize = 64 << 20;
/// How long a client that does not read its input can delay the exit.
const LAST_WRITE: Duration = Duration::from_secs(1);

/// An MCP transport over a pair of byte streams.
#[derive(Debug)]
pub struct StdioTransport<R> {
    reader: BufReader<R>,
    /// The incomplete line. It is kept here because the future of `receive` can be dropped halfway.
    line: Vec<u8>,
    /// Whether the rest of an oversized line is being skipped.
    skipping: bool,
    /// Whether the first request has arrived. Notifications before it are ignored.
    begun: bool,
    batch: VecDeque<ClientJsonRpcMessage>,
    outbox: Outbox,
    ended: CancellationToken,
}

#[derive(Debug, Clone)]
struct Outbox {
    queue: Option<mpsc::UnboundedSender<Vec<u8>>>,
    backlog: Arc<Backlog>,
    writer: Arc<Mutex<Option<JoinHandle<()>>>>,
}

/// The number of bytes that are queued for output and not written yet.
#[derive(Debug, Default)]
struct Backlog {
    bytes: AtomicUsize,
    shrunk: Notify,
}

enum LineRead {
    Whole,
    TooLong,
    End,
}

impl<R: AsyncRead + Unpin> StdioTransport<R> {
    /// Creates a transport. Cancels `ended` when the client has closed either stream.
    pub fn new(
        reader: R,
        writer: impl AsyncWrite + Unpin + Send + 'static,
        ended: CancellationToken,
    ) -> Self {
        let reader = BufReader::with_capacity(64 << 10, reader);
        let outbox = Outbox::new(writer, ended.clone());
        Self {
            reader,
            line: Vec::new(),
            skipping: false,
            begun: false,
            batch: VecDeque::new(),
            outbox,
            ended,
        }
    }

    /// Reads one line into `self.line`. Cancel-safe.
    async fn read_line(&mut self) -> io::Result<LineRead> {
        loop {
            let available = self.reader.fill_buf().await?;
            if available.is_empty() {
                return Ok(LineRead::End);
            }
            let newline = memchr::memchr(b'\n', available);
            let taken = newline.map_or(available.len(), |at| at + 1);
            let too_long = !self.skipping && self.line.len() + taken > LONGEST_LINE;
            if too_long {
                self.line = Vec::new();
            } else if !self.skipping {
                self.line.extend_from_slice(&available[..taken]);
            }
            self.reader.consume(taken);
            let skipped = self.skipping;
            self.skipping = (skipped || too_long) && newline.is_none();
            if too_long {
                return Ok(LineRead::TooLong);
            }
            if newline.is_some() && !skipped {
                return Ok(LineRead::Whole);
            }
        }
    }

    /// Handles a line: a message, a batch of messages, or invalid text that is answered with an error.
    fn accept_line(&mut self, line: &[u8]) {
        let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line).trim_ascii();
        if line.is_empty() {
            return;
        }
        // A text that was cut inside an emoji contains half a surrogate pair; its call should not fail.
        let mended = without_half_pairs(line);
        match strict_json::read(mended.as_deref().unwrap_or(line)) {
            Ok(Value::Array(items)) if !items.is_empty() => {
                for item in items {
                    self.accept(item);
                }
            }
            Ok(value) => self.accept(value),
            Err(error) => self.refuse(&ErrorData::parse_error(format!("Parse error: {error}"), None), None),
        }
    }

    fn accept(&mut self, value: Value) {
        let id = id_of(&value);
        match read_message(value, id.as_ref()) {
            Ok(message) => {
                let opens = matches!(&message, JsonRpcMessage::Request(_));
                if self.begun || opens {
                    self.begun = true;
                    self.batch.push_back(message);
                } else {
                    // The SDK would treat such a message as a broken connection.
                    tracing::debug!("ignored a message that came before the first request");
                }
            }
            Err(error) => self.refuse(&error, id.as_ref()),
        }
    }

    fn refuse(&self, error: &ErrorData, id: Option<&RequestId>) {
        tracing::debug!(code = error.code.0, "refused a message");
        // The SDK's own type omits a null id, which JSON-RPC requires.
        let _ = self.outbox.send(&serde_json::json!({ "jsonrpc": "2.0", "id": id, "error": error }));
    }
}

/// Returns the id of a message; `None` if it has no valid one.
pub(super) fn id_of(value: &Value) -> Option<RequestId> {
    value.get("id").and_then(|id| serde_json::from_value(id.clone()).ok())
}

/// Parses a message. The error is the answer to an invalid one.
pub(super) fn read_message(value: Value, id: Option<&RequestId>) -> Result<ClientJsonRpcMessage, ErrorData> {
    let invalid = |reason: &str| ErrorData::invalid_request(format!("Invalid request: {reason}"), None);
    let object = value.as_object().ok_or_else(|| invalid("a message is a JSON object"))?;
    if object.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return Err(invalid("`jsonrpc` must be \"2.0\""));
    }
    if object.contains_key("id") && id.is_none() && !is_answer_to_nothing(object) {
        return Err(invalid("`id` must be a string or a whole number"));
    }
    if object.get("method").is_some_and(|method| !method.is_string()) {
        return Err(invalid("`method` must be a string"));
    }
    if object.get("params").is_some_and(|params| !params.is_object() && !params.is_null()) {
        return Err(ErrorData::invalid_params("Invalid params: `params` must be an object", None));
    }
    let message = serde_json::from_value(value).map_err(|_| invalid("neither a request nor a response"))?;
    if let JsonRpcMessage::Request(request) = &message
        && let ClientRequest::CustomRequest(custom) = &request.request
        && let Some(error) = malformed_request(custom)
    {
        return Err(error);
    }
    Ok(message)
}

/// Whether a message is an error response with `id: null`: the client could not parse a server message.
fn is_answer_to_nothing(object: &Map<String, Value>) -> bool {
    object.contains_key("error") && object.get("id").is_some_and(Value::is_null)
}

impl<R: AsyncRead + Unpin + Send> Transport<RoleServer> for StdioTransport<R> {
    type Error = io::Error;

    /// Queues a message immediately, so that messages keep their order.
    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        std::future::ready(self.outbox.send(&message))
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            if let Some(message) = self.batch.pop_front() {
                return Some(message);
            }
            let ended = self.ended.clone();
            let backlog = Arc::clone(&self.outbox.backlog);
            let read = async {
                backlog.wait().await;
                self.read_line().await
            };
            let read = tokio::select! {
                () = ended.cancelled() => return None,
                read = read => read,
            };
            match read {
                Ok(LineRead::Whole) => {
                    let line = std::mem::take(&mut self.line);
                    self.accept_line(&line);
                }
                Ok(LineRead::TooLong) => {
                    let reason = format!("Parse error: the line is longer than {LONGEST_LINE} bytes");
                    self.refuse(&ErrorData::parse_error(reason, None), None);
                }
                Ok(LineRead::End) | Err(_) => {
                    // A last line without a newline is still a message.
                    let line = std::mem::take(&mut self.line);
                    self.accept_line(&line);
                    if self.batch.is_empty() {
                        self.ended.cancel();
                        return None;
                    }
                }
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.ended.cancel();
        self.outbox.close().await;
        Ok(())
    }
}

impl Outbox {
    fn new(writer: impl AsyncWrite + Unpin + Send + 'static, ended: CancellationToken) -> Self {
        let (queue, messages) = mpsc::unbounded_channel();
        let backlog = Arc::<Backlog>::default();
        let written = Arc::clone(&backlog);
        let writer = tokio::spawn(async move {
            if let Err(error) = write(writer, messages, &written).await {
                tracing::debug!(%error, "the client no longer reads");
                ended.cancel();
            }
        });
        Self { queue: Some(queue), backlog, writer: Arc::new(Some(writer).into()) }
    }

    fn send(&self, message: &impl Serialize) -> io::Result<()> {
        let mut line = serde_json::to_vec(message)?;
        line.push(b'\n');
        self.backlog.bytes.fetch_add(line.len(), Ordering::Relaxed);
        let queue = self.queue.as_ref().ok_or(io::ErrorKind::NotConnected)?;
        queue.send(line).map_err(|_| io::ErrorKind::BrokenPipe.into())
    }

    /// Writes the queued messages, and closes the stream. Gives up after [`LAST_WRITE`].
    async fn close(&mut self) {
        self.queue = None;
        let writer = self.writer.lock().take();
        if let Some(mut writer) = writer
            && tokio::time::timeout(LAST_WRITE, &mut writer).await.is_err()
        {
            writer.abort();
        }
    }
}

impl Backlog {
    async fn wait(&self) {
        loop {
            let shrunk = self.shrunk.notified();
            if self.bytes.load(Ordering::Relaxed) <= LARGEST_BACKLOG {
                return;
            }
            shrunk.await;
        }
    }
}

async fn write(
    mut writer: impl AsyncWrite + Unpin,
    mut messages: mpsc::UnboundedReceiver<Vec<u8>>,
    backlog: &Backlog,
) -> io::Result<()> {
    while let Some(line) = messages.recv().await {
        let mut next = Some(line);
        while let Some(line) = next {
            writer.write_all(&line).await?;
            backlog.bytes.fetch_sub(line.len(), Ordering::Relaxed);
            backlog.shrunk.notify_one();
            next = messages.try_recv().ok();
        }
        writer.flush().await?;
    }
    writer.shutdown().await
}
