"""Processes that benches start: what they can import, what is below them, and their memory."""

from __future__ import annotations

import subprocess
from contextlib import suppress
from pathlib import Path


def has_module(python: str, module: str) -> bool:
    """Whether an interpreter can import a module."""
    command = [python, "-c", f"import {module}"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def descendants(pid: int) -> list[int]:
    """All processes below one, by their numbers."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                state, parent = (entry / "stat").read_text().rpartition(")")[2].split()[:2]
                if state != "Z":
                    children.setdefault(int(parent), []).append(int(entry.name))
    found = list(children.get(pid, []))
    for number in found:
        found += children.get(number, [])
    return found


def memory_mb(pid: int) -> float:
    """The proportional memory of a process, in MB; 0 if it has ended."""
    try:
        rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return 0
    return next((int(line.split()[1]) / 1000 for line in rollup.splitlines() if line.startswith("Pss:")), 0)
