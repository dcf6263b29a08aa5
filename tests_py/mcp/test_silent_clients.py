"""Clients that stop reading, say half a line, or vanish: the server does not stay, and harms nobody else."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import uuid
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import TracebackType

import pytest
from typing_extensions import Self

from tests_py.support.client import with_browser
from tests_py.support.family import MARK, Family
from tests_py.support.http import KEY, HttpServer, memory_kb
from tests_py.support.site import Site
from tests_py.support.wire import until

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="the processes are looked up in /proc"),
    pytest.mark.long,
]

INITIALIZE = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "silent", "version": "1"},
}


class Silent:
    """A client that reads nothing, not even what is written to standard error."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        mark = uuid.uuid4().hex
        self.process = subprocess.Popen(
            [sys.executable, "-m", "patchright_mcp", "--headless", *with_browser(arguments)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, MARK: mark, "TMPDIR": str(folder)},
            cwd=folder,
        )
        self.family = Family(mark, self.process.pid)
        self._last = 1
        self.say({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": INITIALIZE})
        self.say({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for process in self.family.processes() | {self.process.pid}:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        self.process.wait(20)
        self.vanish()

    def say(self, message: object) -> None:
        """Sends a message."""
        self.say_bytes(json.dumps(message).encode() + b"\n")

    def say_bytes(self, line: bytes) -> None:
        """Sends bytes as they are."""
        assert self.process.stdin
        self.process.stdin.write(line)
        self.process.stdin.flush()

    def call(self, tool: str, **arguments: object) -> int:
        """Begins a call, and does not listen for what comes of it."""
        self._last += 1
        params = {"name": tool, "arguments": arguments}
        self.say({"jsonrpc": "2.0", "id": self._last, "method": "tools/call", "params": params})
        return self._last

    def read(self) -> dict[str, object]:
        """Listens after all, to one line."""
        assert self.process.stdout
        line: dict[str, object] = json.loads(self.process.stdout.readline())
        return line

    def hang_up(self) -> None:
        """Says nothing more, and still does not listen."""
        assert self.process.stdin
        self.process.stdin.close()

    def vanish(self) -> None:
        """Is gone, as one that was killed."""
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream:
                with suppress(BrokenPipeError):  # What was not sent never will be.
                    stream.close()

    def nothing_is_left(self, folder: Path) -> None:
        """Waits for the end of all that the server has."""
        self.process.wait(20)
        until(lambda: not self.family.processes() - {self.process.pid}, "the end of the processes")
        assert [
            entry for entry in folder.iterdir() if entry.is_dir() and not entry.name.startswith(".")
        ] == []


@pytest.fixture
def silent(folder: Path) -> Iterator[Silent]:
    with Silent(folder) as client:
        yield client


def test_answers_wait_for_a_client_that_stops_reading(silent: Silent, site: Site) -> None:
    silent.call("browser_navigate", url=site.url("/large?elements=4000"))
    asked = [silent.call("browser_snapshot") for _ in range(60)]
    until(lambda: len(site.requested("/large")) == 1, "the request")
    answered = [silent.read() for _ in range(len(asked) + 2)]
    assert {answer["id"] for answer in answered} == {1, 2, *asked}
    assert all("result" in answer for answer in answered)


def test_a_client_that_stops_reading_and_leaves_holds_up_no_end(
    silent: Silent, site: Site, folder: Path
) -> None:
    silent.call("browser_navigate", url=site.url("/large?elements=4000"))
    for _ in range(60):
        silent.call("browser_snapshot")
    until(lambda: len(site.requested("/large")) == 1, "the request")
    silent.hang_up()
    silent.nothing_is_left(folder)


@pytest.mark.parametrize("moment", ["at rest", "in a call", "with answers that nobody reads"])
def test_a_client_that_vanishes_takes_all_along(
    silent: Silent, site: Site, folder: Path, moment: str
) -> None:
    silent.call("browser_navigate", url=site.page("form"))
    silent.read()
    silent.read()
    assert silent.family.processes() - {silent.process.pid}
    if moment == "in a call":
        silent.call("browser_evaluate", function="() => { for (;;); }")
        silent.call("browser_evaluate", function="() => new Promise(() => {})")
    elif moment != "at rest":
        for _ in range(50):
            silent.call("browser_evaluate", function="() => 'x'.repeat(20000)")
    silent.vanish()
    silent.nothing_is_left(folder)


def test_half_a_line_is_not_done(silent: Silent, site: Site, folder: Path) -> None:
    message = {
        "jsonrpc": "2.0",
        "id": 2,
        "method": "tools/call",
        "params": {"name": "browser_navigate", "arguments": {"url": site.url("/pages/form.html?half")}},
    }
    silent.say_bytes(json.dumps(message).encode()[:-20])
    silent.hang_up()
    silent.nothing_is_left(folder)
    assert site.all_requested() == []


def test_a_log_that_nobody_reads_holds_nobody_up(folder: Path) -> None:
    # Each leaves a line in the log, and all of them more than a pipe holds.
    lines = 2000
    with Silent(folder, "--log-level", "debug") as client:
        client.say_bytes(b"nonsense\n" * lines)
        client.say({"jsonrpc": "2.0", "id": "last", "method": "ping"})
        while client.read().get("id") != "last":  # The test's own limit ends this.
            pass
        # Whoever reads it after all is told what is missing.
        assert client.process.stderr
        while b"lines of the log were left out" not in client.process.stderr.readline():
            pass
        client.hang_up()
        client.nothing_is_left(folder)


def head_of(server: HttpServer, session: str, *lines: str) -> bytes:
    """The head of a request."""
    answer = [f"Host: localhost:{server.port}", f"Authorization: Bearer {KEY}", f"Mcp-Session-Id: {session}"]
    return ("\r\n".join([*lines, *answer]) + "\r\n").encode()


def test_over_http_whoever_stops_reading_is_waited_for_alone(tmp_path: Path, site: Site) -> None:
    with HttpServer(tmp_path) as server:
        client = server.begin()
        client.text("browser_navigate", url=site.page("form"))
        params = {"name": "browser_evaluate", "arguments": {"function": "() => 'x'.repeat(3e6)"}}
        body = json.dumps({"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": params}).encode()
        head = head_of(
            server,
            client.session,
            "POST /mcp HTTP/1.1",
            "Content-Type: application/json",
            "Accept: application/json",
            f"Content-Length: {len(body)}",
        )
        before = memory_kb(server.pid)
        silent = []
        for _ in range(20):
            connection = socket.create_connection((server.host, server.port))
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.sendall(head + b"\r\n" + body)
            silent.append(connection)
        assert "form" in client.text("browser_evaluate", function="() => location.pathname")
        other = server.begin()
        assert "form" in other.text("browser_navigate", url=site.page("form"))
        for connection in silent:
            connection.close()
        assert "form" in client.text("browser_evaluate", function="() => location.pathname")
        assert memory_kb(server.pid) - before < 300 << 10


def test_over_http_half_a_request_is_not_done_and_holds_nobody_up(tmp_path: Path, site: Site) -> None:
    with HttpServer(tmp_path) as server:
        client = server.begin()
        body = json.dumps(
            {
                "jsonrpc": "2.0",
                "id": 5,
                "method": "tools/call",
                "params": {
                    "name": "browser_navigate",
                    "arguments": {"url": site.url("/pages/form.html?half")},
                },
            }
        ).encode()
        head = head_of(
            server,
            client.session,
            "POST /mcp HTTP/1.1",
            "Content-Type: application/json",
            "Accept: application/json",
            f"Content-Length: {len(body)}",
        )
        half = [socket.create_connection((server.host, server.port)) for _ in range(50)]
        for connection, length in zip(half, range(50), strict=True):
            whole = head + b"\r\n" + body
            connection.sendall(whole[: len(whole) * length // 50])
        assert "form" in server.begin().text("browser_navigate", url=site.page("form"))
        for connection in half:
            connection.close()
        assert client.text("browser_tabs", action="list")
        assert not [request for request in site.requested("/pages/form.html") if "half" in request.query]
