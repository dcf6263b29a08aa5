"""Folders for what is written down on the way; they go with the process."""

import atexit
import os
import shutil
import tempfile
from pathlib import Path

_made: dict[int, list[Path]] = {}


def temporary_folder(purpose: str) -> Path:
    """A new folder that nobody else can read, until the process ends."""
    folder = Path(tempfile.mkdtemp(prefix=f"patchright-{purpose}-"))
    _made.setdefault(os.getpid(), []).append(folder)
    return folder


@atexit.register
def _remove() -> None:
    # Those from before a fork are of the process that made them.
    for folder in _made.get(os.getpid(), []):
        shutil.rmtree(folder, ignore_errors=True)
