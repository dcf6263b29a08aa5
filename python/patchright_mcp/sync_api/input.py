"""Keyboard, mouse and touch screen of a page."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any, Literal

from .._actions import milliseconds
from .._failures import caller
from ..errors import Error
from ._base import ApiObject

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._core import Operation
    from .page import Page


class _OfPage(ApiObject):
    def __init__(self, page: Page) -> None:
        super().__init__(page._connection)
        self._page = page

    def _run(self, operation: Operation, timeout: float | None = None, log: Sequence[str] = ()) -> Any:
        self._page._check_open()
        return super()._run(operation, timeout, log)


class Keyboard(_OfPage):
    """The keyboard of a page. Input goes to the focused element."""

    def down(self, key: str) -> None:
        """Presses a key and holds it."""
        self._run(self._page._native.key_down(key))

    def up(self, key: str) -> None:
        """Releases a key."""
        self._run(self._page._native.key_up(key))

    def insert_text(self, text: str) -> None:
        """Inserts text without key events, as an input method does."""
        self._run(self._page._native.key_insert(text))

    def type(self, text: str, *, delay: float | timedelta | None = None) -> None:
        """Types a text key by key. `delay` between keys is in milliseconds."""
        self._run(self._page._native.key_type(text, milliseconds(delay or 0)))

    def press(self, key: str, *, delay: float | timedelta | None = None) -> None:
        """Presses a key or combination such as `Control+A`. `delay` is how long it is held, in milliseconds."""
        self._run(self._page._native.key_press(key, milliseconds(delay or 0)))


class Mouse(_OfPage):
    """The mouse of a page. Coordinates are CSS pixels of the viewport."""

    def move(self, x: float, y: float, *, steps: int | None = None) -> None:
        """Moves the pointer to a point, in `steps` moves. Default: one."""
        self._run(self._page._native.mouse_move(x, y, steps or 1))

    def down(
        self,
        *,
        button: Literal["left", "middle", "right"] | None = None,
        click_count: int | None = None,
    ) -> None:
        """Presses a mouse button at the pointer's position."""
        self._run(self._page._native.mouse_down(button or "left", 1 if click_count is None else click_count))

    def up(
        self,
        *,
        button: Literal["left", "middle", "right"] | None = None,
        click_count: int | None = None,
    ) -> None:
        """Releases a mouse button."""
        self._run(self._page._native.mouse_up(button or "left", 1 if click_count is None else click_count))

    def click(
        self,
        x: float,
        y: float,
        *,
        delay: float | timedelta | None = None,
        button: Literal["left", "middle", "right"] | None = None,
        click_count: int | None = None,
    ) -> None:
        """Moves the pointer to a point and clicks. `delay` is how long the button is held, in milliseconds."""
        count = 1 if click_count is None else click_count
        self._run(self._page._native.mouse_click(x, y, button or "left", count, milliseconds(delay or 0)))

    def dblclick(
        self,
        x: float,
        y: float,
        *,
        delay: float | timedelta | None = None,
        button: Literal["left", "middle", "right"] | None = None,
    ) -> None:
        """Moves the pointer to a point and double-clicks.

        `delay` is how long the button is held, in milliseconds. Default: set by the context's `input`.
        """
        self._run(self._page._native.mouse_click(x, y, button or "left", 2, milliseconds(delay or 0)))

    def wheel(self, delta_x: float, delta_y: float) -> None:
        """Scrolls the wheel, in CSS pixels. The page may still scroll when this returns."""
        self._run(self._page._native.mouse_wheel(delta_x, delta_y))


class Touchscreen(_OfPage):
    """The touchscreen of a page; its context needs `has_touch`."""

    def tap(self, x: float, y: float) -> None:
        """Taps a point, in CSS pixels of the viewport.

        Raises:
            Error: If the context was created without `has_touch`.
        """
        if not self._page._context._options.get("has_touch"):
            raise Error(
                f"{caller()}: hasTouch must be enabled on the browser context before using the touchscreen."
            )
        self._run(self._page._native.touch_tap(x, y))
