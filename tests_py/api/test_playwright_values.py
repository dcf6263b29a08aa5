"""What scripts written for Playwright rely on: values, messages and events as they know them."""

import asyncio
import re
from typing import Any

import pytest

from patchright_mcp.async_api import (
    Browser,
    BrowserContext,
    Dialog,
    Error,
    Page,
    TargetClosedError,
    async_playwright,
    expect,
)
from patchright_mcp.async_api import TimeoutError as PatchrightTimeoutError
from tests_py.support.site import Site


async def test_patterns_and_functions_keep_their_meaning(page: Page) -> None:
    assert await page.evaluate("/a\\/b/im") == re.compile(r"a\/b", re.IGNORECASE | re.MULTILINE)
    assert (
        await page.evaluate(
            "given => 'A/B\\n'.replace(given, '')", re.compile("a/b.", re.IGNORECASE | re.DOTALL)
        )
        == ""
    )
    assert await page.evaluate("({ act: () => 1, left: 2 })") == {"act": None, "left": 2}
    assert await page.evaluate("bytes => bytes[1]", b"\x01\x02") == 2
    assert await page.evaluate("document") == "ref: <Document>"
    with pytest.raises(Error, match="Attempting to serialize unexpected value: <object"):
        await page.evaluate("given => given", object())


@pytest.mark.parametrize(
    ("thrown", "expected"), [("null", "null"), ("undefined", "undefined"), ("'text'", "text")]
)
async def test_whatever_a_script_throws_is_reported(page: Page, thrown: str, expected: str) -> None:
    with pytest.raises(Error, match=f"^Page.evaluate: {expected}$"):
        await page.evaluate(f"() => {{ throw {thrown}; }}")


async def test_a_list_for_one_option_takes_the_first_that_fits(page: Page) -> None:
    await page.set_content("<select><option>red<option>green<option selected>blue</select>")
    assert await page.select_option("select", ["green", "red", "no such"]) == ["red"]
    assert await page.select_option("select", []) == []
    assert await page.evaluate("document.querySelector('select').selectedIndex") == -1


async def test_fields_say_what_they_do_not_take(page: Page) -> None:
    await page.set_content(
        "<input id=check type=checkbox><input id=number type=number><input id=radio type=radio checked><p>"
    )
    for kind in ("button", "checkbox", "file", "image", "radio", "reset", "submit"):
        await page.locator("#check").evaluate("(input, kind) => { input.type = kind; }", kind)
        with pytest.raises(Error, match=f'Input of type "{kind}" cannot be filled'):
            await page.fill("#check", "")
    with pytest.raises(Error, match=r"Cannot type text into input\[type=number\]"):
        await page.fill("#number", "far")
    with pytest.raises(Error, match="Not a checkbox or radio button"):
        await page.check("p")
    with pytest.raises(Error, match="Cannot uncheck radio button"):
        await page.uncheck("#radio")
    with pytest.raises(Error, match="Element is not a <select> element"):
        await page.select_option("p", "red")


async def test_modifiers_are_held_while_a_finger_touches(browser: Browser) -> None:
    async with await browser.new_context(has_touch=True) as context:
        page = await context.new_page()
        await page.set_content("<button onclick='window.held = event.shiftKey'>Go</button>")
        await page.tap("button", modifiers=["Shift"])
        assert await page.evaluate("window.held", isolated_context=False) is True


async def test_a_page_without_a_touch_screen_is_not_touched(page: Page) -> None:
    with pytest.raises(Error, match="The page does not support tap"):
        await page.tap("body")
    with pytest.raises(Error, match="hasTouch must be enabled"):
        await page.touchscreen.tap(1, 1)


async def test_a_window_that_only_runs_a_script_is_reported(page: Page) -> None:
    def answer(dialog: Dialog) -> None:
        page.context._runtime.spawn(dialog.accept("well"))

    page.context.on("dialog", answer)
    async with page.expect_popup() as asked:
        await page.evaluate("() => { window.open('javascript:window.said = prompt(\"how?\")') }")
    assert await (await asked.value).evaluate("window.said", isolated_context=False) == "well"
    async with page.expect_popup():
        await page.evaluate("() => { window.open('javascript:window.said = 1') }")


