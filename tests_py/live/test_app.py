"""The page beside the conversation: an MCP App in a host that shows such."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from patchright_mcp.async_api import Page
from tests_py.live.conftest import come_in, invited, question_of
from tests_py.support.site import Site
from tests_py.support.wire import Wire

pytestmark = pytest.mark.long

UI = "io.modelcontextprotocol/ui"
MIME_TYPE = "text/html;profile=mcp-app"
HOST = {"extensions": {UI: {"mimeTypes": [MIME_TYPE]}}}
COLOURS = {"red": 0, "green": 1, "blue": 2}
PAINTED = "<title>Painted</title><style>html{background:%s;height:100%%}</style>"
FRAME = """<!doctype html><title>A host</title>
<iframe id=app sandbox="allow-scripts" width=800 height=600></iframe>
<script>
  const frame = document.querySelector('iframe');
  const answer = (more) => frame.contentWindow.postMessage(more, '*');
  addEventListener('message', async ({ source, data }) => {
    if (source !== frame.contentWindow || data.id === undefined || !data.method) return;
    const reply = { jsonrpc: '2.0', id: data.id };
    if (data.method === 'ui/initialize')
      answer({ ...reply, result: { protocolVersion: '2026-01-26', hostInfo: { name: 'a host', version: '1' },
        hostCapabilities: { serverTools: {}, openLinks: {} }, hostContext: {} } });
    else answer({ ...reply, result: await passOn(data.method, data.params) });
  });
