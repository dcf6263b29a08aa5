"""Requests that no page makes."""

from __future__ import annotations

import json as json_module
import mimetypes
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import parse_qsl

from .. import _deeds as deeds
from .._core import ApiRequestContext as NativeRequests
from .._failures import caller
from .._options import check_certificates, check_proxy
from ..errors import Error
from ._base import DEFAULT_TIMEOUT, ApiObject, Connection, closed_error
from .network import Request, joined, listed

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .._core import ApiResponse as NativeResponse
    from .._typed import (
        ClientCertificate,
        HttpCredentials,
        NameValue,
        ProxySettings,
        RemoteAddr,
        RequestOptions,
        ResourceTiming,
        SecurityDetails,
        StorageState,
    )
    from .context import BrowserContext


class FormData:
    """Fields and files of a form, in an order; a name may come more than once."""

    def __init__(self) -> None:
        self._fields: list[tuple[str, Any]] = []

    def set(self, name: str, value: Any) -> FormData:
        """Sets a field, in place of those of the same name."""
        self._fields = [field for field in self._fields if field[0] != name]
        return self.append(name, value)

    def append(self, name: str, value: Any) -> FormData:
        """Adds a field."""
        self._fields.append((name, value))
        return self


class APIRequest(ApiObject):
    """Makes what sends requests."""

    def new_context(
        self,
        *,
        base_url: str | None = None,
        extra_http_headers: dict[str, str] | None = None,
        http_credentials: HttpCredentials | None = None,
        ignore_https_errors: bool | None = None,
        proxy: ProxySettings | None = None,
        user_agent: str | None = None,
        timeout: float | timedelta | None = None,
        storage_state: StorageState | str | Path | None = None,
        client_certificates: list[ClientCertificate] | None = None,
        fail_on_status_code: bool | None = None,
        max_redirects: int | None = None,
    ) -> APIRequestContext:
        """Something that sends requests, with cookies of its own."""
        check_certificates(client_certificates)
        check_proxy(proxy)
        if isinstance(storage_state, (str, Path)):
            storage_state = json_module.loads(Path(storage_state).read_text(encoding="utf-8"))
        limit = None if timeout is None else deeds.milliseconds(timeout)
        options = {
            "base_url": base_url,
            "extra_http_headers": extra_http_headers,
            "http_credentials": http_credentials,
            "ignore_https_errors": ignore_https_errors,
            "proxy": proxy,
            "user_agent": user_agent,
            "timeout": limit,
            "storage_state": storage_state,
            "fail_on_status_code": fail_on_status_code,
            "max_redirects": max_redirects,
        }
        given = {name: value for name, value in options.items() if value is not None}
        return APIRequestContext(
            self._connection, NativeRequests(given), DEFAULT_TIMEOUT if limit is None else limit
        )


