"""Crawls: every page once, whatever a site does and however often the crawl is killed."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from patchright_mcp import sync_api
from patchright_mcp.async_api import BrowserContext, Error
from tests_py.support.endless import EndlessSite

PATIENCE_S = 600

PROGRAM = """
import sys
from patchright_mcp.sync_api import sync_playwright
with sync_playwright() as playwright:
    context = playwright.chromium.launch().new_context()
    print(context.crawl(sys.argv[1], sys.argv[2], max_pages=10_000))
"""


def index(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "index.jsonl").read_text().splitlines()]


def count_lines(folder: Path) -> int:
    file = folder / "index.jsonl"
    return file.read_bytes().count(b"\n") if file.exists() else 0


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline, "it did not come to pass"
        time.sleep(0.01)


def pages(folder: Path) -> dict[str, str]:
    """The text of each page of the index, by URL. Fails if a URL or a file is there twice."""
    lines = index(folder)
    assert Counter(line["url"] for line in lines).most_common(1)[0][1] == 1
    files = [line["file"] for line in lines if "file" in line]
    assert sorted(files) == sorted(file.name for file in folder.glob("*.md"))
    return {line["url"]: (folder / line["file"]).read_text() for line in lines if "file" in line}


@pytest.fixture
def site() -> Iterator[EndlessSite]:
    with EndlessSite(30) as site:
        yield site


async def test_each_page_is_written_once_and_traps_are_left(
    context: BrowserContext, site: EndlessSite, tmp_path: Path
) -> None:
    report = await context.crawl(
        site.url("/"), tmp_path / "site", max_pages=1000, exclude=[site.url("/shop*"), site.url("/calendar*")]
    )
    written = pages(tmp_path / "site")
    assert {url for url in written if "/maze/" not in url} == site.expected()
    assert sum("/maze/" in url for url in written) == 3
    front = f'---\nurl: {site.url("/p/7")}\ntitle: "Page 7"\nfetched: '
    assert written[site.url("/p/7")].startswith(front)
    assert "# Page 7\n" in written[site.url("/p/7")]
    assert (report.pages, report.duplicates, report.failed, report.waiting) == (34, 3, 0, 0)
    assert report.skipped == {
        "other_site": 1,
        "excluded": 2,
        "robots": 1,
        "noindex": 1,
        "content": 2,
        "repeated_path": 1,
    }
    assert report.stopped is None
    line = next(line for line in index(tmp_path / "site") if line["url"] == site.url("/old/10"))
    assert line["duplicateOf"] == site.url("/p/10")
    line = next(line for line in index(tmp_path / "site") if line["url"] == site.url("/p/1"))
    assert (line["file"], line["title"], line["status"], line["depth"]) == ("p-1.md", "Page 1", 200, 2)
    assert site.requested["/private"] == 0
    assert context.pages == []


async def test_a_limit_is_reported_and_the_same_call_goes_on(
    context: BrowserContext, site: EndlessSite, tmp_path: Path
) -> None:
    site.traps = False
    site.fails.add("/p/4")
    first = await context.crawl(site.url("/"), tmp_path, max_pages=12)
    assert (first.pages + first.failed, first.stopped) == (12, "max_pages")
    done = {line["url"] for line in index(tmp_path)}
    second = await context.crawl(site.url("/"), tmp_path)
    assert (second.resumed, second.stopped, second.waiting) == (first.pages, None, 0)
    (failed,) = [line for line in index(tmp_path) if "error" in line]
    assert (failed["url"], failed["status"]) == (site.url("/p/4"), 500)
    site.fails.clear()
    third = await context.crawl(site.url("/"), tmp_path)
    assert (third.pages, third.failed) == (31, 0)
    assert set(pages(tmp_path)) == site.expected() >= done
    assert {path: count for path, count in site.requested.items() if count > 1 and path != "/robots.txt"} == {
        "/p/4": 1 + (site.url("/p/4") in done) + 1
    }
    with pytest.raises(Error, match="contains a crawl with maxDepth null"):
        await context.crawl(site.url("/"), tmp_path, max_depth=1)


async def test_depth_patterns_and_time_bound_a_crawl(
    context: BrowserContext, site: EndlessSite, tmp_path: Path
) -> None:
    site.traps = False
    await context.crawl(site.url("/"), tmp_path / "depth", max_depth=2)
    assert {line["depth"] for line in index(tmp_path / "depth")} == {0, 1, 2}
    assert len(pages(tmp_path / "depth")) == 1 + 1 + 8
    await context.crawl(site.url("/p/0"), tmp_path / "some", include=[site.url("/p/{1,2,9}")])
    assert set(pages(tmp_path / "some")) == {site.url(f"/p/{number}") for number in (0, 1, 2, 9)}
    late = await context.crawl(site.url("/"), tmp_path / "late", time_limit_s=0.01)
    assert late.stopped == "time_limit"
    whole = await context.crawl(site.url("/"), tmp_path / "late")
    assert (whole.pages, whole.stopped) == (31, None)


async def test_pages_that_fail_do_not_end_a_crawl(
    context: BrowserContext, site: EndlessSite, tmp_path: Path
) -> None:
    site.traps = False
    context.set_default_navigation_timeout(4000)
    site.slow, site.busy, site.fails = {"/p/9"}, {"/p/10"}, {"/p/11"}
    report = await context.crawl(site.url("/"), tmp_path)
    assert (report.pages, report.failed, report.waiting) == (28, 3, 0)
    failed = {line["url"]: line["error"] for line in index(tmp_path) if "error" in line}
    assert set(failed) == {site.url(f"/p/{number}") for number in (9, 10, 11)}
    assert failed[site.url("/p/11")] == "HTTP status 500"
    assert context.pages == []


async def test_the_delay_that_a_site_asks_for_is_kept(
    context: BrowserContext, site: EndlessSite, tmp_path: Path
) -> None:
    site.traps = False
    site.robots = "User-agent: *\nCrawl-delay: 1\n"
    report = await context.crawl(site.url("/"), tmp_path, max_pages=6)
    assert report.pages == 6
    # A single request can arrive late on a busy machine, and the next one soon after it.
    assert max(site.times) - min(site.times) > 3


async def test_a_sitemap_is_a_start(context: BrowserContext, site: EndlessSite, tmp_path: Path) -> None:
    site.traps = False
    report = await context.crawl(site.url("/sitemap.xml"), tmp_path, max_depth=0)
    assert set(pages(tmp_path)) == site.expected() - {site.url("/")}
    assert report.skipped == {}


async def test_a_cancelled_crawl_closes_its_tabs_and_goes_on(
    context: BrowserContext, site: EndlessSite, tmp_path: Path
) -> None:
    site.traps = False
    crawling = asyncio.create_task(context.crawl(site.url("/"), tmp_path))
    await asyncio.to_thread(until, lambda: count_lines(tmp_path) >= 5)
    crawling.cancel()
    with pytest.raises(asyncio.CancelledError):
        await crawling
    await asyncio.to_thread(until, lambda: not context.pages)
    report = await context.crawl(site.url("/"), tmp_path)
    assert report.resumed >= 5
    assert set(pages(tmp_path)) == site.expected()


async def test_a_start_that_cannot_be_opened_is_an_error(
    context: BrowserContext, site: EndlessSite, tmp_path: Path
) -> None:
    with pytest.raises(Error, match=r"robots\.txt"):
        await context.crawl(site.url("/private"), tmp_path / "private")
    report = await context.crawl(site.url("/private"), tmp_path / "ignored", respect_robots=False)
    assert report.pages == 1
    with pytest.raises(Error, match="ERR_UNSAFE_PORT"):
        await context.crawl("http://127.0.0.1:9/", tmp_path / "refused")
    with pytest.raises(Error, match="is no http or https address"):
        await context.crawl("file:///etc/passwd", tmp_path / "file")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "note.md").write_text("mine")
    with pytest.raises(Error, match="contains no crawl"):
        await context.crawl(site.url("/"), tmp_path / "mine")


def killed(site: EndlessSite, folder: Path, lines: int) -> None:
    """Starts a crawl in a process of its own, and kills it once the index has so many lines."""
    command = [sys.executable, "-c", PROGRAM, site.url("/"), str(folder)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        until(lambda: count_lines(folder) >= lines or process.poll() is not None)
        assert process.poll() is None, "the crawl ended before it was killed"
        process.kill()


@pytest.mark.parametrize(
    "count", [60, pytest.param(2000, marks=[pytest.mark.long, pytest.mark.timeout(1800)])]
)
def test_a_crawl_that_is_killed_twice_misses_no_page_and_has_none_twice(count: int, tmp_path: Path) -> None:
    with EndlessSite(count, traps=count > 60) as site:
        folder = tmp_path / "site"
        for lines in (count // 3, 2 * count // 3):
            killed(site, folder, lines)
        with sync_api.sync_playwright() as playwright:
            context = playwright.chromium.launch().new_context()
            report = context.crawl(site.url("/"), folder, max_pages=10_000)
            again = context.crawl(site.url("/"), folder, max_pages=10_000)
        written = pages(folder)
        traps = Counter(url.split("/")[3].split("?")[0] for url in written if url not in site.expected())
        assert site.expected() <= set(written)
        for number in range(count):
            assert f"# Page {number}\n" in written[site.url(f"/p/{number}")]
        assert report.resumed >= 2 * count // 3
        assert (again.pages, again.waiting, again.stopped) == (report.pages, 0, None)
        if count > 60:
            assert traps == {"maze": 3, "calendar": 101, "shop": 101}
            assert report.duplicates == count // 10
            # What was being visited at each end is visited again, and nothing else.
            visits = sum(site.requested[f"/p/{number}"] for number in range(count))
            assert visits <= count + count // 10 + 2 * 4
