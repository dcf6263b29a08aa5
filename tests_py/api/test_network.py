"""What pages send and receive, seen and decided from a script."""

import asyncio
import gc
import gzip
import json
import zlib
from pathlib import Path

import pytest

from patchright_mcp.async_api import (
    Browser,
    BrowserContext,
    Error,
    Page,
    Playwright,
    Request,
    Response,
    Route,
)
from tests_py.support.site import Site, document

FETCH = "url => fetch(url, { method: 'POST', body: 'a=1' }).then(r => r.text(), e => 'failed')"


async def test_a_redirect_is_reported_as_two_requests_that_know_each_other(page: Page, site: Site) -> None:
    seen: list[str] = []
    page.on("request", lambda request: seen.append(f"asked {request.resource_type}"))
    page.on("requestfinished", lambda request: seen.append(f"done {request.method}"))
    response = await page.goto(site.url("/redirect?to=" + site.page("form")))
    assert response is not None
    first = response.request.redirected_from
    assert first is not None
    assert first.redirected_to is response.request
    assert (response.url, response.status, response.ok) == (site.page("form"), 200, True)
    assert (response.frame, first.is_navigation_request()) == (page.main_frame, True)
    assert "<form" in await response.text()
    assert (await response.request.all_headers())["user-agent"] == await page.evaluate("navigator.userAgent")
    assert response.request.timing["responseEnd"] >= response.request.timing["responseStart"] > 0
    assert seen[:4] == ["asked document", "done GET"] * 2
    with pytest.raises(Error, match="redirect"):
        await (await first.response()).body()  # type: ignore[union-attr]


async def test_routes_decide_newest_first_and_leave_the_rest_to_others(page: Page, site: Site) -> None:
    await page.goto(site.page("form"))
    order: list[str] = []

    async def last(route: Route) -> None:
        order.append("last")
        await route.fulfill(json={"method": route.request.method, "sent": route.request.post_data})

    async def first(route: Route, request: Request) -> None:
        order.append("first")
        assert request.post_data_buffer == b"a=1"
        await route.fallback(post_data="b=2", method="PUT")

    await page.context.route("**/made-up", last)
    await page.route("**/made-*", first, times=1)
    answers = [json.loads(await page.evaluate(FETCH, "/made-up")) for _ in range(2)]
    assert answers == [{"method": "PUT", "sent": "b=2"}, {"method": "POST", "sent": "a=1"}]
    assert order == ["first", "last", "last"]
    # A handler that is spent goes without a word.
    complaints: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, reported: complaints.append(reported))
    await page.context.unroute("**/made-up")
    await page.route("**/made-up", lambda route: route.fulfill(body="once"), times=1)
    assert await page.evaluate(FETCH, "/made-up") == "once"
    await page.evaluate(FETCH, "/made-up")
    gc.collect()
    assert complaints == []
    await page.context.route("**/made-up", last)

    async with await page.route("**/made-up", lambda route: route.abort("connectionrefused")):
        async with page.expect_event("requestfailed") as failed:
            assert await page.evaluate(FETCH, "/made-up") == "failed"
        assert (await failed.value).failure == "net::ERR_CONNECTION_REFUSED"
    assert json.loads(await page.evaluate(FETCH, "/made-up"))["method"] == "POST"

    async def patch(route: Route) -> None:
        answer = await route.fetch()
        await route.fulfill(response=answer, body=(await answer.text()).replace("<form", "<form id=patched"))

    await page.route(site.page("form"), patch)
    await page.reload()
    assert await page.locator("#patched").count() == 1


async def test_requests_without_a_page_share_its_cookies(
    page: Page, playwright: Playwright, site: Site
) -> None:
    await page.context.request.get(site.url("/cookie?name=who&value=me"))
    await page.goto(site.page("form"))
    assert await page.evaluate("document.cookie") == "who=me"
    await page.request.post(site.url("/echo"), form={"name": "é", "yes": True}, headers={"x-more": "1"})
    (asked,) = site.requested("/echo")
    assert (asked.body, asked.headers["x-more"]) == ("name=%C3%A9&yes=true", "1")
    assert asked.headers["cookie"] == "who=me"
    strangers = await playwright.request.new_context(base_url=site.url("/"))
    answer = await strangers.get("nowhere", params={"a": "b"})
    assert (answer.status, answer.ok, answer.url) == (404, False, site.url("/nowhere?a=b"))
    with pytest.raises(Error, match="404"):
        await strangers.get("nowhere", fail_on_status_code=True)
    await strangers.dispose()
    with pytest.raises(Error, match="disposed"):
        await answer.text()


