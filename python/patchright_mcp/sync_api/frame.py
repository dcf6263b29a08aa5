"""Frames: documents, scripts and selectors."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

from .. import _actions as actions
from .. import _core
from .. import _selectors as selectors
from .. import _urls as urls
from .._failures import caller, explaining_isolation, warn_of_isolation, window_variable
from .._options import load_state, require_touch_support
from ..errors import Error, TimeoutError  # noqa: A004
from ._base import ApiObject, Waiter
from ._runtime import EventContextManager
from .handle import ElementHandle, JSHandle, dispatch_event_on, select_option_choices, to_js_handle
from .locator import ANY_FRAME, FrameLocator, Locator
from .web_mcp import WebMCP

if TYPE_CHECKING:
    from .._core import Frame as NativeFrame
    from .._typed import AriaRole, Files, Position
    from .network import Request, Response
    from .page import Page


class Frame(ApiObject):
    """A frame of a page: the main frame or an `<iframe>`."""

    def __init__(self, page: Page, native: NativeFrame) -> None:
        super().__init__(page._connection)
        self._page = page
        self._native = native

    def __repr__(self) -> str:
        return f"<Frame name={self.name} url={self.url!r}>"

    @property
    def page(self) -> Page:
        """The page that this frame belongs to."""
        return self._page

    @property
    def name(self) -> str:
        """The frame's name."""
        return self._native.name

    @property
    def url(self) -> str:
        """The URL of the current document."""
        return self._native.url

    @property
    def parent_frame(self) -> Frame | None:
        """The parent frame; `None` for the main frame."""
        parent = self._native.parent
        return self._page._frame_of(parent) if parent is not None else None

    @property
    def child_frames(self) -> list[Frame]:
        """The child frames."""
        return [self._page._frame_of(frame) for frame in self._native.children]

    @property
    def webmcp(self) -> WebMCP:
        """The tools that the document offers to agents (WebMCP)."""
        return WebMCP(self)

    def is_detached(self) -> bool:
        """Returns whether the frame was removed from its page."""
        return self._native.is_detached

    def _timeout(self, timeout: float | timedelta | None) -> float:
        return self._page._timeout(timeout)

    def _navigation_timeout(self, timeout: float | timedelta | None) -> float:
        return self._page._navigation_timeout(timeout)

    def _strict(self, strict: bool | None) -> bool:
        return self._page.context._strict_selectors if strict is None else strict

    def _scroll_to_end(self, selector: str | None, most_times: int | None, limit: float) -> int:
        scrolling = _core.scroll_through(self._native, selector, most_times, limit)
        return cast("int", self._run(scrolling, limit))

    def _perform(
        self,
        selector: str,
        action: dict[str, Any],
        strict: bool | None,
        timeout: float | timedelta | None,
        log: Sequence[str] | None = None,
    ) -> Any:
        limit = self._timeout(timeout)
        reported = log if log is not None else [f"waiting for {selectors.python_call('locator', selector)}"]
        strictly = self._strict(strict)
        return self._run(self._native.perform(selector, strictly, action, limit), limit, reported)

    def _is_visible(self, selector: str, strict: bool | None) -> bool:
        looked = self._run(
            self._native.is_visible(selector, self._strict(strict)),
            None,
            [f"waiting for {selectors.python_call('locator', selector)}"],
        )
        return bool(looked)

    def _dispatch(
        self,
        selector: str,
        kind: str,
        event_init: dict[str, Any] | None,
        strict: bool | None,
        timeout: float | timedelta | None,
        log: Sequence[str] | None = None,
    ) -> None:
        if any(isinstance(value, JSHandle) for value in (event_init or {}).values()):
            limit = self._timeout(timeout)
            found = self._run(
                self._native.wait_for(selector, "attached", self._strict(strict), limit), limit, log or ()
            )
            dispatch_event_on(cast("ElementHandle", to_js_handle(self._page, found)), kind, event_init)
            return
        self._perform(
            selector, actions.action("dispatch", event=kind, init=event_init or {}), strict, timeout, log
        )

    # Documents and navigation.

    def goto(
        self,
        url: str,
        *,
        timeout: float | timedelta | None = None,
        wait_until: Literal["commit", "domcontentloaded", "load", "networkidle"] | None = None,
        referer: str | None = None,
    ) -> Response | None:
        """Navigates and waits until the new document reaches a load state. Default: `load`.

        Returns the document's response; `None` within the same document and for `about:blank`.

        Raises:
            Error: If the navigation fails or becomes a download.
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        limit = self._navigation_timeout(timeout)
        address = self._page.context._resolved(url)
        attached = self._connection.attached
        if attached is not None:
            address = self._run(attached.permit(address))
        pacing = self._page.context._pacing
        if pacing is not None:
            self._run(pacing.before(self._page.context._native, address))
        operation = self._native.goto(address, load_state(wait_until), limit, referer)
        return self._navigated(operation, limit, address, wait_until)

    def _navigated(self, operation: Any, limit: float, url: str, wait_until: str | None) -> Response | None:
        log = [f'navigating to "{url}", waiting until "{wait_until or "load"}"'] if url else []
        try:
            arrival = self._run(operation, limit, log)
        except TimeoutError:
            raise
        except Error as error:
            if error._code == "navigation_failed":
                raise Error(
                    f"{error.message} at {url}" + "\nCall log:\n" + "".join(f"  - {line}\n" for line in log)
                ) from None
            raise
        if arrival == "download":
            raise Error(f"{caller()}: Download is starting")
        if arrival == "no_content":
            raise Error(f"{caller()}: net::ERR_ABORTED at {url}")
        if arrival is None or arrival == "same_document":
            return None
        return self._page._document_response(self)

    def set_content(
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
        limit = self._navigation_timeout(timeout)
        self._run(
            self._native.set_content(html, load_state(wait_until), limit),
            limit,
            [f'setting frame content, waiting until "{wait_until or "load"}"'],
        )

    def content(self, *, include_shadow: bool | None = None) -> str:
        """Returns the document as HTML with its doctype; `include_shadow` adds open shadow roots."""
        return cast("str", self._run(self._native.content(bool(include_shadow))))

    def title(self) -> str:
        """Returns the title of the document."""
        return cast("str", self._run(self._native.title()))

    def frame_element(self) -> ElementHandle:
        """Returns the `<iframe>` element of this frame, in its parent frame."""
        if self.is_detached():
            raise Error(f"{caller()}: Frame has been detached.")
        return cast("ElementHandle", to_js_handle(self._page, self._run(self._native.frame_element())))

    def wait_for_load_state(
        self,
        state: Literal["domcontentloaded", "load", "networkidle"] | None = None,
        *,
        timeout: float | timedelta | None = None,
    ) -> None:
        """Waits until the document reaches a load state; returns at once if it already has.

        Raises:
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        wanted = state or "load"
        if wanted not in ("domcontentloaded", "load", "networkidle", "commit"):
            raise Error(f"{caller()}: state: expected one of (load|domcontentloaded|networkidle|commit)")
        limit = self._navigation_timeout(timeout)
        self._run(self._native.wait_for_load_state(wanted, limit), limit)

    def wait_for_url(
        self,
        url: str | re.Pattern[str] | Callable[[str], bool],
        *,
        wait_until: Literal["commit", "domcontentloaded", "load", "networkidle"] | None = None,
        timeout: float | timedelta | None = None,
    ) -> None:
        """Waits until the document's URL matches.

        `wait_until` defaults to `load`.

        Raises:
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        base = self._page.context._base_url
        if urls.matches(base, self.url, url):
            self._wait_for_moment(wait_until, timeout)
            return
        with self.expect_navigation(url=url, wait_until=wait_until, timeout=timeout):
            pass

    def _wait_for_moment(self, wait_until: str | None, timeout: float | timedelta | None) -> None:
        limit = self._navigation_timeout(timeout)
        self._run(self._native.wait_for_load_state(load_state(wait_until), limit), limit)

    def expect_navigation(
        self,
        *,
        url: str | re.Pattern[str] | Callable[[str], bool] | None = None,
        wait_until: Literal["commit", "domcontentloaded", "load", "networkidle"] | None = None,
        timeout: float | timedelta | None = None,
    ) -> EventContextManager[Response]:
        """Waits, when the `with` block ends, for a navigation started in it.

        `wait_until` defaults to `load`.

        Raises:
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        limit = self._navigation_timeout(timeout)
        base = self._page.context._base_url
        waiter = _NavigationWaiter(self, limit, wait_until, url)
        waiter.resolve_on(
            self._page, "framenavigated", lambda frame: frame is self and urls.matches(base, frame.url, url)
        )
        waiter.reject_on_close(self._page, lambda: self._page._close_reason)
        waiter.reject_on(self._page, "crash", lambda _: Error("Navigation failed because page crashed!"))
        waiter.reject_on(
            self._page,
            "framedetached",
            lambda _: Error("Navigating frame was detached!"),
            lambda frame: frame is self,
        )
        waiter.reject_on(
            self._page,
            "requestfailed",
            lambda request: Error(f"{waiter._title}: {request.failure}"),
            lambda request: _has_failed(self, request),
        )
        return EventContextManager(waiter)

    # Scripts.

    def evaluate(self, expression: str, arg: Any = None, *, isolated_context: bool | None = None) -> Any:
        """Runs an expression or a function and returns its value.

        `isolated_context`: whether the script runs in an isolated world, without the page's variables. Default: true,
        unless `playwright_compatible` is set.
        """
        isolated = self._connection.uses_isolated_world(isolated_context)
        with explaining_isolation(isolated=isolated):
            value = self._run(self._native.evaluate(expression, arg, isolated))
        if value is None and isolated:
            self._check_world(expression)
        return value

    def _check_world(self, script: str) -> None:
        """Warns if a script only reads a variable that the isolated world does not have."""
        name = window_variable(script)
        if not name:
            return
        with suppress(Error):  # The page may be closing.
            if not self._run(self._native.evaluate("(name) => name in window", name, True)):
                warn_of_isolation(name)

    def evaluate_handle(
        self, expression: str, arg: Any = None, *, isolated_context: bool | None = None
    ) -> JSHandle:
        """Like `evaluate`, but returns a handle to the value in the page."""
        isolated = self._connection.uses_isolated_world(isolated_context)
        with explaining_isolation(isolated=isolated):
            found = self._run(self._native.evaluate_handle(expression, arg, isolated))
        return to_js_handle(self._page, found)

    def eval_on_selector(
        self, selector: str, expression: str, arg: Any = None, *, strict: bool | None = None
    ) -> Any:
        """Runs a function with the first element that matches a selector, in the page's own world."""
        log = [f"waiting for {selectors.python_call('locator', selector)}"]
        found = self._run(self._native.query(selector, self._strict(strict)), None, log)
        if found is None:
            raise Error(f'{caller()}: Failed to find element matching selector "{selector}"')
        return self._run(found.evaluate(expression, arg, False))

    def eval_on_selector_all(self, selector: str, expression: str, arg: Any = None) -> Any:
        """Runs a function with all elements that match a selector."""
        return self._evaluate_all(selector, expression, arg, False)

    def _evaluate_all(self, selector: str, expression: str, arg: Any, isolated: bool) -> Any:
        log = [f"waiting for {selectors.python_call('locator', selector)}"]
        return self._run(self._native.evaluate_all(selector, expression, arg, isolated), None, log)

    def wait_for_function(
        self,
        expression: str,
        *,
        arg: Any = None,
        timeout: float | timedelta | None = None,
        polling: float | Literal["raf"] | None = None,
        isolated_context: bool | None = None,
    ) -> JSHandle:
        """Waits until a script returns a truthy value, and returns it. `polling` is the interval in milliseconds.

        `isolated_context`: whether the script runs in an isolated world. Default: true if it only reads the document;
        other scripts run in the page's own world, where the page's variables are.

        Raises:
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        if isinstance(polling, str) and polling != "raf":
            raise Error(f"{caller()}: Unknown polling option: {polling}")
        limit = self._timeout(timeout)
        pause = float(polling) if isinstance(polling, (int, float)) else -1.0
        isolated = False if isolated_context is None and self._connection.compatible else isolated_context
        operation = self._native.wait_for_function(expression, arg, isolated, pause, limit)
        return to_js_handle(self._page, self._run(operation, limit))

    def wait_for_timeout(self, timeout: float | timedelta) -> None:
        """Waits for a fixed time, in milliseconds. Prefer waiting for a condition."""
        self._page._check_open()
        self._runtime.sleep(actions.milliseconds(timeout))

    def add_script_tag(
        self,
        *,
        url: str | None = None,
        path: str | Path | None = None,
        content: str | None = None,
        type: str | None = None,
    ) -> ElementHandle:
        """Adds a `<script>` to the document and waits until it has loaded."""
        if path is not None:
            content = Path(path).read_text(encoding="utf-8") + f"\n//# sourceURL={Path(path).as_posix()}"
        if url is None and content is None:
            raise Error(f"{caller()}: Provide an object with a `url`, `path` or `content` property")
        return self._add_tag(
            "script", {"src": url, "text": content, "type": type or ("text/javascript" if content else None)}
        )

    def add_style_tag(
        self, *, url: str | None = None, path: str | Path | None = None, content: str | None = None
    ) -> ElementHandle:
        """Adds a style sheet to the document and waits until it has loaded."""
        if path is not None:
            content = Path(path).read_text(encoding="utf-8") + f"\n/*# sourceURL={Path(path).as_posix()}*/"
        if url is None and content is None:
            raise Error(f"{caller()}: Provide an object with a `url`, `path` or `content` property")
        return self._add_tag("style", {"src": url, "text": content})

    def _add_tag(self, kind: str, options: dict[str, str | None]) -> ElementHandle:
        added = self._run(self._native.add_tag(kind, options))
        return cast("ElementHandle", to_js_handle(self._page, added))

    # Elements.

    def query_selector(self, selector: str, *, strict: bool | None = None) -> ElementHandle | None:
        """Returns the first element that matches a selector now, or `None`."""
        found = self._run(
            self._native.query(selector, self._strict(strict)),
            None,
            [f"waiting for {selectors.python_call('locator', selector)}"],
        )
        return cast("ElementHandle", to_js_handle(self._page, found)) if found is not None else None

    def query_selector_all(self, selector: str) -> list[ElementHandle]:
        """Returns all elements that match a selector now."""
        found = self._run(self._native.query_all(selector))
        return [cast("ElementHandle", to_js_handle(self._page, element)) for element in found]

    def wait_for_selector(
        self,
        selector: str,
        *,
        strict: bool | None = None,
        timeout: float | timedelta | None = None,
        state: Literal["attached", "detached", "hidden", "visible"] | None = None,
    ) -> ElementHandle | None:
        """Waits until an element is attached, visible (default), hidden or detached.

        Raises:
            Error: With `strict`, if the selector matches several elements.
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        return self._wait_for(selector, state, strict, timeout, None)

    def _wait_for(
        self,
        selector: str,
        state: str | None,
        strict: bool | None,
        timeout: float | timedelta | None,
        log: Sequence[str] | None,
    ) -> ElementHandle | None:
        wanted = state or "visible"
        if wanted not in ("attached", "detached", "hidden", "visible"):
            raise Error(f"{caller()}: state: expected one of (attached|detached|visible|hidden)")
        limit = self._timeout(timeout)
        tail = "" if wanted == "attached" else f" to be {wanted}"
        reported = log if log is not None else [f"waiting for {selectors.python_call('locator', selector)}"]
        strictly = self._strict(strict)
        waiting = self._native.wait_for(selector, wanted, strictly, limit)
        found = self._run(waiting, limit, [line + tail for line in reported])
        if found is None or wanted in ("detached", "hidden"):
            return None
        return cast("ElementHandle", to_js_handle(self._page, found))

    def drag_and_drop(
        self,
        source: str,
        target: str,
        *,
        source_position: Position | None = None,
        target_position: Position | None = None,
        force: bool | None = None,
        no_wait_after: bool | None = None,
        strict: bool | None = None,
        timeout: float | timedelta | None = None,
        trial: bool | None = None,
        scroll: Literal["auto", "none"] | None = None,
        steps: int | None = None,
    ) -> None:
        """Drags one element onto another, with this number of pointer `steps`.

        Positions are in CSS pixels from the elements' top left corners. Default: near their centers.

        Raises:
            TimeoutError: If one of the elements is not actionable within `timeout` milliseconds. Default: 30 s.
        """
        self._drag(
            source, target, strict, source_position, target_position, force, trial, scroll, steps, timeout
        )

    def _drag(
        self,
        source: str,
        target: str,
        strict: bool | None,
        source_position: Position | None,
        target_position: Position | None,
        force: bool | None,
        trial: bool | None,
        scroll: str | None,
        steps: int | None,
        timeout: float | timedelta | None,
    ) -> None:
        limit = self._timeout(timeout)
        how = {
            "source_position": source_position,
            "target_position": target_position,
            "force": bool(force),
            "trial": bool(trial),
            "steps": steps,
            "keeps_scroll": scroll == "none",
        }
        self._run(self._native.drag(source, target, self._strict(strict), how, limit), limit)

    # Locators.

    def locator(
        self,
        selector: str,
        *,
        has_text: str | re.Pattern[str] | None = None,
        has_not_text: str | re.Pattern[str] | None = None,
        has: Locator | None = None,
        has_not: Locator | None = None,
    ) -> Locator:
        """Returns a locator for a selector in this frame."""
        return Locator(
            self,
            selector,
            selectors.python_call("locator", selector),
            has_text=has_text,
            has_not_text=has_not_text,
            has=has,
            has_not=has_not,
        )

    def frame_locator(self, selector: str | None = None) -> FrameLocator:
        """Returns a frame locator for an `<iframe>`; without a selector, for any frame with a matching element.

        In that case, this frame is searched first, and then the others in order of creation.
        """
        if selector is None:
            return FrameLocator(self, ANY_FRAME, "frame_locator()")
        return FrameLocator(self, selector, selectors.python_call("locator", selector) + ".content_frame")

    def _by(self, selector: str, written: str) -> Locator:
        return Locator(self, selector, written)

    def get_by_alt_text(self, text: str | re.Pattern[str], *, exact: bool | None = None) -> Locator:
        """Returns a locator for images by their alternative text."""
        return self._by(
            selectors.by_attribute("alt", text, exact),
            selectors.python_call("get_by_alt_text", text, exact=exact or None),
        )

    def get_by_label(self, text: str | re.Pattern[str], *, exact: bool | None = None) -> Locator:
        """Returns a locator for form controls by their label."""
        return self._by(
            selectors.by_label(text, exact), selectors.python_call("get_by_label", text, exact=exact or None)
        )

    def get_by_placeholder(self, text: str | re.Pattern[str], *, exact: bool | None = None) -> Locator:
        """Returns a locator for fields by their placeholder."""
        return self._by(
            selectors.by_attribute("placeholder", text, exact),
            selectors.python_call("get_by_placeholder", text, exact=exact or None),
        )

    def get_by_role(
        self,
        role: AriaRole,
        *,
        checked: bool | None = None,
        description: str | re.Pattern[str] | None = None,
        disabled: bool | None = None,
        expanded: bool | None = None,
        include_hidden: bool | None = None,
        level: int | None = None,
        name: str | re.Pattern[str] | None = None,
        pressed: bool | None = None,
        selected: bool | None = None,
        exact: bool | None = None,
    ) -> Locator:
        """Returns a locator for elements by role, accessible name and states."""
        wanted: dict[str, Any] = {
            "checked": checked,
            "disabled": disabled,
            "selected": selected,
            "expanded": expanded,
            "include_hidden": include_hidden,
            "level": level,
            "name": name,
            "description": description,
            "pressed": pressed,
            "exact": exact,
        }
        return self._by(
            selectors.by_role(role, **wanted), selectors.python_call("get_by_role", role, **wanted)
        )

    def get_by_test_id(self, test_id: str | re.Pattern[str]) -> Locator:
        """Returns a locator for elements by test id."""
        return self._by(selectors.by_test_id(test_id), selectors.python_call("get_by_test_id", test_id))

    def get_by_text(self, text: str | re.Pattern[str], *, exact: bool | None = None) -> Locator:
        """Returns a locator for elements by their text."""
        return self._by(
            selectors.by_text(text, exact), selectors.python_call("get_by_text", text, exact=exact or None)
        )

    def get_by_title(self, text: str | re.Pattern[str], *, exact: bool | None = None) -> Locator:
        """Returns a locator for elements by their title."""
        return self._by(
            selectors.by_attribute("title", text, exact),
            selectors.python_call("get_by_title", text, exact=exact or None),
        )

    def click(
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
        self._perform(
            selector,
            actions.without_waiting(
                actions.pointer_action(
                    "click", button, click_count, delay, modifiers, position, force, trial, scroll
                ),
                no_wait_after,
            ),
            strict,
            timeout,
        )

    def dblclick(
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
        self._perform(
            selector,
            actions.pointer_action("click", button, 2, delay, modifiers, position, force, trial, scroll),
            strict,
            timeout,
        )

    def hover(
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
        self._perform(
            selector,
            actions.pointer_action("hover", None, None, None, modifiers, position, force, trial, scroll),
            strict,
            timeout,
        )

    def tap(
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
        require_touch_support(self._page.context._options)
        self._perform(
            selector,
            actions.pointer_action("tap", None, None, None, modifiers, position, force, trial, scroll),
            strict,
            timeout,
        )

    def check(
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
        self._perform(selector, actions.check_action(True, position, force, trial, scroll), strict, timeout)

    def uncheck(
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
        self._perform(selector, actions.check_action(False, position, force, trial, scroll), strict, timeout)

    def set_checked(
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
        self._perform(
            selector, actions.check_action(checked, position, force, trial, scroll), strict, timeout
        )

    def fill(
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
        self._perform(selector, actions.action("fill", value=value, force=force), strict, timeout)

    def focus(
        self, selector: str, *, strict: bool | None = None, timeout: float | timedelta | None = None
    ) -> None:
        """Focuses the element.

        Raises:
            Error: With `strict`, if the selector matches several elements.
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        self._perform(selector, actions.action("focus"), strict, timeout)

    def press(
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
        self._perform(
            selector,
            actions.without_waiting(actions.action("press", key=key, delay=delay), no_wait_after),
            strict,
            timeout,
        )

    def type(
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
        self._perform(selector, actions.action("type", text=text, delay=delay), strict, timeout)

    def select_option(
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
        choices = select_option_choices(value, index, label, element)
        return cast(
            "list[str]",
            self._perform(
                selector, actions.action("select_option", choices=choices, force=force), strict, timeout
            ),
        )

    def set_input_files(
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
        with actions.file_paths(files) as paths:
            self._perform(selector, actions.set_files_action(paths, files), strict, timeout)

    def dispatch_event(
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
        self._dispatch(selector, type, event_init, strict, timeout)

    def text_content(
        self, selector: str, *, strict: bool | None = None, timeout: float | timedelta | None = None
    ) -> str | None:
        """Returns the element's `textContent`.

        Raises:
            Error: With `strict`, if the selector matches several elements.
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        return cast("str | None", self._perform(selector, actions.action("text_content"), strict, timeout))

    def inner_text(
        self, selector: str, *, strict: bool | None = None, timeout: float | timedelta | None = None
    ) -> str:
        """Returns the element's `innerText`.

        Raises:
            Error: With `strict`, if the selector matches several elements.
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        return cast("str", self._perform(selector, actions.action("inner_text"), strict, timeout))

    def inner_html(
        self, selector: str, *, strict: bool | None = None, timeout: float | timedelta | None = None
    ) -> str:
        """Returns the element's `innerHTML`.

        Raises:
            Error: With `strict`, if the selector matches several elements.
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        return cast("str", self._perform(selector, actions.action("inner_html"), strict, timeout))

    def get_attribute(
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
        return cast(
            "str | None",
            self._perform(selector, actions.action("attribute", name=name), strict, timeout),
        )

    def input_value(
        self, selector: str, *, strict: bool | None = None, timeout: float | timedelta | None = None
    ) -> str:
        """Returns the value of an input, a text area or a select.

        Raises:
            Error: With `strict`, if the selector matches several elements.
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        return cast("str", self._perform(selector, actions.action("input_value"), strict, timeout))

    def is_visible(self, selector: str, *, strict: bool | None = None) -> bool:
        """Returns whether the element is visible now, without waiting."""
        return self._is_visible(selector, strict)

    def is_hidden(self, selector: str, *, strict: bool | None = None) -> bool:
        """Returns whether the element is missing or hidden now, without waiting."""
        return not self._is_visible(selector, strict)

    def is_enabled(
        self, selector: str, *, strict: bool | None = None, timeout: float | timedelta | None = None
    ) -> bool:
        """Returns whether the element is enabled.

        Raises:
            Error: With `strict`, if the selector matches several elements.
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        return cast("bool", self._perform(selector, actions.action("is_enabled"), strict, timeout))

    def is_disabled(
        self, selector: str, *, strict: bool | None = None, timeout: float | timedelta | None = None
    ) -> bool:
        """Returns whether the element is disabled.

        Raises:
            Error: With `strict`, if the selector matches several elements.
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        return not self._perform(selector, actions.action("is_enabled"), strict, timeout)

    def is_editable(
        self, selector: str, *, strict: bool | None = None, timeout: float | timedelta | None = None
    ) -> bool:
        """Returns whether the element is editable.

        Raises:
            Error: With `strict`, if the selector matches several elements.
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        return cast("bool", self._perform(selector, actions.action("is_editable"), strict, timeout))

    def is_checked(
        self, selector: str, *, strict: bool | None = None, timeout: float | timedelta | None = None
    ) -> bool:
        """Returns whether the element is checked.

        Raises:
            Error: With `strict`, if the selector matches several elements.
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        return cast("bool", self._perform(selector, actions.action("is_checked"), strict, timeout))


def _has_failed(frame: Frame, request: Request) -> bool:
    """Returns whether `request` was a navigation of `frame` that failed, other than by being aborted."""
    native = request._native
    is_its = native.is_navigation and native.frame is not None and native.frame.key == frame._native.key
    return is_its and native.failure not in (None, "net::ERR_ABORTED")


class _NavigationWaiter(Waiter[Any]):
    """Waits for a navigation, then for a load state of its document."""

    def __init__(self, frame: Frame, timeout: float, wait_until: str | None, url: Any) -> None:
        reported = selectors.to_js_regex(url) if isinstance(url, re.Pattern) else f'"{url}"'
        where = f" to {reported}" if url and not callable(url) else ""
        super().__init__(frame._runtime, timeout, "", f'navigation{where} until "{load_state(wait_until)}"')
        self._frame = frame
        self._wait_until = wait_until
        self._before = frame._page._document_response(frame)

    def result(self) -> Any:
        super().result()
        try:
            self._frame._wait_for_moment(self._wait_until, self._timeout)
        except Error as error:
            if error._code == "frame_detached":
                raise Error(f"{caller()}: Navigating frame was detached!") from None
            raise
        response = self._frame._page._document_response(self._frame)
        # If the response is still the earlier one, the navigation was within the same document.
        return None if response is self._before else response
