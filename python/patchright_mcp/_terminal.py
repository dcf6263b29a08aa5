"""Interaction with the user at the terminal."""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def wait_for_enter(then: Callable[[], None]) -> None:
    """Calls `then` on a thread of its own when Enter is pressed. Does nothing without a terminal."""
    if not sys.stdin.isatty():
        return
    sys.stderr.write("The script stands still. Press Enter to go on.\n")

    def read() -> None:
        sys.stdin.readline()
        then()

    threading.Thread(target=read, daemon=True).start()
