"""Folders of processes that were killed go with the next process; those of the living stay."""

import json
import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from patchright_mcp.async_api import BrowserContext, Playwright

MAKE = "from patchright_mcp._folders import temporary_folder as made; print(made('downloads'), flush=True); "


def begun(folder: Path) -> tuple[subprocess.Popen[str], Path]:
    """A process that has made a folder, long ago, and lives."""
    command = [sys.executable, "-c", MAKE + "input()"]
    environment = {**os.environ, "TMPDIR": str(folder)}
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    )
    assert process.stdout
    made = Path(process.stdout.readline().strip())
    an_hour_ago = time.time() - 3600
    os.utime(made, (an_hour_ago, an_hour_ago))
    return process, made


def test_the_next_process_clears_up_after_one_that_was_killed(tmp_path: Path) -> None:
    (killed, left), (living, kept) = begun(tmp_path), begun(tmp_path)
    assert left.is_dir()
    killed.send_signal(signal.SIGKILL)
    killed.communicate()
    # A server keeps its own by other means.
    others = [tmp_path / "patchright-notes", tmp_path / "patchright-mcp-1234-5678abcd"]
    for other in others:
        other.mkdir()
        os.utime(other, (0, 0))
    subprocess.run(
        [sys.executable, "-c", MAKE], check=True, env={**os.environ, "TMPDIR": str(tmp_path)}, timeout=60
    )
    assert not left.exists()
    assert kept.is_dir()
    living.communicate("\n", timeout=60)
    assert sorted(tmp_path.iterdir()) == sorted(others)


@pytest.mark.skipif(sys.platform == "win32", reason="files have no such modes there")
async def test_a_state_of_storage_is_for_its_owner_only(
    context: BrowserContext, playwright: Playwright, tmp_path: Path
) -> None:
    file = tmp_path / "state.json"
    file.write_text("a longer file that was there before, for all to read" * 20)
    file.chmod(0o644)
    requests = await playwright.request.new_context()
    for state_of in (context, requests):
        state = await state_of.storage_state(path=file)
        assert (stat.S_IMODE(file.stat().st_mode), json.loads(file.read_text())) == (0o600, state)
        file.unlink()
    await requests.dispose()
