"""Keys, pointer and touch of a page."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Literal

from .._deeds import milliseconds
from .._failures import caller
from ..errors import Error
from ._base import ApiObject

if TYPE_CHECKING:
    from .page import Page


class Keyboard(ApiObject):
    """The keys of a page. What is typed goes to what has the focus."""

    def __init__(self, page: Page) -> None:
        super().__init__(page._connection)
        self._page = page

    async def down(self, key: str) -> None:
        """Holds a key down."""
        await self._run(self._page._native.key_down(key))

    async def up(self, key: str) -> None:
        """Lets a key go."""
        await self._run(self._page._native.key_up(key))

    async def insert_text(self, text: str) -> None:
        """Puts text in without any key, as an input method does."""
        await self._run(self._page._native.key_insert(text))

    async def type(self, text: str, *, delay: float | timedelta | None = None) -> None:
        """Types a text key by key. `delay` is from key to key, in milliseconds."""
        await self._run(self._page._native.key_type(text, milliseconds(delay or 0)))

    async def press(self, key: str, *, delay: float | timedelta | None = None) -> None:
        """Presses a key or a chord such as `Control+A`. `delay` is how long it is held, in milliseconds."""
        await self._run(self._page._native.key_press(key, milliseconds(delay or 0)))


class Mouse(ApiObject):
    """The pointer of a page. Places are CSS pixels of the viewport."""

    def __init__(self, page: Page) -> None:
        super().__init__(page._connection)
        self._page = page

    async def move(self, x: float, y: float, *, steps: int | None = None) -> None:
        """Moves the pointer, in one step unless told."""
        await self._run(self._page._native.mouse_move(x, y, steps or 1))

    async def down(
        self,
        *,
        button: Literal["left", "middle", "right"] | None = None,
        click_count: int | None = None,
    ) -> None:
        """Holds a button down."""
        await self._run(
            self._page._native.mouse_down(button or "left", 1 if click_count is None else click_count)
        )

    async def up(
        self,
        *,
        button: Literal["left", "middle", "right"] | None = None,
        click_count: int | None = None,
    ) -> None:
        """Lets a button go."""
        await self._run(
            self._page._native.mouse_up(button or "left", 1 if click_count is None else click_count)
        )

    async def click(
        self,
        x: float,
        y: float,
        *,
        delay: float | timedelta | None = None,
        button: Literal["left", "middle", "right"] | None = None,
        click_count: int | None = None,
    ) -> None:
        """Moves the pointer and clicks. `delay` is how long the button is held, in milliseconds."""
        count = 1 if click_count is None else click_count
        await self._run(
            self._page._native.mouse_click(x, y, button or "left", count, milliseconds(delay or 0))
        )

    async def dblclick(
        self,
        x: float,
        y: float,
        *,
        delay: float | timedelta | None = None,
        button: Literal["left", "middle", "right"] | None = None,
    ) -> None:
        """Moves the pointer and clicks twice.

        `delay` is how long the button is held, in milliseconds (as `input` of the context says unless told).
        """
        await self._run(self._page._native.mouse_click(x, y, button or "left", 2, milliseconds(delay or 0)))

    async def wheel(self, delta_x: float, delta_y: float) -> None:
        """Turns the wheel, in CSS pixels. Scrolling goes on for a moment after that."""
        await self._run(self._page._native.mouse_wheel(delta_x, delta_y))


class Touchscreen(ApiObject):
    """The touch screen of a page; its context needs `has_touch`."""

    def __init__(self, page: Page) -> None:
        super().__init__(page._connection)
        self._page = page

    async def tap(self, x: float, y: float) -> None:
        """Touches a place, in CSS pixels of the viewport.

        Raises:
            Error: When the context was made without `has_touch`.
        """
        if not self._page._context._options.get("has_touch"):
            raise Error(
                f"{caller()}: hasTouch must be enabled on the browser context before using the touchscreen."
            )
        await self._run(self._page._native.touch_tap(x, y))
