"""Requests and responses; workers, web sockets and downloads."""

from __future__ import annotations

import json as json_module
import re
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast
from urllib.parse import parse_qsl
from weakref import WeakValueDictionary

from .. import _selectors as selectors
from .. import _urls as urls
from .._core import document_request
from ..errors import Error
from ._base import ApiObject, Waiter
from ._disposable import Disposable
from ._events import SocketEvents, WorkerEvents
from ._runtime import EventContextManager
from .handle import JSHandle, to_js_handle
from .har import route_from
from .routing import Route, Routing
from .storage import WebStorage

if TYPE_CHECKING:
    from .._core import Download as NativeDownload
    from .._core import Request as NativeRequest
    from .._core import Response as NativeResponse
    from .._core import WebSocket as NativeWebSocket
    from .._core import Worker as NativeWorker
    from .._typed import NameValue, RemoteAddr, RequestSizes, ResourceTiming, SecurityDetails
    from .api_request import APIRequestContext
    from .context import BrowserContext
    from .frame import Frame
    from .page import Page

_OF_REQUESTS = ("request", "response", "requestfinished", "requestfailed")
_OF_DIALOGS = ("dialog", "dialogclosed")
_ASKED_FOR = frozenset((*_OF_REQUESTS, *_OF_DIALOGS, "websocket"))
_NO_FRAME = """Frame for this navigation request is not available, because the request
was issued before the frame is created. You can check whether the request
is a navigation request by calling isNavigationRequest() method."""


class Request(ApiObject):
    """A request of a page. A redirect is a new request."""

    _is_traced = False

    def __init__(self, traffic: NetworkTraffic, native: NativeRequest) -> None:
        super().__init__(traffic.context._connection)
        self._traffic = traffic
        self._native = native
        self._overrides: dict[str, Any] = {}
        self._response: Response | None = None
        self._redirected_to: Request | None = None
        before = native.redirected_from
        self._redirected_from = traffic.request_of(before) if before is not None else None
        if self._redirected_from is not None:
            self._redirected_from._redirected_to = self

    def __repr__(self) -> str:
        return f"<Request url={self.url!r} method={self.method!r}>"

    @property
    def url(self) -> str:
        """The URL."""
        return cast("str", self._overrides.get("url") or self._native.url)

    @property
    def method(self) -> str:
        """The HTTP method, for example `GET`."""
        return cast("str", self._overrides.get("method") or self._native.method)

    @property
    def resource_type(self) -> str:
        """The resource type: `document`, `script`, `image`, `fetch` and so on."""
        return self._native.resource_type

    @property
    def headers(self) -> dict[str, str]:
        """The headers that the page set, by lower-case name. `all_headers` also has those that the browser adds."""
        given = self._overrides.get("headers")
        return given if given is not None else headers_dict(self._native.headers)

    def all_headers(self) -> dict[str, str]:
        """Returns all headers that were sent, by lower-case name."""
        return headers_dict(self._sent_headers())

    def headers_array(self) -> list[NameValue]:
        """Returns all headers that were sent, unchanged and with duplicates."""
        return name_value_list(self._sent_headers())

    def header_value(self, name: str) -> str | None:
        """Returns the value of a header, or `None`."""
        return (self.all_headers()).get(name.lower())

    def _sent_headers(self) -> list[tuple[str, str]]:
        given = self._overrides.get("headers")
        if given is not None:
            return list(given.items())
        return cast("list[tuple[str, str]]", self._run(self._native.all_headers()))

    @property
    def post_data(self) -> str | None:
        """The request body as text."""
        body = self.post_data_buffer
        return body.decode("utf-8", "replace") if body is not None else None

    @property
    def post_data_buffer(self) -> bytes | None:
        """The request body as bytes."""
        given = self._overrides.get("body")
        return given if given is not None else self._native.body

    @property
    def post_data_json(self) -> Any | None:
        """The request body, parsed as JSON or as a form."""
        text = self.post_data
        if not text:
            return None
        if "application/x-www-form-urlencoded" in self.headers.get("content-type", ""):
            return dict(parse_qsl(text, keep_blank_values=True))
        try:
            return json_module.loads(text)
        except ValueError:
            raise Error(f"POST data is not a valid JSON object: {text}") from None

    @property
    def frame(self) -> Frame:
        """The frame that sent the request."""
        frame = self._native.frame
        if frame is None:
            raise Error("Service Worker requests do not have an associated frame.")
        page = self._traffic.page_of(self._native.page)
        if page is None:
            raise Error(_NO_FRAME)
        return page._frame_of(frame)

    @property
    def service_worker(self) -> Worker | None:
        """The service worker that sent the request, if any."""
        native = self._native.service_worker
        return self._traffic.worker_of(native) if native is not None else None

    @property
    def redirected_from(self) -> Request | None:
        """The request that was redirected to this one, if any."""
        return self._redirected_from

    @property
    def redirected_to(self) -> Request | None:
        """The request that this one was redirected to, if any."""
        if self._redirected_to is None:
            native = self._native.redirected_to
            return self._traffic.request_of(native) if native is not None else None
        return self._redirected_to

    @property
    def failure(self) -> str | None:
        """The failure reason, for example `net::ERR_FAILED`, or `None`."""
        return self._native.failure

    @property
    def timing(self) -> ResourceTiming:
        """The times of the request's phases, in milliseconds after `startTime`; -1 if unavailable."""
        return cast("ResourceTiming", self._native.timing)

    @property
    def existing_response(self) -> Response | None:
        """The response, if it has arrived."""
        return self._response or self._answered()

    def is_navigation_request(self) -> bool:
        """Returns whether the request navigates a frame."""
        return self._native.is_navigation

    def _answered(self) -> Response | None:
        """Returns the response, if it has arrived."""
        native = self._native.response_so_far
        return self._traffic.response_of(native) if native is not None else None

    def response(self) -> Response | None:
        """Waits for the response; returns `None` if the request failed."""
        native = self._run(self._native.response())
        return self._traffic.response_of(native) if native is not None else None

    def sizes(self) -> RequestSizes:
        """Returns the transferred sizes in bytes, once the request is finished."""
        return cast("RequestSizes", self._run(self._native.sizes()))


