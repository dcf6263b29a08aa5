//! The server over a pair of in-memory pipes: raw lines in, raw lines out.
use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use patchright_mcp::Result;
use patchright_mcp::browser::launch::LaunchOptions;
use patchright_mcp::mcp::call::Call;
use patchright_mcp::mcp::dispatch::Dispatcher;
use patchright_mcp::mcp::reply::Reply;
use patchright_mcp::mcp::server::Server;
use patchright_mcp::mcp::settings::Settings;
use patchright_mcp::mcp::shutdown::{Shutdown, ShutdownReason};
use patchright_mcp::mcp::stdio::StdioTransport;
use patchright_mcp::mcp::tool::{AnyTool, Registry, Tool, ToolEffect, Toolset};
use patchright_mcp::session::{BrowserSource, Engine, EngineOptions};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines as ReadLines, ReadHalf, WriteHalf,
};
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// Say it back.
#[derive(Debug, Deserialize, JsonSchema)]
struct Echo {
    text: String,
}

impl Tool for Echo {
    const NAME: &'static str = "echo";
    const TITLE: &'static str = "Echo";
    const EFFECT: ToolEffect = ToolEffect::Reads;

    async fn call(self, _call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        reply.say(self.text);
        Ok(())
    }
}

/// The names of the [`Hang`]s that were dropped before they ended, which they never do.
static DROPPED: LazyLock<watch::Sender<BTreeSet<String>>> = LazyLock::new(watch::Sender::default);

/// Never answer.
#[derive(Debug, Deserialize, JsonSchema)]
struct Hang {
    #[serde(default)]
    name: String,
}

impl Tool for Hang {
    const NAME: &'static str = "hang";
    const TITLE: &'static str = "Hang";
    const EFFECT: ToolEffect = ToolEffect::Acts;

    async fn call(self, call: &Call<'_>, _reply: &mut Reply) -> Result<()> {
        struct Dropped(String);
        impl Drop for Dropped {
            fn drop(&mut self) {
                DROPPED.send_modify(|names| names.extend([std::mem::take(&mut self.0)]));
            }
        }
        let _dropped = Dropped(self.name);
        call.progress.set_message("hanging");
        std::future::pending().await
    }
}

/// Break.
#[derive(Debug, Deserialize, JsonSchema)]
struct Break {}

impl Tool for Break {
    const NAME: &'static str = "break";
    const TITLE: &'static str = "Break";
    const EFFECT: ToolEffect = ToolEffect::Acts;

    async fn call(self, _call: &Call<'_>, _reply: &mut Reply) -> Result<()> {
        panic!("on purpose")
    }
}

static TOOLS: [AnyTool; 3] = [AnyTool::of::<Echo>(), AnyTool::of::<Hang>(), AnyTool::of::<Break>()];

/// The client's end of a running server.
struct Wire {
    input: Option<WriteHalf<DuplexStream>>,
    output: ReadLines<BufReader<ReadHalf<DuplexStream>>>,
    server: JoinHandle<()>,
    shutdown: Shutdown,
}

impl Wire {
    fn start() -> Self {
        let (ours, theirs) = tokio::io::duplex(1 << 20);
        let (reader, writer) = tokio::io::split(theirs);
        let shutdown = Shutdown::default();
        let registry = Registry::new(&TOOLS, &BTreeSet::new(), &BTreeSet::from([Toolset::Browser]));
        let engine = Engine::new(EngineOptions::new(BrowserSource::Launch(Box::new(LaunchOptions {
            executable: Some("/nobody/starts/this".into()),
            ..LaunchOptions::default()
        }))));
        let server = Server::new(Arc::new(Dispatcher::new(registry, engine, Settings::default())));
        let transport = StdioTransport::new(reader, writer, shutdown.token().clone());
        let ending = shutdown.clone();
        let server = tokio::spawn(async move { server.serve(transport, &ending).await });
        let (output, input) = tokio::io::split(ours);
        Self { input: Some(input), output: BufReader::new(output).lines(), server, shutdown }
    }

    async fn initialized() -> Self {
        let mut wire = Self::start();
        let parameters = json!({
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "0"},
        });
        let answer = wire.request(0, "initialize", parameters).await;
        assert_eq!(answer["result"]["protocolVersion"], "2025-06-18");
        wire.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
        wire
    }

    async fn send_raw(&mut self, bytes: &[u8]) {
        self.input.as_mut().unwrap().write_all(bytes).await.unwrap();
    }

    async fn send(&mut self, message: &Value) {
        self.send_raw(format!("{message}\n").as_bytes()).await;
    }

    async fn read(&mut self) -> Value {
        let line = tokio::time::timeout(Duration::from_secs(10), self.output.next_line());
        serde_json::from_str(&line.await.expect("an answer").unwrap().expect("not the end")).unwrap()
    }

    async fn request(&mut self, id: i64, method: &str, params: Value) -> Value {
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await;
        self.read().await
    }

    async fn call(&mut self, id: i64, tool: &str, arguments: Value) -> Value {
        self.request(id, "tools/call", json!({"name": tool, "arguments": arguments})).await
    }

    /// The connection still works.
    async fn assert_alive(&mut self) {
        let answer = self.call(99, "echo", json!({"text": "alive"})).await;
        assert_eq!(answer["result"]["content"][0]["text"], "### Result\nalive");
    }

    async fn assert_ends(self) {
        tokio::time::timeout(Duration::from_secs(5), self.server).await.expect("the server ends").unwrap();
    }
}

