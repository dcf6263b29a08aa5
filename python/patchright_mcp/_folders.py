"""Temporary folders and private files.

The folders are removed at exit, or after a crash by a later process.
"""

from __future__ import annotations

import atexit
import os
import shutil
import stat
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

if sys.platform != "win32":
    import fcntl

_A_MINUTE = 60
_PREFIX = "patchright-py-"
"""The prefix of the library's folders. A server's folders have another one, and are not removed here."""
_made: dict[int, list[Path]] = {}


def temporary_folder(purpose: str) -> Path:
    """Creates a private folder, which is removed at exit."""
    if os.getpid() not in _made:
        _sweep()
    folder = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{purpose}-{os.getpid()}-"))
    _made.setdefault(os.getpid(), []).append(folder)
    if sys.platform != "win32":
        with suppress(OSError):
            # The lock is held until the process ends, so that other processes' `_sweep` keeps the folder.
            fcntl.flock(_opened(folder), fcntl.LOCK_SH | fcntl.LOCK_NB)
    return folder


def write_private(path: str | Path, text: str) -> None:
    """Writes a file with owner-only permissions, also if it replaces a file with wider permissions."""
    opened = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(opened, "w", encoding="utf-8") as file:
        if sys.platform != "win32" and stat.S_ISREG(os.fstat(opened).st_mode):
            os.fchmod(opened, 0o600)
        file.write(text)


def _sweep() -> None:
    """Removes the folders that killed processes have left behind."""
    if sys.platform == "win32":
        return
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*-[0-9]*-*"):
        with suppress(OSError):
            reported = folder.lstat()
            # Skips new folders: their process may not have locked them yet.
            if reported.st_uid != os.geteuid() or time.time() - reported.st_mtime < _A_MINUTE:
                continue
            held = _opened(folder)
            try:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
            finally:
                os.close(held)


def _opened(folder: Path) -> int:
    return os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)


@atexit.register
def _remove() -> None:
    # Folders from before a fork belong to the parent process.
    for folder in _made.get(os.getpid(), []):
        shutil.rmtree(folder, ignore_errors=True)
