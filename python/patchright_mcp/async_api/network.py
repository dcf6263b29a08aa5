"""Requests and responses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._base import ApiObject

if TYPE_CHECKING:
    from .frame import Frame
    from .page import Page


class Response(ApiObject):
    """What a server answered."""

    @classmethod
    def _of_document(cls, page: Page, frame: Frame) -> Response | None:
        """The response in which the current document of a frame came."""
        return None
