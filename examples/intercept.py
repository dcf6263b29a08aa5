"""Leaves pictures out, and answers a request of the page oneself: `python intercept.py https://…`."""

import sys

from patchright_mcp.sync_api import Route, sync_playwright


def without_pictures(route: Route) -> None:
    """Lets everything pass but pictures."""
    if route.request.resource_type == "image":
        route.abort()
    else:
        route.fallback()


with sync_playwright() as playwright:
    browser = playwright.chromium.launch()
    page = browser.new_page()
    page.route("**/*", without_pictures)
    page.route("**/api/weather", lambda route: route.fulfill(json={"sky": "clear"}))
    page.goto(sys.argv[1])
    page.get_by_text("clear").wait_for()
    print(page.locator("body").inner_text())
    browser.close()
