"""A day's work in an hour: clients browse and vanish, pages hang, renderers and browsers are killed.

python -m benches.soak [--minutes 60] [--clients 20] [--think 4] [--picture target/soak.svg]

A client pauses before each call for as long as a model thinks: `--think` seconds, give or take half of them.
A model takes 3 to 5 s to read an answer and write its next call; `--think 0` shows what the machine can bear.

It counts what was answered and how soon, measures what the server holds, draws that, and says whether
anything has grown.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter, defaultdict
from contextlib import suppress
from dataclasses import astuple, dataclass, fields
from math import ceil
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from benches.curves import Curve, draw
from benches.processes import descendants
from tests_py.support.http import KEY, HttpServer, memory_kb
from tests_py.support.site import Site

if TYPE_CHECKING:
    from tests_py.support.client import Server

PATIENCE_S = 90
SAMPLE_S = 5
FAULT_S = 15
CHANCE = random.Random(20)  # noqa: S311 - the same every time, as far as the order of answers lets it be
STUCK = (
    "<!doctype html><title>Stuck</title><h1>Stuck</h1><script>setTimeout(() => { for (;;); }, 50)</script>"
)


@dataclass(frozen=True)
class Size:
    """What the server holds at one time."""

    memory_mb: float
    descriptors: int
    threads: int
    processes: int
    folders: int

    @classmethod
    def of(cls, server: HttpServer) -> Size:
        """What it holds now."""
        process = Path(f"/proc/{server.pid}")
        descriptors, threads = (len(list((process / what).iterdir())) for what in ("fd", "task"))
        below = len(descendants(server.pid))
        folders = sum(entry.is_dir() for entry in Path(server.temporary).iterdir())
        return cls(memory_kb(server.pid) / 1024, descriptors, threads, below, folders)


MAY_GROW = Size(memory_mb=8, descriptors=10, threads=4, processes=6, folders=2)
"""What the middle of the last quarter may be above that of the second: what happens to be open differs."""


class Soak:
    """One run: the clients, what goes wrong, and what was seen."""

    def __init__(self, server: HttpServer, site: Site, minutes: float, think_s: float) -> None:
        self.server, self.site, self.think_s = server, site, think_s
        self.begun = time.monotonic()
        self.end = self.begun + minutes * 60
        self.told: Counter[str] = Counter()
        self.took_s: defaultdict[str, list[float]] = defaultdict(list)
        self.sizes: list[tuple[float, Size]] = []
        self.faults: list[tuple[float, str]] = []
        self.pages = [site.page(name) for name in ("form", "frames", "noisy", "clicks")]
        self.stuck = site.publish("/soak-stuck", STUCK)

    @property
    def minute(self) -> float:
        """How far it is."""
        return (time.monotonic() - self.begun) / 60

    def goes_on(self) -> bool:
        """Whether there is time left."""
        return time.monotonic() < self.end

    async def call(self, client: Server, tool: str, **arguments: object) -> str:
        """Thinks, calls a tool, and counts how that ended and how long it took; gives its text."""
        await asyncio.sleep(self.think_s * CHANCE.uniform(0.5, 1.5))
        asked = time.monotonic()
        try:
            reply = await asyncio.wait_for(client.call(tool, **arguments), PATIENCE_S)
        except TimeoutError:
            self.told[f"no answer: {tool}"] += 1
            raise
        self.took_s[tool].append(time.monotonic() - asked)
        self.told["refused" if reply.is_error else "done"] += 1
        return reply.text

    async def task(self, client: Server) -> None:
        """What one does in a browser for a while."""
        await self.call(client, "browser_navigate", url=CHANCE.choice(self.pages))
        await self.call(client, "browser_snapshot")
        kind = CHANCE.choice(["type", "tab", "picture", "script", "more"])
        if kind == "type":
            await self.call(client, "browser_navigate", url=self.pages[0])
            await self.call(client, "browser_type", ref="input", text="Ada")
        elif kind == "tab":
            await self.call(client, "browser_tabs", action="new")
            await self.call(client, "browser_navigate", url=self.pages[1])
            await self.call(client, "browser_tabs", action="close")
        elif kind == "picture":
            await self.call(client, "browser_take_screenshot")
        elif kind == "script":
            await self.call(client, "browser_evaluate", function="() => document.links.length")
        elif CHANCE.choice(["hang", *4 * ["rest"]]) == "hang":
            await self.call(client, "browser_navigate", url=self.stuck)
            self.fault("a page hangs")
            await self.call(client, "browser_navigate", url=self.pages[0])

    async def work(self) -> None:
        """One client after the other, each for some tasks."""
        while self.goes_on():
            await self.visit()

    async def visit(self) -> None:
        """One client, from its beginning to its end, however that comes."""
        try:
            async with self.server.connect() as client:
                for _ in range(CHANCE.randint(3, 12)):
                    if self.goes_on():
                        await self.task(client)
            self.told["clients"] += 1
        except BaseException as error:  # What several tasks raise together is no `Exception`.
            if self.server.process.poll() is not None or isinstance(error, KeyboardInterrupt):
                raise
            self.told[f"a client ended: {type(error).__name__}"] += 1

    def fault(self, what: str) -> None:
        """Writes down that something went wrong on purpose."""
        self.faults.append((self.minute, what))
        self.told[what] += 1

    async def harm(self) -> None:
        """Kills what can be killed, and lets clients vanish."""
        while self.goes_on():
            await asyncio.sleep(FAULT_S)
            below = descendants(self.server.pid)
            kind = CHANCE.choice(["browser", *2 * ["renderer"], *2 * ["client"]])
            if kind == "browser":
                for pid in self.server.browsers():
                    self.kill(pid, "a browser is killed")
            elif kind == "renderer":
                renderers = [pid for pid in below if b"--type=renderer" in command_of(pid)]
                if renderers:
                    self.kill(CHANCE.choice(renderers), "a renderer is killed")
            else:
                await asyncio.to_thread(self.vanish)

    def kill(self, pid: int, what: str) -> None:
        """Kills a process below the server."""
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
            self.fault(what)

    def vanish(self) -> None:
        """A client that begins, opens a page, listens for a moment, and is never heard of again."""
        with suppress(AssertionError, OSError):
            client = self.server.begin()
            client.call("browser_navigate", url=self.pages[0])
            head = [
                "GET /mcp HTTP/1.1",
                f"Host: {self.server.host}:{self.server.port}",
                f"Authorization: Bearer {KEY}",
                "Accept: text/event-stream",
                f"Mcp-Session-Id: {client.session}",
            ]
            self.server.send("\r\n".join([*head, "", ""]).encode(), patience_s=1)
            self.fault("a client vanishes")

    async def look(self) -> None:
        """Measures, again and again."""
        while self.goes_on():
            self.sizes.append((self.minute, Size.of(self.server)))
            await asyncio.sleep(SAMPLE_S)

    async def run(self, clients: int) -> None:
        """All of it, side by side."""
        await asyncio.gather(self.look(), self.harm(), *(self.work() for _ in range(clients)))

    def grown(self) -> list[str]:
        """What is larger in the last quarter than in the second."""
        quarter = max(1, len(self.sizes) // 4)
        second, last = (
            [astuple(size) for _, size in part]
            for part in (self.sizes[quarter : 2 * quarter], self.sizes[-quarter:])
        )
        found = []
        for field, early, late, most in zip(
            fields(Size), zip(*second, strict=True), zip(*last, strict=True), astuple(MAY_GROW), strict=True
        ):
            if median(late) > median(early) + most:
                found.append(f"{field.name}: {median(early):.0f}, then {median(late):.0f}")
        return found

    def times(self) -> list[str]:
        """How long answers took: of all tools, and of each."""
        every = {"all answers": [taken for each in self.took_s.values() for taken in each], **self.took_s}
        rows = [f"{'seconds':28} {'number':>7} {'p50':>7} {'p95':>7} {'max':>7}"]
        for name, taken in every.items():
            if taken:
                told = (share(taken, 50), share(taken, 95), max(taken))
                rows.append(f"{name:28} {len(taken):7} " + " ".join(f"{seconds:7.2f}" for seconds in told))
        return rows

    def picture(self) -> str:
        """What it held, as an SVG."""
        names = ("memory of the server, MB", "descriptors", "threads", "processes", "temporary folders")
        curves = [
            Curve(name, [(minute, float(astuple(size)[at])) for minute, size in self.sizes])
            for at, name in enumerate(names)
        ]
        return draw(curves, self.faults)


def share(values: list[float], percent: int) -> float:
    """What so many percent of the values do not exceed."""
    return sorted(values)[max(0, ceil(len(values) * percent / 100) - 1)]


def command_of(pid: int) -> bytes:
    """The command line of a process, if it is there."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


