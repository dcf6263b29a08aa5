"""Waiting for events. `_events.pyi` lists the type of each event."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._base import ApiObject
from ._runtime import EventContextManager

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import timedelta

    from ._base import Waiter


class ExpectsEvents(ApiObject):
    """An object whose events can be expected around the code that causes them."""

    def _expect(
        self, event: str, predicate: Callable[[Any], Any] | None, timeout: float | timedelta | None
    ) -> Waiter[Any]:
        raise NotImplementedError

    def expect_event(
        self,
        event: str,
        predicate: Callable[..., Any] | None = None,
        *,
        timeout: float | timedelta | None = None,
    ) -> EventContextManager[Any]:
        """Waits, when the `with` block ends, for an event emitted in it that `predicate` accepts.

        Raises:
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        return EventContextManager(self._expect(event, predicate, timeout))


class AwaitsEvents(ExpectsEvents):
    """An object whose events can also be awaited when caused elsewhere."""

    def wait_for_event(
        self,
        event: str,
        predicate: Callable[..., Any] | None = None,
        *,
        timeout: float | timedelta | None = None,
    ) -> Any:
        """Waits for an event that `predicate` accepts. To catch one that the next call causes, use `expect_event`.

        Raises:
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        return self._expect(event, predicate, timeout).result()


BrowserEvents = SessionEvents = ApiObject
WorkerEvents = ExpectsEvents
PageEvents = ContextEvents = SocketEvents = AwaitsEvents
