"""The server behind the verbs: one for each folder, and nothing of it is left."""

import fcntl
import os
import signal
import subprocess
import sys

import pytest

from tests_py.support.shell import Shell
from tests_py.support.site import Site
from tests_py.support.wire import until

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="the processes are looked up in /proc"),
    pytest.mark.long,
]


def test_closing_leaves_nothing(shell: Shell, site: Site) -> None:
    shell.run("open", site.page("frames"))
    assert len(shell.processes()) > 2
    shell.run("close")
    shell.until_nothing_runs()
    assert shell.left() == set()
    assert not (shell.folder / ".patchright-mcp" / "page.yml").exists()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP], ids=lambda it: it.name)
def test_a_signal_leaves_nothing(shell: Shell, site: Site, number: signal.Signals) -> None:
    shell.run("open", site.page("form"))
    (server,) = shell.servers()
    os.kill(server, number)
    shell.until_nothing_runs()
    assert shell.left() == set()


def test_after_a_kill_the_next_command_begins_anew(shell: Shell, site: Site) -> None:
    shell.run("open", site.page("form"))
    (server,) = shell.servers()
    os.kill(server, signal.SIGKILL)
    shell.until_nothing_runs()
    assert 'textbox "Name"' in shell.run("open", site.page("form"))
    shell.run("close")
    assert shell.left() == set()


def test_the_background_server_exits_when_unused(shell: Shell, site: Site) -> None:
    shell.run("open", site.page("form"), "--idle-timeout=300")
    shell.until_nothing_runs()
    assert shell.left() == set()


def test_a_command_that_opens_nothing_leaves_no_server(shell: Shell) -> None:
    shell.run("snapshot", status=1)
    shell.until_nothing_runs()
    assert shell.left() == set()


def test_a_server_that_nobody_can_find_any_more_ends(shell: Shell, site: Site) -> None:
    shell.run("open", site.page("form"))
    (socket,) = shell.temporary.rglob("*.sock")
    socket.unlink()
    shell.until_nothing_runs()
    assert shell.left() == set()


def test_first_commands_at_once_start_one_server(shell: Shell, site: Site) -> None:
    started = [shell.start("open", site.page("form"), "-s", f"s{number}") for number in range(4)]
    for process in started:
        with process:
            reported, complaints = process.communicate(timeout=40)
            assert process.returncode == 0, complaints
            assert 'textbox "Name"' in reported
    assert len(shell.servers()) == 1
    shell.run("close", "--all")
    shell.until_nothing_runs()


def test_a_server_outlives_the_terminal_that_it_was_started_from(shell: Shell, site: Site) -> None:
    shell.run("open", site.page("form"))
    (server,) = shell.servers()
    assert os.getsid(server) == server, "a session of its own hears nothing of the terminal's end"


def test_a_browser_that_dies_is_reported_and_the_next_page_has_a_new_one(shell: Shell, site: Site) -> None:
    shell.run("open", site.page("form"))
    servers = set(shell.servers())
    browser = shell.processes() - servers
    for process in browser:
        os.kill(process, signal.SIGKILL)
    until(lambda: not shell.processes() & browser, "the end of the browser")
    shell.run("snapshot", status=1)
    assert 'textbox "Name"' in shell.run("open", site.page("form"))


def test_what_does_not_start_says_why(shell: Shell, site: Site) -> None:
    shell.environment["PATCHRIGHT_MCP_DEVICE"] = "Pxel 7"
    answer = shell.run("open", site.page("form"), status=3)
    assert "did not start: patchright-mcp: --device" in answer
    shell.until_nothing_runs()


def test_a_server_holds_nothing_of_whoever_started_it(shell: Shell, site: Site) -> None:
    lock = shell.folder / "lock"
    with lock.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        command = [sys.executable, "-m", "patchright_mcp", "open", site.page("form")]
        opened = {"env": shell.environment, "cwd": shell.folder, "pass_fds": (held.fileno(),)}
        subprocess.run(command, check=True, capture_output=True, timeout=60, **opened)  # type: ignore[call-overload]
    with lock.open() as again:
        fcntl.flock(again, fcntl.LOCK_EX | fcntl.LOCK_NB)
    shell.run("close")


def test_a_server_that_says_nothing_is_given_up_with_the_way_out(shell: Shell, site: Site) -> None:
    shell.run("open", site.page("form"))
    (server,) = shell.servers()
    os.kill(server, signal.SIGSTOP)
    waiting = [shell.start("snapshot"), shell.start("close", "--all")]
    for command in waiting:
        with command:
            complaints = command.communicate(timeout=60)[1]
        assert command.returncode == 3, complaints
        assert f"`kill -9 {server}`" in complaints
    os.kill(server, signal.SIGKILL)
    shell.until_nothing_runs()
    assert "A form" in shell.run("open", site.page("form"))
    shell.run("close")


def test_work_that_takes_long_is_waited_for(shell: Shell, site: Site) -> None:
    shell.run("open", site.page("form"))
    long = "() => new Promise((done) => setTimeout(() => done('at last'), 23000))"
    assert "at last" in shell.run("eval", long)
    shell.run("close")


def test_a_server_is_found_whatever_the_runtime_folder_is_called(shell: Shell, site: Site) -> None:
    deep = shell.folder / "runtime" / ("x" * 100)
    deep.mkdir(parents=True)
    shell.environment["XDG_RUNTIME_DIR"] = str(deep)
    shell.run("open", site.page("form"))
    del shell.environment["XDG_RUNTIME_DIR"]
    assert "A form" in shell.run("tabs", "list")
    shell.run("close")
