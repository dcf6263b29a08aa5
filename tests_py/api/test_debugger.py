"""A script that is stepped through from within."""

import asyncio
from pathlib import Path

import pytest

from patchright_mcp.async_api import BrowserContext, Error, Page
from patchright_mcp.sync_api import sync_playwright
from tests_py.support.site import Site


async def test_calls_wait_one_at_a_time(context: BrowserContext, page: Page, site: Site) -> None:
    debugger = context.debugger
    assert debugger is context.debugger
    changed: asyncio.Queue[str | None] = asyncio.Queue()
    debugger.on(
        "pausedstatechanged",
        lambda: changed.put_nowait(debugger.paused_details and debugger.paused_details["title"]),
    )
    with pytest.raises(Error, match=r"Debugger\.resume: Debugger is not paused"):
        await debugger.resume()
    await debugger.request_pause()
    going = asyncio.create_task(page.goto(site.page("form")))
    assert await changed.get() == "Page.goto"
    assert page.url == "about:blank"
    with pytest.raises(Error, match="already paused"):
        await debugger.request_pause()
    # What looks at the page meanwhile does not wait.
    assert await page.title() == ""
    await debugger.next()
    await going
    assert await changed.get() is None
    reading = asyncio.create_task(page.title())
    assert await changed.get() == "Page.title"
    await debugger.resume()
    assert await reading == "A form"
    assert await page.title() == "A form"


def test_a_handler_lets_the_script_go_on_to_a_place() -> None:
    seen: list[tuple[str, int | None]] = []
    lines = Path(__file__).read_text().splitlines()
    line = next(number for number, text in enumerate(lines, 1) if text.endswith("# Here."))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch()
        context = browser.new_context()
        page = context.new_page()
        debugger = context.debugger

        def stopped() -> None:
            details = debugger.paused_details
            if details is None:
                return
            seen.append((details["title"], details["location"]["line"]))
            if len(seen) == 1:
                debugger.run_to({"file": "test_debugger.py", "line": line, "column": None})
            else:
                debugger.resume()

        debugger.on("pausedstatechanged", stopped)
        debugger.request_pause()
        page.title()
        page.content()
        page.evaluate("1")  # Here.
        page.title()
        browser.close()
    assert [title for title, _ in seen] == ["Page.title", "Page.evaluate"]
    assert seen[-1][1] == line
