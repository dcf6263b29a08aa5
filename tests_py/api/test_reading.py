"""What scripts that read the web have here: requests refused, answers kept, endless lists, codes, places."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path

import pytest

from patchright_mcp.async_api import Browser, BrowserContext, Error, Page, Playwright, ProxySettings, Route
from patchright_mcp.async_api import TimeoutError as PatchrightTimeoutError
from patchright_mcp.one_time import one_time_code
from tests_py.support.proxies import NAME, PASSWORD, Proxy
from tests_py.support.site import Site, document

CACHED = {"Cache-Control": "max-age=600"}
VIENNA = {
    "country_code": "AT",
    "timezone": "Europe/Vienna",
    "languages": "de-AT,hr",
    "latitude": 48.2,
    "longitude": 16.4,
}
LOCALE = """() => [Intl.DateTimeFormat().resolvedOptions().timeZone, navigator.language,
    Intl.DateTimeFormat().resolvedOptions().locale]"""


@pytest.mark.parametrize("read", [Page.read, Page.snapshot])
async def test_a_page_is_read_when_its_content_has_arrived(
    page: Page, site: Site, read: Callable[[Page], Awaitable[str]]
) -> None:
    rows = """<ul></ul><script>
        fetch("/hold/rows").then(() => (document.querySelector("ul").innerHTML = "<li>Last row</li>"));
        setTimeout(() => fetch("/release"), 300);
    </script>"""
    await page.goto(site.publish("/rows", document("Rows", rows)))
    assert "Last row" in await read(page)


@pytest.fixture(scope="module")
def proxy() -> Iterator[Proxy]:
    """Knows every name, and takes all of them for this machine."""
    with Proxy("http") as proxy:
        yield proxy


@pytest.fixture
async def behind(browser: Browser, proxy: Proxy) -> AsyncIterator[BrowserContext]:
    values: ProxySettings = {"server": proxy.server, "username": NAME, "password": PASSWORD}
    context = await browser.new_context(proxy=values)
    yield context
    await context.close()


def shop(site: Site, path: str = "/shop") -> str:
    """A page with much beside its text. Gives its address behind the proxy."""
    ads = f"http://deep.ads.example:{site.port}"
    site.publish("/ad.js", "globalThis.advertised = true", "text/javascript")
    site.publish("/own.js", "document.title += ', scripted'", "text/javascript", CACHED)
    site.publish("/dot.svg", "<svg xmlns='http://www.w3.org/2000/svg'/>", "image/svg+xml")
    site.lead("/led", f"{ads}/ad.js")
    body = f"""<img src=/dot.svg><script src="{ads}/ad.js"></script><script src=/led></script>
        <script src=/own.js></script><script src=/track/count.js></script>"""
    site.publish(path, document("Shop", body))
    return f"http://shop.example:{site.port}{path}"


async def test_requests_are_refused_by_kind_server_and_address(
    behind: BrowserContext, site: Site, tmp_path: Path
) -> None:
    address = shop(site)
    page = await behind.new_page()
    hosts = tmp_path / "hosts.txt"
    hosts.write_text("# a list\n0.0.0.0 ads.example\n")
    refused: list[tuple[str, str | None]] = []
    page.on(
        "requestfailed",
        lambda request: refused.append((request.url.partition("example")[2], request.failure)),
    )
    async with await behind.block(kinds=["image"], lists=hosts, urls="**/track/*"):
        await page.goto(address)
        assert await page.title() == "Shop, scripted"
        kept = list(refused)
        # The page itself is asked for on purpose, whatever its server.
        assert await page.goto(f"http://ads.example:{site.port}/shop") is not None
    paths = [f":{site.port}{path}" for path in ("/ad.js", "/ad.js", "/dot.svg", "/track/count.js")]
    assert sorted(url for url, _ in kept) == sorted(paths)
    assert {why for _, why in kept} == {"net::ERR_BLOCKED_BY_CLIENT.Inspector"}
    assert [site.requested(path) for path in ("/ad.js", "/dot.svg", "/track/count.js")] == [[], [], []]
    await page.goto(address)
    assert site.requested("/ad.js") != []
    assert site.requested("/dot.svg") != []


async def test_what_is_refused_is_not_asked_of_routes_and_the_cache_stays(page: Page, site: Site) -> None:
    site.publish("/kept.js", "document.title += ', scripted'", "text/javascript", CACHED)
    address = site.publish("/keeps", document("Keeps", "<img src=/dot.svg><script src=/kept.js></script>"))
    await page.context.block(kinds=["image"])
    for _ in range(2):
        await page.goto(address)
        assert await page.title() == "Keeps, scripted"
        await page.goto("about:blank")
    assert len(site.requested("/kept.js")) == 1
    asked: list[str] = []

    async def note(route: Route) -> None:
        asked.append(route.request.resource_type)
        await route.continue_()

    await page.route("**/*", note)
    await page.goto(address)
    assert sorted(asked) == ["document", "script"]
    assert site.requested("/dot.svg") == []


async def test_rules_are_added_and_removed_one_by_one(page: Page, site: Site) -> None:
    site.publish("/own.js", "document.title += ', scripted'", "text/javascript")
    address = site.publish("/rules", document("Rules", "<img src=/dot.svg><script src=/own.js></script>"))

    async def reached() -> set[str]:
        before = len(site.all_requested())
        await page.goto(address)
        return {path for path in site.all_requested()[before:] if path in {"/dot.svg", "/own.js"}}

    images = await page.context.block(kinds=["image"])
    assert await reached() == {"/own.js"}
    scripts = await page.context.block(urls="**/own.{js,mjs}")
    assert await reached() == set()
    await images.dispose()
    assert await reached() == {"/dot.svg"}
    # The browser cannot select requests of this kind, so each is intercepted.
    every = await page.context.block(kinds=["script"])
    await scripts.dispose()
    assert await reached() == {"/dot.svg"}
    await every.dispose()
    assert await reached() == {"/dot.svg", "/own.js"}


async def test_invalid_blocking_rules_are_refused(context: BrowserContext, tmp_path: Path) -> None:
    with pytest.raises(Error, match=r"kinds: expected one of \(document\|stylesheet\|image"):
        await context.block(kinds=["picture"])  # type: ignore[list-item]
    with pytest.raises(Error, match='domains: "not a name" is not a name such as'):
        await context.block(domains=["not a name"])
    with pytest.raises(Error, match="give kinds, ads, domains, lists or urls to block"):
        await context.block()
    (tmp_path / "empty.txt").write_text("# nothing\n")
    with pytest.raises(Error, match="contains no domain"):
        await context.block(lists=[tmp_path / "empty.txt"])


async def test_answers_are_kept_when_the_page_has_gone_on(page: Page, site: Site) -> None:
    kept = page.context.keep_answers("**/api/*")
    for number in range(3):
        site.publish(
            f"/api/{number}", json.dumps({"number": number, "name": f"Lamp {number}"}), "application/json"
        )
    site.publish("/other", "Lamp", "text/plain")
    await page.goto(site.page("form"))
    for path in ("/api/0", "/api/1", "/other", "/api/2"):
        await page.evaluate("path => fetch(path).then(answer => answer.text())", path)
    await page.goto("about:blank")
    assert [answer.json()["number"] for answer in await kept.find()] == [0, 1, 2]
    (found,) = await kept.find("lamp 1")
    assert (found.url, found.status, found.request.method) == (site.url("/api/1"), 200, "GET")
    assert found.headers["content-type"] == "application/json"
    assert [answer.text() for answer in await kept.find(url="**/2")] == ['{"number": 2, "name": "Lamp 2"}']
    kept.clear()
    assert await kept.find() == []


async def test_the_oldest_responses_are_dropped_above_the_limit(page: Page, site: Site) -> None:
    kept = page.context.keep_answers(most_mb=0.0025)
    await page.goto(site.page("form"))
    for number in range(4):
        site.publish(f"/big/{number}", str(number) * 1000, "text/plain")
        await page.evaluate("path => fetch(path).then(answer => answer.text())", f"/big/{number}")
    assert [answer.body[:1] for answer in await kept.find()] == [b"2", b"3"]


ENDLESS = """<ul></ul><script>
    let held = false;
    const add = () => {
        for (let n = 0; n < 30; n++) document.querySelector("ul").append(document.createElement("li"));
    };
    add();
    onscroll = async () => {
        const left = document.documentElement.scrollHeight - innerHeight - scrollY;
        const rounds = document.querySelectorAll("li").length / 30;
        if (held || left > 5 || rounds === MOST) return;
        held = true;
        await fetch("/slow?ms=MS");
        add();
        held = false;
    };
