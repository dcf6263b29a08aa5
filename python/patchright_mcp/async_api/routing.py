"""Intercepted requests, and their handlers."""

from __future__ import annotations

import json as json_module
import mimetypes
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import _urls as urls
from .._core import Promise
from .._failures import caller
from .._options import js_type_name
from ..errors import Error
from ._base import ApiObject, accepted_arguments
from ._disposable import Disposable

if TYPE_CHECKING:
    from .._core import Operation
    from .._core import Route as NativeRoute
    from .api_request import APIResponse
    from .context import BrowserContext
    from .network import Request
    from .page import Page


class Handler:
    """A route handler of a script, for matching URLs."""

    def __init__(
        self, base_url: str | None, url: Any, function: Callable[..., Any], times: int | None
    ) -> None:
        self.url = url
        self.function = function
        self._base_url = base_url
        self._left = times
        self._running: list[Promise] = []
        self.is_unhandled = False

    def fits(self, url: str) -> bool:
        """Returns whether the handler is for this URL."""
        return urls.matches(self._base_url, url, self.url)

    def is_exhausted(self) -> bool:
        """Returns whether the handler was called `times` times."""
        return self._left is not None and self._left <= 0

    def count_call(self) -> None:
        """Counts a call of the handler."""
        if self._left is not None:
            self._left -= 1

    async def run(self, route: Route) -> bool:
        """Calls the handler, which may answer the request later. Returns false if it ignored an exception."""
        done = Promise()
        self._running.append(done)
        try:
            result = self.function(*accepted_arguments(self.function, [route, route.request]))
            await route._runtime.settle(result)
        except Exception:
            if not self.is_unhandled:
                raise
            return False
        else:
            return True
        finally:
            done.resolve(None)
            self._running.remove(done)

    async def until_idle(self, route_runtime: Any) -> None:
        """Waits until no call of the handler is running."""
        for done in list(self._running):
            await route_runtime.run(done.wait(0))


class Routing:
    """The route handlers of a page or context, newest first."""

    def __init__(self, context: BrowserContext, page: Page | None) -> None:
        self._context = context
        self._page = page
        self.handlers: list[Handler] = []

    async def add(self, url: Any, function: Callable[..., Any], times: int | None) -> Disposable:
        """Adds a handler before all others."""
        self.handlers.insert(0, Handler(self._context._base_url, url, function, times))
        await self.update_interception()
        return Disposable(lambda: self.remove(url, function), self._context._runtime)

    async def remove(self, url: Any, function: Callable[..., Any] | None) -> None:
        """Removes the handlers for a URL, or only the one with this function."""
        self.handlers = [
            handler
            for handler in self.handlers
            if handler.url != url or (function is not None and handler.function != function)
        ]
        await self.update_interception()

    async def remove_all(self, behavior: str | None) -> None:
        """Removes all handlers."""
        removed, self.handlers = self.handlers, []
        await self.update_interception()
        for handler in removed:
            if behavior == "ignoreErrors":
                handler.is_unhandled = True
            elif behavior == "wait":
                await handler.until_idle(self._context._runtime)

    async def update_interception(self) -> None:
        """Starts or stops intercepting requests in the engine."""
        owner = self._page or self._context
        attached = owner._connection.attached
        if attached is not None:
            attached.delegate_unmatched_requests(self._context._native, self._context._traffic.is_routed())
            if not self.handlers:
                return
            await owner._run(owner._native.route(None))
            return
        await owner._run(owner._native.route(self._globs()))

    def _globs(self) -> list[str] | None:
        """Returns the URL globs of all handlers; `None` if a handler uses a pattern or a function."""
        globs = []
        for handler in self.handlers:
            if not isinstance(handler.url, str) or not handler.url:
                return None
            globs.append(urls.resolve_glob(self._context._base_url, handler.url))
        return globs

    def remove_exhausted(self) -> None:
        """Removes the handlers that were called `times` times."""
        kept = [handler for handler in self.handlers if not handler.is_exhausted()]
        if len(kept) < len(self.handlers):
            self.handlers = kept
            if not kept:
                owner = self._page or self._context
                owner._runtime.start(owner._native.route([]))