async def test_an_init_script_is_taken_back(context: BrowserContext, site: Site) -> None:
    page = await context.new_page()
    of_page = await page.add_init_script("window.marks = [...window.marks ?? [], 'page']")
    of_context = await context.add_init_script("window.marks = [...window.marks ?? [], 'context']")
    await page.goto(site.url("/empty.html"))
    marks = await page.evaluate("window.marks", isolated_context=False)
    assert sorted(marks) == ["context", "page"]
    await of_page.dispose()
    await of_context.dispose()
    other = await context.new_page()
    for each in (page, other):
        await each.goto(site.url("/empty.html"))
        assert await each.evaluate("window.marks", isolated_context=False) is None


async def test_a_locator_is_written_anew_by_what_a_person_sees(page: Page) -> None:
    await page.set_content("<div><button>Save</button><button class=x>Save all</button><b></b><b></b></div>")
    assert (
        str((await page.locator(".x").normalize())._reported_as) == 'get_by_role("button", name="Save all")'
    )
    exact = await page.locator("button").first.normalize()
    assert exact._reported_as == 'get_by_role("button", name="Save", exact=True)'
    assert await exact.inner_text() == "Save"
    assert (await page.locator("b").last.normalize())._reported_as.endswith('b:nth-of-type(2)")')


async def test_waits_say_what_they_waited_for(page: Page) -> None:
    with pytest.raises(PatchrightTimeoutError) as late:
        async with page.expect_request("**/nothing", timeout=1):
            pass
    assert late.value.message.startswith(
        'Page.expect_request: Timeout 1ms exceeded while waiting for event "request"\n'
    )
    assert 'waiting for request "**/nothing"' in late.value.message
    with pytest.raises(
        Error, match=r"^Page.goto: Protocol error \(Page.navigate\): Cannot navigate to invalid URL\n"
    ):
        await page.goto("nowhere")
    with pytest.raises(
        Error, match=re.escape("wait_until: expected one of (load|domcontentloaded|networkidle|commit)")
    ):
        await page.goto("about:blank", wait_until="soon")  # type: ignore[arg-type]
    with pytest.raises(Error, match='Unexpected token "!" while parsing css selector "p!"'):
        await page.query_selector("p!")
    with pytest.raises(Error, match='"near" engine expects a selector list and optional maximum distance'):
        await page.query_selector(":near(50)")
    with pytest.raises(Error, match='"left-of" selector cannot be first'):
        await page.query_selector("left-of=div")


async def test_a_reason_to_close_reaches_whoever_waits(browser: Browser) -> None:
    context = await browser.new_context()
    page = await context.new_page()
    with pytest.raises(Error, match=r"^Page\.expect_event: enough\n"):
        async with page.expect_event("popup"):
            await context.close(reason="enough")
    for doing in (
        page.title,
        context.new_page,
        lambda: page.keyboard.press("a"),
        lambda: page.wait_for_timeout(1),
    ):
        with pytest.raises(Error, match=r"enough|has been closed"):
            await doing()


async def test_a_step_within_a_document_brings_no_response(page: Page, site: Site) -> None:
    await page.goto(site.url("/empty.html"))
    async with page.expect_navigation() as stepped:
        await page.evaluate("history.pushState({}, '', '/further')")
    assert await stepped.value is None


async def test_options_that_make_no_sense_are_named(browser: Browser, context: BrowserContext) -> None:
    with pytest.raises(Error, match=r"geolocation.longitude: precondition -180 <= LONGITUDE <= 180 failed\."):
        await context.set_geolocation({"latitude": 1, "longitude": 200})
    with pytest.raises(Error, match=r"geolocation.latitude: expected float, got undefined"):
        await browser.new_context(geolocation={"longitude": 10})
    odd: Any
    for odd, entry in (
        ({"viewport": {"width": 100}}, "viewport.height: expected number, got undefined"),
        ({"locale": 3}, "locale: expected string, got number"),
        ({"color_scheme": "purple"}, r"color_scheme: expected one of \(dark\|light\|no-preference\|null\)"),
    ):
        with pytest.raises(Error, match=entry):
            await browser.new_context(**odd)
    page: Any = await context.new_page()
    with pytest.raises(Error, match="has_text: expected string or Pattern, got number"):
        page.locator("a", has_text=3)
    with pytest.raises(Error, match=r"path: expected a name that ends in .webm, got 'film.mp4'"):
        await page.screencast.start(path="film.mp4")
    with pytest.raises(Error, match=r"headers\[0\].value: expected string, got number"):
        await context.set_extra_http_headers({"a": 1})  # type: ignore[dict-item]
    with pytest.raises(Error, match="Cookie should have a valid expires"):
        await context.add_cookies([{"name": "a", "value": "b", "url": "http://a.example", "expires": -4}])
    with pytest.raises(Error, match="executable doesn't exist at /no/such/program"):
        await browser.browser_type.launch(executable_path="/no/such/program")


