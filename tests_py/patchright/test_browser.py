"""`PatchrightBrowser`, and the tools called from Python, on a real browser."""

import asyncio
import base64
import dataclasses
from collections.abc import Iterator

import pytest

import patchright_mcp
import patchright_mcp.server as server_module
from patchright_mcp import BrowserResult, PatchrightBrowser
from tests_py.mcp.test_arrived import GRID, MADE, STOLEN
from tests_py.support.site import Site
from tests_py.support.wire import until


@pytest.fixture(scope="module")
def browser() -> Iterator[PatchrightBrowser]:
    browser = PatchrightBrowser(timeout=10)
    yield browser
    browser.close()


def test_the_result_has_the_fields_of_the_first_version() -> None:
    assert [field.name for field in dataclasses.fields(BrowserResult)] == [
        "success", "url", "title", "content", "html", "screenshot", "error", "metadata",
    ]  # fmt: skip
    result = BrowserResult(success=True)
    assert (result.url, result.screenshot, result.error, result.metadata) == ("", b"", "", {})
    assert {"BrowserResult", "PatchrightBrowser"} <= set(patchright_mcp.__all__)


def test_a_page_is_fetched(browser: PatchrightBrowser, site: Site) -> None:
    result = browser.fetch(site.page("form"), wait_for="form")
    assert result.success is True
    assert result.error == ""
    assert result.url == site.page("form")
    assert result.title
    assert result.content
    assert "<form" in result.html


def test_a_script_gives_its_value(browser: PatchrightBrowser, site: Site) -> None:
    for script, content, value in [("0", "0", 0), ("[]", "[]", []), ("({a: 'b'})", '{"a":"b"}', {"a": "b"})]:
        result = browser.execute_js(site.page("form"), script)
        assert (result.content, result.metadata["js_result"]) == (content, value)


# The page is closed after the script, and with it a request that is under way.
ASKING = (
    "((value, request = new XMLHttpRequest()) => (request.open('GET', '/ran', false), request.send(), value))"
)


def test_a_script_that_throws_a_syntax_error_runs_once(browser: PatchrightBrowser, site: Site) -> None:
    for script in ("JSON.parse('{')", "() => JSON.parse('{')", "{ JSON.parse('{') }"):
        site.begin_anew()
        result = browser.execute_js(site.page("form"), script.replace("JSON", f"{ASKING}(JSON)"))
        assert not result.success, script
        assert "JSON" in result.error
        assert len(site.requested("/ran")) == 1, script


def test_a_picture_is_png(browser: PatchrightBrowser, site: Site) -> None:
    assert browser.screenshot(site.page("form"), full_page=True).screenshot.startswith(b"\x89PNG")


def test_what_goes_wrong_is_in_the_error(browser: PatchrightBrowser, site: Site) -> None:
    for result, error in [
        (browser.fetch("ftp://a.example"), "无效的 URL 格式"),
        (browser.click(site.page("form"), " "), "选择器不能为空"),
        (browser.fill_form(site.page("form"), {}), "字段不能为空"),
        (browser.execute_js(site.page("form"), ""), "脚本不能为空"),
    ]:
        assert (result.success, result.error) == (False, error)
    refused = browser.fetch("http://127.0.0.1:1/captcha")
    assert not refused.success
    assert not server_module._is_login_timeout_error(refused.error)
    thrown = browser.execute_js(site.page("form"), "throw new Error('timeout')")
    assert not server_module._is_login_timeout_error(thrown.error)


@pytest.mark.long
def test_a_page_that_never_loads_is_a_login_timeout(site: Site) -> None:
    site.hold()
    browser = PatchrightBrowser(timeout=3)
    try:
        result = browser.fetch(site.url("/hold"))
    finally:
        browser.close()
    assert not result.success
    assert server_module._is_login_timeout_error(result.error) is True


async def test_the_tools_can_be_listed_and_called(site: Site) -> None:
    server_module._login_timeout_timestamp = None
    tools = await server_module.list_tools()
    assert [tool.name for tool in tools] == [
        f"patchright_{name}" for name in ("fetch", "screenshot", "click", "fill_form", "execute_js")
    ]
    (content,) = await server_module.call_tool("patchright_fetch", {"url": site.page("form")})
    assert content.type == "text"
    assert f"**URL**: {site.page('form')}" in content.text
    text, image = await server_module.call_tool("patchright_screenshot", {"url": site.page("form")})
    assert text.text.startswith("截图: ")
    assert image.type == "image"
    assert base64.b64decode(image.data).startswith(b"\x89PNG")


async def test_who_gives_up_a_call_is_free_at_once_and_the_next_one_works(site: Site) -> None:
    server_module._login_timeout_timestamp = None
    site.hold()
    call = asyncio.ensure_future(server_module.call_tool("patchright_fetch", {"url": site.url("/hold")}))
    await asyncio.to_thread(until, lambda: bool(site.requested("/hold")), "the request of the page")
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    (content,) = await server_module.call_tool("patchright_fetch", {"url": site.page("form")})
    assert f"**URL**: {site.page('form')}" in content.text
    assert server_module._login_timeout_timestamp is None


@pytest.mark.long
def test_a_form_is_filled_only_with_what_it_holds(browser: PatchrightBrowser, site: Site) -> None:
    result = browser.fill_form(site.publish("/stolen", STOLEN), {"#n": "Johanna Smith"})
    assert not result.success
    assert 'textbox "Search"' in result.error
    assert browser.fill_form(site.publish("/made", MADE), {"input[maxlength]": "123456"}).success
    assert browser.fill_form(site.publish("/grid", GRID), {"#cell": "order_id"}).success
