"""Several servers: the Redis that they share, the browsers of a pool, and what can go wrong between them."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import ssl
import subprocess
import tempfile
import threading
import time
import urllib.request
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any

from typing_extensions import Self

from tests_py.support.http import KEY, HttpServer, until
from tests_py.support.served import Served

CHROMIUM = next(
    (found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))),
    "chromium",
)

ANSWER_S = 120
"""How long an answer may take where very many are asked for at once."""


def free_port() -> int:
    """A port that nobody listens at."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


class Redis:
    """A `redis-server` of the test's own. What it knows is lost when it stops."""

    def __init__(self, password: str = "", certificate: Path | None = None) -> None:
        """With a certificate, which has its key beside it, it speaks TLS and nothing else."""
        self.port = free_port()
        self._password = password
        self._certificate = certificate
        self.start()

    def start(self) -> None:
        """Starts it where it was."""
        command = ["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--save", ""]
        if self._certificate:
            own = str(self._certificate)
            command[1:3] = ["--port", "0", "--tls-port", str(self.port), "--tls-auth-clients", "no"]
            command += ["--tls-cert-file", own, "--tls-key-file", own]
        if self._password:
            command += ["--requirepass", self._password]
        self.process = subprocess.Popen([*command, "--appendonly", "no"], stdout=subprocess.DEVNULL)
        until(self.answers, "Redis")

    def answers(self) -> bool:
        with suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1) as connection:
            if self._certificate:
                return True
            connection.sendall(b"PING\r\n")
            return connection.recv(16).startswith((b"+PONG", b"-NOAUTH"))
        return False

    def ask(self, *words: str) -> list[str]:
        """What `redis-cli` says to a command."""
        command = ["redis-cli", "-p", str(self.port), *words]
        answer = subprocess.run(command, capture_output=True, text=True, check=True, timeout=20).stdout
        return answer.split()

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(20)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.process.kill()
        self.process.wait(20)


class Road:
    """The way from one server to Redis. It can be slow, and it can be cut."""

    def __init__(self, to: int) -> None:
        self._to = to
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self.delay_s = 0.0
        self._cut = False
        self._open: list[socket.socket] = []
        self._accepting = threading.Thread(target=self._accept, daemon=True)
        self._accepting.start()

    def cut(self) -> None:
        """Nothing comes through any more, and nobody is told."""
        self._cut = True

    def mend(self) -> None:
        """New connections come through again."""
        self._cut = False
        for connection in self._open:
            connection.close()
        self._open = []

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                self._open.append(near)
                try:
                    far = socket.create_connection(("127.0.0.1", self._to), 5)
                except OSError:
                    near.close()
                    continue
                self._open.append(far)
                for one, other in ((near, far), (far, near)):
                    threading.Thread(target=self._carry, args=(one, other), daemon=True).start()

    def _carry(self, one: socket.socket, other: socket.socket) -> None:
        with suppress(OSError):
            while data := one.recv(65536):
                if self.delay_s:
                    time.sleep(self.delay_s)
                if not self._cut:
                    other.sendall(data)
        # The thread of the other direction ends with it.
        for connection in (one, other):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
            connection.close()

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._accepting.join(20)
        self._listener.close()
        self.mend()


