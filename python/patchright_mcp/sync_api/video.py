"""Videos, which are not recorded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from pathlib import Path


class Video(Protocol):
    """A video of a page. None is ever recorded, so `Page.video` is `None`."""

    def path(self) -> Path:
        """Where it is."""

    def save_as(self, path: str | Path) -> None:
        """Copies it."""

    def delete(self) -> None:
        """Removes it."""
