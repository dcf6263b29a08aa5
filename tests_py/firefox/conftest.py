"""Firefox has to be on the machine for these: they run with `pytest --browser firefox`."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from patchright_mcp.async_api import Browser, async_playwright
from tests_py.mcp.conftest import headless_workshop, workshop

__all__ = ["headless_workshop", "workshop"]


@pytest.fixture(scope="module")
async def browser() -> AsyncIterator[Browser]:
    """One that the library has started, for all tests of a file."""
    async with async_playwright() as playwright:
        yield await playwright.firefox.launch()


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Nothing here is for another browser."""
    if collection_path.name.startswith("test_") and config.getoption("browser") != "firefox":
        return True
    return None
