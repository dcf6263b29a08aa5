"""A browser that runs already, and in which somebody else works."""

import asyncio
from pathlib import Path

import pytest

from patchright_mcp.async_api import Browser, Error, Playwright
from tests_py.support.site import Site, document


async def test_contexts_of_others_are_contexts_of_their_own(
    playwright: Playwright, site: Site, tmp_path: Path
) -> None:
    profile = await playwright.chromium.launch_persistent_context(
        tmp_path, args=["--remote-debugging-port=0"]
    )
    assert profile.browser is not None
    port = (tmp_path / "DevToolsActivePort").read_text().split()[0]
    theirs = await profile.browser.new_context()
    page = await theirs.new_page()
    await page.goto(site.page("form"))
    await theirs.add_cookies([{"name": "who", "value": "they", "url": site.origin}])

    ours = await playwright.chromium.connect_over_cdp(f"http://127.0.0.1:{port}")
    own, seen = ours.contexts
    assert site.page("form") not in [page.url for page in own.pages]
    assert [page.url for page in seen.pages] == [site.page("form")]
    assert [cookie["name"] for cookie in await seen.cookies()] == ["who"]
    assert await own.cookies() == []
    async with seen.expect_page() as opened:
        await theirs.new_page()
    assert (await opened.value).context is seen

    await ours.close()
    assert not page.is_closed()
    assert await page.title() == "A form"
    await profile.close()


async def test_a_browser_is_shared_and_goes_on_when_a_guest_leaves(
    playwright: Playwright, site: Site
) -> None:
    there = await playwright.chromium.launch()
    own = await there.new_page()
    await own.goto(site.page("form"))
    endpoint = (await there.bind("shared"))["endpoint"]
    assert endpoint.startswith("ws://127.0.0.1:")
    with pytest.raises(Error, match="is bound already"):
        await there.bind("again")
    with pytest.raises(Error, match="tunnel its port"):
        await there.bind("shared", host="0.0.0.0")  # noqa: S104
    here = await playwright.chromium.connect(ws_endpoint=endpoint)
    page = await here.new_page()
    await page.goto(site.page("form"))
    assert await page.title() == "A form"
    await here.close()
    assert there.is_connected()
    assert len(there.contexts) == 1
    assert await own.title() == "A form"
    await there.close()


async def test_who_does_not_know_the_whole_address_is_not_let_in_and_all_go_when_it_is_unbound(
    playwright: Playwright, site: Site
) -> None:
    there = await playwright.chromium.launch()
    endpoint = (await there.bind("shared"))["endpoint"]
    with pytest.raises(Error, match=r"BrowserType.connect: "):
        await playwright.chromium.connect(endpoint.rpartition("/")[0] + "/else")
    with pytest.raises(Error, match=r"BrowserType.connect: "):
        # So does a page that asks.
        await playwright.chromium.connect(endpoint, headers={"Origin": site.origin})
    here = await playwright.chromium.connect(endpoint)
    gone = asyncio.get_running_loop().create_future()
    here.on("disconnected", gone.set_result)
    await there.unbind()
    assert await gone is here
    with pytest.raises(Error, match=r"BrowserType.connect: "):
        await playwright.chromium.connect(endpoint)
    assert (await there.bind("again"))["endpoint"] != endpoint
    await there.close()


async def test_what_cannot_be_shared_or_reached_is_said(playwright: Playwright, browser: Browser) -> None:
    taken = await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0)
    with pytest.raises(Error, match="port: "):
        await browser.bind("shared", port=taken.sockets[0].getsockname()[1])
    taken.close()
    server = await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    with pytest.raises(Error, match=r"BrowserType.connect: "):
        await playwright.chromium.connect(f"ws://127.0.0.1:{port}/")
    server.close()
    with pytest.raises(Error, match="use a proxy on this machine"):
        await playwright.chromium.connect(f"ws://127.0.0.1:{port}/", expose_network="*")


OFFER = """<script>document.modelContext.registerTool({
    name: "book", description: "Books a room",
    inputSchema: { type: "object", properties: { nights: { type: "number" } } },
    execute: async ({ nights }) => ({ content: [{ type: "text", text: `${nights} nights` }] }),
});</script>"""


async def test_what_a_page_offers_to_agents_is_called(playwright: Playwright, site: Site) -> None:
    browser = await playwright.chromium.launch(args=["--enable-features=WebMCPTesting"])
    page = await browser.new_page()
    await page.goto(
        site.publish("/offers", document("Rooms", OFFER + "<iframe src=/pages/form.html></iframe>"))
    )
    (tool,) = await page.webmcp.tools()
    assert (tool["name"], tool["description"]) == ("book", "Books a room")
    assert await page.webmcp.call_tool("book", {"nights": 2}) == {
        "content": [{"type": "text", "text": "2 nights"}]
    }
    with pytest.raises(Error, match="the page offers no tool"):
        await page.webmcp.call_tool("sell")
    assert await page.frames[1].webmcp.tools() == []
    await browser.close()
