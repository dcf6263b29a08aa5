"""Locators: descriptions of elements, resolved to elements at each use."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

from .. import _actions as actions
from .. import _selectors as selectors
from .._options import require_touch_support
from ..errors import Error
from ._base import ApiObject
from ._disposable import Disposable
from .handle import ElementHandle, JSHandle, select_option_choices, to_js_handle

if TYPE_CHECKING:
    from .._typed import AriaRole, DropPayload, Files, FloatRect, Position
    from .frame import Frame
    from .page import Page

_ENTER = " >> internal:control=enter-frame >> "
ANY_FRAME = "internal:control=any-frame"
"""The selector of a frame locator for any frame of the page: the first one with a match is used."""


class Locator(ApiObject):
    """Finds an element anew at each use, and waits for it. Actions fail if it matches several elements."""

    def __init__(
        self,
        frame: Frame,
        selector: str,
        expected: str,
        *,
        has_text: str | re.Pattern[str] | None = None,
        has_not_text: str | re.Pattern[str] | None = None,
        has: Locator | None = None,
        has_not: Locator | None = None,
        visible: bool | None = None,
    ) -> None:
        super().__init__(frame._connection)
        for name, inner in (("has", has), ("has_not", has_not)):
            if inner is not None and inner._frame is not frame:
                raise Error(f'Inner "{name}" locator must belong to the same frame.')
        self._frame: Frame = frame
        self._selector: str = selector + selectors.filter_suffix(
            has_text,
            has_not_text,
            has._selector if has else None,
            has_not._selector if has_not else None,
            visible,
        )
        narrowing = "".join(
            f".filter({name}={value._reported_as if isinstance(value, Locator) else selectors.python_literal(value)})"
            for name, value in (
                ("has_text", has_text),
                ("has_not_text", has_not_text),
                ("has", has),
                ("has_not", has_not),
            )
            if value
        )
        seen = "" if visible is None else ".visible" if visible else ".filter(visible=False)"
        self._reported_as: str = expected + narrowing + seen
        self._description: str | None = None

    def __repr__(self) -> str:
        return f"<Locator frame={self._frame!r} selector={self._selector!r}>"

    def _log(self) -> list[str]:
        return [f"waiting for {self._in_words()}"]

    def _in_words(self) -> str:
        return self._description or self._reported_as

    def _derived(self, suffix: str, expected: str) -> Locator:
        return Locator(self._frame, self._selector + suffix, self._reported_as + expected)

    def _by(self, selector: str, written: str) -> Locator:
        return self._derived(f" >> {selector}", f".{written}")

    async def _perform(self, action: dict[str, Any], timeout: float | timedelta | None) -> Any:
        return await self._frame._perform(self._selector, action, True, timeout, self._log())

    @property
    def page(self) -> Page:
        """The page in which this locator searches."""
        return self._frame.page

    @property
    def first(self) -> Locator:
        """Returns a locator for the first match."""
        return self._derived(" >> nth=0", ".first")

    @property
    def last(self) -> Locator:
        """Returns a locator for the last match."""
        return self._derived(" >> nth=-1", ".last")

    @property
    def content_frame(self) -> FrameLocator:
        """Returns a frame locator for the frame that the matched `<iframe>` embeds."""
        return FrameLocator(self._frame, self._selector, f"{self._reported_as}.content_frame")

    @property
    def description(self) -> str | None:
        """The description set by `describe`."""
        return self._description

    @property
    def visible(self) -> Locator:
        """Returns a locator for the visible matches."""
        return self.filter(visible=True)

    def nth(self, index: int) -> Locator:
        """Returns a locator for the match with this index, from 0; negative indexes count from the end."""
        return self._derived(f" >> nth={index}", f".nth({index})")

    def locator(
        self,
        selector_or_locator: str | Locator,
        *,
        has_text: str | re.Pattern[str] | None = None,
        has_not_text: str | re.Pattern[str] | None = None,
        has: Locator | None = None,
        has_not: Locator | None = None,
    ) -> Locator:
        """Returns a locator for descendants of the matches."""
        suffix, reported = _within(self._frame, selector_or_locator)
        return Locator(
            self._frame,
            f"{self._selector} >> {suffix}",
            f"{self._reported_as}.{reported}",
            has_text=has_text,
            has_not_text=has_not_text,
            has=has,
            has_not=has_not,
        )

    def filter(
        self,
        *,
        has_text: str | re.Pattern[str] | None = None,
        has_not_text: str | re.Pattern[str] | None = None,
        has: Locator | None = None,
        has_not: Locator | None = None,
        visible: bool | None = None,
    ) -> Locator:
        """Returns a locator for the matches that meet these conditions."""
        return Locator(
            self._frame,
            self._selector,
            self._reported_as,
            has_text=has_text,
            has_not_text=has_not_text,
            has=has,
            has_not=has_not,
            visible=visible,
        )

    def and_(self, locator: Locator) -> Locator:
        """Returns a locator for the elements that both locators match."""
        self._check_frame(locator)
        return self._derived(
            f" >> internal:and={selectors.quote(locator._selector)}", f".and_({locator._reported_as})"
        )

    def or_(self, locator: Locator) -> Locator:
        """Returns a locator for the elements that either locator matches."""
        self._check_frame(locator)
        return self._derived(
            f" >> internal:or={selectors.quote(locator._selector)}", f".or_({locator._reported_as})"
        )

    def _check_frame(self, locator: Locator) -> None:
        if locator._frame is not self._frame:
            raise Error("Locators must belong to the same frame.")

    def frame_locator(self, selector: str) -> FrameLocator:
        """Returns a frame locator for an `<iframe>` inside the matched element."""
        return FrameLocator(
            self._frame,
            f"{self._selector} >> {selector}",
            f"{self._reported_as}.{selectors.python_call('locator', selector)}.content_frame",
        )

    def within(self, locator: Locator) -> Locator:
        """Returns a locator for the matches of this locator that are inside matches of another."""
        return locator.locator(self)

    def describe(self, description: str) -> Locator:
        """Returns the same locator with a description for messages."""
        described = self._derived(f" >> internal:describe={selectors.quote(description)}", "")
        described._description = description
        return described

    async def normalize(self) -> Locator:
        """Returns a locator for the same element by its test id, role and name, label, or text.

        If none of these is unique, the element is located by its index or its position in the document.
        """
        way = await self._perform(actions.action("generate_locator"), None)
        around, enters, _ = self._selector.rpartition(_ENTER)
        reported, frames, _ = self._reported_as.rpartition(".content_frame.")
        selector, written = selectors.from_engine_description(way)
        return Locator(self._frame, around + enters + selector, reported + frames + written)

    async def aria_snapshot(
        self,
        *,
        timeout: float | timedelta | None = None,
        mode: Literal["ai", "default"] | None = None,
        depth: int | None = None,
        boxes: bool | None = None,
    ) -> str:
        """Returns the accessibility tree of the element as text, with `depth` levels. Default: all levels.

        With the mode `"ai"`, or with `boxes`, returns an outline with refs for `Page.get_by_ref`; see `Page.snapshot`.

        Raises:
            TimeoutError: If no element matches within `timeout` milliseconds. Default: 30 s.
        """
        if boxes or mode == "ai":
            limit = self._frame._timeout(timeout)
            chosen = actions.without_none(depth=depth, boxes=boxes)
            outline = self._frame._native.snapshot(self._selector, True, chosen, limit)
            return cast("str", await self._run(outline, limit, self._log()))
        return cast("str", await self._perform(actions.action("aria_snapshot", depth=depth), timeout))

    async def all(self) -> list[Locator]:
        """Returns a locator for each element that matches now."""
        return [self.nth(index) for index in range(await self.count())]

    async def count(self) -> int:
        """Returns the number of elements that match now."""
        return cast("int", await self._run(self._frame._native.count(self._selector), None, self._log()))

    async def all_text_contents(self) -> list[str]:
        """Returns the `textContent` of each element that matches now."""
        return await self._texts(drawn=False)

    async def all_inner_texts(self) -> list[str]:
        """Returns the `innerText` of each element that matches now."""
        return await self._texts(drawn=True)

    async def _texts(self, *, drawn: bool) -> list[str]:
        found = await self._run(self._frame._native.texts(self._selector, drawn), None, self._log())
        return cast("list[str]", found)

    async def element_handle(self, *, timeout: float | timedelta | None = None) -> ElementHandle:
        """Returns a handle to the element, once it is attached.

        Raises:
            Error: If the locator matches several elements.
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        limit = self._frame._timeout(timeout)
        found = await self._run(
            self._frame._native.wait_for(self._selector, "attached", True, limit), limit, self._log()
        )
        return cast("ElementHandle", to_js_handle(self.page, found))

    async def element_handles(self) -> list[ElementHandle]:
        """Returns handles to the elements that match now."""
        return await self._frame.query_selector_all(self._selector)

    async def evaluate(
        self,
        expression: str,
        arg: Any = None,
        *,
        timeout: float | timedelta | None = None,
        isolated_context: bool | None = None,
    ) -> Any:
        """Runs a function with the element, once it is attached.

        Raises:
            Error: If the locator matches several elements.
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        limit = self._frame._timeout(timeout)
        operation = self._frame._native.evaluate_on(
            self._selector,
            True,
            expression,
            arg,
            self._connection.uses_isolated_world(isolated_context),
            limit,
        )
        return await self._run(operation, limit, self._log())

    async def evaluate_all(
        self, expression: str, arg: Any = None, *, isolated_context: bool | None = None
    ) -> Any:
        """Runs a function with all elements that match now."""
        isolated = self._connection.uses_isolated_world(isolated_context)
        return await self._frame._evaluate_all(self._selector, expression, arg, isolated)

    async def evaluate_handle(
        self,
        expression: str,
        arg: Any = None,
        *,
        timeout: float | timedelta | None = None,
        isolated_context: bool | None = None,
    ) -> JSHandle:
        """Like `evaluate`, but returns a handle to the value in the page.

        Raises:
            Error: If the locator matches several elements.
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        element = await self.element_handle(timeout=timeout)
        return await element.evaluate_handle(expression, arg, isolated_context=isolated_context)

    async def wait_for(
        self,
        *,
        timeout: float | timedelta | None = None,
        state: Literal["attached", "detached", "hidden", "visible"] | None = None,
    ) -> None:
        """Waits until the element is attached, visible (default), hidden or detached.

        Raises:
            Error: If the locator matches several elements.
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        await self._frame._wait_for(self._selector, state, True, timeout, self._log())

    async def wait_for_function(
        self, expression: str, *, arg: Any = None, timeout: float | timedelta | None = None
    ) -> None:
        """Waits until a function of the element returns a truthy value.

        Raises:
            Error: If the locator matches several elements.
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        element = await self.element_handle(timeout=timeout)
        limit = self._frame._timeout(timeout)
        script = f"([element, argument]) => ({expression})(element, argument)"
        await self._run(
            self._frame._native.wait_for_function(script, [element, arg], True, -1, limit), limit, self._log()
        )

    async def drag_to(
        self,
        target: Locator,
        *,
        force: bool | None = None,
        no_wait_after: bool | None = None,
        timeout: float | timedelta | None = None,
        trial: bool | None = None,
        source_position: Position | None = None,
        target_position: Position | None = None,
        scroll: Literal["auto", "none"] | None = None,
        steps: int | None = None,
    ) -> None:
        """Drags the element onto another one, with this number of pointer `steps`.

        Positions are in CSS pixels from the elements' top left corners. Default: near their centers.

        Raises:
            TimeoutError: If one of the elements is not actionable within `timeout` milliseconds. Default: 30 s.
        """
        await self._frame._drag(
            self._selector,
            target._selector,
            True,
            source_position,
            target_position,
            force,
            trial,
            scroll,
            steps,
            timeout,
        )

    async def drop(
        self,
        payload: DropPayload,
        *,
        position: Position | None = None,
        timeout: float | timedelta | None = None,
    ) -> None:
        """Drops files or texts on the element, as if they came from another program.

        `payload` has `files` (paths, or files by content) and `data` (texts by MIME type, for example
        `text/plain`).

        `position` is in CSS pixels from the element's top left corner. Default: near its center.

        Raises:
            Error: If the locator matches several elements.
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        given = payload.get("files")
        with actions.file_paths(given) as files:
            data = list((payload.get("data") or {}).items())
            types = actions.mime_types(given)
            done = actions.action("drop", files=files, types=types, data=data, position=position)
            await self._perform(done, timeout)

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
            Error: If the locator matches several elements.
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        element = await self.element_handle(timeout=timeout)
        return await element.screenshot(
            timeout=timeout,
            type=type,
            path=path,
            quality=quality,
            omit_background=omit_background,
            animations=animations,
            caret=caret,
            scale=scale,
            mask=mask,
            mask_color=mask_color,
            style=style,
        )

    async def highlight(self, *, style: str | None = None) -> Disposable:
        """Outlines all elements that match now, in the window and in screenshots.

        The browser draws the outline, so `style` has no effect, and the page is not changed and cannot notice.
        """
        await self._run(self._frame._native.highlight(self._selector))
        return Disposable(self.hide_highlight, self._runtime)

    async def hide_highlight(self) -> None:
        """Removes the outlines of `highlight` for this locator."""
        self._frame._native.hide_highlight(self._selector)

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
            Error: If the locator matches several elements.
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
            Error: If the locator matches several elements.
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
            Error: If the locator matches several elements.
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
            Error: If the locator matches several elements.
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        require_touch_support(self.page.context._options)
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
            Error: If the locator matches several elements.
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
            Error: If the locator matches several elements.
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
            Error: If the locator matches several elements.
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
            Error: If the locator matches several elements.
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        await self._perform(actions.action("fill", value=value, force=force), timeout)

    async def clear(
        self,
        *,
        force: bool | None = None,
        no_wait_after: bool | None = None,
        timeout: float | timedelta | None = None,
    ) -> None:
        """Clears a field.

        Raises:
            Error: If the locator matches several elements.
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        await self._perform(actions.action("fill", value="", force=force), timeout)

    async def focus(self, *, timeout: float | timedelta | None = None) -> None:
        """Focuses the element.

        Raises:
            Error: If the locator matches several elements.
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        await self._perform(actions.action("focus"), timeout)

    async def blur(self, *, timeout: float | timedelta | None = None) -> None:
        """Removes the focus from the element.

        Raises:
            Error: If the locator matches several elements.
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        await self._perform(actions.action("blur"), timeout)

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
            Error: If the locator matches several elements.
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        await self._perform(
            actions.without_waiting(actions.action("press", key=key, delay=delay), no_wait_after), timeout
        )

    async def press_sequentially(
        self,
        text: str,
        *,
        delay: float | None = None,
        no_wait_after: bool | None = None,
        timeout: float | timedelta | None = None,
    ) -> None:
        """Types a text key by key. `delay` between keys is in milliseconds.

        Raises:
            Error: If the locator matches several elements.
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        await self._perform(actions.action("type", text=text, delay=delay), timeout)

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
            Error: If the locator matches several elements.
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
            Error: If the locator matches several elements.
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
            Error: If the locator matches several elements.
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        await self._perform(actions.action("select_text", force=force), timeout)

    async def scroll_to_end(
        self, *, most_times: int | None = None, timeout: float | timedelta | None = None
    ) -> int:
        """Scrolls the element, or its scroll container, to its end, and repeats this while loading makes it longer.

        Returns how often it grew, at most `most_times`.

        Raises:
            TimeoutError: If it still grows after `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        return await self._frame._scroll_to_end(self._selector, most_times, self._frame._timeout(timeout))

    async def scroll_into_view_if_needed(self, *, timeout: float | timedelta | None = None) -> None:
        """Scrolls the element into view.

        Raises:
            Error: If the locator matches several elements.
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
            Error: If the locator matches several elements.
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        with actions.file_paths(files) as paths:
            await self._perform(actions.set_files_action(paths, files), timeout)

    async def dispatch_event(
        self, type: str, event_init: Any | None = None, *, timeout: float | timedelta | None = None
    ) -> None:
        """Dispatches an event on the element, whatever its state.

        Raises:
            Error: If the locator matches several elements.
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        await self._frame._dispatch(self._selector, type, event_init, True, timeout, log=self._log())

    async def text_content(self, *, timeout: float | timedelta | None = None) -> str | None:
        """Returns the element's `textContent`.

        Raises:
            Error: If the locator matches several elements.
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        return cast("str | None", await self._perform(actions.action("text_content"), timeout))

    async def inner_text(self, *, timeout: float | timedelta | None = None) -> str:
        """Returns the element's `innerText`.

        Raises:
            Error: If the locator matches several elements.
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        return cast("str", await self._perform(actions.action("inner_text"), timeout))

    async def inner_html(self, *, timeout: float | timedelta | None = None) -> str:
        """Returns the element's `innerHTML`.

        Raises:
            Error: If the locator matches several elements.
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        return cast("str", await self._perform(actions.action("inner_html"), timeout))

    async def get_attribute(self, name: str, *, timeout: float | timedelta | None = None) -> str | None:
        """Returns the value of an attribute, or `None`.

        Raises:
            Error: If the locator matches several elements.
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        return cast("str | None", await self._perform(actions.action("attribute", name=name), timeout))

    async def input_value(self, *, timeout: float | timedelta | None = None) -> str:
        """Returns the value of an input, a text area or a select.

        Raises:
            Error: If the locator matches several elements.
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        return cast("str", await self._perform(actions.action("input_value"), timeout))

    async def bounding_box(self, *, timeout: float | timedelta | None = None) -> FloatRect | None:
        """Returns the element's bounding box in the viewport, in CSS pixels, or `None` if it is not rendered.

        Raises:
            Error: If the locator matches several elements.
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        return actions.to_float_rect(await self._perform(actions.action("bounding_box"), timeout))

    async def is_visible(self, *, timeout: float | timedelta | None = None) -> bool:
        """Returns whether the element is visible now, without waiting.

        Raises:
            Error: If the locator matches several elements.
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        return await self._frame._is_visible(self._selector, True)

    async def is_hidden(self, *, timeout: float | timedelta | None = None) -> bool:
        """Returns whether the element is missing or hidden now, without waiting.

        Raises:
            Error: If the locator matches several elements.
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        return not await self._frame._is_visible(self._selector, True)

    async def is_enabled(self, *, timeout: float | timedelta | None = None) -> bool:
        """Returns whether the element is enabled.

        Raises:
            Error: If the locator matches several elements.
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        return cast("bool", await self._perform(actions.action("is_enabled"), timeout))

    async def is_disabled(self, *, timeout: float | timedelta | None = None) -> bool:
        """Returns whether the element is disabled.

        Raises:
            Error: If the locator matches several elements.
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        return not await self._perform(actions.action("is_enabled"), timeout)

    async def is_editable(self, *, timeout: float | timedelta | None = None) -> bool:
        """Returns whether the element is editable.

        Raises:
            Error: If the locator matches several elements.
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        return cast("bool", await self._perform(actions.action("is_editable"), timeout))

    async def is_checked(self, *, timeout: float | timedelta | None = None) -> bool:
        """Returns whether the element is checked.

        Raises:
            Error: If the locator matches several elements.
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        return cast("bool", await self._perform(actions.action("is_checked"), timeout))


def _within(frame: Frame, wanted: str | Locator) -> tuple[str, str]:
    """Returns the selector of `wanted`, to append to another selector, and its Python source for messages."""
    if isinstance(wanted, str):
        return wanted, selectors.python_call("locator", wanted)
    if wanted._frame is not frame:
        raise Error("Locators must belong to the same frame.")
    return f"internal:chain={selectors.quote(wanted._selector)}", f"locator({wanted._reported_as})"


class FrameLocator(ApiObject):
    """A locator for a frame by its `<iframe>` element."""

    def __init__(self, frame: Frame, selector: str, expected: str) -> None:
        super().__init__(frame._connection)
        self._frame = frame
        self._frame_selector = selector
        self._reported_as = expected
        self._way = f"{selector} >> " if selector == ANY_FRAME else f"{selector}{_ENTER}"

    def __repr__(self) -> str:
        return f"<FrameLocator frame={self._frame!r} selector={self._frame_selector!r}>"

    def _by(self, selector: str, written: str) -> Locator:
        return Locator(self._frame, f"{self._way}{selector}", f"{self._reported_as}.{written}")

    @property
    def first(self) -> FrameLocator:
        """Returns a frame locator for the first match."""
        if self._frame_selector == ANY_FRAME:
            return self
        return FrameLocator(self._frame, f"{self._frame_selector} >> nth=0", f"{self._reported_as}.first")

    @property
    def last(self) -> FrameLocator:
        """Returns a frame locator for the last match."""
        if self._frame_selector == ANY_FRAME:
            return self
        return FrameLocator(self._frame, f"{self._frame_selector} >> nth=-1", f"{self._reported_as}.last")

    @property
    def owner(self) -> Locator:
        """Returns a locator for the `<iframe>` element."""
        return Locator(self._frame, self._frame_selector, self._reported_as.removesuffix(".content_frame"))

    def nth(self, index: int) -> FrameLocator:
        """Returns a frame locator for the match with this index, from 0."""
        return FrameLocator(
            self._frame, f"{self._frame_selector} >> nth={index}", f"{self._reported_as}.nth({index})"
        )

    def locator(
        self,
        selector_or_locator: str | Locator,
        *,
        has_text: str | re.Pattern[str] | None = None,
        has_not_text: str | re.Pattern[str] | None = None,
        has: Locator | None = None,
        has_not: Locator | None = None,
    ) -> Locator:
        """Returns a locator for a selector in the frame."""
        suffix, reported = _within(self._frame, selector_or_locator)
        if isinstance(selector_or_locator, Locator):
            suffix = selector_or_locator._selector
        return Locator(
            self._frame,
            f"{self._way}{suffix}",
            f"{self._reported_as}.{reported}",
            has_text=has_text,
            has_not_text=has_not_text,
            has=has,
            has_not=has_not,
        )

    def frame_locator(self, selector: str) -> FrameLocator:
        """Returns a frame locator for a nested frame."""
        return FrameLocator(
            self._frame,
            f"{self._way}{selector}",
            f"{self._reported_as}.{selectors.python_call('locator', selector)}.content_frame",
        )

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