class Response(ApiObject):
    """A response to a page's request."""

    _is_traced = False

    def __init__(self, request: Request, native: NativeResponse) -> None:
        super().__init__(request._connection)
        self._request = request
        self._native = native

    def __repr__(self) -> str:
        return f"<Response url={self.url!r} request={self._request!r}>"

    @classmethod
    def _of_document(cls, page: Page, frame: Frame) -> Response | None:
        """Returns the response of a frame's current document."""
        native = document_request(frame._native)
        return page._context._traffic.request_of(native)._answered() if native is not None else None

    @property
    def url(self) -> str:
        """The URL of the response."""
        return self._native.url

    @property
    def status(self) -> int:
        """The HTTP status, for example 200."""
        return self._native.status

    @property
    def status_text(self) -> str:
        """The status text, for example `OK`."""
        return self._native.status_text

    @property
    def ok(self) -> bool:
        """Whether the status is from 200 to 299."""
        return self.status == 0 or 200 <= self.status <= 299

    @property
    def headers(self) -> dict[str, str]:
        """The headers visible to the page, by lower-case name."""
        return headers_dict(self._native.headers)

    def all_headers(self) -> dict[str, str]:
        """Returns all response headers, by lower-case name."""
        return headers_dict(self._run(self._native.all_headers()))

    def headers_array(self) -> list[NameValue]:
        """Returns all response headers, unchanged and with duplicates."""
        return name_value_list(self._run(self._native.all_headers()))

    def header_value(self, name: str) -> str | None:
        """Returns the value of a header; several values are joined by commas, cookies by newlines."""
        return (self.all_headers()).get(name.lower())

    def header_values(self, name: str) -> list[str]:
        """Returns all values of a header."""
        result = self.headers_array()
        return [header["value"] for header in result if header["name"].lower() == name.lower()]

    @property
    def from_service_worker(self) -> bool:
        """Whether a service worker answered the request."""
        return self._native.from_service_worker

    @property
    def request(self) -> Request:
        """The request that this response answers."""
        return self._request

    @property
    def frame(self) -> Frame:
        """The frame that sent the request."""
        return self._request.frame

    def server_addr(self) -> RemoteAddr | None:
        """Returns the server's IP address and port."""
        address = self._native.server_address
        return {"ipAddress": address[0], "port": address[1]} if address else None

    def security_details(self) -> SecurityDetails | None:
        """Returns the certificate and TLS protocol; `None` over plain HTTP."""
        return cast("SecurityDetails | None", self._native.security_details)

    def http_version(self) -> str:
        """Returns the HTTP version, for example `HTTP/1.1`."""
        return self._native.http_version

    def finished(self) -> None:
        """Waits until the body has been received."""
        reason = self._run(self._native.finished())
        if reason:
            raise Error(reason)

    def body(self) -> bytes:
        """Returns the body as bytes."""
        return cast("bytes", self._run(self._native.body()))

    def text(self) -> str:
        """Returns the body as text."""
        return (self.body()).decode("utf-8", "replace")

    def json(self) -> Any:
        """Returns the body parsed as JSON."""
        return json_module.loads(self.text())


