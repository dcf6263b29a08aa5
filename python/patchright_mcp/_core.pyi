from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias, final

__all__ = [
    "CooldownState",
    "Errands",
    "__version__",
    "call_tool",
    "close_tools",
    "is_login_timeout",
    "list_patchright_tools",
    "main",
]

__version__: str
"""The version of the engine, which is the version of the package."""

def main(arguments: Sequence[str]) -> int:
    """Runs the command line until it is done, without holding the interpreter.

    Interrupts belong to the server from then on: Ctrl-C ends it and its browser in good order
    instead of raising `KeyboardInterrupt`.

    Args:
        arguments: What stands behind the program's name.

    Returns:
        The exit status.

    Raises:
        RuntimeError: In a fork of the process that used the engine first.
    """

def is_login_timeout(error: str) -> bool:
    """Whether an error's text says that nobody logged in or verified in time."""

@final
class CooldownState:
    """The pause of this process."""

    def __new__(cls) -> CooldownState: ...
    @property
    def since(self) -> float | None:
        """When the last login timeout was, in seconds since 1970."""
    @since.setter
    def since(self, value: float | None) -> None: ...
    @property
    def period(self) -> float:
        """How long a pause is, in seconds."""
    @period.setter
    def period(self, value: float) -> None: ...
    def use_clock(self, clock: Callable[[], float]) -> None:
        """Tells the time by `clock` from now on."""
    def check(self) -> str | None:
        """What a call is answered with during a pause; `None` outside one."""
    def record(self) -> str:
        """Begins a pause now, and says so."""

def list_patchright_tools() -> str:
    """The listing of the `patchright_*` tools, as JSON."""

def call_tool(name: str, arguments: str) -> Awaitable[str]:
    """Calls a tool, as a client on the wire does. Awaits to the result as JSON."""

def close_tools() -> None:
    """Closes the browser behind `call_tool`, if one runs."""

_Outcome: TypeAlias = tuple[str, str, str, str, bytes, str | None, str | None]

@final
class Errands:
    """A browser for errands."""

    def __new__(cls, headless: bool, timeout: float, user_data_dir: str | None) -> Errands: ...
    def fetch(self, url: str, wait_for: str | None) -> _Outcome: ...
    def screenshot(self, url: str, full_page: bool) -> _Outcome: ...
    def click(self, url: str, selector: str) -> _Outcome: ...
    def fill_form(self, url: str, fields: list[tuple[str, str]], submit: str | None) -> _Outcome: ...
    def execute_js(self, url: str, script: str) -> _Outcome: ...
    def close(self) -> None:
        """Closes the browser, if it runs."""