class Route(ApiObject):
    """An intercepted request: continue, fulfill or abort it."""

    def __init__(self, request: Request, native: NativeRoute, chain: list[Routing]) -> None:
        super().__init__(request._connection)
        self._request = request
        self._native = native
        self._chain = chain
        self._left: list[Handler] = [handler for routing in chain for handler in routing.handlers]
        self._decided = False

    def __repr__(self) -> str:
        return f"<Route request={self._request!r}>"

    @property
    def request(self) -> Request:
        """The intercepted request."""
        return self._request

    async def _decide(self) -> bool:
        """Calls the next matching handler. Continues the request and returns false if there is none."""
        while self._left:
            handler = self._left.pop(0)
            if handler.is_exhausted() or not self._stands(handler) or not handler.fits(self._request.url):
                continue
            self._decided = False
            handler.count_call()
            try:
                if await handler.run(self) or self._decided:
                    return True
            except Exception:
                self._give_up()
                raise
            finally:
                # Only after the decision: when the last route is removed, the engine continues undecided requests.
                for routing in self._chain:
                    routing.remove_exhausted()
        self._decided = True
        await self._run(self._resumed())
        return False

    def _stands(self, handler: Handler) -> bool:
        """Returns whether a handler is still registered."""
        return any(handler in routing.handlers for routing in self._chain)

    def _check(self) -> None:
        if self._decided:
            raise Error("Route is already handled!")

    def _begin(self) -> None:
        self._check()
        self._decided = True

    def _give_up(self) -> None:
        """Aborts the request if no handler has answered it, so that the page does not wait forever."""
        if not self._decided:
            self._decided = True
            self._runtime.start(self._native.abort("failed"))

    async def _settle(self, operation: Operation) -> None:
        """Continues, fulfills or aborts the request in the engine. If that fails, a retry is possible."""
        self._begin()
        try:
            await self._run(operation)
        except Exception:
            self._decided = False
            raise

    async def abort(self, error_code: str | None = None) -> None:
        """Aborts the request. Default error code: `failed`."""
        await self._settle(self._native.abort(error_code or "failed"))

    async def fulfill(
        self,
        *,
        status: int | None = None,
        headers: dict[str, str] | None = None,
        body: str | bytes | None = None,
        json: Any | None = None,
        path: Path | str | None = None,
        content_type: str | None = None,
        response: APIResponse | None = None,
    ) -> None:
        """Fulfills the request. Omitted values come from `response`, if given."""
        self._check()
        if json is not None:
            if body is not None:
                raise Error("Can specify either body or json parameters")
            body = json_module.dumps(json, separators=(",", ":"), ensure_ascii=False)
        values = {name.lower(): str(value) for name, value in (headers or {}).items()}
        if response is not None:
            if headers is None:
                values = dict(response.headers)
            status = response.status if status is None else status
            if body is None and path is None:
                body = await response.body()
            # The body is already decompressed.
            values.pop("content-encoding", None)
            values.pop("content-length", None)
        if content_type:
            values["content-type"] = content_type
        elif json is not None:
            values["content-type"] = "application/json"
        elif path is not None and "content-type" not in values:
            values["content-type"] = mimetypes.guess_type(str(path))[0] or "application/octet-stream"
        if path is not None:
            body = Path(path).read_bytes()
        await self._settle(self._native.fulfill(_status(status), list(values.items()), _content(body)))

    async def fetch(
        self,
        *,
        url: str | None = None,
        method: str | None = None,
        headers: dict[str, str] | None = None,
        post_data: Any | None = None,
        max_redirects: int | None = None,
        max_retries: int | None = None,
        timeout: float | timedelta | None = None,
    ) -> APIResponse:
        """Sends the request and returns the response, without fulfilling the request.

        Raises:
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        request = self._request
        return await request._traffic.context.request.fetch(
            request if url is None else url,
            method=method or request.method,
            headers=headers if headers is not None else request.headers,
            data=post_data if post_data is not None else request.post_data_buffer,
            max_redirects=max_redirects,
            max_retries=max_retries,
            timeout=timeout,
        )

    async def continue_(
        self,
        *,
        url: str | None = None,
        method: str | None = None,
        headers: dict[str, str] | None = None,
        post_data: Any | None = None,
    ) -> None:
        """Continues the request, with optional overrides."""
        self._check()
        self._override(url, method, headers, post_data)
        await self._settle(self._resumed())

    async def fallback(
        self,
        *,
        url: str | None = None,
        method: str | None = None,
        headers: dict[str, str] | None = None,
        post_data: Any | None = None,
    ) -> None:
        """Passes the request to the next handler, with optional overrides."""
        self._check()
        self._override(url, method, headers, post_data)
        self._begin()
        self._runtime.spawn(self._decide())

    def _override(
        self, url: str | None, method: str | None, headers: dict[str, str] | None, post_data: Any | None
    ) -> None:
        given: dict[str, Any] = {"url": url, "method": method}
        if headers is not None:
            given["headers"] = {
                name.lower(): str(value) for name, value in headers.items() if value is not None
            }
        if post_data is not None:
            is_plain = isinstance(post_data, (str, bytes))
            text = post_data if is_plain else json_module.dumps(post_data)
            given["body"] = text.encode() if isinstance(text, str) else text
        self._request._overrides.update({name: value for name, value in given.items() if value is not None})

    def _resumed(self) -> Operation:
        overrides = self._request._overrides
        headers = overrides.get("headers")
        return self._native.resume(
            overrides.get("url"),
            overrides.get("method"),
            list(headers.items()) if headers is not None else None,
            overrides.get("body"),
        )


def _status(status: Any) -> int:
    if status is not None and not isinstance(status, int):
        raise Error(f"{caller()}: status: expected number, got {js_type_name(status)}")
    return status or 200


def _content(body: Any) -> bytes:
    if body is not None and not isinstance(body, (str, bytes)):
        raise Error(f"{caller()}: body: expected string or bytes, got {js_type_name(body)}")
    return body.encode() if isinstance(body, str) else body or b""
