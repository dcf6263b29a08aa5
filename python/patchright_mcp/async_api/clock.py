"""The fake clock of pages."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any

from .._failures import caller
from ..errors import Error
from ._base import ApiObject

if TYPE_CHECKING:
    from .context import BrowserContext

_LATEST = 8.64e15
"""The latest time of a JavaScript `Date`, in milliseconds since 1970."""


class Clock(ApiObject):
    """The clock of all pages of a context: their dates, timers, animation frames and `performance`.

    The first call of any method installs the clock in the page's main world, where a page can detect it.
    """

    def __init__(self, context: BrowserContext) -> None:
        super().__init__(context._connection)
        self._context = context
        self._native = context._native

    async def _turn(self, do: str, **how: Any) -> None:
        self._context._settings_changed = True
        await self._run(self._native.turn_clock({"do": do, **how}))

    async def install(self, *, time: float | str | datetime | None = None) -> None:
        """Installs the clock, which then runs, starting at `time`. Default: now.

        `time` is in seconds since 1970, a text such as `2024-02-29T08:00:00`, or a `datetime`. Without a time zone, it
        is local time.
        """
        await self._turn("install", time=None if time is None else _moment(time))

    async def fast_forward(self, ticks: int | str | timedelta) -> None:
        """Jumps ahead, as if a laptop had been closed: due timers fire once.

        `ticks` are milliseconds, or a text such as `08`, `01:00` or `02:34:10`.
        """
        await self._turn("fast_forward", by=_span(ticks))

    async def run_for(self, ticks: int | str | timedelta) -> None:
        """Advances the time and fires all due timers. `ticks` is as for `fast_forward`.

        Raises:
            Error: If a callback of the page threw an exception. All other callbacks were called nevertheless.
        """
        await self._turn("run_for", by=_span(ticks))

    async def pause_at(self, time: float | str | datetime) -> None:
        """Jumps ahead to `time` and pauses there. `time` is as for `install`.

        Raises:
            Error: If `time` has already passed.
        """
        await self._turn("pause_at", time=_moment(time))

    async def resume(self) -> None:
        """Resumes the flow of time."""
        await self._turn("resume")

    async def set_fixed_time(self, time: float | str | datetime) -> None:
        """Makes `Date.now()` and `new Date()` always return `time`; timers still run. See `install`."""
        await self._turn("set_fixed_time", time=_moment(time))

    async def set_system_time(self, time: float | str | datetime) -> None:
        """Sets the current time to `time`, without firing timers. `time` is as for `install`."""
        await self._turn("set_system_time", time=_moment(time))


def _moment(time: float | str | datetime) -> float:
    """Converts a time to milliseconds since 1970."""
    if isinstance(time, str):
        moment = _read(time)
    elif isinstance(time, datetime):
        moment = time.timestamp() * 1000
    else:
        moment = time * 1000
    if not abs(moment) <= _LATEST:
        raise Error(f"{caller()}: Invalid date: {int(moment)}")
    return float(round(moment))


def _read(text: str) -> float:
    """Parses a date as JavaScript does: without a time of day in UTC, otherwise in local time."""
    text = text.strip()
    try:
        # Before Python 3.11, `fromisoformat` cannot parse `Z`.
        moment = datetime.fromisoformat(re.sub(r"[zZ]$", "+00:00", text))
        if len(text) <= len("2024-02-29"):
            moment = moment.replace(tzinfo=timezone.utc)
    except ValueError:
        try:
            moment = parsedate_to_datetime(text)
        except (TypeError, ValueError):
            raise Error(f"{caller()}: Invalid date: {text}") from None
    return moment.timestamp() * 1000


def _span(ticks: float | str | timedelta) -> float:
    """Converts a duration to milliseconds."""
    if isinstance(ticks, timedelta):
        return ticks.total_seconds() * 1000
    if not isinstance(ticks, str):
        return float(ticks)
    if re.fullmatch(r"(\d\d:){0,2}\d\d", ticks) is None:
        raise Error(f"{caller()}: Clock only understands numbers, 'mm:ss' and 'hh:mm:ss'")
    seconds = 0
    for part in ticks.split(":"):
        seconds = seconds * 60 + int(part)
    return seconds * 1000.0
