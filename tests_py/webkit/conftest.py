"""WebKit has to be on the machine for these: they run with `pytest --browser webkit`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests_py.support.client import Server


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Nothing here is for another browser."""
    if collection_path.name.startswith("test_") and config.getoption("browser") != "webkit":
        return True
    return None


@pytest.fixture
def server(shared_server: Server) -> Server:
    """The server whose WebKit lasts for the whole run. It has one page, in which each test begins anew."""
    return shared_server
