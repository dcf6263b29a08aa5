"""A web site on loopback, under two origins, for tests to open."""

from __future__ import annotations

import base64
import hashlib
import json
import mimetypes
import ssl
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event
from types import TracebackType
from urllib.parse import parse_qsl, quote, urlsplit

from tests_py.support.served import Served

PAGES = Path(__file__).parents[2] / "tests" / "pages"
LONGEST_HOLD_S = 60
KINDS = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript",
    ".css": "text/css",
    ".png": "image/png",
}


class Site(Served):
    """Serves `tests/pages` and a few addresses that behave badly on purpose.

    `origin` and `other_origin` lead to the same pages, but to a browser they are two sites: a frame
    of one in the other gets a process of its own.
    """

    _server: _Server

    def __init__(self, tls: ssl.SSLContext | None = None) -> None:
        self._server = _Server(("127.0.0.1", 0), _Handler)
        scheme = "https" if tls else "http"
        if tls:
            # Hands are shaken in the thread that serves, so that nobody holds up the others.
            self._server.socket = tls.wrap_socket(
                self._server.socket, server_side=True, do_handshake_on_connect=False
            )
        self.port: int = self._server.server_address[1]
        self.origin = f"{scheme}://127.0.0.1:{self.port}"
        self.other_origin = f"{scheme}://localhost:{self.port}"

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.released.set()
        super().__exit__(kind, error, trace)

    def page(self, name: str) -> str:
        """The address of `tests/pages/NAME.html`."""
        return f"{self.origin}/pages/{name}.html"

    def url(self, path: str) -> str:
        """The address of one of the routes below, such as `/status/404`."""
        return self.origin + path

    def publish(
        self, path: str, body: str | bytes, kind: str = KINDS[".html"], headers: dict[str, str] | None = None
    ) -> str:
        """Serves `body` at `path` from now on, and gives its address."""
        self._server.published[path] = Answer(body, kind=kind, headers=headers or {})
        return self.url(path)

    def lead(self, path: str, to: str) -> str:
        """Leads from `path` to another address from now on, and gives its own."""
        self._server.published[path] = Answer(status=302, headers={"Location": to})
        return self.url(path)

    def refuse(self, path: str, reason: str) -> str:
        """Answers `path` with a status of this reason from now on, and gives its address."""
        self._server.published[path] = Answer(
            document("Refused", "<h1>Refused</h1>"), status=418, reason=reason
        )
        return self.url(path)

    def stumble(self, path: str, times: int) -> None:
        """Answers `path` so many times with nothing to show before it does as it should."""
        self._server.stumbles[path] = times

    def mount(self, name: str, folder: Path) -> None:
        """Serves the files of a folder below `/NAME/` from now on."""
        self._server.mounted[name] = folder

    def requested(self, path: str) -> list[Request]:
        """What was asked of one path so far, oldest first."""
        return [request for request in self._server.requests if request.path == path]

    def all_requested(self) -> list[str]:
        """The paths of everything that was asked for so far."""
        return [request.path for request in self._server.requests]

    def release(self) -> None:
        """Lets every request to `/hold` be answered, those that wait and those to come."""
        self._server.released.set()

    def hold(self) -> None:
        """Lets requests to `/hold` wait again."""
        self._server.released.clear()

    def begin_anew(self) -> None:
        """Forgets what was asked, published and released; what still waits, from before, is answered."""
        self._server.released.set()
        self._server.released = Event()
        self._server.requests = []
        self._server.published = {}
        self._server.stumbles = {}


