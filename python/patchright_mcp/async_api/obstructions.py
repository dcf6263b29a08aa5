"""What a script has said to do about things that come up in the way: locator handlers."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .._failures import timed_out
from ..errors import TimeoutError  # noqa: A004
from ._base import ApiObject, taken

if TYPE_CHECKING:
    from .._core import Operation
    from .locator import Locator

_SLICE_MS = 500.0
"""How long an operation goes on before it is looked whether something has come up."""


@dataclass
class _Handler:
    locator: Locator
    f: Callable[..., Any]
    waits: bool
    left: float
    is_running: bool = False


class Obstructions:
    """The handlers of one page."""

    def __init__(self) -> None:
        self._handlers: list[_Handler] = []
        self._busy = False

    def add(self, locator: Locator, f: Callable[..., Any], *, waits: bool, times: int | None) -> None:
        """Calls `f` when the element of `locator` is seen before or during an action."""
        if times != 0:
            self._handlers.append(_Handler(locator, f, waits, math.inf if times is None else times))

    def remove(self, locator: Locator) -> None:
        """Forgets what was said about `locator`."""
        same = (locator._frame, locator._selector)
        self._handlers = [
            handler
            for handler in self._handlers
            if (handler.locator._frame, handler.locator._selector) != same
        ]

    async def run(
        self, owner: ApiObject, make: Callable[[float], Operation], limit: float, log: Sequence[str]
    ) -> Any:
        """Runs an operation with its limit in milliseconds, and clears its way before and meanwhile."""
        if not self._handlers or self._busy:
            return await owner._run(make(limit), limit, log)
        end = time.monotonic() + limit / 1000 if limit else math.inf
        while True:
            await self._clear(end, limit, log)
            left = max((end - time.monotonic()) * 1000, 1.0)
            try:
                return await owner._run(make(min(left, _SLICE_MS)), limit, log)
            except TimeoutError:
                if left <= _SLICE_MS:
                    raise

    async def look(
        self,
        owner: ApiObject,
        make: Callable[[float], Operation],
        limit: float,
        log: Sequence[str],
        is_met: Callable[[Any], bool],
    ) -> Any:
        """Like `run`, for what tells how things are, and does not fail."""
        if not self._handlers or self._busy:
            return await owner._run(make(limit), limit, log)
        end = time.monotonic() + limit / 1000 if limit else math.inf
        while True:
            await self._clear(end, limit, log)
            left = max((end - time.monotonic()) * 1000, 1.0)
            told = await owner._run(make(min(left, _SLICE_MS)), limit, log)
            if left <= _SLICE_MS or is_met(told):
                return told

    async def _clear(self, end: float, limit: float, before: Sequence[str]) -> None:
        for handler in list(self._handlers):
            locator = handler.locator
            if handler.is_running or not await locator._frame._is_visible(
                f"{locator._selector} >> nth=0", False
            ):
                continue
            handler.left -= 1
            if handler.left <= 0:
                self._handlers.remove(handler)
            self._busy = True
            log = [*before, f"found {locator._told_as}, intercepting action to run the handler"]
            try:
                left = 0.0 if end == math.inf else max((end - time.monotonic()) * 1000, 1.0)
                if not await locator._runtime.settle_within(self._handle(handler), left):
                    raise timed_out(limit, log)
                if handler.waits:
                    left = 0.0 if end == math.inf else max((end - time.monotonic()) * 1000, 1.0)
                    log.append(f"locator handler has finished, waiting for {locator._told_as} to be hidden")
                    hidden = locator._frame._native.wait_for(locator._selector, "hidden", False, left)
                    await locator._run(hidden, limit, log)
            finally:
                self._busy = False

    async def _handle(self, handler: _Handler) -> bool:
        handler.is_running = True
        try:
            locator = handler.locator
            await locator._runtime.settle(handler.f(*taken(handler.f, [locator])))
        finally:
            handler.is_running = False
        return True
