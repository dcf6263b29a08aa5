"""What a site keeps in a page's browser: local storage and session storage."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, cast

from ._base import ApiObject

if TYPE_CHECKING:
    from .._typed import NameValue
    from .page import Page


class WebStorage(ApiObject):
    """The local storage or the session storage of the page's current origin."""

    def __init__(self, page: Page, kind: Literal["localStorage", "sessionStorage"]) -> None:
        super().__init__(page._connection)
        self._page = page
        self._kind = kind

    async def _do(self, script: str, *arguments: Any) -> Any:
        told = f"([kind, name, value]) => {{ const storage = globalThis[kind]; {script} }}"
        return await self._page.evaluate(told, [self._kind, *arguments])

    async def items(self) -> list[NameValue]:
        """All that is kept."""
        script = "return Object.keys(storage).map((name) => ({ name, value: storage.getItem(name) }));"
        return cast("list[NameValue]", await self._do(script))

    async def get_item(self, name: str) -> str | None:
        """What is kept under a name; `None` where there is nothing."""
        return cast("str | None", await self._do("return storage.getItem(name);", name))

    async def set_item(self, name: str, value: str) -> None:
        """Keeps a value under a name."""
        await self._do("storage.setItem(name, value);", name, value)

    async def remove_item(self, name: str) -> None:
        """Forgets what is kept under a name."""
        await self._do("storage.removeItem(name);", name)

    async def clear(self) -> None:
        """Forgets everything."""
        await self._do("storage.clear();")
