"""Exceptions in event handlers: reported at once, and raised by the script's next call."""

from __future__ import annotations

import traceback

from .errors import Error, TargetClosedError


class Raised:
    """The first exception of a handler that no call has raised yet."""

    def __init__(self) -> None:
        self._error: Exception | None = None

    def note(self, error: BaseException) -> None:
        """Records an exception. One about a closed page does not make other calls fail."""
        traceback.print_exception(type(error), error, error.__traceback__)
        if self._error is None and isinstance(error, Exception) and not isinstance(error, TargetClosedError):
            self._error = error

    def __bool__(self) -> bool:
        return self._error is not None

    def take(self) -> Exception:
        """Takes the exception, for the call that raises it."""
        error, self._error = self._error, None
        return error or Error("no handler has raised anything")