class WebSocket(SocketEvents):
    """A web socket of a page."""

    def __init__(self, page: Page, native: NativeWebSocket) -> None:
        super().__init__(page._connection)
        self._page = page
        self._native = native
        self._closed = False

    @property
    def url(self) -> str:
        """The URL of the connection."""
        return self._native.url

    def is_closed(self) -> bool:
        """Returns whether the connection is closed."""
        return self._closed

    def _happened(self, name: str, payload: Any) -> None:
        if name == "close":
            self._closed = True
            self._emit("close", self)
        else:
            self._emit(name, payload)

    def _expect(
        self, event: str, predicate: Callable[[Any], Any] | None, timeout: float | timedelta | None
    ) -> Waiter[Any]:
        waiter: Waiter[Any] = Waiter(self._runtime, self._page._timeout(timeout), f'event "{event}"')
        waiter.resolve_on(self, event, predicate)
        if event != "close":
            waiter.reject_on(self, "close", lambda _: Error("Socket closed"))
        if event != "socketerror":
            waiter.reject_on(self, "socketerror", lambda _: Error("Socket error"))
        return waiter.reject_on_close(self._page, lambda: self._page._close_reason)


class Worker(WorkerEvents):
    """A web worker or service worker."""

    def __init__(self, traffic: NetworkTraffic, native: NativeWorker) -> None:
        super().__init__(traffic.context._connection)
        self._traffic = traffic
        self._native = native
        self._is_listened_to = False

    def __repr__(self) -> str:
        return f"<Worker url={self.url!r}>"

    def _listening_changed(self, event: str) -> None:
        if event == "console":
            context = self._traffic.context
            listens = self._has_handlers("console")
            context._workers_subscribed += listens - self._is_listened_to
            self._is_listened_to = listens
            context._update_console()

    @property
    def url(self) -> str:
        """The URL of the worker's script."""
        return self._native.url

    def evaluate(
        self, expression: str, arg: Any | None = None, *, isolated_context: bool | None = True
    ) -> Any:
        """Runs a script in the worker and returns its value. `isolated_context` has no effect in workers."""
        return self._run(self._native.evaluate(expression, arg))

    def evaluate_handle(
        self, expression: str, arg: Any | None = None, *, isolated_context: bool | None = True
    ) -> JSHandle:
        """Like `evaluate`, but returns a handle to the value in the worker."""
        page = self._traffic.page_of(self._native.page)
        return to_js_handle(page, self._run(self._native.evaluate_handle(expression, arg)))

    def _expect(
        self, event: str, predicate: Callable[[Any], Any] | None, timeout: float | timedelta | None
    ) -> Waiter[Any]:
        limit = self._traffic.context._timeout(timeout)
        waiter: Waiter[Any] = Waiter(self._runtime, limit, f'event "{event}"')
        waiter.resolve_on(self, event, predicate)
        return waiter if event == "close" else waiter.reject_on_close(self)


