"""The command line with WebKit: its page is there for the commands after the first."""

from __future__ import annotations

import shutil
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


def findings(shell: Shell, status: int = 0) -> dict[str, dict[str, str]]:
    """What the doctor finds of WebKit, by what it is about."""
    reported = shell.json("doctor", "--browser", "webkit", "--headless", status=status)
    return {finding["subject"]: finding for finding in reported["findings"]}


def test_the_doctor_starts_webkit_and_looks_for_what_it_needs(shell: Shell) -> None:
    found = findings(shell)
    assert found["browser"]["found"].endswith("/WebKitWebDriver")
    assert found["screen"]["found"].endswith("/Xvfb")
    assert found["start"]["found"].startswith("version 2."), found["start"]
    assert "answers after" in found["start"]["found"]
    assert not {"sandbox", "display"} & set(found), "they are about Chromium"
    shell.until_nothing_runs()
    assert shell.left() == set()


def test_the_doctor_tells_that_there_is_no_screen_to_be_had(shell: Shell) -> None:
    programs = shell.folder / "programs"
    programs.mkdir()
    driver = shutil.which("WebKitWebDriver")
    assert driver
    (programs / "WebKitWebDriver").symlink_to(driver)
    shell.environment["PATH"] = str(programs)
    found = findings(shell, status=1)
    assert found["browser"]["grade"] == "good"
    assert (found["screen"]["grade"], "start" in found) == ("problem", False)
    assert "Xvfb on PATH" in found["screen"]["found"]
    assert "xvfb" in found["screen"]["mend"]
