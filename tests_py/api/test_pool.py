"""Pools of pages: what items share, what is retried, what is kept, and files that are continued."""

from __future__ import annotations

import asyncio
import csv
import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from patchright_mcp.async_api import Browser, Error, Page
from patchright_mcp.pool import PagePool, PoolError, Progress
from patchright_mcp.pool._proxies import ProxyRotation
from tests_py.support.proxies import NAME, PASSWORD, Proxy
from tests_py.support.site import Site

COUNTER = "() => document.cookie = `seen=${1 + Number(document.cookie.slice(5) || 0)}`"


@pytest.fixture(scope="module")
def proxy() -> Iterator[Proxy]:
    with Proxy("http") as proxy:
        yield proxy


async def title(page: Page, url: str) -> str:
    await page.goto(url)
    return await page.title()


@pytest.mark.parametrize(
    ("isolate", "seen"), [("page", [1, 1, 1]), ("worker", [1, 2, 3]), ("none", [1, 2, 3])]
)
async def test_items_share_what_the_isolation_says(
    browser: Browser, site: Site, isolate: str, seen: list[int]
) -> None:
    url = site.publish("/cookies", "<title>Cookies</title>")

    async def visit(page: Page, _item: int) -> int:
        await page.goto(url)
        return int((await page.evaluate(COUNTER)).rpartition("=")[2])

    async with PagePool(browser, size=1, isolate=isolate) as pool:  # type: ignore[arg-type]
        assert await pool.map(visit, range(3)) == seen
    assert browser.contexts == []


async def test_workers_share_nothing_while_they_run(browser: Browser, site: Site) -> None:
    url = site.publish("/cookies", "<title>Cookies</title>")
    both = asyncio.Barrier(2) if sys.version_info >= (3, 11) else None
    pages: set[Page] = set()

    async def visit(page: Page, _item: int) -> str:
        pages.add(page)
        await page.goto(url)
        await page.evaluate(COUNTER)
        if both:
            await both.wait()
        return str(await page.evaluate("document.cookie"))

    async with PagePool(browser, size=2) as pool:
        assert await pool.map(visit, range(2)) == ["seen=1"] * 2
        assert await pool.map(visit, range(2)) == ["seen=2"] * 2
    assert len(pages) == 2


@pytest.mark.long
async def test_a_page_that_work_has_changed_is_not_kept(browser: Browser, site: Site) -> None:
    url = site.publish("/plain", "<title>Plain</title>")
    pages: list[Page] = []

    async def change(page: Page, how: str) -> None:
        pages.append(page)
        await page.goto(url)
        if how == "route":
            await page.route("**/none", lambda route: route.abort())
        elif how == "listener":
            page.on("request", lambda _request: None)
        elif how == "script":
            await page.add_init_script("window.changed = true")
        elif how == "media":
            await page.emulate_media(color_scheme="dark")
        elif how == "context":
            await page.context.set_extra_http_headers({"X-Changed": "yes"})
        elif how == "clock":
            await page.context.clock.install()
        elif how == "popup":
            await page.context.new_page()
        elif how == "failure":
            raise Error("this item fails")

    async with PagePool(browser, size=1, retries=0) as pool:
        changes = ["route", "listener", "script", "media", "context", "clock", "popup", "failure"]
        await pool.try_map(change, [*changes, "nothing", "nothing"])
    assert len(set(pages)) == len(changes) + 1
    assert pages[-1] is pages[-2]


@pytest.mark.long
async def test_a_pool_has_no_more_pages_than_its_size_and_retries(browser: Browser) -> None:
    open_now, most = 0, 0
    tries: Counter[int] = Counter()
    both = asyncio.Event()

    async def work(page: Page, item: int) -> int:
        nonlocal open_now, most
        open_now += 1
        most = max(most, open_now)
        tries[item] += 1
        try:
            if open_now == 2:
                both.set()
            await both.wait()
            if item == 3 and tries[item] == 1:
                raise Error("once")
            if item == 4:
                raise Error("always")
            if item == 6:
                raise KeyError("a mistake")
            return int(await page.evaluate("n => n * 2", item))
        finally:
            open_now -= 1

    async with PagePool(browser, size=2, retries=1, least_free_mb=0) as pool:
        assert await pool.map(work, [1, 2, 3]) == [2, 4, 6]
        with pytest.raises(PoolError, match="2 of 3 items failed; the first is 4: always") as failed:
            await pool.map(work, [4, 5, 6])
        assert [(result.value, result.attempts) for result in failed.value.results] == [
            (None, 2),
            (10, 1),
            (None, 1),
        ]
        values = await pool.try_map(work, [4, 5])
    assert (str(values[0]), values[1]) == ("always", 10)
    assert most == 2
    assert tries == {1: 1, 2: 1, 3: 2, 4: 4, 5: 2, 6: 1}


