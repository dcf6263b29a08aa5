"""Runs what is too slow for every change, and writes one page about it, failures first: target/nightly.md.

Usage: python scripts/nightly.py [--most MINUTES] [PART…]

Each part is a target of the Makefile with a time limit. `--most` lowers every limit.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path

ROOT = Path(__file__).parents[1]
LOGS = ROOT / "target" / "nightly"
PAGE = ROOT / "target" / "nightly.md"
SHOWN_LINES = 30
ORDER = ("failed", "out of time", "skipped", "passed")
SUMMARY = re.compile(r"(=+ )?.*\b\d+ (passed|failed|error)|test result:|^error|\bok$")


@dataclass(frozen=True)
class Part:
    """A target of the Makefile."""

    name: str
    minutes: float
    arguments: tuple[str, ...] = ()
    """`{minutes}` and `{seconds}` are what the target may take for itself."""
    needs: tuple[str, ...] = ()
    """Variables of the environment, one of which names what the target runs on."""


PARTS = (
    Part("advisories", 5),
    Part("lint-features", 20),
    Part("whole", 90),
    Part("firefox", 60),
    Part("webkit", 20),
    Part("zoo", 60, ("ZOO=--quiet",)),
    Part("fleet", 40),
    Part("clusters", 30),
    Part("manifests", 15),
    Part("orders", 20),
    Part("faults", 40),
    Part("honesty", 60),
    Part("stealth", 20),
    Part("leaving", 60),
    Part("conformance", 90, needs=("PLAYWRIGHT_PYTHON", "MCP_CONFORMANCE")),
    Part("packages", 90, needs=("CHECKOUTS",)),
    Part("fuzz", 90, ("SECONDS={seconds}",)),
    Part("races", 60),
    Part("smoke", 60),
    Part("soak", 80, ("MINUTES={minutes}",)),
)
READERS = len(list((ROOT / "fuzz" / "seeds").iterdir()))


@dataclass(frozen=True)
class Outcome:
    """What became of a part."""

    name: str
    result: str
    minutes: float
    said: str
    log: str = ""


def run(part: Part, most: float) -> Outcome:
    """Runs a part, and ends all that it started when its time is over."""
    if part.needs and not any(os.environ.get(name) for name in part.needs):
        return Outcome(part.name, "skipped", 0, f"needs {' or '.join(part.needs)}")
    limit = min(part.minutes, most)
    own = {"minutes": f"{limit * 0.75:g}", "seconds": str(int(limit * 60 * 0.3 / READERS) + 1)}
    command = ["make", "--no-print-directory", part.name, *(word.format(**own) for word in part.arguments)]
    log = LOGS / f"{part.name}.log"
    start = time.monotonic()
    with log.open("w") as output:
        process = subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True
        )
        try:
            result = "failed" if process.wait(limit * 60) else "passed"
        except subprocess.TimeoutExpired:
            result = "out of time"
            os.killpg(process.pid, signal.SIGTERM)
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
    text = re.sub(r"\x1b\[[\d;]*m", "", log.read_text(errors="replace"))
    return Outcome(part.name, result, (time.monotonic() - start) / 60, last_word(text), text)


def last_word(log: str) -> str:
    """The line of a log that sums it up."""
    lines = [line.strip(" =") for line in log.splitlines() if line.strip() and not line.startswith("make")]
    return next((line for line in reversed(lines) if SUMMARY.search(line)), lines[-1] if lines else "")


def page(outcomes: list[Outcome]) -> str:
    """The summary: a table, then the end of each log that needs a look."""
    describe = ["git", "describe", "--always", "--dirty"]
    commit = subprocess.run(describe, check=False, cwd=ROOT, capture_output=True, text=True).stdout.strip()
    ordered = sorted(outcomes, key=lambda outcome: ORDER.index(outcome.result))
    counts = ", ".join(
        f"{number} {result}"
        for result in ORDER
        if (number := sum(outcome.result == result for outcome in outcomes))
    )
    when = datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M UTC")
    where = f"{commit}, {when}, {os.cpu_count()} cores, {platform.platform()}"
    text = f"# Nightly run: {counts}\n\n{where}\n\n"
    text += "| part | result | minutes | last words |\n|---|---|---|---|\n"
    for outcome in ordered:
        said = outcome.said.replace("|", "\\|")[:160]
        text += f"| {outcome.name} | {outcome.result} | {outcome.minutes:.1f} | {said} |\n"
    for outcome in ordered:
        if outcome.result in ORDER[:2]:
            end = "\n".join(outcome.log.splitlines()[-SHOWN_LINES:])
            text += f"\n## {outcome.name}: {outcome.result}\n\n```text\n{end}\n```\n\n"
            text += f"All of it: target/nightly/{outcome.name}.log\n"
    return text


def main() -> int:
    """Runs the parts one after the other; the page is renewed after each."""
    names = [part.name for part in PARTS]
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(names))
    parser.add_argument(
        "--most", type=float, default=float("inf"), metavar="MINUTES", help="limit of each part"
    )
    given = parser.parse_args()
    if unknown := set(given.parts) - set(names):
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    LOGS.mkdir(parents=True, exist_ok=True)
    outcomes: list[Outcome] = []
    for part in PARTS:
        if not given.parts or part.name in given.parts:
            outcomes.append(run(part, given.most))
            PAGE.write_text(page(outcomes))
            last = outcomes[-1]
            print(f"{last.name}: {last.result} after {last.minutes:.1f} minutes: {last.said}", flush=True)
    return int(any(outcome.result in ORDER[:2] for outcome in outcomes))


if __name__ == "__main__":
    sys.exit(main())
