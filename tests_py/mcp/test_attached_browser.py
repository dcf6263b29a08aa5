"""In a person's own browser: windows of our own, and nothing of theirs touched."""

from __future__ import annotations

import json
import socket
import struct
import subprocess
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import urlsplit

import pytest

from patchright_mcp.async_api import async_playwright
from tests_py.support.family import Family
from tests_py.support.http import HttpServer
from tests_py.support.site import Site
from tests_py.support.wire import Wire, until

pytestmark = pytest.mark.long

SPY = """<!doctype html><title>Theirs</title><script>
  const tell = (kind) => fetch('/guest-noted?' + kind);
  for (const kind of ['blur', 'resize', 'pagehide', 'freeze'])
    for (const target of [document, window]) target.addEventListener(kind, () => tell(kind));
  document.addEventListener('visibilitychange', () => document.hidden && tell('hidden'));
  addEventListener('load', () => tell('load'));
</script>"""
HANGING = "<title>Hanging</title><script>setTimeout(() => { for (;;); }, 50)</script>"
OWN = "<title>Own</title><a target=_blank href=/guest-child>more</a>"
UPGRADE = (
    "GET {path} HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
)
PATIENCE_S = 60


@dataclass
class Theirs:
    """A browser that a person has running, with nobody attached to it."""

    profile: Path

    def ask(self, path: str, method: str = "GET") -> Any:  # noqa: ANN401
        """What the browser itself answers."""
        port = (self.profile / "DevToolsActivePort").read_text().split()[0]
        request = urllib.request.Request(f"http://127.0.0.1:{port}/json/{path}", method=method)
        with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:  # noqa: S310
            text = answer.read()
        # That it closes a tab it does not say in JSON.
        return json.loads(text) if text[:1] in (b"{", b"[") else None

    def is_reachable(self) -> bool:
        """Whether it has said where, which it writes down in two steps."""
        port = self.profile / "DevToolsActivePort"
        return port.exists() and bool(port.read_text())

    def open(self) -> dict[str, str]:
        """The tabs that are open, by their ids."""
        return {tab["id"]: tab["url"] for tab in self.ask("list") if tab["type"] == "page"}


@pytest.fixture
async def program() -> str:
    """Where Chromium is."""
    async with async_playwright() as playwright:
        return playwright.chromium.executable_path


@pytest.fixture
def theirs(folder: Path, site: Site, program: str) -> Iterator[Theirs]:
    """Their browser, with a page that hangs and, before it, one that notes what happens to it."""
    site.publish("/guest-noted", "")
    # Of another site, so that it holds up no page but itself.
    hanging = site.publish("/guest-hanging", HANGING).replace(site.origin, site.other_origin)
    options = (
        "--headless=new",
        "--no-sandbox",
        "--no-first-run",
        "--remote-debugging-port=0",
    )
    theirs, noted = Theirs(folder / "profile"), len(site.requested("/guest-noted"))
    theirs.profile.mkdir()
    # Has it open `chrome://discards`, by which a tab is put to sleep as where memory is short.
    (theirs.profile / "Local State").write_text('{"internal_only_uis_enabled": true}')
    command = [program, *options, f"--user-data-dir={theirs.profile}", hanging]
    with subprocess.Popen(command) as process:
        family = Family("theirs", process.pid)
        try:
            until(theirs.is_reachable, "the browser")
            theirs.ask("new?" + site.publish("/guest-spy", SPY), method="PUT")
            until(lambda: len(site.requested("/guest-noted")) > noted, "their page")
            yield theirs
        finally:
            family.processes()
            process.terminate()
    # Its helpers outlive it for a moment, and write.
    until(lambda: not family.processes(), "the end of the browser's helpers")


@pytest.fixture
def attached(new_wire: Callable[..., Wire], folder: Path) -> Callable[[], Wire]:
    """Starts servers that come to that browser."""

    def start() -> Wire:
        arguments = ("--user-data-dir", str(folder / "profile"), "--input", "instant", "--live", "off")
        wire = new_wire("--attach", "chromium", *arguments)
        wire.shake_hands()
        return wire

    return start


def reported(answer: dict[str, object]) -> str:
    """The text of an answer."""
    result = answer["result"]
    assert isinstance(result, dict)
    return str(result["content"][0]["text"])


def test_their_tabs_are_neither_shown_nor_touched(
    theirs: Theirs, attached: Callable[[], Wire], site: Site
) -> None:
    before, noted = theirs.open(), len(site.requested("/guest-noted"))
    site.publish("/guest-child", "<title>Child</title>")
    wire = attached()
    opened = reported(wire.call("browser_navigate", url=site.publish("/guest-own", OWN)))
    assert "Own" in opened
    assert "/guest-child" in reported(wire.call("browser_click", ref="text=more"))
    tabs = reported(wire.call("browser_tabs", action="list"))
    assert "Own" in tabs
    assert "/guest-child" in tabs
    assert "Theirs" not in tabs
    assert "Hanging" not in tabs
    assert not reported(wire.call("browser_take_screenshot")).startswith("### Error")
    assert len(theirs.open()) == len(before) + 2

    wire.hang_up()
    assert wire.ended() == 0
    until(lambda: theirs.open() == before, "the end of our tabs")
    assert [request.query for request in site.requested("/guest-noted")[noted:]] == []


def states(theirs: Theirs) -> list[str]:
    """What was found out and told as a title."""
    return [tab["title"] for tab in theirs.ask("list") if tab["title"].startswith("State: ")]


