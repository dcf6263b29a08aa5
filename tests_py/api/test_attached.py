"""A browser that runs already, and in which somebody else works."""

import asyncio
import json
import struct
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlsplit

import pytest

from patchright_mcp.async_api import Browser, Error, Playwright
from tests_py.support.site import Site, document

pytestmark = pytest.mark.long


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


async def test_a_browser_is_shared_and_goes_on_when_a_client_leaves(
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
    # What others have open is none of its business, before and after it works itself.
    assert here.contexts == []
    page = await here.new_page()
    assert here.contexts == [page.context]
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


class AttachedClient:
    """Somebody who speaks to a browser that is bound, and reads only when asked to."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self._writer = reader, writer

    @classmethod
    async def come(cls, endpoint: str) -> "AttachedClient":
        """Comes in by the door."""
        door = urlsplit(endpoint)
        reader, writer = await asyncio.open_connection(door.hostname, door.port)
        writer.write(
            f"GET {door.path} HTTP/1.1\r\nHost: {door.netloc}\r\n"
            "Connection: Upgrade\r\nUpgrade: websocket\r\n"
            "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n".encode()
        )
        await reader.readuntil(b"\r\n\r\n")
        return cls(reader, writer)

    def ask(self, number: int, method: str, session: str = "", **parameters: object) -> None:
        """Sends a command."""
        asked = {"id": number, "method": method, "params": parameters}
        data = json.dumps(asked | ({"sessionId": session} if session else {})).encode()
        # Masked with zeros, which change nothing.
        self._writer.write(struct.pack("!BBH", 0x81, 0x80 | 126, len(data)) + bytes(4) + data)

    async def answer(self, number: int) -> dict[str, Any]:
        """Reads up to the answer to a command."""
        while True:
            length = (await self.reader.readexactly(2))[1] & 127
            if length >= 126:
                length = int.from_bytes(await self.reader.readexactly(2 if length == 126 else 8), "big")
            result = json.loads(await self.reader.readexactly(length))
            if result.get("id") == number:
                return cast("dict[str, Any]", result["result"])

    async def attach(self, target: str) -> str:
        """A session with a page."""
        self.ask(1, "Target.attachToTarget", targetId=target, flatten=True)
        return cast("str", (await self.answer(1))["sessionId"])

    def go(self) -> None:
        """Leaves."""
        self._writer.close()


async def test_a_client_that_does_not_read_is_closed(playwright: Playwright) -> None:
    there = await playwright.chromium.launch()
    endpoint = (await there.bind("shared"))["endpoint"]
    lazy, other = await AttachedClient.come(endpoint), await AttachedClient.come(endpoint)
    lazy.ask(0, "Target.createTarget", url="about:blank")
    target = (await lazy.answer(0))["targetId"]
    session, others = await lazy.attach(target), await other.attach(target)
    tells = "globalThis.told = (globalThis.told ?? 0) + 1; 'x'.repeat(10e6)"
    for number in range(2, 14):
        lazy.ask(number, "Runtime.evaluate", session, expression=tells, returnByValue=True)
    # Nothing is read until all has been answered.
    for number in count(2):
        other.ask(number, "Runtime.evaluate", others, expression="globalThis.told", returnByValue=True)
        if (await other.answer(number))["result"].get("value") == 12:
            break
    read = 0
    with suppress(ConnectionError):
        while data := await lazy.reader.read(1 << 20):
            read += len(data)
    assert read < 120e6
    assert there.is_connected()
    lazy.go()
    other.go()
    await there.close()


async def test_retries_are_fair_after_a_browser_has_gone(
    playwright: Playwright,
) -> None:
    browser = await playwright.chromium.launch()
    closed = asyncio.ensure_future(browser.close())
    turns = 0

    async def tidies_up() -> None:
        nonlocal turns
        for _ in range(50):
            await asyncio.sleep(0)
        turns = 50

    gone = asyncio.Event()
    browser.on("disconnected", tidies_up)
    browser.on("disconnected", lambda _: gone.set())
    await gone.wait()
    with pytest.raises(Error, match="has been closed"):
        await browser.new_context()
    assert turns == 50
    await closed
