"""Pages: one tab each."""

from __future__ import annotations

import re
import traceback
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

from .. import _actions as actions
from .. import _core
from .. import _selectors as selectors
from .. import _urls as urls
from .. import extract as extraction
from .._failures import caller
from .._notebook import LIMIT_MS, preview_html
from .._options import check_media_feature, js_type_name, load_state
from .._terminal import wait_for_enter
from ..errors import Error
from ._base import Closable, Waiter, accepted_arguments, closed_error
from ._disposable import Disposable
from ._events import PageEvents
from ._runtime import EventContextManager
from .console import PageConsole
from .dialog import Dialog, FileChooser
from .frame import Frame
from .handle import ElementHandle, JSHandle, ScreenshotOptions, to_js_handle, write_picture
from .input import Keyboard, Mouse, Touchscreen
from .locator import FrameLocator, Locator
from .network import PageTraffic, Response
from .video import Screencast, Video
from .web_mcp import WebMCP

if TYPE_CHECKING:
    from .._core import Call as NativeCall
    from .._core import CastFrame, HandlerCall, ScriptRecording
    from .._core import FileChooser as NativeFileChooser
    from .._core import Frame as NativeFrame
    from .._core import Page as NativePage
    from .._typed import Files, FloatRect, PdfMargins, Position, ViewportSize, Wall
    from .clock import Clock
    from .context import BrowserContext
    from .web_socket_route import WebSocketRoute


T = TypeVar("T")


# The engine's events that wait for an answer of the script, and the methods that handle them.
_ASKS = {"filechooser": "_chooser_opened", "called": "_answer", "in_the_way": "_clear_way"}