class Download(ApiObject):
    """A download."""

    def __init__(self, page: Page, native: NativeDownload) -> None:
        super().__init__(page._connection)
        self._page = page
        self._context = page._context
        self._native = native

    def __repr__(self) -> str:
        return f"<Download url={self.url!r} suggested_filename={self.suggested_filename!r}>"

    @property
    def page(self) -> Page:
        """The page that started the download."""
        return self._page

    @property
    def url(self) -> str:
        """The URL of the file."""
        return self._native.url

    @property
    def suggested_filename(self) -> str:
        """The file name that the site suggests, without characters that are unsafe in file names."""
        return self._native.suggested_filename

    def path(self) -> Path:
        """Waits for the download and returns the file's path. The file is deleted when its context closes."""
        path, reason = self._ended()
        if path is None:
            raise Error(f"Download.path: {reason}")
        return Path(path)

    def failure(self) -> str | None:
        """Waits for the download and returns the failure reason, or `None`."""
        return (self._ended())[1]

    def save_as(self, path: str | Path) -> None:
        """Waits for the download and copies the file. Missing folders are created."""
        _, reason = self._ended()
        if reason is not None:
            raise Error(f"Download.save_as: {reason}")
        self._run(self._native.save_as(self._context._native, Path(path)))

    def delete(self) -> None:
        """Waits for the download and deletes the file."""
        self._run(self._native.delete(self._context._native))

    def cancel(self) -> None:
        """Cancels the download. A finished download is not affected."""
        self._run(self._native.cancel(self._context._native))

    def _ended(self) -> tuple[str | None, str | None]:
        path, reason = self._run(self._native.ended(self._context._native))
        if reason is not None and self._context._options.get("accept_downloads") is False:
            reason = "Pass 'accept_downloads=True' when you are creating your browser context."
        return path, reason


