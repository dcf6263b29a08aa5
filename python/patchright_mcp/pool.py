"""Many pages at a time, as many as there is room for, each in a context of its own, and another try.

Example:
    async with PagePool(browser, size=8) as pool:
        titles = await pool.map(read_title, urls)  # async def read_title(page, url): ...

In workers of Ray, Dask or Celery, `map_here(read_title, urls)` does so in one browser of that worker.
"""

from __future__ import annotations

import asyncio
import atexit
import os
import threading
import time
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from .errors import Error

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable

    from .async_api import Browser, Page

__all__ = ["PagePool", "chunks", "map_here"]

I = TypeVar("I")  # noqa: E741  (An item.)
T = TypeVar("T")
_LOOK_AGAIN = 0.5


class PagePool:
    """Pages of one browser, at most `size` at a time.

    While the machine has less than `least_free_mb` of memory left, no further page is opened beside one that
    works. Each page has a new context, made with `options`. What fails with an `Error` is tried `retries`
    times more, each time afresh. `block` are arguments of `BrowserContext.block` for each of them.

    `proxies` are taken in turn, or by the rule `rotation="failure"`: one until a page with it fails. Either
    way one with which a page has failed rests `rest_s` seconds while there are others. A function in place of
    them is asked for each page, and told how many pages there were before.
    """

    def __init__(
        self,
        browser: Browser,
        *,
        size: int = 4,
        retries: int = 1,
        least_free_mb: int = 400,
        proxies: Iterable[dict[str, Any]] | Callable[[int], dict[str, Any] | None] = (),
        rotation: Literal["turn", "failure"] = "turn",
        rest_s: float = 60,
        block: dict[str, Any] | None = None,
        **options: Any,
    ) -> None:
        self._browser = browser
        self._free = asyncio.Semaphore(size)
        self._retries = retries
        self._least_free_mb = least_free_mb
        self._ways = Ways(proxies, by_turn=rotation == "turn", rest_s=rest_s)
        self._block = block
        self._options = options
        self._open = 0

    async def __aenter__(self) -> PagePool:  # noqa: PYI034  (`Self` is younger than Python 3.10.)
        return self

    async def __aexit__(self, *_: object) -> None:
        """Each page is closed by who has it."""

    @asynccontextmanager
    async def page(self) -> AsyncIterator[Page]:
        """A page of one's own, as soon as there is room."""
        async with self._free:
            while self._open and free_mb() < self._least_free_mb:
                await asyncio.sleep(_LOOK_AGAIN)
            self._open += 1
            proxy = self._ways.next()
            try:
                chosen = self._options if proxy is None else {**self._options, "proxy": proxy}
                context = await self._browser.new_context(**chosen)
                try:
                    if self._block:
                        await context.block(**self._block)
                    yield await context.new_page()
                finally:
                    await context.close()
            except Error:
                self._ways.failed(proxy)
                raise
            finally:
                self._open -= 1

    async def run(self, work: Callable[[Page], Awaitable[T]]) -> T:
        """What `work` gives with a page; tried again with another one when it fails with an `Error`.

        Raises:
            Error: That of the last try.
        """
        for left in range(self._retries, -1, -1):
            try:
                async with self.page() as page:
                    return await work(page)
            except Error:
                if not left:
                    raise
        raise AssertionError

    async def map(self, work: Callable[[Page, I], Awaitable[T]], items: Iterable[I]) -> list[T]:
        """What `work` gives for each of the items, in their order.

        Raises:
            Error: The first failure; `try_map` goes on.
        """
        return list(await asyncio.gather(*(self.run(partial(_turned, work, item)) for item in items)))

    async def try_map(self, work: Callable[[Page, I], Awaitable[T]], items: Iterable[I]) -> list[T | Error]:
        """Like `map`; failures stand among the results."""

        async def one(item: I) -> T | Error:
            try:
                return await self.run(partial(_turned, work, item))
            except Error as error:
                return error

        return list(await asyncio.gather(*map(one, items)))


class Ways:
    """Proxies, and which is next."""

    def __init__(
        self,
        proxies: Iterable[dict[str, Any]] | Callable[[int], dict[str, Any] | None],
        *,
        by_turn: bool,
        rest_s: float,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._asked = proxies if callable(proxies) else None
        self._proxies = [] if callable(proxies) else list(proxies)
        self._by_turn = by_turn
        self._rest_s = rest_s
        self._now = now
        self._rests_until = [now()] * len(self._proxies)
        self._taken = 0
        self._at = 0

    def next(self) -> dict[str, Any] | None:
        """The proxy for the next page; `None` for none."""
        self._taken += 1
        if self._asked is not None:
            return self._asked(self._taken - 1)
        if not self._proxies:
            return None
        count = len(self._proxies)
        following = [(self._at + step) % count for step in range(count)]
        rested = (at for at in following if self._rests_until[at] <= self._now())
        chosen = next(rested, None)
        if chosen is None:
            chosen = min(following, key=self._rests_until.__getitem__)
        self._at = (chosen + 1) % count if self._by_turn else chosen
        return self._proxies[chosen]

    def failed(self, proxy: dict[str, Any] | None) -> None:
        """A page with this proxy failed: it rests while there are others."""
        for at, known in enumerate(self._proxies):
            if known is proxy:
                self._rests_until[at] = self._now() + self._rest_s


def map_here(
    work: Callable[[Page, I], Awaitable[T]],
    items: Iterable[I],
    *,
    launch: dict[str, Any] | None = None,
    **pool: Any,
) -> list[T]:
    """Like `PagePool.map`, in the browser of this process, for workers that know no coroutines.

    It is started by the first call, with the options `launch`, and closed when the process ends: one browser
    for each worker, whatever number of tasks it is given. `pool` are options of the `PagePool`.

    Raises:
        Error: The first failure.
    """
    return _Here.of_this_process(launch or {}).map(work, list(items), pool)


def chunks(items: Iterable[I], size: int) -> list[list[I]]:
    """The items in lists of `size`: what one task of a worker is given at once."""
    every = list(items)
    return [every[start : start + size] for start in range(0, len(every), size)]


class _Here:
    """A browser of this process, and a thread with the loop that it lives in."""

    _made: _Here | None = None
    _making = threading.Lock()

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
    def of_this_process(cls, launch: dict[str, Any]) -> _Here:
        with cls._making:
            # A process that was forked has none of its parent's threads. A browser that ended is none.
            made = cls._made
            if made is None or not made.is_alive():
                cls._made = made = cls(launch)
            return made

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

    async def _start(self, launch: dict[str, Any]) -> Browser:
        from .async_api import async_playwright  # noqa: PLC0415  (It imports much, and is needed here only.)

        self._playwright = await async_playwright().start()
        return await self._playwright.chromium.launch(**launch)

    def _close(self) -> None:
        async def close() -> None:
            await self._browser.close()
            await self._playwright.stop()

        if self._pid == os.getpid():
            self._run(close())
            self._loop.call_soon_threadsafe(self._loop.stop)


async def _turned(work: Callable[[Page, I], Awaitable[T]], item: I, page: Page) -> T:
    return await work(page, item)


def free_mb() -> float:
    """How much memory is left, as far as the system says."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:
        return float("inf")
    told = next((line.split()[1] for line in lines if line.startswith("MemAvailable:")), None)
    return float("inf") if told is None else int(told) / 1024
