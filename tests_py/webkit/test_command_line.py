"""The command line with WebKit: its page is there for the commands after the first."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests_py.support.shell import Shell
from tests_py.support.site import Site


@pytest.fixture
def shell(folder: Path) -> Iterator[Shell]:
    """A folder of the test's own, in which our program is a command."""
    with Shell(folder) as shell:
        yield shell


def test_the_page_stays_open_from_command_to_command(shell: Shell, site: Site) -> None:
    url = site.page("clicks")
    opened = shell.run("open", url, "--browser", "webkit")
    (server,) = shell.servers()
    assert shell.run("sessions") == f"default: {url}\n"
    ref = shell.ref('button "Target"', opened)
    assert shell.ref('button "Target"', shell.page()) == ref
    assert "click button=0" in shell.run("click", ref)
    assert "click button=0" in shell.page()
    other = site.page("form")
    assert 'textbox "Name"' in shell.run("open", other), "without --browser it is the same one"
    assert "Chrome" not in site.requested("/pages/form.html")[-1].headers["User-Agent"]
    assert 'textbox "Name"' in shell.page()
    assert shell.json("sessions")["sessions"] == [{"name": "default", "url": other}]
    assert shell.servers() == [server]
    shell.run("close")
    shell.until_nothing_runs()
    assert shell.left() == set()


def test_a_command_that_opens_nothing_leaves_no_server(shell: Shell) -> None:
    shell.environment["PATCHRIGHT_MCP_BROWSER"] = "webkit"
    assert "no_page" in shell.run("snapshot", status=1)
    shell.until_nothing_runs()
    assert shell.left() == set()
