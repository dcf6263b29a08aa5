"""Waiting in the asynchronous library: in the running event loop. The synchronous one has its own version."""

from __future__ import annotations

import asyncio
import atexit
import inspect
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from threading import Thread
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from .._core import Dispatcher, Operation
from .._failures import CLOSED, caller, failure
from .._raised import HandlerErrors
from ..errors import BrowserError, TargetClosedError

if TYPE_CHECKING:
    from collections.abc import Coroutine, Sequence
    from types import TracebackType

    from ._base import Waiter

T = TypeVar("T")


class Runtime:
    """The connection of an event loop to the engine."""

    def __init__(self, handler: Callable[[str, int, Any], None]) -> None:
        self._loop = asyncio.get_running_loop()
        self._raised = HandlerErrors()
        self._stop_listening: Callable[[], None] | None = None
        self._tasks: set[asyncio.Task[Any]] = set()
        self._waits: set[asyncio.Future[Any]] | None = set()
        self._dispatcher = Dispatcher(handler, True)
        if not self._watch():
            self._dispatcher = Dispatcher(handler, False)
            self._listen()

    def _watch(self) -> bool:
        """Makes the loop watch the engine's file descriptor. Returns false if it cannot, as on Windows or with Qt."""
        number = self._dispatcher.fileno()
        if number < 0:
            return False
        try:
            self._loop.add_reader(number, self._dispatcher.drain)
        except NotImplementedError:
            return False
        return True

    def _listen(self) -> None:
        """Starts a thread that wakes the loop for messages of the engine."""
        thread = Thread(
            target=_wake, args=(self._dispatcher, self._loop), name="patchright_mcp events", daemon=True
        )
        thread.start()
        self._stop_listening = partial(_end, self._dispatcher, thread)
        # When the interpreter ends, the thread must no longer be blocked in the engine.
        atexit.register(self._stop_listening)

    @property
    def dispatcher(self) -> Dispatcher:
        """The dispatcher that delivers the engine's messages in this loop."""
        return self._dispatcher

    async def run(self, operation: Operation, timeout: float | None = None, log: Sequence[str] = ()) -> Any:
        """Runs an operation and returns its result. Cancelling the wait cancels the operation."""
        waits = self._waits
        if waits is None:
            raise TargetClosedError(f"{caller()}: {CLOSED}")
        if self._raised and asyncio.current_task() not in self._tasks:
            await self._fail(operation)
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

    async def _fail(self, operation: Operation) -> None:
        """Raises the exception of an event handler instead of running an operation. Only `close` is run first."""
        error = self._raised.take()
        if caller().endswith(".close"):
            await self.run(operation)
        raise error

    def start(self, operation: Operation) -> None:
        """Starts an operation without waiting for it."""
        self._dispatcher.start(operation)

    async def sleep(self, milliseconds: float) -> None:
        """Sleeps, unless an event handler has raised an exception, which is raised instead."""
        if self._raised and asyncio.current_task() not in self._tasks:
            raise self._raised.take()
        await asyncio.sleep(milliseconds / 1000)

    def call(self, handler: Callable[..., Any], *arguments: Any) -> None:
        """Calls an event handler. If it is a coroutine function, it runs concurrently."""
        try:
            result = handler(*arguments)
        except Exception as error:  # noqa: BLE001
            self._raised.note(error)
            return
        if inspect.isawaitable(result):
            self.spawn(_awaited(result))

    def spawn(self, work: Coroutine[Any, Any, Any]) -> None:
        """Runs a coroutine concurrently."""
        task = self._loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None:
            self._raised.note(error)

    async def settle(self, value: Any) -> Any:
        """Returns the value that a script's function returned, awaiting it if it is awaitable."""
        return await value if inspect.isawaitable(value) else value

    def close(self) -> None:
        """Disconnects the engine from the loop. Pending waits fail, and later messages are dropped."""
        waits, self._waits = self._waits, None
        if self._stop_listening is not None:
            self._stop_listening()
            atexit.unregister(self._stop_listening)
        else:
            with suppress(Exception):
                self._loop.remove_reader(self._dispatcher.fileno())
        self._dispatcher.close()
        for future in list(waits or ()):
            if not future.done():
                future.set_exception(TargetClosedError(CLOSED))


def _wake(dispatcher: Dispatcher, loop: asyncio.AbstractEventLoop) -> None:
    with suppress(RuntimeError):  # The loop is closed.
        while dispatcher.listen():
            loop.call_soon_threadsafe(dispatcher.drain)


def _end(dispatcher: Dispatcher, thread: Thread) -> None:
    dispatcher.close()
    thread.join()


async def _awaited(result: Awaitable[T]) -> T:
    return await result


class EventInfo(Generic[T]):
    """The event that a `with` block expects."""

    def __init__(self, waiter: Waiter[T]) -> None:
        self._task = asyncio.ensure_future(waiter.result())

    @property
    def value(self) -> Awaitable[T]:
        """Waits for the event and returns it."""
        return self._task

    def is_done(self) -> bool:
        """Returns whether the event has occurred."""
        return self._task.done()


class EventContextManager(Generic[T]):
    """Waits, at the end of a `with` block, for an event that occurs in it."""

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
    """Does nothing: only the synchronous library must not run in an event loop."""
