//! Requests, responses, routes, workers, `WebSockets` and downloads.
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use parking_lot::Mutex;
use pyo3::IntoPyObjectExt as _;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde_json::json;

use super::bridge::{Operation, Queue, operation, operation_with};
use super::browser::BrowserContext;
use super::convert::{Plain, ToPython, to_js};
use super::frame::Frame;
use super::handle::JsHandle;
use super::page::Page;
use crate::browser::{
    DownloadState, Fulfillment, InterceptedUrls, NetworkEvent, RequestOverrides, UrlGlob, WebSocketEvent,
    WebSocketMessage,
};
use crate::cdp::types::network::HeaderList;
use crate::error::Result;

pub(super) type Pairs = Vec<(String, String)>;

/// Starts sending the network events of a context's pages and workers to `queue`.
pub(super) fn follow_traffic(context: &crate::browser::BrowserContext, queue: &Arc<Queue>) {
    let (key, queue) = (context.instance_id(), queue.clone());
    let subscribed = queue.subscribed(key);
    context.listen_to_network(Arc::new(move |news: &NetworkEvent| {
        let is_listened_to = match news {
            NetworkEvent::Request(_)
            | NetworkEvent::Response(_)
            | NetworkEvent::RequestFinished(_)
            | NetworkEvent::RequestFailed(_) => subscribed.requests.load(Ordering::Acquire),
            NetworkEvent::WebSocket(_) | NetworkEvent::Socket(..) => {
                subscribed.sockets.load(Ordering::Acquire)
            }
            NetworkEvent::Route(_)
            | NetworkEvent::Worker(_)
            | NetworkEvent::WorkerClosed(_)
            | NetworkEvent::Download(_) => true,
        };
        if is_listened_to {
            emit(news, key, &queue);
        }
    }));
}

fn emit(news: &NetworkEvent, key: usize, queue: &Queue) {
    match news {
        NetworkEvent::Request(request) => queue.emit_with("request", key, Request(request.clone())),
        NetworkEvent::Response(response) => queue.emit_with("response", key, Response(response.clone())),
        NetworkEvent::RequestFinished(request) => {
            queue.emit_with("requestfinished", key, Request(request.clone()))
        }
        NetworkEvent::RequestFailed(request) => {
            queue.emit_with("requestfailed", key, Request(request.clone()))
        }
        NetworkEvent::Route(route) => queue.emit_with("route", key, Route(route.clone())),
        NetworkEvent::WebSocket(socket) => queue.emit_with("websocket", key, WebSocket(socket.clone())),
        NetworkEvent::Socket(socket, event) => {
            let (socket, event) = (WebSocket(socket.clone()), event.clone());
            queue.emit(Box::new(move |py, handler| {
                let (name, payload) = socket_event(py, event)?;
                handler.call1(("socket", key, (socket, name, payload))).map(drop)
            }));
        }
        NetworkEvent::Worker(worker) => queue.emit_with("worker", key, Worker(worker.clone())),
        NetworkEvent::WorkerClosed(worker) => queue.emit_with("workerclosed", key, Worker(worker.clone())),
        NetworkEvent::Download(download) => queue.emit_with("download", key, Download(download.clone())),
    }
}

/// Converts globs to a filter for interception: all requests for `None` or if a glob is invalid.
pub(super) fn routed(globs: Option<Vec<String>>) -> InterceptedUrls {
    let Some(globs) = globs else { return InterceptedUrls::All };
    let patterns: Option<Vec<_>> = globs.iter().map(|glob| UrlGlob::new(glob)).collect();
    match patterns {
        Some(patterns) if patterns.is_empty() => InterceptedUrls::None,
        Some(patterns) => InterceptedUrls::Matching(patterns),
        None => InterceptedUrls::All,
    }
}

