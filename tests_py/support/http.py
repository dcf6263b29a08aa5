"""Our server over HTTP: started, spoken to by the official client, and by bytes that no client would send."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from threading import Thread
from types import TracebackType
from typing import Any

import httpx2
from mcp import Client, ClientSession
from mcp.client import ClientRequestContext
from mcp.client.streamable_http import streamable_http_client
from mcp.types import ListRootsResult, Root
from pydantic import FileUrl
from typing_extensions import Self

from tests_py.support.client import Server, with_browser

PATIENCE_S = 60
KEY = "swordfish-0123456789"
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "raw", "version": "1"},
    },
}


class HttpServer:
    """`python -m patchright_mcp --port N`, by default with a key."""

    def __init__(
        self, folder: Path, *arguments: str, env: dict[str, str] | None = None, port: int = 0
    ) -> None:
        arguments = with_browser(arguments)
        command = [sys.executable, "-m", "patchright_mcp", "--headless", "--port", str(port), *arguments]
        # Its path is short: a browser's socket must fit below it.
        self._temporary = tempfile.TemporaryDirectory(prefix="t-", ignore_cleanup_errors=True)
        temporary = {"TMPDIR": self._temporary.name}
        environment = {**os.environ, **temporary, "PATCHRIGHT_MCP_API_KEY": KEY, **(env or {})}
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={name: value for name, value in environment.items() if value},
            cwd=folder,
            text=True,
        )
        assert self.process.stderr
        self.log: list[str] = []
        for line in self.process.stderr:
            self.log.append(line)
            if "Listening on" in line:
                break
        found = re.search(r"Listening on http://(\S+):(\d+)/mcp", "".join(self.log))
        assert found, "".join(self.log)
        self.host, self.port = found[1], int(found[2])
        Thread(target=self._follow, daemon=True).start()

    def _follow(self) -> None:
        assert self.process.stderr
        with suppress(ValueError):
            for line in self.process.stderr:
                self.log.append(line)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(PATIENCE_S)
        finally:
            self.process.kill()
            for stream in (self.process.stdout, self.process.stderr):
                if stream:
                    stream.close()
            self._temporary.cleanup()

    @property
    def url(self) -> str:
        """Where clients find it."""
        return f"http://{self.host}:{self.port}/mcp"

    @property
    def temporary(self) -> str:
        """The folder that it takes for temporary files."""
        return self._temporary.name

    @property
    def pid(self) -> int:
        """The server's own process."""
        return self.process.pid

    def browsers(self) -> list[int]:
        """The browser's main process, if one runs: the child that is no helper of another."""
        found = []
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                with suppress(OSError):
                    parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                    name = (entry / "cmdline").read_bytes()
                    if parent == self.pid and b"--type=" not in name and b"chrom" in name:
                        found.append(int(entry.name))
        return found

    def send(self, data: bytes, *, patience_s: float = PATIENCE_S) -> bytes:
        """Sends bytes as they are, and gives all that comes back until the end."""
        with socket.create_connection((self.host, self.port), timeout=patience_s) as connection:
            with suppress(OSError):
                connection.sendall(data)
            received = b""
            with suppress(OSError):
                while chunk := connection.recv(65536):
                    received += chunk
            return received

    def ask(
        self,
        headers: list[str],
        body: bytes = b"",
        *,
        method: str = "POST",
        path: str = "/mcp",
        patience_s: float = PATIENCE_S,
    ) -> Answer:
        """Sends a request of just these headers."""
        lines = [f"{method} {path} HTTP/1.1", *headers, f"Content-Length: {len(body)}", "Connection: close"]
        request = "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body
        return Answer.read(self.send(request, patience_s=patience_s))

    def post(
        self,
        message: object,
        *headers: str,
        key: str | None = KEY,
        accept: str | None = None,
        patience_s: float = PATIENCE_S,
    ) -> Answer:
        """Sends a message as a good client does, with more headers if wanted."""
        body = message if isinstance(message, bytes) else json.dumps(message).encode()
        own = [f"Host: {self.host}:{self.port}", "Content-Type: application/json"]
        own.append(f"Accept: {accept or 'application/json'}")
        if key:
            own.append(f"Authorization: Bearer {key}")
        return self.ask([*own, *headers], body, patience_s=patience_s)

    def begin(self, key: str = KEY) -> RawClient:
        """Initializes, and gives the session."""
        answer = self.post(INITIALIZE, key=key)
        assert answer.status == 200, answer
        client = RawClient(self, answer.headers["mcp-session-id"], key)
        assert client.post({"jsonrpc": "2.0", "method": "notifications/initialized"}).status == 202
        return client

    @asynccontextmanager
    async def connect(self, key: str = KEY, *, folders: list[Path] | None = None) -> AsyncIterator[Server]:
        """The official client, which names these folders as its roots."""

        async def tell(context: ClientRequestContext) -> ListRootsResult:  # noqa: ARG001
            return ListRootsResult(roots=[Root(uri=FileUrl(folder.as_uri())) for folder in folders or []])

        async with (
            httpx2.AsyncClient(headers={"Authorization": f"Bearer {key}"}, timeout=PATIENCE_S) as http,
            streamable_http_client(self.url, http_client=http) as streams,
            ClientSession(
                streams[0], streams[1], list_roots_callback=tell if folders is not None else None
            ) as session,
        ):
            await session.initialize()
            yield Server(session)

    @asynccontextmanager
    async def connect_without_session(self, key: str = KEY) -> AsyncIterator[Client]:
        """The official client in the revision that knows no sessions."""
        headers = {"Authorization": f"Bearer {key}"}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=PATIENCE_S) as http,
            Client(streamable_http_client(self.url, http_client=http)) as client,
        ):
            yield client