async def test_results_come_as_they_are_ready_and_leaving_ends_the_rest(browser: Browser) -> None:
    never = asyncio.Event()
    running: set[int] = set()
    reports: list[Progress] = []

    async def work(_page: Page, item: int) -> int:
        running.add(item)
        try:
            if item == 0:
                await never.wait()
            return item
        finally:
            running.discard(item)

    pool = PagePool(browser, size=2, progress=reports.append)
    async with pool:
        seen = []
        stream = pool.stream(work, range(100))
        async for result in stream:
            seen.append(result.value)
            if len(seen) == 3:
                break
        await stream.aclose()
        assert seen == [1, 2, 3]
        assert not running
    assert [(report.done, report.total) for report in reports] == [(1, 100), (2, 100), (3, 100)]
    assert browser.contexts == []


async def test_a_pool_waits_for_memory_before_a_further_page(
    browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    free = iter([100.0, 100.0])
    looks: list[float] = []

    def look() -> float:
        looks.append(next(free, 900.0))
        return looks[-1]

    monkeypatch.setattr("patchright_mcp.pool._pool.free_mb", look)
    monkeypatch.setattr("patchright_mcp.pool._pool._MEMORY_CHECK_S", 0)
    async with PagePool(browser, size=4, least_free_mb=400) as pool, pool.page(), pool.page() as second:
        assert not second.is_closed()
    assert looks == [100.0, 100.0, 900.0]


async def test_robots_are_respected_in_every_navigation(browser: Browser, site: Site) -> None:
    site.publish("/robots.txt", "User-agent: *\nDisallow: /private", kind="text/plain")
    urls = [site.publish("/open", "<title>Open</title>"), site.publish("/private", "<title>Private</title>")]
    async with PagePool(browser, size=1, respect_robots=True, retries=0) as pool:
        opened, refused = await pool.try_map(title, urls)
    assert opened == "Open"
    assert isinstance(refused, Error)
    assert "robots.txt" in str(refused)
    assert site.requested("/private") == []


async def test_what_robots_disallow_is_not_tried_again(browser: Browser, site: Site) -> None:
    site.publish("/robots.txt", "User-agent: *\nDisallow: /private", kind="text/plain")
    url = site.publish("/private", "<title>Private</title>")
    async with PagePool(browser, size=1, respect_robots=True, retries=5) as pool:
        (result,) = [result async for result in pool.stream(title, [url])]
    assert (result.ok, result.attempts) == (False, 1)


@pytest.mark.parametrize(
    ("options", "wrong"),
    [
        ({"size": 0}, "size: expected 1 or more, got 0"),
        ({"size": "4"}, "size: expected number, got string"),
        ({"retries": "2"}, "retries: expected number, got string"),
        ({"min_interval_s": "1"}, "min_interval_s: expected number, got string"),
        ({"respect_robots": "yes"}, "respect_robots: expected boolean, got string"),
        ({"block": True}, "block: expected object, got boolean"),
        ({"proxies": "http://x:1"}, "proxies: expected array or function, got string"),
        ({"rotation": "x"}, "rotation: expected one of (turn|failure), got 'x'"),
        ({"isolate": "pages"}, "isolate: expected one of (page|worker|none), got 'pages'"),
        ({"sizes": 3}, "got an unexpected keyword argument 'sizes'"),
    ],
)
def test_a_wrong_option_of_a_pool_is_named_at_once(
    browser: Browser, options: dict[str, Any], wrong: str
) -> None:
    with pytest.raises(Error) as failed:
        PagePool(browser, **options)
    assert str(failed.value) == f"PagePool: {wrong}"


async def test_an_address_in_place_of_a_list_is_refused(browser: Browser, tmp_path: Path) -> None:
    async with PagePool(browser) as pool:
        for call in (
            lambda: pool.stream(title, "http://a.example"),
            lambda: pool.save(title, "http://a.example", tmp_path / "rows.csv"),
        ):
            with pytest.raises(Error, match="items: expected array, got string"):
                call()
        with pytest.raises(Error, match="items: expected array, got string"):
            await pool.map(title, "http://a.example")


@pytest.mark.long
@pytest.mark.parametrize("name", ["rows.jsonl", "rows.csv"])
async def test_a_file_is_continued_without_reading_a_page_twice(
    browser: Browser, site: Site, tmp_path: Path, name: str
) -> None:
    urls = [site.publish(f"/row{number}", f"<title>Row {number}</title>") for number in range(6)]
    fails = {urls[2]}

    async def rows(page: Page, url: str) -> list[dict[str, str]]:
        await page.goto(url)
        if url in fails:
            raise Error("not now")
        return [{"title": await page.title(), "part": part} for part in ("a", 'b, "quoted"\nline')]

    path = tmp_path / name
    async with PagePool(browser, size=2, retries=0) as pool:
        failed = await pool.save(rows, urls[:4], path)
        assert [result.item for result in failed] == [urls[2]]
        # A program that was killed leaves a row that is not whole, and one that no note tells of.
        with path.open("ab") as torn:
            torn.write(b'{"item": "tor')
        fails.clear()
        fails.add(urls[5])
        (failed_again,) = await pool.save(rows, urls, path)
        assert (failed_again.index, failed_again.item) == (5, urls[5])
        fails.clear()
        assert await pool.save(rows, urls, path) == []
    if name.endswith(".csv"):
        with path.open(newline="", encoding="utf-8") as file:
            found = list(csv.DictReader(file))
    else:
        found = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert sorted((row["item"], row["part"]) for row in found) == sorted(
        (url, part) for url in urls for part in ("a", 'b, "quoted"\nline')
    )
    asked = Counter(url for url in urls for _ in site.requested(url.removeprefix(site.origin)))
    assert asked == {**dict.fromkeys(urls, 1), urls[2]: 2, urls[5]: 2}


KILLED = """
import asyncio, sys
from patchright_mcp.async_api import async_playwright
from patchright_mcp.pool import PagePool

async def title(page, url):
    await page.goto(url)
    print(url, flush=True)
    return {"title": await page.title()}

async def main():
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch()
        async with PagePool(browser, size=2) as pool:
            failed = await pool.save(title, sys.argv[2:], sys.argv[1])
        await browser.close()
        print("over", len(failed), flush=True)

asyncio.run(main())
"""


@pytest.mark.long
def test_a_program_that_is_killed_goes_on_where_it_was(site: Site, tmp_path: Path) -> None:
    urls = [site.publish(f"/kill{number}", f"<title>{number}</title>") for number in range(40)]
    path = tmp_path / "kept.jsonl"
    command = [sys.executable, "-c", KILLED, str(path), *urls]
    for _ in range(2):
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True) as program:
            assert program.stdout
            for _ in range(8):
                assert program.stdout.readline().startswith("http")
            os.killpg(program.pid, signal.SIGKILL)
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == "over 0"
    items = [json.loads(line)["item"] for line in path.read_text(encoding="utf-8").splitlines()]
    assert sorted(items) == sorted(urls)


