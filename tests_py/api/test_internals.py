"""Roles, names and states that stand in `ElementInternals` only."""

from __future__ import annotations

from patchright_mcp.async_api import Browser
from tests_py.support.internals import INTERNALS
from tests_py.support.site import Site, document


async def test_the_library_finds_controls_by_their_internals(browser: Browser, site: Site) -> None:
    page = await browser.new_page()
    await page.goto(site.publish("/internals", document("Internals", INTERNALS)))
    switch = page.get_by_role("switch", name="Night mode")
    await switch.check()
    assert await switch.is_checked()
    await switch.check()
    assert await page.title() == "night true"
    await switch.uncheck()
    assert await page.title() == "night false"
    await page.close()