class APIRequestContext(ApiObject):
    """Sends requests and keeps cookies."""

    def __init__(
        self,
        connection: Connection,
        native: NativeRequests,
        timeout: float,
        context: BrowserContext | None = None,
    ) -> None:
        super().__init__(connection)
        self._native = native
        self._timeout = timeout
        self._context = context
        self._close_reason: str | None = None
        self._disposed = False

    @classmethod
    def _of_context(cls, context: BrowserContext) -> APIRequestContext:
        """What shares the cookies of a browser's context."""
        names = ("base_url", "extra_http_headers", "http_credentials", "ignore_https_errors", "user_agent")
        given = {name: context._options[name] for name in names if context._options.get(name) is not None}
        return cls(context._connection, NativeRequests(given, context._native), DEFAULT_TIMEOUT, context)

    def dispose(self, *, reason: str | None = None) -> None:
        """Sends no more requests, and forgets all answers."""
        self._close_reason = reason
        self._disposed = True
        self._native.dispose()

    def storage_state(
        self, *, path: str | Path | None = None, indexed_db: bool | None = None
    ) -> StorageState:
        """Its cookies and storage, to begin another context with."""
        state = self._run(self._native.storage_state(bool(indexed_db)))
        if path is not None:
            Path(path).write_text(json_module.dumps(state, indent=2), encoding="utf-8")
        return cast("StorageState", state)

    def get(self, url: str, **options: Unpack[RequestOptions]) -> APIResponse:
        """Sends a GET request."""
        return self._send(url, "GET", options)

    def head(self, url: str, **options: Unpack[RequestOptions]) -> APIResponse:
        """Sends a HEAD request."""
        return self._send(url, "HEAD", options)

    def post(self, url: str, **options: Unpack[RequestOptions]) -> APIResponse:
        """Sends a POST request."""
        return self._send(url, "POST", options)

    def put(self, url: str, **options: Unpack[RequestOptions]) -> APIResponse:
        """Sends a PUT request."""
        return self._send(url, "PUT", options)

    def patch(self, url: str, **options: Unpack[RequestOptions]) -> APIResponse:
        """Sends a PATCH request."""
        return self._send(url, "PATCH", options)

    def delete(self, url: str, **options: Unpack[RequestOptions]) -> APIResponse:
        """Sends a DELETE request."""
        return self._send(url, "DELETE", options)

    def fetch(
        self, url_or_request: str | Request, *, method: str | None = None, **options: Unpack[RequestOptions]
    ) -> APIResponse:
        """Sends a request: to an address, or the same that a page has sent."""
        return self._send(url_or_request, method, options)

    def _send(
        self, url_or_request: str | Request, method: str | None, options: RequestOptions
    ) -> APIResponse:
        _check_options(options)
        if self._disposed or (self._context is not None and self._context._closed):
            raise closed_error(self._close_reason)
        request = url_or_request if isinstance(url_or_request, Request) else None
        headers = options.get("headers")
        if headers is None and request is not None:
            headers = request.headers
        body = _body(options, headers or {})
        if body is None and request is not None and request.post_data_buffer is not None:
            body = ("bytes", request.post_data_buffer)
        limit = options.get("timeout")
        limit = self._default_timeout() if limit is None else deeds.milliseconds(limit)
        given: dict[str, Any] = {**options}
        call = {
            "url": request.url if request is not None else url_or_request,
            "method": method or (request.method if request is not None else "GET"),
            "params": _pairs(options.get("params")),
            "headers": [[name, str(value)] for name, value in headers.items()] if headers else None,
            "timeout": limit,
            **{name: given[name] for name in _PASSED if given.get(name) is not None},
        }
        native = self._run(self._native.fetch(call, body), limit)
        response = APIResponse(self, str(call["method"]), native)
        for recorder in self._context._recorders if self._context is not None else ():
            recorder.add_api_response(call, body[1] if body and body[0] == "bytes" else None, response)
        return response

    def _default_timeout(self) -> float:
        return self._context._timeout() if self._context is not None else self._timeout


_PASSED = ("fail_on_status_code", "ignore_https_errors", "max_redirects", "max_retries")
_OPTIONS = {"params", "headers", "data", "form", "multipart", "timeout", *_PASSED}


def _check_options(options: Any) -> None:
    unknown = set(options) - _OPTIONS
    if unknown:
        raise TypeError(f"{caller()}() got an unexpected keyword argument {min(unknown)!r}")
    bodies = [name for name in ("data", "form", "multipart") if options.get(name) is not None]
    if len(bodies) > 1:
        raise Error("Only one of 'data', 'form' or 'multipart' can be specified")
    for name in ("max_redirects", "max_retries"):
        value = options.get(name)
        if value is not None and value < 0:
            raise AssertionError(f"'{name}' must be greater than or equal to '0'")


def _body(options: Any, headers: dict[str, str]) -> tuple[str, Any] | None:
    """What is sent along: its kind, and what belongs to it."""
    data, form, multipart = (options.get(name) for name in ("data", "form", "multipart"))
    if form is not None:
        return ("form", _pairs(form))
    if multipart is not None:
        return ("multipart", [_part(name, value) for name, value in _fields(multipart)])
    if isinstance(data, bytes):
        return ("bytes", data)
    if isinstance(data, str):
        return (
            ("json", data if _is_json(data) else json_module.dumps(data))
            if _says_json(headers)
            else (
                "bytes",
                data.encode(),
            )
        )
    if isinstance(data, (dict, list, int, float, bool)):
        return ("json", json_module.dumps(data))
    if data is not None:
        raise Error(f"Unsupported 'data' type: {type(data)}")
    return None


