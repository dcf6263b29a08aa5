"""The package itself: what importing it costs, and where it refuses to work."""

import os
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

import patchright_mcp
from patchright_mcp import BrowserError, _core

HEAVY = (
    "asyncio",
    "typing",
    "enum",
    "inspect",
    "importlib.metadata",
    "signal",
    "subprocess",
    "patchright_mcp._core",
)


def python(program: str) -> str:
    """Return what a fresh interpreter prints when it runs the program."""
    command = [sys.executable, "-c", program]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=30).stdout.strip()


def loaded_by(statement: str) -> set[str]:
    """Return the names of the modules that a statement loads."""
    program = f"import sys; before = set(sys.modules); {statement}; print(*set(sys.modules) - before)"
    return set(python(program).split())


def test_importing_the_package_loads_nothing_heavy() -> None:
    assert loaded_by("import patchright_mcp").isdisjoint(HEAVY)


def test_starting_the_server_loads_no_python_beside_the_engine() -> None:
    allowed = {"patchright_mcp", "patchright_mcp.errors", "patchright_mcp._core", "patchright_mcp.__main__"}
    assert loaded_by("import patchright_mcp.__main__") <= allowed


def test_the_version_is_that_of_the_installed_package() -> None:
    assert patchright_mcp.__version__ == _core.__version__ == metadata.version("patchright-mcp")


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
        _ = patchright_mcp.nonsense


def test_the_package_needs_no_other_at_run_time() -> None:
    assert metadata.requires("patchright-mcp") is None


WRITES_DOWN = """
from patchright_mcp.sync_api import sync_playwright
page = sync_playwright().start().chromium.launch().new_page()
page.set_content("<a download=f href='data:,kept'>get</a><input type=file>")
with page.expect_download() as download:
    page.click("a")
print(download.value.path().read_text(), download.value.path().parent.name)
page.set_input_files("input", {"name": "f", "mimeType": "text/plain", "buffer": b"given"})
print(page.evaluate("document.querySelector('input').files[0].text()"))
"""


def test_what_was_written_down_goes_with_the_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    kept, folder, given = python(WRITES_DOWN).split()
    assert (kept, given) == ("kept", "given")
    assert folder.startswith("patchright-py-downloads-")
    left = [path.name for path in tmp_path.iterdir()]
    assert not [name for name in left if "downloads" in name or "files" in name]


def test_an_error_shows_its_message_and_the_next_step() -> None:
    error = BrowserError("stale_ref", "e1 is no longer on the page", "take a new snapshot")
    assert str(error) == "e1 is no longer on the page (take a new snapshot)"
    assert (error.code, error.hint) == ("stale_ref", "take a new snapshot")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_fork_of_a_process_that_used_the_engine_is_refused() -> None:
    program = """
import os, sys
from patchright_mcp import _core
_core.main(["--version"])
child = os.fork()
if child == 0:
    try:
        _core.main(["--version"])
    except RuntimeError as error:
        os.write(2, str(error).encode())
        os._exit(7)
    os._exit(0)
_, status = os.waitpid(child, 0)
sys.exit(os.waitstatus_to_exitcode(status))
"""
    ended = subprocess.run(
        [sys.executable, "-c", program], check=False, capture_output=True, text=True, timeout=30
    )
    assert ended.returncode == 7
    assert 'multiprocessing.get_context("spawn")' in ended.stderr


@pytest.mark.skipif(
    sys.version_info >= (3, 13), reason="the module for second interpreters has another name there"
)
def test_a_second_interpreter_of_the_process_is_refused() -> None:
    program = """
import patchright_mcp._core
import _xxsubinterpreters as interpreters
try:
    interpreters.run_string(interpreters.create(), "import patchright_mcp._core")
except interpreters.RunFailedError as error:
    print(error)
"""
    assert "first imported in another interpreter" in python(program)
