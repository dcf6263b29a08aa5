"""Measures how fast many pages are read, beside other libraries.

Usage: python -m benches.pages [--python PYTHON] [--peers PYTHON] [--rounds N] [--scale FRACTION]

All libraries drive the same Chromium (except Lightpanda, which is a browser) and read eight pages at a
time, as their documentation recommends. They take turns, each in a new process. `--peers` is an interpreter
with some of `playwright`, `patchright`, `crawl4ai`, `scrapy-playwright` and `lightpanda` installed.

There are three kinds of pages: small ones, pages that fetch and draw 40 rows, and heavy ones (2 MB of
scripts, 100 images). A page is complete if its last row was read. Nobody waits for a selector.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import json
import os
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from benches.processes import descendants, has_module, memory_mb
from tests_py.support.served import Served

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

CONCURRENCY = 8
PAGES = {"small": 1000, "drawn": 100, "heavy": 100}
ROWS = 40
SCRIPTS, SCRIPT_BYTES, IMAGES = 20, 100_000, 100
PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
)
# Reading the memory of many processes slows them down, so long runs are sampled seldom.
LONGEST_PAUSE_S = 2
Read = Callable[[str], Awaitable[str]]
LONGEST_RUN_S = 300


@dataclass
class Outcome:
    """One library's run through one kind of pages."""

    pages_per_s: float
    complete: int
    cpu_ms: float = 0
    peak_mb: float = 0


class Pages(Served):
    """Serves `/small/N`, `/drawn/N` and `/heavy/N`, and what they load."""

    def __init__(self) -> None:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self.origin = f"http://127.0.0.1:{self._server.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        kind, _, number = self.path[1:].partition("/")
        answers = {"small": small, "drawn": drawn, "heavy": heavy, "rows": rows, "script": script}
        body, content = answers[kind](number) if kind in answers else (PIXEL, "image/png")
        self.send_response(200)
        self.send_header("Content-Type", content)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(body)


def html(number: str, body: str) -> tuple[bytes, str]:
    """A page as its bytes and its content type."""
    page = f"<!doctype html><title>Page {number}</title><h1>Page {number}</h1>{body}"
    return page.encode(), "text/html; charset=utf-8"


def small(number: str) -> tuple[bytes, str]:
    """A page whose HTML is complete."""
    return html(number, "<p>words and words</p>" * ROWS + f"<p>{last_row(number)}</p>")


def drawn(number: str) -> tuple[bytes, str]:
    """A page that draws rows which it fetches."""
    return html(
        number,
        f"""<ul></ul><script>
        fetch("/rows/{number}").then((answer) => answer.json()).then((rows) => {{
          const list = document.querySelector("ul");
          for (const row of rows)
            list.append(Object.assign(document.createElement("li"), {{ textContent: row }}));
        }});
        </script>""",
    )


def rows(number: str) -> tuple[bytes, str]:
    """The rows of a drawn page."""
    texts = [f"Row {row} of page {number}" for row in range(1, ROWS)]
    return json.dumps([*texts, last_row(number)]).encode(), "application/json"


def heavy(number: str) -> tuple[bytes, str]:
    """A page with many scripts and images. Its last script draws the last row."""
    scripts = "".join(f'<script src="/script/{part}" defer></script>' for part in range(SCRIPTS))
    images = "".join(
        f'<img src="/image/{number}-{image}" width="40" height="40" alt="">' for image in range(IMAGES)
    )
    return html(
        number, f'{scripts}<p>words and words</p>{images}<p id="last" data-text="{last_row(number)}"></p>'
    )


def script(number: str) -> tuple[bytes, str]:
    """A script of a heavy page: functions, of which one runs."""
    functions = "".join(f"function f{number}_{at}(a, b) {{ return a * {at} + b; }}\n" for at in range(2100))
    last = int(number) == SCRIPTS - 1
    draw = (
        "const last = document.querySelector('#last'); last.textContent = last.dataset.text;" if last else ""
    )
    return f"{functions:<{SCRIPT_BYTES}}\nf{number}_1(2, 3);{draw}".encode(), "text/javascript"


