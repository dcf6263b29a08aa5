"""What pages can find out about a script that drives the browser."""

from patchright_mcp.async_api import BrowserContext, Frame, Page, Playwright
from tests_py.support.site import Site
from tests_py.support.traps import noticed, visit_by_script


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
