"""A generated site of a known number of pages, with endless sets of URLs around them."""

from __future__ import annotations

import gzip
import time
from collections import Counter
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

from tests_py.support.served import Served

ROBOTS = "User-agent: patchright-mcp\nDisallow: /private\nUser-agent: *\nDisallow: /\n"
BRANCHES = 8


class EndlessSite(Served):
    """Serves `/p/0` to `/p/N-1`, a tree of links. With `traps`, each page also links to sets without end."""

    def __init__(self, pages: int, *, traps: bool = True) -> None:
        self.pages = pages
        self.traps = traps
        self.requested: Counter[str] = Counter()
        """How often each path was requested."""
        self.fails: set[str] = set()
        """Paths that answer with status 500."""
        self.slow: set[str] = set()
        """Paths that answer after two seconds."""
        self.busy: set[str] = set()
        """Paths of pages whose script runs without end."""
        self.robots = ROBOTS
        self.times: list[float] = []
        """When pages were requested."""
        site = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                site.requested[urlsplit(self.path).path] += 1
                status, kind, body, headers = site.answer(self.path)
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                for name, value in headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002
                """Keeps the output of the tests clean."""

        class Server(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, request: object, client_address: object) -> None:
                """A browser that is killed hangs up."""

        self._server = Server(("127.0.0.1", 0), Handler)
        self.origin = f"http://127.0.0.1:{self._server.server_address[1]}"

    def url(self, path: str) -> str:
        return self.origin + path

    def expected(self) -> set[str]:
        """The URLs of the pages that a crawl must find, the start included."""
        return {self.url("/"), *(self.url(f"/p/{number}") for number in range(self.pages))}

    def answer(self, target: str) -> tuple[int, str, bytes, dict[str, str]]:
        address = urlsplit(target)
        path, query = address.path.split(";")[0], dict(parse_qsl(address.query))
        if path.startswith("/p/"):
            self.times.append(time.monotonic())
        if path in self.slow:
            time.sleep(10)
        if path in self.fails:
            return 500, "text/html", b"<title>Broken</title><p>Broken", {}
        if path.startswith("/old/"):
            return 302, "text/html", b"", {"Location": path.replace("/old/", "/p/")}
        if path in FILES:
            kind, write = FILES[path]
            return 200, kind, write(self), {}
        headers = {"X-Robots-Tag": "noindex"} if path == "/secret" else {}
        if path in self.busy:
            return 200, "text/html", b"<title>Busy</title><p>Busy<script>for (;;);</script>", {}
        title, links = self.page(path, query)
        if title is None:
            return 404, "text/html", b"<title>Nothing</title><p>Nothing here", headers
        head = f'<link rel=canonical href="{path}">' if path.startswith("/p/") else ""
        body = f"<!doctype html><title>{title}</title>{head}<h1>{title}</h1>"
        body += "".join(f'<p><a href="{link}">Link {index}</a>' for index, link in enumerate(links))
        return 200, "text/html; charset=utf-8", body.encode(), headers

    def sitemap(self, root: str, entry: str, paths: list[str]) -> bytes:
        entries = "".join(f"<{entry}><loc>{self.url(path)}</loc></{entry}>" for path in paths)
        return f'<?xml version="1.0"?><{root} xmlns="x">{entries}</{root}>'.encode()

    def page(self, path: str, query: dict[str, str]) -> tuple[str | None, list[str]]:
        """The title and the links of a page."""
        first, _, rest = path.removeprefix("/").partition("/")
        if path == "/":
            return "Start", ["/p/0", "/p/0?utm_source=start"]
        if first == "p" and rest.isdecimal() and int(rest) < self.pages:
            return f"Page {rest}", self.links(int(rest))
        if first == "calendar":
            day = int(query.get("day", "0"))
            return f"Day {day}", [f"/calendar?year={1900 + day}&day={day + 1}"]
        if first == "maze":
            return f"Maze {len(path)}", ["a/b/"]
        if first == "shop":
            tick = int(query.get("tick", "0"))
            return f"Shop {sorted(query.items())}", [
                f"/shop?tick={tick + 1}&colour={tick % 7}",
                f"/shop?tick={tick + 2}&size=1",
            ]
        return {"secret": "Secret", "private": "Private"}.get(first), []

    def links(self, number: int) -> list[str]:
        found = [f"/p/{number * BRANCHES + branch}" for branch in range(1, BRANCHES + 1)]
        found = [link for link in found if int(link[3:]) < self.pages]
        found.append(f"/p/{number}#fragment")
        if self.traps:
            found += [
                f"/p/{number}?PHPSESSID={number:032x}",
                f"/p/{(number * 7) % self.pages};jsessionid={number:032X}?utm_campaign=x{number}",
                f"/old/{number // 10 * 10}",
                "/calendar?day=0",
                "/maze/",
                "/shop?tick=0",
                "/private",
                "/picture",
                "/archive.zip",
                "/secret",
                "https://elsewhere.example/",
            ]
        return found


FILES: dict[str, tuple[str, Callable[[EndlessSite], bytes]]] = {
    "/robots.txt": ("text/plain", lambda site: site.robots.encode()),
    "/picture": ("image/gif", lambda _: b"GIF89a\x01\0\x01\0\0\0\0;"),
    "/sitemap.xml": (
        "application/xml",
        lambda site: site.sitemap("sitemapindex", "sitemap", ["/pages.xml.gz"]),
    ),
    "/pages.xml.gz": (
        "application/gzip",
        lambda site: gzip.compress(
            site.sitemap("urlset", "url", [f"/p/{number}" for number in range(site.pages)])
        ),
    ),
}
"""What is served besides pages, by path: its type, and its content."""
