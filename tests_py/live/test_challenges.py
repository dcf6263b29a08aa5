"""From a wall to the tool's answer: a person on the live view of a server without windows, over HTTP."""

import asyncio
import json
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client, ClientSession
from mcp.client import ClientRequestContext
from mcp.client.streamable_http import streamable_http_client
from mcp.types import ElicitRequestParams, ElicitRequestURLParams, ElicitResult

from patchright_mcp.async_api import Browser, Page, WebSocket
from tests_py.live.conftest import Invitation, come_in, invited
from tests_py.live.login_site import PASSWORD, LoginSite
from tests_py.support.http import KEY, HttpServer
from tests_py.support.site import Site

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpServer]:
    with HttpServer(tmp_path_factory.mktemp("live"), "--lang", "en") as server:
        yield server


@pytest.fixture
def login_site() -> Iterator[LoginSite]:
    with LoginSite() as login_site:
        yield login_site


class Somebody:
    """Who comes to the link, and does what the page asks."""

    def __init__(self, viewer: Page, *, logs_in: bool, key: str = "") -> None:
        self.viewer = viewer
        self.logs_in = logs_in
        # What lets them in where a server has several keys.
        self.key = key
        self.asked: list[ElicitRequestParams] = []
        self.is_here = asyncio.Event()
        self.may_begin = asyncio.Event()
        self.may_begin.set()

    async def __call__(self, context: ClientRequestContext, params: ElicitRequestParams) -> ElicitResult:  # noqa: ARG002
        self.asked.append(params)
        if self.key:
            assert isinstance(params, ElicitRequestURLParams)
            invitation = Invitation(params.url, self.key, None)
        else:
            invitation = invited({"params": {"message": params.message}})
        await come_in(self.viewer, invitation)
        await self.viewer.wait_for_function("() => document.querySelector('#picture').width > 300")
        self.is_here.set()
        await self.may_begin.wait()
        if self.logs_in:
            await self._click(40, 35)
            await self.viewer.keyboard.type("ada")
            await self._click(40, 85)
            await self.viewer.keyboard.type(PASSWORD)
            await self.viewer.keyboard.press("Enter")
        else:
            await self._click(35, 35)
        await self.viewer.locator("#end h1").wait_for()
        return ElicitResult(action="accept", content={})

    async def _click(self, x: float, y: float) -> None:
        """Clicks at a place of the page, whose window is 1280 wide."""
        box = await self.viewer.locator("#picture").bounding_box()
        assert box
        scale = box["width"] / 1280
        await self.viewer.mouse.click(box["x"] + x * scale, box["y"] + y * scale)


@pytest.mark.parametrize("path", ["/report", "/checked"])
@pytest.mark.parametrize("revision", ["2025-11-25", "2026-07-28"])
async def test_a_person_solves_the_challenge_and_the_tool_answers_with_what_is_behind(
    server: HttpServer, viewer: Page, login_site: LoginSite, path: str, revision: str
) -> None:
    person = Somebody(viewer, logs_in=path == "/report")
    headers = {"Authorization": f"Bearer {KEY}"}
    async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
        streams = streamable_http_client(server.url, http_client=http)
        answer = await fetch(streams, revision, person, login_site.origin + path)
    assert "All is well." in answer
    assert PASSWORD not in answer + "".join(server.log)
    assert isinstance(person.asked[0], ElicitRequestURLParams)
    assert len(person.asked) == 1


