"""A pool in the browser of this process, for workers without an event loop."""

from __future__ import annotations

import asyncio
import atexit
import os
import threading
from typing import TYPE_CHECKING, Any, TypeVar

from ._pool import PagePool

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine, Iterable

    from ..async_api import Page

I = TypeVar("I")  # noqa: E741  (An item.)
T = TypeVar("T")


def map_here(
    work: Callable[[Page, I], Awaitable[T]],
    items: Iterable[I],
    *,
    launch: dict[str, Any] | None = None,
    **pool: Any,
) -> list[T]:
    """Like `PagePool.map`, in the browser of this process, for workers without an event loop.

    The first call starts the browser, with the options `launch`; it closes when the process ends. Each worker
    process has one browser, which all of its tasks share. `pool` has the options of the `PagePool`.

    Raises:
        PoolError: If some items fail.
    """
    return _ProcessBrowser.for_this_process(launch or {}).map(work, list(items), pool)


class _ProcessBrowser:
    """The browser of this process, and the thread of its event loop."""

    _current: _ProcessBrowser | None = None
    _lock = threading.Lock()

    def __init__(self, launch: dict[str, Any]) -> None:
        self._pid = os.getpid()
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, name="patchright-pool", daemon=True).start()
        try:
            self._browser = self._run(self._start(launch))
        except BaseException:
            self._loop.call_soon_threadsafe(self._loop.stop)
            raise
        atexit.register(self._close)

    @classmethod
    def for_this_process(cls, launch: dict[str, Any]) -> _ProcessBrowser:
        with cls._lock:
            # Starts a new one after a fork, which does not copy threads, or if the browser has ended.
            current = cls._current
            if current is None or not current.is_alive():
                cls._current = current = cls(launch)
            return current

    def is_alive(self) -> bool:
        return self._pid == os.getpid() and self._browser.is_connected()

    def map(
        self, work: Callable[[Page, I], Awaitable[T]], items: list[I], options: dict[str, Any]
    ) -> list[T]:
        async def all_of_them() -> list[T]:
            async with PagePool(self._browser, **options) as pool:
                return await pool.map(work, items)

        return self._run(all_of_them())

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    async def _start(self, launch: dict[str, Any]) -> Any:
        from ..async_api import async_playwright  # noqa: PLC0415  (The import is slow, and needed only here.)

        self._playwright = await async_playwright().start()
        return await self._playwright.chromium.launch(**launch)

    def _close(self) -> None:
        async def close() -> None:
            await self._browser.close()
            await self._playwright.stop()

        if self._pid == os.getpid():
            self._run(close())
            self._loop.call_soon_threadsafe(self._loop.stop)