</script><style>li { height: 60px }</style>"""


@pytest.mark.long
async def test_a_list_is_followed_until_nothing_more_comes(page: Page, site: Site) -> None:
    # More comes later than anybody would wait who does not see the request.
    body = ENDLESS.replace("MOST", "4").replace("/slow?ms=MS", "/late-more")
    site.publish("/late-more", "x", "text/plain")
    await page.route("**/late-more", late)
    await page.goto(site.publish("/endless", document("Endless", body)))
    assert await page.scroll_to_end() == 3
    assert await page.locator("li").count() == 120
    assert await page.scroll_to_end() == 0


async def test_the_first_rows_of_a_list_are_waited_for(page: Page, site: Site) -> None:
    fill = "for (let n = 0; n < 30; n++) document.querySelector('ul').append(document.createElement('li'));"
    style = "<style>li { height: 60px }</style>"
    body = f"<ul></ul><script>fetch('/late-more').then(() => {{ {fill} }})</script>{style}"
    site.publish("/late-more", "x", "text/plain")
    await page.route("**/late-more", late)
    await page.goto(site.publish("/empty-list", document("Empty at first", body)))
    await page.scroll_to_end()
    assert await page.locator("li").count() == 30
    assert await page.evaluate("scrollY") > 1000


async def late(route: Route) -> None:
    """Answers after the page would have been given up."""
    await asyncio.sleep(1.2)
    await route.fulfill(body="x")


async def test_a_list_without_end_is_left_after_so_many_times_or_so_long(page: Page, site: Site) -> None:
    site.publish("/more", "x", "text/plain")
    body = ENDLESS.replace("MOST", "0").replace("/slow?ms=MS", "/more")
    await page.goto(site.publish("/without-end", document("Endless", body)))
    assert await page.scroll_to_end(most_times=2) == 2
    with pytest.raises(PatchrightTimeoutError, match=r"Page.scroll_to_end: Timeout 700ms exceeded"):
        await page.scroll_to_end(timeout=700)


async def test_a_list_within_a_page_is_scrolled_by_a_locator(page: Page) -> None:
    await page.set_content(
        "<div style='height: 100px; overflow: auto'><p style='height: 900px; margin: 0'>long</p></div>"
    )
    assert await page.locator("p").scroll_to_end() == 0
    assert await page.locator("div").evaluate("element => element.scrollTop") == 800


def test_codes_are_those_of_the_standard() -> None:
    seed = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
    # The table of RFC 6238, appendix B.
    for seconds, code in ((59, "94287082"), (1_111_111_109, "07081804"), (20_000_000_000, "65353130")):
        address = f"otpauth://totp/a:b?secret={seed}&digits=8"
        assert one_time_code(address, at=seconds) == code
    code = one_time_code("gezd gnbv gy3t qojq gezd gnbv gy3t qojq", at=59.9)
    assert (code, code.seconds_left) == ("287082", 1)
    assert len(one_time_code(seed)) == 6
    with pytest.raises(ValueError, match="no seed of one-time codes"):
        one_time_code("short")


async def test_a_context_is_where_it_comes_out(browser: Browser, site: Site) -> None:
    service = site.publish("/where", json.dumps(VIENNA), "application/json")
    context = await browser.new_context(geo=service)
    page = await context.new_page()
    await page.goto(site.page("form"))
    assert await page.evaluate(LOCALE) == ["Europe/Vienna", "de-AT", "de-AT"]
    await context.grant_permissions(["geolocation"])
    where = (
        "new Promise(told => navigator.geolocation.getCurrentPosition(({ coords }) => told(coords.latitude)))"
    )
    assert await page.evaluate(where) == pytest.approx(48.2)
    await context.close()
    context = await browser.new_context(geo=service, timezone_id="Asia/Tokyo")
    page = await context.new_page()
    assert await page.evaluate(LOCALE) == ["Asia/Tokyo", "de-AT", "de-AT"]
    await context.close()


async def test_a_place_is_asked_for_through_the_proxy_and_webrtc_stays_behind_it(
    playwright: Playwright, browser: Browser, proxy: Proxy, site: Site
) -> None:
    site.publish("/where", json.dumps(VIENNA), "application/json")
    service = f"http://where.example:{site.port}/where"
    values: ProxySettings = {"server": proxy.server, "username": NAME, "password": PASSWORD}
    before = len(browser.contexts)
    with pytest.raises(
        Error, match=r"WebRTC would pass by the proxy of a context .* launch the browser with a proxy"
    ):
        await browser.new_context(geo=service, proxy=values)
    assert len(browser.contexts) == before
    held = await playwright.chromium.launch(
        args=["--force-webrtc-ip-handling-policy=disable_non_proxied_udp"]
    )
    page = await held.new_page(geo=service, proxy=values)
    assert await page.evaluate(LOCALE) == ["Europe/Vienna", "de-AT", "de-AT"]
    assert f"where.example:{site.port}" in proxy.asked
    site.publish("/where", json.dumps({"error": True}), "application/json")
    with pytest.raises(Error, match="tells no time zone"):
        await held.new_page(geo=service, proxy=values)
    await held.close()
    with pytest.raises(Error, match='geo: expected "proxy" or the address of a service'):
        await browser.new_context(geo="vienna")
