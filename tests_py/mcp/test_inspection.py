"""What pages log and what they ask for."""

import json
from typing import Any

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


async def test_an_error_that_nobody_caught_is_told_with_its_text_and_place(
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
    messages = listed(await workshop.do("browser_console_messages"))
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
    told = {(request["method"], request["type"], request.get("status")) for request in requests}
    assert {("GET", "document", 200), ("POST", "fetch", 200), ("GET", "fetch", None)} <= told
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
