"""How many pages a second one process reads, and two workers of Ray, beside playwright in the same shape.

Usage: PYTHON -m benches.clusters [--pages N] [--rounds N], with `python` on the PYTHONPATH of a PYTHON that
has `ray` and `playwright`.

The shape is that of `examples/ray_scrape.py`: tasks of ten pages, four at a time in a browser, each in a
context of its own; with Ray, one browser in each of two workers. They take turns. Browsers and workers are
there before the clock runs.
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
import threading
import time
from pathlib import Path
from typing import Any

from patchright_mcp.pool import chunks, map_here

ROOT = Path(__file__).parents[1]
SIZE = 4
TASK = 10
WORKERS = 2
SHAPES = ("patchright_mcp", "playwright", "patchright_mcp with Ray", "playwright with Ray")
PAGE = "<!doctype html><title>A page</title><h1>Page</h1>" + "<p>Some text, as pages have it.</p>" * 20


def main() -> int:
    """Measures, or is one of the measured processes."""
    parser = argparse.ArgumentParser(description="Measure scraping with Ray.")
    parser.add_argument("--pages", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--measure", nargs=2, metavar=("SHAPE", "ADDRESS"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        shape, address = options.measure
        print(json.dumps(measured(shape, [f"{address}/{number}" for number in range(options.pages)])))
        return 0
    results: dict[str, list[float]] = {shape: [] for shape in SHAPES}
    server = subprocess.Popen([sys.executable, "-c", SERVER], stdout=subprocess.PIPE, text=True)
    assert server.stdout
    try:
        address = f"http://127.0.0.1:{server.stdout.readline().strip()}"
        for number in range(options.rounds):
            for shape in SHAPES if number % 2 == 0 else reversed(SHAPES):
                command = [sys.executable, "-m", "benches.clusters", "--pages", str(options.pages)]
                told = subprocess.run(
                    [*command, "--measure", shape, address],
                    stdout=subprocess.PIPE,
                    check=True,
                    cwd=ROOT,
                    env={**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'python'}"},
                )
                results[shape].append(json.loads(told.stdout.splitlines()[-1]))
                load = os.getloadavg()[0]
                print(f"{shape}: {results[shape][-1]:.1f} pages/s, load {load:.0f}", file=sys.stderr)
    finally:
        server.kill()
        server.wait()
    print("| shape | pages a second, median (least to most) |\n|---|---|")
    for shape, rates in results.items():
        print(f"| {shape} | {statistics.median(rates):.1f} ({min(rates):.1f} to {max(rates):.1f}) |")
    return 0


def measured(shape: str, addresses: list[str]) -> float:
    """Pages a second."""
    read = theirs if shape.startswith("playwright") else ours
    if not shape.endswith("Ray"):
        read(addresses[:TASK])
        begun = time.monotonic()
        for some in chunks(addresses, TASK):
            read(some)
        return len(addresses) / (time.monotonic() - begun)
    ray = importlib.import_module("ray")
    ray.init(log_to_driver=False, num_cpus=WORKERS, include_dashboard=False)
    task = ray.remote(read)
    # Each worker starts its browser with the first task that it has, and so both have one at the same time.
    ray.get([task.remote(addresses[:TASK]) for _ in range(2 * WORKERS)])
    begun = time.monotonic()
    ray.get([task.remote(some) for some in chunks(addresses, TASK)])
    rate = len(addresses) / (time.monotonic() - begun)
    ray.shutdown()
    return rate


async def heading(page: Any, address: str) -> str:  # noqa: ANN401
    """The first heading of a page."""
    await page.goto(address, wait_until="domcontentloaded")
    return str(await page.locator("h1").first.inner_text())


def ours(addresses: list[str]) -> list[str]:
    """By the library's own pool."""
    return map_here(heading, addresses, size=SIZE)


class Theirs:
    """What a worker has to write for itself with playwright: a loop in a thread, and a browser that stays."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, daemon=True).start()
        self._browser = self._run(self._launch())

    def _run(self, work: Any) -> Any:  # noqa: ANN401
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    async def _launch(self) -> Any:  # noqa: ANN401
        playwright = await importlib.import_module("playwright.async_api").async_playwright().start()
        return await playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )

    def read(self, addresses: list[str]) -> list[str]:
        """The headings of some pages."""
        return list(self._run(self._read_all(addresses)))

    async def _read_all(self, addresses: list[str]) -> list[str]:
        room = asyncio.Semaphore(SIZE)

        async def one(address: str) -> str:
            async with room:
                context = await self._browser.new_context()
                try:
                    return await heading(await context.new_page(), address)
                finally:
                    await context.close()

        return list(await asyncio.gather(*map(one, addresses)))


def theirs(addresses: list[str]) -> list[str]:
    """By playwright, with one browser for each process."""
    # What Ray sends to a worker is a copy of this function; the module is the worker's own.
    module = importlib.import_module("benches.clusters")
    if not hasattr(module, "kept"):
        module.kept = module.Theirs()  # type: ignore[attr-defined]
    return list(module.kept.read(addresses))


SERVER = f"""
import asyncio
async def answer(reader, writer):
    try:
        while await reader.readuntil(b"\\r\\n\\r\\n"):
            writer.write(b"HTTP/1.1 200 OK\\r\\nContent-Type: text/html\\r\\n")
            writer.write(b"Content-Length: {len(PAGE)}\\r\\n\\r\\n{PAGE}")
    except (asyncio.IncompleteReadError, OSError):
        writer.close()
async def main():
    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()
asyncio.run(main())
"""

if __name__ == "__main__":
    sys.exit(main())