class NetworkTraffic:
    """Passes the engine's events of a context's requests, workers, web sockets and downloads to listeners."""

    def __init__(self, context: BrowserContext) -> None:
        self.context = context
        self._requests: WeakValueDictionary[int, Request] = WeakValueDictionary()
        self._under_way: dict[int, Request] = {}
        self._sockets: dict[int, WebSocket] = {}
        self._workers: dict[str, Worker] = {}
        self.routing: Routing = Routing(context, None)

    def request_of(self, native: NativeRequest) -> Request:
        """Returns the library's object for a request of the engine."""
        request = self._requests.get(native.key)
        if request is None:
            request = self._requests[native.key] = Request(self, native)
        return request

    def response_of(self, native: NativeResponse) -> Response:
        """Returns the library's object for a response of the engine."""
        request = self.request_of(native.request)
        if request._response is None:
            request._response = Response(request, native)
        return request._response

    def worker_of(self, native: NativeWorker) -> Worker:
        """Returns the library's object for a worker of the engine."""
        worker = self._workers.get(native.key)
        if worker is None:
            worker = self._workers[native.key] = Worker(self, native)
        return worker

    def page_of(self, native: Any) -> Page | None:
        """Returns the library's object for a page of the engine; `None` if the page was not reported yet."""
        return self.context._pages.get(native.key) if native is not None else None

    def workers(self, page: Page | None) -> list[Worker]:
        """Returns the workers of a page, or with `None`, the service workers."""
        wanted = page._native.key if page is not None else None
        return [
            worker
            for worker in self._workers.values()
            if (worker._native.is_service if wanted is None else _key(worker._native.page) == wanted)
        ]

    def update_listening(self, event: str) -> None:
        """Called when listeners of an event were added or removed."""
        if event in _ASKED_FOR:
            self.update_subscriptions()

    def update_subscriptions(self) -> None:
        """Subscribes to the engine's events that have listeners, and to no others."""
        connection = self.context._connection
        listening = (self.context, *self.context._pages.values())
        requests = any(item._has_handlers(name) for item in listening for name in _OF_REQUESTS)
        # WebSockets for which the script already has an object still need their events.
        sockets = bool(self._sockets) or any(page._has_handlers("websocket") for page in listening[1:])
        dialogs = connection.attached is not None or any(
            item._has_handlers(name) for item in listening for name in _OF_DIALOGS
        )
        if not requests:
            self._under_way.clear()
        self.context._runtime.dispatcher.hear(self.context._native.key, requests, sockets, dialogs)

    def reported(self, name: str, payload: Any) -> bool:
        """Handles an event of the engine. Returns false if the event is not about network traffic."""
        handler = getattr(self, f"_on_{name}", None)
        if handler is None:
            return False
        handler(payload)
        return True

    def _tell(self, name: str, request: Request, payload: Any) -> None:
        self.context._emit(name, payload)
        page = self.page_of(request._native.page)
        # Requests of a service worker belong to no page.
        if page is not None and request.service_worker is None:
            page._emit(name, payload)

    def _on_request(self, native: NativeRequest) -> None:
        request = self._under_way[native.key] = self.request_of(native)
        self._tell("request", request, request)

    def _on_response(self, native: NativeResponse) -> None:
        response = self.response_of(native)
        self._tell("response", response.request, response)

    def _on_requestfinished(self, native: NativeRequest) -> None:
        request = self.request_of(native)
        self._under_way.pop(native.key, None)
        self._tell("requestfinished", request, request)

    def _on_requestfailed(self, native: NativeRequest) -> None:
        request = self.request_of(native)
        self._under_way.pop(native.key, None)
        self._tell("requestfailed", request, request)

    def is_routed(self) -> bool:
        """Returns whether there are route handlers."""
        routings = [self.routing, *(page._routing for page in self.context.pages)]
        return any(routing.handlers for routing in routings)

    def _on_route(self, native: Any) -> None:
        if self.context._connection.attached is not None and (native.is_claimed or not self.is_routed()):
            return
        request = self.request_of(native.request)
        page = self.page_of(native.request.page)
        chain = [page._routing] if page is not None else []
        self.context._runtime.spawn(Route(request, native, [*chain, self.routing])._decide())

    def _on_websocket(self, native: NativeWebSocket) -> None:
        page = self.page_of(native.page)
        if page is not None:
            socket = self._sockets[native.key] = WebSocket(page, native)
            page._emit("websocket", socket)

    def _on_socket(self, expected: tuple[NativeWebSocket, str, Any]) -> None:
        native, name, payload = expected
        socket = self._sockets.get(native.key)
        if socket is not None:
            if name == "close":
                del self._sockets[native.key]
            socket._happened(name, payload)

    def _on_worker(self, native: NativeWorker) -> None:
        worker = self.worker_of(native)
        if native.is_service:
            self.context._emit("serviceworker", worker)
        page = self.page_of(native.page)
        if page is not None:
            page._emit("worker", worker)

    def _on_workerclosed(self, native: NativeWorker) -> None:
        worker = self._workers.pop(native.key, None)
        if worker is not None:
            worker._emit("close", worker)

    def _on_download(self, native: NativeDownload) -> None:
        pages = (page for page in self.context._pages.values() if page._native.id == native.page_id)
        page = next(pages, None)
        if page is not None:
            download = Download(page, native)
            page._emit("download", download)
            self.context._emit("download", download)


