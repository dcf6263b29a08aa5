"""A long day in a minute: a thousand navigations, and whether the server is any larger after them.

python -m benches.soak [--navigations 1000]
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from tests_py.support.http import HttpServer, memory_kb
from tests_py.support.site import Site

WARM_UP = 100
EVERY = 100


@dataclass(frozen=True)
class Size:
    """How large a process is."""

    memory_kb: int
    descriptors: int
    threads: int

    @classmethod
    def of(cls, pid: int) -> Size:
        """The process as it is now."""
        process = Path(f"/proc/{pid}")
        descriptors, threads = (len(list((process / what).iterdir())) for what in ("fd", "task"))
        return cls(memory_kb(pid), descriptors, threads)

    def __str__(self) -> str:
        return f"{self.memory_kb / 1024:.1f} MB, {self.descriptors} descriptors, {self.threads} threads"


async def soak(navigations: int) -> bool:
    """Navigates, and says whether nothing grew."""
    with tempfile.TemporaryDirectory() as folder, Site() as site, HttpServer(Path(folder)) as server:
        pages = [site.page("form"), site.page("frames"), site.page("noisy")]
        async with server.connect() as client:
            for number in range(WARM_UP):
                await client.open(pages[number % len(pages)])
            before = Size.of(server.pid)
            print(f"after {WARM_UP} to warm up: {before}")
            for number in range(navigations):
                await client.open(pages[number % len(pages)])
                if number % EVERY == EVERY - 1:
                    print(f"after {number + 1}: {Size.of(server.pid)}")
            after = Size.of(server.pid)
    return (
        after.memory_kb <= before.memory_kb * 1.10 + 1024
        and after.descriptors <= before.descriptors + 2
        and after.threads <= before.threads + 2
    )


def main() -> int:
    """Runs it; status 1 when something grew."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--navigations", type=int, default=1000)
    flat = asyncio.run(soak(parser.parse_args().navigations))
    print("flat" if flat else "it grew")
    return 0 if flat else 1


if __name__ == "__main__":
    sys.exit(main())
