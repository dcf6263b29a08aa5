"""The protocol, line by line, with nothing between."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

import patchright_mcp
from tests_py.support.site import Site
from tests_py.support.wire import Wire, until

METHOD_NOT_FOUND = -32601
PARSE_ERROR = -32700


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs the program to its end."""
    command = [sys.executable, "-m", "patchright_mcp", *arguments]
    return subprocess.run(
        command, check=False, capture_output=True, text=True, timeout=30, stdin=subprocess.DEVNULL
    )


def test_initialize_names_the_server_and_its_tools(wire: Wire) -> None:
    result = wire.shake_hands()["result"]
    assert result["serverInfo"]["version"] == patchright_mcp.__version__
    assert "tools" in result["capabilities"]


@pytest.mark.parametrize("revision", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
def test_a_known_revision_is_agreed_to(wire: Wire, revision: str) -> None:
    client = {"name": "wire", "version": "1"}
    answer = wire.ask("initialize", {"protocolVersion": revision, "capabilities": {}, "clientInfo": client})
    assert answer["result"]["protocolVersion"] == revision


def test_ping_is_answered(wire: Wire) -> None:
    wire.shake_hands()
    assert wire.ask("ping")["result"] == {}


@pytest.mark.parametrize(
    "line",
    [
        "nonsense",
        '{"jsonrpc": "2.0", ',
        '{"jsonrpc": "2.0"} trailing',
        "\x00\x01",
        '"\\ud800',
        '{"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": {"name": "x", "name": "y"}}',
    ],
)
def test_what_is_no_json_is_answered_and_the_connection_lives_on(wire: Wire, line: str) -> None:
    wire.shake_hands()
    wire.write(line)
    answer = wire.answer_to(None)
    assert answer["error"]["code"] == PARSE_ERROR
    assert answer["id"] is None
    assert wire.ask("ping")["result"] == {}


def test_an_unknown_method_is_not_found(wire: Wire) -> None:
    wire.shake_hands()
    assert wire.ask("no/such/method")["error"]["code"] == METHOD_NOT_FOUND


def test_an_unknown_tool_is_not_found(wire: Wire) -> None:
    wire.shake_hands()
    assert wire.call("browser_dance")["error"]["code"] == METHOD_NOT_FOUND


def test_a_cancelled_call_stops_and_the_next_one_works(wire: Wire, site: Site) -> None:
    wire.shake_hands()
    wire.call("browser_navigate", url=site.page("form"))
    endless = wire.start_call("browser_evaluate", function="() => new Promise(() => {})")
    wire.notify("notifications/cancelled", {"requestId": endless, "reason": "no longer needed"})
    after = wire.call("browser_snapshot")
    assert 'textbox \\"Name\\"' in json.dumps(after["result"])


def test_a_slow_call_reports_progress(wire: Wire, site: Site) -> None:
    wire.shake_hands()
    site.hold()
    call = wire.start(
        "tools/call",
        {
            "name": "browser_navigate",
            "arguments": {"url": site.url("/hold")},
            "_meta": {"progressToken": "slow"},
        },
    )
    message = wire.read()
    while message.get("method") != "notifications/progress":
        message = wire.read()
    assert message["params"]["progressToken"] == "slow"
    site.release()
    assert "Released at last" in json.dumps(wire.answer_to(call))


@pytest.mark.long
def test_a_ping_is_answered_while_a_call_is_under_way(wire: Wire, site: Site) -> None:
    wire.shake_hands()
    site.hold()
    call = wire.start_call("browser_navigate", url=site.url("/hold"))
    assert wire.ask("ping")["result"] == {}
    site.release()
    assert "Released at last" in json.dumps(wire.answer_to(call))


@pytest.mark.long
def test_standard_output_carries_nothing_but_the_protocol(wire: Wire, site: Site) -> None:
    wire.shake_hands()
    wire.call("browser_navigate", url=site.page("noisy"))
    wire.call("browser_dance")
    wire.hang_up()
    wire.ended()
    assert all(json.loads(line)["jsonrpc"] == "2.0" for line in wire.lines)


@pytest.mark.long
def test_without_a_display_and_without_the_flag_it_starts_headless_and_says_so(
    new_wire: Callable[..., Wire], site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    wire = new_wire()
    wire.shake_hands()
    answer = wire.call("browser_navigate", url=site.page("form"))
    assert 'textbox \\"Name\\"' in json.dumps(answer)
    until(lambda: any("without a window" in line for line in wire.log), "a line about it")


def test_a_window_asked_for_without_a_display_is_an_error_that_names_it(
    new_wire: Callable[..., Wire], site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    wire = new_wire("--headless", "false")
    wire.shake_hands()
    text = json.dumps(wire.call("browser_navigate", url=site.page("form")))
    assert "DISPLAY" in text
    assert "xvfb-run" in text


@pytest.mark.skipif(sys.platform != "linux", reason="sockets are looked up in /proc")
def test_a_browser_that_is_launched_opens_no_port(wire: Wire, site: Site) -> None:
    wire.shake_hands()
    wire.call("browser_navigate", url=site.page("form"))
    listening = set()
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        rows = [line.split() for line in Path(table).read_text().splitlines()[1:]]
        listening |= {f"socket:[{row[9]}]" for row in rows if row[3] == "0A"}
    assert listening, "at least the site listens"
    family = wire.processes() | {wire.process.pid}
    assert len(family) > 1
    held = set()
    for process in family:
        for entry in Path(f"/proc/{process}/fd").iterdir():
            with suppress(OSError):
                held.add(str(entry.readlink()))
    assert not held & listening


def test_with_a_display_a_window_opens(
    new_wire: Callable[..., Wire], site: Site, display: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DISPLAY", display)
    wire = new_wire()
    wire.shake_hands()
    assert 'textbox \\"Name\\"' in json.dumps(wire.call("browser_navigate", url=site.page("form")))
    agent = json.dumps(wire.call("browser_evaluate", function="() => navigator.userAgent"))
    assert "Headless" not in agent
    assert not any("without a window" in line for line in wire.log)


def test_a_browser_that_is_not_there_is_an_error_that_says_what_to_do(
    new_wire: Callable[..., Wire], site: Site
) -> None:
    wire = new_wire("--headless", "--executable-path", "/nowhere/chromium")
    wire.shake_hands()
    answer = wire.call("browser_navigate", url=site.page("form"))
    assert answer["result"]["isError"]
    assert wire.ask("ping")["result"] == {}


def test_version_prints_the_version() -> None:
    ended = run("--version")
    assert ended.returncode == os.EX_OK
    assert patchright_mcp.__version__ in ended.stdout


def test_help_tells_the_options() -> None:
    ended = run("--help")
    assert ended.returncode == os.EX_OK
    assert "--headless" in ended.stdout


def test_an_unknown_option_is_named_on_standard_error() -> None:
    ended = run("--no-such-option")
    assert ended.returncode != os.EX_OK
    assert "--no-such-option" in ended.stderr
    assert ended.stdout == ""
