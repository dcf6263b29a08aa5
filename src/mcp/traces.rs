//! Tracing spans of calls: tool, time, duration and error code, exported as OTLP in JSON over HTTP. Spans
//! contain no arguments, answers, URLs or keys.
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use reqwest::StatusCode;
use reqwest::header::{CONTENT_TYPE, HeaderMap};
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};
use tokio::time::{sleep, timeout, timeout_at};
use url::Url;
use uuid::Uuid;

use super::reply::Reply;

/// How long a span waits so that several can be sent in one request.
const RHYTHM: Duration = Duration::from_secs(2);
const MOST_AT_ONCE: usize = 512;
/// The maximum number of spans that wait to be sent. Further ones are dropped.
const MOST_KEPT: usize = 4096;
/// The time limit for an answer of the collector.
const ANSWER_LIMIT: Duration = Duration::from_secs(10);
/// The pauses between attempts to send, in ms.
const PAUSES_MS: [u64; 5] = [250, 500, 1000, 2000, 4000];
/// How long sending the last spans may delay the exit of the server.
const LAST_LIMIT: Duration = Duration::from_secs(1);
/// OTLP's number for the span kind "server".
const SERVER: u8 = 2;
/// OTLP's number for the status "error".
const FAILED: u8 = 2;

/// The collector to which spans are sent.
#[derive(Clone)]
pub struct SpanExporterOptions {
    url: Url,
    headers: HeaderMap,
}

impl std::fmt::Debug for SpanExporterOptions {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Headers and URLs can contain credentials.
        formatter.debug_struct("SpanExporterOptions").finish_non_exhaustive()
    }
}

impl SpanExporterOptions {
    /// Takes a collector's URL as in `OTEL_EXPORTER_OTLP_ENDPOINT`: spans are sent to `/v1/traces` below it.
    pub fn new(collector: &str, headers: HeaderMap) -> Option<Self> {
        let mut url = Url::parse(collector).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
        url.path_segments_mut().ok()?.pop_if_empty().extend(["v1", "traces"]);
        Some(Self { url, headers })
    }
}

/// Sends the spans of this process to a collector.
#[derive(Debug)]
pub struct SpanExporter {
    options: SpanExporterOptions,
    /// The random id of this process.
    instance: String,
    sender: OnceLock<mpsc::Sender<Job>>,
    is_full: AtomicBool,
}

#[derive(Debug)]
enum Job {
    Send(Value),
    /// A request to notify the sender when all earlier spans were sent or dropped.
    Tell(oneshot::Sender<()>),
}

/// The span of a running call.
#[derive(Debug)]
pub(super) struct Span {
    trace: String,
    id: String,
    parent: Option<String>,
    is_sampled: bool,
    begun: (SystemTime, Instant),
}

impl Span {
    /// Begins a span, as a child of the caller's `traceparent` if there is one.
    pub(super) fn begin(traceparent: Option<&str>) -> Self {
        let begun = (SystemTime::now(), Instant::now());
        let id = Uuid::new_v4().simple().to_string().split_off(16);
        match traceparent.and_then(read) {
            Some((trace, parent, is_sampled)) => {
                Self { trace: trace.to_owned(), id, parent: Some(parent.to_owned()), is_sampled, begun }
            }
            None => {
                let trace = Uuid::new_v4().simple().to_string();
                Self { trace, id, parent: None, is_sampled: true, begun }
            }
        }
    }

    /// Returns the `traceparent` for requests that the call sends.
    pub(super) fn traceparent(&self) -> String {
        format!("00-{}-{}-0{}", self.trace, self.id, u8::from(self.is_sampled))
    }

