"""Who gets in, who works on the page, and how it ends."""

import base64
import http.client
import json
import os
import re
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from patchright_mcp.async_api import Browser, Page
from tests_py.live.conftest import Handed, Invitation, come_in, invited, question_of
from tests_py.support.http import HttpServer
from tests_py.support.http import until as wait_until
from tests_py.support.site import Site
from tests_py.support.wire import Wire, until

pytestmark = pytest.mark.long

GRACE_S = 30
"""How long a person may be without a connection."""
NOT_VALID = (403, "This link is not valid.\n")
SHOWS_RED = """([x, y, red]) => {
    const picture = document.querySelector('#picture');
    const pixel = picture.getContext('2d').getImageData(x * picture.width, y * picture.height, 1, 1).data;
    return (pixel[0] > 200 && pixel[1] < 100) === red;
}"""


def ask(
    link: str, path: str, body: object = None, *, method: str = "POST", **headers: str
) -> tuple[int, str]:
    """Sends a request as no viewer would."""
    url = urlsplit(link)
    connection = http.client.HTTPConnection(url.netloc, timeout=20)
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request(method, url.path + path, json.dumps(body) if body is not None else None, sent)
    answer = connection.getresponse()
    text = (answer.status, answer.read().decode())
    connection.close()
    return text


def listens(link: str) -> bool:
    try:
        ask(link, "", method="GET")
    except OSError:
        return False
    return True


@pytest.fixture
def invitation(new_wire: Callable[..., Wire], site: Site) -> tuple[Wire, Invitation]:
    """A page that waits for a person who has not come yet."""
    wire = new_wire("--headless")
    wire.shake_hands(elicitation={"form": {}})
    wire.call("browser_navigate", url=site.page("form"))
    call = wire.start_call("browser_ask_person", reason="Please register")
    invitation = invited(question_of_form(wire))
    invitation.call = call
    return wire, invitation


def question_of_form(wire: Wire) -> dict[str, object]:
    """The next question, which nobody answers."""
    while True:
        message = wire.read()
        if message.get("method") == "elicitation/create":
            return message


def test_whatever_is_wrong_is_refused_alike(invitation: tuple[Wire, Invitation]) -> None:
    _, reported = invitation
    unknown = reported.link[:-1] + ("A" if reported.link[-1] != "A" else "B")
    assert ask(unknown, "/enter", {"code": reported.code}) == NOT_VALID
    assert ask(reported.link, "/enter", {"code": reported.code}, Origin="http://evil.example") == NOT_VALID
    assert ask(reported.link, "/enter", {"code": reported.code}, Host="evil.example") == NOT_VALID
    assert ask(reported.link, "/ws", method="GET") == NOT_VALID
    assert ask(reported.link, "/file?name=a", {}) == NOT_VALID
    page = ask(reported.link, "", method="GET")
    assert page[0] == ask(unknown, "", method="GET")[0] == 200
    assert reported.code not in page[1]
    for _ in range(5):
        assert ask(reported.link, "/enter", {"code": "x"}) == NOT_VALID
    assert ask(reported.link, "/enter", {"code": reported.code}) == NOT_VALID


def test_a_code_lets_one_in_once(invitation: tuple[Wire, Invitation]) -> None:
    _, reported = invitation
    assert ask(reported.link, "/enter", {"code": reported.code})[0] == 204
    assert ask(reported.link, "/enter", {"code": reported.code}) == NOT_VALID
    upgrade = {
        "Upgrade": "websocket",
        "Connection": "Upgrade",
        "Sec_WebSocket_Version": "13",
        "Sec_WebSocket_Key": base64.b64encode(os.urandom(16)).decode(),
        "Origin": "http://" + urlsplit(reported.link).netloc,
        "Cookie": "live=guessed",
    }
    assert ask(reported.link, "/ws", method="GET", **upgrade) == NOT_VALID


def test_an_expired_link_is_as_none(new_wire: Callable[..., Wire], site: Site) -> None:
    wire = new_wire("--headless", "--live-timeout", "1", "--login-timeout", "30")
    wire.shake_hands(elicitation={"form": {}})
    wire.call("browser_navigate", url=site.page("form"))
    call = wire.start_call("browser_ask_person", reason="Please hurry")
    reply = invited(question_of_form(wire))
    answer = wire.answer_to(call)["result"]
    assert answer["structuredContent"]["status"] == "login_timeout"
    until(lambda: not listens(reply.link), "the end of the port")


