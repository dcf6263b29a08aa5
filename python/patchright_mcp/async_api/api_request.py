"""API requests, without a page."""

from __future__ import annotations

import json as json_module
import re
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from .. import _actions as actions
from .._bodies import FormData, check_options, request_body, to_text_pairs
from .._certificates import read_certificates
from .._cookies import matching_cookies, to_engine_cookie, to_script_cookie
from .._core import ApiRequestContext as NativeRequests
from .._failures import MissingFeature, caller, failure
from .._folders import write_private
from .._options import check_proxy, load_storage_state
from ..errors import BrowserError, Error
from ._base import DEFAULT_TIMEOUT, ApiObject, Connection, closed_error
from .network import Request, headers_dict, name_value_list

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
    """Creates contexts for API requests."""

    async def new_context(
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
        """Returns a request context with its own cookies, or those of `storage_state`.

        `timeout` applies to each request, in milliseconds. Default: 30 s. 0 disables the limit. `max_redirects` defaults to
        20. Relative URLs are resolved against `base_url`. `client_certificates` are used for the origins that they name.
        """
        check_proxy(proxy)
        limit = None if timeout is None else actions.milliseconds(timeout)
        options = {
            "base_url": base_url,
            "extra_http_headers": extra_http_headers,
            "http_credentials": http_credentials,
            "ignore_https_errors": ignore_https_errors,
            "client_certificates": read_certificates(client_certificates or ()),
            "proxy": proxy,
            "user_agent": user_agent,
            "timeout": limit,
            "storage_state": load_storage_state(storage_state),
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
    """Sends API requests and keeps cookies."""

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
        """Creates the request context that shares a browser context's cookies."""
        names = ("base_url", "extra_http_headers", "http_credentials", "ignore_https_errors", "user_agent")
        given = {name: context._options[name] for name in names if context._options.get(name) is not None}
        return cls(context._connection, NativeRequests(given, context._native), DEFAULT_TIMEOUT, context)

    async def dispose(self, *, reason: str | None = None) -> None:
        """Closes the context and discards all responses."""
        self._close_reason = reason
        self._disposed = True
        self._native.dispose()

    async def storage_state(
        self,
        *,
        path: str | Path | None = None,
        indexed_db: bool | None = None,
        opfs: bool | None = None,
    ) -> StorageState:
        """Returns cookies and storage, to create another context with; see `BrowserContext.storage_state`."""
        state = await self._run(self._native.storage_state(bool(indexed_db), bool(opfs)))
        if path is not None:
            write_private(path, json_module.dumps(state, indent=2))
        return cast("StorageState", state)

    async def get(
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
        """Sends a GET request and returns the response.

        `params` are added to the URL. The body is `data` (text, bytes, or a JSON value), `form` or `multipart`.
        Follows up to `max_redirects` redirects (default: 20). Retries a broken connection `max_retries` times (default: 0).

        Raises:
            Error: If no response arrives; with `fail_on_status_code`, also if the status is not 2xx.
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        return await self._send(
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

    async def head(
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
        return await self._send(
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

    async def post(
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
        return await self._send(
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

    async def put(
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
        return await self._send(
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

    async def patch(
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
        return await self._send(
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

    async def delete(
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
        return await self._send(
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

    async def fetch(
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
        """Sends a request to a URL, or repeats a page's request; see `get`."""
        return await self._send(
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

    async def cookies(self, urls: str | Sequence[str] | None = None) -> list[Cookie]:
        """Returns the context's cookies, or those that would be sent to these URLs."""
        return [
            to_script_cookie(cookie)
            for cookie in await self._run(self._native.cookies(actions.as_list(urls)))
        ]

    async def add_cookies(self, cookies: Sequence[SetCookieParam | Cookie]) -> None:
        """Adds cookies. Each needs a URL, or a domain and a path."""
        await self._run(self._native.add_cookies([to_engine_cookie(cookie) for cookie in cookies]))

    async def clear_cookies(
        self,
        *,
        name: str | re.Pattern[str] | None = None,
        domain: str | re.Pattern[str] | None = None,
        path: str | re.Pattern[str] | None = None,
    ) -> None:
        """Removes all cookies, or the matching ones."""
        if name is None and domain is None and path is None:
            await self._run(self._native.clear_cookies())
            return
        gone = matching_cookies(await self._run(self._native.cookies([])), name, domain, path)
        await self._run(self._native.remove_cookies(gone))

    @property
    def tracing(self) -> Tracing:
        """Traces of the browser context whose cookies these requests share.

        Raises:
            Error: If these requests have their own cookies, and so belong to no browser context.
        """
        if self._context is None:
            raise MissingFeature(
                "APIRequestContext.tracing",
                "send the requests with `BrowserContext.request`, and trace that context",
            )
        return self._context.tracing

    async def _send(
        self, url_or_request: str | Request, method: str | None, options: RequestOptions
    ) -> APIResponse:
        check_options(options)
        if self._disposed or (self._context is not None and self._context._closed):
            raise closed_error(self._close_reason)
        request = url_or_request if isinstance(url_or_request, Request) else None
        headers = options.get("headers")
        if headers is None and request is not None:
            headers = request.headers
        body = request_body(options, headers or {})
        if body is None and request is not None and request.post_data_buffer is not None:
            body = ("bytes", request.post_data_buffer)
        limit = options.get("timeout")
        limit = self._default_timeout() if limit is None else actions.milliseconds(limit)
        given: dict[str, Any] = {**options}
        call = {
            "url": request.url if request is not None else url_or_request,
            "method": method or (request.method if request is not None else "GET"),
            **_query(options.get("params")),
            "headers": [[name, str(value)] for name, value in (headers or {}).items() if value is not None],
            "timeout": limit,
            **{name: given[name] for name in _PASSED if given.get(name) is not None},
        }
        native = await self._run(self._native.fetch(call, body), limit)
        response = APIResponse(self, str(call["method"]), native)
        for recorder in self._context._recorders if self._context is not None else ():
            recorder.add_api_response(call, body[1] if body and body[0] == "bytes" else None, response)
        return response

    def _default_timeout(self) -> float:
        return self._context._timeout() if self._context is not None else self._timeout


def _query(params: Any) -> dict[str, Any]:
    """Converts query parameters; a text is used as is."""
    if isinstance(params, str):
        return {"query": params.removeprefix("?")} if params else {}
    return {"params": to_text_pairs(params)}


_PASSED = ("fail_on_status_code", "ignore_https_errors", "max_redirects", "max_retries")


class APIResponse(ApiObject):
    """A response to an API request."""

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
        """Whether the status is from 200 to 299."""
        return 200 <= self.status <= 299

    @property
    def url(self) -> str:
        """The URL of the response, after redirects."""
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
    def headers(self) -> dict[str, str]:
        """The headers, by lower-case name."""
        return headers_dict(self._native.headers)

    @property
    def headers_array(self) -> list[NameValue]:
        """The headers as a list, with duplicates."""
        return name_value_list(self._native.headers)

    @property
    def timing(self) -> ResourceTiming:
        """The start time, and the milliseconds until the response's headers and its end; -1 if unknown."""
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

    async def server_addr(self) -> RemoteAddr | None:
        """Returns the server's IP address and port."""
        address = self._native.server_address
        return {"ipAddress": address[0], "port": address[1]} if address else None

    async def security_details(self) -> SecurityDetails | None:
        """Always returns `None`: the certificate of an API request is verified but not kept."""
        return None

    async def body(self) -> bytes:
        """Returns the body as bytes."""
        if self._disposed or self._requests._disposed:
            raise Error(f"{caller()}: Response has been disposed")
        return self._native.body

    async def text(self) -> str:
        """Returns the body as text."""
        return (await self.body()).decode("utf-8", "replace")

    async def json(self) -> Any:
        """Returns the body parsed as JSON."""
        return json_module.loads(await self.text())

    async def dispose(self) -> None:
        """Discards the body."""
        self._disposed = True