def last_row(number: str) -> str:
    """The text that a complete page ends with."""
    return f"Last row of page {number}."


async def take_turns(urls: list[str], readers: list[Read]) -> list[str]:
    """Reads all pages, one after the other with each reader."""
    waiting, texts = list(reversed(urls)), []

    async def work(read: Read) -> None:
        while waiting:
            url = waiting.pop()
            texts.append(await read(url))

    await asyncio.gather(*(work(read) for read in readers))
    return texts


async def with_pool(
    browser: str, urls: list[str], isolate: Literal["worker", "none"]
) -> tuple[float, list[str]]:
    """Reads with our pool, as the guide shows."""
    from patchright_mcp.async_api import async_playwright  # noqa: PLC0415
    from patchright_mcp.pool import PagePool  # noqa: PLC0415

    async def read(page: Any, url: str) -> str:  # noqa: ANN401
        await page.goto(url)
        return str(await page.read())

    async with async_playwright() as playwright:
        launched = await playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        begun = time.monotonic()
        async with PagePool(launched, size=CONCURRENCY, isolate=isolate) as pool:
            texts = [str(result.value) async for result in pool.stream(read, urls) if result.error is None]
        taken = time.monotonic() - begun
        await launched.close()
    return taken, texts


async def with_kept_pages(library: str, browser: str, urls: list[str], state: str) -> tuple[float, list[str]]:
    """Reads with kept pages in one context."""
    api = __import__(f"{library}.async_api", fromlist=["async_playwright"])
    async with api.async_playwright() as playwright:
        launched = await playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        context = await launched.new_context()
        begun = time.monotonic()

        def reader(page: Any) -> Read:  # noqa: ANN401
            async def read(url: str) -> str:
                await page.goto(url, wait_until=state)
                return str(await page.locator("body").inner_text())

            return read

        texts = await take_turns(urls, [reader(await context.new_page()) for _ in range(CONCURRENCY)])
        taken = time.monotonic() - begun
        await launched.close()
    return taken, texts


def endpoint_of(profile: str) -> str:
    """Waits for the DevTools endpoint of the Chromium with this profile."""
    file = Path(profile, "DevToolsActivePort")
    while not file.exists() or not file.read_text().strip():
        time.sleep(0.05)
    return f"http://127.0.0.1:{file.read_text().split()[0]}"


@asynccontextmanager
async def chromium(browser: str) -> AsyncIterator[str]:
    """Runs a headless Chromium, and yields the URL of its DevTools endpoint."""
    with tempfile.TemporaryDirectory() as profile:
        arguments = ["--headless", "--no-sandbox", "--remote-debugging-port=0", f"--user-data-dir={profile}"]
        process = await asyncio.create_subprocess_exec(browser, *arguments, stderr=subprocess.DEVNULL)
        try:
            yield await asyncio.to_thread(endpoint_of, profile)
        finally:
            process.terminate()
            await process.wait()


async def with_crawl4ai(browser: str, urls: list[str]) -> tuple[float, list[str]]:
    """Reads with `arun_many`, whose result is Markdown."""
    import crawl4ai  # type: ignore[import-not-found]  # noqa: PLC0415

    async with chromium(browser) as endpoint:
        config = crawl4ai.BrowserConfig(browser_mode="cdp", cdp_url=endpoint, verbose=False)
        async with crawl4ai.AsyncWebCrawler(config=config) as crawler:
            run = crawl4ai.CrawlerRunConfig(cache_mode=crawl4ai.CacheMode.BYPASS, verbose=False)
            dispatcher = crawl4ai.SemaphoreDispatcher(semaphore_count=CONCURRENCY)
            begun = time.monotonic()
            results = await crawler.arun_many(urls, config=run, dispatcher=dispatcher)
            texts = [str(result.markdown) for result in results]
            taken = time.monotonic() - begun
    return taken, texts


