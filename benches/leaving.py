"""How soon a page that does not let go is told of, and left.

Usage: python -m benches.leaving [--python PYTHON] [--rounds N] [--only WORDS]

Each page is opened in a server of its own and begins what has no end. Then it is left for a page of the same
site, opened anew, asked for a snapshot, and left for a page of another site. What is measured is the whole
call, with the reading of the page that it leads to.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import defaultdict
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Any

from benches.server import Client
from tests_py.support.site import Site, document

if TYPE_CHECKING:
    from collections.abc import Callable

    Samples = defaultdict[tuple[str, str], list[float]]
    Codes = defaultdict[tuple[str, str], set[str]]

BOUND_S = 2.0
LONGEST_BEGIN_S = 30
BEGUN = "/notes/begun"
AGAIN = "const again = () => { try { for (;;); } finally { setTimeout(again) } }; again()"
MICROTASKS = "const again = () => Promise.resolve().then(again); again()"
REQUEST = "const r = new XMLHttpRequest(); r.open('GET', '/hold/for-ever', false); r.send()"
FRAME = "const f = document.createElement('iframe'); f.src = location.pathname + '?' + Math.random()"
DEEP = (
    "let place = document.body; for (let level = 0; level < 3000; level++)"
    " place = place.appendChild(document.createElement('div'))"
)


@dataclass(frozen=True)
class Case:
    """A page, and what it does."""

    name: str
    markup: str = ""
    """What stands in it."""
    begins: str = ""
    """What a script of ours has it do, a moment after it was opened."""
    asks: str = "browser_snapshot"
    """What is asked of it meanwhile."""
    ends: bool = False
    """Whether its renderer dies of it, so that what is asked is asked then."""


EATS = "const eaten = []; for (;;) eaten.push(new Array(1e6).fill(Math.random()))"
EATS_BIT_BY_BIT = "const eaten = []; setInterval(() => eaten.push(new Array(8e6).fill(Math.random())), 20)"
CASES = [
    Case("loop in a timer", begins="for (;;);"),
    Case("loop again and again", begins=AGAIN),
    Case("microtasks", begins=MICROTASKS),
    Case("loop at load", "<script>onload = () => { for (;;); }</script>"),
    Case("loop while it is read", "<script>for (;;);</script>"),
    *(
        Case(f"loop in {event}", f"<script>on{event} = () => {{ for (;;); }}</script>")
        for event in ("beforeunload", "pagehide", "unload")
    ),
    Case("synchronous request", begins=REQUEST),
    Case("print without end", begins="for (;;) print()"),
    Case("alerts without end", begins="for (;;) alert('Again')"),
    Case("confirms without end, at load", "<script>for (;;) confirm('Sure?')</script>"),
    Case("eats memory", begins=EATS),
    Case("eats memory bit by bit", begins=EATS_BIT_BY_BIT),
    Case("has eaten until it died", begins=EATS, ends=True),
    Case("includes itself", f"<script>{FRAME}; document.body.append(f)</script>"),
    Case("refreshes itself", "<meta http-equiv=refresh content=0>"),
    Case("reloads itself", "<script>location.reload()</script>"),
    Case("3,000 levels deep", f"<script>{DEEP}</script>"),
    Case("100,000 px wide, picture of the whole", "<div style='width: 100000px'>.</div>", asks="picture"),
]


class Visit:
    """One server with one such page."""

    def __init__(self, client: Client, site: Site, case: Case, samples: Samples, codes: Codes) -> None:
        self.client, self.site, self.case = client, site, case
        self.samples, self.codes = samples, codes
        self.url = site.publish("/clings", document("Clings", f"<h1>Clings</h1>{case.markup}"))

    def run(self) -> None:
        """All that is measured of it."""
        self.client.shake_hands()
        self.call("browser_navigate", url=self.site.page("form"))
        self.begin()
        self.leave(self.site.origin, "left, same site")
        self.begin()
        if self.case.asks == "picture":
            self.timed("told", "browser_take_screenshot", fullPage=True)
        else:
            self.timed("told", self.case.asks)
        self.leave(self.site.other_origin, "left, another site")

    def call(self, tool: str, **values: object) -> dict[str, Any]:
        """Calls a tool, however that ends."""
        return self.client.ask("tools/call", {"name": tool, "arguments": values})

    def timed(self, what: str, tool: str, **values: object) -> dict[str, Any]:
        """Calls a tool, and keeps how long it took and what it said."""
        begun = time.perf_counter()
        told = self.call(tool, **values)
        key = (self.case.name, what)
        self.samples[key].append(time.perf_counter() - begun)
        if told.get("isError"):
            self.codes[key].add(told.get("_meta", {}).get("errorCode", "?"))
        return told

    def begin(self) -> None:
        """Opens the page, and waits until it is at it."""
        self.timed("opened", "browser_navigate", url=self.url)
        if not self.case.begins:
            return
        before = len(self.site.requested(BEGUN))
        begin = f"navigator.sendBeacon('{BEGUN}'); {self.case.begins}"
        self.call("browser_evaluate", function=f"() => {{ setTimeout(() => {{ {begin} }}, 200) }}")
        until(lambda: len(self.site.requested(BEGUN)) > before)
        if self.case.ends:
            until(lambda: "crashed" in str(self.call("browser_tabs", action="list")))

    def leave(self, origin: str, what: str) -> None:
        """Goes to a page of `origin`, which must be shown."""
        told = self.timed(what, "browser_navigate", url=f"{origin}/pages/form.html")
        assert "textbox" in str(told["content"]), f"{self.case.name}, {what}: {told}"


def until(holds: Callable[[], bool]) -> None:
    """Waits for something."""
    end = time.monotonic() + LONGEST_BEGIN_S
    while not holds():
        assert time.monotonic() < end, "it has not begun"
        time.sleep(0.02)


def main() -> int:
    """Measures, and prints a table; status 1 when a page was told of or left later than within the bound."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", default=sys.executable, help="the interpreter that has the server")
    parser.add_argument("--rounds", type=int, default=3, help="fresh servers for each page")
    parser.add_argument("--only", default="", metavar="WORDS", help="pages whose names have these words")
    options = parser.parse_args()
    samples: Samples = defaultdict(list)
    codes: Codes = defaultdict(set)
    cases = [case for case in CASES if options.only in case.name]
    loads = []
    for _ in range(options.rounds):
        for case in cases:
            loads.append(os.getloadavg()[0])
            command = [options.python, "-m", "patchright_mcp", "--headless"]
            with Site() as site, Client(command) as client:
                Visit(client, site, case, samples, codes).run()
    print(f"{options.rounds} rounds, load {min(loads):.1f} to {max(loads):.1f}; seconds, median and longest")
    return print_table(cases, samples, codes)


def print_table(cases: list[Case], samples: Samples, codes: Codes) -> int:
    """The figures in Markdown; how many of those that are bound are over it decides the status."""
    columns = ("opened", "told", "left, same site", "left, another site")
    print(f"| the page | {' | '.join(columns)} |\n|---|{'---:|' * len(columns)}")
    late = False
    for case in cases:
        cells = []
        for what in columns:
            taken = samples[case.name, what]
            said = ", ".join(sorted(codes[case.name, what]))
            late |= what != "opened" and max(taken) > BOUND_S
            cells.append(f"{median(taken):.1f}, {max(taken):.1f}{f' `{said}`' if said else ''}")
        print(f"| {case.name} | {' | '.join(cells)} |")
    return int(late)


if __name__ == "__main__":
    sys.exit(main())
