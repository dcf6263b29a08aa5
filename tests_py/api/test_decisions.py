"""Requests that are held are sent on as the browser would, and a decision that fails can be made again."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from patchright_mcp.async_api import Browser, BrowserContext, Page, Route
from tests_py.support.site import Site, document

LOAD = """([make, url]) => new Promise((done) => {
  const add = (name, more, parent = document.head) => {
    const element = Object.assign(document.createElement(name), more);
    element.onload = () => done('loaded');
    element.onerror = () => done('failed');
    parent.append(element);
  };
  const kinds = {
    fetch: () => fetch(url).then(() => done('loaded'), () => done('failed')),
    xhr: () => {
      const request = new XMLHttpRequest();
      request.onload = () => done('loaded');
      request.onerror = () => done('failed');
      request.open('GET', url);
      request.send();
    },
    image: () => add('img', { crossOrigin: '', src: url }),
    script: () => add('script', { crossOrigin: '', src: url }),
    module: () => import(url).then(() => done('loaded'), () => done('failed')),
    style: () => add('link', { rel: 'stylesheet', crossOrigin: '', href: url }),
    plain: () => add('img', { src: url }),
    elsewhere: () => fetch(url).then(() => done('loaded'), () => done('failed')),
    frame: () => add('iframe', { src: url }, document.body),
  };
  kinds[make]();
})"""
SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"/>'
KINDS = {
    "fetch": ("{}", "application/json"),
    "xhr": ("{}", "application/json"),
    "image": (SVG, "image/svg+xml"),
    "script": ("1", "text/javascript"),
    "module": ("export default 1", "text/javascript"),
    "style": ("p { color: red }", "text/css"),
    "plain": (SVG, "image/svg+xml"),
    "elsewhere": ("{}", "application/json"),
    "frame": (document("Frame", "<h1>Frame</h1>"), "text/html"),
}


def lead_elsewhere(site: Site) -> dict[str, str]:
    """For each kind of load an address that leads to another origin, which permits just the page's origin."""
    for kind, (body, content) in KINDS.items():
        site.publish(f"/end-{kind}", body, content, {"Access-Control-Allow-Origin": site.origin})
        site.publish(f"/hop-{kind}", "", "text/plain")
        answer = site._server.published[f"/hop-{kind}"]
        answer.status = 302
        answer.headers = {"Location": f"{site.other_origin}/end-{kind}", "Access-Control-Allow-Origin": "*"}
    ours = {kind: f"{site.origin}/hop-{kind}" for kind in KINDS}
    return {**ours, "elsewhere": f"{site.other_origin}/hop-elsewhere"}


async def _route(page: Page) -> None:
    await page.route("**/zz", lambda route: route.abort())


async def _continue(page: Page) -> None:
    await page.route("**/*", lambda route: route.continue_())


async def _add_a_header(page: Page) -> None:
    await page.route("**/*", lambda route: route.continue_(headers={**route.request.headers, "x-a": "1"}))


async def _block(page: Page) -> None:
    await page.context.block(kinds=["media"])


@pytest.mark.parametrize("hold", [_route, _continue, _add_a_header, _block])
async def test_a_load_that_is_led_to_another_origin_keeps_its_origin(
    page: Page, site: Site, hold: Callable[[Page], Awaitable[None]]
) -> None:
    addresses = lead_elsewhere(site)
    await page.goto(site.page("form"))
    await hold(page)
    loaded = {kind: await page.evaluate(LOAD, [kind, url]) for kind, url in addresses.items()}
    assert loaded == dict.fromkeys(KINDS, "loaded")
    came = {kind: site.requested(f"/end-{kind}")[-1].headers for kind in KINDS}
    assert {kind: headers.get("Origin") for kind, headers in came.items()} == {
        kind: None if kind in ("plain", "frame") else site.origin for kind in came
    }
    if hold is not _add_a_header:
        assert all("sec-ch-ua" in headers for headers in came.values())


