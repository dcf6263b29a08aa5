"""WebKit in sessions: the five tools, its start, and its end."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from tests_py.support.client import Server, serve
from tests_py.support.site import Site, document
from tests_py.support.wire import Wire, until

FIELD = """<label>Name <input id=name value=old></label><button id=go disabled>Go</button>
<button id=ok onclick="said.textContent = field.value">OK</button><p id=said></p>
<script>const field = document.querySelector('#name'), said = document.querySelector('#said');</script>"""


async def ask(server: Server, tool: str, **arguments: object) -> dict[str, object]:
    """The JSON that a session tool answers."""
    answer = json.loads((await server.call(tool, **arguments)).text)
    assert isinstance(answer, dict)
    return answer


async def test_the_session_tools_do_their_work(site: Site, tmp_path: Path) -> None:
    url = site.publish("/field", document("Field", FIELD))
    async with serve(
        "--headless", "--browser", "chromium", "--timeout-action", "500", cwd=tmp_path
    ) as server:
        made = await ask(server, "create_session", browserType="webkit")
        assert "navigator.webdriver is true" in str(made["note"])
        session = made["sessionId"]
        went = await ask(server, "navigate", sessionId=session, url=url)
        assert went["success"]
        assert (went["title"], went["url"], went["status"]) == ("Field", url, 0)
        assert "does not tell the status" in str(went["note"])
        typed = await ask(
            server, "type", sessionId=session, selector="#name", text="Ada \U0001f600", clear=True
        )
        assert typed["success"]
        clicked = await ask(server, "click", sessionId=session, selector="text=OK")
        assert clicked["success"]
        read = await server.call(
            "browser_evaluate", sessionId=session, function="() => document.body.innerText"
        )
        assert "Ada \U0001f600" in read.section("Result")
        listed = await ask(server, "list_sessions")
        assert listed["sessions"] == [
            {"sessionId": session, "expiresAt": made["expiresAt"], "url": url},
        ]
        missing = await ask(server, "click", sessionId=session, selector="#nothing")
        assert missing["errorCode"] == "ELEMENT_NOT_FOUND"
        disabled = await ask(server, "click", sessionId=session, selector="#go")
        assert disabled["errorCode"] == "ELEMENT_NOT_CLICKABLE"
        fixed = await ask(server, "type", sessionId=session, selector="#ok", text="no")
        assert fixed["errorCode"] == "ELEMENT_NOT_EDITABLE"
        lost = await ask(server, "navigate", sessionId=session, url="http://127.0.0.1:9/")
        assert lost["errorCode"] == "NAVIGATION_FAILED"
        assert (await ask(server, "close_session", sessionId=session))["success"]
        over = await ask(server, "click", sessionId=session, selector="#ok")
        assert over["errorCode"] == "SESSION_NOT_FOUND"


async def test_sessions_share_no_cookies(site: Site, tmp_path: Path) -> None:
    async with serve("--headless", cwd=tmp_path) as server:
        one, other = [(await ask(server, "create_session"))["sessionId"] for _ in range(2)]
        for session in (one, other):
            await ask(server, "navigate", sessionId=session, url=site.page("form"))
        await server.call("browser_evaluate", sessionId=one, function="() => { document.cookie = 'a=1'; }")
        seen = await server.call("browser_evaluate", sessionId=other, function="() => `[${document.cookie}]`")
        assert "[]" in seen.text


@pytest.mark.parametrize(
    ("kind", "mark"), [("chromium", "Chrome/"), ("firefox", "Firefox/"), ("webkit", "Safari/")]
)
def test_the_variable_of_the_first_description_chooses_among_three_browsers(
    folder: Path, site: Site, monkeypatch: pytest.MonkeyPatch, kind: str, mark: str
) -> None:
    """**Feature: playwright-mcp-server, Property 7: Browser Type Configuration**."""
    monkeypatch.setenv("BROWSER_TYPE", kind)
    with Wire(folder, "--headless") as wire:
        wire.shake_hands()
        session = json.loads(wire.call("create_session")["result"]["content"][0]["text"])["sessionId"]
        wire.call("navigate", sessionId=session, url=site.page("form"))
    agent = site.requested("/pages/form.html")[-1].headers["User-Agent"]
    assert mark in agent
    assert ("Chrome/" in agent) == (kind == "chromium")


def browser(wire: Wire) -> Path:
    """What the system tells of the process that has the window."""
    folders = [Path(f"/proc/{process}") for process in wire.processes()]
    named = [folder for folder in folders if b"MiniBrowser" in (folder / "cmdline").read_bytes()]
    assert named
    return named[0]


def screen(wire: Wire) -> Path:
    """Where the screen of a server's WebKit listens."""
    variables = (browser(wire) / "environ").read_bytes().decode().split("\0")
    name = next(variable for variable in variables if variable.startswith("DISPLAY=:"))
    socket = Path("/tmp/.X11-unix") / f"X{name.partition(':')[2]}"
    assert socket.exists()
    return socket


def test_nothing_outlives_a_server_that_is_killed(
    new_wire: Callable[..., Wire], site: Site, folder: Path
) -> None:
    wire = new_wire("--headless", "--browser", "webkit")
    wire.shake_hands()
    wire.call("browser_navigate", url=site.page("form"))
    assert len(wire.processes()) > 4
    first = screen(wire)
    wire.send(signal.SIGKILL)
    until(lambda: not wire.processes(), "the end of WebKit")
    assert not first.exists()
    # What it leaves on the disk goes with the next start.
    later = new_wire("--headless", "--browser", "webkit")
    later.shake_hands()
    later.call("browser_navigate", url=site.page("form"))
    until(lambda: len([*folder.glob("patchright-mcp-*")]) == 1, "the removal of the old folder")
    second = screen(later)
    later.hang_up()
    later.ended()
    until(lambda: not later.processes(), "the end of the second WebKit")
    assert not [*folder.glob("patchright-mcp-*")]
    assert not second.exists()


def test_a_session_that_is_closed_leaves_nothing(
    new_wire: Callable[..., Wire], site: Site, folder: Path
) -> None:
    wire = new_wire("--headless", "--browser", "webkit")
    wire.shake_hands()
    session = json.loads(wire.call("create_session")["result"]["content"][0]["text"])["sessionId"]
    wire.call("navigate", sessionId=session, url=site.page("form"))
    assert wire.processes()
    wire.call("close_session", sessionId=session)
    assert not wire.processes()
    assert not [*folder.glob("patchright-mcp-*")]


def test_a_browser_that_is_gone_is_said_and_started_again(new_wire: Callable[..., Wire], site: Site) -> None:
    wire = new_wire("--headless", "--browser", "webkit")
    wire.shake_hands()
    wire.call("browser_navigate", url=site.page("form"))
    os.kill(int(browser(wire).name), signal.SIGKILL)
    gone = wire.call("browser_snapshot")["result"]
    assert gone["isError"]
    assert "starts a fresh browser" in gone["content"][0]["text"]
    again = wire.call("browser_navigate", url=site.page("form"))["result"]
    assert not again.get("isError"), again
    assert any("navigator.webdriver is true" in line for line in wire.log)