@dataclass(frozen=True)
class Request:
    """A request as it arrived."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: str


@dataclass
class Answer:
    body: str | bytes = ""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    kind: str = KINDS[".html"]
    reason: str | None = None
    stalls_at: int | None = None
    """After how many bytes the rest is held until `Site.release`."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, address: tuple[str, int], handler: type[BaseHTTPRequestHandler]) -> None:
        super().__init__(address, handler)
        self.requests: list[Request] = []
        self.published: dict[str, Answer] = {}
        self.stumbles: dict[str, int] = {}
        self.mounted: dict[str, Path] = {"pages": PAGES}
        self.released = Event()

    def handle_error(self, request: object, client_address: object) -> None:
        """A browser that hangs up is no news."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_GET(self) -> None:
        if self.headers.get("Upgrade") == "websocket":
            self._greet()
        else:
            self._serve()

    def do_HEAD(self) -> None:
        self._serve()

    def do_POST(self) -> None:
        self._serve()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Requests are kept in `Site.requested`, not written to stderr."""

    def _greet(self) -> None:
        """Says hello over a WebSocket, and ends it."""
        key = self.headers["Sec-WebSocket-Key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        accepted = base64.b64encode(hashlib.sha1(key.encode(), usedforsecurity=False).digest()).decode()
        self.send_response(101)
        for header in (
            ("Upgrade", "websocket"),
            ("Connection", "Upgrade"),
            ("Sec-WebSocket-Accept", accepted),
        ):
            self.send_header(*header)
        self.end_headers()
        self.wfile.write(b"\x81\x05hello\x88\x00")
        self.close_connection = True

    def _serve(self) -> None:
        address = urlsplit(self.path)
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        request = Request(
            self.command, address.path, dict(parse_qsl(address.query)), dict(self.headers), body
        )
        self.server.requests.append(request)
        answer = _answer(request, self.server)
        payload = answer.body.encode() if isinstance(answer.body, str) else answer.body
        self.send_response(answer.status, answer.reason)
        if answer.status != 204:
            self.send_header("Content-Type", answer.kind)
            self.send_header("Content-Length", str(len(payload)))
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command == "HEAD":
            return
        if answer.stalls_at is not None:
            self.wfile.write(payload[: answer.stalls_at])
            self.server.released.wait(LONGEST_HOLD_S)
            payload = payload[answer.stalls_at :]
        self.wfile.write(payload)


def _answer(request: Request, server: _Server) -> Answer:
    if server.stumbles.get(request.path):
        server.stumbles[request.path] -= 1
        return Answer(status=204)
    if request.path in server.published:
        return server.published[request.path]
    folder, _, rest = request.path.removeprefix("/").partition("/")
    if folder == "hold":
        server.released.wait(LONGEST_HOLD_S)
    if folder == "release":
        server.released.set()
    if folder == "asked":
        return Answer(json.dumps(any(f"/{rest}" == asked.path for asked in server.requests)))
    if folder in server.mounted:
        return _file(server.mounted[folder], rest)
    route = ROUTES.get(folder)
    return route(request, rest) if route else _nothing_here()


def _delay(request: Request, _: str) -> Answer:
    time.sleep(min(float(request.query.get("ms", "0")), 10_000) / 1000)
    return Answer("late answer", kind="text/plain")


def _download(_request: Request, _: str) -> Answer:
    headers = {"Content-Disposition": 'attachment; filename="report.bin"'}
    return Answer(b"a file, not a page", kind="application/octet-stream", headers=headers)


def _stalls(_: Request, where: str) -> Answer:
    headers = {"Content-Disposition": 'attachment; filename="slow.bin"'}
    stalls_at = 0 if where == "first" else 50_000
    kind = "application/octet-stream"
    return Answer(bytes(100_000), headers=headers, kind=kind, stalls_at=stalls_at)


def _named(request: Request, _: str) -> Answer:
    headers = {"Content-Disposition": f"attachment; filename*=UTF-8''{quote(request.query['name'])}"}
    return Answer(b"a file", kind="application/octet-stream", headers=headers)


def _cookie(request: Request, _: str) -> Answer:
    headers = {"Set-Cookie": f"{request.query['name']}={request.query['value']}; Path=/"}
    return Answer(document("Cookie", "<h1>Cookie set</h1>"), headers=headers)


def _redirect(request: Request, _: str) -> Answer:
    return Answer(status=int(request.query.get("status", "302")), headers={"Location": request.query["to"]})


def _members(request: Request, name: str) -> Answer:
    """Lets in who says NAME and `secret`."""
    expected = "Basic " + base64.b64encode(f"{name}:secret".encode()).decode()
    if expected in [value for header, value in request.headers.items() if header.lower() == "authorization"]:
        return Answer(document("Members", f"<h1>Hello {name}</h1>"))
    headers = {"WWW-Authenticate": 'Basic realm="Members"'}
    return Answer(document("Members", "<h1>Who are you?</h1>"), status=401, headers=headers)


def _echo(request: Request, _: str) -> Answer:
    lines = "".join(f"<p>{name} is {value}</p>" for name, value in parse_qsl(request.body))
    return Answer(document("Received", f"<h1>Received</h1>{lines}"))


def _nothing_here() -> Answer:
    return Answer(document("Nothing here", "<h1>Nothing here</h1>"), status=404)


def _file(folder: Path, name: str) -> Answer:
    file = (folder / name).resolve()
    if not file.is_relative_to(folder.resolve()) or not file.is_file():
        return _nothing_here()
    guessed = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
    return Answer(file.read_bytes(), kind=KINDS.get(file.suffix, guessed))


def document(title: str, body: str) -> str:
    """A whole page."""
    head = f'<meta charset="utf-8"><title>{title}</title>'
    return f'<!doctype html><html lang="en"><head>{head}</head><body>{body}</body></html>'


def large_page(elements: int) -> str:
    """A page of about so many elements: rows of text, and an action in every tenth."""
    rows = []
    for row in range(elements // 4):
        action = f"<button>Choose {row}</button>" if row % 10 == 0 else f"<span>Amount {row}</span>"
        rows.append(f"<div><p>Row {row}</p><span>Name of row {row}</span>{action}</div>")
    return document("A large page", "<h1>Many rows</h1>" + "\n".join(rows) + "<button>The very last</button>")


def bands(count: int) -> str:
    """Bands of 1000 pixels, each of its own colour, and beside them a button larger than a window."""
    colours = [f"rgb({band * 10}, {255 - band * 10}, 128)" for band in range(count)]
    rows = [f'<div style="width: 40px; height: 1000px; background: {colour}"></div>' for colour in colours]
    button = (
        '<button style="position: absolute; left: 60px; top: 0; width: 1500px; height: 1200px">Large</button>'
    )
    style = "<style>body { margin: 0 } ::-webkit-scrollbar { display: none }</style>"
    return document("Bands", style + "".join(rows) + button)


ROUTES: dict[str, Callable[[Request, str], Answer]] = {
    "bands": lambda request, _: Answer(bands(int(request.query["count"]))),
    "cookie": _cookie,
    "delay": _delay,
    "download": _download,
    "echo": _echo,
    "headers": lambda request, _: Answer(json.dumps(request.headers), kind="application/json"),
    "hold": lambda _request, _: Answer(document("Released", "<h1>Released at last</h1>")),
    "large": lambda request, _: Answer(large_page(int(request.query.get("elements", "10000")))),
    "members": _members,
    "no-content": lambda _request, _: Answer(status=204),
    "notes": lambda _request, _: Answer(status=204),
    "redirect": _redirect,
    "named": _named,
    "stalls": _stalls,
    "status": lambda _, rest: Answer(document(f"Status {rest}", f"<h1>This is {rest}</h1>"), int(rest)),
}
"""First part of the path, and what answers there."""
