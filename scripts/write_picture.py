"""Draws the README's picture from a real run: commands, their answers, and the page beside them.

Usage: python scripts/write_picture.py [--check]    --check compares what is said, not what is drawn
"""

from __future__ import annotations

import base64
import functools
import html
import os
import re
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / "docs" / "pictures" / "shell.svg"
PROGRAM = [sys.executable, "-m", "patchright_mcp"]
SITE = "http://localhost:8000/"
"""What stands in the picture for the port that was free."""
TITLE = "what an agent types, and reads"
SEEN = (520, 640)
"""The page, in its own pixels."""
WIDTH, HEIGHT = 1000, 502
TERMINAL, GAP, BAR, LINE = 604, 16, 30, 19
ROUND_S = 14
"""How long the picture takes until it begins anew; the last quarter of that, all of it stands still."""
STYLE = """
text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace;
  fill: #c9d1d9; white-space: pre }
.title { fill: #8b949e; font: 12.5px system-ui, sans-serif }
.command { fill: #fff; font-weight: 600 }
.new { fill: #56d364 }
.other { fill: #e3b341 }
.dim { fill: #8b949e }
tspan.ref { fill: #79c0ff }
.terminal { fill: #0d1117; stroke: #30363d }
.browser { fill: #f6f8fa; stroke: #8c959f }
.dot { fill: #484f58 }
.light { fill: #d0d7de }
.address { fill: #fff; stroke: #d0d7de }
.told { fill: #24292f; font-size: 12px }
@media (prefers-reduced-motion: no-preference) { .step { animation: %(round)ss step-end infinite } }
"""


@dataclass(frozen=True)
class Step:
    """One command, what it answered, and the page afterwards."""

    command: str
    answer: list[str]
    page: bytes


def main() -> int:
    """Draws it, or says whether the one that is there still tells the truth."""
    steps = run()
    drawn = picture(steps)
    if "--check" in sys.argv[1:]:
        if PICTURE.exists() and lines(PICTURE.read_text()) == lines(drawn):
            return 0
        print(f"{PICTURE.relative_to(ROOT)} is stale: run `make picture`", file=sys.stderr)
        return 1
    PICTURE.write_text(drawn)
    return 0


def lines(drawn: str) -> list[str]:
    """What is said in a picture."""
    found = re.findall(r"<text[^>]*>(.*?)</text>", drawn)
    return [html.unescape(re.sub(r"</?tspan[^>]*>", "", line)) for line in found]


def run() -> list[Step]:
    """Does it, in a folder of its own."""
    with tempfile.TemporaryDirectory() as name, served() as address:
        folder = Path(name)
        (folder / ".patchright-mcp").mkdir()
        environment = {**os.environ, "PATCHRIGHT_MCP_VIEWPORT_SIZE": f"{SEEN[0]}x{SEEN[1]}"}

        def run_command(*words: str) -> str:
            done = subprocess.run(
                [*PROGRAM, *words], check=True, capture_output=True, text=True, cwd=folder, env=environment
            )
            return done.stdout.replace(address, SITE)

        def step(shown: str, *words: str) -> Step:
            answer = run_command(*words).rstrip().splitlines()
            run_command("screenshot", "page.png")
            return Step(f"patchright-mcp {shown}", answer, (folder / "page.png").read_bytes())

        try:
            return [
                step(f"open {SITE}", "open", address),
                step("fill e3 'Ada Lovelace' e4 4", "fill", "e3", "Ada Lovelace", "e4", "4"),
                step("click e6", "click", "e6"),
            ]
        finally:
            run_command("close", "--all")


@contextmanager
def served() -> Iterator[str]:
    """The page of the demo on loopback."""
    handler = functools.partial(Quiet, directory=str(ROOT / "demo" / "page"))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as site:
        Thread(target=site.serve_forever, args=(0.05,), daemon=True).start()
        try:
            yield f"http://127.0.0.1:{site.server_port}/"
        finally:
            site.shutdown()


class Quiet(SimpleHTTPRequestHandler):
    """Serves files and says nothing about it."""

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Nothing."""


def picture(steps: list[Step]) -> str:
    """The whole picture: what is typed on the left, what the page shows on the right."""
    moments = len(steps) + 1
    left, width = TERMINAL + GAP, WIDTH - TERMINAL - GAP - 1
    style = STYLE % {"round": ROUND_S} + "".join(keyframes(number, moments) for number in range(len(steps)))
    seen = f'x="{left + 1}" y="{BAR}" width="{width - 1}" height="{HEIGHT - BAR - 8}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">',
        "<title>A shell opens a page, fills its form and sends it; beside it, the page</title>",
        f"<style>{style}</style>",
        f'<rect class="terminal" x=".5" y=".5" width="{TERMINAL}" height="{HEIGHT - 1}" rx="8"/>',
        *(f'<circle class="dot" cx="{18 + 16 * dot}" cy="15" r="5"/>' for dot in range(3)),
        f'<text class="title" x="{TERMINAL / 2}" y="20" text-anchor="middle">{TITLE}</text>',
        *terminal(steps),
        f'<rect class="browser" x="{left + 0.5}" y=".5" width="{width}" height="{HEIGHT - 1}" rx="8"/>',
        *(f'<circle class="light" cx="{left + 18 + 16 * dot}" cy="15" r="5"/>' for dot in range(3)),
        f'<rect class="address" x="{left + 64}" y="5" width="{width - 76}" height="20" rx="10"/>',
        f'<text class="told" x="{left + 76}" y="19">{SITE}</text>',
        f'<svg {seen} viewBox="0 0 {SEEN[0]} {SEEN[1]}" preserveAspectRatio="xMidYMin slice">',
        *(page(step, number) for number, step in enumerate(steps)),
        "</svg>",
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def keyframes(number: int, moments: int) -> str:
    """Unseen until its turn; where nothing moves, all of them are seen."""
    begins = 100 * number / moments
    first = int(number == 0)
    return f"@keyframes step{number} {{ 0% {{ opacity: {first} }} {begins:.1f}% {{ opacity: 1 }} }}\n"


def page(step: Step, number: int) -> str:
    """How it looked; later ones cover earlier ones."""
    coded = base64.b64encode(step.page).decode()
    return (
        f'<image class="step" style="animation-name: step{number}" width="{SEEN[0]}" height="{SEEN[1]}" '
        f'href="data:image/png;base64,{coded}"/>'
    )


def terminal(steps: list[Step]) -> list[str]:
    """Every line that is typed or answered."""
    parts = []
    height = BAR + 20
    for number, step in enumerate(steps):
        parts.append(f'<g class="step" style="animation-name: step{number}">')
        for line, kind in [(f"$ {step.command}", "command"), *((line, look(line)) for line in step.answer)]:
            place = f'x="16" y="{height}" xml:space="preserve"'
            parts.append(f'<text class="{kind}" {place}>{marked(line)}</text>')
            height += LINE
        parts.append("</g>")
        height += LINE // 2
    assert height - LINE < HEIGHT, f"{height - LINE} is too much for a picture of {HEIGHT}"
    return parts


def look(line: str) -> str:
    """By what it begins with."""
    return {"+": "new", "~": "other", "P": "dim"}.get(line[:1], "plain")


def marked(line: str) -> str:
    """Refs stand out."""
    return re.sub(r"(\[ref=\w+\])", r'<tspan class="ref">\1</tspan>', html.escape(line, quote=False))


if __name__ == "__main__":
    sys.exit(main())