class PageTraffic(ApiObject):
    """The network traffic of a page."""

    _context: BrowserContext
    _native: Any

    def _follow_traffic(self) -> None:
        self._routing = Routing(self._context, cast("Page", self))

    @property
    def request(self) -> APIRequestContext:
        """Sends API requests with the page's cookies."""
        return self._context.request

    @property
    def local_storage(self) -> WebStorage:
        """The local storage of the current document's origin."""
        return WebStorage(cast("Page", self), "local")

    @property
    def session_storage(self) -> WebStorage:
        """The session storage of the current document's origin."""
        return WebStorage(cast("Page", self), "session")

    @property
    def workers(self) -> list[Worker]:
        """The page's running workers."""
        return self._context._traffic.workers(cast("Page", self))

    def requests(self) -> list[Request]:
        """Returns the newest requests, at most 100, oldest first."""
        return [self._context._traffic.request_of(native) for native in self._native.requests()]

    def route(
        self,
        url: str | re.Pattern[str] | Callable[[str], bool],
        handler: Callable[[Route], Any] | Callable[[Route, Request], Any],
        *,
        times: int | None = None,
    ) -> Disposable:
        """Calls `handler` for requests to matching URLs. The newest handler takes precedence."""
        return self._routing.add(url, handler, times)

    def route_from_har(
        self,
        har: Path | str,
        *,
        url: str | re.Pattern[str] | None = None,
        not_found: Literal["abort", "fallback"] | None = None,
        update: bool | None = None,
        update_content: Literal["attach", "embed"] | None = None,
        update_mode: Literal["full", "minimal"] | None = None,
    ) -> None:
        """Answers requests from an HTTP archive. Other requests fail, or continue with `not_found="fallback"`.

        With `update`, records the archive instead and writes it when the context closes.
        """
        route_from(
            self._context,
            cast("Page", self),
            har,
            url=url,
            not_found=not_found,
            update=update,
            update_content=update_content,
            update_mode=update_mode,
        )

    def unroute(
        self,
        url: str | re.Pattern[str] | Callable[[str], bool],
        handler: Callable[[Route], Any] | Callable[[Route, Request], Any] | None = None,
    ) -> None:
        """Removes a route."""
        self._routing.remove(url, handler)

    def unroute_all(self, *, behavior: str | None = None) -> None:
        """Removes all routes. `wait` waits for running handlers; `ignoreErrors` ignores their errors."""
        self._routing.remove_all(behavior)

    def _url_predicate(self, wanted: Any) -> Callable[[Any], Any]:
        if callable(wanted):
            return cast("Callable[[Any], Any]", wanted)
        return lambda item: urls.matches(self._context._base_url, item.url, wanted)

    def _expect_traffic(
        self, event: str, wanted: Any, timeout: float | timedelta | None
    ) -> EventContextManager[Any]:
        what = f'event "{event}"'
        log = what
        if wanted is not None and not callable(wanted):
            reported = selectors.to_js_regex(wanted) if isinstance(wanted, re.Pattern) else f'"{wanted}"'
            log = f"{event} {reported}"
        page = cast("Page", self)
        waiter: Waiter[Any] = Waiter(self._runtime, page._timeout(timeout), what, log)
        waiter.resolve_on(self, event, self._url_predicate(wanted) if wanted is not None else None)
        waiter.reject_on_close(self, lambda: page._close_reason)
        waiter.reject_on(self, "crash", lambda _: Error("Page crashed"))
        return EventContextManager(waiter)

    def expect_request(
        self,
        url_or_predicate: str | re.Pattern[str] | Callable[[Request], bool],
        *,
        timeout: float | timedelta | None = None,
    ) -> EventContextManager[Request]:
        """Waits, when the `with` block ends, for a request sent in it.

        Raises:
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        return self._expect_traffic("request", url_or_predicate, timeout)

    def expect_request_finished(
        self,
        predicate: Callable[[Request], bool] | None = None,
        *,
        timeout: float | timedelta | None = None,
    ) -> EventContextManager[Request]:
        """Waits, when the `with` block ends, until a request sent in it is finished.

        Raises:
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        return self._expect_traffic("requestfinished", predicate, timeout)

    def expect_response(
        self,
        url_or_predicate: str | re.Pattern[str] | Callable[[Response], bool],
        *,
        timeout: float | timedelta | None = None,
    ) -> EventContextManager[Response]:
        """Waits, when the `with` block ends, for a response received in it.

        Raises:
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        return self._expect_traffic("response", url_or_predicate, timeout)

    def expect_websocket(
        self,
        predicate: Callable[[WebSocket], bool] | None = None,
        *,
        timeout: float | timedelta | None = None,
    ) -> EventContextManager[WebSocket]:
        """Waits, when the `with` block ends, for a web socket opened in it.

        Raises:
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        return self._expect_traffic("websocket", predicate, timeout)

    def expect_worker(
        self,
        predicate: Callable[[Worker], bool] | None = None,
        *,
        timeout: float | timedelta | None = None,
    ) -> EventContextManager[Worker]:
        """Waits, when the `with` block ends, for a worker started in it.

        Raises:
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        return self._expect_traffic("worker", predicate, timeout)

    def expect_download(
        self,
        predicate: Callable[[Download], bool] | None = None,
        *,
        timeout: float | timedelta | None = None,
    ) -> EventContextManager[Download]:
        """Waits, when the `with` block ends, for a download started in it.

        Raises:
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        return self._expect_traffic("download", predicate, timeout)


