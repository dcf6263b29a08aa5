"""What pages log and what they ask for."""

import base64
import json
from typing import Any

import pytest

from tests_py.support.client import Reply
from tests_py.support.site import Site
from tests_py.support.workshop import Workshop

SPEAK = (
    "() => { for (const level of ['debug', 'log', 'info', 'warn', 'error']) console[level](`a ${level}`); }"
)


def listed(reply: Reply) -> list[dict[str, Any]]:
    """The list in the answer."""
    _, _, rest = reply.section("Result").partition("\n\n")
    lines: list[dict[str, Any]] = json.loads(rest)
    return lines


async def test_messages_of_each_level_are_read_and_filtered(workshop: Workshop, site: Site) -> None:
    await workshop.open(site.page("form"))
    await workshop.server.evaluate(SPEAK)

    async def texts(**arguments: object) -> list[str]:
        reply = await workshop.do("browser_console_messages", **arguments)
        return [message["text"] for message in listed(reply)]

    assert await texts(level="debug") == ["a debug", "a log", "a info", "a warn", "a error"]
    assert await texts() == ["a log", "a info", "a warn", "a error"]
    assert await texts(level="warning") == ["a warn", "a error"]
    assert await texts(level="error") == ["a error"]


async def test_an_error_that_nobody_caught_is_reported_with_its_text_and_place(
    workshop: Workshop, site: Site
) -> None:
    await workshop.open(site.page("noisy"))
    errors = listed(await workshop.do("browser_console_messages", level="error"))
    assert [error["text"] for error in errors] == ["a complaint", "Uncaught Error: an accident"]
    assert (errors[1]["url"], errors[1]["lineNumber"]) == (site.page("noisy"), 12)


async def test_where_the_browser_keeps_that_text_to_itself_the_answer_says_what_to_do(
    headed_workshop: Workshop, site: Site
) -> None:
    await headed_workshop.open(site.page("noisy"))
    reply = await headed_workshop.do("browser_console_messages", level="error")
    assert '"text": "Uncaught"' in reply.text
    assert "--headless" in reply.text
    await headed_workshop.do("browser_close")


async def test_the_newest_thousand_messages_are_kept(workshop: Workshop, site: Site) -> None:
    await workshop.open(site.page("form"))
    await workshop.server.evaluate(
        "() => { for (let number = 0; number < 1100; number++) console.log(number); }"
    )
    await workshop.do("browser_console_messages", filename="console.json")
    written = next(workshop.folder.rglob("console.json")).read_text()
    messages = json.loads(written[written.index("[") :])
    assert [message["text"] for message in messages] == [str(number) for number in range(100, 1100)]


async def test_a_new_page_begins_with_an_empty_console(workshop: Workshop, site: Site) -> None:
    await workshop.open(site.page("noisy"))
    await workshop.open(site.page("form"))
    assert "No messages captured" in (await workshop.do("browser_console_messages")).section("Result")


async def test_requests_are_listed_with_what_came_of_them(workshop: Workshop, site: Site) -> None:
    await workshop.open(site.page("form"))
    await workshop.server.evaluate(
        "async () => { await fetch('/delay?ms=20', { method: 'POST', body: 'x' });"
        " await fetch('http://127.0.0.1:9/').catch(() => {});"
        " const image = new Image(); image.src = '/status/404'; await image.decode().catch(() => {}); }"
    )
    requests = listed(await workshop.do("browser_network_requests"))
    values = {(request["method"], request["type"], request.get("status")) for request in requests}
    assert {("GET", "document", 200), ("POST", "fetch", 200), ("GET", "fetch", None)} <= values
    assert not any(request["type"] == "image" for request in requests)
    assert all("duration" in request for request in requests if "status" in request)
    refused = next(request for request in requests if request["url"] == "http://127.0.0.1:9/")
    assert "ERR_" in refused["failure"]
    everything = listed(await workshop.do("browser_network_requests", includeStatic=True))
    assert any(request["type"] == "image" and request["status"] == 404 for request in everything)


