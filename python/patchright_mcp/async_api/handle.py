"""Handles to JavaScript objects and elements."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

from .. import _actions as actions
from .._failures import caller
from .._options import js_type_name, require_touch_support
from ..errors import Error
from ._base import ApiObject

if TYPE_CHECKING:
    from .._core import Frame as NativeFrame
    from .._core import JsHandle as NativeHandle
    from .._typed import Files, FloatRect, Position
    from .frame import Frame
    from .locator import Locator


class JSHandle(ApiObject):
    """A handle to a JavaScript object or value."""

    def __init__(self, page: Any, native: NativeHandle) -> None:
        super().__init__(page._connection)
        self._page = page
        self._native = native

    def __str__(self) -> str:
        return _preview(self._native)

    def __repr__(self) -> str:
        return f"<JSHandle preview={self}>"

    def as_element(self) -> ElementHandle | None:
        """Returns this handle if it is an element, otherwise `None`."""
        return None

    async def evaluate(
        self, expression: str, arg: Any = None, *, isolated_context: bool | None = None
    ) -> Any:
        """Runs a function with this object and returns its value."""
        isolated = self._connection.uses_isolated_world(isolated_context)
        return await self._run(self._native.evaluate(expression, arg, isolated))

    async def evaluate_handle(
        self, expression: str, arg: Any = None, *, isolated_context: bool | None = None
    ) -> JSHandle:
        """Like `evaluate`, but returns a handle to the value in the page."""
        isolated = self._connection.uses_isolated_world(isolated_context)
        return to_js_handle(
            self._page, await self._run(self._native.evaluate_handle(expression, arg, isolated))
        )

    async def json_value(self) -> Any:
        """Returns the object's value, converted to Python."""
        return await self._run(self._native.json_value())

    async def get_property(self, property_name: str) -> JSHandle:
        """Returns a handle to a property of the object."""
        return to_js_handle(self._page, await self._run(self._native.get_property(property_name)))

    async def get_properties(self) -> dict[str, JSHandle]:
        """Returns handles to the object's own properties, by name."""
        found = await self._run(self._native.get_properties())
        return {name: to_js_handle(self._page, value) for name, value in found}

    async def dispose(self) -> None:
        """Releases the handle, so that the page can free the object."""
        self._native = cast("NativeHandle", _Disposed())


class _Disposed:
    """Replaces the engine's handle after `dispose`."""

    def __getattr__(self, name: str) -> Any:
        raise Error(f"{caller()}: JSHandle is disposed: no object with guid")


def _preview(native: NativeHandle) -> str:
    """Returns a short preview of an object."""
    kind, subtype, description, value = native.description
    if subtype == "node":
        return f"JSHandle@{native.preview() or 'node'}"
    if value is not None or kind in ("undefined", "string"):
        return value if value is not None else kind
    if subtype == "null":
        return "null"
    if kind == "function":
        return "function" if description is None else description
    return description or f"JSHandle@{subtype or kind}"


