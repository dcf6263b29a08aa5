"""What a script has said to do about things that come up in the way: locator handlers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import TracebackType

    from .page import Page


class Obstructions:
    """The handlers of one page."""

    def __init__(self, page: Page) -> None:
        self._page = page

    def during(self, deed: dict[str, Any] | None) -> Obstructions:
        """Clears the way before and while something is done."""
        return self

    def __enter__(self) -> None:
        return None

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        return None
