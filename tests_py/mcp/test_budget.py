"""No answer is longer than a model can read, whatever the page does."""

import json

import pytest

from tests_py.support.client import Server
from tests_py.support.site import Site

pytestmark = pytest.mark.long

MOST = 30_000
LOG = "for (let i = 0; i < 300; i++) console.log(i + 'x'.repeat(2000))"
ASK = "for (let i = 0; i < 150; i++) fetch('/?' + i + 'y'.repeat(20000)).catch(() => 0)"
STORE = "for (let i = 0; i < 400; i++) localStorage['k' + i] = 'z'.repeat(5000)"
NAMED = "document.body.innerHTML = '<p>needle ' + 'w'.repeat(900000)"


@pytest.mark.parametrize(
    ("script", "tool", "arguments"),
    [
        (LOG, "browser_console_messages", {"level": "debug"}),
        (ASK, "browser_network_requests", {}),
        (NAMED, "browser_find", {"text": "needle"}),
        (NAMED, "browser_snapshot", {}),
        ("1", "browser_evaluate", {"function": "() => 'v'.repeat(5000000)"}),
        ("1", "browser_evaluate", {"function": "() => Array.from({length: 90000}, (_, i) => ({i}))"}),
        ("1", "browser_evaluate", {"function": "() => { throw new Error('e'.repeat(5000000)) }"}),
    ],
)
async def test_an_answer_fits_whatever_the_page_holds(
    server: Server, site: Site, script: str, tool: str, arguments: dict[str, object]
) -> None:
    await server.open(site.publish("/budget", "<!doctype html><title>Budget</title><p>Hello"))
    await server.evaluate(f"() => {{ {script} }}")
    reply = await server.call(tool, **arguments)
    assert len(reply.text) <= MOST
    assert "cut" in reply.text or "Left out" in reply.text or "…" in reply.text


async def test_of_a_long_console_the_newest_messages_are_reported(server: Server, site: Site) -> None:
    await server.open(site.publish("/budget", "<!doctype html><title>Budget</title><p>Hello"))
    await server.evaluate(f"() => {{ {LOG} }}")
    answer = (await server.call("browser_console_messages")).section("Result")
    messages = json.loads(answer[answer.index("[\n") : answer.rindex("]", 0, answer.index("[cut:")) + 1])
    assert messages[-1]["text"].startswith("299x")
    assert "of 300 entries" in answer
