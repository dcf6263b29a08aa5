"""How the synchronous library waits: on the thread that calls. The asynchronous one has a file of the same names."""

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
    """Runs operations of the engine for threads. Handlers run on the waiting thread, while it waits."""

    def __init__(self, handler: Callable[[str, int, Any], None]) -> None:
        self._handler = handler
        self._raised = HandlerErrors()
        self._handling = 0
        self._dispatcher = Dispatcher(self._told, False)
        self._is_closed = False

    @property
    def dispatcher(self) -> Dispatcher:
        """The native queue that runs operations and delivers the events of the engine to the waiting thread."""
        return self._dispatcher

    def run(self, operation: Operation, timeout: float | None = None, log: Sequence[str] = ()) -> Any:
        """Runs an operation, and waits until it has ended."""
        if self._is_closed:
            raise TargetClosedError(f"{caller()}: {CLOSED}")
        if self._raised and not self._handling:
            self._fail(operation)
        try:
            return self._dispatcher.wait(operation)
        except BrowserError as error:
            raise failure(error, timeout, log) from None

    def _fail(self, operation: Operation) -> None:
        """Raises what a handler raised, in place of what was to be done; but what is closed is closed first."""
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
        """Does something that nobody waits for."""
        self._dispatcher.start(operation)

    def sleep(self, milliseconds: float) -> None:
        """Lets time pass, and handlers run."""
        if self._raised and not self._handling:
            raise self._raised.take()
        end = time.monotonic() + milliseconds / 1000
        never = Promise()
        while (left := end - time.monotonic()) > 0:
            with suppress(BrowserError):  # It is never kept: its time runs out.
                self._dispatcher.wait(never.wait(left * 1000))

    def call(self, handler: Callable[..., Any], *arguments: Any) -> None:
        """Calls a handler."""
        handler(*arguments)

    def spawn(self, work: Any) -> None:
        """There is nothing beside: the work has been done."""

    def settle(self, value: T) -> T:
        """The value that a function of a script gave."""
        return value

    def close(self) -> None:
        """Lets go of what nobody waits for. Nobody hears of what comes later."""
        self._is_closed = True
        self._dispatcher.close()


class EventInfo(Generic[T]):
    """What is being waited for while the body of a `with` runs."""

    def __init__(self, waiter: Waiter[T]) -> None:
        self._waiter = waiter

    @property
    def value(self) -> T:
        """What happened; waits for it."""
        return self._waiter.result()

    def is_done(self) -> bool:
        """Whether it has happened."""
        return self._waiter.is_done()


class EventContextManager(Generic[T]):
    """Waits, at its end, for what its body causes."""

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
    """A thread that runs an event loop must not wait."""
    if "asyncio" not in sys.modules:
        return
    import asyncio  # noqa: PLC0415

    if asyncio._get_running_loop() is not None:
        raise Error(
            "It looks like you are using Playwright Sync API inside the asyncio loop.\n"
            "Please use the Async API instead."
        )