async def test_while_a_person_has_control_nobody_else_works_or_sees(handed: Handed) -> None:
    await handed.click("field")
    await handed.viewer.keyboard.type("hunter2")
    await handed.value("field", "hunter2")
    await handed.viewer.evaluate("() => 0")
    waiting = handed.wire.start_call("browser_snapshot")
    reply = handed.wire.answer_to(waiting)["result"]
    assert reply["_meta"]["errorCode"] == "person_has_control"
    await handed.viewer.keyboard.press("Control+a")
    await handed.viewer.keyboard.press("Backspace")
    await handed.value("field", "")
    await handed.viewer.locator("#done").click()
    answer = handed.wire.answer_to(handed.invitation.call)["result"]
    assert "The user says that it is done" in answer["content"][0]["text"]
    for tool in ("browser_snapshot", "browser_network_requests", "browser_console_messages"):
        handed.wire.call(tool)
    assert "hunter2" not in "".join(handed.wire.lines + handed.wire.log)
    requests = handed.wire.call("browser_network_requests")["result"]["content"][0]["text"]
    assert requests.count("/notes") <= 3, "requests of the person's time are not told"


async def test_a_person_who_only_watches_changes_nothing(handed: Handed) -> None:
    await handed.viewer.locator("#take").click()
    await handed.viewer.wait_for_function(
        "() => !document.querySelector('#stage').classList.contains('held')"
    )
    before = len(handed.received("click"))
    await handed.click("field")
    await handed.viewer.keyboard.type("nothing")
    seen = handed.wire.call("browser_evaluate", function="() => 'now: ' + field.value")["result"]
    assert "now: " in seen["content"][0]["text"]
    assert "nothing" not in seen["content"][0]["text"]
    assert len(handed.received("click")) == before
    newest = "() => document.querySelector('#calls li')?.textContent.includes('browser_evaluate')"
    await handed.viewer.wait_for_function(newest)


async def test_not_me_ends_the_wait_and_nothing_else(handed: Handed) -> None:
    await handed.viewer.locator("#notme").click()
    answer = handed.wire.answer_to(handed.invitation.call)["result"]
    assert answer["_meta"]["errorCode"] == "cancelled"
    await handed.viewer.locator("#end h1").wait_for()
    assert not handed.wire.call("browser_snapshot")["result"].get("isError", False)
    until(lambda: not listens(handed.invitation.link), "the end of the port")


GOES = "<title>Goes</title><script>onclick = () => close()</script>"
CLOSED, CRASHED = "The page has closed.", "The page has crashed."


def end_reported(wire: Wire, invitation: Invitation, code: str, site: Site) -> None:
    """The call that waited says why it does no longer, and no pause begins: somebody was there."""
    answer = wire.answer_to(invitation.call)["result"]
    assert answer["_meta"]["errorCode"] == code
    next_page = wire.call("browser_navigate", url=site.page("form"))["result"]
    assert not next_page.get("isError"), next_page
    until(lambda: not listens(invitation.link), "the end of the port")


@pytest.fixture
async def leaving(new_wire: Callable[..., Wire], viewer: Page, site: Site) -> Handed:
    """A window that a page has opened, which closes when its person clicks into it."""
    wire = new_wire("--headless", "--input", "instant")
    wire.shake_hands(elicitation={"form": {}, "url": {}})
    site.publish("/goes", GOES)
    opens = "<title>Opens</title><button onclick=\"window.open('/goes')\">Go</button>"
    wire.call("browser_navigate", url=site.publish("/opens", opens))
    wire.call("browser_click", ref="text=Go")
    wire.call("browser_tabs", action="select", index=1)
    call = wire.start_call("browser_ask_person", reason="Please finish")
    invitation = invited(question_of(wire))
    invitation.call = call
    await come_in(viewer, invitation)
    await viewer.locator("#url", has_text="/goes").wait_for()
    await viewer.wait_for_function("() => document.querySelector('#picture').width > 300")
    return Handed(viewer, site, "goes", wire, invitation)


async def test_a_page_that_closes_itself_under_its_person_is_reported_to_both(leaving: Handed) -> None:
    await leaving.viewer.locator("#picture").click()
    await leaving.viewer.locator("#end h1", has_text=CLOSED).wait_for()
    end_reported(leaving.wire, leaving.invitation, "page_closed", leaving.site)