async def with_lightpanda(_: str, urls: list[str]) -> tuple[float, list[str]]:
    """Reads with Lightpanda's own sessions."""
    import lightpanda  # type: ignore[import-not-found]  # noqa: PLC0415

    async with lightpanda.AsyncBrowser() as browser:
        sessions = [await browser.new_session() for _ in range(CONCURRENCY)]
        begun = time.monotonic()

        def reader(session: Any) -> Read:  # noqa: ANN401
            async def read(url: str) -> str:
                await session.goto(url=url)
                return str(await session.markdown())

            return read

        texts = await take_turns(urls, [reader(session) for session in sessions])
        taken = time.monotonic() - begun
    return taken, texts


def with_scrapy(browser: str, urls: list[str]) -> tuple[float, list[str]]:
    """Reads with a Scrapy spider, whose pages Playwright renders."""
    import scrapy  # type: ignore[import-not-found]  # noqa: PLC0415
    from scrapy.crawler import CrawlerProcess  # type: ignore[import-not-found]  # noqa: PLC0415

    texts: list[str] = []
    times: list[float] = []

    class Spider(scrapy.Spider):  # type: ignore[misc]
        name = "pages"

        async def start(self) -> AsyncIterator[Any]:
            for url in urls:
                yield scrapy.Request(url, meta={"playwright": True}, dont_filter=True)

        def parse(self, response: Any) -> None:  # noqa: ANN401
            times.append(time.monotonic())
            texts.append(" ".join(response.css("body ::text").getall()))

    handler = "scrapy_playwright.handler.ScrapyPlaywrightDownloadHandler"
    process = CrawlerProcess(
        {
            "LOG_ENABLED": False,
            "TWISTED_REACTOR": "twisted.internet.asyncioreactor.AsyncioSelectorReactor",
            "DOWNLOAD_HANDLERS": {"http": handler, "https": handler},
            "CONCURRENT_REQUESTS": CONCURRENCY,
            "CONCURRENT_REQUESTS_PER_DOMAIN": CONCURRENCY,
            "DOWNLOAD_DELAY": 0,
            "ROBOTSTXT_OBEY": False,
            "PLAYWRIGHT_LAUNCH_OPTIONS": {"executable_path": browser, "args": ["--no-sandbox"]},
            "PLAYWRIGHT_MAX_PAGES_PER_CONTEXT": CONCURRENCY,
        }
    )
    process.crawl(Spider)
    begun = time.monotonic()
    process.start()
    # The start of the browser is included.
    return max(times, default=begun) - begun, texts


CONTESTANTS: dict[str, tuple[str, Callable[[str, list[str]], Any]]] = {
    "patchright_mcp": ("", lambda browser, urls: with_pool(browser, urls, "none")),
    "patchright_mcp, isolated workers": ("", lambda browser, urls: with_pool(browser, urls, "worker")),
    "playwright": ("playwright", lambda browser, urls: with_kept_pages("playwright", browser, urls, "load")),
    "playwright, networkidle": (
        "playwright",
        lambda browser, urls: with_kept_pages("playwright", browser, urls, "networkidle"),
    ),
    "patchright": ("patchright", lambda browser, urls: with_kept_pages("patchright", browser, urls, "load")),
    "crawl4ai": ("crawl4ai", with_crawl4ai),
    "scrapy-playwright": ("scrapy_playwright", with_scrapy),
    "lightpanda": ("lightpanda", with_lightpanda),
}