class ElementHandle(JSHandle):
    """A handle to one element of a document. If the page replaces the element, the handle is stale; prefer locators."""

    def as_element(self) -> ElementHandle:
        """Returns this element handle."""
        return self

    async def _perform(self, action: dict[str, Any], timeout: float | timedelta | None) -> Any:
        limit = self._page._timeout(timeout)
        return await self._run(self._native.perform(action, limit), limit)

    async def owner_frame(self) -> Frame | None:
        """Returns the frame that contains the element."""
        found = await self._run(self._native.owner_frame())
        if found is None or found.page is None:
            return None
        return cast("Frame", self._page.context._page_of(found.page)._frame_of(found))

    async def content_frame(self) -> Frame | None:
        """Returns the frame of an `<iframe>` element, or `None`."""
        found = await self._run(self._native.content_frame())
        return cast("Frame", self._page._frame_of(found)) if found is not None else None

    async def query_selector(self, selector: str) -> ElementHandle | None:
        """Returns the first descendant that matches a selector now, or `None`."""
        found = await self._run(self._native.query(selector, False))
        return cast("ElementHandle", to_js_handle(self._page, found)) if found is not None else None

    async def query_selector_all(self, selector: str) -> list[ElementHandle]:
        """Returns all descendants that match a selector now."""
        found = await self._run(self._native.query_all(selector))
        return [cast("ElementHandle", to_js_handle(self._page, element)) for element in found]

    async def eval_on_selector(self, selector: str, expression: str, arg: Any = None) -> Any:
        """Runs a function with the first descendant that matches a selector, in the page's own world."""
        found = await self._run(self._native.query(selector, False))
        if found is None:
            raise Error(f'{caller()}: Failed to find element matching selector "{selector}"')
        return await self._run(found.evaluate(expression, arg, False))

    async def eval_on_selector_all(self, selector: str, expression: str, arg: Any = None) -> Any:
        """Runs a function with all descendants that match a selector."""
        return await self._run(self._native.evaluate_all(selector, expression, arg))

    async def wait_for_selector(
        self,
        selector: str,
        *,
        state: Literal["attached", "detached", "hidden", "visible"] | None = None,
        timeout: float | timedelta | None = None,
        strict: bool | None = None,
    ) -> ElementHandle | None:
        """Waits until a descendant is attached, visible (default), hidden or detached.

        Raises:
            Error: If the element is no longer in the document.
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        limit = self._page._timeout(timeout)
        wanted = state or "visible"
        operation = self._native.wait_for(selector, wanted, bool(strict), limit)
        found = await self._run(operation, limit, [f'waiting for locator("{selector}") to be {wanted}'])
        if found is None or wanted in ("detached", "hidden"):
            return None
        return cast("ElementHandle", to_js_handle(self._page, found))

    async def wait_for_element_state(
        self,
        state: Literal["disabled", "editable", "enabled", "hidden", "stable", "visible"],
        *,
        timeout: float | timedelta | None = None,
    ) -> None:
        """Waits until the element is in a state.

        Raises:
            Error: If the element is no longer in the document.
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        await self._perform(actions.action("wait", state=state), timeout)

    async def screenshot(
        self,
        *,
        timeout: float | timedelta | None = None,
        type: Literal["jpeg", "png"] | None = None,
        path: str | Path | None = None,
        quality: int | None = None,
        omit_background: bool | None = None,
        animations: Literal["allow", "disabled"] | None = None,
        caret: Literal["hide", "initial"] | None = None,
        scale: Literal["css", "device"] | None = None,
        mask: Sequence[Locator] | None = None,
        mask_color: str | None = None,
        style: str | None = None,
    ) -> bytes:
        """Returns a screenshot of the element, scrolled into view.

        Raises:
            Error: If the element is no longer in the document.
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        limit = self._page._timeout(timeout)
        await self._perform(actions.action("wait", state="visible"), timeout)
        await self._perform(actions.action("scroll_into_view"), timeout)
        box = await self.bounding_box()
        if box is None:
            raise Error(f"{caller()}: Element is not visible")
        area = ("element", (box["x"], box["y"], box["width"], box["height"]))
        finish = ScreenshotOptions(omit_background, animations, caret, mask, mask_color, style)
        return cast("bytes", await self._page._picture(area, path, type, quality, scale, finish, limit))

    async def click(
        self,
        *,
        button: Literal["left", "middle", "right"] | None = None,
        click_count: int | None = None,
        delay: float | None = None,
        force: bool | None = None,
        modifiers: Sequence[Literal["Alt", "Control", "ControlOrMeta", "Meta", "Shift"]] | None = None,
        no_wait_after: bool | None = None,
        position: Position | None = None,
        scroll: Literal["auto", "none"] | None = None,
        steps: int | None = None,
        timeout: float | timedelta | None = None,
        trial: bool | None = None,
    ) -> None:
        """Clicks the element once it is visible, stable, enabled and not covered.

        `position` is in CSS pixels from the element's top left corner. Default: near its center.
        `delay` is how long the button is held, in milliseconds. Default: set by the context's `input`.
        `force` skips these checks; `trial` only performs them.

        Raises:
            Error: If the element is no longer in the document.
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        await self._perform(
            actions.without_waiting(
                actions.pointer_action(
                    "click", button, click_count, delay, modifiers, position, force, trial, scroll, steps
                ),
                no_wait_after,
            ),
            timeout,
        )

    async def dblclick(
        self,
        *,
        button: Literal["left", "middle", "right"] | None = None,
        delay: float | None = None,
        force: bool | None = None,
        modifiers: Sequence[Literal["Alt", "Control", "ControlOrMeta", "Meta", "Shift"]] | None = None,
        no_wait_after: bool | None = None,
        position: Position | None = None,
        scroll: Literal["auto", "none"] | None = None,
        steps: int | None = None,
        timeout: float | timedelta | None = None,
        trial: bool | None = None,
    ) -> None:
        """Double-clicks the element.

        `position` is in CSS pixels from the element's top left corner. Default: near its center.
        `delay` is how long the button is held, in milliseconds. Default: set by the context's `input`.
        `force` skips the actionability checks; `trial` only performs them.

        Raises:
            Error: If the element is no longer in the document.
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        await self._perform(
            actions.pointer_action(
                "click", button, 2, delay, modifiers, position, force, trial, scroll, steps
            ),
            timeout,
        )

    async def hover(
        self,
        *,
        force: bool | None = None,
        modifiers: Sequence[Literal["Alt", "Control", "ControlOrMeta", "Meta", "Shift"]] | None = None,
        no_wait_after: bool | None = None,
        position: Position | None = None,
        scroll: Literal["auto", "none"] | None = None,
        timeout: float | timedelta | None = None,
        trial: bool | None = None,
    ) -> None:
        """Moves the pointer over the element.

        `position` is in CSS pixels from the element's top left corner. Default: near its center.
        `force` skips the actionability checks; `trial` only performs them.

        Raises:
            Error: If the element is no longer in the document.
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        await self._perform(
            actions.pointer_action("hover", None, None, None, modifiers, position, force, trial, scroll),
            timeout,
        )

    async def tap(
        self,
        *,
        force: bool | None = None,
        modifiers: Sequence[Literal["Alt", "Control", "ControlOrMeta", "Meta", "Shift"]] | None = None,
        no_wait_after: bool | None = None,
        position: Position | None = None,
        scroll: Literal["auto", "none"] | None = None,
        timeout: float | timedelta | None = None,
        trial: bool | None = None,
    ) -> None:
        """Taps the element; the context needs `has_touch`.

        `position` is in CSS pixels from the element's top left corner. Default: near its center.
        `force` skips the actionability checks; `trial` only performs them.

        Raises:
            Error: If the element is no longer in the document.
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        require_touch_support(self._page.context._options)
        await self._perform(
            actions.pointer_action("tap", None, None, None, modifiers, position, force, trial, scroll),
            timeout,
        )

    async def check(
        self,
        *,
        force: bool | None = None,
        no_wait_after: bool | None = None,
        position: Position | None = None,
        scroll: Literal["auto", "none"] | None = None,
        timeout: float | timedelta | None = None,
        trial: bool | None = None,
    ) -> None:
        """Checks a checkbox or radio button, unless it is checked.

        `position` is in CSS pixels from the element's top left corner. Default: near its center.
        `force` skips the actionability checks; `trial` only performs them.

        Raises:
            Error: If the element is no longer in the document.
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        await self._perform(actions.check_action(True, position, force, trial, scroll), timeout)

    async def uncheck(
        self,
        *,
        force: bool | None = None,
        no_wait_after: bool | None = None,
        position: Position | None = None,
        scroll: Literal["auto", "none"] | None = None,
        timeout: float | timedelta | None = None,
        trial: bool | None = None,
    ) -> None:
        """Unchecks a checkbox, if it is checked.

        `position` is in CSS pixels from the element's top left corner. Default: near its center.
        `force` skips the actionability checks; `trial` only performs them.

        Raises:
            Error: If the element is no longer in the document.
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        await self._perform(actions.check_action(False, position, force, trial, scroll), timeout)

    async def set_checked(
        self,
        checked: bool,
        *,
        force: bool | None = None,
        no_wait_after: bool | None = None,
        position: Position | None = None,
        scroll: Literal["auto", "none"] | None = None,
        timeout: float | timedelta | None = None,
        trial: bool | None = None,
    ) -> None:
        """Checks or unchecks a checkbox or a radio button.

        `position` is in CSS pixels from the element's top left corner. Default: near its center.
        `force` skips the actionability checks; `trial` only performs them.

        Raises:
            Error: If the element is no longer in the document.
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        await self._perform(actions.check_action(checked, position, force, trial, scroll), timeout)

    async def fill(
        self,
        value: str,
        *,
        force: bool | None = None,
        no_wait_after: bool | None = None,
        timeout: float | timedelta | None = None,
    ) -> None:
        """Fills a field, replacing its value.

        Raises:
            Error: If the element is no longer in the document.
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        await self._perform(actions.action("fill", value=value, force=force), timeout)

    async def focus(self) -> None:
        """Focuses the element."""
        await self._perform(actions.action("focus"), None)

    async def press(
        self,
        key: str,
        *,
        delay: float | None = None,
        no_wait_after: bool | None = None,
        timeout: float | timedelta | None = None,
    ) -> None:
        """Focuses the element and presses a key or combination such as `Control+A`.

        `delay` is how long the key is held, in milliseconds.

        Raises:
            Error: If the element is no longer in the document.
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        await self._perform(
            actions.without_waiting(actions.action("press", key=key, delay=delay), no_wait_after), timeout
        )

    async def type(
        self,
        text: str,
        *,
        delay: float | None = None,
        no_wait_after: bool | None = None,
        timeout: float | timedelta | None = None,
    ) -> None:
        """Types a text key by key. Prefer `fill` unless the page listens to keys. `delay` between keys is in milliseconds.

        Raises:
            Error: If the element is no longer in the document.
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        await self._perform(actions.action("type", text=text, delay=delay), timeout)

    async def select_option(
        self,
        value: str | Sequence[str] | None = None,
        *,
        element: ElementHandle | Sequence[ElementHandle] | None = None,
        force: bool | None = None,
        index: int | Sequence[int] | None = None,
        label: str | Sequence[str] | None = None,
        no_wait_after: bool | None = None,
        timeout: float | timedelta | None = None,
    ) -> list[str]:
        """Selects options of a `<select>` and returns the selected values.

        Raises:
            Error: If the element is no longer in the document.
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        choices = await select_option_choices(value, index, label, element)
        return cast(
            "list[str]",
            await self._perform(actions.action("select_option", choices=choices, force=force), timeout),
        )

    async def select_text(
        self, *, force: bool | None = None, timeout: float | timedelta | None = None
    ) -> None:
        """Selects all text of the element.

        Raises:
            Error: If the element is no longer in the document.
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        await self._perform(actions.action("select_text", force=force), timeout)

    async def scroll_into_view_if_needed(self, *, timeout: float | timedelta | None = None) -> None:
        """Scrolls the element into view.

        Raises:
            Error: If the element is no longer in the document.
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        await self._perform(actions.action("scroll_into_view"), timeout)

    async def set_input_files(
        self,
        files: Files,
        *,
        no_wait_after: bool | None = None,
        timeout: float | timedelta | None = None,
    ) -> None:
        """Sets the files of a file input, by path or content.

        Raises:
            Error: If the element is no longer in the document.
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        with actions.file_paths(files) as paths:
            await self._perform(actions.set_files_action(paths, files), timeout)

    async def dispatch_event(self, type: str, event_init: Any | None = None) -> None:
        """Dispatches an event on the element, whatever its state."""
        await dispatch_event_on(self, type, event_init)

    async def text_content(self) -> str | None:
        """Returns the element's `textContent`."""
        return cast("str | None", await self._perform(actions.action("text_content"), None))

    async def inner_text(self) -> str:
        """Returns the element's `innerText`."""
        return cast("str", await self._perform(actions.action("inner_text"), None))

    async def inner_html(self) -> str:
        """Returns the element's `innerHTML`."""
        return cast("str", await self._perform(actions.action("inner_html"), None))

    async def get_attribute(self, name: str) -> str | None:
        """Returns the value of an attribute, or `None`."""
        return cast("str | None", await self._perform(actions.action("attribute", name=name), None))

    async def input_value(self, *, timeout: float | timedelta | None = None) -> str:
        """Returns the value of an input, a text area or a select.

        Raises:
            Error: If the element is no longer in the document.
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        return cast("str", await self._perform(actions.action("input_value"), timeout))

    async def bounding_box(self) -> FloatRect | None:
        """Returns the element's bounding box in the viewport, in CSS pixels, or `None` if it is not rendered."""
        return actions.to_float_rect(await self._perform(actions.action("bounding_box"), None))

    async def is_visible(self) -> bool:
        """Returns whether the element is visible now, without waiting."""
        return bool(await self._perform(actions.action("is_visible"), None))

    async def is_hidden(self) -> bool:
        """Returns whether the element is missing or hidden now, without waiting."""
        return not bool(await self._perform(actions.action("is_visible"), None))

    async def is_enabled(self) -> bool:
        """Returns whether the element is enabled."""
        return cast("bool", await self._perform(actions.action("is_enabled"), None))

    async def is_disabled(self) -> bool:
        """Returns whether the element is disabled."""
        return not await self._perform(actions.action("is_enabled"), None)

    async def is_editable(self) -> bool:
        """Returns whether the element is editable."""
        return cast("bool", await self._perform(actions.action("is_editable"), None))

    async def is_checked(self) -> bool:
        """Returns whether the element is checked."""
        return cast("bool", await self._perform(actions.action("is_checked"), None))