class RawClient:
    """A session, spoken to by hand."""

    def __init__(self, server: HttpServer, session: str, key: str) -> None:
        self.server = server
        self.session = session
        self.key = key

    def post(self, message: object, accept: str | None = None) -> Answer:
        """Sends a message in this session."""
        return self.server.post(message, f"Mcp-Session-Id: {self.session}", key=self.key, accept=accept)

    def call(self, tool: str, **arguments: object) -> dict[str, Any]:
        """Calls a tool and gives its result."""
        params = {"name": tool, "arguments": arguments}
        answer = self.post({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params})
        assert answer.status == 200, answer
        result = answer.json()["result"]
        assert isinstance(result, dict)
        return result

    def text(self, tool: str, **arguments: object) -> str:
        """Calls a tool, which must work, and gives its text."""
        result = self.call(tool, **arguments)
        assert not result.get("isError"), result
        return str(result["content"][0]["text"])


class Answer:
    """What came back."""

    def __init__(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.status = status
        self.headers = headers
        self.body = body

    @classmethod
    def read(cls, data: bytes) -> Answer:
        """Takes an HTTP answer apart. Nothing at all is status 0."""
        head, _, body = data.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        status = int(lines[0].split(" ")[1]) if lines[0] else 0
        headers = {
            name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])
        }
        if headers.get("transfer-encoding") == "chunked":
            body = _unchunked(body)
        return cls(status, headers, body)

    def json(self) -> Any:  # noqa: ANN401
        """The body as JSON."""
        return json.loads(self.body)

    def __repr__(self) -> str:
        return f"{self.status} {self.headers} {self.body[:500]!r}"


def _unchunked(body: bytes) -> bytes:
    whole = b""
    while body:
        size, _, rest = body.partition(b"\r\n")
        length = int(size, 16)
        if not length:
            break
        whole += rest[:length]
        body = rest[length + 2 :]
    return whole


def memory_kb(pid: int) -> int:
    """The memory of a process that is nobody else's and no file's."""
    found = re.search(r"^Anonymous:\s+(\d+)", Path(f"/proc/{pid}/smaps_rollup").read_text(), re.MULTILINE)
    assert found
    return int(found[1])


def until(condition: object, what: str, patience_s: float = PATIENCE_S) -> None:
    """Waits for a condition, and fails with these words if it never comes."""
    assert callable(condition)
    end = time.monotonic() + patience_s
    while not condition():
        assert time.monotonic() < end, f"{what} did not happen within {patience_s} s"
        time.sleep(0.02)
