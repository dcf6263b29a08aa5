"""What a script has said to do about elements that come up in the way."""

import asyncio

import pytest

from patchright_mcp.async_api import Browser, Page, expect
from patchright_mcp.async_api import TimeoutError as PatchrightTimeoutError

COVERED = """<button id=target onclick="this.textContent += '!'">Go</button>
<div id=veil style='position:fixed;inset:0;background:#fff'>In the way
<button id=close onclick='this.parentNode.remove()'>Close</button></div>"""


async def test_what_is_in_the_way_is_left_when_force_is_asked_for(page: Page) -> None:
    await page.set_content(COVERED)
    await page.add_locator_handler(page.get_by_text("In the way"), lambda: page.click("#close"))
    await page.click("#target", force=True)
    assert await page.locator("#veil").count() == 1


async def test_assertions_have_their_way_cleared_too(page: Page) -> None:
    await page.set_content("<p id=veil>Wait</p><p id=said hidden>Said</p>")
    show = "document.querySelector('#veil').remove(), document.querySelector('#said').hidden = false"
    await page.add_locator_handler(page.locator("#veil"), lambda: page.evaluate(show))
    await expect(page.locator("#said")).to_be_visible()


async def test_a_handler_that_does_not_end_takes_no_longer_than_the_action(page: Page) -> None:
    await page.set_content(COVERED)
    never = asyncio.get_running_loop().create_future()
    calls: list[int] = []

    async def handler() -> None:
        calls.append(1)
        await never

    await page.add_locator_handler(page.get_by_text("In the way"), handler)
    for _ in range(2):
        with pytest.raises(PatchrightTimeoutError, match="Timeout 700ms exceeded"):
            await page.click("#target", timeout=700)
    assert calls == [1]
    never.cancel()


async def test_what_a_handler_raises_is_raised_by_the_action(page: Page) -> None:
    await page.set_content(COVERED)

    async def handler() -> None:
        raise LookupError("nothing to close it with")

    await page.add_locator_handler(page.get_by_text("In the way"), handler)
    with pytest.raises(LookupError, match="nothing to close it with"):
        await page.click("#target")
    assert await page.locator("#target").text_content() == "Go"


async def test_what_a_handler_leaves_in_sight_is_named(page: Page) -> None:
    await page.set_content(COVERED)
    await page.add_locator_handler(page.get_by_text("In the way"), lambda: None)
    hidden = r'locator handler has finished, waiting for get_by_text\("In the way"\) to be hidden'
    with pytest.raises(PatchrightTimeoutError, match=hidden):
        await page.click("#target", timeout=700)


async def test_looking_at_a_page_calls_no_handler(page: Page) -> None:
    await page.set_content(COVERED)
    await page.add_locator_handler(page.get_by_text("In the way"), lambda: page.click("#close"))
    assert await page.locator("#veil").is_visible()
    assert await page.text_content("#target") == "Go"
    assert await page.locator("#veil").is_visible()
    await page.click("#target")
    assert await page.text_content("#target") == "Go!"


async def test_handlers_work_for_several_actions_at_once(page: Page) -> None:
    await page.set_content(
        COVERED
        + """<div id=second style='position:fixed;inset:0;top:50px'>Another</div>
        <button id=other>Other</button>"""
    )
    called: list[str] = []

    async def close() -> None:
        called.append("close")
        await page.click("#close")

    async def hide() -> None:
        called.append("hide")
        await page.locator("#second").evaluate("found => found.remove()")

    await page.add_locator_handler(page.get_by_text("In the way"), close)
    await page.add_locator_handler(page.get_by_text("Another"), hide)
    await asyncio.gather(page.click("#target"), page.wait_for_selector("#other"), page.focus("#other"))
    assert sorted(called) == ["close", "hide"]
    assert await page.text_content("#target") == "Go!"


async def test_an_instant_press_goes_past_nothing_that_comes_up_under_the_pointer(
    browser: Browser,
) -> None:
    context = await browser.new_context(input="instant")
    page = await context.new_page()
    await page.set_content(
        """<button id=target onclick="this.textContent += '!'"
        onmouseover="document.querySelector('#veil').hidden = false">Go</button>
        <div id=veil hidden style='position:fixed;inset:0'></div>"""
    )
    with pytest.raises(PatchrightTimeoutError, match="intercepts pointer events"):
        await page.click("#target", timeout=700)
    assert await page.text_content("#target") == "Go"
    await context.close()


async def test_nothing_is_kept_of_a_handler_that_was_called_often_enough(page: Page) -> None:
    await page.set_content(
        "<button onclick='done = true'>Go</button><div id=veil style='position: fixed; inset: 0'>Wait</div>"
    )

    async def lift() -> None:
        await page.evaluate("document.querySelector('#veil').hidden = true")
        await page.evaluate("document.querySelector('#veil').style.display = 'none'")

    await page.add_locator_handler(page.locator("#veil"), lift, times=1)
    await page.add_locator_handler(page.locator("#other"), lift, times=0)
    assert len(page._locator_handlers) == 1
    await page.get_by_role("button").click()
    assert page._locator_handlers == {}
