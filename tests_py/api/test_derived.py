"""The synchronous library is the asynchronous one."""

import ast
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

from patchright_mcp import async_api, extract, pool, sync_api
from scripts.derive_sync import derived

pytestmark = pytest.mark.long


def test_the_files_are_as_the_script_writes_them() -> None:
    script = Path(__file__).parents[2] / "scripts" / "derive_sync.py"
    compared = subprocess.run(
        [sys.executable, script, "--check"], check=False, capture_output=True, text=True, timeout=60
    )
    assert compared.returncode == 0, compared.stderr


def test_what_waits_in_one_does_in_the_other() -> None:
    source = "async def f(self) -> None:\n    async with g():\n        await h('await')\n"
    assert derived(source) == "def f(self) -> None:\n    with g():\n        h('await')\n"


def test_examples_in_help_are_code_of_the_library_that_they_are_in() -> None:
    shown = inspect.getdoc(sync_api.Page.snapshot) or ""
    assert '\n    page.get_by_ref("e12").click()' in shown
    assert '\n    await page.get_by_ref("e12").click()' in (inspect.getdoc(async_api.Page.snapshot) or "")
    for module in (extract, pool):
        example = (inspect.getdoc(module) or "").partition("Example:\n")[2].partition("\n\n")[0]
        ast.parse(f"async def example():\n{example}")
        assert "\n        " in example, module
    source = '"""What one awaits.\n\nExample:\n    async with a:\n        await b()\n"""\n'
    assert derived(source) == '"""What one awaits.\n\nExample:\n    with a:\n        b()\n"""\n'
