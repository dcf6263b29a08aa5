"""What pages can find out about a script that drives the browser."""

import pytest

from patchright_mcp.async_api import BrowserContext, Frame, Page, Playwright
from tests_py.support.site import Site
from tests_py.support.traps import noticed, visit_by_script

pytestmark = pytest.mark.long


async def test_a_whole_script_leaves_nothing_that_a_page_can_notice(
    playwright: Playwright, site: Site
) -> None:
    browser = await playwright.chromium.launch()
    notes = await visit_by_script(await browser.new_context(), site, "a-script")
    await browser.close()
    assert noticed(notes) == {}, notes


async def test_a_function_of_a_script_is_not_found_in_frames_of_other_sites_nor_in_empty_ones(
    context: BrowserContext, site: Site
) -> None:
    async def add(_source: object, *numbers: int) -> int:
        return sum(numbers)

    async def in_page(frame: Frame | Page, script: str) -> object:
        return await frame.evaluate(script, isolated_context=False)

    async def has(name: str, frames: list[Frame]) -> list[object]:
        return [await in_page(frame, f"typeof self['{name[0]}' + '{name[1:]}']") for frame in frames]

    site.publish("/framed", f"<iframe src={site.other_origin}/framing></iframe>")
    site.publish(
        "/framing",
        "<iframe src=/blank></iframe><iframe></iframe><iframe srcdoc=x></iframe>"
        "<script>seen = typeof frames[1].add</script>",
    )
    await context.expose_binding("add", add)
    page = await context.new_page()
    await page.goto(site.url("/framed"))
    top, other, inside, _, _ = page.frames
    assert await has("add", [top, other, inside]) == ["function", "undefined", "undefined"]

    await page.goto(site.url("/framing"))
    top, _same, empty, _srcdoc = page.frames
    assert await has("add", page.frames) == ["function", "function", "undefined", "function"]
    assert await in_page(page, "window.seen") == "undefined"
    # A script of ours that calls it finds it all the same.
    assert [await in_page(frame, "add(1, 2)") for frame in page.frames] == [3, 3, 3, 3]

    await page.goto(site.url("/framed"))
    _, other, inside, empty, _ = page.frames
    assert await in_page(inside, "add(2, 3)") == 5
    assert await has("add", [other, inside, empty]) == ["undefined", "function", "undefined"]
    # A script that runs everywhere and calls it does, too, and so does who asks for it.
    await page.expose_binding("total", add, all_frames=True)
    await page.add_init_script("self.sum = add(4, 5)")
    for _ in range(2):
        assert await has("add", page.frames) == await has("total", page.frames) == ["function"] * 5
        await page.goto(site.url("/framed"))
    assert [await in_page(frame, "self.sum") for frame in page.frames] == [9] * 5


async def test_an_exposed_function_does_not_show_whose_it_is(page: Page, site: Site) -> None:
    await page.expose_function("total", lambda *parts: sum(parts))
    shows = "document.title = [total.toString(), total.name, String(Object.keys(total))].join('|')"
    await page.goto(site.publish("/exposed", f"<script>{shows}</script>"))
    assert await page.title() == "function () { [native code] }|total|"
    assert await page.evaluate("total(1, 2)", isolated_context=False) == 3


async def test_a_popup_with_a_size_has_the_screen_of_its_opener(page: Page, site: Site) -> None:
    sizes = "[screen.width, screen.height, innerWidth, innerHeight].join()"
    popup = site.publish("/popup", f"<script>document.title = {sizes}</script>")
    opens = f"open('{popup}', '', 'width=300,height=200')"
    await page.goto(site.publish("/opener", f'<button onclick="{opens}">Open</button>'))
    screen = await page.evaluate("[screen.width, screen.height].join()")
    async with page.expect_popup() as opened:
        await page.get_by_role("button").click()
    assert await (await opened.value).title() == f"{screen},300,200"


async def test_a_condition_that_only_reads_is_waited_for_where_pages_do_not_see_it(
    page: Page, site: Site
) -> None:
    traps = "let read = 0; Object.defineProperty(document, 'title', { get: () => `read ${++read}` });"
    script = f"<title>plain</title><script>{traps} ready = true</script>"
    await page.goto(site.publish("/watched-title", script))
    await page.wait_for_function("document.title === 'plain'")
    assert await page.evaluate("read", isolated_context=False) == 0
    await page.wait_for_function("ready")
    await page.wait_for_function("document.title.startsWith('read')", isolated_context=False)
