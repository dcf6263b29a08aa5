"""HAR archives: recording requests, and answering requests from an archive."""

from __future__ import annotations

import json
import re
import zipfile
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import _core
from .. import _urls as urls
from .._core import Promise, __version__
from .._failures import failure
from ..errors import BrowserError, Error

if TYPE_CHECKING:
    from .api_request import APIResponse
    from .context import BrowserContext
    from .network import Request
    from .page import Page
    from .routing import Route

_REDIRECTS = (301, 302, 303, 307, 308)


class Archive:
    """A HAR archive that answers requests."""

    def __init__(self, path: str | Path) -> None:
        try:
            self._native = _core.Archive(path)
        except BrowserError as error:
            raise failure(error) from None

    def answer(self, route: Route, not_found: str) -> None:
        """Answers a request from the archive. `not_found`: `abort` or `fallback` for other requests."""
        request = route.request
        url, method, body = request.url, request.method, request.post_data_buffer
        follows = not request.is_navigation_request()
        try:
            reported = self._native.answer(url, method, request.headers, body, follows=follows)
        except BrowserError as error:
            route.abort()
            raise failure(error) from None
        if reported is None and not_found == "fallback":
            route.fallback()
            return
        status, headers, content = reported or (None, [], b"")
        if status is None:
            route.abort()
            return
        route._begin()
        route._run(route._native.fulfill(status, headers, content))