def state_of(theirs: Theirs, title: str, *, after_pressing: str = "") -> str:
    """What their browser says of a tab, once it has done what a button there does."""
    page = theirs.ask("new?chrome://discards", method="PUT")
    script = f"""(async () => {{
      if (location.protocol !== 'chrome:' || window.isAsked) return;
      window.isAsked = true;
      const nodes = (root) => [...root.querySelectorAll('*')].flatMap(
        (node) => [node, ...(node.shadowRoot ? nodes(node.shadowRoot) : [])]);
      const rows = () => nodes(document).filter((node) => node.tagName === 'TR');
      const row = () => rows().find((node) => node.innerText.includes('{title}'));
      const button = () => nodes(row()).find((node) => node.textContent.trim() === '[{after_pressing}]');
      const until = async (look) => {{ while (!look()) await new Promise((soon) => setTimeout(soon, 50)); }};
      await until(row);
      if ('{after_pressing}') {{
        await until(button);
        const before = row().innerText;
        button().click();
        await until(() => row().innerText !== before);
      }}
      document.title = 'State: ' + row().innerText.replaceAll('\\n', ' ');
    }})()"""
    command = {"id": 1, "method": "Runtime.evaluate", "params": {"expression": script}}
    address = urlsplit(page["webSocketDebuggerUrl"])
    with socket.create_connection((address.hostname, address.port)) as line:
        line.sendall(UPGRADE.format(path=address.path, host=address.netloc).encode())
        assert b" 101 " in line.recv(4096)
        sent = json.dumps(command).encode()
        # One masked frame, whose mask is nothing.
        frame = b"\x81\xfe" + struct.pack(">H", len(sent)) + bytes(4) + sent

        def is_known() -> bool:
            # Sent repeatedly, since the first one may reach the initial empty document.
            line.sendall(frame)
            return bool(states(theirs))

        until(is_known, "what is known of the tab")
        (state,) = states(theirs)
    theirs.ask(f"close/{page['id']}")
    until(lambda: page["id"] not in theirs.open(), "the end of that page")
    return state


def test_a_tab_that_sleeps_is_not_woken(theirs: Theirs, attached: Callable[[], Wire], site: Site) -> None:
    theirs.ask("new?" + site.publish("/guest-sleeps", "<title>Sleeps</title>"), method="PUT")
    # To be looked at when what stands beside it closes.
    theirs.ask("new?" + site.publish("/guest-seen", "<title>Seen</title>"), method="PUT")
    assert "discarded" in state_of(theirs, "Sleeps", after_pressing="Urgent Discard")
    before, visits = theirs.open(), len(site.requested("/guest-sleeps"))
    wire = attached()
    assert "Own" in reported(wire.call("browser_navigate", url=site.publish("/guest-own", OWN)))
    assert "Sleeps" not in reported(wire.call("browser_tabs", action="list"))
    wire.hang_up()
    assert wire.ended() == 0
    until(lambda: theirs.open() == before, "the end of our tabs")
    assert "discarded" in state_of(theirs, "Sleeps")
    assert len(site.requested("/guest-sleeps")) == visits


def test_clients_see_their_own_tabs_alone(theirs: Theirs, attached: Callable[[], Wire], site: Site) -> None:
    assert theirs.open()
    one, other = attached(), attached()
    reported(one.call("browser_navigate", url=site.publish("/guest-one", "<title>One</title>")))
    reported(other.call("browser_navigate", url=site.publish("/guest-other", "<title>Other</title>")))
    assert "Other" not in reported(one.call("browser_tabs", action="list"))
    assert "One" not in reported(other.call("browser_tabs", action="list"))


class Doorman:
    """Stands before a browser and counts who connects, as Chrome does that asks its person each time."""

    def __init__(self, profile: Path, folder: Path) -> None:
        port, path = (profile / "DevToolsActivePort").read_text().split()
        self._to = int(port)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.let_in = 0
        self.profile = folder
        folder.mkdir()
        (folder / "DevToolsActivePort").write_text(f"{self._listener.getsockname()[1]}\n{path}")
        Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                self.let_in += 1
                far = socket.create_connection(("127.0.0.1", self._to))
                for one, other in ((near, far), (far, near)):
                    Thread(target=self._carry, args=(one, other), daemon=True).start()

    @staticmethod
    def _carry(one: socket.socket, other: socket.socket) -> None:
        with suppress(OSError):
            while data := one.recv(65536):
                other.sendall(data)
            other.shutdown(socket.SHUT_WR)

    def close(self) -> None:
        self._listener.close()


def test_the_person_is_asked_once_for_all_clients(theirs: Theirs, folder: Path, site: Site) -> None:
    doorman = Doorman(theirs.profile, folder / "before")
    arguments = ("--attach", "chromium", "--user-data-dir", str(doorman.profile), "--input", "instant")
    with HttpServer(folder, *arguments) as server:
        for name in ("One", "Other"):
            client = server.begin()
            page = site.publish(f"/guest-{name}", f"<title>{name}</title>")
            assert name in client.text("browser_navigate", url=page)
        assert doorman.let_in == 1
    doorman.close()


def test_a_browser_that_is_not_there_is_reported_with_what_to_do(attached: Callable[[], Wire]) -> None:
    answer = reported(attached().call("browser_navigate", url="about:blank"))
    assert "is not running, or remote debugging is disabled" in answer
    assert "chrome://inspect/#remote-debugging" in answer
