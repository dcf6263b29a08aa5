"""Sessions over the wire: the properties of their design, on a real browser where they speak of one."""

import asyncio
import json
import re
import time
import uuid
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests_py.mcp.test_arrived import CHAT, STOLEN, TERMINAL
from tests_py.support.client import Server, serve
from tests_py.support.extent import extent
from tests_py.support.site import Site
from tests_py.support.wire import Wire

# A hundred examples on a browser take their time on a busy machine.
pytestmark = pytest.mark.timeout(300)

CODES = {
    "SESSION_NOT_FOUND", "SESSION_EXPIRED", "MAX_SESSIONS_REACHED", "NAVIGATION_FAILED", "ELEMENT_NOT_FOUND",
    "ELEMENT_NOT_CLICKABLE", "ELEMENT_NOT_EDITABLE", "BROWSER_ERROR", "INVALID_PARAMETERS",
}  # fmt: skip

LIFETIME_MS = 654321
TOOLS = st.sampled_from(["navigate", "click", "type", "close_session"])

on_a_browser = settings(max_examples=100, deadline=None)


@pytest.fixture(scope="session")
async def many(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Server]:
    """A server on which a hundred sessions may be open."""
    lifetime = ("--session-timeout", str(LIFETIME_MS))
    arguments = ("--headless", "--max-sessions", "100", *lifetime, "--input", "instant")
    async with serve(*arguments, cwd=tmp_path_factory.mktemp("many")) as server:
        yield server


def rest_of(tool: str) -> dict[str, str]:
    """What a tool needs beside a session."""
    rest = {
        "navigate": {"url": "http://a"},
        "click": {"selector": "a"},
        "type": {"selector": "a", "text": ""},
    }
    return rest.get(tool, {})