class Gateway:
    """The way to a browser over TLS, for those alone who send a key with each request."""

    def __init__(self, to: int, context: ssl.SSLContext, key: str) -> None:
        self._to, self._context, self._key = to, context, key
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self.let_in: list[str] = []
        self.refused = 0
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                threading.Thread(target=self._admit, args=(near,), daemon=True).start()

    def _admit(self, near: socket.socket) -> None:
        with suppress(OSError), self._context.wrap_socket(near, server_side=True) as inside:
            head = b""
            while b"\r\n\r\n" not in head and (data := inside.recv(65536)):
                head += data
            if f"x-key: {self._key}\r\n".encode() not in head.lower():
                self.refused += 1
                inside.sendall(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                return
            self.let_in.append(head.split(b" ")[1].decode())
            # Each request has a connection of its own, so that each is looked at.
            head = head.replace(b"\r\n", b"\r\nConnection: close\r\n", 1) if b"pgrade" not in head else head
            with socket.create_connection(("127.0.0.1", self._to), 5) as far:
                far.settimeout(None)
                far.sendall(head)
                threading.Thread(target=self._carry, args=(inside, far), daemon=True).start()
                self._carry(far, inside)

    @staticmethod
    def _carry(one: socket.socket, other: socket.socket) -> None:
        with suppress(OSError, ValueError):
            while data := one.recv(65536):
                other.sendall(data)
            other.shutdown(socket.SHUT_RDWR)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._listener.close()


class Chromium:
    """A browser that somebody else runs."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="theirs-", ignore_cleanup_errors=True)
        self.port = free_port()
        self.start()

    def start(self) -> None:
        """Starts it where it was."""
        command = [
            CHROMIUM,
            "--headless=new",
            "--no-sandbox",
            f"--remote-debugging-port={self.port}",
            f"--user-data-dir={self._folder.name}/profile",
            "--no-first-run",
            # Without these, each window has two more renderers for its address bar.
            "--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup",
            "about:blank",
        ]
        environment = {**os.environ, "TMPDIR": self._folder.name}
        # In a group of its own: what it started may write on when only it is killed.
        self.process = subprocess.Popen(
            command, stderr=subprocess.DEVNULL, env=environment, start_new_session=True
        )
        until(self._answers, "a browser")

    def _answers(self) -> bool:
        with suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
            return True
        return False

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def kill(self) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(20)

    def end(self) -> None:
        self.kill()
        until(self._is_removed, "the end of its folder")
        self._folder.cleanup()

    def _is_removed(self) -> bool:
        shutil.rmtree(self._folder.name, ignore_errors=True)
        return not Path(self._folder.name).exists()


class Grid(Served):
    """What Selenium Grid 4 says of sessions, as its documentation has it, with one browser behind it."""

    def __init__(self, browser: Chromium) -> None:
        self.begun = self.ended = 0
        self.keys: set[str] = set()
        grid = self

        class Handler(BaseHTTPRequestHandler):
            def _answer(self, value: object) -> None:
                grid.keys.add(self.headers["Authorization"])
                body = json.dumps({"value": value}).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def do_POST(self) -> None:
                asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                assert self.path == "/session"
                assert asked["capabilities"]["alwaysMatch"]["browserName"] == "chrome"
                grid.begun += 1
                with urllib.request.urlopen(f"{browser.url}/json/version") as reported:  # noqa: S310
                    socket = json.load(reported)["webSocketDebuggerUrl"]
                self._answer(
                    {"sessionId": "one", "capabilities": {"browserName": "chrome", "se:cdp": socket}}
                )

            def do_DELETE(self) -> None:
                assert self.path == "/session/one"
                grid.ended += 1
                self._answer(None)

            def log_message(self, *_: object) -> None:
                """Says nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"


class Fleet:
    """Servers that share a Redis and a pool of browsers."""

    def __init__(self, folder: Path, redis: Redis, browsers: list[Chromium], *arguments: str) -> None:
        self.redis = redis
        self.browsers = browsers
        self._folder = folder
        self._arguments = arguments
        self.servers: list[HttpServer] = []

    def start(
        self,
        *arguments: str,
        state: int | None = None,
        state_url: str = "",
        env: dict[str, str] | None = None,
        is_ready: bool = True,
    ) -> HttpServer:
        """One more server, which reaches Redis at the port `state`."""
        pool = ["--pool", ",".join(browser.url for browser in self.browsers)] if self.browsers else []
        server = HttpServer(
            self._folder,
            *pool,
            "--state",
            state_url or f"redis://127.0.0.1:{state or self.redis.port}",
            "--max-sessions",
            "1000",
            "--metrics",
            "--log-format",
            "json",
            "--log-level",
            "debug",
            "--timeout-settle",
            "50",
            *self._arguments,
            *arguments,
            env=env,
        )
        self.servers.append(server)
        if is_ready:
            until(lambda: status(server, "/ready") == 200, "a server that is ready")
        return server

    def sessions_in(self, browser: Chromium) -> int:
        """How many sessions are written down as being in a browser."""
        return int(self.redis.ask("ZCARD", f"{{patchright}}:node:{browser.url}")[0])

    def owners_in_turn(self) -> int:
        """Whether no two servers worked in one session at once, and how many calls that is known of.

        Each call is in the logs with the token of the one who has the session: one that begins never has
        a lower token than another that has begun before.
        """
        begun: list[tuple[str, str, int]] = []
        for server in self.servers:
            for line in list(server.log):
                with suppress(ValueError):
                    reported = json.loads(line)
                    fields = reported["fields"]
                    if fields.get("message") == "a call begins":
                        begun.append((reported["timestamp"], fields["session"], fields["token"]))
        highest: dict[str, int] = {}
        for when, session, token in sorted(begun):
            assert token >= highest.get(session, 0), f"two servers in one session at {when}"
            highest[session] = token
        return len(begun)

    def close(self) -> None:
        for server in self.servers:
            with suppress(Exception), server:
                pass


def status(server: HttpServer, path: str) -> int:
    """The status of a path that anybody may ask for."""
    return server.ask([f"Host: {server.host}:{server.port}"], method="GET", path=path).status


def metric(server: HttpServer, name: str) -> float:
    """A figure that the server tells."""
    answer = server.ask([f"Host: {server.host}:{server.port}"], method="GET", path="/metrics").body.decode()
    found = re.search(rf"^{re.escape(name)} (\S+)$", answer, re.MULTILINE)
    assert found, answer
    return float(found[1])


def call(server: HttpServer, tool: str, **arguments: object) -> dict[str, Any]:
    """Calls a tool as a client without a session does."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    message = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": tool, "arguments": arguments, "_meta": meta},
    }
    headers = ["MCP-Protocol-Version: 2026-07-28", "Mcp-Method: tools/call", f"Mcp-Name: {tool}"]
    answer = server.post(message, *headers, key=KEY, patience_s=ANSWER_S)
    assert answer.status == 200, answer
    result = answer.json()["result"]
    assert isinstance(result, dict)
    return result


def text(result: dict[str, Any]) -> str:
    """What a result says."""
    return str(result["content"][0]["text"])


def code(result: dict[str, Any]) -> str:
    """The code of a failure; empty where it is none."""
    return str(result.get("_meta", {}).get("errorCode", "")) if result.get("isError") else ""
