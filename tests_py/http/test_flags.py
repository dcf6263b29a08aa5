"""What the command line refuses, and what it says of what it takes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests_py.support.http import INITIALIZE, HttpServer, until


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--confirm", "dowload"], "did you mean download?"),
        (["--confirm", "upload,sumbit@https://bank.example"], "did you mean submit?"),
        (["--confirm", "intranet"], "write a host as https://intranet"),
        (["--port", "0", "--api-key", "a"], "at least 16 characters"),
        (["--caps", "al"], "al"),
    ],
)
def test_what_cannot_be_obeyed_is_refused(tmp_path: Path, arguments: list[str], expected: str) -> None:
    command = [sys.executable, "-m", "patchright_mcp", *arguments]
    done = subprocess.run(
        command,
        capture_output=True,
        cwd=tmp_path,
        timeout=20,
        check=False,
        text=True,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 2, done
    assert expected in done.stderr


def test_all_capabilities_are_those_that_have_no_price(tmp_path: Path) -> None:
    with HttpServer(tmp_path, "--caps", "all") as server:
        request = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        tools = {tool["name"] for tool in server.begin().post(request).json()["result"]["tools"]}
    assert {"browser_run", "browser_pdf_save", "browser_cookies", "browser_mouse_click_xy"} <= tools
    assert "browser_run_python" not in tools


def test_a_server_for_others_says_whom_it_answers(tmp_path: Path) -> None:
    with HttpServer(tmp_path, "--host", "0.0.0.0") as server:  # noqa: S104
        assert "--allowed-hosts" in "".join(server.log)
        body = json.dumps(INITIALIZE).encode()
        refused = server.ask(["Host: elsewhere.example", "Content-Type: application/json"], body)
    assert refused.status == 403
    assert b"--allowed-hosts" in refused.body


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is a folder in which not even root can write")
def test_files_go_to_the_user_where_the_working_directory_is_no_place(folder: Path) -> None:
    environment = {**os.environ, "HOME": str(folder), "TMPDIR": str(folder)}
    environment.pop("XDG_STATE_HOME", None)
    with subprocess.Popen(
        [sys.executable, "-m", "patchright_mcp", "--headless", "--no-sandbox"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd="/proc",
        env=environment,
        text=True,
    ) as server:
        assert server.stdin
        assert server.stdout
        page = "data:text/html,<a href='data:text/csv,a;b' download='a.csv'>Get</a>"
        calls = [
            ("browser_navigate", {"url": page}),
            ("browser_take_screenshot", {}),
            ("browser_click", {"ref": "text=Get"}),
            ("browser_snapshot", {"filename": "page.md"}),
        ]
        messages = [INITIALIZE]
        for name, arguments in calls:
            params = {"name": name, "arguments": arguments}
            messages.append({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params})
        texts = []
        for message in messages:
            server.stdin.write(json.dumps(message) + "\n")
            server.stdin.flush()
            texts.append(server.stdout.readline())
        state = folder / ".local/state/patchright-mcp"
        assert all('"isError":true' not in text for text in texts), texts
        assert f"Screenshot saved to {state}/" in texts[2]
        assert f"Written to {state}/page.md" in texts[4]
        until((state / "a.csv").exists, "the download")
        server.stdin.close()
