"""What an action shows only after a delay that can be known, and what a page waits for that never comes."""

from __future__ import annotations

import json
import re
import socket
import time
from collections.abc import Iterator

import pytest

from tests_py.support.client import Server
from tests_py.support.site import Site

pytestmark = pytest.mark.long

STYLE = """<style>
  .seen { visibility: hidden; transition: visibility 0s .5s }
  .on.seen { visibility: visible }
  .high { height: 0; overflow: hidden; transition: height .6s .2s }
  .on.high { height: 120px }
  .timed { display: none }
  .on.timed { display: block; animation: come .3s .5s both }
  @keyframes come { from { visibility: hidden } to { visibility: visible } }
</style>"""


@pytest.mark.parametrize("kind", ["seen", "high", "timed"])
async def test_what_a_style_shows_after_a_delay_is_in_the_answer(
    server: Server, site: Site, kind: str
) -> None:
    page = f"""{STYLE}<button onclick="box.classList.add('on')">Open</button>
<div id=box class={kind}><p>First</p><button>Inside</button></div>"""
    await server.open(site.publish(f"/late-{kind}", page))
    reply = await server.click("text=Open")
    assert 'button "Inside"' in reply.text, reply.text


@pytest.mark.parametrize("delay", [400, 2500])
@pytest.mark.parametrize(
    "sign", ["<p>Loading…</p>", "<div class='card-skeleton'></div>", "<p aria-busy=true>One moment</p>"]
)
async def test_what_a_timer_draws_in_place_of_a_sign_of_loading_is_in_the_answer(
    server: Server, site: Site, sign: str, delay: int
) -> None:
    page = f"""<button>Show</button><main></main><script>
document.querySelector("button").onclick = () => {{
  document.querySelector("main").innerHTML = `{sign}`;
  setTimeout(() => (document.querySelector("main").innerHTML = "<h1>Orders</h1>"), {delay});
}};
</script>"""
    await server.open(site.publish("/late-timer", page))
    reply = await server.click("text=Show")
    assert 'heading "Orders"' in reply.text, reply.text


async def test_a_hidden_sign_of_loading_does_not_count(server: Server, site: Site) -> None:
    page = """<button>Show</button><main></main><script>
document.querySelector("button").onclick = () => {
  const hidden = "<span class=skeleton style='visibility: hidden'>...</span>";
  document.querySelector("main").innerHTML = `<section><h1>Orders</h1>${hidden}</section>`;
};
</script>"""
    await server.open(site.publish("/late-hidden", page))
    reply = await server.click("text=Show")
    assert "still loading" not in reply.text


@pytest.mark.parametrize("delay", [100, 500])
async def test_what_a_timer_of_a_click_does_is_in_the_answer(server: Server, site: Site, delay: int) -> None:
    page = f"""<button onclick="setTimeout(() => {{ out.textContent = 'Done' }}, {delay})">Save</button>
<p id=out></p>"""
    await server.open(site.publish("/late-alone", page))
    reply = await server.click("text=Save")
    assert "Done" in reply.text, reply.text


async def test_a_timer_of_a_click_is_awaited_however_late_the_page_is(server: Server, site: Site) -> None:
    page = """<button>Save</button><p id=out></p><script>
const work = (ms) => { for (const begun = performance.now(); performance.now() - begun < ms; ); };
document.querySelector("button").onclick = () => {
  setTimeout(() => { out.textContent = "Done"; }, 500);
  for (let at = 40; at < 500; at += 20) setTimeout(work, at, 80);
};
</script>"""
    await server.open(site.publish("/late-busy", page))
    reply = await server.click("text=Save")
    assert "Done" in reply.text, reply.text


WAITS = {
    "image": "<img src=/hold/never alt=x width=9>",
    "script": "<script async src=/hold/never></script>",
    "frame": "<iframe src=/hold/never></iframe>",
    "video": "<video src=/hold/never autoplay muted></video>",
    "font": "<style>@font-face{font-family:q;src:url(/hold/never)}h1{font-family:q}</style>",
}


@pytest.fixture
def holding(site: Site) -> Iterator[Site]:
    """A site that never answers at `/hold`."""
    site.hold()
    yield site
    site.release()


