"""Named keys with limits of their own, in a file that is read again while the server runs."""

from __future__ import annotations

import hashlib
import os
import re
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests_py.support.http import INITIALIZE, HttpServer, RawClient, until
from tests_py.support.site import Site

LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}


def keys(folder: Path, *words: str) -> str:
    """Runs `patchright-mcp keys`, and gives what it prints."""
    command = [sys.executable, "-m", "patchright_mcp", "keys", *words, "--keys", str(folder / "keys.toml")]
    done = subprocess.run(command, capture_output=True, cwd=folder, timeout=20, check=False, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def serve(folder: Path, *more: str) -> HttpServer:
    return HttpServer(folder, "--keys", str(folder / "keys.toml"), *more, env={"PATCHRIGHT_MCP_API_KEY": ""})


def tools(client: RawClient) -> set[str]:
    return {tool["name"] for tool in client.post(LIST).json()["result"]["tools"]}


def refusal(client: RawClient, tool: str, **arguments: object) -> dict[str, Any]:
    """The error with which a call is refused that no tool was run for."""
    params = {"name": tool, "arguments": arguments}
    answer = client.post({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params})
    error = answer.json()["error"]
    assert isinstance(error, dict)
    return error


@pytest.fixture(scope="module")
def limited(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[HttpServer, dict[str, str]]]:
    """A server with a key for each limit."""
    folder = tmp_path_factory.mktemp("keys")
    given = {
        "free": keys(folder, "add", "free"),
        "few": keys(folder, "add", "few", "--tools", "browser_navigate,browser_steps,browser_snapshot"),
        "pdf": keys(folder, "add", "pdf", "--toolsets", "browser", "--caps", "pdf"),
        "near": keys(folder, "add", "near", "--allowed-origins", "http://localhost:*"),
        "slow": keys(folder, "add", "slow", "--calls-per-minute", "3"),
        "two": keys(folder, "add", "two", "--max-sessions", "2"),
        "over": keys(folder, "add", "over", "--expires", "2026-01-01"),
    }
    with serve(folder, "--caps", "all") as server:
        yield server, given


def test_the_file_holds_digests_for_its_owner_alone(tmp_path: Path) -> None:
    key = keys(tmp_path, "add", "alice", "--expires", "2990-01-31")
    file = tmp_path / "keys.toml"
    text = file.read_text()
    assert key not in text
    assert hashlib.sha256(key.encode()).hexdigest() in text
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    keys(tmp_path, "add", "bob")
    file.write_text(file.read_text().replace("[bob]", "# At night.\n[bob]"))
    assert keys(tmp_path, "list").splitlines() == ["alice  expires 2990-01-31", "bob  does not expire"]
    keys(tmp_path, "revoke", "alice")
    assert keys(tmp_path, "list") == "bob  does not expire"
    assert "# At night.\n[bob]" in file.read_text()


def test_a_key_may_use_the_tools_that_it_names(limited: tuple[HttpServer, dict[str, str]]) -> None:
    server, given = limited
    few, pdf = server.begin(given["few"]), server.begin(given["pdf"])
    assert tools(few) == {"browser_navigate", "browser_steps", "browser_snapshot"}
    assert "browser_pdf_save" in tools(pdf)
    assert not {"browser_cookies", "create_session"} & tools(pdf)
    assert {"browser_cookies", "create_session"} <= tools(server.begin(given["free"]))
    assert "this key may not use it" in refusal(few, "browser_evaluate", function="() => 1")["message"]
    # Nor as a part of a tool that it may use.
    steps = [{"tool": "browser_evaluate", "arguments": {"function": "() => 1"}}]
    assert "this key may not use it" in str(few.call("browser_steps", steps=steps))
    few.text("browser_navigate", url="data:text/html,<p>")


@pytest.mark.long
def test_a_keys_pages_reach_the_origins_that_it_names(
    limited: tuple[HttpServer, dict[str, str]], site: Site
) -> None:
    server, given = limited
    near, free = server.begin(given["near"]), server.begin(given["free"])
    far = site.page("form")
    assert near.call("browser_navigate", url=far)["isError"]
    session = near.call("create_session")["structuredContent"]["sessionId"]
    assert near.call("browser_navigate", url=far, sessionId=session)["isError"]
    near.text("browser_context_create", name="other")
    assert near.call("browser_navigate", url=far)["isError"]
    assert not site.requested("/pages/form.html")
    near.text("browser_navigate", url=re.sub(r"//[^:/]+", "//localhost", far))
    free.text("browser_navigate", url=far)


def test_a_key_makes_no_more_calls_than_its_limit(limited: tuple[HttpServer, dict[str, str]]) -> None:
    server, given = limited
    first, second = server.begin(given["slow"]), server.begin(given["slow"])
    for client in (first, second, first):
        client.text("browser_tabs", action="list")
    for client in (first, second):
        refused = client.call("browser_tabs", action="list")
        assert refused["_meta"]["errorCode"] == "rate_limited"
        assert "limit of 3 calls a minute" in str(refused)
    server.begin(given["free"]).text("browser_tabs", action="list")


@pytest.mark.long
def test_a_key_opens_no_more_sessions_than_its_limit(limited: tuple[HttpServer, dict[str, str]]) -> None:
    server, given = limited
    first, second = server.begin(given["two"]), server.begin(given["two"])
    for client in (first, second):
        assert not client.call("create_session").get("isError")
    assert "MAX_SESSIONS_REACHED" in str(first.call("create_session"))


def test_a_key_that_has_expired_is_none(limited: tuple[HttpServer, dict[str, str]]) -> None:
    server, given = limited
    refused = server.post(INITIALIZE, key=given["over"])
    assert refused.status == 401
    assert refused.headers["www-authenticate"].startswith("Bearer")
    assert server.post(INITIALIZE, key="unknown").status == 401


@pytest.mark.long
def test_a_revoked_key_is_refused_at_once_and_what_it_has_open_ends(tmp_path: Path) -> None:
    gone, kept = keys(tmp_path, "add", "gone"), keys(tmp_path, "add", "kept")
    with serve(tmp_path) as server:
        first, second = server.begin(gone), server.begin(kept)
        for client in (first, second):
            client.text("browser_navigate", url="data:text/html,<title>Here</title>")
            assert not client.call("create_session").get("isError")
        assert len(server.browsers()) == 2
        waits = {"name": "browser_wait_for", "arguments": {"time": 50}}
        waiting = threading.Thread(
            target=first.post, args=({"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": waits},)
        )
        waiting.start()
        keys(tmp_path, "revoke", "gone")
        assert first.post(LIST).status == 401
        assert server.post(INITIALIZE, key=gone).status == 401
        waiting.join(20)
        assert not waiting.is_alive(), "a call went on after its key was revoked"
        until(lambda: len(server.browsers()) == 1, "the end of the browser of the revoked key")
        assert "Here" in second.text("browser_snapshot")
        # A new key is known at once, and a limit that changes is obeyed by those who have begun already.
        new = keys(tmp_path, "add", "new")
        server.begin(new).text("browser_tabs", action="list")
        file = tmp_path / "keys.toml"
        file.write_text(file.read_text().replace("[kept]", "[kept]\ntools = ['browser_tabs']"))
        assert second.post(LIST).status == 404, "the session has another limit now"
        until(lambda: not server.browsers(), "the end of what was open under the old limit")
        assert tools(server.begin(kept)) == {"browser_tabs"}


def test_a_file_with_a_mistake_changes_nothing(tmp_path: Path) -> None:
    key = keys(tmp_path, "add", "alice")
    file = tmp_path / "keys.toml"
    good = file.read_text()
    with serve(tmp_path) as server:
        client = server.begin(key)
        file.write_text(f"{good}tools = ['browser_clik']\n")
        assert client.post(LIST).status == 200
        until(lambda: "did you mean browser_click? at line 3" in "".join(server.log), "a line of the log")
        file.unlink()
        assert client.post(LIST).status == 200
        file.write_text("")
        assert client.post(LIST).status == 401
        file.write_text(good)
        assert server.begin(key).post(LIST).status == 200
        assert key not in "".join(server.log)


@pytest.mark.parametrize(
    ("text", "more", "expected"),
    [
        ("[alice]\nsha256 = 'swordfish'\n", [], "at line 2"),
        ("[alice]\nrate = 5\n", [], "at line 2"),
        (None, [], "keys.toml"),
        ("", ["--allow-unauthenticated"], "it would admit everybody"),
        ("", ["--state", "redis://127.0.0.1:1"], "leave --state out"),
        ("", ["--user-data-dir", "profile"], "--isolated"),
    ],
)
def test_a_server_does_not_start_with_keys_that_it_cannot_obey(
    tmp_path: Path, text: str | None, more: list[str], expected: str
) -> None:
    if text is not None:
        (tmp_path / "keys.toml").write_text(text)
    command = [sys.executable, "-m", "patchright_mcp", "--port", "0", "--keys", "keys.toml", *more]
    environment = {name: value for name, value in os.environ.items() if name != "PATCHRIGHT_MCP_API_KEY"}
    done = subprocess.run(
        command, capture_output=True, cwd=tmp_path, timeout=20, check=False, text=True, env=environment
    )
    assert done.returncode == 2, done
    assert expected in done.stderr
    assert "swordfish" not in done.stderr
