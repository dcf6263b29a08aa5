"""Sees that what was installed works: it answers, lists its tools, and opens a page.

Usage: python scripts/smoke.py [PROGRAM …]    by default `python -m patchright_mcp`
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from typing import Any

PROGRAM = sys.argv[1:] or [sys.executable, "-m", "patchright_mcp"]
STARTS_BROWSERS = sys.platform != "win32"
PAGE = "data:text/html,<title>Smoke</title><h1>It works</h1>"
HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "smoke", "version": "1"}}


def main() -> int:
    """Asks one thing after another; what fails ends it."""
    begun = time.monotonic()
    # In a folder of its own: the package in the working directory is not the one that was installed.
    with tempfile.TemporaryDirectory() as folder:
        version = subprocess.run(
            [*PROGRAM, "--version"], check=True, capture_output=True, text=True, cwd=folder
        )
        assert version.stdout.startswith("patchright-mcp "), version.stdout
        messages: list[dict[str, Any]] = [
            {"id": 1, "method": "initialize", "params": HELLO},
            {"method": "notifications/initialized"},
            {"id": 2, "method": "tools/list"},
        ]
        if STARTS_BROWSERS:
            call = {"name": "browser_navigate", "arguments": {"url": PAGE}}
            messages.append({"id": 3, "method": "tools/call", "params": call})
        answers = asked(messages, folder)
    tools = {tool["name"] for tool in answers[2]["result"]["tools"]}
    assert "browser_navigate" in tools, tools
    if STARTS_BROWSERS:
        shown = answers[3]["result"]["content"][0]["text"]
        assert "It works" in shown, shown
    print(f"{version.stdout.strip()}: {len(tools)} tools, {time.monotonic() - begun:.1f} s")
    return 0


def asked(
    messages: list[dict[str, Any]], folder: str, program: list[str] | None = None
) -> dict[int, dict[str, Any]]:
    """The answers of a server, by their ids."""
    wanted = {message["id"] for message in messages if "id" in message}
    answers: dict[int, dict[str, Any]] = {}
    with subprocess.Popen(
        [*(program or PROGRAM), "--headless"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=folder,
    ) as server:
        assert server.stdin
        assert server.stdout
        for message in messages:
            server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        server.stdin.flush()
        for line in server.stdout:
            answer = json.loads(line)
            answers[answer.get("id", 0)] = answer
            if wanted <= answers.keys():
                break
        server.stdin.close()
    assert wanted <= answers.keys(), f"no answer to {wanted - answers.keys()}"
    return answers


if __name__ == "__main__":
    sys.exit(main())
