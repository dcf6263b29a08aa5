"""Our server with nothing between: lines of JSON in, lines of JSON out, and the processes it keeps."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from queue import Empty, Queue
from threading import Thread
from types import TracebackType
from typing import IO, Any

from typing_extensions import Self

from tests_py.support.client import with_browser
from tests_py.support.family import MARK, Family

PATIENCE_S = 60
THE_END = ""
"""Stands behind the last line."""


class Wire:
    """A server that the test talks to by hand.

    Everything it starts inherits a mark in its environment, by which `processes` finds what is left of it
    even after the server itself is gone. Its temporary files go to `folder`, where it also works unless told
    of another.
    """

    def __init__(
        self,
        folder: Path,
        *arguments: str,
        ignored: tuple[signal.Signals, ...] = (),
        cwd: Path | None = None,
    ) -> None:
        self.mark = uuid.uuid4().hex
        self.process = subprocess.Popen(
            [sys.executable, "-m", "patchright_mcp", *with_browser(arguments)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, MARK: self.mark, "TMPDIR": str(folder)},
            cwd=cwd or folder,
            preexec_fn=lambda: hear_signals(ignored),  # noqa: PLW1509
        )
        assert self.process.stdin
        assert self.process.stdout
        assert self.process.stderr
        self._stdin = self.process.stdin
        self.lines: list[str] = []
        self.log: list[str] = []
        self._arrived: Queue[str] = Queue()
        self._words = _follow(self.process.stderr, self.log.append)
        self._readers = [self._words, _follow(self.process.stdout, self._keep_line)]
        self._last_id = 0
        self._family = Family(self.mark, self.process.pid)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for process in self.processes() | {self.process.pid}:
            _signal(process, signal.SIGKILL)
        self.process.wait(PATIENCE_S)
        # While one of them ends, it can still make files where the test removes all.
        until(lambda: not self.processes(), "the end of the server's processes")
        self._stdin.close()
        for reader in self._readers:
            reader.join(PATIENCE_S)
        for stream in (self.process.stdout, self.process.stderr):
            if stream:
                stream.close()

    def write(self, line: str) -> None:
        """Sends a line as it is."""
        self._stdin.write(line.encode() + b"\n")
        self._stdin.flush()

    def notify(self, method: str, params: dict[str, Any] | None = None) -> None:
        """Sends a message that has no answer."""
        self.write(json.dumps({"jsonrpc": "2.0", "method": method, **({"params": params} if params else {})}))

    def start(self, method: str, params: dict[str, Any] | None = None) -> int:
        """Sends a request and returns its id, without waiting for the answer."""
        self._last_id += 1
        message = {"jsonrpc": "2.0", "id": self._last_id, "method": method, "params": params or {}}
        self.write(json.dumps(message))
        return self._last_id

    def read(self) -> dict[str, Any]:
        """The next message."""
        try:
            line = self._arrived.get(timeout=PATIENCE_S)
        except Empty:
            raise AssertionError(f"no message within {PATIENCE_S} s; stderr: {''.join(self.log)}") from None
        assert line != THE_END, f"the server ended; stderr: {''.join(self.log)}"
        message = json.loads(line)
        assert isinstance(message, dict)
        return message

    def answer_to(self, request: int | None) -> dict[str, Any]:
        """The answer to one request; what comes before it is passed over."""
        while True:
            message = self.read()
            if "method" not in message and message.get("id") == request:
                return message

    def ask(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """Sends a request and returns its answer."""
        return self.answer_to(self.start(method, params))

    def start_call(self, tool: str, **arguments: object) -> int:
        """Begins a tool call."""
        return self.start("tools/call", {"name": tool, "arguments": arguments})

    def call(self, tool: str, **arguments: object) -> dict[str, Any]:
        """Calls a tool and returns the answer."""
        return self.answer_to(self.start_call(tool, **arguments))

    def shake_hands(self, **capabilities: object) -> dict[str, Any]:
        """Introduces a client, as every connection begins."""
        client = {"name": "wire", "version": "1"}
        params = {"protocolVersion": "2025-06-18", "capabilities": capabilities, "clientInfo": client}
        answer = self.ask("initialize", params)
        self.notify("notifications/initialized")
        return answer

    def hang_up(self) -> None:
        """Ends the server's standard input."""
        self._stdin.close()

    def send(self, number: signal.Signals) -> None:
        """Sends the server a signal."""
        self.process.send_signal(number)

    def ended(self) -> int:
        """Waits for the server to end and for its last words, and returns its exit status."""
        status = self.process.wait(PATIENCE_S)
        self._words.join(PATIENCE_S)
        return status

    def processes(self) -> set[int]:
        """What lives of the server's family, but not the server itself."""
        return self._family.processes() - {self.process.pid}

    def _keep_line(self, line: str) -> None:
        if line != THE_END:
            self.lines.append(line)
        self._arrived.put(line)


def hear_signals(ignored: tuple[signal.Signals, ...] = ()) -> None:
    """As a process that is started from a terminal, whatever the tests themselves were told to ignore."""
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN if number in ignored else signal.SIG_DFL)


def until(condition: Callable[[], bool], what: str) -> None:
    """Waits for a condition, and fails with these words if it never comes."""
    end = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end, f"{what} did not happen within {PATIENCE_S} s"
        time.sleep(0.01)


def _follow(stream: IO[bytes], keep: Callable[[str], None]) -> Thread:
    def follow() -> None:
        for line in stream:
            keep(line.decode())
        keep(THE_END)

    thread = Thread(target=follow, daemon=True)
    thread.start()
    return thread


def _signal(process: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.kill(process, number)
