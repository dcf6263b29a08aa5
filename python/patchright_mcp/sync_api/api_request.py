"""Requests that no page makes."""

from __future__ import annotations

import json as json_module
import re
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from .. import _deeds as deeds
from .._bodies import FormData, body_of, check_options, pairs
from .._certificates import read_certificates
from .._cookies import checked_cookie, fitting_cookies, told_cookie
from .._core import ApiRequestContext as NativeRequests
from .._failures import Missing, caller, failure
from .._folders import write_private
from .._options import check_proxy, stored
from ..errors import BrowserError, Error
from ._base import DEFAULT_TIMEOUT, ApiObject, Connection, closed_error
from .network import Request, joined, listed

if TYPE_CHECKING:
    from .._core import ApiResponse as NativeResponse
    from .._typed import (
        ClientCertificate,
        Cookie,
        FilePayload,
        HttpCredentials,
        NameValue,
        ProxySettings,
        RemoteAddr,
        RequestOptions,
        ResourceTiming,
        SecurityDetails,
        SetCookieParam,
        StorageState,
    )
    from .context import BrowserContext
    from .tracing import Tracing


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
        """Something that sends requests, with cookies of its own or those of `storage_state`.

        `timeout` is for each of its requests, in milliseconds (30 s unless told; 0 for no limit). `max_redirects` is 20
        unless told. Addresses are looked up from `base_url`. `client_certificates` are shown to the origins that they name.
        """
        check_proxy(proxy)
        limit = None if timeout is None else deeds.milliseconds(timeout)
        options = {
            "base_url": base_url,
            "extra_http_headers": extra_http_headers,
            "http_credentials": http_credentials,
            "ignore_https_errors": ignore_https_errors,
            "client_certificates": read_certificates(client_certificates or ()),
            "proxy": proxy,
            "user_agent": user_agent,
            "timeout": limit,
            "storage_state": stored(storage_state),
            "fail_on_status_code": fail_on_status_code,
            "max_redirects": max_redirects,
        }
        given = {name: value for name, value in options.items() if value is not None}
        try:
            native = NativeRequests(given)
        except BrowserError as error:
            raise failure(error) from None
        return APIRequestContext(self._connection, native, DEFAULT_TIMEOUT if limit is None else limit)


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
        self,
        *,
        path: str | Path | None = None,
        indexed_db: bool | None = None,
        opfs: bool | None = None,
    ) -> StorageState:
        """Its cookies and storage, to begin another context with; see `BrowserContext.storage_state`."""
        state = self._run(self._native.storage_state(bool(indexed_db), bool(opfs)))
        if path is not None:
            write_private(path, json_module.dumps(state, indent=2))
        return cast("StorageState", state)

    def get(
        self,
        url: str,
        *,
        params: dict[str, str | float | bool] | str | None = None,
        headers: dict[str, str] | None = None,
        data: Any | str | bytes | None = None,
        form: dict[str, str | float | bool] | FormData | None = None,
        multipart: dict[str, bytes | bool | float | str | FilePayload] | FormData | None = None,
        timeout: float | timedelta | None = None,
        fail_on_status_code: bool | None = None,
        ignore_https_errors: bool | None = None,
        max_redirects: int | None = None,
        max_retries: int | None = None,
    ) -> APIResponse:
        """Sends a GET request, and reads the answer to its end.

        `params` go into the address. The body is `data` (text, bytes, or what becomes JSON), `form` or `multipart`.
        Redirects are followed up to `max_redirects` (20 unless told); a connection that was cut is tried `max_retries`
        times more (0 unless told).

        Raises:
            Error: When no answer came; with `fail_on_status_code` also when its status is not one of success.
            TimeoutError: After `timeout` milliseconds (30 s unless told; 0 for no limit).
        """
        return self._send(
            url,
            "GET",
            {
                "params": params,
                "headers": headers,
                "data": data,
                "form": form,
                "multipart": multipart,
                "timeout": timeout,
                "fail_on_status_code": fail_on_status_code,
                "ignore_https_errors": ignore_https_errors,
                "max_redirects": max_redirects,
                "max_retries": max_retries,
            },
        )

    def head(
        self,
        url: str,
        *,
        params: dict[str, str | float | bool] | str | None = None,
        headers: dict[str, str] | None = None,
        data: Any | str | bytes | None = None,
        form: dict[str, str | float | bool] | FormData | None = None,
        multipart: dict[str, bytes | bool | float | str | FilePayload] | FormData | None = None,
        timeout: float | timedelta | None = None,
        fail_on_status_code: bool | None = None,
        ignore_https_errors: bool | None = None,
        max_redirects: int | None = None,
        max_retries: int | None = None,
    ) -> APIResponse:
        """Sends a HEAD request; see `get`."""
        return self._send(
            url,
            "HEAD",
            {
                "params": params,
                "headers": headers,
                "data": data,
                "form": form,
                "multipart": multipart,
                "timeout": timeout,
                "fail_on_status_code": fail_on_status_code,
                "ignore_https_errors": ignore_https_errors,
                "max_redirects": max_redirects,
                "max_retries": max_retries,
            },
        )

    def post(
        self,
        url: str,
        *,
        params: dict[str, str | float | bool] | str | None = None,
        headers: dict[str, str] | None = None,
        data: Any | str | bytes | None = None,
        form: dict[str, str | float | bool] | FormData | None = None,
        multipart: dict[str, bytes | bool | float | str | FilePayload] | FormData | None = None,
        timeout: float | timedelta | None = None,
        fail_on_status_code: bool | None = None,
        ignore_https_errors: bool | None = None,
        max_redirects: int | None = None,
        max_retries: int | None = None,
    ) -> APIResponse:
        """Sends a POST request; see `get`."""
        return self._send(
            url,
            "POST",
            {
                "params": params,
                "headers": headers,
                "data": data,
                "form": form,
                "multipart": multipart,
                "timeout": timeout,
                "fail_on_status_code": fail_on_status_code,
                "ignore_https_errors": ignore_https_errors,
                "max_redirects": max_redirects,
                "max_retries": max_retries,
            },
        )

    def put(
        self,
        url: str,
        *,
        params: dict[str, str | float | bool] | str | None = None,
        headers: dict[str, str] | None = None,
        data: Any | str | bytes | None = None,
        form: dict[str, str | float | bool] | FormData | None = None,
        multipart: dict[str, bytes | bool | float | str | FilePayload] | FormData | None = None,
        timeout: float | timedelta | None = None,
        fail_on_status_code: bool | None = None,
        ignore_https_errors: bool | None = None,
        max_redirects: int | None = None,
        max_retries: int | None = None,
    ) -> APIResponse:
        """Sends a PUT request; see `get`."""
        return self._send(
            url,
            "PUT",
            {
                "params": params,
                "headers": headers,
                "data": data,
                "form": form,
                "multipart": multipart,
                "timeout": timeout,
                "fail_on_status_code": fail_on_status_code,
                "ignore_https_errors": ignore_https_errors,
                "max_redirects": max_redirects,
                "max_retries": max_retries,
            },
        )

    def patch(
        self,
        url: str,
        *,
        params: dict[str, str | float | bool] | str | None = None,
        headers: dict[str, str] | None = None,
        data: Any | str | bytes | None = None,
        form: dict[str, str | float | bool] | FormData | None = None,
        multipart: dict[str, bytes | bool | float | str | FilePayload] | FormData | None = None,
        timeout: float | timedelta | None = None,
        fail_on_status_code: bool | None = None,
        ignore_https_errors: bool | None = None,
        max_redirects: int | None = None,
        max_retries: int | None = None,
    ) -> APIResponse:
        """Sends a PATCH request; see `get`."""
        return self._send(
            url,
            "PATCH",
            {
                "params": params,
                "headers": headers,
                "data": data,
                "form": form,
                "multipart": multipart,
                "timeout": timeout,
                "fail_on_status_code": fail_on_status_code,
                "ignore_https_errors": ignore_https_errors,
                "max_redirects": max_redirects,
                "max_retries": max_retries,
            },
        )

    def delete(
        self,
        url: str,
        *,
        params: dict[str, str | float | bool] | str | None = None,
        headers: dict[str, str] | None = None,
        data: Any | str | bytes | None = None,
        form: dict[str, str | float | bool] | FormData | None = None,
        multipart: dict[str, bytes | bool | float | str | FilePayload] | FormData | None = None,
        timeout: float | timedelta | None = None,
        fail_on_status_code: bool | None = None,
        ignore_https_errors: bool | None = None,
        max_redirects: int | None = None,
        max_retries: int | None = None,
    ) -> APIResponse:
        """Sends a DELETE request; see `get`."""
        return self._send(
            url,
            "DELETE",
            {
                "params": params,
                "headers": headers,
                "data": data,
                "form": form,
                "multipart": multipart,
                "timeout": timeout,
                "fail_on_status_code": fail_on_status_code,
                "ignore_https_errors": ignore_https_errors,
                "max_redirects": max_redirects,
                "max_retries": max_retries,
            },
        )

    def fetch(
        self,
        url_or_request: str | Request,
        *,
        method: str | None = None,
        params: dict[str, str | float | bool] | str | None = None,
        headers: dict[str, str] | None = None,
        data: Any | str | bytes | None = None,
        form: dict[str, str | float | bool] | FormData | None = None,
        multipart: dict[str, bytes | bool | float | str | FilePayload] | FormData | None = None,
        timeout: float | timedelta | None = None,
        fail_on_status_code: bool | None = None,
        ignore_https_errors: bool | None = None,
        max_redirects: int | None = None,
        max_retries: int | None = None,
    ) -> APIResponse:
        """Sends a request: to an address, or the same that a page has sent; see `get`."""
        return self._send(
            url_or_request,
            method,
            {
                "params": params,
                "headers": headers,
                "data": data,
                "form": form,
                "multipart": multipart,
                "timeout": timeout,
                "fail_on_status_code": fail_on_status_code,
                "ignore_https_errors": ignore_https_errors,
                "max_redirects": max_redirects,
                "max_retries": max_retries,
            },
        )

    def cookies(self, urls: str | Sequence[str] | None = None) -> list[Cookie]:
        """Its cookies, or those that these addresses would get."""
        return [told_cookie(cookie) for cookie in self._run(self._native.cookies(deeds.listed(urls)))]

    def add_cookies(self, cookies: Sequence[SetCookieParam | Cookie]) -> None:
        """Puts cookies in. Each needs an address, or a domain and a path."""
        self._run(self._native.add_cookies([checked_cookie(cookie) for cookie in cookies]))

    def clear_cookies(
        self,
        *,
        name: str | re.Pattern[str] | None = None,
        domain: str | re.Pattern[str] | None = None,
        path: str | re.Pattern[str] | None = None,
    ) -> None:
        """Takes cookies away: all, or those that fit."""
        if name is None and domain is None and path is None:
            self._run(self._native.clear_cookies())
            return
        gone = fitting_cookies(self._run(self._native.cookies([])), name, domain, path)
        self._run(self._native.remove_cookies(gone))

    @property
    def tracing(self) -> Tracing:
        """Writes down what is done in the context that it belongs to.

        Raises:
            Error: Where it belongs to none.
        """
        if self._context is None:
            raise Missing(
                "APIRequestContext.tracing",
                "send the requests with `BrowserContext.request`, and trace that context",
            )
        return self._context.tracing

    def _send(
        self, url_or_request: str | Request, method: str | None, options: RequestOptions
    ) -> APIResponse:
        check_options(options)
        if self._disposed or (self._context is not None and self._context._closed):
            raise closed_error(self._close_reason)
        request = url_or_request if isinstance(url_or_request, Request) else None
        headers = options.get("headers")
        if headers is None and request is not None:
            headers = request.headers
        body = body_of(options, headers or {})
        if body is None and request is not None and request.post_data_buffer is not None:
            body = ("bytes", request.post_data_buffer)
        limit = options.get("timeout")
        limit = self._default_timeout() if limit is None else deeds.milliseconds(limit)
        given: dict[str, Any] = {**options}
        call = {
            "url": request.url if request is not None else url_or_request,
            "method": method or (request.method if request is not None else "GET"),
            **_query(options.get("params")),
            "headers": [[name, str(value)] for name, value in (headers or {}).items() if value is not None],
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


def _query(params: Any) -> dict[str, Any]:
    """A text is the query as it is written."""
    if isinstance(params, str):
        return {"query": params.removeprefix("?")} if params else {}
    return {"params": pairs(params)}


_PASSED = ("fail_on_status_code", "ignore_https_errors", "max_redirects", "max_retries")


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
