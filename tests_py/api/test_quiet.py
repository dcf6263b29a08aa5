"""What pages can find out about a script that drives the browser."""

from patchright_mcp.async_api import Playwright
from tests_py.support.site import Site
from tests_py.support.traps import noticed, visit_by_script


async def test_a_whole_script_leaves_nothing_that_a_page_can_notice(
    playwright: Playwright, site: Site
) -> None:
    browser = await playwright.chromium.launch()
    notes = await visit_by_script(await browser.new_context(), site, "a-script")
    await browser.close()
    assert noticed(notes) == {}, notes
