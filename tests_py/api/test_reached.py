"""What an action in a popup does in its opener is there at the first look."""

from __future__ import annotations

import asyncio

import pytest

from patchright_mcp import sync_api
from patchright_mcp.async_api import Page, expect
from tests_py.support.site import Site, document

pytestmark = pytest.mark.long

OPENER = """<p id=state>not signed in</p><button onclick="window.open('{popup}')">Sign in</button>
<script>addEventListener("message", ({{ data }}) => {{ state.textContent = data; }});</script>"""
ALLOW = "<button onclick=\"opener.postMessage('signed in', '*'); window.close()\">Allow</button>"


def addresses(site: Site, where: str) -> str:
    """The page to begin at."""
    site.publish("/opened", document("Popup", ALLOW))
    origin = site.other_origin if where == "elsewhere" else site.origin
    return site.publish("/opener", document("Opener", OPENER.format(popup=f"{origin}/opened")))


@pytest.mark.parametrize("where", ["here", "elsewhere"])
async def test_the_message_of_a_popup_has_arrived_when_its_click_is_done(
    page: Page, site: Site, where: str
) -> None:
    await page.goto(addresses(site, where))
    for _ in range(5):
        async with page.expect_popup() as popup:
            await page.click("button")
        await (await popup.value).click("button")
        assert await page.inner_text("#state") == "signed in"
        await page.reload()
        await expect(page.locator("#state")).to_have_text("not signed in")


async def test_the_synchronous_library_sees_the_message_as_well(site: Site) -> None:
    def run() -> list[str]:
        seen = []
        with sync_api.sync_playwright() as playwright:
            page = playwright.chromium.launch().new_page()
            page.goto(addresses(site, "elsewhere"))
            for _ in range(5):
                with page.expect_popup() as popup:
                    page.click("button")
                popup.value.click("button")
                seen.append(page.inner_text("#state"))
                page.reload()
        return seen

    assert await asyncio.to_thread(run) == 5 * ["signed in"]
