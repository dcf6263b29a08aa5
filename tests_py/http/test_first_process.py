"""As the first process of a container, without an init beside it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from tests_py.support.client import with_browser
from tests_py.support.http import INITIALIZE
from tests_py.support.site import Site
from tests_py.support.wire import until

CONTAINER = ["unshare", "--pid", "--fork", "--mount-proc"]

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(
        sys.platform != "linux"
        or not shutil.which("unshare")
        or subprocess.run([*CONTAINER, "true"], capture_output=True, check=False).returncode != 0,
        reason="it takes a process namespace",
    ),
]


def processes(below: int) -> list[str]:
    """The states of all processes below this one, as the kernel writes them."""
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                state, parent = (entry / "stat").read_text().rpartition(")")[2].split()[:2]
                parents[int(entry.name)] = (int(parent), state)
    found, states = {below}, []
    while more := {process for process, (parent, _) in parents.items() if parent in found} - found:
        found |= more
        states += [parents[process][1] for process in more]
    return states


def test_no_process_that_ended_is_left(folder: Path, site: Site) -> None:
    server = subprocess.Popen(
        [*CONTAINER, sys.executable, "-m", "patchright_mcp", "--headless", *with_browser(())],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=folder,
        env={**os.environ, "TMPDIR": str(folder)},
        text=True,
    )
    assert server.stdin
    assert server.stdout

    def ask(method: str, params: object) -> dict[str, object]:
        assert server.stdin
        assert server.stdout
        request = {"jsonrpc": "2.0", "id": 5, "method": method, "params": params}
        server.stdin.write(json.dumps(request) + "\n")
        server.stdin.flush()
        answer: dict[str, object] = json.loads(server.stdout.readline())
        return answer

    ask("initialize", INITIALIZE["params"])
    opened = {"name": "browser_navigate", "arguments": {"url": site.page("form")}}
    for _ in range(2):
        # A call that meets the end of the browser says so, and the next one starts another.
        until(lambda: "A form" in str(ask("tools/call", opened)), "an open page")
        browsers = [
            int(entry.name)
            for entry in Path("/proc").iterdir()
            if entry.name.isdigit() and is_browser(entry, folder)
        ]
        for browser in browsers:
            with suppress(ProcessLookupError):
                os.kill(browser, 9)
        # The server, what it was started by, and the server that this started.
        until(lambda: bool(processes(server.pid)) and "Z" not in processes(server.pid), "the end of those")
    server.stdin.close()
    assert server.wait(30) == 0
    server.stdout.close()


def is_browser(entry: Path, folder: Path) -> bool:
    """Whether it is a browser that was started below a test's folder."""
    with suppress(OSError):
        return (
            str(folder).encode() in (entry / "environ").read_bytes()
            and b"chrom" in (entry / "cmdline").read_bytes()
        )
    return False
