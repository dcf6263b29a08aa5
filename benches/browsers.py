"""How long the same calls take in each make of browser, one browser after the other in one run.

Usage: python -m benches.browsers [--rounds N] [chromium firefox webkit]
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable  # noqa: TC003
from functools import partial
from pathlib import Path

from tests_py.support.client import Reply, Server, serve
from tests_py.support.site import Site, document

BROWSERS = ("chromium", "firefox", "webkit")
ROWS = "".join(f"<li><a href='/{n}'>Row {n}</a> <button>Buy {n}</button></li>" for n in range(50))
BODY = f"<h1>Rows</h1><button onclick='count.textContent++'>Press</button><p id=count>0</p><ul>{ROWS}</ul>"
STARTS = 5


def main() -> None:
    """Measures and prints a table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("browsers", nargs="*", default=BROWSERS)
    told = parser.parse_args()
    before = os.getloadavg()[0]
    with Site() as site:
        url = site.publish("/rows", document("Rows", BODY))
        columns = {name: asyncio.run(measure(name, url, told.rounds)) for name in told.browsers}
    print(f"{'median, ms':24}" + "".join(f"{name:>12}" for name in columns))
    for row in next(iter(columns.values())):
        print(
            f"{row:24}"
            + "".join(f"{1000 * statistics.median(times[row]):12.1f}" for times in columns.values())
        )
    print(f"rounds {told.rounds} (starts {STARTS}); load {before:.1f} before, {os.getloadavg()[0]:.1f} after")


async def measure(browser: str, url: str, rounds: int) -> dict[str, list[float]]:
    """The times of each call in one make of browser."""
    times: dict[str, list[float]] = {}

    async def timed(row: str, call: Callable[[], Awaitable[Reply]]) -> Reply:
        begun = time.perf_counter()
        reply = await call()
        times.setdefault(row, []).append(time.perf_counter() - begun)
        assert not reply.is_error, reply.text
        return reply

    with tempfile.TemporaryDirectory() as folder:
        for last in [False] * (STARTS - 1) + [True]:
            async with serve("--headless", "--browser", browser, cwd=Path(folder)) as server:
                opened = await timed(
                    "start and first page", partial(server.call, "browser_navigate", url=url)
                )
                if last:
                    await calls(server, url, opened.ref("Press"), rounds, timed)
    return times


async def calls(
    server: Server,
    url: str,
    press: str,
    rounds: int,
    timed: Callable[[str, Callable[[], Awaitable[Reply]]], Awaitable[Reply]],
) -> None:
    """Each call, so many times."""
    for _ in range(rounds):
        await timed("browser_click", partial(server.call, "browser_click", target=press))
        await timed("browser_snapshot", partial(server.call, "browser_snapshot"))
        await timed("browser_evaluate", partial(server.call, "browser_evaluate", function="() => 1"))
    for _ in range(rounds):
        await timed("browser_navigate", partial(server.call, "browser_navigate", url=url))


if __name__ == "__main__":
    main()