#[tokio::test]
async fn the_server_introduces_itself() {
    let mut wire = Wire::start();
    let parameters = json!({"protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}});
    let result = wire.request(1, "initialize", parameters).await["result"].clone();
    assert_eq!(result["protocolVersion"], "2024-11-05");
    assert_eq!(result["serverInfo"]["name"], "patchright-mcp");
    assert_eq!(result["serverInfo"]["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(result["capabilities"], json!({"resources": {}, "tools": {}}));
    assert!(result["instructions"].as_str().unwrap().starts_with("Drives a real Chromium browser."));
}

#[tokio::test]
async fn tools_are_listed_and_called() {
    let mut wire = Wire::initialized().await;
    let tools = wire.request(1, "tools/list", json!({})).await["result"]["tools"].clone();
    let names: Vec<_> = tools.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["echo", "hang", "break"]);
    assert_eq!(tools[0]["annotations"]["readOnlyHint"], true);
    wire.assert_alive().await;
    assert_eq!(wire.request(2, "ping", json!({})).await["result"], json!({}));
}

#[tokio::test]
async fn a_client_without_a_handshake_is_served_as_the_2026_revision_asks() {
    let mut wire = Wire::start();
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "0"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let discovered = wire.request(1, "server/discover", json!({"_meta": meta})).await;
    assert!(discovered["result"]["supportedVersions"].to_string().contains("2026-07-28"), "{discovered}");
    let parameters = json!({"name": "echo", "arguments": {"text": "modern"}, "_meta": meta});
    let answer = wire.request(2, "tools/call", parameters).await;
    assert_eq!(answer["result"]["content"][0]["text"], "### Result\nmodern", "{answer}");
}

/// Each row: a line, and the code and id of its answer.
#[tokio::test]
async fn what_cannot_be_read_is_answered_and_the_connection_lives_on() {
    let rows: &[(&[u8], i64, Value)] = &[
        (b"not json", -32700, Value::Null),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"", -32700, Value::Null),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\xfe\"}", -32700, Value::Null),
        (b"\"\\ud800\"", -32600, Value::Null),
        (b"5", -32600, Value::Null),
        (b"[]", -32600, Value::Null),
        (b"{}", -32600, Value::Null),
        (b"{\"jsonrpc\":\"1.0\",\"id\":3,\"method\":\"ping\"}", -32600, json!(3)),
        (b"{\"jsonrpc\":\"2.0\",\"id\":4}", -32600, json!(4)),
        (b"{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}", -32600, Value::Null),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"}", -32600, Value::Null),
        (b"{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":7}", -32600, json!("a")),
        (b"{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"tools/call\",\"params\":[]}", -32602, json!(5)),
        (b"{\"jsonrpc\":\"2.0\",\"id\":6,\"method\":\"tools/call\",\"params\":{}}", -32602, json!(6)),
        (b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{\"name\":\"echo\",\"arguments\":[]}}", -32602, json!(7)),
        (b"{\"jsonrpc\":\"2.0\",\"id\":8,\"method\":\"tools/call\",\"params\":{\"name\":\"nope\"}}", -32601, json!(8)),
        (b"{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"no/such\"}", -32601, json!(9)),
        (b"{\"jsonrpc\":\"2.0\",\"id\":11,\"method\":\"tools/list\",\"params\":{\"cursor\":\"x\"}}", -32602, json!(11)),
    ];
    let mut wire = Wire::initialized().await;
    for (line, code, id) in rows {
        wire.send_raw(&[*line, b"\r\n"].concat()).await;
        let answer = wire.read().await;
        let shown = String::from_utf8_lossy(line);
        assert_eq!(answer["error"]["code"], *code, "{shown} → {answer}");
        assert_eq!(answer.get("id"), Some(id), "{shown} → {answer}");
        wire.assert_alive().await;
    }
}

#[tokio::test]
async fn noise_before_the_first_request_is_passed_over() {
    let mut wire = Wire::start();
    wire.send_raw(b"\n  \nnot json\n{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n").await;
    assert_eq!(wire.read().await["error"]["code"], -32700);
    assert_eq!(wire.request(1, "ping", json!({})).await["result"], json!({}));
    let answer = wire.request(2, "initialize", json!({"protocolVersion": 5})).await;
    assert_eq!(answer["error"]["code"], -32602);
    let parameters =
        json!({"protocolVersion": "x", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}});
    assert_eq!(wire.request(3, "initialize", parameters).await["result"]["protocolVersion"], "2025-11-25");
}

