"""Objects of a page: values, and elements that were found."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

from .. import _deeds as deeds
from .._failures import caller
from .._options import check_touch, kind_of
from ..errors import Error
from ._base import ApiObject

if TYPE_CHECKING:
    from .._core import Frame as NativeFrame
    from .._core import JsHandle as NativeHandle
    from .._typed import Files, FloatRect, Position
    from .frame import Frame
    from .locator import Locator


class JSHandle(ApiObject):
    """An object of a page, or a plain value that a script gave."""

    def __init__(self, page: Any, native: NativeHandle) -> None:
        super().__init__(page._connection)
        self._page = page
        self._native = native

    def __str__(self) -> str:
        return _preview(self._native)

    def __repr__(self) -> str:
        return f"<JSHandle preview={self}>"

    def as_element(self) -> ElementHandle | None:
        """The element that it is; `None` where it is none."""
        return None

    async def evaluate(
        self, expression: str, arg: Any = None, *, isolated_context: bool | None = None
    ) -> Any:
        """Runs a function with this object, and gives its value."""
        isolated = self._connection.isolated(isolated_context)
        return await self._run(self._native.evaluate(expression, arg, isolated))

    async def evaluate_handle(
        self, expression: str, arg: Any = None, *, isolated_context: bool | None = None
    ) -> JSHandle:
        """Like `evaluate`; what it gives stays in the page."""
        isolated = self._connection.isolated(isolated_context)
        return handle_of(self._page, await self._run(self._native.evaluate_handle(expression, arg, isolated)))

    async def json_value(self) -> Any:
        """Its value."""
        return await self._run(self._native.json_value())

    async def get_property(self, property_name: str) -> JSHandle:
        """One of its properties."""
        return handle_of(self._page, await self._run(self._native.get_property(property_name)))

    async def get_properties(self) -> dict[str, JSHandle]:
        """Its own properties, by name."""
        found = await self._run(self._native.get_properties())
        return {name: handle_of(self._page, value) for name, value in found}

    async def dispose(self) -> None:
        """Lets go of the object."""
        self._native = cast("NativeHandle", _Disposed())


class _Disposed:
    """What is left of a handle that was let go of."""

    def __getattr__(self, name: str) -> Any:
        raise Error(f"{caller()}: JSHandle is disposed: no object with guid")


def _preview(native: NativeHandle) -> str:
    """What an object is, in a word."""
    kind, subtype, description, value = native.told
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
    """One element that was found. It stays what it is when the page changes; a locator is better mostly."""

    def as_element(self) -> ElementHandle:
        """This element."""
        return self

    async def _perform(self, deed: dict[str, Any], timeout: float | timedelta | None) -> Any:
        limit = self._page._timeout(timeout)
        return await self._run(self._native.perform(deed, limit), limit)

    async def owner_frame(self) -> Frame | None:
        """The frame in whose document it is, of whichever page."""
        found = await self._run(self._native.owner_frame())
        if found is None or found.page is None:
            return None
        return cast("Frame", self._page.context._page_of(found.page)._frame_of(found))

    async def content_frame(self) -> Frame | None:
        """The frame that it shows; `None` where it shows none."""
        found = await self._run(self._native.content_frame())
        return cast("Frame", self._page._frame_of(found)) if found is not None else None

    async def query_selector(self, selector: str) -> ElementHandle | None:
        """The first element within it that a selector finds now."""
        found = await self._run(self._native.query(selector, False))
        return cast("ElementHandle", handle_of(self._page, found)) if found is not None else None

    async def query_selector_all(self, selector: str) -> list[ElementHandle]:
        """All elements within it that a selector finds now."""
        found = await self._run(self._native.query_all(selector))
        return [cast("ElementHandle", handle_of(self._page, element)) for element in found]

    async def eval_on_selector(self, selector: str, expression: str, arg: Any = None) -> Any:
        """Runs a function with the first element within it that a selector finds, in the page's own world."""
        found = await self._run(self._native.query(selector, False))
        if found is None:
            raise Error(f'{caller()}: Failed to find element matching selector "{selector}"')
        return await self._run(found.evaluate(expression, arg, False))

    async def eval_on_selector_all(self, selector: str, expression: str, arg: Any = None) -> Any:
        """Runs a function with all elements within it that a selector finds."""
        return await self._run(self._native.evaluate_all(selector, expression, arg))

    async def wait_for_selector(
        self,
        selector: str,
        *,
        state: Literal["attached", "detached", "hidden", "visible"] | None = None,
        timeout: float | timedelta | None = None,
        strict: bool | None = None,
    ) -> ElementHandle | None:
        """Waits until an element within it is there, is seen (unless told), is hidden or is gone.

        Raises:
            Error: When the element is no longer in the document.
            TimeoutError: After `timeout` milliseconds (30 s unless told; 0 for no limit).
        """
        limit = self._page._timeout(timeout)
        wanted = state or "visible"
        operation = self._native.wait_for(selector, wanted, bool(strict), limit)
        found = await self._run(operation, limit, [f'waiting for locator("{selector}") to be {wanted}'])
        if found is None or wanted in ("detached", "hidden"):
            return None
        return cast("ElementHandle", handle_of(self._page, found))

    async def wait_for_element_state(
        self,
        state: Literal["disabled", "editable", "enabled", "hidden", "stable", "visible"],
        *,
        timeout: float | timedelta | None = None,
    ) -> None:
        """Waits until it is in a state.

        Raises:
            Error: When the element is no longer in the document.
            TimeoutError: After `timeout` milliseconds (30 s unless told; 0 for no limit).
        """
        await self._perform(deeds.deed("wait", state=state), timeout)

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
        """A picture of the element, scrolled into view.

        Raises:
            Error: When the element is no longer in the document.
            TimeoutError: After `timeout` milliseconds (30 s unless told; 0 for no limit).
        """
        limit = self._page._timeout(timeout)
        await self._perform(deeds.deed("wait", state="visible"), timeout)
        await self._perform(deeds.deed("scroll_into_view"), timeout)
        box = await self.bounding_box()
        if box is None:
            raise Error(f"{caller()}: Element is not visible")
        area = [box["x"], box["y"], box["width"], box["height"]]
        finish = Finish(omit_background, animations, caret, mask, mask_color, style)
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
        """Clicks the element, once it is visible, still, enabled and on top.

        `position` is in CSS pixels from the top left corner of the element (near its middle unless told).
        `delay` is how long the button is held, in milliseconds (as `input` of the context says unless told).
        `force` does not wait for any of that; `trial` only waits.

        Raises:
            Error: When the element is no longer in the document.
            TimeoutError: After `timeout` milliseconds (30 s unless told; 0 for no limit).
        """
        await self._perform(
            deeds.unfollowed(
                deeds.press(
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
        """Clicks the element twice.

        `position` is in CSS pixels from the top left corner of the element (near its middle unless told).
        `delay` is how long the button is held, in milliseconds (as `input` of the context says unless told).
        `force` does not wait until it can be acted on; `trial` only waits.

        Raises:
            Error: When the element is no longer in the document.
            TimeoutError: After `timeout` milliseconds (30 s unless told; 0 for no limit).
        """
        await self._perform(
            deeds.press("click", button, 2, delay, modifiers, position, force, trial, scroll, steps), timeout
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

        `position` is in CSS pixels from the top left corner of the element (near its middle unless told).
        `force` does not wait until it can be acted on; `trial` only waits.

        Raises:
            Error: When the element is no longer in the document.
            TimeoutError: After `timeout` milliseconds (30 s unless told; 0 for no limit).
        """
        await self._perform(
            deeds.press("hover", None, None, None, modifiers, position, force, trial, scroll), timeout
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
        """Touches the element; the context needs `has_touch`.

        `position` is in CSS pixels from the top left corner of the element (near its middle unless told).
        `force` does not wait until it can be acted on; `trial` only waits.

        Raises:
            Error: When the element is no longer in the document.
            TimeoutError: After `timeout` milliseconds (30 s unless told; 0 for no limit).
        """
        check_touch(self._page.context._options)
        await self._perform(
            deeds.press("tap", None, None, None, modifiers, position, force, trial, scroll), timeout
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
        """Checks a checkbox or a radio button, if it is not.

        `position` is in CSS pixels from the top left corner of the element (near its middle unless told).
        `force` does not wait until it can be acted on; `trial` only waits.

        Raises:
            Error: When the element is no longer in the document.
            TimeoutError: After `timeout` milliseconds (30 s unless told; 0 for no limit).
        """
        await self._perform(deeds.checked(True, position, force, trial, scroll), timeout)

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

        `position` is in CSS pixels from the top left corner of the element (near its middle unless told).
        `force` does not wait until it can be acted on; `trial` only waits.

        Raises:
            Error: When the element is no longer in the document.
            TimeoutError: After `timeout` milliseconds (30 s unless told; 0 for no limit).
        """
        await self._perform(deeds.checked(False, position, force, trial, scroll), timeout)

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

        `position` is in CSS pixels from the top left corner of the element (near its middle unless told).
        `force` does not wait until it can be acted on; `trial` only waits.

        Raises:
            Error: When the element is no longer in the document.
            TimeoutError: After `timeout` milliseconds (30 s unless told; 0 for no limit).
        """
        await self._perform(deeds.checked(checked, position, force, trial, scroll), timeout)

    async def fill(
        self,
        value: str,
        *,
        force: bool | None = None,
        no_wait_after: bool | None = None,
        timeout: float | timedelta | None = None,
    ) -> None:
        """Puts a value into a field, in place of what it holds.

        Raises:
            Error: When the element is no longer in the document.
            TimeoutError: After `timeout` milliseconds (30 s unless told; 0 for no limit).
        """
        await self._perform(deeds.deed("fill", value=value, force=force), timeout)

    async def focus(self) -> None:
        """Puts the focus on the element."""
        await self._perform(deeds.deed("focus"), None)

    async def press(
        self,
        key: str,
        *,
        delay: float | None = None,
        no_wait_after: bool | None = None,
        timeout: float | timedelta | None = None,
    ) -> None:
        """Presses a key or a chord such as `Control+A`, with the focus on the element.

        `delay` is how long the key is held, in milliseconds.

        Raises:
            Error: When the element is no longer in the document.
            TimeoutError: After `timeout` milliseconds (30 s unless told; 0 for no limit).
        """
        await self._perform(
            deeds.unfollowed(deeds.deed("press", key=key, delay=delay), no_wait_after), timeout
        )

    async def type(
        self,
        text: str,
        *,
        delay: float | None = None,
        no_wait_after: bool | None = None,
        timeout: float | timedelta | None = None,
    ) -> None:
        """Types a text key by key. `fill` is enough unless the page listens to keys. `delay` is from key to key, in ms.

        Raises:
            Error: When the element is no longer in the document.
            TimeoutError: After `timeout` milliseconds (30 s unless told; 0 for no limit).
        """
        await self._perform(deeds.deed("type", text=text, delay=delay), timeout)

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
        """Selects options of a `<select>`; gives the values that are selected then.

        Raises:
            Error: When the element is no longer in the document.
            TimeoutError: After `timeout` milliseconds (30 s unless told; 0 for no limit).
        """
        choices = await option_choices(value, index, label, element)
        return cast(
            "list[str]",
            await self._perform(deeds.deed("select_option", choices=choices, force=force), timeout),
        )

    async def select_text(
        self, *, force: bool | None = None, timeout: float | timedelta | None = None
    ) -> None:
        """Selects all text of the element.

        Raises:
            Error: When the element is no longer in the document.
            TimeoutError: After `timeout` milliseconds (30 s unless told; 0 for no limit).
        """
        await self._perform(deeds.deed("select_text", force=force), timeout)

    async def scroll_into_view_if_needed(self, *, timeout: float | timedelta | None = None) -> None:
        """Scrolls until the element can be seen.

        Raises:
            Error: When the element is no longer in the document.
            TimeoutError: After `timeout` milliseconds (30 s unless told; 0 for no limit).
        """
        await self._perform(deeds.deed("scroll_into_view"), timeout)

    async def set_input_files(
        self,
        files: Files,
        *,
        no_wait_after: bool | None = None,
        timeout: float | timedelta | None = None,
    ) -> None:
        """Gives files to a file input: paths, or their content.

        Raises:
            Error: When the element is no longer in the document.
            TimeoutError: After `timeout` milliseconds (30 s unless told; 0 for no limit).
        """
        with deeds.files_of(files) as paths:
            await self._perform(deeds.given_files(paths, files), timeout)

    async def dispatch_event(self, type: str, event_init: Any | None = None) -> None:
        """Dispatches an event on the element, whatever its state."""
        await dispatch_on(self, type, event_init)

    async def text_content(self) -> str | None:
        """The text in the element, seen or not."""
        return cast("str | None", await self._perform(deeds.deed("text_content"), None))

    async def inner_text(self) -> str:
        """The text of the element as it is drawn."""
        return cast("str", await self._perform(deeds.deed("inner_text"), None))

    async def inner_html(self) -> str:
        """The HTML in the element."""
        return cast("str", await self._perform(deeds.deed("inner_html"), None))

    async def get_attribute(self, name: str) -> str | None:
        """The value of an attribute; `None` where it has none."""
        return cast("str | None", await self._perform(deeds.deed("attribute", name=name), None))

    async def input_value(self, *, timeout: float | timedelta | None = None) -> str:
        """What an input, a text area or a select holds.

        Raises:
            Error: When the element is no longer in the document.
            TimeoutError: After `timeout` milliseconds (30 s unless told; 0 for no limit).
        """
        return cast("str", await self._perform(deeds.deed("input_value"), timeout))

    async def bounding_box(self) -> FloatRect | None:
        """Where the element is in the viewport, in CSS pixels; `None` when it is not drawn."""
        return deeds.rectangle(await self._perform(deeds.deed("bounding_box"), None))

    async def is_visible(self) -> bool:
        """Whether the element can be seen now; nothing is waited for."""
        return bool(await self._perform(deeds.deed("is_visible"), None))

    async def is_hidden(self) -> bool:
        """Whether the element is missing or cannot be seen now; nothing is waited for."""
        return not bool(await self._perform(deeds.deed("is_visible"), None))

    async def is_enabled(self) -> bool:
        """Whether the element is enabled."""
        return cast("bool", await self._perform(deeds.deed("is_enabled"), None))

    async def is_disabled(self) -> bool:
        """Whether the element is disabled."""
        return not await self._perform(deeds.deed("is_enabled"), None)

    async def is_editable(self) -> bool:
        """Whether the element can be edited."""
        return cast("bool", await self._perform(deeds.deed("is_editable"), None))

    async def is_checked(self) -> bool:
        """Whether the element is checked."""
        return cast("bool", await self._perform(deeds.deed("is_checked"), None))


def handle_of(page: Any, native: NativeHandle) -> JSHandle:
    """The object of the library for one of the engine."""
    return ElementHandle(page, native) if native.is_node else JSHandle(page, native)


class Finish:
    """What is done to a page for the moment of a picture, in the words of the engine."""

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
        self.told: dict[str, Any] = {
            "transparent": bool(omit_background),
            "stops_animations": animations == "disabled",
            "hides_caret": caret != "initial",
            "mask_color": mask_color or "#FF00FF",
            "style": style,
        }


def write_picture(path: str | Path | None, picture: bytes) -> bytes:
    """Writes a picture where it was asked for."""
    if path is not None:
        target = Path(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(picture)
    return picture


async def dispatch_on(element: ElementHandle, kind: str, event_init: dict[str, Any] | None) -> None:
    """Dispatches an event on an element. What it is made of may hold objects of the page."""
    objects = any(isinstance(value, JSHandle) for value in (event_init or {}).values())
    if not objects:
        await element._perform(deeds.deed("dispatch", event=kind, init=event_init or {}), None)
        return
    await element._run(element._native.dispatch(kind, event_init))


async def option_choices(value: Any, index: Any, label: Any, element: Any) -> list[dict[str, Any]]:
    """The options of a select that are meant, in the words of the engine."""
    for text in (*deeds.listed(value), *deeds.listed(label)):
        if not isinstance(text, str):
            raise Error(
                f"{caller()}: options[0].valueOrLabel: expected string, got {'object' if text is None else kind_of(text)}"
            )
    choices: list[dict[str, Any]] = [{"any": text} for text in deeds.listed(value)]
    choices += [{"index": number} for number in deeds.listed(index)]
    choices += [{"label": text} for text in deeds.listed(label)]
    for option in deeds.listed(element):
        choices.append({"index": await (await option.get_property("index")).json_value()})
    return choices
