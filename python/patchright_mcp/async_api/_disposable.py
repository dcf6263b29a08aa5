"""Objects that undo something."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Disposable:
    """Undoes something: at once, or at the end of a `with` block."""

    def __init__(self, take_back: Callable[[], Any], runtime: Any) -> None:
        self._take_back: Callable[[], Any] | None = take_back
        self._runtime = runtime

    async def dispose(self) -> None:
        """Undoes it."""
        if self._take_back is not None:
            take_back, self._take_back = self._take_back, None
            await self._runtime.settle(take_back())

    async def close(self) -> None:
        """Undoes it, like `dispose`."""
        await self.dispose()

    async def __aenter__(self) -> Disposable:  # noqa: PYI034  (`Self` is younger than Python 3.10.)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.dispose()
