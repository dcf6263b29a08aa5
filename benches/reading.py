"""What of an article stands in a snapshot, and in what `patchright_fetch` gives first.

python -m benches.reading FOLDER [--only NAME ...]

FOLDER holds one folder a page, as mozilla/readability keeps them in test/test-pages: `source.html`, what
is to be found in it (`expected.html`) and its title (`expected-metadata.json`). Counted are the title, the
headings, and the first sentence of each section. What a page needs from elsewhere is not fetched: a proxy
that is not there stands between.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass, field
from functools import partial
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

from tests_py.support.client import Server, serve

# A port where nobody listens.
ALONE = ("--proxy-server", "http://127.0.0.1:9", "--proxy-bypass", "127.0.0.1")
SHORTEST_TEXT = 20
LONGEST_SENTENCE = 500
HEADINGS = {"h1", "h2", "h3", "h4", "h5", "h6"}
INLINE = re.compile(
    "a|abbr|b|bdi|bdo|big|cite|code|data|del|dfn|em|font|i|ins|kbd|label|mark|q|s|samp|small|span|strike|strong"
    "|sub|sup|time|tt|u|var|wbr|img|picture|source"
)
SENTENCE_END = re.compile(r"(?<=[.!?])(?:[\"')”’»]|\[[^\]]{1,9}\])*\s|(?<=[。！？])")
OURS = re.compile(r"\[ref=[^\]]*\]|\]\((?:f\d+)?e\d+\)|\]\([^)\s]*\)|\\[n\"\\]|^\s*- [a-z]+", re.MULTILINE)


class Sections(HTMLParser):
    """The headings of an article, and the first text of each section."""

    def __init__(self) -> None:
        super().__init__()
        self.headings: list[str] = []
        self.leads: list[str] = []
        self._wants_lead = True
        self._in_heading = False
        self._text = ""

    def handle_starttag(self, tag: str, _: object) -> None:
        """A block begins."""
        if not INLINE.fullmatch(tag):
            self._end_block()
        if tag in HEADINGS:
            self._in_heading = True

    def handle_endtag(self, tag: str) -> None:
        """A block ends."""
        if not INLINE.fullmatch(tag):
            self._end_block()
        if tag in HEADINGS:
            self._in_heading = False

    def handle_data(self, data: str) -> None:
        """Some of a block's text."""
        self._text += data

    def close(self) -> None:
        """The last block ends."""
        super().close()
        self._end_block()

    def _end_block(self) -> None:
        text = " ".join(self._text.split())
        self._text = ""
        if not text:
            return
        if self._in_heading:
            self.headings.append(text)
            self._wants_lead = True
        elif self._wants_lead and len(text) >= SHORTEST_TEXT:
            self.leads.append(SENTENCE_END.split(text, maxsplit=1)[0][:LONGEST_SENTENCE])
            self._wants_lead = False


def bare(text: str) -> str:
    """Letters and digits only: how a text is wrapped and marked makes no difference."""
    return "".join(letter for letter in OURS.sub(" ", text).lower() if letter.isalnum())


@dataclass
class Page:
    """A saved page, and what a reader would look for in it."""

    name: str
    title: str
    headings: list[str]
    leads: list[str]

    @classmethod
    def read(cls, folder: Path) -> Page:
        """The page of this folder."""
        sections = Sections()
        sections.feed((folder / "expected.html").read_text())
        sections.close()
        title = json.loads((folder / "expected-metadata.json").read_text()).get("title") or ""
        return cls(folder.name, title, sections.headings, sections.leads)

    def wanted(self) -> list[str]:
        """All that is looked for."""
        return [text for text in [self.title, *self.headings, *self.leads] if bare(text)]


@dataclass
class Tally:
    """What was found, over all pages."""

    wanted: int = 0
    found: int = 0
    unseen: int = 0
    sizes: list[int] = field(default_factory=list)
    times: list[float] = field(default_factory=list)

    def add(self, page: Page, text: str, visible: str, seconds: float) -> list[str]:
        """Looks for what is wanted of `page` in `text`, and gives what is missing.

        `visible` is all that its window shows.
        """
        missing = []
        self.sizes.append(len(text))
        self.times.append(seconds)
        given, seen = bare(text), bare(visible)
        for wanted in page.wanted():
            self.wanted += 1
            if bare(wanted) in given:
                self.found += 1
            elif bare(wanted) not in seen:
                self.unseen += 1
            else:
                missing.append(wanted)
        return missing

    def __str__(self) -> str:
        shown = self.wanted - self.unseen
        return (
            f"{self.found} of {self.wanted} ({self.found / self.wanted:.1%}),"
            f" of what the browser shows {self.found / shown:.1%}\n"
            f"    characters: median {statistics.median(self.sizes):,.0f}, largest {max(self.sizes):,},"
            f" all {sum(self.sizes):,}\n"
            f"    seconds: median {statistics.median(self.times):.2f}, slowest {max(self.times):.2f}"
        )


class _Handler(SimpleHTTPRequestHandler):
    extensions_map = {".html": "text/html; charset=utf-8"}  # noqa: RUF012

    def log_message(self, *_: object) -> None:
        pass


async def measure(server: Server, pages: list[Page], origin: str) -> tuple[Tally, Tally]:
    """Opens each page, and reads it both ways."""
    snapshots, readings = Tally(), Tally()
    for page in pages:
        url = f"{origin}/{page.name}/source.html"
        begun = time.monotonic()
        opened = await server.call("browser_navigate", url=url)
        spent = time.monotonic() - begun
        whole = await server.call(
            "browser_evaluate", function="() => document.title + ' ' + document.documentElement.innerText"
        )
        _tell(f"{page.name}: snapshot", snapshots.add(page, opened.text, whole.text, spent))
        begun = time.monotonic()
        fetched = await server.call("patchright_fetch", url=url)
        spent = time.monotonic() - begun
        _tell(f"{page.name}: patchright_fetch", readings.add(page, fetched.text, whole.text, spent))
    return snapshots, readings


def _tell(what: str, missing: list[str]) -> None:
    for text in missing:
        print(f"{what} lacks {text}", file=sys.stderr)


async def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", nargs="+", help="names of pages")
    options = parser.parse_args()
    folders = sorted(path.parent for path in options.folder.glob("*/expected.html"))
    pages = [Page.read(folder) for folder in folders if not options.only or folder.name in options.only]
    site = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Handler, directory=options.folder))
    Thread(target=site.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as folder:
        async with serve("--headless", *ALONE, cwd=Path(folder)) as server:
            origin = f"http://127.0.0.1:{site.server_address[1]}"
            snapshots, readings = await measure(server, pages, origin)
    site.shutdown()
    print(f"{len(pages)} pages\n  snapshot: {snapshots}\n  patchright_fetch: {readings}")


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
