"""Opens a window and waits for a person: `python hand_over.py https://… 'Text that is there afterwards'`."""

import sys

from patchright_mcp.sync_api import sync_playwright

MINUTE_MS = 60_000

with sync_playwright() as playwright:
    browser = playwright.chromium.launch(headless=False)
    page = browser.new_page(no_viewport=True)
    page.goto(sys.argv[1])
    page.bring_to_front()
    print("Please log in; this goes on by itself.", flush=True)
    page.get_by_text(sys.argv[2]).wait_for(timeout=10 * MINUTE_MS)
    print(f"Thank you. The page is {page.title()!r} now.")
    browser.close()
