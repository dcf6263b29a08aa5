"""What an action does in other pages than its own: awaited, and reported with the tab that is current now."""

from __future__ import annotations

import json

import pytest

from tests_py.support.client import Server
from tests_py.support.site import Site, document

pytestmark = pytest.mark.long

MAIN = """<h1>App</h1><p id=state>not signed in</p><button>Stay</button>
<script>
const show = (text) => { document.getElementById("state").textContent = text; };
addEventListener("message", ({ data }) => show(`Signed in as ${data}`));
addEventListener("storage", ({ newValue }) => show(`Signed in as ${newValue}`));
new BroadcastChannel("users").onmessage = ({ data }) => show(`Signed in as ${data}`);
</script>"""

CLOSING = {
    "message": "opener.postMessage('Ann', '*'); window.close();",
    "address": "opener.location = '/reached-home'; window.close();",
    "later message": "setTimeout(() => { opener.postMessage('Ann', '*'); window.close(); }, 80);",
}


async def popup(server: Server, site: Site, origin: str, script: str, **session: object) -> None:
    """Opens a page and a popup of it, which has a button, and works in the popup from now on."""
    site.publish("/reached-home", document("Home", "<h1>Signed in as Ann</h1>"))
    site.publish("/reached-popup", document("Login", f'<button onclick="{script}">Allow</button>'))
    opens = f"<button onclick=\"window.open('{origin}/reached-popup', '', 'width=300')\">Sign in</button>"
    address = site.publish("/reached-main", document("App", MAIN + opens))
    for tool, arguments in (
        ("browser_navigate", {"url": address}),
        ("browser_click", {"target": "text=Sign in"}),
        ("browser_tabs", {"action": "select", "index": 1}),
    ):
        reply = await server.call(tool, **arguments, **session)
        assert not reply.is_error, reply.text


@pytest.mark.parametrize("where", ["here", "elsewhere"])
@pytest.mark.parametrize("way", CLOSING)
async def test_what_became_of_the_opener_is_in_the_answer_of_the_popups_last_click(
    server: Server, site: Site, way: str, where: str
) -> None:
    await popup(server, site, site.other_origin if where == "elsewhere" else site.origin, CLOSING[way])
    reply = await server.click("text=Allow")
    assert "The page closed. The current tab is now 0: " in reply.text, reply.text
    assert "Signed in as Ann" in reply.text, reply.text


async def test_steps_read_the_opener_as_the_popup_left_it(server: Server, site: Site) -> None:
    await popup(server, site, site.other_origin, CLOSING["message"])
    steps = [{"tool": "browser_click", "arguments": {"target": "text=Allow"}}, {"tool": "browser_snapshot"}]
    reply = await server.call("browser_steps", steps=steps)
    assert not reply.is_error, reply.text
    assert "Signed in as Ann" in reply.text, reply.text


async def test_a_session_learns_which_tab_is_current(server: Server, site: Site) -> None:
    session = json.loads((await server.call("create_session")).text)["sessionId"]
    await popup(server, site, site.other_origin, CLOSING["message"], sessionId=session)
    reply = await server.call("click", sessionId=session, selector="button")
    assert "The page closed. The current tab is now 0: " in reply.text, reply.text
    await server.call("close_session", sessionId=session)


HEARD = {
    "message": "opener.postMessage('Bea', '*')",
    "storage": "localStorage.user = 'Bea'",
    "channel": "new BroadcastChannel('users').postMessage('Bea')",
}


@pytest.mark.parametrize("way", HEARD)
async def test_what_changed_in_another_tab_is_shown_with_its_name(
    server: Server, site: Site, way: str
) -> None:
    await popup(server, site, site.origin, HEARD[way])
    reply = await server.click("text=Allow")
    line = reply.line("Tab 0 changed, too: ")
    assert '"Signed in as Bea" [tab=' in line, reply.text
    await server.evaluate("() => localStorage.clear()")


@pytest.mark.parametrize("period", [5, 400, 900])
async def test_a_tab_that_changes_by_itself_is_not_reported(server: Server, site: Site, period: int) -> None:
    ticking = f"<p id=t>Tick</p><script>setInterval(() => t.append('x'), {period});</script>"
    await server.open(site.publish("/reached-tick", document("Tick", ticking)))
    await server.call(
        "browser_tabs", action="new", url=site.publish("/reached-rest", "<button>Rest</button>")
    )
    for _ in range(5):
        reply = await server.click("text=Rest")
        assert "changed, too" not in reply.text, reply.text