async def test_a_failed_expectation_shows_the_element_as_it_is(page: Page) -> None:
    await page.set_content("<p>before</p><ul><li>one</li></ul>")
    with pytest.raises(AssertionError) as failed:
        await expect(page.locator("ul")).to_have_text("two", timeout=1)
    text = str(failed.value)
    assert '    - locator resolved to <ul>…</ul>\n    - unexpected value "one"' in text
    assert "\n- list:\n  - listitem: one" in text.partition("Aria snapshot")[2]
    assert "before" not in text


@pytest.mark.long
async def test_nothing_is_waited_for_when_all_is_stopped() -> None:
    playwright = await async_playwright().start()
    browser = await playwright.chromium.launch()
    page = await browser.new_page()
    waits = asyncio.ensure_future(page.wait_for_function("false", timeout=0))
    asked = asyncio.ensure_future(playwright.request.new_context())
    requests = await asked
    await browser.close()
    await playwright.stop()
    with pytest.raises(TargetClosedError):
        await waits
    await page.close()
    with pytest.raises(TargetClosedError, match=r"Page.title: Target page, context or browser has"):
        await page.title()
    with pytest.raises(TargetClosedError):
        await requests.get("http://127.0.0.1:1/")


async def test_what_is_visible_may_be_written_as_a_number(page: Page) -> None:
    await page.set_content("<button hidden>away</button><button>here</button>")
    assert await page.locator("button >> visible=1").all_text_contents() == ["here"]
    assert await page.locator("button >> visible=0").all_text_contents() == ["away"]


def nested(levels: int) -> dict[str, Any]:
    value: Any = "end"
    for _ in range(levels // 2):
        value = {"in": [value]}
    return dict(value)


NESTED = "(levels) => { let v = 'end'; for (let i = 0; i < levels / 2; i++) v = {in: [v]}; return v; }"


@pytest.mark.parametrize("levels", [60, 120, 400])
async def test_values_may_be_nested_deeply_in_both_directions(page: Page, levels: int) -> None:
    assert await page.evaluate("value => value", nested(levels)) == nested(levels)
    assert await page.evaluate(NESTED, levels) == nested(levels)
    handle = await page.evaluate_handle(NESTED, levels)
    assert await handle.json_value() == nested(levels)


async def test_values_that_are_too_deep_are_refused(page: Page) -> None:
    with pytest.raises(Error, match="object reference chain is too long"):
        await page.evaluate(NESTED, 2000)
    with pytest.raises(Error, match=r"^Page\.evaluate: arg: expected at most 500 levels of nesting"):
        await page.evaluate("value => 1", nested(600))
    assert await page.evaluate("1 + 1") == 2


async def test_deep_values_keep_what_they_refer_to(page: Page) -> None:
    deep = await page.evaluate(f"levels => {{ const v = ({NESTED})(levels); v.self = v; return v; }}", 100)
    assert deep["self"] is deep
    assert deep["in"][0]["in"] == nested(100)["in"][0]["in"]


@pytest.mark.parametrize("given", [b"\x00\xff", bytearray(b"\x00\xff"), memoryview(b"\x00\xff")])
async def test_bytes_arrive_as_a_typed_array(page: Page, given: object) -> None:
    look = "({ bytes: [one, other] }) => [one.constructor.name, ...one, other.length]"
    assert await page.evaluate(look, {"bytes": [given, b""]}) == ["Uint8Array", 0, 255, 0]


async def test_a_getter_that_throws_is_left_out(page: Page) -> None:
    handle = await page.evaluate_handle("({ get bad() { throw 1; }, good: 1 })")
    assert await handle.json_value() == {"good": 1}
    with pytest.raises(Error, match="a getter of the result throws"):
        await page.evaluate("({ get bad() { throw 1; }, good: 1 })")


@pytest.mark.parametrize("locale", ["xx-nonsense-99", "not a locale"])
async def test_a_locale_that_the_browser_does_not_know_is_refused(browser: Browser, locale: str) -> None:
    context = await browser.new_context(locale=locale)
    with pytest.raises(Error, match=f'the browser does not support the locale "{locale}"'):
        await context.new_page()
    assert context.pages == []
    await context.close()