class Page(PageTraffic, PageConsole, Closable, PageEvents):
    """A page: one tab of the browser."""

    def __init__(self, context: BrowserContext, native: NativePage) -> None:
        super().__init__(context._connection)
        self._context = context
        self._native = native
        self._frames: dict[int, Frame] = {}
        self._main_frame = self._frame_of(native.main_frame)
        self._keyboard = Keyboard(self)
        self._mouse = Mouse(self)
        self._touchscreen = Touchscreen(self)
        self._default_timeout: float | None = None
        self._default_navigation_timeout: float | None = None
        self._close_reason: str | None = None
        self._closed = False
        self._owned_context: BrowserContext | None = None
        self._locator_handlers: dict[int, tuple[Locator, Callable[..., Any]]] = {}
        self._opener: Page | None = None
        self._settings_changed = False
        self._dialog: Dialog | None = None
        self._catches_choosers = False
        self._follow_traffic()
        self._follow_console()
        self._exposed: dict[str, Callable[..., Any]] = {}
        self._media: dict[str, Any] = dict(context._media)
        self._video = Video._of(self, context._options)
        self._screencast = Screencast(self)
        self._watchers: list[Callable[[Page, CastFrame], None]] = []
        self._connection.register(native.key, self)

    def __repr__(self) -> str:
        return f"<Page url={self.url!r}>"

    def _repr_html_(self) -> str:
        return preview_html(self.url, None if self._closed else self._native.glimpse(LIMIT_MS))

    # Events of the engine.

    def _frame_of(self, native: NativeFrame) -> Frame:
        frame = self._frames.get(native.key)
        if frame is None:
            frame = self._frames[native.key] = Frame(self, native)
        return frame

    def _reported(self, name: str, payload: Any) -> None:
        if name.startswith("frame"):
            frame = self._frame_of(payload)
            self._emit(name, frame)
            self._context._emit(name, frame)
        elif name == "dialog":
            self._dialog = Dialog(self, payload)
            self._opened(self._dialog)
        elif name == "dialogclosed":
            self._dialog_closed()
        elif name == "screencastframe":
            self._seen(payload)
        elif name in _ASKS:
            self._runtime.call(getattr(self, _ASKS[name]), payload)
        elif name == "close":
            self._gone()
        elif name in ("load", "domcontentloaded", "crash"):
            self._emit(name, self)
            if name == "load":
                self._context._emit("pageload", self)

    def _seen(self, frame: CastFrame) -> None:
        for watcher in list(self._watchers):
            watcher(self, frame)
        self._runtime.call(self._screencast._shown, frame)

    def _dialog_closed(self) -> None:
        if self._dialog is not None:
            closed, self._dialog = self._dialog, None
            self._context._emit("dialogclosed", closed)
            self._emit("dialogclosed", closed)

    async def _answer(self, call: NativeCall) -> None:
        f = self._exposed.get(call.name) or self._context._exposed.get(call.name)
        if f is None:
            return
        try:
            source = {"context": self._context, "page": self, "frame": self._frame_of(call.frame)}
            given = call.arguments if call.kept is None else [to_js_handle(self, call.kept)]
            value, failed = await self._runtime.settle(f(*accepted_arguments(f, [source, *given]))), False
        except Exception as error:  # noqa: BLE001
            value, failed = error, True
            if self._connection.compatible:
                error._stack = "".join(traceback.format_exception(error))  # type: ignore[attr-defined]
        self._runtime.start(call.answer(value, failed))

    async def _clear_way(self, call: HandlerCall) -> None:
        raised = None
        try:
            locator, handler = self._locator_handlers[call.handler]
            await self._runtime.settle(handler(*accepted_arguments(handler, [locator])))
        except Exception as error:  # noqa: BLE001  (The blocked action raises it.)
            raised = error
        self._forget_spent(call.handler)
        call.end(raised)

    def _forget_spent(self, handler: int) -> None:
        if not self._native.has_locator_handler(handler):
            self._locator_handlers.pop(handler, None)

    async def _chooser_opened(self, native: NativeFileChooser) -> None:
        found = cast("ElementHandle", to_js_handle(self, await self._run(native.element())))
        self._emit("filechooser", FileChooser(self, native, found))

    def _opened(self, dialog: Dialog) -> None:
        received = self._has_handlers("dialog") or self._context._has_handlers("dialog")
        if received:
            self._context._emit("dialog", dialog)
            self._emit("dialog", dialog)
        elif self._connection.program_works:
            # Answers the dialog if no handler will, since an open dialog blocks the page.
            self._runtime.start(self._native.answer_dialog(dialog.type == "beforeunload", None))

    def _gone(self) -> None:
        if self._closed:
            return
        self._closed = True
        self._connection.unregister(self._native.key)
        self._context._page_closed(self)
        self._emit("close", self)
        self._context._emit("pageclose", self)

    def _listening_changed(self, event: str) -> None:
        self._context._traffic.update_listening(event)
        if event in ("console", "pageerror"):
            self._update_console()
        if event == "filechooser" and not self._closed:
            wanted = self._has_handlers("filechooser")
            if wanted != self._catches_choosers:
                self._catches_choosers = wanted
                self._runtime.start(self._native.catch_file_choosers(wanted))

    def _timeout(self, timeout: float | timedelta | None) -> float:
        if timeout is not None:
            return actions.milliseconds(timeout)
        return self._default_timeout if self._default_timeout is not None else self._context._timeout()

    def _navigation_timeout(self, timeout: float | timedelta | None) -> float:
        if timeout is not None:
            return actions.milliseconds(timeout)
        for default in (
            self._default_navigation_timeout,
            self._default_timeout,
            self._context._default_navigation_timeout,
        ):
            if default is not None:
                return default
        return self._context._timeout()

    def _document_response(self, frame: Frame) -> Response | None:
        return Response._of_document(self, frame)

    # Properties and timeouts.

    @property
    def context(self) -> BrowserContext:
        """The context that this page belongs to."""
        return self._context

    @property
    def main_frame(self) -> Frame:
        """The main frame."""
        return self._main_frame

    @property
    def frames(self) -> list[Frame]:
        """All frames, the main one first."""
        return [self._frame_of(frame) for frame in self._native.frames]

    @property
    def keyboard(self) -> Keyboard:
        """The page's keyboard."""
        return self._keyboard

    @property
    def mouse(self) -> Mouse:
        """The page's mouse."""
        return self._mouse

    @property
    def touchscreen(self) -> Touchscreen:
        """The page's touchscreen."""
        return self._touchscreen

    @property
    def clock(self) -> Clock:
        """The fake clock, which all pages of the context share."""
        return self._context.clock

    @property
    def url(self) -> str:
        """The URL of the current document."""
        return self._main_frame.url

    @property
    def viewport_size(self) -> ViewportSize | None:
        """The emulated viewport size, in CSS pixels; `None` if the page fills its window."""
        size = self._native.viewport
        return {"width": size[0], "height": size[1]} if size else None

    def frame(
        self,
        name: str | None = None,
        *,
        url: str | re.Pattern[str] | Callable[[str], bool] | None = None,
    ) -> Frame | None:
        """Returns the frame with this name, or with a matching URL."""
        if name is None and url is None:
            raise Error("Either name or url matcher should be specified")
        for frame in self.frames:
            if (name is not None and frame.name == name) or (
                url is not None and urls.matches(self._context._base_url, frame.url, url)
            ):
                return frame
        return None

    def _is_configured(self) -> bool:
        """Returns whether a script has changed settings, routes or handlers that would affect later work."""
        return self._settings_changed or bool(self._routing.handlers) or any(self._handlers.values())

    def is_closed(self) -> bool:
        """Returns whether the page is closed."""
        return self._closed

    def _check_open(self) -> None:
        if self._closed:
            raise closed_error(self._close_reason)

    async def opener(self) -> Page | None:
        """Returns the page that opened this one, if that page is still open."""
        opener = self._native.opener
        return self._context._page_of(opener) if opener is not None and not opener.is_closed else None

    def set_default_timeout(self, timeout: float | timedelta) -> None:
        """Sets the default timeout of all waits, in milliseconds. Initially 30 s."""
        self._settings_changed = True
        self._default_timeout = actions.milliseconds(timeout)

    def set_default_navigation_timeout(self, timeout: float | timedelta) -> None:
        """Sets the default timeout of navigations, in milliseconds."""
        self._settings_changed = True
        self._default_navigation_timeout = actions.milliseconds(timeout)

    # Closing, history and settings.

    async def _finish_recordings(self) -> None:
        await self._screencast._end()
        if self._video is not None:
            await self._video._end()

    async def close(self, *, run_before_unload: bool | None = None, reason: str | None = None) -> None:
        """Closes the page. With `run_before_unload`, the page may refuse, and this does not wait."""
        self._close_reason = reason
        if not run_before_unload:
            await self._finish_recordings()
        try:
            await self._run(self._native.close(bool(run_before_unload)))
        except Error:
            if not self._native.is_closed:
                raise
        if not run_before_unload:
            self._gone()
            if self._owned_context is not None:
                await self._owned_context.close()

    async def bring_to_front(self) -> None:
        """Brings the page's tab to the front."""
        await self._run(self._native.bring_to_front())

    async def reload(
        self,
        *,
        timeout: float | timedelta | None = None,
        wait_until: Literal["commit", "domcontentloaded", "load", "networkidle"] | None = None,
    ) -> Response | None:
        """Reloads the page.

        `wait_until` defaults to `load`.

        Raises:
            Error: If the navigation fails.
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        limit = self._navigation_timeout(timeout)
        return await self._main_frame._navigated(
            self._native.reload(load_state(wait_until), limit), limit, "", wait_until
        )

    async def go_back(
        self,
        *,
        timeout: float | timedelta | None = None,
        wait_until: Literal["commit", "domcontentloaded", "load", "networkidle"] | None = None,
    ) -> Response | None:
        """Goes back in the history; returns `None` if there is no entry.

        `wait_until` defaults to `load`.

        Raises:
            Error: If the navigation fails.
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        limit = self._navigation_timeout(timeout)
        return await self._main_frame._navigated(
            self._native.go_back(load_state(wait_until), limit), limit, "", wait_until
        )

    async def go_forward(
        self,
        *,
        timeout: float | timedelta | None = None,
        wait_until: Literal["commit", "domcontentloaded", "load", "networkidle"] | None = None,
    ) -> Response | None:
        """Goes forward in the history; returns `None` if there is no entry.

        `wait_until` defaults to `load`.

        Raises:
            Error: If the navigation fails.
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        limit = self._navigation_timeout(timeout)
        return await self._main_frame._navigated(
            self._native.go_forward(load_state(wait_until), limit), limit, "", wait_until
        )

    async def set_viewport_size(self, viewport_size: ViewportSize) -> None:
        """Resizes the viewport, in CSS pixels."""
        self._settings_changed = True
        await self._run(self._native.set_viewport(viewport_size["width"], viewport_size["height"]))

    async def set_extra_http_headers(self, headers: dict[str, str]) -> None:
        """Sets headers that are sent with each request of the page, in addition to the context's."""
        self._settings_changed = True
        await self._run(self._native.set_extra_headers(check_headers(headers)))

    async def emulate_media(
        self,
        *,
        media: Literal["null", "print", "screen"] | None = None,
        color_scheme: Literal["dark", "light", "no-preference", "null"] | None = None,
        reduced_motion: Literal["no-preference", "null", "reduce"] | None = None,
        forced_colors: Literal["active", "none", "null"] | None = None,
        contrast: Literal["more", "no-preference", "null"] | None = None,
    ) -> None:
        """Emulates media type and preferences such as the color scheme; `"null"` resets."""
        self._settings_changed = True
        given = {
            "media": media,
            "color_scheme": color_scheme,
            "reduced_motion": reduced_motion,
            "forced_colors": forced_colors,
            "contrast": contrast,
        }
        for name, value in given.items():
            if value is not None:
                check_media_feature(name, value)
                self._media[name] = None if value == "null" else value
        await self._run(self._native.emulate_media(self._media))

    async def route_web_socket(
        self,
        url: str | re.Pattern[str] | Callable[[str], bool],
        handler: Callable[[WebSocketRoute], Any],
    ) -> None:
        """Calls `handler` for new web sockets of the page; see `BrowserContext.route_web_socket`."""
        self._settings_changed = True
        await self._context._socket_routing.add(self, url, handler)

    async def add_init_script(
        self, script: str | None = None, *, path: str | Path | None = None
    ) -> Disposable:
        """Runs a script in each new document of this page, before the page's scripts. Disposing of the result removes it."""
        self._settings_changed = True
        added = await self._run(self._native.add_init_script(script_source(script, path)))
        return Disposable(lambda: self._runtime.run(added.remove()), self._runtime)

    async def add_locator_handler(
        self,
        locator: Locator,
        handler: Callable[[Locator], Any] | Callable[[], Any],
        *,
        no_wait_after: bool | None = None,
        times: int | None = None,
    ) -> None:
        """Calls `handler` when this element is visible before or during an action, for example to close a banner.

        The action then waits until the element is hidden, unless `no_wait_after` is set. `times` limits the calls.
        """
        self._settings_changed = True
        if locator._frame is not self._main_frame:
            raise Error("Locator must belong to the main frame of this page")
        number = self._native.add_locator_handler(
            locator._selector, locator._reported_as, bool(no_wait_after), times, self._runtime.dispatcher
        )
        self._locator_handlers[number] = (locator, handler)
        self._forget_spent(number)

    async def remove_locator_handler(self, locator: Locator) -> None:
        """Removes a locator handler."""
        for number, (known, _) in list(self._locator_handlers.items()):
            if (known._frame, known._selector) == (locator._frame, locator._selector):
                del self._locator_handlers[number]
                self._native.remove_locator_handler(number)

    async def expose_function(
        self, name: str, callback: Callable[..., Any], *, all_frames: bool | None = None
    ) -> None:
        """Exposes a function to the page. The function calls `callback` and returns a promise of the result.

        The main frame and frames of the same site have it. Frames of other sites, which could notice it, and empty
        frames have it only with `all_frames`, or if an init script or evaluated script of yours uses its name.
        """
        await self.expose_binding(
            name,
            lambda _source, *arguments: callback(*accepted_arguments(callback, arguments)),
            all_frames=all_frames,
        )

    async def expose_binding(
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
        if name in self._exposed:
            raise Error(f'Function "{name}" has been already registered')
        if name in self._context._exposed:
            raise Error(f'Function "{name}" has been already registered in the browser context')
        self._exposed[name] = callback
        await self._run(self._native.expose(name, bool(all_frames), bool(handle)))

    async def aria_snapshot(
        self,
        *,
        timeout: float | timedelta | None = None,
        mode: Literal["ai", "default"] | None = None,
        depth: int | None = None,
        boxes: bool | None = None,
    ) -> str:
        """Returns the accessibility tree of the page as text; see `Locator.aria_snapshot`."""
        if mode == "ai":
            return await self.snapshot(depth=depth, boxes=boxes)
        return await self.locator("body").aria_snapshot(timeout=timeout, mode=mode, depth=depth, boxes=boxes)

    @property
    def video(self) -> Video | None:
        """The page's video, if its context was created with `record_video_dir`."""
        return self._video

    @property
    def screencast(self) -> Screencast:
        """The page's screencast."""
        return self._screencast

    @property
    def webmcp(self) -> WebMCP:
        """The tools that the main document offers to agents (WebMCP)."""
        return self._main_frame.webmcp

    async def pause(self) -> None:
        """Pauses until Enter is pressed in the terminal or the page is closed. Returns at once in headless mode.

        Meanwhile the page can be used by hand and inspected with the developer tools.
        """
        browser = self._context.browser
        if browser is None or browser._native.is_headless or self._closed:
            return
        ended = Waiter[Any](self._runtime, 0.0, "somebody who goes on")
        ended.resolve_on(self, "close")
        wait_for_enter(lambda: ended.resolve(None))
        await ended.result()

    async def pick_locator(self) -> Locator:
        """Waits until the user clicks an element in the window, and returns a locator for it.

        The browser outlines the element under the pointer. The page cannot notice.

        Raises:
            Error: If `cancel_pick_locator` or another `pick_locator` is called.
        """
        try:
            selector, written = await self._run(self._native.pick(), 0.0)
        except Error as error:
            if error._code != "cancelled":
                raise
            raise Error("Page.pick_locator: Locator picking was cancelled") from None
        return Locator(self._main_frame, selector, written)

    async def cancel_pick_locator(self) -> None:
        """Cancels `pick_locator`, if it is waiting."""
        self._native.cancel_pick()

    async def record_script(self, *, language: Literal["python", "typescript"] = "python") -> ScriptRecording:
        """Records the user's actions in this page as a script, until the result is disposed of.

        `written` of the result is a test that repeats the actions. The page cannot notice. Passwords are not recorded:
        the test reads them from the environment.
        """
        return cast("ScriptRecording", await self._run(self._native.record_script(language)))

    def get_by_ref(self, ref: str) -> Locator:
        """Returns a locator for the element with this ref in a snapshot, in any frame.

        A ref stays the same in later snapshots. Once its element is removed, actions on the locator fail at once.

        Raises:
            Error: When the locator is used, if the element was removed, or `ref` is not a ref.
        """
        return Locator(self._main_frame, f"aria-ref={ref}", selectors.python_call("get_by_ref", ref))

    async def snapshot(
        self,
        *,
        ref: str | None = None,
        depth: int | None = None,
        boxes: bool | None = None,
        all_refs: bool | None = None,
        max_chars: int | None = None,
    ) -> str:
        """Returns the page as an outline, as the MCP server does: each interactive element has a ref for `get_by_ref`.

        `ref` limits the outline to one element, or a heading's section; `depth` is the number of levels; `boxes` adds
        positions; `all_refs` also gives refs to texts and groups. An outline longer than `max_chars` (default: 50,000)
        is shortened, and ends with a line starting with `#` that reports this.

        Example:
            print(await page.snapshot())  # - button "Save" [ref=e12]
            await page.get_by_ref("e12").click()
        """
        chosen = actions.without_none(
            ref=ref, depth=depth, boxes=boxes, all_refs=all_refs, max_chars=max_chars
        )
        return cast("str", await self._run(self._native.snapshot(chosen)))

    async def markdown(self) -> str:
        """Returns the readable content of the page as Markdown, main content first. Waits as `read` does."""
        return await self.read("markdown")

    async def read(self, format: Literal["text", "markdown", "html"] = "text") -> str:
        """Returns the readable content of the page as plain text or Markdown, or the document's HTML.

        It first waits, at most 5 s, until the page has built its content: while it grows, or while a request may add content.
        """
        return cast("str", await self._run(self._native.read(format)))

    async def scroll_to_end(
        self, *, most_times: int | None = None, timeout: float | timedelta | None = None
    ) -> int:
        """Scrolls to the end of the page, and repeats this while loading makes it longer. Returns how often it grew.

        It stops after `most_times`. For a list in the page, use `Locator.scroll_to_end`.

        Raises:
            TimeoutError: If it still grows after `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        return await self._main_frame._scroll_to_end(None, most_times, self._timeout(timeout))

    async def extract(self, model: type[T], *, each: str | None = None) -> list[T]:
        """Extracts dataclasses or pydantic models by selectors: one for each match of `each`, or one for the page.

        Fields name their selector: `price: Annotated[Decimal, Select(".price")]`. They are `str`, `int`, `float`, `Decimal`,
        `bool`, `date`, `datetime`, an `Enum`, a `Literal`, another dataclass or model within the element found, a list
        of one of these, or one of these or `None`. For how texts are converted, see `patchright_mcp.extract`.

        Raises:
            Error: If a required field matches nothing, or its text cannot be converted.
            TypeError: For a field of another type.
        """
        fields = extraction.model_fields(model)
        result = await self._run(self._main_frame._native.extract(each, extraction.engine_schema(fields)))
        return [extraction.make_instance(model, fields, values) for values in result]

    async def extract_table(self, selector: str | None = None) -> list[dict[str, str | None]]:
        """Extracts the rows of the first table or grid in `selector`, or in the page, as dicts by column header.

        A cell that spans several columns or rows is repeated in each.
        """
        rows: list[dict[str, str | None]] = await self._run(self._main_frame._native.extract(selector, None))
        return rows

    async def wall(self, *, asked: str | None = None, acts: bool = False) -> Wall | None:
        """Returns the challenge that needs a person (login, captcha, …), or `None`. It is never bypassed.

        `asked` is the requested URL. Default: the one that redirected here. A form with a password field counts as a
        challenge, unless `acts` is set: then the script is about to act, for example to log in.
        """
        return cast("Wall | None", await self._run(self._native.wall(asked, acts)))

    async def hide_highlight(self) -> None:
        """Removes all outlines of `Locator.highlight` on this page."""
        self._native.hide_highlights()

    async def request_gc(self) -> None:
        """Triggers garbage collection in the page."""
        session = await self._context.new_cdp_session(self)
        await session.send("HeapProfiler.collectGarbage")
        await session.detach()

    # Screenshots and PDF.

    async def screenshot(
        self,
        *,
        timeout: float | timedelta | None = None,
        type: Literal["jpeg", "png"] | None = None,
        path: str | Path | None = None,
        quality: int | None = None,
        omit_background: bool | None = None,
        full_page: bool | None = None,
        clip: FloatRect | None = None,
        animations: Literal["allow", "disabled"] | None = None,
        caret: Literal["hide", "initial"] | None = None,
        scale: Literal["css", "device"] | None = None,
        mask: Sequence[Locator] | None = None,
        mask_color: str | None = None,
        style: str | None = None,
    ) -> bytes:
        """Returns a screenshot of the viewport, the whole page, or a part of it.

        `quality` is from 0 to 100, for JPEG. `clip` is in CSS pixels from the corner of the viewport, or of the page with
        `full_page`; parts outside are left out. `scale` is one pixel per `"css"` pixel or per `"device"` pixel
        (default). `animations="disabled"` finishes finite animations and resets the others; `caret` is hidden by default.
        `mask` covers elements with `mask_color` (default: `#FF00FF`) without changing the page. `style` is CSS that applies
        during the screenshot; it reaches shadow roots only through inherited values.

        Raises:
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        for side in ("width", "height") if clip else ():
            if clip is not None and clip[side] <= 0:
                raise Error(f"{caller()}: Expected options.clip.{side} to be greater than 0.")
        part = (clip["x"], clip["y"], clip["width"], clip["height"]) if clip else None
        area = ("page" if full_page else "viewport", part)
        finish = ScreenshotOptions(omit_background, animations, caret, mask, mask_color, style)
        return await self._picture(area, path, type, quality, scale, finish, self._timeout(timeout))

    async def _picture(
        self,
        area: tuple[str, tuple[float, float, float, float] | None],
        path: str | Path | None,
        kind: str | None,
        quality: int | None,
        scale: str | None,
        finish: ScreenshotOptions,
        limit: float,
    ) -> bytes:
        kind = kind or _picture_kind(path)
        if kind not in _PICTURES:
            raise Error(f"{caller()}: type: expected one of ({'|'.join(_PICTURES)})")
        if quality is not None and not 0 <= quality <= 100:
            raise Error(
                f"{caller()}: Expected options.quality to be between 0 and 100 (inclusive), got {quality}"
            )
        if quality is not None and kind == "png":
            raise Error(f"{caller()}: options.quality is unsupported for the png screenshots")
        density = 1.0 if scale == "css" else None
        shot = self._native.screenshot(kind, quality, area, density, finish.masks, finish.reported, limit)
        return write_picture(path, await self._run(shot, limit))

    async def pdf(
        self,
        *,
        scale: float | None = None,
        display_header_footer: bool | None = None,
        header_template: str | None = None,
        footer_template: str | None = None,
        print_background: bool | None = None,
        landscape: bool | None = None,
        page_ranges: str | None = None,
        format: str | None = None,
        width: str | float | None = None,
        height: str | float | None = None,
        prefer_css_page_size: bool | None = None,
        margin: PdfMargins | None = None,
        path: str | Path | None = None,
        outline: bool | None = None,
        tagged: bool | None = None,
    ) -> bytes:
        """Returns the page as PDF. Lengths are texts such as `2cm`, or numbers of CSS pixels."""
        size = _paper(format) if format else (8.5, 11.0)
        sides = margin or {}
        options = {
            "width": _inches(width) if width is not None else size[0],
            "height": _inches(height) if height is not None else size[1],
            "landscape": bool(landscape),
            "print_background": bool(print_background),
            "scale": scale,
            "page_ranges": page_ranges or None,
            "margin": [_inches(sides.get(side, 0)) for side in ("top", "right", "bottom", "left")],
            "prefer_css_page_size": bool(prefer_css_page_size),
            "display_header_footer": bool(display_header_footer),
            "header_template": header_template,
            "footer_template": footer_template,
            "tagged": bool(tagged),
            "outline": bool(outline),
        }
        return write_picture(path, await self._run(self._native.pdf(options)))

    # Waiting for events.

    def _expect(
        self, event: str, predicate: Callable[[Any], Any] | None, timeout: float | timedelta | None
    ) -> Waiter[Any]:
        waiter: Waiter[Any] = Waiter(self._runtime, self._timeout(timeout), f'event "{event}"')
        waiter.resolve_on(self, event, predicate)
        if event != "close":
            waiter.reject_on_close(self, lambda: self._close_reason)
        if event != "crash":
            waiter.reject_on(self, "crash", lambda _: Error("Page crashed"))
        return waiter

    def expect_popup(
        self, predicate: Callable[[Page], bool] | None = None, *, timeout: float | timedelta | None = None
    ) -> EventContextManager[Page]:
        """Waits, when the `with` block ends, for a page that was opened in it.

        Raises:
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        return EventContextManager(self._expect("popup", predicate, timeout))

    def expect_file_chooser(
        self,
        predicate: Callable[[FileChooser], bool] | None = None,
        *,
        timeout: float | timedelta | None = None,
    ) -> EventContextManager[FileChooser]:
        """Waits, when the `with` block ends, for a file chooser opened in it. No window is shown.

        Raises:
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        return EventContextManager(self._expect("filechooser", predicate, timeout))

    async def evaluate(
        self, expression: str, arg: Any = None, *, isolated_context: bool | None = None
    ) -> Any:
        """Runs an expression or a function and returns its value; see `Frame.evaluate`."""
        return await self._main_frame.evaluate(expression, arg, isolated_context=isolated_context)

    async def evaluate_handle(
        self, expression: str, arg: Any = None, *, isolated_context: bool | None = None
    ) -> JSHandle:
        """Like `evaluate`, but returns a handle to the value in the page."""
        return await self._main_frame.evaluate_handle(expression, arg, isolated_context=isolated_context)

    async def click(
        self,
        selector: str,
        *,
        button: Literal["left", "middle", "right"] | None = None,
        click_count: int | None = None,
        delay: float | None = None,
        force: bool | None = None,
        modifiers: Sequence[Literal["Alt", "Control", "ControlOrMeta", "Meta", "Shift"]] | None = None,
        no_wait_after: bool | None = None,
        position: Position | None = None,
        scroll: Literal["auto", "none"] | None = None,
        strict: bool | None = None,
        timeout: float | timedelta | None = None,
        trial: bool | None = None,
    ) -> None:
        """Clicks the element once it is visible, stable, enabled and not covered.

        `position` is in CSS pixels from the element's top left corner. Default: near its center.
        `delay` is how long the button is held, in milliseconds. Default: set by the context's `input`.
        `force` skips these checks; `trial` only performs them.

        Raises:
            Error: With `strict`, if the selector matches several elements.
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        await self._main_frame.click(
            selector,
            button=button,
            click_count=click_count,
            delay=delay,
            force=force,
            modifiers=modifiers,
            no_wait_after=no_wait_after,
            position=position,
            scroll=scroll,
            strict=strict,
            timeout=timeout,
            trial=trial,
        )

    async def dblclick(
        self,
        selector: str,
        *,
        button: Literal["left", "middle", "right"] | None = None,
        delay: float | None = None,
        force: bool | None = None,
        modifiers: Sequence[Literal["Alt", "Control", "ControlOrMeta", "Meta", "Shift"]] | None = None,
        no_wait_after: bool | None = None,
        position: Position | None = None,
        scroll: Literal["auto", "none"] | None = None,
        strict: bool | None = None,
        timeout: float | timedelta | None = None,
        trial: bool | None = None,
    ) -> None:
        """Double-clicks the element.

        `position` is in CSS pixels from the element's top left corner. Default: near its center.
        `delay` is how long the button is held, in milliseconds. Default: set by the context's `input`.
        `force` skips the actionability checks; `trial` only performs them.

        Raises:
            Error: With `strict`, if the selector matches several elements.
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        await self._main_frame.dblclick(
            selector,
            button=button,
            delay=delay,
            force=force,
            modifiers=modifiers,
            no_wait_after=no_wait_after,
            position=position,
            scroll=scroll,
            strict=strict,
            timeout=timeout,
            trial=trial,
        )

    async def hover(
        self,
        selector: str,
        *,
        force: bool | None = None,
        modifiers: Sequence[Literal["Alt", "Control", "ControlOrMeta", "Meta", "Shift"]] | None = None,
        no_wait_after: bool | None = None,
        position: Position | None = None,
        scroll: Literal["auto", "none"] | None = None,
        strict: bool | None = None,
        timeout: float | timedelta | None = None,
        trial: bool | None = None,
    ) -> None:
        """Moves the pointer over the element.

        `position` is in CSS pixels from the element's top left corner. Default: near its center.
        `force` skips the actionability checks; `trial` only performs them.

        Raises:
            Error: With `strict`, if the selector matches several elements.
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        await self._main_frame.hover(
            selector,
            force=force,
            modifiers=modifiers,
            no_wait_after=no_wait_after,
            position=position,
            scroll=scroll,
            strict=strict,
            timeout=timeout,
            trial=trial,
        )

    async def tap(
        self,
        selector: str,
        *,
        force: bool | None = None,
        modifiers: Sequence[Literal["Alt", "Control", "ControlOrMeta", "Meta", "Shift"]] | None = None,
        no_wait_after: bool | None = None,
        position: Position | None = None,
        scroll: Literal["auto", "none"] | None = None,
        strict: bool | None = None,
        timeout: float | timedelta | None = None,
        trial: bool | None = None,
    ) -> None:
        """Taps the element; the context needs `has_touch`.

        `position` is in CSS pixels from the element's top left corner. Default: near its center.
        `force` skips the actionability checks; `trial` only performs them.

        Raises:
            Error: With `strict`, if the selector matches several elements.
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        await self._main_frame.tap(
            selector,
            force=force,
            modifiers=modifiers,
            no_wait_after=no_wait_after,
            position=position,
            scroll=scroll,
            strict=strict,
            timeout=timeout,
            trial=trial,
        )

    async def check(
        self,
        selector: str,
        *,
        force: bool | None = None,
        no_wait_after: bool | None = None,
        position: Position | None = None,
        scroll: Literal["auto", "none"] | None = None,
        strict: bool | None = None,
        timeout: float | timedelta | None = None,
        trial: bool | None = None,
    ) -> None:
        """Checks a checkbox or radio button, unless it is checked.

        `position` is in CSS pixels from the element's top left corner. Default: near its center.
        `force` skips the actionability checks; `trial` only performs them.

        Raises:
            Error: With `strict`, if the selector matches several elements.
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        await self._main_frame.check(
            selector,
            force=force,
            no_wait_after=no_wait_after,
            position=position,
            scroll=scroll,
            strict=strict,
            timeout=timeout,
            trial=trial,
        )

    async def uncheck(
        self,
        selector: str,
        *,
        force: bool | None = None,
        no_wait_after: bool | None = None,
        position: Position | None = None,
        scroll: Literal["auto", "none"] | None = None,
        strict: bool | None = None,
        timeout: float | timedelta | None = None,
        trial: bool | None = None,
    ) -> None:
        """Unchecks a checkbox, if it is checked.

        `position` is in CSS pixels from the element's top left corner. Default: near its center.
        `force` skips the actionability checks; `trial` only performs them.

        Raises:
            Error: With `strict`, if the selector matches several elements.
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        await self._main_frame.uncheck(
            selector,
            force=force,
            no_wait_after=no_wait_after,
            position=position,
            scroll=scroll,
            strict=strict,
            timeout=timeout,
            trial=trial,
        )

    async def set_checked(
        self,
        selector: str,
        checked: bool,
        *,
        force: bool | None = None,
        no_wait_after: bool | None = None,
        position: Position | None = None,
        scroll: Literal["auto", "none"] | None = None,
        strict: bool | None = None,
        timeout: float | timedelta | None = None,
        trial: bool | None = None,
    ) -> None:
        """Checks or unchecks a checkbox or a radio button.

        `position` is in CSS pixels from the element's top left corner. Default: near its center.
        `force` skips the actionability checks; `trial` only performs them.

        Raises:
            Error: With `strict`, if the selector matches several elements.
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        await self._main_frame.set_checked(
            selector,
            checked,
            force=force,
            no_wait_after=no_wait_after,
            position=position,
            scroll=scroll,
            strict=strict,
            timeout=timeout,
            trial=trial,
        )

    async def fill(
        self,
        selector: str,
        value: str,
        *,
        force: bool | None = None,
        no_wait_after: bool | None = None,
        strict: bool | None = None,
        timeout: float | timedelta | None = None,
    ) -> None:
        """Fills a field, replacing its value.

        Raises:
            Error: With `strict`, if the selector matches several elements.
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        await self._main_frame.fill(
            selector, value, force=force, no_wait_after=no_wait_after, strict=strict, timeout=timeout
        )

    async def focus(
        self, selector: str, *, strict: bool | None = None, timeout: float | timedelta | None = None
    ) -> None:
        """Focuses the element.

        Raises:
            Error: With `strict`, if the selector matches several elements.
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        await self._main_frame.focus(selector, strict=strict, timeout=timeout)

    async def press(
        self,
        selector: str,
        key: str,
        *,
        delay: float | None = None,
        no_wait_after: bool | None = None,
        strict: bool | None = None,
        timeout: float | timedelta | None = None,
    ) -> None:
        """Focuses the element and presses a key or combination such as `Control+A`.

        `delay` is how long the key is held, in milliseconds.

        Raises:
            Error: With `strict`, if the selector matches several elements.
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        await self._main_frame.press(
            selector, key, delay=delay, no_wait_after=no_wait_after, strict=strict, timeout=timeout
        )

    async def type(
        self,
        selector: str,
        text: str,
        *,
        delay: float | None = None,
        no_wait_after: bool | None = None,
        strict: bool | None = None,
        timeout: float | timedelta | None = None,
    ) -> None:
        """Types a text key by key. Prefer `fill` unless the page listens to keys. `delay` between keys is in milliseconds.

        Raises:
            Error: With `strict`, if the selector matches several elements.
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        await self._main_frame.type(
            selector, text, delay=delay, no_wait_after=no_wait_after, strict=strict, timeout=timeout
        )

    async def select_option(
        self,
        selector: str,
        value: str | Sequence[str] | None = None,
        *,
        element: ElementHandle | Sequence[ElementHandle] | None = None,
        force: bool | None = None,
        index: int | Sequence[int] | None = None,
        label: str | Sequence[str] | None = None,
        no_wait_after: bool | None = None,
        strict: bool | None = None,
        timeout: float | timedelta | None = None,
    ) -> list[str]:
        """Selects options of a `<select>` and returns the selected values.

        Raises:
            Error: With `strict`, if the selector matches several elements.
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        return await self._main_frame.select_option(
            selector,
            value,
            element=element,
            force=force,
            index=index,
            label=label,
            no_wait_after=no_wait_after,
            strict=strict,
            timeout=timeout,
        )

    async def set_input_files(
        self,
        selector: str,
        files: Files,
        *,
        no_wait_after: bool | None = None,
        strict: bool | None = None,
        timeout: float | timedelta | None = None,
    ) -> None:
        """Sets the files of a file input, by path or content.

        Raises:
            Error: With `strict`, if the selector matches several elements.
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        await self._main_frame.set_input_files(
            selector, files, no_wait_after=no_wait_after, strict=strict, timeout=timeout
        )

    async def dispatch_event(
        self,
        selector: str,
        type: str,
        event_init: Any | None = None,
        *,
        strict: bool | None = None,
        timeout: float | timedelta | None = None,
    ) -> None:
        """Dispatches an event on the element, whatever its state.

        Raises:
            Error: With `strict`, if the selector matches several elements.
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        await self._main_frame.dispatch_event(selector, type, event_init, strict=strict, timeout=timeout)

    async def text_content(
        self, selector: str, *, strict: bool | None = None, timeout: float | timedelta | None = None
    ) -> str | None:
        """Returns the element's `textContent`.

        Raises:
            Error: With `strict`, if the selector matches several elements.
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        return await self._main_frame.text_content(selector, strict=strict, timeout=timeout)

    async def inner_text(
        self, selector: str, *, strict: bool | None = None, timeout: float | timedelta | None = None
    ) -> str:
        """Returns the element's `innerText`.

        Raises:
            Error: With `strict`, if the selector matches several elements.
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        return await self._main_frame.inner_text(selector, strict=strict, timeout=timeout)

    async def inner_html(
        self, selector: str, *, strict: bool | None = None, timeout: float | timedelta | None = None
    ) -> str:
        """Returns the element's `innerHTML`.

        Raises:
            Error: With `strict`, if the selector matches several elements.
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        return await self._main_frame.inner_html(selector, strict=strict, timeout=timeout)

    async def get_attribute(
        self,
        selector: str,
        name: str,
        *,
        strict: bool | None = None,
        timeout: float | timedelta | None = None,
    ) -> str | None:
        """Returns the value of an attribute, or `None`.

        Raises:
            Error: With `strict`, if the selector matches several elements.
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        return await self._main_frame.get_attribute(selector, name, strict=strict, timeout=timeout)

    async def input_value(
        self, selector: str, *, strict: bool | None = None, timeout: float | timedelta | None = None
    ) -> str:
        """Returns the value of an input, a text area or a select.

        Raises:
            Error: With `strict`, if the selector matches several elements.
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        return await self._main_frame.input_value(selector, strict=strict, timeout=timeout)

    async def is_visible(
        self, selector: str, *, strict: bool | None = None, timeout: float | timedelta | None = None
    ) -> bool:
        """Returns whether the element is visible now, without waiting. `timeout` has no effect."""
        return await self._main_frame.is_visible(selector, strict=strict)

    async def is_hidden(
        self, selector: str, *, strict: bool | None = None, timeout: float | timedelta | None = None
    ) -> bool:
        """Returns whether the element is missing or hidden now, without waiting. `timeout` has no effect."""
        return await self._main_frame.is_hidden(selector, strict=strict)

    async def is_enabled(
        self, selector: str, *, strict: bool | None = None, timeout: float | timedelta | None = None
    ) -> bool:
        """Returns whether the element is enabled.

        Raises:
            Error: With `strict`, if the selector matches several elements.
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        return await self._main_frame.is_enabled(selector, strict=strict, timeout=timeout)

    async def is_disabled(
        self, selector: str, *, strict: bool | None = None, timeout: float | timedelta | None = None
    ) -> bool:
        """Returns whether the element is disabled.

        Raises:
            Error: With `strict`, if the selector matches several elements.
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        return await self._main_frame.is_disabled(selector, strict=strict, timeout=timeout)

    async def is_editable(
        self, selector: str, *, strict: bool | None = None, timeout: float | timedelta | None = None
    ) -> bool:
        """Returns whether the element is editable.

        Raises:
            Error: With `strict`, if the selector matches several elements.
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        return await self._main_frame.is_editable(selector, strict=strict, timeout=timeout)

    async def is_checked(
        self, selector: str, *, strict: bool | None = None, timeout: float | timedelta | None = None
    ) -> bool:
        """Returns whether the element is checked.

        Raises:
            Error: With `strict`, if the selector matches several elements.
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        return await self._main_frame.is_checked(selector, strict=strict, timeout=timeout)

    async def goto(
        self,
        url: str,
        *,
        referer: str | None = None,
        timeout: float | timedelta | None = None,
        wait_until: Literal["commit", "domcontentloaded", "load", "networkidle"] | None = None,
    ) -> Response | None:
        """Navigates the main frame; see `Frame.goto`.

        `wait_until` defaults to `load`.
        """
        return await self._main_frame.goto(url, referer=referer, timeout=timeout, wait_until=wait_until)

    async def set_content(
        self,
        html: str,
        *,
        timeout: float | timedelta | None = None,
        wait_until: Literal["commit", "domcontentloaded", "load", "networkidle"] | None = None,
    ) -> None:
        """Replaces the document's content and waits until it has loaded.

        `wait_until` defaults to `load`.

        Raises:
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        await self._main_frame.set_content(html, timeout=timeout, wait_until=wait_until)

    async def content(self, *, include_shadow: bool | None = None) -> str:
        """Returns the document as HTML with its doctype; see `Frame.content`."""
        return await self._main_frame.content(include_shadow=include_shadow)

    async def title(self) -> str:
        """Returns the title of the document."""
        return await self._main_frame.title()

    async def wait_for_load_state(
        self,
        state: Literal["domcontentloaded", "load", "networkidle"] | None = None,
        *,
        timeout: float | timedelta | None = None,
    ) -> None:
        """Waits until the document reaches a load state.

        Raises:
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        await self._main_frame.wait_for_load_state(state, timeout=timeout)

    async def wait_for_url(
        self,
        url: str | re.Pattern[str] | Callable[[str], bool],
        *,
        timeout: float | timedelta | None = None,
        wait_until: Literal["commit", "domcontentloaded", "load", "networkidle"] | None = None,
    ) -> None:
        """Waits until the document's URL matches.

        `wait_until` defaults to `load`.

        Raises:
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        await self._main_frame.wait_for_url(url, timeout=timeout, wait_until=wait_until)

    def expect_navigation(
        self,
        *,
        timeout: float | timedelta | None = None,
        url: str | re.Pattern[str] | Callable[[str], bool] | None = None,
        wait_until: Literal["commit", "domcontentloaded", "load", "networkidle"] | None = None,
    ) -> EventContextManager[Response]:
        """Waits, when the `with` block ends, for a navigation started in it.

        `wait_until` defaults to `load`.

        Raises:
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        return self._main_frame.expect_navigation(timeout=timeout, url=url, wait_until=wait_until)

    async def eval_on_selector(
        self, selector: str, expression: str, arg: Any | None = None, *, strict: bool | None = None
    ) -> Any:
        """Runs a function with the first element that matches a selector, in the page's own world."""
        return await self._main_frame.eval_on_selector(selector, expression, arg, strict=strict)

    async def eval_on_selector_all(self, selector: str, expression: str, arg: Any | None = None) -> Any:
        """Runs a function with all elements that match a selector."""
        return await self._main_frame.eval_on_selector_all(selector, expression, arg)

    async def wait_for_function(
        self,
        expression: str,
        *,
        arg: Any | None = None,
        polling: float | Literal["raf"] | None = None,
        timeout: float | timedelta | None = None,
        isolated_context: bool | None = None,
    ) -> JSHandle:
        """Waits until a script returns a truthy value, and returns it. See `Frame.wait_for_function`.

        Raises:
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        return await self._main_frame.wait_for_function(
            expression, arg=arg, polling=polling, timeout=timeout, isolated_context=isolated_context
        )

    async def wait_for_timeout(self, timeout: float | timedelta) -> None:
        """Waits for a fixed time, in milliseconds. Prefer waiting for a condition."""
        await self._main_frame.wait_for_timeout(timeout)

    async def add_script_tag(
        self,
        *,
        content: str | None = None,
        path: str | Path | None = None,
        type: str | None = None,
        url: str | None = None,
    ) -> ElementHandle:
        """Adds a `<script>` to the document and waits until it has loaded."""
        return await self._main_frame.add_script_tag(content=content, path=path, type=type, url=url)

    async def add_style_tag(
        self, *, content: str | None = None, path: str | Path | None = None, url: str | None = None
    ) -> ElementHandle:
        """Adds a style sheet to the document and waits until it has loaded."""
        return await self._main_frame.add_style_tag(content=content, path=path, url=url)

    async def query_selector(self, selector: str, *, strict: bool | None = None) -> ElementHandle | None:
        """Returns the first element that matches a selector now, or `None`."""
        return await self._main_frame.query_selector(selector, strict=strict)

    async def query_selector_all(self, selector: str) -> list[ElementHandle]:
        """Returns all elements that match a selector now."""
        return await self._main_frame.query_selector_all(selector)

    async def wait_for_selector(
        self,
        selector: str,
        *,
        state: Literal["attached", "detached", "hidden", "visible"] | None = None,
        strict: bool | None = None,
        timeout: float | timedelta | None = None,
    ) -> ElementHandle | None:
        """Waits until an element is attached, visible (default), hidden or detached.

        Raises:
            Error: With `strict`, if the selector matches several elements.
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        return await self._main_frame.wait_for_selector(selector, state=state, strict=strict, timeout=timeout)

    async def drag_and_drop(
        self,
        source: str,
        target: str,
        *,
        force: bool | None = None,
        no_wait_after: bool | None = None,
        source_position: Position | None = None,
        scroll: Literal["auto", "none"] | None = None,
        steps: int | None = None,
        strict: bool | None = None,
        target_position: Position | None = None,
        timeout: float | timedelta | None = None,
        trial: bool | None = None,
    ) -> None:
        """Drags one element onto another.

        Positions are in CSS pixels from the elements' top left corners. Default: near their centers.

        Raises:
            Error: With `strict`, if the selector matches several elements.
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        await self._main_frame.drag_and_drop(
            source,
            target,
            force=force,
            no_wait_after=no_wait_after,
            source_position=source_position,
            scroll=scroll,
            steps=steps,
            strict=strict,
            target_position=target_position,
            timeout=timeout,
            trial=trial,
        )

    def locator(
        self,
        selector: str,
        *,
        has: Locator | None = None,
        has_not: Locator | None = None,
        has_not_text: str | re.Pattern[str] | None = None,
        has_text: str | re.Pattern[str] | None = None,
    ) -> Locator:
        """Returns a locator for a selector."""
        return self._main_frame.locator(
            selector, has=has, has_not=has_not, has_not_text=has_not_text, has_text=has_text
        )

    def frame_locator(self, selector: str | None = None) -> FrameLocator:
        """Returns a frame locator for an `<iframe>`; without a selector, for any frame with a matching element."""
        return self._main_frame.frame_locator(selector)

    def get_by_alt_text(self, text: str | re.Pattern[str], *, exact: bool | None = None) -> Locator:
        """Returns a locator for images by their alternative text."""
        return self._main_frame.get_by_alt_text(text, exact=exact)

    def get_by_label(self, text: str | re.Pattern[str], *, exact: bool | None = None) -> Locator:
        """Returns a locator for form controls by their label."""
        return self._main_frame.get_by_label(text, exact=exact)

    def get_by_placeholder(self, text: str | re.Pattern[str], *, exact: bool | None = None) -> Locator:
        """Returns a locator for fields by their placeholder."""
        return self._main_frame.get_by_placeholder(text, exact=exact)

    def get_by_role(
        self,
        role: Literal[
            "alert",
            "alertdialog",
            "application",
            "article",
            "banner",
            "blockquote",
            "button",
            "caption",
            "cell",
            "checkbox",
            "code",
            "columnheader",
            "combobox",
            "complementary",
            "contentinfo",
            "definition",
            "deletion",
            "dialog",
            "directory",
            "document",
            "emphasis",
            "feed",
            "figure",
            "form",
            "generic",
            "grid",
            "gridcell",
            "group",
            "heading",
            "img",
            "insertion",
            "link",
            "list",
            "listbox",
            "listitem",
            "log",
            "main",
            "marquee",
            "math",
            "menu",
            "menubar",
            "menuitem",
            "menuitemcheckbox",
            "menuitemradio",
            "meter",
            "navigation",
            "none",
            "note",
            "option",
            "paragraph",
            "presentation",
            "progressbar",
            "radio",
            "radiogroup",
            "region",
            "row",
            "rowgroup",
            "rowheader",
            "scrollbar",
            "search",
            "searchbox",
            "separator",
            "slider",
            "spinbutton",
            "status",
            "strong",
            "subscript",
            "superscript",
            "switch",
            "tab",
            "table",
            "tablist",
            "tabpanel",
            "term",
            "textbox",
            "time",
            "timer",
            "toolbar",
            "tooltip",
            "tree",
            "treegrid",
            "treeitem",
        ],
        *,
        checked: bool | None = None,
        description: str | re.Pattern[str] | None = None,
        disabled: bool | None = None,
        exact: bool | None = None,
        expanded: bool | None = None,
        include_hidden: bool | None = None,
        level: int | None = None,
        name: str | re.Pattern[str] | None = None,
        pressed: bool | None = None,
        selected: bool | None = None,
    ) -> Locator:
        """Returns a locator for elements by role, accessible name and states."""
        return self._main_frame.get_by_role(
            role,
            checked=checked,
            description=description,
            disabled=disabled,
            exact=exact,
            expanded=expanded,
            include_hidden=include_hidden,
            level=level,
            name=name,
            pressed=pressed,
            selected=selected,
        )

    def get_by_test_id(self, test_id: str | re.Pattern[str]) -> Locator:
        """Returns a locator for elements by test id."""
        return self._main_frame.get_by_test_id(test_id)

    def get_by_text(self, text: str | re.Pattern[str], *, exact: bool | None = None) -> Locator:
        """Returns a locator for elements by their text."""
        return self._main_frame.get_by_text(text, exact=exact)

    def get_by_title(self, text: str | re.Pattern[str], *, exact: bool | None = None) -> Locator:
        """Returns a locator for elements by their title."""
        return self._main_frame.get_by_title(text, exact=exact)


def script_source(script: str | None, path: str | Path | None) -> str:
    """Returns a script that was given as text or as a path."""
    if path is not None:
        return Path(path).read_text(encoding="utf-8")
    if not isinstance(script, str):
        raise Error("Either path or script parameter must be specified")
    return script


def check_headers(headers: dict[str, str]) -> dict[str, str]:
    """Checks that all header values are text."""
    for index, value in enumerate(headers.values()):
        if not isinstance(value, str):
            raise Error(f"{caller()}: headers[{index}].value: expected string, got {js_type_name(value)}")
    return headers


_PICTURES = ("png", "jpeg", "webp")


def _picture_kind(path: str | Path | None) -> str:
    ending = Path(path).suffix.lower() if path is not None else ".png"
    if ending == ".png":
        return "png"
    if ending in (".jpg", ".jpeg"):
        return "jpeg"
    if ending == ".webp":
        return "webp"
    raise Error(f'{caller()}: path: unsupported mime type "{ending}"')


def _paper(name: str) -> tuple[float, float]:
    size = _core.paper_size(name)
    if size is None:
        formats = "Letter, Legal, Tabloid, Ledger, A0, A1, A2, A3, A4, A5, A6"
        raise Error(f"{caller()}: Unknown paper format: {name}; use one of {formats}")
    return size


_PIXELS = {"px": 1.0, "in": 96.0, "cm": 37.8, "mm": 3.78}


def _inches(length: Any) -> float:
    """Converts a length to inches: pixels, or a text with a unit."""
    text = str(length).strip().lower()
    unit = text[-2:]
    number, factor = (text[:-2], _PIXELS[unit]) if unit in _PIXELS else (text, 1.0)
    try:
        return float(number) * factor / 96
    except ValueError:
        raise Error(f"{caller()}: Failed to parse parameter value: {length}") from None
