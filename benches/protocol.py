"""The protocol's own time: what the same browser takes for the same pages when it is told by hand.

Nothing waits longer than the protocol makes it: a navigation for the event of the load, a snapshot for the
browser's own reading of the whole document, a picture for its bytes. What a tool waits for beside that is
its own; `python -m benches.server` shows both in one table.
"""

from __future__ import annotations

import base64
import json
import os
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from typing_extensions import Self

    from tests_py.support.site import Site

FLAGS = [
    "--headless=new",
    "--no-sandbox",
    "--remote-debugging-pipe",
    "--no-first-run",
    "--no-default-browser-check",
    "--no-startup-window",
    "--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup",
    "--window-size=1280,800",
]
SIX_TIMES_SEVEN = "6 * 7"
Samples = dict[str, list[float]]


class Pipe:
    """A Chromium of its own, spoken to in messages that end in a NUL."""

    def __init__(self, browser: str) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="protocol-", ignore_cleanup_errors=True)
        its_input, self._output = os.pipe()
        self._input, its_output = os.pipe()
        # The browser reads its descriptor 3 and writes its descriptor 4, whatever ours are called.
        script = f'exec "$0" "$@" 3<&{its_input} 4>&{its_output}'
        command = ["bash", "-c", script, browser, *FLAGS, f"--user-data-dir={self._folder.name}"]
        self._process = subprocess.Popen(
            command,
            pass_fds=(its_input, its_output),
            start_new_session=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(its_input)
        os.close(its_output)
        self._rest = b""
        self._last_id = 0
        self._session: str | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._output)
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._input)
        self._folder.cleanup()

    def kill(self) -> None:
        """Ends all of the browser at once, waits for it, and removes its folder."""
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._folder.cleanup()

    def open_page(self) -> None:
        """Opens a page and speaks to it from now on."""
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.ask("Page.enable")

    def ask(self, method: str, **params: object) -> dict[str, Any]:
        """Sends a command and returns its result."""
        self._last_id += 1
        message: dict[str, object] = {"id": self._last_id, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._output, json.dumps(message).encode() + b"\0")
        answer = self._until(lambda told: told.get("id") == self._last_id)
        assert "result" in answer, answer
        result: dict[str, Any] = answer["result"]
        return result

    def navigate(self, url: str) -> None:
        """Opens an address, and returns when its page has loaded."""
        loader = self.ask("Page.navigate", url=url)
        assert "errorText" not in loader, loader
        self._until(lambda told: told.get("method") == "Page.loadEventFired")

    def _until(self, is_meant: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        while True:
            while b"\0" not in self._rest:
                read = os.read(self._input, 1 << 20)
                assert read, "the browser has ended"
                self._rest += read
            line, self._rest = self._rest.split(b"\0", 1)
            told: dict[str, Any] = json.loads(line)
            if is_meant(told):
                return told


def measure_protocol(browser: str, samples: Samples, site: Site, times: int) -> None:
    """Keeps how long the protocol takes for the steps that have the same names with every server."""
    small, large = site.page("form"), site.url("/large?elements=10000")

    def timed(step: str, action: Callable[[], object]) -> None:
        begin = time.perf_counter()
        action()
        samples[step].append((time.perf_counter() - begin) * 1000)

    begin = time.perf_counter()
    with Pipe(str(Path(browser).resolve())) as pipe:
        pipe.open_page()
        pipe.navigate(small)
        samples["first navigate, with launch"].append((time.perf_counter() - begin) * 1000)
        for _ in range(times):
            timed("navigate, small page", lambda: pipe.navigate(small))
            timed("snapshot, small page", lambda: whole_document(pipe))
            timed("evaluate", lambda: pipe.ask("Runtime.evaluate", expression=SIX_TIMES_SEVEN))
            timed("screenshot", lambda: picture(pipe))
            timed("navigate, large page", lambda: pipe.navigate(large))
            timed("snapshot, large page", lambda: whole_document(pipe))
    for _ in range(times):
        with Pipe(str(Path(browser).resolve())) as pipe:
            pipe.open_page()
            pipe.navigate(small)
            timed("exit, with a page", pipe.kill)


def whole_document(pipe: Pipe) -> None:
    """The browser's own reading of a document: its nodes, with what is drawn where."""
    read = pipe.ask("DOMSnapshot.captureSnapshot", computedStyles=[], includeDOMRects=True)
    assert read["documents"]


def picture(pipe: Pipe) -> None:
    """A picture of the viewport, as bytes."""
    told = pipe.ask("Page.captureScreenshot", format="png", optimizeForSpeed=True)
    assert base64.b64decode(told["data"]).startswith(b"\x89PNG")