async def test_requests_are_those_since_the_page_was_opened(workshop: Workshop, site: Site) -> None:
    await workshop.open(site.page("form"))
    await workshop.open(site.page("dialogs"))
    urls = {request["url"] for request in listed(await workshop.do("browser_network_requests"))}
    assert site.page("dialogs") in urls
    assert site.page("form") not in urls


DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


def number(value: int) -> str:
    """A number as source maps write it."""
    rest, written = (abs(value) << 1) | (value < 0), ""
    while True:
        rest, digit = rest >> 5, rest & 31
        written += DIGITS[digit | 32 if rest else digit]
        if not rest:
            return written


def source_map(source: str, *places: tuple[int, int, int]) -> str:
    """A map of one line: which column of it stands for which line and column of the source, from 0."""
    before, segments = (0, 0, 0), []
    for place in places:
        column, line, right = (now - old for now, old in zip(place, before, strict=True))
        segments.append("".join(map(number, (column, 0, line, right))))
        before = place
    return json.dumps({"version": 3, "sources": [source], "mappings": ",".join(segments)})


@pytest.mark.long
async def test_stacks_are_reported_in_the_sources(workshop: Workshop, site: Site) -> None:
    script = 'function a(){console.error("it broke")}function b(){a()}b();'
    mapped = source_map(
        "src/app.ts", (0, 0, 0), (script.index("console"), 6, 2), (script.index("a()}"), 11, 4)
    )
    site.publish("/app.js.map", mapped, kind="application/json")
    site.publish("/app.js", f"{script}\n//# sourceMappingURL=app.js.map", kind="text/javascript")
    fails = "const fail = () => { throw new Error('an accident') }; "
    data = base64.b64encode(source_map("src/own.ts", (len(fails), 2, 8)).encode()).decode()
    own = f"{fails}fail()\n//# sourceMappingURL=data:application/json;base64,{data}"
    site.publish("/own.js", own, kind="text/javascript")
    page = '<script src="/app.js"></script><script src="/own.js"></script><script>console.warn(1)</script>'
    await workshop.open(site.publish("/mapped", page))
    quiet = listed(await workshop.do("browser_console_messages"))
    assert all("stack" not in message for message in quiet)
    assert site.requested("/app.js.map") == []
    before = listed(await workshop.do("browser_console_messages", stacks=True))
    assert before[0]["stack"] == ["a (src/app.ts:7:3)"]
    # An error knows its calls from the beginning.
    assert before[1]["stack"] == [f"fail ({site.url('/own.js')}:1:28)", "src/own.ts:3:9"]
    await workshop.do("browser_history", action="reload")
    logged = listed(await workshop.do("browser_console_messages", stacks=True))
    broke, accident, warned = logged
    assert broke["stack"][:2] == ["a (src/app.ts:7:3)", "b (src/app.ts:12:5)"]
    assert "Error: an accident" in accident["text"]
    assert accident["stack"] == before[1]["stack"]
    assert warned["stack"] == [f"{site.url('/mapped')}:1:{page.index('console.warn') + len('console.') + 1}"]
    assert len(site.requested("/app.js")) == 2


async def test_what_workers_log_is_reported_with_their_names(workshop: Workshop, site: Site) -> None:
    worker = site.publish(
        "/worker.js", "console.warn('from afar'); postMessage('ready')", kind="text/javascript"
    )
    page = "<script>new Worker('/worker.js').onmessage = (e) => { document.title = e.data }</script>"
    await workshop.open(site.publish("/with-worker", page))
    await workshop.do("browser_wait_for", function="() => document.title === 'ready'")
    (message,) = listed(await workshop.do("browser_console_messages"))
    assert (message["text"], message["worker"], message["type"]) == ("from afar", worker, "warning")
    (message,) = listed(await workshop.do("browser_console_messages", stacks=True))
    assert message["stack"] == [f"{worker}:1:9"]