@pytest.mark.parametrize("kind", WAITS)
async def test_what_never_comes_does_not_hold_a_page_and_is_named(
    server: Server, holding: Site, kind: str
) -> None:
    address = holding.publish(f"/waits-{kind}", f"<h1>Ready</h1>{WAITS[kind]}<p>End</p>")
    began = time.monotonic()
    reply = await server.call("browser_navigate", url=address)
    took = time.monotonic() - began
    assert not reply.is_error, reply.text
    assert 'heading "Ready"' in reply.text, reply.text
    assert took < 4, took
    if kind != "font":
        assert re.search(r"No answer yet: .*/hold/never", reply.text), reply.text


@pytest.mark.parametrize(
    "blocks", ["<script src=/hold/never></script>", "<link rel=stylesheet href=/hold/never>"]
)
async def test_a_page_that_something_blocks_for_good_is_shown_as_far_as_it_came(
    server: Server, holding: Site, blocks: str
) -> None:
    address = holding.publish("/blocked", f"<h1>Ready</h1><button>Go</button>{blocks}<p>End</p>")
    reply = await server.call("browser_navigate", url=address, timeout=2000)
    assert not reply.is_error, reply.text
    assert 'button "Go"' in reply.text, reply.text
    assert re.search(r"still loading\. No answer yet: .*/hold/never", reply.text), reply.text


DEAD = ["image", "script", "frame"]


@pytest.mark.parametrize("kind", DEAD)
async def test_what_never_comes_does_not_hold_a_sessions_page(
    server: Server, holding: Site, kind: str
) -> None:
    address = holding.publish(f"/waits-session-{kind}", f"<h1>Ready</h1>{WAITS[kind]}<p>End</p>")
    session = json.loads((await server.call("create_session")).text)["sessionId"]
    reply = await server.call("navigate", sessionId=session, url=address, timeout=4000)
    assert not reply.is_error, reply.text
    assert json.loads(reply.text)["loading"] is True
    reply = await server.call("browser_history", action="reload", sessionId=session, timeout=4000)
    assert not reply.is_error, reply.text
    assert 'heading "Ready"' in reply.text, reply.text
    await server.call("close_session", sessionId=session)


BLOCKED = "<h1>Ready</h1><button onclick='this.textContent = 1'>Go</button><script src=/hold/never></script>"


async def test_every_door_shows_a_page_that_something_blocks_for_good(server: Server, holding: Site) -> None:
    address = holding.publish("/blocked-everywhere", BLOCKED)
    session = json.loads((await server.call("create_session")).text)["sessionId"]
    reply = await server.call("navigate", sessionId=session, url=address, timeout=1500)
    assert not reply.is_error, reply.text
    assert json.loads(reply.text)["loading"] is True
    for action in ("reload", "back", "forward"):
        reply = await server.call("browser_history", action=action, sessionId=session, timeout=1500)
        assert not reply.is_error, reply.text
    assert 'button "Go"' in reply.text, reply.text
    await server.call("close_session", sessionId=session)


@pytest.mark.parametrize("tool", ["patchright_fetch", "patchright_click"])
async def test_a_blocked_page_is_read_and_pressed_as_far_as_it_came(
    server: Server, holding: Site, tool: str
) -> None:
    address = holding.publish("/blocked-errand", BLOCKED)
    selector = {"selector": "button"} if tool == "patchright_click" else {}
    reply = await server.call(tool, url=address, timeout=10_000, **selector)
    assert not reply.is_error, reply.text
    assert "# Ready" in reply.text, reply.text


async def test_after_a_refused_connection_no_answer_has_the_old_address(server: Server, site: Site) -> None:
    old = site.publish("/refused-old", "<h1>Old</h1>")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        refused = f"http://127.0.0.1:{free.getsockname()[1]}/"
    await server.open(old)
    reply = await server.call("browser_navigate", url=refused)
    assert reply.is_error
    assert f"- Page URL: {refused}" in reply.text, reply.text
    session = json.loads((await server.call("create_session")).text)["sessionId"]
    await server.call("navigate", sessionId=session, url=old)
    assert (await server.call("navigate", sessionId=session, url=refused)).is_error
    sessions = json.loads((await server.call("list_sessions")).text)["sessions"]
    assert [listed["url"] for listed in sessions if listed["sessionId"] == session] == [refused]
    await server.call("close_session", sessionId=session)
