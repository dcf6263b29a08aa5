"""Fills a form and reads what comes of it: `python fill_form.py https://…`."""

import sys

from patchright_mcp.sync_api import expect, sync_playwright

with sync_playwright() as playwright:
    browser = playwright.chromium.launch()
    page = browser.new_page()
    page.goto(sys.argv[1])
    page.get_by_label("Name").fill("Ada Lovelace")
    page.get_by_label("Email").fill("ada@example.com")
    page.get_by_label("Send me news").check()
    page.get_by_label("Country").select_option("Chile")
    page.get_by_role("button", name="Register").click()
    expect(page.locator("output")).to_contain_text("Registered")
    print(page.locator("output").inner_text())
    browser.close()
