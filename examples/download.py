"""Saves the file behind a link: `python download.py https://… 'Name of the link' folder`."""

import sys
from pathlib import Path

from patchright_mcp.sync_api import sync_playwright

address, link, folder = sys.argv[1], sys.argv[2], Path(sys.argv[3])

with sync_playwright() as playwright:
    browser = playwright.chromium.launch()
    page = browser.new_page()
    page.goto(address)
    with page.expect_download() as begun:
        page.get_by_role("link", name=link).click()
    target = folder / begun.value.suggested_filename
    begun.value.save_as(target)
    print(f"{target}: {target.stat().st_size} bytes")
    browser.close()
