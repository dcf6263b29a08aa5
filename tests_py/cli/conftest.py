"""A shell for each test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests_py.support.shell import Shell


@pytest.fixture
def shell(folder: Path) -> Iterator[Shell]:
    """A folder of the test's own, in which our program is a command."""
    with Shell(folder) as shell:
        yield shell
