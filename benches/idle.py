"""What a server and its browser do while nobody asks for anything.

Usage: python -m benches.idle [--python PYTHON] [--seconds N] [--against NAME=COMMAND] …

Each opens a page that does nothing. Processor time is read from the clocks of the threads (Linux), so that it
is nearly the same whatever else the machine does. Others are named as for benches.server.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import defaultdict
from pathlib import Path

from benches.server import Client, peers
from tests_py.support.site import Site, document

BROWSERS = ("chrom", "headless_shell", "msedge", "firefox")
PARTS = 6


def main() -> None:
    """Measures one server after the other, and prints a table."""
    parser = argparse.ArgumentParser(description="Measure what is done while nothing is asked for.")
    parser.add_argument("--python", default=sys.executable, help="the interpreter that has the server")
    parser.add_argument("--seconds", type=float, default=60, help="how long to look")
    parser.add_argument("--against", action="append", default=[], metavar="NAME=COMMAND")
    options = parser.parse_args()
    commands = {
        "ours": [options.python, "-m", "patchright_mcp", "--headless", "--isolated"],
        **peers(options.against),
    }
    print("Percent of one processor while nothing is asked for, from the answer to the first page on")
    with Site() as site:
        url = site.publish("/idle", document("Idle", "<h1>Idle</h1><button>Nothing</button>"))
        for name, command in commands.items():
            server, browser, parts = measure(command, url, options.seconds)
            along = " ".join(f"{part:5.2f}" for part in parts)
            print(f"{name:24} server {server:5.2f}  browser {browser:5.2f}  together, part by part: {along}")


def measure(command: list[str], url: str, seconds: float) -> tuple[float, float, list[float]]:
    """What server and browser take in all of the time, and both together in each part of it."""
    with Client(command) as client:
        client.shake_hands()
        client.learn_tools()
        client.call("browser_navigate", url=url)
        begun, before = time.monotonic(), spent()
        first, parts = before, []
        for number in range(1, PARTS + 1):
            time.sleep(max(0.0, begun + seconds * number / PARTS - time.monotonic()))
            now = spent()
            parts.append(sum(taken(before, now)) / (seconds / PARTS) * 100)
            before = now
        server, browser = (share / (time.monotonic() - begun) * 100 for share in taken(first, before))
        return server, browser, parts


Spent = dict[tuple[int, str], tuple[bool, float]]


def taken(before: Spent, now: Spent) -> tuple[float, float]:
    """The seconds that were spent between, by what is no browser and by what is one."""
    shares = [0.0, 0.0]
    for thread, (is_browser, seconds) in now.items():
        shares[is_browser] += seconds - before.get(thread, (False, 0.0))[1]
    return shares[0], shares[1]


def spent() -> Spent:
    """What each thread of each process below this one has spent, in seconds."""
    children = defaultdict(list)
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = stat.read_text().rpartition(")")[2].split()[1]
        except OSError:
            continue
        children[int(parent)].append(int(stat.parent.name))
    found: Spent = {}
    todo = list(children[os.getpid()])
    while todo:
        number = todo.pop()
        todo += children[number]
        process = Path(f"/proc/{number}")
        try:
            is_browser = (process / "exe").readlink().name.startswith(BROWSERS)
            for thread in (process / "task").iterdir():
                clock = (thread / "schedstat").read_text()
                found[number, thread.name] = is_browser, int(clock.split()[0]) / 1e9
        except OSError:
            continue
    return found


if __name__ == "__main__":
    main()
