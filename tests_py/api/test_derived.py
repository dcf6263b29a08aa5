"""The synchronous library is the asynchronous one."""

import subprocess
import sys
from pathlib import Path

from scripts.derive_sync import derived


def test_the_files_are_as_the_script_writes_them() -> None:
    script = Path(__file__).parents[2] / "scripts" / "derive_sync.py"
    compared = subprocess.run(
        [sys.executable, script, "--check"], check=False, capture_output=True, text=True, timeout=60
    )
    assert compared.returncode == 0, compared.stderr


def test_what_waits_in_one_does_in_the_other() -> None:
    source = "async def f(self) -> None:\n    async with g():\n        await h('await')\n"
    assert derived(source) == "def f(self) -> None:\n    with g():\n        h('await')\n"
