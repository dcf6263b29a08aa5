"""HTTP archives: what went over the network, written to a file, and answered from one."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import zipfile
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlparse

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
    """An archive that requests are answered from."""

    def __init__(self, path: str | Path) -> None:
        try:
            self._native = _core.Archive(path)
        except BrowserError as error:
            raise failure(error) from None

    async def answer(self, route: Route, not_found: str) -> None:
        """Answers a request as the archive says; one that is not in it fails, or is left to others."""
        request = route.request
        url, method, body = request.url, request.method, request.post_data_buffer
        follows = not request.is_navigation_request()
        try:
            told = self._native.answer(url, method, request.headers, body, follows=follows)
        except BrowserError as error:
            await route.abort()
            raise failure(error) from None
        if told is None and not_found == "fallback":
            await route.fallback()
            return
        status, headers, content = told or (None, [], b"")
        if status is None:
            await route.abort()
            return
        route._begin()
        await route._run(route._native.fulfill(status, headers, content))


class Recorder:
    """Writes down what a context, or one page, sends and receives."""

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

    async def _write(self, request: Request, page: Page | None, done: Promise) -> bool:
        """Writes a request down. False when it went away with its page."""
        try:
            entry = await self._entry(request)
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

    async def _entry(self, request: Request) -> dict[str, Any]:
        response = request._answered()
        timing = request.timing
        sent = await request.headers_array()
        version = await response.http_version() if response is not None else "HTTP/1.1"
        entry: dict[str, Any] = {
            "startedDateTime": _date(timing["startTime"]),
            "time": max(timing["responseEnd"], -1),
            "request": self._sent(request.method, request.url, sent, request.post_data_buffer, version),
            "cache": {},
            "timings": _timings(timing),
        }
        if response is None:
            told: dict[str, Any] = {**_answer(-1, "", [], version), "_failureText": request.failure or ""}
            told["content"] = {"size": -1, "mimeType": "x-unknown"}
        else:
            received = await response.headers_array()
            told = _answer(response.status, response.status_text, received, version)
            body = None
            if response.status not in _REDIRECTS and request.failure is None and self._content != "omit":
                try:
                    body = await response.body()
                except Error:
                    body = None
            told["content"] = self._stored(body, _value(received, "content-type") or "x-unknown")
            address = await response.server_addr()
            if address and not self._minimal:
                entry["serverIPAddress"], entry["_serverPort"] = address["ipAddress"], address["port"]
                entry["_securityDetails"] = await response.security_details() or {}
        entry["response"] = told
        return entry

    def add_api_response(self, call: dict[str, Any], body: bytes | None, response: APIResponse) -> None:
        """Writes down a request that no page made."""
        if self._page is not None or not self._wants(response.url):
            return
        sent: Any = [{"name": name, "value": value} for name, value in call["headers"] or []]
        timing = response.timing
        told = _answer(response.status, response.status_text, response.headers_array, "HTTP/1.1")
        told["content"] = self._stored(
            response._native.body if self._content != "omit" else None,
            response.headers.get("content-type", "x-unknown"),
        )
        entry = {
            "startedDateTime": _date(timing["startTime"]),
            "time": timing["responseEnd"],
            "request": self._sent(call["method"], response.url, sent, body, "HTTP/1.1"),
            "response": told,
            "cache": {},
            "timings": _timings(timing),
            "_apiRequest": True,
        }
        self._entries.append((timing["startTime"], entry))

    def _sent(
        self, method: str, url: str, headers: list[Any], body: bytes | None, version: str
    ) -> dict[str, Any]:
        told: dict[str, Any] = {
            "method": method,
            "url": url,
            "httpVersion": version,
            "cookies": _cookies(_value(headers, "cookie"), "; "),
            "headers": headers,
            "queryString": [
                {"name": name, "value": value}
                for name, value in parse_qsl(urlparse(url).query, keep_blank_values=True)
            ],
            "headersSize": -1,
            "bodySize": -1 if self._minimal else len(body or b""),
        }
        if body is not None:
            kind = _value(headers, "content-type") or "application/octet-stream"
            told["postData"] = {"mimeType": kind, "text": "", "params": []}
            if self._content == "attach":
                told["postData"]["_file"] = self._attached(body, kind)
            elif self._content == "embed":
                told["postData"]["text"] = body.decode("utf-8", "replace")
        return told

    def _stored(self, body: bytes | None, kind: str) -> dict[str, Any]:
        told: dict[str, Any] = {"size": -1 if body is None else len(body), "mimeType": kind}
        if not body:
            return told
        if self._content == "attach":
            told["_file"] = self._attached(body, kind)
        elif re.search(r"text|json|javascript|xml|urlencoded", kind):
            told["text"] = body.decode("utf-8", "replace")
        else:
            told["text"], told["encoding"] = base64.b64encode(body).decode(), "base64"
        return told

    def _attached(self, body: bytes, kind: str) -> str:
        plain = kind.partition(";")[0].strip()
        ending = _ENDINGS.get(plain, plain.rpartition("/")[2] if plain.startswith("image/") else "dat")
        name = f"{hashlib.sha1(body, usedforsecurity=False).hexdigest()}.{ending}"
        self._files[name] = body
        return name

    def _let_go(self) -> None:
        """Writes nothing down any more."""
        if self in self._context._recorders:
            self._context._recorders.remove(self)
            self._context.remove_listener("requestfinished", self._ended)
            self._context.remove_listener("requestfailed", self._ended)

    async def _settle(self) -> None:
        """Waits for what is still being read."""
        for done in self._writing:
            await self._context._runtime.run(done.wait(0))
        self._writing.clear()
        self._entries.sort(key=lambda pair: pair[0])

    async def stop(self) -> None:
        """Waits for what is still being read, and writes the file."""
        if self not in self._context._recorders:
            return
        self._let_go()
        await self._settle()
        browser = self._context._browser
        log = {
            "version": "1.2",
            "creator": {"name": "patchright_mcp", "version": __version__},
            "browser": {"name": "chromium", "version": browser.version},
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


_ENDINGS = {
    "text/html": "html",
    "text/css": "css",
    "text/plain": "txt",
    "text/javascript": "js",
    "application/javascript": "js",
    "application/json": "json",
    "application/xml": "xml",
    "image/jpeg": "jpeg",
    "image/svg+xml": "svg",
    "font/woff2": "woff2",
}


def _date(ms: float) -> str:
    told = datetime.fromtimestamp(max(ms, 0) / 1000, timezone.utc)
    return told.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _value(headers: list[Any], name: str) -> str | None:
    return next((header["value"] for header in headers if header["name"].lower() == name), None)


def _cookies(text: str | None, separator: str) -> list[dict[str, str]]:
    pairs = [pair.partition("=") for pair in (text or "").split(separator) if pair]
    return [{"name": name, "value": value} for name, _, value in pairs]


def _answer(status: int, text: str, headers: list[Any], version: str) -> dict[str, Any]:
    set_cookies = [header["value"] for header in headers if header["name"].lower() == "set-cookie"]
    return {
        "status": status,
        "statusText": text,
        "httpVersion": version,
        "cookies": [cookie for told in set_cookies for cookie in _cookies(told.partition(";")[0], "; ")],
        "headers": headers,
        "headersSize": -1,
        "bodySize": -1,
        "redirectURL": (_value(headers, "location") or "") if status in _REDIRECTS else "",
    }


def _timings(timing: Any) -> dict[str, float]:
    def between(start: str, end: str) -> float:
        return timing[end] - timing[start] if timing[start] >= 0 and timing[end] >= 0 else -1

    return {
        "dns": between("domainLookupStart", "domainLookupEnd"),
        "connect": between("connectStart", "connectEnd"),
        "ssl": between("secureConnectionStart", "connectEnd"),
        "send": 0,
        "wait": between("requestStart", "responseStart"),
        "receive": between("responseStart", "responseEnd"),
    }


async def route_from(
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
    """Answers requests from an archive, or writes it anew when the context closes."""
    if update:
        Recorder(
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

    async def answer(route: Route) -> None:
        await archive.answer(route, not_found or "abort")

    await routing.add(url if url is not None else "**/*", answer, None)
