"""Sessions of the raw protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._base import ApiObject, Connection, closed_error

if TYPE_CHECKING:
    from .._core import CdpSession as NativeSession


class CDPSession(ApiObject):
    """A session of the raw protocol. Its events have the protocol's names; handlers get the parameters."""

    def __init__(self, connection: Connection, native: NativeSession) -> None:
        super().__init__(connection)
        self._native = native
        self._detached = False
        connection.know(native.key, self)

    def _told(self, name: str, payload: Any) -> None:
        method, parameters = payload
        self._emit(method, parameters)
        self._emit(name, {"method": method, "params": parameters})

    def send(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """Sends a command, and gives the browser's answer. The answer may take as long as it likes."""
        if self._detached:
            raise closed_error()
        command = self._native.send(method, params or {})
        answer: dict[str, Any] = self._run(command, log=(method,))
        return answer

    def detach(self) -> None:
        """Ends the session."""
        if self._detached:
            raise closed_error()
        self._detached = True
        self._run(self._native.detach())
        self._connection.forget(self._native.key)
