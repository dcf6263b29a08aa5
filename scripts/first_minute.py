"""From nothing to the first answered call, in a fresh folder, with a browser from a mirror on loopback.

Usage: python -m scripts.first_minute FILE …

A wheel needs Python alone, a program nothing.
"""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

from scripts.smoke import HELLO, PAGE, asked

if TYPE_CHECKING:
    from collections.abc import Iterator

LIMIT_S = 60
# What `browser_install` asks a mirror for on Linux.
ARCHIVE = "chromium-browser-snapshots/Linux_x64/1585606/chrome-linux.zip"
HOMES = ["/usr/lib/chromium/chromium", "/usr/lib64/chromium/chromium", "/opt/google/chrome/chrome"]


def main() -> int:
    """Measures each in turn."""
    browser = next((Path(home) for home in HOMES if Path(home).exists()), None)
    if browser is None or len(sys.argv) == 1:
        print(__doc__ if browser else "There is no browser here that could be served.", file=sys.stderr)
        return 2
    slow = 0
    with tempfile.TemporaryDirectory() as folder, mirror(browser, Path(folder)) as address:
        for number, file in enumerate(map(Path, sys.argv[1:])):
            fresh = Path(folder) / str(number)
            fresh.mkdir()
            got, opened = seconds(file.absolute(), fresh, address)
            print(f"{file.name}: installed after {got:.1f} s, the first page after {opened:.1f} s")
            slow += opened > LIMIT_S
    return 1 if slow else 0


@contextmanager
def mirror(browser: Path, folder: Path) -> Iterator[str]:
    """Serves this machine's browser as if it came from its maker."""
    archive = folder / "mirror" / ARCHIVE
    archive.parent.mkdir(parents=True)
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as packed:
        for path in sorted(browser.parent.rglob("*")):
            name = "chrome" if path == browser else path.relative_to(browser.parent).as_posix()
            if path.is_file():
                packed.write(path, f"chrome-linux/{name}")
    handler = functools.partial(Quiet, directory=str(folder / "mirror"))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as site:
        Thread(target=site.serve_forever, args=(0.05,), daemon=True).start()
        yield f"http://127.0.0.1:{site.server_port}"
        site.shutdown()


class Quiet(SimpleHTTPRequestHandler):
    """Serves files and says nothing about it."""

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Nothing."""


def seconds(file: Path, fresh: Path, address: str) -> tuple[float, float]:
    """How long it took until it was installed, and until it had answered with a page."""
    begun = time.monotonic()
    if file.suffix == ".whl":
        subprocess.run([sys.executable, "-m", "venv", "venv"], check=True, cwd=fresh)
        pip = [
            str(fresh / "venv/bin/pip"),
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--no-index",
            str(file),
        ]
        subprocess.run(pip, check=True, cwd=fresh)
        program = fresh / "venv/bin/patchright-mcp"
    else:
        program = Path(shutil.copy(file, fresh))
    installed = time.monotonic() - begun
    os.environ["HOME"] = str(fresh)
    browsers = fresh / "browsers"
    messages: list[dict[str, Any]] = [
        {"id": 1, "method": "initialize", "params": HELLO},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": {"name": "browser_install", "arguments": {}}},
    ]
    command = [str(program), "--browsers-dir", str(browsers), "--download-host", address]
    text = asked(messages, str(fresh), command)[2]["result"]["content"][0]["text"]
    assert "downloaded and installed" in text, text
    page = {"name": "browser_navigate", "arguments": {"url": PAGE}}
    messages[2] = {"id": 3, "method": "tools/call", "params": page}
    text = asked(messages, str(fresh), command)[3]["result"]["content"][0]["text"]
    assert "It works" in text, text
    return installed, time.monotonic() - begun


if __name__ == "__main__":
    sys.exit(main())