async def test_two_keys_two_people_and_two_challenges_at_once(
    tmp_path: Path, persons_browser: Browser, login_site: LoginSite
) -> None:
    async with AsyncExitStack() as until_the_end:
        keys = ("--api-key", "first-0123456789,second-0123456789", "--lang", "en")
        server = until_the_end.enter_context(HttpServer(tmp_path, *keys))

        async def comes(key: str, *, logs_in: bool) -> Somebody:
            context = await persons_browser.new_context(viewport={"width": 1400, "height": 1000})
            until_the_end.push_async_callback(context.close)
            somebody = Somebody(await context.new_page(), logs_in=logs_in, key=key)
            somebody.may_begin.clear()
            return somebody

        async def call(person: Somebody, path: str) -> str:
            headers = {"Authorization": f"Bearer {person.key}"}
            async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
                streams = streamable_http_client(server.url, http_client=http)
                return await fetch(streams, "2025-11-25", person, login_site.origin + path)

        first, second = (
            await comes("first-0123456789", logs_in=True),
            await comes("second-0123456789", logs_in=False),
        )
        tasks = [(first, "/report"), (second, "/checked")]
        calls = [asyncio.create_task(call(person, path)) for person, path in tasks]
        for person, own, other in ((first, "/login", "/checked"), (second, "/checked", "/login")):
            await person.is_here.wait()
            shown = str(await person.viewer.locator("#url").text_content())
            assert own in shown
            assert other not in shown
        # What one does opens the wall of that one alone.
        first.may_begin.set()
        assert "All is well." in await calls[0]
        assert not calls[1].done()
        assert "/checked" in str(await second.viewer.locator("#url").text_content())
        assert await second.viewer.locator("#stage.held").count() == 1
        second.may_begin.set()
        assert "All is well." in await calls[1]
    assert PASSWORD not in "".join(server.log)


async def fetch(streams: Any, revision: str, person: Somebody, url: str) -> str:  # noqa: ANN401
    """What the official client gets in this revision."""
    arguments = {"url": url}
    if revision == "2026-07-28":
        async with Client(streams, elicitation_callback=person) as client:
            assert client.protocol_version == revision
            return str(await client.call_tool("patchright_fetch", arguments))
    else:
        async with (
            streams as ends,
            ClientSession(ends[0], ends[1], elicitation_callback=person) as session,
        ):
            assert (await session.initialize()).protocol_version == revision
            return str(await session.call_tool("patchright_fetch", arguments))


async def test_an_answer_tells_of_the_link_where_nobody_can_be_asked(
    server: HttpServer, viewer: Page, login_site: LoginSite
) -> None:
    client = server.begin()
    answer = client.call("patchright_fetch", url=login_site.origin + "/report")
    assert answer["structuredContent"]["status"] == "wall"
    person = answer["structuredContent"]["person"]
    assert person["url"] in answer["content"][0]["text"]
    assert person["code"] in answer["content"][0]["text"]
    somebody = Somebody(viewer, logs_in=True)
    await come_in(viewer, Invitation(person["url"], person["code"], None))
    await viewer.wait_for_function("() => document.querySelector('#picture').width > 300")
    await somebody._click(40, 85)
    await viewer.keyboard.type(PASSWORD)
    await viewer.keyboard.press("Enter")
    await viewer.wait_for_function(
        "url => document.querySelector('#url').textContent === url", arg=login_site.origin + "/report"
    )
    await viewer.locator("#done").click()
    await viewer.locator("#end h1").wait_for()
    assert "All is well." in client.text("patchright_fetch", url=login_site.origin + "/report")


def tells_of_login(data: str | bytes) -> bool:
    """Whether the server says how the page stands, and not that it still asks for the first time."""
    return isinstance(data, str) and json.loads(data).get("login", 1) != 1


async def test_a_site_that_asks_by_http_is_answered_in_the_view(
    server: HttpServer, viewer: Page, site: Site
) -> None:
    client = server.begin()
    answer = client.call("browser_navigate", url=site.url("/members/ada"))
    person = answer["structuredContent"]["person"]
    sockets: list[WebSocket] = []
    viewer.on("websocket", sockets.append)
    await come_in(viewer, Invitation(person["url"], person["code"], None))
    await viewer.locator("#login[open]").wait_for()
    await viewer.locator("#user").fill("ada")
    await viewer.locator("#password").fill("secret")
    async with sockets[-1].expect_event("framereceived", tells_of_login) as next_standing:
        await viewer.locator("#login button").click()
    assert json.loads(await next_standing.value)["login"] is None
    await viewer.locator("#login").wait_for(state="hidden")
    await viewer.locator("#done").click()
    await viewer.locator("#end h1").wait_for()
    assert "Hello ada" in client.text("browser_snapshot")
