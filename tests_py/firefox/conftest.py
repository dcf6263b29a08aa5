"""Firefox has to be on the machine for these: they run with `pytest --browser firefox`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests_py.mcp.conftest import headless_workshop, workshop

__all__ = ["headless_workshop", "workshop"]


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Nothing here is for another browser."""
    if collection_path.name.startswith("test_") and config.getoption("browser") != "firefox":
        return True
    return None