def measured(name: str, kind: str, origin: str, count: int) -> Outcome:
    """Lets one library read, in this process."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    assert browser, "there is no Chromium on the path"
    urls = [f"{origin}/{kind}/{number}" for number in range(count)]
    outcome = CONTESTANTS[name][1](browser, urls)
    taken, texts = asyncio.run(outcome) if asyncio.iscoroutine(outcome) else outcome
    complete = sum(any(last_row(str(number)) in text for text in texts) for number in range(count))
    return Outcome(count / taken, complete)


def run(python: str, name: str, kind: str, origin: str, count: int) -> Outcome | None:
    """Lets one library read in a process of its own, and measures the process and its descendants.

    `None` if it fails, or takes too long.
    """
    command = [python, "-m", "benches.pages", "--measure", name, kind, origin, str(count)]
    before, begun, peak = cpu_s(), time.monotonic(), 0.0
    with tempfile.TemporaryFile() as output, subprocess.Popen(command, stdout=output) as process:
        while process.poll() is None:
            below = descendants(process.pid)
            taken = time.monotonic() - begun
            if taken > LONGEST_RUN_S:
                for pid in [*below, process.pid]:
                    with suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
            peak = max(peak, sum(memory_mb(pid) for pid in [process.pid, *below]))
            with suppress(subprocess.TimeoutExpired):
                process.wait(min(LONGEST_PAUSE_S, 0.1 + taken / 4))
        if process.returncode:
            return None
        output.seek(0)
        outcome = Outcome(**json.loads(output.read().splitlines()[-1]))
    outcome.cpu_ms = (cpu_s() - before) * 1000 / count
    outcome.peak_mb = peak
    return outcome


def cpu_s() -> float:
    """The CPU time of all descendants that have ended, in seconds."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def main() -> None:
    """Measures, or is one of the measured processes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--python", default=sys.executable, help="the interpreter that has our library")
    parser.add_argument("--peers", default=sys.executable, help="the interpreter that has the others")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--scale", type=float, default=1, help="the fraction of the pages to read")
    parser.add_argument("--only", nargs="+", choices=CONTESTANTS)
    parser.add_argument(
        "--measure", nargs=4, metavar=("NAME", "KIND", "ORIGIN", "COUNT"), help=argparse.SUPPRESS
    )
    options = parser.parse_args()
    if options.measure:
        name, kind, origin, count = options.measure
        print(json.dumps(measured(name, kind, origin, int(count)).__dict__))
        return
    names = [
        name
        for name, (module, _) in CONTESTANTS.items()
        if (not options.only or name in options.only) and (not module or has_module(options.peers, module))
    ]
    results: dict[tuple[str, str], list[Outcome]] = defaultdict(list)
    with Pages() as site:
        for number in range(options.rounds):
            for kind, count in PAGES.items():
                for name in names if number % 2 == 0 else reversed(names):
                    python = options.peers if CONTESTANTS[name][0] else options.python
                    print(
                        f"Round {number + 1}, {kind}: {name}, load {os.getloadavg()[0]:.1f}", file=sys.stderr
                    )
                    outcome = run(python, name, kind, site.origin, max(1, int(count * options.scale)))
                    print(f"    {outcome or 'failed'}", file=sys.stderr)
                    results[kind, name] += [outcome] if outcome else []
    print_tables(results, options.scale)


def print_tables(results: dict[tuple[str, str], list[Outcome]], scale: float) -> None:
    """Prints a table for each kind, with the medians of all rounds."""
    for kind, count in PAGES.items():
        read = max(1, int(count * scale))
        print(f"\n| {read} {kind} pages | pages/s | CPU per page | peak memory | complete |")
        print("|---|---:|---:|---:|---:|")
        for (of, name), outcomes in results.items():
            if of != kind or not outcomes:
                continue
            speed, cpu, peak = (
                statistics.median(getattr(outcome, key) for outcome in outcomes)
                for key in ("pages_per_s", "cpu_ms", "peak_mb")
            )
            complete = min(outcome.complete for outcome in outcomes)
            print(f"| {name} | {speed:.1f} | {cpu:.0f} ms | {peak:,.0f} MB | {complete} |")


if __name__ == "__main__":
    main()