async def test_a_page_that_a_tool_closes_under_who_watches_is_reported_to_both(handed: Handed) -> None:
    await handed.viewer.locator("#take").click()
    await handed.viewer.locator("#stage:not(.held)").wait_for()
    handed.wire.start_call("browser_close")
    await handed.viewer.locator("#end h1", has_text=CLOSED).wait_for()
    end_reported(handed.wire, handed.invitation, "page_closed", handed.site)


def end_renderers(wire: Wire) -> None:
    for process in wire.processes():
        with suppress(OSError):
            if b"--type=renderer" in Path(f"/proc/{process}/cmdline").read_bytes():
                os.kill(process, signal.SIGKILL)


async def test_a_page_that_crashes_under_its_person_is_reported_to_both(handed: Handed) -> None:
    end_renderers(handed.wire)
    await handed.viewer.locator("#end h1", has_text=CRASHED).wait_for()
    end_reported(handed.wire, handed.invitation, "page_crashed", handed.site)


async def test_a_call_that_is_given_up_is_no_thanks_to_the_person(handed: Handed) -> None:
    handed.wire.notify("notifications/cancelled", {"requestId": handed.invitation.call})
    reported = "The assistant no longer waits for you."
    await handed.viewer.locator("#end h1", has_text=reported).wait_for()
    assert not handed.wire.call("browser_snapshot")["result"].get("isError", False)


async def test_a_window_that_closes_leads_back_to_the_page_that_opened_it(handed: Handed) -> None:
    viewer, take = handed.viewer, handed.viewer.locator("#take")
    await take.click()
    await viewer.locator("#stage:not(.held)").wait_for()
    goes = handed.site.publish("/goes", GOES)
    opens = f"() => {{ document.getElementById('open').onclick = () => window.open('{goes}'); }}"
    handed.wire.call("browser_evaluate", function=opens)
    await take.click()
    await viewer.locator("#stage.held").wait_for()
    await handed.click("open")
    await viewer.locator("#tabs button").nth(1).click()
    await viewer.locator("#url", has_text="/goes").wait_for()
    red = [*handed.colour_at("toggle"), True]
    await viewer.wait_for_function(SHOWS_RED, arg=[*red[:2], False])
    await handed.click("toggle")
    await viewer.locator("#url", has_text="/watched").wait_for()
    await viewer.wait_for_function(SHOWS_RED, arg=red)
    await handed.click("field")
    await viewer.keyboard.type("still here")
    await handed.value("field", "still here")


async def test_a_client_that_leaves_ends_it(new_wire: Callable[..., Wire], viewer: Page, site: Site) -> None:
    wire = new_wire("--headless")
    wire.shake_hands(elicitation={"form": {}, "url": {}})
    wire.call("browser_navigate", url=site.page("form"))
    wire.start_call("browser_ask_person", reason="Please look")
    answer = invited(question_of(wire))
    await come_in(viewer, answer)
    wire.hang_up()
    assert wire.ended() == 0
    assert not listens(answer.link)
    until(lambda: not wire.processes(), "the end of the browser")


@pytest.mark.timeout(120)
async def test_a_person_who_goes_away_is_waited_for_and_then_no_longer(handed: Handed) -> None:
    viewer = handed.viewer
    await viewer.goto("about:blank")
    # Who comes back soon goes on, and then the time begins anew.
    held = handed.wire.call("browser_snapshot")["result"]
    assert held["_meta"]["errorCode"] == "person_has_control", "nobody else works meanwhile"
    await viewer.goto(handed.invitation.link)
    await viewer.locator("#stage.held").wait_for()
    await viewer.goto("about:blank")
    gone = time.monotonic()
    wait_until(lambda: not listens(handed.invitation.link), "the end of the port", GRACE_S + 20)
    answer = handed.wire.answer_to(handed.invitation.call)["result"]
    assert time.monotonic() - gone > GRACE_S - 1
    assert answer["structuredContent"]["status"] == "login_timeout", answer


def test_a_client_that_cannot_ask_is_reported_where_its_person_can_come(
    new_wire: Callable[..., Wire], site: Site
) -> None:
    wire = new_wire("--headless", "--lang", "en")
    wire.shake_hands()
    wire.call("browser_navigate", url=site.page("form"))
    answer = wire.call("browser_ask_person", reason="Please register")["result"]
    assert answer["_meta"]["errorCode"] == "person_needed"
    person = answer["structuredContent"]["person"]
    assert re.fullmatch(r"\d{6}", person["code"])
    assert 0 < person["expiresInSeconds"] <= 600
    assert person["url"] in answer["content"][0]["text"]
    assert ask(person["url"], "/enter", {"code": person["code"]})[0] == 204


