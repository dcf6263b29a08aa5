"""Pausing a script before its next call."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._core import Promise
from .._failures import caller
from ..errors import Error
from ._base import ApiObject
from ._pictures import page_of, script_stack
from .tracing import outermost_stack_frame

if TYPE_CHECKING:
    from types import FrameType

    from .._typed import DebuggerLocation, DebuggerPausedDetails
    from .context import BrowserContext


_ANYWHERE: DebuggerLocation = {"file": "", "line": None, "column": None}


class Debugger(ApiObject):
    """Pauses the script's calls in a context, one at a time.

    `pausedstatechanged` fires when a call is paused and when it continues. A handler may inspect the page, and continues
    the call with `resume`, `next` or `run_to`.
    """

    def __init__(self, context: BrowserContext) -> None:
        super().__init__(context._connection)
        self._context = context
        self._wants: DebuggerLocation | None = None
        self._details: DebuggerPausedDetails | None = None
        self._going = Promise()
        self._last: FrameType | None = None
        context.once("close", lambda: self._go_on(None))

    @property
    def paused_details(self) -> DebuggerPausedDetails | None:
        """The paused call and its location in the script, or `None`."""
        return self._details

    async def request_pause(self) -> None:
        """Pauses the next call.

        Raises:
            Error: If a call is already paused.
        """
        if self._details is not None:
            raise Error(f"{caller()}: Debugger is already paused")
        self._want(_ANYWHERE)

    async def resume(self) -> None:
        """Resumes the script.

        Raises:
            Error: If no call is paused.
        """
        self._check_paused()
        self._go_on(None)

    async def next(self) -> None:
        """Continues the paused call and pauses the next one.

        Raises:
            Error: If no call is paused.
        """
        self._check_paused()
        self._go_on(_ANYWHERE)

    async def run_to(self, location: DebuggerLocation) -> None:
        """Resumes the script up to a call at this location: a file and, optionally, a line.

        Raises:
            Error: If no call is paused.
        """
        self._check_paused()
        self._go_on(location)

    def _check_paused(self) -> None:
        if self._details is None:
            raise Error(f"{caller()}: Debugger is not paused")

    def _want(self, location: DebuggerLocation | None) -> None:
        waiting = self._connection.debuggers
        self._wants = location
        if location is not None and self not in waiting:
            waiting.append(self)
        elif location is None and self in waiting:
            waiting.remove(self)

    def _go_on(self, location: DebuggerLocation | None) -> None:
        self._want(location)
        if self._details is not None:
            self._details = None
            self._going.resolve(None)
            self._emit("pausedstatechanged")

    async def _met(self, item: ApiObject) -> None:
        """Waits while the script is paused. Called before each operation of a public method."""
        wants, page = self._wants, page_of(item)
        title, frame = caller(), outermost_stack_frame()
        is_ours = item is self._context or (page is not None and page.context is self._context)
        # Calls that handlers make while a call is paused are not paused, nor is a call paused twice.
        if wants is None or not is_ours or not title or self._details is not None or frame is self._last:
            return
        stack: list[dict[str, Any]] = script_stack()
        if wants is not _ANYWHERE and not _is_at(stack, wants):
            return
        self._last = frame
        self._want(None)
        here: dict[str, Any] = stack[0] if stack else {"file": "", "line": 0, "column": 0}
        location: DebuggerLocation = {"file": here["file"], "line": here["line"], "column": here["column"]}
        self._details = {"location": location, "title": title}
        self._going = Promise()
        self._emit("pausedstatechanged")
        if self._details is not None:
            await self._runtime.run(self._going.wait(0.0))


def _is_at(stack: list[dict[str, Any]], wanted: DebuggerLocation) -> bool:
    line, file = wanted.get("line"), Path(wanted["file"])
    return any(
        (line is None or place["line"] == line)
        and (
            Path(place["file"]) == file.absolute()
            or (len(file.parts) == 1 and Path(place["file"]).name == file.name)
        )
        for place in stack
    )
