"""The log of calls: who called what, where, with which outcome, and whether it is as it was written."""

from __future__ import annotations

import json
import re
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests_py.support.http import HttpServer, until
from tests_py.support.site import Site

pytestmark = pytest.mark.long


def verify(log: Path, *more: str) -> tuple[int, str]:
    """Runs `patchright-mcp audit verify`, and gives its status and what it says."""
    command = [sys.executable, "-m", "patchright_mcp", "audit", "verify", str(log), *more]
    done = subprocess.run(command, capture_output=True, timeout=20, check=False, text=True)
    return done.returncode, done.stdout + done.stderr


def entries(log: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.read_text().splitlines()]


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory, shared_site: Site) -> Path:
    """The log of a server that was started twice."""
    folder = tmp_path_factory.mktemp("audit")
    log = folder / "audit.jsonl"
    arguments = ["--audit", str(log), "--api-key", "first-key-for-tests,second-key-for-tests"]
    url = shared_site.page("form")
    with HttpServer(folder, *arguments) as server:
        first = server.begin("first-key-for-tests")
        first.text("browser_navigate", url=f"{url}?token=opensesame")
        first.text("browser_evaluate", function="() => 'swordfish'")
        assert first.call("browser_click", ref="e9999")["isError"]
        first.call("patchright_fetch", url=url)
    with HttpServer(folder, *arguments) as server:
        until(lambda: "goes on after 4 lines; head " in "".join(server.log), "the head of the log")
        second = server.begin("second-key-for-tests")
        session = second.call("create_session")["structuredContent"]["sessionId"]
        second.text("browser_navigate", url=url, sessionId=session)
        params = {"name": "browser_nothing", "arguments": {}}
        second.post({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params})
    return log


def test_each_call_is_a_line_without_contents(log: Path, shared_site: Site) -> None:
    lines = entries(log)
    said = [(line["key"], line["tool"], line["outcome"]) for line in lines]
    assert said == [
        ("key-1", "browser_navigate", "ok"),
        ("key-1", "browser_evaluate", "ok"),
        ("key-1", "browser_click", "unknown_ref"),
        ("key-1", "patchright_fetch", "ok"),
        ("key-2", "create_session", "ok"),
        ("key-2", "browser_navigate", "ok"),
        ("key-2", None, "unknown_tool"),
    ]
    origins = {line["origin"] for line in lines if line["tool"] not in (None, "create_session")}
    assert origins == {shared_site.origin}
    assert {line["client"] for line in lines} == {"raw"}
    assert [bool(line["session"]) for line in lines] == [False] * 5 + [True, False]
    for line in lines:
        assert re.fullmatch(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", line["time"])
        assert 0 <= line["duration_ms"] < 60_000
    text = log.read_text()
    for content in ("opensesame", "swordfish", "e9999", "/pages/form"):
        assert content not in text
    assert stat.S_IMODE(log.stat().st_mode) == 0o600


def test_what_was_done_to_a_log_is_found(log: Path, tmp_path: Path) -> None:
    status, said = verify(log)
    assert (status, said.split(";")[0]) == (0, "7 lines, as they were written")
    head = said.split()[-1]
    assert verify(log, "--head", head)[0] == 0
    lines = log.read_text().splitlines(keepends=True)
    copy = tmp_path / "copy.jsonl"
    for changed, first_bad in [
        ([*lines[:2], lines[2].replace("unknown_ref", "ok"), *lines[3:]], 3),
        ([*lines[:2], *lines[3:]], 3),
        (lines[1:], 1),
        ([*lines[:3], lines[4], lines[3], *lines[5:]], 4),
        ([*lines[:5], lines[4], *lines[5:]], 6),
        ([*lines[:6], lines[6][:-9]], 7),
    ]:
        copy.write_text("".join(changed))
        status, said = verify(copy)
        assert (status, f"line {first_bad}: " in said) == (1, True), said
    # A log without its end is a log; only who knows a later line sees that it is missing.
    copy.write_text("".join(lines[:5]))
    assert verify(copy)[0] == 0
    status, said = verify(copy, "--head", head)
    assert status == 1
    assert "the end was cut after line 5" in said


def test_a_log_that_cannot_be_continued_is_none(log: Path, tmp_path: Path) -> None:
    torn = tmp_path / "torn.jsonl"
    torn.write_text(log.read_text()[:-20])
    command = [sys.executable, "-m", "patchright_mcp", "--port", "0", "--audit"]
    for wrong, expected in [(torn, "audit verify"), (tmp_path / "missing" / "a.jsonl", "No such file")]:
        done = subprocess.run([*command, str(wrong)], capture_output=True, timeout=20, check=False, text=True)
        assert done.returncode == 1
        assert expected in done.stderr
