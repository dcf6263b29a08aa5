"""The browser tools of langchain-community and llama-index, as their documentation uses them.

Neither has tests that use a browser without the network.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator  # noqa: TC003  (pytest reads the types of fixtures.)
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from langchain_community.agent_toolkits import PlayWrightBrowserToolkit
from langchain_community.document_loaders import AsyncChromiumLoader
from langchain_community.tools.playwright import ClickTool
from llama_index.tools.playwright import PlaywrightToolSpec
from playwright.async_api import async_playwright
from playwright.sync_api import sync_playwright

PAGE = """<title>Shop</title><h1>Lamps</h1><a href="/other">Other</a><p class=price>12</p>
<button onclick="document.title = 'Bought'">Buy</button><input id=name>"""


class Shop(BaseHTTPRequestHandler):
    """A page with a link to another one."""

    def do_GET(self) -> None:
        """Answers."""
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.end_headers()
        self.wfile.write(PAGE.encode() if self.path == "/" else b"<title>Other</title><h1>Other things</h1>")

    def log_message(self, *_: object) -> None:
        """Says nothing."""


@pytest.fixture(scope="module")
def shop() -> Iterator[str]:
    """Where it is."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Shop)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


def test_langchain_tools(shop: str) -> None:
    """All of its tools."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch()
        toolkit = PlayWrightBrowserToolkit.from_browser(sync_browser=browser)
        tools = {tool.name: tool for tool in toolkit.get_tools()}
        assert "status code 200" in tools["navigate_browser"].run({"url": f"{shop}/"})
        assert tools["current_webpage"].run({}) == f"{shop}/"
        assert "Lamps" in tools["extract_text"].run({})
        assert json.loads(tools["extract_hyperlinks"].run({})) == ["/other"]
        assert "12" in tools["get_elements"].run({"selector": ".price", "attributes": ["innerText"]})
        click = ClickTool(sync_browser=browser, visible_only=False, playwright_timeout=5_000)
        assert "Clicked" in click.run({"selector": "button"})
        tools["navigate_browser"].run({"url": f"{shop}/other"})
        assert f"'{shop}/'" in tools["previous_webpage"].run({})
        browser.close()


async def use_langchain(shop: str) -> None:
    """The same, without blocking."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch()
        toolkit = PlayWrightBrowserToolkit.from_browser(async_browser=browser)
        tools = {tool.name: tool for tool in toolkit.get_tools()}
        assert "status code 200" in await tools["navigate_browser"].arun({"url": f"{shop}/"})
        assert await tools["current_webpage"].arun({}) == f"{shop}/"
        assert "Lamps" in await tools["extract_text"].arun({})
        assert json.loads(await tools["extract_hyperlinks"].arun({})) == ["/other"]
        assert "12" in await tools["get_elements"].arun({"selector": ".price", "attributes": ["innerText"]})
        click = ClickTool(async_browser=browser, visible_only=False, playwright_timeout=5_000)
        assert "Clicked" in await click.arun({"selector": "button"})
        await tools["navigate_browser"].arun({"url": f"{shop}/other"})
        assert f"'{shop}/'" in await tools["previous_webpage"].arun({})
        await browser.close()


def test_langchain_tools_without_blocking(shop: str) -> None:
    """Each pair of a tool and its face."""
    asyncio.run(use_langchain(shop))


def test_langchain_chromium_loader(shop: str) -> None:
    """A loader that starts a browser by itself."""
    [document] = AsyncChromiumLoader([f"{shop}/"], user_agent="tests").load()
    assert "<h1>Lamps</h1>" in document.page_content


async def use_llama_index(shop: str) -> None:
    """All of its tools."""
    browser = await PlaywrightToolSpec.create_async_playwright_browser(headless=True)
    tools = PlaywrightToolSpec.from_async_browser(browser)
    assert "200" in str(await tools.navigate_to(f"{shop}/"))
    assert f"{shop}/" in await tools.get_current_page()
    assert "Lamps" in await tools.extract_text()
    assert "/other" in await tools.extract_hyperlinks()
    assert "12" in await tools.get_elements(".price", ["innerText"])
    await tools.fill("#name", "Ada")
    assert "Clicked" in await tools.click("button")
    await tools.navigate_to(f"{shop}/other")
    assert f"{shop}/" in await tools.navigate_back()
    await browser.close()


def test_llama_index_tools(shop: str) -> None:
    """Which have one face only."""
    asyncio.run(use_llama_index(shop))
