"""Interception of web sockets."""

from __future__ import annotations

import base64
import uuid
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from .. import _urls as urls
from ._base import ApiObject

if TYPE_CHECKING:
    from ._base import Connection
    from .context import BrowserContext
    from .frame import Frame
    from .page import Page


class WebSocketRoute(ApiObject):
    """One side of an intercepted web socket: the page's, or, as returned by `connect_to_server`, the server's."""

    def __init__(self, socket: _Socket, *, is_server: bool) -> None:
        super().__init__(socket.connection)
        self._socket = socket
        self._is_server = is_server
        self._on_message: Callable[[Any], Any] | None = None
        self._on_close: Callable[[int | None, str | None], Any] | None = None

    def __repr__(self) -> str:
        return f"<WebSocketRoute url={self.url!r}>"

    @property
    def url(self) -> str:
        """The URL that the page connects to."""
        return self._socket.url

    @property
    def protocols(self) -> list[str]:
        """The subprotocols that the page requests."""
        return list(self._socket.protocols)

    def send(self, message: str | bytes) -> None:
        """Sends a message to the page, or to the server if this is the server's side."""
        self._socket.send_command("send" if self._is_server else "receive", _packed(message))

    def close(self, *, code: int | None = None, reason: str | None = None) -> None:
        """Closes this side of the web socket."""
        closing = {"code": code, "reason": reason, "wasClean": True}
        self._socket.send_command("closeServer" if self._is_server else "close", closing)

    def connect_to_server(self) -> WebSocketRoute:
        """Connects to the real server and returns its side.

        Messages pass in both directions unless `on_message` of the sending side handles them.
        """
        return self._socket.connect()

    def on_message(self, handler: Callable[[str | bytes], Any]) -> None:
        """Calls `handler` with each message that this side sends, instead of passing it on."""
        self._on_message = handler

    def on_close(self, handler: Callable[[int | None, str | None], Any]) -> None:
        """Calls `handler` with code and reason when this side closes, instead of closing the other one."""
        self._on_close = handler


class _Socket:
    """A routed web socket with both of its sides."""

    def __init__(self, frame: Frame, name: str, number: float, expected: dict[str, Any]) -> None:
        self.connection: Connection = frame._connection
        self.url: str = expected["url"]
        self.protocols: list[str] = expected["protocols"]
        self.page: WebSocketRoute = WebSocketRoute(self, is_server=False)
        self.server: WebSocketRoute | None = None
        self._frame = frame
        self._name = name
        self._number = number
        self._directions = 0

    def send_command(self, what: str, value: Any = None) -> None:
        """Sends a command to the page, which runs commands in the order of their numbers."""
        number, self._directions = self._directions, self._directions + 1
        direct = self._frame._native.command_socket(self._name, self._number, number, what, value)
        self.connection.runtime.start(direct)

    def connect(self) -> WebSocketRoute:
        """Connects to the real server."""
        if self.server is None:
            self.server = WebSocketRoute(self, is_server=True)
            self.send_command("connect")
        return self.server

    def begin(self, handler: Callable[[WebSocketRoute], Any]) -> None:
        """Calls `handler`. Unless that connects to the server, opens the mocked socket for the page."""
        self.connection.runtime.settle(handler(self.page))
        if self.server is None:
            self.send_command("open")

    def handle_event(self, expected: dict[str, Any]) -> None:
        """Handles a message or a close from the page or the server."""
        is_servers = expected["what"] in ("received", "serverClosed")
        side, other = (self.server, self.page) if is_servers else (self.page, self.server)
        if side is None:
            return
        if "data" in expected:
            message = _unpacked(expected["data"])
            if side._on_message is not None:
                self.connection.runtime.call(side._on_message, message)
            elif other is not None:
                other.send(message)
            return
        closing = {
            "code": expected.get("code"),
            "reason": expected.get("reason"),
            "wasClean": expected.get("wasClean", True),
        }
        if side._on_close is not None:
            self.connection.runtime.call(side._on_close, closing["code"], closing["reason"])
        elif is_servers:
            self.send_command("close", closing)
        else:
            self.send_command("closeServer" if self.server is not None else "close", closing)


class SocketRouting:
    """The web socket routes of a context."""

    def __init__(self, context: BrowserContext) -> None:
        self._context = context
        self._name: str | None = None
        self._handlers: list[tuple[Page | None, urls.UrlMatch, Callable[[WebSocketRoute], Any]]] = []
        self._sockets: dict[tuple[int, str, float], _Socket] = {}

    def add(self, page: Page | None, url: urls.UrlMatch, handler: Callable[[WebSocketRoute], Any]) -> None:
        """Adds a route before all earlier ones. Routes of a page take precedence over those of its context."""
        self._handlers.insert(0, (page, url, handler))
        if self._name is None:
            self._name = f"_{uuid.uuid4().hex[:12]}"
            self._context._exposed[self._name] = self._asked
            self._context._run(self._context._native.route_sockets(self._name))

    def _asked(self, source: dict[str, Any], expected: dict[str, Any]) -> None:
        frame, page = cast("Frame", source["frame"]), cast("Page", source["page"])
        key = (frame._native.key, frame._native.loader, expected["socket"])
        if expected["what"] != "created":
            socket = self._sockets.get(key)
            if socket is not None:
                socket.handle_event(expected)
            return
        socket = _Socket(frame, cast("str", self._name), expected["socket"], expected)
        handler = self._decider(page, socket.url)
        if handler is None:
            socket.send_command("leave")
            return
        gone = [known for known in self._sockets if known[0] == key[0] and known[1] != key[1]]
        for known in gone:
            del self._sockets[known]
        self._sockets[key] = socket
        self._context._runtime.call(socket.begin, handler)

    def _decider(self, page: Page, url: str) -> Callable[[WebSocketRoute], Any] | None:
        base = self._context._base_url
        base = base.replace("http", "ws", 1) if base else None
        for whose in (page, None):
            for owner, wanted, handler in self._handlers:
                if owner is whose and urls.matches(base, url, wanted):
                    return handler
        return None


def _packed(message: str | bytes) -> dict[str, str]:
    if isinstance(message, str):
        return {"text": message}
    return {"base64": base64.b64encode(message).decode()}


def _unpacked(data: dict[str, str]) -> str | bytes:
    return data["text"] if "text" in data else base64.b64decode(data["base64"])