def to_js_handle(page: Any, native: NativeHandle) -> JSHandle:
    """Returns the library's object for a handle of the engine."""
    return ElementHandle(page, native) if native.is_node else JSHandle(page, native)


class ScreenshotOptions:
    """The changes to make to a page during a screenshot, in the engine's format."""

    def __init__(
        self,
        omit_background: bool | None,
        animations: str | None,
        caret: str | None,
        mask: Sequence[Locator] | None,
        mask_color: str | None,
        style: str | None,
    ) -> None:
        self.masks: list[tuple[NativeFrame, str]] = [
            (locator._frame._native, locator._selector) for locator in mask or ()
        ]
        self.reported: dict[str, Any] = {
            "transparent": bool(omit_background),
            "stops_animations": animations == "disabled",
            "hides_caret": caret != "initial",
            "mask_color": mask_color or "#FF00FF",
            "style": style,
        }


def write_picture(path: str | Path | None, picture: bytes) -> bytes:
    """Writes a screenshot to `path`, if given, and returns it."""
    if path is not None:
        target = Path(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(picture)
    return picture


async def dispatch_event_on(element: ElementHandle, kind: str, event_init: dict[str, Any] | None) -> None:
    """Dispatches an event on an element; `event_init` may contain handles."""
    objects = any(isinstance(value, JSHandle) for value in (event_init or {}).values())
    if not objects:
        await element._perform(actions.action("dispatch", event=kind, init=event_init or {}), None)
        return
    await element._run(element._native.dispatch(kind, event_init))


async def select_option_choices(value: Any, index: Any, label: Any, element: Any) -> list[dict[str, Any]]:
    """Converts the arguments that choose options of a `<select>` to the engine's format."""
    for text in (*actions.as_list(value), *actions.as_list(label)):
        if not isinstance(text, str):
            raise Error(
                f"{caller()}: options[0].valueOrLabel: expected string, got {'object' if text is None else js_type_name(text)}"
            )
    choices: list[dict[str, Any]] = [{"any": text} for text in actions.as_list(value)]
    choices += [{"index": number} for number in actions.as_list(index)]
    choices += [{"label": text} for text in actions.as_list(label)]
    for option in actions.as_list(element):
        choices.append({"index": await (await option.get_property("index")).json_value()})
    return choices
