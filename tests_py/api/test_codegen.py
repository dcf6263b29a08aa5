"""Scripts written from what a person does in a window."""

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from patchright_mcp.async_api import Playwright
from patchright_mcp.codegen import READY
from tests_py.support.fleet import free_port
from tests_py.support.site import Site, document
from tests_py.support.wire import hear_signals

pytestmark = pytest.mark.long

SHOP = """<label>Name <input></label><label>Password <input type=password></label>
<button onclick="this.textContent = 'Added'">Add</button>"""


INTERRUPTED = "python, by Ctrl-C"


@pytest.mark.parametrize("how", ["python", "typescript", INTERRUPTED])
async def test_what_is_done_in_the_window_is_printed_when_it_is_closed(
    playwright: Playwright, site: Site, display: str, tmp_path: Path, how: str
) -> None:
    url = site.publish("/shop", document("Shop", SHOP))
    port = free_port()
    program = tmp_path / "browser"
    program.write_text(
        f'#!/bin/sh\nexec "{playwright.chromium.executable_path}" --remote-debugging-port={port} "$@"\n'
    )
    program.chmod(0o755)
    command = [sys.executable, "-m", "patchright_mcp.codegen", "--language", how.partition(",")[0]]
    codegen = await asyncio.create_subprocess_exec(
        *command,
        *["--executable-path", str(program), url],
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={**os.environ, "DISPLAY": display},
        preexec_fn=hear_signals,
    )
    try:
        assert codegen.stderr is not None
        async for line in codegen.stderr:
            if line.decode().strip() == READY:
                break
        # Somebody in the same browser, whose input is a person's to the page.
        person = await playwright.chromium.connect_over_cdp(f"http://127.0.0.1:{port}")
        pages = [page for context in person.contexts for page in context.pages if page.url == url]
        await pages[0].fill("input", "Ada")
        await pages[0].locator("[type=password]").press_sequentially("hush")
        await pages[0].click("button")
        await pages[0].wait_for_selector("text=Added")
        if how == INTERRUPTED:
            codegen.send_signal(signal.SIGINT)
        else:
            await pages[0].close()
        await person.close()
        written, result = await codegen.communicate()
    finally:
        if codegen.returncode is None:
            codegen.kill()
            await codegen.wait()
    script = written.decode()
    assert codegen.returncode == 0, result.decode()
    assert url in script
    assert "Ada" in script
    assert "hush" not in script
    assert '"Add"' in script
    assert ".click()" in script


def test_without_a_display_one_line_says_what_to_do() -> None:
    environment = {name: value for name, value in os.environ.items() if "DISPLAY" not in name}
    command = [sys.executable, "-m", "patchright_mcp.codegen", "about:blank"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert ended.returncode == 1
    assert "xvfb-run -a python -m patchright_mcp.codegen about:blank" in ended.stderr
    assert len(ended.stderr.splitlines()) == 1