    fn written(&self, tool: &str, failure: Option<&str>) -> Value {
        let (since, begun) = self.begun;
        let start = since.duration_since(UNIX_EPOCH).unwrap_or_default();
        let nanos = |time: Duration| time.as_nanos().to_string();
        let text = |key: &str, value: &str| json!({ "key": key, "value": { "stringValue": value } });
        let mut attributes = vec![
            text("mcp.method.name", "tools/call"),
            text("gen_ai.operation.name", "execute_tool"),
            text("gen_ai.tool.name", tool),
        ];
        attributes.extend(failure.map(|code| text("error.type", code)));
        let mut span = json!({
            "traceId": self.trace,
            "spanId": self.id,
            "name": format!("tools/call {tool}"),
            "kind": SERVER,
            "startTimeUnixNano": nanos(start),
            "endTimeUnixNano": nanos(start + begun.elapsed()),
            "attributes": attributes,
            "status": if failure.is_some() { json!({ "code": FAILED }) } else { json!({}) },
        });
        if let Some(parent) = &self.parent {
            span["parentSpanId"] = parent.as_str().into();
        }
        span
    }
}

/// Parses a W3C `traceparent`. Returns the trace id, the parent's span id, and whether the trace is sampled.
fn read(traceparent: &str) -> Option<(&str, &str, bool)> {
    let mut parts = traceparent.trim().splitn(4, '-');
    let (version, trace, span, rest) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    let is_hex = |text: &str, length: usize| {
        text.len() == length && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    };
    let is_id = |text: &str, length: usize| is_hex(text, length) && text.bytes().any(|byte| byte != b'0');
    // Later versions may have more fields after the flags.
    let flags = if version == "00" { rest } else { rest.split('-').next()? };
    let good =
        is_hex(version, 2) && version != "ff" && is_id(trace, 32) && is_id(span, 16) && is_hex(flags, 2);
    good.then(|| (trace, span, u8::from_str_radix(flags, 16).is_ok_and(|flags| flags & 1 == 1)))
}

impl SpanExporter {
    pub fn new(options: SpanExporterOptions) -> Self {
        let instance = Uuid::new_v4().to_string();
        Self { options, instance, sender: OnceLock::new(), is_full: AtomicBool::new(false) }
    }

    /// Ends a span with the outcome of its call, and queues it.
    pub(super) fn end(&self, span: &Span, tool: &str, reply: &Reply) {
        if !span.is_sampled {
            return;
        }
        let failure = reply.error_code().or_else(|| reply.failed_elsewhere().then_some("tool_error"));
        let is_full = self.sender().try_send(Job::Send(span.written(tool, failure))).is_err();
        if is_full && !self.is_full.swap(is_full, Ordering::Relaxed) {
            tracing::warn!("the collector takes no spans; they are lost until it does");
        } else if !is_full {
            self.is_full.store(false, Ordering::Relaxed);
        }
    }

    /// Waits until all spans are sent, for at most a second.
    pub async fn finish(&self) {
        let Some(sender) = self.sender.get() else { return };
        let (done, delivered) = oneshot::channel();
        let all = async {
            if sender.send(Job::Tell(done)).await.is_ok() {
                let _ = delivered.await;
            }
        };
        let _ = timeout(LAST_LIMIT, all).await;
    }

    /// Returns the channel to the task that sends spans. The first call starts that task.
    fn sender(&self) -> &mpsc::Sender<Job> {
        self.sender.get_or_init(|| {
            let (sender, jobs) = mpsc::channel(MOST_KEPT);
            tokio::spawn(deliver_all(self.options.clone(), self.instance.clone(), jobs));
            sender
        })
    }
}

async fn deliver_all(options: SpanExporterOptions, instance: String, mut jobs: mpsc::Receiver<Job>) {
    let client = reqwest::Client::builder().default_headers(options.headers.clone()).timeout(ANSWER_LIMIT);
    // A redirect would send the headers, which can contain credentials, to another server.
    let client = client.redirect(reqwest::redirect::Policy::none()).build();
    let Ok(client) = client else {
        tracing::warn!("spans cannot be sent");
        return;
    };
    while let Some(first) = jobs.recv().await {
        let (spans, waiting) = gathered(first, &mut jobs).await;
        if !spans.is_empty() {
            deliver(&client, &options.url, &body(&instance, spans)).await;
        }
        if let Some(waiting) = waiting {
            let _ = waiting.send(());
        }
    }
}

