"""What the browser draws over a page, and the scripts that it writes from what a person does there."""

from __future__ import annotations

import asyncio

import pytest

from patchright_mcp.async_api import Error, Locator, Page
from tests_py.support.site import Site

PAGE = """<body style="margin: 0"><button style="width: 200px; height: 100px">Go</button>
<iframe src="/inner" style="position: absolute; left: 0; top: 200px; border: 0"></iframe>
<script>
  var heard = [];
  for (const kind of ["mousedown", "mouseup", "click", "mousemove"])
    addEventListener(kind, () => heard.push(kind), true);
  const all = { subtree: true, childList: true, attributes: true };
  new MutationObserver(() => heard.push("changed")).observe(document, all);
</script>"""
INNER = """<body style="margin: 0"><label><input style="width: 200px; height: 50px"> Name</label>"""


@pytest.fixture
async def shown(page: Page, site: Site) -> Page:
    site.publish("/inner", INNER)
    await page.goto(site.publish("/overlaid", PAGE))
    return page


async def received(page: Page) -> list[str]:
    reported: list[str] = await page.evaluate("heard", isolated_context=False)
    return reported


async def test_what_is_highlighted_is_seen_in_pictures_and_not_by_the_page(shown: Page) -> None:
    button, field = shown.get_by_role("button"), shown.frame_locator("iframe").locator("input")
    before = await shown.screenshot()
    async with await button.highlight():
        one = await shown.screenshot()
        assert one != before
        await field.highlight()
        assert await shown.screenshot() not in (before, one)
        await field.hide_highlight()
        assert await shown.screenshot() == one
    assert await shown.screenshot() == before
    await button.highlight()
    assert await shown.screenshot() == one
    await shown.hide_highlight()
    assert await shown.screenshot() == before
    assert await received(shown) == []


async def begin(page: Page) -> asyncio.Task[Locator]:
    """Begins to pick; it is begun when the browser draws around what the pointer is over."""
    before = await page.screenshot()
    picking = asyncio.create_task(page.pick_locator())
    while await page.screenshot() == before:
        await page.mouse.move(90, 40)
        await page.mouse.move(100, 50)
    return picking


async def test_a_click_picks_a_locator_and_the_page_does_not_hear_of_it(shown: Page) -> None:
    picking = await begin(shown)
    await shown.mouse.click(100, 50)
    button = await picking
    assert repr(button).endswith("""selector='internal:role=button[name="Go"i]'>""")
    assert await button.inner_text() == "Go"
    picking = await begin(shown)
    await shown.mouse.click(50, 220)
    field = await picking
    await field.fill("Ada")
    assert await shown.frame_locator("iframe").get_by_label("Name").input_value() == "Ada"
    assert not {"mousedown", "mouseup", "click"} & set(await received(shown))
    await shown.mouse.click(100, 50)
    assert "click" in await received(shown)


async def test_picking_can_be_given_up(shown: Page) -> None:
    await shown.cancel_pick_locator()
    first = await begin(shown)
    second = asyncio.create_task(shown.pick_locator())
    with pytest.raises(Error, match="Locator picking was cancelled"):
        await first
    await shown.cancel_pick_locator()
    with pytest.raises(Error, match="Locator picking was cancelled"):
        await second
    third = await begin(shown)
    await shown.close()
    with pytest.raises(Error, match="closed"):
        await third


async def test_what_is_done_in_a_page_is_written_as_a_script(shown: Page) -> None:
    url = shown.url
    recording = await shown.record_script()
    await shown.get_by_role("button").click()
    await shown.frame_locator("iframe").get_by_label("Name").fill("Ada")
    await shown.close()
    written = recording.written
    assert f'page.goto("{url}")' in written
    assert 'page.get_by_role("button", name="Go").click()' in written
    assert 'get_by_role("textbox", name="Name").fill("Ada")' in written