class ContextTraffic(ApiObject):
    """The network traffic of a context's pages."""

    _traffic: NetworkTraffic

    @property
    def service_workers(self) -> list[Worker]:
        """The running service workers."""
        return self._traffic.workers(None)

    def route(
        self,
        url: str | re.Pattern[str] | Callable[[str], bool],
        handler: Callable[[Route], Any] | Callable[[Route, Request], Any],
        *,
        times: int | None = None,
    ) -> Disposable:
        """Calls `handler` for requests of all pages to matching URLs. Routes of a page take precedence."""
        return self._traffic.routing.add(url, handler, times)

    def route_from_har(
        self,
        har: Path | str,
        *,
        url: str | re.Pattern[str] | None = None,
        not_found: Literal["abort", "fallback"] | None = None,
        update: bool | None = None,
        update_content: Literal["attach", "embed"] | None = None,
        update_mode: Literal["full", "minimal"] | None = None,
    ) -> None:
        """Answers requests from an HTTP archive. Other requests fail, or continue with `not_found="fallback"`.

        With `update`, records the archive instead and writes it when the context closes.
        """
        route_from(
            cast("BrowserContext", self),
            None,
            har,
            url=url,
            not_found=not_found,
            update=update,
            update_content=update_content,
            update_mode=update_mode,
        )

    def unroute(
        self,
        url: str | re.Pattern[str] | Callable[[str], bool],
        handler: Callable[[Route], Any] | Callable[[Route, Request], Any] | None = None,
    ) -> None:
        """Removes a route."""
        self._traffic.routing.remove(url, handler)

    def unroute_all(self, *, behavior: str | None = None) -> None:
        """Removes all routes. `wait` waits for running handlers; `ignoreErrors` ignores their errors."""
        self._traffic.routing.remove_all(behavior)


def headers_dict(headers: list[tuple[str, str]]) -> dict[str, str]:
    """Returns headers by lower-case name, with the values of repeated headers joined."""
    options: dict[str, list[str]] = {}
    for name, value in headers:
        options.setdefault(name.lower(), []).append(value)
    return {name: ("\n" if name == "set-cookie" else ", ").join(values) for name, values in options.items()}


def name_value_list(headers: list[tuple[str, str]]) -> list[NameValue]:
    """Returns headers as a list."""
    return [{"name": name, "value": value} for name, value in headers]


def _key(native: Any) -> Any:
    return native.key if native is not None else None
