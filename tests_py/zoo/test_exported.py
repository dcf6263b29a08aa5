"""What was done in applications, exported as a test and run at once where nothing was done yet."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests_py.mcp.test_testing import run
from tests_py.support.client import Server, serve
from tests_py.support.visitor import Visitor
from tests_py.zoo import test_applications as applications
from tests_py.zoo import test_miniwob as miniwob

pytestmark = pytest.mark.timeout(400)  # Each starts an application twice.
APPLICATIONS = {
    "Gradio = gradio": applications.ORDER,
    "TiddlyWiki = tiddlywiki": applications.NOTE,
    "Node-RED = node-red": applications.FLOW,
    "JupyterLab = jupyterlab": applications.NOTEBOOK,
    "Wagtail = wagtail": applications.PAGE,
}
PAGES = [name for name in vars(miniwob) if name.startswith("test_")]
REWARD = "[WOB_DONE_GLOBAL, WOB_RAW_REWARD_GLOBAL, WOB_REWARD_GLOBAL > 0.9]"


@pytest.fixture
async def recorded(tmp_path: Path) -> AsyncIterator[Server]:
    """A server that writes down what is done."""
    async with serve("--headless", "--caps", "testing", cwd=tmp_path) as server:
        yield server


async def exported(server: Server, folder: Path) -> Path:
    """The test that does again what was done."""
    answer = await server.call("browser_export_script", filename="test_exported.py")
    assert not answer.is_error, answer.text
    return await asyncio.to_thread(lambda: next(folder.rglob("test_exported.py")))


def passes(script: Path) -> None:
    """Runs it, only once."""
    assert run(script) == 0, script.read_text()


@pytest.mark.parametrize(
    "library", [pytest.param(name, marks=pytest.mark.library(name)) for name in APPLICATIONS]
)
async def test_an_exported_task_passes_at_once(library: str, recorded: Server, tmp_path: Path) -> None:
    task = APPLICATIONS[library]
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    second.mkdir()
    url = await task.carry_out(Visitor(recorded), first)
    script = await exported(recorded, tmp_path)
    with task.application(second) as other:
        script.write_text(script.read_text().replace(origin(url), origin(other)))
        await asyncio.to_thread(passes, script)
        await task.check(second)


def origin(url: str) -> str:
    """Where an application is, which is another place each time."""
    return "/".join(url.split("/")[:3])


@pytest.fixture
def zoo_server(recorded: Server) -> Server:
    """Who does the pages' tasks is written down."""
    return recorded


begin = miniwob.begin


@pytest.mark.library("MiniWoB++ = miniwob")
@pytest.mark.parametrize("page", PAGES)
async def test_an_exported_page_passes_at_once(
    page: str, begin: miniwob.Begin, recorded: Server, tmp_path: Path
) -> None:
    await vars(miniwob)[page](begin)
    script = await exported(recorded, tmp_path)
    with script.open("a") as more:
        more.write(f"    assert page.evaluate('{REWARD}', isolated_context=False) == [True, 1, True]\n")
    await asyncio.to_thread(passes, script)
