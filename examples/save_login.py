"""Logs in once and keeps the session: `python save_login.py https://… state.json`, then again."""

import sys
from pathlib import Path

from patchright_mcp.sync_api import sync_playwright

address, state = sys.argv[1], Path(sys.argv[2])

with sync_playwright() as playwright:
    browser = playwright.chromium.launch()
    context = browser.new_context(storage_state=state if state.exists() else None)
    page = context.new_page()
    page.goto(address)
    if page.get_by_label("Password").is_visible():
        page.get_by_label("Name").fill("ada")
        page.get_by_label("Password").fill("correct horse")
        page.get_by_role("button", name="Log in").click()
        print("logged in")
    page.get_by_text("Welcome").wait_for()
    print(page.get_by_text("Welcome").inner_text())
    context.storage_state(path=state)
    browser.close()
