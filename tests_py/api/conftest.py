"""One browser for all tests of the library; a page in a context of its own for each."""

from collections.abc import AsyncIterator

import pytest

from patchright_mcp.async_api import Browser, BrowserContext, Page, Playwright, async_playwright


@pytest.fixture(scope="session")
async def playwright() -> AsyncIterator[Playwright]:
    async with async_playwright() as playwright:
        yield playwright


@pytest.fixture(scope="session")
async def browser(playwright: Playwright) -> Browser:
    return await playwright.chromium.launch()


@pytest.fixture
async def context(browser: Browser) -> AsyncIterator[BrowserContext]:
    context = await browser.new_context()
    yield context
    await context.close()


@pytest.fixture
async def page(context: BrowserContext) -> Page:
    return await context.new_page()
