"""A document that waits for servers which never answer is shown as far as it came."""

from __future__ import annotations

import json

import pytest

from tests_py.support.client import Server
from tests_py.support.site import Site, document

pytestmark = pytest.mark.long

WAITING = {
    "a style sheet": '<h1>Ready</h1><button>Go</button><link rel=stylesheet href="/hold"><p>End</p>',
    "a script": '<h1>Ready</h1><button>Go</button><script src="/hold"></script><p>End</p>',
}


@pytest.mark.timeout(25)
@pytest.mark.parametrize("what", WAITING)
async def test_a_page_whose_resource_never_comes_is_shown_before_the_time_limit(
    server: Server, site: Site, what: str
) -> None:
    url = site.publish("/stalled", document("Stalled", WAITING[what]))
    shown = await server.call("browser_navigate", url=url, timeout=600_000)
    assert 'heading "Ready"' in shown.text, shown.text
    assert "/hold" in shown.section("Events"), shown.text
    clicked = await server.click(shown.ref('button "Go"'))
    assert not clicked.is_error, clicked.text
    site.release()


@pytest.mark.timeout(25)
async def test_a_session_goes_to_a_page_whose_script_never_comes(server: Server, site: Site) -> None:
    session = json.loads((await server.call("create_session")).text)["sessionId"]
    url = site.publish("/stalled", document("Stalled", WAITING["a script"]))
    reply = await server.call("navigate", sessionId=session, url=url, timeout=600_000)
    assert not reply.is_error, reply.text
    read = await server.call("browser_read", sessionId=session)
    assert "Ready" in read.text, read.text
    site.release()
    await server.call("close_session", sessionId=session)
