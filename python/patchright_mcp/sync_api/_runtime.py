"""Waiting in the synchronous library: on the calling thread. The asynchronous one has its own version."""

from __future__ import annotations

import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from .._core import Dispatcher, Operation, Promise
from .._failures import CLOSED, caller, failure
from .._raised import HandlerErrors
from ..errors import BrowserError, Error, TargetClosedError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import TracebackType

    from ._base import Waiter

T = TypeVar("T")


class Runtime:
    """The connection of the script's threads to the engine. Event handlers run on a thread while it waits."""

    def __init__(self, handler: Callable[[str, int, Any], None]) -> None:
        self._handler = handler
        self._raised = HandlerErrors()
        self._handling = 0
        self._dispatcher = Dispatcher(self._told, False)
        self._is_closed = False

    @property
    def dispatcher(self) -> Dispatcher:
        """The dispatcher that delivers the engine's messages to the waiting thread."""
        return self._dispatcher

    def run(self, operation: Operation, timeout: float | None = None, log: Sequence[str] = ()) -> Any:
        """Runs an operation, blocks until it has ended, and returns its result."""
        if self._is_closed:
            raise TargetClosedError(f"{caller()}: {CLOSED}")
        if self._raised and not self._handling:
            self._fail(operation)
        try:
            return self._dispatcher.wait(operation)
        except BrowserError as error:
            raise failure(error, timeout, log) from None

    def _fail(self, operation: Operation) -> None:
        """Raises an event handler's exception instead of running an operation. Runs only `close` first."""
        error = self._raised.take()
        if caller().endswith(".close"):
            self.run(operation)
        raise error

    def _told(self, name: str, key: int, payload: Any) -> None:
        self._handling += 1
        try:
            self._handler(name, key, payload)
        except Exception as error:  # noqa: BLE001
            self._raised.note(error)
        finally:
            self._handling -= 1

    def start(self, operation: Operation) -> None:
        """Starts an operation without waiting for it."""
        self._dispatcher.start(operation)

    def sleep(self, milliseconds: float) -> None:
        """Sleeps while handlers run, unless an event handler has raised an exception: raises that."""
        if self._raised and not self._handling:
            raise self._raised.take()
        end = time.monotonic() + milliseconds / 1000
        never = Promise()
        while (left := end - time.monotonic()) > 0:
            with suppress(BrowserError):  # The promise is never resolved, so the wait times out.
                self._dispatcher.wait(never.wait(left * 1000))

    def call(self, handler: Callable[..., Any], *arguments: Any) -> None:
        """Calls an event handler."""
        handler(*arguments)

    def spawn(self, work: Any) -> None:
        """Does nothing: the synchronous library has no coroutines, so `work` has already run."""

    def settle(self, value: T) -> T:
        """Returns the value that a script's function returned, unchanged."""
        return value

    def close(self) -> None:
        """Disconnects the engine. Pending operations fail, and later messages are dropped."""
        self._is_closed = True
        self._dispatcher.close()


class EventInfo(Generic[T]):
    """The event that a `with` block expects."""

    def __init__(self, waiter: Waiter[T]) -> None:
        self._waiter = waiter

    @property
    def value(self) -> T:
        """Waits for the event and returns it."""
        return self._waiter.result()

    def is_done(self) -> bool:
        """Returns whether the event has occurred."""
        return self._waiter.is_done()


class EventContextManager(Generic[T]):
    """Waits, at the end of a `with` block, for an event that occurs in it."""

    def __init__(self, waiter: Waiter[T]) -> None:
        self._waiter = waiter

    def __enter__(self) -> EventInfo[T]:
        return EventInfo(self._waiter)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None:
            self._waiter.result()
        else:
            self._waiter.close()


def check_no_loop() -> None:
    """Raises an `Error` if this thread runs an event loop, which the synchronous library would block."""
    if "asyncio" not in sys.modules:
        return
    import asyncio  # noqa: PLC0415

    if asyncio._get_running_loop() is not None:
        raise Error(
            "It looks like you are using Playwright Sync API inside the asyncio loop.\n"
            "Please use the Async API instead."
        )
