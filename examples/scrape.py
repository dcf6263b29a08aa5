"""Reads many pages of one site, ten at a time: `python scrape.py 'https://…?page={}' 100`."""

import asyncio
import sys

from patchright_mcp.async_api import BrowserContext, async_playwright

AT_ONCE = asyncio.Semaphore(10)


async def heading(context: BrowserContext, address: str) -> str:
    """The first heading of a page."""
    async with AT_ONCE:
        page = await context.new_page()
        try:
            await page.goto(address, wait_until="domcontentloaded")
            return await page.locator("h1").first.inner_text()
        finally:
            await page.close()


async def main(pattern: str, count: int) -> None:
    """Prints the headings in the order of the pages."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch()
        context = await browser.new_context()
        addresses = [pattern.format(number) for number in range(count)]
        for text in await asyncio.gather(*(heading(context, address) for address in addresses)):
            print(text)
        await browser.close()


asyncio.run(main(sys.argv[1], int(sys.argv[2])))
