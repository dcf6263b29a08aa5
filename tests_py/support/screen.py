"""A screen for windows."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def screen(size: str) -> Iterator[str | None]:
    """The name of the screen there is, or of one of this size (`1280x800`) that exists only in memory.

    `None` where there is no screen, and no Xvfb to make one.
    """
    if "DISPLAY" in os.environ:
        yield os.environ["DISPLAY"]
        return
    program = shutil.which("Xvfb")
    if program is None:
        yield None
        return
    reading, writing = os.pipe()
    command = [program, "-displayfd", str(writing), "-screen", "0", f"{size}x24", "-nolisten", "tcp"]
    server = subprocess.Popen(command, pass_fds=[writing], stderr=subprocess.DEVNULL)
    os.close(writing)
    with os.fdopen(reading) as number:
        name = f":{number.readline().strip()}"
    try:
        yield name
    finally:
        server.terminate()
        server.wait(10)
