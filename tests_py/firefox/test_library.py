"""What a script in Playwright's words sees of Firefox, where that tells it in other words or not at all."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest

from patchright_mcp.async_api import Browser, Error, Page
from tests_py.support.site import Site, document

PRESSES = """<body style="margin: 0">
<button style="position: absolute; left: 40px; top: 40px">Here</button>
<button style="position: absolute; left: 400px; top: 300px">There</button>
<script>
  var last = 0, distances = [], holds = [], down = 0;
  addEventListener("mousemove", (event) => { last = event.timeStamp; });
  addEventListener("mousedown", (event) => { down = event.timeStamp; distances.push(down - last); });
  addEventListener("mouseup", (event) => { holds.push(event.timeStamp - down); });
</script>"""
PICTURES = """<!doctype html><title>Pictures</title><link rel="icon" href="/icon.png">
<style>p { background: url(/styled.png) }</style>
<p>Text</p><img src="/plain.png" alt=""><input type="image" src="/button.png" alt="">
<svg><image href="/drawn.png" /></svg><picture><img src="/framed.png" alt=""></picture>
<script>new Image().src = "/made.png"; fetch("/fetched.png");</script>"""


@pytest.fixture
async def page(browser: Browser) -> AsyncIterator[Page]:
    context = await browser.new_context()
    yield await context.new_page()
    await context.close()


async def test_a_page_that_listens_hears_a_press_later_than_the_arrival(page: Page, site: Site) -> None:
    await page.goto(site.publish("/presses", PRESSES))
    for _ in range(15):
        await page.get_by_text("Here", exact=True).click()
        await page.get_by_text("There").click()
    assert min(await page.evaluate("distances", isolated_context=False)) >= 2
    assert min(await page.evaluate("holds", isolated_context=False)) >= 8


async def test_a_tab_icon_is_not_in_the_request_log(page: Page, site: Site) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url.rsplit("/", 1)[1]))
    names = ("styled", "plain", "button", "drawn", "framed", "made", "fetched")
    for name in (*names, "icon"):
        site.publish(f"/{name}.png", b"", "image/png")
    await page.goto(site.publish("/pictures", PICTURES))
    await page.wait_for_load_state("networkidle")
    assert sorted(asked) == sorted(["pictures", *(f"{name}.png" for name in names)])
    assert site.requested("/icon.png")
    await page.route("**/*", lambda route: route.continue_())
    await page.reload()
    await page.wait_for_load_state("networkidle")
    assert "icon.png" not in asked


async def test_an_error_of_a_kind_of_its_own_is_reported_as_what_it_says(page: Page) -> None:
    await page.set_content("<svg><text>Tea</text></svg>")
    with pytest.raises(Error, match="not an HTMLElement"):
        await page.inner_text("text")
    for thrown, entry in (
        ("new (class Sorry extends Error {})('no more tea')", "no more tea"),
        ("new DOMException('over', 'AbortError')", "AbortError: over"),
        ("{ a: 1 }", "Object"),
    ):
        with pytest.raises(Error, match=entry):
            await page.evaluate(f"() => {{ throw {thrown}; }}")


async def test_a_window_has_what_its_context_was_made_with_from_its_first_moment_on(
    browser: Browser, site: Site
) -> None:
    address = site.publish("/window", document("Window", "<p>Window</p>"))
    context = await browser.new_context(
        user_agent="tea/1", extra_http_headers={"X-Tea": "green"}, viewport={"width": 410, "height": 320}
    )
    await context.add_init_script("globalThis.runs = (globalThis.runs ?? 0) + 1;")
    page = await context.new_page()
    await page.goto(site.page("form"))
    async with page.expect_popup() as opened:
        await page.evaluate("(address) => { window.open(address); }", address)
    window = await opened.value
    await window.wait_for_url(address)
    reported = "[runs, navigator.userAgent, innerWidth]"
    assert await window.evaluate(reported, isolated_context=False) == [1, "tea/1", 410]
    (asked,) = site.requested("/window")
    assert (asked.headers["User-Agent"], asked.headers["X-Tea"]) == ("tea/1", "green")
    second = await context.new_page()
    await second.goto(address)
    assert await second.evaluate(reported, isolated_context=False) == [1, "tea/1", 410]
    await context.close()


async def test_a_frame_is_found_by_its_name_and_an_element_knows_its_frame(page: Page, site: Site) -> None:
    within = site.publish("/within", "<p>Within")
    await page.goto(
        site.publish("/around", f"<iframe name=tea src={within}></iframe><iframe id=cup></iframe>")
    )
    frame = page.frame(name="tea")
    assert frame is not None
    assert frame.url == within
    assert page.frame(name="cup") is not None
    element = await frame.query_selector("p")
    assert element is not None
    assert await element.owner_frame() == frame
    root = await page.evaluate_handle("document.documentElement")
    assert await root.as_element().owner_frame() == page.main_frame  # type: ignore[union-attr]


async def test_a_cookie_comes_back_as_it_was_read(page: Page, site: Site) -> None:
    await page.goto(site.page("form"))
    await page.evaluate("() => { document.cookie = 'tea=green'; }")
    context = page.context
    result = await context.cookies()
    assert [(cookie["name"], cookie["sameSite"]) for cookie in result] == [("tea", "None")]
    await context.clear_cookies()
    await context.add_cookies(result)
    assert await context.cookies() == result


async def test_an_event_of_touch_can_be_dispatched_where_nothing_can_be_touched(page: Page) -> None:
    await page.set_content("<button>Tea</button>")
    await page.evaluate("() => { addEventListener('touchstart', () => { document.title = 'touched'; }); }")
    await page.get_by_role("button").dispatch_event("touchstart")
    assert await page.title() == "touched"


MISSING: dict[str, tuple[Callable[[Page], Awaitable[Any]], str]] = {
    "media": (
        lambda page: page.emulate_media(color_scheme="dark"),
        "emulating a medium, color scheme or preference",
    ),
    "header": (lambda page: page.pdf(display_header_footer=True), "a PDF with a header or a footer"),
    "tags": (lambda page: page.pdf(tagged=True), "a PDF with tags"),
    "referrer": (
        lambda page: page.goto("http://127.0.0.1/", referer="http://a.example/"),
        "a navigation with a referrer",
    ),
    "permission": (
        lambda page: page.context.grant_permissions(["camera"]),
        'granting the permission "camera"',
    ),
    "protocol": (
        lambda page: page.context.new_cdp_session(page),
        "a DevTools protocol session",
    ),
    "touch": (lambda page: page.context.browser.new_context(has_touch=True), "a touch screen"),  # type: ignore[union-attr]
}


@pytest.mark.parametrize("what", MISSING)
async def test_what_firefox_cannot_do_is_said_in_words_of_the_user(page: Page, what: str) -> None:
    action, words = MISSING[what]
    with pytest.raises(Error) as caught:
        await action(page)
    reported = caught.value.message
    assert f"{words} " in reported
    assert "is not available in Firefox" in reported
    assert caught.value._code == "unsupported"
    assert "Protocol error" not in reported
    assert not re.search(r"\b[A-Z][a-zA-Z]+\.[a-z]+[A-Z]", reported), "a name of the protocol's own"


async def test_what_is_nested_too_deeply_to_be_read_is_answered_at_once(page: Page) -> None:
    with pytest.raises(Error, match="nested too deeply"):
        await page.evaluate("Array.from({ length: 90 }).reduce(inner => [inner], [])")
    assert await page.evaluate("1 + 1") == 2


async def test_half_a_character_is_reported_as_one_that_stands_for_it(page: Page) -> None:
    assert await page.evaluate("'\\ud83d tea'") == "\ufffd tea"
