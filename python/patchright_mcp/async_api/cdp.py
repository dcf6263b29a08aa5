"""Raw CDP sessions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._actions import milliseconds
from ._base import Connection, closed_error
from ._events import SessionEvents

if TYPE_CHECKING:
    from datetime import timedelta

    from .._core import CdpSession as NativeSession


class CDPSession(SessionEvents):
    """A raw CDP session. Events have CDP's names; handlers receive the parameters."""

    def __init__(self, connection: Connection, native: NativeSession) -> None:
        super().__init__(connection)
        self._native = native
        self._detached = False
        connection.register(native.key, self)

    def _reported(self, name: str, payload: Any) -> None:
        method, parameters = payload
        self._emit(method, parameters)
        self._emit(name, {"method": method, "params": parameters})

    async def send(
        self,
        method: str,
        params: dict[str, Any] | None = None,
        *,
        timeout: float | timedelta | None = None,
    ) -> dict[str, Any]:
        """Sends a command and returns the browser's result.

        Raises:
            Error: If the browser refuses the command, or the session has ended.
            TimeoutError: After `timeout` milliseconds. Default: no limit.
        """
        if self._detached:
            raise closed_error()
        limit = 0.0 if timeout is None else milliseconds(timeout)
        command = self._native.send(method, params or {}, limit)
        answer: dict[str, Any] = await self._run(command, limit, log=(method,))
        return answer

    async def detach(self) -> None:
        """Ends the session."""
        if self._detached:
            raise closed_error()
        await self._run(self._native.detach())
        self._ended()

    def _ended(self) -> None:
        """Handles the end of the session."""
        if not self._detached:
            self._detached = True
            self._connection.unregister(self._native.key)
            self._emit("close")
