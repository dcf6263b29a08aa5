"""Roles, names and states that stand in `ElementInternals` only."""

from __future__ import annotations

import pytest

from patchright_mcp.async_api import Browser, Error, expect
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


async def test_a_control_without_a_role_attribute_is_checked_by_any_selector(
    browser: Browser, site: Site
) -> None:
    page = await browser.new_page()
    await page.goto(site.publish("/internals", document("Internals", INTERNALS)))
    switch = page.locator("night-mode")
    assert not await switch.is_checked()
    await switch.check()
    await expect(switch).to_be_checked()
    await page.locator("buy-now").click()
    # The page changes it by itself, between two readings.
    await page.evaluate("() => document.querySelector('night-mode').click()")
    assert not await switch.is_checked()
    await expect(switch).not_to_be_checked()
    await page.close()


async def test_a_custom_element_without_a_state_is_no_check_box(browser: Browser, site: Site) -> None:
    page = await browser.new_page()
    await page.goto(site.publish("/internals", document("Internals", INTERNALS)))
    with pytest.raises(Error, match="check"):
        await page.locator("buy-now").check(timeout=2_000)
    await page.close()
