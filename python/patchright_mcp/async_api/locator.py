"""Locators: recipes for elements, resolved anew at each use."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

from .. import _deeds as deeds
from .. import _selectors as selectors
from .._options import check_touch
from ..errors import Error
from ._base import ApiObject
from ._disposable import Disposable
from .handle import ElementHandle, JSHandle, handle_of, option_choices

if TYPE_CHECKING:
    from .._typed import AriaRole, DropPayload, Files, FloatRect, Position
    from .frame import Frame
    from .page import Page

_ENTER = " >> internal:control=enter-frame >> "
ANY_FRAME = "internal:control=any-frame"
"""Where a locator looks that is meant for whichever frame has what it finds."""


class Locator(ApiObject):
    """Where an element is, as a recipe. Each use finds it anew and waits for it; several elements are an error."""

    def __init__(
        self,
        frame: Frame,
        selector: str,
        told: str,
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
        self._selector: str = selector + selectors.filters(
            has_text,
            has_not_text,
            has._selector if has else None,
            has_not._selector if has_not else None,
            visible,
        )
        narrowing = "".join(
            f".filter({name}={value._told_as if isinstance(value, Locator) else selectors.python_text(value)})"
            for name, value in (
                ("has_text", has_text),
                ("has_not_text", has_not_text),
                ("has", has),
                ("has_not", has_not),
            )
            if value
        )
        seen = "" if visible is None else ".visible" if visible else ".filter(visible=False)"
        self._told_as: str = told + narrowing + seen
        self._description: str | None = None

    def __repr__(self) -> str:
        return f"<Locator frame={self._frame!r} selector={self._selector!r}>"

    def _log(self) -> list[str]:
        return [f"waiting for {self._in_words()}"]

    def _in_words(self) -> str:
        return self._description or self._told_as

    def _derived(self, suffix: str, told: str) -> Locator:
        return Locator(self._frame, self._selector + suffix, self._told_as + told)

    def _by(self, selector: str, told: str) -> Locator:
        return self._derived(f" >> {selector}", f".{told}")

    async def _perform(self, deed: dict[str, Any], timeout: float | timedelta | None) -> Any:
        return await self._frame._perform(self._selector, deed, True, timeout, self._log())

    @property
    def page(self) -> Page:
        """The page that it belongs to."""
        return self._frame.page

    @property
    def first(self) -> Locator:
        """A locator for the first of several."""
        return self._derived(" >> nth=0", ".first")

    @property
    def last(self) -> Locator:
        """A locator for the last of several."""
        return self._derived(" >> nth=-1", ".last")

    @property
    def content_frame(self) -> FrameLocator:
        """A way into the frame that the element shows."""
        return FrameLocator(self._frame, self._selector, f"{self._told_as}.content_frame")

    @property
    def description(self) -> str | None:
        """What `describe` said."""
        return self._description

    @property
    def visible(self) -> Locator:
        """A locator for those of the elements that can be seen."""
        return self.filter(visible=True)

    def nth(self, index: int) -> Locator:
        """A locator for one of several, counted from 0; below 0 from the end."""
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
        """A locator for what is found within this one's elements."""
        suffix, told = _within(self._frame, selector_or_locator)
        return Locator(
            self._frame,
            f"{self._selector} >> {suffix}",
            f"{self._told_as}.{told}",
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
        """A locator for those of the elements that fit."""
        return Locator(
            self._frame,
            self._selector,
            self._told_as,
            has_text=has_text,
            has_not_text=has_not_text,
            has=has,
            has_not=has_not,
            visible=visible,
        )

    def and_(self, locator: Locator) -> Locator:
        """A locator for the elements that both find."""
        self._check_frame(locator)
        return self._derived(
            f" >> internal:and={selectors.quoted(locator._selector)}", f".and_({locator._told_as})"
        )

    def or_(self, locator: Locator) -> Locator:
        """A locator for the elements that one or the other finds."""
        self._check_frame(locator)
        return self._derived(
            f" >> internal:or={selectors.quoted(locator._selector)}", f".or_({locator._told_as})"
        )

    def _check_frame(self, locator: Locator) -> None:
        if locator._frame is not self._frame:
            raise Error("Locators must belong to the same frame.")

    def frame_locator(self, selector: str) -> FrameLocator:
        """A way into the frame that an element within this one shows."""
        return FrameLocator(
            self._frame,
            f"{self._selector} >> {selector}",
            f"{self._told_as}.{selectors.written('locator', selector)}.content_frame",
        )

    def within(self, locator: Locator) -> Locator:
        """A locator for what this one finds within each of another one's elements."""
        return locator.locator(self)

    def describe(self, description: str) -> Locator:
        """The same locator, called by other words in messages."""
        described = self._derived(f" >> internal:describe={selectors.quoted(description)}", "")
        described._description = description
        return described

    async def normalize(self) -> Locator:
        """A locator for the same element by what a person knows it by: its test id, its role and name, its label, its text.

        Where none of these tells it from the others, by its number among them or its place in the document.
        """
        way = await self._perform(deeds.deed("way_to"), None)
        around, enters, _ = self._selector.rpartition(_ENTER)
        told, frames, _ = self._told_as.rpartition(".content_frame.")
        selector, written = selectors.by_way(way)
        return Locator(self._frame, around + enters + selector, told + frames + written)

    async def aria_snapshot(
        self,
        *,
        timeout: float | timedelta | None = None,
        mode: Literal["ai", "default"] | None = None,
        depth: int | None = None,
        boxes: bool | None = None,
    ) -> str:
        """What assistive technology is told of the element, as text, with `depth` levels below (all unless told).

        With the mode `"ai"`, and with `boxes`, it is an outline with refs for `Page.get_by_ref`; see `Page.snapshot`.

        Raises:
            TimeoutError: When there was no such element after `timeout` milliseconds (30 s unless told).
        """
        if boxes or mode == "ai":
            limit = self._frame._timeout(timeout)
            chosen = deeds.chosen(depth=depth, boxes=boxes)
            outline = self._frame._native.snapshot(self._selector, True, chosen, limit)
            return cast("str", await self._run(outline, limit, self._log()))
        return cast("str", await self._perform(deeds.deed("aria_snapshot", depth=depth), timeout))

    async def all(self) -> list[Locator]:
        """A locator for each element that is there now."""
        return [self.nth(index) for index in range(await self.count())]

    async def count(self) -> int:
        """How many elements are there now."""
        return cast("int", await self._run(self._frame._native.count(self._selector), None, self._log()))

    async def all_text_contents(self) -> list[str]:
        """The text in each element that is there now."""
        return await self._texts(drawn=False)

    async def all_inner_texts(self) -> list[str]:
        """The text of each element that is there now, as it is drawn."""
        return await self._texts(drawn=True)

    async def _texts(self, *, drawn: bool) -> list[str]:
        found = await self._run(self._frame._native.texts(self._selector, drawn), None, self._log())
        return cast("list[str]", found)

    async def element_handle(self, *, timeout: float | timedelta | None = None) -> ElementHandle:
        """The element itself, as soon as it is there.

        Raises:
            Error: When there are several such elements.
            TimeoutError: After `timeout` milliseconds (30 s unless told; 0 for no limit).
        """
        limit = self._frame._timeout(timeout)
        found = await self._run(
            self._frame._native.wait_for(self._selector, "attached", True, limit), limit, self._log()
        )
        return cast("ElementHandle", handle_of(self.page, found))

    async def element_handles(self) -> list[ElementHandle]:
        """The elements that are there now."""
        return await self._frame.query_selector_all(self._selector)

    async def evaluate(
        self,
        expression: str,
        arg: Any = None,
        *,
        timeout: float | timedelta | None = None,
        isolated_context: bool | None = None,
    ) -> Any:
        """Runs a function with the element, as soon as it is there.

        Raises:
            Error: When there are several such elements.
            TimeoutError: After `timeout` milliseconds (30 s unless told; 0 for no limit).
        """
        limit = self._frame._timeout(timeout)
        operation = self._frame._native.evaluate_on(
            self._selector, True, expression, arg, self._connection.isolated(isolated_context), limit
        )
        return await self._run(operation, limit, self._log())

    async def evaluate_all(
        self, expression: str, arg: Any = None, *, isolated_context: bool | None = None
    ) -> Any:
        """Runs a function with all elements that are there now."""
        isolated = self._connection.isolated(isolated_context)
        return await self._frame._evaluate_all(self._selector, expression, arg, isolated)

    async def evaluate_handle(
        self,
        expression: str,
        arg: Any = None,
        *,
        timeout: float | timedelta | None = None,
        isolated_context: bool | None = None,
    ) -> JSHandle:
        """Like `evaluate`; what it gives stays in the page.

        Raises:
            Error: When there are several such elements.
            TimeoutError: After `timeout` milliseconds (30 s unless told; 0 for no limit).
        """
        element = await self.element_handle(timeout=timeout)
        return await element.evaluate_handle(expression, arg, isolated_context=isolated_context)

    async def wait_for(
        self,
        *,
        timeout: float | timedelta | None = None,
        state: Literal["attached", "detached", "hidden", "visible"] | None = None,
    ) -> None:
        """Waits until the element is there, is seen (unless told), is hidden or is gone.

        Raises:
            Error: When there are several such elements.
            TimeoutError: After `timeout` milliseconds (30 s unless told; 0 for no limit).
        """
        await self._frame._wait_for(self._selector, state, True, timeout, self._log())

    async def wait_for_function(
        self, expression: str, *, arg: Any = None, timeout: float | timedelta | None = None
    ) -> None:
        """Waits until a function of the element gives something true.

        Raises:
            Error: When there are several such elements.
            TimeoutError: After `timeout` milliseconds (30 s unless told; 0 for no limit).
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
        """Drags the element onto another one, in so many `steps` of the pointer.

        Positions are in CSS pixels from the top left corners of the elements (near their middles unless told).

        Raises:
            TimeoutError: When one of them was not to be acted on after `timeout` milliseconds (30 s unless told).
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

        `payload` has `files` (paths, or files by their content) and `data` (texts by their kinds, such as
        `text/plain`).

        `position` is in CSS pixels from the top left corner of the element (near its middle unless told).

        Raises:
            Error: When there are several such elements.
            TimeoutError: After `timeout` milliseconds (30 s unless told; 0 for no limit).
        """
        given = payload.get("files")
        with deeds.files_of(given) as files:
            data = list((payload.get("data") or {}).items())
            types = deeds.types_of(given)
            done = deeds.deed("drop", files=files, types=types, data=data, position=position)
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
        """A picture of the element, scrolled into view.

        Raises:
            Error: When there are several such elements.
            TimeoutError: After `timeout` milliseconds (30 s unless told; 0 for no limit).
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
        """Has the browser draw around all elements that match now, for whoever looks at the window or takes a picture.

        It is drawn in the browser's own way, whatever the `style`. The page is not changed and cannot notice.
        """
        await self._run(self._frame._native.highlight(self._selector))
        return Disposable(self.hide_highlight, self._runtime)

    async def hide_highlight(self) -> None:
        """Takes back what `highlight` drew for this locator."""
        self._frame._native.hide_highlight(self._selector)

    def get_by_alt_text(self, text: str | re.Pattern[str], *, exact: bool | None = None) -> Locator:
        """A locator for images, by their alternative text."""
        return self._by(
            selectors.by_attribute("alt", text, exact),
            selectors.written("get_by_alt_text", text, exact=exact or None),
        )

    def get_by_label(self, text: str | re.Pattern[str], *, exact: bool | None = None) -> Locator:
        """A locator for controls, by their label."""
        return self._by(
            selectors.by_label(text, exact), selectors.written("get_by_label", text, exact=exact or None)
        )

    def get_by_placeholder(self, text: str | re.Pattern[str], *, exact: bool | None = None) -> Locator:
        """A locator for fields, by their placeholder."""
        return self._by(
            selectors.by_attribute("placeholder", text, exact),
            selectors.written("get_by_placeholder", text, exact=exact or None),
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
        """A locator for elements, by their role, their name and their states."""
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
        return self._by(selectors.by_role(role, **wanted), selectors.written("get_by_role", role, **wanted))

    def get_by_test_id(self, test_id: str | re.Pattern[str]) -> Locator:
        """A locator for elements, by their test id."""
        return self._by(selectors.by_test_id(test_id), selectors.written("get_by_test_id", test_id))

    def get_by_text(self, text: str | re.Pattern[str], *, exact: bool | None = None) -> Locator:
        """A locator for elements, by the text in them."""
        return self._by(
            selectors.by_text(text, exact), selectors.written("get_by_text", text, exact=exact or None)
        )

    def get_by_title(self, text: str | re.Pattern[str], *, exact: bool | None = None) -> Locator:
        """A locator for elements, by their title."""
        return self._by(
            selectors.by_attribute("title", text, exact),
            selectors.written("get_by_title", text, exact=exact or None),
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
        """Clicks the element, once it is visible, still, enabled and on top.

        `position` is in CSS pixels from the top left corner of the element (near its middle unless told).
        `delay` is how long the button is held, in milliseconds (as `input` of the context says unless told).
        `force` does not wait for any of that; `trial` only waits.

        Raises:
            Error: When there are several such elements.
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
            Error: When there are several such elements.
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
            Error: When there are several such elements.
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
            Error: When there are several such elements.
            TimeoutError: After `timeout` milliseconds (30 s unless told; 0 for no limit).
        """
        check_touch(self.page.context._options)
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
            Error: When there are several such elements.
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
            Error: When there are several such elements.
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
            Error: When there are several such elements.
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
            Error: When there are several such elements.
            TimeoutError: After `timeout` milliseconds (30 s unless told; 0 for no limit).
        """
        await self._perform(deeds.deed("fill", value=value, force=force), timeout)

    async def clear(
        self,
        *,
        force: bool | None = None,
        no_wait_after: bool | None = None,
        timeout: float | timedelta | None = None,
    ) -> None:
        """Empties a field.

        Raises:
            Error: When there are several such elements.
            TimeoutError: After `timeout` milliseconds (30 s unless told; 0 for no limit).
        """
        await self._perform(deeds.deed("fill", value="", force=force), timeout)

    async def focus(self, *, timeout: float | timedelta | None = None) -> None:
        """Puts the focus on the element.

        Raises:
            Error: When there are several such elements.
            TimeoutError: After `timeout` milliseconds (30 s unless told; 0 for no limit).
        """
        await self._perform(deeds.deed("focus"), timeout)

    async def blur(self, *, timeout: float | timedelta | None = None) -> None:
        """Takes the focus away from the element.

        Raises:
            Error: When there are several such elements.
            TimeoutError: After `timeout` milliseconds (30 s unless told; 0 for no limit).
        """
        await self._perform(deeds.deed("blur"), timeout)

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
            Error: When there are several such elements.
            TimeoutError: After `timeout` milliseconds (30 s unless told; 0 for no limit).
        """
        await self._perform(
            deeds.unfollowed(deeds.deed("press", key=key, delay=delay), no_wait_after), timeout
        )

    async def press_sequentially(
        self,
        text: str,
        *,
        delay: float | None = None,
        no_wait_after: bool | None = None,
        timeout: float | timedelta | None = None,
    ) -> None:
        """Types a text key by key. `delay` is from key to key, in ms.

        Raises:
            Error: When there are several such elements.
            TimeoutError: After `timeout` milliseconds (30 s unless told; 0 for no limit).
        """
        await self._perform(deeds.deed("type", text=text, delay=delay), timeout)

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
            Error: When there are several such elements.
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
            Error: When there are several such elements.
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
            Error: When there are several such elements.
            TimeoutError: After `timeout` milliseconds (30 s unless told; 0 for no limit).
        """
        await self._perform(deeds.deed("select_text", force=force), timeout)

    async def scroll_to_end(
        self, *, most_times: int | None = None, timeout: float | timedelta | None = None
    ) -> int:
        """Scrolls what the element is, or is in, to its end, and on as long as what loads there makes it longer.

        Gives how often it grew; `most_times` is how often it may.

        Raises:
            TimeoutError: When it still grows after `timeout` milliseconds (30 s unless told; 0 for no limit).
        """
        return await self._frame._scroll_to_end(self._selector, most_times, self._frame._timeout(timeout))

    async def scroll_into_view_if_needed(self, *, timeout: float | timedelta | None = None) -> None:
        """Scrolls until the element can be seen.

        Raises:
            Error: When there are several such elements.
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
            Error: When there are several such elements.
            TimeoutError: After `timeout` milliseconds (30 s unless told; 0 for no limit).
        """
        with deeds.files_of(files) as paths:
            await self._perform(deeds.given_files(paths, files), timeout)

    async def dispatch_event(
        self, type: str, event_init: Any | None = None, *, timeout: float | timedelta | None = None
    ) -> None:
        """Dispatches an event on the element, whatever its state.

        Raises:
            Error: When there are several such elements.
            TimeoutError: After `timeout` milliseconds (30 s unless told; 0 for no limit).
        """
        await self._frame._dispatch(self._selector, type, event_init, True, timeout, log=self._log())

    async def text_content(self, *, timeout: float | timedelta | None = None) -> str | None:
        """The text in the element, seen or not.

        Raises:
            Error: When there are several such elements.
            TimeoutError: After `timeout` milliseconds (30 s unless told; 0 for no limit).
        """
        return cast("str | None", await self._perform(deeds.deed("text_content"), timeout))

    async def inner_text(self, *, timeout: float | timedelta | None = None) -> str:
        """The text of the element as it is drawn.

        Raises:
            Error: When there are several such elements.
            TimeoutError: After `timeout` milliseconds (30 s unless told; 0 for no limit).
        """
        return cast("str", await self._perform(deeds.deed("inner_text"), timeout))

    async def inner_html(self, *, timeout: float | timedelta | None = None) -> str:
        """The HTML in the element.

        Raises:
            Error: When there are several such elements.
            TimeoutError: After `timeout` milliseconds (30 s unless told; 0 for no limit).
        """
        return cast("str", await self._perform(deeds.deed("inner_html"), timeout))

    async def get_attribute(self, name: str, *, timeout: float | timedelta | None = None) -> str | None:
        """The value of an attribute; `None` where it has none.

        Raises:
            Error: When there are several such elements.
            TimeoutError: After `timeout` milliseconds (30 s unless told; 0 for no limit).
        """
        return cast("str | None", await self._perform(deeds.deed("attribute", name=name), timeout))

    async def input_value(self, *, timeout: float | timedelta | None = None) -> str:
        """What an input, a text area or a select holds.

        Raises:
            Error: When there are several such elements.
            TimeoutError: After `timeout` milliseconds (30 s unless told; 0 for no limit).
        """
        return cast("str", await self._perform(deeds.deed("input_value"), timeout))

    async def bounding_box(self, *, timeout: float | timedelta | None = None) -> FloatRect | None:
        """Where the element is in the viewport, in CSS pixels; `None` when it is not drawn.

        Raises:
            Error: When there are several such elements.
            TimeoutError: After `timeout` milliseconds (30 s unless told; 0 for no limit).
        """
        return deeds.rectangle(await self._perform(deeds.deed("bounding_box"), timeout))

    async def is_visible(self, *, timeout: float | timedelta | None = None) -> bool:
        """Whether the element can be seen now; nothing is waited for.

        Raises:
            Error: When there are several such elements.
            TimeoutError: After `timeout` milliseconds (30 s unless told; 0 for no limit).
        """
        return await self._frame._is_visible(self._selector, True)

    async def is_hidden(self, *, timeout: float | timedelta | None = None) -> bool:
        """Whether the element is missing or cannot be seen now; nothing is waited for.

        Raises:
            Error: When there are several such elements.
            TimeoutError: After `timeout` milliseconds (30 s unless told; 0 for no limit).
        """
        return not await self._frame._is_visible(self._selector, True)

    async def is_enabled(self, *, timeout: float | timedelta | None = None) -> bool:
        """Whether the element is enabled.

        Raises:
            Error: When there are several such elements.
            TimeoutError: After `timeout` milliseconds (30 s unless told; 0 for no limit).
        """
        return cast("bool", await self._perform(deeds.deed("is_enabled"), timeout))

    async def is_disabled(self, *, timeout: float | timedelta | None = None) -> bool:
        """Whether the element is disabled.

        Raises:
            Error: When there are several such elements.
            TimeoutError: After `timeout` milliseconds (30 s unless told; 0 for no limit).
        """
        return not await self._perform(deeds.deed("is_enabled"), timeout)

    async def is_editable(self, *, timeout: float | timedelta | None = None) -> bool:
        """Whether the element can be edited.

        Raises:
            Error: When there are several such elements.
            TimeoutError: After `timeout` milliseconds (30 s unless told; 0 for no limit).
        """
        return cast("bool", await self._perform(deeds.deed("is_editable"), timeout))

    async def is_checked(self, *, timeout: float | timedelta | None = None) -> bool:
        """Whether the element is checked.

        Raises:
            Error: When there are several such elements.
            TimeoutError: After `timeout` milliseconds (30 s unless told; 0 for no limit).
        """
        return cast("bool", await self._perform(deeds.deed("is_checked"), timeout))


def _within(frame: Frame, wanted: str | Locator) -> tuple[str, str]:
    """What is written behind a selector to look within it, and how messages say so."""
    if isinstance(wanted, str):
        return wanted, selectors.written("locator", wanted)
    if wanted._frame is not frame:
        raise Error("Locators must belong to the same frame.")
    return f"internal:chain={selectors.quoted(wanted._selector)}", f"locator({wanted._told_as})"


class FrameLocator(ApiObject):
    """A way into the frame that an element shows."""

    def __init__(self, frame: Frame, selector: str, told: str) -> None:
        super().__init__(frame._connection)
        self._frame = frame
        self._frame_selector = selector
        self._told_as = told
        self._way = f"{selector} >> " if selector == ANY_FRAME else f"{selector}{_ENTER}"

    def __repr__(self) -> str:
        return f"<FrameLocator frame={self._frame!r} selector={self._frame_selector!r}>"

    def _by(self, selector: str, told: str) -> Locator:
        return Locator(self._frame, f"{self._way}{selector}", f"{self._told_as}.{told}")

    @property
    def first(self) -> FrameLocator:
        """A way into the first of several frames."""
        if self._frame_selector == ANY_FRAME:
            return self
        return FrameLocator(self._frame, f"{self._frame_selector} >> nth=0", f"{self._told_as}.first")

    @property
    def last(self) -> FrameLocator:
        """A way into the last of several frames."""
        if self._frame_selector == ANY_FRAME:
            return self
        return FrameLocator(self._frame, f"{self._frame_selector} >> nth=-1", f"{self._told_as}.last")

    @property
    def owner(self) -> Locator:
        """A locator for the element that shows the frame."""
        return Locator(self._frame, self._frame_selector, self._told_as.removesuffix(".content_frame"))

    def nth(self, index: int) -> FrameLocator:
        """A way into one of several frames, counted from 0."""
        return FrameLocator(
            self._frame, f"{self._frame_selector} >> nth={index}", f"{self._told_as}.nth({index})"
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
        """A locator for what is found in the frame."""
        suffix, told = _within(self._frame, selector_or_locator)
        if isinstance(selector_or_locator, Locator):
            suffix = selector_or_locator._selector
        return Locator(
            self._frame,
            f"{self._way}{suffix}",
            f"{self._told_as}.{told}",
            has_text=has_text,
            has_not_text=has_not_text,
            has=has,
            has_not=has_not,
        )

    def frame_locator(self, selector: str) -> FrameLocator:
        """A way into a frame within the frame."""
        return FrameLocator(
            self._frame,
            f"{self._way}{selector}",
            f"{self._told_as}.{selectors.written('locator', selector)}.content_frame",
        )

    def get_by_alt_text(self, text: str | re.Pattern[str], *, exact: bool | None = None) -> Locator:
        """A locator for images, by their alternative text."""
        return self._by(
            selectors.by_attribute("alt", text, exact),
            selectors.written("get_by_alt_text", text, exact=exact or None),
        )

    def get_by_label(self, text: str | re.Pattern[str], *, exact: bool | None = None) -> Locator:
        """A locator for controls, by their label."""
        return self._by(
            selectors.by_label(text, exact), selectors.written("get_by_label", text, exact=exact or None)
        )

    def get_by_placeholder(self, text: str | re.Pattern[str], *, exact: bool | None = None) -> Locator:
        """A locator for fields, by their placeholder."""
        return self._by(
            selectors.by_attribute("placeholder", text, exact),
            selectors.written("get_by_placeholder", text, exact=exact or None),
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
        """A locator for elements, by their role, their name and their states."""
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
        return self._by(selectors.by_role(role, **wanted), selectors.written("get_by_role", role, **wanted))

    def get_by_test_id(self, test_id: str | re.Pattern[str]) -> Locator:
        """A locator for elements, by their test id."""
        return self._by(selectors.by_test_id(test_id), selectors.written("get_by_test_id", test_id))

    def get_by_text(self, text: str | re.Pattern[str], *, exact: bool | None = None) -> Locator:
        """A locator for elements, by the text in them."""
        return self._by(
            selectors.by_text(text, exact), selectors.written("get_by_text", text, exact=exact or None)
        )

    def get_by_title(self, text: str | re.Pattern[str], *, exact: bool | None = None) -> Locator:
        """A locator for elements, by their title."""
        return self._by(
            selectors.by_attribute("title", text, exact),
            selectors.written("get_by_title", text, exact=exact or None),
        )
