"""A server that answers in a thread for as long as a `with` statement lasts."""

from __future__ import annotations

from http.server import ThreadingHTTPServer
from threading import Thread
from types import TracebackType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    # Benches run with an interpreter that has nothing but what they measure.
    from typing_extensions import Self


class Served:
    """The base of test sites. A subclass sets `_server`."""

    _server: ThreadingHTTPServer

    def __enter__(self) -> Self:
        Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
