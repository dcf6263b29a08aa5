"""Reads many pages of one site, ten at a time: `python scrape.py 'https://…?page={}' 100`."""

import asyncio
import sys

from patchright_mcp.async_api import Page, async_playwright
from patchright_mcp.pool import PagePool


async def heading(page: Page, address: str) -> str:
    """The first heading of a page."""
    await page.goto(address, wait_until="domcontentloaded")
    return await page.locator("h1").first.inner_text()


async def main(pattern: str, count: int) -> None:
    """Prints the headings in the order of the pages."""
    addresses = [pattern.format(number) for number in range(count)]
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch()
        async with PagePool(browser, size=10) as pool:
            for text in await pool.map(heading, addresses):
                print(text)
        await browser.close()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2])))