/// Returns whether a URL matches a glob. Caches compiled globs.
#[pyfunction]
pub(super) fn glob_matches(glob: &str, url: &str) -> PyResult<bool> {
    static KEPT: Mutex<Vec<(String, UrlGlob)>> = Mutex::new(Vec::new());
    const MOST: usize = 256;
    let mut kept = KEPT.lock();
    if let Some((_, known)) = kept.iter().find(|(text, _)| text == glob) {
        return Ok(known.matches(url));
    }
    let Some(pattern) = UrlGlob::new(glob) else {
        return Err(PyValueError::new_err(format!("the braces of {glob:?} do not match")));
    };
    let fits = pattern.matches(url);
    if kept.len() == MOST {
        kept.remove(0);
    }
    kept.push((glob.to_owned(), pattern));
    Ok(fits)
}

fn socket_event(py: Python<'_>, event: WebSocketEvent) -> PyResult<(&'static str, Py<PyAny>)> {
    Ok(match event {
        WebSocketEvent::Sent(payload) => ("framesent", socket_payload(py, payload)?),
        WebSocketEvent::Received(payload) => ("framereceived", socket_payload(py, payload)?),
        WebSocketEvent::Failed(reason) => ("socketerror", reason.into_py_any(py)?),
        WebSocketEvent::Closed => ("close", py.None()),
    })
}

fn socket_payload(py: Python<'_>, payload: WebSocketMessage) -> PyResult<Py<PyAny>> {
    match payload {
        WebSocketMessage::Text(text) => text.into_py_any(py),
        WebSocketMessage::Binary(bytes) => Ok(PyBytes::new(py, &bytes).into_any().unbind()),
    }
}

fn bytes(work: impl Future<Output = Result<Vec<u8>>> + Send + 'static) -> Operation {
    operation_with(work, |py, bytes| Ok(PyBytes::new(py, &bytes).into_any().unbind()))
}

/// Splits repeated headers into separate pairs. The browser joins their values with newlines.
fn apart(headers: &HeaderList) -> Pairs {
    let each = headers
        .iter()
        .flat_map(|(name, value)| value.split('\n').map(move |value| (name.clone(), value.to_owned())));
    each.collect()
}

/// A request of a page or worker.
#[pyclass(frozen, module = "patchright_mcp._core")]
pub(super) struct Request(pub(super) crate::browser::Request);

#[pymethods]
impl Request {
    /// The unique id of this request.
    #[getter]
    fn key(&self) -> u64 {
        self.0.number()
    }

    #[getter]
    fn url(&self) -> &str {
        self.0.url()
    }

    #[getter]
    fn method(&self) -> &str {
        self.0.method()
    }

    /// The headers set by the page, without those that the browser adds when it sends the request.
    #[getter]
    fn headers(&self) -> Pairs {
        self.0.headers().to_vec()
    }

    #[getter]
    fn body<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyBytes>> {
        self.0.body().map(|body| PyBytes::new(py, body))
    }

    #[getter]
    fn resource_type(&self) -> String {
        self.0.resource_type()
    }

    #[getter]
    fn is_navigation(&self) -> bool {
        self.0.is_navigation()
    }

    #[getter]
    fn page(&self) -> Option<Page> {
        self.0.page().cloned().map(Page)
    }

    #[getter]
    fn frame(&self) -> Option<Frame> {
        self.0.frame().cloned().map(Frame)
    }

    #[getter]
    fn service_worker(&self) -> Option<Worker> {
        self.0.service_worker().cloned().map(Worker)
    }

    #[getter]
    fn redirected_from(&self) -> Option<Self> {
        self.0.redirected_from().cloned().map(Self)
    }

    #[getter]
    fn redirected_to(&self) -> Option<Self> {
        self.0.redirected_to().map(Self)
    }

    #[getter]
    fn failure(&self) -> Option<String> {
        self.0.failure()
    }

    #[getter]
    fn timing(&self) -> Plain {
        let timing = self.0.timing();
        Plain(json!({
            "startTime": timing.start_time,
            "domainLookupStart": timing.domain_lookup_start,
            "domainLookupEnd": timing.domain_lookup_end,
            "connectStart": timing.connect_start,
            "secureConnectionStart": timing.secure_connection_start,
            "connectEnd": timing.connect_end,
            "requestStart": timing.request_start,
            "responseStart": timing.response_start,
            "responseEnd": timing.response_end,
        }))
    }

