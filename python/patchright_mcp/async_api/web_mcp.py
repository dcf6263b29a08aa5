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
    """Tools that a frame's document offers to agents. Needs `--enable-features=WebMCPTesting` at launch."""

    def __init__(self, frame: Frame) -> None:
        super().__init__(frame._connection)
        self._frame = frame

    async def tools(self, *, timeout: float | timedelta | None = None) -> list[WebMCPTool]:
        """Returns the tools that the document offers now.

        Raises:
            Error: If the browser was launched without the feature `WebMCPTesting`.
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        limit = self._frame._timeout(timeout)
        return cast("list[WebMCPTool]", await self._run(_core.offered_tools(self._frame._native), limit))

    async def call_tool(
        self, name: str, input: Any | None = None, *, timeout: float | timedelta | None = None
    ) -> Any:
        """Calls a tool of the page with an `input` that matches its schema, and returns the result.

        Raises:
            Error: If there is no such tool, it fails, or the browser was launched without `WebMCPTesting`.
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        limit = self._frame._timeout(timeout)
        given = {} if input is None else input
        return await self._run(_core.call_offered(self._frame._native, name, given, limit), limit)