def test_proxies_go_in_turn_or_until_one_fails_and_rest_then() -> None:
    time = [0.0]
    a, b, c = ({"server": f"http://{name}"} for name in "abc")
    in_turn = ProxyRotation([a, b, c], by_turn=True, rest_s=60, now=lambda: time[0])
    assert [in_turn.next() for _ in range(4)] == [a, b, c, a]
    in_turn.failed(c)
    assert [in_turn.next() for _ in range(3)] == [b, a, b]
    time[0] = 61
    assert [in_turn.next() for _ in range(2)] == [c, a]
    until = ProxyRotation([a, b], by_turn=False, rest_s=60, now=lambda: time[0])
    assert [until.next(), until.next()] == [a, a]
    until.failed(a)
    assert [until.next(), until.next()] == [b, b]
    time[0] = 90
    until.failed(b)
    # Both rest: the one that has rested longest.
    assert until.next() == a
    asked: list[int] = []
    by_rule = ProxyRotation(asked.append, by_turn=True, rest_s=60)
    assert [by_rule.next(), by_rule.next()] == [None, None]
    assert asked == [0, 1]


async def test_a_pool_goes_on_with_another_proxy_and_blocks_requests(
    browser: Browser, proxy: Proxy, site: Site
) -> None:
    site.publish("/dot.png", b"", kind="image/png")
    address = site.publish("/pool-shop", "<title>Shop</title><img src=/dot.png>")
    good = {"server": proxy.server, "username": NAME, "password": PASSWORD}
    bad = {**good, "password": "wrong"}
    pool = PagePool(
        browser, size=1, retries=1, proxies=[bad, good], rotation="failure", block={"kinds": ["image"]}
    )
    async with pool:
        assert await pool.map(title, [address] * 2) == ["Shop"] * 2
    assert site.requested("/dot.png") == []