    /// The response; `None` until it arrives.
    #[getter]
    fn response_so_far(&self) -> Option<Response> {
        self.0.response_so_far().map(Response)
    }

    /// Waits for the response; `None` if the request failed.
    fn response(&self) -> Operation {
        let request = self.0.clone();
        operation(async move { Ok(request.response().await?.map(Response)) })
    }

    fn all_headers(&self) -> Operation {
        let request = self.0.clone();
        operation(async move { Ok(apart(&request.all_headers().await?)) })
    }

    fn sizes(&self) -> Operation {
        let request = self.0.clone();
        operation(async move {
            let sizes = request.sizes().await?;
            Ok(Plain(json!({
                "requestBodySize": sizes.request_body,
                "requestHeadersSize": sizes.request_headers,
                "responseBodySize": sizes.response_body,
                "responseHeadersSize": sizes.response_headers,
            })))
        })
    }
}

/// The response to a request.
#[pyclass(frozen, module = "patchright_mcp._core")]
pub(super) struct Response(pub(super) crate::browser::Response);

#[pymethods]
impl Response {
    #[getter]
    fn request(&self) -> Request {
        Request(self.0.request().clone())
    }

    #[getter]
    fn url(&self) -> &str {
        self.0.url()
    }

    #[getter]
    fn status(&self) -> i64 {
        self.0.status()
    }

    #[getter]
    fn status_text(&self) -> &str {
        self.0.status_text()
    }

    #[getter]
    fn headers(&self) -> Pairs {
        self.0.headers().to_vec()
    }

    #[getter(from_service_worker)]
    fn is_from_service_worker(&self) -> bool {
        self.0.from_service_worker()
    }

    #[getter]
    fn server_address(&self) -> Option<(String, i64)> {
        self.0.server_address().map(|(address, port)| (address.to_owned(), port))
    }

    #[getter]
    fn security_details(&self) -> Option<Plain> {
        let details = self.0.security_details()?;
        Some(Plain(json!({
            "protocol": details["protocol"],
            "subjectName": details["subjectName"],
            "issuer": details["issuer"],
            "validFrom": details["validFrom"],
            "validTo": details["validTo"],
        })))
    }

    #[getter]
    fn http_version(&self) -> String {
        self.0.http_version()
    }

    fn all_headers(&self) -> Operation {
        let response = self.0.clone();
        operation(async move { Ok(apart(&response.all_headers().await?)) })
    }

    fn body(&self) -> Operation {
        let response = self.0.clone();
        bytes(async move { response.body().await })
    }

    /// Waits until the body has been received. Returns the error text if it was cut off, otherwise `None`.
    fn finished(&self) -> Operation {
        let response = self.0.clone();
        operation(async move { response.finished().await })
    }
}

/// An intercepted request, which waits for a decision.
#[pyclass(frozen, module = "patchright_mcp._core")]
pub(super) struct Route(crate::browser::Route);

#[pymethods]
impl Route {
    #[getter]
    fn request(&self) -> Request {
        Request(self.0.request().clone())
    }

    /// Whether one of the server's own handlers decides about this request, in place of the script.
    #[getter]
    fn is_claimed(&self) -> bool {
        self.0.is_decision_reserved()
    }

    /// Continues the request. `None` leaves a part unchanged.
    fn resume(
        &self,
        url: Option<String>,
        method: Option<String>,
        headers: Option<Pairs>,
        body: Option<Vec<u8>>,
    ) -> Operation {
        let (route, overrides) = (self.0.clone(), RequestOverrides { url, method, headers, body });
        operation(async move { route.continue_with(&overrides).await })
    }

    /// Responds to the request without sending it to the server.
    fn fulfill(&self, status: u32, headers: Pairs, body: Vec<u8>) -> Operation {
        let (route, answer) = (self.0.clone(), Fulfillment { status, headers, body });
        operation(async move { route.fulfill(&answer).await })
    }

