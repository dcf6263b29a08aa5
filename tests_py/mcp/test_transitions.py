"""Presses wait until a view transition lets them through."""

from __future__ import annotations

import json

import pytest

from tests_py.support.client import Server
from tests_py.support.site import Site, document

pytestmark = pytest.mark.long

STEPS = """<style>::view-transition-old(root), ::view-transition-new(root) { animation-duration: 2s }</style>
<main><button onclick="go()">Next</button></main><script>
const pressed = [];
const next = "<button onclick=\\"pressed.push('finish')\\">Finish</button>";
function go() {
  pressed.push('next');
  document.startViewTransition(() => { document.querySelector('main').innerHTML = next; });
}</script>"""
PRESSED = "() => pressed.join()"


@pytest.mark.parametrize("tool", ["browser_click", "click"])
async def test_a_press_waits_for_the_end_of_a_view_transition(server: Server, site: Site, tool: str) -> None:
    session = json.loads((await server.call("create_session")).text)["sessionId"]
    url = site.publish("/transition", document("Steps", STEPS))
    await server.call("browser_navigate", url=url, sessionId=session)
    target = "ref" if tool == "browser_click" else "selector"
    for name in ("Next", "Finish"):
        reply = await server.call(tool, sessionId=session, **{target: f"text={name}"})
        assert not reply.is_error, reply.text
    pressed = await server.call("browser_evaluate", sessionId=session, function=PRESSED)
    assert "next,finish" in pressed.text, pressed.text
    await server.call("close_session", sessionId=session)
