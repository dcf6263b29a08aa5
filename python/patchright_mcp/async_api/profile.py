"""Performance traces that the browser records, for the performance panel of the developer tools."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._core import Promise

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .cdp import CDPSession

_CATEGORIES = (
    "-*",
    "devtools.timeline",
    "v8.execute",
    "disabled-by-default-devtools.timeline",
    "disabled-by-default-devtools.timeline.frame",
    "toplevel",
    "blink.console",
    "blink.user_timing",
    "latencyInfo",
    "disabled-by-default-devtools.timeline.stack",
    "disabled-by-default-v8.cpu_profiler",
    "disabled-by-default-v8.cpu_profiler.hires",
)
_LIMIT_MS = 60_000.0


class Profile:
    """A performance trace of a browser."""

    def __init__(self, session: CDPSession, path: str | Path | None) -> None:
        self._session = session
        self._path = path
        self._complete = Promise()
        session.once("Tracing.tracingComplete", self._complete.resolve)

    async def start(self, categories: Sequence[str] | None, *, screenshots: bool) -> None:
        """Starts the trace."""
        chosen = [*(categories or _CATEGORIES)]
        if screenshots:
            chosen.append("disabled-by-default-devtools.screenshot")
        await self._session.send(
            "Tracing.start", {"transferMode": "ReturnAsStream", "categories": ",".join(chosen)}
        )

    async def stop(self) -> bytes:
        """Stops the trace and returns its events."""
        await self._session.send("Tracing.end")
        complete: dict[str, Any] = await self._session._run(self._complete.wait(_LIMIT_MS))
        content = await self._read(complete["stream"])
        await self._session.detach()
        if self._path is not None:
            Path(self._path).parent.mkdir(parents=True, exist_ok=True)
            Path(self._path).write_bytes(content)
        return content

    async def _read(self, stream: str) -> bytes:
        content = b""
        while True:
            part = await self._session.send("IO.read", {"handle": stream})
            content += base64.b64decode(part["data"]) if part.get("base64Encoded") else part["data"].encode()
            if part["eof"]:
                await self._session.send("IO.close", {"handle": stream})
                return content
