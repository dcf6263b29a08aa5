"""What is kept of a test that fails."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.long


def test_a_failed_test_tells_what_was_said_with_the_browser() -> None:
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "tests_py/support/fails.py"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert ran.returncode == 1, ran.stdout + ran.stderr
    assert "Said with the browser" in ran.stdout
    kept = re.search(r"all of it is in (\S+)", ran.stdout)
    assert kept is not None, ran.stdout
    file = Path(kept[1])
    said = file.read_text()
    file.unlink()
    assert re.search(r'^\d+\.\d{3} > .*"method":"Target.createTarget"', said, re.MULTILINE), said[:2000]
    assert re.search(r'^\d+\.\d{3} < {"id":\d+,"result"', said, re.MULTILINE), said[:2000]
    assert "what the page says" in said
