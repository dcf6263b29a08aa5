"""The page pool."""

from __future__ import annotations

import asyncio
import inspect
import os
import time
from collections.abc import Sized
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from .. import _core
from .._arguments import checked
from ..errors import Error
from ._progress import Progress, ProgressBar
from ._proxies import ProxyRotation
from ._results import PoolError, Result, ResultFile

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterable, Iterator

    from ..async_api import Browser, BrowserContext, Page

I = TypeVar("I")  # noqa: E741  (An item.)
T = TypeVar("T")
_MB_PER_PAGE = 150
_MEMORY_CHECK_S = 0.5


@dataclass
class _Slot:
    """A page with its context, which the pool can keep for another item."""

    context: BrowserContext
    page: Page
    proxy: dict[str, Any] | None
    owns_context: bool

    def is_reusable(self) -> bool:
        """Returns whether the previous item left nothing in the page but cookies, storage and cache."""
        if self.page.is_closed() or self.page._is_configured():
            return False
        return not self.owns_context or (len(self.context.pages) == 1 and not self.context._is_configured())


class PagePool:
    """A pool of pages of one browser, which work concurrently.

    `size` is the maximum number of pages. Default: two per processor, as far as memory allows. While less than
    `least_free_mb` megabytes of memory are free, no page opens in addition to working ones.

    `isolate` sets what the items share:

    - `"worker"` (default): each of the `size` workers keeps a context and a page for one item after the other.
      Items of one worker share cookies, storage and cache; items that run at the same time share nothing.
    - `"none"`: all workers share one context. Saves memory, and a login holds for all of them.
    - `"page"`: each item has a new context. Nothing is shared; about four times slower with small pages.

    A kept page is replaced after work that failed, or that changed the page: by listeners, routes, init scripts,
    exposed functions or emulation. `options` are those of `Browser.new_context`, for each context. `block` has the
    arguments of `BrowserContext.block`, for each context.

    Work that raises one of the exceptions `retry_on` is retried up to `retries` times, with a new page, after
    `retry_delay_s` seconds, doubled each time. Default: one retry after an `Error`, without delay.

    `min_interval_s` is the minimum time between two navigations to one origin. `respect_robots` obeys each site's
    robots.txt: `goto` fails for disallowed URLs.

    `proxies` are used in turn, or with `rotation="failure"`, each until a page with it fails. A proxy that failed is
    not used for `rest_s` seconds, if there are others. A function instead of a list is called for each page, with
    the number of pages before.

    `progress` is called with a `Progress` after each item; `True` draws a progress bar on a terminal.
    """

    @checked
    def __init__(
        self,
        browser: Browser,
        *,
        size: int | None = None,
        isolate: Literal["page", "worker", "none"] = "worker",
        retries: int = 1,
        retry_on: type[Exception] | tuple[type[Exception], ...] = Error,
        retry_delay_s: float = 0,
        least_free_mb: int = 400,
        min_interval_s: float = 0,
        respect_robots: bool = False,
        proxies: Iterable[dict[str, Any]] | Callable[[int], dict[str, Any] | None] = (),
        rotation: Literal["turn", "failure"] = "turn",
        rest_s: float = 60,
        block: dict[str, Any] | None = None,
        progress: bool | Callable[[Progress], Any] = False,
        **options: Any,
    ) -> None:
        if size is not None and size < 1:
            raise Error(f"PagePool: size: expected 1 or more, got {size}")
        try:
            inspect.signature(browser.new_context).bind(**options)
        except TypeError as error:
            raise Error(f"PagePool: {error}") from None
        self._browser = browser
        self._size = default_size() if size is None else size
        self._isolate = isolate
        self._retries = retries
        self._retry_on = retry_on
        self._retry_delay_s = retry_delay_s
        self._least_free_mb = least_free_mb
        self._pacing = _core.Pacing(min_interval_s, respect_robots)
        self._proxies = ProxyRotation(proxies, by_turn=rotation == "turn", rest_s=rest_s)
        self._block = block
        self._progress = ProgressBar() if progress is True else progress or None
        self._options = options
        self._room = asyncio.Semaphore(self._size)
        self._working = 0
        self._kept: list[_Slot] = []
        self._shared: list[tuple[dict[str, Any] | None, asyncio.Task[BrowserContext]]] = []

    async def __aenter__(self) -> PagePool:  # noqa: PYI034  (`Self` needs Python 3.11.)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes the kept pages and contexts."""
        kept, self._kept = self._kept, []
        for slot in kept:
            await self._discard(slot)
        shared, self._shared = self._shared, []
        for _, context in shared:
            await (await context).close()

    @asynccontextmanager
    async def page(self) -> AsyncIterator[Page]:
        """Yields a page of the pool, as soon as one is free."""
        async with self._room:
            proxy = self._proxies.next()
            slot = self._take(proxy)
            if slot is None:
                while self._working and free_mb() < self._least_free_mb:
                    await asyncio.sleep(_MEMORY_CHECK_S)
            self._working += 1
            keeps = False
            try:
                slot = slot or await self._open(proxy)
                yield slot.page
                keeps = self._isolate != "page" and slot.is_reusable()
            except Error:
                self._proxies.failed(proxy)
                raise
            finally:
                self._working -= 1
                if keeps and slot is not None:
                    self._kept.append(slot)
                elif slot is not None:
                    await self._discard(slot)

    def _take(self, proxy: dict[str, Any] | None) -> _Slot | None:
        """Removes and returns a kept page with this proxy; `None` if there is none."""
        at = next((at for at, slot in enumerate(self._kept) if slot.proxy is proxy), None)
        return None if at is None else self._kept.pop(at)

    async def _open(self, proxy: dict[str, Any] | None) -> _Slot:
        while len(self._kept) + self._working > self._size:
            # All kept pages use other proxies; otherwise `_take` would have returned one.
            await self._discard(self._kept.pop(0))
        owns = self._isolate != "none"
        context = await (self._new_context(proxy) if owns else self._shared_context(proxy))
        try:
            return _Slot(context, await context.new_page(), proxy, owns)
        except BaseException:
            if owns:
                await context.close()
            raise

    async def _shared_context(self, proxy: dict[str, Any] | None) -> BrowserContext:
        for known, context in self._shared:
            if known is proxy:
                return await asyncio.shield(context)
        made = asyncio.ensure_future(self._new_context(proxy))
        self._shared.append((proxy, made))
        try:
            return await asyncio.shield(made)
        except Error:
            self._shared.remove((proxy, made))
            raise

    async def _new_context(self, proxy: dict[str, Any] | None) -> BrowserContext:
        options = self._options if proxy is None else {**self._options, "proxy": proxy}
        context = await self._browser.new_context(**options)
        try:
            if self._block:
                await context.block(**self._block)
            context._pacing = self._pacing
            context._settings_changed = False
        except BaseException:
            await context.close()
            raise
        return context

    @staticmethod
    async def _discard(slot: _Slot) -> None:
        await (slot.context if slot.owns_context else slot.page).close()

    async def run(self, work: Callable[[Page], Awaitable[T]]) -> T:
        """Runs `work` with a page and returns its result. Failures are retried with another page.

        Raises:
            Exception: The exception of the last attempt.
        """
        result = await self._attempt(lambda page, _: work(page), 0, None)
        if result.error is not None:
            raise result.error
        return result.value  # type: ignore[return-value]

    @checked
    def stream(
        self, work: Callable[[Page, I], Awaitable[T]], items: Iterable[I]
    ) -> AsyncGenerator[Result[I, T], None]:
        """Yields a `Result` for each item, including failed ones, as soon as the item is done.

        Items are taken from the iterable when a worker is free. Leaving the loop early cancels running work.
        """
        return self._stream(work, enumerate(items), len(items) if isinstance(items, Sized) else None)

    async def _stream(
        self,
        work: Callable[[Page, I], Awaitable[T]],
        numbered: Iterator[tuple[int, I]],
        total: int | None,
    ) -> AsyncGenerator[Result[I, T], None]:
        results: asyncio.Queue[Result[I, T] | None] = asyncio.Queue()
        workers = [asyncio.ensure_future(self._work(work, numbered, results)) for _ in range(self._size)]
        everything = asyncio.ensure_future(asyncio.wait(workers))
        everything.add_done_callback(lambda _: results.put_nowait(None))
        begun = time.monotonic()
        done = failed = 0
        try:
            while (result := await results.get()) is not None:
                done += 1
                failed += not result.ok
                if self._progress:
                    self._progress(Progress(done, failed, total, time.monotonic() - begun))
                yield result
            for worker in workers:
                worker.result()
        finally:
            for worker in workers:
                worker.cancel()
            await asyncio.gather(*workers, everything, return_exceptions=True)

    async def _work(
        self,
        work: Callable[[Page, I], Awaitable[T]],
        numbered: Iterator[tuple[int, I]],
        results: asyncio.Queue[Result[I, T] | None],
    ) -> None:
        for index, item in numbered:
            results.put_nowait(await self._attempt(work, index, item))

    async def _attempt(self, work: Callable[[Page, I], Awaitable[T]], index: int, item: I) -> Result[I, T]:
        attempts = 0
        while True:
            attempts += 1
            try:
                async with self.page() as page:
                    return Result(index, item, await work(page, item), None, attempts)
            except Exception as error:  # noqa: BLE001  (The exception becomes a part of the result.)
                if attempts > self._retries or not self._may_succeed(error):
                    return Result(index, item, None, error, attempts)
            if self._retry_delay_s:
                await asyncio.sleep(self._retry_delay_s * 2 ** (attempts - 1))

    def _may_succeed(self, error: Exception) -> bool:
        """Returns whether another attempt may succeed. A URL that robots.txt disallows is not retried."""
        return isinstance(error, self._retry_on) and getattr(error, "_code", "") != "robots_disallow"

    async def map(self, work: Callable[[Page, I], Awaitable[T]], items: Iterable[I]) -> list[T]:
        """Runs `work` for each item and returns the results in the order of the items.

        Raises:
            PoolError: If an item fails, after all items are done. Its `results` has the result of every item.
        """
        results = await self._all(work, items)
        if any(not result.ok for result in results):
            raise PoolError(results)
        return [result.value for result in results]  # type: ignore[misc]

    async def try_map(
        self, work: Callable[[Page, I], Awaitable[T]], items: Iterable[I]
    ) -> list[T | Exception]:
        """Like `map`, but returns exceptions in place of the results of failed items."""
        return [result.error or result.value for result in await self._all(work, items)]  # type: ignore[misc]

    async def _all(self, work: Callable[[Page, I], Awaitable[T]], items: Iterable[I]) -> list[Result[I, T]]:
        results = [result async for result in self.stream(work, items)]
        return sorted(results, key=lambda result: result.index)

    @checked
    async def save(
        self,
        work: Callable[[Page, I], Awaitable[Any]],
        items: Iterable[I],
        path: str | Path,
        *,
        key: Callable[[I], str] = str,
    ) -> list[Result[I, Any]]:
        """Runs `work` for each item and appends its rows to a file at once. Returns the results of failed items.

        The file is CSV if its name ends in `.csv`, else JSON Lines. `work` returns a row, or a list of rows: dicts,
        dataclasses, pydantic models or plain values. Each row begins with its `item`.

        A later call with the same file continues it: items already in the file, identified by `key`, are skipped. No
        row occurs twice, even after the program was killed. Failed items are not written, and are tried again.
        `NAME.progress`, beside the file, lists the items in the file; delete both to start over.
        """
        file = ResultFile(path)
        try:
            left = [(index, item) for index, item in enumerate(items) if key(item) not in file.done]
            failed = []
            async for result in self._stream(work, iter(left), len(left)):
                if result.ok:
                    file.write(key(result.item), result.item, result.value)
                else:
                    failed.append(result)
            return failed
        finally:
            file.close()


def chunks(items: Iterable[I], size: int) -> list[list[I]]:
    """Splits items into lists of `size`, for example one list for each task of a worker."""
    every = list(items)
    return [every[start : start + size] for start in range(0, len(every), size)]


def default_size() -> int:
    """Returns the default size of a pool: two pages per processor, as far as memory allows; at least one."""
    by_memory = free_mb() / _MB_PER_PAGE
    return int(max(1, min(2 * (os.cpu_count() or 1), by_memory)))


def free_mb() -> float:
    """Returns the available memory in megabytes; infinity if the system does not report it."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:
        return float("inf")
    available = next((line.split()[1] for line in lines if line.startswith("MemAvailable:")), None)
    return float("inf") if available is None else int(available) / 1024
