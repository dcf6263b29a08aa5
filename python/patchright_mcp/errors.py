"""What can go wrong, as Python sees it. Rust raises these classes by name."""

TYPE_CHECKING = False  # As type checkers know it; `typing` itself need not be imported for it.
if TYPE_CHECKING:
    from typing import Any


class BrowserError(Exception):
    """A browser operation failed.

    Branch on `code`, which never changes; show the message, which may improve; follow `hint`. `details` has
    the facts: `obstacle` and `cover`, `found` and `needed`, `available`, `count`, `method`, `reason`, times
    as `waited_ms`.
    """

    def __init__(
        self, code: str, message: str, hint: str | None = None, details: "dict[str, Any] | None" = None
    ) -> None:
        super().__init__(code, message, hint)
        self.code = code
        self.message = message
        self.hint = hint
        self.details: dict[str, Any] = details or {}

    def __str__(self) -> str:
        """The message, and what to try next where there is something."""
        return f"{self.message} ({self.hint})" if self.hint else self.message


class Error(Exception):
    """An operation of the library failed. The message says which one, and why."""

    def __init__(self, message: str) -> None:
        self._message = message
        self._name: str | None = None
        self._stack: str | None = None
        self._code = ""
        super().__init__(message)

    @classmethod
    def _of_page(cls, message: str, name: str, stack: str) -> "Error":
        """An error that a script of the page threw or gave."""
        error = cls(message)
        error._name = name
        error._stack = stack
        return error

    @property
    def message(self) -> str:
        """What went wrong."""
        return self._message

    @property
    def name(self) -> str | None:
        """The name of the error in JavaScript, such as `TypeError`; `None` where it was not thrown there."""
        return self._name

    @property
    def stack(self) -> str | None:
        """Where it was thrown in JavaScript; else where it was raised."""
        if self._stack is None and self.__traceback__ is not None:
            from traceback import format_tb  # noqa: PLC0415  (Few ask for it.)

            return f"{type(self).__name__}: {self._message}\n" + "".join(format_tb(self.__traceback__))
        return self._stack


class TimeoutError(Error):  # noqa: A001  (The name is the one that scripts catch.)
    """What was waited for did not happen in time."""


class TargetClosedError(Error):
    """The page, context or browser was closed meanwhile."""

    def __init__(self, message: str | None = None) -> None:
        super().__init__(message or "Target page, context or browser has been closed")