def _says_json(headers: dict[str, str]) -> bool:
    return any(
        name.lower() == "content-type" and "application/json" in value for name, value in headers.items()
    )


def _is_json(text: str) -> bool:
    try:
        json_module.loads(text)
    except ValueError:
        return False
    return True


def _fields(form: Any) -> list[tuple[str, Any]]:
    return form._fields if isinstance(form, FormData) else list(form.items())


def _pairs(values: Any) -> list[tuple[str, str]]:
    if values is None:
        return []
    if isinstance(values, str):
        return parse_qsl(values.removeprefix("?"), keep_blank_values=True)
    return [(name, _text(value)) for name, value in _fields(values)]


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _part(name: str, value: Any) -> tuple[str, bytes, tuple[str, str] | None]:
    if isinstance(value, dict):
        for key in ("name", "mimeType", "buffer"):
            if key not in value:
                raise Error(f"Unexpected file payload: it has no {key!r}")
        return (name, value["buffer"], (value["name"], value["mimeType"]))
    if isinstance(value, Path):
        kind = mimetypes.guess_type(value.name)[0] or "application/octet-stream"
        return (name, value.read_bytes(), (value.name, kind))
    return (name, value if isinstance(value, bytes) else _text(value).encode(), None)


class APIResponse(ApiObject):
    """What came back."""

    def __init__(self, requests: APIRequestContext, method: str, native: NativeResponse) -> None:
        super().__init__(requests._connection)
        self._method = method
        self._requests = requests
        self._native = native
        self._disposed = False

    def __repr__(self) -> str:
        return f"<APIResponse url={self.url!r} status={self.status!r} status_text={self.status_text!r}>"

    @property
    def ok(self) -> bool:
        """Whether the status is one of success: 200 to 299."""
        return 200 <= self.status <= 299

    @property
    def url(self) -> str:
        """The address that answered: after redirects, the last."""
        return self._native.url

    @property
    def status(self) -> int:
        """Such as 200."""
        return self._native.status

    @property
    def status_text(self) -> str:
        """Such as `OK`."""
        return self._native.status_text

    @property
    def headers(self) -> dict[str, str]:
        """The headers by their names in lower case."""
        return joined(self._native.headers)

    @property
    def headers_array(self) -> list[NameValue]:
        """The headers one by one."""
        return listed(self._native.headers)

    @property
    def timing(self) -> ResourceTiming:
        """When it was sent, and after how many milliseconds its head and its end came; -1 for what is not known."""
        started, head, end = self._native.moments
        unknown = (
            "domainLookupStart",
            "domainLookupEnd",
            "connectStart",
            "secureConnectionStart",
            "connectEnd",
        )
        known = {"startTime": started, "requestStart": 0.0, "responseStart": head, "responseEnd": end}
        return cast("ResourceTiming", {**dict.fromkeys(unknown, -1.0), **known})

    def server_addr(self) -> RemoteAddr | None:
        """The address and the port of the server."""
        address = self._native.server_address
        return {"ipAddress": address[0], "port": address[1]} if address else None

    def security_details(self) -> SecurityDetails | None:
        """Always `None`: the certificate of a request without a page is checked, and not kept."""
        return None

    def body(self) -> bytes:
        """The body."""
        if self._disposed or self._requests._disposed:
            raise Error(f"{caller()}: Response has been disposed")
        return self._native.body

    def text(self) -> str:
        """The body as text."""
        return (self.body()).decode("utf-8", "replace")

    def json(self) -> Any:
        """The body, read as JSON."""
        return json_module.loads(self.text())

    def dispose(self) -> None:
        """Forgets the body."""
        self._disposed = True
