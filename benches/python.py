"""How long the Python library takes, beside others that have Playwright's interface.

Usage: python -m benches.python [--python PYTHON] [--peers PYTHON] [--rounds N] [--samples N]

Each round runs every library once, in a process and with a browser of its own, and they take turns, so that
the machine's noise falls on all of them. `--peers` is an interpreter with `playwright` or `patchright`
installed; all drive the same Chromium. A script that imports ours is measured twice: with input at a
person's pace, which is the default, and with instant input, which is what the others do.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib
import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benches.processes import descendants, has_module, memory_mb
from tests_py.support.site import Site

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

PEERS = ("playwright", "patchright")
OURS = "patchright_mcp"
Row = dict[str, list[float]]


def main() -> int:
    """Measures, or is one of the measured processes."""
    parser = argparse.ArgumentParser(description="Measure the Python library beside its peers.")
    parser.add_argument("--python", default=sys.executable, help="the interpreter that has our library")
    parser.add_argument("--peers", default=sys.executable, help="the interpreter that has the others")
    parser.add_argument("--rounds", type=int, default=3, help="processes of each library")
    parser.add_argument("--samples", type=int, default=20, help="calls of each kind in each process")
    parser.add_argument("--measure", nargs=2, metavar=("LIBRARY", "SITE"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        library, site = options.measure
        print(json.dumps(asyncio.run(measured(library, site, options.samples))))
        return 0
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    assert browser, "there is no Chromium on the path"
    contestants = {OURS: options.python, f"{OURS}, instant": options.python}
    contestants |= {name: options.peers for name in PEERS if has_module(options.peers, name)}
    results: dict[str, Row] = {name: defaultdict(list) for name in contestants}
    with Site() as site:
        for number in range(options.rounds):
            print(f"Round {number + 1} of {options.rounds}: load {os.getloadavg()[0]:.1f}", file=sys.stderr)
            order = list(contestants) if number % 2 == 0 else list(reversed(contestants))
            for name in order:
                for row, values in run(contestants[name], name, site, browser, options.samples).items():
                    results[name][row] += values
    print_table(results)
    return 0


def run(python: str, name: str, site: Site, browser: str, samples: int) -> Row:
    """Measures one library in a process of its own."""
    command = [python, "-m", "benches.python", "--samples", str(samples), "--measure", name, site.url("")]
    environment = {**os.environ, "BENCH_BROWSER": browser}
    done = subprocess.run(command, stdout=subprocess.PIPE, env=environment, check=True)
    rows: Row = json.loads(done.stdout)
    return rows


async def measured(name: str, site: str, samples: int) -> Row:
    """What one library takes, in milliseconds and megabytes."""
    module, _, style = name.partition(", ")
    rows: Row = defaultdict(list)

    async def timed(row: str, action: Callable[[], Awaitable[Any]]) -> Any:  # noqa: ANN401
        begin = time.perf_counter()
        value = await action()
        rows[row].append((time.perf_counter() - begin) * 1000)
        return value

    begin = time.perf_counter()
    library = importlib.import_module(f"{module}.async_api")
    rows["import"].append((time.perf_counter() - begin) * 1000)
    rows["installed, MB"].append(installed_mb(module))
    begin = time.perf_counter()
    async with library.async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=os.environ["BENCH_BROWSER"], headless=True)
        context = await browser.new_context(**({"input": style} if style else {}))
        page = await context.new_page()
        rows["start, launch, first page"].append((time.perf_counter() - begin) * 1000)
        form = f"{site}/pages/form.html"
        for _ in range(samples):
            await timed("goto", lambda: page.goto(form))
            await timed("evaluate", lambda: page.evaluate("() => 6 * 7"))
            await timed("content", page.content)
            await timed("fill", lambda: page.fill("[name=name]", "Ada"))
            await timed("click", lambda: page.click("[name=news]"))
            await timed("screenshot", page.screenshot)

        async def visit() -> None:
            other = await context.new_page()
            await other.goto(form)
            assert await other.title() == "A form"
            await other.close()

        await timed("20 pages at once", lambda: asyncio.gather(*(visit() for _ in range(20))))
        rows["memory beside the browser, MB"].append(memory_beside_browsers_mb(os.getpid()))
        await browser.close()
    return rows


def installed_mb(module: str) -> float:
    """The size of a package on disk."""
    found = importlib.import_module(module).__file__
    assert found
    files = [path for path in Path(found).parent.rglob("*") if path.is_file() and path.suffix != ".pyc"]
    return sum(path.stat().st_size for path in files) / 1e6


def memory_beside_browsers_mb(process: int) -> float:
    """The proportional memory of a process and those it started, without browsers."""
    browsers = {pid for pid in descendants(process) if b"--user-data-dir" in command_of(pid)}
    inside = {below for pid in browsers for below in descendants(pid)}
    return sum(memory_mb(pid) for pid in {process, *descendants(process)} - browsers - inside)


def command_of(process: int) -> bytes:
    """The command line of a process; empty if it has ended."""
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return b""


def print_table(results: dict[str, Row]) -> None:
    """The medians, and how many times ours each other takes."""
    ours, *others = results
    rows = list(results[ours])
    print("| what (ms unless it says so) | " + " | ".join(results) + " |")
    print("|---|" + "---|" * len(results))
    for row in rows:
        own = statistics.median(results[ours][row])
        cells = [f"{own:.1f}"]
        for name in others:
            value = statistics.median(results[name][row])
            cells.append(f"{value:.1f} ({value / own:.1f} ×)")
        print(f"| {row} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    sys.exit(main())
