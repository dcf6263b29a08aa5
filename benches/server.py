"""How long the server takes: to start, and for each tool on a real page.

Usage: python -m benches.server [--python PYTHON] [--rounds N] [--against NAME=COMMAND] …

Each round is a fresh server, and servers take turns within a round, so that the machine's noise falls on
all of them. `--against` measures any other MCP server whose tools have the names of Playwright's;
`playwright-mcp` is measured along when it is installed. Results are kept in target/bench/results.json, and
the next run says what changed.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests_py.support.site import Site

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

    from typing_extensions import Self

RESULTS = Path("target/bench/results.json")
REF = re.compile(r"\[ref=(\w+)\]")
RESAMPLES = 1000
Samples = dict[str, list[float]]


def main() -> int:
    """Measures, prints a table, and keeps the samples."""
    options = arguments()
    commands = {"ours": [options.python, "-m", "patchright_mcp", "--headless"], **peers(options.against)}
    samples: dict[str, Samples] = {name: defaultdict(list) for name in commands}
    with Site() as site:
        for number in range(options.rounds):
            print(f"Round {number + 1} of {options.rounds}: load {os.getloadavg()[0]:.1f}", file=sys.stderr)
            order = list(commands) if number % 2 == 0 else list(reversed(commands))
            for name in order:
                measure_start(commands[name], samples[name], options.starts)
                if options.samples:
                    measure_tools(commands[name], samples[name], site, options.samples)
    before = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    print_table(samples, before)
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    RESULTS.write_text(json.dumps(samples, indent=1))
    return 0


def arguments() -> argparse.Namespace:
    """What was asked for on the command line."""
    parser = argparse.ArgumentParser(description="Measure how fast the server starts and works.")
    parser.add_argument("--python", default=sys.executable, help="the interpreter that has the server")
    parser.add_argument("--rounds", type=int, default=3, help="fresh servers per program")
    parser.add_argument("--starts", type=int, default=10, help="starts measured in each round")
    parser.add_argument("--samples", type=int, default=10, help="calls of each tool in each round, or 0")
    parser.add_argument("--against", action="append", default=[], metavar="NAME=COMMAND")
    return parser.parse_args()


def peers(named: list[str]) -> dict[str, list[str]]:
    """Other servers to measure: those named, and the one that is well known, if it is here."""
    found = {name: shlex.split(command) for name, _, command in (each.partition("=") for each in named)}
    program, browser = shutil.which("playwright-mcp"), shutil.which("chromium")
    if program and browser and "playwright-mcp" not in found:
        flags = ["--headless", "--isolated", "--no-sandbox", "--executable-path", browser]
        found["playwright-mcp"] = [program, *flags]
    return found


def measure_start(command: list[str], samples: Samples, times: int) -> None:
    """From the start of the process to its answers, without a browser."""
    for _ in range(times):
        begin = time.perf_counter()
        with Client(command) as client:
            client.shake_hands()
            samples["start → initialize"].append(since(begin))
            client.ask("tools/list")
            samples["start → tools/list"].append(since(begin))


def measure_tools(command: list[str], samples: Samples, site: Site, times: int) -> None:
    """Each tool on pages that need it."""
    small, large, consequences = (
        site.page("form"),
        site.url("/large?elements=10000"),
        site.page("consequences"),
    )
    with Client(command) as client:
        client.shake_hands()
        client.learn_tools()
        client.timed(samples, "first navigate, with launch", "browser_navigate", url=small)
        for _ in range(times):
            page = client.timed(samples, "navigate, small page", "browser_navigate", url=small)
            page = client.timed(samples, "snapshot, small page", "browser_snapshot")
            client.timed(samples, "evaluate", "browser_evaluate", function="() => 6 * 7")
            client.act(samples, "type", "browser_type", ref_in(page, 'textbox "Name"'), text="Ada Lovelace")
            client.timed(samples, "screenshot", "browser_take_screenshot")
            client.timed(samples, "navigate, large page", "browser_navigate", url=large)
            client.timed(samples, "snapshot, large page", "browser_snapshot")
            client.call("browser_navigate", url=consequences)
            page = client.call("browser_snapshot")
            client.act(samples, "click, nothing follows", "browser_click", ref_in(page, 'button "Nothing"'))
            after = client.act(samples, "click, a change", "browser_click", ref_in(page, "Change at once"))
            assert "Changed at once" in after or "Changed at once" in client.call("browser_snapshot")
            client.act(
                samples, "click, a navigation", "browser_click", ref_in(page, 'link "To the form, here"')
            )


class Client:
    """A server of its own, spoken to in lines of JSON with nothing between that takes time."""

    def __init__(self, command: list[str]) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="bench-")
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=self._folder.name,
        )
        self._last_id = 0
        self._ref_names: dict[str, str] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process.stdin and self._process.stdout:
            self._process.stdin.close()
            self._process.stdout.read()
            self._process.stdout.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._folder.cleanup()

    def ask(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """Sends a request and returns its result."""
        self._last_id += 1
        self._send({"id": self._last_id, "method": method, "params": params or {}})
        for message in self._messages():
            if message.get("id") == self._last_id and "method" not in message:
                assert "result" in message, message
                result = message["result"]
                assert isinstance(result, dict)
                return result
        raise EOFError(f"the server ended before it answered {method}")

    def shake_hands(self) -> None:
        """Introduces a client, as every connection begins."""
        client = {"name": "bench", "version": "1"}
        self.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client})
        self._send({"method": "notifications/initialized"})

    def learn_tools(self) -> None:
        """Looks up what each tool calls the ref of an element: `ref` or `target`."""
        for tool in self.ask("tools/list")["tools"]:
            names = tool["inputSchema"].get("properties", {})
            self._ref_names[tool["name"]] = "ref" if "ref" in names else "target"

    def call(self, tool: str, **values: object) -> str:
        """Calls a tool, which must work, and returns its text."""
        result = self.ask("tools/call", {"name": tool, "arguments": values})
        text = "\n".join(part["text"] for part in result["content"] if part["type"] == "text")
        assert not result.get("isError"), f"{tool}: {text}"
        return text

    def timed(self, samples: Samples, step: str, tool: str, **values: object) -> str:
        """Calls a tool and keeps how long it took, in milliseconds."""
        begin = time.perf_counter()
        text = self.call(tool, **values)
        samples[step].append(since(begin))
        return text

    def act(self, samples: Samples, step: str, tool: str, ref: str, **values: object) -> str:
        """Does something to an element, and keeps how long it took."""
        named = {self._ref_names[tool]: ref, "element": step}
        return self.timed(samples, step, tool, **named, **values)

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin
        self._process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self._process.stdin.flush()

    def _messages(self) -> Iterator[dict[str, Any]]:
        assert self._process.stdout
        for line in self._process.stdout:
            yield json.loads(line)


def ref_in(snapshot: str, part: str) -> str:
    """The ref in the first line that has these words."""
    line = next(line for line in snapshot.splitlines() if part in line)
    found = REF.search(line)
    assert found, line
    return found[1]


def since(begin: float) -> float:
    """Milliseconds since then."""
    return (time.perf_counter() - begin) * 1000


def print_table(samples: dict[str, Samples], before: dict[str, Samples]) -> None:
    """One row a step: ours, its spread, its change since the last run; then the others."""
    others = [name for name in samples if name != "ours"]
    print_row("ms", "min", "p50", "95 % sure", "p95", "change", *(f"{name} (× ours)" for name in others))
    print("|" + "---|" * (6 + len(others)))
    for step, ours in samples["ours"].items():
        low, high = interval_of_median(ours)
        middle = statistics.median(ours)
        spread = (f"{min(ours):.1f}", f"{middle:.1f}", f"{low:.1f}–{high:.1f}", f"{percentile(ours, 95):.1f}")
        moved = change(before.get("ours", {}).get(step, []), low, high)
        theirs = [ratio(samples[name].get(step, []), middle) for name in others]
        print_row(step, *spread, moved, *theirs)


def print_row(*cells: str) -> None:
    """One line of a Markdown table."""
    print(f"| {' | '.join(cells)} |")


def ratio(theirs: list[float], ours: float) -> str:
    """The median, and how many times ours it is."""
    middle = statistics.median(theirs) if theirs else None
    return "–" if middle is None else f"{middle:.1f} ({middle / ours:.1f})"


def interval_of_median(values: list[float]) -> tuple[float, float]:
    """Where the median lies with 95 % certainty, by resampling."""
    chance = random.Random(0)  # noqa: S311
    medians = [statistics.median(chance.choices(values, k=len(values))) for _ in range(RESAMPLES)]
    return percentile(medians, 2.5), percentile(medians, 97.5)


def percentile(values: list[float], part: float) -> float:
    """The value below which so many hundredths of the values lie."""
    return sorted(values)[min(len(values) - 1, int(len(values) * part / 100))]


def change(before: list[float], low: float, high: float) -> str:
    """How the median moved since the last run, where it moved beyond doubt."""
    if not before:
        return "–"
    old_low, old_high = interval_of_median(before)
    if low <= old_high and old_low <= high:
        return "same"
    return f"{(low + high) / (old_low + old_high) - 1:+.0%}"


if __name__ == "__main__":
    sys.exit(main())
