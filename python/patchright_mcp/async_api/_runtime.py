"""How the asynchronous library waits: in the event loop that runs. The synchronous one has a file of the same names."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from .._core import Dispatcher, Operation
from .._failures import CLOSED, caller, failure
from ..errors import BrowserError, TargetClosedError

if TYPE_CHECKING:
    from collections.abc import Coroutine, Sequence
    from types import TracebackType

    from ._base import Waiter

T = TypeVar("T")


class Runtime:
    """One event loop's way to the engine."""

    def __init__(self, handler: Callable[[str, int, Any], None]) -> None:
        self._loop = asyncio.get_running_loop()
        self._dispatcher = Dispatcher(handler, True)
        self._tasks: set[asyncio.Task[Any]] = set()
        self._waits: set[asyncio.Future[Any]] | None = set()
        self._loop.add_reader(self._dispatcher.fileno(), self._dispatcher.drain)

    @property
    def dispatcher(self) -> Dispatcher:
        """What the engine tells of, in this loop."""
        return self._dispatcher

    async def run(self, operation: Operation, timeout: float | None = None, log: Sequence[str] = ()) -> Any:
        """Does something. Giving up the wait gives up the operation."""
        waits = self._waits
        if waits is None:
            raise TargetClosedError(f"{caller()}: {CLOSED}")
        future = self._loop.create_future()
        waits.add(future)
        try:
            self._dispatcher.begin(operation, future)
            return await future
        except asyncio.CancelledError:
            operation.cancel()
            raise
        except BrowserError as error:
            raise failure(error, timeout, log) from None
        finally:
            waits.discard(future)

    def start(self, operation: Operation) -> None:
        """Does something that nobody waits for."""
        self._dispatcher.start(operation)

    async def sleep(self, milliseconds: float) -> None:
        """Lets time pass."""
        await asyncio.sleep(milliseconds / 1000)

    def call(self, handler: Callable[..., Any], *arguments: Any) -> None:
        """Calls a handler; one that is a coroutine runs beside all else."""
        result = handler(*arguments)
        if inspect.isawaitable(result):
            self.spawn(_awaited(result))

    def spawn(self, work: Coroutine[Any, Any, Any]) -> None:
        """Runs something beside all else."""
        task = self._loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def settle(self, value: Any) -> Any:
        """The value that a function of a script gave, at once or later."""
        return await value if inspect.isawaitable(value) else value

    def close(self) -> None:
        """Lets go of the loop. Nobody hears of what is still waited for, nor of what comes later."""
        waits, self._waits = self._waits, None
        with suppress(Exception):
            self._loop.remove_reader(self._dispatcher.fileno())
        self._dispatcher.close()
        for future in list(waits or ()):
            if not future.done():
                future.set_exception(TargetClosedError(CLOSED))


async def _awaited(result: Awaitable[T]) -> T:
    return await result


class EventInfo(Generic[T]):
    """What is being waited for while the body of a `with` runs."""

    def __init__(self, waiter: Waiter[T]) -> None:
        self._task = asyncio.ensure_future(waiter.result())

    @property
    def value(self) -> Awaitable[T]:
        """What happened; wait for it."""
        return self._task

    def is_done(self) -> bool:
        """Whether it has happened."""
        return self._task.done()


class EventContextManager(Generic[T]):
    """Waits, at its end, for what its body causes."""

    def __init__(self, waiter: Waiter[T]) -> None:
        self._info = EventInfo(waiter)

    async def __aenter__(self) -> EventInfo[T]:
        return self._info

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None:
            await self._info.value
        else:
            self._info._task.cancel()
            with suppress(BaseException):
                await self._info._task


def check_no_loop() -> None:
    """Nothing to check: this library lives in a loop."""