class Runner:
    """Lets a synchronous property wait for the shared server's loop."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.loop = asyncio.get_running_loop()

    async def reported(self, tool: str, **arguments: object) -> dict[str, Any]:
        reply = await self.server.call(tool, **arguments)
        answer: dict[str, Any] = json.loads(reply.text)
        assert reply.is_error == ("errorCode" in answer)
        if reply.is_error:
            assert answer["errorCode"] in CODES
            assert answer["message"]
        return answer

    async def created(self) -> dict[str, Any]:
        answer = await self.reported("create_session")
        assert answer["message"] == "Session created successfully"
        return answer

    def check(self, test: Callable[..., Any], *strategies: st.SearchStrategy[Any]) -> Any:  # noqa: ANN401
        """Runs an asynchronous property at least a hundred times, in a thread of its own."""

        @on_a_browser
        @given(st.tuples(*strategies))
        def run(values: tuple[object, ...]) -> None:
            asyncio.run_coroutine_threadsafe(test(*values), self.loop).result(60)

        return asyncio.to_thread(run)


@pytest.fixture
async def runner(many: Server) -> Runner:
    return Runner(many)


@pytest.mark.long
async def test_ids_are_unique(runner: Runner) -> None:
    """**Feature: playwright-mcp-server, Property 1: SessionId Uniqueness**."""
    seen: set[str] = set()

    async def property_holds(count: int) -> None:
        ids = [(await runner.created())["sessionId"] for _ in range(count)]
        for session in ids:
            assert uuid.UUID(session).version == 4
            assert session not in seen
            seen.add(session)
            await runner.reported("close_session", sessionId=session)

    await runner.check(property_holds, st.integers(1, 3))


@pytest.mark.long
async def test_a_session_ends_so_long_after_it_began(runner: Runner) -> None:
    """**Feature: playwright-mcp-server, Property 2: Session Expiration Time Calculation**."""

    async def property_holds(_: int) -> None:
        before = time.time() * 1000
        created = await runner.created()
        after = time.time() * 1000
        assert before - 1 <= created["expiresAt"] - LIFETIME_MS <= after + 1
        await runner.reported("close_session", sessionId=created["sessionId"])

    await runner.check(property_holds, st.integers())


async def test_a_closed_session_is_known_no_more(runner: Runner) -> None:
    """**Feature: playwright-mcp-server, Property 3: Session Closure Removes SessionId**."""

    async def property_holds(tool: str) -> None:
        session = (await runner.created())["sessionId"]
        closed = await runner.reported("close_session", sessionId=session)
        assert closed == {"success": True, "message": "Session closed successfully"}
        again = await runner.reported(tool, sessionId=session, **rest_of(tool))
        assert again["errorCode"] == "SESSION_NOT_FOUND"

    await runner.check(property_holds, TOOLS)


async def test_an_id_that_is_none_has_one_error_everywhere(runner: Runner) -> None:
    """**Feature: playwright-mcp-server, Property 4: Invalid SessionId Returns Consistent Error**."""

    async def property_holds(session: str, tool: str) -> None:
        answer = await runner.reported(tool, sessionId=session, **rest_of(tool))
        assert answer == {
            "errorCode": "SESSION_NOT_FOUND",
            "message": f"Session not found: {session}",
            "sessionId": session,
            "details": {"next": "Make one with create_session."},
        }

    names = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=60)
    await runner.check(property_holds, st.one_of(names, st.uuids(version=4).map(str)), TOOLS)


async def test_a_navigation_tells_where_it_led(runner: Runner, site: Site) -> None:
    """**Feature: playwright-mcp-server, Property 5: Navigation Returns Complete Response**."""
    session = (await runner.created())["sessionId"]

    async def property_holds(status: int) -> None:
        url = site.url(f"/status/{status}")
        result = await runner.reported("navigate", sessionId=session, url=url)
        assert result == {"success": True, "title": f"Status {status}", "url": url, "status": status}

    await runner.check(property_holds, st.sampled_from([200, 201, 404, 410, 500, 503]))
    await runner.reported("close_session", sessionId=session)


@pytest.mark.long
async def test_what_works_says_so(runner: Runner, site: Site) -> None:
    """**Feature: playwright-mcp-server, Property 6: Successful Operations Return Success Field**."""
    form = (await runner.created())["sessionId"]
    await runner.reported("navigate", sessionId=form, url=site.page("form"))

    async def property_holds(text: str) -> None:
        result = await runner.reported("type", sessionId=form, selector="[name=name]", text=text)
        assert result == {"success": True, "message": "Type successful"}
        result = await runner.reported("click", sessionId=form, selector="[name=news]")
        assert result == {"success": True, "message": "Click successful"}

    await runner.check(
        property_holds, st.text(st.characters(codec="ascii", exclude_categories=["Cc"]), max_size=8)
    )
    await runner.reported("close_session", sessionId=form)


@pytest.mark.long
async def test_a_text_is_typed_where_it_arrives(runner: Runner, site: Site) -> None:
    session = (await runner.created())["sessionId"]

    async def typed(page: str, selector: str, text: str) -> dict[str, Any]:
        await runner.reported("navigate", sessionId=session, url=site.publish("/typed", page))
        return await runner.reported("type", sessionId=session, selector=selector, text=text)

    stolen = await typed(STOLEN, "#n", "Johanna Smith")
    assert stolen["errorCode"] == "ELEMENT_NOT_EDITABLE"
    assert 'textbox "Search"' in str(stolen)
    for page, selector, text in [(TERMINAL, "#keys", "ls -l"), (CHAT, "#area", "one\n\ttwo")]:
        assert (await typed(page, selector, text))["success"], selector
    held = await runner.server.call("browser_evaluate", sessionId=session, function="() => area.value")
    assert held.section("Result") == r'"one\n\ttwo"'
    assert (await typed(STOLEN, "#s", "a\tb"))["errorCode"] == "ELEMENT_NOT_EDITABLE"
    await runner.reported("close_session", sessionId=session)


@pytest.mark.long
async def test_sessions_share_no_storage(runner: Runner, site: Site) -> None:
    """**Feature: playwright-mcp-server, Property 12: Session Isolation**."""
    one, other = [(await runner.created())["sessionId"] for _ in range(2)]
    for session in (one, other):
        await runner.reported("navigate", sessionId=session, url=site.page("form"))

    async def property_holds(key: str, value: str) -> None:
        write = f"document.cookie = '{key}={value}'; localStorage.{key} = sessionStorage.{key} = '{value}'"
        write = f"() => {{ {write} }}"
        read = f"() => [document.cookie.includes('{key}='), localStorage.{key}, sessionStorage.{key}].join()"
        await runner.server.call("browser_evaluate", sessionId=one, function=write)
        reply = await runner.server.call("browser_evaluate", sessionId=other, function=read)
        assert reply.section("Result") == "false,,"
        assert reply.section("Session") == other
        reply = await runner.server.call("browser_evaluate", sessionId=one, function=read)
        assert reply.section("Result") == f"true,{value},{value}"
        forget = (
            f"() => {{ document.cookie = '{key}=; Max-Age=0'; localStorage.clear(); sessionStorage.clear() }}"
        )
        await runner.server.call("browser_evaluate", sessionId=one, function=forget)

    words = st.text("abcdefgh", min_size=4, max_size=12)
    await runner.check(property_holds, words, words)
    for session in (one, other):
        await runner.reported("close_session", sessionId=session)


@pytest.mark.long
async def test_failures_differ_by_their_codes(runner: Runner, site: Site) -> None:
    """**Feature: playwright-mcp-server, Property 15: Distinct Error Codes for Different Failures**."""
    session = (await runner.created())["sessionId"]
    await runner.reported("navigate", sessionId=session, url=site.page("form"))
    failures = {
        "SESSION_NOT_FOUND": ("click", {"sessionId": "none", "selector": "a"}),
        "NAVIGATION_FAILED": ("navigate", {"sessionId": session, "url": "http://127.0.0.1:1/"}),
        "ELEMENT_NOT_FOUND": ("click", {"sessionId": session, "selector": "#no", "timeout": 1000}),
        "ELEMENT_NOT_EDITABLE": (
            "type",
            {"sessionId": session, "selector": "h1", "text": "x", "timeout": 1000},
        ),
        "INVALID_PARAMETERS": ("navigate", {"sessionId": session}),
    }

    async def property_holds(one: str, other: str) -> None:
        codes = []
        for code in (one, other):
            await runner.reported("navigate", sessionId=session, url=site.page("form"))
            tool, arguments = failures[code]
            codes.append((await runner.reported(tool, **arguments))["errorCode"])
        assert codes == [one, other]

    some = st.sampled_from(sorted(failures))
    await runner.check(property_holds, some, some)
    await runner.reported("close_session", sessionId=session)


async def test_what_fails_tells_a_code_and_a_message(runner: Runner, site: Site) -> None:
    """**Feature: playwright-mcp-server, Property 13: Error Response Structure**."""
    session = (await runner.created())["sessionId"]
    await runner.reported("navigate", sessionId=session, url=site.page("form"))

    async def property_holds(tool: str, wrong: str) -> None:
        arguments: dict[str, object] = {"sessionId": session, **rest_of(tool), wrong: 7}
        reply = await runner.server.call(tool, **arguments)
        answer = json.loads(reply.text)
        assert reply.is_error
        assert answer["errorCode"] == "INVALID_PARAMETERS"
        assert isinstance(answer["message"], str)
        assert answer["message"]

    words = st.text("abcdefgh", min_size=4, max_size=12)
    await runner.check(property_holds, TOOLS, words)
    await runner.reported("close_session", sessionId=session)


@pytest.mark.long
async def test_errors_of_a_session_name_it(runner: Runner, site: Site) -> None:
    """**Feature: playwright-mcp-server, Property 14: Session-Related Errors Include SessionId**."""
    session = (await runner.created())["sessionId"]
    await runner.reported("navigate", sessionId=session, url=site.page("form"))

    async def property_holds(port: int) -> None:
        answer = await runner.reported("navigate", sessionId=session, url=f"http://127.0.0.1:{port}/")
        assert answer["errorCode"] == "NAVIGATION_FAILED"
        assert answer["sessionId"] == session

    # Browsers do not connect to these.
    await runner.check(property_holds, st.integers(1, 20))
    await runner.reported("close_session", sessionId=session)


@pytest.mark.parametrize("lifetime", [1_000, 90_000, 86_400_000])
def test_sessions_live_as_long_as_configured(new_wire: Callable[..., Wire], lifetime: int) -> None:
    """**Feature: playwright-mcp-server, Property 9: Session Timeout Configuration**."""
    wire = new_wire("--headless", "--session-timeout", str(lifetime))
    wire.shake_hands()
    before = time.time() * 1000
    created = json.loads(wire.call("create_session")["result"]["content"][0]["text"])
    assert before - 1 <= created["expiresAt"] - lifetime <= time.time() * 1000 + 1


@pytest.mark.long
@pytest.mark.parametrize("limit", [1, 3])
def test_the_limit_holds(new_wire: Callable[..., Wire], limit: int) -> None:
    """**Feature: playwright-mcp-server, Property 10: Max Sessions Configuration**."""
    wire = new_wire("--headless", "--max-sessions", str(limit))
    wire.shake_hands()
    calls = [wire.start_call("create_session") for _ in range(limit + 4)]
    answers: dict[int, dict[str, Any]] = {}
    while len(answers) < len(calls):
        message = wire.read()
        answers[message["id"]] = json.loads(message["result"]["content"][0]["text"])
    codes = [answer.get("errorCode") for answer in answers.values()]
    assert codes.count(None) == limit
    assert codes.count("MAX_SESSIONS_REACHED") == 4


def browser_lines(wire: Wire) -> list[bytes]:
    """How the browsers of a server were started, without the processes that belong to them."""
    lines = [Path(f"/proc/{process}/cmdline").read_bytes() for process in wire.processes()]
    of_browsers = re.compile(rb"\0--(user-data-dir=[^\0]+|profile)\0")
    return [line for line in lines if of_browsers.search(line) and b"\0--type=" not in line]


@pytest.mark.long
def test_all_sessions_share_one_browser(new_wire: Callable[..., Wire]) -> None:
    """**Feature: playwright-mcp-server, Property 11: Shared Browser Instance**."""
    wire = new_wire("--headless")
    wire.shake_hands()
    browsers = []
    for _ in range(4):
        wire.call("create_session")
        browsers.append(len(browser_lines(wire)))
    assert browsers == [1, 1, 1, 1]


def test_what_to_install_is_said_where_webkit_is_not(
    new_wire: Callable[..., Wire], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """**Feature: playwright-mcp-server, Property 7: Browser Type Configuration**."""
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setenv("BROWSER_TYPE", "webkit")
    wire = new_wire("--headless")
    wire.shake_hands()
    answer = json.loads(wire.call("create_session")["result"]["content"][0]["text"])
    assert answer["errorCode"] == "BROWSER_ERROR"
    assert "WebKitWebDriver" in answer["message"]
    assert "install webkit2gtk-driver" in answer["message"]


@pytest.mark.long
@pytest.mark.parametrize("headless", ["true", "false"])
def test_the_window_is_as_configured(
    new_wire: Callable[..., Wire], display: str, headless: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """**Feature: playwright-mcp-server, Property 8: Headless Mode Configuration**."""
    monkeypatch.setenv("DISPLAY", display)
    wire = new_wire("--headless", headless)
    wire.shake_hands()
    wire.call("create_session")
    (browser,) = browser_lines(wire)
    assert (b"--headless" in browser) is (headless == "true")


@pytest.mark.long
def test_many_sessions_leave_nothing(new_wire: Callable[..., Wire], site: Site) -> None:
    """Created, used and expired at once: no renderer stays, and the server's memory goes back."""
    sessions, timeout = extent((30, 20_000), (100, 60_000))
    wire = new_wire("--headless", "--max-sessions", str(sessions), "--session-timeout", str(timeout))
    wire.shake_hands()
    first = reported(wire.call("create_session"))["sessionId"]
    wire.call("close_session", sessionId=first)
    processes, memory = len(wire.processes()), resident(wire.process.pid)
    created = all_reported(wire, [("create_session", {})] * sessions)
    ids = [answer["sessionId"] for answer in created]
    assert len(set(ids)) == sessions
    last_expiry = max(answer["expiresAt"] for answer in created) / 1000
    visits = [("navigate", {"sessionId": session, "url": site.page("form")}) for session in ids]
    tens = [visits[start : start + 10] for start in range(0, sessions, 10)]
    visited = [answer for ten in tens for answer in all_reported(wire, ten)]
    # The first may expire while a slow machine visits the last.
    assert all(answer.get("success") or answer["errorCode"] == "SESSION_EXPIRED" for answer in visited)
    assert sum(answer.get("success", False) for answer in visited) > sessions / 2

    def are_gone() -> bool:
        time.sleep(0.5)  # Looking costs time that the end needs.
        return time.time() > last_expiry and len(wire.processes()) <= processes + 1

    end = time.monotonic() + 120
    while not are_gone():
        assert time.monotonic() < end, f"{len(wire.processes())} processes, {processes} before"
    for session in ids:
        assert reported(wire.call("close_session", sessionId=session))["errorCode"] == "SESSION_EXPIRED"
    assert resident(wire.process.pid) < memory + 25_000


