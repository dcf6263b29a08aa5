"""The names that scripts for Playwright use: what each does, and that each says what it does."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest

from patchright_mcp import async_api, sync_api
from patchright_mcp.async_api import Error, Page, Playwright, expect
from patchright_mcp.async_api import TimeoutError as PatchrightTimeoutError
from tests_py.support.site import Site


def members(face: ModuleType) -> Iterator[tuple[str, Any]]:
    """Each public class with a name for scripts, and each of its methods and properties."""
    for name in face.__all__:
        owner = getattr(face, name)
        if not inspect.isclass(owner) or not owner.__module__.startswith("patchright_mcp"):
            continue
        yield name, owner
        for key, value in inspect.getmembers(owner):
            if not key.startswith("_") and (inspect.isfunction(value) or isinstance(value, property)):
                yield f"{name}.{key}", value


def limited(face: ModuleType) -> Iterator[tuple[str, Any]]:
    """Each method with a time limit."""
    for name, value in members(face):
        if inspect.isfunction(value) and "timeout" in inspect.signature(value).parameters:
            yield name, value


@pytest.mark.parametrize("face", [async_api, sync_api])
def test_each_member_says_what_it_does_and_each_limit_its_unit(face: ModuleType) -> None:
    assert [name for name, value in members(face) if not inspect.getdoc(value)] == []
    said = re.compile(r"milliseconds|Is not there|`timeout` has no effect|see `|Lets time pass")
    assert [name for name, value in limited(face) if not said.search(inspect.getdoc(value) or "")] == []


async def test_what_is_not_there_says_so_and_what_to_do_instead(page: Page) -> None:
    with pytest.raises(
        Error, match=r"WebMCP is not possible here: .*launch with args=\[\"--enable-features=WebMCPTesting"
    ):
        await page.webmcp.tools()
    assert page.video is None


async def test_requests_without_a_page_have_cookies_of_their_own(playwright: Playwright, site: Site) -> None:
    requests = await playwright.request.new_context()
    await requests.add_cookies([{"name": "a", "value": "1", "url": site.origin}])
    await requests.add_cookies([{"name": "b", "value": "2", "domain": "elsewhere.example", "path": "/"}])
    await requests.get(site.publish("/sent-with-cookies", "x"))
    assert [asked.headers["cookie"] for asked in site.requested("/sent-with-cookies")] == ["a=1"]
    assert [cookie["name"] for cookie in await requests.cookies(site.origin)] == ["a"]
    await requests.clear_cookies(name=re.compile("^a"))
    assert [cookie["name"] for cookie in await requests.cookies()] == ["b"]
    await requests.dispose()


async def test_cookies_that_stay_are_there_while_others_are_taken_away(page: Page, site: Site) -> None:
    await page.goto(site.page("form"))
    names = [f"{letter}{number}" for letter in ("kept", "gone") for number in range(20)]
    await page.context.add_cookies([{"name": name, "value": "1", "url": site.origin} for name in names])
    await page.evaluate(
        """() => {
            document.body.title = "";
            cookieStore.onchange = (event) => {
                for (const { name } of event.deleted) document.body.title += `${name} `;
            };
        }"""
    )
    await page.context.clear_cookies(name=re.compile("^gone"))
    await page.wait_for_function("document.body.title.split(' ').length > 20")
    assert sorted((await page.evaluate("document.body.title")).split()) == sorted(names[20:])
    assert sorted(cookie["name"] for cookie in await page.context.cookies()) == sorted(names[:20])


async def test_a_document_is_reported_with_its_open_shadow_roots(page: Page) -> None:
    await page.set_content("<!doctype html><html lang=en><p>a</p></html>")
    await page.evaluate(
        "document.querySelector('p').attachShadow({mode: 'open'}).innerHTML = '<b>inside</b>'"
    )
    plain, whole = await page.content(), await page.content(include_shadow=True)
    assert "inside" not in plain
    assert '<template shadowrootmode="open"><b>inside</b></template>a</p>' in whole
    assert whole.startswith('<!DOCTYPE html><html lang="en"><head>')
    assert whole.endswith("</html>")


async def test_a_locator_looks_within_each_of_anothers_elements(page: Page) -> None:
    rows = "".join(f"<tr><td>{row}1<td>{row}2" for row in "ab")
    await page.set_content(f"<table>{rows}</table>")
    second = page.get_by_role("cell").nth(1).within(page.get_by_role("row"))
    assert await second.all_inner_texts() == ["a2", "b2"]


@pytest.mark.long
async def test_nothing_is_scrolled_to_that_is_to_be_in_view(page: Page) -> None:
    await page.set_content("<p>here</p><p style='margin-top: 9000px'>far</p>")
    with pytest.raises(PatchrightTimeoutError, match=r"Locator.drag_to: Timeout"):
        await page.get_by_text("here").drag_to(page.get_by_text("far"), scroll="none", timeout=100)
    await page.get_by_text("here").drag_to(page.get_by_text("far"))


async def test_a_command_of_the_protocol_may_have_a_limit(page: Page) -> None:
    session = await page.context.new_cdp_session(page)
    with pytest.raises(PatchrightTimeoutError, match=r"CDPSession.send: Timeout 50ms exceeded"):
        await session.send(
            "Runtime.evaluate", {"expression": "new Promise(() => 0)", "awaitPromise": True}, timeout=50
        )
    await session.detach()


async def test_the_browser_writes_down_what_it_spends_time_on(page: Page) -> None:
    browser = page.context.browser
    assert browser is not None
    await browser.start_tracing(categories=["devtools.timeline"])
    with pytest.raises(Error, match="already recording trace"):
        await browser.start_tracing()
    await page.set_content("<p>a</p>")
    written = json.loads(await browser.stop_tracing())
    assert any(event["cat"] == "devtools.timeline" for event in written["traceEvents"])
    with pytest.raises(Error, match="not started"):
        await browser.stop_tracing()


async def test_a_script_may_rest_after_what_it_does(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    rests: list[float] = []

    async def rest(milliseconds: float) -> None:
        rests.append(milliseconds)

    locator = page.locator("body")
    slowed = page._connection.with_slow_mo(7)
    monkeypatch.setattr(page._runtime, "sleep", rest)
    for item in (page, page.main_frame, locator):
        monkeypatch.setattr(item, "_connection", slowed)
    await page.set_content("<p>a</p>")
    await locator.click()
    assert await locator.inner_text() == "a"
    assert rests == [7, 7]


def test_the_time_that_assertions_take_can_be_set_back() -> None:
    expect.set_options(timeout=7)
    expect.set_options()
    assert expect._timeout == 7
    expect.set_options(timeout=None)
    assert expect._timeout is None


async def test_expressions_are_values_and_what_is_no_value_says_so(page: Page) -> None:
    pattern = re.compile("ab+", re.IGNORECASE | re.DOTALL)
    assert await page.evaluate("given => [given.flags, given]", pattern) == ["is", pattern]
    assert await page.evaluate("/x$/gm") == re.compile("x$", re.MULTILINE)
    with pytest.raises(Error, match=r"Attempting to serialize unexpected value: \{1\}"):
        await page.evaluate("given => given", {1})


async def test_arguments_that_make_no_sense_are_reported(page: Page) -> None:
    for call, entry in (
        (page.emulate_media(media="paper"), "media: expected one of .screen.print."),  # type: ignore[arg-type]
        (page.goto("about:blank", wait_until="never"), "Page.goto: wait_until: expected one of"),  # type: ignore[arg-type]
        (page.screenshot(type="gif"), "Page.screenshot: type: expected one of"),  # type: ignore[arg-type]
        (page.screenshot(type="jpeg", quality=101), "between 0 and 100 .inclusive., got 101"),
        (page.locator("body").tap(), "Locator.tap: The page does not support tap"),
        (page.touchscreen.tap(1, 1), "Touchscreen.tap: hasTouch must be enabled"),
        (page.context.set_storage_state("missing.json"), "Error reading storage state from missing.json"),
        (page.context.add_cookies([{"name": "a"}]), "BrowserContext.add_cookies: Cookie should have"),
    ):
        with pytest.raises(Error, match=entry):
            await call


async def test_what_an_element_cannot_do_is_reported(page: Page) -> None:
    await page.set_content("<input type=checkbox><input type=radio checked><p>a</p>")
    for call, entry in (
        (page.get_by_role("checkbox").fill("x"), 'Input of type "checkbox" cannot be filled'),
        (page.get_by_role("radio").uncheck(), "Cannot uncheck radio button"),
        (page.get_by_role("paragraph").check(), "Not a checkbox or radio button"),
        (
            page.get_by_role("paragraph").input_value(),
            "Node is not an <input>, <textarea> or <select> element",
        ),
        (page.get_by_role("checkbox").select_option("x"), "Element is not a <select> element"),
        (page.locator("input").click(), r"resolved to 2 elements:[\s\S]*Call log:\n  - waiting for locator"),
    ):
        with pytest.raises(Error, match=entry):
            await call


async def test_a_picture_is_as_large_as_the_viewport_scroll_bars_included(page: Page) -> None:
    await page.set_viewport_size({"width": 300, "height": 200})
    await page.set_content("<p style='height: 3000px'>a</p>")
    picture = await page.screenshot()
    assert (int.from_bytes(picture[16:20], "big"), int.from_bytes(picture[20:24], "big")) == (300, 200)
