"""What a command of a shell costs beyond the tool behind it.

Usage: python -m benches.verbs [--rounds N] PROGRAM …      such as target/dist/patchright-mcp
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

SCRIPT = "() => 1"
PAGE = "data:text/html,<title>Page</title><h1>Page</h1>"


def main() -> None:
    """Measures the same call through a command and through a connection that stays."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("program", nargs="+")
    told = parser.parse_args()
    first = Path(told.program[0])
    program = [str(first.resolve()) if first.exists() else told.program[0], *told.program[1:]]
    with tempfile.TemporaryDirectory() as folder:
        verb = by_verbs(program, told.rounds, folder)
        tool = by_connection(program, told.rounds, folder)
    print(f"as a command  {milliseconds(verb)}")
    print(f"by itself     {milliseconds(tool)}")
    print(f"beyond it     {1000 * (statistics.median(verb) - statistics.median(tool)):7.1f} ms")


def milliseconds(times: list[float]) -> str:
    """The middle and the slow end."""
    slow = statistics.quantiles(times, n=20)[-1]
    return f"{1000 * statistics.median(times):7.1f} ms, p95 {1000 * slow:7.1f} ms"


def by_verbs(program: list[str], rounds: int, folder: str) -> list[float]:
    """One process for each call."""

    def run(*words: str) -> float:
        begun = time.perf_counter()
        subprocess.run([*program, *words], check=True, capture_output=True, cwd=folder)
        return time.perf_counter() - begun

    run("open", PAGE)
    try:
        run("eval", SCRIPT)
        return [run("eval", SCRIPT) for _ in range(rounds)]
    finally:
        run("close")


def by_connection(program: list[str], rounds: int, folder: str) -> list[float]:
    """One process for all calls."""
    hello = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "bench", "version": "1"},
    }
    with subprocess.Popen(
        [*program, "--headless"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        cwd=folder,
    ) as server:
        assert server.stdin
        assert server.stdout
        reader, writer = server.stdout, server.stdin
        numbers = iter(range(1, 10_000))

        def ask(method: str, params: dict[str, Any]) -> float:
            begun = time.perf_counter()
            message = {"jsonrpc": "2.0", "id": next(numbers), "method": method, "params": params}
            writer.write(json.dumps(message) + "\n")
            writer.flush()
            while json.loads(reader.readline()).get("id") != message["id"]:
                pass
            return time.perf_counter() - begun

        def call(tool: str, **arguments: object) -> float:
            return ask("tools/call", {"name": tool, "arguments": arguments})

        ask("initialize", hello)
        writer.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
        call("browser_navigate", url=PAGE)
        call("browser_evaluate", function=SCRIPT)
        times = [call("browser_evaluate", function=SCRIPT) for _ in range(rounds)]
        writer.close()
    return times


if __name__ == "__main__":
    main()