@pytest.mark.long
async def test_an_archive_answers_in_the_place_of_the_site(
    browser: Browser, site: Site, tmp_path: Path
) -> None:
    for name in ("plain.har", "packed.zip"):
        archive = tmp_path / name
        recorded = await browser.new_context(record_har_path=archive)
        page = await recorded.new_page()
        await page.goto(site.url("/redirect?to=" + site.page("form")))
        await recorded.close()
        before = len(site.requested("/redirect"))
        replayed = await browser.new_context()
        await replayed.route_from_har(archive)
        page = await replayed.new_page()
        await page.goto(site.url("/redirect?to=" + site.page("form")))
        assert page.url == site.page("form")
        assert await page.locator("form").count() > 0
        assert len(site.requested("/redirect")) == before
        with pytest.raises(Error, match="ERR_FAILED"):
            await page.goto(site.url("/never-recorded"))
        await replayed.close()


async def test_a_download_is_kept_until_its_context_closes(
    context: BrowserContext, page: Page, site: Site, tmp_path: Path
) -> None:
    await page.goto(site.page("form"))
    async with page.expect_download() as begun:
        await page.evaluate("url => { location.href = url }", site.url("/download"))
    download = await begun.value
    await download.save_as(tmp_path / "made" / download.suggested_filename)
    kept = await download.path()
    assert (tmp_path / "made" / download.suggested_filename).read_bytes() == kept.read_bytes()
    assert (download.page, await download.failure()) == (page, None)
    await context.close()
    assert not kept.exists()


async def test_each_site_is_reported_the_name_and_the_password_that_are_meant_for_it(
    browser: Browser, site: Site
) -> None:
    ann = {"username": "ann", "password": "secret", "origin": site.origin}
    bob = {"username": "bob", "password": "secret"}
    async with await browser.new_context(http_credentials=[bob, ann]) as context:  # type: ignore[list-item]
        page = await context.new_page()
        for url, name in ((site.url("/members/ann"), "ann"), (site.other_origin + "/members/bob", "bob")):
            answer = await page.goto(url)
            assert answer is not None
            assert (answer.status, await page.inner_text("h1")) == (200, f"Hello {name}")
            assert (await context.request.get(url)).status == 200
        swapped = await page.goto(site.url("/members/bob"))
        assert swapped is not None
        assert swapped.status == 401


async def test_what_comes_from_a_cache_has_its_headers_at_once(context: BrowserContext, site: Site) -> None:
    """The browser says that more will be told of them, and tells nothing."""
    kept = {"Cache-Control": "max-age=600"}
    styles = [site.publish(f"/{number}.css", "h1 { color: red }", "text/css", kept) for number in range(6)]
    links = "".join(f"<link rel=stylesheet href='{style}'>" for style in styles)
    first, second = (site.publish(path, document("Styled", links)) for path in ("/first", "/second"))
    page = await context.new_page()
    await page.goto(first)
    answers: list[Response] = []
    page.on("response", answers.append)
    await page.goto(second)
    cached = [answer for answer in answers if answer.url in styles]
    assert len(cached) == 6

    async def read() -> None:
        for answer in cached:
            assert (await answer.all_headers())["cache-control"] == "max-age=600"
            assert (await answer.request.all_headers())["referer"] == second

    await asyncio.wait_for(read(), 8)  # It was five seconds each.


@pytest.mark.parametrize("encoding", ["br", "gzip", "deflate"])
async def test_a_compressed_answer_is_read_as_its_text(page: Page, site: Site, encoding: str) -> None:
    text = "lamps " * 20
    bodies = {
        "br": bytes.fromhex("1b7700f88d54b5bf0c636b4b10b8b9882d0ec07203"),
        "gzip": gzip.compress(text.encode()),
        "deflate": zlib.compress(text.encode()),
    }
    url = site.publish(f"/{encoding}", bodies[encoding], "text/plain", {"Content-Encoding": encoding})
    response = await page.request.get(url)
    assert await response.text() == text
