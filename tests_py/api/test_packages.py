"""What packages that are made for Playwright do, each as it was found in one of them."""

from __future__ import annotations

import pytest

from patchright_mcp._failures import failure
from patchright_mcp.async_api import Error, Page, Playwright, TargetClosedError, async_playwright
from patchright_mcp.errors import BrowserError


async def test_an_ending_needs_no_arguments() -> None:
    manager = async_playwright()
    playwright = await manager.__aenter__()
    browser = await playwright.chromium.launch()
    await manager.__aexit__()
    assert not browser.is_connected()


async def test_headless_may_be_an_argument(playwright: Playwright) -> None:
    async with await playwright.chromium.launch(args=["--headless=new"], devtools=False) as browser:
        assert browser._native.is_headless


@pytest.mark.parametrize("endpoint", ["http://127.0.0.1:1", "ws://127.0.0.1:1/devtools/browser/1"])
async def test_a_browser_that_is_not_there_refuses_the_connection(
    playwright: Playwright, endpoint: str
) -> None:
    with pytest.raises(Error, match="ECONNREFUSED") as reported:
        await playwright.chromium.connect_over_cdp(endpoint)
    assert not isinstance(reported.value, TargetClosedError)


async def test_an_unknown_channel_is_named(playwright: Playwright) -> None:
    with pytest.raises(Error, match='Unsupported chromium channel "not-exists"'):
        await playwright.chromium.launch(channel="not-exists")


@pytest.mark.long
async def test_a_compatible_locale_is_the_only_language() -> None:
    languages = []
    for compatible in (True, False):
        async with async_playwright(playwright_compatible=compatible) as playwright:
            browser = await playwright.chromium.launch()
            page = await browser.new_page(locale="de-DE")
            languages.append(await page.evaluate("navigator.languages"))
    assert languages == [["de-DE"], ["de-DE", "de", "en-US", "en"]]


async def test_content_that_changes_is_reported_in_the_words_that_are_tried_again(
    page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def replaced(*_: object) -> None:
        raise failure(BrowserError("document_gone", "the document was replaced by another one"))

    monkeypatch.setattr(type(page._runtime), "run", replaced)
    with pytest.raises(Error, match="Unable to retrieve content because the page is navigating"):
        await page.content()
