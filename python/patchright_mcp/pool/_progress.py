"""The progress of a pool."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass


@dataclass(frozen=True)
class Progress:
    """The progress of a pool, after each item."""

    done: int
    """The number of items that are done, including failed ones."""
    failed: int
    total: int | None
    """The number of all items; `None` if it is not known."""
    seconds: float
    """The time since the first item was started."""

    def __str__(self) -> str:
        rate = self.done / self.seconds if self.seconds else 0.0
        of = f"/{self.total}" if self.total is not None else ""
        parts = [f"{self.done}{of}", f"{rate:.1f}/s"]
        if self.failed:
            parts.insert(1, f"{self.failed} failed")
        if self.total is not None and rate:
            parts.append(f"{(self.total - self.done) / rate:.0f} s left")
        return ", ".join(parts)


class ProgressBar:
    """Draws a progress bar on one line of a terminal, at most ten times a second."""

    def __init__(self) -> None:
        self._drawn = 0.0

    def __call__(self, progress: Progress) -> None:
        """Draws the bar on standard error, if that is a terminal."""
        is_last = progress.done == progress.total
        now = time.monotonic()
        if not sys.stderr.isatty() or (now - self._drawn < 0.1 and not is_last):
            return
        self._drawn = now
        bar = ""
        if progress.total:
            filled = 24 * progress.done // progress.total
            bar = f"[{'#' * filled}{'.' * (24 - filled)}] "
        sys.stderr.write(f"\r\x1b[K{bar}{progress}" + ("\n" if is_last else ""))
        sys.stderr.flush()
