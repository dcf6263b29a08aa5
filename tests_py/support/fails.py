"""A test that fails, so that another one sees what is kept of it. It is run by name only."""

from patchright_mcp.sync_api import sync_playwright


def test_that_fails() -> None:
    with sync_playwright() as playwright, playwright.chromium.launch() as browser:
        browser.new_page().set_content("<title>what the page says</title>")
        raise AssertionError("on purpose")