def test_without_a_live_view_nobody_listens(new_wire: Callable[..., Wire], site: Site) -> None:
    wire = new_wire("--headless", "--live", "off")
    wire.shake_hands(elicitation={"form": {}, "url": {}})
    wire.call("browser_navigate", url=site.page("form"))
    answer = wire.call("browser_ask_person", reason="Please register")["result"]
    assert answer["_meta"]["errorCode"] == "person_needed"
    assert "structuredContent" not in answer or "person" not in answer["structuredContent"]


async def test_two_keys_two_people_and_neither_sees_the_others(
    folder: Path, persons_browser: Browser, site: Site
) -> None:
    with HttpServer(folder, "--api-key", "first-0123456789,second-0123456789", "--lang", "en") as server:
        links = {}
        for key, page in (("first-0123456789", "form"), ("second-0123456789", "frames")):
            client = server.begin(key)
            client.text("browser_navigate", url=site.page(page))
            person = client.call("browser_ask_person", reason=f"For {key}")["structuredContent"]["person"]
            links[key] = person["url"]
        assert ask(links["first-0123456789"], "/enter", {"key": "second-0123456789"}) == NOT_VALID
        assert ask(links["first-0123456789"], "/enter", {"code": "000000"}) == NOT_VALID
        for key, page in (("first-0123456789", "form"), ("second-0123456789", "frames")):
            context = await persons_browser.new_context()
            viewer = await context.new_page()
            await come_in(viewer, Invitation(links[key], key, None))
            result = await viewer.locator("#url").text_content()
            assert result == site.page(page)
            assert await viewer.locator("#why").text_content() == f"For {key}"
            other = links["second-0123456789" if key == "first-0123456789" else "first-0123456789"]
            cookies = "; ".join(f"{cookie['name']}={cookie['value']}" for cookie in await context.cookies())
            assert ask(other, "/ws", method="GET", Cookie=cookies, Origin=server.url[:-4]) == NOT_VALID
            await context.close()


async def test_who_may_only_watch_is_given_a_link_and_decides_nothing(
    new_wire: Callable[..., Wire], viewer: Page, site: Site
) -> None:
    wire = new_wire("--headless", "--lang", "en", "--live", "watch")
    wire.shake_hands()
    wire.call("browser_navigate", url=site.page("form"))
    answer = wire.call("browser_ask_person", reason="Have a look")["result"]
    assert not answer.get("isError")
    person = answer["structuredContent"]["person"]
    assert person["url"] in answer["content"][0]["text"]
    await viewer.goto(person["url"])
    await viewer.locator("#code").fill(person["code"])
    await viewer.locator("#enter button").click()
    await viewer.wait_for_function("() => document.querySelector('#picture').width > 300")
    assert await viewer.locator("#why").text_content() == "Have a look"
    assert await viewer.locator("#take").is_hidden()
    assert await viewer.locator("#done").is_hidden()
    assert await viewer.locator("#stage.held").count() == 0
    # Who looks on holds nobody up.
    assert not wire.call("browser_snapshot")["result"].get("isError", False)
    again = wire.call("browser_ask_person", reason="Look again")["result"]["structuredContent"]["person"]
    assert again["url"] == person["url"]


async def test_a_proxy_says_who_comes_and_where_the_view_is(folder: Path, site: Site) -> None:
    arguments = ("--api-key", "first-0123456789", "--live-auth", "header:X-Who", "--lang", "en")
    with HttpServer(folder, *arguments, "--live-url", "https://live.example/below/") as server:
        client = server.begin("first-0123456789")
        client.text("browser_navigate", url=site.page("form"))
        person = client.call("browser_ask_person", reason="Please")["structuredContent"]["person"]
        assert person["url"].startswith("https://live.example/below/live/")
        link = server.url[:-4] + urlsplit(person["url"]).path.removeprefix("/below")
        assert ask(link, "/enter", {"code": "000000"}) == NOT_VALID
        assert ask(link, "/enter", {}, X_Who="") == NOT_VALID
        proxied = {"Host": "live.example", "Origin": "https://live.example"}
        assert (
            ask(link, "/enter", {}, X_Who="ada", **(proxied | {"Origin": "https://evil.example"}))[0] == 403
        )
        assert ask(link, "/enter", {}, X_Who="ada@example.com", **proxied)[0] == 204
        assert ask(link, "/enter", {}, X_Who="bob@example.com") == NOT_VALID