    fn abort(&self, reason: String) -> Operation {
        let route = self.0.clone();
        operation(async move { route.abort(&reason).await })
    }

    /// Continues the request unchanged. Does not wait for the browser.
    fn let_go(&self) {
        self.0.continue_unchanged();
    }
}

/// A dedicated, shared or service worker.
#[pyclass(frozen, module = "patchright_mcp._core")]
pub(super) struct Worker(pub(super) crate::browser::Worker);

#[pymethods]
impl Worker {
    /// The unique id of this worker.
    #[getter]
    fn key(&self) -> &str {
        self.0.id()
    }

    #[getter]
    fn url(&self) -> &str {
        self.0.url()
    }

    #[getter]
    fn is_service(&self) -> bool {
        self.0.kind() == crate::browser::WorkerKind::Service
    }

    #[getter]
    fn page(&self) -> Option<Page> {
        self.0.page().cloned().map(Page)
    }

    #[getter]
    fn is_closed(&self) -> bool {
        self.0.is_closed()
    }

    fn evaluate(&self, script: String, argument: &Bound<'_, PyAny>) -> PyResult<Operation> {
        let (realm, argument) = (self.0.realm(), to_js(argument)?);
        Ok(operation(async move { realm.evaluate(&script, &argument).await.map(ToPython) }))
    }

    fn evaluate_handle(&self, script: String, argument: &Bound<'_, PyAny>) -> PyResult<Operation> {
        let (realm, argument) = (self.0.realm(), to_js(argument)?);
        Ok(operation(async move { realm.evaluate_handle(&script, &argument).await.map(JsHandle) }))
    }
}

/// A WebSocket opened by a page.
#[pyclass(frozen, module = "patchright_mcp._core")]
pub(super) struct WebSocket(crate::browser::WebSocket);

#[pymethods]
impl WebSocket {
    /// The unique id of this WebSocket among the open ones.
    #[getter]
    fn key(&self) -> usize {
        self.0.instance_id()
    }

    #[getter]
    fn url(&self) -> &str {
        self.0.url()
    }

    #[getter]
    fn page(&self) -> Page {
        Page(self.0.page().clone())
    }
}

/// A file download.
#[pyclass(frozen, module = "patchright_mcp._core")]
pub(super) struct Download(crate::browser::Download);

#[pymethods]
impl Download {
    #[getter]
    fn url(&self) -> &str {
        &self.0.url
    }

    #[getter]
    fn suggested_filename(&self) -> &str {
        &self.0.name
    }

    /// The CDP target id of the page that started the download.
    #[getter]
    fn page_id(&self) -> &str {
        &self.0.page
    }

    /// Waits until the download ends. Returns the file's path and the failure reason; one of them is `None`.
    fn ended(&self, context: &BrowserContext) -> Operation {
        let (context, id) = (context.0.clone(), self.0.id.clone());
        operation(async move {
            Ok(match context.wait_for_download(&id).await? {
                DownloadState::Completed { path, .. } => (Some(path), None),
                DownloadState::Failed { reason } => (None, Some(reason)),
                DownloadState::InProgress => (None, None),
            })
        })
    }

    /// Waits until the download ends, and copies the file to `path`. Creates missing folders.
    fn save_as(&self, context: &BrowserContext, path: PathBuf) -> Operation {
        let (context, id) = (context.0.clone(), self.0.id.clone());
        operation(async move { context.save_download(&id, &path).await })
    }

    fn cancel(&self, context: &BrowserContext) -> Operation {
        let (context, id) = (context.0.clone(), self.0.id.clone());
        operation(async move { context.cancel_download(&id).await })
    }

    fn delete(&self, context: &BrowserContext) -> Operation {
        let (context, id) = (context.0.clone(), self.0.id.clone());
        operation(async move { context.delete_download(&id).await })
    }
}

/// Returns the request that loaded a frame's current document; `None` if it is unknown.
#[pyfunction]
pub(super) fn document_request(frame: &Frame) -> Option<Request> {
    let page = frame.0.page().ok()?;
    page.context().request_by_id(&frame.0.loader_id()).map(Request)
}
