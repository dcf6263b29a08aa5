"""Local storage and session storage of a site."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, cast

from ._base import ApiObject

if TYPE_CHECKING:
    from .._typed import NameValue
    from .page import Page


class WebStorage(ApiObject):
    """The local storage or the session storage of the page's current origin."""

    def __init__(self, page: Page, kind: Literal["local", "session"]) -> None:
        super().__init__(page._connection)
        self._page = page
        self._kind = kind

    async def items(self) -> list[NameValue]:
        """Returns all items."""
        return [{"name": name, "value": value} for name, value in await self._kept(None)]

    async def get_item(self, name: str) -> str | None:
        """Returns the value of an item, or `None`."""
        return next((value for _, value in await self._kept(name)), None)

    async def _kept(self, name: str | None) -> list[tuple[str, str]]:
        found = await self._run(self._page._main_frame._native.stored(self._kind, name))
        return cast("list[tuple[str, str]]", found)

    async def set_item(self, name: str, value: str) -> None:
        """Sets an item."""
        await self._run(self._page._main_frame._native.store(self._kind, name, value))

    async def remove_item(self, name: str) -> None:
        """Removes an item."""
        await self._run(self._page._main_frame._native.forget_stored(self._kind, name))

    async def clear(self) -> None:
        """Removes all items."""
        await self._run(self._page._main_frame._native.forget_stored(self._kind, None))
