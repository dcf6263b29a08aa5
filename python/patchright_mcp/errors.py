"""The exceptions of the library. Rust raises these classes by name."""

TYPE_CHECKING = False  # Type checkers treat this name like `typing.TYPE_CHECKING`, without an import.
if TYPE_CHECKING:
    from typing import Any


class BrowserError(Exception):
    """A browser operation failed.

    `code` is stable, so branch on it. `message` is for people and may change; `hint` says what to do.
    `details` has facts that depend on the code, such as `obstacle` and `cover`, `found` and `needed`,
    `count`, `reason`, or times such as `waited_ms`.
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
        """Returns the message, with the hint if there is one."""
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
        """Creates the error for a JavaScript exception."""
        error = cls(message)
        error._name = name
        error._stack = stack
        return error

    @property
    def message(self) -> str:
        """The message of the error."""
        return self._message

    @property
    def name(self) -> str | None:
        """The name of a JavaScript error, such as `TypeError`; otherwise `None`."""
        return self._name

    @property
    def stack(self) -> str | None:
        """The JavaScript stack, or else the Python one."""
        if self._stack is None and self.__traceback__ is not None:
            from traceback import format_tb  # noqa: PLC0415  (Few ask for it.)

            return f"{type(self).__name__}: {self._message}\n" + "".join(format_tb(self.__traceback__))
        return self._stack


class TimeoutError(Error):  # noqa: A001  (The name is the one that scripts catch.)
    """The time limit was reached."""


class TargetClosedError(Error):
    """The page, context or browser was closed meanwhile."""

    def __init__(self, message: str | None = None) -> None:
        super().__init__(message or "Target page, context or browser has been closed")
