"""Wrong arguments are named, with the method that was called."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import pytest

from patchright_mcp.async_api import Browser, Error, Page, expect

WRONG: dict[str, Callable[[Any], Any]] = {
    "Page.goto: url: expected string, got number": lambda page: page.goto(5),
    "Page.goto: referer: expected string, got number": lambda page: page.goto("about:blank", referer=5),
    "Page.set_viewport_size: viewport_size.height: expected number, got undefined": lambda page: (
        page.set_viewport_size({"width": 5})
    ),
    "Page.set_viewport_size: viewport_size.width: expected a number "
    "from 0 to 4294967295, got -5": lambda page: page.set_viewport_size({"width": -5, "height": 3}),
    "Page.click: position.y: expected number, got undefined": lambda page: page.click(
        "button", position={"x": 1}
    ),
    "Page.click: click_count: expected number, got string": lambda page: page.click(
        "button", click_count="3"
    ),
    "Page.click: click_count: expected a number from 0 to 4294967295, got -1": lambda page: page.click(
        "button", click_count=-1
    ),
    'Page.click: button: unknown value "back"': lambda page: page.click("button", button="back"),
    'Mouse.click: button: expected one of (left|right|middle), got "back"': lambda page: page.mouse.click(
        1, 1, button="back"
    ),
    "Page.screenshot: animations: expected one of (allow|disabled), got 'maybe'": lambda page: (
        page.screenshot(animations="maybe")
    ),
    "BrowserContext.clear_cookies: name: expected string or Pattern, got number": lambda page: (
        page.context.clear_cookies(name=5)
    ),
    "LocatorAssertions.to_have_count: count: expected number, got string": lambda page: expect(
        page.locator("button")
    ).to_have_count("1"),
    "LocatorAssertions.to_have_text: expected: value must be a string or regular expression": lambda page: (
        expect(page.locator("button")).to_have_text(5)
    ),
    "PageAssertions.to_have_url: url_or_reg_exp: expected string or Pattern or function, "
    "got number": lambda page: expect(page).to_have_url(5),
    "Page.fill: value: expected string, got null": lambda page: page.fill("input", None),
    "Locator.fill: value: expected string, got number": lambda page: page.locator("input").fill(5),
    "Page.get_by_role: role: expected string, got number": lambda page: page.get_by_role(5),
    "Page.set_input_files: files.mimeType: expected string, got undefined": lambda page: page.set_input_files(
        "input", {"name": "a"}
    ),
    "BrowserContext.add_cookies: cookies[0].sameSite: "
    "expected one of (Lax|None|Strict), got 'x'": lambda page: page.context.add_cookies(
        [{"name": "a", "value": "b", "url": "http://a", "sameSite": "x"}]
    ),
    "BrowserContext.grant_permissions: permissions: expected array, got string": lambda page: (
        page.context.grant_permissions("geolocation")
    ),
    "Page.screenshot: mask[0]: expected Locator, got number": lambda page: page.screenshot(mask=[5]),
    "Page.wait_for_url: url: expected string or Pattern or function, got number": lambda page: (
        page.wait_for_url(5)
    ),
    "Page.expose_function: callback: expected function, got number": lambda page: page.expose_function(
        "name", 5
    ),
    "Page.route: handler: expected function, got number": lambda page: page.route("**", 5),
    "Keyboard.press: key: expected string, got number": lambda page: page.keyboard.press(5),
    "Mouse.move: x: expected number, got string": lambda page: page.mouse.move("a", 1),
    "APIRequestContext.get: headers: expected object, got number": lambda page: page.request.get(
        "http://127.0.0.1:1/", headers=5
    ),
}


@pytest.mark.parametrize("message", WRONG)
async def test_a_wrong_argument_is_named(page: Page, message: str) -> None:
    await page.set_content("<button>Go</button><input>")
    with pytest.raises(Error) as failed:
        await _called(WRONG[message], page)
    assert str(failed.value).splitlines()[0] == message


@pytest.mark.parametrize(
    ("options", "wrong"),
    [
        ({"viewport": {"width": 1}}, "viewport.height: expected number, got undefined"),
        (
            {"proxy": {}},
            'proxy.server: expected string, got undefined; name it like "http://proxy.example:3128"',
        ),
        ({"base_url": 5}, "base_url: expected string, got number"),
        ({"record_video_size": {"width": 5}}, "record_video_size.height: expected number, got undefined"),
        ({"color_scheme": "x"}, "color_scheme: expected one of (dark|light|no-preference|null), got 'x'"),
    ],
)
async def test_a_wrong_option_of_a_context_is_named_before_it_is_made(
    browser: Browser, options: dict[str, Any], wrong: str
) -> None:
    with pytest.raises(Error) as failed:
        await browser.new_context(**options)
    assert str(failed.value) == f"Browser.new_context: {wrong}"
    assert browser.contexts == []


async def test_an_error_of_the_scripts_own_code_stays_as_it_is(page: Page) -> None:
    def predicate(_url: str) -> bool:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        await page.wait_for_url(predicate)


async def _called(function: Callable[[Page], object], page: Page) -> None:
    result = function(page)
    if inspect.isawaitable(result):
        await result
