"""Traces of calls and network requests in a file, for Playwright's trace viewer.

A trace contains the calls with their groups, positions in the script, durations and errors; every request with its
body; and console messages and uncaught errors. `screenshots` adds a screencast of the pages, `snapshots` their
documents before and after each call, `sources` the script's source files.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
import time
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from .. import _arguments
from .._failures import caller
from ..errors import Error
from ._base import ApiObject
from ._disposable import Disposable
from ._pictures import TraceScreenshots, page_id, page_of, script_stack, snapshot_events, source_files
from .har import HarRecorder

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import FrameType

    from .._core import Operation
    from .._typed import TracingGroupLocation
    from .console import ConsoleMessage, WebError
    from .context import BrowserContext
    from .page import Page


MOST_AT_ONCE = 16
"""The maximum number of concurrent calls that are tracked, to attribute operations to the right call."""


class Tracing(ApiObject):
    """Records traces of a context."""

    def __init__(self, context: BrowserContext) -> None:
        super().__init__(context._connection)
        self._context = context
        self._started = False
        self._title: str | None = None
        self._events: list[dict[str, Any]] | None = None
        self._network: HarRecorder | None = None
        self._archive: HarRecorder | None = None
        self._groups: list[str] = []
        self._calls = 0
        self._running: list[tuple[FrameType, dict[str, Any]]] = []
        self._wanted: set[str] = set()
        self._pictures: TraceScreenshots | None = None

    async def start(
        self,
        *,
        name: str | None = None,
        title: str | None = None,
        snapshots: bool | None = None,
        screenshots: bool | None = None,
        sources: bool | None = None,
        live: bool | None = None,
        aria_snapshots: bool | None = None,
        screen_snapshots: bool | None = None,
    ) -> None:
        """Starts a trace.

        `screenshots` (or `screen_snapshots`) adds a screencast, `snapshots` (or `aria_snapshots`) the documents before and
        after each call, and `sources` the script. `name` and `live` have no effect.
        """
        if self._started:
            raise Error("Tracing.start: Tracing has been already started")
        self._started = True
        chosen = {
            "screenshots": screenshots or screen_snapshots,
            "snapshots": snapshots or aria_snapshots,
            "sources": sources,
        }
        self._wanted = {name for name, wanted in chosen.items() if wanted}
        await self._begin(title)

    async def start_chunk(self, *, title: str | None = None, name: str | None = None) -> None:
        """Starts a new chunk, which `stop_chunk` writes."""
        if not self._started:
            raise Error("Tracing.start_chunk: Must start tracing before starting a new chunk")
        await self._begin(title)

    async def _begin(self, title: str | None) -> None:
        self._title = title
        self._events = []
        self._groups = []
        self._running = []
        if self._network is None:
            path = Path(tempfile.gettempdir()) / "trace.zip"
            self._network = HarRecorder(self._context, path, content="attach")
        self._network._entries.clear()
        self._connection.traced = self
        self._context.remove_listener("console", self._logged)
        self._context._add_handler("console", self._logged, once=False)
        if "screenshots" in self._wanted:
            self._pictures = TraceScreenshots(self._context, time.time() * 1000 - _now())

    async def stop_chunk(self, *, path: Path | str | None = None) -> None:
        """Stops the chunk and writes it to `path`."""
        if self._events is None or self._network is None:
            raise Error("Tracing.stop_chunk: Must start tracing before stopping")
        events, self._events = self._events, None
        self._running = []
        self._connection.traced = None
        self._context.remove_listener("console", self._logged)
        pictures, self._pictures = self._pictures, None
        if pictures is not None:
            pictures.stop()
            events += pictures.events
        await self._network._settle()
        if path is not None:
            self._write(Path(path), events, pictures.files if pictures is not None else {})

    async def stop(self, *, path: Path | str | None = None) -> None:
        """Stops the trace and writes it to `path`."""
        if not self._started:
            if path is None:
                return
            raise Error("Tracing.stop: Must start tracing before stopping")
        if self._events is not None:
            await self.stop_chunk(path=path)
        if self._network is not None:
            self._network._let_go()
            self._network = None
        self._started = False

    async def group(self, name: str, *, location: TracingGroupLocation | None = None) -> Disposable:
        """Groups the calls that follow, until `group_end`."""
        if self._events is not None:
            reported = self._before("Tracing", "tracingGroup", name)
            self._groups.append(reported["callId"])
        return Disposable(self.group_end, self._runtime)

    async def group_end(self) -> None:
        """Ends the innermost group."""
        if self._groups and self._events is not None:
            self._events.append({"type": "after", "callId": self._groups.pop(), "endTime": _now()})

    async def start_har(
        self,
        path: Path | str,
        *,
        content: Literal["attach", "embed", "omit"] | None = None,
        mode: Literal["full", "minimal"] | None = None,
        url_filter: str | re.Pattern[str] | None = None,
    ) -> Disposable:
        """Starts to record an HTTP archive, which `stop_har` writes."""
        if self._archive is not None:
            raise Error("Tracing.start_har: HAR recording has already been started")
        self._archive = HarRecorder(self._context, path, url_filter=url_filter, content=content, mode=mode)
        return Disposable(self.stop_har, self._runtime)

    async def stop_har(self) -> None:
        """Stops recording and writes the HTTP archive."""
        if self._archive is None:
            raise Error("Tracing.stop_har: HAR recording has not been started")
        archive, self._archive = self._archive, None
        await archive.stop()

    async def _call(
        self, item: ApiObject, operation: Operation, timeout: float | None, log: Sequence[str]
    ) -> Any:
        """Runs an operation, and records it under the name of the public method that the script called."""
        title = caller()
        owner, _, method = title.partition(".")
        if self._events is None or not method or owner == "Tracing":
            return await self._runtime.run(operation, timeout, log)
        frame = outermost_stack_frame()
        page = page_of(item)
        entry = next((entry for running, entry in self._running if running is frame), None)
        if entry is None:
            entry = self._before(owner, method, None)
            entry["params"] = _params(frame)
            entry["stack"] = script_stack()
            # Keeps the frame alive: otherwise a later call's frame could be at the same address.
            self._running = [*self._running[1 - MOST_AT_ONCE :], (frame, entry)]
            if page is not None:
                entry["pageId"] = page_id(page)
                await self._write_down(page, entry, "before")
        after: dict[str, Any] = {"type": "after", "callId": entry["callId"]}
        try:
            return await self._runtime.run(operation, timeout, log)
        except Error as error:
            after["error"] = {"name": type(error).__name__, "message": error.message}
            raise
        finally:
            after["endTime"] = _now()
            if self._events is not None:
                kept = ("before", "frame-snapshot")
                call = entry["callId"]
                self._events[:] = [
                    event for event in self._events if event.get("callId") != call or event["type"] in kept
                ]
                if page is not None and not page.is_closed():
                    await self._write_down(page, {"callId": call}, "after")
                    after["afterSnapshot"] = f"after@{call}"
            if self._events is not None:
                self._events.append(after)

    async def _write_down(self, page: Page, expected: dict[str, Any], moment: str) -> None:
        """Records DOM snapshots of a page `before` or `after` a call (`moment`). Replaces earlier ones."""
        if "snapshots" not in self._wanted or self._events is None:
            return
        name = f"{moment}@{expected['callId']}"
        expected[f"{moment}Snapshot"] = name
        taken = await snapshot_events(page, expected["callId"], name)
        if self._events is not None:
            self._events[:] = [
                event for event in self._events if event.get("snapshot", {}).get("snapshotName") != name
            ]
            self._events += taken

    def _logged(self, message: ConsoleMessage) -> None:
        if self._events is None:
            return
        passed = time.time() * 1000 - message.timestamp if message.timestamp else 0.0
        event = {
            "type": "console",
            "messageType": message.type,
            "text": message.text,
            "location": dict(message.location),
            "time": _now() - passed,
        }
        if message.page is not None:
            event["pageId"] = page_id(message.page)
        self._events.append(event)

    def _threw(self, thrown: WebError, context: BrowserContext) -> None:
        """Records an uncaught error of a page in the trace."""
        if self._events is None or context is not self._context:
            return
        name, message = thrown.error.name, thrown.error.message
        stack = thrown.error.stack or f"{name}: {message}".removeprefix(": ")
        error = {"name": name, "message": message, "stack": stack}
        event: dict[str, Any] = {
            "type": "event",
            "class": "BrowserContext",
            "method": "pageError",
            "params": {"error": {"error": error}, "location": dict(thrown.location)},
            "time": _now(),
        }
        if thrown.page is not None:
            event["pageId"] = page_id(thrown.page)
        self._events.append(event)

    def _before(self, owner: str, method: str, title: str | None) -> dict[str, Any]:
        self._calls += 1
        values: dict[str, Any] = {
            "type": "before",
            "callId": f"call@{self._calls}",
            "startTime": _now(),
            "class": owner,
            "method": _camel(method),
            "params": {} if title is None else {"name": title},
        }
        if title is not None:
            values["title"] = title
        if self._groups:
            values["parentId"] = self._groups[-1]
        if self._events is not None:
            self._events.append(values)
        return values

    def _write(self, path: Path, events: list[dict[str, Any]], files: dict[str, bytes]) -> None:
        header = {
            "type": "context-options",
            "version": 8,
            "origin": "library",
            "libraryName": "patchright_mcp",
            "browserName": self._context._browser.browser_type.name,
            "sdkLanguage": "python",
            "platform": sys.platform,
            "wallTime": time.time() * 1000,
            "monotonicTime": _now(),
            "title": self._title,
            "options": {},
        }
        network = self._network
        entries = [entry for _, entry in network._entries] if network is not None else []
        path.parent.mkdir(parents=True, exist_ok=True)
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("trace.trace", _lines([header, *events]))
            archive.writestr(
                "trace.network",
                _lines([{"type": "resource-snapshot", "snapshot": _named(entry)} for entry in entries]),
            )
            if "sources" in self._wanted:
                files = {**files, **source_files(events)}
            for name, content in files.items():
                archive.writestr(f"resources/{name}", content)
            for name, content in network._files.items() if network is not None else ():
                archive.writestr(f"resources/{name}", content)


def _lines(events: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(event) + "\n" for event in events)


def _named(entry: dict[str, Any]) -> dict[str, Any]:
    """Converts a HAR entry to the format of traces, in which body files are referenced by `_sha1`."""
    reported = json.loads(json.dumps(entry))
    for part in (reported["response"]["content"], reported["request"].get("postData", {})):
        if "_file" in part:
            part["_sha1"] = part.pop("_file")
    return dict(reported)


def _now() -> float:
    return time.monotonic() * 1000


def _camel(method: str) -> str:
    first, *rest = method.strip("_").split("_")
    return first + "".join(word.capitalize() for word in rest)


def outermost_stack_frame() -> FrameType:
    """Returns the stack frame of the library's outermost method, which identifies the script's call."""
    outermost = frame = sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__", "").startswith("patchright_mcp."):
        if frame.f_globals["__name__"] != _arguments.__name__:
            outermost = frame
        frame = frame.f_back  # type: ignore[assignment]
    return outermost


def _params(frame: FrameType) -> dict[str, Any]:
    """Returns the arguments of a call that are texts or numbers, and the selector of its locator."""
    code = frame.f_code
    given = {
        name: frame.f_locals.get(name)
        for name in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    }
    owner = given.pop("self", None)
    selector = getattr(owner, "_selector", None)
    params: dict[str, Any] = {"selector": selector} if isinstance(selector, str) else {}
    for name, value in given.items():
        if isinstance(value, (str, int, float)):
            params[_camel(name)] = value
    return params
