"""Objects that undo a call, such as adding a route or an init script."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Disposable:
    """Undoes the call that returned this object, by `dispose` or at the end of a `with` block."""

    def __init__(self, take_back: Callable[[], Any], runtime: Any) -> None:
        self._take_back: Callable[[], Any] | None = take_back
        self._runtime = runtime

    def dispose(self) -> None:
        """Undoes the call that returned this object."""
        if self._take_back is not None:
            take_back, self._take_back = self._take_back, None
            self._runtime.settle(take_back())

    def close(self) -> None:
        """Does the same as `dispose`."""
        self.dispose()

    def __enter__(self) -> Disposable:  # noqa: PYI034  (`Self` needs Python 3.11.)
        return self

    def __exit__(self, *_: object) -> None:
        self.dispose()
