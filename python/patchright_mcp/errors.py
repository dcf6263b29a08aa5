"""What can go wrong, as Python sees it. Rust raises these classes by name."""


class BrowserError(Exception):
    """A browser operation failed.

    Branch on `code`, which never changes; show the message, which may improve; follow `hint`.
    """

    def __init__(self, code: str, message: str, hint: str | None = None) -> None:
        super().__init__(code, message, hint)
        self.code = code
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        """The message, and what to try next where there is something."""
        return f"{self.message} ({self.hint})" if self.hint else self.message
