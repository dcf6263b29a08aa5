"""The demo is the first thing that people run."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests_py.support.site import Site

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[2]
PNG = b"\x89PNG\r\n\x1a\n"


def demo(*arguments: str) -> str:
    """Runs the demo, which must succeed, and returns what it printed."""
    command = [sys.executable, str(ROOT / "demo" / "demo.py"), *arguments]
    ended = subprocess.run(command, check=False, capture_output=True, text=True, timeout=55, cwd=ROOT)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def test_the_demo_books_a_table_and_shows_where_the_picture_is() -> None:
    printed = demo()
    assert "Thank you, Ada Lovelace. A table for 4 is yours." in printed
    where = re.search(r"^The picture is (.+)$", printed, re.MULTILINE)
    assert where
    assert Path(where[1]).read_bytes().startswith(PNG)


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/pages/shadow.html", "Pressed open"),
        ("/pages/frames.html", "Field inside"),
        ("/large?elements=10000", "Choose 0"),
    ],
)
def test_the_demo_takes_other_pages(site: Site, path: str, words: str) -> None:
    assert words in demo(site.url(path))
