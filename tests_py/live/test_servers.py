"""People whose link arrives at another server than the one that gave it."""

import base64
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlsplit
from uuid import uuid4

import pytest

from patchright_mcp.async_api import Page
from tests_py.live.conftest import Invitation, Person, come_in
from tests_py.live.test_rights import NOT_VALID, ask
from tests_py.support.fleet import Chromium, Fleet, Redis, call, text
from tests_py.support.http import HttpServer, until
from tests_py.support.site import Site

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def browser() -> Iterator[Chromium]:
    """The browser that the servers share."""
    browser = Chromium()
    yield browser
    browser.end()


@pytest.fixture
def fleet(tmp_path: Path, browser: Chromium) -> Iterator[Fleet]:
    with Redis() as redis:
        fleet = Fleet(tmp_path, redis, [browser], "--live", "control", "--lang", "en", "--input", "instant")
        yield fleet
        fleet.close()


def opened(server: HttpServer, address: str) -> str:
    """A session of this server with a page."""
    session = str(call(server, "create_session")["structuredContent"]["sessionId"])
    came = call(server, "navigate", sessionId=session, url=address)
    assert not came.get("isError"), came
    return session


def invitation(server: HttpServer, session: str) -> Invitation:
    """What the model is told that it shall tell its person."""
    answer = call(server, "browser_ask_person", sessionId=session, reason="Please try this page")
    person = answer["structuredContent"]["person"]
    return Invitation(person["url"], person["code"], None)


def at(server: HttpServer, link: str) -> str:
    """The link as a balancer may take it: to this server."""
    return f"http://{server.host}:{server.port}{urlsplit(link).path}"


async def test_a_person_works_through_a_server_that_does_not_have_the_page(
    fleet: Fleet, viewer: Page, site: Site, tmp_path: Path
) -> None:
    one, other = fleet.start(), fleet.start()
    session = opened(one, f"{site.page('watched')}?name=servers")
    reported = invitation(one, session)
    assert urlsplit(reported.link).port == one.port
    with ThreadPoolExecutor(1) as workers:
        waiting = workers.submit(call, other, "browser_ask_person", sessionId=session, reason="Go on")
        await come_in(viewer, Invitation(at(other, reported.link), reported.code, None))
        person = Person(viewer, site, "servers")
        await person.until(person.notes, "notes")
        await viewer.wait_for_function("() => document.querySelector('#picture').width > 300")
        await person.click("field")
        await viewer.keyboard.type("through another")
        await person.value("field", "through another")
        # More than one piece of it is under way at a time.
        given = tmp_path / "given.txt"
        given.write_text("of the person " * 100_000)
        await person.click("file")
        await viewer.locator("#files[open]").wait_for()
        await viewer.locator("#file").set_input_files(given)
        await viewer.locator("#files button[value=yes]").click()
        await person.until(lambda: person.received("file"), "a file")
        assert person.received("file") == [["file", "given.txt", given.read_text()]]
        await viewer.locator("#done").click()
        await viewer.locator("#end h1").wait_for()
        answer = text(waiting.result(20))
    assert "The user says that it is done" in answer, answer
    assert not call(one, "browser_snapshot", sessionId=session).get("isError")


def test_another_server_lets_in_nobody_whom_the_first_would_not(fleet: Fleet, site: Site) -> None:
    one, other = fleet.start(), fleet.start()
    reported = invitation(one, opened(one, site.page("form")))
    link, own = at(other, reported.link), f"http://{other.host}:{other.port}"
    entry = {"code": reported.code}
    name, _, server = link.rpartition(".")
    for unknown in (name + "A." + server, f"{name}.{uuid4()}", f"{name}.nobody", name):
        assert ask(unknown, "/enter", entry, Origin=own) == NOT_VALID, unknown
    assert ask(link, "/enter", entry, Origin="http://evil.example")[0] == 403
    assert ask(link, "/enter", entry, Origin=at(one, "/").rstrip("/"))[0] == 403
    assert ask(link, "/enter", entry, Host="evil.example")[0] == 403
    assert ask(link, "/enter", {"code": "x"}, Origin=own) == NOT_VALID
    upgrade = {
        "Upgrade": "websocket",
        "Connection": "Upgrade",
        "Sec_WebSocket_Version": "13",
        "Sec_WebSocket_Key": base64.b64encode(os.urandom(16)).decode(),
        "Origin": own,
    }
    assert ask(link, "/ws", method="GET", **upgrade, Cookie="live=guessed") == NOT_VALID
    assert ask(link, "/file?name=a", {}, Origin=own) == NOT_VALID
    assert ask(link, "", method="GET")[0] == ask(name, "", method="GET")[0] == 200
    # What servers tell each other by is not for visitors to say.
    assert ask(link, "/enter", entry, Origin=own, X_Patchright_Replica="guessed")[0] == 204
    assert ask(link, "/enter", entry, Origin=own) == NOT_VALID


def test_the_link_of_a_server_that_is_gone_is_as_none(fleet: Fleet, site: Site) -> None:
    one, other = fleet.start(), fleet.start()
    reported = invitation(one, opened(one, site.page("form")))
    one.process.kill()
    one.process.wait(20)
    until(
        lambda: ask(at(other, reported.link), "/enter", {"code": reported.code}) == NOT_VALID,
        "that it is missed",
    )
