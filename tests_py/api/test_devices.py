"""Contexts that pretend to be a device, and pages on its paper."""

from __future__ import annotations

import re

import pytest

from patchright_mcp.async_api import Browser, Error, Page, Playwright
from tests_py.support.site import Site

SEEN = "() => [innerWidth, innerHeight, devicePixelRatio, navigator.maxTouchPoints > 0, navigator.userAgent]"
SIZED = "<meta name=viewport content='width=device-width'>"
POINTS_OF_INCH = 72


@pytest.mark.parametrize(
    ("name", "seen"),
    [
        ("Pixel 7", [412, 839, 2.625, True, "Android"]),
        ("Pixel 7 landscape", [839, 412, 2.625, True, "Android"]),
        ("iPad (gen 7)", [810, 1080, 2, True, "iPad"]),
        ("Desktop Firefox", [1280, 720, 1, False, "Firefox"]),
        ("Desktop Chrome HiDPI", [1280, 720, 2, False, "Chrome"]),
    ],
)
async def test_a_context_looks_like_the_device(
    playwright: Playwright, browser: Browser, site: Site, name: str, seen: list[object]
) -> None:
    options = dict(playwright.devices[name])
    options.pop("default_browser_type")
    context = await browser.new_context(**options)
    page = await context.new_page()
    await page.goto(site.publish("/sized", SIZED))
    *sizes, user_agent = await page.evaluate(SEEN)
    assert sizes == seen[:-1]
    assert str(seen[-1]) in user_agent
    await context.close()


@pytest.mark.parametrize(
    ("paper", "inches"), [("Letter", (8.5, 11)), ("a5", (5.83, 8.27)), ("LEDGER", (17, 11))]
)
async def test_paper_has_its_size(page: Page, paper: str, inches: tuple[float, float]) -> None:
    printed = await page.pdf(format=paper)
    box = re.search(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", printed)
    assert box
    assert [float(side) for side in box.groups()] == pytest.approx(
        [side * POINTS_OF_INCH for side in inches], abs=1
    )


async def test_an_unknown_paper_format_is_refused(page: Page) -> None:
    with pytest.raises(Error, match="Unknown paper format: A9"):
        await page.pdf(format="A9")
