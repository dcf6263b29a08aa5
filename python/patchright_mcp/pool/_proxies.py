"""The choice of a proxy for the next page."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


class ProxyRotation:
    """Chooses proxies in turn, or keeps one until it fails. Others are then preferred for a while."""

    def __init__(
        self,
        proxies: Iterable[dict[str, Any]] | Callable[[int], dict[str, Any] | None],
        *,
        by_turn: bool,
        rest_s: float,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._choose = proxies if callable(proxies) else None
        self._proxies = [] if callable(proxies) else list(proxies)
        self._by_turn = by_turn
        self._rest_s = rest_s
        self._now = now
        self._rests_until = [now()] * len(self._proxies)
        self._taken = 0
        self._at = 0

    def next(self) -> dict[str, Any] | None:
        """Returns the proxy for the next page; `None` for no proxy."""
        self._taken += 1
        if self._choose is not None:
            return self._choose(self._taken - 1)
        if not self._proxies:
            return None
        count = len(self._proxies)
        following = [(self._at + step) % count for step in range(count)]
        rested = (at for at in following if self._rests_until[at] <= self._now())
        chosen = next(rested, None)
        if chosen is None:
            chosen = min(following, key=self._rests_until.__getitem__)
        self._at = (chosen + 1) % count if self._by_turn else chosen
        return self._proxies[chosen]

    def failed(self, proxy: dict[str, Any] | None) -> None:
        """Records that a page with this proxy failed, so that others are preferred for a while."""
        for at, known in enumerate(self._proxies):
            if known is proxy:
                self._rests_until[at] = self._now() + self._rest_s
