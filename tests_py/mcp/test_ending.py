"""Nothing is left behind, whatever way the server ends."""

import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests_py.support.site import Site, document
from tests_py.support.wire import Wire, until

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="the processes are looked up in /proc"),
    pytest.mark.long,
]

HANG_UP = "the client hangs up"
ENDINGS: list[str | signal.Signals] = [HANG_UP, signal.SIGTERM, signal.SIGINT, signal.SIGHUP]
EXIT = {signal.SIGINT: 130}
"""Shells want to hear of Ctrl-C; every other ending that was asked for is a success."""


@pytest.fixture(params=ENDINGS, ids=lambda ending: getattr(ending, "name", ending))
def ending(request: pytest.FixtureRequest) -> str | signal.Signals:
    """The ways in which a server is told to end."""
    ending: str | signal.Signals = request.param
    return ending


def end(wire: Wire, ending: str | signal.Signals) -> None:
    """Ends the server one way, and looks for what it left."""
    wire.processes()
    if isinstance(ending, signal.Signals):
        wire.send(ending)
    else:
        wire.hang_up()
    expected = EXIT.get(ending, os.EX_OK) if isinstance(ending, signal.Signals) else os.EX_OK
    assert wire.ended() == expected
    nothing_runs(wire)
    assert not any("Traceback" in line for line in wire.log)


def nothing_runs(wire: Wire) -> None:
    """Waits until none of the server's processes is left."""
    until(lambda: not wire.processes(), "the end of the server's processes")


def profiles(folder: Path) -> set[Path]:
    """The directories that the server made."""
    return {entry for entry in folder.iterdir() if entry.is_dir() and not entry.name.startswith(".")}


def test_a_server_that_was_never_used_leaves_nothing(
    wire: Wire, folder: Path, ending: str | signal.Signals
) -> None:
    wire.shake_hands()
    end(wire, ending)
    assert profiles(folder) == set()


def test_a_server_with_a_page_leaves_nothing(
    wire: Wire, site: Site, folder: Path, ending: str | signal.Signals
) -> None:
    wire.shake_hands()
    wire.call("browser_navigate", url=site.page("frames"))
    assert len(wire.processes()) > 1
    assert profiles(folder)
    end(wire, ending)
    assert profiles(folder) == set()


def test_a_server_in_the_middle_of_a_call_leaves_nothing(
    wire: Wire, site: Site, folder: Path, ending: str | signal.Signals
) -> None:
    wire.shake_hands()
    wire.call("browser_navigate", url=site.page("form"))
    wire.start_call("browser_evaluate", function="() => new Promise(() => {})")
    wire.start_call("browser_evaluate", function="() => { for (;;); }")
    wire.ask("ping")
    end(wire, ending)
    assert profiles(folder) == set()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP], ids=lambda it: it.name)
def test_a_server_that_is_reported_twice_leaves_nothing(
    wire: Wire, site: Site, folder: Path, number: signal.Signals
) -> None:
    wire.shake_hands()
    wire.call("browser_navigate", url=site.page("form"))
    wire.start_call("browser_evaluate", function="() => { for (;;); }")
    wire.ask("ping")
    assert profiles(folder)
    wire.processes()
    wire.send(number)
    wire.send(number)
    assert wire.ended() == EXIT.get(number, os.EX_OK)
    nothing_runs(wire)
    assert profiles(folder) == set()


def test_a_server_that_is_reported_twice_in_the_middle_of_a_launch_leaves_nothing(
    wire: Wire, site: Site, folder: Path
) -> None:
    wire.shake_hands()
    wire.start_call("browser_navigate", url=site.page("form"))
    until(lambda: bool(wire.processes()), "the start of a browser")
    wire.send(signal.SIGTERM)
    wire.send(signal.SIGTERM)
    wire.ended()
    nothing_runs(wire)
    assert profiles(folder) == set()


def test_a_server_that_is_to_outlive_its_terminal_does(folder: Path, site: Site) -> None:
    """As under nohup."""
    with Wire(folder, "--headless", ignored=(signal.SIGHUP,)) as wire:
        wire.shake_hands()
        wire.call("browser_navigate", url=site.page("form"))
        wire.send(signal.SIGHUP)
        assert 'textbox \\"Name\\"' in json.dumps(wire.call("browser_navigate", url=site.page("form")))
        end(wire, signal.SIGTERM)
    assert profiles(folder) == set()