</script>"""
STRICT = (
    '<meta http-equiv=Content-Security-Policy content="'
    "default-src 'none'; connect-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "img-src 'none'; font-src 'none'; media-src 'none'; frame-src 'none'; worker-src 'none'"
    '">'
)
"""What MCP Inspector 2.12 allows an app that names no address."""
SHOWS = """async ([part]) => {
  const picture = document.querySelector('#picture');
  if (picture.hidden) return false;
  const canvas = new OffscreenCanvas(1, 1).getContext('2d');
  canvas.drawImage(picture, 0, 0, 1, 1);
  const colours = [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
  return colours[part] > 100 && colours.every((one, at) => at === part || one < 100);
}"""


def shown(wire: Wire, **arguments: object) -> dict[str, Any]:
    """What the app is answered that asks for a picture."""
    result = wire.call("browser_live_frame", **arguments)["result"]
    assert isinstance(result, dict)
    return result


@pytest.fixture
def host(new_wire: Callable[..., Wire], site: Site) -> Wire:
    """A server whose client shows apps, with a page."""
    wire = new_wire("--headless", "--input", "instant")
    wire.shake_hands(elicitation={"form": {}, "url": {}}, **HOST)
    wire.call("browser_navigate", url=site.publish("/red", PAINTED % "red"))
    return wire


def test_only_hosts_that_show_apps_are_given_one(new_wire: Callable[..., Wire], site: Site) -> None:
    wire = new_wire("--headless")
    answer = wire.shake_hands(elicitation={"form": {}})["result"]
    assert set(answer["capabilities"]) == {"resources", "tools"}
    tools = {tool["name"]: tool for tool in wire.ask("tools/list")["result"]["tools"]}
    assert "browser_live_frame" not in tools
    assert "_meta" not in tools["browser_ask_person"]
    assert wire.ask("resources/list")["result"]["resources"] == []
    wire.call("browser_navigate", url=site.page("form"))
    assert wire.call("browser_live_frame")["error"]["code"] == -32601


def test_the_app_is_listed_and_read(host: Wire) -> None:
    tools = {tool["name"]: tool for tool in host.ask("tools/list")["result"]["tools"]}
    uri = tools["browser_ask_person"]["_meta"]["ui"]["resourceUri"]
    frame = tools["browser_live_frame"]
    assert frame["_meta"]["ui"] == {"visibility": ["app"]}, "it is for no model"
    assert frame["annotations"]["readOnlyHint"] is True
    (listed,) = host.ask("resources/list")["result"]["resources"]
    assert host.ask("resources/templates/list")["result"]["resourceTemplates"] == []
    assert (listed["uri"], listed["mimeType"]) == (uri, MIME_TYPE)
    (read,) = host.ask("resources/read", {"uri": uri})["result"]["contents"]
    assert read["mimeType"] == MIME_TYPE
    assert read["_meta"]["ui"]["csp"] == {}
    assert "error" in host.ask("resources/read", {"uri": "ui://patchright-mcp/other"})


def test_secrets_and_no_live_view_mean_no_app(new_wire: Callable[..., Wire]) -> None:
    for arguments in (
        ("--live", "off"),
        ("--secrets", '!echo \'{"a": {"value": "bcdefg", "origins": ["https://c.d"]}}\''),
    ):
        wire = new_wire("--headless", *arguments)
        answer = wire.shake_hands(**HOST)["result"]
        assert set(answer["capabilities"]) == {"resources", "tools"}
        assert "browser_live_frame" not in str(wire.ask("tools/list"))


def test_a_still_page_sends_no_second_picture(host: Wire, site: Site) -> None:
    first = shown(host)
    assert first["content"][0]["type"] == "image"
    number = first["structuredContent"]["frame"]
    while (again := shown(host, since=number))["content"][0]["type"] == "image":
        number = again["structuredContent"]["frame"]
    assert again["structuredContent"]["frame"] == number
    assert again["structuredContent"]["url"].endswith("/red")
    host.call("browser_navigate", url=site.publish("/blue", PAINTED % "blue"))
    while (moved := shown(host, since=number))["content"][0]["type"] != "image":
        pass
    assert moved["structuredContent"]["url"].endswith("/blue")


async def test_a_host_shows_the_page_as_it_moves(host: Wire, viewer: Page, site: Site) -> None:
    uri = host.ask("resources/list")["result"]["resources"][0]["uri"]
    app = host.ask("resources/read", {"uri": uri})["result"]["contents"][0]["text"]
    passed_on: list[str] = []
    moves: list[str] = []

    async def pass_on(method: str, params: dict[str, Any]) -> dict[str, Any]:
        passed_on.append(method)
        if method != "tools/call":
            return {}
        if moves:
            await asyncio.to_thread(host.call, "browser_navigate", url=moves.pop())
        # As a host does: for the app, and for the model, over one connection.
        return dict(
            await asyncio.to_thread(lambda: host.call(params["name"], **params["arguments"])["result"])
        )

    await viewer.expose_function("passOn", pass_on)
    await viewer.goto(site.publish("/host", FRAME))
    await viewer.evaluate("(text) => { document.querySelector('iframe').srcdoc = text; }", STRICT + app)
    frame = viewer.frame_locator("#app")
    await frame.locator("#url").filter(has_text="/red").wait_for()
    inside = next(one for one in viewer.frames if one.parent_frame)
    await inside.wait_for_function(SHOWS, arg=[COLOURS["red"]])
    moves.append(site.publish("/blue", PAINTED % "blue"))
    await inside.wait_for_function(SHOWS, arg=[COLOURS["blue"]])
    assert set(passed_on) == {"tools/call"}
    assert await frame.locator("#open").is_hidden()


async def test_while_a_person_works_the_app_shows_nothing(host: Wire, viewer: Page) -> None:
    before = shown(host)["structuredContent"]
    assert before["live"] is None
    call = host.start_call("browser_ask_person", reason="Please look")
    reported = invited(question_of(host))
    assert shown(host)["structuredContent"]["live"] == reported.link, "the app can lead there"
    await come_in(viewer, reported)
    await viewer.wait_for_function("() => document.querySelector('#picture').width > 300")
    held = shown(host)
    assert held["structuredContent"] == {"status": "person"}
    assert [part["type"] for part in held["content"]] == ["text"]
    # The person's own picture goes on.
    await viewer.locator("#done").click()
    assert not host.answer_to(call)["result"].get("isError", False)
    assert shown(host)["content"][0]["type"] == "image"
