"""What the tests of the tools share: servers that can do everything, in a folder where tests can look."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests_py.support.client import serve
from tests_py.support.workshop import Workshop

EVERYTHING = (
    "--caps",
    "vision,pdf,find,steps,extract,network,storage,emulation,code,testing,evidence,devtools",
    "--input",
    "instant",
    "--timeout-action",
    "2000",
)


@pytest.fixture(scope="session")
async def headless_workshop(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Workshop]:
    """One without windows, for the whole run."""
    folder = tmp_path_factory.mktemp("headless")
    async with serve("--headless", *EVERYTHING, cwd=folder) as server:
        yield Workshop(server, folder)


@pytest.fixture(scope="session")
async def headed_workshop(tmp_path_factory: pytest.TempPathFactory, display: str) -> AsyncIterator[Workshop]:
    """One with windows, for the whole run."""
    folder = tmp_path_factory.mktemp("headed")
    async with serve(*EVERYTHING, env={"DISPLAY": display}, cwd=folder) as server:
        yield Workshop(server, folder)


@pytest.fixture
async def workshop(headless_workshop: Workshop) -> AsyncIterator[Workshop]:
    """The one without windows, with its pages closed afterwards."""
    yield headless_workshop
    await _tidy(headless_workshop)


@pytest.fixture(params=["headless", "headed"])
async def either_workshop(
    request: pytest.FixtureRequest, headless_workshop: Workshop, headed_workshop: Workshop
) -> AsyncIterator[Workshop]:
    """Both, one after the other: for what windows could change."""
    chosen = headless_workshop if request.param == "headless" else headed_workshop
    yield chosen
    await _tidy(chosen)


async def _tidy(workshop: Workshop) -> None:
    # Under a rule the browser asks for everything past its caches, which the next test would see.
    await workshop.server.call("browser_route", action="clear")
    # A test that fails leaves its contexts open, and the last of them active.
    contexts = (await workshop.server.call("browser_context_list")).structured or {"contexts": []}
    for context in contexts["contexts"]:
        if context["name"] != "default":
            await workshop.server.call("browser_context_close", name=context["name"])
    for _ in range(10):
        if (await workshop.server.call("browser_close")).is_error:
            return