async def test_a_password_for_sites_does_not_cost_loads_their_origin(browser: Browser, site: Site) -> None:
    addresses = lead_elsewhere(site)
    context = await browser.new_context(http_credentials={"username": "me", "password": "secret"})
    page = await context.new_page()
    await page.goto(site.page("form"))
    loaded = {kind: await page.evaluate(LOAD, [kind, url]) for kind, url in addresses.items()}
    assert loaded == dict.fromkeys(KINDS, "loaded")
    await context.close()


@pytest.mark.parametrize("how", ["continue_", "fallback"])
async def test_a_cookie_that_changes_while_a_request_waits_is_the_one_that_is_sent(
    context: BrowserContext, page: Page, site: Site, how: str
) -> None:
    await context.add_cookies([{"name": "sid", "value": "old", "url": site.origin}])
    await page.goto(site.page("form"))
    held: asyncio.Queue[Route] = asyncio.Queue()
    await page.route("**/headers*", held.put_nowait)

    async def sent(**cookies: str) -> Any:  # noqa: ANN401
        asked = asyncio.ensure_future(page.evaluate("fetch('/headers').then(r => r.json())"))
        route = await held.get()
        await context.clear_cookies()
        for name, value in cookies.items():
            await context.add_cookies([{"name": name, "value": value, "url": site.origin}])
        await getattr(route, how)(headers={**route.request.headers, "x-a": "1"})
        headers = await asked
        assert headers["x-a"] == "1"
        return headers.get("Cookie")

    assert await sent(sid="new") == "sid=new"
    assert await sent() is None


async def test_a_cookie_that_a_handler_writes_is_sent(page: Page, site: Site) -> None:
    await page.goto(site.page("form"))
    own = {
        "cookie": "sid=mine",
        "host": "nowhere.example",
        "transfer-encoding": "chunked",
        "content-length": "7",
    }
    await page.route("**/headers", lambda route: route.continue_(headers={**route.request.headers, **own}))
    answer = json.loads(await page.evaluate("fetch('/headers').then(r => r.text())"))
    headers = {name.lower(): value for name, value in answer.items()}
    assert (headers["cookie"], headers["host"]) == ("sid=mine", f"127.0.0.1:{site.port}")


WRONG: list[tuple[type[Exception], Callable[[Route], Awaitable[None]]]] = [
    (FileNotFoundError, lambda route: route.fulfill(path="/nope")),
    (Exception, lambda route: route.fulfill(body="a", json={})),
    (Exception, lambda route: route.fulfill(status="200")),  # type: ignore[arg-type]
    (Exception, lambda route: route.fulfill(body=object())),  # type: ignore[arg-type]
    (Exception, lambda route: route.continue_(post_data=object())),
    (Exception, lambda route: route.continue_(url="ftp://example.com")),
    (Exception, lambda route: route.continue_(headers={"a b": "c"})),
    (Exception, lambda route: route.abort("nonsense")),
]


@pytest.mark.parametrize(("kind", "wrong"), WRONG)
async def test_a_decision_that_fails_can_be_made_again(
    page: Page, site: Site, kind: type[Exception], wrong: Callable[[Route], Awaitable[None]]
) -> None:
    await page.goto(site.page("form"))

    async def decide(route: Route) -> None:
        with pytest.raises(kind):
            await wrong(route)
        await route.fulfill(body="at last")

    await page.route("**/made-up", decide)
    assert await page.evaluate("fetch('/made-up').then(r => r.text())") == "at last"


async def test_a_request_whose_handler_raises_fails_and_does_not_wait_for_ever(
    page: Page, site: Site
) -> None:
    await page.goto(site.page("form"))
    await page.route("**/made-up", lambda route: route.fulfill(path="/nope"))
    failed = "fetch('/made-up').then(() => 'answered', () => 'failed')"
    assert await page.evaluate(failed) == "failed"
    with pytest.raises(FileNotFoundError):
        await page.title()
    assert await page.title()