#[tokio::test]
async fn a_line_of_any_length_is_survived() {
    let mut wire = Wire::initialized().await;
    let text = "x".repeat(3 << 20);
    let answer = wire.call(1, "echo", json!({"text": text})).await;
    let shown = answer["result"]["content"][0]["text"].as_str().unwrap().len();
    assert!((20_000..30_000).contains(&shown), "{shown}");

    let chunk = vec![b' '; 1 << 20];
    for _ in 0..20 {
        wire.send_raw(&chunk).await;
    }
    wire.send_raw(b"\n").await;
    assert_eq!(wire.read().await["error"]["code"], -32700);
    wire.assert_alive().await;
}

#[tokio::test]
async fn several_messages_on_one_line_are_each_answered() {
    let mut wire = Wire::initialized().await;
    let ping = |id: i64| json!({"jsonrpc": "2.0", "id": id, "method": "ping"});
    wire.send(&json!([ping(1), 5, ping(2)])).await;
    let mut answers = [wire.read().await, wire.read().await, wire.read().await];
    answers.sort_by_key(|answer| answer["id"].as_i64());
    assert_eq!(
        answers.iter().map(|answer| answer["id"].clone()).collect::<Vec<_>>(),
        [Value::Null, json!(1), json!(2)]
    );
}

#[tokio::test]
async fn wrong_arguments_are_a_result_that_the_model_reads() {
    let mut wire = Wire::initialized().await;
    let result = wire.call(1, "echo", json!({"txt": 1})).await["result"].clone();
    assert_eq!(result["isError"], true);
    let expected = "### Error\nThese arguments cannot be used:\n- `text` is missing; it is a string\n\
                    - `txt` is not an argument; did you mean `text`?";
    assert_eq!(result["content"][0]["text"], expected);
    assert_eq!(result["_meta"]["errorCode"], "invalid_arguments");
}

#[tokio::test]
async fn a_tool_that_breaks_is_answered() {
    let mut wire = Wire::initialized().await;
    let result = wire.call(1, "break", json!({})).await["result"].clone();
    assert_eq!(result["_meta"]["errorCode"], "broken");
    wire.assert_alive().await;
}

#[tokio::test]
async fn calls_run_side_by_side_and_cancelling_one_drops_it() {
    let mut wire = Wire::initialized().await;
    let parameters = json!({"name": "hang", "arguments": {"name": "to cancel"}});
    wire.send(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": parameters})).await;
    wire.assert_alive().await;
    assert!(!DROPPED.borrow().contains("to cancel"));
    wire.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}))
        .await;
    let mut dropped = DROPPED.subscribe();
    let dropped = dropped.wait_for(|names| names.contains("to cancel"));
    tokio::time::timeout(Duration::from_secs(5), dropped).await.expect("the call is dropped").unwrap();
    wire.assert_alive().await;
}

#[tokio::test(start_paused = true)]
async fn a_slow_call_tells_what_it_does_when_asked_to() {
    let mut wire = Wire::initialized().await;
    let parameters = json!({"name": "hang", "_meta": {"progressToken": "p1"}});
    let first = wire.request(1, "tools/call", parameters).await;
    assert_eq!(first["method"], "notifications/progress");
    assert_eq!(first["params"]["progressToken"], "p1");
    assert_eq!(first["params"]["message"], "hanging");
    let second = wire.read().await;
    assert!(second["params"]["progress"].as_f64() > first["params"]["progress"].as_f64());
}

#[tokio::test]
async fn the_end_of_input_ends_the_server_even_in_the_middle_of_a_call() {
    let mut wire = Wire::initialized().await;
    wire.send(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "hang"}})).await;
    wire.assert_alive().await;
    wire.input.take().unwrap().shutdown().await.unwrap();
    assert_eq!(wire.read().await["result"]["_meta"]["errorCode"], "cancelled");
    wire.assert_ends().await;
}

#[tokio::test]
async fn the_last_line_counts_without_its_newline() {
    let mut wire = Wire::initialized().await;
    wire.send_raw(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}").await;
    wire.input.take().unwrap().shutdown().await.unwrap();
    assert_eq!(wire.read().await["id"], 1);
    wire.assert_ends().await;
}

#[tokio::test]
async fn a_signal_ends_the_server_in_the_middle_of_a_call() {
    let mut wire = Wire::initialized().await;
    wire.send(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "hang"}})).await;
    wire.assert_alive().await;
    wire.shutdown.begin(ShutdownReason::Interrupted);
    let shutdown = wire.shutdown.clone();
    wire.assert_ends().await;
    assert_eq!(shutdown.reason().exit_status(), 130);
}

#[tokio::test]
async fn a_client_that_stops_reading_cannot_keep_the_server() {
    let mut wire = Wire::initialized().await;
    for id in 0..40 {
        let parameters = json!({"name": "echo", "arguments": {"text": "x".repeat(100_000)}});
        wire.send(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": parameters})).await;
    }
    wire.input.take().unwrap().shutdown().await.unwrap();
    wire.assert_ends().await;
}

#[tokio::test]
async fn a_client_that_is_gone_ends_the_server() {
    let Wire { input, output, server, .. } = Wire::initialized().await;
    drop((input, output));
    tokio::time::timeout(Duration::from_secs(5), server).await.expect("the server ends").unwrap();
}