def reported(message: dict[str, Any]) -> dict[str, Any]:
    """What a session tool says."""
    answer: dict[str, Any] = json.loads(message["result"]["content"][0]["text"])
    return answer


def all_reported(wire: Wire, calls: list[tuple[str, dict[str, Any]]]) -> list[dict[str, Any]]:
    """What session tools say that are called at once, in the order of their answers."""
    for tool, arguments in calls:
        wire.start_call(tool, **arguments)
    return [reported(wire.read()) for _ in calls]


def resident(process: int) -> int:
    """Kilobytes."""
    status = Path(f"/proc/{process}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0])


@pytest.mark.long
async def test_a_wait_for_a_download_is_for_what_a_session_tool_began_last(
    tmp_path: Path, site: Site
) -> None:
    site.hold()
    old = "<a id=old href='data:text/plain,x' download='old.txt'>Old</a>"
    links = f"{old} <a id=new href='/hold/file' download>New</a>"
    async with serve("--headless", cwd=tmp_path) as server:
        session = json.loads((await server.call("create_session")).text)["sessionId"]
        await server.call("navigate", sessionId=session, url=site.publish("/two", links))
        await server.call("click", sessionId=session, selector="#old")
        reply = await server.call("browser_snapshot", sessionId=session)
        while "Downloaded old.txt" not in reply.text:  # The test's own limit ends this.
            reply = await server.call("browser_snapshot", sessionId=session)
        # Nothing has been heard of the new one yet: its server has not answered.
        await server.call("click", sessionId=session, selector="#new")
        wait = {"sessionId": session, "state": "download"}
        refused = await server.call("browser_wait_for", timeout=300, **wait)
        assert "No download finished" in refused.text
        site.release()
        answer = await server.call("browser_wait_for", **wait)
        assert "old.txt" not in answer.section("Result")
