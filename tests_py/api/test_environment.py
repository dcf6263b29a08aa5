"""Where the library runs: one event loop after another, and processes that end as they like."""

import subprocess
import sys

import pytest

pytestmark = pytest.mark.long

PROGRAM = """
import asyncio
from patchright_mcp.async_api import Page, async_playwright

async def given_up(page: Page) -> int:
    session = await page.context.new_cdp_session(page)
    never = {"expression": "new Promise(() => 0)", "awaitPromise": True}
    waits = [
        page.click("button", timeout=0),
        page.evaluate("new Promise(() => 0)"),
        page.wait_for_event("popup", timeout=0),
        page.wait_for_function("() => false", timeout=0),
        page.wait_for_selector("p", timeout=0),
        page.wait_for_timeout(1e6),
        page.wait_for_url("**/elsewhere", timeout=0),
        session.send("Runtime.evaluate", never),
    ]
    tasks = [asyncio.create_task(wait) for wait in waits]
    await asyncio.sleep(0.05)
    for task in tasks:
        task.cancel()
    ends = await asyncio.gather(*tasks, return_exceptions=True)
    return [type(end) for end in ends].count(asyncio.CancelledError)

async def main(stops: bool) -> None:
    playwright = await async_playwright().start()
    browser = await playwright.chromium.launch()
    page = await browser.new_page()
    await page.set_content("<button disabled>a</button>")
    if stops:
        print(await given_up(page), flush=True)
    print(await page.inner_text("button"))
    if stops:
        await playwright.stop()

asyncio.run(main(True))
asyncio.run(main(False))
"""


def test_loops_come_and_go_and_waits_are_given_up_without_a_sound() -> None:
    command = [sys.executable, "-W", "error", "-c", PROGRAM]
    ended = subprocess.run(command, check=False, capture_output=True, text=True, timeout=50)
    assert (ended.stderr, ended.returncode) == ("", 0)
    assert ended.stdout.split() == ["8", "a", "a"]