async def soak(minutes: float, clients: int, think_s: float, picture: Path) -> list[str]:
    """Runs it, draws it, and gives what is not as it should be."""
    with tempfile.TemporaryDirectory() as folder, Site() as site, HttpServer(Path(folder)) as server:
        run = Soak(server, site, minutes, think_s)
        await run.run(clients)
        left = await asyncio.to_thread(ended, server)
        await asyncio.to_thread(picture.write_text, run.picture())
    for what, times in sorted(run.told.items()):
        print(f"{times:8} {what}")
    print("\n".join(run.times()))
    unanswered = [what for what in run.told if what.startswith("no answer")]
    return run.grown() + left + unanswered


def ended(server: HttpServer) -> list[str]:
    """Ends the server, and gives what it leaves behind."""
    below = descendants(server.pid)
    server.process.send_signal(signal.SIGTERM)
    server.process.wait(PATIENCE_S)
    left = [f"left in the temporary folder: {entry.name}" for entry in Path(server.temporary).iterdir()]
    return left + [f"left running: {pid}" for pid in below if command_of(pid)]


def main() -> int:
    """Runs it; status 1 when something grew, was left, or had no answer."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--clients", type=int, default=20)
    parser.add_argument("--think", type=float, default=4, metavar="SECONDS", help="pause before a call")
    parser.add_argument("--picture", type=Path, default=Path("target/soak.svg"))
    told = parser.parse_args()
    told.picture.parent.mkdir(parents=True, exist_ok=True)
    wrong = asyncio.run(soak(told.minutes, told.clients, told.think, told.picture))
    print("\n".join(wrong) or "flat, and nothing was left")
    print(f"drawn in {told.picture}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
