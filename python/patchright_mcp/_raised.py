"""Exceptions in event handlers: printed at once, and raised again by the script's next call."""

from __future__ import annotations

import traceback

from .errors import Error, TargetClosedError


class HandlerErrors:
    """Keeps the first exception of an event handler until a call of the script raises it."""

    def __init__(self) -> None:
        self._error: Exception | None = None

    def note(self, error: BaseException) -> None:
        """Prints an exception, and keeps it to be raised, unless it only reports that a page was closed."""
        traceback.print_exception(type(error), error, error.__traceback__)
        if self._error is None and isinstance(error, Exception) and not isinstance(error, TargetClosedError):
            self._error = error

    def __bool__(self) -> bool:
        return self._error is not None

    def take(self) -> Exception:
        """Removes and returns the kept exception, for a call that raises it."""
        error, self._error = self._error, None
        return error or Error("no handler has raised anything")
