"""Console messages and uncaught errors of pages and workers."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

from .._failures import parse_page_error
from ._base import ApiObject, Waiter
from ._runtime import EventContextManager
from .handle import to_js_handle

if TYPE_CHECKING:
    from .._typed import SourceLocation, WebErrorLocation
    from ..errors import Error
    from .context import BrowserContext
    from .handle import JSHandle
    from .network import NetworkTraffic, Worker
    from .page import Page

T = TypeVar("T")
REMEMBERED = 200
"""The maximum number of messages, and of errors, that a page object keeps."""


class ConsoleMessage:
    """A console message of a page or a worker."""

    def __init__(
        self,
        said: tuple[str, str, list[Any], tuple[str, int, int], float],
        page: Page | None,
        worker: Worker | None,
    ) -> None:
        self._type, self._text, arguments, self._place, self._timestamp = said
        self._page = page
        self._worker = worker
        owner = page if page is not None else worker
        self._args = [to_js_handle(owner, argument) for argument in arguments]

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"<ConsoleMessage type={self._type} text={self._text}>"

    @property
    def type(self) -> str:
        """The kind of message: `log`, `warning`, `error`, `dir`, `trace`, `timeEnd` and so on."""
        return self._type

    @property
    def text(self) -> str:
        """The message as text."""
        return self._text

    @property
    def args(self) -> list[JSHandle]:
        """The logged arguments. Error-like values are only text: a page can detect further access."""
        return list(self._args)

    @property
    def location(self) -> SourceLocation:
        """Where the message was logged. Lines and columns are counted from 0."""
        url, line, column = self._place
        return {"url": url, "lineNumber": line, "columnNumber": column, "line": line, "column": column}

    @property
    def timestamp(self) -> float:
        """When the message was logged, in milliseconds since 1970; 0 if unknown."""
        return self._timestamp

    @property
    def page(self) -> Page | None:
        """The page that logged the message; `None` for shared workers."""
        return self._page

    @property
    def worker(self) -> Worker | None:
        """The worker that logged the message, if any."""
        return self._worker


class WebError:
    """An uncaught error of a page."""

    def __init__(self, error: Error, page: Page | None, place: tuple[str, int, int]) -> None:
        self._error = error
        self._page = page
        self._place = place

    @property
    def error(self) -> Error:
        """The error itself."""
        return self._error

    @property
    def page(self) -> Page | None:
        """The page in which the error occurred."""
        return self._page

    @property
    def location(self) -> WebErrorLocation:
        """Where the error was thrown. Line and column are counted from 0."""
        url, line, column = self._place
        return {"url": url, "line": line, "column": column}


class ContextConsole(ApiObject):
    """The console of a context's pages and workers."""

    _native: Any
    _traffic: NetworkTraffic
    _closed: bool

    def _follow_console(self) -> None:
        self._console_subscribed = (False, False)
        self._workers_subscribed = 0

    def _listening_changed(self, event: str) -> None:
        if event in ("console", "weberror"):
            self._update_console()

    def _update_console(self) -> None:
        wanted = (
            self._has_handlers("console") or self._workers_subscribed > 0,
            self._has_handlers("weberror"),
        )
        if wanted != self._console_subscribed and not self._closed:
            self._console_subscribed = wanted
            self._native.set_console_filter(*wanted)

    def _report_console(self, name: str, payload: Any) -> None:
        context = cast("BrowserContext", self)
        if name == "uncaught":
            text, place, native = payload
            page = context._page_of(native) if native is not None else None
            error = WebError(parse_page_error(text), page, place)
            traced = self._connection.traced
            if traced is not None:
                traced._threw(error, context)
            self._emit("weberror", error)
            if page is not None:
                page._page_errors.append((page._document(), error.error))
                page._emit("pageerror", error.error)
            return
        *said, native, native_worker = payload
        page = context._page_of(native) if native is not None else None
        worker = self._traffic.worker_of(native_worker) if native_worker is not None else None
        message = ConsoleMessage(cast("Any", said), page, worker)
        if worker is not None:
            worker._emit("console", message)
        if page is not None:
            page._console_messages.append((page._document(), message))
            page._emit("console", message)
        self._emit("console", message)

    def expect_console_message(
        self,
        predicate: Callable[[ConsoleMessage], bool] | None = None,
        *,
        timeout: float | timedelta | None = None,
    ) -> EventContextManager[ConsoleMessage]:
        """Waits, when the `with` block ends, for a console message logged in it.

        Raises:
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        waiter: Waiter[ConsoleMessage] = cast("BrowserContext", self)._expect("console", predicate, timeout)
        return EventContextManager(waiter)


class PageConsole(ApiObject):
    """The console of a page and its workers."""

    _native: Any
    _closed: bool
    _context: BrowserContext

    def _follow_console(self) -> None:
        self._console_subscribed = (False, False)
        self._console_messages: deque[tuple[str, ConsoleMessage]] = deque(maxlen=REMEMBERED)
        self._page_errors: deque[tuple[str, Error]] = deque(maxlen=REMEMBERED)

    def _update_console(self) -> None:
        wanted = (self._has_handlers("console"), self._has_handlers("pageerror"))
        if wanted != self._console_subscribed and not self._closed:
            self._console_subscribed = wanted
            self._native.set_console_filter(*wanted)

    def _document(self) -> str:
        loader: str = self._native.main_frame.loader
        return loader

    def _those_of(self, said: deque[tuple[str, T]], which: str | None) -> list[T]:
        now = self._document()
        return [what for document, what in said if which == "all" or document == now]

    def _is_listened_to(self) -> bool:
        return any(self._console_subscribed) or any(self._context._console_subscribed)

    async def _read_console(self, *, errors: bool) -> None:
        """Makes the browser report its stored messages, unless listeners have received them already."""
        if not self._is_listened_to():
            self._console_messages.clear()
            self._page_errors.clear()
            await self._run(self._native.replay_console(errors))

    async def console_messages(
        self,
        *,
        filter: Literal["all", "since-navigation"] | None = None,
    ) -> list[ConsoleMessage]:
        """Returns the newest messages, at most 200, oldest first.

        Messages of earlier documents are included only with `filter="all"`, if a listener was attached.
        """
        await self._read_console(errors=False)
        return self._those_of(self._console_messages, filter)

    async def page_errors(
        self,
        *,
        filter: Literal["all", "since-navigation"] | None = None,
    ) -> list[Error]:
        """Returns the newest uncaught errors, at most 200, oldest first. See `console_messages`.

        A page that observes how its errors are accessed can notice this.
        """
        await self._read_console(errors=True)
        return self._those_of(self._page_errors, filter)

    async def clear_console_messages(self) -> None:
        """Discards the messages so far."""
        self._console_messages.clear()
        self._native.clear_console()

    async def clear_page_errors(self) -> None:
        """Discards the errors so far."""
        self._page_errors.clear()
        self._native.clear_console()

    def expect_console_message(
        self,
        predicate: Callable[[ConsoleMessage], bool] | None = None,
        *,
        timeout: float | timedelta | None = None,
    ) -> EventContextManager[ConsoleMessage]:
        """Waits, when the `with` block ends, for a console message logged in it.

        Raises:
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        waiter: Waiter[ConsoleMessage] = cast("Page", self)._expect("console", predicate, timeout)
        return EventContextManager(waiter)
