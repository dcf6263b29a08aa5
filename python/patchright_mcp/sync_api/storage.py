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

    def items(self) -> list[NameValue]:
        """Returns all items."""
        return [{"name": name, "value": value} for name, value in self._kept(None)]

    def get_item(self, name: str) -> str | None:
        """Returns the value of an item, or `None`."""
        return next((value for _, value in self._kept(name)), None)

    def _kept(self, name: str | None) -> list[tuple[str, str]]:
        found = self._run(self._page._main_frame._native.stored(self._kind, name))
        return cast("list[tuple[str, str]]", found)

    def set_item(self, name: str, value: str) -> None:
        """Sets an item."""
        self._run(self._page._main_frame._native.store(self._kind, name, value))

    def remove_item(self, name: str) -> None:
        """Removes an item."""
        self._run(self._page._main_frame._native.forget_stored(self._kind, name))

    def clear(self) -> None:
        """Removes all items."""
        self._run(self._page._main_frame._native.forget_stored(self._kind, None))
