"""Parts of a trace besides calls and requests: screenshots, snapshots of documents, and source files."""

from __future__ import annotations

import hashlib
import json
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._core import CastFrame
from .._core import Screencast as NativeScreencast
from ..errors import Error

if TYPE_CHECKING:
    from .context import BrowserContext
    from .page import Page

_STEP_MS = 150.0
"""The minimum time between two screenshots of a page."""
_MOST_PICTURES = 3000
"""The maximum number of screenshots in a trace."""
_SNAPSHOT_MS = 2000.0
"""The time limit for a snapshot of a page's documents."""


class TraceScreenshots:
    """Takes screenshots of a context's pages during a trace."""

    def __init__(self, context: BrowserContext, begun: float) -> None:
        self._context = context
        self._begun = begun
        self._casts: dict[int, NativeScreencast] = {}
        self._last: dict[int, float] = {}
        self.events: list[dict[str, Any]] = []
        self.files: dict[str, bytes] = {}
        for page in context.pages:
            self.follow(page)
        context._add_handler("page", self.follow, once=False)

    def follow(self, page: Page) -> None:
        """Starts to take screenshots of a page."""
        page._watchers.append(self._taken)
        self._casts[page._native.key] = NativeScreencast(
            page._native, page._runtime.dispatcher, page._native.key, {"quality": 50}
        )

    def _taken(self, page: Page, frame: CastFrame) -> None:
        key, at = page._native.key, frame.timestamp
        if at - self._last.get(key, 0.0) < _STEP_MS or len(self.events) >= _MOST_PICTURES:
            return
        self._last[key] = at
        name = f"{page_id(page)}-{at:.0f}.jpeg"
        width, height = frame.viewport
        self.files[name] = frame.data
        self.events.append(
            {
                "type": "screencast-frame",
                "pageId": page_id(page),
                "sha1": name,
                "width": int(width),
                "height": int(height),
                "timestamp": at - self._begun,
            }
        )

    def stop(self) -> None:
        """Stops taking screenshots."""
        self._context.remove_listener("page", self.follow)
        for cast in self._casts.values():
            cast.stop()
        for page in self._context.pages:
            if self._taken in page._watchers:
                page._watchers.remove(self._taken)


def page_id(page: Page) -> str:
    """Returns the id of a page in a trace."""
    return f"page@{page._native.id}"


def page_of(item: Any) -> Page | None:
    """Returns the page of an object, if it has one."""
    from .page import Page  # noqa: PLC0415  (A circular import.)

    found = item if isinstance(item, Page) else getattr(item, "_page", None) or getattr(item, "page", None)
    return found if isinstance(found, Page) and not found.is_closed() else None


async def snapshot_events(page: Page, call: str, name: str) -> list[dict[str, Any]]:
    """Returns trace events with the current documents of all frames of a page."""
    begun = time.monotonic() * 1000
    taken: list[Any] = []
    with suppress(Error):
        taken = await page._runtime.run(page._native.dom_snapshots(_SNAPSHOT_MS))
    size = page.viewport_size or {"width": 1280, "height": 720}
    return [
        {
            "type": "frame-snapshot",
            "snapshot": {
                "callId": call,
                "snapshotName": name,
                "pageId": page_id(page),
                "frameId": frame,
                "frameUrl": url,
                "doctype": doctype or "html",
                "html": json.loads(html),
                "viewport": size,
                "timestamp": begun,
                "wallTime": time.time() * 1000,
                "collectionTime": time.monotonic() * 1000 - begun,
                "resourceOverrides": [],
                "isMainFrame": is_main,
            },
        }
        for frame, url, doctype, html, is_main in taken
    ]


def script_stack() -> list[dict[str, Any]]:
    """Returns the position of a call in a script, innermost line first."""
    frame = sys._getframe(1)
    stack: list[dict[str, Any]] = []
    while frame is not None and len(stack) < 10:
        if not frame.f_globals.get("__name__", "").startswith(("patchright_mcp.", "asyncio.")):
            code = frame.f_code
            stack.append(
                {"file": code.co_filename, "line": frame.f_lineno, "column": 0, "function": code.co_name}
            )
        frame = frame.f_back  # type: ignore[assignment]
    return stack


def source_files(events: list[dict[str, Any]]) -> dict[str, bytes]:
    """Returns the contents of the source files that calls refer to, by their names in the trace."""
    names = {place["file"] for event in events for place in event.get("stack", ())}
    found: dict[str, bytes] = {}
    for name in names:
        with suppress(OSError):
            digest = hashlib.sha1(name.encode(), usedforsecurity=False).hexdigest()
            found[f"src@{digest}.txt"] = Path(name).read_bytes()
    return found