/// Collects queued spans for one request. Also returns the channel to notify afterwards, if there is one.
async fn gathered(first: Job, jobs: &mut mpsc::Receiver<Job>) -> (Vec<Value>, Option<oneshot::Sender<()>>) {
    let end = Instant::now() + RHYTHM;
    let (mut spans, mut next) = (Vec::new(), Some(first));
    loop {
        match next {
            Some(Job::Send(span)) => spans.push(span),
            Some(Job::Tell(whom)) => return (spans, Some(whom)),
            None => return (spans, None),
        }
        if spans.len() >= MOST_AT_ONCE {
            return (spans, None);
        }
        next = timeout_at(end.into(), jobs.recv()).await.ok().flatten();
    }
}

fn body(instance: &str, spans: Vec<Value>) -> String {
    let text = |key: &str, value: &str| json!({ "key": key, "value": { "stringValue": value } });
    let (name, version) = (env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
    let resource =
        [text("service.name", name), text("service.version", version), text("service.instance.id", instance)];
    let scope = json!({ "scope": { "name": name, "version": version }, "spans": spans });
    json!({ "resourceSpans": [{ "resource": { "attributes": resource }, "scopeSpans": [scope] }] })
        .to_string()
}

/// Sends spans. Retries if the collector is only temporarily unavailable.
async fn deliver(client: &reqwest::Client, url: &Url, body: &str) {
    let mut pauses = PAUSES_MS.into_iter();
    loop {
        let request = client.post(url.clone()).header(CONTENT_TYPE, "application/json").body(body.to_owned());
        let reason = match request.send().await {
            Ok(answer) if answer.status().is_success() => return,
            Ok(answer) if !is_passing(answer.status()) => {
                tracing::warn!(
                    status = answer.status().as_u16(),
                    "the collector refuses spans; they are lost"
                );
                return;
            }
            Ok(answer) => format!("it answers {}", answer.status().as_u16()),
            Err(error) => error.without_url().to_string(),
        };
        let Some(pause) = pauses.next() else {
            tracing::warn!(reason, "the collector cannot be reached; spans are lost");
            return;
        };
        sleep(Duration::from_millis(pause)).await;
    }
}

/// Whether a status means that a later attempt may succeed.
fn is_passing(status: StatusCode) -> bool {
    matches!(status.as_u16(), 429 | 502 | 503 | 504)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIVEN: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    #[test]
    fn a_call_belongs_to_the_trace_of_its_caller() {
        let span = Span::begin(Some(GIVEN));
        let written = span.written("browser_click", None);
        assert_eq!(written["traceId"], "4bf92f3577b34da6a3ce929d0e0e4736");
        assert_eq!(written["parentSpanId"], "00f067aa0ba902b7");
        let (trace, own, is_sampled) = {
            let passed_on = span.traceparent();
            let (trace, own, is_sampled) = read(&passed_on).unwrap();
            (trace.to_owned(), own.to_owned(), is_sampled)
        };
        assert_eq!(trace, "4bf92f3577b34da6a3ce929d0e0e4736");
        assert_eq!(written["spanId"], own);
        assert!(is_sampled);
    }

    #[test]
    fn what_is_no_traceparent_begins_a_trace() {
        let zero = GIVEN.replace("4bf92f3577b34da6a3ce929d0e0e4736", &"0".repeat(32));
        for given in [
            "",
            "x",
            &GIVEN[1..],
            &GIVEN.to_uppercase(),
            &zero,
            &format!("{GIVEN}-x"),
            &GIVEN.replacen("00", "ff", 1),
        ] {
            let span = Span::begin(Some(given));
            assert_eq!(span.parent, None, "{given}");
            assert!(read(&span.traceparent()).is_some());
        }
        assert!(read(&format!("{}-more", GIVEN.replacen("00", "01", 1))).is_some());
        assert!(read(&GIVEN.replace("-01", "-00")).is_some_and(|(_, _, is_sampled)| !is_sampled));
    }
}
