"""Tools that pages offer to agents (WebMCP)."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any, cast

from .. import _core
from ._base import ApiObject

if TYPE_CHECKING:
    from .._typed import WebMCPTool
    from .frame import Frame


class WebMCP(ApiObject):
    """What the document of a frame offers, in a browser that was launched with `--enable-features=WebMCPTesting`."""

    def __init__(self, frame: Frame) -> None:
        super().__init__(frame._connection)
        self._frame = frame

    async def tools(self, *, timeout: float | timedelta | None = None) -> list[WebMCPTool]:
        """What it offers now.

        Raises:
            Error: When the browser was launched without.
            TimeoutError: After `timeout` milliseconds (30 s unless told; 0 for no limit).
        """
        limit = self._frame._timeout(timeout)
        return cast("list[WebMCPTool]", await self._run(_core.offered_tools(self._frame._native), limit))

    async def call_tool(
        self, name: str, input: Any | None = None, *, timeout: float | timedelta | None = None
    ) -> Any:
        """Has the page do what it offers, with `input` as its schema says, and gives what it answers.

        Raises:
            Error: When there is no such tool, when it fails, and when the browser was launched without.
            TimeoutError: After `timeout` milliseconds (30 s unless told; 0 for no limit).
        """
        limit = self._frame._timeout(timeout)
        given = {} if input is None else input
        return await self._run(_core.call_offered(self._frame._native, name, given, limit), limit)
