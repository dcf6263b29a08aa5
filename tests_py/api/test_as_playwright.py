"""Scripts and packages that import Playwright, run with this library in its place."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from patchright_mcp.async_api import Playwright, async_playwright
from tests_py.support.site import Site

pytestmark = pytest.mark.long

SCRIPT = """
import sys
import playwright
from playwright._impl._api_structures import Cookie, ViewportSize
from playwright._impl._api_types import Error as OldError
from playwright._impl._errors import TargetClosedError, TimeoutError
from playwright.async_api._generated import Page as GeneratedPage
from playwright.sync_api import Error, Page, sync_playwright
from playwright.sync_api._context_manager import PlaywrightContextManager
import patchright.sync_api

assert patchright.sync_api.Page is Page
assert OldError is Error and issubclass(TimeoutError, Error)
assert playwright.__version__.startswith("1.")
assert "patchright_mcp" in Page.__module__
try:
    import playwright._impl._driver
except ModuleNotFoundError:
    pass
with sync_playwright() as p:
    assert isinstance(sync_playwright(), PlaywrightContextManager)
    page = p.chromium.launch().new_page()
    page.goto(sys.argv[1])
    print(page.evaluate("said"), page.viewport_size, page.evaluate("document.hasFocus()"))
"""


def run(*arguments: str, **variables: str) -> str:
    """What a program prints that we run."""
    environment = {**os.environ, **variables}
    command = [sys.executable, *arguments]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout.strip()


def test_a_script_for_playwright_runs_as_it_is(site: Site, tmp_path: Path) -> None:
    url = site.publish("/variable", "<script>var said = 'hello'</script>")
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    reported = "hello {'width': 1280, 'height': 720} True"
    assert run("-m", "patchright_mcp.as_playwright", str(script), url) == reported
    script.write_text("import patchright_mcp.as_playwright" + SCRIPT)
    assert run(str(script), url) == reported


def test_own_ways_keeps_the_differences_from_playwright(tmp_path: Path) -> None:
    script = tmp_path / "own.py"
    script.write_text(
        "from playwright.sync_api import sync_playwright\n"
        "with sync_playwright() as p:\n"
        "    page = p.chromium.launch().new_page()\n"
        "    page.evaluate('globalThis.mine = 1')\n"
        "    print(page.evaluate('globalThis.mine', isolated_context=False))\n"
    )
    assert run("-m", "patchright_mcp.as_playwright", "--own-ways", str(script)) == "None"
    assert run("-m", "patchright_mcp.as_playwright", str(script)) == "1"


def test_help_is_no_failure_and_a_script_that_is_not_there_is_one_line() -> None:
    assert run("-m", "patchright_mcp.as_playwright", "--help").startswith("Runs programs and packages")
    command = [sys.executable, "-m", "patchright_mcp.as_playwright", "nowhere.py"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (2, "nowhere.py: there is no such script\n")
    command[-1:] = ["-m", "playwright", "install", "firefox"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr.count("\n")) == (2, 1)
    assert "`python -m patchright_mcp install` fetches Chromium" in ended.stderr


async def test_one_word_gives_playwrights_ways(playwright: Playwright, site: Site) -> None:
    url = site.publish(
        "/opens", "<script>var mine = 1; setTimeout(() => window.open('about:blank'))</script>"
    )
    async with async_playwright(playwright_compatible=True) as p:
        browser = await p.chromium.launch()
        context = await browser.new_context()
        page = await context.new_page()
        other = await context.new_page()
        assert page.viewport_size == {"width": 1280, "height": 720}
        assert [await item.evaluate("document.hasFocus()") for item in (page, other)] == [True, True]
        async with page.expect_popup():
            await page.goto(url)
        assert await page.evaluate("mine") == 1
        assert await page.evaluate("typeof mine", isolated_context=True) == "undefined"
        await browser.close()
    ours = await playwright.chromium.launch()
    page = await ours.new_page()
    await page.goto(url)
    assert await page.evaluate("typeof mine") == "undefined"
    await ours.close()
