"""The processes that a test started, and those that they started, whoever their parents are by now."""

from __future__ import annotations

from pathlib import Path

MARK = "PATCHRIGHT_TEST_MARK"
"""The environment variable by which they are known."""


class Family:
    """All processes with one mark in their environment, and what descends from them.

    Chromium's children overwrite their environment, so the family is known by the mark or by descent
    from someone who was known before.
    """

    def __init__(self, mark: str, *known: int) -> None:
        self.mark = mark
        self._seen = set(known)

    def processes(self) -> set[int]:
        """Those that live."""
        alive = _parents()
        family = {process for process in alive if self._is_marked(process)} | self._seen
        grown = True
        while grown:
            children = {process for process, parent in alive.items() if parent in family} - family
            family |= children
            grown = bool(children)
        self._seen = family & alive.keys()
        return set(self._seen)

    def _is_marked(self, process: int) -> bool:
        try:
            return f"{MARK}={self.mark}".encode() in Path(f"/proc/{process}/environ").read_bytes()
        except OSError:
            return False


def _parents() -> dict[int, int]:
    """Every living process, with its parent."""
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                state, parent = (entry / "stat").read_text().rpartition(")")[2].split()[:2]
            except OSError:
                continue
            if state not in "ZX":
                parents[int(entry.name)] = int(parent)
    return parents