def test_what_a_download_has_begun_goes_with_the_server(wire: Wire, site: Site, folder: Path) -> None:
    site.hold()
    wire.shake_hands()
    link = f'<a href="{site.url("/stalls/half")}">Get</a>'
    wire.call("browser_navigate", url=site.publish("/get", document("Get", link)))
    wire.call("browser_evaluate", function="() => { document.querySelector('a').click() }")
    kept = folder / ".patchright-mcp"
    until(lambda: any(file.is_file() for file in kept.rglob("*")), "the beginning of the download")
    end(wire, signal.SIGTERM)
    assert [file for file in kept.rglob("*") if file.is_file()] == []


def test_a_server_in_the_middle_of_a_launch_leaves_nothing(
    wire: Wire, site: Site, folder: Path, ending: str | signal.Signals
) -> None:
    wire.shake_hands()
    wire.start_call("browser_navigate", url=site.page("form"))
    until(lambda: bool(wire.processes()), "the start of a browser")
    end(wire, ending)
    assert profiles(folder) == set()


def test_a_client_that_leaves_before_it_has_said_a_word_ends_the_server(
    wire: Wire, ending: str | signal.Signals
) -> None:
    if ending != HANG_UP:
        wire.ask("ping")  # The handlers of signals stand once something is answered.
    end(wire, ending)


def test_a_killed_server_takes_its_browser_along(wire: Wire, site: Site) -> None:
    wire.shake_hands()
    wire.call("browser_navigate", url=site.page("frames"))
    assert len(wire.processes()) > 1
    wire.send(signal.SIGKILL)
    assert wire.ended() == -signal.SIGKILL
    nothing_runs(wire)


def test_the_profile_of_a_killed_server_is_swept_by_the_next(
    new_wire: Callable[..., Wire], site: Site, folder: Path
) -> None:
    first = new_wire("--headless")
    first.shake_hands()
    first.call("browser_navigate", url=site.page("form"))
    left = profiles(folder)
    assert left
    first.send(signal.SIGKILL)
    first.ended()
    nothing_runs(first)
    second = new_wire("--headless")
    second.shake_hands()
    second.call("browser_navigate", url=site.page("form"))
    until(lambda: not left & profiles(folder), "the sweeping of the profile")


def test_the_profile_of_a_server_that_lives_is_not_swept(
    new_wire: Callable[..., Wire], site: Site, folder: Path
) -> None:
    first, second = new_wire("--headless"), new_wire("--headless")
    for wire in (first, second):
        wire.shake_hands()
        wire.call("browser_navigate", url=site.page("form"))
    assert 'textbox \\"Name\\"' in json.dumps(first.call("browser_navigate", url=site.page("form")))
    for wire in (first, second):
        end(wire, HANG_UP)
    assert profiles(folder) == set()


def test_a_long_path_of_temporary_files_is_no_obstacle(folder: Path, site: Site) -> None:
    """A browser cannot listen below a path of more than some sixty characters; its profile may be there."""
    long = folder / ("long" * 30)
    long.mkdir()
    with Wire(long, "--headless") as wire:
        wire.shake_hands()
        assert 'textbox \\"Name\\"' in json.dumps(wire.call("browser_navigate", url=site.page("form")))
        assert profiles(long)
        end(wire, HANG_UP)
    assert profiles(long) == set()


def test_a_browser_that_dies_is_reported_and_the_next_call_has_a_new_one(wire: Wire, site: Site) -> None:
    wire.shake_hands()
    wire.call("browser_navigate", url=site.page("form"))
    for process in wire.processes():
        os.kill(process, signal.SIGKILL)
    until(lambda: not wire.processes(), "the end of the browser")
    wire.call("browser_snapshot")
    answer = wire.call("browser_navigate", url=site.page("form"))
    assert 'textbox \\"Name\\"' in json.dumps(answer)


def test_a_page_that_dies_while_it_is_left_is_left(wire: Wire, site: Site) -> None:
    site.hold()
    wire.shake_hands()
    wire.call("browser_navigate", url=site.page("form"))
    leaves = wire.start_call("browser_navigate", url=site.url("/hold/next"))
    until(lambda: bool(site.requested("/hold/next")), "the beginning of the navigation")
    for process in wire.processes():
        if b"--type=renderer" in Path(f"/proc/{process}/cmdline").read_bytes():
            os.kill(process, signal.SIGKILL)
    site.release()
    assert "Released at last" in json.dumps(wire.answer_to(leaves))