class HarRecorder:
    """Records the requests of a context or page."""

    def __init__(
        self,
        context: BrowserContext,
        path: str | Path,
        *,
        page: Page | None = None,
        url_filter: str | re.Pattern[str] | None = None,
        content: str | None = None,
        mode: str | None = None,
    ) -> None:
        self._context = context
        self._path = Path(path)
        self._page = page
        self._url_filter = url_filter
        self._content = content or ("attach" if self._path.suffix == ".zip" else "embed")
        self._minimal = mode == "minimal"
        self._entries: list[tuple[float, dict[str, Any]]] = []
        self._files: dict[str, bytes] = {}
        self._pages: dict[int, dict[str, Any]] = {}
        self._writing: list[Promise] = []
        context._add_handler("requestfinished", self._ended, once=False)
        context._add_handler("requestfailed", self._ended, once=False)
        context._recorders.append(self)

    def _wants(self, url: str) -> bool:
        return self._url_filter is None or urls.matches(self._context._base_url, url, self._url_filter)

    def _ended(self, request: Request) -> None:
        page = self._context._traffic.page_of(request._native.page)
        if not self._wants(request.url) or (self._page is not None and page is not self._page):
            return
        done = Promise()
        self._writing.append(done)
        self._context._runtime.spawn(self._write(request, page, done))

    def _write(self, request: Request, page: Page | None, done: Promise) -> bool:
        """Records a request. Returns false if its data is no longer available, as after its page was closed."""
        try:
            entry = self._entry(request)
            if page is not None and not self._minimal:
                entry["pageref"] = self._page_of(page)
            self._entries.append((request.timing["startTime"], entry))
        except Error:
            return False
        finally:
            done.resolve(None)
        return True

    def _page_of(self, page: Page) -> str:
        key = page._native.key
        if key not in self._pages:
            self._pages[key] = {
                "startedDateTime": _date(datetime.now(timezone.utc).timestamp() * 1000),
                "id": f"page@{key:x}",
                "title": "",
                "pageTimings": {"onContentLoad": -1, "onLoad": -1},
            }
        return str(self._pages[key]["id"])

    def _entry(self, request: Request) -> dict[str, Any]:
        response = request._answered()
        recorded: dict[str, Any] = {
            "method": request.method,
            "url": request.url,
            "http_version": response.http_version() if response is not None else "HTTP/1.1",
            "headers": _pairs(request.headers_array()),
            "body": request.post_data_buffer,
            "timing": request.timing,
            "failure": request.failure,
            "response": None,
        }
        if response is None:
            return self._written(recorded)
        headers = response.headers_array()
        body = None
        if response.status not in _REDIRECTS and request.failure is None and self._content != "omit":
            try:
                body = response.body()
            except Error:
                body = None
        recorded["response"] = _response(response.status, response.status_text, _pairs(headers), body)
        entry = self._written(recorded)
        address = response.server_addr()
        if address and not self._minimal:
            entry["serverIPAddress"], entry["_serverPort"] = address["ipAddress"], address["port"]
            entry["_securityDetails"] = response.security_details() or {}
        return entry

    def add_api_response(self, call: dict[str, Any], body: bytes | None, response: APIResponse) -> None:
        """Records an API request."""
        if self._page is not None or not self._wants(response.url):
            return
        content = response._native.body if self._content != "omit" else None
        recorded = {
            "method": call["method"],
            "url": response.url,
            "http_version": "HTTP/1.1",
            "headers": list(call["headers"] or []),
            "body": body,
            "timing": response.timing,
            "failure": None,
            "response": _response(
                response.status, response.status_text, _pairs(response.headers_array), content
            ),
        }
        self._entries.append((response.timing["startTime"], {**self._written(recorded), "_apiRequest": True}))

    def _written(self, recorded: dict[str, Any]) -> dict[str, Any]:
        text, files = _core.har_entry(recorded, self._content)
        self._files.update(files)
        entry: dict[str, Any] = json.loads(text)
        if self._minimal:
            entry["request"]["bodySize"] = -1
        return entry

    def _let_go(self) -> None:
        """Stops recording."""
        if self in self._context._recorders:
            self._context._recorders.remove(self)
            self._context.remove_listener("requestfinished", self._ended)
            self._context.remove_listener("requestfailed", self._ended)

    def _settle(self) -> None:
        """Waits for bodies that are still being read."""
        for done in self._writing:
            self._context._runtime.run(done.wait(0))
        self._writing.clear()
        self._entries.sort(key=lambda pair: pair[0])

    def stop(self) -> None:
        """Waits for bodies that are still being read, and writes the file."""
        if self not in self._context._recorders:
            return
        self._let_go()
        self._settle()
        browser = self._context._browser
        log = {
            "version": "1.2",
            "creator": {"name": "patchright_mcp", "version": __version__},
            "browser": {"name": browser.browser_type.name, "version": browser.version},
            "entries": [entry for _, entry in self._entries],
        }
        if not self._minimal:
            log["pages"] = list(self._pages.values())
        text = json.dumps({"log": log}, indent=2)
        self._path.parent.mkdir(parents=True, exist_ok=True)
        if self._path.suffix == ".zip":
            with zipfile.ZipFile(self._path, "w", zipfile.ZIP_DEFLATED) as archive:
                archive.writestr("har.har", text)
                for name, content in self._files.items():
                    archive.writestr(name, content)
            return
        self._path.write_text(text, encoding="utf-8")
        for name, content in self._files.items():
            (self._path.parent / name).write_bytes(content)


def _pairs(headers: list[Any]) -> list[tuple[str, str]]:
    return [(header["name"], header["value"]) for header in headers]


def _response(status: int, text: str, headers: list[tuple[str, str]], body: bytes | None) -> dict[str, Any]:
    kind = next((value for name, value in headers if name.lower() == "content-type"), "x-unknown")
    return {"status": status, "status_text": text, "headers": headers, "mime_type": kind, "body": body}


def _date(ms: float) -> str:
    date = datetime.fromtimestamp(max(ms, 0) / 1000, timezone.utc)
    return date.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def route_from(
    context: BrowserContext,
    page: Page | None,
    har: str | Path,
    *,
    url: str | re.Pattern[str] | None,
    not_found: str | None,
    update: bool | None,
    update_content: str | None,
    update_mode: str | None,
) -> None:
    """Answers requests from an archive, or records it until the context closes."""
    if update:
        HarRecorder(
            context,
            har,
            page=page,
            url_filter=url,
            content=update_content or "attach",
            mode=update_mode or "minimal",
        )
        return
    archive = Archive(har)
    routing = page._routing if page is not None else context._traffic.routing

    def answer(route: Route) -> None:
        archive.answer(route, not_found or "abort")

    routing.add(url if url is not None else "**/*", answer, None)
