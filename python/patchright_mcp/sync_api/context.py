"""Browser contexts: separate cookies, storage and permissions, and their pages."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urljoin

from .. import _actions as actions
from .._cookies import matching_cookies, to_engine_cookie, to_script_cookie
from .._folders import write_private
from .._options import check_geolocation, load_storage_state
from ..errors import Error
from ._base import DEFAULT_TIMEOUT, Closable, Waiter, accepted_arguments, closed_error
from ._disposable import Disposable
from ._events import ContextEvents
from ._runtime import EventContextManager
from .api_request import APIRequestContext
from .cdp import CDPSession
from .clock import Clock
from .console import ContextConsole
from .credentials import Credentials
from .debugger import Debugger
from .frame import Frame
from .har import HarRecorder
from .network import ContextTraffic, NetworkTraffic
from .page import Page, check_headers, script_source
from .reading import ContextReading
from .tracing import Tracing
from .web_socket_route import SocketRouting, WebSocketRoute

if TYPE_CHECKING:
    from .._core import BrowserContext as NativeContext
    from .._core import Operation, Pacing
    from .._core import Page as NativePage
    from .._typed import Cookie, Geolocation, SetCookieParam, StorageState
    from .browser import Browser


class BrowserContext(ContextTraffic, ContextConsole, ContextReading, Closable, ContextEvents):
    """An isolated context."""

    def __init__(self, browser: Browser, native: NativeContext, options: dict[str, Any]) -> None:
        super().__init__(browser._connection)
        self._browser = browser
        self._native = native
        self._options = options
        self._base_url: str | None = options.get("base_url")
        self._strict_selectors = bool(options.get("strict_selectors"))
        self._media: dict[str, Any] = {
            name: options.get(name)
            for name in ("color_scheme", "reduced_motion", "forced_colors", "contrast")
        }
        self._pages: dict[int, Page] = {}
        self._settings_changed = False
        self._pacing: Pacing | None = None
        self._traffic = NetworkTraffic(self)
        self._follow_console()
        self._socket_routing = SocketRouting(self)
        self._requests: APIRequestContext | None = None
        self._debugger: Debugger | None = None
        self._exposed: dict[str, Callable[..., Any]] = {}
        self._default_timeout: float | None = None
        self._default_navigation_timeout: float | None = None
        self._close_reason: str | None = None
        self._closed = False
        self._closing = False
        self._recorders: list[HarRecorder] = []
        self.clock: Clock = Clock(self)
        """The fake clock of the context's pages."""
        self.credentials: Credentials = Credentials(self)
        """The passkeys with which sites in this context can sign in."""
        self.tracing: Tracing = Tracing(self)
        """Traces of the calls and requests in this context."""
        if options.get("record_har_path"):
            content = options.get("record_har_content")
            if content is None and options.get("record_har_omit_content"):
                content = "omit"
            HarRecorder(
                self,
                options["record_har_path"],
                url_filter=options.get("record_har_url_filter"),
                content=content,
                mode=options.get("record_har_mode"),
            )
        self._connection.register(native.key, self)
        for page in native.pages:
            self._page_of(page)
        self._traffic.update_subscriptions()

    def __repr__(self) -> str:
        return f"<BrowserContext browser={self.browser}>"

    # Events of the engine.

    def _listening_changed(self, event: str) -> None:
        super()._listening_changed(event)
        self._traffic.update_listening(event)

    def _page_of(self, native: NativePage) -> Page:
        page = self._pages.get(native.key)
        if page is None:
            page = self._pages[native.key] = Page(self, native)
        return page

    def _reported(self, name: str, payload: Any) -> None:
        if self._traffic.reported(name, payload):
            return
        if name == "page":
            page = self._page_of(payload)
            self._emit("page", page)
            opener = payload.opener
            if opener is not None:
                self._page_of(opener)._emit("popup", page)
        elif name in ("console", "uncaught"):
            self._report_console(name, payload)
        elif name == "context_closed":
            self._gone()

    def _run(self, operation: Operation, timeout: float | None = None, log: Sequence[str] = ()) -> Any:
        if self._closed:
            raise closed_error(self._close_reason)
        return super()._run(operation, timeout, log)

    def _page_closed(self, page: Page) -> None:
        self._pages.pop(page._native.key, None)

    def _gone(self) -> None:
        if self._closed:
            return
        self._closed = True
        for page in list(self._pages.values()):
            page._close_reason = page._close_reason or self._close_reason
            page._gone()
        self._connection.unregister(self._native.key)
        self._browser._context_closed(self)
        self._emit("close", self)

    def _finish_recordings(self) -> None:
        for page in self.pages:
            page._finish_recordings()
        network = self.tracing._network
        for recorder in list(self._recorders):
            if recorder is not network:
                recorder.stop()

    def _timeout(self, timeout: float | timedelta | None = None) -> float:
        if timeout is not None:
            return actions.milliseconds(timeout)
        return self._default_timeout if self._default_timeout is not None else DEFAULT_TIMEOUT

    def _resolved(self, url: str) -> str:
        return urljoin(self._base_url, url) if self._base_url else url

    # Properties and timeouts.

    @property
    def browser(self) -> Browser | None:
        """The browser that this context belongs to."""
        return self._browser

    @property
    def request(self) -> APIRequestContext:
        """Sends API requests with the cookies of this context."""
        if self._requests is None:
            self._requests = APIRequestContext._of_context(self)
        return self._requests

    @property
    def pages(self) -> list[Page]:
        """The open pages, oldest first."""
        return list(self._pages.values())

    @property
    def background_pages(self) -> list[Page]:
        """Always empty: extensions in current browsers have no background pages."""
        return []

    @property
    def debugger(self) -> Debugger:
        """Pauses the script's calls in this context, one at a time."""
        if self._debugger is None:
            self._debugger = Debugger(self)
        return self._debugger

    def is_closed(self) -> bool:
        """Returns whether the context is closed."""
        return self._closed

    def _is_configured(self) -> bool:
        """Returns whether a script has changed settings, routes or handlers that would affect later work."""
        return self._settings_changed or bool(self._traffic.routing.handlers) or any(self._handlers.values())

    def set_default_timeout(self, timeout: float | timedelta) -> None:
        """Sets the default timeout of all waits, in milliseconds. Initially 30 s."""
        self._settings_changed = True
        self._default_timeout = actions.milliseconds(timeout)

    def set_default_navigation_timeout(self, timeout: float | timedelta) -> None:
        """Sets the default timeout of navigations, in milliseconds."""
        self._settings_changed = True
        self._default_navigation_timeout = actions.milliseconds(timeout)

    # Opening pages and closing.

    def new_page(self) -> Page:
        """Opens a page."""
        if self._options.get("owner_page"):
            raise Error("Please use browser.new_context()")
        return self._page_of(self._run(self._native.new_page()))

    def close(self, *, reason: str | None = None) -> None:
        """Closes the context and its pages. A persistent context also closes its browser."""
        if self._closing:
            return
        self._browser._check_ours()
        self._closing = True
        self._close_reason = reason
        for page in self.pages:
            page._close_reason = page._close_reason or reason
        self._finish_recordings()
        if self._options.get("persistent"):
            self._browser.close(reason=reason)
            return
        try:
            self._run(self._native.close())
        except Error:
            if self._browser.is_connected():
                raise
        self._gone()

    # Cookies, storage, permissions and scripts.

    def cookies(self, urls: str | Sequence[str] | None = None) -> list[Cookie]:
        """Returns the context's cookies, or those that would be sent to these URLs."""
        return [to_script_cookie(cookie) for cookie in self._run(self._native.cookies(actions.as_list(urls)))]

    def add_cookies(self, cookies: Sequence[SetCookieParam | Cookie]) -> None:
        """Adds cookies. Each needs a URL, or a domain and a path."""
        self._run(self._native.add_cookies([to_engine_cookie(cookie) for cookie in cookies]))

    def clear_cookies(
        self,
        *,
        name: str | re.Pattern[str] | None = None,
        domain: str | re.Pattern[str] | None = None,
        path: str | re.Pattern[str] | None = None,
    ) -> None:
        """Removes all cookies, or the matching ones."""
        if name is None and domain is None and path is None:
            self._run(self._native.clear_cookies())
            return
        gone = matching_cookies(self._run(self._native.cookies([])), name, domain, path)
        self._run(self._native.remove_cookies(gone))

    def storage_state(
        self,
        *,
        path: str | Path | None = None,
        indexed_db: bool | None = None,
        credentials: bool | None = None,
        opfs: bool | None = None,
    ) -> StorageState:
        """Returns cookies and storage, to create another context with.

        `path` also writes them to a file that only its owner can read. `indexed_db` adds databases, `opfs` adds the origin
        private file system, `credentials` adds passkeys.
        """
        state = self._run(self._native.storage_state(bool(indexed_db), bool(opfs)))
        if credentials:
            state["credentials"] = self.credentials.get()
        if path is not None:
            write_private(path, json.dumps(state, indent=2))
        return cast("StorageState", state)

    def set_storage_state(self, storage_state: StorageState | str | Path) -> None:
        """Replaces cookies and storage with those of a state or its file."""
        self._run(self._native.replace_storage(load_storage_state(storage_state)))

    def grant_permissions(self, permissions: Sequence[str], *, origin: str | None = None) -> None:
        """Grants permissions to all pages, or to those of one origin."""
        self._settings_changed = True
        self._run(self._native.grant_permissions(list(permissions), origin))

    def clear_permissions(self) -> None:
        """Revokes all granted permissions."""
        self._run(self._native.clear_permissions())

    def set_geolocation(self, geolocation: Geolocation | None = None) -> None:
        """Sets the geolocation; `None` makes it unavailable."""
        self._settings_changed = True
        check_geolocation(geolocation)
        self._run(self._native.set_geolocation(geolocation))

    def set_offline(self, offline: bool) -> None:
        """Switches offline mode on or off."""
        self._settings_changed = True
        self._run(self._native.set_offline(offline))

    def set_extra_http_headers(self, headers: dict[str, str]) -> None:
        """Sets headers that are sent with each request."""
        self._settings_changed = True
        self._run(self._native.set_extra_headers(check_headers(headers)))

    def add_init_script(self, script: str | None = None, *, path: str | Path | None = None) -> Disposable:
        """Runs a script in each new document, before the page's scripts. Disposing of the result removes it."""
        self._settings_changed = True
        added = self._run(self._native.add_init_script(script_source(script, path)))
        return Disposable(lambda: self._runtime.run(added.remove()), self._runtime)

    def expose_function(
        self, name: str, callback: Callable[..., Any], *, all_frames: bool | None = None
    ) -> None:
        """Exposes a function to all pages. The function calls `callback` and returns a promise of the result.

        The main frame and frames of the same site have it. Frames of other sites, which could notice it, and empty
        frames have it only with `all_frames`, or if an init script or evaluated script of yours uses its name.
        """
        self.expose_binding(
            name,
            lambda _source, *arguments: callback(*accepted_arguments(callback, arguments)),
            all_frames=all_frames,
        )

    def expose_binding(
        self,
        name: str,
        callback: Callable[..., Any],
        *,
        handle: bool | None = None,
        all_frames: bool | None = None,
    ) -> None:
        """Like `expose_function`, but the first argument of `callback` is the caller: context, page and frame.

        Raises:
            Error: If the name is already exposed.
        """
        self._settings_changed = True
        for page in self.pages:
            if name in page._exposed:
                raise Error(f'Function "{name}" has been already registered in one of the pages')
        if name in self._exposed:
            raise Error(f'Function "{name}" has been already registered')
        self._exposed[name] = callback
        self._run(self._native.expose(name, bool(all_frames), bool(handle)))

    def route_web_socket(
        self,
        url: str | re.Pattern[str] | Callable[[str], bool],
        handler: Callable[[WebSocketRoute], Any],
    ) -> None:
        """Calls `handler` for new web sockets of all pages. Routes of a page take precedence.

        A page can notice this: its `WebSocket` is replaced, in all pages of this context.
        """
        self._settings_changed = True
        self._socket_routing.add(None, url, handler)

    def new_cdp_session(self, page: Page | Frame) -> CDPSession:
        """Opens a raw CDP session with a page, or with a frame in its own process.

        A page can notice what you enable in it, for example `Runtime.enable`.
        """
        frame = _frame_of(page)
        native = self._native.new_cdp_session(self._runtime.dispatcher, frame._native)
        session = CDPSession(self._connection, self._run(native))
        frame.page.once("close", session._ended)
        return session

    # Waiting for events.

    def _expect(
        self, event: str, predicate: Callable[[Any], Any] | None, timeout: float | timedelta | None
    ) -> Waiter[Any]:
        waiter: Waiter[Any] = Waiter(self._runtime, self._timeout(timeout), f'event "{event}"')
        waiter.resolve_on(self, event, predicate)
        if event != "close":
            waiter.reject_on_close(self, lambda: self._close_reason)
        return waiter

    def expect_page(
        self, predicate: Callable[[Page], bool] | None = None, *, timeout: float | timedelta | None = None
    ) -> EventContextManager[Page]:
        """Waits, when the `with` block ends, for a page that was opened in it.

        Raises:
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        return EventContextManager(self._expect("page", predicate, timeout))


def _frame_of(page: Page | Frame) -> Frame:
    if isinstance(page, Page):
        return page.main_frame
    if isinstance(page, Frame):
        return page
    raise Error("page: expected Page or Frame")
